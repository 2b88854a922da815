#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# selftests/Makefile, the tests in kselftest's form: it builds them, and what needs a guest skips.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
library=$(readlink -f "${B:-build}")/libliquidsched.a
. selftests/lib/tap.sh
[ -e "$library" ] || skip_all "no $library (make user)"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

# The library that is there need not be compiled again.
ln -s "$library" "$scratch/libliquidsched.a"
run_make()
{
	MAKEFLAGS='' make -j2 -C selftests OUTPUT="$scratch" -o "$scratch/libliquidsched.a" "$@" \
		>"$scratch/log" 2>&1
}

echo "TAP version 13"
run_make -n all
ok "there is a rule for all that the tests in kselftest's form are made of"
run_make "$scratch/tools/wire" "$scratch/tools/flood"
ok "instruments of the guest's tests are built in kselftest's form"
for test in kmod/test-table tool/test-conf engine/test-konig engine/test-simulate-gate; do
	run_make "$scratch/unit/$test" && [ -x "$scratch/unit/$test" ]
	ok "unit test $test is built in kselftest's form"
done
"$scratch/unit/kmod/test-table" >"$scratch/log" 2>&1
ok "unit test kmod/test-table passes in kselftest's form"
selftests/kernel/all.sh >"$scratch/log" 2>&1
[ $? = 4 ] && grep -q "^1..0 # SKIP no /liquid/lib" "$scratch/log"
ok "outside a guest the guest's tests skip, and say why"
finish
