(ns interregnum.tidy-test
  "The house style's limits for Clojure, and what no tracked file may hold, as
  a test."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :as shell]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]])
  (:import (clojure.lang LineNumberingPushbackReader)
           (java.io File StringReader)))

(def width-max 100)
(def function-lines-max 60)
(def namespace-lines-max 500)
(def file-bytes-max 1000000)

(def source-roots ["src/clj" "src/engine"])

(defn- clojure-files
  "The Clojure files below `roots`, in path order."
  [roots]
  (->> roots
       (mapcat #(file-seq (io/file %)))
       (filter #(str/ends-with? (.getName ^File %) ".clj"))
       (sort-by str)))

(defn- read-form
  "The next form of `reader` with its first and last line, or nil at the end."
  [^LineNumberingPushbackReader reader]
  (let [form (binding [*read-eval* false]
               (read {:eof ::end :read-cond :allow} reader))]
    (when-not (= ::end form)
      {:form form
       :first-line (:line (meta form))
       :last-line (.getLineNumber reader)})))

(defn- with-reader-aliases
  "Calls `f` in a scratch namespace in which every alias of `text` resolves, so
  that auto-resolved keywords can be read."
  [text f]
  (let [scratch (create-ns (gensym "interregnum.tidy-scratch"))]
    (binding [*ns* scratch]
      (doseq [[_ alias-name] (re-seq #"::([a-zA-Z][\w.*+!?-]*)/" text)
              :when (nil? (get (ns-aliases scratch) (symbol alias-name)))]
        (alias (symbol alias-name) 'clojure.core))
      (try (f) (finally (remove-ns (ns-name scratch)))))))

(defn- top-level-forms
  "The top-level forms of `text` as maps of :form :first-line :last-line."
  [text]
  (with-reader-aliases
    text
    #(let [reader (LineNumberingPushbackReader. (StringReader. text))]
       (vec (take-while some? (repeatedly (fn [] (read-form reader))))))))

(defn- docstring
  "The docstring of a def-like `form`, or nil."
  [form]
  (let [[kind named & more] form]
    (or (:doc (meta named))
        (when (and (string? (first more))
                   (or (next more) ('#{ns defprotocol} kind)))
          (first more)))))

(defn- code-lines
  "How many lines of code a top-level form takes: its docstring, blank lines and
  comments do not count."
  [lines {:keys [form first-line last-line]}]
  (let [doc-lines (if-let [doc (and (seq? form) (docstring form))]
                    (count (str/split-lines doc))
                    0)]
    (- (count (remove #(or (str/blank? %) (str/starts-with? (str/trim %) ";"))
                      (subvec lines (dec first-line)
                              (min last-line (count lines)))))
       doc-lines)))

(defn- definition?
  [form kinds]
  (and (seq? form) (contains? kinds (first form))))

(defn- long-functions
  "Names of the functions of `text` that are longer than the limit."
  [text]
  (let [lines (vec (str/split-lines text))]
    (for [{:keys [form] :as located} (top-level-forms text)
          :when (definition? form '#{defn defn- defmacro})
          :let [size (code-lines lines located)]
          :when (< function-lines-max size)]
      [(second form) size])))

(defn- undocumented
  "Public vars of `text` without a docstring, and the namespace if it has none."
  [text]
  (for [{:keys [form]} (top-level-forms text)
        :when (and (definition? form '#{ns def defn defmacro defprotocol})
                   (not (:private (meta (second form))))
                   (nil? (docstring form)))]
    (second form)))

(defn- offences
  "Applies `find-in` to the text of every source file; a map file → offences of
  the files that have any."
  [find-in]
  (into {}
        (keep (fn [file]
                (when-let [found (seq (find-in (slurp file)))]
                  [(str file) (vec found)])))
        (clojure-files source-roots)))

(defn- wide-lines
  [text]
  (keep-indexed (fn [i line]
                  (when (< width-max (.codePointCount ^String line 0 (count line)))
                    (inc i)))
                (str/split-lines text)))

(def banned-calls
  "Pattern → the only files that may match it."
  {#"\((?:rand|rand-int|rand-nth|shuffle)[\s)]"
   #{"src/engine/jepsen/random.clj"}
   #"Thread/sleep"
   #{"src/engine/jepsen/util.clj" "src/engine/jepsen/generator/interpreter.clj"}
   #":refer :all"
   #{}
   #"\(:use "
   #{}})

(deftest files-and-lines-test
  (testing "no namespace is longer than the limit"
    (is (empty? (offences #(let [n (count (str/split-lines %))]
                             (when (< namespace-lines-max n) [n]))))))
  (testing "no line is wider than the limit"
    (is (empty? (offences wide-lines)))))

(deftest functions-test
  (testing "no function is longer than the limit"
    (is (empty? (offences long-functions))))
  (testing "a long function is found"
    (is (= '[[f 62]]
           (long-functions
             (str "(defn f\n  \"Doc.\"\n  []\n"
                  (str/join (repeat 59 "  :x\n"))
                  "  :y)"))))))

(deftest docstrings-test
  (testing "every namespace and public var says what it is"
    (is (empty? (offences undocumented))))
  (testing "a missing docstring is found"
    (is (= '[g] (undocumented "(ns a \"Doc.\")\n(defn f \"Doc.\" [] 1)\n(defn g [] 2)")))))

(deftest banned-calls-test
  (doseq [[pattern allowed] banned-calls]
    (testing (str pattern " stays in its files")
      (is (empty? (apply dissoc (offences #(re-seq pattern %)) allowed))))))

(defn- tracked-files
  "The files that git tracks, or nil outside a checkout."
  []
  (let [{:keys [exit out]} (shell/sh "git" "ls-files" "-z")]
    (when (zero? exit)
      (filter #(.isFile ^File %) (map io/file (str/split out #"\u0000"))))))

(deftest tracked-files-test
  (when-let [files (tracked-files)]
    (testing "no tracked file is too large"
      (is (empty? (filter #(< file-bytes-max (.length ^File %)) files))))))

(deftest versions-test
  (testing "project.clj names the versions that pom.xml has"
    (let [pom (slurp "pom.xml")
          project (slurp "project.clj")
          dependency #"\[([\w.]+)/([\w.-]+) \"([^\"]+)\""
          property (fn [v] (if-let [[_ k] (re-find #"^\$\{(.+)\}$" v)]
                             (second (re-find (re-pattern (str "<" k ">([^<]+)<")) pom))
                             v))
          in-pom (into {}
                       (map (fn [[_ g a v]] [(str g "/" a) (property v)]))
                       (re-seq #"(?s)<groupId>([^<]+)</groupId>\s*<artifactId>([^<]+)</artifactId>\s*<version>([^<]+)</version>" pom))
          shared (for [[_ g a v] (re-seq dependency project)
                       :let [id (str g "/" a)]
                       :when (in-pom id)]
                   [id v])]
      (is (seq shared))
      (is (= (select-keys in-pom (map first shared)) (into {} shared))))))
