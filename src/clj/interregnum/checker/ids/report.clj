(ns interregnum.checker.ids.report
  "How the id checkers name what they found: operations with node, ids, times and
  the terms that reigned meanwhile, and sentences about them."
  (:require [clojure.string :as str]
            [interregnum.checker.owners :as owners])
  (:import (interregnum.check.ids Call Finding Findings)))

(set! *warn-on-reflection* true)

(def kept-count
  "How many examples of one kind of error a result holds."
  8)

(defn ids-str
  "\"id 5\", or \"ids 5..7\" for more."
  [ids]
  (let [low (reduce min ids)
        high (reduce max ids)]
    (if (= low high) (str "id " low) (str "ids " low ".." high))))

(defn op-map
  "An operation for a result. `invocation` may be nil for a completion without
  one at hand; `began` is its time.

    :index :process :f :type  of the completion
    :table :node :ids :id :next :base  what its value has of these
    :time                     [began completed] in nanoseconds, nil if unseen
    :terms                    [{:id :term}] that may have reigned meanwhile"
  [reigns began completion]
  (let [completed (when (not= :invoke (:type completion)) (:time completion))]
    (merge (select-keys completion [:index :process :f :type])
           (select-keys (:value completion) [:table :node :ids :id :next :base])
           {:time  [began completed]
            :terms (owners/during reigns began (or completed began))})))

(defn call-map
  "A Call for a result; the ids of one that was never acknowledged come from the
  final reads."
  [reigns ^Call call]
  (cond-> (op-map reigns (.beganNanos call) (.op call))
    (pos? (alength (.ids call))) (assoc :ids (vec (.ids call)))))

(defn- finding-map
  [reigns ^Finding finding]
  {:earlier (call-map reigns (.earlier finding))
   :later   (call-map reigns (.later finding))})

(defn what
  "What an operation map got, in words."
  [{:keys [ids id next base]}]
  (cond ids   (ids-str ids)
        id    (str "explicit id " id)
        next  (str "next id " next)
        base  (str "a counter of " base)
        :else "nothing"))

(defn who
  "Who ran an operation map, in words."
  [{:keys [process node]}]
  (str "process " process (when node (str " at " node))))

(defn findings
  "The result of an invariant from `found`: how many calls broke it, the first
  ones and the worst one, or {:valid? true}. `sentence` makes the reason from a
  finding's map."
  [reigns ^Findings found sentence]
  (if (zero? (.count found))
    {:valid? true}
    (let [worst (finding-map reigns (first (.worst found)))]
      {:valid? false
       :reason (sentence worst)
       :count  (.count found)
       :first  (mapv #(finding-map reigns %) (.first found))
       :worst  worst})))

(defn sum
  "Joins the results of one invariant over tables: invalid if any is, with the
  reason of the first invalid one, counts added and examples cut to the limit."
  [results]
  (let [bad (remove :valid? results)]
    (if (empty? bad)
      {:valid? true}
      {:valid? false
       :reason (:reason (first bad))
       :count  (reduce + (map :count bad))
       :first  (vec (take kept-count (mapcat :first bad)))
       :worst  (:worst (first bad))})))

(defn errors
  "The result of an invariant from `found`, a sequence of error maps, each with a
  `:reason`; the first one is the worst."
  [found]
  (if (empty? found)
    {:valid? true}
    {:valid? false
     :reason (:reason (first found))
     :count  (count found)
     :first  (vec (take kept-count found))
     :worst  (first found)}))

(defn sentence
  "Joins `parts` by spaces into a sentence with a capital and a full stop."
  [& parts]
  (let [text (str/join " " (remove nil? parts))]
    (str (str/upper-case (subs text 0 1)) (subs text 1) ".")))
