(ns interregnum.poll
  "Waiting for what has to be asked for again and again."
  (:require [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private interval-ms 100)

(defn await-some
  "The first true value of `(f)`, tried every 100 ms for at most `timeout-ms`; nil
  if there was none."
  [timeout-ms f]
  (let [deadline (+ (util/linear-time-nanos) (* 1000000 timeout-ms))]
    (loop []
      (or (f)
          (when (< (util/linear-time-nanos) deadline)
            (util/sleep interval-ms)
            (recur))))))
