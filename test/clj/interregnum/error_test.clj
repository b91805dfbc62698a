(ns interregnum.error-test
  (:require [clojure.test :refer [are deftest is testing]]
            [interregnum.error :as error])
  (:import (com.mysql.cj.exceptions CJCommunicationsException)
           (java.io EOFException IOException)
           (java.net ConnectException NoRouteToHostException SocketTimeoutException)
           (java.sql SQLException SQLTransientConnectionException)))

(defn- communications
  "What Connector/J throws when a connection breaks because of `cause`."
  [cause]
  (SQLException. "Communications link failure\n\nThe last packet sent ..." "08S01" 0
                 (CJCommunicationsException. "Communications link failure" cause)))

(deftest classify-test
  (are [throwable type definite?]
       (= [type definite?] ((juxt :type :definite?) (error/classify throwable)))
    (SQLException. "Duplicate entry '5' for key 'PRIMARY'" "23000" 1062)
    :dup-key true
    (SQLException. "commit undetermined" "HY000" 8501)
    :undetermined false
    (SQLException. "no auto id" "HY000" 1467)
    :no-auto-id true
    (SQLException. "shutting down" "08S01" 1053)
    :shutdown true
    (SQLException. "a number nobody knows" "HY000" 31337)
    :unknown-code false
    (communications (ConnectException. "Connection refused"))
    :no-connection true
    (communications (NoRouteToHostException. "No route to host"))
    :no-connection true
    (communications (SocketTimeoutException. "Read timed out"))
    :timeout false
    (communications (EOFException. "unexpectedly lost"))
    :connection-lost false
    (communications (IOException. "Connection reset by peer"))
    :connection-lost false
    (SQLTransientConnectionException. "timed out" "08001")
    :connection-lost false
    (SQLException. "No operations allowed after connection closed." "08003")
    :connection-closed true
    (error/connecting (communications (SocketTimeoutException. "Read timed out")))
    :no-connection true
    (error/connecting (SQLException. "Too many connections" "08004" 1040))
    :no-connection true
    (RuntimeException. "no idea")
    :unknown false
    (NullPointerException.)
    :unknown false))

(deftest every-server-error-test
  (testing "the registry decides about every error that a node sends"
    (doseq [[code {:keys [name definite?]}] @error/server-errors]
      (is (= {:type name :definite? definite? :code code :message "m"}
             (dissoc (error/classify (SQLException. "m" "HY000" (int code))) :id))))))

(deftest details-test
  (is (= {:type :dup-key :definite? true :code 1062 :id 17
          :message "Duplicate entry '17' for key 't.PRIMARY'"}
         (error/classify
           (SQLException. "Duplicate entry '17' for key 't.PRIMARY'" "23000" 1062))))
  (testing "a message is one line"
    (is (= "Communications link failure"
           (:message (error/classify (communications (EOFException.))))))))

(deftest complete-test
  (are [type op-f error] (= type (:type (error/complete {:f op-f} error #{:read})))
    :fail :insert {:definite? true}
    :info :insert {:definite? false}
    :fail :read   {:definite? false}
    :info :insert {}))

(deftest broken-connection-test
  (are [broken? type] (= broken? (error/broken-connection? {:type type}))
    true  :timeout
    true  :connection-lost
    true  :unknown
    false :dup-key
    false :undetermined))
