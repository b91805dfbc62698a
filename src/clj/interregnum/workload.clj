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
    :interrupted      operations one of which has to be under way when the owner
                      changes, if that matters
    :client :generator :final-generator :checker
    :calm             operations between two storms of load and faults, if there are any
    :invariants       name → title of what its checker checks, if it has parts"
  {"ids" ids/workload
   "owner" owner/workload
   "register" register/workload
   "schema" schema/workload})
