#!/bin/sh
# install.sh CMAKE GENERATOR BUILD COMPILER VERSION - installs into a folder, moves the folder elsewhere, and builds and
# runs the project in outside/ against it: by find_package (shared, static) and by pkg-config with a plain compiler line.
set -eu
cmake=$1 generator=$2 build=$3 compiler=$4 version=$5
here=$(pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Runs a step; shows what it said only when it fails.
step() {
    "$@" >"$scratch/said" 2>&1 || { echo "failed: $*"; cat "$scratch/said"; exit 1; }
}

step "$cmake" --install "$build" --prefix "$scratch/first"
mv "$scratch/first" "$scratch/moved"
prefix=$scratch/moved
if grep -rIlF "$scratch/first" "$prefix"; then echo "these files know where they were installed"; exit 1; fi

# --- find_package ------------------------------------------------------------------------------------------------
step "$cmake" -G "$generator" -S "$here/outside" -B "$scratch/outside" "-DCMAKE_PREFIX_PATH=$prefix" \
    "-DCMAKE_C_COMPILER=$compiler" "-DRUNNEL_WANTED=${version%.*}"
step "$cmake" --build "$scratch/outside"
step "$scratch/outside/outside_shared" "$version"
step "$scratch/outside/outside_static" "$version"
for kind in shared static; do
    step "$scratch/outside/outside_scene_$kind" "$scratch/$kind.vtp"
    grep -q '<VTKFile type="PolyData"' "$scratch/$kind.vtp" || { echo "$kind: no VTK file was written"; exit 1; }
done
cmp "$scratch/shared.vtp" "$scratch/static.vtp"

# --- pkg-config --------------------------------------------------------------------------------------------------
libdir=$(dirname "$(find "$prefix" -name librunnel.a)")
if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$libdir/pkgconfig
    export PKG_CONFIG_PATH
    [ "$(pkg-config --modversion runnel)" = "$version" ] || { echo "runnel.pc has another version"; exit 1; }
    # shellcheck disable=SC2046 # lists of options
    step "$compiler" -std=c17 -Wall -Werror "$here/outside/outside.c" -o "$scratch/by_pkg_config" \
        $(pkg-config --cflags --libs runnel)
    step env LD_LIBRARY_PATH="$libdir" "$scratch/by_pkg_config" "$version"
    # the programs shown in the guides
    for page in search fluid scenes; do
        package=runnel
        [ "$page" != scenes ] || package=runnel-scene
        awk '/^```c$/ { inside = 1; text = ""; next } /^```/ { if (inside && text ~ /int main/) { printf "%s", text; exit }
             inside = 0 } inside { text = text $0 "\n" }' "$here/../../docs/$page.md" >"$scratch/$page.c"
        [ -s "$scratch/$page.c" ] || { echo "docs/$page.md shows no program"; exit 1; }
        # shellcheck disable=SC2046 # lists of options
        step "$compiler" -std=c17 -Wall -Werror "$scratch/$page.c" -o "$scratch/$page" \
            $(pkg-config --cflags --libs $package)
        (cd "$scratch" && step env LD_LIBRARY_PATH="$libdir" "$scratch/$page")
    done
    [ "$(pkg-config --modversion runnel-scene)" = "$version" ] || { echo "runnel-scene.pc has another version"; exit 1; }
    # shellcheck disable=SC2046 # lists of options
    step "$compiler" -std=c17 -Wall -Werror "$here/outside/outside_scene.c" -o "$scratch/scene_by_pkg_config" \
        $(pkg-config --cflags --libs runnel-scene)
    step env LD_LIBRARY_PATH="$libdir" "$scratch/scene_by_pkg_config" "$scratch/by_pkg_config.vtp"
    cmp "$scratch/shared.vtp" "$scratch/by_pkg_config.vtp"
    private=$(pkg-config --static --libs-only-l --libs-only-other runnel | sed 's/-lrunnel//')
    # shellcheck disable=SC2046,SC2086 # lists of options
    step "$compiler" -std=c17 -Wall -Werror "$here/outside/outside.c" -o "$scratch/by_hand_static" \
        $(pkg-config --cflags runnel) "$libdir/librunnel.a" $private
    step "$scratch/by_hand_static" "$version"
    private=$(pkg-config --static --libs-only-l --libs-only-other runnel-scene | sed 's/-lrunnel-scene//; s/-lrunnel//')
    # shellcheck disable=SC2046,SC2086 # lists of options
    step "$compiler" -std=c17 -Wall -Werror "$here/outside/outside_scene.c" -o "$scratch/scene_by_hand_static" \
        $(pkg-config --cflags runnel-scene) "$libdir/librunnel-scene.a" "$libdir/librunnel.a" $private
    step "$scratch/scene_by_hand_static" "$scratch/by_hand_static.vtp"
    cmp "$scratch/shared.vtp" "$scratch/by_hand_static.vtp"
else
    echo "pkg-config is not here; not tried"
fi

# --- the command -------------------------------------------------------------------------------------------------
if [ -x "$prefix/bin/runnel" ]; then step "$prefix/bin/runnel" --version; fi
[ -n "$(find "$prefix" -name LICENSE)" ] || { echo "the licence is not installed"; exit 1; }
