(ns jepsen.generator.interpreter-test
  (:refer-clojure :exclude [run!])
  (:require [clojure.test :refer [deftest is testing]]
            [jepsen.client :as client]
            [jepsen.generator :as gen]
            [jepsen.generator.context :as context]
            [jepsen.generator.interpreter :as interpreter]
            [jepsen.history :as history]
            [jepsen.nemesis :as nemesis]
            [jepsen.util :as util])
  (:import (java.util.concurrent CountDownLatch CyclicBarrier TimeUnit)))

(set! *warn-on-reflection* true)

(defn- run!
  "Runs a test of three nodes with what `options` adds. Returns its history, which must make sense."
  [options]
  (let [ops  (atom [])
        test (merge {:nodes       ["n1" "n2" "n3"]
                     :concurrency 3
                     :client      client/noop
                     :nemesis     nemesis/noop
                     :store       {:history-writer (fn [op] (swap! ops conj op))}}
                    options)
        result (interpreter/run! test)]
    (is (not (contains? result :generator)))
    (history/ensure-pair-index (history/history @ops))))

(defn- client
  "A client that is not reusable, calls `(invoke test op)`, and notes opening and closing in the atom
  `log`."
  ([invoke] (client invoke (atom [])))
  ([invoke log]
   (reify client/Client
     (open! [this _ node]
       (swap! log conj [:open node])
       this)
     (setup! [_ _])
     (invoke! [_ test op] (invoke test op))
     (teardown! [_ _])
     (close! [_ _]
       (swap! log conj [:close])))))

;;; Steps, without threads

(defn- state
  "The state in which a run of `gen` with two clients begins."
  [gen]
  (interpreter/initial-state gen (context/context {:concurrency 2})))

(defn- summary
  "What is to be done after a step."
  [{:keys [recorded dispatched thread wait-nanos done?]}]
  (cond done?      :done
        dispatched [:dispatch thread (:index dispatched) (:time dispatched) (some? recorded)]
        recorded   [:record (:index recorded) (:time recorded)]
        :else      [:wait wait-nanos]))

(deftest step-test
  (let [step    (fn [state now op] (interpreter/step {} state now op))
        invoked (step (state (gen/clients (gen/once (gen/repeat {:f :a})))) 5 nil)]
    (testing "an operation is recorded and handed to a worker, at the time of the generator"
      (is (= [:dispatch 0 0 5 true] (summary invoked)))
      (is (not (context/thread-free? (:ctx invoked) 0))))
    (testing "an exhausted generator waits for what is outstanding"
      (is (= [:wait 1000000] (summary (step invoked 6 nil)))))
    (testing "a completion gets the time of its step and frees the thread"
      (let [completed (step invoked 9 (assoc (:dispatched invoked) :type :ok))]
        (is (= [:record 1 9] (summary completed)))
        (is (context/thread-free? (:ctx completed) 0))
        (is (= :done (summary (step completed 10 nil))))))
    (testing "a crashed process is replaced"
      (let [crashed (step invoked 9 (assoc (:dispatched invoked) :type :info))]
        (is (= 2 (context/thread->process (:ctx crashed) 0)))))
    (testing "so is one that asks for it"
      (let [ended (step invoked 9 (assoc (:dispatched invoked) :type :ok, :end-process? true))]
        (is (= 2 (context/thread->process (:ctx ended) 0))))))
  (testing "an operation of the future has to wait, and its generator is asked again"
    (let [before  (state {:f :a, :time 100})
          waiting (interpreter/step {} before 40 nil)]
      (is (= [:wait 60] (summary waiting)))
      (is (= (:gen before) (:gen waiting)))
      (is (= [:dispatch 0 0 100 true] (summary (interpreter/step {} waiting 100 nil))))))
  (testing "logs and sleeps are performed but not recorded"
    (let [slept (interpreter/step {} (state [(gen/sleep 1) {:f :a}]) 0 nil)]
      (is (= [:dispatch 0 -1 0 false] (summary slept)))
      (is (= [:dispatch 1 0 0 true] (summary (interpreter/step {} slept 0 nil)))))))

;;; Runs

