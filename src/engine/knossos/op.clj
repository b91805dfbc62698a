(ns knossos.op
  "Operations: what processes ask for and what they are told."
  (:require [jepsen.history :as h]))

(defn op
  "An operation of no history yet: its :index is -1."
  [process type f value]
  (h/op {:index -1, :process process, :type type, :f f, :value value}))

(defn invoke
  "The beginning of an operation."
  [process f value]
  (op process :invoke f value))

(defn ok
  "The end of an operation that took effect."
  [process f value]
  (op process :ok f value))

(defn fail
  "The end of an operation that did not take effect."
  [process f value]
  (op process :fail f value))

(defn info
  "The end of an operation of which nobody knows whether it took effect."
  [process f value]
  (op process :info f value))

(defn invoke?
  "True if `op` is a beginning."
  [op]
  (= :invoke (:type op)))

(defn ok?
  "True if `op` says that it took effect."
  [op]
  (= :ok (:type op)))

(defn fail?
  "True if `op` says that it did not take effect."
  [op]
  (= :fail (:type op)))

(defn info?
  "True if `op` leaves open whether it took effect."
  [op]
  (= :info (:type op)))

(defn same-process?
  "True if the same process did `a` and `b`."
  [a b]
  (= (:process a) (:process b)))

(defn Op->map
  "The operation as a plain map."
  [op]
  (into {} op))
