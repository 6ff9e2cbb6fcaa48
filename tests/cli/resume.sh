#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# Every built-in scene, with fewer particles, continues from its own checkpoint to the same bits: in both traversals, and
# with another number of threads.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/small_scene.sh"

particles=2500
[ -z "${RUNNEL_SLOW:-}" ] || particles=900
number=0
for scene in $("$runnel" scenes | awk '/^[a-z]/ { print $1 }'); do
    number=$((number + 1))
    # A sanitizer sees one scene with a mesh, bowl: their boundary fields are slow there.
    case ${RUNNEL_SLOW:+slow}-$scene in slow-jug | slow-venturi | slow-river | slow-colon) continue ;; esac
    fewer="--set fluid.spacing=0 --set fluid.radius=0 --set fluid.particles=$particles"
    [ "$scene" != river ] || fewer="--set fluid.spacing=0.04" # its pipe has no end: there is no volume to divide
    turn=0
    for how in "--cpu plain" "--traversal lists --search hash" "--threads 2"; do
        turn=$((turn + 1)) # a sanitizer sees one of them with each scene
        [ -z "${RUNNEL_SLOW:-}" ] || [ $(((number + turn) % 3)) -eq 0 ] || continue
        rm -rf whole parts
        # shellcheck disable=SC2086 # several words
        expect 0 run "$scene" $fewer --steps 24 --out whole --format none --progress none $how
        # shellcheck disable=SC2086
        expect 0 run "$scene" $fewer --steps 13 --out parts --format none --progress none $how
        expect 0 run --steps 24 --out parts --resume --threads 1 --progress none
        is "$(hash_of parts)" "$(hash_of whole)" "$scene $how: state of a run in two parts"
    done
done

# The last frame is not on the schedule; resuming a finished run changes nothing.
for format in vtp,ply vtp,ply,h5 ply; do
    rm -rf whole ended
    expect 0 run dam-break --set fluid.spacing=0.008 --steps 20 --out whole --every 1 --format $format --progress none
    cp -r whole ended
    # as if the run was killed before the third last one was removed
    for file in ended/checkpoint_*; do cp "$file" ended/checkpoint_000000000001.rnck; done
    expect 0 run --out ended --resume --progress none --picture
    has err "the run is already complete"
    is "$(find ended -name 'checkpoint_*' | wc -l)" 2 "checkpoints of a run that is at its end"
    is "$(hash_of ended)" "$(hash_of whole)" "state of a run that is at its end"
    "$runnel" picture ended --out drawn.png >out 2>err
    cmp -s drawn.png ended/picture.png || fail "the picture of a run at its end is not that of its checkpoint"
    for file in whole/particles_* whole/*.pvd; do
        [ -e "$file" ] || continue
        cmp -s "$file" "ended/${file#whole/}" || fail "${file#whole/} is another one after --resume at the end"
    done
    # and a run that continues past its end has the frames of one that did not stop there
    expect 0 run --out ended --resume --progress none --steps 30
    rm -rf whole
    expect 0 run dam-break --set fluid.spacing=0.008 --steps 30 --out whole --every 1 --format $format --progress none
    for file in whole/particles_* whole/*.pvd; do
        [ -e "$file" ] || continue
        cmp -s "$file" "ended/${file#whole/}" || fail "${file#whole/} is another one after going on beyond the end"
    done
done
finish
