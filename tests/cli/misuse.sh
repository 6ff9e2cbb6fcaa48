#!/bin/sh
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/lib.sh"
lattice27 >cloud.xyz

# Misuse: exit 2, a sentence on stderr, nothing on stdout.
misuse() {
    sentence=$1
    shift
    expect 2 "$@"
    has err "$sentence"
    [ -s out ] && fail "runnel $*: misuse prints to stdout"
}
expect 2
has err "Usage: runnel"
misuse "did you mean neighbors?" neighbours
misuse "there is no command 'xyzzy'" xyzzy
misuse "did you mean neighbors?" bench neighbor
misuse "did you mean methods?" help method
misuse "did you mean --version?" version
misuse "did you mean --version?" verison
misuse "FILE is missing" neighbors --radius 1
misuse "unexpected FILE 'b.xyz'" neighbors cloud.xyz b.xyz --radius 1
misuse "runnel neighbors: --radius: 'abc' is not a number; give a positive length, e.g. --radius 0.1" \
    neighbors cloud.xyz --radius abc
misuse "'0x10' is not a number" neighbors cloud.xyz --radius 0x10
misuse "'nan' is not a number" neighbors cloud.xyz --radius=nan
misuse "'-1' is out of range" neighbors cloud.xyz --radius -1
misuse "'0' is out of range" neighbors cloud.xyz --radius 0
misuse "--radius: the value is missing" neighbors cloud.xyz --radius
misuse "--radius: the value is missing" neighbors cloud.xyz --radius --json
misuse "--radius is given twice" neighbors cloud.xyz --radius 1 --radius 2
misuse "did you mean --radius?" neighbors cloud.xyz --raduis 1
misuse "--json takes no value" neighbors cloud.xyz --radius 1 --json=yes
misuse "did you mean grid?" neighbors cloud.xyz --radius 1 --method gird
misuse "there are: grid, auto, " neighbors cloud.xyz --radius 1 --method octopus
misuse "'1.5' is not a whole number" neighbors cloud.xyz --radius 1 --threads 1.5
misuse "neither .csv nor .npy; e.g. --pairs pairs.csv, or - for CSV on standard output" \
    neighbors cloud.xyz --radius 1 --pairs pairs.txt
for words in "neighbors cloud.xyz --radius 1" "bench neighbors" demo; do
    misuse "--threads: '257' is out of range (0 to 256)" $words --threads 257
done
misuse "'nan' is not a number" neighbors cloud.xyz --radius 1 --periodic x=0:nan
misuse "'0x1' is not a number" neighbors cloud.xyz --radius 1 --periodic x=0:3,y=0x1:2
misuse "LOW:HIGH is missing" neighbors cloud.xyz --radius 1 --periodic x=3
misuse "LOW:HIGH is missing" neighbors cloud.xyz --radius 1 --periodic x=0:,y=0:1
misuse "--pairs cannot be combined with --nearest" neighbors cloud.xyz --radius 1 --pairs pairs.csv --nearest 3
misuse "--order cannot be combined with --nearest" neighbors cloud.xyz --radius 1 --order index --nearest 3
misuse "is not an axis" neighbors cloud.xyz --radius 1 --periodic w=0:1
misuse "HIGH must be above LOW" neighbors cloud.xyz --radius 1 --periodic x=3:0
misuse "no axis z in 2D" neighbors cloud.xyz --dim 2 --radius 1 --periodic z=0:3
misuse "try --radius" neighbors cloud.xyz
misuse "options are words that begin with two dashes" neighbors cloud.xyz -r 1
misuse "is unknown" bench neighbors --layout ring
misuse "is no shell" completion tcsh
printf '0 0\n1 0\n' >flat.xyz
misuse "holds points in 2D" neighbors flat.xyz --radius 1 --dim 3

# Failures of files and memory: exit 1 and a sentence with the name.
expect 1 neighbors missing.xyz --radius 1
has err "missing.xyz"
printf '0 0 0\nnan 0 0\n' >nan.xyz
expect 1 neighbors nan.xyz --radius 1
has err "nan.xyz: point 1 (the first is 0) has x = nan; positions must be finite numbers"
printf 'x,y\n0,0\n2,-inf\nnan,0\n' >inf.csv
expect 1 neighbors inf.csv --radius 1
has err "inf.csv: point 1 (the first is 0) has y = -inf"
"$runnel" neighbors - --radius 1 <inf.csv >out 2>err
is "$?" 1 "inf on standard input: exit"
has err "standard input: point 1 "
printf '0 0 nan\n1 0 0\n' >depth.xyz
expect 0 neighbors depth.xyz --radius 1 --dim 2
if [ -c /dev/zero ]; then
    expect 1 neighbors /dev/zero --radius 1
    has err "/dev/zero: the file is binary"
fi
finish
