(ns jepsen.store.history-file-test
  (:require [clojure.java.io :as io]
            [clojure.test :refer [deftest is testing]]
            [jepsen.history :as history]
            [jepsen.store.history-file :as history-file])
  (:import (java.io File RandomAccessFile)
           (java.util.concurrent TimeUnit)))

(defn- with-file
  "Calls `f` with the path of a file that does not exist, and deletes the file afterwards."
  [f]
  (let [file (File/createTempFile "history" ".jepsen")]
    (try (.delete file)
         (f (str file))
         (finally (.delete file)))))

(defn- ops
  "`n` operations."
  [n]
  (vec (history/history
         (for [i (range n)]
           {:time (* 10 i), :type (if (even? i) :invoke :ok), :process (rem (quot i 2) 5)
            :f :w, :value [i nil]}))))

(defn- write-all!
  "Writes a complete file of `ops`."
  [path ops]
  (with-open [w (history-file/open! path)]
    (run! (fn [op] (history-file/append! w op)) ops)))

(defn- until
  "The first truthy value of `(f)`, which is tried for ten seconds; nil after that."
  [f]
  (let [deadline (+ (System/nanoTime) (.toNanos TimeUnit/SECONDS 10))]
    (loop []
      (or (f)
          (when (< (System/nanoTime) deadline)
            (Thread/sleep 20)
            (recur))))))

(deftest round-trip-test
  (doseq [n [0 1 511 512 513 5000]]
    (with-file
      (fn [path]
        (write-all! path (ops n))
        (let [{:keys [status] h :history} (history-file/read-file path)]
          (is (= :complete status) (str n " operations"))
          (is (= (ops n) h) (str n " operations"))
          (is (or (zero? n) (history/dense-indices? h)) (str n " operations")))))))

(deftest extra-keys-and-odd-values-test
  (with-file
    (fn [path]
      (let [op (history/op {:index 0, :time 1, :type :info, :process :nemesis, :f :start
                            :value {:nodes #{"n1"}}, :error [:oops "x"], :node "n1"})
            unprintable (history/op {:index 1, :time 2, :type :info, :process 0, :f :read
                                     :value (reify Object
                                              (toString [_] (throw (Exception. "no text"))))})]
        (write-all! path [op unprintable (assoc op :index 2)])
        (let [h (:history (history-file/read-file path))]
          (testing "all keys survive"
            (is (= op (nth h 0))))
          (testing "a value that cannot be written costs only itself"
            (is (= {:index 1, :time 2, :type :info, :process 0, :f :read
                    :value (tagged-literal 'unwritable "java.lang.Exception: no text")}
                   (into {} (nth h 1))))
            (is (= (assoc op :index 2) (nth h 2)))))))))

(deftest readable-while-it-grows-test
  (with-file
    (fn [path]
      (with-open [w (history-file/open! path)]
        (run! (fn [op] (history-file/append! w op)) (ops 700))
        (testing "all operations arrive without another append"
          (is (until #(= 700 (count (:history (history-file/read-file path)))))))
        (is (= :open (:status (history-file/read-file path))))))))

(deftest truncated-test
  (with-file
    (fn [path]
      (write-all! path (ops 2000))
      (let [whole (.length (io/file path))]
        (with-open [file (RandomAccessFile. path "rw")]
          (.setLength file (- whole 30)))
        (let [{:keys [status] h :history} (history-file/read-file path)]
          (is (= :truncated status))
          (testing "what was whole is still there"
            (is (< 1000 (count h) 2000))
            (is (= (take (count h) (ops 2000)) h))))))))

(deftest damaged-test
  (with-file
    (fn [path]
      (write-all! path (ops 2000))
      (with-open [file (RandomAccessFile. path "rw")]
        (.seek file (quot (.length file) 2))
        (.write file (byte-array (repeat 8 85))))
      (let [{:keys [status] h :history} (history-file/read-file path)]
        (is (= :truncated status))
        (is (< (count h) 2000))
        (is (= (take (count h) (ops 2000)) h))))))

(deftest not-a-history-test
  (with-file
    (fn [path]
      (spit path "something else")
      (is (= :jepsen.store.history-file/not-a-history-file
             (try (history-file/read-file path)
                  (catch clojure.lang.ExceptionInfo e (:type (ex-data e)))))))))

(deftest unwritable-file-test
  (testing "a file in a directory that does not exist"
    (is (thrown? java.io.FileNotFoundException
                 (history-file/open! "/nonexistent/history.jepsen"))))
  (when (.exists (io/file "/dev/full"))
    (testing "a full disk is reported when the file is closed"
      (is (= :jepsen.store.history-file/write-failed
             (try (write-all! "/dev/full" (ops 10))
                  (catch clojure.lang.ExceptionInfo e (:type (ex-data e)))))))
    (testing "and to whoever goes on appending"
      (let [w (history-file/open! "/dev/full")
            op (first (ops 1))]
        (is (= :jepsen.store.history-file/write-failed
               (try (dotimes [_ 200000] (history-file/append! w op))
                    (catch clojure.lang.ExceptionInfo e (:type (ex-data e))))))))))
