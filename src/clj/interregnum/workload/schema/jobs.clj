(ns interregnum.workload.schema.jobs
  "The queue of schema changes, as any client can see it."
  (:require [interregnum.poll :as poll]
            [interregnum.sql :as sql]
            [jepsen.random :as rand]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private ended
  "The states of jobs that have ended."
  #{"synced" "cancelled" "rolled back" "rollback done"})

(def ^:private poll-ms 100)

(def ^:private outcome-limit-ms
  "How long a cancelled job is watched."
  10000)

(defn- jobs
  "The jobs in the queue and the last that ended: maps of :job :table
  :state :schema-state."
  [connection]
  (mapv (fn [{:strs [JOB_ID TABLE_NAME STATE SCHEMA_STATE]}]
          {:job (long JOB_ID), :table TABLE_NAME, :state STATE
           :schema-state SCHEMA_STATE})
        (sql/query-maps! connection "ADMIN SHOW DDL JOBS")))

(defn- end-state
  "The state in which `job` ended, or nil if it has not or is not shown any more."
  [connection job]
  (some #(when (and (= job (:job %)) (ended (:state %))) (:state %))
        (jobs connection)))

(defn cancel!
  "Cancels one of the jobs that run and watches how it ends; see
  `interregnum.checker.schema.cancels` for the value."
  [connection]
  (if-let [running (seq (remove (comp ended :state) (jobs connection)))]
    (let [{:keys [job table]} (rand/nth (vec running))
          [{:strs [RESULT]}] (sql/query-maps! connection
                                              (str "ADMIN CANCEL DDL JOBS " job))]
      {:job    job
       :table  table
       :result RESULT
       :state  (when (= "successful" RESULT)
                 (poll/await-some outcome-limit-ms #(end-state connection job)))})
    {:job nil}))

(def ^:private idle-limit-secs
  "How long the queue may stand still before the jobs in it count as stuck. On a busy
  machine owners come and go even without faults, and jobs take their time."
  60)

(def ^:private drain-limit-secs
  "How long the queue is watched in all, while something moves in it."
  240)

(defn drain!
  "Waits until no job is left, or the queue has stood still for too long:

    :unfinished  the jobs that were left, usually none
    :idle?       did the queue stand still to the end"
  [connection]
  (let [nanos #(* 1000000000 %)
        start (util/linear-time-nanos)]
    (loop [before nil, since start]
      (let [left  (vec (remove (comp ended :state) (jobs connection)))
            now   (util/linear-time-nanos)
            since (if (= left before) since now)
            idle? (< (nanos idle-limit-secs) (- now since))]
        (if (or (empty? left) idle? (< (nanos drain-limit-secs) (- now start)))
          {:unfinished (mapv :job left), :idle? idle?}
          (do (util/sleep poll-ms)
              (recur left since)))))))
