(ns interregnum.nemesis.settled
  "Tells when a cluster has come to rest after faults, by what its nodes say."
  (:require [interregnum.host :as host]
            [interregnum.nemesis.probe :as probe]
            [interregnum.target.status :as status]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private claims
  "Role → the key of a node's claim to it in its info."
  {:autoid :autoidLeader
   :ddl    :ddlOwner})

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

(defn- reign
  "The one reign of `role` that every node names and its owner claims to be in,
  as {:id :term}; nil if there is none."
  [reports role]
  (let [named (into #{} (map #(select-keys (get-in % [:all role]) [:id :term]))
                    (vals reports))
        {:keys [id term] :as reign} (first named)]
    (when (and (= 1 (count named))
               term
               (get-in reports [id :info (claims role)]))
      reign)))

(defn reigns
  "Role → reign, {:id :term}, if the nodes of `reports` all answer and agree on a
  live owner of every role; else nil."
  [reports]
  (let [reigns (into {} (map (juxt identity #(reign reports %))) (keys claims))]
    (when (and (every? :info (vals reports)) (every? some? (vals reigns)))
      reigns)))

(def ^:private looks-needed
  "So many looks in a row must show the same."
  3)

(defn looked
  "What is known after one more look that showed `reports`: :answers, node → true
  or false; the :reigns it showed; and :looks, how many in a row showed those."
  [known reports]
  (let [now (reigns reports)]
    {:answers (update-vals reports (comp some? :info))
     :reigns  now
     :looks   (cond (nil? now)             0
                    (= now (:reigns known)) (inc (:looks known))
                    :else                  1)}))

(defn await-rest!
  "Waits until all nodes answer and agree on the live owners of all roles for a few
  looks in a row, at most `timeout-ms`. Which nodes answered at last, node → true
  or false."
  [test timeout-ms]
  (let [known (volatile! nil)]
    (probe/await-some timeout-ms
                      #(<= looks-needed
                           (:looks (vswap! known looked (reports test)))))
    (into (sorted-map) (:answers @known))))
