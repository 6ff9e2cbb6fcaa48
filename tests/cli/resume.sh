#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# Every built-in scene, made of fewer particles, goes on from its own checkpoint to the same bits: in both gaits, and
# with another number of threads.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/small_scene.sh"

particles=2500
[ -z "${RUNNEL_SLOW:-}" ] || particles=900
fewer="--set fluid.spacing=0 --set fluid.radius=0 --set fluid.particles=$particles"
for scene in $("$runnel" scenes | awk '/^[a-z]/ { print $1 }'); do
    for how in "--cpu plain" "--gait plain --search hash" "--threads 2"; do
        rm -rf whole parts
        # shellcheck disable=SC2086 # several words
        expect 0 run "$scene" $fewer --steps 24 --out whole --format none --progress none $how
        # shellcheck disable=SC2086
        expect 0 run "$scene" $fewer --steps 13 --out parts --format none --progress none $how
        expect 0 run --steps 24 --out parts --resume --threads 1 --progress none
        is "$(hash_of parts)" "$(hash_of whole)" "$scene $how: state of a run in two parts"
    done
done
finish
