(ns jepsen.store.format
  "The file `test.jepsen`: a test and its results, as they became known.

  A header, then blocks, each of length (4 bytes), CRC-32 of the payload (4),
  type (1) and payload: EDN in UTF-8. Blocks are only ever appended; the last
  intact one of each type counts, so a run that dies while it writes one
  leaves the one before."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [jepsen.print.edn :as print])
  (:import (java.io BufferedOutputStream BufferedWriter EOFException
                    FileOutputStream FilterOutputStream OutputStream
                    OutputStreamWriter RandomAccessFile)
           (java.nio.charset StandardCharsets)
           (java.util Arrays)
           (java.util.zip CRC32 CheckedOutputStream)))

(set! *warn-on-reflection* true)

(def ^:private ^"[B" magic
  (.getBytes "IRGNTST1" StandardCharsets/US_ASCII))

(def ^:private ^:const block-header-bytes 9)

(def ^:private type->number {:test 1, :results 2})
(def ^:private number->type {1 :test, 2 :results})

(defn- file-output
  "A stream to the current position of a file, which it leaves open."
  ^OutputStream [^RandomAccessFile file]
  (proxy [FilterOutputStream] [(FileOutputStream. (.getFD file))]
    (write
      ([x]
       (let [^FilterOutputStream this this]
         (if (bytes? x)
           (.write file ^bytes x)
           (.write file (int x)))))
      ([x off len]
       (.write file ^bytes x (int off) (int len))))
    (close [])))

(defn- write-block!
  [^RandomAccessFile file type value]
  (let [start (.length file)
        crc   (CRC32.)]
    (.seek file (+ start block-header-bytes))
    (with-open [w (-> (file-output file)
                      (BufferedOutputStream. 65536)
                      (CheckedOutputStream. crc)
                      (OutputStreamWriter. StandardCharsets/UTF_8)
                      (BufferedWriter. 65536))]
      (print/write! value w))
    (let [length (- (.getFilePointer file) start block-header-bytes)]
      (.seek file start)
      (.writeInt file (int length))
      (.writeInt file (unchecked-int (.getValue crc)))
      (.writeByte file (int (type->number type))))))

(defn append!
  "Appends a block of a type, :test or :results, to a file, which is made if
  it does not exist."
  [file type value]
  (io/make-parents file)
  (with-open [f (RandomAccessFile. (io/file file) "rw")]
    (when (zero? (.length f))
      (.write f magic))
    (write-block! f type value)))

(defn- read-bytes!
  ^bytes [^RandomAccessFile f n]
  (let [bs (byte-array n)]
    (.readFully f bs)
    bs))

(defn- check-magic!
  [^RandomAccessFile f file]
  (let [head (try (read-bytes! f (alength magic))
                  (catch EOFException _ nil))]
    (when-not (and head (Arrays/equals ^bytes head ^bytes magic))
      (throw (ex-info (str file " is no stored test")
                      {:type ::not-a-test, :file (str file)})))))

(defn- read-block!
  "The next block as [type payload], or nil at the end of what is intact."
  [^RandomAccessFile f]
  (when (<= block-header-bytes (- (.length f) (.getFilePointer f)))
    (let [length (.readInt f)
          crc    (.readInt f)
          type   (number->type (.readByte f))]
      (when (<= 0 length (- (.length f) (.getFilePointer f)))
        (let [payload (read-bytes! f length)
              actual  (doto (CRC32.) (.update payload))]
          (when (= crc (unchecked-int (.getValue actual)))
            [type payload]))))))

(defn- parse
  [^bytes payload]
  (edn/read-string {:default tagged-literal}
                   (String. payload StandardCharsets/UTF_8)))

(defn read-blocks
  "Map of :test and :results, as far as the file has them, to what was last
  written. Throws `{:type :jepsen.store.format/not-a-test}` for other
  files."
  [file]
  (with-open [f (RandomAccessFile. (io/file file) "r")]
    (check-magic! f file)
    (loop [payloads {}]
      (if-let [[type payload] (read-block! f)]
        (recur (assoc payloads type payload))
        (update-vals payloads parse)))))
