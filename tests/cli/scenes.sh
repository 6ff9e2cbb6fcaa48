#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# --- scenes --------------------------------------------------------------------------------------
expect 0 scenes
is "$(awk 'NR == 1 { print $1 }' out)" water-channel "the first scene"
is "$(wc -l <out | tr -d ' ')" 18 "number of scenes"
expect 0 scenes --json
tr -d '\n' <out >line
valid_json line
has out '"name": "papers/water-channel-2021"'

expect 0 scenes dam-break
cp out mine.json
expect 0 scenes mine.json --full
cp out full.json
expect 0 scenes full.json --full
cmp -s out full.json || fail "a full scene written twice differs"
expect 0 scenes dam-break --set fluid.viscosity=0.5
has out '"viscosity": 0.5'
expect 1 scenes dam-braek
has err "did you mean dam-break?"
expect 2 scenes --set fluid.viscosity=1
has err "--set and --full need a SCENE"

# --- params --------------------------------------------------------------------------------------
expect 0 params
has out "fluid.viscosity"
has out "pipes.N.speed"
expect 0 params fluid.viscosity
has out "in Pa s; default 0.001"
is "$(wc -l <out | tr -d ' ')" 2 "lines about one parameter"
expect 0 params pipes.0.speed
has out "pipes.N.speed"
expect 0 params solids
has out "solids.N.shape"
expect 0 params --json
tr -d '\n' <out >line
valid_json line
expect 2 params fluid.viscosty
has err "did you mean fluid.viscosity?"
expect 2 params viscosty
has err "did you mean fluid.viscosity?"
expect 2 params solids.0.sise
has err "did you mean solids.N.size?"
expect 2 params events
has err "an event has a time and a set"
expect 2 params xyzzy
has err "\`runnel params\` lists all"
expect 2 params --json --schema
expect 0 params --schema
tr -d '\n' <out >line
valid_json line
has out '"additionalProperties": false'

# --- check ---------------------------------------------------------------------------------------
expect 0 check
has out "water-channel: "
has out "32,768 in total"
has out "no warnings"
expect 0 check dam-break --set fluid.spacing=0.006 --threads 1
has out "ms each on this machine with all particles: about"
expect 0 check dam-break --no-measure
has out "memory       about "
expect 0 check dam-break --no-measure --json
valid_json out
[ "$(number out bytes)" -gt 4000000 ] || fail "check --no-measure: bytes is '$(number out bytes)'"
is "$(number out particles_start)" 16000 "particles of dam-break"
# Values that are given but not used, or cost more than expected, cause a warning.
expect 0 check dam-break --no-measure --set fluid.spacing=0.02 --set fluid.cohesion=1 --set time.step=0.1 \
    --set time.step_max=0.1 --set 'solids=[{"shape": "sphere", "center": [5, 5, 5], "radius": 0.1}]'
has out "fluid.cohesion: has no effect: fluid.tension is not akinci"
has out "time.step_max: has no effect: time.step is fixed"
has out "time.step: 0.1 s is longer than the safe"
has out "every step is taken in"
has out "solids.0: is outside the domain"
expect 0 check dam-break --no-measure --set fluid.stiffness=10
has out "slower than the 1.5 m/s that are expected of the water"
expect 0 check dam-break --no-measure --set fluid.tension=akinci --set fluid.viscosity=1000
has out "fluid.tension: has no effect: fluid.cohesion and fluid.curvature are 0"
has out "times shorter than the speed of sound requires"
expect 1 check dam-break --no-measure --set time.step=100
has err "more than 1024 times the safe"
expect 0 check dam-break --preset classic --set fluid.stiffness=1e12 --set fluid.rest_density=1e-6 --set blocks.0.jitter=0.3
has out "the scene cannot run: the step at 0 s failed even in substeps"
expect 0 check dam-break --no-measure --set 'outlets=[{"name": "all", "low": [-9, -9, -9], "high": [9, 9, 9]}]'
has out "outlets.0 (all): removes 16000 particles that start inside it"
grep -q "nothing reaches it" out && fail "an outlet around everything is told to be in a solid"
# Scenes without water, and runs that never end or never begin.
expect 0 check dam-break --no-measure --set 'balls=[{"center": [9, 9, 9], "radius": 0.1}]' --set run.time=0 \
    --set 'events=[{"time": 0, "set": {}}]' --set 'domain.periodic=z' --set gravity=0,-9.81,1
