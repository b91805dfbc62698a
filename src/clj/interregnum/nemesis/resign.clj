(ns interregnum.nemesis.resign
  "Makes the owner of the test's role resign, through the status API.

  One `:resign` goes on until an owner that reigned before reigns again, A→B→A,
  with time for inserts under each: that is when a range kept from an earlier
  reign does harm. The completion's value:

    :path          the reigns, [{:id \"n1\" :term 5} {:id \"n2\" :term 9} ...]
    :took-effect?  did the owner change at all
    :returned?     did an earlier owner come back"
  (:require [interregnum.host :as host]
            [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.probe :as probe]
            [interregnum.poll :as poll]
            [interregnum.progress :as progress]
            [interregnum.target.status :as status]
            [jepsen.nemesis :as nemesis]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private change-timeout-ms
  "How long a successor may take."
  6000)

(def ^:private reign-min-ms
  "How long each owner reigns at least before it resigns in turn."
  300)

(def ^:private reign-max-ms
  "How long each owner may reign without `reign-oks` successful operations."
  3000)

(def ^:private reign-oks
  "How many operations are to succeed under each owner."
  20)

(defn- reign!
  "Lets the present owner reign until clients have got something done under it."
  [test]
  (let [enough (+ reign-oks (progress/ok-count test))]
    (util/sleep reign-min-ms)
    (poll/await-some reign-max-ms #(<= enough (progress/ok-count test)))))

(defn- resign-once!
  "Makes `leader` resign; its successor, or nil if none came."
  [test leader]
  (status/resign! (host/address test (:id leader)) (:role test))
  (probe/new-leader test leader change-timeout-ms))

(defn- returned?
  "Does some owner of `path` reign again after another one did?"
  [path]
  (let [ids (dedupe (map :id path))]
    (< (count (distinct ids)) (count ids))))

(def ^:private drive-max-ms
  "How long one operation may go on: other faults wait for it."
  8000)

(defn- drive!
  "Makes owners resign until one of them returns; the path of reigns."
  [test]
  (loop [path     (filterv some? [(probe/leader test)])
         deadline (+ (util/linear-time-nanos) (* 1000000 drive-max-ms))]
    (let [successor (when (and (seq path)
                               (not (returned? path))
                               (< (util/linear-time-nanos) deadline)
                               (<= (count path) (* 2 (count (:nodes test)))))
                      (reign! test)
                      (resign-once! test (peek path)))]
      (if successor
        (recur (conj path successor) deadline)
        path))))

(defrecord ResignNemesis []
  nemesis/Nemesis
  (setup! [this _] this)
  (invoke! [_ test op]
    (let [path (drive! test)]
      (assoc op :value {:path         path
                        :took-effect? (< 1 (count path))
                        :returned?    (returned? path)})))
  (teardown! [_ _])

  nemesis/Reflection
  (fs [_] #{:resign}))

(defn- step
  "Resignations about every `interval` seconds."
  [{:keys [seed] :as opts} i]
  {:after (paced/pause opts (paced/random seed :resign i) i)
   :op    {:type :info :f :resign}})

(defn package
  "The fault family."
  [opts]
  {:name            :resign
   :injects         #{:resign}
   :changes-owner?  true
   :returns-owner?  true
   :nemesis         (->ResignNemesis)
   :generator       (paced/paced #(step opts %))
   :final-generator nil
   :perf            #{{:name "resign" :start #{} :stop #{} :fs #{:resign}
                       :color "#E9DCA0"}}})
