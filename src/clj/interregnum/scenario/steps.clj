(ns interregnum.scenario.steps
  "What the steps of a scenario do. A step is a map with :do and what that needs;
  nodes go by the keywords that earlier steps bound.

    {:do :owner, :role :ddl, :as :a, :not [:b]}
        waits until a node that is none of :not owns the role; binds it
    {:do :other, :than [:a :b], :as :c}
        binds a node that is none of those
    {:do :arm, :node :a, :failpoint \"afterVersionAlloc\", :term \"pause:table=aaa\"}
    {:do :release, :node :a, :failpoint \"afterVersionAlloc\"}
    {:do :reached, :node :a, :failpoint \"afterVersionAlloc\"}
        waits until a task waits at an armed failpoint
    {:do :resign, :role :autoid, :node :a}
    {:do :return, :role :autoid, :to :a}
        makes owners resign until that node owns the role again
    {:do :delete-election-key, :role :ddl}
        deletes the owner's key behind its back
    {:do :sql, :node :a, :sql \"...\", :as :x, :expect ...}
        runs a statement; binds the ids it generated
    {:do :submit, :node :a, :sql \"...\", :as :x}
        starts a statement on a connection of its own
    {:do :await, :of :x, :expect ...}
        waits for a submitted statement
    {:do :increasing, :of [:x :y]}
        the ids bound to those grow, each above all before it
    {:do :wait, :ms 500}

  :expect is :ok, {:error :no-such-table}, {:rows [[1]]}, or :anything."
  (:require [clojure.string :as str]
            [interregnum.error :as error]
            [interregnum.host :as host]
            [interregnum.poll :as poll]
            [interregnum.sql :as sql]
            [interregnum.target.nodes :as nodes]
            [interregnum.target.status :as status]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def ^:private patience-ms
  "How long a step may take."
  30000)


(defn initial
  "The state before the first step:

    :test      the test map
    :nodes     keyword → node
    :ids       keyword → ids that a statement generated
    :started   keyword → delayed outcome of a submitted statement
    :armed     an atom with the [node failpoint] pairs armed so far"
  [test]
  {:test test, :nodes {}, :ids {}, :started {}, :armed (atom #{})})

(defn- stuck
  [message]
  (ex-info message {:type ::stuck}))

(defn- violated
  [message expected found]
  (ex-info message {:type ::violated, :expected expected, :found found}))

(defn- await-some
  "The first true value of `(f)` within `patience-ms`; throws, saying `what` was
  awaited, if there is none."
  [what f]
  (or (poll/await-some patience-ms f)
      (throw (stuck (str "gave up waiting for " what)))))

(defn- node
  [state k]
  (or (get-in state [:nodes k])
      (throw (stuck (str "no node is bound to " k)))))

(defn- address
  [{:keys [test] :as state} k]
  (host/address test (node state k)))

(defn- owner
  "The node that owns `role` by whichever node can tell, of the latest term."
  [{:keys [nodes] :as test} role]
  (->> nodes
       (keep #(status/owner (host/address test %) role))
       (sort-by :term)
       last
       :id))

;;; Owners and failpoints

(defn- bind-owner
  [{:keys [test] :as state} {:keys [role as] barred :not}]
  (let [barred (set (map #(node state %) barred))
        found (await-some (str "an owner of " (name role))
                          #(let [id (owner test role)]
                             (when (and id (not (barred id))) id)))]
    (assoc-in state [:nodes as] found)))

(defn- bind-other
  [{:keys [test] :as state} {:keys [than as]}]
  (let [taken (set (map #(node state %) than))]
    (if-let [free (first (remove taken (:nodes test)))]
      (assoc-in state [:nodes as] free)
      (throw (stuck "there is no other node")))))

(defn- arm!
  [state {:keys [failpoint term] n :node}]
  (when-not (status/arm-failpoint! (address state n) failpoint term)
    (throw (stuck (str (node state n) " does not answer"))))
  (swap! (:armed state) conj [(address state n) failpoint])
  state)

(defn- release!
  [state {:keys [failpoint] n :node}]
  (when-not (status/disarm-failpoint! (address state n) failpoint)
    (throw (stuck (str (node state n) " does not answer"))))
  (swap! (:armed state) disj [(address state n) failpoint])
  state)

(defn- reached!
  [state {:keys [failpoint] n :node}]
  (await-some (str "failpoint " failpoint " on " (node state n))
              #(some-> (status/failpoint (address state n) failpoint)
                       :waiting
                       pos?))
  state)

(defn let-go!
  "Disarms every failpoint that is still armed."
  [{:keys [armed]}]
  (doseq [[address failpoint] @armed]
    (status/disarm-failpoint! address failpoint)))

(defn- depose!
  "Makes `n` resign as owner of `role`; the node that succeeds it."
  [test role n]
  (when-not (status/resign! (host/address test n) role)
    (throw (stuck (str n " did not resign as owner of " (name role)))))
  (await-some "another owner" #(let [now (owner test role)]
                                 (when (not= n now) now))))

(defn- resign!
  [{:keys [test] :as state} {:keys [role] n :node}]
  (depose! test role (node state n))
  state)

(defn- return!
  "Owners take turns, so each node has the role again after as many resignations
  as there are nodes."
  [{:keys [test] :as state} {:keys [role to]}]
  (let [wanted (node state to)]
    (loop [now (owner test role), tries (count (:nodes test))]
      (cond (= wanted now) state
            (zero? tries) (throw (stuck (str wanted " does not own the role again")))
            :else (recur (depose! test role now) (dec tries))))))

;;; Statements

(defn- outcome
  "What `statement` does on a connection of its own: `{:ids :rows}` or `{:error}`."
  [address statement]
  (try
    (let [connection (sql/connect! address {:socket-timeout-ms patience-ms})]
      (try
        (if (re-find #"(?i)^\s*(select|show)" statement)
          {:rows (sql/query! connection statement)}
          {:ids (sql/insert! connection statement)})
        (finally (sql/close! connection))))
    (catch Exception e
      {:error (error/classify e)})))

(defn- describe
  [{:keys [error rows ids]}]
  (cond error (str "error " (name (:type error)) " (" (:message error) ")")
        rows (str "rows " (pr-str rows))
        (seq ids) (str "ids " (pr-str ids))
        :else "success"))

(defn- meets?
  [expect {:keys [error rows]}]
  (cond (= :anything expect) true
        (contains? #{nil :ok} expect) (nil? error)
        (:error expect) (= (:error expect) (:type error))
        (:rows expect) (= (:rows expect) rows)))

(defn- require-met
  [expect what found]
  (when-not (meets? expect found)
    (throw (violated (str what " gave " (describe found))
                     (or expect :ok) found))))

(defn- sql!
  [state {:keys [expect as] statement :sql n :node}]
  (let [found (outcome (address state n) statement)]
    (require-met expect (str "\"" statement "\" on " (node state n)) found)
    (cond-> state
      as (assoc-in [:ids as] (:ids found)))))

(defn- submit!
  [state {:keys [as] statement :sql n :node}]
  (assoc-in state [:started as]
            {:sql statement
             :node (node state n)
             :outcome (future (outcome (address state n) statement))}))

(defn- await!
  [state {:keys [of expect]}]
  (let [{:keys [outcome node] statement :sql} (get-in state [:started of])
        found (deref outcome patience-ms nil)]
    (when-not found
      (throw (stuck (str "\"" statement "\" on " node " does not end"))))
    (require-met expect (str "\"" statement "\" on " node) found)
    (assoc-in state [:ids of] (:ids found))))

(defn- increasing
  [state {:keys [of]}]
  (let [batches (map #(get-in state [:ids %]) of)
        ids (reduce into [] batches)]
    (when-not (apply < ids)
      (throw (violated (str "ids went " (str/join ", then "
                                                  (map #(str/join " " %) batches)))
                       :increasing ids)))
    state))

(defn carry-out!
  "Carries out one step; the state after it. Throws an ex-info of type ::violated
  if an expectation was not met, of type ::stuck if the step could not be done."
  [state step]
  (case (:do step)
    :owner (bind-owner state step)
    :other (bind-other state step)
    :arm (arm! state step)
    :release (release! state step)
    :reached (reached! state step)
    :resign (resign! state step)
    :return (return! state step)
    :delete-election-key (do (nodes/delete-election-key! (:test state) (:role step))
                             state)
    :sql (sql! state step)
    :submit (submit! state step)
    :await (await! state step)
    :increasing (increasing state step)
    :wait (do (util/sleep (:ms step)) state)))
