#!/bin/sh
# make_seeds.sh [FOLDER] - the binary seeds, which are not kept in the tree, beside the textual ones.
# Without FOLDER: the build's build/fuzz/seeds/point_file_fuzz, with the textual seeds copied there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../build/fuzz/seeds/point_file_fuzz}
mkdir -p "$folder"
for seed in "$here"/seeds/*; do
    [ -d "$seed" ] || cp "$seed" "$folder" # folders are seeds of the target that they are named after
done

# Scenes: those that come with the program, and a few settings.
scenes=$folder/../scene_fuzz
mkdir -p "$scenes"
for file in "$here"/../scenes/*.json "$here"/../scenes/*/*.json; do
    cp "$file" "$scenes/$(basename "$file")"
done
# Small enough to be built, too.
# shellcheck source=/dev/null
. "$here/../tests/cli/small_scene.sh"
for kind in small flat walls; do
    "${kind}_scene" | sed 's/"spacing": 0.0[0-9]*/"spacing": 0.055/; s/"fluid": {/"fluid": {"max_particles": 2000, /' \
        >"$scenes/$kind.json"
done
printf 'pipes.0.speed=2' >"$scenes/setting_number"
printf 'gravity=0,-1,0' >"$scenes/setting_vector"
printf 'domain.open=x-low,y-high' >"$scenes/setting_flags"
printf 'events=[{"time": 1, "set": {"fluid.viscosity": 2}}]' >"$scenes/setting_events"

# Tables.
tables=$folder/../csv_fuzz
mkdir -p "$tables"
printf 'time [s],level [m],"a, b"\n0.5,1e-3,\n# no row\n1,,2\n' >"$tables/gauges"
printf 'x;y\n1;2\n3' >"$tables/cut"

# Formulas.
formulas=$folder/../formula_fuzz
mkdir -p "$formulas"
printf '0.5 + 0.02*cos(pi*x)' >"$formulas/surface"
printf 'sin(2*pi*x)*cos(2*pi*y), -max(x, 1e-3)^2/3, tanh(z)' >"$formulas/velocity"

# Messages of the viewer's clients.
messages=$folder/../view_message_fuzz
mkdir -p "$messages"
printf '{"type": "want", "attribute": "speed", "rate": 60, "ids": true, "window": 2}' >"$messages/want"
printf '{"type": "force", "position": [1, 2, 3], "radius": 0.5, "direction": [0, -4, 0]}' >"$messages/force"
printf '{"type": "pour", "position": [1, 2, 3], "radius": 0.5, "direction": [0, -4, 0], "speed": 1}' >"$messages/pour"
printf '{"type": "set", "path": "gravity", "value": [0, -1, 0]}' >"$messages/set"
printf '{"type": "open", "name": "drop", "set": {"fluid.spacing": 0.01}}' >"$messages/open"
printf '{"type": "save", "name": "a", "kind": "scene"}' >"$messages/save"
printf '{"type": "pick", "origin": [0, 0, 1], "direction": [0, 0, -1]}' >"$messages/pick"

# The points (1, 2, 3) and (-4, 5.5, 6), little endian float, big endian float, little endian double.
little='\000\000\200\077\000\000\000\100\000\000\100\100\000\000\200\300\000\000\260\100\000\000\300\100'
big='\077\200\000\000\100\000\000\000\100\100\000\000\300\200\000\000\100\260\000\000\100\300\000\000'
double='\000\000\000\000\000\000\360\077\000\000\000\000\000\000\000\100\000\000\000\000\000\000\010\100'

ply() { # ENCODING COUNT TYPE
    printf 'ply\nformat %s 1.0\nelement vertex %s\n' "$1" "$2"
    printf 'property %s x\nproperty %s y\nproperty %s z\nend_header\n' "$3" "$3" "$3"
}

# NumPy's magic, version 1.0, and the length of the dictionary as its first byte.
npy() { # DICTIONARY; shorter than 256 letters
    printf '\223NUMPY\001\000'
    # shellcheck disable=SC2059 # the length is an escape sequence
    printf "\\$(printf '%03o' "${#1}")\\000"
    printf '%s' "$1"
}

# shellcheck disable=SC2059 # the points are escape sequences
{
    { ply binary_little_endian 2 float; printf "$little"; } > "$folder/little.ply"
    { ply binary_big_endian 2 float; printf "$big"; } > "$folder/big.ply"
    { ply binary_little_endian 1 double; printf "$double"; } > "$folder/double.ply"
    {
        printf 'ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uchar short v\n'
        printf 'element vertex 1\nproperty list char int w\nproperty uchar x\nproperty ushort y\nend_header\n'
        printf '\002\001\000\002\000\001\007\000\000\000\011\012\000'
    } > "$folder/lists.ply"
    { npy "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"; printf "$little"; } > "$folder/float.npy"
    { npy "{'descr': '>f4', 'fortran_order': True, 'shape': (3, 2), }"; printf "$big"; } > "$folder/big.npy"
    { npy "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3), }"; printf "$double"; } > "$folder/double.npy"
    { npy "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }"; printf '\001\002\003\004'; } > "$folder/byte.npy"
}

# Meshes of each format: small shapes of our own, and the textual seeds.
for format in obj ply stl glb; do
    meshes=$folder/../mesh_${format}_fuzz
    mkdir -p "$meshes"
    for file in "$here"/seeds/*."$format"; do
        if [ -f "$file" ]; then cp "$file" "$meshes"; fi
    done
    if [ -x "$here/../build/fuzz/runnel" ]; then
        for shape in box trough sphere; do
            "$here/../build/fuzz/runnel" mesh make "$shape" -o "$meshes/$shape.$format" >/dev/null
        done
    fi
done

# A small run of our own leaves checkpoints and frames to start from.
command=$here/../build/fuzz/runnel
if [ $# -eq 0 ] && [ -x "$command" ]; then
    scratch=$(mktemp -d)
    "$command" run dam-break --set fluid.spacing=0.02 --steps 3 --every 0 --out "$scratch" --progress none >/dev/null
    for kind in checkpoint vtp; do mkdir -p "$here/../build/fuzz/seeds/${kind}_fuzz"; done
    cp "$scratch"/checkpoint_* "$here/../build/fuzz/seeds/checkpoint_fuzz"
    cp "$scratch"/particles*.[vp][tv]? "$here/../build/fuzz/seeds/vtp_fuzz"
    rm -rf "$scratch"
fi
