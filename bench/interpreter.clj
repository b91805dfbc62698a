(ns interpreter
  "How many operations per second the interpreter performs with a client that does nothing. From the
  root of the repository:

    bin/bench interpreter 1000000 10 1000"
  (:require [jepsen.client :as client]
            [jepsen.generator :as gen]
            [jepsen.generator.interpreter :as interpreter]
            [jepsen.nemesis :as nemesis]))

(set! *warn-on-reflection* true)

(defn- run-once
  "Operations per second of one run."
  [operations concurrency record!]
  (let [test  {:nodes       ["n1" "n2" "n3"]
               :concurrency concurrency
               :client      client/noop
               :nemesis     nemesis/noop
               :store       {:history-writer record!}
               :generator   (gen/clients (gen/limit operations (gen/repeat {:f :read})))}
        begin (System/nanoTime)]
    (interpreter/run! test)
    (/ operations (/ (- (System/nanoTime) begin) 1e9))))
