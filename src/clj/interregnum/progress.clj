(ns interregnum.progress
  "One status line while a test runs: time, operations by type, the owner, and the
  faults that are active. On a terminal it is rewritten in place, elsewhere a line
  is printed every few seconds. It goes to standard error.

  `:progress` of the test map is the atom it is made from; see `initial`."
  (:require [clojure.string :as str]
            [jepsen.generator :as gen]
            [jepsen.util :as util]))

(set! *warn-on-reflection* true)

(def initial
  "What is known before the start:

    :phase   :setup, :run, or :check after the last operation
    :counts  {:ok n :fail n :info n} of client operations
    :owner   {:id :term} of the id service, nil while unknown
    :active  names of the faults that were injected and not ended"
  {:phase  :setup
   :counts {:ok 0 :fail 0 :info 0}
   :owner  nil
   :active (sorted-set)})

(defn owner!
  "Notes that `leader` {:id :term} was seen to lead; an older term is ignored."
  [test leader]
  (some-> (:progress test)
          (swap! update :owner
                 #(if (<= (:term % -1) (:term leader))
                    (select-keys leader [:id :term])
                    %))))

(defn owner
  "The owner that was seen last in `test`, as {:id :term}, or nil."
  [test]
  (some-> (:progress test) deref :owner))

(defn ok-count
  "How many client operations of `test` have succeeded so far."
  [test]
  (get-in @(:progress test) [:counts :ok]))

(defn- after-event
  "The state after a completion or invocation; `perf` says which `:f`s start and
  stop a fault."
  [state perf {:keys [process type f]}]
  (if (integer? process)
    (if (contains? (:counts state) type)
      (update-in state [:counts type] inc)
      state)
    (reduce (fn [state {:keys [name start stop]}]
              (cond (contains? start f) (update state :active conj name)
                    (contains? stop f)  (update state :active disj name)
                    :else               state))
            state perf)))

(defrecord Watched [generator progress perf]
  gen/Generator
  (op [this test context]
    (if-let [[op generator'] (gen/op generator test context)]
      [op (assoc this :generator generator')]
      (do (swap! progress assoc :phase :check)
          nil)))

  (update [this test context event]
    (swap! progress #(after-event (assoc % :phase :run) perf event))
    (assoc this :generator (gen/update generator test context event))))

(defn watched
  "`generator`, with the events it sees noted in the atom `progress`. `perf` is a
  nemesis package's."
  [generator progress perf]
  (->Watched generator progress perf))

(defn line
  "The status line after `secs` seconds."
  [{:keys [phase counts owner active]} secs]
  (let [time (format "%4d s" secs)]
    (case phase
      :setup (str time "  setting up")
      :check (str time "  checking " (reduce + (vals counts)) " operations")
      :run   (str time
                  (str/join (for [type [:ok :fail :info]]
                              (format "  %s %d" (name type) (get counts type 0))))
                  "  owner "
                  (if owner (str (:id owner) " (term " (:term owner) ")") "unknown")
                  "  faults " (if (seq active) (str/join ", " active) "none")))))

(def ^:private terminal-interval-ms 250)
(def ^:private plain-interval-ms 5000)
(def ^:private clear-line "\r\u001b[K")

(defn- print-line!
  [terminal? text]
  (binding [*out* *err*]
    (if terminal? (print (str clear-line text)) (println text))
    (flush)))

(defn with-status-line
  "Calls `(f)` while the state of the atom `progress` is shown; its value."
  [progress terminal? f]
  (let [start    (util/linear-time-nanos)
        running? (promise)
        wait-ms  (if terminal? terminal-interval-ms plain-interval-ms)
        elapsed  #(quot (- (util/linear-time-nanos) start) 1000000000)
        thread   (doto (Thread.
                         ^Runnable
                         (fn []
                           (while (deref running? wait-ms true)
                             (print-line! terminal? (line @progress (elapsed)))))
                         "status line")
                   (.setDaemon true)
                   (.start))]
    (try (f)
         (finally
           (deliver running? false)
           (.join thread)
           (when terminal? (print-line! true ""))))))
