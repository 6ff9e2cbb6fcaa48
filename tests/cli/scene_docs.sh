#!/bin/sh
# scene_docs.sh COMMAND ROOT - the schema and the tables in the docs are what the command prints. In docs/scenes.md a line
# <!-- params NAME --> precedes the table of `runnel params NAME --markdown`.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
root=$2

expect 0 params --schema
cmp -s out "$root/docs/scene.schema.json" ||
    fail "docs/scene.schema.json is not what runnel params --schema prints; write it anew"

page=$root/docs/scenes.md
names=$(sed -n 's/^<!-- params \([a-z_]*\) -->$/\1/p' "$page")
for name in run particles fluid gravity gravity_ramp gravity_sine gravity_table interfaces time domain walls view solids blocks balls pipes outlets gauges; do
    printf '%s\n' "$names" | grep -qx "$name" || fail "docs/scenes.md has no table of $name"
done
for name in $names; do
    expect 0 params "$name" --markdown
    awk -v line="<!-- params $name -->" '
        $0 == line { inside = 1; next }
        inside && /^[|]/ { print; seen = 1; next }
        inside && seen { exit }' "$page" >table
    cmp -s out table || { fail "the table of $name in docs/scenes.md is not what runnel params $name --markdown prints"; cat out; }
done

# The scenes shown: a complete one is valid by itself, a fragment within the first.
awk '/^```json$/ { inside = 1; n++; next } /^```$/ { inside = 0 } inside { print > ("block" n) }' "$page"
[ -f block4 ] || fail "docs/scenes.md shows fewer scenes than it should"
for block in block*; do
    if head -n 1 "$block" | grep -q '^{'; then
        grep -q schema "$block" && continue
        cp "$block" shown.json
    else
        { printf '{"fluid": {"spacing": 0.05}, "domain": {"high": [2, 1, 0.5]},\n"blocks": [{"low": [0, 0, 0], "high": [0.4, 0.4, 0.5]}],\n'; cat "$block"; printf '}\n'; } >shown.json
    fi
    expect 0 check shown.json --no-measure
    if grep '^  warning' out | grep -qv "fluid.viscosity: the numerical part"; then fail "$block of docs/scenes.md has warnings: $(cat out)"; fi
done
finish