(deftest every-operation-completes-test
  (doseq [concurrency [1 2 10 100]]
    (let [n (* 50 concurrency)
          h (run! {:concurrency concurrency
                   :generator   (gen/clients (gen/limit n (map (fn [i] {:f :w, :value i})
                                                               (range))))})]
      (testing (str "at concurrency " concurrency)
        (is (= (range n) (sort (map :value (history/oks h)))))
        (is (= (* 2 n) (count h)))
        (is (= (range (* 2 n)) (map :index h)))
        (testing "every thread takes part"
          (is (= (set (range concurrency)) (set (map :process h)))))
        (testing "no process has two operations at a time"
          (is (every? #(history/completion h %) (history/invokes h))))
        (testing "completions do not come before their invocations"
          (is (every? #(<= (:time %) (:time (history/completion h %)))
                      (history/invokes h))))))))

(deftest operations-of-one-phase-are-concurrent-test
  (testing "all threads are inside their operation at the same time"
    (let [barrier (CyclicBarrier. 3)
          h       (run! {:client    (client (fn [_ op]
                                              (.await barrier 10 TimeUnit/SECONDS)
                                              (assoc op :type :ok)))
                         :generator (gen/clients (gen/each-thread {:f :meet}))})]
      (is (= 3 (count (history/oks h)))))))

(deftest phases-test
  (let [h (run! {:generator (gen/phases (gen/clients (gen/limit 50 (gen/repeat {:f :a})))
                                        (gen/nemesis {:type :info, :f :heal})
                                        (gen/sleep 0.01)
                                        (gen/log "reading")
                                        (gen/clients (gen/each-thread {:f :read})))})]
    (is (= [:a :heal :read] (dedupe (map :f h))))
    (testing "the nemesis has a pair of operations of type :info"
      (is (= [[:nemesis :info] [:nemesis :info]]
             (map (juxt :process :type) (history/filter-f :heal h)))))
    (testing "sleeping takes time"
      (is (<= 1e7 (- (:time (first (history/filter-f :read h)))
                     (:time (last (history/filter-f :heal h)))))))))

(deftest stagger-test
  (let [h     (run! {:generator (gen/clients (gen/time-limit 1/2 (gen/delay 1/100 (gen/repeat
                                                                                   {:f :a}))))})
        times (map :time (history/invokes h))]
    (is (<= 20 (count times) 51))
    (is (every? #(<= 1e7 %) (map - (rest times) times)))))

(deftest crashed-operation-test
  (let [log (atom [])
        h   (run! {:concurrency 1
                   :nodes       ["n1"]
                   :client      (client (fn [_ op]
                                          (if (= 1 (:value op))
                                            (throw (RuntimeException. "outer"
                                                                      (Exception. "inner")))
                                            (assoc op :type :ok)))
                                        log)
                   :generator   (gen/clients (map (fn [i] {:f :w, :value i}) (range 3)))})
        op  (nth h 3)]
    (testing "whether it took effect is not known"
      (is (= :info (:type op)))
      (is (= 1 (:value op)))
      (is (= "indeterminate: inner" (:error op)))
      (is (= 'java.lang.RuntimeException (:type (first (:via (:exception op)))))))
    (testing "its process is replaced, and so is its client"
      (is (= [0 0 0 0 1 1] (map :process h)))
      (is (= [[:open "n1"] [:close] [:open "n1"] [:close]] @log)))))

(deftest reusable-client-test
  (let [opened (atom 0)
        h      (run! {:concurrency 1
                      :client      (reify
                                     client/Client
                                     (open! [this _ _] (swap! opened inc) this)
                                     (invoke! [_ _ op] (assoc op :type :info))
                                     (close! [_ _])
                                     client/Reusable
                                     (reusable? [_ _] true))
                      :generator   (gen/clients (gen/limit 3 (gen/repeat {:f :a})))})]
    (is (= [0 1 2] (map :process (history/invokes h))))
    (is (= 1 @opened))))

(deftest no-client-test
  (let [h (run! {:concurrency 1
                 :client      (reify client/Client
                                (open! [_ _ _] (throw (Exception. "refused"))))
                 :generator   (gen/clients (gen/limit 2 (gen/repeat {:f :a})))})]
    (is (= [[:fail [:no-client "refused"]] [:fail [:no-client "refused"]]]
           (map (juxt :type :error) (remove history/invoke? h))))))

(deftest invalid-completion-test
  (testing "a client that returns nonsense crashes its operation"
    (let [h (run! {:concurrency 1
                   :client      (client (fn [_ op] (assoc op :type :done)))
                   :generator   (gen/clients {:f :a})})]
      (is (= :info (:type (last h)))))))

(deftest generator-throws-test
  (testing "the exception ends the run, though operations are under way"
    (let [released (CountDownLatch. 1)
          t0       (System/nanoTime)
          thrown   (try
                     (run! {:client    (client (fn [_ op]
                                                 (.await released)
                                                 (assoc op :type :ok)))
                            :generator (gen/clients [{:f :a}
                                                     (fn [] (throw (ex-info "no" {:type :no})))])})
                     (catch clojure.lang.ExceptionInfo e e))]
      (is (= :jepsen.generator/op-threw (:type (ex-data thrown))))
      (is (= :no (:type (ex-data (ex-cause thrown)))))
      (is (< (- (System/nanoTime) t0) 5e9) "workers are interrupted")
      (.countDown released))))

(deftest invalid-operation-test
  (is (= :jepsen.generator/invalid-op
         (try (run! {:generator (gen/clients {:f :a, :type :banana})})
              (catch clojure.lang.ExceptionInfo e (:type (ex-data e)))))))

(deftest interrupt-test
  (testing "interrupting whoever runs the test ends it"
    (let [thread (promise)
          run    (future
                   (deliver thread (Thread/currentThread))
                   (try (run! {:generator (gen/clients (gen/delay 1 (gen/repeat {:f :a})))})
                        (catch InterruptedException _ :interrupted)))]
      (Thread/sleep 100)
      (.interrupt ^Thread @thread)
      (is (= :interrupted (deref run 10000 :timeout))))))

(deftest generator-is-forgotten-test
  (let [generator (util/forgettable (gen/clients {:f :a}))]
    (run! {:generator generator})
    (is (thrown? IllegalStateException @generator))))

(deftest thread-names-test
  (let [h (run! {:client    (client (fn [_ op]
                                      (assoc op :type :ok
                                             :value (.getName (Thread/currentThread)))))
                 :generator (gen/clients (gen/each-thread {:f :name}))})]
    (is (= #{"jepsen worker 0" "jepsen worker 1" "jepsen worker 2"}
           (set (map :value (history/oks h)))))))
