#!/bin/sh
# library_is_quiet.sh NM LIBRARY... - the library never prints, never exits and opens no files: it does not even
# refer to the functions that do.
set -eu
nm=$1
shift
loud='printf|vprintf|fprintf|vfprintf|dprintf|vdprintf|puts|fputs|putchar|putc|fputc|fwrite|write|perror|psignal'
loud="$loud|__printf_chk|__vprintf_chk|__fprintf_chk|__vfprintf_chk|__dprintf_chk|syslog|stdin|stdout|stderr"
loud="$loud|exit|_exit|_Exit|quick_exit|abort|raise|kill|atexit|err|errx|warn|warnx|error"
loud="$loud|fopen|fopen64|freopen|fdopen|open|open64|openat|creat|popen|system|tmpfile|mkstemp"
wrong=0
for library in "$@"; do
    dynamic=''
    case $library in *.so*) dynamic=-D ;; esac
    found=$("$nm" $dynamic --undefined-only "$library" | awk '$1 == "U" { print $2 }' | sed 's/@.*//' | sort -u |
        grep -xE "$loud" || true)
    [ -z "$found" ] || { echo "$library refers to:"; echo "$found"; wrong=1; }
done
exit $wrong
