(ns interregnum.nemesis.pause
  "Stops nodes with SIGSTOP, the owner or any one, for longer than the lease, and
  lets them go on: a paused owner is deposed and does not know it. Some wake up
  soon after that, while others still take them for the owner and their requests
  wait at its door.

  `interregnum.nemesis.process` has the values of completions."
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.process :as process]
            [jepsen.db :as db]
            [jepsen.nemesis :as nemesis]))

(set! *warn-on-reflection* true)

(defrecord PauseNemesis []
  nemesis/Nemesis
  (setup! [this _] this)
  (invoke! [_ test op]
    (case (:f op)
      :pause  (process/strike! test op (fn [t node] (db/pause! (:db t) t node)))
      :resume (process/end! test op (fn [t node] (db/resume! (:db t) t node)))))
  (teardown! [_ _])

  nemesis/Reflection
  (fs [_] #{:pause :resume}))

(defn package
  "The fault family."
  [{:keys [lease-secs] :as opts}]
  (let [schedule (assoc opts :strike :pause :end :resume
                        :hold #(paced/between % (+ 1/2 lease-secs) (+ 3 lease-secs)))]
    {:name            :pause
     :injects         #{:pause}
     :changes-owner?  true
     :nemesis         (->PauseNemesis)
     :generator       (paced/paced #(process/step schedule %))
     :final-generator {:type :info :f :resume}
     :perf            #{{:name "pause" :start #{:pause} :stop #{:resume} :color "#A0B1E9"}}}))
