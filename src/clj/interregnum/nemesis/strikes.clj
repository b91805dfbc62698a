(ns interregnum.nemesis.strikes
  "Which phase `interregnum.nemesis.phase` strikes next, and how. A strike is a phase of
  `interregnum.nemesis.phases` with

    :act              one of its acts
    :late-retirement? is the owner kept from noticing that it was deposed
    :slow-successor?  does the job that is held have to wait under the next owner
    :lags             when a node begins to lag behind in learning of schema changes,
                      :first or once a task is :held; nil if none does
    :cause            how a :successor comes into office, :resign or :delete-key"
  (:require [interregnum.nemesis.paced :as paced]
            [interregnum.nemesis.phases :as phases]))

(set! *warn-on-reflection* true)

(defn- phase-at
  "The phase for the `k`-th strike: of three turns, the deck :telling of `role` has
  two, and each deck goes through its phases in an order of chance."
  [seed role k]
  (let [round       (quot k 3)
        [name turn] (if (= 2 (mod k 3))
                      [:others round]
                      [:telling (+ (* 2 round) (mod k 3))])
        deck        (get-in phases/by-role [role name])]
    (nth (paced/shuffled seed [name (quot turn (count deck))] deck)
         (mod turn (count deck)))))

(defn- companions
  "What else is late while `phase` lasts, in which an owner does not notice that it
  was deposed. Once a step is known to all nodes, its owner's successor has to be ahead
  of it, with a step that a node does not know."
  [random role {:keys [point]}]
  (let [planned? (contains? phases/before-commit point)
        lags     (when (or (not planned?) (paced/pick random [true true false]))
                   (phases/lags point))]
    {:late-retirement? true
     :lags             lags
     :slow-successor?  (and (= :ddl role)
                            (not= :held lags)
                            (or planned? (paced/pick random [true false])))}))

(defn- as-strike
  "`phase` with one of its acts and all that goes with it."
  [random role {:keys [acts at unaware?] :as phase}]
  (cond-> (assoc (dissoc phase :acts :unaware?) :act (paced/pick random acts))
    (= :successor at)
    (assoc :cause (paced/pick random [:resign :delete-key]))
    unaware?
    (merge (companions random role phase))))

(defn strike
  "The `k`-th strike against `role`, by choices that follow from `seed` and `random`.
  The first is one that always succeeds."
  [seed random role k]
  (if (zero? k)
    (assoc (dissoc (first (get-in phases/by-role [role :telling])) :acts :unaware?)
           :act :delete-key)
    (as-strike random role (phase-at seed role (dec k)))))

(defn last-strike
  "The one that is to outlast the load of the `i`-th storm: an owner that does not notice
  that it was deposed works on when nobody asks for anything any more."
  [seed role i]
  (let [random (paced/random seed :last-phase i)
        points (phases/outlasting role)
        fit?   #(and (:unaware? %) (contains? points (:point %)))]
    (as-strike random role
               (paced/pick random (filterv fit? (mapcat val (phases/by-role role)))))))
