(ns jepsen.history.task
  "Computations that depend on each other, run on a shared pool of as many threads as there are
  processors."
  (:import (clojure.lang IBlockingDeref IDeref IPending)
           (java.util.concurrent CompletableFuture CompletionException ExecutionException
                                 ForkJoinPool TimeUnit TimeoutException)
           (java.util.function Function Supplier)))

(set! *warn-on-reflection* true)

(def executor
  "The pool that tasks and folds run on. A task that waits for another gives up its processor."
  (ForkJoinPool. (.availableProcessors (Runtime/getRuntime))
                 ForkJoinPool/defaultForkJoinWorkerThreadFactory nil true))

(defn- root-of
  "The Throwable that a future failed with, out of the wrappers that futures put around it."
  [^Throwable t]
  (if (and (or (instance? CompletionException t) (instance? ExecutionException t))
           (.getCause t))
    (recur (.getCause t))
    t))

(deftype Task [task-name data ^CompletableFuture result]
  IDeref
  (deref [_]
    (try (.get result)
         (catch ExecutionException e
           (throw (root-of e)))))

  IBlockingDeref
  (deref [_ timeout-ms timeout-value]
    (try (.get result timeout-ms TimeUnit/MILLISECONDS)
         (catch TimeoutException _ timeout-value)
         (catch ExecutionException e
           (throw (root-of e)))))

  IPending
  (isRealized [_] (.isDone result))

  Object
  (toString [_] (str "#<Task " task-name ">")))

(defmethod print-method Task
  [task ^java.io.Writer w]
  (.write w (str task)))

(defn call
  "A Task that calls `f` with a vector of the values of the tasks `deps` once these are done;
  `deref` waits for its value or throws what it threw. The name and `data` only describe it."
  ([task-name deps f] (call task-name nil deps f))
  ([task-name data deps f]
   (let [f     (bound-fn* f)
         ready (CompletableFuture/allOf
                 (into-array CompletableFuture (map (fn [^Task dep] (.result dep)) deps)))]
     (Task. task-name data
            (.thenApplyAsync ready
                             (reify Function
                               (apply [_ _] (f (mapv deref deps))))
                             ^ForkJoinPool executor)))))

(defn catch-task
  "A Task with the value of `task` or, if that threw, of `f` called with the Throwable."
  [^Task task task-name f]
  (let [f (bound-fn* f)]
    (Task. task-name nil
           (.exceptionally ^CompletableFuture (.result task)
                           (reify Function
                             (apply [_ t] (f (root-of t))))))))

(defn cancel-task
  "Cancels `task`: unless it has already ended, its value becomes a CancellationException."
  [^Task task]
  (.cancel ^CompletableFuture (.result task) true)
  task)

(defn pmapv
  "The vector of the values of `f` for the elements of `xs`, computed on the pool."
  [f xs]
  (let [f       (bound-fn* f)
        futures (mapv (fn [x]
                        (CompletableFuture/supplyAsync
                          (reify Supplier (get [_] (f x)))
                          ^ForkJoinPool executor))
                      xs)]
    (mapv (fn [^CompletableFuture future]
            (try (.join future)
                 (catch CompletionException e
                   (throw (root-of e)))))
          futures)))
