#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make test T=NAME`: which test a name means, and its verdict.
#
# usage: selftests/host/house/run-one.sh [all]
#
# With `all` (make check-random) a quarter of the random cases of every unit test that draws some,
# else of those that draw few.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
# A directory of its own beside what other tests use; the programs are those that are there.
built=${B:-build}
[ -x "$built/liquid-nl" ] || skip_all "no $built/liquid-nl (make user)"
# shellcheck disable=SC2016 # make's
printf '#!/bin/sh\nexec true\n' >"$scratch/make"
chmod +x "$scratch/make"
mkdir "$scratch/b"
for part in selftests tools liquid liquid-nl; do
	ln -s "$(readlink -f "$built")/$part" "$scratch/b/$part"
done

# runs STATUS PATTERN NAME...: its exit code and a line of its output
runs()
{
	expected=$1
	pattern=$2
	shift 2
	B=$scratch/b MAKE=$scratch/make timeout 120 selftests/run-one "$@" >"$scratch/log" 2>&1
	[ $? = "$expected" ] && grep -q -- "$pattern" "$scratch/log"
}

echo "TAP version 13"
runs 0 "^# end: test-hist status 0" hist && grep -q "^[0-9]* passed, 0 failed" "$scratch/log"
ok "a part of a unit test's name runs that test, with its output and a verdict"
runs 0 "^# end: cli-stats.sh status 0" cli-stats
ok "a script's name runs that script"
LIQUID_NL=/bin/false runs 1 "^FAILED cli-stats" cli-stats.sh
ok "a test that fails is named, and the exit code is 1"
runs 2 "no test 'koenig'; the nearest" koenig && grep -q "unit/solve/test-konig" "$scratch/log"
ok "an unknown name is an error that lists the nearest names"
runs 2 "several tests have 'simulate-'" simulate- &&
	grep -q "unit/run/test-simulate-gate" "$scratch/log"
ok "an ambiguous name is an error that lists what it may mean"
runs 2 "which one? T=NAME"
ok "no name is an error that gives examples"
runs 2 "MODE is icount, long or normal, not 'fast'" kernel/gate/pass.sh 6.1 fast
ok "an unknown mode of the guest is refused"

# T=unit on the programs that draw random cases; the others are replaced by one that passes, and so
# is test-route-search, most of whose half minute is the same whatever it draws.
B=$scratch/units
kinds='bound|check|divide|export'
[ "${1:-}" != all ] || kinds='.*'
drawing=$(grep -l 'draws(' selftests/unit/*/test-*.c tools/lab/selftests/unit/test-*.c |
	grep -E "/test-($kinds)\.c\$" | grep -v '/test-route-search\.c$')
sources=$(ls selftests/unit/*/test-*.c tools/lab/selftests/unit/test-*.c)
printf '#!/bin/sh\necho "ok 1"\necho "1..1"\n' >"$scratch/passes"
chmod +x "$scratch/passes"
for source in $sources; do
	mkdir -p "$B/${source%/*}"
	ln -s "$scratch/passes" "$B/${source%.c}"
done
for source in $drawing; do
	ln -sf "$(readlink -f "$built")/${source%.c}" "$B/${source%.c}"
done

# names FILE: of its tests, without the numbers in them
names()
{
	sed -En 's/^(not )?ok [0-9]+ *//p' "$1" | sed 's/[0-9][0-9,.]*//g'
}

# The output of a program without LIQUID_TEST_DRAWS: of the whole run, if it is newer
whole()
{
	name=${1##*/}
	tap=$built/check/host.tap
	if [ "$(find "$tap" -newer "$1" 2>&1)" = "$tap" ] && grep -q "^# end: $name " "$tap"; then
		sed -n "/^# test: $name\$/,/^# end: $name /p" "$tap"
	else
		"$1"
	fi
}

# Does T=unit run the same tests of $1 as the whole run, and do both say how many cases they draw?
draws_fewer()
{
	whole "$built/${1%.c}" >"$scratch/whole"
	name=${1##*/}
	quick=$B/check-one/${name%.c}.tap
	names "$scratch/whole" >"$scratch/names"
	grep -q "^# LIQUID_TEST_DRAWS=25: " "$quick" && [ -s "$scratch/names" ] &&
		names "$quick" | cmp -s - "$scratch/names" &&
		! grep -q "LIQUID_TEST_DRAWS" "$scratch/whole"
}

given=${LIQUID_TEST_DRAWS+given}
unset LIQUID_TEST_DRAWS
B=$B MAKE=$scratch/make timeout 600 selftests/run-one unit >"$scratch/log" 2>&1 &&
	grep -q "NOTE *25 % of the random cases" "$scratch/log" &&
	[ "$(cat "$B"/check-one/*.tap | grep -c "^# end: test-")" = "$(echo "$sources" | wc -l)" ]
ok "all unit tests by one name draw a quarter of the random cases, and pass"
fewer=0
for source in $drawing; do
	draws_fewer "$source" && fewer=$((fewer + 1))
done
[ "$fewer" -gt 0 ] && [ "$fewer" = "$(echo "$drawing" | wc -l)" ]
ok "they test all that the whole run tests"
[ -z "$given" ]
ok "the whole run draws all random cases"
finish
