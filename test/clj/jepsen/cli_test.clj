(ns jepsen.cli-test
  "Commands that go on where an earlier one stopped."
  (:require [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [jepsen.checker :as checker]
            [jepsen.cli :as cli]
            [jepsen.core :as core]
            [jepsen.db :as db]
            [jepsen.generator :as gen]
            [jepsen.store :as store]
            [jepsen.temporary :as temporary]
            [jepsen.tests :as tests]))

(set! *warn-on-reflection* true)

(defn- commands
  "A test of three operations whose verdict is `(verdict history)`."
  [verdict]
  (cli/single-test-cmd
   {:test-fn  (fn [options]
                (merge tests/noop-test options
                       {:name      "cli"
                        :generator (gen/clients
                                    (gen/limit (:ops options)
                                               (gen/repeat {:f :r})))
                        :checker   (reify checker/Checker
                                     (check [_ test history _]
                                       {:valid? (verdict test history)
                                        :ops    (count history)}))}))
    :opt-spec [[nil "--ops N" "Operations"
                :default 1, :parse-fn #(Long/parseLong %)]]}))

(defmacro ^:private quietly-in-temporary-store
  [& body]
  `(temporary/with-dir [dir#]
     (with-redefs [store/base-dir (str dir#)]
       ~@body)))

(deftest analyze-test
  (quietly-in-temporary-store
   (is (= 0 (cli/exit-status (commands (constantly true))
                             ["test" "--no-ssh" "--nodes" "a" "--ops" "3"])))
   (testing "the stored history meets the checker of today"
     (is (= 1 (cli/exit-status (commands (fn [test history]
                                           (not= [3 6] [(:ops test)
                                                        (count history)])))
                               ["analyze"]))))
   (is (= {:valid? false, :ops 6} (:results (store/test -1))))
   (testing "a test by its folder"
     (let [path (str (store/path (store/test -1)))]
       (is (= 2 (cli/exit-status (commands (constantly :unknown))
                                 ["analyze" "-t" path])))))
   (testing "a test that is not there"
     (is (= 255 (cli/exit-status (commands (constantly true))
                                 ["analyze" "-t" "7"]))))))

(deftest stored-history-survives-crash-test
  (testing "a run that dies in its database's tear-down can be analysed"
    (quietly-in-temporary-store
     (let [teardowns (atom 0)
           db        (reify db/DB
                       (setup! [_ _ _])
                       (teardown! [_ _ _]
                         (when (= 2 (swap! teardowns inc))
                           (throw (RuntimeException. "no")))))
           with-db   (fn [commands db]
                       (update-in commands ["test" :run]
                                  (fn [_]
                                    (fn [{:keys [options]}]
                                      (core/run!
                                       (merge tests/noop-test options
                                              {:name      "cli"
                                               :db        db
                                               :generator (gen/clients
                                                           {:f :r})}))))))]
       (is (= 255 (cli/exit-status (with-db (commands (constantly true)) db)
                                   ["test" "--no-ssh" "--nodes" "a"])))
       (is (= 0 (cli/exit-status (commands (constantly true)) ["analyze"])))
       (is (= 2 (count (:history (store/test -1)))))))))

(deftest shown-usage-test
  (let [printed (with-out-str
                  (is (= 0 (cli/exit-status (commands (constantly true))
                                            ["test" "--help"]))))]
    (is (str/includes? printed "Runs a Jepsen test"))
    (is (str/includes? printed "--concurrency NUMBER"))))
