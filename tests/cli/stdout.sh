#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
lattice27 >cloud.xyz

# A full disk and a reader that closes the pipe: exit 1 and a sentence.
if [ -c /dev/full ]; then
    for words in "--help" "methods --json" "neighbors cloud.xyz --radius 1 --json" "neighbors cloud.xyz --radius 1" \
        "bench neighbors --points 100 --reps 1 --seconds 0 --json" "completion bash"; do
        "$runnel" $words >/dev/full 2>err
        is "$?" 1 "runnel $words on a full disk: exit"
        has err "could not be written"
    done
fi
mkfifo pipe
{ exec 3<pipe; exec 3<&-; } &
reader=$!
sh -c 'sleep 0.3; exec "$1" help neighbors' sh "$runnel" >pipe 2>err
is "$?" 1 "a closed pipe: exit"
has err "could not be written"
wait "$reader"
finish
