#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# `make test T=NAME`: which test a name means, and its verdict.
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
finish
