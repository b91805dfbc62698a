(ns jepsen.history
  "Operations, and histories of them.

  An operation is an `Op`: a record that behaves and prints as the map

    :index    its position in the history, a long; -1 before it is recorded
    :time     nanoseconds since the run began
    :type     :invoke, or what became of it: :ok, :fail or :info
    :process  an integer for clients, :nemesis for the nemesis
    :f        the function applied, a keyword
    :value    the argument, and in a completion the result

  plus any other keys. A history is a read-only vector of operations in the order of their :index,
  which also knows which operation completes which.

    (def h (history [{:process 0, :type :invoke, :f :read}
                     {:process 0, :type :ok,     :f :read, :value 3}]))
    (:value (completion h (first h)))   ; 3

  The functions `map`, `filter` and their relatives below give lazy views of a history that are
  histories themselves: nothing is copied, and pairs stay pairs. `fold` reduces a history in
  parallel chunks, `task` runs computations that depend on each other."
  (:refer-clojure :exclude [filter map remove])
  (:require [jepsen.history.fold :as fold]
            [jepsen.history.source :as source]
            [jepsen.history.task :as task])
  (:import (clojure.lang IFn ILookup IPersistentCollection IReduce Indexed PersistentArrayMap
                         RT Reversible Sequential)
           (java.io Writer)
           (java.util Arrays HashMap Iterator NoSuchElementException)
           (jepsen.history.source Source)))

(set! *warn-on-reflection* true)

;;; Operations

(defrecord Op [^long index ^long time type process f value])

(defn- printable
  "The entries of an Op as an array map, so that they print in their usual order."
  [^Op op]
  (PersistentArrayMap/createAsIfByAssoc
    (into-array Object (mapcat (fn [[k v]] [k v]) op))))

(defmethod print-method Op
  [op ^Writer w]
  (print-method (printable op) w))

(defn op?
  "True if `x` is an Op."
  [x]
  (instance? Op x))

(defn- from-map
  "The Op with the entries of the map `m` and the given index."
  [m ^long index]
  (let [{:keys [time type process f value]} m
        known (if (contains? m :index) 1 0)
        known (reduce (fn [n k] (if (contains? m k) (inc (long n)) n))
                      known
                      [:time :type :process :f :value])]
    (Op. index (long (or time -1)) type process f value (meta m)
         (when (< (long known) (count m))
           (dissoc m :index :time :type :process :f :value)))))

(defn op
  "The Op with the entries of the map `m`, which needs an :index; :time is -1 unless given."
  [m]
  (if (op? m)
    m
    (from-map m (:index m))))

(defn stamp
  "The operation `o`, an Op or a map, as an Op with the given index and time. This is `assoc` of
  both at a fraction of its cost."
  [o ^long index ^long time]
  (if (op? o)
    (let [^Op o o]
      (Op. index time (.type o) (.process o) (.f o) (.value o) (.__meta o) (.__extmap o)))
    (from-map (assoc o :time time) index)))

(defn Op->map
  "The Op `o` as a plain map."
  [o]
  (into {} o))

(defn as-maps
  "The operations `ops` as a vector of plain maps."
  [ops]
  (mapv Op->map ops))

(defn strip-indices
  "The operations `ops` as a vector of plain maps without :index."
  [ops]
  (mapv (fn [o] (dissoc (Op->map o) :index)) ops))

(defn strip-times
  "The operations `ops` as a vector of plain maps without :time."
  [ops]
  (mapv (fn [o] (dissoc (Op->map o) :time)) ops))

(defn invoke? "True if `op` is of type :invoke." [op] (identical? :invoke (:type op)))
(defn ok? "True if `op` is of type :ok." [op] (identical? :ok (:type op)))
(defn fail? "True if `op` is of type :fail." [op] (identical? :fail (:type op)))
(defn info? "True if `op` is of type :info." [op] (identical? :info (:type op)))

(defn client-op?
  "True if `op` is of a client: its process is an integer."
  [op]
  (integer? (:process op)))

(defn has-f?
  "A predicate on operations: is the :f equal to `f`, or one of the set `f`?"
  [f]
  (if (set? f)
    (fn [op] (contains? f (:f op)))
    (fn [op] (= f (:f op)))))

