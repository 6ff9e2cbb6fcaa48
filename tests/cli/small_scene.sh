# shellcheck shell=sh
# A scene of some hundred particles with everything that moves: water, a pipe, an outlet, an event.
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
  "events": [{"time": 0.025, "set": {"gravity": [1, -9.81, 0]}}]
}
JSON
}

hash_of() {
    sed -n 's/.*"state_hash": "\([0-9a-f]*\)".*/\1/p' "$1/report.json"
}
