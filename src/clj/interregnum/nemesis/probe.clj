(ns interregnum.nemesis.probe
  "Looks at the cluster from outside, so that a fault's effect is known and not
  assumed."
  (:require [interregnum.host :as host]
            [interregnum.poll :as poll]
            [interregnum.progress :as progress]
            [interregnum.target.status :as status]
            [jepsen.control :as control]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(defn answers
  "Which of `nodes` answer on their status port: a map node → true or false."
  [test nodes]
  (into (sorted-map)
        (util/real-pmap (fn [node]
                          [node (some? (status/info (host/address test node)))])
                        nodes)))

(defn- asked-leader
  "The owner that the nodes name, the one of the highest term, or nil."
  [test]
  (->> (:nodes test)
       (util/real-pmap #(status/owner (host/address test %) (:role test)))
       (filter some?)
       (sort-by :term)
       last))

(defn leader
  "Who owns the role that the test strikes now, as {:id :term}, by whichever node
  can tell; if none can, who was last seen to own it, or nil."
  [test]
  (some-> (or (asked-leader test)
              (progress/owner test))
          (select-keys [:id :term])))

(defn new-leader
  "The leader of a term after that of `before`, awaited for at most `timeout-ms`;
  nil if there was none."
  [test before timeout-ms]
  (poll/await-some timeout-ms
                   #(let [now (leader test)]
                      (when (and now (< (:term before 0) (:term now))) now))))

(def ssh-port
  "A port that every host listens on."
  22)

(defn reaches?
  "Can node `from` open a TCP connection to `port` of node `to`? Tried on `from`
  itself."
  [test [from to port]]
  (let [address (host/address test to)
        command (str "exec 3<>/dev/tcp/" address "/" port)]
    (get (control/on-nodes
           test [from]
           (fn [_ _]
             (try (control/exec :timeout 1 :bash :-c command)
                  true
                  (catch clojure.lang.ExceptionInfo e
                    (if (= :jepsen.control/nonzero-exit (:type (ex-data e)))
                      false
                      (throw e))))))
         from)))
