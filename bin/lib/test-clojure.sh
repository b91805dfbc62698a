#!/usr/bin/env bash
# Runs the Clojure tests from source: all of them, or those of the namespaces named. Called by
# Maven and by bin/check; writes the counts to target/clojure-tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
. bin/lib/java.sh

exec "$java" "${java_options[@]}" \
  -cp "test/clj:test/resources:src/clj:src/engine:target/suite:target/test-classes:target/classes:$(<target/test-classpath)" \
  clojure.main -m interregnum.test-runner target/clojure-tests "$@"
