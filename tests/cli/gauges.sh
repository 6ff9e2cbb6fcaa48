#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# Gauges of a run: gauges.csv, the report, resuming, refusals; runnel plot.
. "$(dirname "$0")/lib.sh"

cat >pool.json <<'JSON'
{
  "run": {"time": 0.2, "every": 0.1},
  "fluid": {"dim": 2, "spacing": 0.02},
  "gravity_ramp": 0.1,
  "domain": {"high": [0.4, 0.4]},
  "solids": [{"name": "block", "shape": "box", "center": [0.3, 0.04], "size": [0.08, 0.08, 0.1]}],
  "blocks": [{"low": [0, 0], "high": [0.4, 0.2]}],
  "gauges": [
    {"name": "floor", "kind": "pressure", "center": [0.1, 0]},
    {"kind": "level", "center": [0.1, 0], "rate": 50, "surfaces": 2},
    {"name": "on block", "kind": "force", "solid": "block", "rate": 100},
    {"name": "left", "kind": "volume", "low": [0, 0], "high": [0.2, 0.4]}
  ]
}
JSON

# --- the file -----------------------------------------------------------------------------------------------------------
expect 0 run pool.json --out whole --progress none
is "$(head -n 1 whole/gauges.csv)" \
    "time [s],floor [Pa],level_1 [m],level_1.2 [m],on block.fx [N/m],on block.fy [N/m],on block.mz [N],left [m^2]" "titles"
steps=$(number whole/report.json steps)
is "$(($(wc -l <whole/gauges.csv) - 1))" "$steps" "a row per step"
is "$(tail -n +2 whole/gauges.csv | awk -F, 'NF != 8' | wc -l)" 0 "rows of another length"
is "$(tail -n +2 whole/gauges.csv | awk -F, '$3 != ""' | wc -l)" 10 "levels at their rate"
is "$(tail -n +2 whole/gauges.csv | awk -F, '$5 != ""' | wc -l)" 20 "forces at their rate"
is "$(tail -n +2 whole/gauges.csv | awk -F, '$4 != ""' | wc -l)" 0 "there is no second surface"
tail -n 1 whole/gauges.csv | awk -F, '{ exit !($8 > 0.039 && $8 < 0.041) }' || fail "the left half is not 0.04 m^2"
awk -F, 'NR > 1 && $3 != "" { level = $3 } END { exit !(level > 0.19 && level < 0.21) }' whole/gauges.csv ||
    fail "the level is not 0.2 m"
has whole/report.json '"gauges": [{"name": "floor", "kind": "pressure"'
expect 0 info whole/report.json
has out "gauges.floor      min "
has out "gauges.on block.fy min "
expect 0 info whole
has out gauges.csv

expect 0 info whole/gauges.csv
has out "column.1          floor [Pa]"
is "$(sed -n 's/^rows *//p' out)" "$steps" "rows by info"

# --- solids beside the frames, for ParaView ---------------------------------------------------------------------------------------
expect 0 info whole/particles.pvd
has out "frames            3"
has out "missing_files     0"
is "$(grep -c 'part="1" file="solids.vtp"' whole/particles.pvd)" 3 "solids in the list of frames"
expect 0 info whole/solids.vtp
has out "kind              VTK triangles of solids (.vtp)"
has out "triangles         12"
expect 1 picture whole/solids.vtp --out x.png
has err "no particles"

# --- resuming, whatever the last row looks like -----------------------------------------------------------------------------
expect 0 run pool.json --out parts --progress none --steps 40
printf '0.9,1,2' >>parts/gauges.csv
expect 0 run --out parts --progress none --resume --time 0.2
for file in particles.pvd solids.vtp; do cmp -s whole/$file parts/$file || fail "$file of a resumed run differs"; done
cmp -s whole/gauges.csv parts/gauges.csv || fail "gauges.csv of a resumed run differs"
is "$(sed -n 's/.*"gauges": \(.*\), "time_step".*/\1/p' parts/report.json)" \
    "$(sed -n 's/.*"gauges": \(.*\), "time_step".*/\1/p' whole/report.json)" "gauges in the report of a resumed run"
