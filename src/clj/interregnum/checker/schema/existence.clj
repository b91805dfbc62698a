(ns interregnum.checker.schema.existence
  "S-1, S-14 and S-15: what is there is found, what is not is not found.

  Every object is a register that is written at most a few times: by the
  operations that make it and by those that break it. An operation is taken as
  the closed interval from its invocation to its completion; one whose outcome
  is unknown stays open for ever. The rules are sound for any interleaving:

  lost           found absent, though it was made before and nothing that could
                 have broken it began before the finding was complete (S-1)
  resurrected    found present, though it was broken before and nothing could
                 have made it again (S-1)
  phantom        found present, though nothing that could have made it had
                 begun: a definite failure took effect, or an operation took
                 effect twice (S-15)
  contradiction  one node found it absent and present with no change of it at
                 any time from the first finding to the second (S-14)"
  (:require [interregnum.checker.schema.ops :as ops]
            [jepsen.history :as h]))

(set! *warn-on-reflection* true)

(def shown-max
  "How many failures of a kind a result lists."
  8)

(defn- span
  "The interval of an invocation and its completion (nil for none), as
  `{:op :from :to :type}` with times in nanoseconds."
  [invocation completion]
  (let [op (or completion invocation)
        open? (or (nil? completion) (h/info? completion))]
    {:op op
     :from (:time invocation)
     :to (if open? Long/MAX_VALUE (:time completion))
     :type (if open? :info (:type completion))}))

(defn- spans
  [history]
  (let [clients (h/filter h/client-op? history)]
    (mapv #(span % (h/completion clients %)) (filter h/invoke? clients))))

(defn- add-to
  [objects object k span]
  (update-in objects [object k] (fnil conj []) span))

(defn- index-span
  [objects {:keys [op type] :as span}]
  (let [{:keys [present absent]} (ops/observes op)
        effect? (not= :fail type)
        made (when effect? (ops/makes op))
        broken (when effect? (ops/breaks op))
        objects (cond-> objects
                  made (add-to made :makers span)
                  broken (add-to broken :breakers span))
        objects (reduce #(add-to %1 %2 :present span) objects present)]
    (reduce #(add-to %1 %2 :absent span) objects absent)))

(defn- by-object
  "Map object → `{:makers :breakers :present :absent}`, each a vector of spans."
  [history]
  (reduce index-span {} (spans history)))

(defn- before?
  [a b]
  (< (:to a) (:from b)))

(defn- failure
  [kind object observation & [cause]]
  (cond-> {:kind kind, :object object, :found (ops/summary (:op observation))}
    cause (assoc :though (ops/summary (:op cause)))))

(defn- lost
  [object {:keys [makers breakers absent]}]
  (for [seen absent
        :let [maker (first (filter #(before? % seen) makers))]
        :when (and maker
                   (not-any? #(and (< (:from %) (:to seen))
                                   (not (before? % maker)))
                             breakers))]
    (failure :lost object seen maker)))

(defn- resurrected
  [object {:keys [makers breakers present]}]
  (for [seen present
        :let [breaker (first (filter #(before? % seen) breakers))]
        :when (and breaker
                   (not-any? #(and (< (:from %) (:to seen))
                                   (not (before? % breaker)))
                             makers))]
    (failure :resurrected object seen breaker)))

(defn- phantom
  [object {:keys [makers present]}]
  (for [seen present
        :when (not-any? #(and (< (:from %) (:to seen))
                              (not (identical? (:op %) (:op seen))))
                        makers)]
    (failure :phantom object seen)))

(defn- quiet-time
  "The longest time around `seen` in which nothing may have changed its object,
  as `[from to]`; nil if something may have changed it right then."
  [{:keys [makers breakers]} {:keys [from to]}]
  (reduce (fn [[earliest latest] change]
            (cond
              (<= (:to change) from) [(max earliest (:to change)) latest]
              (<= to (:from change)) [earliest (min latest (:from change))]
              :else (reduced nil)))
          [Long/MIN_VALUE Long/MAX_VALUE]
          (concat makers breakers)))

(defn- first-within
  "The first of `spans` that lies within a quiet time."
  [spans [earliest latest]]
  (first (filter #(and (<= earliest (:from %)) (<= (:to %) latest)) spans)))

(defn- contradictions
  "Between two changes of an object there is one quiet time, so each node's
  findings are searched once for each of these, however many findings there are."
  [object {:keys [present absent] :as seen}]
  (let [found (if (seq absent) (group-by (comp ops/node :op) present) {})
        opposite (memoize (fn [node quiet] (first-within (found node) quiet)))]
    (for [a absent
          :let [quiet (quiet-time seen a)
                p (when quiet (opposite (ops/node (:op a)) quiet))]
          :when p]
      (failure :contradiction object a p))))

(defn- initial?
  "Whether `object` was there before the run: nothing in it made it."
  [existing [kind table]]
  (and (= :table kind) (contains? existing table)))

(defn- failures
  [existing objects]
  (->> objects
       (remove (fn [[object _]] (initial? existing object)))
       (sort-by (comp str key))
       (mapcat (fn [[object seen]]
                 (concat (lost object seen)
                         (resurrected object seen)
                         (phantom object seen)
                         (contradictions object seen))))))

(defn- by-kind
  [failures]
  (into (sorted-map)
        (map (fn [[kind found]]
               [kind {:count (count found)
                      :first (vec (take shown-max
                                        (sort-by (comp :index :found) found)))}]))
        (group-by :kind failures)))

(defn- explain
  [kinds]
  (when-let [[kind {:keys [count first]}] (clojure.core/first kinds)]
    (let [{:keys [object found]} (clojure.core/first first)]
      (str count " × " (name kind) ", first: " (pr-str object)
           " by operation " (:index found) " on " (:node found)))))

(defn analysis
  "The result for `history`; `existing` is the set of names of tables that were
  there before the run:

    :valid?        false if anything was found wrong
    :object-count  how many objects were made or seen
    :failures      {kind {:count n, :first [{:object :found :though}]}}
    :reason        one sentence, when invalid"
  [existing history]
  (let [objects (by-object history)
        kinds (by-kind (failures existing objects))]
    (cond-> {:valid? (empty? kinds)
             :object-count (count objects)}
      (seq kinds) (assoc :failures kinds, :reason (explain kinds)))))
