(ns interregnum.workload.register-test
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [interregnum.workload.register :as register]
            [jepsen.checker :as checker]
            [jepsen.generator :as gen]
            [jepsen.generator.test :as sim]
            [jepsen.history :as h]
            [jepsen.independent :as independent]
            [jepsen.store :as store]
            [jepsen.temporary :as temporary]))

(def ^:private opts
  {:nodes ["n1" "n2" "n3"] :concurrency 12 :rate 100})

(defn- op
  [process type f k v]
  {:process process, :type type, :f f, :value (independent/tuple k v)})

(defn- check
  "The result of the workload's checker for `ops`, and the names of the files it made below
  the folder of the run."
  [& ops]
  (temporary/with-dir [dir]
    (with-redefs [store/path! (fn [_ & parts]
                                (doto (apply io/file dir (map str (flatten parts)))
                                  io/make-parents))]
      (let [history (h/history (map-indexed #(assoc %2 :index %1 :time %1) ops))
            result  (checker/check (register/checker) {:name "r", :start-time "now"} history {})]
        [result
         (set (map #(.getName ^java.io.File %) (filter #(.isFile ^java.io.File %)
                                                       (file-seq dir))))]))))

(deftest checker-test
  (testing "says how many keys were checked"
    (let [[result] (check (op 0 :invoke :write 1 3) (op 0 :ok :write 1 3)
                          (op 0 :invoke :read 2 nil) (op 0 :ok :read 2 nil))]
      (is (= [true "All 2 keys are linearizable."] ((juxt :valid? :reason) result)))))
  (testing "names the operation that cannot be explained, and draws it"
    (let [[result files] (check (op 0 :invoke :write 1 3) (op 0 :ok :write 1 3)
                                (op 1 :invoke :cas 1 [3 4]) (op 1 :ok :cas 1 [3 4])
                                (op 0 :invoke :read 1 nil) (op 0 :ok :read 1 3))]
      (is (= [false (str "Key 1 is not linearizable: nothing explains process 0's read of 3"
                         " (op 5).")]
             ((juxt :valid? :reason) result)))
      (is (= [[:linearizable] [{:f :read, :index 5, :time 5}]]
             [(:violated result)
              (map #(select-keys (:op %) [:f :index :time])
                   (get-in result [:invariants :linearizable :first]))]))
      (is (contains? files "linear.svg")))))

(deftest reason-test
  (testing "counts the other keys"
    (is (str/ends-with? (register/reason {:valid? false
                                          :results {1 {:valid? false, :op {:f :read}}
                                                    2 {:valid? true}
                                                    3 {:valid? false, :op {:f :read}}}})
                        "So it is with 1 more.")))
  (testing "says of an undecided key why it is"
    (is (= "Key 3 is undecided: too long."
           (register/reason {:valid? :unknown
                             :results {1 {:valid? true}
                                       3 {:valid? :unknown, :error "too long"}}})))))

(deftest generator-test
  (testing "a key is shared by two threads of every node"
    (let [load (gen/clients (gen/limit 400 (:generator (register/workload opts))))
          ops (filter #(= :invoke (:type %))
                      (sim/quick-ops (sim/n+nemesis-context 12) load))
          by-key (group-by (comp key :value) ops)]
      (is (= #{:read :write :cas} (set (map :f ops))))
      (is (every? #(<= (count (set (map :process %))) 6) (vals by-key)))
      (is (some #(= 6 (count (set (map :process %)))) (vals by-key))))))
