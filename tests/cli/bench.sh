#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

expect 0 methods --json
rows=$(($(grep -c '"task": "neighbors"' out) * 2 * 4 * 2))
expect 0 bench neighbors --points 500,1000 --layout all --method all --threads 1,2 --reps 2 --seconds 0 --json
valid_json out
is "$(wc -l <out)" "$rows" "rows: 2 sizes, 4 layouts, all methods, 2 thread counts"
for key in method threads points layout radius pairs entries build_ms query_ms ns_per_point bytes_per_point cpu reps; do
    is "$(grep -c "\"$key\": " out)" "$rows" "rows with $key"
done
# All methods and thread counts agree on the pairs of a size and layout.
is "$(sed 's/.*"points": \([0-9]*\), "layout": "\([a-z0-9]*\)".*"pairs": \([0-9]*\),.*/\1 \2 \3/' out | sort -u | wc -l)" 8 \
    "different pair counts"
# The two lattices are the same set.
is "$(sed -n 's/.*"points": 1000, "layout": "lattice".*"pairs": \([0-9]*\),.*/\1/p' out | head -n 1)" \
    "$(sed -n 's/.*"points": 1000, "layout": "sorted".*"pairs": \([0-9]*\),.*/\1/p' out | head -n 1)" "sorted lattice"

# Half lists, counts and full lists have the same pairs; a brute force that would take too long is named, not run.
for lists in full half counts; do
    expect 0 bench neighbors --points 1000 --lists $lists --reps 1 --seconds 0 --json
    number out pairs >>pairs
done
is "$(sort -u pairs | wc -l)" 1 "pairs over kinds of lists"
expect 0 bench neighbors --points 70000 --method brute --reps 1 --seconds 0 --json
has out '"skipped": '
has err "skipped above 65536 points"
expect 0 bench neighbors --points 400 --dim 2 --move 0.01 --order index --csr --cpu plain --reps 2 --seconds 0
has out "ns/point"

expect 0 bench neighbors --points 500 --method hash,cell-sort,grid --h-mask 2 --as-published --skin 0.1 --threads 2 --reps 1 --seconds 0 --json
is "$(number out pairs | sort -u | wc -l)" 1 "pairs with a mask and a skin"
is "$(number out threads | tr '\n' ' ')" "1 1 2 " "threads as published"

expect 0 bench neighbors --points 500,1000 --method all --reps 1 --seconds 0 --plot lines.svg
has lines.svg "</svg>"
expect 0 bench neighbors --points 500 --method all --reps 1 --seconds 0 --plot bars.svg
has bars.svg "</svg>"
expect 1 bench neighbors --points 500 --reps 1 --seconds 0 --plot no/such/folder/x.svg
has err "no/such/folder/x.svg"
[ -s out ] && fail "rows were measured for a plot that cannot be written"
for plot in x.png x -; do
    expect 2 bench neighbors --points 500 --reps 1 --seconds 0 --plot $plot
    has err "'$plot' is not .svg"
    [ -s out ] && fail "rows were measured for --plot $plot"
done
is "$(find . -name '*.tmp-*' | wc -l)" 0 "files left by the look at the plot"

# Whole runs: one row per method, auto says which it used, and the points may change halfway.
expect 0 bench neighbors --points 300 --layout all --method all --updates 12 --reps 1 --json
valid_json out
is "$(grep -c '"updates": 12' out)" "$((rows / 4))" "rows of runs: 4 layouts, all methods"
is "$(grep '"method": "auto"' out | grep -c '"choice": "[a-z-]*: ')" 4 "runs in which auto says what it took"
expect 0 bench neighbors --points 300 --method grid,auto --updates 12 --reps 2 --change clusters --move 0.01 --cpu-time
has out "lattice>clusters"
expect 2 bench neighbors --points 300 --change clusters
has err "--change needs --updates"
expect 2 bench neighbors --points 300 --updates 5 --plot x.svg
has err "--plot cannot be combined with --updates"

# Peers are optional: rows when they are built, a hint when not.
expect 0 bench neighbors --points 1000 --peers --reps 1 --seconds 0 --json
if [ -x "$(dirname "$runnel")/peers/nanoflann_peer" ]; then
    has out '"method": "peer:nanoflann"'
    has err "times as fast"
else
    has err "./dev bench --peers"
fi
# Installed or copied without peers: says where it looked for them, and prints the other rows.
mkdir installed
cp "$runnel" installed/runnel
installed/runnel bench neighbors --points 1000 --peers --reps 1 --seconds 0 --json >out 2>err
is "$?" 0 "a missing peer: exit"
is "$(wc -l <out)" 1 "rows without the peer"
has err "installed/peers/nanoflann_peer does not exist"
has err "./dev bench --peers"
finish