has out "balls.0: adds no particle: all of its particles lie outside the domain"
has out "run.time: is 0, and so is run.steps"
has out "events.0: set is empty"
has out "gravity: pulls along z, which is periodic"
cat > overlap.json << 'JSON'
{
  "fluid": {"spacing": 0.05}, "domain": {"high": [1, 1, 1]},
  "blocks": [{"low": [0, 0.5, 0], "high": [0.3, 0.8, 0.3]}],
  "solids": [
    {"name": "step", "shape": "box", "center": [0.5, 0.2, 0.5], "size": [0.4, 0.2, 0.4]},
    {"name": "ball", "shape": "sphere", "center": [0.5, 0.3, 0.5], "radius": 0.1},
    {"shape": "capsule", "center": [0.5, 0.8, 0.5], "radius": 0.1, "length": 0.2}]
}
JSON
expect 0 check overlap.json --no-measure
has out "solids.0 (step): overlaps solids.1 (ball) by 50 % of the smaller one"
for scene in $("$runnel" scenes | awk '/^[a-z]/ { print $1 }'); do
    # A sanitizer sees one vessel that is filled by volume, bowl.
    case ${RUNNEL_SLOW:+slow}-$scene in slow-jug | slow-venturi) continue ;; esac
    expect 0 check "$scene" --no-measure
    grep '^  warning' out | grep -v "fluid.viscosity: the numerical part" && fail "$scene has warnings: $(cat out)"
done
expect 2 check dam-break --set fluid.spacin=1 --set gravty=0
has err "runnel check: --set: fluid.spacin: unknown; did you mean spacing?"
has err "did you mean gravity?"
# Words of other programs.
for words in run.duration:run.time fluid.dt:time.step fluid.rho0:fluid.rest_density fluid.h:fluid.radius fluid.dx:fluid.spacing; do
    expect 2 check dam-break --set "${words%%:*}=1"
    has err "did you mean ${words##*:}?"
done
expect 2 check water-channel --set pipes.0.rate=1
has err "did you mean flow_rate?"
expect 2 check dam-break --set
has err "the value is missing"

cat >bad.json <<'JSON'
{
  "fluid": {"spacing": 0.02, "viscosty": 1},
  "domain": {"high": [1, 1, "one"]},
  "blocks": [{"low": [0, 0, 0]}]
}
JSON
expect 1 check bad.json
has err "bad.json:2:30: fluid.viscosty: unknown; did you mean viscosity?"
has err "bad.json:3:29: domain.high.2: is the text \"one\""
has err "bad.json:4:14: blocks.0: high is missing"
is "$(wc -l <err | tr -d ' ')" 3 "problems told"
[ -s out ] && fail "a scene that is wrong prints to stdout"

cat >doubtful.json <<'JSON'
{
  "fluid": {"spacing": 0.02},
  "domain": {"high": [1, 1, 1]},
  "run": {"time": 1},
  "blocks": [{"low": [0, 0, 0], "high": [0.4, 0.4, 0.4]}],
  "solids": [
    {"name": "paper", "shape": "box", "center": [0.6, 0.5, 0.5], "size": [0.01, 0.4, 0.4]},
    {"name": "lump", "shape": "sphere", "center": [0.2, 0.2, 0.2], "radius": 0.1},
    {"name": "wire", "shape": "cylinder", "center": [0.8, 0.5, 0.5], "axis": [0, 1, 0], "radius": 0.005, "length": 0.4}
  ],
  "pipes": [{"name": "tap", "center": [0.2, 0.31, 0.2], "direction": [1, 0, 0], "radius": 0.05, "speed": 1, "max_particles": 10}],
  "outlets": [{"name": "drain", "low": [2, 2, 2], "high": [3, 3, 3]}],
  "events": [{"time": 5, "set": {"gravity": [0, 0, 0]}}]
}
JSON
expect 0 check doubtful.json --no-measure
has out "solids.2 (wire): is 0.01 m thick"
# Water on the two sides of a thin box does not interact.
is "$(grep -c "solids.0 (paper): is 0.01 m thick" out)" 0 "warnings about a thin box"
has out "pipes.0 (tap): the rim of its mouth is in a wall"
expect 1 check doubtful.json --set pipes.0.center=0.2,0.2,0.2
has err "doubtful.json:11:13: pipes.0: the mouth's center (0.2, 0.2, 0.2) is in a solid"
expect 0 check doubtful.json --no-measure
has out "outlets.0 (drain): is outside the domain"
expect 0 check doubtful.json --no-measure --set fluid.speed_expected=2 --set blocks.0.velocity=20,0,0
has out "blocks.0: starts at 20 m/s where the speed of sound is 12 m/s"
expect 0 check doubtful.json --no-measure --set blocks.0.velocity=20,0,0
has out "speed of sound 121.2 m/s, expected fluid speed up to 20.2 m/s"
has out "events.0: at 5 s comes after the end"
has out "are left out: in solids"

