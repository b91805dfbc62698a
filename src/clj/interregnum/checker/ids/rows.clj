(ns interregnum.checker.ids.rows
  "What the table holds in the end against what was acknowledged.

  Every read of all rows has each row acknowledged before it began, with the id
  that was acknowledged; none of an insert that definitely failed; all or none of
  an insert in doubt; and none that nobody inserted, or twice. A row whose delete was
  acknowledged is gone, one whose delete is in doubt may be."
  (:require [interregnum.checker.ids.calls :as calls]
            [interregnum.checker.ids.report :as report])
  (:import (interregnum.check.ids Call Rows)
           (java.util List)))

(set! *warn-on-reflection* true)

(defn- rows-of
  "The rows of a read, by tag."
  ^Rows [read]
  (Rows. ^List (:rows (:value (:completion read)))))

(defn- id-of
  "The id of `tag` in `rows`, or nil."
  [^Rows rows tag]
  (let [id (.id rows tag)]
    (when-not (= Rows/ABSENT id) id)))

(defn ids-by-tag
  "A function tag → id of the row with it in any of `reads`, or nil."
  [reads]
  (let [all (mapv rows-of reads)]
    (fn [tag] (some #(id-of % tag) all))))

(defn- acked-rows
  "How many rows of `call`, an acknowledged insert, the read has as they were
  acknowledged; -1 - that many if some are not there or different."
  [^Rows rows ^Call call]
  (let [tag (long (:tag (:value (.op call))))
        ids (.ids call)
        n   (alength ids)]
    (if (zero? n)
      (if (= (.low call) (.id rows tag)) 1 -1)
      (loop [i 0 found 0]
        (if (< i n)
          (recur (inc i)
                 (if (= (aget ids i) (.id rows (+ tag i))) (inc found) found))
          (if (= found n) found (- -1 found)))))))

(defn- lost-error
  [reigns ^Rows rows read ^Call call]
  (let [op    (report/call-map reigns call)
        ids   (or (:ids op) [(:id op)])
        tags  (range (:tag (:value (.op call))) Long/MAX_VALUE)
        found (map #(id-of rows %) (take (count ids) tags))
        node  (:node (:value (:completion read)))]
    {:kind   (if (some some? found) :changed :lost)
     :op     op
     :read   (:index (:completion read))
     :found  (vec found)
     :reason (report/sentence
               (report/who op) "was acknowledged" (report/what op) "of table"
               (:table op) "but a read at" node
               (if (some some? found)
                 (str "found " (pr-str (vec found)) " in its place")
                 "does not have the row"))}))

(defn- deletes-by-id
  "The deletes of the table that may have begun before the read was complete: a map
  of id → pairs."
  [{:keys [deletes]} read]
  (group-by #(:id (:value (:invocation %)))
            (filter #(< (:index (:invocation %)) (:index (:completion read)))
                    deletes)))

(defn- gone?
  "Did one of `deletes` certainly delete a row of `call` before the read began?"
  [read ^Call call deletes]
  (some (fn [{:keys [invocation completion]}]
          (and (= :ok (:type completion))
               (< (.complete call) (:index invocation))
               (< (:index completion) (:index (:invocation read)))))
        deletes))

(defn- ids-of
  "The ids of an acknowledged insert, implicit or explicit."
  [^Call call]
  (if (zero? (alength (.ids call))) [(.low call)] (vec (.ids call))))

(defn- check-deleted
  "Adds an acknowledged insert, some of whose ids `deleted` (id → deletes) names, to
  `state`."
  [state reigns ^Rows rows read ^Call call deleted]
  (let [tag   (long (:tag (:value (.op call))))
        found (map-indexed (fn [i id] [id (= id (id-of rows (+ tag i)))]) (ids-of call))
        state (update state :matched + (count (filter second found)))]
    (if (and (some (fn [[id there?]] (not (or there? (deleted id)))) found)
             (< (.complete call) (:index (:invocation read))))
      (update state :errors conj (lost-error reigns rows read call))
      (reduce (fn [state [id there?]]
                (cond-> state
                  (and there? (gone? read call (deleted id)))
                  (update :errors conj
                          {:kind   :undeleted
                           :op     (report/call-map reigns call)
                           :id     id
                           :read   (:index (:completion read))
                           :reason (report/sentence
                                     "A read at" (:node (:value (:completion read)))
                                     "has id" id "of table"
                                     (:table (:value (.op call)))
                                     "though it was deleted before")})))
              state found))))

(defn- check-acked
  "Adds the acknowledged inserts of `calls` to `state` {:matched n :errors [..]}."
  [state reigns rows read calls deleted]
  (let [began (:index (:invocation read))]
    (reduce (fn [state ^Call call]
              (let [found (long (acked-rows rows call))]
                (cond (and (seq deleted) (some deleted (ids-of call)))
                      (check-deleted state reigns rows read call deleted)
                      (nat-int? found)
                      (update state :matched + found)
                      (< (.complete call) began)
                      (update state :errors conj
                              (lost-error reigns rows read call))
                      :else
                      (update state :matched + (- -1 found)))))
            state calls)))

(defn- unacked-problem
  "What is wrong with finding `found` of the `n` rows of an unacknowledged insert
  that ended as `completion`. Part of it may be missing if rows were deleted."
  [completion found n deleted]
  (cond (zero? found)                nil
        (= :fail (:type completion)) [:failed "failed, but a read has its row"]
        (seq deleted)                nil
        (< found n)                  [:partial "is there in part only"]))

(defn- check-unacked
  "Adds the unacknowledged inserts `pairs` to `state`."
  [state reigns rows read pairs deleted]
  (reduce (fn [state {:keys [invocation completion]}]
            (let [tags    (calls/tags invocation)
                  found   (count (keep #(id-of rows %) tags))
                  problem (unacked-problem completion found (count tags) deleted)]
              (cond-> (update state :matched + found)
                problem
                (update :errors conj
                        {:kind   (first problem)
                         :op     (report/op-map reigns (:time invocation)
                                                (or completion invocation))
                         :read   (:index (:completion read))
                         :reason (report/sentence
                                   "The insert of process" (:process invocation)
                                   "into table" (:table (:value invocation))
                                   (second problem))}))))
          state pairs))

(defn- known-tags
  "Every tag that some insert of the table wrote or tried to."
  [{:keys [allocations explicits unacked]}]
  (into #{}
        (mapcat (fn [value] (calls/tags {:value value})))
        (concat (map #(:value (.op ^Call %)) (concat allocations explicits))
                (map #(:value (:invocation %)) unacked))))

(defn- unexpected
  "Rows of the read that no insert of the table wrote."
  [table-calls read]
  (let [known (known-tags table-calls)
        value (:value (:completion read))]
    (for [[id tag] (:rows value)
          :when (not (contains? known tag))]
      {:kind   :unexpected
       :id     id
       :read   (:index (:completion read))
       :reason (report/sentence "A read at" (:node value) "has id" id "of table"
                                (:table value) "that nobody inserted")})))

(defn- repeated
  "Rows that the read has more than once."
  [^Rows rows read]
  (let [value (:value (:completion read))]
    (for [tag (.repeatedTags rows)]
      {:kind   :repeated
       :tag    tag
       :read   (:index (:completion read))
       :reason (report/sentence "A read at" (:node value) "has the row tagged" tag
                                "of table" (:table value) "more than once")})))

(defn- check-read
  "The errors of one read."
  [{:keys [allocations explicits unacked] :as table-calls} reigns read]
  (let [rows    (rows-of read)
        deleted (deletes-by-id table-calls read)
        state   (-> {:matched 0 :errors []}
                    (check-acked reigns rows read allocations deleted)
                    (check-acked reigns rows read explicits deleted)
                    (check-unacked reigns rows read unacked deleted))]
    (concat (:errors state)
            (when (not= (:matched state) (.size rows))
              (unexpected table-calls read))
            (repeated rows read))))

(defn rows
  "Rows read in the end = rows acknowledged, plus only rows in doubt. Unknown if
  there were acknowledged rows and no read of the table succeeded."
  [table-calls reigns]
  (let [{:keys [allocations explicits reads]} table-calls]
    (if (and (empty? reads) (or (seq allocations) (seq explicits)))
      {:valid? :unknown
       :reason (report/sentence
                 "Table"
                 (:table (:value (.op ^Call (first (concat allocations explicits)))))
                 "was never read in the end")}
      (report/errors
        (reduce (fn [errors read]
                  (let [seen (set (map (juxt :kind :id :tag (comp :index :op))
                                       errors))]
                    (into errors
                          (remove #(seen ((juxt :kind :id :tag (comp :index :op)) %)))
                          (check-read table-calls reigns read))))
                [] reads)))))
