(ns jepsen.nemesis.grudge
  "Grudges: maps of node to the set of nodes whose packets it drops."
  (:require [clojure.set :as set]
            [jepsen.random :as rand]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(defn bisect
  "Cuts a sequence into two halves, the smaller first."
  [coll]
  (split-at (quot (count coll) 2) coll))

(defn split-one
  "Splits one node, by default a random one, off the others."
  ([coll]
   (split-one (rand/nth (vec coll)) coll))
  ([loner coll]
   [[loner] (remove #{loner} coll)]))

(defn complete-grudge
  "The grudge in which the nodes of each component drop everybody outside
  it."
  [components]
  (let [components (map set components)
        all        (reduce into #{} components)]
    (into {}
          (for [component components, node component]
            [node (set/difference all component)]))))

(defn invert-grudge
  "Turns connections, a map of node to the nodes it should hear, into a
  grudge among `nodes`."
  [nodes connections]
  (let [all (set nodes)]
    (into {}
          (map (fn [node]
                 [node (set/difference all (set (get connections node)))]))
          nodes)))

(defn bridge
  "Two halves that do not hear each other, with one node of the larger half
  that all hear."
  [nodes]
  (let [components (bisect nodes)
        bridge     (first (second components))]
    (-> (complete-grudge components)
        (dissoc bridge)
        (update-vals #(disj % bridge)))))

(defn- ring-exact
  "Each node hears the majority around it on a shuffled ring."
  [nodes]
  (let [universe (set nodes)
        ring     (vec (rand/shuffle (vec nodes)))
        n        (count ring)
        majority (util/majority n)
        middle   (quot majority 2)]
    (into {}
          (for [start (range n)]
            (let [window (map #(ring (mod (+ start %) n)) (range majority))]
              [(nth window middle)
               (set/difference universe (set window))])))))

(defn- connect-one
  "Connects one of the least connected nodes that lacks a majority to a
  random node that it does not hear yet, of the least connected ones."
  [connections lacking]
  (let [fewest (fn [nodes]
                 (let [least (apply min (map (comp count connections) nodes))]
                   (filterv #(= least (count (connections %))) nodes)))
        a      (rand/nth (fewest lacking))
        b      (rand/nth (fewest (remove (connections a)
                                         (keys connections))))]
    (-> connections
        (update a conj b)
        (update b conj a))))

(defn- ring-random
  "Connects nodes at random until each hears a majority."
  [nodes]
  (let [majority (util/majority (count nodes))]
    (loop [connections (into {} (map (fn [n] [n #{n}])) nodes)]
      (let [lacking (filterv #(< (count (connections %)) majority) nodes)]
        (if (empty? lacking)
          (invert-grudge nodes connections)
          (recur (connect-one connections lacking)))))))

(defn majorities-ring
  "A grudge in which every node hears a majority and, with up to five nodes,
  no two nodes the same one. With more nodes some may hear more than a bare
  majority."
  [nodes]
  (if (<= (count nodes) 5)
    (ring-exact nodes)
    (ring-random nodes)))
