(ns jepsen.generator.interpreter.mailbox
  "Mailboxes hand one thing at a time to the thread that owns them; a pile collects things from many
  threads for whoever takes them all.

  Waking a parked thread costs more than all else that happens to a fast operation. The owner of a
  mailbox that expects something soon can look again for some microseconds before it parks."
  (:import (java.util.concurrent.atomic AtomicReference)
           (java.util.concurrent.locks LockSupport)))

(set! *warn-on-reflection* true)

(def ^:private spins
  "How often an owner who expects something soon looks again: for some ten microseconds."
  200)

(def ^:private yields
  "How often it then lets other threads run before it looks, instead of parking. When there are more
  threads than processors this is what lets the thread go on that it waits for."
  4)

;; content  what is to be taken, or nil
;; parked   the owner's Thread while it is parked, or about to be
(deftype Mailbox [^AtomicReference content ^AtomicReference parked])

(defn mailbox
  "A new, empty mailbox."
  []
  (Mailbox. (AtomicReference.) (AtomicReference.)))

(defn put!
  "Puts `x`, which is not nil, into the mailbox. Returns true if its owner is parked and waits for
  `wake!`."
  [^Mailbox mailbox x]
  (.set ^AtomicReference (.content mailbox) x)
  (some? (.get ^AtomicReference (.parked mailbox))))

(defn wake!
  "Wakes the owner of the mailbox if it is parked."
  [^Mailbox mailbox]
  (when-some [owner (.get ^AtomicReference (.parked mailbox))]
    (LockSupport/unpark ^Thread owner)))

(defn- park-until-filled!
  "Returns when `content` is no longer nil. An interrupt is no reason to return, but is not lost."
  [^Mailbox mailbox ^AtomicReference content]
  (let [^AtomicReference parked (.parked mailbox)]
    (.set parked (Thread/currentThread))
    (loop [interrupted false]
      (if (nil? (.get content))
        (do (LockSupport/park mailbox)
            (recur (or (Thread/interrupted) interrupted)))
        (when interrupted
          (.interrupt (Thread/currentThread)))))
    (.set parked nil)))

(defn take!
  "Empties the mailbox and returns what was in it, after waiting for it if need be. `soon` says that
  it is worth looking again before parking. Only for the owner's thread."
  [^Mailbox mailbox soon]
  (let [^AtomicReference content (.content mailbox)
        spins  (if soon (long spins) 0)
        yields (if soon (+ spins (long yields)) 0)]
    (loop [n 0]
      (let [x (.get content)]
        (cond (some? x)    (do (.set content nil) x)
              (< n spins)  (do (Thread/onSpinWait) (recur (inc n)))
              (< n yields) (do (Thread/yield) (recur (inc n)))
              :else        (do (park-until-filled! mailbox content) (recur 0)))))))

;;; Piles

(deftype Pile [item next])

(defn pile
  "A new, empty pile."
  ^AtomicReference []
  (AtomicReference.))

(defn add!
  "Adds `x` to the pile."
  [^AtomicReference pile x]
  (loop []
    (let [top (.get pile)]
      (when-not (.compareAndSet pile top (Pile. x top))
        (recur)))))

(defn empty-pile?
  "True if the pile is empty."
  [^AtomicReference pile]
  (nil? (.get pile)))

(defn take-all!
  "Empties the pile and returns a sequence of what was in it, in the order of its arrival; nil if
  there was nothing."
  [^AtomicReference pile]
  (when-not (empty-pile? pile)
    (loop [^Pile top (.getAndSet pile nil), items nil]
      (if (nil? top)
        items
        (recur (.next top) (cons (.item top) items))))))
