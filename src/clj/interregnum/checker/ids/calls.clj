(ns interregnum.checker.ids.calls
  "Reads a history of the ids workload into calls per table, the form in which
  the id checkers look at it.

  Operations, by `:f`, with the `:value` of the invocation and what an `:ok`
  adds to it:

    :insert           {:table 0 :rows 3 :tag 17}    :node \"n1\" :ids [5 6 7]
    :insert-explicit  {:table 0 :id 90 :tag 20}     :node \"n1\"
    :next-id          {:table 0}                    :node \"n1\" :next 8
    :read             {:table 0}                    :node \"n1\" :rows [[5 17] ...]
    :delete           {:table 0 :id 7}              :node \"n1\"
    :force            {:table 0 :base 90000}        :node \"n1\"

  `:force` sets the counter, so that ids go on above `:base`.

  Row i of an insert stores `tag` + i beside its id, so a read tells which
  operation wrote a row. Tags of different inserts do not overlap."
  (:import (interregnum.check.ids Call)
           (java.util ArrayList HashMap)))

(set! *warn-on-reflection* true)

(def ^:private no-ids (long-array 0))

(defn- call
  "The completed pair as a Call with the given bounds and `ids`."
  [invocation completion low high ids]
  (Call. (:index invocation) (:index completion) (:time invocation)
         (:process invocation) low high ids completion))

(defn- allocation
  "An acknowledged implicit insert as a Call."
  [invocation completion ids]
  (let [ids (long-array ids)]
    (call invocation completion
          (areduce ids i low Long/MAX_VALUE (min low (aget ids i)))
          (areduce ids i high Long/MIN_VALUE (max high (aget ids i)))
          ids)))

(defn- new-table
  "Empty lists, filled by `record!`."
  []
  {:allocations (ArrayList.)
   :explicits   (ArrayList.)
   :peeks       (ArrayList.)
   :unacked     (ArrayList.)
   :deletes     (ArrayList.)
   :forces      (ArrayList.)
   :forced      (ArrayList.)
   :reads       (ArrayList.)})

(defn- record-ok!
  [table invocation completion]
  (let [value (:value completion)]
    (case (:f completion)
      :insert
      (when (seq (:ids value))
        (.add ^ArrayList (:allocations table)
              (allocation invocation completion (:ids value))))

      :insert-explicit
      (let [id (long (:id value))]
        (.add ^ArrayList (:explicits table)
              (call invocation completion id id no-ids)))

      :next-id
      (let [next-id (long (:next value))]
        (.add ^ArrayList (:peeks table)
              (call invocation completion next-id (dec next-id) no-ids)))

      :force
      (let [base (long (:base value))]
        (.add ^ArrayList (:forced table)
              (call invocation completion base base no-ids)))

      :delete nil

      :read
      (.add ^ArrayList (:reads table)
            {:invocation invocation :completion completion}))))

(defn- record-attempt!
  "Files a delete or a forced rebase unless it definitely failed."
  [table {:keys [f] :as invocation} completion]
  (when-let [attempts (case f
                        :delete (:deletes table)
                        :force  (:forces table)
                        nil)]
    (when-not (= :fail (:type completion))
      (.add ^ArrayList attempts {:invocation invocation :completion completion}))))

(defn- record!
  "Files a pair under its table in the volatile `tables`. An insert without a
  definite success, including one whose completion was never seen, is `unacked`."
  [tables invocation completion]
  (let [id    (:table (:value invocation))
        table (or (get @tables id)
                  (get (vswap! tables assoc id (new-table)) id))]
    (record-attempt! table invocation completion)
    (if (= :ok (:type completion))
      (record-ok! table invocation completion)
      (case (:f invocation)
        (:insert :insert-explicit)
        (.add ^ArrayList (:unacked table)
              {:invocation invocation :completion completion})
        (:next-id :delete :force :read)
        nil))))

(def ^:private client-fs #{:insert :insert-explicit :next-id :delete :force :read})

(defn tables
  "Reads `history`, a reducible of indexed operations, into a sorted map of table
  → its calls, each kind in order of completion:

    :allocations  Calls of acknowledged implicit inserts
    :explicits    Calls of acknowledged explicit inserts
    :peeks        Calls of acknowledged reads of the next id
    :unacked      inserts of either kind that failed, are in doubt or never
                  completed, as {:invocation op, :completion op-or-nil}
    :deletes      deletes that took effect or may have, in the same form
    :forces       forced rebases that took effect or may have, in the same form
    :forced       Calls of acknowledged forced rebases
    :reads        acknowledged reads of all rows, in the form of `:unacked`"
  [history]
  (let [found (volatile! (sorted-map))
        open  (HashMap.)]
    (reduce (fn [_ op]
              (let [process (:process op)]
                (when (and (integer? process) (contains? client-fs (:f op)))
                  (if (= :invoke (:type op))
                    (.put open process op)
                    (record! found (.remove open process) op))))
              nil)
            nil history)
    (run! #(record! found % nil) (sort-by :index (vals open)))
    @found))

(defn tags
  "The tags of the rows that `invocation` inserts."
  [invocation]
  (let [{:keys [tag rows]} (:value invocation)]
    (range tag (+ tag (or rows 1)))))

(defn recovered
  "Implicit inserts in doubt whose rows `id-of` (tag → id) has: Calls that were
  never seen to complete, in order of invocation."
  [unacked id-of]
  (vec (for [{:keys [invocation completion]} unacked
             :when (and (= :insert (:f invocation))
                        (not= :fail (:type completion)))
             :let [ids (keep id-of (tags invocation))]
             :when (seq ids)]
         (let [ids (long-array ids)]
           (Call. (:index invocation) Call/NEVER (:time invocation)
                  (:process invocation) (reduce min ids) (reduce max ids) ids
                  (or completion invocation))))))
