#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# Vessels that are filled, and the films that water leaves on meshes: files, resuming, refusals.
. "$(dirname "$0")/lib.sh"

cat >bowl.json <<'JSON'
{
  "run": {"time": 0.2, "every": 0.1},
  "fluid": {"spacing": 0.02},
  "domain": {"low": [-0.2, -0.02, -0.2], "high": [0.2, 0.25, 0.2]},
  "solids": [{"name": "bowl", "shape": "mesh", "make": "bowl triangles=400", "center": [0, 0, 0],
              "trail": 0.0001, "trail_drain": 0.5}],
  "blocks": [{"solid": "bowl", "level": 0.05}],
  "balls": [{"center": [0.04, 0.12, 0], "radius": 0.03}],
  "gauges": [{"name": "wet", "kind": "film", "solid": "bowl"}]
}
JSON

expect 0 run bowl.json --out whole --progress none
has whole/report.json '"escaped": 0'
is "$(head -n 1 whole/gauges.csv)" "time [s],wet.area [m^2],wet.volume [m^3]" "titles"
[ "$(tail -n 1 whole/gauges.csv | awk -F, '{print ($2 > 0.03 && $3 > 1e-6 && $3 < 1e-4 * $2)}')" = 1 ] ||
    fail "wetted area and volume: $(tail -n 1 whole/gauges.csv)"
expect 0 info whole/films_000002.vtp
has whole/films_000002.vtp 'Name="film"'
[ -s whole/film_0.png ] || fail "no picture of the film"

# The film is part of the checkpoint.
expect 0 run bowl.json --out parts --progress none --steps 30
expect 0 run bowl.json --out parts --progress none --resume
for name in film_0.png films_000002.vtp gauges.csv; do
    cmp -s "whole/$name" "parts/$name" || fail "$name differs after resuming"
done

# --- refusals ------------------------------------------------------------------------------------------------------------
expect 1 check bowl.json --set solids.0.trail=0
has err "gauges.0.solid: 'bowl' keeps no film"
expect 1 check bowl.json --set gauges.0.solid=cup
has err "gauges.0.solid: there is no solid named 'cup'"
expect 1 check bowl.json --set blocks.0.level=0.2
has err "blocks.0.level: is 0.2; 'bowl' holds water up to 0."
expect 1 check bowl.json --set blocks.0.solid=cup
has err "blocks.0.solid: there is no solid named 'cup'"
expect 1 check bowl.json --set "solids.0.make=colon scale=0"
has err "solids.0.make"
expect 1 check bowl.json --set "solids.0.file=none.stl" --set solids.0.make=
has err "none.stl: cannot be opened"
expect 2 check bowl.json --set solids.0.friction=-1
has err "solids.0.friction"
finish
