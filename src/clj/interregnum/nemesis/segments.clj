(ns interregnum.nemesis.segments
  "A run as a sequence of segments, in some of which there is load, in some of which
  there are faults. Load and faults go on where an earlier segment left them."
  (:require [jepsen.generator :as gen]))

(set! *warn-on-reflection* true)

(defn- pending?
  [{[op _] :offer}]
  (= :pending op))

(defn- soonest
  "Of `offers` the one whose operation comes first, of two at the same time the earlier
  one; one that is pending if there is no other."
  [offers]
  (or (->> (remove pending? offers)
           (sort-by (fn [{[op _] :offer}] (:time op)))
           first)
      (first offers)))

(defn- offers
  "What a segment's generator and those of `sources` that go with it have to offer, each
  as {:path :offer}, where :path leads to the generator; nil if the segment is over."
  [{:keys [sources], [{:keys [gen with]}] :segments} test context]
  (when-let [own (gen/op gen test context)]
    (into [{:path [:segments 0 :gen], :offer own}]
          (keep (fn [source]
                  (when-let [offer (gen/op (sources source) test context)]
                    {:path [:sources source], :offer offer})))
          with)))

(defn- keep-state
  "`segments` after an offer was taken, or found pending."
  [segments {:keys [path], [_ generator] :offer}]
  (assoc-in segments path generator))

;; `sources` are the generators :load and :faults; a segment is a map of :gen and :with,
;; the keys of those sources that it takes operations from too.
(defrecord Segments [sources segments]
  gen/Generator
  (op [this test context]
    (when (seq segments)
      (if-let [offers (offers this test context)]
        (let [{[op _] :offer :as taken} (soonest offers)]
          [op (reduce keep-state this (conj (filterv pending? offers) taken))])
        (gen/op (assoc this :segments (subvec segments 1)) test context))))

  (update [_ test context event]
    (let [told #(gen/update % test context event)]
      (->Segments (update-vals sources told)
                  (mapv #(update % :gen told) segments)))))

(defn segments
  "Operations of `segments`, one after the other. Each is a map of

    :gen   a generator; the segment lasts until it is exhausted
    :with  the `sources` that operations are also taken from meanwhile, a list of keys

  `sources` is a map of key → generator. All generators learn of all events."
  [sources segments]
  (->Segments sources (vec segments)))