# --- one fault, one line --------------------------------------------------------------------------
# one_line SENTENCE SCENE: the scene has one fault.
one_line() {
    echo "$2" >fault.json
    expect 1 check fault.json --no-measure
    has err "$1"
    is "$(wc -l <err | tr -d ' ')" 1 "lines about $(cat fault.json)"
}
water='"fluid": {"spacing": 0.05}, "domain": {"high": [1, 1, 1]}, "blocks": [{"low": [0, 0, 0], "high": [1, 0.5, 1]}]'
still='"set": {"gravity": [0, 0, 0]}'
one_line "events.1.time: is -1; it must be a number from 0" \
    "{$water, \"events\": [{\"time\": 2, $still}, {\"time\": -1, $still}, {\"time\": 1, $still}]}"
one_line "events.1: it must be an object" \
    "{$water, \"events\": [{\"time\": 2, $still}, 5]}"
one_line "events.1: time is missing" \
    "{$water, \"events\": [{\"time\": 2, $still}, {$still}]}"
one_line "events.0.tme: unknown; did you mean time?" \
    "{$water, \"events\": [{\"tme\": 2, $still}]}"
one_line "events.0.at: unknown; did you mean time?" \
    "{$water, \"events\": [{\"at\": 2, $still}]}"
one_line "domain.high: x is 0; it must be greater than in low, 1 (and y, z)" \
    '{"fluid": {"spacing": 0.05}, "domain": {"low": [1, 1, 1], "high": [0, 0, 0]}}'
one_line "the domain must be at least two spacings long, 1 m (and z)" \
    '{"fluid": {"spacing": 0.5}, "domain": {"high": [0.8, 2, 0.7]}}'
one_line "balls.0.rdius: unknown; did you mean radius?" \
    "{$water, \"balls\": [{\"center\": [0.5, 0.5, 0.5], \"rdius\": 0.2}]}"
one_line "pipes.0.spid: unknown; did you mean speed?" \
    "{$water, \"pipes\": [{\"center\": [0.5, 0.8, 0.5], \"direction\": [0, -1, 0], \"radius\": 0.1, \"spid\": 1}]}"
one_line "fluid.spacin: unknown; did you mean" \
    '{"fluid": {"spacin": 0.05}, "domain": {"high": [1, 1, 1]}}'
one_line "doman: unknown; did you mean domain?" \
    '{"fluid": {"spacing": 0.05}, "doman": {"high": [1, 1, 1]}}'
one_line "fluid.high: unknown; did you mean domain.high?" \
    '{"fluid": {"spacing": 0.05, "high": [1, 1, 1]}}'
for dim in '"dim": 4' '"dim": "2"' '"dimm": 2'; do
    one_line "fluid.dim" \
        "{\"fluid\": {$dim, \"spacing\": 0.05}, \"domain\": {\"high\": [1, 1]}, \"gravity\": [0, -9]}"
done
one_line "did you mean fluid?" \
    '{"fliud": {"dim": 2, "spacing": 0.05}, "domain": {"high": [1, 1]}}'
