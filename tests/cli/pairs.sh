#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# A row of five unit cubes that touch face to face, and one apart: four pairs.
{ echo "min_x,min_y,min_z,max_x,max_y,max_z"
  for x in 0 1 2 3 4; do echo "$x,0,0,$((x + 1)),1,1"; done
  echo "9,9,9,10,10,10"; } >row.csv
expect 0 pairs row.csv
has out "6 boxes in 3D (CSV)"
has out "4 overlap or touch"
has out "isolated 1 of 6 are in no pair"
expect 0 pairs row.csv --json
valid_json out
is "$(number out pairs)" 4 "pairs"
is "$(number out boxes)" 6 "boxes"
is "$(number out alone)" 1 "boxes alone"

# Every method finds the same pairs, and writes them in the same order.
expect 0 methods --json
sed -n 's/.*"name": "\([a-z-]*\)", "task": "pairs".*/\1/p' out >names
[ "$(wc -l <names)" -ge 4 ] || fail "methods of the broad phase: $(cat names)"
while read -r method; do
    expect 0 pairs row.csv --method "$method" --threads 2 --pairs "$method.csv"
    is "$(tr '\n' ' ' <"$method.csv")" "a,b 0,1 1,2 2,3 3,4 " "pairs of $method"
done <names
expect 0 pairs row.csv --pairs -
is "$(head -n 2 out | tail -n 1)" "0,1" "pairs on standard output"
has err "4 overlap or touch"
expect 0 pairs row.csv --pairs pairs.npy
is "$(tail -c 8 pairs.npy | od -An -tu4 | tr -s ' ' | sed 's/^ //')" "3 4" "the last pair in NPY"

# Standard input, 2D, moving boxes, categories.
printf '0,0,1,1\n1,1,2,2\n3,3,4,4\n' >flat.csv
"$runnel" pairs - --json <flat.csv >out || fail "standard input"
is "$(number out pairs)" 1 "pairs in 2D"
is "$(number out dim)" 2 "dimensions"
printf 'min_x,min_y,max_x,max_y,vx,vy\n0,0,1,1,10,0\n5,0,6,1,0,0\n' >moving.csv
expect 0 pairs moving.csv --json
is "$(number out pairs)" 0 "at rest"
expect 0 pairs moving.csv --time-step 0.5 --json
is "$(number out pairs)" 1 "on the way"
expect 2 pairs flat.csv --time-step 0.5
has err "no velocities"
printf 'min_x,min_y,max_x,max_y,category,mask\n0,0,1,1,1,2\n0,0,1,1,2,1\n0,0,1,1,1,2\n' >teams.csv
expect 0 pairs teams.csv --json
is "$(number out pairs)" 2 "pairs of different teams"

# Meshes: the boxes of triangles.
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n' >square.obj
expect 0 pairs square.obj
has out "2 triangles in 3D (OBJ)"
has out "1 overlap or touch"

# Errors say what is wrong and where.
printf '0,0,1,1\n0,5,1,1\n' >bad.csv
expect 1 pairs bad.csv
has err "bad.csv:2: the box is inverted"
expect 1 pairs missing.csv
has err "missing.csv: cannot be opened"
expect 2 pairs row.csv --pairs pairs.txt
has err "neither .csv nor .npy"
expect 2 pairs row.csv --pairs row.csv
has err "would overwrite the input"
expect 2 pairs row.csv --method qick
expect 2 pairs
: >empty.csv
expect 1 pairs empty.csv
has err "empty"
echo "min_x,min_y,max_x,max_y" >none.csv
expect 0 pairs none.csv --json
is "$(number out pairs)" 0 "pairs of no boxes"
expect 0 pairs none.csv

# Benchmarks: all methods agree, and rows have all documented fields.
methods=$(wc -l <names)
expect 0 bench pairs --boxes 300,2000 --layout all --method all --threads 1,2 --reps 1 --seconds 0 --json
valid_json out
is "$(wc -l <out)" "$((methods * 2 * 4 * 2))" "rows"
for key in method threads boxes layout pairs ms bytes ns_per_box; do
    is "$(grep -c "\"$key\": " out)" "$((methods * 2 * 4 * 2))" "rows with $key"
done
is "$(sed 's/.*"boxes": \([0-9]*\), "layout": "\([a-z]*\)".*"pairs": \([0-9]*\),.*/\1 \2 \3/' out | sort -u | wc -l)" 8 \
    "different pair counts"
expect 0 bench pairs --boxes 500 --method default --dim 2 --cpu plain --reps 1 --seconds 0
has out "layered-columns"
expect 0 bench pairs --boxes 400 --method sweep-and-prune,auto --move 0.001 --reps 4 --seconds 0 --json
has out '"order_reused": true'
expect 0 bench queries --boxes 30,500 --queries 2000 --dim 2 --method all --threads 1,2 --reps 1 --seconds 0 --json
valid_json out
is "$(wc -l <out)" "$((methods * 2 * 2))" "rows of queries"
is "$(sed 's/.*"boxes": \([0-9]*\),.*"hits": \([0-9]*\),.*/\1 \2/' out | sort -u | wc -l)" 2 "different hit counts"
for kind in box point segment sphere; do
    expect 0 bench queries --boxes 200 --queries 1000 --dim 3 --kind $kind --results lists --method all --reps 1 --seconds 0
done
expect 0 bench pairs --boxes 300,600 --method all --reps 1 --seconds 0 --plot lines.svg
has lines.svg "</svg>"
expect 0 bench queries --boxes 300 --queries 500 --method all --reps 1 --seconds 0 --plot bars.svg
has bars.svg "</svg>"
expect 2 bench pairs --boxes 300 --plot x.png
expect 1 bench pairs --boxes 300 --plot no/such/folder/x.svg
[ -s out ] && fail "rows were measured for a plot that cannot be written"
expect 0 bench pairs --boxes 500 --peers --reps 1 --seconds 0 --json
finish
