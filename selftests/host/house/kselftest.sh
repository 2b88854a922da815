#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# selftests/Makefile, the tests in kselftest's form: all of them are built, run and counted.
# builds: user unit guest-programs
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
. selftests/lib/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
[ -e "$build/liquid-nl" ] || skip_all "no $build/liquid-nl (make user)"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
log=$scratch/log
out=$scratch/out

# Every unit test, as PATH below unit/
list_tests()
{
	for source in selftests/unit/*/test-*.c tools/lab/selftests/unit/test-*.c; do
		test=${source#selftests/unit/}
		test=${test#tools/lab/selftests/unit/}
		case $test in
		*/*) echo "${test%.c}" ;;
		*) echo "lab/${test%.c}" ;;
		esac
	done | sort
}

echo "TAP version 13"
make -j2 -C selftests B="$build" OUTPUT="$out" install INSTALL_PATH="$scratch/installed" \
	>"$log" 2>&1
ok "all is built and installed"
(cd "$out/unit" && find . -name 'test-*' -type f -perm -u+x | sed 's|^\./||' | sort) \
	>"$scratch/built"
list_tests | diff - "$scratch/built" >"$log" 2>&1
ok "every unit test is among it ($(wc -l <"$scratch/built"))"
for file in module.sh kernel/gate/fit.sh lib/guest.sh programs/wire programs/liquid \
	programs/liquid-nl settings config test-konig; do
	[ -e "$scratch/installed/$file" ] || echo "$file"
done >"$log"
[ ! -s "$log" ]
ok "what is installed has the module's tests and their programs"
"$scratch/installed/test-device" >"$log" 2>&1
ok "an installed test finds what it loads from its own directory"

# A tree whose makefile builds nothing, and where all unit tests are stand-ins, of which one fails
tree=$scratch/tree
mkdir -p "$tree/selftests" "$tree/tools/lab/selftests" "$scratch/b/selftests" \
	"$scratch/b/tools/lab/selftests/unit"
printf 'user unit guest-programs:\n' >"$tree/Makefile"
cp -R selftests/Makefile selftests/build.mk selftests/module.sh selftests/kernel selftests/lib \
	selftests/data selftests/unit selftests/collect selftests/settings selftests/config \
	"$tree/selftests"
cp -R tools/lab/selftests/unit "$tree/tools/lab/selftests"
mv "$out/programs/liquid" "$out/programs/liquid-nl" "$scratch/b"
mv "$out/programs" "$scratch/b/selftests/tools"
mv "$out/unit/lab/"* "$scratch/b/tools/lab/selftests/unit"
mv "$out/unit" "$scratch/b/selftests"

# stand_ins RESULT [TEST]: of all tests, or of one
stand_ins()
{
	printf '#!/bin/sh\necho "%s 1 - stand-in"\necho 1..1\n' "$1" >"$tree/stand-in"
	find "$scratch/b" -name "${2:-test-*}" -type f -exec install -m 755 "$tree/stand-in" {} ';'
}

run_tests()
{
	make -C "$tree/selftests" B="$scratch/b" run_tests >"$log" 2>&1
}

stand_ins ok
run_tests && [ "$(grep -c '^# test: ' "$scratch/b/kselftest/run.tap")" = \
	$(($(wc -l <"$scratch/built") + 1)) ]
ok "run_tests runs every unit test, and module.sh"
grep -q "^skipped run: module.sh: the module" "$log"
ok "without the module its tests are skipped, with the reason"
stand_ins "not ok" test-konig
! run_tests && grep -q "FAILED run: test-konig: not ok 1" "$log"
ok "a test that fails fails all"
rm "$scratch/b/selftests/unit/solve/test-konig"
! run_tests
ok "and so does one that is not built"
finish
