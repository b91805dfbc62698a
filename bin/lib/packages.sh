# install_packages HOME [check]: installs the Debian packages listed in HOME/bin/packages that are
# missing ("check:" lines only when asked for), or says which are missing and exits 255. Sourced.

listed_packages() {
  sed -n -e 's/[[:space:]]*#.*//' -e '/^check:/!p' "$1/bin/packages"
  if [ "${2:-}" = check ]; then
    sed -n 's/^check:[[:space:]]*//p' "$1/bin/packages"
  fi
}

missing_packages() {
  local listed installed
  listed=$(listed_packages "$@" | sed '/^$/d')
  # shellcheck disable=SC2086
  installed=$(dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' $listed 2>/dev/null |
    sed -n 's/^ii  *//p') || true
  comm -23 <(sort -u <<<"$listed") <(sort -u <<<"$installed") | tr '\n' ' '
}

apt_install() {
  apt-get -q update && DEBIAN_FRONTEND=noninteractive \
    apt-get -qy install --no-install-recommends "$@"
}

install_packages() {
  local home=$1 missing found=$1/target/packages-found${2:+-$2}
  # Nothing was installed or removed, and the list is the same, since all were found.
  [ ! "$found" -nt /var/lib/dpkg/status ] || [ ! "$found" -nt "$home/bin/packages" ] || return 0
  command -v dpkg-query >/dev/null || return 0
  mkdir -p "$home/target"
  exec 8>"$home/target/packages.lock"
  flock 8
  missing=$(missing_packages "$@")
  if [ -n "$missing" ] && [ "$(id -u)" = 0 ]; then
    echo "interregnum: installing ${missing% }" >&2
    # shellcheck disable=SC2086
    apt_install $missing </dev/null >>"$home/target/packages.log" 2>&1 8>&- || true
    missing=$(missing_packages "$@")
  fi
  exec 8>&-
  if [ -n "$missing" ]; then
    echo "interregnum: missing Debian packages; as root: apt-get install ${missing% }" >&2
    exit 255
  fi
  touch "$found"
}
