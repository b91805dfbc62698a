(ns interregnum.workload.schema.statements
  "The schema workload's operations as SQL, and what a node's answers tell."
  (:require [interregnum.error :as error]
            [interregnum.sql :as sql]))

(set! *warn-on-reflection* true)

(defn ddl
  "The statement of a schema change."
  [{:keys [f value]}]
  (let [{:keys [table to column index]} value]
    (case f
      (:create :probe) (str "CREATE TABLE " table
                            " (id BIGINT NOT NULL PRIMARY KEY, v BIGINT)")
      :drop (str "DROP TABLE " table)
      :rename (str "RENAME TABLE " table " TO " to)
      :truncate (str "TRUNCATE TABLE " table)
      :add-column (str "ALTER TABLE " table " ADD COLUMN " column " BIGINT")
      :drop-column (str "ALTER TABLE " table " DROP COLUMN " column)
      :add-index (str "ALTER TABLE " table " ADD INDEX " index " (v)")
      :drop-index (str "ALTER TABLE " table " DROP INDEX " index))))

(defn insert
  "The statement that inserts a row."
  [table [id v]]
  (str "INSERT INTO " table " (id, v) VALUES (" id ", " v ")"))

(defn change-row
  "The statement that updates or deletes a row."
  [{:keys [f value]}]
  (let [{:keys [table id v]} value]
    (case f
      :update (str "UPDATE " table " SET v = " v " WHERE id = " id)
      :delete (str "DELETE FROM " table " WHERE id = " id))))

(defn look
  "The statement that uses a table or a column."
  [{:keys [f value]}]
  (case f
    :select (str "SELECT count(*) FROM " (:table value))
    :select-column (str "SELECT id, " (:column value) " FROM " (:table value)
                        " LIMIT 1")))

(defn- rows
  "Rows [id v] of `table`, read through `index` unless that is nil."
  [connection table index]
  (mapv (fn [[id v]] [(long id) (some-> v long)])
        (sql/query! connection
                    (str "SELECT id, v FROM " table
                         (when index (str " FORCE INDEX (" index ")"))))))

(defn- definition
  "The columns and secondary indexes of `table`, from SHOW CREATE TABLE."
  [connection table]
  (let [[[_ text]] (sql/query! connection (str "SHOW CREATE TABLE " table))
        names (fn [pattern] (mapv second (re-seq pattern text)))]
    {:columns (names #"(?m)^\s+`(\w+)`")
     :indexes (vec (sort (names #"(?m)^\s+(?:UNIQUE )?KEY `(\w+)`")))}))

(defn inconsistency
  "What ADMIN CHECK TABLE complains of in a table that is there, or nil."
  [connection table]
  (try
    (sql/execute! connection (str "ADMIN CHECK TABLE " table))
    nil
    (catch Exception e
      (let [{:keys [type message]} (error/classify e)]
        (if (= :table-inconsistent type)
          message
          (throw e))))))

(defn- table-state
  [connection table]
  (let [{:keys [indexes] :as definition} (definition connection table)]
    (assoc definition
           :rows (rows connection table nil)
           :index-rows (into (sorted-map)
                             (map #(vector % (rows connection table %)))
                             indexes)
           :check (inconsistency connection table))))

(defn- refuses-to-create?
  "Does the node say that a table exists which it does not show?"
  [connection table]
  (try
    (sql/execute! connection (ddl {:f :create :value {:table table}}))
    false
    (catch Exception e
      (= :table-exists (:type (error/classify e))))))

(defn dump
  "Everything a node tells of the tables in `asked`:

    :asked    the names asked for
    :tables   {name {:columns :indexes :rows :index-rows {index rows} :check}}
    :refused  names out of `acked` that it lacks but refuses to create"
  [connection asked acked]
  (let [shown (into (sorted-set)
                    (comp (map first) (filter (set asked)))
                    (sql/query! connection "SHOW TABLES"))]
    {:asked (vec asked)
     :tables (into (sorted-map)
                   (map #(vector % (table-state connection %)))
                   shown)
     :refused (filterv #(and (not (shown %)) (refuses-to-create? connection %))
                       acked)}))
