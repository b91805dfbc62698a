(ns jepsen.store.binary
  "A compact binary form of values: a fraction of the size and of the cost of text.

  A value begins with a byte that says what follows. Numbers are in groups of seven bits, keywords,
  symbols and short strings are written in full once and afterwards by number; so a block of values
  is written with one Writer and read with one Reader.

  What is written comes back as an equal value, with these exceptions. Metadata is lost. Records
  become maps, sequences become lists, and sorted collections lose their order. Exceptions become
  the map that `Throwable->map` makes. Java's own collections and arrays become Clojure's. Whatever
  has no form of its own becomes the tagged literal `#object [class text]`."
  (:import (clojure.lang BigInt IPersistentMap IPersistentSet IPersistentVector IRecord Keyword
                         MapEntry Ratio Sequential Symbol TaggedLiteral)
           (java.math BigDecimal BigInteger)
           (java.nio.charset StandardCharsets)
           (java.util Arrays Date HashMap List Map Set UUID)))

(set! *warn-on-reflection* true)

;;; What follows a tag

(def ^:private ^:const tag-nil 0)
(def ^:private ^:const tag-true 1)
(def ^:private ^:const tag-false 2)
(def ^:private ^:const tag-long 3)
(def ^:private ^:const tag-double 4)
(def ^:private ^:const tag-string 5)
(def ^:private ^:const tag-known 6)
(def ^:private ^:const tag-keyword 7)
(def ^:private ^:const tag-symbol 8)
(def ^:private ^:const tag-short-string 9)
(def ^:private ^:const tag-vector 10)
(def ^:private ^:const tag-list 11)
(def ^:private ^:const tag-map 12)
(def ^:private ^:const tag-set 13)
(def ^:private ^:const tag-entry 14)
(def ^:private ^:const tag-ratio 15)
(def ^:private ^:const tag-big-integer 16)
(def ^:private ^:const tag-big-decimal 17)
(def ^:private ^:const tag-character 18)
(def ^:private ^:const tag-uuid 19)
(def ^:private ^:const tag-instant 20)
(def ^:private ^:const tag-bytes 21)
(def ^:private ^:const tag-tagged 22)

(def ^:private ^:const short-string-length
  "Strings up to this length are remembered."
  24)

;;; Writing

(definterface IWriter
  (^void putByte [^long b])
  (^void putVarint [^long n])
  (^void putBytes [^bytes bs])
  (^Object remember [x])
  (^long position [])
  (^bytes contents [])
  (^void reset []))

;; A growing array of bytes. `known` maps what has been written in full to its number.
(deftype Writer [^:unsynchronized-mutable ^bytes buffer
                 ^:unsynchronized-mutable ^long size
                 ^HashMap known]
  IWriter
  (putByte [_ b]
    (when (= size (alength buffer))
      (set! buffer (Arrays/copyOf buffer (* 2 (alength buffer)))))
    (aset buffer size (unchecked-byte b))
    (set! size (inc size)))
  (putVarint [this n]
    (loop [n n]
      (if (zero? (bit-and n -128))
        (.putByte this n)
        (do (.putByte this (bit-or 128 (bit-and n 127)))
            (recur (unsigned-bit-shift-right n 7))))))
  (putBytes [this bs]
    (let [n (alength bs)]
      (when (< (alength buffer) (+ size n))
        (set! buffer (Arrays/copyOf buffer (int (* 2 (+ size n))))))
      (System/arraycopy bs 0 buffer size n)
      (set! size (+ size n))))
  (remember [_ x]
    (or (.get known x)
        (do (.put known x (.size known))
            nil)))
  (position [_] size)
  (contents [_] (Arrays/copyOf buffer (int size)))
  (reset [_]
    (set! size 0)
    (.clear known)))

(defn writer
  "A new Writer, with nothing in it."
  ^Writer []
  (Writer. (byte-array 8192) 0 (HashMap.)))

(declare write!)

(defn write-long!
  "Writes a long that is more often close to zero than not, without a tag."
  [^Writer w ^long n]
  (.putVarint w (bit-xor (bit-shift-left n 1) (bit-shift-right n 63))))

