(ns knossos.linear
  "Just-in-time linearization."
  (:require [knossos.search :as search]))

(defn analysis
  "Checks `history` against `model`. Options: `:time-limit` in ms. The result says
  `:analyzer :linear`; see `knossos.search/analysis` for the rest."
  ([model history]
   (analysis model history {}))
  ([model history opts]
   (assoc (search/analysis model history opts) :analyzer :linear)))
