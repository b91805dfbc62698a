(ns jepsen.temporary
  "Temporary folders for tests."
  (:import (java.io File)
           (java.nio.file Files)
           (java.nio.file.attribute FileAttribute)))

(set! *warn-on-reflection* true)

(defn delete-tree!
  "Deletes a file, or a folder with all that is in it. Does not follow
  links."
  [^File file]
  (when-not (Files/isSymbolicLink (.toPath file))
    (run! delete-tree! (.listFiles file)))
  (Files/deleteIfExists (.toPath file)))

(defn with-dir*
  "See `with-dir`."
  [f]
  (let [dir (.toFile (Files/createTempDirectory
                      "test" (make-array FileAttribute 0)))]
    (try
      (f dir)
      (finally
        (delete-tree! dir)))))

(defmacro with-dir
  "Evaluates the body with `dir` bound to a folder that is removed
  afterwards."
  [[dir] & body]
  `(with-dir* (fn [~(with-meta dir {:tag 'java.io.File})] ~@body)))