(defn- write-text!
  "Writes the bytes of a string, without a tag."
  [^Writer w ^String s]
  (let [bs (.getBytes s StandardCharsets/UTF_8)]
    (.putVarint w (alength bs))
    (.putBytes w bs)))

(defn- write-name!
  "Writes `x` by its number if it is known, and otherwise in full: the tag and `text`."
  [^Writer w x tag text]
  (if-some [n (.remember w x)]
    (do (.putByte w tag-known)
        (.putVarint w (long n)))
    (do (.putByte w (long tag))
        (write-text! w text))))

(defn- write-string!
  [^Writer w ^String s]
  (if (<= (.length s) (long short-string-length))
    (write-name! w s tag-short-string s)
    (do (.putByte w tag-string)
        (write-text! w s))))

(defn- write-elements!
  "Writes the tag, the number of elements and the elements of a collection."
  [^Writer w tag n xs]
  (.putByte w (long tag))
  (.putVarint w (long n))
  (reduce (fn [_ x] (write! w x)) nil xs))

(defn- write-map!
  [^Writer w m]
  (.putByte w tag-map)
  (.putVarint w (count m))
  (reduce (fn [_ [k v]]
            (write! w k)
            (write! w v))
          nil m))

(defn- write-list!
  [w xs]
  (let [xs (vec xs)]
    (write-elements! w tag-list (count xs) xs)))

(defn- write-tagged-text!
  [^Writer w tag x]
  (.putByte w (long tag))
  (write-text! w (str x)))

(defn- write-tagged!
  "Writes a tagged literal."
  [^Writer w tag form]
  (.putByte w tag-tagged)
  (write! w tag)
  (write! w form))

(defn- write-array!
  [^Writer w x]
  (if (bytes? x)
    (do (.putByte w tag-bytes)
        (.putVarint w (alength ^bytes x))
        (.putBytes w x))
    (write-elements! w tag-vector (count x) x)))

