#!/bin/sh
# version_in_one_place.sh ROOT - the version is written in CMakeLists.txt and, as history, in CHANGELOG.md; no other file
# repeats it.
set -eu
cd "$1"
version=$(sed -n 's/^project(runnel VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "CMakeLists.txt has no project(runnel VERSION ...)"; exit 1; }
pattern="(^|[^0-9.])$(printf '%s' "$version" | sed 's/\./\\./g')([^0-9.]|\.?$|\.[^0-9])"
found=$({ git ls-files -co --exclude-standard 2>/dev/null ||
    find . -path ./build -prune -o -path ./.git -prune -o -path ./out -prune -o -type f -print; } | sed 's,^\./,,' |
    grep -vxE 'CMakeLists.txt|CHANGELOG.md' |
    while read -r file; do if [ -f "$file" ]; then grep -InEH "$pattern" "$file" || true; fi; done)
[ -z "$found" ] || { echo "version $version is repeated:"; echo "$found"; exit 1; }
