(ns jepsen.store
  "Where tests are kept: `store/<name>/<start time>/`.

    test.jepsen    the test map and the results (`jepsen.store.format`)
    history.jepsen the history, written as it grows
    jepsen.log     what was logged
    history.txt    the history, to be read by people
    history.edn    the history, an operation per line
    results.edn    what the checker said
    <node>/        log files of a node

  The links `store/current`, `store/latest` and `store/<name>/latest` lead to
  the last run."
  (:refer-clojure :exclude [load test])
  (:require [clojure.java.io :as io]
            [clojure.tools.logging :refer [info warn]]
            [jepsen.print :as print]
            [jepsen.print.edn :as print.edn]
            [jepsen.store.format :as format]
            [jepsen.store.history-file :as history-file]
            [jepsen.store.logging :as logging]
            [jepsen.util :as util])
  (:import (java.io File)
           (java.nio.file CopyOption Files Path StandardCopyOption)
           (java.nio.file.attribute FileAttribute)
           (java.time Instant ZonedDateTime)
           (java.time.format DateTimeFormatter DateTimeParseException)
           (java.time.temporal TemporalAccessor)))

(set! *warn-on-reflection* true)

(def base-dir
  "The folder of all tests."
  "store")

(def default-nonserializable-keys
  "Keys of a test map that are not stored."
  #{:barrier :db :os :net :client :checker :nemesis :generator :model :remote
    :store :wrap-generator})

(def ^:private ^DateTimeFormatter basic-date-time
  (DateTimeFormatter/ofPattern "yyyyMMdd'T'HHmmss.SSSZ"))

(defn start-time->str
  "A test's start time as the name of its folder."
  [start-time]
  (if (instance? ZonedDateTime start-time)
    (.format basic-date-time
             ^TemporalAccessor start-time)
    (str start-time)))

;;; Paths

(defn- path-parts
  [parts]
  (->> (flatten parts) (remove nil?) (map str)))

(defn path
  "The file below a test's folder that the parts name; the folder itself
  without any. Parts may be nested; nils are left out."
  ^File [test & parts]
  (let [{:keys [name start-time]} test]
    (when-not (and name start-time)
      (throw (ex-info "A test needs a :name and a :start-time to be stored"
                      {:type ::no-path, :name name, :start-time start-time})))
    (apply io/file base-dir (str name) (start-time->str start-time)
           (path-parts parts))))

(defn path!
  "Like `path`; makes the folders that the file goes into."
  ^File [test & parts]
  (let [file (apply path test parts)]
    (io/make-parents file)
    file))

(defn with-out-file*
  "See `with-out-file`."
  [test filename f]
  (let [file (path! test filename)]
    (with-open [w (io/writer file)]
      (try
        (binding [*out* w] (f))
        (finally
          (info "Wrote" (.getCanonicalPath file)))))))

(defmacro with-out-file
  "Evaluates the body with standard output going to a file of the test."
  [test filename & body]
  `(with-out-file* ~test ~filename (fn [] ~@body)))

;;; Links

(defn- ->path
  ^Path [file]
  (.toPath (io/file file)))

(defn- link!
  "Makes, or moves, a symbolic link."
  [link target]
  (let [link (->path link)
        temp (.resolveSibling link (str (.getFileName link) ".new"))]
    (Files/deleteIfExists temp)
    (Files/createSymbolicLink temp (->path (str target))
                              (make-array FileAttribute 0))
    (Files/move temp link
                (into-array CopyOption [StandardCopyOption/REPLACE_EXISTING
                                        StandardCopyOption/ATOMIC_MOVE]))))

(defn- link-to-test!
  [test link]
  (let [dir (path test)]
    (when (.exists dir)
      (link! link (.relativize (.getParent (.toAbsolutePath (->path link)))
                               (.toAbsolutePath (.toPath dir)))))))

(defn update-current-symlink!
  "Lets `store/current` lead to the test."
  [test]
  (link-to-test! test (io/file base-dir "current")))

(defn update-symlinks!
  "Lets all links lead to the test."
  [test]
  (update-current-symlink! test)
  (link-to-test! test (io/file base-dir "latest"))
  (link-to-test! test (io/file base-dir (str (:name test)) "latest")))

;;; Writing

(defn serializable-test
  "The test without what cannot be stored."
  [test]
  (-> (apply dissoc test (into default-nonserializable-keys
                               (:nonserializable-keys test)))
      (dissoc :history :results :sessions)
      (update :start-time start-time->str)))

(defn- test-file [test] (path test "test.jepsen"))

(defn write-history!
  "Writes history.txt and history.edn, at the same time."
  ([test] (write-history! test (:history test)))
  ([test history]
   (->> [#(print/write-history! (path! test "history.txt") history)
         #(with-open [w (io/writer (path! test "history.edn"))]
            (reduce (fn [_ op]
                      (print.edn/write! op w)
                      (.write w "\n"))
                    nil
                    history))]
        (util/real-pmap (fn [write!] (write!)))
        dorun)))

(defn write-results!
  "Writes results.edn."
  ([test] (write-results! test (:results test)))
  ([test results]
   (with-open [w (io/writer (path! test "results.edn"))]
     (print/pprint results w))))

(defn save-0!
  "Saves the test as it is at the start. Returns it."
  [test]
  (format/append! (test-file test) :test (serializable-test test))
  (update-current-symlink! test)
  test)

(defn save-1!
  "Saves the test and its history, after the run. Returns it."
  [test]
  (format/append! (test-file test) :test (serializable-test test))
  (write-history! test)
  (update-symlinks! test)
  test)

(defn save-2!
  "Saves the results, after the analysis. Returns the test."
  [test]
  (format/append! (test-file test) :results (:results test))
  (write-results! test)
  (update-symlinks! test)
  test)

(defn with-handle*
  "See `with-handle`."
  [test f]
  (io/make-parents (test-file test))
  (f (assoc test :store {:dir (path test)})))

(defmacro with-handle
  "Evaluates the body with `test-sym` bound to the test, ready to be saved."
  [[test-sym test] & body]
  `(with-handle* ~test (fn [~test-sym] ~@body)))

