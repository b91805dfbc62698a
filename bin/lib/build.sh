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
  grep -E '^\[ERROR\]|^Reflection warning|^Syntax error|^Execution error' \
    "$home/target/build.log" | head -n 12 >&2
  exit 255
}

# The archive of loaded classes halves the start of the suite. It holds for one release of Java and
# these very jars; without it everything works the same.
archive_classes() {
  local home=$1 archive=$2
  rm -f "$home"/target/suite-*.jsa
  "$java" "${java_options[@]}" -Xlog:disable -XX:ArchiveClassesAtExit="$archive.new" \
    -cp "$(suite_classpath "$home")" interregnum.cli --help >/dev/null 2>&1 || true
  [ ! -e "$archive.new" ] || mv "$archive.new" "$archive"
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
      archive_classes "$home" "$archive" 9>&-
      mv "$home/target/building" "$home/target/built"
      echo "interregnum: built in $((SECONDS - started)) s" >&2
    fi
    exec 9>&-
  fi
  suite_options=()
  [ ! -e "$archive" ] || suite_options=(-Xshare:auto -Xlog:disable "-XX:SharedArchiveFile=$archive")
}
