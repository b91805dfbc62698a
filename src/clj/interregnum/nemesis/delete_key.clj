(ns interregnum.nemesis.delete-key
  "Deletes the owner's election key from the store, behind its back: a successor is
  elected while the old owner lives, and believes that it reigns until its watch
  tells it otherwise.

  Completion values:

    :leader        who led before, as {:id :term}
    :key           the key that was deleted, or nil
    :successor     who leads now, as {:id :term}, or nil
    :took-effect?  was the key deleted, and another term begun"
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.probe :as probe]
            [interregnum.target.nodes :as nodes]
            [jepsen.nemesis :as nemesis]))

(set! *warn-on-reflection* true)

(def ^:private change-timeout-ms
  "How long a successor may take: the old owner's lease may have to run out."
  6000)

(defn- delete!
  [test op]
  (let [leader    (probe/leader test)
        deleted   (when leader (nodes/delete-election-key! test (:role test)))
        successor (when deleted (probe/new-leader test leader change-timeout-ms))]
    (assoc op :value {:leader       leader
                      :key          deleted
                      :successor    successor
                      :took-effect? (some? successor)})))

(defrecord DeleteKeyNemesis []
  nemesis/Nemesis
  (setup! [this _] this)
  (invoke! [_ test op] (delete! test op))
  (teardown! [_ _])

  nemesis/Reflection
  (fs [_] #{:delete-key}))

(defn- step
  "Deletions about every `interval` seconds."
  [{:keys [seed] :as opts} i]
  {:after (paced/pause opts (paced/random seed :delete-key i) i)
   :op    {:type :info :f :delete-key}})

(defn package
  "The fault family."
  [opts]
  {:name            :delete-key
   :injects         #{:delete-key}
   :changes-owner?  true
   :nemesis         (->DeleteKeyNemesis)
   :generator       (paced/paced #(step opts %))
   :final-generator nil
   :perf            #{{:name "delete-key" :start #{} :stop #{} :fs #{:delete-key}
                       :color "#D8C3A5"}}})