(defn with-history*
  "See `with-history!`."
  [test f]
  (let [file   (path! test "history.jepsen")
        writer (history-file/open! file)
        test'  (try
                 (f (assoc-in test [:store :history-writer]
                              #(history-file/append! writer %)))
                 (finally
                   (history-file/close! writer)))]
    (-> test'
        (update :store dissoc :history-writer)
        (assoc :history (:history (history-file/read-file file))))))

(defmacro with-history!
  "Evaluates the body, which returns a test, with `test-sym` bound to the
  test and a function in `(:history-writer (:store test))` that records an
  operation. The result has what was recorded as its `:history`."
  [[test-sym test] & body]
  `(with-history* ~test (fn [~test-sym] ~@body)))

;;; Logging

(defn start-logging!
  "Logs to the test's jepsen.log as well, from now on."
  [test]
  (logging/start-file! (path! test "jepsen.log")
                       {:json?     (:logging-json? test)
                        :overrides (:overrides (:logging test))
                        :console   (:console (:logging test))}))

(defn stop-logging!
  "Stops logging to a test's file."
  []
  (logging/stop-file!))

;;; Reading

(defn- link?
  [^File file]
  (Files/isSymbolicLink (.toPath file)))

(defn- folders
  [dir]
  (->> (.listFiles (io/file dir))
       (filter (fn [^File f] (and (.isDirectory f) (not (link? f)))))
       (sort-by (fn [^File f] (.getName f)))))

(defn- stored?
  [dir]
  (.exists (io/file dir "test.jepsen")))

(defn- read-history
  "The history of a folder, or nil."
  [dir]
  (let [file (io/file dir "history.jepsen")]
    (when (.exists file)
      (let [{:keys [history status]} (history-file/read-file file)]
        (when-not (= :complete status)
          (warn "The history in" (str dir) "ends where its run died"))
        history))))

(defn- load-dir
  [dir]
  (when-not (stored? dir)
    (throw (ex-info (str "There is no test in " dir)
                    {:type ::no-test, :dir (str dir)})))
  (let [{:keys [test results]} (format/read-blocks (io/file dir "test.jepsen"))
        history (read-history dir)]
    (cond-> test
      history (assoc :history history)
      results (assoc :results results))))

(defn load
  "Reads a stored test, with its history and results as far as it has any:
  that of the same name and start time."
  ([test] (load-dir (path test)))
  ([test-name test-time]
   (load-dir (io/file base-dir (str test-name) (str test-time)))))

(defn load-results
  "Reads the results of a stored test."
  [test-name test-time]
  (:results (format/read-blocks
             (io/file base-dir (str test-name) (str test-time)
                      "test.jepsen"))))

(defn test-names
  "Names of the stored tests."
  []
  (mapv (fn [^File f] (.getName f)) (folders base-dir)))

(defn tests
  "Map of start time to the stored test of a name, each as a delay; or map of
  name to such a map."
  ([]
   (into (sorted-map) (map (juxt identity tests)) (test-names)))
  ([test-name]
   (into (sorted-map)
         (for [^File dir (folders (io/file base-dir (str test-name)))
               :when (stored? dir)]
           [(.getName dir) (delay (load-dir dir))]))))

(defn- str->instant
  "The start time that a folder's name tells, or long ago."
  [s]
  (try
    (.toInstant (ZonedDateTime/parse s basic-date-time))
    (catch DateTimeParseException _
      Instant/EPOCH)))

(defn all-tests
  "Delays of all stored tests, the oldest first."
  []
  (->> (vals (tests))
       (mapcat seq)
       (sort-by (comp str->instant key))
       (mapv val)))

(defn test
  "Reads a stored test: by its folder, or by its number among all tests in
  the order of their start. Negative numbers count from the end, -1 is the
  latest."
  [which]
  (if (integer? which)
    (let [all (all-tests)
          i   (if (neg? which) (+ (count all) which) which)]
      (if (< -1 i (count all))
        @(nth all i)
        (throw (ex-info (str "There is no test number " which
                             "; " (count all) " are stored")
                        {:type ::no-test, :which which}))))
    (load-dir which)))

(defn latest
  "Reads the latest stored test, or nil."
  []
  (some-> (peek (all-tests)) deref))

(defn- delete-tree!
  [^File file]
  (when-not (link? file)
    (run! delete-tree! (.listFiles file)))
  (Files/deleteIfExists (.toPath file)))

(defn delete!
  "Deletes all tests, all of a name, or one."
  ([]
   (run! delete! (test-names)))
  ([test-name]
   (delete-tree! (io/file base-dir (str test-name))))
  ([test-name test-time]
   (delete-tree! (io/file base-dir (str test-name) (str test-time)))))
