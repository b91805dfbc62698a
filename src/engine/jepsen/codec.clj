(ns jepsen.codec
  "Values as bytes: EDN text in UTF-8."
  (:require [clojure.edn :as edn])
  (:import (java.nio.charset StandardCharsets)))

(set! *warn-on-reflection* true)

(defn encode
  "The bytes of `x` as EDN; none for nil."
  ^bytes [x]
  (if (nil? x)
    (byte-array 0)
    (.getBytes (pr-str x) StandardCharsets/UTF_8)))

(defn decode
  "The value whose `encode` is `data`; nil for nil or no bytes."
  [^bytes data]
  (when (and data (pos? (alength data)))
    (edn/read-string (String. data StandardCharsets/UTF_8))))
