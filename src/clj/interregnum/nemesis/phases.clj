(ns interregnum.nemesis.phases
  "The places in the nodes' work at which `interregnum.nemesis.phase` strikes, by
  role. A phase is a failpoint of the nodes, and

    :at      whom to hold there: the :owner, its :successor on becoming owner, or
             any :node
    :point   the failpoint's name
    :term    what it does; `hold` unless told otherwise
    :acts    what may happen to the node that is held, one of them by chance:
             :resign :delete-key :kill :pause :isolate, or :hold, which is nothing
             but the waiting

  Two more failpoints may go with an owner's phase: `late-retirement`, which keeps
  the owner from noticing its deposition, and `slow-successor`.")

(set! *warn-on-reflection* true)

(def hold
  "Holds the first task that comes by; all others pass."
  "1*pause")

(def ^:private on-owner
  "What happens to an owner in the middle of its work. Losing the office while it
  works is what the safeguards are for, so that comes most often."
  [:delete-key :delete-key :resign :kill :pause :isolate])

(def ^:private on-successor [:hold :hold :delete-key :kill])

(defn- owners
  [points]
  (mapv (fn [point] {:at :owner, :point point, :term hold, :acts on-owner}) points))

(defn- successors
  [points]
  (mapv (fn [point] {:at :successor, :point point, :term hold, :acts on-successor})
        points))

(defn- harmless
  "Phases that are a fault by themselves: held or failed, and nothing else."
  [at terms]
  (mapv (fn [[point term]] {:at at, :point point, :term term, :acts [:hold]}) terms))

(def ^:private becoming
  ["afterCampaignWin" "insideOnBecome" "beforeSetOwnerFlag" "betweenVerifyAndWatch"])

(def by-role
  "Role → its phases. The first is reached by nearly everything that the owner
  does."
  {:autoid
   (into [] cat
         [(owners ["beforeReply" "afterOwnerCheck" "afterGetVal" "dropReply"])
          (successors (into becoming ["beforeReserve" "afterReserveCommit"]))
          (harmless :owner [["dropReply" "1*pause:method=force"]
                            ["dropReply" "1*pause:method=rebase"]
                            ["dropReply" "3*error"]])])

   :ddl
   (into [] cat
         [(owners ["beforeRunJob" "afterLoadJobs" "afterVersionAlloc" "beforeStepCommit"
                   "afterStepCommit" "beforePublish" "beforeWaitSync" "beforeCleanMdl"
                   "beforeMoveToHistory" "beforeAck"])
          (successors becoming)
          (harmless :owner [["beforeStepCommit" "3*error"]])
          (harmless :node [["beforeReload" "pause"]
                           ["afterReadVersion" "pause"]
                           ["beforeApplyDiff" "2*error"]
                           ["reportVersionError" "2*error"]
                           ["afterSchemaCheck" "6*pause"]
                           ["beforeKvCommit" "6*pause"]
                           ["kvCommitUnknown" "2*error"]])])})

(def ^:private election-points
  "Failpoints that both roles' elections have, told apart by a label."
  (conj (set becoming) "beforeClearOwnerFlag"))

(defn term-for
  "`term` at `point`, for the election of `role` alone if it is about elections."
  [role point term]
  (cond-> term
    (election-points point) (str ":role=" (name role))))

(def late-retirement
  "Keeps an owner from clearing its flag."
  {:point "beforeClearOwnerFlag" :term "pause"})

(def slow-successor
  "Delays the first job of the next owner, so that others overtake it."
  {:point "beforeRunJob" :term "1*sleep(2000)"})
