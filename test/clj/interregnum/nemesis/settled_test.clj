(ns interregnum.nemesis.settled-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.nemesis.settled :as settled]))

(set! *warn-on-reflection* true)

(def ^:private at-rest
  "Three nodes that agree: n1 leads the id service, n2 owns schema changes."
  (let [all {:autoid {:id "n1", :term 5, :address "a"}, :ddl {:id "n2", :term 7}}]
    {"n1" {:info {:autoidLeader true, :ddlOwner false}, :all all}
     "n2" {:info {:autoidLeader false, :ddlOwner true}, :all all}
     "n3" {:info {:autoidLeader false, :ddlOwner false}, :all all}}))

(deftest reigns-test
  (is (= {:autoid {:id "n1", :term 5}, :ddl {:id "n2", :term 7}}
         (settled/reigns at-rest)))
  (testing "no rest"
    (testing "while a node does not answer"
      (is (nil? (settled/reigns (assoc at-rest "n3" {:info nil, :all nil}))))
      (is (nil? (settled/reigns (assoc-in at-rest ["n3" :all] nil)))))
    (testing "while the owner that all name does not know of it"
      (is (nil? (settled/reigns
                  (assoc-in at-rest ["n1" :info :autoidLeader] false)))))
    (testing "while another node claims to be the owner too"
      (let [rivals (assoc-in at-rest ["n3" :info :ddlOwner] true)]
        (is (nil? (settled/reigns rivals)))
        (is (= {:autoid ["n1"], :ddl ["n2" "n3"]} (settled/claimants rivals)))))
    (testing "while nodes name different terms"
      (is (nil? (settled/reigns
                  (assoc-in at-rest ["n3" :all :ddl :term] 3)))))
    (testing "while there is no owner"
      (is (nil? (settled/reigns
                  (update-vals at-rest #(update % :all dissoc :ddl))))))))

(deftest looked-test
  (let [restless (assoc-in at-rest ["n3" :info] nil)
        looks    (fn [& shown] (:looks (reduce settled/looked nil shown)))]
    (is (= 0 (looks restless) (looks restless restless) (looks at-rest restless)))
    (is (= 1 (looks at-rest) (looks at-rest restless at-rest)))
    (is (= 3 (looks restless at-rest at-rest at-rest)))
    (testing "another reign begins the count anew"
      (is (= 1 (looks at-rest
                      (update-vals at-rest
                                   #(assoc-in % [:all :autoid :term] 8))))))
    (is (= {"n1" true, "n2" true, "n3" false}
           (:answers (settled/looked nil restless))))))
