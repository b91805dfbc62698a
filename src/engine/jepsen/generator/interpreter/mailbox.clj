(ns jepsen.generator.interpreter.mailbox
  "Mailboxes hand one thing at a time to the thread that owns them; a pile collects things from many
  threads for whoever takes them all.

  Waking a parked thread costs more than all else that happens to a fast operation, so the owner of
  a mailbox looks again for some microseconds before it parks."
  (:import (java.util.concurrent.atomic AtomicReference)
           (java.util.concurrent.locks LockSupport)))

(set! *warn-on-reflection* true)

(def ^:private spins
  "How often the owner of an empty mailbox looks again before it parks: for some ten microseconds."
  200)

;; content  what is to be taken, or nil
;; parked   the owner's Thread while it is parked, or about to be
(deftype Mailbox [^AtomicReference content ^AtomicReference parked])

(defn mailbox
  "A new, empty mailbox."
  []
  (Mailbox. (AtomicReference.) (AtomicReference.)))

(defn put!
  "Puts `x`, which is not nil, into an empty mailbox."
  [^Mailbox mailbox x]
  (.set ^AtomicReference (.content mailbox) x)
  (when-some [owner (.get ^AtomicReference (.parked mailbox))]
    (LockSupport/unpark ^Thread owner)))

(defn- park-until-filled!
  "Returns when `content` is no longer nil. An interrupt is not a reason to return: what ends a
  worker arrives by mailbox as well."
  [^Mailbox mailbox ^AtomicReference content]
  (let [^AtomicReference parked (.parked mailbox)]
    (.set parked (Thread/currentThread))
    (while (nil? (.get content))
      (Thread/interrupted)
      (LockSupport/park mailbox))
    (.set parked nil)))

(defn take!
  "Empties the mailbox and returns what was in it, after waiting for it if need be. Only for the
  owner's thread."
  [^Mailbox mailbox]
  (let [^AtomicReference content (.content mailbox)]
    (loop [n 0]
      (let [x (.get content)]
        (cond (some? x)   (do (.set content nil) x)
              (< n (long spins)) (do (Thread/onSpinWait) (recur (inc n)))
              :else       (do (park-until-filled! mailbox content) (recur 0)))))))

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
