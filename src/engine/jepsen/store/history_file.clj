(ns jepsen.store.history-file
  "Histories on disk, written while they grow.

  A file is a header and blocks. A block holds some hundred operations, or the total that ends a
  complete file, and has a checksum; so what a killed run leaves behind can be read up to its last
  whole block.

    (let [w (open! \"history.jepsen\")]
      (append! w op)              ; cheap, does not wait for the disk
      ...
      (close! w))
    (:history (read-file \"history.jepsen\"))

  A thread of its own encodes and writes. It is never more than a few hundred operations or a
  fraction of a second behind, and the memory between it and whoever appends is bounded: when the
  disk cannot keep up, `append!` waits."
  (:require [jepsen.history :as history]
            [jepsen.history.task :as task]
            [jepsen.store.binary :as binary])
  (:import (java.io BufferedInputStream Closeable DataInputStream EOFException File
                    FileInputStream FileOutputStream)
           (java.nio ByteBuffer)
           (java.util Arrays)
           (java.util.concurrent Semaphore TimeUnit)
           (java.util.concurrent.atomic AtomicReference AtomicReferenceArray)
           (java.util.concurrent.locks LockSupport)
           (java.util.zip CRC32C)
           (jepsen.history Op)
           (jepsen.store.binary Reader Writer)))

(set! *warn-on-reflection* true)

(def ^:private magic
  "The first bytes of every file: a name and the version of the format."
  (.getBytes "IRGHIST1" "US-ASCII"))

(def ^:private ^:const block-ops 1)
(def ^:private ^:const block-end 2)

(def ^:private ^:const chunk-size
  "How many operations are handed over together, and make a block."
  512)

(def ^:private ^:const chunks-in-memory
  "How many chunks may wait to be written."
  128)

(def ^:private ^:const flush-interval-ms
  "How long an operation may wait for its chunk to fill."
  250)

;;; Operations in binary

(def ^:private types
  "The types whose number is written instead of their name."
  [:invoke :ok :fail :info])

(defn- write-type!
  [^Writer w type]
  (let [code (case type :invoke 0, :ok 1, :fail 2, :info 3, 4)]
    (.putByte w code)
    (when (= 4 code)
      (binary/write! w type))))

(defn- read-type!
  [^Reader r]
  (let [code (.nextByte r)]
    (if (= 4 code)
      (binary/read! r)
      (nth types code))))

(defn- write-op!
  "Writes `op`; its index and time as differences from the given ones."
  [^Writer w ^Op op ^long index ^long time]
  (binary/write-long! w (- (.index op) index))
  (binary/write-long! w (- (.time op) time))
  (write-type! w (.type op))
  (binary/write! w (.process op))
  (binary/write! w (.f op))
  (binary/write! w (.value op))
  (binary/write! w (.__extmap op)))

(defn- read-op!
  "Reads what `write-op!` wrote."
  ^Op [^Reader r ^long index ^long time]
  (let [index   (+ index (binary/read-long! r))
        time    (+ time (binary/read-long! r))
        type    (read-type! r)
        process (binary/read! r)
        f       (binary/read! r)
        value   (binary/read! r)]
    (Op. index time type process f value nil (binary/read! r))))

(defn- unwritable
  "The operation `op` without what cannot be written because of the Throwable `t`."
  [^Op op ^Throwable t]
  (Op. (.index op) (.time op) (.type op) (.process op) (.f op)
       (tagged-literal 'unwritable (str t)) nil nil))

(defn- encode
  "The content of the blocks for the operations [start, end) of the array `ops`, a vector of arrays
  of bytes. It is one block, unless some operation cannot be written as it is."
  [^Writer w ^AtomicReferenceArray ops ^long start ^long end]
  (.reset w)
  (loop [i start, index -1, time 0, blocks []]
    (if (= i end)
      (conj blocks (.contents w))
      (let [^Op op   (.get ops (int i))
            before   (.position w)
            problem  (try (write-op! w op index time)
                          nil
                          (catch Throwable t t))]
        (if (nil? problem)
          (recur (inc i) (.index op) (.time op) blocks)
          (let [whole (java.util.Arrays/copyOf (.contents w) (int before))]
            (.reset w)
            (write-op! w (unwritable op problem) -1 0)
            (recur (inc i) (.index op) (.time op)
                   (if (pos? before) (conj blocks whole) blocks))))))))

(defn- decode
  "The vector of the operations of a block with the given content."
  [^bytes content]
  (let [r (binary/reader content)]
    (loop [ops (transient []), index -1, time 0]
      (if (.hasMore r)
        (let [^Op op (read-op! r index time)]
          (recur (conj! ops op) (.index op) (.time op)))
        (persistent! ops)))))

;;; Blocks: kind, length and checksum of the content, content

(defn- checksum
  ^long [^bytes content]
  (let [crc (CRC32C.)]
    (.update crc content)
    (.getValue crc)))

(defn- write-block!
  [^FileOutputStream out kind ^bytes content]
  (let [block (ByteBuffer/allocate (+ 9 (alength content)))]
    (.put block (unchecked-byte kind))
    (.putInt block (alength content))
    (.putInt block (unchecked-int (checksum content)))
    (.put block content)
    (.write out (.array block))))

(defn- read-block!
  "The next block, `[kind content]`; nil at the end of the file, ::broken if there is no whole block
  there."
  [^DataInputStream in]
  (let [kind (.read in)]
    (when-not (neg? kind)
      (try
        (let [length  (.readInt in)
              sum     (.readInt in)
              content (when-not (neg? length) (.readNBytes in length))]
          (if (and content
                   (= length (alength ^bytes content))
                   (= sum (unchecked-int (checksum content))))
            [kind content]
            ::broken))
        (catch EOFException _ ::broken)))))

;;; Writing

;; ops   an array of operations, filled in order; the rest is nil
;; next  the chunk that follows, once this one is full
(deftype Chunk [^AtomicReferenceArray ops ^AtomicReference next])

(defn- new-chunk
  []
  (Chunk. (AtomicReferenceArray. (int chunk-size)) (AtomicReference.)))

(definterface IAppender
  (^void append [op]))

;; room     permits for the chunks that may wait
;; failure  an AtomicReference of what ended the writing thread
;; tail     the chunk being filled, up to `filled`; only for whoever appends
(deftype Appender [^Semaphore room ^AtomicReference failure ^Thread thread
                   ^:unsynchronized-mutable ^Chunk tail
                   ^:unsynchronized-mutable ^long filled]
  IAppender
  (append [_ op]
    (when (= filled (long chunk-size))
      (let [full tail]
        (while (not (.tryAcquire room 100 TimeUnit/MILLISECONDS))
          (when-some [t (.get failure)]
            (throw (ex-info "the history cannot be written" {:type ::write-failed} t))))
        (set! tail ^Chunk (new-chunk))
        (set! filled 0)
        (.set ^AtomicReference (.next full) tail)
        (LockSupport/unpark thread)))
    (.setRelease ^AtomicReferenceArray (.ops tail) (int filled) op)
    (set! filled (inc filled))))

(defn- filled-to
  "How many operations the chunk has, of which [0, `from`) are known."
  ^long [^Chunk chunk ^long from]
  (let [^AtomicReferenceArray ops (.ops chunk)]
    (loop [i from]
      (if (and (< i (long chunk-size)) (some? (.getAcquire ops (int i))))
        (recur (inc i))
        i))))

(defn- pause!
  "Waits until woken, or for `flush-interval-ms` at most."
  [blocker]
  (LockSupport/parkNanos blocker (* 1000000 (long flush-interval-ms))))

(defn- write-chunks!
  "Writes the operations of `chunk` and those that follow, a block for each chunk or, when these
  fill slowly, for what came in some hundred milliseconds. Returns the number of operations, once
  `closing` holds true and all is written."
  [out chunk ^Semaphore room ^AtomicReference closing]
  (let [w        (binary/writer)
        interval (* 1000000 (long flush-interval-ms))]
    (loop [^Chunk chunk chunk, written 0, total 0, flushed (System/nanoTime)]
      (let [closed (.get closing)
            filled (filled-to chunk written)
            full   (= filled (long chunk-size))
            next   (when full (.get ^AtomicReference (.next chunk)))
            now    (System/nanoTime)]
        (cond
          (and (< written filled)
               (or full closed (<= interval (- now flushed))))
          (do (doseq [content (encode w (.ops chunk) written filled)]
                (write-block! out block-ops content))
              (recur chunk filled (+ total (- filled written)) now))

          (some? next) (do (.release room)
                           (recur next 0 total flushed))
          closed       total
          :else        (do (pause! chunk)
                           (recur chunk written total flushed)))))))

(defn- end-content
  "The content of the block that ends a complete file of `total` operations."
  [total]
  (let [w (binary/writer)]
    (binary/write! w total)
    (.contents w)))

(defn- writing-thread
  "A thread, not yet started, that writes `file`. What ends it early is left in `failure`."
  ^Thread [^FileOutputStream out first-chunk room closing ^AtomicReference failure]
  (doto (Thread.
          ^Runnable
          (fn []
            (try
              (with-open [out out]
                (.write out ^bytes magic)
                (write-block! out block-end
                              (end-content (write-chunks! out first-chunk room closing))))
              (catch Throwable t
                (.set failure t))))
          "jepsen history writer")
    (.setDaemon true)))

(defrecord HistoryWriter [^Appender appender ^Thread thread ^AtomicReference closing
                          ^AtomicReference failure]
  Closeable
  (close [_]
    (.set closing true)
    (LockSupport/unpark thread)
    (.join thread)
    (when-some [t (.get failure)]
      (throw (ex-info "the history could not be written" {:type ::write-failed} t)))))

(defn open!
  "Begins the file `file`, a path or java.io.File, and the thread that writes it. Returns a
  HistoryWriter."
  [file]
  (let [out         (FileOutputStream. (File. (str file)))
        first-chunk (new-chunk)
        room        (Semaphore. (int chunks-in-memory))
        closing     (AtomicReference. false)
        failure     (AtomicReference.)
        thread      (writing-thread out first-chunk room closing failure)]
    (.start thread)
    (->HistoryWriter (Appender. room failure thread first-chunk 0) thread closing failure)))

(defn append!
  "Adds the Op `op` to the file of the HistoryWriter `w`. Only for one thread at a time."
  [^HistoryWriter w op]
  (.append ^Appender (.appender w) op))

(defn close!
  "Writes what is left, marks the file as complete, and closes it. Throws an ex-info of type
  ::write-failed if not everything could be written."
  [^HistoryWriter w]
  (.close w))

;;; Reading

(defn- read-blocks!
  "Reads blocks until the end. Returns `{:contents [bytes] :total n-or-nil :status status}`."
  [in]
  (loop [contents (transient [])]
    (let [block (read-block! in)
          stop  (fn [status total]
                  {:contents (persistent! contents), :status status, :total total})]
      (cond
        (nil? block)                     (stop :open nil)
        (= ::broken block)               (stop :truncated nil)
        (= block-ops (nth block 0))      (recur (conj! contents (nth block 1)))
        (= block-end (nth block 0))      (stop :complete (binary/read! (binary/reader
                                                                         (nth block 1))))
        :else                            (stop :truncated nil)))))

(defn- require-magic!
  "Throws unless a file that begins with `start` is a history file, or one whose beginning is not
  written yet."
  [file ^bytes start]
  (when-not (Arrays/equals start (Arrays/copyOf ^bytes magic (alength start)))
    (throw (ex-info (str file " is not a history file") {:type ::not-a-history-file}))))

(defn read-file
  "Reads a history file, also one that is still being written. Returns

    :history  the history of all whole blocks
    :status   :complete   if the file was closed
              :open       if it ends after a block, and more may follow
              :truncated  if it ends within a block or is damaged there

  Throws an ex-info of type ::not-a-history-file if the file begins like no history file."
  [file]
  (with-open [in (DataInputStream. (BufferedInputStream. (FileInputStream. (File. (str file)))
                                                         65536))]
    (require-magic! file (.readNBytes in (alength ^bytes magic)))
    (let [{:keys [contents status total]} (read-blocks! in)
          ops (into [] cat (task/pmapv decode contents))]
      {:history (history/history ops {:already-ops? true})
       :status  (if (and total (not= total (count ops))) :truncated status)})))
