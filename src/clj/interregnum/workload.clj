(ns interregnum.workload
  "The workloads by name."
  (:require [interregnum.workload.ids :as ids]))

(set! *warn-on-reflection* true)

(def workloads
  "Name → function of the test's options to a map :client :generator
  :final-generator :checker."
  {"ids" ids/workload})
