#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# kill -9 at any moment, --resume, and the end is that of a run that was never killed: bits and files.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/small_scene.sh"

small_scene >small.json
expect 0 run small.json --out whole --format vtp,ply,h5 --progress none --set run.time=0.12
whole=$(hash_of whole)
seconds=$(number whole/report.json wall_s)

# random N: a number below N; the same on every machine, while the moments of the kills are not.
seed=12345
random() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % $1))
}

for round in 1 2 3; do
    kills=0
    while :; do
        "$runnel" run small.json --out killed --format vtp,ply,h5 --progress none --set run.time=0.12 \
            --checkpoint-every 0.004 --threads $((1 + round % 2)) --resume >out 2>err &
        victim=$!
        # Up to a third of the whole, a little longer each time so that there is an end.
        wait_s=$(awk -v s="$seconds" -v r="$(random 1000)" -v k=$kills 'BEGIN { print s * r / 3000 * (1 + k / 6) + 0.01 }')
        sleep "$wait_s"
        kill -9 $victim 2>/dev/null
        wait $victim 2>/dev/null
        code=$?
        [ $code -eq 0 ] && break
        [ $code -eq 137 ] || { fail "round $round: exit $code: $(cat err)"; break; }
        kills=$((kills + 1))
        [ $kills -lt 100 ] || { fail "round $round: no end after $kills kills"; break; }
    done
    [ -e killed/report.json ] || { fail "round $round: no report"; break; }
    is "$(hash_of killed)" "$whole" "round $round: state after $kills kills"
    cmp -s whole/particles.pvd killed/particles.pvd || fail "round $round: the lists of frames differ"
    for file in whole/*.vtp whole/*.ply; do
        cmp -s "$file" "killed/${file#whole/}" || fail "round $round: $file differs"
    done
    is "$(find killed -name '*.vtp' | wc -l)" "$(find whole -name '*.vtp' | wc -l)" "round $round: frames"
    is "$(grep -c ^frame killed/particles.h5.frames)" "$(grep -c ^frame whole/particles.h5.frames)" \
        "round $round: frames in HDF5"
    if command -v h5diff >/dev/null 2>&1; then
        h5diff --exclude-path /generation whole/particles.h5 killed/particles.h5 >differences 2>&1 ||
            fail "round $round: HDF5 differs: $(head -n 3 differences)"
    fi
    is "$(find killed -name '*.tmp-*' | wc -l)" 0 "round $round: files left beside"
    echo "round $round: $kills kills"
    rm -rf killed
done
finish
