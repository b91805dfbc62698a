(ns interregnum.nemesis.pause
  "Stops nodes with SIGSTOP, the owner or any one, for about as long as the lease or
  longer, and lets them go on: a paused owner is deposed and does not know it. Some
  wake up just after that, while others still take them for the owner and their
  requests wait at its door.

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

(defn- hold-secs
  "How long a node stays paused after the strike, which takes a second or so itself:
  until about when its successor begins, or well beyond that."
  [random lease-secs]
  (if (paced/pick random [true false])
    (paced/between random (max 1 (- lease-secs 2)) (+ 1/2 lease-secs))
    (paced/between random (+ 2 lease-secs) (+ 4 lease-secs))))

(defn package
  "The fault family."
  [{:keys [lease-secs] :as opts}]
  (let [schedule (assoc opts :strike :pause :end :resume
                        :hold #(hold-secs % lease-secs))]
    {:name            :pause
     :injects         #{:pause}
     :changes-owner?  true
     :nemesis         (->PauseNemesis)
     :generator       (paced/paced #(process/step schedule %))
     :final-generator {:type :info :f :resume}
     :perf            #{{:name "pause" :start #{:pause} :stop #{:resume} :color "#A0B1E9"}}}))
