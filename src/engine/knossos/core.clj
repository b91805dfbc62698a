(ns knossos.core
  "Is a history linearizable? See `analysis`."
  (:require [knossos.competition :as competition]
            [knossos.op :as op]))

(def op
  "An operation: process, type, f, value."
  op/op)

(def invoke-op
  "The beginning of an operation: process, f, value."
  op/invoke)

(def ok-op
  "The end of an operation that took effect: process, f, value."
  op/ok)

(def fail-op
  "The end of an operation that did not take effect: process, f, value."
  op/fail)

(def invoke?
  "True of the beginning of an operation."
  op/invoke?)

(def ok?
  "True of the end of an operation that took effect."
  op/ok?)

(def fail?
  "True of the end of an operation that did not take effect."
  op/fail?)

(def analysis
  "Checks a history against a model; see `knossos.competition/analysis`."
  competition/analysis)
