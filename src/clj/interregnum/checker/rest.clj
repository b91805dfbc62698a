(ns interregnum.checker.rest
  "S-16: once the faults have ended and the nodes have come to rest, each role has one
  owner.

  The nemesis's `:await-rest` operation has as its value the last look at the nodes, as
  `interregnum.nemesis.settled/await-rest!` gives it: that they did not come to rest
  means that it was waited for many times as long as a lease holds."
  (:require [clojure.string :as str]
            [jepsen.checker :as checker]))

(set! *warn-on-reflection* true)

(def invariants
  "Name → title of what is checked."
  {:rivals "S-16: once all is quiet, each role has one owner"})

(defn- last-look
  "What the nodes said of themselves after the last fault, or nil."
  [history]
  (->> history
       (filter #(and (= :await-rest (:f %)) (map? (:value %))))
       last
       :value))

(defn- rivals
  "Roles that several nodes claim, with those nodes."
  [claims]
  (sort-by key (filter #(< 1 (count (val %))) claims)))

(defn- sentence
  [[role nodes]]
  (str "after the last fault " (str/join " and " nodes) " went on claiming to own "
       (name role)))

(defn analysis
  "The result for `history`:

    :valid?      false if several nodes claim a role; :unknown if the nodes did not
                 come to rest otherwise
    :reason      one sentence, unless valid
    :violated    [:rivals], and :invariants {:rivals {:reason sentence}}, if invalid
    :claims      role → the nodes that claimed it at last"
  [history]
  (let [{:keys [claims reigns] :as look} (last-look history)
        rivals (rivals claims)
        base   {:claims claims}]
    (cond
      (seq rivals)
      (let [reason (str/join "; " (map sentence rivals))]
        (assoc base :valid? false, :violated [:rivals]
               :reason (str (:rivals invariants) ": " reason)
               :invariants {:rivals {:valid? false, :reason reason}}))

      (nil? look)
      (assoc base :valid? :unknown, :reason "The nodes were not looked at in the end.")

      (nil? reigns)
      (assoc base :valid? :unknown
             :reason "After the last fault the nodes did not agree on live owners.")

      :else (assoc base :valid? true))))

(defn checker
  "The `analysis` as a Checker."
  []
  (reify checker/Checker
    (check [_ _test history _opts]
      (analysis history))))
