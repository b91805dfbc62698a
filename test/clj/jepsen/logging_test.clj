(ns jepsen.logging-test
  "What reaches the console, and what the file of a run."
  (:require [clojure.data.json :as json]
            [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [clojure.tools.logging :as log]
            [jepsen.store.logging :as logging]
            [jepsen.temporary :as temporary])
  (:import (ch.qos.logback.classic Level Logger)
           (ch.qos.logback.classic.spi LoggingEvent)
           (ch.qos.logback.core Appender)
           (org.slf4j LoggerFactory)))

(set! *warn-on-reflection* true)

(defn- on-console?
  "Whether the console shows a line of this level."
  [level]
  (let [^Logger root (LoggerFactory/getLogger Logger/ROOT_LOGGER_NAME)
        ^Appender appender (.getAppender root "console")
        event (LoggingEvent. "x" root ^Level level "message" nil nil)]
    (not= "DENY" (str (.getFilterChainDecision appender event)))))

(defn- lines-logged
  "The lines of a run's file in which `(f)` logs."
  [opts f]
  (temporary/with-dir [dir]
    (let [file (io/file dir "a" "jepsen.log")]
      (logging/start-file! file opts)
      (try (f)
           (finally (logging/stop-file!)))
      (log/info "after the run")
      (str/split-lines (slurp file)))))

(deftest console-level-test
  (lines-logged {:console :warn}
                (fn []
                  (is (not (on-console? Level/INFO)))
                  (is (on-console? Level/WARN))))
  (testing "the next run shows all again"
    (lines-logged {} #(is (on-console? Level/INFO)))))

(deftest file-test
  (let [lines (lines-logged {:console :error}
                            #(log/info "hello" {:a 1}))]
    (is (= 1 (count lines)) "nothing of what comes after")
    (is (re-matches #"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\tINFO\t\[.+\] jepsen\.logging-test: hello \{:a 1\}"
                    (first lines)))))

(deftest overrides-test
  (is (= [""] (lines-logged {:console   :error
                             :overrides {"jepsen.logging-test" :warn}}
                            #(log/info "too little")))))

(deftest json-test
  (let [[line] (lines-logged {:console :error, :json? true}
                             #(log/warn (ex-info "no" {}) "trouble"))
        event  (json/read-str line :key-fn keyword)]
    (is (= {:level "WARN", :message "trouble", :logger "jepsen.logging-test"}
           (select-keys event [:level :message :logger])))
    (is (str/includes? (:exception event) "ExceptionInfo: no"))))
