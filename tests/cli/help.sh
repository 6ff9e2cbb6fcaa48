#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# Help at every level, by option and by command, on stdout, with nothing on stderr.
for words in "" "run" "info" "scenes" "check" "params" "neighbors" "methods" "bench" "bench neighbors" "bench fluid" "lab" "demo" "completion"; do
    expect 0 $words --help
    has out "Usage: runnel"
    has out "Examples:"
    [ -s err ] && fail "$words --help talks on stderr"
    cp out by_option
    expect 0 help $words
    cmp -s out by_option || fail "help $words differs from $words --help"
    awk 'length > 110 { exit 1 }' out || fail "$words --help has very long lines"
done
expect 0 neighbors missing.xyz --radius nonsense --help
expect 0 --version
grep -qE '^runnel [0-9]+\.[0-9]+\.[0-9]+$' out || fail "--version prints $(cat out)"
expect 0 methods
for name in grid hash brute; do has out "$name"; done
expect 0 methods --json
tr -d '\n' <out >line
valid_json line
has out '"default": true'
finish
