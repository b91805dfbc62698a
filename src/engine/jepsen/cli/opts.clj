(ns jepsen.cli.opts
  "Command-line options that all tests have, and functions that turn what
  was parsed into options of a test.

  A *parsed* map is what tools.cli gives: :options, :arguments, :errors and
  :summary."
  (:require [clojure.string :as str]))

(set! *warn-on-reflection* true)

(def default-nodes
  "The nodes of a test that names none."
  ["n1" "n2" "n3" "n4" "n5"])

(defn one-of
  "The message \"Must be one of a, b\" for a collection, or a map's keys."
  [coll]
  (str "Must be one of "
       (str/join ", " (sort (map name (if (map? coll) (keys coll) coll))))))

(defn- append-to-default
  "A function that puts the first value in the place of the default, and
  later ones behind it."
  [default]
  (fn [options k values]
    (if (identical? default (get options k))
      (assoc options k (vec values))
      (update options k into values))))

(defn repeated-opt
  "An option that may be given several times; its values are collected. With
  a map, values are looked up in it, and \"all\" stands for all of them."
  ([short-opt long-opt docstring default]
   [short-opt long-opt docstring
    :default  default
    :parse-fn vector
    :assoc-fn (append-to-default default)])
  ([short-opt long-opt docstring default parse-map]
   [short-opt long-opt docstring
    :default  default
    :parse-fn (fn [s]
                (if (= "all" s)
                  (vals parse-map)
                  (when (contains? parse-map s)
                    [(get parse-map s)])))
    :validate [some? (one-of parse-map)]
    :assoc-fn (append-to-default default)]))

(def help-opt
  "The option --help."
  ["-h" "--help" "Print out this message and exit"])

(defn- positive-long
  "Validation of a number that must not be less than one."
  []
  [:parse-fn #(Long/parseLong %)
   :validate [pos? "Must be positive"]])

