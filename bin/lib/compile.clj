(ns compile
  "Compiles every namespace below the given source folders: `compile.clj OUT SOURCE...`.
  Exits with 1 when a namespace does not compile or one of ours needs reflection."
  (:require [clojure.java.io :as io]
            [clojure.string :as str])
  (:import (java.io File StringWriter)))

(defn- source-files
  "Paths of the Clojure files below the folder `dir`, relative to it, in order."
  [dir]
  (let [root (.toPath (io/file dir))]
    (->> (file-seq (io/file dir))
         (filter #(str/ends-with? (.getName ^File %) ".clj"))
         (map #(str (.relativize root (.toPath ^File %))))
         sort)))

(defn- path->ns
  "The namespace symbol that the source `path` defines."
  [path]
  (-> path
      (str/replace #"\.clj$" "")
      (str/replace "/" ".")
      (str/replace "_" "-")
      symbol))

(defn- compile-all!
  "Compiles the namespaces of `paths` to the folder `out` and returns what the compiler wrote to
  standard error. A namespace that another one has required is not loaded twice, since that would
  give its records and protocols two classes."
  [out paths]
  (let [warnings (StringWriter.)]
    (binding [*compile-path* out
              *compile-files* true
              *warn-on-reflection* true
              *err* warnings]
      (run! #(require (path->ns %)) paths))
    (str warnings)))

(defn- our-warnings
  "The lines of `output` that are reflection warnings about one of `paths`."
  [output paths]
  (let [ours (set paths)]
    (filter (fn [line]
              (when-let [[_ path] (re-find #"^Reflection warning, ([^:]+):" line)]
                (ours path)))
            (str/split-lines output))))

(let [[out & sources] *command-line-args*
      paths (mapcat source-files sources)
      warnings (our-warnings (compile-all! out paths) paths)]
  (binding [*out* *err*]
    (run! println warnings))
  (shutdown-agents)
  (System/exit (if (seq warnings) 1 0)))
