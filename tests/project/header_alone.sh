#!/bin/sh
# header_alone.sh HEADER STANDARD COMPILER INCLUDE_FOLDER... - the header compiles with nothing before it, and twice.
set -eu
header=$1 standard=$2 compiler=$3
shift 3
language=c
case $standard in c++*) language=c++ ;; esac
folders=''
for folder in "$@"; do folders="$folders -I$folder"; done
# shellcheck disable=SC2086 # a list of options
printf '#include <%s>\n#include <%s>\nint main(void) { return 0; }\n' "$header" "$header" |
    "$compiler" -x $language -std="$standard" -Wall -Wextra -Wpedantic -Werror -fsyntax-only $folders -
