(ns knossos.competition
  "The whole portfolio of methods; the first that decides."
  (:require [knossos.search :as search]))

(defn analysis
  "Checks `history` against `model`. Options: `:time-limit` in ms. See `knossos.search/analysis` for
  the result."
  ([model history]
   (analysis model history {}))
  ([model history opts]
   (search/analysis model history opts)))
