(ns interregnum.checker.schema.cancels
  "S-7: a schema change whose cancellation was acknowledged ends without effect.

  A `:cancel` that succeeded has the value

    :job     the job that was running, nil if there was none
    :table   its table
    :result  what the node said of cancelling it
    :state   in which the job ended, nil if that was not seen"
  (:require [interregnum.checker.schema.ops :as ops]
            [jepsen.history :as h]))

(set! *warn-on-reflection* true)

(defn- cancelled?
  [op]
  (= "successful" (:result (:value op))))

(defn analysis
  "The result for `history`:

    :valid?           false if a cancelled job took effect
    :cancelled-count  cancellations that were acknowledged
    :ignored          summaries of those that had no effect
    :reason           one sentence, when invalid"
  [history]
  (let [acked   (filterv #(and (= :cancel (:f %)) (h/ok? %) (cancelled? %)) history)
        ignored (filterv #(= "synced" (:state (:value %))) acked)]
    (cond-> {:valid? (empty? ignored)
             :cancelled-count (count acked)}
      (seq ignored)
      (assoc :ignored (mapv ops/summary ignored)
             :reason (str "job " (:job (:value (first ignored))) " on table "
                          (:table (:value (first ignored)))
                          " was carried out though its cancellation was acknowledged")))))
