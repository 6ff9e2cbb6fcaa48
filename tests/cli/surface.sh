#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

expect 0 run dam-break --out dam --set fluid.spacing=0.01 --steps 40 --every 0.005 --format vtp,ply,h5 --progress none

# One frame, in every format: closed, with the volume of its particles, within the walls of the scene.
for end in glb ply obj stl; do
    expect 0 surface dam/particles_000001.vtp --out "water.$end"
    has out "triangles"
    expect 0 mesh info "water.$end"
    has out "faults    none"
    has out "1 closed"
done
expect 0 surface dam/particles_000001.ply --out ply.stl
expect 0 surface dam/particles.h5 --out h5.stl
expect 0 surface dam/particles_000001.vtp
[ -s surface.glb ] || fail "no surface.glb"

# The same bytes for any number of threads.
expect 0 surface dam/particles_000001.vtp --out one.ply --threads 1
expect 0 surface dam/particles_000001.vtp --out two.ply --threads 2
cmp -s one.ply two.ply || fail "two threads make another surface"

# Options change the surface.
for words in "--kernel anisotropic" "--voxel 0.3" "--radius 3" "--smoothing 0" "--keep 0.5" "--level 0.5" "--no-walls" \
    "--spacing 0.011"; do
    # shellcheck disable=SC2086 # two words
    expect 0 surface dam/particles_000001.vtp --out other.ply $words
    cmp -s one.ply other.ply && fail "$words changes nothing"
done

# A whole run; frames that are damaged are named and skipped.
expect 0 surface dam --threads 2 --progress none
has out "dam/surface: "
[ -s dam/surface/surface_000000.glb ] || fail "no surface_000000.glb"
head -c 700 dam/particles_000001.vtp >short.vtp && mv short.vtp dam/particles_000001.vtp
expect 0 surface dam --out films --format stl --progress json
has err "particles_000001.vtp"
has err "skipped"
has out "1 frames skipped"
[ -s films/surface_000000.stl ] || fail "no surface of the first frame"
[ -e films/surface_000001.stl ] && fail "a surface of a damaged frame"
expect 1 surface dam/particles_000001.vtp --out damaged.stl
[ -e damaged.stl ] && fail "a file of a damaged frame"

# 2D, no frames, no file.
expect 0 run poiseuille --out flat --set fluid.spacing=0.0002 --steps 1 --progress none
expect 1 surface flat/particles_000000.vtp
has err "2D"
mkdir empty
expect 1 surface empty
has err "no frames"
expect 1 surface nothing.vtp

# Misuse.
expect 2 surface
for words in "--out water.xyz" "--voxel 0" "--voxel 2" "--radius 1" "--kernel round" "--smoothing -1" "--format vtp" \
    "--level 2" "--format ply"; do
    # shellcheck disable=SC2086 # two words
    expect 2 surface dam/particles_000000.vtp $words
    [ -s err ] || fail "$words: no sentence"
done

# Measurements.
expect 0 bench surface --method marching-cubes,anisotropic,screen-mesh,surfels --particles 500 --reps 1 --seconds 0 --json
has out '"volume_ratio": 1'
has out '"method": "surfels"'
expect 0 bench surface --particles 500 --reps 1 --seconds 0
finish
