(ns jepsen.store.logging
  "Where log lines go: the console, and the file jepsen.log of a run."
  (:require [clojure.data.json :as json]
            [clojure.java.io :as io])
  (:import (ch.qos.logback.classic Level Logger LoggerContext)
           (ch.qos.logback.classic.encoder PatternLayoutEncoder)
           (ch.qos.logback.classic.filter ThresholdFilter)
           (ch.qos.logback.classic.spi ILoggingEvent ThrowableProxyUtil)
           (ch.qos.logback.core Appender ConsoleAppender FileAppender LayoutBase)
           (ch.qos.logback.core.encoder Encoder LayoutWrappingEncoder)
           (java.time Instant)
           (org.slf4j LoggerFactory)))

(set! *warn-on-reflection* true)

(def ^:private console-pattern
  "Without stack traces: those are in the file."
  "%p\t[%t] %c: %m%n%nopex")
(def ^:private file-pattern "%d{ISO8601, GMT}\t%p\t[%t] %c: %m%n")

(def ^:private default-overrides
  "Loggers that would say too much."
  {"net.schmizz"    :warn
   "com.hierynomus" :warn
   "io.netty"       :warn
   "io.grpc"        :warn})

(defn- context
  ^LoggerContext []
  (LoggerFactory/getILoggerFactory))

(defn- logger
  ^Logger [name]
  (.getLogger (context) ^String name))

(defn- root
  ^Logger []
  (logger Logger/ROOT_LOGGER_NAME))

(defn- level
  ^Level [k]
  (Level/toLevel (name k) Level/INFO))

(defn- json-line
  [^ILoggingEvent e]
  (str (json/write-str
        (cond-> {:timestamp (str (Instant/ofEpochMilli (.getTimeStamp e)))
                 :level     (str (.getLevel e))
                 :thread    (.getThreadName e)
                 :logger    (.getLoggerName e)
                 :message   (.getFormattedMessage e)}
          (.getThrowableProxy e)
          (assoc :exception (ThrowableProxyUtil/asString
                             (.getThrowableProxy e)))))
       "\n"))

(defn- json-encoder
  ^Encoder []
  (let [layout (doto (proxy [LayoutBase] []
                       (doLayout [e] (json-line e)))
                 (.setContext (context))
                 (.start))]
    (doto (LayoutWrappingEncoder.)
      (.setLayout layout)
      (.setContext (context))
      (.start))))

(defn- pattern-encoder
  ^Encoder [pattern]
  (doto (PatternLayoutEncoder.)
    (.setPattern pattern)
    (.setContext (context))
    (.start)))

(defn- attach!
  [^Appender appender name]
  (.setName appender name)
  (.setContext appender (context))
  (.start appender)
  (.addAppender (root) appender))

(defonce ^:private overridden
  ;; Names of the loggers that have a level of their own.
  (atom #{}))

(defn- set-levels!
  "Sets the levels of loggers, in place of those that were set before."
  [overrides]
  (let [levels (merge default-overrides overrides)]
    (doseq [name @overridden]
      (.setLevel (logger name) nil))
    (doseq [[name k] levels]
      (.setLevel (logger name) (level k)))
    (reset! overridden (set (keys levels)))))

(def ^:private console-appender-name "console")

(defonce ^:private console-threshold
  ;; The least level that the console shows, nil before it was set up.
  (atom nil))

(defn- console-appender
  "Where lines of `threshold` and above go: to standard output, except that those
  of a higher threshold than info go to standard error."
  ^Appender [threshold]
  (doto (ConsoleAppender.)
    (.setTarget (if (= :info threshold) "System.out" "System.err"))
    (.setContext (context))
    (.setEncoder (pattern-encoder console-pattern))
    (.addFilter (doto (ThresholdFilter.)
                  (.setLevel (name threshold))
                  (.start)))))

(defn- detach!
  [appender-name]
  (when-let [appender (.getAppender (root) appender-name)]
    (.detachAppender (root) appender)
    (.stop appender)))

(defn start-console!
  "Sends log lines of level info, or of `threshold`, and above to the console, in
  place of whatever was configured."
  ([]
   (when-not @console-threshold
     (start-console! :info)))
  ([threshold]
   (let [before @console-threshold]
     (when-not (= before threshold)
       (when-not before
         (.reset (context))
         (.setLevel (root) Level/INFO)
         (set-levels! {}))
       (detach! console-appender-name)
       (attach! (console-appender threshold) console-appender-name)
       (reset! console-threshold threshold)))))

(def ^:private file-appender-name "jepsen.log")

(defn stop-file!
  "Stops logging to a file."
  []
  (detach! file-appender-name)
  (set-levels! {}))

(defn start-file!
  "Logs to a file as well, from now on, as JSON if so wanted. Overrides are a
  map of logger name to level; `console` is the least level that the console shows,
  :info by default."
  [file {:keys [json? overrides console]}]
  (start-console! (or console :info))
  (stop-file!)
  (io/make-parents file)
  (set-levels! overrides)
  (attach! (doto (FileAppender.)
             (.setFile (str file))
             (.setEncoder (if json?
                            (json-encoder)
                            (pattern-encoder file-pattern))))
           file-appender-name))