(defn- write-rare!
  "Writes a value of one of the rarer types."
  [^Writer w x]
  (cond
    (instance? Symbol x)      (write-name! w x tag-symbol (str x))
    (instance? Ratio x)       (do (.putByte w tag-ratio)
                                  (write-text! w (str (numerator x)))
                                  (write-text! w (str (denominator x))))
    (or (instance? BigInt x)
        (instance? BigInteger x)) (write-tagged-text! w tag-big-integer x)
    (instance? BigDecimal x)  (write-tagged-text! w tag-big-decimal x)
    (instance? Number x)      (do (.putByte w tag-double)
                                  (.putVarint w (Double/doubleToRawLongBits (double x))))
    (char? x)                 (write-tagged-text! w tag-character x)
    (uuid? x)                 (write-tagged-text! w tag-uuid x)
    (instance? Date x)        (do (.putByte w tag-instant)
                                  (write-long! w (.getTime ^Date x)))
    (instance? Throwable x)   (write! w (Throwable->map x))
    (instance? TaggedLiteral x) (write-tagged! w (:tag x) (:form x))
    (instance? Sequential x)  (write-list! w x)
    (instance? Map x)         (write-map! w x)
    (instance? Set x)         (write-elements! w tag-set (count x) x)
    (instance? List x)        (write-elements! w tag-vector (count x) x)
    (.isArray (class x))      (write-array! w x)
    :else                     (write-tagged! w 'object [(.getName (class x)) (str x)])))

(defn write!
  "Writes the value `x`."
  [^Writer w x]
  (cond
    (nil? x)                         (.putByte w tag-nil)
    (instance? Long x)               (do (.putByte w tag-long)
                                         (write-long! w (long x)))
    (instance? Keyword x)            (write-name! w x tag-keyword
                                                  (.toString (.sym ^Keyword x)))
    (instance? String x)             (write-string! w x)
    (instance? MapEntry x)           (do (.putByte w tag-entry)
                                         (write! w (.key ^MapEntry x))
                                         (write! w (.val ^MapEntry x)))
    (instance? IPersistentVector x)  (write-elements! w tag-vector (count x) x)
    (instance? IPersistentMap x)     (write-map! w x)
    (instance? IPersistentSet x)     (write-elements! w tag-set (count x) x)
    (true? x)                        (.putByte w tag-true)
    (false? x)                       (.putByte w tag-false)
    (int? x)                         (write! w (long x))
    :else                            (write-rare! w x)))

;;; Reading

(definterface IReader
  (^long nextByte [])
  (^long nextVarint [])
  (^bytes nextBytes [^long n])
  (^Object recall [^long n])
  (^Object remember [x])
  (^boolean hasMore []))

(deftype Reader [^bytes buffer ^:unsynchronized-mutable ^long position ^java.util.ArrayList known]
  IReader
  (nextByte [_]
    (let [b (aget buffer position)]
      (set! position (inc position))
      (long b)))
  (nextVarint [this]
    (loop [n 0, shift 0]
      (let [b (.nextByte this)
            n (bit-or n (bit-shift-left (bit-and b 127) shift))]
        (if (neg? b)
          (recur n (+ shift 7))
          n))))
  (nextBytes [_ n]
    (let [end (+ position n)
          bs  (Arrays/copyOfRange buffer (int position) (int end))]
      (set! position end)
      bs))
  (recall [_ n] (.get known (int n)))
  (remember [_ x]
    (.add known x)
    x)
  (hasMore [_] (< position (alength buffer))))

(defn reader
  "A Reader of what one Writer wrote: all its bytes."
  ^Reader [^bytes buffer]
  (Reader. buffer 0 (java.util.ArrayList.)))

(declare read!)

(defn read-long!
  "Reads what `write-long!` wrote."
  ^long [^Reader r]
  (let [n (.nextVarint r)]
    (bit-xor (unsigned-bit-shift-right n 1) (- (bit-and n 1)))))

(defn- read-text!
  ^String [^Reader r]
  (String. (.nextBytes r (.nextVarint r)) StandardCharsets/UTF_8))

(defn- read-elements!
  "Reads the elements of a collection into the empty collection `into-coll`."
  [^Reader r into-coll]
  (let [n (.nextVarint r)]
    (loop [i 0, xs (transient into-coll)]
      (if (< i n)
        (recur (inc i) (conj! xs (read! r)))
        (persistent! xs)))))

(defn- read-map!
  [^Reader r]
  (let [n (.nextVarint r)]
    (loop [i 0, m (transient {})]
      (if (< i n)
        (let [k (read! r)]
          (recur (inc i) (assoc! m k (read! r))))
        (persistent! m)))))

(defn- read-list!
  [r]
  (apply list (read-elements! r [])))

(defn- read-rare!
  "Reads a value of one of the rarer types, whose tag has been read."
  [^Reader r ^long tag]
  (condp = tag
    tag-symbol      (.remember r (symbol (read-text! r)))
    tag-list        (read-list! r)
    tag-ratio       (/ (bigint (BigInteger. (read-text! r))) (BigInteger. (read-text! r)))
    tag-big-integer (bigint (BigInteger. (read-text! r)))
    tag-big-decimal (BigDecimal. (read-text! r))
    tag-character   (.charAt (read-text! r) 0)
    tag-uuid        (UUID/fromString (read-text! r))
    tag-instant     (Date. (read-long! r))
    tag-bytes       (.nextBytes r (.nextVarint r))
    tag-tagged      (tagged-literal (read! r) (read! r))
    (throw (ex-info (str "no value begins with the byte " tag)
                    {:type ::unknown-tag, :tag tag}))))

(defn read!
  "Reads one value."
  [^Reader r]
  (let [tag (.nextByte r)]
    (case (int tag)
      0  nil
      1  true
      2  false
      3  (read-long! r)
      4  (Double/longBitsToDouble (.nextVarint r))
      5  (read-text! r)
      6  (.recall r (.nextVarint r))
      7  (.remember r (keyword (read-text! r)))
      9  (.remember r (read-text! r))
      10 (read-elements! r [])
      12 (read-map! r)
      13 (read-elements! r #{})
      14 (MapEntry/create (read! r) (read! r))
      (read-rare! r tag))))
