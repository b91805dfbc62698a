(ns interregnum.nemesis.enough
  "A time limit that waits for the faults: a run in which some family never took
  effect would say nothing, so it goes on for a while until each one has."
  (:require [jepsen.generator :as gen]))

(set! *warn-on-reflection* true)

(defn- nanos
  [secs]
  (long (* secs 1000000000)))

(defn- effect?
  "Is `event` the completion of a fault of one of `fs`, with an effect?"
  [{:keys [process f value]} fs]
  (and (= :nemesis process)
       (contains? fs f)
       (map? value)
       (true? (:took-effect? value))))

;; `ends` are the times after which nothing is asked for any more: without and with
;; families in `lacking`, a list of sets of `:f`s; nil in the beginning.
(defrecord Enough [generator limit extra lacking ends]
  gen/Generator
  (op [this test context]
    (let [now            (:time context)
          {:keys [early late] :as ends}
          (or ends {:early (+ now limit), :late (+ now limit extra)})
          [op generator] (or (gen/op generator test context) [:pending nil])
          time           (if (= :pending op) now (:time op))]
      (when (< time (if (seq lacking) late early))
        [op (assoc this :generator generator, :ends ends)])))

  (update [this test context event]
    (assoc this
           :generator (gen/update generator test context event)
           :lacking   (filterv #(not (effect? event %)) lacking))))

(defn time-limit
  "Operations of `generator`, or nothing once it is exhausted, for `secs` seconds, and for
  at most `extra-secs` more as long as some of `families` (with `:injects`, the `:f`s that
  inject its faults) has not yet taken effect."
  [secs extra-secs families generator]
  (->Enough generator (nanos secs) (nanos extra-secs) (mapv :injects families) nil))
