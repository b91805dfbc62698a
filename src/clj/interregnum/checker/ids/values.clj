(ns interregnum.checker.ids.values
  "Ids as values: uniqueness (ID-1), the shape of a batch (ID-2), explicit against
  implicit ids (ID-6) and how many are missing (ID-7).

  Each takes the calls of one table, as `calls/tables` gives them with the
  recovered inserts under `:recovered`, and the reigns for the report."
  (:require [interregnum.checker.ids.report :as report])
  (:import (interregnum.check.ids Call IdSets)
           (java.util HashMap List)))

(set! *warn-on-reflection* true)

(defn unique
  "ID-1: no id is given out twice, within a batch or by two inserts."
  [calls reigns]
  (let [^List allocations (into (vec (:allocations calls)) (:recovered calls))]
    (report/findings
      reigns
      (IdSets/duplicates allocations report/kept-count)
      (fn [{:keys [earlier later]}]
        (report/sentence
          (report/who later) "got" (report/what later) "of table" (:table later)
          "of which" (report/who earlier) "had got" (report/what earlier))))))

(defn- steady?
  "Do `ids` go up in steps of `increment`?"
  [^longs ids ^long increment]
  (let [n (alength ids)]
    (loop [i 1]
      (cond (= i n) true
            (= (aget ids i) (+ increment (aget ids (dec i)))) (recur (inc i))
            :else false))))

(defn- shape-problem
  "What is wrong with the ids of `call`, or nil."
  [^Call call]
  (let [ids   (.ids call)
        value (:value (.op call))
        rows  (:rows value)
        step  (:increment value 1)]
    (cond
      (and rows (not= (alength ids) rows))
      (str "is " (alength ids) " ids for " rows " rows")
      (< (aget ids 0) 1)
      "has an id below 1"
      (not (steady? ids step))
      (str "does not go up in steps of " step))))

(defn shape
  "ID-2: a batch has one id per row, the first at least 1, in steps of the
  increment."
  [calls reigns]
  (report/errors
    (for [^Call call (:allocations calls)
          :let [problem (shape-problem call)]
          :when problem
          :let [op (report/call-map reigns call)]]
      {:op op
       :reason (report/sentence
                 "The batch" (pr-str (:ids op)) "that" (report/who op)
                 "got of table" (:table op) problem)})))

(defn- excuses
  "Explicit inserts that may have put `id` (nil: any id) in the table while, or
  in doubt before, the pair ran: a row of theirs excuses a collision."
  [calls id {:keys [invocation completion]}]
  (let [wanted?  #(or (nil? id) (= id (:id (:value %))))
        since    (:index invocation)
        until    (:index completion)]
    (concat
      (for [^Call call (:explicits calls)
            :when (and (wanted? (.op call))
                       (< (.invoke call) until)
                       (< since (.complete call)))]
        (.op call))
      (for [{inv :invocation done :completion} (:unacked calls)
            :when (and (= :insert-explicit (:f inv))
                       (not= :fail (:type done))
                       (wanted? inv)
                       (< (:index inv) until))]
        inv))))

(defn- holder
  "The acknowledged insert that has `id`, as an operation map, or nil."
  [calls reigns id]
  (some (fn [^Call call]
          (when (or (= id (:id (:value (.op call))))
                    (some #(= id %) (.ids call)))
            (report/call-map reigns call)))
        (concat (:allocations calls) (:explicits calls))))

(defn- rejected-implicit
  "Implicit inserts that failed on a duplicate key without an excuse."
  [calls reigns]
  (for [{:keys [invocation completion] :as pair} (:unacked calls)
        :when (and (= :insert (:f invocation))
                   (= :fail (:type completion))
                   (= :dup-key (:type (:error completion))))
        :let [id (:id (:error completion))]
        :when (empty? (excuses calls id pair))
        :let [op    (report/op-map reigns (:time invocation) completion)
              other (when id (holder calls reigns id))]]
    {:op     op
     :other  other
     :id     id
     :reason (report/sentence
               (report/who op) "was given id" (or id "?") "of table" (:table op)
               "which was already taken"
               (when other (str "by " (report/who other))))}))

(defn- freed?
  "May a delete have freed `id` before the later of two calls was complete?"
  [calls id ^Call a ^Call b]
  (some (fn [{:keys [invocation]}]
          (and (= id (:id (:value invocation)))
               (< (:index invocation) (max (.complete a) (.complete b)))))
        (:deletes calls)))

(defn- taken-twice
  "Explicit ids that an implicit insert was given as well, though no delete freed
  them."
  [calls reigns]
  (let [explicit (HashMap.)]
    (doseq [^Call call (:explicits calls)]
      (.put explicit (.low call) call))
    (for [^Call call (if (.isEmpty explicit) [] (:allocations calls))
          id (.ids call)
          :let [other (.get explicit id)]
          :when (and other (not (freed? calls id call other)))
          :let [op    (report/call-map reigns call)
                other (report/call-map reigns other)]]
      {:op op
       :other other
       :id id
       :reason (report/sentence
                 (report/who op) "was given id" id "of table" (:table op)
                 "which" (report/who other) "had inserted explicitly")})))

(defn collisions
  "ID-6: an implicit insert is never given an id that is taken, except by an
  explicit insert that ran at the same time or is in doubt; and never one that an
  explicit insert holds."
  [calls reigns]
  (report/errors (concat (taken-twice calls reigns)
                         (rejected-implicit calls reigns))))

(def ^:private slow-nanos
  "A call that took longer may have been tried more than once by its node."
  50000000)

(def ^:private tries-max
  "How often a node tries one call at most, for the bound on lost ids."
  10)

(defn- slow?
  [^Call call]
  (< slow-nanos (- (long (:time (.op call))) (.beganNanos call))))

(defn- gap-bound
  "How many ids of the table may be missing, given at most `changes` changes of
  owner and ranges of `step` ids."
  [calls changes step]
  (let [unacked (map :invocation (:unacked calls))
        rows    #(or (:rows (:value %)) 1)
        slow    (filter slow? (mapcat calls [:allocations :explicits :peeks]))
        widest  (transduce (map #(alength (.ids ^Call %))) max 1
                           (:allocations calls))
        lost    (+ (reduce + (map rows unacked))
                   (* tries-max (reduce + (map #(rows (.op ^Call %)) slow))))]
    (+ (* (+ changes (count unacked) (count slow)) (max step widest))
       lost)))

(defn gaps
  "ID-7: ids go missing only where the owner changed, where calls failed or were
  tried again, and below explicit ids. `limits` is {:changes n :step n}."
  [calls {:keys [changes step]}]
  (let [explicit (long-array
                   (concat (map #(.low ^Call %) (:explicits calls))
                           (map #(:base (:value (:invocation %))) (:forces calls))
                           (for [{inv :invocation} (:unacked calls)
                                 :when (= :insert-explicit (:f inv))]
                             (:id (:value inv)))))
        implicit (into (vec (:allocations calls)) (:recovered calls))
        missing  (IdSets/missing (IdSets/sortedIds implicit) explicit)
        bound    (gap-bound calls changes step)]
    (cond-> {:valid? (<= missing bound) :missing missing :bound bound}
      (< bound missing)
      (assoc :count 1
             :reason (report/sentence
                       missing "ids of the table are missing, but at most"
                       bound "can have been lost")))))
