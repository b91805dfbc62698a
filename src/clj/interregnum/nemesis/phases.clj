(ns interregnum.nemesis.phases
  "The places in the nodes' work at which `interregnum.nemesis.phase` strikes, by
  role. A phase is a failpoint of the nodes, and

    :at        whom to hold there: the :owner, its :successor on becoming owner, any
               :node, or all :nodes
    :point     the failpoint's name
    :term      what it does; `hold` unless told otherwise
    :acts      what may happen to the node that is held, one of them by chance:
               :resign :delete-key :kill :pause :isolate, or :hold, which is nothing
               but the waiting
    :unaware?  whether the owner is kept from noticing that it was deposed, and its
               successor may be slow to begin; see `late-retirement` and
               `slow-successor`

  Each role has two decks, which take turns, and go through their phases in an order
  of chance. `:telling` has those in which the safeguards matter most, and more
  turns.

  What else holds tasks meanwhile, `late-retirement`, `slow-successor` and `laggard`,
  has a :stage: stage 0 is the phase's own, and the stages end one after the other.")

(set! *warn-on-reflection* true)

(def hold
  "Holds the first task that comes by; all others pass."
  "1*pause")

(defn- phases
  [at acts points]
  (mapv (fn [point]
          (let [[point term] (if (vector? point) point [point hold])]
            {:at at, :point point, :term term, :acts acts}))
        points))

(defn- unaware
  "Owners that work on for a while after they were deposed."
  [points]
  (mapv #(assoc % :unaware? true) (phases :owner [:delete-key] points)))

(def ^:private becoming
  ["afterCampaignWin" "insideOnBecome" "beforeSetOwnerFlag" "betweenVerifyAndWatch"])

(def ^:private serving
  "What the owner passes when it gives out ids."
  ["beforeReply" "afterOwnerCheck" "afterGetVal" "dropReply"])

(def ^:private changing
  "What the owner passes when it changes the schema."
  ["beforeRunJob" "afterVersionAlloc" "beforeStepCommit" "afterStepCommit"
   "beforePublish" "beforeWaitSync" "beforeCleanMdl" "beforeMoveToHistory" "beforeAck"])

(def before-commit
  "Phases at which a step of a job is planned and not committed: its successor would
  do it at once, and leave nothing to an owner that comes too late."
  #{"beforeRunJob" "afterVersionAlloc" "beforeStepCommit"})

(def ^:private creation
  "Where a creation has its schema version. It is one step: no later one can make up
  for a version that comes too late."
  ["afterVersionAlloc" (str hold ":type=create table")])

(def ^:private on-owner [:delete-key :resign :kill :pause :isolate])
(def ^:private on-successor [:hold :delete-key :kill])

(def by-role
  "Role → its decks. The first phase is reached by nearly everything that the owner
  does."
  {:autoid
   {:telling (into [] cat
                   [(unaware ["beforeReply"])
                    (phases :owner [:hold] [["dropReply" "1*pause:method=force"]])
                    (phases :successor [:hold] ["insideOnBecome"])
                    (phases :successor [:delete-key] ["betweenVerifyAndWatch"])])
    :others  (into [] cat
                   [(phases :owner on-owner serving)
                    (unaware (rest serving))
                    (phases :owner [:hold] [["dropReply" "1*pause:method=rebase"]
                                            ["dropReply" "3*error"]])
                    (phases :successor on-successor
                            (into becoming ["beforeReserve" "afterReserveCommit"]))])}

   :ddl
   {:telling (into [] cat
                   [(unaware (replace {"afterVersionAlloc" creation}
                                      (remove #{"beforeMoveToHistory" "beforeAck"}
                                              changing)))
                    (phases :owner [:hold] [["beforeStepCommit" "3*error"]])
                    (phases :nodes [:hold] [["afterSchemaCheck" "3*pause"]])
                    (phases :successor [:delete-key] ["betweenVerifyAndWatch"])])
    :others  (into [] cat
                   [(phases :owner on-owner (conj changing "afterLoadJobs"))
                    (unaware ["afterVersionAlloc" "beforeMoveToHistory" "beforeAck"])
                    (phases :successor on-successor becoming)
                    (phases :nodes [:hold] [["beforeKvCommit" "3*pause"]])
                    (phases :node [:hold] [["beforeReload" "pause"]
                                           ["afterReadVersion" "pause"]
                                           ["beforeApplyDiff" "2*error"]
                                           ["reportVersionError" "2*error"]
                                           ["kvCommitUnknown" "2*error"]])])}})

(def outlasting
  "Role → points at which a deposed owner may be held when the load ends: what it does
  late there, a later change or another owner would make up for."
  {:autoid #{"beforeReply"}
   :ddl    #{"afterVersionAlloc" "beforeCleanMdl"}})

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
  {:point "beforeClearOwnerFlag" :term "pause" :stage 2})

(defn slow-successor
  "Holds, on the next owner, the job of a task that the nodes' status shows as `held`,
  so that other jobs overtake it; nil if it is none of a job's."
  [held]
  (when-let [job (re-find #"job=\d+" held)]
    {:point "beforeRunJob" :term (str "pause:" job) :stage 1}))

(def laggard
  "Keeps a node from learning of schema changes."
  {:point "beforeReload" :term "pause" :stage 2})

(defn lags
  "When a node may begin to lag behind in a phase at `point`: :first, so that it does
  not learn of the step that is held; or, if every node has to know that step for the
  phase to be reached, once a task is :held. Nil at a point where others have to
  overtake what is held, which a laggard would keep them from."
  [point]
  (cond (#{"beforeRunJob" "beforeStepCommit" "afterStepCommit" "beforePublish"
           "beforeWaitSync"} point) :first
        (#{"beforeCleanMdl"} point) :held))
