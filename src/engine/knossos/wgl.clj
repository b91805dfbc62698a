(ns knossos.wgl
  "The search of Wing, Gong and Lowe."
  (:require [knossos.search :as search]))

(defn analysis
  "Checks `history` against `model`. Options: `:time-limit` in ms. The result says `:analyzer :wgl`
  and, if valid, a final `:model`; see `knossos.search/analysis` for the rest."
  ([model history]
   (analysis model history {}))
  ([model history opts]
   (let [{:keys [configs] :as result} (search/analysis model history opts)]
     (cond-> (assoc result :analyzer :wgl)
       (true? (:valid? result)) (-> (dissoc :configs)
                                    (assoc :model (:model (first configs) model)))))))
