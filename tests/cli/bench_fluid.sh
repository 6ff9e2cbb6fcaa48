#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

expect 0 bench fluid --particles 300,1000 --model paper,water --state lattice,disordered --traversal fused,lists --threads 1,2 \
    --reps 2 --seconds 0 --json
valid_json out
is "$(wc -l <out)" 32 "rows: 2 sizes, 2 models, 2 states, 2 traversals, 2 thread counts"
for key in particles model state threads traversal cpu frames_per_s ns_per_particle sort_ns search_ns density_ns normals_ns \
    forces_ns integrate_ns bytes_per_particle; do
    is "$(grep -c "\"$key\": " out)" 32 "rows with $key"
done
is "$(grep -c '"particles": 1000, ' out)" 16 "rows of 1000: nobody is lost"

expect 0 bench fluid --particles 1 --reps 1 --seconds 0
has out "frames/s"
expect 0 bench fluid --particles 500 --cpu plain --traversal lists --search brute --reps 1 --seconds 0
has out "plain"
expect 2 bench fluid --state ordered
has err "disordered"
expect 2 bench fluid --particles 0
finish
