(ns jepsen.control.sshj
  "A remote over SSH, on the sshj library.

  One connection per host. At most six commands run on it at a time, since
  servers refuse more than ten channels. A connection that was idle is kept
  alive, and one whose host went away without a word is found dead within
  half a minute.

  Failures of the connection are thrown as `{:type
  :jepsen.control/ssh-failed}`: another try on a new connection may work.
  Refusals (authentication, unknown host, time-out of the connection
  attempt) are `{:type :jepsen.control/session-error}`."
  (:require [clojure.java.io :as io]
            [jepsen.control.agent :as agent]
            [jepsen.control.core :as core]
            [jepsen.util :as util])
  (:import (com.hierynomus.sshj.key KeyAlgorithms)
           (com.hierynomus.sshj.transport.cipher BlockCiphers)
           (com.hierynomus.sshj.transport.mac Macs)
           (com.hierynomus.sshj.userauth.keyprovider
            OpenSSHKeyV1KeyFile$Factory)
           (java.io ByteArrayOutputStream File IOException InputStream
                    InterruptedIOException)
           (java.net SocketTimeoutException UnknownHostException)
           (java.util List)
           (java.util.concurrent ExecutionException Semaphore)
           (net.schmizz.keepalive KeepAliveProvider KeepAliveRunner)
           (net.schmizz.sshj Config ConfigImpl SSHClient)
           (net.schmizz.sshj.common KeyType LoggerFactory SecurityUtils)
           (net.schmizz.sshj.connection.channel.direct Session
                                                        Session$Command)
           (net.schmizz.sshj.transport.compression NoneCompression$Factory)
           (net.schmizz.sshj.transport.kex Curve25519SHA256$Factory
                                           Curve25519SHA256$FactoryLibSsh
                                           ECDHNistP$Factory256)
           (net.schmizz.sshj.transport.random JCERandom$Factory
                                              SingletonRandomFactory)
           (net.schmizz.sshj.transport.verification PromiscuousVerifier)
           (net.schmizz.sshj.userauth UserAuthException)
           (net.schmizz.sshj.userauth.keyprovider OpenSSHKeyFile$Factory
                                                  PKCS8KeyFile$Factory
                                                  PuTTYKeyFile$Factory)
           (net.schmizz.sshj.userauth.method AuthMethod AuthPassword
                                             AuthPublickey)
           (net.schmizz.sshj.userauth.password PasswordUtils)
           (net.schmizz.sshj.xfer FileSystemFile)
           (net.schmizz.sshj.xfer.scp SCPException)
           (org.slf4j.helpers NOPLogger)))

(set! *warn-on-reflection* true)

(def ^:private concurrency-limit
  "Commands that may run on one connection at a time."
  6)

(def ^:private connect-timeout-ms 5000)
(def ^:private handshake-timeout-ms 10000)
(def ^:private keep-alive-interval-secs 5)

(def ^:private default-key-names
  ["id_ed25519" "id_ecdsa" "id_rsa"])

(def ^:private silent
  "Every failure reaches the caller as an exception, so sshj's own log lines
  only repeat them."
  (reify LoggerFactory
    (^org.slf4j.Logger getLogger [_ ^String _name] NOPLogger/NOP_LOGGER)
    (^org.slf4j.Logger getLogger [_ ^Class _class] NOPLogger/NOP_LOGGER)))

(defn- named
  "A list of factories, as sshj's configuration takes them."
  ^List [& factories]
  factories)

(defn- config*
  "Few and fast algorithms, all of them in the JDK: the library's own default
  configuration first tries dozens of ciphers, which takes longer than to
  connect. Servers since OpenSSH 6.5 know all of these."
  ^Config []
  (SecurityUtils/setRegisterBouncyCastle false)
  (doto (ConfigImpl.)
    (.setVersion "interregnum")
    (.setLoggerFactory silent)
    (.setRandomFactory (SingletonRandomFactory. (JCERandom$Factory.)))
    (.setKeyExchangeFactories (named (Curve25519SHA256$Factory.)
                                     (Curve25519SHA256$FactoryLibSsh.)
                                     (ECDHNistP$Factory256.)))
    (.setKeyAlgorithms (named (KeyAlgorithms/EdDSA25519)
                              (KeyAlgorithms/ECDSASHANistp256)
                              (KeyAlgorithms/RSASHA512)
                              (KeyAlgorithms/RSASHA256)))
    (.setCipherFactories (named (BlockCiphers/AES128CTR)
                                (BlockCiphers/AES256CTR)))
    (.setMACFactories (named (Macs/HMACSHA2256Etm) (Macs/HMACSHA2256)))
    (.setCompressionFactories (named (NoneCompression$Factory.)))
    (.setFileKeyProviderFactories (named (OpenSSHKeyV1KeyFile$Factory.)
                                         (PKCS8KeyFile$Factory.)
                                         (OpenSSHKeyFile$Factory.)
                                         (PuTTYKeyFile$Factory.)))
    (.setKeepAliveProvider KeepAliveProvider/KEEP_ALIVE)))

