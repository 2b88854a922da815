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

# A tree whose makefile builds nothing. Once the tests run as they are, but for those that take
# seconds or minutes, which have stand-ins: each of them is run elsewhere. Then all are stand-ins.
tree=$scratch/tree
mkdir -p "$tree/selftests" "$scratch/b"
printf 'user unit guest-programs:\n' >"$tree/Makefile"
cp -R selftests/Makefile selftests/build.mk selftests/module.sh selftests/kernel selftests/lib \
	selftests/data selftests/unit selftests/collect selftests/settings selftests/config \
	"$tree/selftests"
mkdir -p "$tree/tools/lab/selftests" "$scratch/b/tools/lab/selftests" "$scratch/b/selftests"
cp -R tools/lab/selftests/unit "$tree/tools/lab/selftests"
cp -Rl "$out/unit" "$scratch/b/selftests"
mv "$scratch/b/selftests/unit/lab" "$scratch/b/tools/lab/selftests/unit"
mv "$out/programs/liquid" "$out/programs/liquid-nl" "$scratch/b"
mv "$out/programs" "$scratch/b/selftests/tools"

# stand_in TEST RESULT
stand_in()
{
	printf '#!/bin/sh\necho "%s 1 - stand-in"\necho 1..1\n' "$2" >"$tree/stand-in"
	install -m 755 "$tree/stand-in" "$scratch/b/selftests/unit/$1"
}

# stand_ins PATTERN...: below unit/
stand_ins()
{
	for pattern; do
		for test in "$scratch/b/selftests/unit"/$pattern; do
			stand_in "${test#"$scratch/b/selftests/unit/"}" ok
		done
	done
}
stand_ins "engine/test-*" "run/test-*" "solve/test-*" kmod/test-table mpi/test-way \
	sfio/test-sfio-merge

run_tests()
{
	make -C "$tree/selftests" B="$scratch/b" run_tests >"$log" 2>&1
}

programs()
{
	grep -c '^# test: ' "$scratch/b/kselftest/run.tap"
}

run_tests
ok "run_tests passes"
whole=$(($(wc -l <"$scratch/built") + 1))
[ "$(programs)" = $whole ]
ok "it runs every unit test, and module.sh ($whole)"
grep -q "^skipped run: module.sh: the module" "$log"
ok "without the module its tests are skipped, with the reason"
stand_ins "*/test-*"
: >"$tree/selftests/unit/tool/test-dummy.c"
stand_in tool/test-dummy ok
run_tests && [ "$(programs)" = $((whole + 1)) ]
ok "a new test is run as well"
stand_in tool/test-dummy "not ok"
! run_tests && grep -q "FAILED run: test-dummy: not ok 1" "$log"
ok "and its failure fails all"
rm "$scratch/b/selftests/unit/tool/test-dummy"
! run_tests
ok "a test that is not built fails all"
finish
