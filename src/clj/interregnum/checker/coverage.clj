(ns interregnum.checker.coverage
  "Whether a run exercised what it claims to test. A run that did not is
  `:unknown`, never valid: no fault of a family took effect, or the owner never
  changed although the faults asked for it.

  From the test map, `:role`, whose owner the faults strike, and
  `:fault-families`, one map per fault family in use:

    :name            of the family, a keyword
    :injects         the `:f`s that inject its faults
    :changes-owner?  whether they are meant to change the owner

  The completion of such an operation has a map as its `:value`, with the probe's
  verdict under `:took-effect?`."
  (:require [interregnum.checker.owners :as owners]
            [jepsen.checker :as checker]))

(set! *warn-on-reflection* true)

(defn- injections
  "How often a family's faults were injected and took effect."
  [history {:keys [injects]}]
  (let [done (into []
                   (filter #(and (= :nemesis (:process %))
                                 (contains? injects (:f %))
                                 (contains? % :value)
                                 (map? (:value %))
                                 (contains? (:value %) :took-effect?)))
                   history)]
    {:injected-count (count done)
     :effect-count   (count (filter #(:took-effect? (:value %)) done))}))

(defn- shortcoming
  "Why the faults `counts` (family → counts) and `changes` of owner are too little
  to judge by, or nil."
  [families counts changes]
  (or (some (fn [{:keys [name]}]
              (let [{:keys [injected-count effect-count]} (counts name)]
                (cond (zero? injected-count)
                      (str "No " (clojure.core/name name) " fault was injected.")
                      (zero? effect-count)
                      (str "None of " injected-count " "
                           (clojure.core/name name) " faults took effect."))))
            families)
      (when (and (some :changes-owner? families) (zero? changes))
        "The owner never changed, though the faults were meant to change it.")))

(defn analysis
  "The result for `history` with the fault families of the test, whose faults
  strike the owner of `role`:

    :valid?         true or :unknown
    :reason         why
    :faults         family → {:injected-count :effect-count}
    :reigns         the reigns seen, as {:id :term :from :to}
    :change-count   changes of owner seen
    :return-count   reigns of an owner that had reigned before"
  [history role families]
  (let [reigns  (owners/reigns history role)
        changes (owners/changes reigns)
        counts  (into (sorted-map)
                      (map (juxt :name #(injections history %)))
                      families)
        problem (shortcoming families counts changes)]
    {:valid?       (if problem :unknown true)
     :reason       (or problem
                       (str "The owner changed " changes " times"
                            (when (seq families) ", and every fault took effect")
                            "."))
     :faults       counts
     :reigns       reigns
     :change-count changes
     :return-count (owners/returns reigns)}))

(defn checker
  "The `analysis` as a Checker."
  []
  (reify checker/Checker
    (check [_ test history _]
      (analysis history (:role test) (:fault-families test)))))
