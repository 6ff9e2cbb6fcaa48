#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

presets="live balanced accurate" rows=6
[ -z "${RUNNEL_SLOW:-}" ] || presets=balanced rows=2 # pouring takes long under a sanitizer
expect 0 bench live --particles 500 --seconds 0.05 --threads 1 --json --preset "$(echo "$presets" | tr ' ' ,)"
valid_json out
is "$(wc -l <out)" $rows "rows: 2 scenes, each preset"
for key in preset scene particles simulated_s_per_wall_s compression_mean compression_max escaped threads steps simulated_s \
    wall_s; do
    is "$(grep -c "\"$key\": " out)" $rows "rows with $key"
done
is "$(grep -c '"escaped": 0, ' out)" $rows "rows without escaped particles"
is "$(grep -c '"scene": "dam-break", "particles": 512, ' out)" $((rows / 2)) "dam breaks of the nearest cube"
for preset in $presets; do
    is "$(grep -c "\"preset\": \"$preset\"" out)" 2 "rows of $preset"
done

expect 0 bench live --particles 100 --seconds 0.01 --scene dam-break --preset live
has out "s / wall s"
is "$(wc -l <out)" 2 "a head and a row"
expect 2 bench live --scene pond
has err "water-channel"
expect 2 bench live --preset fast
has err "balanced"
expect 2 bench live --particles 0
finish
