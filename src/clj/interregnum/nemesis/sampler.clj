(ns interregnum.nemesis.sampler
  "Watches who owns what from outside, throughout a run: one thread per node asks
  its status port. In the end `:owners` records every sighting in the history, as
  `interregnum.checker.owners` reads them:

    {:role :autoid :id \"n2\" :term 41 :from 1200 :to 5300}

  Likewise for the coordinator, with the role :ddl."
  (:require [interregnum.host :as host]
            [interregnum.nemesis.settled :as settled]
            [interregnum.progress :as progress]
            [interregnum.target.status :as status]
            [jepsen.nemesis :as nemesis]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private interval-ms
  "Pause between two samples of one node."
  250)

(defn- see
  "Adds a sighting of `who` at `time` to `sightings`, the ones of one role at one
  node: it prolongs the last one if that is of the same."
  [sightings who time]
  (let [last-seen (peek sightings)]
    (if (= who (dissoc last-seen :from :to))
      (conj (pop sightings) (assoc last-seen :to time))
      (conj sightings (assoc who :from time :to time)))))

(defn- note!
  "Adds one sighting to the atom `state`, a map of [node role] → sightings."
  [state node who time]
  (swap! state update [node (:role who)] (fnil see []) who time))

(defn- sample!
  "Asks `node` once and adds what it says to `state`."
  [test state node]
  (let [owners (status/info-all (host/address test node))
        time   (util/relative-time-nanos)]
    (doseq [role status/roles
            :let [{:keys [id term]} (role owners)]
            :when term]
      (when (= role (:role test))
        (progress/owner! test {:id id :term term}))
      (note! state node {:role role :id id :term term} time))))

(defn- start-thread!
  "Samples `node` in its own thread until `running?` is false."
  [test state running? node]
  (let [^Runnable task (bound-fn []
                         (while @running?
                           (util/meh (sample! test state node))
                           (util/sleep interval-ms)))]
    (doto (Thread. task (str "owner sampler " node))
      (.setDaemon true)
      (.start))))

(def ^:private stop-timeout-ms 5000)

(def ^:private rest-timeout-ms
  "How long nodes may take to come to rest after the last fault."
  60000)

(defrecord Sampler [state running? threads]
  nemesis/Nemesis
  (setup! [_ test]
    (let [state    (atom {})
          running? (atom true)]
      (->Sampler state running?
                 (mapv #(start-thread! test state running? %) (:nodes test)))))

  (invoke! [_ test op]
    (assoc op :value
           (case (:f op)
             :await-rest (settled/await-rest! test rest-timeout-ms)
             :owners      (into [] cat (vals (into (sorted-map) @state))))))

  (teardown! [_ _]
    (reset! running? false)
    (run! #(.join ^Thread % stop-timeout-ms) threads))

  nemesis/Reflection
  (fs [_] #{:await-rest :owners}))

(defn package
  "Not a fault: records the sightings."
  []
  {:name      :sampler
   :nemesis   (->Sampler nil nil nil)
   :generator nil
   :perf      #{}})

(def await-op
  "The operation that waits until every node answers again and all agree on the
  owners."
  {:type :info :f :await-rest})

(def record-op
  "The operation that records what was seen."
  {:type :info :f :owners})
