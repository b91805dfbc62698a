(ns interregnum.host.local-test
  "Makes local hosts for real; skipped without root."
  (:require [clojure.java.io :as io]
            [clojure.string :as str]
            [clojure.test :refer [deftest is testing]]
            [interregnum.host :as host]
            [interregnum.host.local :as local]
            [jepsen.control :as c]
            [jepsen.util :as util])
  (:import (java.util.concurrent TimeUnit)))

(def ^:private timeout-s 60)

(defn- run!!
  "Runs a program; a map of its :exit code and its :lines, error messages with them."
  [& command]
  (let [process (-> (ProcessBuilder. ^java.util.List (vec command))
                    (.redirectErrorStream true)
                    (.start))]
    (.close (.getOutputStream process))
    (let [lines (future (vec (line-seq (io/reader (.getInputStream process)))))]
      (when-not (.waitFor process timeout-s TimeUnit/SECONDS)
        (.destroyForcibly process))
      {:exit (.exitValue process), :lines @lines})))

(defn- root?
  []
  (= ["0"] (:lines (run!! "id" "-u"))))

(defmacro ^:private as-root
  "Runs the body if we may make hosts, or says that the test is skipped."
  [& body]
  `(if (root?)
     (do ~@body)
     (println "SKIPPED: local hosts need root")))

(defn- provision
  [& args]
  (apply run!! "nodes/local/provision" args))

(defn- holders
  "Who holds the hosts at `addresses`, as the status has it."
  [addresses]
  (set (map :holder (filter (comp (set addresses) :address) (local/status)))))

(defn- bridge-index
  "The kernel's index of a set's bridge, which no later bridge has; nil if there is none,
  or it is just going."
  [number]
  (let [file (io/file "/sys/class/net" (str "ivr" number) "ifindex")]
    (try
      (str/trim (slurp file))
      (catch java.io.IOException _ nil))))

(defn- set-of
  "The set that hosts are of, as {:number :bridge}, while they are up."
  [hosts]
  (let [number (nth (str/split (val (first (:addresses hosts))) #"\.") 2)]
    {:number number, :bridge (bridge-index number)}))

(defn- traces
  "What the machine still has of a set: interfaces, namespaces, files, processes. The
  number may be in use again by somebody else's set."
  [{:keys [number bridge]}]
  (when (contains? #{nil bridge} (bridge-index number))
    (concat
      (filter #(re-find (re-pattern (str " ivr" number "[:.@]")) %)
              (:lines (run!! "ip" "-o" "link")))
      (filter #(str/starts-with? % (str "ivr" number "-"))
              (:lines (run!! "ip" "netns")))
      (filter #(str/includes? % (str "/interregnum-hosts/" number "/"))
              (:lines (run!! "ps" "-e" "-o" "args")))
      (when (.exists (io/file "/var/tmp/interregnum-hosts" number))
        ["its folder"]))))

(defn- await-no-traces
  "The traces of a set once there are none, or those left after a while."
  [set]
  (loop [looks 100]
    (let [left (traces set)]
      (if (or (empty? left) (zero? looks))
        left
        (do (util/sleep 50)
            (recur (dec looks)))))))

(defn- on-host
  "The output of a shell command on a host."
  [hosts node command]
  (c/with-ssh (:ssh hosts)
    (c/with-remote (host/remote (:addresses hosts))
      (c/on node (c/exec* command)))))

(deftest hosts-test
  (as-root
    (let [hosts (local/up! {:nodes ["n1" "n2"]})
          made  (set-of hosts)]
      (try
        (testing "a host has its own name and knows the others"
          (is (= "n2" (on-host hosts "n2" "hostname")))
          (is (= (get-in hosts [:addresses "n2"])
                 (on-host hosts "n1" "getent hosts n2 | cut -d' ' -f1")))
          (is (= "open" (on-host hosts "n1" "exec 3<>/dev/tcp/n2/22 && echo open"))))
        (testing "what one host writes, neither another nor the machine sees"
          (on-host hosts "n1" "touch /opt/interregnum-test-file")
          (is (= "no" (on-host hosts "n2" "test -e /opt/interregnum-test-file || echo no")))
          (is (not (.exists (io/file "/opt/interregnum-test-file")))))
        (testing "a host cannot set the clock, restart the machine or load modules"
          ;; Bits 16, 22 and 25 of the capabilities: sys_module, sys_boot, sys_time.
          (let [bits (Long/parseLong (on-host hosts "n1"
                                              "sed -n 's/^CapBnd:\\t*//p' /proc/self/status")
                                     16)]
            (is (zero? (bit-and bits (bit-or (bit-shift-left 1 16)
                                             (bit-shift-left 1 22)
                                             (bit-shift-left 1 25)))))))
        (finally
          (local/down! hosts)))
      (testing "nothing is left of them"
        (is (empty? (await-no-traces made)))))))

(deftest two-sets-test
  (as-root
    (let [a (local/up! {:nodes ["n1"]})]
      (try
        (let [b    (local/up! {:nodes ["n1"]})
              made (set-of b)]
          (try
            (testing "two runs at once have hosts of their own"
              (is (not= (:addresses a) (:addresses b)))
              (is (= "n1" (on-host a "n1" "hostname") (on-host b "n1" "hostname"))))
            (testing "hosts of a run are not taken down by hand"
              (is (= [0 1] ((juxt :exit (comp count :lines))
                            (provision "down" (:number made)))))
              (is (= "n1" (on-host b "n1" "hostname"))))
            (finally
              (local/down! b)))
          (testing "the end of one leaves the other alone"
            (is (empty? (await-no-traces made)))
            (is (= "n1" (on-host a "n1" "hostname")))))
        (finally
          (local/down! a))))))

(deftest killed-harness-test
  (as-root
    (testing "hosts go when the process that made them is killed"
      (let [code    (str "(require 'interregnum.host.local)"
                         "(prn (:addresses (interregnum.host.local/up! {:nodes [\"n1\"]})))"
                         "(Thread/sleep 60000)")
            harness (-> (ProcessBuilder.
                          ^java.util.List
                          [(str (System/getProperty "java.home") "/bin/java")
                           "-XX:TieredStopAtLevel=1" "-cp" (System/getProperty "java.class.path")
                           "clojure.main" "-e" code])
                        (.start))]
        (try
          (let [addresses (read-string (.readLine (io/reader (.getInputStream harness))))
                made      (set-of {:addresses addresses})]
            (.destroyForcibly harness)
            (is (empty? (await-no-traces made))))
          (finally
            (.destroyForcibly harness)))))))

(deftest killed-keeper-test
  (as-root
    (testing "hosts whose keeper was killed are known as abandoned and removed by the next run"
      (let [hosts     (local/up! {:nodes ["n1"]})
            made      (set-of hosts)
            addresses (vals (:addresses hosts))]
        (.waitFor (.destroyForcibly ^Process (:keeper hosts)))
        (is (contains? #{#{"abandoned"} #{}} (holders addresses)))
        (local/down! (local/up! {:nodes ["other"]}))
        (is (empty? (await-no-traces made)))))))

(deftest standing-test
  (as-root
    (testing "hosts that are left stay until they are taken down"
      (let [hosts (local/up! {:nodes ["n1"]})
            made  (set-of hosts)]
        (local/leave! hosts)
        (try
          (is (= #{"standing"} (holders (vals (:addresses hosts)))))
          (is (= "n1" (on-host hosts "n1" "hostname")))
          (finally
            (is (= {:exit 0, :lines []} (provision "down" (:number made))))))
        (is (empty? (await-no-traces made)))))))

(deftest refusals-test
  (testing "names that are none, and names given twice"
    (is (= {:exit 254, :lines ["interregnum: not a host name: n1;id"]}
           (provision "up" "n1;id")))
    (is (= {:exit 254, :lines ["interregnum: a host name occurs twice in: n1 n1"]}
           (provision "up" "n1" "n1")))
    (is (= ["a host name occurs twice in: n1 n1" :usage]
           (try (local/up! {:nodes ["n1" "n1"]})
                (catch Exception e [(ex-message e) (:type (ex-data e))])))))
  (as-root
    (testing "another user than root"
      (is (= {:exit  255
              :lines ["interregnum: local hosts need root (namespaces, a bridge); run as root"]}
             (run!! "sh" "-c" (str "setpriv --reuid=65534 --clear-groups bash -s up n1"
                                   " < nodes/local/provision")))))
    (testing "a machine without an SSH server"
      (is (= {:exit  255
              :lines ["interregnum: local hosts need /usr/sbin/sshd, not found on this machine"]}
             (run!! "unshare" "--mount" "sh" "-c"
                    (str "mount --bind /dev/null /usr/sbin/sshd &&"
                         " exec nodes/local/provision up n1")))))
    (testing "a disk that cannot be written to"
      (is (= {:exit 255, :lines ["interregnum: cannot write to /var/tmp/interregnum-hosts"]}
             (run!! "unshare" "--mount" "sh" "-c"
                    (str "mount -t tmpfs -o ro tmpfs /var/tmp &&"
                         " exec nodes/local/provision up n1")))))))
