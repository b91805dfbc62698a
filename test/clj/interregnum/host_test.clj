(ns interregnum.host-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.host :as host]
            [jepsen.control.core :as remote])
  (:import (java.net ServerSocket)))

(deftest address-test
  (let [test {:addresses {"n1" "10.0.0.1"}}]
    (is (= "10.0.0.1" (host/address test "n1")))
    (testing "a node that nothing is said about goes by its name"
      (is (= "n2" (host/address test "n2")))
      (is (= "n2" (host/address {} "n2"))))))

(deftest remote-test
  (let [connected (reify remote/Remote
                    (connect [_ conn-spec] conn-spec))
        remote    (host/->AddressedRemote connected {"n1" "10.0.0.1"})]
    (testing "a node is connected to by its address"
      (is (= {:host "10.0.0.1", :port 22} (remote/connect remote {:host "n1", :port 22})))
      (is (= {:host "n2", :port 22} (remote/connect remote {:host "n2", :port 22}))))))

(defn- closed-port
  "A port of this machine that nobody listens on."
  []
  (with-open [socket (ServerSocket. 0)]
    (.getLocalPort socket)))

(deftest unreachable-test
  (testing "a host that does not answer is named before anything is done"
    (let [port (closed-port)]
      (is (= (str "cannot reach host 127.0.0.1 (127.0.0.1:" port
                  ") over SSH: Connection refused")
             (try
               (host/with-hosts {:hosts "ssh", :nodes ["127.0.0.1"], :ssh {:port port}}
                 (fn [_] :ran))
               (catch clojure.lang.ExceptionInfo e
                 (ex-message e))))))))

(deftest reachable-test
  (testing "hosts that exist are used as they are"
    (with-open [socket (ServerSocket. 0)]
      (let [options {:hosts "ssh", :nodes ["127.0.0.1"], :ssh {:port (.getLocalPort socket)}}]
        (is (= options (host/with-hosts options identity)))))))
