(ns interregnum.workload.ids
  "Auto-increment ids: implicit inserts of one and several rows, explicit inserts,
  deletes of the highest row, rebases of the counter by force, and reads of the next
  id, on several tables from every node; in the end every node is asked to insert
  once more and to read all rows.

  `interregnum.checker.ids.calls` has the operations' shapes.

  Options of the test map:

    :tables   how many tables, 3
    :rate     operations a second, 100
    :seed     of the choice of operations
    :id-step  how many ids an owner reserves at a time"
  (:require [clojure.string :as str]
            [interregnum.checker.ids :as checker]
            [interregnum.sql :as sql]
            [interregnum.workload.pace :as pace]
            [interregnum.workload.session :as session]
            [jepsen.client :as client]
            [jepsen.generator :as gen]
            [jepsen.util :as util])
  (:import (java.util SplittableRandom)))

(set! *warn-on-reflection* true)

;;; Client

(defn- table-name
  [table]
  (str "ids_" table))

(defn- create-table
  [table]
  (str "CREATE TABLE " (table-name table)
       " (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, tag BIGINT NOT NULL)"
       " AUTO_ID_CACHE = 1"))

(defn- insert
  [{:keys [table tag rows]}]
  (str "INSERT INTO " (table-name table) " (tag) VALUES "
       (str/join ", " (map #(str "(" (+ tag %) ")") (range rows)))))

(defn- insert-explicit
  [{:keys [table id tag]}]
  (str "INSERT INTO " (table-name table) " (id, tag) VALUES (" id ", " tag ")"))

(defn- force-counter
  "The statement after which ids go on above `base`."
  [{:keys [table base]}]
  (str "ALTER TABLE " (table-name table) " AUTO_INCREMENT = " (inc base) " FORCE"))

(defn- delete!
  "Deletes the row with an id; that there is none means that it had no effect."
  [connection {:keys [table id]}]
  (when (zero? (sql/execute! connection
                             (str "DELETE FROM " (table-name table) " WHERE id = " id)))
    (throw (ex-info "no such row" {:type :no-such-row, :definite? true}))))

(defn- next-id
  "The next id of `table`, as SHOW TABLE NEXT_ROW_ID has it."
  [connection table]
  (let [rows (sql/query-maps! connection
                              (str "SHOW TABLE " (table-name table) " NEXT_ROW_ID"))
        row  (or (first (filter #(= "AUTO_INCREMENT" (get % "ID_TYPE")) rows))
                 (first rows))]
    (long (get row "NEXT_GLOBAL_ROW_ID"))))

(defn- read-rows
  [connection table]
  (mapv (fn [[id tag]] [(long id) (long tag)])
        (sql/query! connection (str "SELECT id, tag FROM " (table-name table)))))

(defn- invoke
  "What the op's value becomes when it succeeds."
  [connection {:keys [f value]}]
  (case f
    :insert          (assoc value :ids (sql/insert! connection (insert value)))
    :insert-explicit (do (sql/execute! connection (insert-explicit value)) value)
    :delete          (do (delete! connection value) value)
    :force           (do (sql/execute! connection (force-counter value)) value)
    :next-id         (assoc value :next (next-id connection (:table value)))
    :read            (assoc value :rows (read-rows connection (:table value)))))

(def ^:private idempotent
  "Operations that may be taken for failed when their outcome is unknown."
  #{:next-id :read})

(def ^:private setup-options
  "How long tables are tried to be created."
  {:retry-interval 200
   :log-interval   5000
   :log-message    "Waiting for tables to be created"
   :timeout        30000})

(defrecord IdsClient [session]
  client/Client
  (open! [this test node]
    (assoc this :session (session/session test node {})))

  (setup! [_ test]
    (when (= (:node session) (first (:nodes test)))
      (dotimes [table (:tables test)]
        (util/await-fn #(session/setup! session (create-table table)) setup-options))))

  (invoke! [_ _ op]
    (session/attempt! session op idempotent invoke))

  (teardown! [_ _])

  (close! [_ _]
    (session/drop! session)))

(defn ids-client
  "A client without a session; `open!` gives one for a node."
  []
  (->IdsClient nil))

;;; Generator

(def ^:private rows-max 5)

(def ^:private tags-per-op
  "Tags kept apart for one operation."
  8)

(defn- random
  "A source of random numbers for the `i`-th operation of `lane`."
  ^SplittableRandom [seed lane i]
  (SplittableRandom. (unchecked-add (long seed)
                                    (unchecked-multiply
                                      (unchecked-add (* 2 (long i)) (long lane))
                                      0x5851F42D4C957F2D))))

(defn- explicit-id
  "An id to insert explicitly, above all ids seen: near, where it meets the ids
  being given out; seldom beyond the owner's range."
  [^SplittableRandom random id-max id-step]
  (+ 1 id-max
     (.nextInt random (int 20))
     (if (< (.nextDouble random) 0.1) (* 2 (long id-step)) 0)))

(def ^:private force-steps
  "By how many ranges of ids a forced rebase exceeds all that was seen: so many that
  it certainly moves the counter up, even one in doubt that takes effect at the end of a
  long run, in which explicit ids and changes of owner use up ranges."
  200)

(defn- force-op
  "A forced rebase of `table`, or nil while an earlier one may be under way: two at
  once may move the counter down."
  [{:keys [id-maxes forced id-step]} table]
  (let [id-max (get id-maxes table 0)
        before (get forced table 0)]
    (when (or (zero? before) (< before id-max))
      {:f :force
       :value {:table table :base (+ id-max (* force-steps (long id-step)))}})))

(defn- delete-op
  "A delete of the highest row of `table` that is known, or nil if none is."
  [{:keys [deletable]} table]
  (when-let [id (peek (get deletable table))]
    {:f :delete :value {:table table :id id}}))

(def ^:private rest-nanos
  "How long a table gets no new rows. Tables rest in turn."
  3000000000)

(defn- resting
  "The table that rests at `time`; none does if there is but one."
  [tables time]
  (when (< 1 tables)
    (mod (quot time rest-nanos) tables)))

(defn- target
  "The table for an operation of `kind`, a number from 0 to 1: any one, but new rows
  never go to the one that rests, and every other delete does."
  [{:keys [tables]} ^SplittableRandom random kind time]
  (let [table (.nextInt random (int tables))
        rests (resting tables time)]
    (cond (and rests (= :delete kind) (.nextBoolean random)) rests
          (and (= rests table) (= :insert kind)) (mod (inc table) tables)
          :else table)))

(defn- kind-of
  "What a number from 0 to 1 stands for."
  [x]
  (condp > x
    0.62 :insert
    0.76 :batch
    0.81 :explicit
    0.89 :delete
    0.91 :force
    :next-id))

(defn- choose
  "The `i`-th operation of `lane`, given the largest ids seen of each table."
  [{:keys [seed lane i id-maxes id-step] :as operations} time]
  (let [random (random seed lane i)
        tag    (* tags-per-op (+ (* 2 i) lane))
        kind   (kind-of (.nextDouble random))
        table  (target operations random
                       (if (#{:delete :next-id} kind) kind :insert) time)
        insert (fn [rows] {:f :insert :value {:table table :rows rows :tag tag}})
        look   {:f :next-id :value {:table table}}]
    (case kind
      :insert   (insert 1)
      :batch    (insert (+ 2 (.nextInt random (int (dec rows-max)))))
      :explicit {:f :insert-explicit
                 :value {:table table
                         :id (explicit-id random (get id-maxes table 0) id-step)
                         :tag tag}}
      :delete   (or (delete-op operations table) look)
      :force    (or (when (zero? lane) (force-op operations table)) (insert 1))
      :next-id  look)))

(defn- seen-max
  "The largest id that a completion shows, or nil."
  [{:keys [f value]}]
  (case f
    :insert          (peek (:ids value))
    :insert-explicit (:id value)
    :next-id         (some-> (:next value) dec)
    nil))

(def ^:private deletable-max
  "How many of a table's highest rows are remembered."
  8)

(defn- learn-row
  "The highest rows `ids`, ascending, with `id`."
  [ids id]
  (vec (take-last deletable-max (sort (conj ids id)))))

(defn- learn
  "`operations` after `event`, an invocation or a completion."
  [operations {:keys [type f value] :as event}]
  (let [{:keys [table]} value]
    (case [type f]
      [:invoke :delete] (update-in operations [:deletable table]
                                   #(vec (remove #{(:id value)} %)))
      [:invoke :force]  (assoc-in operations [:forced table] (:base value))
      [:fail :force]    (update operations :forced dissoc table)
      (if-let [id (when (= :ok type) (seen-max event))]
        (cond-> (update-in operations [:id-maxes table] (fnil max 0) id)
          (not= :next-id f) (update-in [:deletable table] learn-row id))
        operations))))

(defrecord Operations [seed lane i id-maxes deletable forced tables id-step]
  gen/Generator
  (op [this _ context]
    (let [op (gen/fill-in-op (choose this (:time context)) context)]
      (if (= :pending op)
        [:pending this]
        [op (assoc this :i (inc i))])))

  (update [this _ _ event]
    (if (integer? (:process event))
      (learn this event)
      this)))

(defn operations
  "An endless mix of operations. Two such mixes at once need different `lane`s, 0
  and 1, so that the tags of their rows differ."
  [{:keys [seed tables id-step] :or {id-step checker/default-id-step}} lane]
  (map->Operations {:seed seed, :lane lane, :i 0, :id-maxes {}, :deletable {},
                    :forced {}, :tables tables, :id-step id-step}))

(defn generator
  "Operations at `:rate`, and others by patient threads."
  [{:keys [rate] :as opts}]
  (pace/patient opts (operations opts 1) (gen/stagger (/ 1 rate) (operations opts 0))))

(def ^:private final-limit-secs
  "How long each step of the final phase may try."
  30)

(def ^:private tries-max
  "How often an insert of the final phase is tried."
  100)

(defn- final-inserts
  "Inserts of one row into `table` by `thread`; no two have a tag in common, and
  none has one of `operations`."
  [thread table tables]
  (for [i (range tries-max)]
    {:f :insert
     :value {:table table
             :rows  1
             :tag   (- -1 (+ i (* tries-max (+ table (* thread tables)))))}}))

(defn final-generator
  "One insert into every table by one thread of each node, then a read of every
  table by the same."
  [{:keys [nodes tables]}]
  (gen/phases
    (gen/time-limit
      final-limit-secs
      (pace/on-every-node nodes
        (fn [thread]
          (for [table (range tables)]
            (pace/until-ok (final-inserts thread table tables))))))
    (gen/time-limit
      final-limit-secs
      (pace/on-every-node nodes
        (fn [_]
          (for [table (range tables)]
            (pace/until-ok (gen/repeat {:f :read :value {:table table}}))))))))

;;; Workload

(def option-defaults
  "Options of the workload, where the test map does not say."
  {:tables 3
   :rate   100
   :id-step checker/default-id-step})

(defn workload
  "The workload as a map :role :client :generator :final-generator :checker
  :invariants."
  [opts]
  (let [opts (merge option-defaults opts)]
    {:role            :autoid
     :client          (ids-client)
     :generator       (generator opts)
     :final-generator (final-generator opts)
     :checker         (checker/checker)
     :invariants      checker/invariants}))
