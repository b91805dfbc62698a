(ns interregnum.nemesis.kill
  "Ends nodes, the owner or any one, and starts them again: sometimes within the
  lease that the dead owner leaves behind, sometimes after it. Some are killed with
  SIGKILL, others asked to stop with SIGTERM, so that they do what they do on
  leaving.

  `interregnum.nemesis.process` has the values of completions; `:signal` is :kill
  or :term."
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.process :as process]
            [interregnum.target.nodes :as nodes]
            [jepsen.db :as db]
            [jepsen.nemesis :as nemesis]))

(set! *warn-on-reflection* true)

(defn- end-node
  "A function of test and node that ends the node's process as the op says."
  [{:keys [signal]}]
  (case signal
    :kill (fn [test node] (db/kill! (:db test) test node))
    :term (fn [_ _] (nodes/stop!))))

(defrecord KillNemesis []
  nemesis/Nemesis
  (setup! [this _] this)
  (invoke! [_ test op]
    (case (:f op)
      :kill  (process/strike! test op (end-node op))
      :start (process/end! test op (fn [t node] (db/start! (:db t) t node)))))
  (teardown! [_ _])

  nemesis/Reflection
  (fs [_] #{:kill :start}))

(defn- step
  "A step of `schedule`, with the signal of each strike. The first kills; those that
  ask a node to stop ask any node, more often than not: a former owner may have
  something left to do as well."
  [schedule i]
  (let [random (paced/random (:seed schedule) :signal i)
        signal (if (zero? i) :kill (paced/pick random [:kill :term]))]
    (cond-> (process/step schedule i)
      (even? i)
      (assoc-in [:op :signal] signal)
      (and (even? i) (= :term signal))
      (assoc-in [:op :value] (paced/pick random [:one :one :owner])))))

(defn package
  "The fault family."
  [{:keys [lease-secs] :as opts}]
  (let [schedule (assoc opts :strike :kill :end :start
                        :hold #(paced/between % 1 (+ 2 lease-secs)))]
    {:name            :kill
     :injects         #{:kill}
     :changes-owner?  true
     :nemesis         (->KillNemesis)
     :generator       (paced/paced #(step schedule %))
     :final-generator {:type :info :f :start}
     :perf            #{{:name "kill" :start #{:kill} :stop #{:start} :color "#E9A4A0"}}}))
