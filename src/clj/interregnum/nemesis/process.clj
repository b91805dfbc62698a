(ns interregnum.nemesis.process
  "What `kill` and `pause` share: which nodes they strike, and ending the fault
  everywhere.

  The operation that strikes has the target as its value, `:owner` or `:one`."
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.probe :as probe]
            [jepsen.control :as control]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(defn- targets
  "The nodes that `target` stands for, given who leads: the owner, or any one,
  which also stands in for an owner that nobody knows."
  [test target leader]
  (let [any-node (rand/nth (:nodes test))]
    (case target
      :owner [(or (:id leader) any-node)]
      :one   [any-node])))

(defn strike!
  "Applies `f` [test node] on the nodes that the op's value stands for; a node
  that does not answer afterwards, but did before, was struck. The completion's
  value:

    :target :nodes   whom the fault was meant for, and whom that was
    :leader          who led before, as {:id :term}
    :answered        node → did it answer before
    :took-effect?    none that answered before answers now"
  [test {target :value :as op} f]
  (let [leader (probe/leader test)
        nodes  (targets test target leader)
        before (probe/answers test nodes)]
    (control/on-nodes test nodes f)
    (let [after (probe/answers test nodes)]
      (assoc op :value {:target       target
                        :nodes        nodes
                        :leader       leader
                        :answered     before
                        :took-effect? (boolean (and (some val before)
                                                    (not-any? val after)))}))))

(defn end!
  "Applies `f` [test node] on every node. The completion's value is what it
  returned, node → result."
  [test op f]
  (assoc op :value (control/on-nodes test (:nodes test) f)))

(defn step
  "Strikes about every `interval` seconds by an op of `strike`, each ended by an op
  of `end` after `hold` [random] seconds. The first strike and two of three later
  ones go for the owner."
  [{:keys [seed interval strike end hold]} i]
  (let [random (paced/random seed strike i)]
    (if (even? i)
      {:after (paced/between random (* 1/4 interval) interval)
       :op    {:type :info :f strike
               :value (if (zero? i) :owner (paced/pick random [:owner :owner :one]))}}
      {:after (hold random)
       :op    {:type :info :f end}})))
