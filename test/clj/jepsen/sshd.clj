(ns jepsen.sshd
  "A real OpenSSH server for tests: on a free loopback port, with a host key,
  a user key and a configuration of its own in a temporary folder. Stopped by
  its process id."
  (:require [clojure.java.io :as io]
            [clojure.java.shell :as shell]
            [clojure.string :as str])
  (:import (java.io File)
           (java.net InetAddress InetSocketAddress ServerSocket Socket)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)
           (java.util.concurrent TimeUnit)))

(set! *warn-on-reflection* true)

(def ^:private start-timeout-ms 10000)
(def ^:private binary "/usr/sbin/sshd")

(defn available?
  "Whether this machine has an OpenSSH server and may start one."
  []
  (and (.exists (io/file binary))
       (= "root" (System/getProperty "user.name"))))

(defn free-port
  "A loopback port that nobody listens on."
  []
  (with-open [s (ServerSocket. 0 1 (InetAddress/getLoopbackAddress))]
    (.getLocalPort s)))

(defn- keygen!
  [^File file]
  (let [{:keys [exit err]} (shell/sh "ssh-keygen" "-q" "-t" "ed25519"
                                     "-N" "" "-f" (str file))]
    (when-not (zero? exit)
      (throw (ex-info (str "ssh-keygen: " err) {:type ::keygen})))))

(defn- config
  [^File dir port]
  (str/join "\n" [(str "Port " port)
                  "ListenAddress 127.0.0.1"
                  (str "HostKey " dir "/host_key")
                  (str "AuthorizedKeysFile " dir "/user_key.pub")
                  (str "PidFile " dir "/sshd.pid")
                  "StrictModes no"
                  "PermitRootLogin yes"
                  "PasswordAuthentication no"
                  "UsePAM no"
                  "UseDNS no"
                  (str "SetEnv HOME=" dir)
                  "Subsystem sftp internal-sftp"
                  ""]))

(defn- listening?
  [port]
  (try
    (with-open [s (Socket.)]
      (.connect s (InetSocketAddress. "127.0.0.1" (int port)) 200)
      true)
    (catch java.io.IOException _ false)))

(defn launch!
  "Starts the server of a folder that `start!` made; returns its process."
  ^Process [{:keys [dir port]}]
  (.mkdirs (io/file "/run/sshd"))
  (let [command ["-D" "-e" "-f" (str dir "/sshd_config")]
        builder (doto (ProcessBuilder.
                       ^"[Ljava.lang.String;"
                       (into-array String (cons binary command)))
                  (.redirectErrorStream true)
                  (.redirectOutput (io/file dir "sshd.log")))
        process (.start builder)]
    (loop [deadline (+ (System/nanoTime) (* start-timeout-ms 1000000))]
      (cond
        (listening? port) process
        (or (not (.isAlive process)) (< deadline (System/nanoTime)))
        (do (.destroyForcibly process)
            (throw (ex-info (str "sshd did not start: "
                                 (slurp (io/file dir "sshd.log")))
                            {:type ::start})))
        :else (do (Thread/sleep 10) (recur deadline))))))

(defn start!
  "Starts a server. Returns {:dir :port :process :ssh}, where :ssh is the
  option map to log in with."
  []
  (let [dir    (.toFile (Files/createTempDirectory
                         "sshd" (make-array FileAttribute 0)))
        port   (free-port)
        server {:dir dir
                :port port
                :ssh {:username "root"
                      :port port
                      :private-key-path (str dir "/user_key")
                      :strict-host-key-checking false}}]
    (keygen! (io/file dir "host_key"))
    (keygen! (io/file dir "user_key"))
    (spit (io/file dir "sshd_config") (config dir port))
    (assoc server :process (launch! server))))

(defn kill-connections!
  "Kills the server's session processes, as if the host had lost its
  connections. The server itself stays."
  [{:keys [^Process process]}]
  (doseq [^java.lang.ProcessHandle p (iterator-seq
                            (.iterator (.children (.toHandle process))))]
    (.destroyForcibly p)))

(defn stop!
  "Stops the server and its sessions, and removes its folder."
  [{:keys [^Process process dir] :as server}]
  (let [sessions (vec (iterator-seq
                       (.iterator (.descendants (.toHandle process)))))]
    (.destroy process)
    (when-not (.waitFor process 5 TimeUnit/SECONDS)
      (.destroyForcibly process))
    (doseq [^java.lang.ProcessHandle p sessions]
      (.destroyForcibly p)))
  (doseq [^File f (reverse (file-seq dir))]
    (.delete f)))
