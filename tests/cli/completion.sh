#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

for shell in bash zsh fish; do
    expect 0 completion $shell
    cp out runnel.$shell
    for word in neighbors methods bench lab demo completion radius method layout; do has runnel.$shell "$word"; done
done
if command -v zsh >/dev/null 2>&1; then zsh -n runnel.zsh || fail "zsh does not parse"; fi
if command -v fish >/dev/null 2>&1; then fish -n runnel.fish || fail "fish does not parse"; fi
if command -v bash >/dev/null 2>&1; then
    bash -n runnel.bash || fail "bash does not parse"
    # reply WORDS...: what would be offered for the last word.
    reply() {
        bash -c '. ./runnel.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _runnel; echo "${COMPREPLY[*]}"' bash "$@"
    }
    is "$(reply runnel ne)" "neighbors" "completion of a command"
    is "$(reply runnel bench '')" "neighbors pairs queries fluid live mesh surface render view" "completion of a command below another"
    is "$(reply runnel neighbors --rad)" "--radius" "completion of an option"
    is "$(reply runnel neighbors cloud.ply --method g)" "grid" "completion of a method"
    is "$(reply runnel bench neighbors --layout cl)" "clusters" "completion of a layout"
    is "$(reply runnel neighbors cloud.ply --hash-cells 2)" "27" "completion of a method's option"
    is "$(reply runnel bench neighbors --as-)" "--as-published" "completion of a flag of methods"
    is "$(reply runnel completion z)" "zsh" "completion of a shell"
    is "$(reply runnel lab h-)" "h-mask" "completion of an experiment"
    # As bash passes it: = is a word of its own, unless the user has removed it from COMP_WORDBREAKS.
    is "$(reply runnel neighbors --method =)" "$(reply runnel neighbors --method '')" "completion behind ="
    is "$(reply runnel neighbors --method = g)" "grid" "completion of a method behind ="
    is "$(reply runnel neighbors --method=g)" "--method=grid" "completion of a method in one word"
    is "$(reply runnel bench neighbors --layout lattice,cl)" "lattice,clusters" "completion of a list item"
    is "$(reply runnel bench neighbors --layout = lattice,sorted,ra)" "lattice,sorted,random5" "the third item"
    is "$(reply runnel bench neighbors --layout=lattice,cl)" "--layout=lattice,clusters" "a list in one word"
    is "$(reply runnel bench neighbors --layout lattice, | wc -w)" \
        "$(reply runnel bench neighbors --layout '' | wc -w)" "items behind a comma"
    touch points.xyz
    is "$(reply runnel neighbors --pairs = poi)" "points.xyz" "completion of a file behind ="
    is "$(reply runnel neighbors poi)" "points.xyz" "completion of a file"
fi
finish