(def ^:private config (delay (config*)))

(defn- interrupted?
  [^Throwable e]
  (loop [e e]
    (cond
      (nil? e) false
      (or (instance? InterruptedException e)
          (and (instance? InterruptedIOException e)
               (not (instance? SocketTimeoutException e)))) true
      :else (recur (.getCause e)))))

(defn- session-error
  [conn-spec message ^Throwable cause]
  (ex-info (str message " " (:username conn-spec) "@" (:host conn-spec) ":"
                (:port conn-spec) ": " (or (.getMessage cause)
                                           (.getName (class cause))))
           {:type :jepsen.control/session-error
            :host (:host conn-spec)
            :port (:port conn-spec)}
           cause))

(defn- ssh-failed
  [conn-spec ^Throwable cause]
  (ex-info (str "SSH connection to " (:host conn-spec) ":" (:port conn-spec)
                " failed: " (.getMessage cause))
           {:type :jepsen.control/ssh-failed
            :host (:host conn-spec)
            :port (:port conn-spec)}
           cause))

(defn- with-failures
  "Calls `f`; turns the exceptions of a broken connection into ssh-failed.
  An interrupt stays one."
  [conn-spec f]
  (try
    (f)
    (catch IllegalStateException e
      ;; What sshj throws on a connection that is closed.
      (throw (ssh-failed conn-spec e)))
    (catch IOException e
      (when (interrupted? e)
        (throw (doto (InterruptedException. (.getMessage e))
                 (.initCause e))))
      (throw (if (instance? SCPException e)
               (ex-info (str "Copying files to or from " (:host conn-spec)
                             " failed: " (.getMessage e))
                        {:type :jepsen.control/copy-failed
                         :host (:host conn-spec)}
                        e)
               (ssh-failed conn-spec e))))))

(defn- key-method
  ^AuthMethod [^SSHClient client path]
  (try
    (AuthPublickey. (.loadKeys client (str path)))
    (catch IOException e
      (throw (ex-info (str "Cannot read the private key: " (.getMessage e))
                      {:type :jepsen.control/session-error, :path path}
                      e)))))

