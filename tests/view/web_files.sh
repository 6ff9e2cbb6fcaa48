#!/bin/sh
# web_files.sh ROOT - every file of the page is put into the program, and the page asks for nothing from elsewhere.
set -eu
cd "$1/src/view"
wrong=0
for file in $(cd web && find . -type f | sed 's|^\./||'); do
    grep -qx "    $file)\{0,1\}" CMakeLists.txt || { echo "src/view/web/$file is not in src/view/CMakeLists.txt"; wrong=1; }
done
if grep -rnE 'https?://' web | grep -vE 'http://www\.w3\.org/2000/svg'; then
    echo "the page names another host"
    wrong=1
fi
exit $wrong
