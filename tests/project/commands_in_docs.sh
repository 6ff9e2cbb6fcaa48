#!/bin/sh
# commands_in_docs.sh ROOT COMMAND - every command shown in README.md, CONTRIBUTING.md and docs/ works.
#
# Lines of ```sh blocks that start with `runnel ` or `build/release/runnel ` are run, in order, in a folder of their
# own for each page; a `\` at the end joins lines. Lines that start with `./dev` have to name a command it has.
set -eu
root=$1 command=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin"
ln -s "$command" "$scratch/bin/runnel"
PATH=$scratch/bin:$PATH
export PATH
names=$("$root/dev" help --names)
wrong=0
run=0

for page in "$root"/README.md "$root"/CONTRIBUTING.md "$root"/docs/*.md; do
    [ -f "$page" ] || continue
    shown=${page#"$root"/}
    place=$scratch/$(printf '%s' "$shown" | tr '/.' '__')
    mkdir -p "$place/build/release"
    ln -s "$command" "$place/build/release/runnel"
    ln -s "$root/samples" "$place/samples"
    awk '
        /^[ ]*```/ { inside = ($0 ~ /^[ ]*```sh[ ]*$/); next }
        inside && held != "" { held = held " " $0 }
        inside && held == "" { held = $0; line = NR }
        inside {
            if (held ~ /\\$/) { sub(/\\$/, "", held); next }
            sub(/^[ ]+/, "", held)
            if (held ~ /^(runnel|build\/release\/runnel|\.\/dev)( |$)/) print line "\t" held
            held = ""
        }' "$page" >"$place.commands"
    while IFS='	' read -r line text; do
        case $text in
            ./dev*)
                name=$(printf '%s\n' "$text" | awk '{ print $2 }')
                printf '%s\n' "$names" | grep -qx -- "${name:-help}" ||
                    { echo "$shown:$line: $text: ./dev has no command $name"; wrong=1; }
                ;;
            *)
                run=$((run + 1))
                status=0
                (cd "$place" && timeout 120 sh -c "$text") </dev/null >"$scratch/said" 2>&1 || status=$?
                if [ "$status" -ne 0 ]; then
                    echo "$shown:$line: $text: exit $status"
                    tail -n 10 "$scratch/said"
                    wrong=1
                fi
                ;;
        esac
    done <"$place.commands"
done
echo "$run commands run"
exit $wrong
