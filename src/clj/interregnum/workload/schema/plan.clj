(ns interregnum.workload.schema.plan
  "Which operation comes next in the schema workload: a generator whose state is
  what the clients may rely on.

  Names of tables, columns and indexes, ids of rows and values are used once in
  a run, so that every finding about them can be judged without search. Most
  operations meet tables that are there, many of them the one that changed last, which
  some node may not know yet; some meet one that was dropped, which must not be
  found; and changes of one table run side by side with its use."
  (:require [jepsen.generator :as gen]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(def default-options
  "`:tables-max` tables at a time, each with up to `:rows-max` rows known to the
  plan, `:columns-max` extra columns and `:indexes-max` indexes."
  {:tables-max 24
   :rows-max 200
   :columns-max 3
   :indexes-max 2})

(def ^:private weights
  "How often each operation is chosen, as parts of the whole. Once there are as many
  tables as may be, creations are as frequent as drops."
  {:create 9, :drop 6, :rename 3, :truncate 1
   :add-column 5, :drop-column 3, :add-index 5, :drop-index 3
   :insert 24, :update 10, :delete 4, :txn 6
   :select 14, :select-column 6, :select-gone 2, :check 7, :inside 4, :cancel 3})

(def ^:private column-base "c")
(def ^:private index-base "k")

(defn- fresh
  "The next unused number of `counter`, and the plan without it."
  [plan counter]
  [(get-in plan [:next counter] 0)
   (update-in plan [:next counter] (fnil inc 0))])

(defn- live-tables
  [plan]
  (vals (:live plan)))

(defn- with-room
  [plan k limit]
  (filter #(< (count (k %)) (get-in plan [:options limit])) (live-tables plan)))

(defn- candidates
  "Tables on which `f` can be tried now."
  [plan f]
  (case f
    (:create :inside :cancel) nil
    :add-column (with-room plan :columns :columns-max)
    :add-index (with-room plan :indexes :indexes-max)
    (:drop-column :select-column) (filter #(seq (:columns %)) (live-tables plan))
    :drop-index (filter #(seq (:indexes %)) (live-tables plan))
    (:update :delete) (filter #(seq (:rows %)) (live-tables plan))
    :select-gone (:gone plan)
    (live-tables plan)))

(defn- possible?
  [plan f]
  (case f
    :create (< (count (:live plan)) (get-in plan [:options :tables-max]))
    (:inside :cancel) true
    (seq (candidates plan f))))

(defn- new-row
  [plan]
  (let [[id plan] (fresh plan :row)
        [v plan] (fresh plan :value)]
    [[id v] plan]))

(defn- row-value
  "The value of an operation that writes one row, and the plan after it."
  [plan f {:keys [table rows]}]
  (let [[[fresh-id v] plan] (new-row plan)
        id (if (= :insert f) fresh-id (rand/nth rows))]
    [(cond-> {:table table, :id id} (not= :delete f) (assoc :v v)) plan]))

(defn- hold-ms
  "How long a transaction pauses: some outlast several steps of a schema change."
  []
  (rand/long 0 (if (< (rand/double) 0.2) 2000 300)))

(defn- txn-value
  [plan {:keys [table]}]
  (let [[a plan] (new-row plan)
        [b plan] (new-row plan)]
    [{:table table, :rows [a b], :hold-ms (hold-ms)} plan]))

(defn- value
  "The value of operation `f` on `target`, and the plan after it."
  [plan f {:keys [table columns indexes] :as target}]
  (case f
    :create (let [[n plan] (fresh plan :table)] [{:table (str "s" n)} plan])
    :rename (let [[n plan] (fresh plan :table)] [{:table table, :to (str "s" n)} plan])
    :add-column (let [[n plan] (fresh plan :column)]
                  [{:table table, :column (str column-base n)} plan])
    :add-index (let [[n plan] (fresh plan :index)]
                 [{:table table, :index (str index-base n)} plan])
    (:drop-column :select-column) [{:table table, :column (rand/nth columns)} plan]
    :drop-index [{:table table, :index (rand/nth indexes)} plan]
    (:insert :update :delete) (row-value plan f target)
    :txn (txn-value plan target)
    (:inside :cancel) [nil plan]
    [{:table table} plan]))

(def ^:private recent-share
  "How many operations go to the table that changed last, if they can."
  0.3)

(defn- target
  "One of the `tables`."
  [{:keys [recent]} tables]
  (or (when (< (rand/double) recent-share)
        (first (filter #(= recent (:table %)) tables)))
      (rand/nth (vec tables))))

(defn- propose
  "The next operation and the plan after it."
  [plan]
  (let [f (rand/weighted (into {} (filter #(possible? plan (key %))) weights))
        target (some->> (candidates plan f) (target plan))
        [value plan] (value plan f target)]
    [{:f (if (= :select-gone f) :select f), :value value} plan]))

(defn- without
  [items item]
  (vec (remove #{item} items)))

(defn- invoked
  "The plan once `op` has begun: what it may take away is not relied on."
  [plan {:keys [f value]}]
  (let [{:keys [table]} value]
    (case f
      (:drop :rename) (-> plan
                          (update :leaving assoc table (get-in plan [:live table]))
                          (update :live dissoc table))
      :truncate (cond-> plan
                  (get-in plan [:live table]) (assoc-in [:live table :rows] []))
      (:drop-column :drop-index :delete)
      (let [[k item] (case f
                       :drop-column [:columns (:column value)]
                       :drop-index [:indexes (:index value)]
                       :delete [:rows (:id value)])]
        (cond-> plan
          (get-in plan [:live table]) (update-in [:live table k] without item)))
      plan)))

(def ^:private gone-max 20)

(defn- add-item
  [plan table k item limit]
  (if (and (get-in plan [:live table])
           (< (count (get-in plan [:live table k])) (get-in plan [:options limit])))
    (update-in plan [:live table k] conj item)
    plan))

(defn- acknowledged
  "The plan once `op` has succeeded."
  [plan {:keys [f value]}]
  (let [{:keys [table to column index id]} value]
    (case f
      :create (-> plan
                  (assoc-in [:live table]
                            {:table table, :columns [], :indexes [], :rows []})
                  (assoc :recent table))
      :rename (-> plan
                  (assoc :recent to)
                  (assoc-in [:live to] (assoc (get-in plan [:leaving table]) :table to))
                  (update :leaving dissoc table)
                  (update :gone conj {:table table}))
      :drop (-> plan
                (update :leaving dissoc table)
                (update :gone #(vec (take-last gone-max (conj % {:table table})))))
      :add-column (-> (assoc plan :recent table)
                      (add-item table :columns column :columns-max))
      :add-index (-> (assoc plan :recent table)
                     (add-item table :indexes index :indexes-max))
      :insert (add-item plan table :rows id :rows-max)
      plan)))

(defn- refused
  "The plan once `op` has definitely failed: a table that was not dropped is
  there still."
  [plan {:keys [f value]}]
  (let [{:keys [table]} value
        left (get-in plan [:leaving table])]
    (if (and left (#{:drop :rename} f))
      (-> plan
          (update :leaving dissoc table)
          (assoc-in [:live table] left))
      plan)))

(defn- learn
  "The plan after `event`, an invocation or a completion."
  [plan event]
  (case (:type event)
    :invoke (invoked plan event)
    :ok (acknowledged plan event)
    :fail (refused plan event)
    plan))

(defrecord Plan [options next live leaving gone recent]
  gen/Generator
  (op [this _test ctx]
    (let [[proposal plan] (propose this)
          op (gen/fill-in-op proposal ctx)]
      (if (= :pending op)
        [:pending this]
        [op plan])))

  (update [this _test _ctx event]
    (if (and (integer? (:process event)) (map? (:value event)))
      (learn this event)
      this)))

(defn plan
  "A generator of schema changes and uses of tables. Never exhausted. `options`
  override `default-options`."
  ([] (plan {}))
  ([options]
   (map->Plan {:options (merge default-options options)
               :next {}
               :live (sorted-map)
               :leaving {}
               :gone []})))
