;;;; Part of jepsen.generator: combinators that concern threads and processes.

(in-ns 'jepsen.generator)

;;; Restricting a generator to some threads

(defrecord OnThreads [pred restrict gen]
  Generator
  (update [this test ctx event]
    (if (pred (process->thread ctx (:process event)))
      (let [gen' (update gen test (restrict ctx) event)]
        (cond (identical? gen gen') this
              (some? gen')          (OnThreads. pred restrict gen')))
      this))
  (op [_ test ctx]
    (when-some [res (op gen test (restrict ctx))]
      (let [gen' (nth res 1)]
        [(nth res 0) (when (some? gen') (OnThreads. pred restrict gen'))]))))

(defn on-threads
  "The operations of `gen`, which sees only the threads for which `pred` is truthy, and only the
  events of these."
  [pred gen]
  (when (some? gen)
    (OnThreads. pred (make-thread-filter pred) gen)))

(def on
  "The same as `on-threads`."
  on-threads)

(defn on-threads-context
  "The context `ctx` restricted to the threads for which `pred` is truthy."
  [pred ctx]
  ((make-thread-filter pred ctx) ctx))

(defn clients
  "The operations of `client-gen` on the threads of clients, and those of `nemesis-gen`, if given,
  on that of the nemesis."
  ([client-gen]
   (on-threads (all-but :nemesis) client-gen))
  ([client-gen nemesis-gen]
   (any (clients client-gen)
        (on-threads #{:nemesis} nemesis-gen))))

(defn nemesis
  "The operations of `nemesis-gen` on the thread of the nemesis, and those of `client-gen`, if
  given, on those of clients."
  ([nemesis-gen]
   (on-threads #{:nemesis} nemesis-gen))
  ([nemesis-gen client-gen]
   (any (nemesis nemesis-gen)
        (clients client-gen))))

;;; A copy for each thread

(defn- soonest-copy
  "The soonest offer of the copies for all free threads of `ctx`, with its :thread. `copy-of` yields
  the copy for a thread."
  [copy-of test ctx]
  (reduce (fn [soonest thread]
            (if-some [[o gen'] (op (copy-of thread) test (context/only-thread ctx thread))]
              (soonest-op-map soonest {:op o, :gen' gen', :weight 1, :thread thread})
              soonest))
          nil
          (free-threads ctx)))

(defn- op-of-copies
  "What `op` answers for copies of a generator. `advance` makes the generator to go on with from a
  thread and its copy, `this` is the one asked."
  [this copy-of advance test ctx]
  (if-some [{o :op, :keys [gen' thread]} (soonest-copy copy-of test ctx)]
    (if (identical? :pending o)
      [:pending this]
      [o (advance thread gen')])
    (when (< (free-thread-count ctx) (all-thread-count ctx))
      [:pending this])))

(defrecord EachThread [fresh gens]
  Generator
  (update [_ test ctx event]
    (let [thread (process->thread ctx (:process event))
          gen    (get gens thread fresh)]
      (EachThread. fresh
                   (assoc gens thread
                          (update gen test (context/only-thread ctx thread) event)))))
  (op [this test ctx]
    (op-of-copies this
                  (fn [thread] (get gens thread fresh))
                  (fn [thread gen'] (EachThread. fresh (assoc gens thread gen')))
                  test ctx)))

(defn each-thread
  "A copy of `gen` for each thread. Every copy sees just its own thread; it outlives the thread's
  processes. Exhausted when all copies are and all threads are free."
  [gen]
  (when (some? gen)
    (EachThread. gen {})))

(defrecord EachProcess [fresh gens]
  Generator
  (update [_ test ctx event]
    (let [process (:process event)
          thread  (process->thread ctx process)
          gen     (get gens process fresh)]
      (EachProcess. fresh
                    (assoc gens process
                           (update gen test (context/only-thread ctx thread) event)))))
  (op [this test ctx]
    (op-of-copies this
                  (fn [thread] (get gens (thread->process ctx thread) fresh))
                  (fn [thread gen']
                    (EachProcess. fresh (assoc gens (thread->process ctx thread) gen')))
                  test ctx)))

(defn each-process
  "A copy of `gen` for each process. Every copy sees just the thread of its process; when that has
  crashed, the thread begins with a new copy. Exhausted when all copies are and all threads are
  free."
  [gen]
  (when (some? gen)
    (EachProcess. gen {})))

;;; Shares of the threads

(defn- range-of
  "The index of the range, of those that end before the numbers `ends`, that the thread is in; the
  number of ranges for the nemesis and all threads beyond."
  ^long [ends thread]
  (if (int? thread)
    (loop [i 0]
      (if (or (= i (count ends)) (< (long thread) (long (nth ends i))))
        i
        (recur (inc i))))
    (count ends)))

(defn- soonest-range
  "The soonest offer of the generators of a Reserve, with the index of the range as :i."
  [sizes filters gens test ctx]
  (loop [i 0, soonest nil]
    (if (< i (count gens))
      (recur (inc i)
             (let [ctx ((nth filters i) ctx)]
               (if-some [[o gen'] (op (nth gens i) test ctx)]
                 (soonest-op-map soonest {:op     o
                                          :gen'   gen'
                                          :weight (or (nth sizes i nil) (all-thread-count ctx))
                                          :i      i})
                 soonest)))
      soonest)))

(defrecord Reserve [sizes ends filters gens]
  Generator
  (update [_ test ctx event]
    (let [i   (range-of ends (process->thread ctx (:process event)))
          ctx ((nth filters i) ctx)]
      (Reserve. sizes ends filters
                (assoc gens i (update (nth gens i) test ctx event)))))
  (op [_ test ctx]
    (when-some [{o :op, :keys [gen' i]} (soonest-range sizes filters gens test ctx)]
      [o (Reserve. sizes ends filters (assoc gens i gen'))])))

(defn reserve
  "Runs a generator on the first threads, another on the next ones, and a default on all others:

    (reserve 5 writes 10 reads cas)

  runs `writes` on the threads 0 to 4, `reads` on 5 to 14 and `cas` on the rest. Threads are counted
  from 0 even where only some of them are in sight."
  [& args]
  (let [pairs   (partition 2 args)
        default (last args)
        sizes   (mapv first pairs)
        ends    (vec (rest (reductions + 0 sizes)))
        in      (fn [i] (make-thread-filter (fn [thread] (= i (range-of ends thread)))))]
    (assert (odd? (count args)) "the default generator is missing")
    (assert (some? default) "the default generator is nil")
    (Reserve. sizes ends
              (mapv in (range (inc (count sizes))))
              (conj (mapv second pairs) default))))

;;; Barriers

(defrecord Synchronize [gen]
  Generator
  (update [this test ctx event]
    (let [gen' (update gen test ctx event)]
      (if (identical? gen gen') this (Synchronize. gen'))))
  (op [this test ctx]
    (if (= (free-thread-count ctx) (all-thread-count ctx))
      (op gen test ctx)
      [:pending this])))

(defn synchronize
  "The operations of `gen`, of which the first waits until all threads are free."
  [gen]
  (Synchronize. gen))

(defn phases
  "The operations of each of `gens` in turn. Each begins when all threads are free; those that are
  nil are left out."
  [& gens]
  (mapv synchronize (core/remove nil? gens)))

(defn then
  "The operations of `b`; when these are complete those of `a`. The order of the arguments suits a
  thread-last macro:

    (->> writes (then (once read)))"
  [a b]
  (cond (nil? a) b
        (nil? b) a
        :else    [b (synchronize a)]))

;;; Limits on threads and processes

(defrecord ProcessLimit [n processes gen]
  Generator
  (update [_ test ctx event]
    (ProcessLimit. n processes (update gen test ctx event)))
  (op [_ test ctx]
    (when-some [[o gen'] (op gen test ctx)]
      (if (identical? :pending o)
        [o (ProcessLimit. n processes gen')]
        (let [processes (into processes (all-processes ctx))]
          (when (<= (count processes) n)
            [o (ProcessLimit. n processes gen')]))))))

(defn process-limit
  "The operations of `gen` until more than `n` processes have been in sight at its operations."
  [n gen]
  (when (and (some? gen) (pos? n))
    (ProcessLimit. n #{} gen)))

(defrecord ConcurrencyLimit [n gen]
  Generator
  (update [_ test ctx event]
    (ConcurrencyLimit. n (update gen test ctx event)))
  (op [this test ctx]
    (if (<= n (- (all-thread-count ctx) (free-thread-count ctx)))
      [:pending this]
      (when-some [[o gen'] (op gen test ctx)]
        [o (ConcurrencyLimit. n gen')]))))

(defn concurrency-limit
  "The operations of `gen`, of which no more than `n` are under way at a time."
  [n gen]
  (when (some? gen)
    (ConcurrencyLimit. n gen)))

(defrecord UntilOk [gen done? processes]
  Generator
  (update [_ test ctx event]
    (let [gen'    (update gen test ctx event)
          process (:process event)]
      (if (contains? processes process)
        (case (:type event)
          :ok          (UntilOk. gen' true processes)
          (:fail :info) (UntilOk. gen' done? (disj processes process))
          (UntilOk. gen' done? processes))
        (UntilOk. gen' done? processes))))
  (op [_ test ctx]
    (when-not done?
      (when-some [[o gen'] (op gen test ctx)]
        [o (UntilOk. gen' done? (if (identical? :pending o)
                                  processes
                                  (conj processes (:process o))))]))))

(defn until-ok
  "The operations of `gen` until one of them completes as :ok."
  [gen]
  (when (some? gen)
    (UntilOk. gen false #{})))
