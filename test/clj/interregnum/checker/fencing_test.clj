(ns interregnum.checker.fencing-test
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [clojure.test.check :as tc]
            [clojure.test.check.generators :as gen]
            [clojure.test.check.properties :as prop]
            [interregnum.checker.fencing :as fencing]
            [interregnum.checker.stored :as stored]
            [jepsen.checker :as checker]
            [jepsen.history :as h]
            [jepsen.store :as store]
            [jepsen.temporary :as temporary]))

(deftest stored-histories-test
  (doseq [[verdict valid?] stored/verdicts
          {:keys [name history struck result]} (stored/histories verdict "owner")]
    (testing (str verdict " " name)
      (is (= valid? (:valid? result)))
      (is (= result (fencing/analysis history {:struck struck}))))))

(deftest picture-test
  (testing "an invalid history is drawn into the store"
    (temporary/with-dir [dir]
      (let [test {:name "owner" :start-time "now" :store-dir dir}
            {:keys [history]} (first (stored/histories "invalid" "owner"))
            files (atom nil)]
        (with-redefs [store/path! (fn [_ & parts]
                                    (reset! files parts)
                                    (io/file dir (last parts)))]
          (is (false? (:valid? (checker/check (fencing/checker) test (h/history history)
                                              {:subdirectory ["sub"]})))))
        (is (= [["sub"] "linear.svg"] @files))
        (is (str/includes? (slurp (io/file dir "linear.svg")) "<svg"))))))

;;; A correct owner, and one that is not, as a game of turns.

(def ^:private gen-turn
  "What happens next: an operation begins at some client, takes effect, ends, or the
  owner changes; or a node claims what it last knew."
  (gen/let [kind (gen/frequency [[4 (gen/return :invoke)] [5 (gen/return :effect)]
                                 [4 (gen/return :complete)] [1 (gen/return :change)]
                                 [2 (gen/return :claim)]])
            process (gen/choose 0 3)
            age (gen/choose 0 2)]
    {:kind kind :process process :age age}))

(defn- op
  [process type f value]
  {:process process :type type :f f :value value})

(defn- play
  "The history of `turns`: every effect takes the present term, and a claim is for the
  present term or one that is out of date."
  [turns]
  (loop [turns turns, term 1, open {}, ops []]
    (if-let [{:keys [kind process age]} (first turns)]
      (let [more (rest turns)
            mine (open process)
            claimed (max 1 (- term age))]
        (case kind
          :change (recur more (inc term) open ops)
          :claim (recur more term open
                        (conj ops (op 9 :invoke :claims {})
                              (op 9 :ok :claims {:node "n9" :own {:autoid claimed}})))
          :invoke (if mine
                    (recur more term open ops)
                    (recur more term (assoc open process :begun)
                           (conj ops (op process :invoke :alloc {:role :autoid}))))
          :effect (recur more term (cond-> open (= :begun mine) (assoc process term)) ops)
          :complete (if (integer? mine)
                      (recur more term (dissoc open process)
                             (conj ops (op process :ok :alloc
                                           {:role :autoid :node "n1" :id 1 :term mine})))
                      (recur more term open ops))))
      (vec (map-indexed #(assoc %2 :index %1 :time %1) ops)))))

(defn- backwards?
  "By the definition: does some effect have a term lower than one that was proven before
  it began?"
  [history]
  (let [invoked (fn [done] (last (filter #(and (= (:process done) (:process %))
                                               (= :invoke (:type %))
                                               (< (:index %) (:index done)))
                                         history)))
        done    (filter #(= :ok (:type %)) history)
        proofs  (for [{:keys [f value index]} done]
                  [index (if (= :alloc f) (:term value) (:autoid (:own value)))])]
    (boolean
      (some (fn [{:keys [f value] :as d}]
              (when (= :alloc f)
                (let [began (:index (invoked d))]
                  (some (fn [[index term]] (and (< index began) (< (:term value) term)))
                        proofs))))
            done))))

(defn- holds?
  [property-of gen-turns]
  (let [seed (or (some-> (System/getProperty "interregnum.seed") parse-long)
                 (System/nanoTime))
        result (tc/quick-check 300 (prop/for-all [turns gen-turns] (property-of turns))
                               :seed seed)]
    (is (:pass? result) (pr-str {:seed seed :turns (first (:smallest (:shrunk result)))}))))

(deftest correct-owners-test
  (testing "are never judged invalid, whatever the claims"
    (holds? #(not (false? (:valid? (fencing/analysis (play %) {}))))
            (gen/vector gen-turn 1 40))))

(deftest agrees-with-the-definition-test
  (testing "also where effects take the term of an earlier owner"
    (holds? (fn [[turns ages]]
              (let [older (map (fn [age op]
                                 (cond-> op
                                   (:term (:value op)) (update-in [:value :term]
                                                           #(max 1 (- % age)))))
                               (concat ages (repeat 0)) (play turns))]
                (= (backwards? older)
                   (false? (:valid? (fencing/analysis (vec older) {}))))))
            (gen/tuple (gen/vector gen-turn 1 40)
                       (gen/vector (gen/frequency [[8 (gen/return 0)] [1 (gen/choose 1 2)]])
                                   0 40)))))
