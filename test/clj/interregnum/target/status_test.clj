(ns interregnum.target.status-test
  (:require [clojure.test :refer [deftest is testing]]
            [interregnum.target.status :as status])
  (:import (com.sun.net.httpserver HttpExchange HttpHandler HttpServer)
           (java.net InetSocketAddress ServerSocket)))

(defn- server
  "An HTTP server that answers what `answers` has for [method path], a [status body];
  404 otherwise."
  ^HttpServer [answers]
  (doto (HttpServer/create (InetSocketAddress. "127.0.0.1" 0) 0)
    (.createContext
     "/"
     (reify HttpHandler
       (handle [_ exchange]
         (let [[status body] (get answers [(.getRequestMethod ^HttpExchange exchange)
                                           (str (.getRequestURI ^HttpExchange exchange))]
                                  [404 "{\"message\":\"no such thing\"}"])
               bytes (.getBytes ^String body)]
           (.sendResponseHeaders exchange status (count bytes))
           (with-open [out (.getResponseBody exchange)]
             (.write out bytes))))))
    (.start)))

(defn- with-answers
  "Calls `(f address)` with the address of a server that gives `answers`."
  [answers f]
  (let [server (server answers)]
    (try
      (f (str "127.0.0.1:" (.getPort (.getAddress server))))
      (finally
        (.stop server 0)))))

(deftest answers-test
  (with-answers {["GET" "/info"]                   [200 "{\"id\":\"n1\",\"autoidLeader\":true}"]
                 ["POST" "/autoid/leader/resign"]  [200 "success!"]
                 ["PUT" "/failpoint/a%2Fb"]        [200 "{}"]
                 ["PUT" "/failpoint/c"]            [400 "{\"message\":\"no such term\"}"]}
    (fn [address]
      (is (= {:id "n1", :autoidLeader true} (status/info address)))
      (is (true? (status/resign-autoid! address)))
      (is (true? (status/arm-failpoint! address "a/b" "pause")))
      (testing "a role without owner"
        (is (nil? (status/autoid-leader address))))
      (testing "a failpoint that the node refuses is an error of ours"
        (is (thrown-with-msg? clojure.lang.ExceptionInfo #"failpoint c refused: no such term"
                              (status/arm-failpoint! address "c" "pausse")))))))

(deftest no-owner-test
  (with-answers {["POST" "/autoid/leader/resign"] [200 "not owner"]}
    (fn [address]
      (is (false? (status/resign-autoid! address))))))

(deftest unreachable-test
  (let [port (with-open [socket (ServerSocket. 0)] (.getLocalPort socket))
        address (str "127.0.0.1:" port)]
    (is (nil? (status/info address)))
    (is (nil? (status/resign-autoid! address)))
    (is (nil? (status/arm-failpoint! address "a" "pause")))))

(deftest silent-test
  (testing "a node that accepts connections but does not answer, as a paused one"
    (with-open [socket (ServerSocket. 0)]
      (let [started (System/nanoTime)]
        (is (nil? (status/info (str "127.0.0.1:" (.getLocalPort socket)))))
        (is (> 5e9 (- (System/nanoTime) started)))))))
