(ns interregnum.nemesis
  "The fault families by name, and several of them as one package.

  A family is a Jepsen nemesis package, :nemesis :generator :final-generator :perf,
  and

    :name            a keyword
    :injects         the `:f`s that inject its faults; the completions' values have
                     `:took-effect?` from a probe
    :changes-owner?  whether the faults are meant to change the owner
    :returns-owner?  whether they are meant to bring an earlier owner back
    :closing         function of 0, 1, 2... to operations that inject a fault which is
                     to outlast the load of the first storm, the second..., if it has
                     one"
  (:require [interregnum.names :as names]
            [interregnum.nemesis.delete-key :as delete-key]
            [interregnum.nemesis.kill :as kill]
            [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.partition :as partition]
            [interregnum.nemesis.pause :as pause]
            [interregnum.nemesis.phase :as phase]
            [interregnum.nemesis.resign :as resign]
            [interregnum.nemesis.sampler :as sampler]
            [jepsen.nemesis.combined :as combined]))

(set! *warn-on-reflection* true)

(def families
  "Name → function of options to a family's package. Options:

    :seed        of the choices
    :interval    seconds between a family's faults, about
    :lease-secs  how long an owner's lease holds
    :role        whose owner the faults strike
    :time-limit  how long faults are injected, in seconds"
  {"resign"     resign/package
   "delete-key" delete-key/package
   "kill"       kill/package
   "pause"      pause/package
   "partition"  partition/package
   "phase"      phase/package})

(def ^:private order
  "In which order families begin: first those that need a cluster at rest to do what
  they are for."
  ["resign" "delete-key" "phase" "kill" "partition" "pause"])

(defn parse
  "The family names in a `--nemesis` argument, sorted: `all`, `none`, or names with
  commas between. Names that do not exist are in it too."
  [argument]
  (case argument
    "all"  (vec (sort (keys families)))
    "none" []
    (vec (sort (distinct (names/split argument))))))

(defn- first-after
  "When the `k`-th of `n` families begins, in seconds: each after the one before
  has deposed an owner, if there is time for that."
  [{:keys [lease-secs time-limit]} k n]
  (+ 2 (* k (min (+ 3 lease-secs)
                 (max 0 (/ (- time-limit 8) n))))))

(defn- last-words
  "What ends the faults of the packages `chosen`. Phases come last: to disarm a
  failpoint, the node has to answer."
  [chosen]
  (vec (keep :final-generator (sort-by #(= :phase (:name %)) chosen))))

(defn- rest-words
  "What ends all faults of the packages `chosen` and brings the nodes to rest. Those that
  did not answer before are asked again to disarm failpoints."
  [chosen]
  (-> (last-words chosen)
      (conj sampler/await-op)
      (into (keep :final-generator) (filter #(= :phase (:name %)) chosen))))

(defn- closing
  "Function of 0, 1, 2... to the faults of the packages `chosen` that are to outlast the
  load of a storm, once all others have ended; nil if there are none."
  [chosen]
  (when-let [closings (seq (keep :closing chosen))]
    (fn [i]
      (into (last-words chosen) (mapcat #(% i)) closings))))

(defn package
  "The families `names` as one package, with the sampler, under `:closing` what there is
  of it, and under `:families` what
  `interregnum.checker.coverage` wants to know of them."
  [names opts]
  (let [chosen (vec (map-indexed
                      (fn [k family]
                        ((families family)
                         (assoc opts :first-after
                                (first-after opts k (count names)))))
                      (filter (set names) order)))]
    (assoc (combined/compose-packages (conj chosen (sampler/package)))
           :closing (closing chosen)
           :final-generator (rest-words chosen)
           :generator (paced/fair (map :generator chosen))
           :families (mapv #(select-keys % [:name :injects :changes-owner?
                                          :returns-owner?])
                           chosen))))
