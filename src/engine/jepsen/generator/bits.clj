(ns jepsen.generator.bits
  "Small sets of numbers as arrays of longs, one bit for each number.

  The arrays are never changed once made: functions that add or drop a number return a copy. For the
  few hundred threads of a test this is several times cheaper than a persistent set.")

(set! *warn-on-reflection* true)

(defn none
  "The empty set, with room for the numbers [0, `capacity`)."
  ^longs [^long capacity]
  (long-array (inc (bit-shift-right (dec (max 1 capacity)) 6))))

(defn below
  "The set of the numbers [0, `n`), with room for no others."
  ^longs [^long n]
  (let [^longs bits (none n)
        end (rem n 64)]
    (java.util.Arrays/fill bits (long -1))
    (when-not (zero? end)
      (aset bits (dec (alength bits)) (dec (bit-shift-left 1 end))))
    bits))

(defn with-bit
  "The set `bits` with the number `i`."
  ^longs [^longs bits ^long i]
  (let [copy (aclone bits)
        word (bit-shift-right i 6)]
    (aset copy word (bit-or (aget copy word) (bit-shift-left 1 i)))
    copy))

(defn without-bit
  "The set `bits` without the number `i`."
  ^longs [^longs bits ^long i]
  (let [copy (aclone bits)
        word (bit-shift-right i 6)]
    (aset copy word (bit-and-not (aget copy word) (bit-shift-left 1 i)))
    copy))

(defn bit?
  "True if the set `bits` has the number `i`."
  [^longs bits ^long i]
  (not (zero? (bit-and (aget bits (bit-shift-right i 6)) (bit-shift-left 1 i)))))

(defn both
  "The numbers that are in `a` as well as in `b`, sets of one capacity."
  ^longs [^longs a ^longs b]
  (let [copy (aclone a)]
    (dotimes [word (alength copy)]
      (aset copy word (bit-and (aget copy word) (aget b word))))
    copy))

(defn size
  "How many numbers the set `bits` has."
  ^long [^longs bits]
  (areduce bits word n 0 (+ n (Long/bitCount (aget bits word)))))

(defn next-bit
  "The smallest number of the set `bits` that is not smaller than `from`, or -1."
  ^long [^longs bits ^long from]
  (let [words (alength bits)
        first-word (bit-shift-right from 6)]
    (if (<= words first-word)
      -1
      (loop [word first-word
             left (bit-and (aget bits first-word) (bit-shift-left -1 from))]
        (if-not (zero? left)
          (+ (bit-shift-left word 6) (Long/numberOfTrailingZeros left))
          (let [word (inc word)]
            (if (= word words)
              -1
              (recur word (aget bits word)))))))))

(defn numbers
  "The numbers of the set `bits`, a vector in increasing order."
  [^longs bits]
  (loop [i (next-bit bits 0), found (transient [])]
    (if (neg? i)
      (persistent! found)
      (recur (next-bit bits (inc i)) (conj! found i)))))
