(ns interregnum.nemesis.phase-test
  (:require [clojure.data.json :as json]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [interregnum.nemesis.phase :as phase]
            [jepsen.nemesis :as nemesis])
  (:import (com.sun.net.httpserver HttpExchange HttpHandler HttpServer)
           (java.net InetSocketAddress ServerSocket)))

(set! *warn-on-reflection* true)

(defn- status-port
  "A server that lists the names in the atom `armed` as armed failpoints, and disarms
  them when it is told to."
  ^HttpServer [armed]
  (doto (HttpServer/create (InetSocketAddress. "127.0.0.1" 0) 0)
    (.createContext
     "/failpoint"
     (reify HttpHandler
       (handle [_ exchange]
         (let [^HttpExchange exchange exchange
               point (last (str/split (str (.getRequestURI exchange)) #"/"))]
           (when (= "DELETE" (.getRequestMethod exchange))
             (swap! armed disj point))
           (let [bytes (.getBytes ^String (json/write-str
                                            (for [name @armed] {:name name, :term "pause"})))]
             (.sendResponseHeaders exchange 200 (count bytes))
             (with-open [out (.getResponseBody exchange)]
               (.write out bytes)))))))
    (.start)))

(defn- silent-address
  []
  (with-open [socket (ServerSocket. 0)]
    (str "127.0.0.1:" (.getLocalPort socket))))

(deftest strays-test
  (testing "what a node armed late is disarmed, though nobody knows of it"
    (let [armed  (atom (sorted-set "beforeReload" "beforeRunJob"))
          server (status-port armed)]
      (try
        (let [test {:nodes     ["n1" "n2"]
                    :role      :ddl
                    :addresses {"n1" (str "127.0.0.1:" (.getPort (.getAddress server)))
                                "n2" (silent-address)}}
              {:keys [nemesis final-generator]} (phase/package {:seed 1, :role :ddl, :interval 1,
                                                               :first-after 1})]
          (is (= {:released [["n1" "beforeReload"] ["n1" "beforeRunJob"]], :left []}
                 (:value (nemesis/invoke! nemesis test final-generator))))
          (is (empty? @armed)))
        (finally
          (.stop server 0))))))
