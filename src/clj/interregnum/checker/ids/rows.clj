(ns interregnum.checker.ids.rows
  "What the table holds in the end against what was acknowledged.

  Every read of all rows has each row acknowledged before it began, with the id
  that was acknowledged; none of an insert that definitely failed; all or none of
  an insert in doubt; and none that nobody inserted, or twice."
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

(defn- check-acked
  "Adds the acknowledged inserts of `calls` to `state` {:matched n :errors [..]}."
  [state reigns rows read calls]
  (let [began (:index (:invocation read))]
    (reduce (fn [state ^Call call]
              (let [found (long (acked-rows rows call))]
                (cond (nat-int? found)
                      (update state :matched + found)
                      (< (.complete call) began)
                      (update state :errors conj
                              (lost-error reigns rows read call))
                      :else
                      (update state :matched + (- -1 found)))))
            state calls)))

(defn- unacked-problem
  "What is wrong with finding `found` of the `n` rows of an unacknowledged insert
  that ended as `completion`."
  [completion found n]
  (cond (zero? found)                nil
        (= :fail (:type completion)) [:failed "failed, but a read has its row"]
        (< found n)                  [:partial "is there in part only"]))

(defn- check-unacked
  "Adds the unacknowledged inserts `pairs` to `state`."
  [state reigns rows read pairs]
  (reduce (fn [state {:keys [invocation completion]}]
            (let [tags    (calls/tags invocation)
                  found   (count (keep #(id-of rows %) tags))
                  problem (unacked-problem completion found (count tags))]
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
  (let [rows  (rows-of read)
        state (-> {:matched 0 :errors []}
                  (check-acked reigns rows read allocations)
                  (check-acked reigns rows read explicits)
                  (check-unacked reigns rows read unacked))]
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