expect 0 run pool.json --out lost --progress none --steps 40
rm lost/gauges.csv
expect 0 run --out lost --resume --steps 50
has err "gauges.csv begins anew, without the samples so far"
is "$(wc -l <lost/gauges.csv)" 11 "rows after the loss"
expect 0 run pool.json --out none --progress none --steps 5 --set 'gauges=[]'
[ -e none/gauges.csv ] && fail "a scene without gauges has written gauges.csv"
expect 0 run pool.json --out set --progress none --steps 30 --set gauges.0.rate=200
tail -n +2 set/gauges.csv | awk -F, '$2 == "" { empty = 1 } END { exit !empty }' || fail "--set gauges.0.rate"


# --- HDF5 ------------------------------------------------------------------------------------------------------------------------
expect 0 run pool.json --out h5 --progress none --format h5 --steps 40
expect 0 run --out h5 --progress none --resume --steps 60
if command -v h5dump >/dev/null 2>&1; then
    h5dump -d '/gauges/level_1' -a '/gauges/floor/units' h5/particles.h5 >dump 2>&1 || fail "h5dump: $(cat dump)"
    has dump '( 60 )'
    has dump '"Pa"'
fi
# the file with its table is not taken for one that another program has changed
expect 0 run --out h5 --progress none --resume --steps 80
expect 0 info h5/particles.h5.frames

# --- refusals ----------------------------------------------------------------------------------------------------------------
expect 1 check pool.json --set gauges.0.radius=0.1
has err "gauges.0: a disc needs a direction"
expect 1 check pool.json --set gauges.1.center=0.1,0.39
has err "gauges.1: the column is"
expect 1 check pool.json --set gauges.0.center=0.5,0
has err "gauges.0: x of center is 0.5 m, outside the domain: 0 to 0.4 m"
expect 1 check pool.json --set gauges.2.solid=post
has err "gauges.2.solid: there is no solid named 'post'; the names are: block"
expect 2 check pool.json --set gauges.3.radius=1
has err "gauges.3.radius: a volume gauge has none"

expect 0 check pool.json --no-measure --set gauges.0.center=0.3,0.04
has out "gauges.0 (floor): its center is 0.04 m inside a solid"
expect 0 check pool.json --no-measure
has out "4 gauges"
grep -q "warning .*gauges" out && fail "a gauge on the floor is warned of"

# --- runnel plot -----------------------------------------------------------------------------------------------------------------
expect 0 plot whole/gauges.csv -o level.svg --columns level_1 --title 'Level in the pool'
has level.svg 'Level in the pool'
has level.svg 'time [s]'
has level.svg 'level_1 [m]'
expect 0 plot whole/gauges.csv -o pressures.svg --columns 'floor [Pa]'
has pressures.svg 'floor [Pa]'
expect 0 plot whole/gauges.csv -o all.svg
has all.svg 'on block.fy [N/m]'
expect 0 plot whole/gauges.csv -o level.png --columns level_1
is "$(head -c 26 level.png | od -An -v -tx1 | tr -d ' \n')" \
    "$(printf '89504e470d0a1a0a0000000d49484452%08x%08x0802' 1760 1000)" "head of level.png"
