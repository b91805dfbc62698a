(ns interregnum.summary
  "What a run prints for people: a head, and in the end the verdict with the
  operations that broke a promise."
  (:require [clojure.string :as str]
            [jepsen.store :as store]))

(set! *warn-on-reflection* true)

(def verdict-lines
  "Verdict → the line that Jepsen ends with, which scripts look for."
  {true     "Everything looks good! ヽ(‘ー`)ノ"
   false    "Analysis invalid! (ﾉಥ益ಥ）ﾉ ┻━┻"
   :unknown "Errors occurred during analysis, but no anomalies found. ಠ~ಠ"})

(def exit-codes
  "Verdict → exit code."
  {true 0, false 1, :unknown 2})

(defn- shell-quote
  [argument]
  (if (re-matches #"[\w@%+=:,./-]+" argument)
    argument
    (str "'" (str/replace argument "'" "'\\''") "'")))

(defn- without-option
  "`args` without the option `long-name` and its value."
  [args long-name]
  (loop [args args, kept []]
    (cond (empty? args)                                 kept
          (= long-name (first args))                    (recur (drop 2 args) kept)
          (str/starts-with? (first args) (str long-name "=")) (recur (rest args) kept)
          :else (recur (rest args) (conj kept (first args))))))

(defn repeat-command
  "A shell command that repeats a run of `command` with the arguments `args` and
  `seed`."
  [command args seed]
  (let [seeded (-> (vec args)
                   (without-option "--seed")
                   (without-option "--test-count")
                   (conj "--seed" (str seed)))]
    (str/join " " (map shell-quote (concat ["bin/interregnum" command] seeded)))))

(defn- version
  "The version of the build, or \"unknown\" outside one."
  []
  (or (some-> (Class/forName "interregnum.check.ids.Call")
              .getPackage .getImplementationVersion)
      "unknown"))

(defn head
  "The first lines of a run: seed, versions, options."
  [options]
  (str "seed " (:seed options)
       ", interregnum " (version)
       ", Java " (System/getProperty "java.version")
       ", Clojure " (clojure-version) "\n"
       "options " (pr-str (into (sorted-map)
                                (dissoc options :argv :ssh :remote :addresses
                                        :seed)))))

(defn- seconds
  [nanos]
  (if nanos (format "%.3f s" (/ nanos 1e9)) "?"))

(defn- terms-str
  [terms]
  (if (seq terms)
    (str/join " or " (map #(str (:id %) " (term " (:term %) ")") terms))
    "unknown"))

(defn- op-lines
  "An operation of a result, in words."
  [title {:keys [index process f node table ids id next base time terms]}]
  [(str "  " title ": op " index ", process " process " at " (or node "?") ", "
        (name f) " into table " table)
   (str "    " (cond ids  (str "ids " (str/join " " (take 8 ids)))
                     id   (str "explicit id " id)
                     next (str "next id " next)
                     base (str "counter set to " base)
                     :else "no ids")
        ", from " (seconds (first time)) " to " (seconds (second time))
        ", owner " (terms-str terms))])

(defn- failure-lines
  "The first failure of each kind, as data."
  [failures]
  (for [[kind {:keys [count first]}] failures]
    (str "  " (name kind) " (" count "): " (pr-str (clojure.core/first first)))))

(defn- violation-lines
  "What broke the invariant of that `title`, in words."
  [title {:keys [reason count worst failures]}]
  (concat [(str "Violated: " title
                (when count (str ", " count (if (= 1 count) " time" " times"))))
           (str "  " reason)]
          (mapcat (fn [[k title]]
                    (when-let [op (k worst)] (op-lines title op)))
                  [[:earlier "earlier"] [:later "later"] [:op "operation"]
                   [:other "other"]])
          (failure-lines failures)))

(defn- violations
  "What the checkers found, `titles` by the names of their invariants."
  [titles results]
  (for [{:keys [violated invariants]} (map results [:workload :rest])
        broken violated
        line (violation-lines (get titles broken (name broken)) (invariants broken))]
    line))

(defn- reasons
  "Why the parts of `results` are not valid, except for violations, which have
  lines of their own."
  [results]
  (for [[part result] results
        :when (and (map? result)
                   (not (true? (:valid? result)))
                   (empty? (:violated result)))]
    (str (name part) ": " (or (:reason result)
                              (some-> result :error :cause)
                              (:error result)
                              (:valid? result)))))

(defn- valid-lines
  [results]
  (keep #(:reason (results %)) [:workload :scenario :coverage]))

(defn- counts-line
  [{:keys [count ok-count fail-count info-count]}]
  (when count
    (str count " operations: " ok-count " ok, " fail-count " failed, " info-count
         " in doubt")))

(defn tail
  "The last lines of the run `test`: verdict, why, where its files are, and how to
  repeat it with `command` and its arguments."
  [{:keys [results] :as test} command args]
  (let [valid? (:valid? results)]
    (str/join
      "\n"
      (remove nil?
              (concat [(counts-line (:stats results))]
                      (if (true? valid?)
                        (valid-lines results)
                        (concat (violations (:invariants test) results)
                                (reasons results)))
                      [(verdict-lines valid?)
                       (str "Store: " (.getPath (store/path test)))
                       (str "Repeat: " (repeat-command command args (:seed test)))])))))
