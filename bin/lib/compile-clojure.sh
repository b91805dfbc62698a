#!/usr/bin/env bash
# Compiles the engine and the suite ahead of time, from src/ to target/suite. Called by Maven.
set -euo pipefail
cd "$(dirname "$0")/../.."
. bin/lib/java.sh

rm -rf target/suite
mkdir -p target/suite
exec "$java" "${java_options[@]}" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  -cp "target/suite:src/clj:src/engine:target/classes:$(cat target/classpath)" \
  clojure.main bin/lib/compile.clj target/suite src/engine src/clj
