#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# A row per structure and size, as a table and as JSON.
expect 0 bench mesh --triangles 200,800 --points 300 --reps 1
is "$(wc -l <out)" 9 "lines of the table"
has out "distance-field"
expect 0 bench mesh --triangles 200 --points 300 --reps 1 --split min-sum --structure hierarchy,hashed-grid --json
valid_json out
is "$(wc -l <out)" 2 "rows as JSON"
for key in structure triangles build_ms closest_ns near_ns distance_ns inside_ns segment_ns move_ns held_mb; do
    has out "\"$key\": "
done

expect 2 bench mesh --structure octree
has err "hashed-grid"
expect 2 bench mesh --split middle
has err "longest-side"
expect 2 bench mesh --triangles 0
