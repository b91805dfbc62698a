(ns interregnum.workload
  "The workloads by name."
  (:require [interregnum.workload.ids :as ids]
            [interregnum.workload.owner :as owner]
            [interregnum.workload.register :as register]
            [interregnum.workload.schema :as schema]))

(set! *warn-on-reflection* true)

(def workloads
  "Name → function of the test's options to a map

    :role             whose owner faults strike, :autoid or :ddl
    :client :generator :final-generator :checker
    :invariants       name → title of what its checker checks, if it has parts"
  {"ids" ids/workload
   "owner" owner/workload
   "register" register/workload
   "schema" schema/workload})
