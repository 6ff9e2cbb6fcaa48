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
is "$(sed -n 1p nearest.csv)" "point,count,neighbors,distances" "header of the nearest"
is "$(sed -n 2p nearest.csv)" "0,3,1 3 9,1 1 1" "the three nearest of point 0"
has out "the 3 nearest within the radius; 27 points have all of them"
has out "nearest.csv: the 3 nearest of every point, with their distances"
expect 0 neighbors cloud.xyz --radius 9 --nearest 1000 --lists nearest.npy --json
is "$(number out nearest)" 1000 "nearest as asked for"
is "$(number out nearest_k)" 26 "nearest that there can be"
is "$(number out nearest_full)" 27 "points with all others within the radius"
expect 0 neighbors cloud.xyz --radius 9 --nearest 1000
has out "(1000 requested, a point has 26 others); 27 points have all of them"
echo 1 2 3 >one.xyz
expect 0 neighbors one.xyz --radius 1 --nearest 4
has out "isolated    1 point"
[ "$(grep -c '1 points' out)" -eq 0 ] || fail "1 points: $(cat out)"

# When the pairs go to standard output, nothing else does.
expect 0 neighbors cloud.xyz --radius 1 --pairs -
is "$(wc -l <out)" 55 "lines of pairs on stdout"
has err "pairs       54"
has err "standard output: each pair once"
expect 0 neighbors cloud.xyz --radius 1 --lists -
cmp -s out lists.csv || fail "lists on stdout differ from lists.csv"
"$runnel" neighbors - --radius 1 <cloud.xyz >out || fail "standard input is not read"
has out "standard input: XYZ"

# Nothing is overwritten by accident: neither the input, under any name, nor one output by another.
refused() {
    sentence=$1
    shift
    expect 2 "$@"
    has err "$sentence"
    cmp -s in.csv before.csv || fail "runnel $*: the input has changed"
}
{ echo x,y,z; lattice27 | tr ' ' ','; } >in.csv
cp in.csv before.csv
ln -s in.csv link.csv
mkdir -p folder
refused "would overwrite the input" neighbors in.csv --radius 1 --pairs in.csv
refused "would overwrite the input" neighbors in.csv --radius 1 --lists ./folder/../in.csv
refused "would overwrite the input" neighbors in.csv --radius 1 --pairs link.csv
refused "would overwrite the input" neighbors link.csv --radius 1 --pairs in.csv
cp pairs.npy e_start.npy
refused "--lists: writing e_start.npy would overwrite the input" neighbors e_start.npy --radius 1 --lists e.npy
rm e_start.npy
"$runnel" neighbors - --radius 1 --pairs in.csv <in.csv >out 2>err
is "$?" 2 "the file behind standard input as output: exit"
refused "--pairs and --lists would both write same.csv" neighbors in.csv --radius 1 --pairs same.csv --lists same.csv
refused "would both write" neighbors in.csv --radius 1 --pairs same.csv --lists folder/../same.csv
refused "would both write e_start.npy" neighbors in.csv --radius 1 --lists e.npy --pairs e_start.npy
refused "would both write standard output" neighbors in.csv --radius 1 --pairs - --lists -
[ -e same.csv ] || [ -e e.npy ] || [ -e e_start.npy ] && fail "a refused run has written"
expect 0 neighbors in.csv --radius 1 --pairs a.csv --lists folder/a.csv
expect 0 neighbors in.csv --radius 1 --pairs a.csv --lists folder/a.csv
expect 0 neighbors in.csv --radius 1 --pairs a.CSV

# Nor the files of a run, except its picture: by name, through a link, from any command.
expect 0 run dam-break --out dam --set fluid.spacing=0.02 --steps 3 --format vtp,ply,h5 --picture --progress none
cp -r dam before
checkpoint=$(find dam -name 'checkpoint_*' | sort | tail -n 1)
kept() {
    diff -r dam before >differences || fail "$1 has changed a file of the run: $(cat differences)"
}
for file in scene.json report.json particles.pvd particles_000000.vtp particles_000000.ply particles.h5 particles.h5.frames \
    "${checkpoint#dam/}"; do
    expect 2 picture dam --size 96x64 --out "dam/$file"
    [ "dam/$file" = "$checkpoint" ] || has err "--out: dam/$file is a file of a run and would be overwritten; choose another name"
    expect 2 picture dam-break --size 96x64 --set fluid.spacing=0.02 --out "$PWD/dam/../dam/$file"
    rm -f over.png over.csv over.svg
    ln -s "dam/$file" over.png
    ln -s "dam/$file" over.csv
    ln -s "dam/$file" over.svg
    expect 2 picture dam-break --size 96x64 --set fluid.spacing=0.02 --out over.png
    expect 2 neighbors in.csv --radius 1 --pairs over.csv
    expect 2 neighbors in.csv --radius 1 --lists over.csv
    has err "--lists: over.csv is a file of a run"
    expect 2 bench neighbors --points 100 --reps 1 --method grid --plot over.svg
    expect 2 bench pairs --boxes 100 --method default --plot over.svg
    kept "a command with --out $file"
done
cp "$checkpoint" mine.rnck
expect 2 picture dam-break --out mine.rnck
cmp -s mine.rnck "$checkpoint" || fail "a checkpoint was overwritten by a picture"
# Checking whether a chart can be written does not empty the file that a link points to.
echo old >chart.svg
ln -sf chart.svg over.svg
expect 0 bench neighbors --points 100 --method grid --plot over.svg
is "$(cat chart.svg)" old "a chart behind a link"
# Pictures and lists may be replaced, also in the folder of a run.
for name in dam/picture.png dam/other.png dam/other.png; do
    expect 0 picture dam --size 96x64 --out $name
done
expect 0 neighbors dam/particles_000000.ply --radius 0.03 --pairs dam/pairs.csv
expect 0 neighbors dam/particles_000000.ply --radius 0.03 --pairs dam/pairs.csv

# A run does not overwrite the scene or checkpoint that it starts from, unless told to.
rm -rf dam before mine
mkdir mine
"$runnel" scenes dam-break --set fluid.spacing=0.02 | sed '1s/^{/{ /' >mine/scene.json
cp mine/scene.json written.json
expect 1 run mine/scene.json --out ./mine --steps 3 --progress none
has err "--out: ./mine/scene.json would be overwritten, and is the input; choose another folder, or --force"
cmp -s mine/scene.json written.json || fail "the scene that was run has been overwritten"
expect 0 run mine/scene.json --out mine --steps 3 --progress none --force
expect 0 run mine/scene.json --out mine --progress none # its own scene, to the byte
checkpoint=$(find mine -name 'checkpoint_*' | sort | tail -n 1)
cp "$checkpoint" before.rnck
expect 1 run "$checkpoint" --out mine --steps 6 --progress none
has err "$checkpoint would be overwritten, and is the input"
cmp -s "$checkpoint" before.rnck || fail "the checkpoint that was run has been overwritten"
expect 0 run "$checkpoint" --out other --steps 6 --progress none
expect 1 run dam-break --out written.json --steps 1 --progress none
has err "written.json is not a folder"

expect 1 neighbors cloud.xyz --radius 1 --pairs no/such/folder/pairs.csv
has err "no/such/folder/pairs.csv"
finish
