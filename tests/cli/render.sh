#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# png FILE WIDTH HEIGHT: a PNG of that size, 8 bits, RGB.
png() {
    found=$(head -c 26 "$1" | od -An -v -tx1 | tr -d ' \n')
    is "$found" "$(printf '89504e470d0a1a0a0000000d49484452%08x%08x0802' "$2" "$3")" "head of $1"
}

small="--size 96x64 --samples 1 --progress none"
coarse="--set fluid.spacing=0.01"
[ -z "${RUNNEL_SLOW:-}" ] || coarse="--set fluid.spacing=0.02"

# Every look, of a scene as it starts; the same bytes for any number of threads.
for look in water clay particles surfels; do
    # shellcheck disable=SC2086 # several words
    for threads in 1 2; do
        expect 0 render dam-break $small $coarse --look $look --out $look$threads.png --threads $threads
    done
    has out "look $look"
    png ${look}1.png 96 64
    cmp -s ${look}1.png ${look}2.png || fail "$look: two threads draw another picture"
done
# shellcheck disable=SC2086
"$runnel" render dam-break $small $coarse --out - >piped.png 2>err || fail "no picture to stdout"
cmp -s piped.png water1.png || fail "standard output gets another picture"

# A moment of a scene, of a folder; options change the picture.
# shellcheck disable=SC2086
{
    expect 0 render dam-break $small $coarse --at 0.05 --out later.png
    cmp -s later.png water1.png && fail "--at changes nothing"
    expect 0 run dam-break --out dam $coarse --time 0.1 --every 0.02 --progress none
    expect 0 render dam $small --at 0.05 --out of_folder.png
    expect 0 render dam $small --out last.png
    cmp -s of_folder.png last.png && fail "--at of a folder changes nothing"
    expect 0 render dam/particles_000002.vtp $small --out frame.png
    for words in "--water pure" "--fresnel grahn" "--noisy" "--walls none" "--fov 20" "--eye 0.5,0.8,1.5"; do
        expect 0 render dam/particles_000002.vtp $small --out other.png $words
        cmp -s frame.png other.png && fail "$words changes nothing"
    done
    # Fast water that hits a wall has foam, calm water has none.
    fast="$coarse --set blocks.0.velocity=4,0,0"
    for foam in 0 1; do expect 0 render dam-break $small $fast --at 0.15 --foam $foam --out foam$foam.png; done
    cmp -s foam0.png foam1.png && fail "fast water has no foam"
    expect 0 render dam-break $small $coarse --foam 0 --out calm.png
    cmp -s calm.png water1.png || fail "water at rest has foam"
    lattice27 >cloud.xyz
    expect 0 render cloud.xyz $small --out cloud.png
    png cloud.png 96 64
}

# Films on walls: of a scene that is simulated, of the files of a run, and none.
# shellcheck disable=SC2086
{
    bowl="--preset live --set fluid.spacing=0.02 --set solids.0.trail=0.0002"
    expect 0 render bowl $small $bowl --look trails --out dry.png
    expect 0 render bowl $small $bowl --look trails --at 0.04 --out trails.png
    png trails.png 96 64
    cmp -s dry.png trails.png && fail "the film cannot be seen"
    expect 0 run bowl $bowl --out bowl --time 0.04 --every 0.02 --progress none
    expect 0 render bowl $small --look trails --out of_files.png
    png of_files.png 96 64
    rm bowl/films_000002.vtp
    expect 1 render bowl $small --look trails --out none.png
    has err "films_000002.vtp"
    [ ! -e none.png ] || fail "a picture without its films"
    expect 1 render dam-break $small --look trails --out none.png
    has err "has a trail"
}

