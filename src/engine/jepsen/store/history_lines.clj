(ns jepsen.store.history-lines
  "The history of a run on disk, written as it grows: an operation per line,
  as EDN.

  A thread of its own writes, behind a queue of bounded length, so that the
  interpreter waits only when the disk is slower than the test."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as str]
            [jepsen.history :as h]
            [jepsen.print.edn :as print])
  (:import (java.io BufferedWriter Writer)
           (java.util ArrayList)
           (java.util.concurrent ArrayBlockingQueue BlockingQueue TimeUnit)))

(set! *warn-on-reflection* true)

(def ^:private queue-length 16384)
(def ^:private flush-interval-ms 200)
(def ^:private buffer-chars 65536)

(defrecord HistoryWriter [^BlockingQueue queue ^Thread thread failure])

(defn- write-batch!
  "Writes operations; true unless the end was among them."
  [^Writer w ^ArrayList batch]
  (reduce (fn [_ op]
            (if (= ::end op)
              (reduced false)
              (do (print/write! op w)
                  (.write w "\n")
                  true)))
          true
          batch))

(defn- write-loop!
  "Writes what comes through the queue until its end. Flushes whenever the
  queue is empty for a while, so that the file is never far behind."
  [^BlockingQueue queue ^Writer w]
  (let [batch (ArrayList.)]
    (loop []
      (.clear batch)
      (if-let [op (.poll queue flush-interval-ms TimeUnit/MILLISECONDS)]
        (do (.add batch op)
            (.drainTo queue batch 1024)
            (when (write-batch! w batch)
              (recur)))
        (do (.flush w)
            (recur))))))

(defn open!
  "Opens a file for a history. What was in it is lost."
  [file]
  (io/make-parents file)
  (let [queue   (ArrayBlockingQueue. queue-length)
        failure (atom nil)
        w       (BufferedWriter. (io/writer file) (int buffer-chars))
        thread  (Thread. ^Runnable
                         (fn []
                           (try
                             (with-open [w w]
                               (write-loop! queue w))
                             (catch Throwable t
                               (reset! failure t))))
                         "jepsen history writer")]
    (.setDaemon thread true)
    (.start thread)
    (->HistoryWriter queue thread failure)))

(defn- check-failure!
  [writer]
  (when-let [t @(:failure writer)]
    (throw (ex-info (str "Could not write the history: " (ex-message t))
                    {:type ::write-failed}
                    t))))

(defn- put!
  [writer x]
  (let [^BlockingQueue queue (:queue writer)]
    (while (not (.offer queue x 100 TimeUnit/MILLISECONDS))
      (check-failure! writer))))

(defn append!
  "Records an operation. Throws `{:type
  :jepsen.store.history-lines/write-failed}` once the disk has refused."
  [writer op]
  (check-failure! writer)
  (put! writer op))

(defn close!
  "Writes what is left and closes the file."
  [writer]
  (when-not @(:failure writer)
    (put! writer ::end))
  (.join ^Thread (:thread writer))
  (check-failure! writer))

(defn- parse-line
  "The operation of a line, or nil if the line was not written to its end."
  [line last?]
  (try
    (h/op (edn/read-string {:default tagged-literal} line))
    (catch RuntimeException e
      (when-not last?
        (throw e)))))

(defn read-file
  "Reads a file back, as `{:history history}`. A last line that was not written to its end is left
  out."
  [file]
  (with-open [r (io/reader file)]
    (loop [ops   (transient [])
           lines (line-seq r)]
      (if-let [line (first lines)]
        (let [more (next lines)
              op   (when-not (str/blank? line)
                     (parse-line line (nil? more)))]
          (recur (if op (conj! ops op) ops) more))
        {:history (h/history (persistent! ops) {:already-ops? true})}))))
