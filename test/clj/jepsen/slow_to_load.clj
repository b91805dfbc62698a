(ns jepsen.slow-to-load
  "A namespace whose var exists for a while before it is bound.")

(set! *warn-on-reflection* true)

(declare answer)

(Thread/sleep 200)

(defn answer
  []
  42)
