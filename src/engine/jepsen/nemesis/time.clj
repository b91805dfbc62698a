(ns jepsen.nemesis.time
  "Clock faults: jumps, strobes, and resets to this machine's time.

  The clocks are set by a short Perl program, since every Debian node has
  Perl and few have a compiler. Nodes without the right to set their clock
  make the operation fail."
  (:require [clojure.string :as str]
            [jepsen.control :as c]
            [jepsen.generator :as gen]
            [jepsen.nemesis :as nemesis]
            [jepsen.random :as rand]))

(set! *warn-on-reflection* true)

(def ^:private tool
  "Where the program goes on nodes."
  (str nemesis/bin-dir "/clock"))

(def ^:private tool-resource
  "jepsen/nemesis/clock.pl")

(defn install!
  "Puts the program on the bound node."
  []
  (c/su
   (c/exec :mkdir :-p nemesis/bin-dir)
   (c/upload-resource! tool-resource tool)
   (c/exec :chmod "755" tool)))

(defn parse-time
  "Seconds since the epoch, with fractions, as text, as a number."
  [s]
  (bigdec (str/trim s)))

(defn- now-secs
  []
  (/ (bigdec (System/currentTimeMillis)) 1000))

(defn clock-offset
  "How far a node's time, in seconds since the epoch, is ahead of this
  machine's."
  [remote-time]
  (float (- remote-time (now-secs))))

(defn current-offset
  "How many seconds the bound node's clock is ahead of this machine's."
  []
  (clock-offset (parse-time (c/exec :date "+%s.%N"))))

(defn reset-time!
  "Sets the clock of the bound node, or of all nodes, to this machine's."
  ([]
   (c/su (c/exec tool :set (str (now-secs)))))
  ([test]
   (c/with-test-nodes test (reset-time!))))

(defn bump-time!
  "Moves the bound node's clock by milliseconds. Returns its new offset in
  seconds."
  [delta-ms]
  (c/su (c/exec tool :bump delta-ms))
  (current-offset))

(defn strobe-time!
  "Moves the bound node's clock by `delta-ms` and back again, every
  `period-ms`, for `duration-secs` seconds."
  [delta-ms period-ms duration-secs]
  (c/su (c/exec tool :strobe delta-ms period-ms duration-secs)))

(defn maybe-disable-ntp!
  "Stops services that would set the bound node's clock right again, as far
  as there are any."
  []
  (doseq [service ["ntp" "ntpsec" "ntpd" "chrony" "systemd-timesyncd"]]
    (c/su (c/exec* (str "service " service " stop >/dev/null 2>&1 || true")))))

(defn- apply-op!
  "Does one operation; returns a map of node to its clock's offset."
  [test op]
  (let [value (:value op)]
    (case (:f op)
      :reset         (c/on-nodes test value
                                 (fn [_ _] (reset-time!) (current-offset)))
      :check-offsets (c/on-nodes test (fn [_ _] (current-offset)))
      :strobe        (c/on-nodes
                      test (keys value)
                      (fn [_ node]
                        (let [{:keys [delta period duration]} (get value node)]
                          (strobe-time! delta period duration)
                          (current-offset))))
      :bump          (c/on-nodes test (keys value)
                                 (fn [_ node] (bump-time! (get value node)))))))

(defrecord ClockNemesis [on?]
  nemesis/Nemesis
  (setup! [this test]
    (when on?
      (c/with-test-nodes test
        (install!)
        (maybe-disable-ntp!))
      (reset-time! test))
    this)
  (invoke! [_ test op]
    (assoc op :clock-offsets (apply-op! test op)))
  (teardown! [_ test]
    (when on?
      (reset-time! test))))

(defn clock-nemesis
  "Takes the operations

    {:f :reset         :value [node ...]}
    {:f :strobe        :value {node {:delta ms :period ms :duration s}}}
    {:f :bump          :value {node ms}}
    {:f :check-offsets}

  and adds `:clock-offsets`, a map of node to seconds. Unless `on?`, clocks
  and nodes are left alone before and after."
  ([] (clock-nemesis true))
  ([on?] (ClockNemesis. on?)))

(defn- random-nodes
  [test]
  (rand/nonempty-subset (vec (:nodes test))))

(defn reset-gen-select
  "Resets of the clocks of the nodes that `(select test)` chooses."
  [select]
  (fn [test _ctx]
    {:type :info, :f :reset, :value (select test)}))

(defn bump-gen-select
  "Jumps, of up to several minutes, of the clocks of the nodes that `(select
  test)` chooses; small ones are as frequent as large ones."
  [select]
  (fn [test _ctx]
    {:type  :info
     :f     :bump
     :value (zipmap (select test)
                    (repeatedly
                     (fn []
                       (long (* (rand/nth [-1 1])
                                (Math/pow 1.5 (+ 6 (rand/double 25))))))))}))

(defn strobe-gen-select
  "Strobes of the clocks of the nodes that `(select test)` chooses."
  [select]
  (fn [test _ctx]
    {:type  :info
     :f     :strobe
     :value (zipmap (select test)
                    (repeatedly
                     (fn []
                       {:delta    (long (Math/pow 2 (+ 2 (rand/double 16))))
                        :period   (long (Math/pow 2 (rand/double 10)))
                        :duration (rand/double 32)})))}))

(def reset-gen
  "Resets of random nodes' clocks."
  (reset-gen-select random-nodes))

(def bump-gen
  "Jumps of random nodes' clocks."
  (bump-gen-select random-nodes))

(def strobe-gen
  "Strobes of random nodes' clocks."
  (strobe-gen-select random-nodes))

(defn clock-gen
  "A check of the offsets, then a mix of resets, jumps and strobes."
  []
  (gen/phases {:type :info, :f :check-offsets}
              (gen/mix [reset-gen bump-gen strobe-gen])))
