(ns jepsen.nemesis
  "Nemeses: processes that inject faults.

  A nemesis is set up, gets operations of the process `:nemesis`, and is torn
  down. What it answers is the operation with `:type :info` and a `:value`
  that says what it did.

  A *grudge* is a map of node to the nodes whose packets it drops."
  (:require [jepsen.control :as c]
            [jepsen.nemesis.grudge :as grudge]
            [jepsen.net :as net]
            [jepsen.random :as rand]
            [jepsen.util :as util]
            [jepsen.vars :refer [import-vars]]))

(set! *warn-on-reflection* true)

(import-vars grudge
             bisect split-one complete-grudge invert-grudge bridge
             majorities-ring)

(defprotocol Nemesis
  "Injects faults."
  (setup! [this test]
    "Prepares the nemesis; returns the one to use.")
  (invoke! [this test op]
    "Does what the operation asks for; returns it with :type :info.")
  (teardown! [this test]
    "Ends all faults."))

(defprotocol Reflection
  "Nemeses that know which operations they take."
  (fs [this]
    "The set of all :f of operations that this nemesis takes."))

(defrecord Noop []
  Reflection
  (fs [_] #{})

  Nemesis
  (setup! [this _test] this)
  (invoke! [_ _test op] op)
  (teardown! [_ _test]))

(def noop
  "Does nothing."
  (Noop.))

;;; Wrappers

(defn- completion-problems
  [op op']
  (cond-> []
    (not (map? op')) (conj "should be a map")
    (not= :info (:type op')) (conj ":type should be :info")
    (not= (:process op) (:process op')) (conj ":process should be the same")
    (not= (:f op) (:f op')) (conj ":f should be the same")))

(defrecord Validate [nemesis]
  Reflection
  (fs [_] (fs nemesis))

  Nemesis
  (setup! [_ test]
    (let [nemesis' (setup! nemesis test)]
      (when-not (satisfies? Nemesis nemesis')
        (throw (ex-info (str "setup! should return a nemesis, but returned "
                             (pr-str nemesis'))
                        {:type ::setup-returned-non-nemesis
                         :got  nemesis'})))
      (Validate. nemesis')))

  (invoke! [_ test op]
    (let [op'      (invoke! nemesis test op)
          problems (completion-problems op op')]
      (when (seq problems)
        (throw (ex-info "The nemesis did not complete its operation properly"
                        {:type     ::invalid-completion
                         :op       op
                         :op'      op'
                         :problems problems})))
      op'))

  (teardown! [_ test]
    (teardown! nemesis test)))

(defn validate
  "Checks what a nemesis returns; throws if it makes no sense."
  [nemesis]
  (Validate. nemesis))

(defrecord Timeout [timeout-ms nemesis]
  Reflection
  (fs [_] (fs nemesis))

  Nemesis
  (setup! [this test]
    (assoc this :nemesis (setup! nemesis test)))
  (invoke! [_ test op]
    (util/timeout timeout-ms (assoc op :value :timeout)
                  (invoke! nemesis test op)))
  (teardown! [this test]
    (util/timeout timeout-ms this
                  (teardown! nemesis test))))

(defn timeout
  "Gives up on operations, and on the tear-down, after so many milliseconds.
  The operation's value is then :timeout."
  [timeout-ms nemesis]
  (Timeout. timeout-ms nemesis))

(defrecord FMap [lift unlift nemesis]
  Reflection
  (fs [_] (set (keys unlift)))

  Nemesis
  (setup! [this test]
    (assoc this :nemesis (setup! nemesis test)))
  (invoke! [_ test op]
    (assoc (invoke! nemesis test (update op :f unlift))
           :f (:f op)))
  (teardown! [_ test]
    (teardown! nemesis test)))

(defn f-map
  "A nemesis that takes operations whose :f is `(lift f)` for those of
  another. That one must know its `fs`."
  [lift nemesis]
  (FMap. lift
         (into {} (map (fn [f] [(lift f) f])) (fs nemesis))
         nemesis))

;;; Composition

(defn- fmap-fs
  "The operations that lead to a nemesis of a composition by map."
  [fmap]
  (cond
    (map? fmap) (set (keys fmap))
    (set? fmap) fmap
    :else (throw (ex-info (str "Which operations it takes cannot be told from "
                               (pr-str fmap))
                          {:type ::can't-infer-fs, :fmap fmap}))))

(defn- no-nemesis
  [f]
  (throw (IllegalArgumentException.
          (str "No nemesis takes operations of " (pr-str f)))))

(defrecord ComposeMap [nemeses]
  Reflection
  (fs [_]
    (into #{} (mapcat fmap-fs) (keys nemeses)))

  Nemesis
  (setup! [this test]
    (assoc this :nemeses
           (into (empty nemeses)
                 (map (fn [[fmap n]] [fmap (setup! n test)]))
                 nemeses)))
  (invoke! [_ test op]
    (let [f (:f op)]
      (or (some (fn [[fmap n]]
                  (when-let [f' (fmap f)]
                    (assoc (invoke! n test (assoc op :f f')) :f f)))
                nemeses)
          (no-nemesis f))))
  (teardown! [_ test]
    (run! (fn [[_ n]] (teardown! n test)) nemeses)))

(defn- by-f
  "Map of :f to the index of the nemesis that takes it."
  [nemeses]
  (reduce (fn [m [i n]]
            (reduce (fn [m f]
                      (assert (not (contains? m f))
                              (str "Two nemeses take operations of "
                                   (pr-str f)))
                      (assoc m f i))
                    m
                    (fs n)))
          {}
          (map-indexed vector nemeses)))

(defrecord ComposeColl [nemeses f->index]
  Reflection
  (fs [_]
    (set (keys f->index)))

  Nemesis
  (setup! [this test]
    (assoc this :nemeses (mapv #(setup! % test) nemeses)))
  (invoke! [_ test op]
    (if-let [i (get f->index (:f op))]
      (invoke! (nth nemeses i) test op)
      (no-nemesis (:f op))))
  (teardown! [_ test]
    (run! #(teardown! % test) nemeses)))

(defn compose
  "One nemesis of several. Given a collection, each must know its `fs`, and
  operations go to the one that takes them. Given a map, its keys are
  functions (sets, maps) of an operation's :f, tried in order; the nemesis
  behind the first true result gets the operation with that as its :f.

    (compose {#{:start :stop} (partition-halves)
              {:kill :start}  killer})"
  [nemeses]
  (if (map? nemeses)
    (ComposeMap. nemeses)
    (let [nemeses (vec nemeses)]
      (ComposeColl. nemeses (by-f nemeses)))))

;;; Partitions

(defn- grudge-for
  [grudge-fn test op]
  (or (:value op)
      (when grudge-fn (grudge-fn (:nodes test)))
      (throw (IllegalArgumentException.
              (str "No grudge in " (pr-str op)
                   ", and no function to make one")))))

(defrecord Partitioner [grudge-fn]
  Nemesis
  (setup! [this test]
    (net/heal! (:net test) test)
    this)
  (invoke! [_ test op]
    (case (:f op)
      :start (let [grudge (grudge-for grudge-fn test op)]
               (net/drop-all! test grudge)
               (assoc op :value [:isolated grudge]))
      :stop  (do (net/heal! (:net test) test)
                 (assoc op :value :network-healed))))
  (teardown! [_ test]
    (net/heal! (:net test) test)))

(defn partitioner
  "Partitions the network. `:start` applies the grudge that is the
  operation's value, else `(grudge-fn nodes)`; `:stop` heals."
  ([] (partitioner nil))
  ([grudge-fn] (Partitioner. grudge-fn)))

(defn partition-halves
  "Partitions the nodes into two halves, the same each time."
  []
  (partitioner (comp complete-grudge bisect)))

(defn partition-random-halves
  "Partitions the nodes into two random halves."
  []
  (partitioner (comp complete-grudge bisect rand/shuffle)))

(defn partition-random-node
  "Cuts off one random node."
  []
  (partitioner (comp complete-grudge split-one)))

(defn partition-majorities-ring
  "Every node sees a majority, but no two the same one."
  []
  (partitioner majorities-ring))

;;; Processes

(defn- targets
  "Nodes that a targeter chooses; it may take the test or not."
  [targeter test]
  (util/coll
   (try
     (targeter test (:nodes test))
     (catch clojure.lang.ArityException _
       (targeter (:nodes test))))))

(defn- start-on!
  [nodes targeter start! test]
  (if @nodes
    (str "nemesis already disrupting " (pr-str @nodes))
    (if-let [chosen (targets targeter test)]
      (do (reset! nodes chosen)
          (c/on-nodes test chosen start!))
      :no-target)))

(defn- stop-on!
  [nodes stop! test]
  (if-let [chosen @nodes]
    (let [res (c/on-nodes test chosen stop!)]
      (reset! nodes nil)
      res)
    :not-started))

(defn node-start-stopper
  "On `:start` calls `(start! test node)` on the nodes that `(targeter test
  nodes)`, or `(targeter nodes)`, chooses; on `:stop` calls `(stop! test
  node)` on the same ones. Values are maps of node to result."
  [targeter start! stop!]
  (let [nodes (atom nil)]
    (reify Nemesis
      (setup! [this _test] this)
      (invoke! [_ test op]
        (locking nodes
          (assoc op
                 :type  :info
                 :value (case (:f op)
                          :start (start-on! nodes targeter start! test)
                          :stop  (stop-on! nodes stop! test)))))
      (teardown! [_ _test]))))

(defn hammer-time
  "Suspends a process, by its name, on the nodes that the targeter chooses,
  by default a random one."
  ([process] (hammer-time rand/nth process))
  ([targeter process]
   (node-start-stopper
    targeter
    (fn start! [_test _node]
      (c/su (c/exec :killall :-s "STOP" process))
      [:paused process])
    (fn stop! [_test _node]
      (c/su (c/exec :killall :-s "CONT" process))
      [:resumed process]))))

;;; Files

(defn- on-op-nodes!
  "Calls `(f node-options)` on every node that is a key of the operation's
  value."
  [test op f]
  (let [plan (:value op)]
    (c/on-nodes test (keys plan) (fn [_test node] (f (get plan node))))))

(defrecord TruncateFile []
  Reflection
  (fs [_] #{:truncate})

  Nemesis
  (setup! [this _test] this)
  (invoke! [_ test op]
    (on-op-nodes! test op
                  (fn [{:keys [file drop]}]
                    (assert (string? file) "truncate needs a :file")
                    (assert (integer? drop) "truncate needs bytes to :drop")
                    (c/su (c/exec :truncate :-c :-s (str "-" drop) file))))
    op)
  (teardown! [_ _test]))

(defn truncate-file
  "Cuts the last bytes off files: `{:f :truncate :value {node {:file path
  :drop bytes}}}`."
  []
  (TruncateFile.))

(def ^:private bitflip-script
  "Flips each bit of a file with a probability. The gaps between flipped bits
  are geometric, so that a large file takes as long as its flips."
  (str "my ($p, $f) = @ARGV; open(my $h, '+<', $f) or die $!; binmode $h; "
       "my $bits = 8 * -s $h; my $n = 0; my $at = -1; "
       "while ($p > 0) { "
       "$at += 1 + ($p >= 1 ? 0 : int(log(1 - rand()) / log(1 - $p))); "
       "last if $at >= $bits; seek($h, int($at / 8), 0); read($h, my $b, 1); "
       "seek($h, int($at / 8), 0); print $h chr(ord($b) ^ (1 << $at % 8)); "
       "$n++; } close $h; print $n;"))

(def ^:private default-bitflip-probability 0.01)

(defrecord Bitflip []
  Reflection
  (fs [_] #{:bitflip})

  Nemesis
  (setup! [this _test] this)
  (invoke! [_ test op]
    (on-op-nodes! test op
                  (fn [{:keys [file probability]
                        :or   {probability default-bitflip-probability}}]
                    (assert (string? file) "bitflip needs a :file")
                    (c/su (c/exec :perl :-e bitflip-script
                                  (format "%.9f" (double probability))
                                  file))))
    op)
  (teardown! [_ _test]))

(defn bitflip
  "Flips random bits of files: `{:f :bitflip :value {node {:file path
  :probability p}}}`, by default one bit of a hundred."
  []
  (Bitflip.))

;;; Tools and clocks of nodes

(def bin-dir
  "Folder of a node where tools go."
  "/opt/jepsen")

(defn set-time!
  "Sets the clock of the bound node, in seconds since the epoch."
  [t]
  (c/su (c/exec :date "+%s" :-s (str "@" (long t)))))

(defn clock-scrambler
  "Sets the clocks of all nodes to random times within `dt` seconds of this
  machine's, for every operation; back to it at the end."
  [dt]
  (letfn [(now [] (quot (System/currentTimeMillis) 1000))]
    (reify Nemesis
      (setup! [this _test] this)
      (invoke! [_ test op]
        (assoc op :value
               (c/with-test-nodes test
                 (set-time! (+ (now) (rand/long (- dt) dt))))))
      (teardown! [_ test]
        (c/with-test-nodes test (set-time! (now)))))))
