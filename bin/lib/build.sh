# build HOME: makes target/ of the checkout HOME as new as its sources. Sourced after java.sh.
# A build that is up to date costs one `find`; starts at the same time wait for one build.
# Sets `suite_options`, what Java is given to start the suite quickly.

build_inputs=(src resources pom.xml bin/lib)

suite_classpath() {
  echo "$1/target/interregnum-suite.jar:$1/target/interregnum.jar:$(<"$1/target/classpath")"
}

up_to_date() {
  local home=$1 input jar present=()
  [ -e "$home/target/built" ] || return 1
  for input in "${build_inputs[@]}"; do
    [ ! -e "$home/$input" ] || present+=("$home/$input")
  done
  [ -z "$(find "${present[@]}" -newer "$home/target/built" -print -quit)" ] || return 1
  local IFS=:
  for jar in $(suite_classpath "$home") "$home/target/nodes.jar"; do
    [ -e "$jar" ] || return 1
  done
}

run_maven() {
  local home=$1
  shift
  (cd "$home" && mvn -B "$@" </dev/null >target/build.log 2>&1)
}

build_now() {
  local home=$1 goals=(package -Dmaven.test.skip=true -DskipTests=true)
  run_maven "$home" -o "${goals[@]}" && return
  if grep -Eq 'offline mode|has not been downloaded' "$home/target/build.log"; then
    run_maven "$home" "${goals[@]}" && return
  fi
  echo "interregnum: the build failed (log in $home/target/build.log):" >&2
  grep -E '^Reflection warning' "$home/target/build.log" >&2
  grep -E -A 1 '^(Syntax|Execution) error' "$home/target/build.log" >&2
  grep -E '^\[ERROR\]' "$home/target/build.log" | head -n 8 >&2
  exit 255
}

# Archives of the classes that a start loads, which halve the start of the suite and of nodes. One
# holds for one release of Java and these very jars; without it everything works the same.
archive_suite() {
  local home=$1 archive=$1/target/suite-$java_version.jsa
  "$java" "${java_options[@]}" -Xlog:disable "-XX:ArchiveClassesAtExit=$archive" \
    -cp "$(suite_classpath "$home")" interregnum.cli --help
}

# To become an owner a node needs etcd, and a network of its own is for root to make.
archive_nodes() {
  local home=$1
  [ "$(id -u)" = 0 ] && command -v etcd ip unshare || return 0
  cd "$home/target"
  timeout 90 unshare --net --pid --fork --kill-child --mount-proc \
    bash "$home/bin/lib/archive-nodes.sh" "$java" nodes.jsa
}

make_archives() {
  local home=$1
  rm -f "$home"/target/*.jsa "$home"/target/*.jsa.new
  (archive_nodes "$home") >"$home/target/archive-nodes.log" 2>&1 </dev/null &
  (archive_suite "$home") >"$home/target/archive-suite.log" 2>&1 </dev/null || true
  wait $! || true
}

build() {
  local home=$1 archive=$1/target/suite-$java_version.jsa
  if ! up_to_date "$home"; then
    command -v mvn >/dev/null || {
      echo "interregnum: no mvn found; install Maven (Debian: maven)" >&2
      exit 255
    }
    mkdir -p "$home/target"
    exec 9>"$home/target/build.lock"
    flock 9
    if ! up_to_date "$home"; then
      local started=$SECONDS
      echo "interregnum: building (log in $home/target/build.log)" >&2
      rm -f "$home/target/built"
      touch "$home/target/building"
      build_now "$home" 9>&-
      make_archives "$home" 9>&-
      mv "$home/target/building" "$home/target/built"
      echo "interregnum: built in $((SECONDS - started)) s" >&2
    fi
    exec 9>&-
  fi
  suite_options=()
  [ ! -e "$archive" ] || suite_options=(-Xshare:auto -Xlog:disable "-XX:SharedArchiveFile=$archive")
}
