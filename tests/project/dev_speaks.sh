#!/bin/sh
# dev_speaks.sh ROOT - every command of ./dev has help; a mistyped one gets a hint and exit 2.
set -eu
cd "$1"
wrong=0
for name in $(./dev help --names); do
    [ -n "$(./dev help "$name")" ] || { echo "./dev help $name says nothing"; wrong=1; }
    [ "$(./dev "$name" --help)" = "$(./dev help "$name")" ] || { echo "./dev $name --help differs"; wrong=1; }
    ./dev help | grep -q "^  $name " || { echo "./dev help does not list $name"; wrong=1; }
done

# expect_misuse HINT ARGUMENTS
expect_misuse() {
    hint=$1
    shift
    status=0
    said=$(./dev "$@" 2>&1) || status=$?
    if [ "$status" -ne 2 ] || ! printf '%s\n' "$said" | grep -q -- "$hint"; then
        echo "./dev $*: expected exit 2 and \"$hint\"; got exit $status and: $said"
        wrong=1
    fi
}
expect_misuse 'did you mean test' tset
expect_misuse 'did you mean run' rnu
expect_misuse './dev help lists them' xylophone
expect_misuse 'did you mean release' build relaese
expect_misuse '--only REGEX' test --olny x
expect_misuse 'not a number' fuzz soon
! ./dev help | grep -q "$(printf '\033')" || { echo "colour without a terminal"; wrong=1; }
exit $wrong
