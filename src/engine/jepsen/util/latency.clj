(ns jepsen.util.latency
  "How long operations took, and over which intervals a nemesis was active; suites use these
  functions through `jepsen.util`.")

(set! *warn-on-reflection* true)

(defn history->latencies
  "A vector of the operations of `history`, in which each client invocation that was completed has
  two more keys:

    :latency     nanoseconds until its completion
    :completion  the completing operation"
  [history]
  (let [step (fn [[ops open] {:keys [process type time] :as op}]
               (let [i (count ops)]
                 (cond
                   (not (integer? process))
                   [(conj! ops op) open]

                   (= :invoke type)
                   [(conj! ops op) (assoc! open process i)]

                   :else
                   (if-let [j (get open process)]
                     (let [invocation (nth ops j)]
                       [(conj! (assoc! ops j (assoc invocation
                                                    :latency (- time (:time invocation))
                                                    :completion op))
                               op)
                        (dissoc! open process)])
                     [(conj! ops op) open]))))]
    (persistent! (first (reduce step [(transient []) (transient {})] history)))))

(defn- nemesis-pairs
  "Pairs of the operations of the nemesis with equal :f: the first with the second, and so on."
  [history]
  (let [step (fn [[pairs open] op]
               (if-let [begin (get open (:f op))]
                 [(conj pairs [begin op]) (dissoc open (:f op))]
                 [pairs (assoc open (:f op) op)]))
        [pairs open] (reduce step [[] {}] (filter #(= :nemesis (:process %)) history))]
    (sort-by (comp :index first) (into pairs (map (fn [op] [op nil])) (vals open)))))

(defn nemesis-intervals
  "Pairs `[start stop]` of operations between which the nemesis was active. Options are the sets of
  :f that begin and end an activity:

    :start  #{:start}
    :stop   #{:stop}

  Nemesis operations come in pairs of invocation and completion. Each pair [s s'] that begins an
  activity is closed by the next pair [e e'] that ends one, and yields [s e] and [s' e']; with
  nil for e and e' when there is none."
  ([history] (nemesis-intervals history {}))
  ([history opts]
   (let [start? (:start opts #{:start})
         stop?  (:stop opts #{:stop})
         close  (fn [starts [stop stop']]
                  (mapcat (fn [[s s']] (cond-> [[s stop]] s' (conj [s' stop']))) starts))
         step   (fn [[intervals starts] [op _ :as pair]]
                  (cond (start? (:f op)) [intervals (conj starts pair)]
                        (stop? (:f op))  [(into intervals (close starts pair)) []]
                        :else            [intervals starts]))
         [intervals starts] (reduce step [[] []] (nemesis-pairs history))]
     (into intervals (close starts [nil nil])))))