# Videos; frames that are damaged are named and left out.
head -c 700 dam/particles_000001.vtp >short.vtp && mv short.vtp dam/particles_000001.vtp
# A still shows the last frame that can be read.
cp -r dam torn
for frame in torn/particles_*.vtp; do last=$frame; done
head -c 700 "$last" >short.vtp && mv short.vtp "$last"
# shellcheck disable=SC2086
expect 0 render torn $small --out torn.png
has err "$(basename "$last")"
has out "1 frames skipped"
if command -v ffmpeg >/dev/null 2>&1; then
    # shellcheck disable=SC2086
    {
        expect 0 render dam $small --out dam.mp4
        has err "particles_000001.vtp"
        has err "skipped"
        has out "1 frames skipped"
        expect 0 render dam/particles_000002.vtp $small --orbit 90 --seconds 0.2 --scale 0.7 --out turn.webm
        cat >keys.json <<'END'
{"keys": [{"time": 0, "eye": [0.5, 0.8, 2], "target": [0.5, 0.1, 0], "fov": 30},
          {"time": 0.1, "eye": [1, 0.8, 2], "target": [0.5, 0.1, 0], "fov": 40}]}
END
        expect 0 render dam-break $small $coarse --at 0:0.1 --camera keys.json --out keys.mp4
        has out "4 pictures"
        expect 0 run dam-break --out filmed $coarse --time 0.1 --every 1/30 --render water --size 96x64 --samples 1 \
            --scale 0.7 --progress none
        png filmed/dam-break.png 96 64
    }
    if command -v ffprobe >/dev/null 2>&1; then
        found=$(ffprobe -v error -show_entries stream=codec_name,width,height,r_frame_rate,nb_frames -of csv=p=0 \
            filmed/dam-break.mp4)
        is "$found" "h264,96,64,30/1,4" "ffprobe of the video of a run"
        # What browsers play: 4:2:0, and the index in front, so that the video starts before it has been loaded.
        is "$(ffprobe -v error -show_entries stream=pix_fmt -of csv=p=0 filmed/dam-break.mp4)" yuv420p "pixels of a video"
        is "$(head -c 40 filmed/dam-break.mp4 | tail -c 4)" moov "the first box of a video after ftyp"
        found=$(ffprobe -v error -show_entries stream=codec_name,width,height -of csv=p=0 turn.webm)
        is "$found" "vp9,96,64" "ffprobe of a WebM"
    fi
fi
# Without ffmpeg: numbered pictures and a sentence.
mkdir -p bare
for program in mktemp cat; do ln -s "$(command -v $program)" bare/$program; done
# shellcheck disable=SC2086
PATH=$PWD/bare "$runnel" render dam/particles_000002.vtp $small --seconds 0.1 --out still.mp4 >out 2>err ||
    fail "no pictures without ffmpeg: $(cat err)"
has err "ffmpeg"
png still_000002.png 96 64
[ -e still.mp4 ] && fail "a video without ffmpeg"

# No picture: one sentence, and no file.
# shellcheck disable=SC2086
{
    expect 1 render dam/particles_000001.vtp $small --out damaged.png
    expect 1 render dam-break-obstacle $small --set fluid.spacing=0.2 --eye 0.744,0.08,0.5 --target 0,0,0.5 --out damaged.png
    has err "inside solid"
    expect 1 render dam-break $small $coarse --eye 1,-1,1 --out damaged.png
    has err "below the ground"
    expect 1 render water-channel $small --out damaged.png
    has err "no particles"
    expect 1 render poiseuille $small --out damaged.png
    has err "2D"
    expect 1 render dam-break $small $coarse --out no/such.png
    expect 1 render dam-break $small $coarse --at 0:0.1 --out no/such.mp4
    has err "no/such.mp4"
    expect 1 render dam-braek $small
    mkdir empty
    expect 1 render empty $small
    has err "no frames"
    if [ -w /dev/full ]; then
        "$runnel" render dam-break $small $coarse --out - >/dev/full 2>err && fail "a full disk is no failure"
        has err "No space left"
    fi
    echo '{"keys": [{"time": 1, "eye": [1, 2]}]}' >bad.json
    expect 1 render dam-break $small --camera bad.json --out damaged.mp4
    has err "keys.0"
    expect 1 render dam-break $small --camera absent.json --out damaged.mp4
}
[ -e damaged.png ] && fail "a file of a picture that failed"

# Misuse.
expect 2 render
for words in "--size 0x0" "--size 10x10" "--samples 0" "--look ice" "--at x" "--at 2:1 --out a.mp4" "--at 0:1" \
    "--at 1 --out a.mp4" "--orbit 90" "--out a.gif" "--water wine" "--rate 0 --out a.mp4" "--scale 2 --out a.mp4"; do
    # shellcheck disable=SC2086 # two words
    expect 2 render dam-break $words
    [ -s err ] || fail "$words: no sentence"
done
expect 2 render dam/particles_000002.vtp --at 1
expect 2 run dam-break --render water --resume
expect 2 run dam-break --render water --every 0

# Measurements, of every look.
expect 0 bench render --look water,clay,particles,surfels,trails,xray --particles 500 --size 64x64 --samples 1 --reps 1 --seconds 0 --json
is "$(grep -c '"per_s": ' out)" 6 "rows of bench render"

finish
