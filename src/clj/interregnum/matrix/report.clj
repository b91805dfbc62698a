(ns interregnum.matrix.report
  "The outcomes of a matrix as text: a table with a line per run, and the four
  headings that tools look for."
  (:require [clojure.string :as str]))

(set! *warn-on-reflection* true)

(def ^:private columns
  "Title and text of each column of the table."
  [["workload" :workload]
   ["nemesis" :nemesis]
   ["run" (comp inc :repeat)]
   ["verdict" (comp name :outcome)]
   ["ok" (comp :ok :counts)]
   ["fail" (comp :fail :counts)]
   ["info" (comp :info :counts)]
   ["seconds" #(Math/round (double (:seconds %)))]
   ["reason" :reason]])

(defn- pad
  [widths row]
  (str/trimr (str/join "  " (map (fn [width text] (format (str "%-" width "s") text))
                                 widths row))))

(defn table
  "`outcomes` as lines of aligned columns, titles first."
  [outcomes]
  (let [titles (map first columns)
        rows (for [outcome outcomes]
               (map (fn [[_ text]] (str (text outcome))) columns))
        widths (apply map (fn [& texts] (apply max 1 (map count texts)))
                      titles rows)]
    (str/join "\n" (map #(pad widths %) (cons titles rows)))))

(defn line
  "One outcome in a line, for a run that goes on."
  [outcome]
  (str/trimr (str/join "  " (map (fn [[_ text]] (text outcome)) columns))))

(def ^:private headings
  "Outcome, heading and the word that counts it, in the field's order."
  [[:valid "Successful tests" "successes"]
   [:unknown "Indeterminate tests" "unknown"]
   [:crashed "Crashed tests" "crashed"]
   [:invalid "Failed tests" "failures"]])

(defn- place
  "Where the run of an outcome can be looked at; a crashed one may have no store."
  [{:keys [path workload nemesis]}]
  (or path (str workload " " nemesis)))

(defn summary
  "Lists of store directories under the headings that exist, then the counts."
  [outcomes]
  (let [by-outcome (group-by :outcome outcomes)]
    (str/join
      "\n"
      (concat
        (mapcat (fn [[outcome heading _]]
                  (when-let [found (by-outcome outcome)]
                    (concat ["" (str "# " heading) ""] (map place found))))
                headings)
        [""]
        (for [[outcome _ word] headings]
          (str (count (by-outcome outcome)) " " word))))))
