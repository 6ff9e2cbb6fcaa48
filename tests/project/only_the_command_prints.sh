#!/bin/sh
# only_the_command_prints.sh ROOT NM ARCHIVE... - src/cli alone reads arguments, prints and exits: no other module of the
# application refers to the functions that do. One exception: files/out_file.c, where the path - is standard output.
set -eu
root=$1 nm=$2
shift 2
loud='printf|vprintf|dprintf|vdprintf|puts|putchar|perror|psignal|__printf_chk|__vprintf_chk|__dprintf_chk|syslog'
loud="$loud|stdin|stdout|stderr|exit|_exit|_Exit|quick_exit|abort|raise|kill|atexit|err|errx|warn|warnx|error"
loud="$loud|getopt|getopt_long"
wrong=0
[ $# -gt 0 ] || { echo "no archives"; exit 1; }
for archive in "$@"; do
    # Lines such as: librunnel_lab.a:table.c.o:                 U stdout
    found=$("$nm" -A --undefined-only "$archive" | awk '$(NF - 1) == "U" { sub(/@.*/, "", $NF); print $1, $NF }' |
        grep -E " ($loud)\$" | grep -v ':out_file\.c\.o:* stdout$' || true)
    [ -z "$found" ] || { echo "$found"; wrong=1; }
done
found=$(grep -rnwE 'argc|argv' "$root/src" --include='*.[ch]' | grep -v "^$root/src/cli/" || true)
[ -z "$found" ] || { echo "$found"; wrong=1; }
exit $wrong
