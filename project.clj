(defproject interregnum "0.1.0-SNAPSHOT"
  :description "Fault-injection testing of distributed systems with elected owners"
  ;; The suite and the nodes on Jepsen and Knossos themselves. The engine in
  ;; src/engine stands in for those two and is never on the same class path;
  ;; pom.xml builds the variant that needs Maven Central alone.
  :min-lein-version "2.9.0"
  :dependencies [[org.clojure/clojure "1.12.3"]
                 [jepsen "0.3.13"]
                 [knossos "0.3.15"]
                 [org.clojure/tools.cli "1.1.230"]
                 [org.clojure/tools.logging "1.3.0"]
                 [org.clojure/data.json "2.5.1"]
                 [io.etcd/jetcd-core "0.8.5"]
                 [com.github.jsqlparser/jsqlparser "5.3"]
                 [com.fasterxml.jackson.core/jackson-databind "2.19.2"]
                 [info.picocli/picocli "4.7.7"]
                 [com.mysql/mysql-connector-j "9.4.0"
                  :exclusions [com.google.protobuf/protobuf-java]]
                 [ch.qos.logback/logback-classic "1.5.18"]]
  :source-paths ["src/clj"]
  :java-source-paths ["src/java"]
  :javac-options ["--release" "17"]
  :resource-paths ["resources"]
  :test-paths []
  :pom-location "target/"
  :global-vars {*warn-on-reflection* true}
  :jvm-opts ["-Xmx4g" "-XX:+UseG1GC"]
  :main interregnum.cli)
