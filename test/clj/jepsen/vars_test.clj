(ns jepsen.vars-test
  (:require [clojure.test :refer [deftest is]]
            [jepsen.vars :as vars]))

(set! *warn-on-reflection* true)

(deftest late-test
  (let [asked (repeatedly 4 #(future ((vars/late 'jepsen.slow-to-load/answer))))]
    (is (= [42 42 42 42] (mapv deref (doall asked)))))
  (is (thrown? java.io.FileNotFoundException (vars/late 'no.such.namespace/f))))
