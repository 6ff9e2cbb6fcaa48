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
# Another program reads the same mesh from the glTF.
if command -v assimp >/dev/null 2>&1; then
    assimp info water.glb >seen 2>&1 || fail "assimp does not read water.glb: $(tail -1 seen)"
    assimp export water.glb seen.stl >/dev/null 2>&1 || fail "assimp cannot export water.glb"
    expect 0 mesh info water.glb
    is "$(sed -n 's/^Faces: *//p' seen)" "$(sed -n 's/^mesh *\([0-9]*\) triangles.*/\1/p' out)" "faces in assimp"
    expect 0 mesh info seen.stl
    has out "faults    none"
fi
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

# Points of other programs: text, and a flat layer in 3D.
printf 'x,y,z\n0,0,0\n0.1,0,0\n0,0.1,0\n0.1,0.1,0\n' >points.csv
printf 'ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\nproperty double y\nproperty double z\nend_header\n0 0 0\n0 0 0.1\n' >points.ply
for points in points.csv points.ply; do
    expect 0 surface $points --spacing 0.1 --out points.glb
    expect 0 mesh info points.glb
    has out "1 closed"
done
expect 0 surface points.csv --out points.glb # the spacing is estimated
# Irregular particles are closer than their spacing, and yet the surface encloses the ball that they fill (0.004189 m^3).
awk 'BEGIN { srand(3); for (i = -11; i <= 11; i++) for (j = -11; j <= 11; j++) for (k = -11; k <= 11; k++)
        if (i * i + j * j + k * k <= 100)
            print (i + 0.9 * rand()) / 100, (j + 0.9 * rand()) / 100, (k + 0.9 * rand()) / 100 }' >rough.xyz
expect 0 surface rough.xyz --out rough.glb --no-walls
awk '{ for (i = 2; i <= NF; i++) if ($i == "m^3,") exit !($(i - 1) > 0.00406 && $(i - 1) < 0.00432) }' out ||
    fail "the surface of rough.xyz: $(cat out)"
printf '0,0,0\n0,nan,0\n' >bad.csv
expect 1 surface bad.csv --spacing 0.1 --out bad.glb
has err "y of particle 1 is nan"
printf 'nonsense' >bad.txt
expect 1 surface bad.txt --spacing 0.1
has err "nor points as .ply"

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
