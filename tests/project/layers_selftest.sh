#!/bin/sh
# Tests layers.sh itself on right and wrong trees, which are made here.
set -eu
here=$(pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
wrong=0

# Makes a right tree: base below search below files and plot, which are on one line.
plant() {
    rm -rf "$tree/src" "$tree/include"
    mkdir -p "$tree/src/base" "$tree/src/search" "$tree/src/files" "$tree/src/plot" "$tree/include/runnel"
    printf '# modules\nbase\nsearch\n# application\nfiles plot\n' >"$tree/src/layers.txt"
    printf '#include <runnel/version.h>\n' >"$tree/include/runnel/base.h"
    printf '#include <runnel/base.h>\n' >"$tree/include/runnel/search.h"
    printf '#include <runnel/base.h>\n#include <runnel/search.h>\n' >"$tree/include/runnel/runnel.h"
    printf '#include "base/b.h"\n#include <stdio.h>\n' >"$tree/src/base/a.c"
    printf '#include "search/s.h"\n#include "base/b.h"\n#include <runnel/search.h>\n' >"$tree/src/search/s.c"
    printf '#include <runnel/runnel.h>\n#include "search/s.h"\n' >"$tree/src/plot/p.c"
}

# expect STATUS PATTERN: what the check should exit with and say about the tree as it is.
expect() {
    status=0
    said=$(sh "$here/layers.sh" "$tree") || status=$?
    if [ "$status" -ne "$1" ] || ! printf '%s\n' "$said" | grep -q -- "$2"; then
        printf 'expected exit %s and "%s"; got exit %s and:\n%s\n' "$1" "$2" "$status" "$said"
        wrong=1
    fi
}

plant; expect 0 ' 0 wrong'
plant; echo '#include "search/s.h"' >>"$tree/src/base/a.c"; expect 1 'src/base/a.c:3: search/s.h: goes up'
plant; echo '  #  include "files/f.h"' >>"$tree/src/plot/p.c"; expect 1 'goes sideways'
plant; echo '#include <runnel/search.h>' >>"$tree/src/base/a.c"; expect 1 'runnel/search.h: goes up'
plant; echo '#include <runnel/runnel.h>' >>"$tree/src/base/a.c"; expect 1 'runnel/runnel.h: goes up'
plant; echo '#include <runnel/search.h>' >>"$tree/include/runnel/base.h"; expect 1 'include/runnel/base.h:2'
plant; echo '#include "../search/s.h"' >>"$tree/src/plot/p.c"; expect 1 'name the module'
plant; echo '#include "attic/x.h"' >>"$tree/src/plot/p.c"; expect 1 'attic is not a module'
plant; mkdir "$tree/src/attic"; expect 1 'src/attic: is not in'
exit $wrong
