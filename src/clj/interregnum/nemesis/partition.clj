(ns interregnum.nemesis.partition
  "Cuts the network for longer than the lease: between nodes, into halves, one node
  off, or the owner off; or between the owner and the store alone, so that others
  still reach an owner that was deposed and does not know it. Clients reach every
  node throughout.

  Completion values of `:start-partition`:

    :target        :halves, :one, :owner or :owner-store
    :components    the nodes on each side
    :leader        who led before, as {:id :term}
    :blocked       [[from to port] ...] connections across that were tried and failed
    :took-effect?  did all that were tried fail"
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.probe :as probe]
            [jepsen.control :as control]
            [jepsen.nemesis :as nemesis]
            [jepsen.net :as net]
            [jepsen.random :as rand]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(defn- components
  "The two sides that `target` stands for, given who leads."
  [test target leader]
  (let [nodes (rand/shuffle (vec (:nodes test)))
        alone (fn [node] [[node] (vec (remove #{node} nodes))])]
    (case target
      :halves              (mapv vec (nemesis/bisect nodes))
      :one                 (alone (first nodes))
      (:owner :owner-store) (alone (or (:id leader) (first nodes))))))

(defn- cut-store!
  "Drops what `node` and others exchange with each other's store; `net/heal!` ends
  that as well."
  [test node]
  (let [ports (apply str (interpose "," (:store-ports test)))]
    (control/on-nodes
      test [node]
      (fn [_ _]
        (control/su
          (doseq [[chain interface] [[:INPUT :-i] [:OUTPUT :-o]]
                  direction [:--dports :--sports]]
            (control/exec :iptables :-w :-A chain (control/lit "!") interface :lo
                          :-p :tcp :-m :multiport direction ports :-j :DROP)))))))

(defn- cut!
  "Cuts the network; the connections that must fail now, [[from to port] ...]."
  [test target [[left] [right] :as sides]]
  (if (= :owner-store target)
    (let [port (first (:store-ports test))]
      (cut-store! test left)
      [[left right port] [right left port]])
    (do (net/drop-all! test (nemesis/complete-grudge sides))
        [[left right probe/ssh-port] [right left probe/ssh-port]])))

(defn isolate-from-store!
  "Cuts `node` and the others off from each other's store; did that take effect?
  `net/heal!` ends it."
  [test node]
  (let [other (first (remove #{node} (:nodes test)))]
    (not-any? #(probe/reaches? test %)
              (cut! test :owner-store [[node] [other]]))))

(defn- start!
  [test {target :value :as op}]
  (let [leader  (probe/leader test)
        sides   (components test target leader)
        tried   (cut! test target sides)
        blocked (filterv some? (util/real-pmap #(when-not (probe/reaches? test %) %)
                                               tried))]
    (assoc op :value {:target       target
                      :components   sides
                      :leader       leader
                      :blocked      blocked
                      :took-effect? (= tried blocked)})))

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

(defn- target
  "Whom partition number `k` cuts off: the owner from the store at first, where a
  deposed owner does most harm, then whatever chance wants."
  [random k]
  (if (< k 2)
    :owner-store
    (paced/pick random [:owner-store :owner-store :owner :one :halves])))

(defn- step
  "Partitions about every `interval` seconds that outlast the lease."
  [{:keys [seed lease-secs] :as opts} i]
  (let [random (paced/random seed :partition i)]
    (if (even? i)
      {:after (paced/pause opts random i)
       :op    {:type :info :f :start-partition
               :value (target random (quot i 2))}}
      {:after (paced/between random (+ 1 lease-secs) (+ 4 lease-secs))
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
