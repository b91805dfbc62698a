(ns interregnum.nemesis.segments-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.nemesis.enough :as enough]
            [interregnum.nemesis.segments :as segments]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]))

(set! *warn-on-reflection* true)

(defn- timeline
  "[second f value] of what is asked for in a run of `plan`, in which every operation
  takes a tenth of a second. Reads are numbered."
  [plan]
  (->> (sim/simulate (sim/n+nemesis-context 2)
                     (segments/segments
                       {:load   (gen/clients
                                  (gen/stagger 1/4 (map (fn [i] {:f :read, :value i})
                                                        (range))))
                        :faults (gen/nemesis
                                  (gen/delay 2 (map (fn [i] {:type :info, :f :kill, :value i})
                                                    (range))))}
                       plan)
                     (fn [_ {:keys [process] :as op}]
                       (cond-> (update op :time + 100000000)
                         (integer? process) (assoc :type :ok))))
       (filter #(or (= :invoke (:type %)) (= :nemesis (:process %))))
       (map (juxt #(quot (:time %) 1000000000) :f :value))
       distinct))

(defn- lasting
  [secs]
  (enough/time-limit secs 0 [] nil))

(defn- during
  "The `f`s asked for in the seconds from `from` to `to`, exclusive."
  [seen from to]
  (set (for [[second f] seen :when (<= from second (dec to))] f)))

(deftest segments-test
  (let [seen (timeline [{:with [:load :faults], :gen (lasting 10)}
                        {:with [:load], :gen (lasting 5)}
                        {:with [], :gen (gen/nemesis (gen/delay 5 [{:type :info, :f :heal}
                                                                   {:type :info, :f :rest}]))}
                        {:with [:load :faults], :gen (lasting 10)}])]
    (testing "each has what it asks for"
      (is (= #{:read :kill} (during seen 0 10)))
      (is (= #{:read} (during seen 11 15)))
      (is (= [:heal :rest] (filter #{:heal :rest} (map second seen))))
      (is (= #{} (during seen 16 20)))
      (is (= #{:read :kill} (during seen 21 30))))
    (testing "load and faults go on where they were"
      (doseq [f [:read :kill]
              :let [values (keep (fn [[_ g value]] (when (= f g) value)) seen)]]
        (is (= (distinct values) (range (count (distinct values)))) f)))
    (testing "the run ends with the last"
      (is (<= 29 (first (last seen)) 30))))
  (testing "nothing without segments"
    (is (empty? (timeline [])))))
