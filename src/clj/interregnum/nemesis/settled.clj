(ns interregnum.nemesis.settled
  "Brings a cluster to rest after faults: tells when it is, by what its nodes say."
  (:require [interregnum.host :as host]
            [interregnum.poll :as poll]
            [interregnum.target.status :as status]
            [jepsen.control :as control]
            [jepsen.db :as db]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(defn reports
  "What every node says now, node → {:info :all}, as `status/info` and
  `status/info-all` give them: nil where it does not answer."
  [test]
  (into (sorted-map)
        (util/real-pmap (fn [node]
                          (let [address (host/address test node)]
                            [node {:info (status/info address)
                                   :all  (status/info-all address)}]))
                        (:nodes test))))

(defn claimants
  "Role → the nodes of `reports` that claim to own it, sorted."
  [reports]
  (into {} (for [role status/roles]
             [role (vec (for [[node {:keys [info]}] reports
                              :when (status/claims? info role)]
                          node))])))

(defn- reign
  "The one reign of `role` that every node names and its owner is in, the only one of
  the nodes `claiming` that, as {:id :term}; nil if there is none."
  [reports role claiming]
  (let [named (into #{} (map #(select-keys (get-in % [:all role]) [:id :term]))
                    (vals reports))
        {:keys [id term] :as reign} (first named)]
    (when (and (= 1 (count named))
               term
               (= [id] claiming))
      reign)))

(defn reigns
  "Role → reign, {:id :term}, if the nodes of `reports` all answer and agree on a
  live owner of every role; else nil."
  [reports]
  (let [reigns (into {} (for [[role nodes] (claimants reports)]
                          [role (reign reports role nodes)]))]
    (when (and (every? :info (vals reports)) (every? some? (vals reigns)))
      reigns)))

(def ^:private looks-needed
  "So many looks in a row must show the same."
  3)

(defn looked
  "What is known after one more look that showed `reports`: :answers, node → true
  or false; :claims, see `claimants`; the :reigns it showed; and :looks, how many in a
  row showed those."
  [known reports]
  (let [now (reigns reports)]
    {:answers (update-vals reports (comp some? :info))
     :claims  (claimants reports)
     :reigns  now
     :looks   (cond (nil? now)             0
                    (= now (:reigns known)) (inc (:looks known))
                    :else                  1)}))

(def ^:private patience-ms
  "How long a node may be silent before it is started: one that came back while the
  store could not be reached gives up."
  10000)

(defn- start-silent!
  "Starts the nodes that did not answer; those that run go on."
  [test answers]
  (when-let [silent (seq (keys (remove val answers)))]
    (control/on-nodes test silent (fn [test node] (db/start! (:db test) test node)))))

(defn await-rest!
  "Waits until all nodes answer and agree on the live owners of all roles for a few
  looks in a row, at most `timeout-ms`, and starts nodes that stay silent. What the
  last look showed:

    :answers  node → did it answer
    :claims   role → the nodes that claimed to own it
    :reigns   role → {:id :term}; nil if the nodes did not come to rest"
  [test timeout-ms]
  (let [known (volatile! nil)
        look  #(<= looks-needed (:looks (vswap! known looked (reports test))))]
    (loop [left timeout-ms]
      (when-not (or (poll/await-some (min patience-ms left) look)
                    (<= left patience-ms))
        (start-silent! test (:answers @known))
        (recur (- left patience-ms))))
    (select-keys @known [:answers :claims :reigns])))
