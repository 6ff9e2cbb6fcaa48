#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# Every shape can be made, and every file format gives back what was written.
expect 0 mesh make --list
sed -n 's/^\([a-z][a-z]*\) .*/\1/p' out >names
[ "$(wc -l <names)" -eq 13 ] || fail "shapes: $(cat names)"
expect 0 mesh make --list --json
is "$(wc -l <out)" 13 "shapes as JSON"
while read -r shape; do
    expect 0 mesh make "$shape" --json -o shape.glb
    valid_json out
    is "$(number out components)" 1 "parts of $shape"
done <names
for format in obj ply stl glb; do
    expect 0 mesh make colon --triangles 8040 --seed 3 -o "colon.$format"
    expect 0 mesh info "colon.$format" --json
    valid_json out
    is "$(number out triangles)" 8040 "triangles in $format"
    is "$(number out vertices)" 4022 "vertices in $format"
    has out '"closed": true'
    has out '"faults": []'
    if [ "$format" = stl ]; then has out '"texture": false'; else has out '"texture": true'; fi
done
expect 0 mesh make bowl --set radius=0.2 --set depth=0.1
has out "faults    none"

# Diagnosis: each fault with its place; standard input; walls against a spacing.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 9 9 9\nf 1 2 3\nf 1 3 2\nf 1 1 2\n' >bad.obj
expect 0 mesh info bad.obj
has out "1 duplicate triangle"
has out "1 degenerate triangle"
has out "3 open edges"
has out "triangle 1 and 0 at 0.333333, 0.333333, 0"
has out "1 vertices are in no triangle"
expect 0 mesh info bad.obj --json
valid_json out
"$runnel" mesh info - <colon.stl >out || fail "standard input"
has out "8040 triangles"
expect 0 mesh make trough -o trough.ply
expect 0 mesh info trough.ply --spacing 0.03
has out "thin walls"
has out "thinnest  wall 0.02 m"
expect 0 mesh info trough.ply --spacing 0.03 --json
valid_json out

# Repair says what it did; the result is closed.
{ echo solid; i=0
  "$runnel" mesh make box -o box.obj >/dev/null
  grep '^v ' box.obj >corners
  grep '^f ' box.obj | sed 's/f //; s,/[0-9]*,,g' | while read -r a b c; do
      i=$((i + 1)); [ $((i % 3)) -eq 0 ] && { x=$a; a=$b; b=$x; }
      echo facet
      for v in "$a" "$b" "$c"; do sed -n "${v}s/^v/vertex/p" corners; done
      echo endfacet
  done; } >soup.stl
expect 0 mesh info soup.stl
has out "inverted triangles"
expect 0 mesh repair soup.stl -o clean.glb
has out "turned    4 triangles"
has out "faults    none"
expect 0 mesh repair soup.stl -o clean.ply --json
valid_json out
is "$(number out turned_triangles)" 4 "turned triangles"

# Errors say what is wrong and where.
expect 1 mesh info missing.stl
has err "missing.stl: cannot be opened"
printf 'v 0 0 nan\n' >nan.obj
expect 1 mesh info nan.obj
has err "nan.obj:1: 'nan' is not finite"
head -c 200 colon.stl >cut.stl
expect 1 mesh info cut.stl
has err "cut short"
expect 2 mesh make
expect 2 mesh make cube
has err "the shapes are colon"
expect 2 mesh make colon --set radius=0
has err "its parameters are scale"
expect 2 mesh make colon --set scale=0
expect 2 mesh make colon -o colon.step
has err "meshes are written as"
expect 2 mesh repair soup.stl
has err "-o is missing"
expect 2 mesh repair soup.stl -o soup.stl
has err "would overwrite the input"
expect 2 mesh info
finish
