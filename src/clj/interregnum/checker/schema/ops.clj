(ns interregnum.checker.schema.ops
  "What an operation of the schema workload says about tables and columns.

  An *object* is `[:table name]` or `[:column name]`. Names are used once in a
  run, so an object comes into being at most once and goes at most once, save
  for a rename, which ends one table's name and begins another; a column keeps
  its name when its table is renamed.

  Each completed operation is

    :f      what was done, see `interregnum.workload.schema`
    :value  a map with :table, and :to, :column, :index, :id where they apply;
            of a success, also :node, the node that served it
    :error  of any other, a map as `interregnum.error` has it, with :node")

(set! *warn-on-reflection* true)

(defn error-type
  "Why `op` failed, a keyword, or nil. The interpreter's own errors are vectors
  that begin with it."
  [{:keys [error]}]
  (if (map? error)
    (:type error)
    (when (sequential? error) (first error))))

(defn node
  "The node that `op` went to, or nil."
  [{:keys [error value]}]
  (or (when (map? error) (:node error)) (:node value)))

(defn- table
  [op]
  [:table (:table (:value op))])

(defn- column
  [op]
  [:column (:column (:value op))])

(defn makes
  "The object that `op` brings into being if it takes effect, or nil."
  [op]
  (case (:f op)
    :create [:table (:table (:value op))]
    :rename [:table (:to (:value op))]
    :add-column (column op)
    nil))

(defn breaks
  "The object that ends if `op` takes effect, or nil."
  [op]
  (case (:f op)
    (:drop :rename) (table op)
    :drop-column (column op)
    nil))

(def ^:private column-users #{:select-column :drop-column})

(defn- seen-by-success
  "Objects that an operation that succeeded must have found."
  [op]
  (case (:f op)
    (:create :dump :probe :inside :cancel :drain) []
    :add-column [(table op)]
    (cond-> [(table op)]
      (column-users (:f op)) (conj (column op)))))

(defn- seen-by-failure
  "What an operation found that failed: `{:present [object], :absent [object]}`."
  [op]
  (case (error-type op)
    (:no-such-table :unknown-table) {:absent [(table op)]}
    :table-exists {:present [(or (makes op) (table op))]}
    :unknown-column {:present [(table op)], :absent [(column op)]}
    :nothing-to-drop (if (= :drop-column (:f op))
                       {:present [(table op)], :absent [(column op)]}
                       {:present [(table op)]})
    :dup-column {:present [(table op) (column op)]}
    {}))

(defn- seen-by-dump
  "A dump lists the tables a node knows, out of those it was asked for, and those
  that it lacks and yet refuses to create."
  [op]
  (let [{:keys [asked tables refused]} (:value op)]
    {:present (mapv #(vector :table %) (concat (keys tables) refused))
     :absent (mapv #(vector :table %) (remove (set (keys tables)) asked))}))

(defn observes
  "What a completed `op` found: `{:present [object …], :absent [object …]}`. An
  indeterminate operation found nothing."
  [op]
  (case (:type op)
    :ok (if (= :dump (:f op))
          (seen-by-dump op)
          {:present (seen-by-success op)})
    :fail (seen-by-failure op)
    {}))

(defn summary
  "The part of `op` that a report shows."
  [op]
  (-> (select-keys op [:index :process :type :f :value :error :time])
      (assoc :node (node op))
      (cond-> (= :dump (:f op)) (dissoc :value))))
