(ns interregnum.cli.options-test
  (:require [clojure.test :refer [are deftest is testing]]
            [interregnum.cli.options :as options]))

(defn- parsed
  [& args]
  (:options (options/parse args)))

(deftest defaults-test
  (is (= {:workload "ids" :nemesis ["resign"] :defect [] :hosts "local"
          :nodes ["n1" "n2" "n3"] :concurrency 24 :time-limit 30 :rate 100
          :tables 3 :id-step 4000 :lease-secs 3 :nemesis-interval 4
          :test-count 1}
         (select-keys (parsed)
                      [:workload :nemesis :defect :hosts :nodes :concurrency
                       :time-limit :rate :tables :id-step :lease-secs
                       :nemesis-interval :test-count])))
  (is (nat-int? (:seed (parsed)))))

(deftest arguments-test
  (are [k value args] (= value (k (apply parsed args)))
    :nodes       ["a" "b"]           ["--nodes" "a,b"]
    :nodes       ["a" "b"]           ["-n" "a" "--node" "b"]
    :concurrency 6                   ["--nodes" "a,b" "--concurrency" "3n"]
    :nemesis     ["kill" "resign"]   ["--nemesis" "resign,kill"]
    :nemesis     []                  ["--nemesis" "none"]
    :defect      ["tidb-52600"]      ["--defect" "tidb-52600"]
    :seed        5                   ["--seed" "5"]
    :rate        2.5                 ["-r" "2.5"]))

(deftest bad-arguments-test
  (testing "one line says what is wrong"
    (are [pattern args] (re-matches pattern (str (:error (options/parse args))))
      #"unknown workload foo; known are: .*ids.*"        ["--workload" "foo"]
      #"unknown nemesis foo; known are: all, .*kill, .*" ["--nemesis" "kill,foo"]
      #"unknown kind of hosts moon; .*"              ["--hosts" "moon"]
      #"unknown defect foo; known are: .*tidb-52600.*" ["--defect" "foo"]
      #".*--rate.*Must be a positive number"         ["--rate" "x"]
      #".*--rate.*Must be a positive number"         ["--rate" "-1"]
      #".*--time-limit.*Must be a positive number"   ["--time-limit" "0"]
      #".*--concurrency.*Must be an integer.*"       ["--concurrency" "many"]
      #".*--seed.*Must be a whole number"            ["--seed" "1.5"]
      #"Unknown option: \"--foo\""                   ["--foo"]
      #"unexpected argument foo"                     ["foo"]
      #"cannot read the nodes file: .*"              ["--nodes-file" "/nowhere"])))