echo '{"fluid": {"dim": 2.0, "spacing": 0.05}, "domain": {"high": [1, 1]}, "blocks": [{"low": [0, 0], "high": [1, 1]}]}' >flat.json
expect 0 check flat.json --no-measure

# A file that is not a scene gives one line, too.
printf '\211RNCK\r\n' >fault.json
expect 1 check fault.json
has err "fault.json: is not a scene: a scene is JSON and starts with {"
one_line "fault.json: is not a scene" "fluid: {spacing: 0.05}"
one_line "is the report of a run; the scene of that run is scene.json in the same folder" \
    '{"program": "runnel", "version": "9.9.9", "state_hash": "0", "escaped": 0}'
mkdir left
echo "{$water}" >left/scene.json
expect 1 check left
has err "left: is a folder; a scene is a JSON file. The run in this folder used left/scene.json"
printf '\357\273\277{%s}' "$water" >marked.json
expect 0 check marked.json --no-measure
expect 2 check marked.json --no-measure --set fluid=1
has err "--set: fluid: is a group; set one of its values, e.g. fluid."
expect 1 check marked.json --no-measure --set fluid.spacing=1e-6
grep -q "must be at least 1e-6" err && fail "the least spacing is refused: $(cat err)"

# --- 2D has two numbers ---------------------------------------------------------------------------
cat >flat.json <<'JSON'
{
  "fluid": {"dim": 2, "spacing": 0.02},
  "gravity": [0, -9.81, 3],
  "domain": {"low": [0, 0, 5], "high": [1, 1]},
  "blocks": [{"low": [0, 0], "high": [0.4, 0.4], "velocity": [0, 0, 1]}],
  "outlets": [{"low": [0.8, 0, 0], "high": [1, 0.1, 0.5]}],
  "events": [{"time": 1, "set": {"gravity": [0, 0, 2]}}]
}
JSON
expect 1 check flat.json
has err "flat.json:3:3: gravity: z is 3; there is no axis z in 2D"
for path in domain.low blocks.0.velocity outlets.0.high events.0.set.gravity; do has err "$path: z is"; done
is "$(wc -l <err | tr -d ' ')" 5 "third numbers told"
expect 1 check poiseuille --set gravity=0,-9.81,5
has err "gravity: z is 5"
expect 0 check poiseuille --set gravity=0,-9.81,0 --no-measure

# --- all faults at once: single values, contradictions, conflicts with walls ------------------
cat >wrong.json <<'JSON'
{
  "fluid": {"dim": 2, "spacing": 0.05, "viscosty": 1, "seed": -1},
  "domain": {"low": [0, 0], "high": [1, 1, 3], "periodic": ["z"]},
  "solids": [{"shape": "cylinder", "center": [0.5, 0.5], "radius": 0.1, "length": 1},
             {"shape": "sphere", "center": [0.5, 0.5], "radius": 0.001},
             {"shape": "sphere", "center": [0.5, 0.5], "radius": 0.1}],
  "pipes": [{"center": [0.5, 0.5], "direction": [1, 0], "radius": 0.1, "speed": 1},
            {"center": [3, 0.5], "direction": [1, 0], "radius": 0.1, "speed": 1}],
  "blocks": [{"low": [0, 0], "high": [0.5, "a"]}]
}
JSON
expect 1 check wrong.json
is "$(wc -l <err)" 9 "problems of wrong.json"
has err "wrong.json:2:40: fluid.viscosty: unknown; did you mean viscosity?"
has err "wrong.json:2:55: fluid.seed: is -1; it must be a whole number from 0"
has err 'wrong.json:9:44: blocks.0.high.1: is the text "a"; it must be a number from'
has err "wrong.json:3:29: domain.high: z is 3; there is no axis z in 2D"
has err "wrong.json:3:3: domain: there is no axis z in 2D; remove it from periodic and open"
has err "wrong.json:4:14: solids.0: there is no cylinder in 2D"
has err "wrong.json:5:14: solids.1: the sphere's diameter is 0.002 m; it must be at least half a spacing"
has err "wrong.json:7:13: pipes.0: the mouth's center (0.5, 0.5, 0) is in a solid"
has err "wrong.json:8:13: pipes.1: the mouth's center (3, 0.5, 0) is outside the domain"
# Values that depend on one that could not be read are not checked; --set takes part.
expect 1 check wrong.json --set 'solids=[]' --set 'pipes=[]' --set fluid.radius=1 --set fluid.courant=7
has err "--set: fluid.courant: unknown; did you mean time.courant?"
has err "wrong.json:2:3: fluid.radius: is 1; it must be 0 (derived) or from 1.2 to 4 spacings of 0.05 m"
grep -q "blocks.0.high: " err && fail "the box of a block that could not be read: $(cat err)"
expect 2 check dam-break --set fluid.radius=1 --set fluid.viscosity=-1
has err "--set: fluid.viscosity: is -1"
has err "fluid.radius: is 1; it must be 0 (derived) or from 1.2 to 4 spacings"
expect 1 check dam-break --set domain.high=1e6,1,1
has err "domain.high: x is 1000000, more than 100,000 spacings"
expect 1 check dam-break --set domain.periodic=z --set domain.high=1,1,0.008 --set 'blocks=[]'
has err "domain.periodic: the period along z is 0.008 m; it must be at least three radii"