expect 0 plot whole/gauges.csv -o all.PNG
cmp -s level.png all.PNG && fail "other curves, the same picture"
expect 1 plot whole/gauges.csv -o no/folder/x.png
has err "no/folder/x.png"
expect 1 plot whole/gauges.csv -o x.svg --columns depth
has err "there is no column 'depth'; the columns are: floor [Pa], level_1 [m]"
expect 1 plot missing.csv -o x.svg
has err "missing.csv: cannot be opened"
printf 'time,level\n' >empty.csv
expect 1 plot empty.csv -o x.svg
has err "empty.csv: has no rows below its titles"
printf 'time,level\n0,1\n1,high\n' >text.csv
expect 1 plot text.csv -o x.svg
has err "text.csv:3: column 2 (level): 'high' is not a number"
printf 'time,level\n0,1\n1,2,3\n' >wide.csv
expect 1 plot wide.csv -o x.svg
has err "wide.csv:3: has 3 cells; there are 2 titles"
printf 'time\n0\n' >narrow.csv
expect 1 plot narrow.csv -o x.svg
has err "narrow.csv: has only one column"
expect 2 plot whole/gauges.csv -o level.gif
has err "level.gif: charts are SVG or PNG files; name it level.svg or level.png"
expect 2 plot whole/gauges.csv
has err "-o is missing"
[ -e x.svg ] && fail "a chart that failed has left a file"
printf 'method;n;ms\ngrid;10;1\nhash;10;2\n' >named.csv
expect 0 plot named.csv -o named.svg
has named.svg '>grid<'
has named.svg '>hash<'
has named.svg '>ms<'
grep -q polyline named.svg && fail "bars are wanted where each row is a case"
printf 'method;note\ngrid;a\nhash;b\n' >texts.csv
expect 1 plot texts.csv -o x.svg
has err "texts.csv: no row has numbers to draw"
# Rows of several cases, as experiments write them: the first number that grows within each is x.
printf 'width,what,time,ours,theirs\n' >cases.csv
for width in 10 20; do
    for what in front height; do printf '%s,%s,%s,3,4\n' $width $what 1 $width $what 2; done
done >>cases.csv
expect 0 plot cases.csv -o cases.svg --columns ours,theirs
has cases.svg '>time<'
has cases.svg '>width 10, front: ours<'
has cases.svg '>width 20, height: theirs<'
grep -q 'width: ' cases.svg && fail "what tells cases apart is drawn"
printf 'speed,force\n1,2\n2,3\n1,4\n' >back.csv
expect 0 plot back.csv -o back.png
printf '# lab\nt;a;note\n0;1;x\n1;2;y\n' >notes.csv
expect 0 plot notes.csv -o notes.svg

# --- JSON ------------------------------------------------------------------------------------------------------------------------
expect 0 plot whole/report.json -o report.svg
has report.svg 'Time of a step, by stage'
has report.svg 'Energy at the end'
has report.svg 'Gauges: mean (minimum to maximum)'
expect 0 plot whole/report.json -o report.png
is "$(head -c 8 report.png | od -An -v -tx1 | tr -d ' \n')" 89504e470d0a1a0a "head of report.png"
expect 0 plot whole/report.json -o energy.svg --columns energy_j
has energy.svg 'kinetic'
grep -q 'by stage' energy.svg && fail "a group that was not asked for is drawn"
expect 1 plot whole/report.json -o x.svg --columns heat
has err "has none of the groups asked for; a report has stage_ms_per_step"
printf '{"method": "a", "particles": %s, "threads": 1, "ms": %s}\n' 10 1 100 9 1000 80 >rows.json
printf '{"method": "b", "particles": %s, "threads": 1, "ms": %s}\n' 10 2 100 20 1000 200 >>rows.json
expect 0 plot rows.json -o rows.svg
has rows.svg 'particles'
has rows.svg '>b<'
expect 0 plot rows.json -o rows.png --columns ms
expect 1 plot rows.json -o x.svg --columns depth
has err "no row has numbers named 'depth'; there are: particles, threads, ms"
head -1 rows.json >row.json
expect 0 plot row.json -o row.svg
has row.svg 'particles 10'
printf '{"experiment": "e", "side": 1, "speed": 2}\n{"experiment": "e", "side": 2, "speed": 3}\n{"experiment": "e", "verdict": "holds"}\n' >lab.json
expect 0 plot lab.json -o lab.svg
has lab.svg 'speed'
expect 1 plot whole/scene.json -o x.svg
has err "whole/scene.json: value 1 is neither the report.json of a run nor a row"
printf '{"method": ' >half.json
expect 1 plot half.json -o x.svg
has err "half.json: value 1, line 1:"
[ -e x.svg ] && fail "a chart of JSON that failed has left a file"
finish
