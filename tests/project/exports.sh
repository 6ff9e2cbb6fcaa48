#!/bin/sh
# exports.sh NM SHARED STATIC HEADER... - the shared library exports rn_ names only, the static one rn_ and rni_, and every
# function that the headers declare is there.
set -eu
nm=$1 shared=$2 static=$3
shift 3
wrong=0

shown=$("$nm" -D --defined-only "$shared" | awk '{ print $NF }' | sed 's/@.*//' |
    grep -vxE '_init|_fini|_edata|_end|__bss_start' | sort -u)
[ -n "$shown" ] || { echo "$shared exports nothing"; exit 1; }
foreign=$(printf '%s\n' "$shown" | grep -v '^rn_' || true)
[ -z "$foreign" ] || { echo "$shared exports names that are not rn_:"; echo "$foreign"; wrong=1; }

foreign=$("$nm" -g --defined-only "$static" | awk 'NF == 3 { print $3 }' | grep -vE '^(rn_|rni_)' || true)
[ -z "$foreign" ] || { echo "$static exports names that are neither rn_ nor rni_:"; echo "$foreign"; wrong=1; }

declared=$(cat "$@" | grep '^RN_API' | grep -oE 'rn_[a-z0-9_]+\(' | tr -d '(' | sort -u)
for name in $declared; do
    printf '%s\n' "$shown" | grep -qx "$name" || { echo "$name is declared but not in $shared"; wrong=1; }
done
for name in $shown; do
    printf '%s\n' "$declared" | grep -qx "$name" || { echo "$name is in $shared but no header declares it"; wrong=1; }
done
echo "$(printf '%s\n' "$shown" | wc -l) public functions"
exit $wrong
