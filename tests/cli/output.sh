#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
lattice27 >cloud.xyz

expect 0 neighbors cloud.xyz --radius 1 --pairs pairs.csv --lists lists.csv --json
is "$(number out pairs)" 54 "pairs beside the files"
is "$(head -n 1 pairs.csv)" "i,j" "header of the pairs"
is "$(wc -l <pairs.csv)" 55 "lines of the pairs"
is "$(sed -n 2p pairs.csv)" "0,1" "the first pair"
tail -n +2 pairs.csv | awk -F, '$1 >= $2 { exit 1 }' || fail "a pair is not (smaller, larger)"
is "$(wc -l <lists.csv)" 28 "lines of the lists"
is "$(sed -n 2p lists.csv)" "0,3,1 3 9" "the list of point 0"

# With index order all methods write the same bytes.
for method in hash brute; do
    expect 0 neighbors cloud.xyz --radius 1 --method $method --pairs p.csv --lists l.csv
    cmp -s p.csv pairs.csv || fail "$method writes other pairs"
    cmp -s l.csv lists.csv || fail "$method writes other lists"
done

expect 0 neighbors cloud.xyz --radius 1 --pairs pairs.npy --lists lists.npy
[ -s lists_start.npy ] || fail "lists_start.npy is missing"
if command -v python3 >/dev/null 2>&1; then
    python3 - <<'P' || fail "pairs.npy does not hold the pairs of pairs.csv"
import struct, ast
data = open('pairs.npy', 'rb').read()
assert data[:6] == b'\x93NUMPY'
length = struct.unpack('<H', data[8:10])[0]
header = ast.literal_eval(data[10:10 + length].decode())
assert header['shape'] == (54, 2) and header['descr'] == '<u4', header
values = struct.unpack('<108I', data[10 + length:])
rows = [tuple(map(int, line.split(','))) for line in open('pairs.csv').read().split()[1:]]
assert list(zip(values[::2], values[1::2])) == rows
P
else
    is "$(wc -c <pairs.npy)" 560 "bytes of pairs.npy: 128 of header and 54 rows"
fi

expect 0 neighbors cloud.xyz --radius 2 --nearest 3 --lists nearest.csv
is "$(sed -n 2p nearest.csv)" "0,3,1 3 9" "the three nearest of point 0"

# Standard output belongs to the pairs when they go there.
expect 0 neighbors cloud.xyz --radius 1 --pairs -
is "$(wc -l <out)" 55 "lines of pairs on stdout"
has err "pairs       54"

expect 1 neighbors cloud.xyz --radius 1 --pairs no/such/folder/pairs.csv
has err "no/such/folder/pairs.csv"
finish