# --- as many solids as a scene may have: seconds, not minutes -------------------------------------------
{
    printf '{"fluid": {"spacing": 0.02}, "domain": {"high": [2, 1, 1]}, "run": {"time": 0.1},\n'
    printf '"blocks": [{"low": [0, 0.8, 0], "high": [0.2, 1, 0.2]}], "solids": [\n'
    awk 'BEGIN { for (k = 0; k < 1024; k++) printf "%s{\"shape\": \"sphere\", \"radius\": 0.03, \"center\": [%g, %g, %g]}\n",
        k ? "," : "", 0.3 + k % 16 * 0.1, 0.1 + int(k / 16) % 8 * 0.08, 0.1 + int(k / 128) * 0.1 }'
    printf ']}\n'
} >many.json
timeout 120 "$runnel" check many.json --no-measure >out 2>err || fail "1024 solids: $(cat err)"
has out "1024 solids"

# --- a pipe's mouth partly inside a wall: the warning states the actual flow ------------------------------------------------
cat >cut.json <<'JSON'
{
  "fluid": {"spacing": 0.02}, "gravity": [0, 0, 0], "run": {"time": 0.1},
  "domain": {"high": [1, 1, 1], "open": ["x-high"]},
  "solids": [{"shape": "box", "center": [0.5, 0.25, 0.5], "size": [1, 0.5, 1]}],
  "pipes": [{"name": "tap", "center": [0.2, 0.65, 0.5], "direction": [1, 0, 0], "radius": 0.1, "speed": 2}]
}
JSON
expect 0 check cut.json --no-measure
has out "pipes.0 (tap): 0.06283 m^3/s, 80 of 80 particles per layer"
has out "no warnings"
for place in "0.53 50 62.5" "0.505 40 50"; do
    # shellcheck disable=SC2086 # three words
    set -- $place
    expect 0 check cut.json --no-measure --set "pipes.0.center=0.2,$1,0.5"
    has out "pipes.0 (tap): the rim of its mouth is in a wall or past a side: $2 of 80 particles of a layer have room, it pours $3 %"
    expect 0 check cut.json --no-measure --json --set "pipes.0.center=0.2,$1,0.5"
    valid_json out
    is "$(number out layer_open)" "$2" "places that are open"
    told=$(number out particles)
    expect 0 run cut.json --out cut --force --format none --progress none --set "pipes.0.center=0.2,$1,0.5"
    came=$(number cut/report.json came)
    # The last step ends a little after the end, and a layer may come whole.
    if [ "$came" -lt "$told" ] || [ "$came" -gt $((told + 2 * $2)) ]; then fail "$came came, about $told were told"; fi
done

