(ns interregnum.workload.schema.jobs
  "The queue of schema changes, as any client can see it."
  (:require [interregnum.sql :as sql]
            [jepsen.random :as rand]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private ended
  "The states of jobs that have ended."
  #{"synced" "cancelled" "rolled back" "rollback done"})

(def ^:private poll-ms 100)

(def ^:private outcome-limit-secs
  "How long a cancelled job is watched."
  10)

(defn- jobs
  "The jobs in the queue and the last that ended: maps of :job :table :state."
  [connection]
  (mapv (fn [{:strs [JOB_ID TABLE_NAME STATE]}]
          {:job (long JOB_ID), :table TABLE_NAME, :state STATE})
        (sql/query-maps! connection "ADMIN SHOW DDL JOBS")))

(defn- await-some
  "The first true value of `(f)` within `secs`, or nil."
  [secs f]
  (let [deadline (+ (util/linear-time-nanos) (* 1000000000 secs))]
    (loop []
      (or (f)
          (when (< (util/linear-time-nanos) deadline)
            (util/sleep poll-ms)
            (recur))))))

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
                 (await-some outcome-limit-secs #(end-state connection job)))})
    {:job nil}))

(defn unfinished
  "The jobs that have not ended within `secs` of waiting; usually none."
  [connection secs]
  (let [running #(mapv :job (remove (comp ended :state) (jobs connection)))]
    (if (await-some secs #(empty? (running)))
      []
      (running))))
