#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# The list: one line per experiment, and none is run.
expect 0 lab
names="cell-sorting h-mask hierarchical-neighbors scaling which-method hierarchical-2d hierarchical-3d kdtree-table1"
names="$names kdtree-table2 kdtree-table3 bvh-or-grid wall-laws pipe-flow hydrostatic poiseuille couette paste-disc spreading channel-flow dam-break impact jet standing-wave lean"
names="$names taylor-green stretching-drop rest presets rayleigh-taylor lock-exchange oil-and-water drop drop-oscillation laplace contact-angle capillary-wave interface-tension kernels time-steps soak"
is "$(awk '{ print $1 }' out | tr '\n' ' ')" "$names " "experiments listed"
expect 0 lab --json
valid_json out
is "$(wc -l <out)" "$(echo "$names" | wc -w)" "experiments as JSON"

# All at once, divided into what each prints. Under a sanitizer, one by one, and not all.
if [ -z "${RUNNEL_SLOW:-}" ]; then
    expect 0 lab all --quick --out "a/b"
    awk -v names="$names" 'BEGIN { split(names, list); for (k in list) known[list[k]] = 1 }
        NF == 1 && $0 in known && (NR == 1 || blank >= 2) { close(file); file = $1 ".printed" }
        { blank = $0 == "" ? blank + 1 : 0; print >file }' out
    for name in $names; do
        # Without the name above the table and the blank lines before the next name.
        sed '1,2d' "$name.printed" | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$name.out"
    done
    awk '{ lines = lines $0 "\n" }
        /^wrote / { name = $2; sub(/.*\//, "", name); sub(/\.csv$/, "", name); printf "%s", lines >(name ".err"); lines = "" }' err
fi

# Every experiment: a table, CSV with the same number of fields in every line, a well-formed chart, and its conclusion last.
for name in $names; do
    # In debug builds every particle beside a mesh is checked at every step: minutes for these.
    # Two more of several fluids are slow there, and do what rayleigh-taylor does.
    case ${RUNNEL_SLOW:+slow}-$name in
        slow-pipe-flow | slow-wall-laws | slow-oil-and-water | slow-lock-exchange) continue ;;
        slow-*) expect 0 lab "$name" --quick --out "a/b" ;;
        *) cp "$name.out" out && cp "$name.err" err ;;
    esac
    csv=a/b/$name.csv
    tail -n 1 out | grep -qE '^The claim .*(holds|holds in part|does not hold|cannot be judged) here.*\.$' ||
        fail "$name ends with: $(tail -n 1 out)"
    has out "Claim: "
    # What must hold even for small runs: profile, front and heat do not depend on the clock.
    case $name in
        poiseuille | couette | paste-disc | spreading | channel-flow | dam-break | kernels | soak | drop-oscillation | laplace)
            tail -n 1 out | grep -q ' holds here' || fail "$name: $(tail -n 1 out)" ;;
    esac
    has err "[1/"
    [ "$(wc -l <"$csv")" -ge 3 ] || fail "$csv has no rows"
    is "$(sed 's/"[^"]*"//g' "$csv" | awk -F, '{ print NF }' | sort -u | wc -l)" 1 "numbers of fields in $csv"
    # The printed table has one line per row of the CSV.
    is "$(sed '/^$/,$d' out | wc -l)" "$(wc -l <"$csv")" "$name: lines of the table"
    for picture in a/b/"$name"*.svg; do
        has "$picture" "</svg>"
        grep -qiE '"[^"]*(nan|inf)\b[^"]*"' "$picture" && fail "$picture has numbers that are none"
        if command -v python3 >/dev/null 2>&1; then
            python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$picture" ||
                fail "$picture is not XML"
        fi
    done
    [ -s "a/b/$name.svg" ] || fail "a/b/$name.svg is missing"
done
[ -z "$(find a -name '*tmp*' -o -name '*.part')" ] || fail "unfinished files are left"

# JSON: rows, then the conclusion; with more threads it is not the published form, but the results are the same.
expect 0 lab cell-sorting --quick --json --threads 2 --out j
valid_json out
tail -n 1 out >last
for key in experiment source claim verdict sentence; do has last "\"$key\": "; done
is "$(head -n 1 out | grep -c '"pair_ratio": 0.99')" 1 "pair ratio at side 2"

# All of them as JSON; skipped under a sanitizer, where it is slow and was done above.
if [ -z "${RUNNEL_SLOW:-}" ]; then
    expect 0 lab all --quick --json --out everything
    valid_json out
    is "$(grep -c '"verdict": ' out)" "$(echo "$names" | wc -w)" "conclusions of all"
fi

# Presets by name, for the experiments with water.
for preset in live balanced accurate; do expect 0 lab taylor-green --quick --preset $preset --out j; done
expect 2 lab rest --quick --preset fast --out j
has err "live, balanced, accurate"

expect 0 lab soak --quick --minutes 0.01 --out j
has out "in 0.01 minutes"
expect 2 lab soak --quick --minutes -1 --out j
has err "minutes"

# The default folder; `out` is the file in which expect keeps stdout.
rm out
"$runnel" lab scaling --quick >said 2>err || fail "lab scaling --quick fails"
[ -s out/lab/scaling.svg ] || fail "out/lab/scaling.svg is missing"
rm -r out

expect 2 lab cell-sortin
has err "did you mean cell-sorting?"
expect 2 lab octopus
has err "there are: cell-sorting, h-mask"
expect 2 lab scaling h-mask
has err "unexpected NAME"
echo text >file
expect 1 lab scaling --quick --out file
has err "file"
finish