(defn assert-invoke+
  "Returns `op` if it can begin a pair: an invocation, or an :info operation of no client.
  Throws IllegalArgumentException otherwise."
  [op]
  (if (or (invoke? op) (and (info? op) (not (client-op? op))))
    op
    (throw (IllegalArgumentException. (str "not an invocation: " (pr-str op))))))

(defn assert-complete
  "Returns `op` if it can end a pair: it is of type :ok, :fail or :info. Throws
  IllegalArgumentException otherwise."
  [op]
  (if (or (ok? op) (fail? op) (info? op))
    op
    (throw (IllegalArgumentException. (str "not a completion: " (pr-str op))))))

;;; Pairs

(defn- pair-error
  "An ex-info for an operation that fits no pair."
  [type message op other]
  (ex-info (str message ": " (pr-str op)) {:type type, :op op, :other other}))

(defn- pair-client!
  "Notes the client operation `op` at `position` in `pairs`, an array of positions, and in `open`, a
  map of processes to the position of their last operation, which is negative, as
  -1 - position, once complete."
  [^ints pairs ^HashMap open ^Op op position]
  (let [process (.process op)
        before  (.get open process)
        running (and before (<= 0 (long before)))]
    (if (identical? :invoke (.type op))
      (if running
        (throw (pair-error ::double-invoke "process invoked twice without completion" op before))
        (.put open process position))
      (do (when-not running
            (throw (if before
                     (pair-error ::double-complete "process completed twice" op before)
                     (pair-error ::not-running "completion without invocation" op nil))))
          (aset pairs (int before) (int position))
          (aset pairs (int position) (int before))
          (.put open process (- -1 (long position)))))))

(defn- pair-other!
  "Like `pair-client!` for operations of other processes, of which every two make a pair."
  [^ints pairs ^HashMap open ^Op op position]
  (let [process (.process op)]
    (if-let [before (.remove open process)]
      (do (aset pairs (int before) (int position))
          (aset pairs (int position) (int before)))
      (.put open process position))))

(defn- pair-positions
  "An array that has at each position of the array `ops` the position of the operation's
  counterpart, or -1."
  ^ints [^objects ops]
  (let [pairs   (int-array (alength ops) -1)
        clients (HashMap.)
        others  (HashMap.)]
    (dotimes [i (alength ops)]
      (let [^Op op (aget ops i)]
        (if (integer? (.process op))
          (pair-client! pairs clients op i)
          (pair-other! pairs others op i))))
    pairs))

(defn- index-array
  "The indices of the array `ops`; throws when they do not increase."
  ^longs [^objects ops]
  (let [indices (long-array (alength ops))]
    (dotimes [i (alength ops)]
      (aset indices i (.index ^Op (aget ops i)))
      (when (and (pos? i) (<= (aget indices i) (aget indices (dec i))))
        (throw (ex-info "the indices of a history must increase"
                        {:type ::indices-not-increasing, :op (aget ops i)}))))
    indices))

;; A Source over an array of Ops. `indices` is a delay of their indices unless the source is dense,
;; `pairs` one of their counterparts' positions.
(deftype ArraySource [^objects ops is-dense indices pairs]
  Source
  (size [_] (alength ops))
  (at [_ position] (aget ops (int position)))
  (byIndex [_ index]
    (let [position (if is-dense index (long (Arrays/binarySearch ^longs @indices index)))]
      (when (and (<= 0 position) (< position (alength ops)))
        (aget ops (int position)))))
  (dense [_] (boolean is-dense))
  (pair [_ index]
    (let [^ints pairs @pairs]
      (if is-dense
        (long (aget pairs (int index)))
        (let [position (Arrays/binarySearch ^longs @indices index)
              other    (if (neg? position) -1 (aget pairs position))]
          (if (neg? other) -1 (aget ^longs @indices other))))))
  (reduceRange [_ start end f init]
    (let [end (int end)]
      (loop [i (int start), acc init]
        (if (< i end)
          (let [acc (f acc (aget ops i))]
            (if (reduced? acc) acc (recur (inc i) acc)))
          acc)))))

;;; Histories

(defprotocol IHistory
  "What a history can do besides being a vector of operations."
  (dense-indices? [history]
    "True if the operation at each position has that position as :index.")
  (get-index [history index]
    "The operation with the given :index, or nil.")
  (pair-index [history index]
    "The :index of the counterpart of the operation with the given :index, or -1.")
  (ensure-pair-index [history]
    "Works out all pairs now rather than when first needed. Returns the history.")
  (completion [history invocation]
    "The operation that completes `invocation`, or nil.")
  (invocation [history completion]
    "The operation that `completion` completes, or nil.")
  (fold [history fold]
    "Reduces the history with a fold; see `jepsen.history.fold`."))

