# shellcheck shell=sh
# A scene of some hundred particles with everything that changes: water, a pipe, an outlet, an event.
small_scene() {
    cat <<'JSON'
{
  "title": "a small test",
  "run": {"time": 0.05, "every": 0.01},
  "fluid": {"spacing": 0.03},
  "domain": {"low": [0, 0, 0], "high": [0.5, 0.5, 0.24]},
  "blocks": [{"low": [0, 0, 0], "high": [0.45, 0.18, 0.24]}],
  "pipes": [{"name": "tap", "center": [0.05, 0.4, 0.12], "direction": [1, 0, 0], "radius": 0.06, "speed": 1}],
  "outlets": [{"name": "drain", "low": [0.4, 0, 0], "high": [0.5, 0.05, 0.24]}],
  "gauges": [
    {"name": "floor", "kind": "pressure", "center": [0.2, 0, 0.12], "direction": [0, 1, 0], "radius": 0.05},
    {"name": "surface", "kind": "level", "center": [0.2, 0, 0.12], "rate": 300, "surfaces": 2},
    {"kind": "discharge", "low": [0.3, 0, 0], "high": [0.3, 0.5, 0.24]}
  ],
  "events": [{"time": 0.025, "set": {"gravity": [1, -9.81, 0]}}]
}
JSON
}

# 2D, periodic, with a pipe of varying flow whose mouth is on the ceiling, surface tension, and velocities staggered in time.
flat_scene() {
    cat <<'JSON'
{
  "title": "a flat test",
  "run": {"time": 0.12, "every": 0.02},
  "fluid": {"dim": 2, "spacing": 0.02, "tension": "akinci", "cohesion": 0.05, "curvature": 0.05},
  "time": {"integrator": "kick-drift"},
  "domain": {"low": [0, 0], "high": [1, 0.6], "periodic": ["x"]},
  "blocks": [{"low": [0, 0], "high": [1, 0.2], "jitter": 0.1}],
  "solids": [{"shape": "sphere", "center": [0.02, 0.3], "radius": 0.07}],
  "pipes": [{"center": [0.5, 0.6], "direction": [0.3, -1], "radius": 0.05, "speed": 3, "times": [0, 0.06], "factors": [0.5, 1.5]}],
  "events": [{"time": 0.05, "set": {"gravity": [2, -9.81]}}]
}
JSON
}

# A pipe that stops, solids of every kind, an open side, and a step with two evaluations.
walls_scene() {
    cat <<'JSON'
{
  "title": "a test with walls",
  "run": {"time": 0.1, "every": 0.02},
  "fluid": {"preset": "classic", "spacing": 0.025},
  "time": {"integrator": "leapfrog"},
  "domain": {"low": [0, 0, 0], "high": [0.6, 0.5, 0.3], "open": ["x-high"], "slip": "none"},
  "blocks": [{"low": [0, 0, 0], "high": [0.2, 0.3, 0.3], "velocity": [1, 0, 0]}],
  "solids": [
    {"shape": "box", "center": [0.35, 0.05, 0.15], "size": [0.1, 0.1, 0.1], "turn": [0, 30, 0]},
    {"shape": "sphere", "center": [0.45, 0.2, 0.1], "radius": 0.06},
    {"shape": "cylinder", "center": [0.3, 0.3, 0.15], "axis": [0, 0, 1], "radius": 0.05, "length": 0.2}
  ],
  "pipes": [{"center": [0.3, 0.5, 0.15], "direction": [0, -1, 0], "radius": 0.06, "flow_rate": 0.02, "volume": 0.001}]
}
JSON
}

# same_frames ONE OTHER: the same .vtp, .ply and list of frames.
same_frames() {
    (cd "$2" && find . -name 'particles_*' -o -name particles.pvd | sort) >names_wanted
    (cd "$1" && find . -name 'particles_*' -o -name particles.pvd | sort) >names
    cmp -s names names_wanted || fail "$1 has other frames than $2: $(tr '\n' ' ' <names)"
    while read -r name; do
        cmp -s "$1/$name" "$2/$name" || fail "$name of $1 is not that of $2"
    done <names_wanted
}

hash_of() {
    sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/report.json"
}
