#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
lattice27 >cloud.xyz
{ echo x,y,z; lattice27 | tr ' ' ','; } >cloud.csv
{
    printf 'ply\nformat ascii 1.0\nelement vertex 27\nproperty float x\nproperty float y\nproperty float z\nend_header\n'
    lattice27
} >cloud.ply

# The same pairs from every format and every method; a pair at exactly the radius counts.
for file in cloud.xyz cloud.csv cloud.ply; do
    for method in default grid hash brute; do
        expect 0 neighbors $file --radius 1 --method $method --json
        valid_json out
        is "$(wc -l <out)" 1 "$file: lines of --json"
        is "$(number out points)" 27 "$file $method: points"
        is "$(number out pairs)" 54 "$file $method: pairs at radius 1"
        is "$(number out radius)" 1 "$file $method: radius"
        for key in method ms build_ms query_ms read_ms histogram neighbors_min neighbors_max held_bytes; do
            has out "\"$key\":"
        done
    done
done
expect 0 neighbors cloud.xyz --radius=1.5 --json --half --threads 1
is "$(number out pairs)" 126 "half lists: pairs at radius 1.5"
expect 0 neighbors cloud.xyz --radius 1 --json --periodic x=0:3,y=0:3,z=0:3
is "$(number out pairs)" 81 "periodic: pairs at radius 1"
expect 0 neighbors cloud.xyz --radius 1 --json --dim 2
is "$(number out pairs)" 135 "2D: 12 pairs of columns times 9, and 9 columns of 3 equal points"
expect 0 neighbors cloud.xyz --radius 1.8 --json --cpu plain
is "$(number out pairs)" 158 "plain instruction set: pairs at radius 1.8"
expect 0 neighbors cloud.xyz --radius 1 --nearest 2 --json
is "$(number out nearest_full)" 27 "nearest: points with two"
is "$(number out pairs)" 54 "nearest: pairs"
expect 0 neighbors cloud.xyz --radius 1
has out "points      27"
has out "pairs       54"
has out "histogram"
# Meshes are read by another command.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >t.obj
expect 1 neighbors t.obj --radius 1
has err "t.obj: is a mesh"
has err "\`runnel pairs t.obj\`"
"$runnel" neighbors - --radius 1 --json <cloud.xyz >out || fail "standard input is not read"
is "$(number out pairs)" 54 "standard input: pairs"
expect 0 neighbors --radius 1 --json -- cloud.xyz
is "$(number out pairs)" 54 "behind --: pairs"
# Numbers are written as they were read: doubles far from the origin, floats without extra digits, times in nanoseconds.
printf 'x,y\n5000000.12,0.1\n5000004.12,0.30000000000000004\n' >far.csv
expect 0 neighbors far.csv --radius 5
has out "box         (5000000.12, 0.1) to (5000004.12, 0.3)"
expect 0 neighbors far.csv --radius 0.1 --json
has out '"low": [5000000.12, 0.1], "high": [5000004.12, 0.30000000000000004], "radius": 0.1,'
printf 'ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nend_header\n1000000 0.1\n0 7.25\n' >float.ply
expect 0 neighbors float.ply --radius 1 --json
has out '"low": [0, 0.1], "high": [1000000, 7.25]'
expect 0 neighbors float.ply --radius 1
has out "box         (0, 0.1) to (1000000, 7.25)"
expect 0 neighbors cloud.xyz --radius 1 --nearest 2 --json
grep -qE '_?ms": [0-9]+\.[0-9]{7}' out && fail "a time has more than six decimals: $(cat out)"
cp cloud.xyz 'a "b".xyz'
expect 0 neighbors 'a "b".xyz' --radius 1 --json
valid_json out
# Options of single methods do not change the pairs.
for words in "cell-sort --h-mask 2" "cell-sort --h-mask 3 --as-published" "hash --h-mask 3" "hash --hash-cells 13" \
    "hash --table-length 3 --as-published" "hierarchical-hash --unbounded-table" "hierarchical-hash --table-length 2" \
    "kdtree --as-published" "linear-kdtree --as-published" "grid --as-published --h-mask 3"; do
    # shellcheck disable=SC2086
    expect 0 neighbors cloud.xyz --radius 1.8 --json --threads 2 --method $words
    is "$(number out pairs)" 158 "$words: pairs at radius 1.8"
    threads=2
    case $words in grid*) ;; *--as-published*) threads=1 ;; esac
    is "$(number out threads)" $threads "$words: threads"
done
expect 2 neighbors cloud.xyz --radius 1 --h-mask 4
has err "out of range (1 to 3)"
expect 2 neighbors cloud.xyz --radius 1 --method hash --h-mask 2 --hash-cells 13
has err "hash_cells is 13 and h_mask is 2"
expect 1 neighbors cloud.xyz --radius 1 --memory-limit 1e-7 --lists lists.csv
has err "exceed 0.0001 MB"
has err "memory_limit_bytes (--memory-limit)"
expect 0 neighbors cloud.xyz --radius 1 --memory-limit 1e-7
has err "counting only"
has out "pairs       54"
finish
