(ns interregnum.finds
  "Which random run finds which planted defect, and what a run found, when and by
  which invariant.

  A find is

    :flag        the defect
    :workload :nemesis :nemesis-interval :time-limit   of a run that is to find it
    :found?      whether the run was invalid
    :violated    names of the invariants that were violated, the telling one first
    :secs        when the first operation that broke one was complete, in seconds
                 since the start of the run, or nil
    :command     what repeats the run")

(set! *warn-on-reflection* true)

(def ^:private ids-run {:workload "ids" :time-limit 60 :nemesis-interval 1})
(def ^:private schema-run {:workload "schema" :time-limit 100 :nemesis-interval 1})

(def runs
  "Defect → the run that is to find it: whatever brings about what the defect's safeguard
  is for."
  (let [ids       #(assoc ids-run :nemesis %)
        ids-phase #(assoc ids-run :nemesis "phase" :time-limit 100)
        schema    #(assoc schema-run :nemesis %)]
    (array-map
      "tidb-52600"        (ids "resign")
      "serve-after-lease" (ids "partition")
      "pd-4884"           (ids-phase)
      "tidb-46444"        (ids "kill,resign")
      "mysql-199"         (ids "resign")
      "rebase-retry"      (ids-phase)
      "tidb-auto-retry"   {:workload "register" :nemesis "none" :nemesis-interval 2
                           :time-limit 30}
      "tidb-58486"        (schema "phase")
      "tidb-58483"        (schema "phase")
      "tidb-54689"        (ids-phase)
      "tidb-50055"        (schema "phase")
      "tidb-51846"        (schema "phase,resign")
      "tidb-52747"        (assoc (schema "none") :time-limit 30)
      "tidb-20213"        (schema "phase")
      "tidb-37209"        (schema "phase")
      "tidb-53073"        (schema "phase")
      "tidb-8441"         (assoc (schema "pause") :time-limit 60)
      "tidb-10410"        (assoc (schema "none") :time-limit 30)
      "tidb-71106"        (schema "phase")
      "cockroach-5483"    (assoc (schema "none") :time-limit 30))))

(defn- completed
  "When the operation `op` of a result was complete, in nanoseconds, or nil: its
  time is that, or a pair of begin and end."
  [op]
  (when (map? op)
    (let [{:keys [time]} op]
      (if (sequential? time) (second time) time))))

(defn- moment
  "When the last operation of a `finding` was complete, or nil."
  [finding]
  (->> (vals finding)
       (keep completed)
       (reduce max 0)
       (#(when (pos? %) %))))

(defn- findings
  "What a violated invariant lists: under :first, or for each kind of failure."
  [{:keys [first failures] :as invariant}]
  (concat first
          (mapcat :first (vals failures))
          (map #(hash-map :op %) (mapcat invariant [:stuck :unfinished :ignored]))))

(defn- broken
  "The invariants that the checkers of `results` saw violated, as [name result]."
  [results]
  (for [{:keys [violated invariants]} (map results [:workload :rest])
        invariant violated]
    [invariant (invariants invariant)]))

(defn first-nanos
  "When the first operation that broke a promise was complete, by a test's `results`,
  in nanoseconds, or nil if no operation is to blame."
  [results]
  (->> (broken results)
       (mapcat (comp findings peek))
       (keep moment)
       (reduce min Long/MAX_VALUE)
       (#(when (< % Long/MAX_VALUE) %))))

(defn find-of
  "The find that the `results` of `run`, one of `runs`, amount to for `flag`."
  [flag run results command]
  (let [nanos (first-nanos results)]
    (assoc run
           :flag     flag
           :found?   (false? (:valid? results))
           :violated (mapv first (broken results))
           :secs     (when nanos (/ nanos 1e9))
           :command  command)))

(defn row
  "A find as a line of a Markdown table."
  [{:keys [flag found? violated secs command]}]
  (str "| " flag " | "
       (cond (not found?) "no"
             secs         (format "after %.0f s" secs)
             :else        "in the end")
       " | " (if (seq violated) (apply str (interpose ", " (map name violated))) "-")
       " | `" command "` |"))

(def heading
  "The first lines of the table."
  "| defect | found | by | command |\n|---|---|---|---|")