(defn- counterpart
  [^Source source ^Op op]
  (let [other (.pair source (.index op))]
    (when-not (neg? other)
      (.byIndex source other))))

(deftype History [^Source source]
  IHistory
  (dense-indices? [_] (.dense source))
  (get-index [_ index] (.byIndex source index))
  (pair-index [_ index] (.pair source index))
  (ensure-pair-index [this]
    (when (pos? (.size source))
      (.pair source (.index ^Op (.at source 0))))
    this)
  (completion [_ invocation] (counterpart source (assert-invoke+ invocation)))
  (invocation [_ completion] (counterpart source (assert-complete completion)))
  (fold [_ f]
    (fold/run f (.size source)
              (fn [start end reducer init]
                (unreduced (.reduceRange source start end reducer init)))))

  Sequential
  Indexed
  (count [_] (int (.size source)))
  (nth [_ i]
    (if (and (<= 0 i) (< i (.size source)))
      (.at source i)
      (throw (IndexOutOfBoundsException. (str "no operation at position " i)))))
  (nth [_ i not-found]
    (if (and (<= 0 i) (< i (.size source))) (.at source i) not-found))

  ILookup
  (valAt [this k] (.valAt this k nil))
  (valAt [this k not-found] (if (integer? k) (.nth this (int k) not-found) not-found))

  IFn
  (invoke [this k] (.nth this (int k)))

  IPersistentCollection
  (seq [this] (when (pos? (.size source)) (RT/chunkIteratorSeq (.iterator this))))
  (cons [_ _] (throw (UnsupportedOperationException. "a history is read-only")))
  (empty [_] [])
  (equiv [this other]
    (or (identical? this other)
        (and (or (sequential? other) (instance? java.util.List other))
             (= (count this) (count other))
             (every? true? (clojure.core/map = this other)))))

  IReduce
  (reduce [this f]
    (if (pos? (.size source))
      (unreduced (.reduceRange source 1 (.size source) f (.at source 0)))
      (f)))
  (reduce [_ f init] (unreduced (.reduceRange source 0 (.size source) f init)))

  Reversible
  (rseq [this] (seq (clojure.core/map (fn [i] (.nth this (int i)))
                                      (range (dec (.size source)) -1 -1))))

  Iterable
  (iterator [_]
    (let [next-position (long-array 1)
          size          (.size source)]
      (reify Iterator
        (hasNext [_] (< (aget next-position 0) size))
        (next [_]
          (let [i (aget next-position 0)]
            (when (<= size i)
              (throw (NoSuchElementException.)))
            (aset next-position 0 (inc i))
            (.at source i))))))

  clojure.lang.IHashEq
  (hasheq [this] (hash-ordered-coll this))

  Object
  (hashCode [this]
    (reduce (fn [h op]
              (unchecked-add-int (unchecked-multiply-int 31 h) (.hashCode ^Object op)))
            (int 1) this))
  (equals [this other] (.equiv this other))
  (toString [this] (pr-str this)))

(defmethod print-method History
  [history ^Writer w]
  (print-method (vec history) w))

(prefer-method print-method History clojure.lang.Sequential)

;;; Making histories

(defn- with-position
  "The operation `o` as an Op with the index `i`, which it may already have."
  ^Op [o ^long i]
  (let [index (:index o)]
    (if (or (nil? index) (= -1 index) (= i index))
      (if (op? o)
        (assoc o :index i)
        (from-map o i))
      (throw (ex-info "an operation has another :index than its position"
                      {:type ::existing-different-index, :op o, :position i})))))

(defn dense-history
  "The history of the operations `ops`, maps or Ops, with the indices 0, 1, 2...; an operation may
  have its right index already."
  [ops]
  (let [array (object-array (count ops))]
    (reduce (fn [i o]
              (let [i (long i)]
                (aset array i (if (and (op? o) (= i (.index ^Op o))) o (with-position o i)))
                (inc i)))
            0 ops)
    (History. (ArraySource. array true nil (delay (pair-positions array))))))

(defn- indexed-op
  "The operation `o` as an Op, if it has an integer :index."
  [o]
  (cond (op? o)                o
        (integer? (:index o))  (op o)
        :else (throw (ex-info "an operation has no integer :index"
                              {:type ::no-integer-index, :op o}))))