(def test-opt-spec
  "Options of every test."
  [help-opt
   ["-n" "--node HOSTNAME" "Node(s) to run the test on; may be repeated"
    :default  default-nodes
    :parse-fn vector
    :assoc-fn (append-to-default default-nodes)]
   [nil "--nodes NODE_LIST" "Comma-separated list of nodes"
    :parse-fn #(str/split % #",\s*")]
   [nil "--nodes-file FILENAME" "File with a node per line"]
   [nil "--username USER" "User to log in as" :default "root"]
   [nil "--password PASS" "Password for that, and for sudo" :default "root"]
   [nil "--strict-host-key-checking" "Whether to refuse unknown host keys"
    :default false]
   [nil "--no-ssh" "Whether to do without SSH connections" :default false]
   [nil "--ssh-private-key FILE" "Key file to log in with"]
   [nil "--concurrency NUMBER"
    "How many workers: a number, or, with n behind it, that many per node"
    :default  "1n"
    :validate [(partial re-find #"^\d+n?$")
               "Must be an integer, optionally followed by n."]]
   [nil "--leave-db-running" "Leave the database running at the end"
    :default false]
   [nil "--logging-json" "Log to the test's file as JSON" :default false]
   (into [nil "--test-count NUMBER" "How often to run the test" :default 1]
         (positive-long))
   (into [nil "--time-limit SECONDS" "How long to run a test, in seconds"
          :default 60]
         (positive-long))])

(def ^:private archive-message
  "Must be a file://, http://, or https:// URL including .tar, .tgz, or .zip")

(defn package-opt
  "An option for the URL of a package, by default called package-url."
  ([default]
   (package-opt "package-url" default))
  ([option-name default]
   [nil (str "--" option-name " URL") "URL of the package to install"
    :default  default
    :validate [(partial re-find #"^(file|https?)://.*\.(tar|tgz|zip)")
               archive-message]]))

(defn tarball-opt
  "The option --tarball, for the URL of an archive."
  [default]
  (package-opt "tarball" default))

(defn test-tarball-opt
  "The option --tarball of a test that is installed from a tarball."
  [default]
  [nil "--tarball URL" "URL of the tarball to install"
   :default  default
   :validate [(partial re-find #"^(file|https?)://.*\.(tar\.gz|tgz)")
              (str "Must be a file://, http://, or https:// URL ending in "
                   ".tar.gz or .tgz")]])

(defn- option-name
  "The name that an option's value has in the map of options."
  [[_ long-opt :as spec]]
  (or (:id (apply hash-map (drop 3 spec)))
      (keyword (second (re-find #"^--(?:\[no-\])?([^\s=]+)"
                                (str long-opt))))))

(defn without-default
  "An option spec without its default."
  [spec]
  (let [[head tail] (split-at 3 spec)
        options     (dissoc (apply array-map tail) :default)]
    (into (vec head) (mapcat identity) options)))

(defn without-defaults-for
  "Option specs, of which those with these names have no default."
  [names specs]
  (mapv (fn [spec]
          (if (some #{(option-name spec)} names)
            (without-default spec)
            spec))
        specs))

(defn merge-opt-specs
  "Two collections of option specs as one. Of two with the same long option,
  with its argument, the second's holds."
  [a b]
  (let [by-long (fn [specs] (map (juxt second identity) specs))
        merged  (into {} (concat (by-long a) (by-long b)))]
    (mapv merged (distinct (map second (concat a b))))))

;;; From parsed options to those of a test

(defn parse-concurrency
  "Turns :concurrency, or the option `k`, into a number: \"3n\" is three per
  node."
  ([parsed]
   (parse-concurrency parsed :concurrency))
  ([parsed k]
   (let [c (get-in parsed [:options k])]
     (if-not (string? c)
       parsed
       (let [[_ digits unit] (re-find #"^(\d+)(n?)$" c)]
         (when-not digits
           (throw (IllegalArgumentException.
                   (str "--" (name k) " " c
                        " should be an integer, optionally followed by n"))))
         (assoc-in parsed [:options k]
                   (* (Long/parseLong digits)
                      (if (= "n" unit)
                        (count (:nodes (:options parsed)))
                        1))))))))

(defn- file-nodes
  [file]
  (when file
    (remove str/blank? (map str/trim (str/split-lines (slurp file))))))

(defn parse-nodes
  "Collects the nodes of --nodes-file, --nodes and --node, in this order, as
  :nodes. The default list counts only if nothing else is given."
  [parsed]
  (let [{:keys [node nodes nodes-file]} (:options parsed)
        given   (if (identical? default-nodes node) [] node)
        named   (vec (concat (file-nodes nodes-file) nodes given))
        default (if (or nodes nodes-file) [] node)]
    (update parsed :options
            (fn [options]
              (-> options
                  (dissoc :node :nodes-file)
                  (assoc :nodes (if (seq named) named (vec default))))))))

(defn rename-keys
  "A map with its keys replaced as a map of old to new keys says."
  [m replacements]
  (reduce (fn [m [old new]]
            (if (contains? m old)
              (-> m (dissoc old) (assoc new (get m old)))
              m))
          m
          replacements))

(defn rename-options
  "Like `rename-keys`, for the options of a parsed map."
  [parsed replacements]
  (update parsed :options rename-keys replacements))

(defn rename-ssh-options
  "Moves what concerns logging in under :ssh."
  [parsed]
  (let [{:keys [no-ssh username password strict-host-key-checking
                ssh-private-key]} (:options parsed)]
    (update parsed :options
            (fn [options]
              (-> options
                  (dissoc :no-ssh :username :password
                          :strict-host-key-checking)
                  (assoc :ssh {:dummy?           (boolean no-ssh)
                               :username         username
                               :password         password
                               :strict-host-key-checking
                               strict-host-key-checking
                               :private-key-path ssh-private-key}))))))

(defn test-opt-fn
  "Turns the options of `test-opt-spec` into those of a test."
  [parsed]
  (-> parsed
      rename-ssh-options
      (rename-options {:leave-db-running :leave-db-running?
                       :logging-json     :logging-json?})
      parse-nodes
      parse-concurrency))

(defn validate-tarball
  "Refuses options without a :tarball."
  [parsed]
  (if (:tarball (:options parsed))
    parsed
    (update parsed :errors (fnil conj []) "Must specify a --tarball")))
