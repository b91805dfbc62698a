(ns jepsen.vars
  "Re-exports of public vars: the API has the same function in several namespaces; and vars of
  namespaces that are loaded on first use."
  (:import (clojure.lang RT)))

(set! *warn-on-reflection* true)

(defn import-var
  "Interns in the namespace `target`, under the same name, what the var `v` holds, with its
  documentation. Functions and macros both work."
  [target v]
  (let [{:keys [name] :as m} (meta v)]
    (intern target
            (with-meta name (select-keys m [:doc :arglists :macro :added :dynamic]))
            @v)))

(defmacro import-vars
  "Re-exports `names` of the namespace `source` (or of the one it is an alias of) here.

    (import-vars jepsen.random zipf shuffle)"
  [source & names]
  (let [source-ns (or (get (ns-aliases *ns*) source) (the-ns source))]
    `(do ~@(for [n names]
             `(import-var '~(ns-name *ns*) (var ~(symbol (str (ns-name source-ns)) (str n))))))))

(defn late
  "The var that the qualified symbol `sym` names; its namespace is loaded when it is first asked
  for. Throws FileNotFoundException if there is none. Unlike `requiring-resolve` alone it waits
  for a namespace that another thread is just loading, whose vars exist before they are bound."
  [sym]
  (locking RT/REQUIRE_LOCK
    (requiring-resolve sym)))
