(ns knossos.linear.report
  "Pictures of histories that are not linearizable."
  (:require [knossos.search :as search])
  (:import (interregnum.check.report Picture)))

(defn render-analysis!
  "Draws what makes `analysis`, an invalid one of `history`, invalid into the SVG `file`. Returns
  `file`."
  [_history analysis file]
  (if-let [failure (search/failure analysis)]
    (spit file (Picture/svg failure))
    (throw (IllegalArgumentException. "only an invalid analysis can be drawn")))
  file)
