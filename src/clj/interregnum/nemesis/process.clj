(ns interregnum.nemesis.process
  "What `kill` and `pause` share: which nodes they strike, and ending the fault
  everywhere.

  The operation that strikes has the target as its value, `:owner` or `:one`."
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.probe :as probe]
            [jepsen.control :as control]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(defn- target-node
  "The node that `target` stands for: the owner, or any one. Only a node that
  answers can be struck with effect; any such node stands in for another owner."
  [target leader answered]
  (let [alive (vec (keys (filter val answered)))]
    (cond (and (= :owner target) (answered (:id leader))) (:id leader)
          (seq alive) (rand/nth alive)
          :else       (rand/nth (vec (keys answered))))))

(defn strike!
  "Applies `f` [test node] to the node that the op's value stands for. The
  completion's value:

    :target :node    whom the fault was meant for, and whom that was
    :leader          who led before, as {:id :term}
    :answered        node → did it answer before, on its status port
    :took-effect?    the node answered before and does not now"
  [test {target :value :as op} f]
  (let [leader   (probe/leader test)
        answered (probe/answers test (:nodes test))
        node     (target-node target leader answered)]
    (control/on-nodes test [node] f)
    (assoc op :value {:target       target
                      :node         node
                      :leader       leader
                      :answered     answered
                      :took-effect? (and (answered node)
                                         (not (get (probe/answers test [node]) node)))})))

(defn end!
  "Applies `f` [test node] on every node. The completion's value is what it
  returned, node → result."
  [test op f]
  (assoc op :value (control/on-nodes test (:nodes test) f)))

(defn step
  "Strikes about every `interval` seconds by an op of `strike`, each ended by an op
  of `end` after `hold` [random] seconds. The first strike and two of three later
  ones go for the owner."
  [{:keys [strike end hold] :as opts} i]
  (let [random (paced/random (:seed opts) strike i)]
    (if (even? i)
      {:after (paced/pause opts random i)
       :op    {:type :info :f strike
               :value (if (zero? i) :owner (paced/pick random [:owner :owner :one]))}}
      {:after (hold random)
       :op    {:type :info :f end}})))
