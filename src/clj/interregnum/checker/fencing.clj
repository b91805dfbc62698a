(ns interregnum.checker.fencing
  "Checks a history of the owner workload: each role is a fenced lock, whose tokens
  are terms.

  What an operation proves. An acknowledged effect with its term proves that the
  owner of that term was at work at some moment between invocation and completion. A
  node's own claim to a term proves that the term had begun by the time of the answer,
  and nothing more: it may be out of date when it arrives. The directory proves nothing,
  since the first candidate may still have to wait for its predecessor.

  So a term is acquired between the start of the run and the first proof of it, and its
  effects must lie between that and the acquisition of the next term: in real time, terms
  of effects never go backwards. Claims out of date are counted, but break no promise."
  (:require [interregnum.checker.linearizable :as linearizable]
            [interregnum.checker.ids.report :as report]
            [jepsen.checker :as checker])
  (:import (interregnum.check.history EventType Recording Recording$Event)
           (interregnum.check.model FencedLock Keyed)))

(set! *warn-on-reflection* true)

(def invariants
  "Name → title of what is checked."
  {:fencing "S-8 effects in the order of terms"})

(def roles
  "The roles that nodes are elected to."
  [:autoid :ddl])

;;; What the history says

(def ^:private effect-fs #{:alloc :ddl})

(defn- pairs
  "The operations of clients that succeeded, as maps of :invocation :completion, in
  order of completion."
  [history]
  (->> history
       (reduce (fn [[open done] {:keys [process type] :as op}]
                 (cond (not (integer? process)) [open done]
                       (= :invoke type) [(assoc open process op) done]
                       (= :ok type)
                       [(dissoc open process)
                        (conj done {:invocation (open process), :completion op})]
                       :else [(dissoc open process) done]))
               [{} []])
       peek))

(defn- effect?
  [{:keys [completion]}]
  (and (effect-fs (:f completion)) (:term (:value completion))))

(defn- role-and-term
  [{{:keys [value]} :completion}]
  [(:role value) (:term value)])

(defn- proven
  "The [role term]s that the pair proves to have begun."
  [{{:keys [f value]} :completion :as pair}]
  (cond (effect? pair)  [(role-and-term pair)]
        (= :claims f)   (vec (:own value))
        :else           []))

(defn- grants
  "[role term] → the completion that first proves it."
  [pairs]
  (reduce (fn [grants pair]
            (reduce (fn [grants granted]
                      (if (grants granted)
                        grants
                        (assoc grants granted (:completion pair))))
                    grants (proven pair)))
          (sorted-map) pairs))

;;; The lock's history

(defn- event
  [type process f [role term] index]
  (Recording$Event. type process f [role term] nil (int index) (int index)))

(def ^:private before-all
  "The index that acquisitions are invoked at."
  -1)

(defn- events
  "The lock's events as [index rank event], the acquisition after the effect that
  proves it; any order of the two is possible, since both are still open."
  [grants effects]
  (concat
    (for [[[role term :as granted] {:keys [index]}] grants
          :let [owner (str (name role) " owner " term)]
          [type at rank] [[EventType/INVOKE before-all 0] [EventType/OK index 2]]]
      [at rank (event type owner "acquire" granted at)])
    (for [{:keys [invocation completion] :as effect} effects
          [type at] [[EventType/INVOKE (:index invocation)] [EventType/OK (:index completion)]]]
      [at 1 (event type (:process invocation) "effect" (role-and-term effect) at)])))

(defn- recording
  ^Recording [grants effects]
  (let [recording (Recording. "operation")]
    (doseq [[_ _ event] (sort-by (juxt first second) (events grants effects))]
      (.add recording event))
    recording))

;;; Findings

(defn- did
  "What an operation of the failing history, as `linearizable/analysis` has it, did, in
  words; `at-index` finds the completion."
  [at-index {:keys [value index]}]
  (let [{:keys [process], {:keys [node id table]} :value} (at-index index)
        who (if (or id table) (str "process " process " at " node) (str "node " node))]
    (str who " "
         (cond id    (str "got id " id " in")
               table (str "got table " table " in")
               :else "had claimed")
         " term " value)))

(defn- violation
  "A failure of a role's lock as a sentence. Of the operations that contradict each other
  the one with the lower term came too late."
  [at-index {:keys [key ops why]}]
  (let [[lower & more] (sort-by :value ops)
        higher (last more)]
    (if higher
      (report/sentence (did at-index lower) "of the" (name key)
                       "owner, which it asked for after" (did at-index higher))
      (report/sentence "About the" (name key) "owner:" why))))

(defn- stale
  "Claims to a term, of itself or in the directory, by a node that was asked after a
  later term of the role had been proven; maps of :node :role :term :later :index."
  [grants pairs]
  (for [{:keys [invocation completion]} pairs
        :when (= :claims (:f completion))
        :let [{:keys [node own directory]} (:value completion)]
        [kind claims] [[:own own] [:directory directory]]
        [role term] claims
        :let [later (first (for [[[r t] proof] grants
                                 :when (and (= role r) (< term t)
                                            (< (:index proof) (:index invocation)))]
                             t))]
        :when later]
    {:kind kind, :node node, :role role, :term term, :later later
     :index (:index completion)}))

(defn- role-stats
  [role grants effects]
  (let [terms (into (sorted-set) (comp (map role-and-term)
                                       (filter #(= role (first %)))
                                       (map second))
                    effects)]
    {:effect-count (count (filter #(= role (first (role-and-term %))) effects))
     :terms-with-effects (vec terms)
     :terms (vec (for [[r term] (keys grants) :when (= r role)] term))}))

(defn- shortcoming
  "Why the effects are too few to judge by, or nil. `struck` is the role whose owner
  faults are to change, nil if none are."
  [stats struck]
  (or (some (fn [role]
              (when (zero? (:effect-count (stats role)))
                (str "No effect of the " (name role) " owner was ever acknowledged.")))
            roles)
      (when (and struck (> 2 (count (:terms-with-effects (stats struck)))))
        (str "All effects of the " (name struck) " owner came from one term."))))

(defn- verdict
  [{:keys [valid? failures reason]} at-index stats struck]
  (let [few (shortcoming stats struck)]
    (cond
      (false? valid?)
      (let [reasons (mapv #(violation at-index %) failures)]
        {:valid? false
         :violated [:fencing]
         :reason (str (:fencing invariants) ": " (first reasons))
         :invariants {:fencing {:valid? false, :reason (first reasons), :reasons reasons}}})

      (or few (= :unknown valid?))
      {:valid? :unknown, :reason (or few reason)}

      :else
      {:valid? true
       :reason (str (reduce + (map :effect-count (vals stats))) " effects under "
                    (reduce + (map (comp count :terms-with-effects) (vals stats)))
                    " terms came in the order of their terms.")
       :invariants {:fencing {:valid? true}}})))

(def ^:private stale-kept 8)

(defn- check
  "The result for `history`, and the analysis that it came from."
  [history {:keys [struck]}]
  (let [pairs    (pairs history)
        effects  (filterv effect? pairs)
        grants   (grants pairs)
        at-index (into {} (map (juxt (comp :index :completion) :completion)) pairs)
        stats    (into {} (for [role roles] [role (role-stats role grants effects)]))
        analysis (linearizable/analysis (Keyed. (FencedLock.)) (recording grants effects))
        stale    (stale grants pairs)]
    [(assoc (verdict analysis at-index stats struck)
            :roles stats
            :stale-claims {:count (count stale), :first (vec (take stale-kept stale))})
     analysis]))

(defn analysis
  "The result for `history`, an indexed one. Options:

    :struck  the role whose owner faults are to change, nil if none are

  Besides the verdict it has

    :roles         role → :effect-count :terms-with-effects :terms
    :stale-claims  :count and the :first ones: no violation, a claim may be out of date"
  [history opts]
  (first (check history opts)))

(defn checker
  "The `analysis` as a Checker; draws linear.svg of an invalid history."
  []
  (reify checker/Checker
    (check [_ test history opts]
      (let [struck (when (some :changes-owner? (:fault-families test)) (:role test))
            [result analysis] (check history {:struck struck})]
        (when (false? (:valid? result))
          (linearizable/draw! test opts analysis))
        result))))
