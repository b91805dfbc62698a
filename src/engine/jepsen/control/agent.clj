(ns jepsen.control.agent
  "Authentication by the keys of a running ssh-agent, found through
  SSH_AUTH_SOCK. The agent signs; its private keys never come here."
  (:import (java.io IOException)
           (java.net StandardProtocolFamily UnixDomainSocketAddress)
           (java.nio ByteBuffer)
           (java.nio.channels SocketChannel)
           (net.schmizz.sshj.common Buffer$PlainBuffer Message SSHPacket)
           (net.schmizz.sshj.userauth AuthParams UserAuthException)
           (net.schmizz.sshj.userauth.method AbstractAuthMethod)))

(set! *warn-on-reflection* true)

;; Message numbers of the agent protocol.
(def ^:private request-identities 11)
(def ^:private identities-answer 12)
(def ^:private sign-request 13)
(def ^:private sign-response 14)

(def ^:private rsa-sha2-512-flag 4)

(def ^:private reply-bytes-max
  "No agent answers more than this."
  262144)

(defn- read-fully!
  ^ByteBuffer [^SocketChannel channel size]
  (let [buffer (ByteBuffer/allocate (int size))]
    (while (.hasRemaining buffer)
      (when (neg? (.read channel buffer))
        (throw (IOException. "the ssh-agent closed the connection"))))
    (.flip buffer)))

(defn- ask!
  "Sends one request; returns the answer's body, or throws if the answer has
  another type than expected."
  ^Buffer$PlainBuffer [path ^bytes request answer-type]
  (with-open [channel (SocketChannel/open StandardProtocolFamily/UNIX)]
    (.connect channel (UnixDomainSocketAddress/of ^String path))
    (let [out (doto (ByteBuffer/allocate (+ 4 (alength request)))
                (.putInt (alength request))
                (.put request)
                (.flip))]
      (while (.hasRemaining out)
        (.write channel out)))
    (let [size (.getInt (read-fully! channel 4))]
      (when-not (< 0 size reply-bytes-max)
        (throw (IOException. "the ssh-agent's answer makes no sense")))
      (let [answer (Buffer$PlainBuffer. (.array (read-fully! channel size)))]
        (when-not (= answer-type (.readByte answer))
          (throw (IOException. "the ssh-agent refused")))
        answer))))

(defn- identities
  "Public keys that the agent holds, as byte arrays."
  [path]
  (let [answer (ask! path (byte-array [request-identities])
                     identities-answer)]
    (vec (for [_ (range (.readUInt32AsInt answer))]
           (let [blob (.readStringAsBytes answer)]
             (.readString answer)
             blob)))))

(defn- key-type
  [^bytes blob]
  (.readString (Buffer$PlainBuffer. blob)))

(defn- signature
  ^bytes [path ^bytes blob ^bytes data]
  (let [request (doto (Buffer$PlainBuffer.)
                  (.putByte (byte sign-request))
                  (.putString blob)
                  (.putString data)
                  (.putUInt32 (if (= "ssh-rsa" (key-type blob))
                                rsa-sha2-512-flag
                                0)))]
    (.readStringAsBytes (ask! path (.getCompactData request)
                              sign-response))))

(defn- signed-request
  "The authentication request for one key, with the agent's signature over
  the session's id and the request itself."
  ^SSHPacket [path ^bytes blob ^AuthParams params]
  (let [algorithm (if (= "ssh-rsa" (key-type blob))
                    "rsa-sha2-512"
                    (key-type blob))
        packet    (doto (SSHPacket. Message/USERAUTH_REQUEST)
                    (.putString (.getUsername params))
                    (.putString (.getNextServiceName params))
                    (.putString "publickey")
                    (.putBoolean true)
                    (.putString ^String algorithm)
                    (.putString blob))
        data      (doto (Buffer$PlainBuffer.)
                    (.putString (.getSessionID (.getTransport params)))
                    (.putRawBytes (.getCompactData packet)))]
    (.putString packet (signature path blob (.getCompactData data)))
    packet))

(defn- agent-method
  [path blob]
  (let [params (atom nil)]
    (proxy [AbstractAuthMethod] ["publickey"]
      (init [p]
        (reset! params p))
      (request []
        (let [^AuthParams p @params
              packet (try (signed-request path blob p)
                          (catch IOException e
                            (throw (UserAuthException. (.getMessage e) e))))]
          (.write (.getTransport p) ^SSHPacket packet))))))

(defn socket-path
  "The socket on which the user's agent listens, or nil."
  []
  (System/getenv "SSH_AUTH_SOCK"))

(defn auth-methods
  "One authentication method per key of the agent; none if no agent runs or
  it does not answer."
  []
  (when-let [path (socket-path)]
    (try (mapv #(agent-method path %) (identities path))
         (catch IOException _ nil))))
