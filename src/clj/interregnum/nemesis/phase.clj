(ns interregnum.nemesis.phase
  "Faults at a certain point of the nodes' work: waits until a failpoint holds a
  task there, then acts on the node, then lets the task go on.

  `:phase` has as its value a strike of `interregnum.nemesis.strikes`, and its completion,
  moreover,

    :leader           who led before, as {:id :term}
    :node             where a task is held, if one is
    :held             which, as the node has it
    :successor        who led after the act, if there was another term
    :took-effect?     was the phase reached, and did the act do what it says

  `:end-phase` undoes what phases did, in that order: processes and network, the held
  task, the slow successor, then the late retirement and the lagging node. The
  completion's value:

    :released         [[node failpoint] ...]
    :left             those that could not be disarmed"
  (:require [interregnum.host :as host]
            [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.partition :as partition]
            [interregnum.nemesis.phases :as phases]
            [interregnum.nemesis.probe :as probe]
            [interregnum.nemesis.strikes :as strikes]
            [interregnum.poll :as poll]
            [interregnum.target.nodes :as nodes]
            [interregnum.target.status :as status]
            [jepsen.control :as control]
            [jepsen.db :as db]
            [jepsen.generator :as gen]
            [jepsen.nemesis :as nemesis]
            [jepsen.net :as net]
            [jepsen.random :as rand]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private reach-timeout-ms
  "How long a phase may take to be reached."
  4000)

(def ^:private change-timeout-ms
  "How long a successor may take after the owner lost its key."
  3000)

(def ^:private stage-ms
  "How much longer each stage holds its tasks than the one before."
  700)

(def ^:private disarm-timeout-ms 3000)

;;; Failpoints

(defn- arm!
  "Arms a failpoint on `nodes`, and notes those that answered in the atom `armed`,
  a vector of {:node :point :stage}; those nodes."
  [test armed nodes {:keys [point term stage]}]
  (let [term (phases/term-for (:role test) point term)]
    (filterv (fn [node]
               (when (status/arm-failpoint! (host/address test node) point term)
                 (swap! armed conj {:node node, :point point, :stage (or stage 0)})
                 true))
             nodes)))

(defn- disarmed?
  "Is the failpoint disarmed, after at most `disarm-timeout-ms`?"
  [test {:keys [node point]}]
  (poll/await-some disarm-timeout-ms
                   #(status/disarm-failpoint! (host/address test node) point)))

(defn- disarm!
  "Disarms those in the atom `armed` that satisfy `wanted?`; those it could disarm, as
  [node point]. The others stay in it."
  [test armed wanted?]
  (let [done (filterv #(and (wanted? %) (disarmed? test %)) (distinct @armed))]
    (swap! armed #(vec (remove (set done) %)))
    (mapv (juxt :node :point) done)))

(defn- reached
  "The first of `nodes` at which the failpoint holds or has failed a task, as
  {:node :held}, or nil."
  [test nodes point]
  (some (fn [node]
          (let [{:keys [term hits held]}
                (status/failpoint (host/address test node) point)]
            (when (or (seq held)
                      (and hits (pos? hits) (re-find #"error" term)))
              {:node node, :held (str (first held))})))
        nodes))

;;; Acts

(defn- change
  "What came of deposing `leader`: the next term, if one began in time."
  [test leader]
  (let [successor (probe/new-leader test leader change-timeout-ms)]
    {:successor successor, :took-effect? (some? successor)}))

(defn- on-node!
  [test node f]
  (control/on-nodes test [node] f))

(defn- silent?
  [test node]
  (not (get (probe/answers test [node]) node)))

(defn- act!
  "Does `act` to `node`, where a task is held: a map with :took-effect?."
  [test act node leader]
  (case act
    :hold       {:took-effect? true}
    :resign     (do (status/resign! (host/address test node) (:role test))
                    (change test leader))
    :delete-key (let [deleted (nodes/delete-election-key! test (:role test))]
                  (assoc (change test leader) :took-effect? (some? deleted)))
    :kill       (do (on-node! test node #(db/kill! (:db %1) %1 %2))
                    {:took-effect? (silent? test node)})
    :pause      (do (on-node! test node #(db/pause! (:db %1) %1 %2))
                    {:took-effect? (silent? test node)})
    :isolate    {:took-effect? (partition/isolate-from-store! test node)}))

(defn- undo!
  "Ends what `act` did to `node`."
  [test [act node]]
  (case act
    :kill    (on-node! test node #(db/start! (:db %1) %1 %2))
    :pause   (on-node! test node #(db/resume! (:db %1) %1 %2))
    :isolate (net/heal! (:net test) test)
    nil))

(defn- cause!
  "Makes `leader` lose the office."
  [test how leader]
  (case how
    :resign     (status/resign! (host/address test (:id leader)) (:role test))
    :delete-key (nodes/delete-election-key! test (:role test))))

(defn- answering-leader
  "Who leads, if that node answers; awaited for a while."
  [test]
  (poll/await-some reach-timeout-ms
                   #(let [leader (probe/leader test)]
                      (when (and leader (not (silent? test (:id leader))))
                        leader))))

(defn- holders
  "The nodes on which a phase is armed."
  [test at leader]
  (let [others (vec (remove #{(:id leader)} (:nodes test)))]
    (case at
      :owner     [(:id leader)]
      :successor others
      :nodes     (:nodes test)
      :node      [(rand/nth (:nodes test))])))

(defn- arm-laggard!
  "Makes a node other than `node` lag behind."
  [test armed node]
  (when-let [others (seq (remove #{node} (:nodes test)))]
    (arm! test armed [(rand/nth (vec others))] phases/laggard)))

(defn- arm-phase!
  "Arms what `phase` needs before anything is held; the nodes on which its point is
  armed."
  [test armed {:keys [at late-retirement? lags] :as phase} leader]
  (when late-retirement?
    (arm! test armed [(:id leader)] phases/late-retirement))
  (when (= :first lags)
    (arm-laggard! test armed (:id leader)))
  (arm! test armed (holders test at leader) phase))

(defn- strike!
  "Acts on `node`, where the task `held` is; a map with :took-effect?."
  [test {:keys [armed acts]} {:keys [act slow-successor? lags]} {:keys [node held]} leader]
  (when-let [slow (and slow-successor? (phases/slow-successor held))]
    (arm! test armed (remove #{node} (:nodes test)) slow))
  (when (= :held lags)
    (arm-laggard! test armed node))
  (swap! acts conj [act node])
  (act! test act node leader))

(defn- start!
  [test {:keys [armed] :as state} {{:keys [at point cause] :as phase} :value :as op}]
  (let [leader (answering-leader test)
        nodes  (when leader (arm-phase! test armed phase leader))]
    (when (and (= :successor at) (seq nodes))
      (cause! test cause leader))
    (let [reached (poll/await-some reach-timeout-ms #(reached test nodes point))
          leader' (if (= :successor at) (probe/leader test) leader)]
      (assoc op :value
             (merge phase
                    {:leader leader, :node nil, :took-effect? false}
                    reached
                    (when reached
                      (strike! test state phase reached leader')))))))

(defn- end-stage!
  "Disarms what is armed for `stage`, later than the stages before; see `disarm!`."
  [test armed stage]
  (when (pos? stage)
    (util/sleep stage-ms))
  (disarm! test armed #(= stage (:stage %))))

(defn- disarm-strays!
  "Disarms what is armed that was not known to be, as [node point]: a node that was
  asked while it stood still arms a failpoint once it goes on."
  [test]
  (into []
        cat
        (util/real-pmap
          (fn [node]
            (let [address (host/address test node)]
              (vec (for [{point :name} (status/failpoints address)
                         :when (status/disarm-failpoint! address point)]
                     [node point]))))
          (:nodes test))))

(defn- end!
  [test {:keys [armed acts]} op]
  (run! #(undo! test %) @acts)
  (reset! acts [])
  (let [released (into [] (mapcat #(end-stage! test armed %))
                       (sort (distinct (map :stage @armed))))]
    (assoc op :value {:released (into released (disarm-strays! test))
                      :left     (mapv (juxt :node :point) (distinct @armed))})))

(defrecord PhaseNemesis [armed acts]
  nemesis/Nemesis
  (setup! [this _] this)
  (invoke! [this test op]
    (case (:f op)
      :phase     (start! test this op)
      :end-phase (end! test this op)))
  (teardown! [_ test]
    (disarm! test armed any?))

  nemesis/Reflection
  (fs [_] #{:phase :end-phase}))

;;; Schedule

(defn- step
  "Phases about every `interval` seconds, each ended after a while."
  [{:keys [seed role] :as opts} i]
  (let [random (paced/random seed :phase i)]
    (if (even? i)
      {:after (paced/pause opts random i)
       :op    {:type :info :f :phase :value (strikes/strike seed random role (quot i 2))}}
      {:after (paced/between random 3/2 7/2)
       :op    {:type :info :f :end-phase}})))

(defn package
  "The fault family, for the test's `:role`."
  [opts]
  {:name            :phase
   :injects         #{:phase}
   :changes-owner?  true
   :nemesis         (->PhaseNemesis (atom []) (atom []))
   :generator       (paced/paced #(step opts %))
   :closing         (fn [i]
                      [{:type  :info
                        :f     :phase
                        :value (strikes/last-strike (:seed opts) (:role opts) i)}
                       (gen/sleep 1)])
   :final-generator {:type :info :f :end-phase}
   :perf            #{{:name "phase" :start #{:phase} :stop #{:end-phase}
                       :color "#C3A0E9"}}})