(defn- increasing-by-one?
  "True if the indices of the array `ops` are the positions."
  [^objects ops]
  (loop [i 0]
    (or (= i (alength ops))
        (and (= i (.index ^Op (aget ops i)))
             (recur (inc i))))))

(defn sparse-history
  "The history of the operations `ops`, all of which have an :index; the indices increase."
  [ops]
  (let [array   (object-array (eduction (clojure.core/map indexed-op) ops))
        indices (delay (index-array array))]
    (History. (ArraySource. array false indices (delay (pair-positions array))))))

(defn history
  "The history of the operations `ops`, maps or Ops. If the first has an :index then all must have
  one; otherwise they get the indices 0, 1, 2... Missing times become -1. Options:

    :dense-indices?  true if the indices are known to be 0, 1, 2...
    :have-indices?   true if every operation has an index
    :already-ops?    true if every operation is an Op"
  ([ops] (history ops {}))
  ([ops {:keys [dense-indices? have-indices?]}]
   (cond
     (instance? History ops)
     ops

     (or dense-indices?
         (not (or have-indices? (let [index (:index (first ops))]
                                  (and (integer? index) (not= -1 index))))))
     (dense-history ops)

     :else
     (let [sparse (sparse-history ops)
           ^ArraySource array-source (.source ^History sparse)]
       (if (increasing-by-one? (.ops array-source))
         (History. (ArraySource. (.ops array-source) true nil (.pairs array-source)))
         sparse)))))

;;; Views

(defn- source-of
  "The Source of `h`; throws when it is not a history."
  ^Source [h]
  (if (instance? History h)
    (.source ^History h)
    (throw (ex-info (str "not a history: " (class h)) {:type ::not-history, :got h}))))

(defn map
  "A view of `history` with each operation replaced by its value under `f`, which must keep the
  :index."
  [f history]
  (History. (source/map-source (source-of history) f)))

(defn filter
  "A view of the operations of `history` for which `pred` is truthy."
  [pred history]
  (History. (source/filter-source (source-of history) pred)))

(defn remove
  "A view of the operations of `history` for which `pred` is falsy."
  [pred history]
  (filter (complement pred) history))

(defn client-ops "The operations of clients." [history] (filter client-op? history))
(defn invokes "The operations of type :invoke." [history] (filter invoke? history))
(defn oks "The operations of type :ok." [history] (filter ok? history))
(defn fails "The operations of type :fail." [history] (filter fail? history))
(defn infos "The operations of type :info." [history] (filter info? history))

(defn possible
  "The operations of type :ok or :info: completions of what did or may have happened."
  [history]
  (filter (fn [op] (or (ok? op) (info? op))) history))

(defn filter-f
  "The operations whose :f is `f`, or one of the set `f`."
  [f history]
  (filter (has-f? f) history))

;;; Tasks

(defn executor
  "The pool that the tasks of `history` run on; all histories share one."
  [_history]
  task/executor)

(defn task-call
  "A task that calls `f` with a vector of the values of the tasks `deps` once they are done; see
  `task`."
  ([history task-name deps f] (task-call history task-name nil deps f))
  ([_history task-name data deps f] (task/call task-name data deps f)))

(defmacro task
  "A computation in the background. It begins once the tasks in `bindings`, pairs of symbols and
  tasks, are done, with the symbols bound to their values. `deref` waits for its value or throws
  what it threw. The name, a symbol, and the optional `data` before the bindings describe it.

    (let [n (task h count-oks [] (count (oks h)))]
      @(task h double-it [n n] (* 2 n)))"
  {:arglists '([history task-name data? bindings & body])}
  [history task-name & more]
  (let [[data bindings body] (if (vector? (first more))
                               [nil (first more) (rest more)]
                               [(first more) (second more) (drop 2 more)])
        pairs (partition 2 bindings)]
    `(task-call ~history '~task-name ~data [~@(clojure.core/map second pairs)]
                (fn [[~@(clojure.core/map first pairs)]] ~@body))))

(defn catch-task
  "A task with the value of `task` or, if that threw, of `f` called with the Throwable."
  [_history task-name task f]
  (task/catch-task task task-name f))

(defn cancel-task
  "Cancels `task`, unless it has already ended."
  [_history task]
  (task/cancel-task task))
