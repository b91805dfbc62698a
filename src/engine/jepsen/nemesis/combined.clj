(ns jepsen.nemesis.combined
  "Packages: faults of several kinds, ready to be composed.

  A package is a map of

    :generator        operations that start and stop the fault, or nil
    :final-generator  operations that end it for good, or nil
    :nemesis          takes those operations
    :perf             set of specs that say how plots show the fault

  Package functions take a map of options:

    :db        the database (needed)
    :interval  seconds between operations, on average (default 10)
    :faults    the kinds of fault that are wanted
    :partition :packet :kill :pause :clock :file-corruption
               options of these kinds, above all their :targets"
  (:require [clojure.set :as set]
            [jepsen.control :as c]
            [jepsen.db :as db]
            [jepsen.generator :as gen]
            [jepsen.nemesis :as n]
            [jepsen.nemesis.time :as nt]
            [jepsen.net :as net]
            [jepsen.random :as rand]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def default-interval
  "Seconds between operations of a nemesis, on average."
  10)

(def noop
  "A package without a fault."
  {:generator       nil
   :final-generator nil
   :nemesis         n/noop
   :perf            #{}})

;;; Targets

(defn db-nodes
  "The nodes that a spec stands for, some of them by chance:

    nil              a random non-empty subset
    :one             one node
    :minority        the largest minority
    :majority        a bare majority
    :minority-third  just less than a third
    :primaries       a random non-empty subset of the primaries
    :all             all of them
    a collection     itself"
  [test db spec]
  (let [nodes  (vec (:nodes test))
        n      (count nodes)
        chosen (fn [k] (take k (rand/shuffle nodes)))]
    (case spec
      nil             (rand/nonempty-subset nodes)
      :one            (list (rand/nth nodes))
      :minority       (chosen (dec (util/majority n)))
      :majority       (chosen (util/majority n))
      :minority-third (chosen (util/minority-third n))
      :primaries      (rand/nonempty-subset (vec (db/primaries db test)))
      :all            nodes
      spec)))

(defn node-specs
  "All specs that `db-nodes` knows for this database."
  [db]
  (cond-> [nil :one :minority-third :minority :majority :all]
    (satisfies? db/Primary db) (conj :primaries)))

(defn partition-specs
  "All specs that `grudge` knows for this database."
  [db]
  (cond-> [:one :minority-third :majority :majorities-ring]
    (satisfies? db/Primary db) (conj :primaries)))

(defn- primaries-grudge
  "Some primaries, each alone, against the nodes that are none."
  [test db nodes]
  (let [primaries (vec (db/primaries db test))
        others    (remove (set primaries) nodes)]
    (n/complete-grudge
     (cons others (map list (rand/nonempty-subset primaries))))))

(defn grudge
  "The grudge that a spec stands for: one of `partition-specs`, or a grudge."
  [test db spec]
  (let [nodes (vec (:nodes test))]
    (case spec
      :one             (n/complete-grudge (n/split-one nodes))
      :minority-third  (n/complete-grudge
                        (split-at (util/minority-third (count nodes))
                                  (rand/shuffle nodes)))
      :majority        (n/complete-grudge (n/bisect (rand/shuffle nodes)))
      :majorities-ring (n/majorities-ring nodes)
      :primaries       (primaries-grudge test db nodes)
      spec)))

;;; Generators

(defn- wanted?
  [opts fault]
  (contains? (set (:faults opts)) fault))

(defn- info-op
  [f value]
  {:type :info, :f f, :value value})

(defn- start-stop
  "Starts, with a value that `(value-fn test)` makes each time, and stops,
  alternately."
  [start-f value-fn stop-op]
  (gen/flip-flop (fn start [test _ctx] (info-op start-f (value-fn test)))
                 (gen/repeat stop-op)))

(defn- staggered
  [opts generator]
  (gen/stagger (:interval opts default-interval) generator))

;;; Partitions

(defrecord PartitionNemesis [db partitioner]
  n/Reflection
  (fs [_] #{:start-partition :stop-partition})

  n/Nemesis
  (setup! [this test]
    (assoc this :partitioner (n/setup! partitioner test)))
  (invoke! [_ test op]
    (let [op' (case (:f op)
                :start-partition
                (n/invoke! partitioner test
                           (assoc op
                                  :f     :start
                                  :value (grudge test db (:value op))))
                :stop-partition
                (n/invoke! partitioner test (assoc op :f :stop)))]
      (assoc op' :f (:f op))))
  (teardown! [_ test]
    (n/teardown! partitioner test)))

(defn partition-nemesis
  "Partitions the network by specs of `grudge`."
  ([db] (partition-nemesis db (n/partitioner)))
  ([db partitioner] (PartitionNemesis. db partitioner)))

(defn partition-package
  "Partitions. Options: `:partition {:targets specs}`."
  [opts]
  (let [db      (:db opts)
        on?     (wanted? opts :partition)
        targets (vec (:targets (:partition opts) (partition-specs db)))
        stop    (info-op :stop-partition nil)]
    {:generator       (when on?
                        (staggered opts (start-stop :start-partition
                                                    (fn [_] (rand/nth targets))
                                                    stop)))
     :final-generator (when on? stop)
     :nemesis         (partition-nemesis db)
     :perf            #{{:name  "partition"
                         :start #{:start-partition}
                         :stop  #{:stop-partition}
                         :color "#E9DCA0"}}}))

;;; Packets

(defrecord PacketNemesis [db on?]
  n/Reflection
  (fs [_] #{:start-packet :stop-packet})

  n/Nemesis
  (setup! [this test]
    (when on?
      (net/shape! (:net test) test nil nil))
    this)
  (invoke! [_ test op]
    (assoc op :value
           (case (:f op)
             :start-packet
             (let [[spec behavior] (:value op)]
               (net/shape! (:net test) test (db-nodes test db spec) behavior))
             :stop-packet
             (net/shape! (:net test) test nil nil))))
  (teardown! [_ test]
    (when on?
      (net/shape! (:net test) test nil nil))))

(defn packet-nemesis
  "Shapes traffic. A start's value is `[spec behavior]`: nodes as in
  `db-nodes`, and behaviour as in `jepsen.net/shape!`. Unless `on?`, networks
  are left alone until the first operation."
  ([db] (packet-nemesis db true))
  ([db on?] (PacketNemesis. db on?)))

(defn packet-package
  "Delays, losses and so on. Options: `:packet {:targets specs :behaviors
  [behavior ...]}`."
  [opts]
  (let [db        (:db opts)
        on?       (wanted? opts :packet)
        packet    (:packet opts)
        targets   (vec (:targets packet (node-specs db)))
        behaviors (vec (:behaviors packet [{}]))
        stop      (info-op :stop-packet nil)
        value     (fn [_] [(rand/nth targets) (rand/nth behaviors)])]
    {:generator       (when on?
                        (staggered opts (start-stop :start-packet value stop)))
     :final-generator (when on? stop)
     :nemesis         (packet-nemesis db on?)
     :perf            #{{:name  "packet"
                         :start #{:start-packet}
                         :stop  #{:stop-packet}
                         :color "#D1E8A0"}}}))

;;; Processes

(defrecord DbNemesis [db]
  n/Reflection
  (fs [_] #{:start :kill :pause :resume})

  n/Nemesis
  (setup! [this _test] this)
  (invoke! [_ test op]
    (let [f (case (:f op)
              :start  db/start!
              :kill   db/kill!
              :pause  db/pause!
              :resume db/resume!)]
      (assoc op :value (c/on-nodes test (db-nodes test db (:value op))
                                   (partial f db)))))
  (teardown! [_ _test]))

(defn db-nemesis
  "Kills, starts, pauses and resumes the database on nodes as in
  `db-nodes`."
  [db]
  (DbNemesis. db))

(defn db-generators
  "The :generator and :final-generator of those of :kill and :pause that are
  wanted and that the database can do."
  [opts]
  (let [db     (:db opts)
        kill?  (and (wanted? opts :kill) (satisfies? db/Kill db))
        pause? (and (wanted? opts :pause) (satisfies? db/Pause db))
        target (fn [fault]
                 (let [specs (vec (:targets (get opts fault) (node-specs db)))]
                   (fn [_] (rand/nth specs))))
        start  (info-op :start :all)
        resume (info-op :resume :all)
        modes  (cond-> []
                 pause? (conj (start-stop :pause (target :pause) resume))
                 kill?  (conj (start-stop :kill (target :kill) start)))]
    {:generator       (case (count modes)
                        0 nil
                        1 (first modes)
                        (gen/mix modes))
     :final-generator (cond-> []
                        pause? (conj resume)
                        kill?  (conj start))}))

(defn db-package
  "Kills and pauses. Options: `:kill {:targets specs}` and `:pause {:targets
  specs}`."
  [opts]
  (let [on? (or (wanted? opts :kill) (wanted? opts :pause))
        {:keys [generator final-generator]} (db-generators opts)]
    {:generator       (when (and on? generator) (staggered opts generator))
     :final-generator (when on? final-generator)
     :nemesis         (db-nemesis (:db opts))
     :perf            #{{:name  "kill"
                         :start #{:kill}
                         :stop  #{:start}
                         :color "#E9A4A0"}
                        {:name  "pause"
                         :start #{:pause}
                         :stop  #{:resume}
                         :color "#A0B1E9"}}}))

;;; Clocks

(def ^:private clock-fs
  "Operations of the package to those of `jepsen.nemesis.time`."
  {:reset-clock         :reset
   :check-clock-offsets :check-offsets
   :strobe-clock        :strobe
   :bump-clock          :bump})

(defn- clock-generator
  [opts]
  (let [db     (:db opts)
        specs  (vec (:targets (:clock opts) (node-specs db)))
        select (fn [test] (db-nodes test db (rand/nth specs)))]
    (gen/f-map (set/map-invert clock-fs)
               (gen/phases
                {:type :info, :f :check-offsets}
                (staggered opts
                           (gen/mix [(nt/reset-gen-select select)
                                     (nt/bump-gen-select select)
                                     (nt/strobe-gen-select select)]))))))

(defn clock-package
  "Clock faults. Options: `:clock {:targets specs}`."
  [opts]
  (let [on? (wanted? opts :clock)]
    {:generator       (when on? (clock-generator opts))
     :final-generator (when on?
                        (gen/once (fn [test _ctx]
                                    (info-op :reset-clock (:nodes test)))))
     :nemesis         (n/compose {clock-fs (nt/clock-nemesis on?)})
     :perf            #{{:name  "clock"
                         :start #{:bump-clock}
                         :stop  #{:reset-clock}
                         :fs    #{:strobe-clock}
                         :color "#A0E9E3"}}}))

;;; Files

(defrecord FileCorruptionNemesis [db bitflip truncate]
  n/Reflection
  (fs [_] #{:bitflip :truncate})

  n/Nemesis
  (setup! [this test]
    (assoc this
           :bitflip  (n/setup! bitflip test)
           :truncate (n/setup! truncate test)))
  (invoke! [_ test op]
    (let [[spec corruption] (:value op)
          plan (zipmap (db-nodes test db spec) (repeat corruption))]
      (n/invoke! (case (:f op) :bitflip bitflip, :truncate truncate)
                 test (assoc op :value plan))))
  (teardown! [_ test]
    (n/teardown! bitflip test)
    (n/teardown! truncate test)))

(defn file-corruption-nemesis
  "Corrupts files on nodes as in `db-nodes`: a value is `[spec {:file
  :probability}]` for :bitflip and `[spec {:file :drop}]` for :truncate."
  ([db] (file-corruption-nemesis db (n/bitflip) (n/truncate-file)))
  ([db bitflip truncate] (FileCorruptionNemesis. db bitflip truncate)))

(defn- draw
  "A number, or one drawn from a distribution as in
  `jepsen.util/rand-distribution`."
  [x]
  (if (map? x) (util/rand-distribution x) x))

(defn- corruption-generator
  [opts]
  (let [db       (:db opts)
        {:keys [targets corruptions]} (:file-corruption opts)
        targets  (vec (or targets (node-specs db)))
        corrupts (vec corruptions)]
    (staggered opts
               (fn [_test _ctx]
                 (let [{:keys [type file probability drop]}
                       (rand/nth corrupts)]
                   (info-op type
                            [(rand/nth targets)
                             (case type
                               :bitflip  (cond-> {:file file}
                                           probability
                                           (assoc :probability
                                                  (draw probability)))
                               :truncate {:file file
                                          :drop (draw drop)})]))))))

(defn file-corruption-package
  "File corruption. Options: `:file-corruption {:targets specs :corruptions
  [{:type :bitflip :file path :probability p} {:type :truncate :file path
  :drop bytes}]}`; numbers may be distributions."
  [opts]
  {:generator       (when (and (wanted? opts :file-corruption)
                               (seq (:corruptions (:file-corruption opts))))
                      (corruption-generator opts))
   :final-generator nil
   :nemesis         (file-corruption-nemesis (:db opts))
   :perf            #{{:name  "file-corruption"
                       :fs    #{:bitflip :truncate}
                       :start #{}
                       :stop  #{}
                       :color "#99F2E2"}}})

;;; Composition

(defn f-map-perf
  "Lifts the :f of a set of perf specs, and their names."
  [lift perf]
  (let [lift-set (fn [fs] (into #{} (map lift) fs))]
    (into #{}
          (map (fn [spec]
                 (cond-> (update spec :name (comp str lift))
                   (:start spec) (update :start lift-set)
                   (:stop spec)  (update :stop lift-set)
                   (:fs spec)    (update :fs lift-set))))
          perf)))

(defn f-map
  "Lifts the :f of all operations of a package."
  [lift pkg]
  (assoc pkg
         :generator       (gen/f-map lift (:generator pkg))
         :final-generator (gen/f-map lift (:final-generator pkg))
         :nemesis         (n/f-map lift (:nemesis pkg))
         :perf            (f-map-perf lift (:perf pkg))))

(defn compose-packages
  "One package of several: their generators at once, their final generators
  one after the other."
  [packages]
  (case (count packages)
    0 noop
    1 (first packages)
    {:generator       (when-let [gs (seq (keep :generator packages))]
                        (apply gen/any gs))
     :final-generator (keep :final-generator packages)
     :nemesis         (n/compose (keep :nemesis packages))
     :perf            (reduce into #{} (map :perf packages))}))

(def ^:private default-faults
  [:partition :packet :kill :pause :clock :file-corruption])

(defn nemesis-packages
  "The packages of all kinds of fault, of which only those in :faults have
  generators."
  [opts]
  (let [opts (update opts :faults (fn [faults]
                                    (set (or faults default-faults))))]
    [(partition-package opts)
     (packet-package opts)
     (file-corruption-package opts)
     (clock-package opts)
     (db-package opts)]))

(defn nemesis-package
  "One package for all kinds of fault."
  [opts]
  (compose-packages (nemesis-packages opts)))
