#!/bin/sh
# layers.sh ROOT - fails on an #include that goes sideways or up through the modules of ROOT/src/layers.txt.
#
# A module may include itself and modules on lines above its own: "module/file.h", or the module's public header
# <runnel/module.h>. A public header follows the rule of the module it is named after, <runnel/gauge.h> that of fluid,
# <runnel/mesh_query.h> that of mesh; <runnel/runnel.h> counts as every header it includes, <runnel/version.h> as none.
set -eu
cd "$1"

{
    sed 's/^/layer /' src/layers.txt
    find src -mindepth 1 -maxdepth 1 -type d | sed 's,^src/,folder ,'
    find src -mindepth 2 -type f \( -name '*.c' -o -name '*.h' \) | sort |
        xargs -r grep -HnE '^[[:space:]]*#[[:space:]]*include' | sed 's/^/include /'
    find include/runnel -name '*.h' 2>/dev/null | sort |
        xargs -r grep -HnE '^[[:space:]]*#[[:space:]]*include' | sed 's/^/include /'
} | awk '
    BEGIN { home["gauge"] = "fluid"; home["mesh_query"] = "mesh" } # public headers that are named otherwise than their module

    function complain(text) { print text; wrong++ }

    function module_of(header) { return header in home ? home[header] : header }

    # Checks one include of a module against the rule.
    function check(where, module, other, as) {
        if (!(other in layer)) complain(where ": " as ": " other " is not a module of src/layers.txt")
        else if (other != module && layer[other] == layer[module])
            complain(where ": " as ": goes sideways, " module " and " other " are on one line")
        else if (layer[other] > layer[module])
            complain(where ": " as ": goes up, " other " is above " module)
        checked++
    }

    $1 == "layer" {
        sub(/#.*/, "")
        if (NF > 1) { line++; for (i = 2; i <= NF; i++) layer[$i] = line }
        next
    }
    $1 == "folder" { folder[$2] = 1; next }
    $1 == "include" {
        text = $0; sub(/^include /, "", text)
        split(text, part, ":"); file = part[1]; where = file ":" part[2]
        if (!match(text, /[<"][^>"]+[>"]/)) next
        name = substr(text, RSTART + 1, RLENGTH - 2); quoted = substr(text, RSTART, 1) == "\""
        if (file ~ /^src\//) { module = file; sub(/^src\//, "", module); sub(/\/.*/, "", module) }
        else { module = file; sub(/.*\//, "", module); sub(/\.h$/, "", module); module = module_of(module) }
        entries++; from[entries] = module; at[entries] = where; of[entries] = name; is_quoted[entries] = quoted
        if (file == "include/runnel/runnel.h" && name ~ /^runnel\//) whole[++whole_count] = name
    }
    END {
        for (f in folder) if (!(f in layer)) complain("src/" f ": is not in src/layers.txt")
        for (e = 1; e <= entries; e++) {
            module = from[e]; name = of[e]
            if (module == "runnel" || !(module in layer)) continue
            if (name ~ /(^|\/)\.\.\//) { complain(at[e] ": " name ": name the module, not a relative path"); continue }
            if (name == "runnel/version.h") continue
            if (name == "runnel/runnel.h") {
                for (w = 1; w <= whole_count; w++) {
                    other = whole[w]; gsub(/^runnel\/|\.h$/, "", other)
                    if (other != "version") check(at[e], module, module_of(other), name)
                }
            } else if (name ~ /^runnel\//) {
                other = name; gsub(/^runnel\/|\.h$/, "", other)
                check(at[e], module, module_of(other), name)
            } else if (is_quoted[e] && name ~ /\//) {
                other = name; sub(/\/.*/, "", other)
                check(at[e], module, other, name)
            }
        }
        if (line == 0) complain("src/layers.txt: no modules")
        printf "%d includes between modules, %d wrong\n", checked, wrong
        exit wrong > 0
    }'
