#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"

# Radiographs on the command line: what is written, and one sentence for each mistake, without half a file.
small="--look xray --size 64x80 --progress none"
expect 0 mesh make colon -o colon.obj --triangles 8040

# A picture of 16 bits, its notes, and the energy.
# shellcheck disable=SC2086 # several words
expect 0 render colon.obj $small --out colon.png --fluid barium-100 --film 0.3 --raw energy.npy
is "$(head -c 26 colon.png | od -An -v -tx1 | tr -d ' \n')" \
    "$(printf '89504e470d0a1a0a0000000d49484452%08x%08x1000' 64 80)" "head of colon.png"
has colon.json '"KVP": 90'
is "$(head -c 6 energy.npy | od -An -v -tx1 | tr -d ' \n')" 934e554d5059 "head of energy.npy"
# shellcheck disable=SC2086
for words in "--kvp 60" "--filter 3,0.2" "--dose 1" "--scatter 0" "--distance 1500,1000" "--detector 500" "--rays left" \
    "--fluid H2O@1000" "--film 0" "--body none" "--window 1:4" "--dark" "--round"; do
    [ -z "${RUNNEL_SLOW:-}" ] || [ "$words" = "--rays left" ] || [ "$words" = "--round" ] || continue
    expect 0 render colon.obj $small --out other.png $words
    cmp -s colon.png other.png && fail "$words changes nothing"
done
rm -f other.png other.json

# refuse STATUS WORDS OPTIONS: the sentence has the words, and nothing is written.
refuse() {
    status=$1
    words=$2
    shift 2
    expect "$status" render "$@" --size 64x80 --progress none
    has err "$words"
    is "$(grep -c '^runnel render: ' err)" 1 "sentences about: $*"
    for file in no.png no.json no.npy no.mp4; do
        [ ! -e "$file" ] || fail "$* leaves $file"
    done
}

x="--look xray --out no.png"
# shellcheck disable=SC2086
{
    refuse 2 "--kvp: '500' is out of range" colon.obj $x --kvp 500
    refuse 2 "--kvp: 'high' is not a number" colon.obj $x --kvp high
    refuse 2 "--filter 99: should be" colon.obj $x --filter 99
    refuse 2 "--filter 1,2,3: should be" colon.obj $x --filter 1,2,3
    refuse 2 "--dose: '-1' is out of range" colon.obj $x --dose -1
    refuse 2 "--scatter: '11' is out of range" colon.obj $x --scatter 11
    refuse 2 "the detector farther away" colon.obj $x --distance 100,200
    refuse 2 "--distance 1000: should be two lengths" colon.obj $x --distance 1000
    refuse 2 "--detector: '0' is out of range" colon.obj $x --detector 0
    refuse 2 "--rays: 'below' is unknown" colon.obj $x --rays below
    refuse 2 "--film: '-1' is out of range" colon.obj $x --film -1
    refuse 2 "--body: 'cat' is unknown" colon.obj $x --body cat
    refuse 2 "--window 6:2: should be two densities" colon.obj $x --window 6:2
    refuse 2 "--raw energy.txt: the name should end with .npy" colon.obj $x --raw energy.txt
    refuse 2 "--raw is for stills" colon.obj --look xray --out no.mp4 --raw no.npy
    refuse 2 "colon.obj is the organ" colon.obj $x --organ colon.obj
    refuse 2 "--volume takes the place of --body" colon.obj $x --volume ct.mha --body adult
    refuse 2 "--kvp is for --look xray, not for --look water" dam-break --out no.png --kvp 60
    refuse 2 "--dark is for --look xray, not for --look clay" dam-break --look clay --out no.png --dark
    refuse 1 "there is no substance 'unobtainium'" colon.obj $x --fluid unobtainium
    refuse 1 "there is no substance 'nope'" colon.obj $x --solid nope
    refuse 1 "missing.mha: cannot be opened" colon.obj $x --volume missing.mha
    refuse 1 "colon.obj:1: the line should be" colon.obj $x --volume colon.obj
    refuse 1 "missing.obj: cannot be opened" missing.obj $x
    refuse 1 "missing.obj: cannot be opened" dam-break $x --organ missing.obj
    refuse 1 "no/such/energy.npy: cannot be written" colon.obj $x --raw no/such/energy.npy
    refuse 1 "cannot be written: No such file" colon.obj --look xray --out no/such/x.png
}
finish
