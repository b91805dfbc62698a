(ns jepsen.net.proto
  "The protocols of networks between nodes.")

(set! *warn-on-reflection* true)

(defprotocol Net
  "A network whose packets can be dropped, delayed and damaged."
  (drop! [net test src dest]
    "Drops what `src` sends to `dest`.")
  (heal! [net test]
    "Ends all drops.")
  (slow! [net test] [net test opts]
    "Delays packets. Options, in milliseconds: :mean, :variance, and the
    :distribution.")
  (flaky! [net test]
    "Loses packets at random.")
  (fast! [net test]
    "Ends delays and losses.")
  (shape! [net test nodes behavior]
    "Makes traffic to the nodes behave: a map of kind (:delay :loss :corrupt
    :duplicate :reorder :rate) to options. Ends all shaping if there are no
    nodes or no behaviour."))

(defprotocol PartitionAll
  "A network that can apply a whole grudge at once."
  (drop-all! [net test grudge]
    "Drops, on each node of the grudge, packets from the nodes it refuses."))
