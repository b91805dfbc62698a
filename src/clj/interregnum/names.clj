(ns interregnum.names
  "Lists of names in arguments, with commas between."
  (:require [clojure.string :as str]))

(set! *warn-on-reflection* true)

(defn split
  "The names in `argument`, a vector of strings, without blanks around them."
  [argument]
  (vec (remove str/blank? (map str/trim (str/split argument #",")))))
