(ns jepsen.nemesis-test
  "Nemeses, packages and networks, on remotes that note what they are told."
  (:require [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [jepsen.control :as c]
            [jepsen.control.core :as remote]
            [jepsen.db :as db]
            [jepsen.generator :as gen]
            [jepsen.generator.context :as context]
            [jepsen.nemesis :as n]
            [jepsen.nemesis.combined :as combined]
            [jepsen.nemesis.time :as nt]
            [jepsen.net :as net]))

(set! *warn-on-reflection* true)

(defrecord ^:private Noting [log host answer]
  remote/Remote
  (connect [this {:keys [host]}] (assoc this :host host))
  (disconnect! [_])
  (execute! [_ _ action]
    (swap! log conj [host (:cmd action)])
    (merge action {:exit 0, :out "", :err ""} (answer (:cmd action))))
  (upload! [_ _ _ _ _])
  (download! [_ _ _ _ _]))

(defn- test-of
  "A test with sessions that note commands in the atom `log`; `answer` maps a
  command to what its result has besides success."
  ([log nodes] (test-of log nodes (constantly {})))
  ([log nodes answer]
   {:nodes    nodes
    :net      net/iptables
    :sessions (into {} (map (fn [node] [node (->Noting log node answer)]))
                    nodes)}))

(defn- tagged
  "A nemesis whose values tell its tag and the :f it got."
  [tag fs]
  (reify
    n/Reflection
    (fs [_] fs)
    n/Nemesis
    (setup! [this _] this)
    (invoke! [_ _ op] (assoc op :value [tag (:f op)]))
    (teardown! [_ _])))

(defn- problems
  [nemesis op]
  (try (n/invoke! nemesis {} op) nil
       (catch clojure.lang.ExceptionInfo e (:problems (ex-data e)))))

(deftest validate-test
  (let [answering (fn [f] (n/validate (reify n/Nemesis
                                        (setup! [_ _] :not-a-nemesis)
                                        (invoke! [_ _ op] (f op))
                                        (teardown! [_ _]))))
        op        {:type :info, :process :nemesis, :f :a}]
    (is (nil? (problems (answering identity) op)))
    (is (= [":f should be the same"]
           (problems (answering #(assoc % :f :b)) op)))
    (is (= ["should be a map" ":type should be :info"
            ":process should be the same" ":f should be the same"]
           (problems (answering (constantly nil)) op)))
    (is (= ::n/setup-returned-non-nemesis
           (try (n/setup! (answering identity) {})
                (catch clojure.lang.ExceptionInfo e (:type (ex-data e))))))))

(deftest timeout-test
  (let [slow (reify n/Nemesis
               (setup! [this _] this)
               (invoke! [_ _ op] (Thread/sleep 5000) op)
               (teardown! [_ _]))]
    (is (= :timeout (:value (n/invoke! (n/timeout 20 slow) {} {:f :a}))))))

(deftest compose-test
  (testing "two that take the same operations are refused"
    (is (thrown? AssertionError
                 (n/compose [(tagged 1 #{:a}) (tagged 2 #{:a :b})]))))
  (testing "an operation that nobody takes"
    (is (thrown? IllegalArgumentException
                 (n/invoke! (n/compose [(tagged 1 #{:a})]) {} {:f :z}))))
  (testing "functions do not tell which operations they take"
    (is (thrown? clojure.lang.ExceptionInfo
                 (n/fs (n/compose {identity (tagged 1 #{:a})}))))))

(deftest f-map-test
  (let [lifted (n/f-map (fn [f] [:role f]) (tagged 1 #{:a :b}))]
    (is (= #{[:role :a] [:role :b]} (n/fs lifted)))
    (is (= {:f [:role :a], :value [1 :a]}
           (n/invoke! lifted {} {:f [:role :a]})))))

(deftest partitioner-without-grudge-test
  (is (thrown? IllegalArgumentException
               (n/invoke! (n/partitioner) (test-of (atom []) ["10.0.0.1"])
                          {:f :start}))))

(deftest drop-pairwise-test
  (testing "a network that cannot drop all at once drops pair by pair"
    (let [drops (atom #{})
          net   (reify jepsen.net.proto/Net
                  (drop! [_ _ src dest] (swap! drops conj [src dest]))
                  (heal! [_ _]))]
      (net/drop-all! {:net net, :nodes ["a" "b" "c"]}
                     {"a" #{"b" "c"}, "b" #{}})
      (is (= #{["b" "a"] ["c" "a"]} @drops)))))

(deftest empty-grudge-test
  (testing "a node that refuses nobody gets no rule"
    (let [log (atom [])]
      (net/drop-all! (test-of log ["10.0.0.1" "10.0.0.2"])
                     {"10.0.0.1" #{}, "10.0.0.2" #{"10.0.0.1"}})
      (is (= ["10.0.0.2"] (map first @log))))))

(deftest shape-target-itself-test
  (testing "a target delays what it sends to all others"
    (let [log    (atom [])
          nodes  ["10.0.0.1" "10.0.0.2" "10.0.0.3"]
          shaped (net/shape! (net/iptables-with-dev "eth7")
                             (test-of log nodes) ["10.0.0.1"]
                             {:reorder {}})
          dsts   (fn [node]
                   (set (for [[host cmd] @log
                              :when (= node host)
                              :let [dst (second (re-find #"dst (\S+)" cmd))]
                              :when dst]
                          dst)))]
      (is (= :shaped (first shaped)))
      (is (= #{"10.0.0.2" "10.0.0.3"} (dsts "10.0.0.1")))
      (is (= #{"10.0.0.1"} (dsts "10.0.0.2")))
      (testing "reordering needs a delay"
        (is (some #(str/includes?
                    (second %)
                    (str "netem delay 50ms 10ms 25% distribution normal "
                         "reorder 20% 75%"))
                  @log))))))

(deftest fast-without-discipline-test
  (testing "a device without a discipline is fast already"
    (let [answer (fn [cmd]
                   (when (str/includes? cmd "qdisc del")
                     {:exit 2, :err "RTNETLINK answers: No such file or directory"}))]
      (is (= {"10.0.0.1" :already-fast}
             (net/fast! (net/iptables-with-dev "eth7")
                        (test-of (atom []) ["10.0.0.1"] answer)))))))

(deftest log-files-map-test
  (let [files (fn [x]
                (db/log-files-map (reify db/LogFiles (log-files [_ _ _] x))
                                  {} "n1"))]
    (is (= {"/var/log/db/a.log" "a.log", "/var/log/db/x/b.log" "x/b.log"}
           (files ["/var/log/db/a.log" "/var/log/db/x/b.log"])))
    (is (= {"/a/x.log" "a/x.log", "/b/x.log" "b/x.log"}
           (files ["/a/x.log" "/b/x.log"])))
    (is (= {} (files [])))
    (is (thrown? clojure.lang.ExceptionInfo
                 (files {"/a/x.log" "x", "/b/x.log" "x"})))))

(deftest truncate-test
  (let [log (atom [])]
    (n/invoke! (n/truncate-file) (test-of log ["n1" "n2"])
               {:f :truncate, :value {"n2" {:file "/data/wal", :drop 7}}})
    (is (= 1 (count @log)))
    (is (= "n2" (ffirst @log)))
    (is (str/includes? (second (first @log)) "truncate -c -s -7 /data/wal"))))

(deftest killable-package-test
  (let [calls (atom [])
        db    (reify
                db/DB
                (setup! [_ _ _])
                (teardown! [_ _ _])
                db/Kill
                (kill! [_ _ node] (swap! calls conj [:kill node]) :killed)
                (start! [_ _ node] (swap! calls conj [:start node]) :started))
        test  (test-of (atom []) ["n1" "n2" "n3"])
        pkg   (combined/nemesis-package {:db db, :faults #{:kill}})
        nem   (:nemesis pkg)]
    (is (= {"n1" :killed} (:value (n/invoke! nem test {:f     :kill
                                                       :value ["n1"]}))))
    (is (= {"n1" :started, "n2" :started, "n3" :started}
           (:value (n/invoke! nem test {:f :start, :value :all}))))
    (testing "the first operation kills, the next one starts all"
      (let [ctx     (context/context {:concurrency 1})
            [op g]  (gen/op (:generator pkg) test ctx)
            [op2 _] (gen/op g test ctx)]
        (is (= [:info :kill] [(:type op) (:f op)]))
        (is (= [:info :start :all] [(:type op2) (:f op2) (:value op2)]))))
    (is (= [{:type :info, :f :start, :value :all}]
           (flatten (:final-generator pkg))))))

(deftest clock-operations-test
  (testing "bumps are powers within bounds, of either sign"
    (let [bump  (nt/bump-gen-select (constantly ["n1"]))
          jumps (repeatedly 300 #(get (:value (bump {} nil)) "n1"))]
      (is (every? #(<= 11 (abs (long %)) 287627) jumps))
      (is (some pos? jumps))
      (is (some neg? jumps))))
  (testing "offsets are told by node"
    (let [test (test-of (atom []) ["n1"] (constantly {:out "1000.5\n"}))
          op   (n/invoke! (nt/clock-nemesis false) test
                          {:f :check-offsets})]
      (is (neg? (get (:clock-offsets op) "n1"))))))
