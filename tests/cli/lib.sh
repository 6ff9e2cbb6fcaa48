# shellcheck shell=sh
# Shared by the scripts. Each is called with the path of the command and works in a folder of its own.
set -u
runnel=$1
case $runnel in /*) ;; *) runnel=$PWD/$runnel ;; esac
[ -x "$runnel" ] || { echo "$runnel is not there"; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/runnel-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect CODE ARGUMENTS...: runs the command, keeps stdout in out and stderr in err.
expect() {
    wanted=$1
    shift
    "$runnel" "$@" >out 2>err </dev/null
    code=$?
    [ "$code" -eq "$wanted" ] || fail "runnel $*: exit $code, wanted $wanted; stderr: $(cat err)"
}

# has FILE TEXT: the file holds the text.
has() {
    grep -qF -e "$2" "$1" || fail "'$2' is not in $1: $(head -c 600 "$1")"
}

is() {
    [ "$1" = "$2" ] || fail "$3: '$1', wanted '$2'"
}

# number FILE KEY: the number of a key in flat JSON, one per line.
number() {
    sed -n "s/.*\"$2\": \([-0-9.e+]*\).*/\1/p" "$1"
}

# valid_json FILE: every line is JSON; without python3 only its first and last characters are checked.
valid_json() {
    if command -v python3 >/dev/null 2>&1; then
        python3 -c 'import json, sys
for line in open(sys.argv[1]):
    json.loads(line)' "$1" || fail "$1 is not JSON: $(head -c 600 "$1")"
    else
        grep -qvE '^([{].*[}]|[[].*[]])$' "$1" && fail "$1 is not JSON lines"
    fi
}

# The 27 points of a 3 x 3 x 3 lattice: 54 pairs at distance 1, 72 more at sqrt(2), 32 more at sqrt(3).
lattice27() {
    for z in 0 1 2; do for y in 0 1 2; do for x in 0 1 2; do echo "$x $y $z"; done; done; done
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failures"; exit 1; }
    echo "all good"
    exit 0
}
