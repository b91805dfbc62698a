(ns interregnum.checker.coverage
  "Whether a run exercised what it claims to test. A run that did not is
  `:unknown`, never valid: no fault of a family took effect; or the owner never
  changed although the faults asked for it; or clients got nothing done under
  another owner, or under one that came back; or no operation that a change of owner
  is to interrupt was under way at one; or a fault could not be undone in the end.

  A correct service leaves no holes among schema versions, so none is asked for.

  From the test map, `:role`, whose owner the faults strike; `:interrupted`, the
  `:f`s one of which has to be under way when the owner changes, if that matters to
  the workload; and `:fault-families`, one map per fault family in use:

    :name            of the family, a keyword
    :injects         the `:f`s that inject its faults
    :changes-owner?  whether they are meant to change the owner
    :returns-owner?  whether an earlier owner is meant to come back

  The completion of such an operation has a map as its `:value`, with the probe's
  verdict under `:took-effect?`."
  (:require [clojure.string :as str]
            [interregnum.checker.owners :as owners]
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

(def ^:private oks-min
  "How many operations have to succeed under another owner than the first."
  5)

(defn- oks-since
  "How many client operations succeeded after `time`."
  [history time]
  (count (filter #(and (integer? (:process %)) (= :ok (:type %)) (< time (:time %)))
                 history)))

(defn- change-windows
  "The times between two reigns, as [last seen of the one, first seen of the other]."
  [reigns]
  (mapv (fn [[before after]] [(:to before) (:from after)]) (partition 2 1 reigns)))

(defn- interrupted-count
  "How many acknowledged operations of `fs` were under way when the owner changed."
  [history reigns fs]
  (let [windows (change-windows reigns)]
    (:count
      (reduce (fn [{:keys [open] :as state} {:keys [process type f time]}]
                (cond (not (and (integer? process) (contains? fs f))) state
                      (= :invoke type) (assoc-in state [:open process] time)
                      (and (= :ok type)
                           (some (fn [[from to]]
                                   (and (< (open process) to) (< from time)))
                                 windows))
                      (update state :count inc)
                      :else state))
              {:open {} :count 0}
              history))))

(defn- idleness
  "Why what clients did under the owners `reigns` is too little to judge by, or nil."
  [history reigns families interrupted]
  (let [other    (second reigns)
        returned (first (owners/returned reigns))
        enough?  #(<= oks-min (oks-since history (:from %)))]
    (cond
      (not (some :changes-owner? families)) nil
      (not (enough? other))
      "Clients got nothing done under another owner than the first."
      (and (some :returns-owner? families) (nil? returned))
      "No owner came back, though the faults were meant to bring one back."
      (and (some :returns-owner? families) (not (enough? returned)))
      "Clients got nothing done under an owner that came back."
      (and (seq interrupted)
           (zero? (interrupted-count history reigns interrupted)))
      (str "No " (str/join " or " (sort (map name interrupted)))
           " was under way when the owner changed."))))

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

(defn- left-armed
  "What a fault left behind that could not be undone in the end, or nil: the last
  thing that was said of it is not that nothing is :left."
  [history]
  (let [left (transduce (comp (filter #(and (= :nemesis (:process %)) (map? (:value %))))
                              (keep (comp :left :value)))
                        (fn ([left] left) ([_ left] left))
                        nil history)]
    (when (seq left)
      (str "Some failpoints were still armed in the end: " (pr-str left) "."))))

(defn analysis
  "The result for `history` of a test with `:role`, `:fault-families` and
  `:interrupted`:

    :valid?         true or :unknown
    :reason         why
    :faults         family → {:injected-count :effect-count}
    :reigns         the reigns seen, as {:id :term :from :to}
    :change-count   changes of owner seen
    :return-count   reigns of an owner that had reigned before"
  [history {:keys [role interrupted] families :fault-families}]
  (let [reigns  (owners/reigns history role)
        changes (owners/changes reigns)
        counts  (into (sorted-map)
                      (map (juxt :name #(injections history %)))
                      families)
        problem (or (left-armed history)
                    (shortcoming families counts changes)
                    (idleness history reigns families interrupted))]
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
      (analysis history test))))