# --- pipes without end, gravity by events -----------------------------------------------------------
cat >tap.json <<'JSON'
{
  "fluid": {"spacing": 0.1},
  "domain": {"high": [1, 1, 1]},
  "run": {"time": 1, "every": 0.1},
  "pipes": [{"center": [0.5, 0.8, 0.5], "direction": [0, -1, 0], "radius": 0.1, "flow_rate": 0.1}]
}
JSON
expect 0 check tap.json --no-measure --json
is "$(number out particles)" 100 "particles a pipe pours in a second"
expect 0 check tap.json --no-measure --json --set pipes.0.times=0,1 --set pipes.0.factors=0,1
is "$(number out particles)" 50 "particles of a pipe that opens in a second"
expect 0 check tap.json --no-measure --set fluid.max_particles=30
has out "about 30 in total"
has out "fluid.max_particles: is 30, but the scene would hold about 100 particles"
expect 0 check tap.json --no-measure --set gravity=0,-2,0 --set 'events=[{"time": 0.5, "set": {"gravity": [0, -8, 0]}}]'
has out "expected fluid speed up to 4.789 m/s"

# --- presets, and the numerical part of the viscosity -----------------------------------------------
expect 0 check dam-break --no-measure
has out "preset balanced, scheme corrected"
has out "viscosity    0.001 Pa s of the fluid, and 0.09"
expect 0 check dam-break --no-measure --preset classic
has out "preset classic, scheme wcsph"
has out "support radius 0.005715 m"
expect 0 check dam-break --no-measure --json --set fluid.radius_ratio=2.5 --set fluid.preset=classic
valid_json out
has out '"preset": "classic"'
is "$(number out radius | cut -c1-8)" 0.007143 "a value beside a preset"
[ "$(number out numerical_viscosity | cut -c1-3)" = 0.5 ] || fail "numerical viscosity: $(cat out)"
expect 2 check dam-break --preset clasic
has err "did you mean"
expect 0 check tap.json --no-measure
has out "fluid.viscosity: the numerical part, 11 Pa s, is"
has out "lower it"
expect 0 check tap.json --no-measure --set fluid.viscosity=1
grep -q "the numerical part" out && fail "11 Pa s are not far from 1 Pa s: $(cat out)"
expect 0 check dam-break --no-measure --preset classic --set fluid.shifting=2
has out "fluid.shifting: has no effect: fluid.scheme is wcsph"
expect 0 check dam-break --no-measure --set fluid.yield_stress=5
has out "fluid.yield_stress: has no effect: fluid.viscosity_law is not bingham"
expect 0 check dam-break --no-measure --set fluid.flow_index=0.5 --set fluid.shear_time=1
has out "fluid.flow_index: has no effect: fluid.viscosity_law is newtonian"
has out "fluid.shear_time: has no effect: fluid.viscosity_law is not carreau"
expect 0 check dam-break --no-measure --set fluid.tension=surface-energy --set fluid.surface_tension=72.8 \
    --set fluid.viscosity_solver=implicit --set fluid.viscosity=5000
has out "fluid.surface_tension: 72.8 N/m is more than that of any liquid"
has out "fluid.viscosity: 5000 Pa s is beyond the 1000 Pa s"
expect 0 check two-fluids --no-measure --set fluids.1.yield_stress=20 --set fluids.0.flow_index=0.5
has out "fluids.1.yield_stress: has no effect: fluids.1.viscosity_law is not bingham"
has out "fluids.0.flow_index: has no effect: fluids.0.viscosity_law is newtonian"
expect 0 check dam-break --no-measure --set walls.contact_angle=30
has out "walls.contact_angle: has no effect: fluid.tension is not surface-energy"
expect 2 check dam-break --no-measure --set walls.contact_angle=-3
has err "walls.contact_angle"
expect 2 check dam-break --no-measure --set fluid.surface_tension=-3
has err "fluid.surface_tension"
expect 0 check dam-break --no-measure --set fluid.tension=surface-energy --set fluid.surface_tension=100000 --set run.time=100
has out "waves of surface tension need steps of"

# --- files that are not scenes ----------------------------------------------------------------------
: >empty.json
expect 1 check empty.json
has err "empty.json: is empty"
printf '{"fluid": {"spacing": 1, "spacing": 2}}' >twice.json
expect 1 check twice.json
has err "twice.json:1:"
printf '\377\376' >binary.json
expect 1 check binary.json
expect 1 check .
has err "is a folder"
expect 1 check missing.json
has err "there is no such file"
if [ -c /dev/zero ]; then
    expect 1 check /dev/zero
    has err "/dev/zero"
fi
finish
