#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# png FILE WIDTH HEIGHT: a PNG of that size, 8 bits, RGB.
png() {
    found=$(head -c 26 "$1" | od -An -v -tx1 | tr -d ' \n')
    is "$found" "$(printf '89504e470d0a1a0a0000000d49484452%08x%08x0802' "$2" "$3")" "head of $1"
}

# Scenes as they start, in 3D and 2D; the same bytes for any number of threads.
expect 0 picture dam-break --size 160x90 --set fluid.spacing=0.01 --out one.png --threads 1
has out "160 x 90"
png one.png 160 90
expect 0 picture dam-break --size 160x90 --set fluid.spacing=0.01 --out two.png --threads 2
cmp -s one.png two.png || fail "two threads draw another picture"
expect 0 picture poiseuille --size 200x100 --color speed --background dark --bare
png picture.png 200 100
"$runnel" picture dam-break --size 64x64 --set fluid.spacing=0.02 --out - >piped.png 2>err || fail "no picture to stdout"
png piped.png 64 64
for walls in solid glass none; do
    expect 0 picture dam-break-obstacle --size 96x64 --set fluid.spacing=0.2 --walls $walls --out $walls.png
done
cmp -s solid.png none.png && fail "walls make no difference"
expect 0 picture dam-break --size 96x64 --set fluid.spacing=0.02 --eye=-0.3,0.4,0.9 --target 0.2,0.1,0 --fov 40 \
    --range 900:1100

# The files of a run: checkpoint, frames, the folder; with the walls of the scene in that folder.
expect 0 run dam-break --out dam --set fluid.spacing=0.01 --steps 3 --format vtp,ply --picture --progress none
png dam/picture.png 1280 720
for file in dam dam/checkpoint_*.rnck dam/particles_000000.vtp dam/particles_000000.ply; do
    for color in density speed pressure age; do
        expect 0 picture "$file" --color $color --size 96x64 --out frame.png
        png frame.png 96 64
    done
done
lattice27 >cloud.xyz
expect 0 picture cloud.xyz --size 96x64

# Misuse: exit 2, and what would be right.
for words in "--size 10x10" "--size 99999x99999" "--size 640" "--size 640x480x2" "--size 100.5x100" \
    "--range 2:1" "--range 1" "--range a:b" "--eye 1,2" "--eye 1,2,nan" "--target 1,2,3,4" "--fov 0" "--fov 179" \
    "--color red" "--walls brick" "--background pink" "--out="; do
    # shellcheck disable=SC2086 # two words
    expect 2 picture dam-break $words
    [ -s err ] || fail "$words: no sentence"
done
expect 2 picture
expect 2 picture poiseuille --eye 1,2,3 --size 96x64
has err "2D"
expect 2 picture cloud.xyz --color speed
expect 2 picture dam --set fluid.spacing=0.01
expect 2 picture cloud.xyz --out cloud.xyz

# What cannot be read or written: exit 1.
expect 1 picture dam-braek
has err "dam-break"
expect 1 picture dam-break --set fluid.spacing=0.02 --size 96x64 --out no/such/folder.png
has err "no/such/folder.png"
expect 1 picture dam/particles.pvd
has err "name one"
for file in dam/particles_000000.vtp dam/particles_000000.ply dam/checkpoint_*.rnck; do
    head -c 700 "$file" >"cut.${file##*.}"
    expect 1 picture "cut.${file##*.}" --size 96x64
    # Its beginning is missing: the name still tells the format.
    tail -c +20 "$file" >"headless.${file##*.}"
    expect 1 picture "headless.${file##*.}" --size 96x64
    grep -q "is not a checkpoint of Runnel\|is neither a .vtp nor a .ply" err || fail "headless ${file##*.}: $(cat err)"
done
# A scene from a pipe is read only once.
mkfifo scene_pipe
"$runnel" scenes dam-break --set fluid.spacing=0.02 >scene_pipe &
expect 0 picture scene_pipe --size 96x64 --out from_pipe.png
# The newest checkpoint of a folder is damaged: the one before it is drawn, and a message says so.
expect 0 run dam-break --out two --set fluid.spacing=0.02 --steps 6 --checkpoint-every 0.001 --format none --progress none
is "$(find two -name 'checkpoint_*' | wc -l | tr -d ' ')" 2 "checkpoints of a run"
older=$(find two -name 'checkpoint_*' | sort | head -n 1) newer=$(find two -name 'checkpoint_*' | sort | tail -n 1)
expect 0 picture "$older" --size 96x64 --out older.png
for bytes in 0 700; do
    head -c "$bytes" "$older" >"$newer"
    expect 0 picture two --size 96x64 --out fallen_back.png
    has err "runnel picture: $newer: "
    has err "; using the previous one"
    is "$(wc -l <err | tr -d ' ')" 1 "sentences about a damaged checkpoint"
    cmp -s older.png fallen_back.png || fail "not the checkpoint before the damaged one is drawn"
done
head -c 700 "$newer" >"$older"
expect 1 picture two --size 96x64
has err "runnel picture: $older: "
mkdir empty
expect 1 picture empty
has err "without a checkpoint"
finish
