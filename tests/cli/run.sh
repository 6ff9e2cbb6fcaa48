#!/bin/sh
# shellcheck source-path=SCRIPTDIR
# `runnel run`: what it writes, how it resumes, what it refuses.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/small_scene.sh"

# --- a whole run -------------------------------------------------------------------------------------------------
small_scene >small.json
expect 0 run small.json --out a --format vtp,ply,h5 --progress none
has out "state "
has out "a/particles.pvd: 6 frames"
grep -qE "^small.json: .* steps and (0 s|0 ms)$" out && fail "a short run takes no time: $(head -n 1 out)"
valid_json a/report.json
whole=$(hash_of a)
[ ${#whole} -eq 16 ] || fail "state_hash is '$whole'"
is "$(number a/report.json escaped)" 0 "escaped"
has a/report.json '"finished": true'
for key in particles steps simulated_s wall_s came left; do
    [ -n "$(number a/report.json $key)" ] || fail "report.json has no $key"
done
[ "$(number a/report.json came)" -gt 0 ] || fail "the pipe has not poured"
is "$(find a -name '*.tmp-*' | wc -l)" 0 "files left beside"
is "$(find a -name 'checkpoint_*' | wc -l)" 2 "checkpoints that are kept"
is "$(find a -name '*.vtp' | wc -l)" 6 "frames"
expect 0 info a/particles.pvd
has out "frames            6"
has out "missing_files     0"
for file in particles_000002.vtp particles_000002.ply particles.h5 report.json scene.json; do
    expect 0 info a/$file
    expect 0 info a/$file --json
    valid_json out
done
# The first frame has summed densities, too, although no step has computed them; so has the first frame of a run that starts from a
# checkpoint, and of one that was stopped before its first step.
densities() { "$runnel" info "$1" | grep -E '^(density|pressure) '; }
expect 0 run small.json --out summed --preset classic --steps 1 --progress none
densities summed/particles_000000.vtp >first
grep -q 'density *1000 \.\. 1000$' first && fail "the first frame is all at rest density"
grep -q 'pressure *0 \.\. 0$' first && fail "the first frame is without pressure"
begun=$(find a -name 'checkpoint_*' | sort | head -n 1)
expect 0 run "$begun" --out elsewhere --steps 1 --format vtp --progress none
densities elsewhere/particles_000000.vtp | grep -q 'density *1000 \.\. 1000$' && fail "a run begun from a checkpoint starts at rest density"
expect 0 run small.json --out early --format vtp,ply --progress none --wall 0
cp -r early late
rm late/particles*
expect 0 run --out late --resume --progress none --wall 0
for file in particles_000000.vtp particles_000000.ply; do
    cmp -s early/$file late/$file || fail "$file is another one after --resume from the start"
done
printf '{"program": "runnel", \033[31m' >damaged.json
expect 1 info damaged.json
has err "expected near '?'"
(cat damaged.json && head -c 5000000 /dev/zero) >long.json
expect 1 info long.json
has err "a report has at most 4194304"
expect 0 info a/report.json
has out "left_out_overlapping 0"
has out "pipes.0.name      tap"
has out "outlets.0.name    drain"
has out "outlets.0.removed $(number a/report.json removed)"
has out "formats           vtp,ply,h5"
is "$(number a/report.json poured)" "$(number a/report.json came)" "particles of the only pipe"
# A folder is described as the run in it.
expect 0 info a
has out "kind              folder of a run"
has out "title             a small test"
has out "finished          yes"
has out "frames            6"
has out "checkpoints       2"
has out "state_hash        $whole"
expect 0 info a --json
valid_json out
mkdir empty
expect 1 info empty
has err "empty: is a folder without a run"
newest=$(find a -name 'checkpoint_*' | sort | tail -n 1)
expect 0 info "$newest"
has out "state_hash        $whole"

# Real readers, where they are installed.
if command -v h5dump >/dev/null 2>&1; then
    h5dump -d /frame_000002/position a/particles.h5 >dumped 2>&1 || fail "h5dump: $(head -n 3 dumped)"
    grep -q 'units' dumped || fail "h5dump shows no units"
fi
for python in python3 /usr/bin/python3; do
    "$python" -c 'import vtk' >/dev/null 2>&1 || continue
    "$python" - <<'P' || fail "VTK reads something else"
import vtk
r = vtk.vtkXMLPolyDataReader()
r.SetFileName('a/particles_000002.vtp')
r.Update()
data = r.GetOutput()
names = [data.GetPointData().GetArrayName(k) for k in range(data.GetPointData().GetNumberOfArrays())]
assert data.GetNumberOfPoints() > 100 and data.GetNumberOfVerts() == data.GetNumberOfPoints()
assert names == ['velocity', 'density', 'pressure', 'id', 'age'], names
assert r.GetErrorCode() == 0
P
    break
done

# The same bits with another thread count, another folder, or no output.
expect 0 run small.json --out b --format none --threads 1 --progress json
is "$(hash_of b)" "$whole" "state with one thread"
valid_json err
grep -q '"progress": 1' err || fail "the last line of progress is not the end: $(cat err)"
is "$(find b -name 'particles*' | wc -l)" 0 "files of --format none"
expect 2 run small.json --out b --format none,vtp
has err "--format: none cannot be combined with other formats"
expect 0 run small.json --out b2 --format none --progress none --steps 20
is "$(number b2/report.json steps)" 20 "steps"

# --- --resume knows the end that was given as steps ------------------------------------------------------
expect 0 run small.json --out b3 --format none --progress none --steps 20 --wall 0
[ "$(number b3/report.json steps)" -lt 20 ] || fail "--wall 0 has not ended the run"
expect 0 run --out b3 --resume --progress none
is "$(number b3/report.json steps)" 20 "steps of a run that went on by itself"
is "$(hash_of b3)" "$(hash_of b2)" "state of a run that went on by itself"
expect 0 run --out b3 --resume --progress none --steps 25
is "$(number b3/report.json steps)" 25 "steps of a run that went on beyond its end"
expect 0 run --out b3 --resume --progress none --time 0.02
is "$(awk -v t="$(number b3/report.json simulated_s)" 'BEGIN { print (t >= 0.0199) }')" 1 "time after steps"
rm -rf b3
expect 0 run small.json --out b3 --format none --progress none --steps 1000000 --time 0.01
is "$(awk -v t="$(number b3/report.json simulated_s)" 'BEGIN { print (t < 0.012) }')" 1 "what comes first ends it"
# Killed before the first checkpoint: the scene in the folder has it, too.
rm -f b3/checkpoint_* b3/report.json
expect 0 run --out b3 --resume --progress none --steps 20
rm -f b3/checkpoint_* b3/report.json
expect 0 run --out b3 --resume --progress none
is "$(hash_of b3)" "$(hash_of b2)" "state of a run that began again"
expect 0 check small.json --no-measure --set run.steps=7
has out "7 steps for"

# --- resuming ----------------------------------------------------------------------------------------------------
expect 0 run small.json --out c --progress none --time 0.03 --format vtp,h5
expect 0 run small.json --out c --progress none --resume
has err "continuing from step"
is "$(hash_of c)" "$whole" "state of a run in two parts"
cmp -s a/particles.pvd c/particles.pvd || fail "the list of frames differs from an unbroken run"
for frame in 0 1 2 3 4 5; do
    cmp -s a/particles_00000$frame.vtp c/particles_00000$frame.vtp || fail "frame $frame differs"
done
expect 0 run --out c --resume --progress none --time 0.06
is "$(number c/report.json resumed_from_step)" "$(number a/report.json steps)" "step it went on from"
expect 0 run --out c --resume --progress json --time 0.06
has out "simulated"
has err '"message": "the run is already complete'
valid_json err

# --time and --every are part of the run: resumed without them, it ends where it was meant to.
expect 0 run small.json --out t --time 0.03 --every 0.02 --progress none
expect 0 run small.json --out u --time 0.03 --every 0.02 --progress none --wall 0
has u/report.json '"finished": false'
cp -r u v
rm v/checkpoint_*
for parts in u v; do
    expect 0 run --out $parts --resume --progress none
    is "$(hash_of $parts)" "$(hash_of t)" "state at the end that --time gave"
    is "$(number $parts/report.json simulated_s)" "$(number t/report.json simulated_s)" "end that --time gave"
    for file in scene.json particles.pvd particles_000000.vtp particles_000001.vtp particles_000002.vtp; do
        cmp -s t/$file $parts/$file || fail "$parts/$file differs from an unbroken run"
    done
    is "$(find $parts -name '*.vtp' | wc -l)" "$(find t -name '*.vtp' | wc -l)" "frames of $parts"
done
expect 0 run small.json --out u --resume --time 0.04 --progress none
has err "frames are written every 0.02 s as before"
has u/scene.json '"time": 0.04'

# The newest checkpoint is damaged: the one before it is used. Both are: an error.
cp -r a d
newest=$(find d -name 'checkpoint_*' | sort | tail -n 1)
printf 'x' | dd of="$newest" bs=1 seek=700 conv=notrunc 2>/dev/null
expect 0 run small.json --out d --resume --progress none
has err "is damaged: the checksum of section"
has err "trying the one before it"
is "$(hash_of d)" "$whole" "state from the older checkpoint"
rm -rf d
cp -r a d
for file in d/checkpoint_*; do head -c 900 "$file" >short && mv short "$file"; done
expect 1 run small.json --out d --resume --progress none
has err "is cut off"
has err "--force starts over"
expect 1 info "$newest"

# --- the folder of another run ------------------------------------------------------------------------------------------
expect 0 run small.json --out a --format none --progress none --time 0.01
expect 1 run small.json --out a --resume --set fluid.spacing=0.06 --progress none
has err "run of another scene: line"
expect 1 run small.json --out a --set fluid.spacing=0.06 --progress none
has err "holds a run of another scene; --force replaces it"
expect 0 run small.json --out a --set fluid.spacing=0.06 --progress none --force --time 0.01 --format none
expect 2 run small.json --out a --resume --force
expect 2 run --out a --resume --set fluid.spacing=0.07
expect 2 run --out a --resume --format ply
has err "--format: the run was started with none"
expect 2 run small.json --traversal fused --search hash
expect 1 run --out nothing-here --resume --progress none
has err "name a scene"
expect 1 run no-such-scene.json --out e
[ -e e ] && fail "a scene that is not there has made a folder"
expect 2 run small.json --out e --set fluid.spacng=1
has err "spacing"
expect 1 run small.json --out small.json
mkdir taken
echo mine >taken/report.json
expect 1 run small.json --out taken
is "$(cat taken/report.json)" mine "a file that is not ours"
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod 500 closed
    expect 1 run small.json --out closed
    has err "is not writable"
fi

# Two runs do not write into one folder.
"$runnel" run small.json --out f --set run.time=60 --progress none >/dev/null 2>&1 &
first=$!
tries=0
while [ ! -e f/particles.pvd ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
expect 1 run small.json --out f --progress none
has err "another run (process $first) is writing into f"

# A scene from a pipe that sends nothing: one signal ends the command.
mkfifo never
"$runnel" run never --out never-out >/dev/null 2>&1 &
waiting=$!
sleep 0.3
kill -TERM $waiting
tries=0
while kill -0 $waiting 2>/dev/null && [ $tries -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
kill -KILL $waiting 2>/dev/null && fail "a run that waits for its scene does not end"

# --- signals -----------------------------------------------------------------------------------------------------
kill -TERM $first
wait $first
is "$?" 143 "exit after SIGTERM"
has f/report.json '"ended_by": "SIGTERM"'
[ "$(find f -name 'checkpoint_*' | wc -l)" -ge 1 ] || fail "SIGTERM has left no checkpoint"
expect 1 run small.json --out f --set run.time=60 --progress none
has err "--resume continues it, --force starts over"

# --- --wall, and a step that fails ---------------------------------------------------------------------------
expect 0 run small.json --out w --set run.time=60 --progress none --wall 0.3 --picture --format none
has w/report.json '"ended_by": "--wall"'
[ -s w/picture.png ] || fail "--wall has left no picture"
expect 0 info w/picture.png
has out "width             1280"
expect 1 run small.json --out x --progress none --preset classic --set fluid.stiffness=1e12 --set fluid.rest_density=1e-6 --set blocks.0.jitter=0.3
has err "failed even in substeps"
has err "the last good state is in the newest checkpoint"
has x/report.json '"finished": false'
has x/report.json '"error": "step 1'
expect 0 info x/checkpoint_000000000000.rnck
expect 1 run --out x --progress none --resume
has err "failed even in substeps"
expect 1 run small.json --out x2 --progress none --set time.step=2
has err "times the safe"
expect 0 run small.json --out x2 --progress none --set time.step=0.01
has err "time.step, 0.01 s, is longer than any stable step; every step is split into parts of the safe"
has out "steps were split into smaller ones"

# --- full disks --------------------------------------------------------------------------------------------------
# Files may have 60 blocks of 512 bytes: the first checkpoint fits, the first frame does not. --resume alone
# starts the run with its former options.
(ulimit -f 60 && "$runnel" run small.json --out g --progress none --traversal lists --format vtp,ply --every 0.02) >out 2>err
is "$?" 1 "exit with a full disk"
has err "g/particles_000000.vtp: cannot be written: File too large"
expect 0 run --out g --progress none --resume
expect 0 run small.json --out g2 --progress none --traversal lists --format vtp,ply --every 0.02
has g/report.json '"traversal": "lists"'
is "$(hash_of g)" "$(hash_of g2)" "state of a run that had no first frame"
same_frames g g2
(ulimit -f 20 && "$runnel" run small.json --out g3 --progress none) >out 2>err
is "$?" 1 "exit when no checkpoint fits"
has err "g3/checkpoint_000000000000.rnck: cannot be written: File too large"
# Frames and checkpoints fit; the HDF5 file, which grows, reaches the limit during the run.
(ulimit -f 400 && "$runnel" run small.json --out h --progress none --format vtp,h5 --checkpoint-every 0.01) >out 2>err
is "$?" 1 "exit when HDF5 is full"
has err "h/particles.h5: cannot be written: File too large; --resume continues from the checkpoint of step"
expect 0 run small.json --out h --progress none --resume --every 0.01
is "$(hash_of h)" "$whole" "state after a full disk"
expect 0 run small.json --out h2 --progress none
same_frames h h2
expect 0 info h/particles.h5
expect 0 info h/particles.h5.frames
has out "frames of an HDF5 file"
has out "frames            6"
# The last frame does not fit: --resume makes it by the same steps; where no step was taken, no frame is invented.
(ulimit -f 220 && "$runnel" run small.json --out j --progress none --format vtp,h5 --every 0) >out 2>err
is "$?" 1 "exit when the last frame does not fit"
expect 0 run --out j --progress none --resume
expect 0 run small.json --out j2 --progress none --every 0
same_frames j j2
expect 0 run small.json --out j2 --progress none --wall 0.01 --time 1 --every 1 --force
expect 0 run --out j2 --progress none --steps 1 --resume
has err "there is no frame of the end"
is "$(find j2 -name '*.vtp' | wc -l)" 1 "frames of a run that was ended where it stood"
if [ -w /dev/full ]; then
    "$runnel" run small.json --out i --progress none --format none --time 0.005 >/dev/full 2>err
    is "$?" 1 "exit when the summary cannot be written"
fi

# --- intervals so short that the run would only save ----------------------------------------------------------------------
expect 2 run small.json --out tiny --steps 2 --every 1e-300
has err "--every: 1e-300 is too short; give 0 or at least 1e-06 seconds"
expect 2 run small.json --out tiny --steps 2 --checkpoint-every 1e-300
has err "--checkpoint-every: 1e-300 is too short"
expect 2 run small.json --out tiny --time 1000 --every 1e-6
has err "run: time is 1e+09 times as long as every"
[ -e tiny ] && fail "a rhythm that is refused has made a folder"
expect 0 run small.json --out tiny --steps 2 --every 1e-6 --checkpoint-every 1e-6 --progress none
is "$(find tiny -name '*.vtp' | wc -l)" 3 "frames of two steps"

# --- checkpoints with correct checksums and wrong numbers ----------------------------------------------------------
# forge FILE OFFSET FORMAT VALUE: changes a field, counted from section run, and the checksums.
forge() {
    python3 - "$@" <<'P'
import struct, sys
def crc(data):
    c = 2**64 - 1
    for byte in data:
        c ^= byte
        for _ in range(8): c = c >> 1 ^ (0xc96c5795d7870f42 if c & 1 else 0)
    return c ^ 2**64 - 1
path, at, kind, value = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
b = bytearray(open(path, 'rb').read())
struct.pack_into('<' + kind, b, 136 + at, float(value) if kind in 'df' else int(value))
for entry in 32, 64, 96:
    begin, count = struct.unpack_from('<QQ', b, entry + 8)
    struct.pack_into('<Q', b, entry + 24, crc(b[begin:begin + count]))
struct.pack_into('<Q', b, 128, crc(b[:128]))
struct.pack_into('<Q', b, len(b) - 8, crc(b[:-8]))
open(path, 'wb').write(b)
P
}
if command -v python3 >/dev/null 2>&1; then
    while read -r at kind value sentence; do
        rm -rf forged
        cp -r t forged
        newest=$(find forged -name 'checkpoint_*' | sort | tail -n 1)
        forge "$newest" "$at" "$kind" "$value"
        find forged -name 'checkpoint_*' ! -path "$newest" -exec rm {} +
        expect 1 run --out forged --resume --progress none --time 0.04
        has err "$sentence"
    done <<'L'
24 d 0.2 the run at 0.2 s
40 Q 9223372036854775808 run.frame_count is
56 Q 9999 the next frame is number 9999
64 Q 1 the next checkpoint 1 every
72 d 1e-300 run.output_every is 1e-300 s
88 Q 255 run.formats is 255
L
    # The velocity of the last particle.
    cp "$newest" velocity.rnck
    forge velocity.rnck 88 Q 1
    forge velocity.rnck $(($(wc -c <velocity.rnck) - 136 - 8 - 16)) f nan
    expect 1 picture velocity.rnck
    has err "velocity.rnck: the state's particle"
fi

# --- what the summary says ----------------------------------------------------------------------------------------
# Without water nothing is run, and the message says why.
expect 1 run small.json --out dry --progress none --format none --set blocks=[] --set pipes=[]
has err "the scene has no water: add a block, a ball or a pipe"
expect 1 run small.json --out dry --progress none --format none --set pipes=[] --set 'blocks=[{"low": [7, 0, 0], "high": [8, 1, 1]}]'
has err "blocks.0: the block, from (7, 0, 0) to (8, 1, 1) m, lies outside the domain"
[ ! -e dry ] || fail "a run without water left a folder"
expect 1 run small.json --out dry --progress none --format none --set pipes=[] \
    --set 'solids=[{"shape": "box", "center": [0.5, 0.5, 0.5], "size": [9, 9, 9]}]'
has err "blocks.0: the scene has no water: all particles lie in solids or too close to walls; move the block"
expect 0 run small.json --out soft --progress none --format none --set fluid.stiffness=100 --set time.step_max=0.001 \
    --set gravity=0,-90,0 --set run.time=0.2
has out "compressed by more than 10 %"
# A run that starts without particles: its first frame has every array, because readers take the names from it.
rm -rf e
expect 0 run water-channel --set fluid.particles=4000 --steps 2 --out e --format vtp,ply --progress none
for array in velocity density pressure id age; do has e/particles_000000.vtp "Name=\"$array\""; done
has e/particles_000000.ply "property float vx"
finish
