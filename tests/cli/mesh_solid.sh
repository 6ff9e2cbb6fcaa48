#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# A mesh from a file as a wall: it holds, is drawn, and a run continues to the same bits; a file that has changed since is
# refused.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/small_scene.sh"

expect 0 mesh make sphere -o ball.stl
cat >scene.json <<'JSON'
{"domain": {"high": [0.6, 0.6, 0.6]}, "fluid": {"spacing": 0.05},
 "solids": [{"shape": "mesh", "center": [0.3, 0.2, 0.3], "file": "ball.stl", "scale": 1.5}],
 "blocks": [{"low": [0, 0, 0], "high": [0.6, 0.4, 0.6]}]}
JSON
expect 0 run scene.json --steps 20 --out whole --format none --progress none --picture
[ -s whole/picture.png ] || fail "the run wrote no picture"
is "$(number whole/report.json escaped)" 0 "particles behind the mesh"
expect 0 run scene.json --steps 11 --out parts --format none --progress none
expect 0 run --steps 20 --out parts --resume --threads 1 --progress none
is "$(hash_of parts)" "$(hash_of whole)" "state of a run in two parts"

expect 0 mesh make sphere --set radius=0.09 -o ball.stl
expect 1 run --steps 30 --out parts --resume --progress none
has err "the mesh has changed since"
rm ball.stl
expect 1 run --steps 30 --out parts --resume --progress none
has err "ball.stl: cannot be opened"
finish
