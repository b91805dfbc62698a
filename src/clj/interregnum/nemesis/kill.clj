(ns interregnum.nemesis.kill
  "Kills nodes with SIGKILL, the owner or any one, and starts them again: sometimes
  within the lease that the dead owner leaves behind, sometimes after it.

  `interregnum.nemesis.process` has the values of completions."
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.process :as process]
            [jepsen.db :as db]
            [jepsen.nemesis :as nemesis]))

(set! *warn-on-reflection* true)

(defrecord KillNemesis []
  nemesis/Nemesis
  (setup! [this _] this)
  (invoke! [_ test op]
    (case (:f op)
      :kill  (process/strike! test op (fn [t node] (db/kill! (:db t) t node)))
      :start (process/end! test op (fn [t node] (db/start! (:db t) t node)))))
  (teardown! [_ _])

  nemesis/Reflection
  (fs [_] #{:kill :start}))

(defn package
  "The fault family."
  [{:keys [lease-secs] :as opts}]
  (let [schedule (assoc opts :strike :kill :end :start
                        :hold #(paced/between % 1 (+ 2 lease-secs)))]
    {:name            :kill
     :injects         #{:kill}
     :changes-owner?  true
     :nemesis         (->KillNemesis)
     :generator       (paced/paced #(process/step schedule %))
     :final-generator {:type :info :f :start}
     :perf            #{{:name "kill" :start #{:kill} :stop #{:start} :color "#E9A4A0"}}}))
