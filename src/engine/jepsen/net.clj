(ns jepsen.net
  "Networks between nodes: partitions by packet filter, delays and losses by
  traffic control."
  (:require [clojure.string :as str]
            [jepsen.control :as c]
            [jepsen.control.net :as control.net]
            [jepsen.net.proto :as p]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(defn drop!
  "Drops what `src` sends to `dest`."
  [net test src dest]
  (p/drop! net test src dest))

(defn heal!
  "Ends all drops."
  [net test]
  (p/heal! net test))

(defn slow!
  "Delays packets: by 50 ms, or as the options :mean, :variance (both in
  milliseconds) and :distribution say."
  ([net test] (p/slow! net test))
  ([net test opts] (p/slow! net test opts)))

(defn flaky!
  "Loses packets at random."
  [net test]
  (p/flaky! net test))

(defn fast!
  "Ends delays and losses."
  [net test]
  (p/fast! net test))

(defn shape!
  "Makes traffic to the nodes behave; see `jepsen.net.proto/shape!`."
  [net test nodes behavior]
  (p/shape! net test nodes behavior))

(def tc
  "The traffic control command."
  "/sbin/tc")

(def all-packet-behaviors
  "Defaults of each kind of behaviour that `shape!` knows, in the order in
  which they are applied."
  (array-map
   :delay     {:time :50ms, :jitter :10ms, :correlation :25%
               :distribution :normal}
   :loss      {:percent :20%, :correlation :75%}
   :corrupt   {:percent :20%, :correlation :75%}
   :duplicate {:percent :20%, :correlation :75%}
   :reorder   {:percent :20%, :correlation :75%}
   :rate      {:rate :1mbit}))

(defn drop-all!
  "Applies a grudge, a map of node to the nodes whose packets it drops: at
  once if the test's network can, else pair by pair."
  [test grudge]
  (let [net (:net test)]
    (if (satisfies? p/PartitionAll net)
      (p/drop-all! net test grudge)
      (->> (for [[dest srcs] grudge, src srcs] [src dest])
           (util/real-pmap (fn [[src dest]] (drop! net test src dest)))
           dorun))))

(def noop
  "A network that does nothing."
  (reify
    p/Net
    (drop! [_ _test _src _dest])
    (heal! [_ _test])
    (slow! [_ _test])
    (slow! [_ _test _opts])
    (flaky! [_ _test])
    (fast! [_ _test])
    (shape! [_ _test _nodes _behavior])))

(def net-dev-cache
  "Atom of host to the name of its network device."
  (atom {}))

(defn net-dev
  "The first network device of the bound node that is not the loopback,
  looked up once per host."
  []
  (or (get @net-dev-cache c/*host*)
      (let [names (->> (c/su (c/exec :ip :-o :link :show))
                       str/split-lines
                       (keep #(second (re-find #"^\d+:\s*([^@:\s]+)" %))))
            dev   (first (remove #{"lo"} names))]
        (when-not dev
          (throw (ex-info (str "No network device on " c/*host*)
                          {:type ::no-device, :host c/*host*})))
        (swap! net-dev-cache assoc c/*host* dev)
        dev)))

(defn- missing-qdisc?
  [e]
  (some #(str/includes? (str (:err (ex-data e))) %)
        ["No such file or directory"
         "Cannot delete qdisc with handle of zero"]))

(defn- delete-qdisc!
  "Removes the device's root discipline, if it has one of ours."
  [dev]
  (try
    (c/su (c/exec tc :qdisc :del :dev dev :root))
    :fast
    (catch clojure.lang.ExceptionInfo e
      (if (missing-qdisc? e)
        :already-fast
        (throw e)))))

(defn- netem-args
  "Arguments of netem for a behaviour: kind -> options."
  [behavior]
  (let [behavior (cond-> behavior
                   (and (:reorder behavior) (not (:delay behavior)))
                   (assoc :delay {}))]
    (mapcat (fn [[kind defaults]]
              (when (contains? behavior kind)
                (let [{:keys [time jitter correlation distribution percent
                              rate]}
                      (merge defaults (get behavior kind))]
                  (case kind
                    :delay [kind time jitter correlation
                            :distribution distribution]
                    :rate  [kind rate]
                    [kind percent correlation]))))
            all-packet-behaviors)))

(defn- shape-node!
  "Delays, loses and so on what the bound node sends to the targets."
  [dev targets netem]
  (c/su
   (c/exec tc :qdisc :add :dev dev :root :handle "1:" :prio :bands 4
           :priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1)
   (c/exec tc :qdisc :add :dev dev :parent "1:4" :handle "40:" :netem netem)
   (doseq [target targets]
     (c/exec tc :filter :add :dev dev :parent "1:0" :protocol :ip :prio 3
             :u32 :match :ip :dst (control.net/ip target)
             :flowid "1:4")))
  :shaped)

(defn- targets-of
  "The targets as a node sees them: all others, if it is one itself."
  [test targets node]
  (let [targets (set targets)]
    (if (targets node)
      (remove #{node} (:nodes test))
      (filter targets (distinct (concat (:nodes test) targets))))))

(defn- device!
  [dev]
  (or dev (net-dev)))

(defn- shape-all!
  [dev test targets behavior]
  (let [netem   (vec (netem-args behavior))
        shape?  (and (seq targets) (seq netem))
        results (c/on-nodes
                 test
                 (fn [test node]
                   (let [dev   (device! dev)
                         peers (targets-of test targets node)]
                     (delete-qdisc! dev)
                     (if (and shape? (seq peers))
                       (shape-node! dev peers netem)
                       :reliable))))]
    (if shape?
      [:shaped results :netem netem]
      [:reliable results])))

(defn- netem-all!
  "Puts the same discipline on everything that every node sends."
  [dev test netem]
  (c/on-nodes test
              (fn [_test _node]
                (let [dev (device! dev)]
                  (c/su (c/exec tc :qdisc :add :dev dev :root
                                :netem netem))))))

(defn- slow-all!
  [dev test {:keys [mean variance distribution]
             :or   {mean 50, variance 10, distribution :normal}}]
  (netem-all! dev test [:delay (str mean "ms") (str variance "ms")
                        :distribution distribution]))

(defn- fast-all!
  [dev test]
  (c/on-nodes test (fn [_test _node] (delete-qdisc! (device! dev)))))

(defrecord IPTables [dev]
  p/Net
  (drop! [_ test src dest]
    (c/on-nodes test [dest]
                (fn [_test _node]
                  (c/su (c/exec :iptables :-A :INPUT :-s (control.net/ip src)
                                :-j :DROP :-w)))))
  (heal! [_ test]
    (c/on-nodes test (fn [_test _node]
                       (c/su (c/exec :iptables :-F :-w)))))
  (slow! [_ test] (slow-all! dev test {}))
  (slow! [_ test opts] (slow-all! dev test opts))
  (flaky! [_ test] (netem-all! dev test [:loss "20%" "75%"]))
  (fast! [_ test] (fast-all! dev test))
  (shape! [_ test nodes behavior] (shape-all! dev test nodes behavior))

  p/PartitionAll
  (drop-all! [_ test grudge]
    (c/on-nodes test (keys grudge)
                (fn [_test node]
                  (when-let [srcs (seq (get grudge node))]
                    (c/su (c/exec :iptables :-A :INPUT
                                  :-s (str/join "," (map control.net/ip srcs))
                                  :-j :DROP :-w)))))))

(defn iptables-with-dev
  "A network of nodes with iptables and tc that shapes the traffic of this
  device; nil stands for the first device of each node."
  [dev]
  (IPTables. dev))

(def iptables
  "A network of nodes with iptables and tc."
  (iptables-with-dev nil))

(defrecord IPFilter [dev]
  p/Net
  (drop! [_ test src dest]
    (c/on-nodes test [dest]
                (fn [_test _node]
                  (c/su (c/exec :echo :block :in :from src :to :any
                                c/| :ipf :-f :-)))))
  (heal! [_ test]
    (c/on-nodes test (fn [_test _node] (c/su (c/exec :ipf :-Fa)))))
  (slow! [_ test] (slow-all! dev test {}))
  (slow! [_ test opts] (slow-all! dev test opts))
  (flaky! [_ test] (netem-all! dev test [:loss "20%" "75%"]))
  (fast! [_ test] (fast-all! dev test))
  (shape! [_ test nodes behavior] (shape-all! dev test nodes behavior)))

(def ipfilter
  "A network of nodes with ipfilter and tc."
  (IPFilter. nil))