(defn- default-keys
  "Key files of the user who runs this, as far as they exist."
  []
  (let [dir (io/file (System/getProperty "user.home") ".ssh")]
    (filter (fn [^File f] (.exists f))
            (map #(io/file dir %) default-key-names))))

(defn- auth-methods
  "In order: the given key, the agent's keys, the default keys, the password.
  Later ones are prepared only when the earlier ones were refused."
  [client {:keys [private-key-path password]}]
  (concat
   (when private-key-path
     [(key-method client private-key-path)])
   (lazy-seq (agent/auth-methods))
   (lazy-seq (map #(key-method client %) (default-keys)))
   (when password
     [(AuthPassword. (PasswordUtils/createOneOff
                      (.toCharArray (str password))))])))

(defn- authenticate!
  "Tries one method after the other: sshj's own loop would want them all at
  once."
  [^SSHClient client conn-spec]
  (let [user (str (:username conn-spec))]
    (loop [methods (auth-methods client conn-spec)
           failure nil]
      (if-let [m (first methods)]
        (let [e (try (.auth client user ^Iterable (list m))
                     nil
                     (catch UserAuthException e e))]
          (when e
            (if (.isConnected client)
              (recur (rest methods) e)
              (throw (session-error conn-spec "Refused by" e)))))
        (throw (session-error conn-spec "Refused by"
                              (or failure
                                  (Exception. "no key or password to try"))))))))

(defn- check-host-key?
  [conn-spec]
  (not (contains? #{nil false :no "no"}
                  (:strict-host-key-checking conn-spec))))

(defn- keep-alive!
  [^SSHClient client]
  (let [runner ^KeepAliveRunner (.getKeepAlive (.getConnection client))]
    (.setKeepAliveInterval runner keep-alive-interval-secs)))

(defn- open-client!
  "Connects and authenticates, or throws and leaves nothing open."
  ^SSHClient [conn-spec]
  (let [client (SSHClient. ^Config @config)]
    (try
      (.setConnectTimeout client connect-timeout-ms)
      (.setTimeoutMs (.getTransport client) handshake-timeout-ms)
      (if (check-host-key? conn-spec)
        (.loadKnownHosts client)
        (.addHostKeyVerifier client (PromiscuousVerifier.)))
      (keep-alive! client)
      (.connect client ^String (:host conn-spec) (int (:port conn-spec)))
      (.setTcpNoDelay (.getSocket client) true)
      (authenticate! client conn-spec)
      client
      (catch Throwable e
        (try (.close client) (catch IOException _))
        (throw
         (cond
           (interrupted? e) (doto (InterruptedException. (.getMessage e))
                              (.initCause e))
           (or (instance? SocketTimeoutException e)
               (instance? UnknownHostException e))
           (session-error conn-spec "Cannot reach" e)
           (instance? IOException e) (ssh-failed conn-spec e)
           :else e))))))

(defn- slurp-bytes
  ^String [^InputStream in]
  (let [out (ByteArrayOutputStream.)]
    (io/copy in out)
    (.toString out "UTF-8")))

(def ^:private ^:const chunk-bytes
  "Input goes out in pieces of this size."
  16384)

(defn- await-window!
  "Waits until the other side takes another chunk; false if the channel
  closes first."
  [^Session$Command cmd]
  (loop []
    (cond
      (not (.isOpen cmd)) false
      (<= chunk-bytes (.getRemoteWinSize cmd)) true
      :else (do (util/sleep 1) (recur)))))

(defn- feed!
  "Gives a command its input, then the end of it. A command need not read
  what it is given.

  Writes only what the other side has room for: a writer that waits inside
  sshj holds a lock that its reader needs to notice the command's end."
  [^Session$Command cmd in]
  (try
    (with-open [stdin (.getOutputStream cmd)]
      (when in
        (let [bytes  (.getBytes (str in) "UTF-8")
              length (long (alength bytes))]
          (loop [at (long 0)]
            (when (and (< at length) (await-window! cmd))
              (let [n (min chunk-bytes (- length at))]
                (.write stdin bytes (int at) (int n))
                (.flush stdin)
                (recur (+ at n))))))))
    (catch IOException _)))

(defn- exit-status
  "The status of a command; like a shell's, 128 plus the signal's number, if
  the common signals ended it. Throws if the connection broke first."
  [^Session$Command cmd]
  (or (.getExitStatus cmd)
      (when-let [signal (.getExitSignal cmd)]
        (+ 128 (get {"HUP" 1, "INT" 2, "QUIT" 3, "ABRT" 6, "KILL" 9
                     "SEGV" 11, "PIPE" 13, "TERM" 15}
                    (str signal) 0)))
      (throw (IOException. "connection lost before the command ended"))))

(defn- result
  "Reads what a command prints and waits for its end."
  [^Session$Command running action]
  (let [err (future (slurp-bytes (.getErrorStream running)))
        out (slurp-bytes (.getInputStream running))
        err (try @err
                 (catch ExecutionException e
                   (throw (.getCause e))))]
    (.join running)
    (assoc action :out out, :err err, :exit (exit-status running))))

(defn- run-command!
  [^SSHClient client {:keys [cmd in] :as action}]
  (with-open [^Session session (.startSession client)]
    (let [running (.exec session ^String cmd)]
      (if in
        (future (feed! running in))
        (feed! running nil))
      (result running action))))

(defmacro ^:private with-permit
  [semaphore & body]
  `(let [^Semaphore s# ~semaphore]
     (.acquire s#)
     (try ~@body (finally (.release s#)))))

(defn- paths
  [x]
  (map (fn [p] (if (instance? File p) (.getPath ^File p) (str p)))
       (if (or (sequential? x) (set? x)) x [x])))

(defrecord SshjRemote [conn-spec ^SSHClient client ^Semaphore semaphore]
  core/Remote
  (connect [this conn-spec]
    (assoc this
           :conn-spec conn-spec
           :client    (open-client! conn-spec)
           :semaphore (Semaphore. concurrency-limit true)))

  (disconnect! [_]
    (when client
      (try (.close client) (catch IOException _))))

  (execute! [_ _context action]
    (with-permit semaphore
      (with-failures conn-spec #(run-command! client action))))

  (upload! [_ _context local-paths remote-path _opts]
    (with-permit semaphore
      (with-failures conn-spec
        (fn []
          (let [scp (.newSCPFileTransfer client)]
            (doseq [p (paths local-paths)]
              (.upload scp (FileSystemFile. ^String p)
                       ^String remote-path)))))))

  (download! [_ _context remote-paths local-path _opts]
    (with-permit semaphore
      (with-failures conn-spec
        (fn []
          (let [scp (.newSCPFileTransfer client)]
            (doseq [p (paths remote-paths)]
              (.download scp ^String (core/escape p)
                         (FileSystemFile.
                          ^String (first (paths local-path)))))))))))

(defn remote
  "A remote that is not connected yet."
  []
  (map->SshjRemote {}))
