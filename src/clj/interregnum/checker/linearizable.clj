(ns interregnum.checker.linearizable
  "The linearizability checker of `interregnum.check` for the suite's own checkers:
  histories that they put together, checked against its models."
  (:require [clojure.tools.logging :refer [warn]]
            [jepsen.store :as store])
  (:import (interregnum.check Budget Counterexample Failure Linearizability Result
                              Result$OpenPart Verdict)
           (interregnum.check.history History Recording)
           (interregnum.check.model Model)
           (interregnum.check.report Picture)
           (java.time Duration)))

(set! *warn-on-reflection* true)

(def ^:private time-limit
  "How long one search may take. The models in use are decided almost in linear
  time; a search that comes near this says so and leaves the verdict open."
  (Duration/ofSeconds 120))

(defn- op-map
  [^History history i]
  (let [call (.call history i)]
    {:f (.f call), :value (.value call), :index (.completeIndex history i)}))

(defn- failure-map
  "A part that is not linearizable, see `analysis`."
  [^Failure failure]
  (let [history (.history (.part failure))
        counter (when (.isPresent (.counterexample failure))
                  (.history ^Counterexample (.get (.counterexample failure))))]
    {:key     (first (.keys (.part failure)))
     :why     (.orElse (.reason failure) nil)
     :ops     (if counter
                (vec (for [i (range (.size counter)) :when (not (.crashed counter i))]
                       (op-map counter i)))
                [(op-map history (.operation failure))])
     :failure failure}))

(defn analysis
  "Whether `recording` is linearizable with respect to `model`:

    :valid?    true, false or :unknown
    :reason    of an unknown one
    :failures  of an invalid one, the earliest first: maps of

      :key      the key of the part that fails, nil if there is but one
      :why      a phrase, if the method found one
      :ops      that contradict each other, or the one that cannot be explained: maps
                of :f :value, and the :index of the completion as it was recorded
      :failure  for `draw!`"
  [^Model model ^Recording recording]
  (if (zero? (.successes recording))
    {:valid? :unknown, :reason "Nothing was acknowledged."}
    (let [result (Linearizability/check model recording
                                        (.withTime (Budget/standard) time-limit))]
      (condp identical? (.verdict result)
        Verdict/VALID   {:valid? true}
        Verdict/INVALID {:valid? false, :failures (mapv failure-map (.failures result))}
        Verdict/UNKNOWN {:valid? :unknown
                         :reason (str "Linearizability is undecided: "
                                      (.reason ^Result$OpenPart (first (.open ^Result result)))
                                      ".")}))))

(defn draw!
  "Draws the first failure of `analysis`, an invalid one, to linear.svg beside the
  results of the checker that was called with `opts`. A picture that fails is only
  logged."
  [test opts analysis]
  (try
    (spit (store/path! test (:subdirectory opts) "linear.svg")
          (Picture/svg (:failure (first (:failures analysis)))))
    (catch Exception e
      (warn e "The picture of the counterexample could not be drawn"))))
