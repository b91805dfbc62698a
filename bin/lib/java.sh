# Sets `java` (the program), `java_release` (its feature number) and `java_options` (what every
# Java process of ours is given on that release). Sourced.

if [ -n "${JAVA_HOME:-}" ] && [ -x "$JAVA_HOME/bin/java" ]; then
  java=$JAVA_HOME/bin/java
else
  java=$(command -v java) || {
    echo "interregnum: no java found; install a JDK 17 or newer (Debian: default-jdk-headless)" >&2
    exit 255
  }
fi

java_home=$(dirname "$(dirname "$(readlink -f "$java")")")
java_version=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$java_home/release" 2>/dev/null || true)
java_release=${java_version%%.*}
java_options=()
if [ "${java_release:-17}" -ge 24 ]; then
  java_options+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
fi
