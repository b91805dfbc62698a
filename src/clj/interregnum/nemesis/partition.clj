(ns interregnum.nemesis.partition
  "Cuts the network between nodes for longer than the lease: into halves, one node
  off, or the owner off. Clients reach every node throughout.

  Completion values of `:start-partition`:

    :target        :halves, :one or :owner
    :components    the nodes on each side
    :leader        who led before, as {:id :term}
    :blocked       [[from to] ...] pairs across that were tried and got nothing
    :took-effect?  was none of the tried pairs able to talk"
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.probe :as probe]
            [jepsen.nemesis :as nemesis]
            [jepsen.net :as net]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(defn- components
  "The two sides that `target` stands for, given who leads."
  [test target leader]
  (let [nodes (rand/shuffle (vec (:nodes test)))
        alone (fn [node] [[node] (vec (remove #{node} nodes))])]
    (case target
      :halves (mapv vec (nemesis/bisect nodes))
      :one    (alone (first nodes))
      :owner  (alone (or (:id leader) (first nodes))))))

(defn- start!
  [test {target :value :as op}]
  (let [leader (probe/leader test)
        [left right :as sides] (components test target leader)
        tried  [[(first left) (first right)] [(first right) (first left)]]]
    (net/drop-all! test (nemesis/complete-grudge sides))
    (let [blocked (filterv (fn [[from to]] (not (probe/reaches? test from to)))
                           tried)]
      (assoc op :value {:target       target
                        :components   sides
                        :leader       leader
                        :blocked      blocked
                        :took-effect? (= tried blocked)}))))

(defn- stop!
  [test op]
  (net/heal! (:net test) test)
  (assoc op :value {:leader (probe/leader test)}))

(defrecord PartitionNemesis []
  nemesis/Nemesis
  (setup! [this test]
    (net/heal! (:net test) test)
    this)
  (invoke! [_ test op]
    (case (:f op)
      :start-partition (start! test op)
      :stop-partition  (stop! test op)))
  (teardown! [_ test]
    (net/heal! (:net test) test))

  nemesis/Reflection
  (fs [_] #{:start-partition :stop-partition}))

(defn- step
  "Partitions about every `interval` seconds that outlast the lease; the first one
  cuts the owner off."
  [{:keys [seed interval lease-secs]} i]
  (let [random (paced/random seed :partition i)]
    (if (even? i)
      {:after (paced/between random (* 1/4 interval) interval)
       :op    {:type :info :f :start-partition
               :value (if (zero? i)
                         :owner
                         (paced/pick random [:owner :owner :one :halves]))}}
      {:after (paced/between random (+ 2 lease-secs) (+ 4 lease-secs))
       :op    {:type :info :f :stop-partition}})))

(defn package
  "The fault family."
  [opts]
  {:name            :partition
   :injects         #{:start-partition}
   :changes-owner?  true
   :nemesis         (->PartitionNemesis)
   :generator       (paced/paced #(step opts %))
   :final-generator {:type :info :f :stop-partition}
   :perf            #{{:name "partition" :start #{:start-partition}
                       :stop #{:stop-partition} :color "#D1E8A0"}}})
