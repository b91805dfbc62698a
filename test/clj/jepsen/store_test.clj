(ns jepsen.store-test
  "What is written is read back, also after a run that died."
  (:require [clojure.edn :as edn]
            [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [jepsen.history :as h]
            [jepsen.store :as store]
            [jepsen.store.format :as format]
            [jepsen.temporary :as temporary])
  (:import (java.io File RandomAccessFile)
           (java.nio.file Files)
           (java.time ZonedDateTime)))

(set! *warn-on-reflection* true)

(def ^:private test-map
  {:name       "stored"
   :start-time (ZonedDateTime/parse "2026-03-04T05:06:07.089+01:00")
   :nodes      ["n1" "n2"]
   :options    {:rate 1.5, :set #{:a}, :f inc, :re #"x+", :nan ##NaN}
   :db         (Object.)
   :secret     (Object.)
   :nonserializable-keys [:secret]})

(def ^:private ops
  [{:type :invoke, :process 0, :f :w, :value [1 "x\ty"], :time 1}
   {:type :fail, :process 0, :f :w, :value [1 "x\ty"], :time 2
    :error [:timeout "no\nanswer"]}])

(defn- run-and-save!
  "Stores a run of `test-map` with the operations `ops`."
  [ops]
  (store/with-handle [t test-map]
    (store/save-0! t)
    (let [t (store/with-history! [t t]
              (run! (:history-writer (:store t)) (h/history ops))
              t)]
      (-> t
          store/save-1!
          (assoc :results {:valid? false, :why [1 2]})
          store/save-2!))))

(defmacro ^:private in-temporary-store
  [[dir] & body]
  `(temporary/with-dir [~dir]
     (with-redefs [store/base-dir (str ~dir)]
       ~@body)))

(defn- link-target
  [^File link]
  (str (.getFileName (.toRealPath (.toPath link)
                                  (make-array java.nio.file.LinkOption 0)))))

(deftest path-test
  (is (= "store/stored/20260304T050607.089+0100/a/b/3"
         (str (store/path test-map ["a" nil ["b"]] 3))))
  (is (thrown? clojure.lang.ExceptionInfo (store/path {:name "x"}))))

(deftest round-trip-test
  (in-temporary-store [dir]
    (run-and-save! ops)
    (let [t (store/test -1)]
      (is (= "stored" (:name t)))
      (is (= "20260304T050607.089+0100" (:start-time t)))
      (is (= {:rate 1.5, :set #{:a}} (select-keys (:options t) [:rate :set])))
      (is (Double/isNaN (:nan (:options t))))
      (is (= {:valid? false, :why [1 2]} (:results t)))
      (is (= (map-indexed #(assoc %2 :index %1) ops)
             (map #(into {} %) (:history t))))
      (testing "what cannot be stored is left out"
        (is (not-any? #(contains? t %) [:db :secret :store]))))))

(deftest files-test
  (in-temporary-store [dir]
    (let [t     (run-and-save! ops)
          lines (fn [f] (str/split-lines (slurp (store/path t f))))]
      (is (= ["0\t:invoke\t:w\t[1 \"x\\ty\"]"
              (str "0\t:fail\t:w\t[1 \"x\\ty\"]\t"
                   "[:timeout \"no\\nanswer\"]")]
             (lines "history.txt")))
      (is (= (map-indexed #(assoc %2 :index %1) ops)
             (map edn/read-string (lines "history.edn"))))
      (is (= {:valid? false, :why [1 2]}
             (edn/read-string (slurp (store/path t "results.edn")))))
      (testing "links lead to the run"
        (doseq [link ["current" "latest" "stored/latest"]]
          (is (= "20260304T050607.089+0100"
                 (link-target (io/file dir link)))))))))

(deftest which-test
  (in-temporary-store [dir]
    (is (nil? (store/latest)))
    (is (thrown? clojure.lang.ExceptionInfo (store/test -1)))
    (run-and-save! ops)
    (with-redefs [test-map (assoc test-map
                                  :name "other"
                                  :start-time (ZonedDateTime/parse
                                               "2026-03-04T05:06:06Z"))]
      (run-and-save! []))
    (is (= ["other" "stored"] (store/test-names)))
    (is (= "other" (:name (store/test -1))) "it started last")
    (is (= "stored" (:name (store/test 0))))
    (is (= "stored" (:name (store/test (str (store/path test-map))))))
    (is (= {:valid? false, :why [1 2]}
           (store/load-results "stored" "20260304T050607.089+0100")))
    (testing "a folder that is no test"
      (is (thrown? clojure.lang.ExceptionInfo (store/test (str dir)))))
    (store/delete! "other")
    (is (= ["stored"] (store/test-names)))))

(deftest died-in-the-run-test
  (testing "the operations until then can be read"
    (in-temporary-store [dir]
      (is (thrown? RuntimeException
                   (store/with-handle [t test-map]
                     (store/save-0! t)
                     (store/with-history! [t t]
                       (run! (:history-writer (:store t)) (h/history ops))
                       (throw (RuntimeException. "died"))))))
      (let [t (store/test (str (store/path test-map)))]
        (is (= 2 (count (:history t))))
        (is (not (contains? t :results)))))))

(defn- truncate!
  [^File file bytes]
  (with-open [f (RandomAccessFile. file "rw")]
    (.setLength f (- (.length f) (long bytes)))))

(deftest torn-block-test
  (testing "a block that was not written to its end does not count"
    (temporary/with-dir [dir]
      (let [file (io/file dir "test.jepsen")]
        (format/append! file :test {:a 1})
        (format/append! file :test {:a 2})
        (format/append! file :results {:valid? true})
        (is (= {:test {:a 2}, :results {:valid? true}}
               (format/read-blocks file)))
        (truncate! file 1)
        (is (= {:test {:a 2}} (format/read-blocks file)))))))

(deftest damaged-block-test
  (testing "a block with other bytes than were written does not count"
    (temporary/with-dir [dir]
      (let [file (io/file dir "test.jepsen")]
        (format/append! file :test {:a 1})
        (let [intact (.length file)]
          (format/append! file :test {:a 2})
          (with-open [f (RandomAccessFile. file "rw")]
            (.seek f (+ intact 11))
            (.write f (int \x))))
        (is (= {:test {:a 1}} (format/read-blocks file)))))))

(deftest no-test-file-test
  (temporary/with-dir [dir]
    (let [file (io/file dir "test.jepsen")]
      (spit file "hello, this is something else")
      (is (= ::format/not-a-test
             (try (format/read-blocks file)
                  (catch clojure.lang.ExceptionInfo e
                    (:type (ex-data e))))))
      (spit file "")
      (is (thrown? clojure.lang.ExceptionInfo (format/read-blocks file))))))

(deftest interrupted-links-test
  (testing "a link that a killed run left half made is no obstacle"
    (in-temporary-store [dir]
      (let [temp (io/file dir "latest.new")]
        (io/make-parents temp)
        (Files/createSymbolicLink
         (.toPath temp) (.toPath (io/file "nowhere"))
         (make-array java.nio.file.attribute.FileAttribute 0))
        (run-and-save! ops)
        (is (= "20260304T050607.089+0100"
               (link-target (io/file dir "latest"))))))))
