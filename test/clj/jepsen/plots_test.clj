(ns jepsen.plots-test
  "Plots and the timeline: files with what they should show."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [jepsen.checker :as checker]
            [jepsen.checker.timeline :as timeline]
            [jepsen.history :as h]
            [jepsen.store :as store]
            [jepsen.temporary :as temporary])
  (:import (java.awt.image BufferedImage)
           (javax.imageio ImageIO)))

(set! *warn-on-reflection* true)

(def ^:private test-map
  {:name       "plots"
   :start-time "t0"
   :plot       {:nemeses #{{:name  "cut", :start #{:cut}, :stop #{:mend}
                            :color "#00FF00", :transparency 1.0}}}})

(defn- history
  "A history of `n` operations, 10 ms apart, with a fault in its middle
  third."
  [n]
  (let [at     (fn [i] (* i 10000000))
        client (fn [i]
                 [{:type :invoke, :process 0, :f :r, :time (at i)}
                  {:type :ok, :process 0, :f :r, :time (+ (at i) 2000000)}])
        fault  (fn [i f]
                 (repeat 2 {:type :info, :process :nemesis, :f f
                            :time (at i), :clock-offsets {"n1" (* 0.1 i)}}))
        third  (quot n 3)]
    (h/history (concat (mapcat client (range third))
                       (fault third :cut)
                       (mapcat client (range third (* 2 third)))
                       (fault (* 2 third) :mend)
                       (mapcat client (range (* 2 third) n))))))

(defn- pure-green
  "How many pixels of an image have the fault's colour."
  [file]
  (let [^BufferedImage image (ImageIO/read (io/file file))]
    (count (for [x (range (.getWidth image))
                 y (range (.getHeight image))
                 :when (= 0x00FF00 (bit-and 0xFFFFFF (.getRGB image x y)))]
             1))))

(defmacro ^:private in-temporary-store
  [& body]
  `(temporary/with-dir [dir#]
     (with-redefs [store/base-dir (str dir#)]
       ~@body)))

(deftest perf-test
  (in-temporary-store
   (is (true? (:valid? (checker/check (checker/perf) test-map (history 300)
                                      {}))))
   (testing "the fault's band covers a third of each plot"
     (doseq [f ["latency-raw.png" "latency-quantiles.png" "rate.png"]]
       (let [share (/ (pure-green (store/path test-map f)) (* 900 400.0))]
         (is (< 0.1 share 0.4) f))))))

(deftest subdirectory-test
  (in-temporary-store
   (checker/check (checker/rate-graph) test-map (history 30)
                  {:subdirectory ["independent" 1]})
   (is (.exists (store/path test-map "independent" 1 "rate.png")))))

(deftest nothing-to-plot-test
  (in-temporary-store
   (is (true? (:valid? (checker/check (checker/perf) test-map (h/history [])
                                      {}))))
   (is (not (.exists (store/path test-map "rate.png"))))))

(deftest clock-plot-test
  (in-temporary-store
   (checker/check (checker/clock-plot) test-map (history 30) {})
   (is (.exists (store/path test-map "clock-skew.png")))))

(deftest timeline-test
  (in-temporary-store
   (checker/check
    (timeline/html) test-map
    (h/history [{:type :invoke, :process 0, :f :w, :value "<b>"}
                {:type :info, :process :nemesis, :f :cut}
                {:type :invoke, :process 1, :f :r}
                {:type :info, :process :nemesis, :f :cut, :value :done}
                {:type :fail, :process 0, :f :w, :value "<b>"}])
    {})
   (let [page  (slurp (store/path test-map "timeline.html"))
         boxes (re-seq #"class=\"op (\w+)\"" page)]
     (is (= ["fail" "info" "invoke"] (map second boxes))
         "one box per operation, by its outcome")
     (is (not (str/includes? page "<b>")) "values are escaped"))))
