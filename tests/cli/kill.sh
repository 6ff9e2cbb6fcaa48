#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# kill -9 at any moment, then --resume: the result equals that of a run that was never killed, in bits and files.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/small_scene.sh"

# random N: a number below N; the same on every machine, although the moments of the kills are not.
seed=12345
random() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    echo $((seed / 65536 % $1))
}

# kill_run SCENE THREADS FORMATS: kills a run again and again until it has finished, and compares it with one that was not killed.
kill_run() {
    scene=$1 threads=$2 formats=$3
    round="$scene, $threads threads"
    kills=0
    seconds=$(number "whole_$scene/report.json" wall_s)
    while :; do
        "$runnel" run "$scene.json" --out killed --format "$formats" --progress none \
            --checkpoint-every 0.004 --threads "$threads" --resume >out 2>err &
        victim=$!
        # Up to a third of the run, a little longer each time, so that it finishes.
        wait_s=$(awk -v s="$seconds" -v r="$(random 1000)" -v k=$kills 'BEGIN { print s * r / 3000 * (1 + k / 6) + 0.01 }')
        sleep "$wait_s"
        kill -9 $victim 2>/dev/null
        wait $victim 2>/dev/null
        code=$?
        [ $code -eq 0 ] && break
        [ $code -eq 137 ] || { fail "$round: exit $code: $(cat err)"; break; }
        kills=$((kills + 1))
        [ $kills -lt 100 ] || { fail "$round: no end after $kills kills"; break; }
    done
    all=$((all + kills))
    [ -e killed/report.json ] || { fail "$round: no report"; return; }
    is "$(hash_of killed)" "$(hash_of "whole_$scene")" "$round: state after $kills kills"
    if [ -e "whole_$scene/gauges.csv" ]; then
        cmp -s "whole_$scene/gauges.csv" killed/gauges.csv || fail "$round: gauges.csv differs"
        is "$(sed -n 's/.*"gauges": \(.*\), "time_step".*/\1/p' killed/report.json)" \
            "$(sed -n 's/.*"gauges": \(.*\), "time_step".*/\1/p' "whole_$scene/report.json")" "$round: gauges in the report"
    fi
    cmp -s "whole_$scene/particles.pvd" killed/particles.pvd || fail "$round: the lists of frames differ"
    for file in "whole_$scene"/*.vtp "whole_$scene"/*.ply; do
        [ -e "$file" ] || continue
        cmp -s "$file" "killed/${file#*/}" || fail "$round: $file differs"
    done
    is "$(find killed -name '*.vtp' | wc -l)" "$(find "whole_$scene" -name '*.vtp' | wc -l)" "$round: frames"
    if [ -e "whole_$scene/particles.h5" ]; then
        is "$(grep -c ^frame killed/particles.h5.frames)" "$(grep -c ^frame "whole_$scene/particles.h5.frames")" \
            "$round: frames in HDF5"
        if command -v h5diff >/dev/null 2>&1; then
            h5diff --exclude-path /generation "whole_$scene/particles.h5" killed/particles.h5 >differences 2>&1 ||
                fail "$round: HDF5 differs: $(head -n 3 differences)"
        fi
    fi
    is "$(find killed -name '*.tmp-*' | wc -l)" 0 "$round: files left beside"
    echo "$round: $kills kills"
    rm -rf killed
}

small_scene | sed 's/"time": 0.05,/"time": 0.12,/' >small.json
flat_scene >flat.json
walls_scene >walls.json
all=0
for scene in small flat walls; do
    formats=vtp
    [ "$scene" = small ] && formats=vtp,ply,h5
    expect 0 run "$scene.json" --out "whole_$scene" --format "$formats" --progress none
    [ "$(number "whole_$scene/report.json" came)" -gt 0 ] || fail "$scene: the pipe has not poured"
    for threads in 1 2; do
        # RUNNEL_KILLS: at least this many kills of each, for a longer test.
        least=$((all + ${RUNNEL_KILLS:-1}))
        kill_run "$scene" "$threads" "$formats"
        while [ $all -lt $least ] && [ "$failures" -eq 0 ]; do kill_run "$scene" "$threads" "$formats"; done
    done
done
echo "$all kills in all"
finish
