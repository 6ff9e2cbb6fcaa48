#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

expect 0 demo --out a/b --points 2000
for file in index.html points.svg neighbors.svg neighbors.csv; do
    [ -s "a/b/$file" ] || fail "a/b/$file is missing"
done
has out "a/b/index.html"
for method in grid hash brute; do
    has out "$method"
    grep -q "^$method,[0-9]*,[0-9]*,[0-9.]*,[0-9.]*$" a/b/neighbors.csv || fail "$method is not in neighbors.csv"
done
is "$(tail -n +2 a/b/neighbors.csv | cut -d, -f3 | sort -u | wc -l)" 1 "pair counts of the methods"
is "$(ls a/b | wc -l)" 4 "files left"
if command -v python3 >/dev/null 2>&1; then
    for file in a/b/points.svg a/b/neighbors.svg; do
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $file || fail "$file is not XML"
    done
fi
# The same points every time.
cp a/b/points.svg first.svg
expect 0 demo --out a/b --points 2000 --threads 1
cmp -s a/b/points.svg first.svg || fail "points.svg differs from run to run"
echo text >file
expect 1 demo --out file --points 2000
has err "file"
finish
