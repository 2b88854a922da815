# SPDX-License-Identifier: GPL-2.0-only
# Run a test program of the host for selftests/collect. $out: where output goes.
# shellcheck shell=sh

host_limit=300

# The value of "# $1: ..." among the first lines of file $2.
header()
{
	head -n 30 "$2" | sed -n "s/^# $1: *//p" | head -n 1
}

# Run program $1 with a bound in time, between the lines that selftests/collect looks for.
run_program()
{
	echo "# test: ${1##*/}"
	limit=
	! grep -aqI . "$1" || limit=$(header timeout "$1")
	status=0
	begun=$(date +%s)
	selftests/contain "${limit:-$host_limit}" "$out/left/${1##*/}" "$1" </dev/null 2>&1 ||
		status=$?
	echo
	echo "# end: ${1##*/} status $status took $(($(date +%s) - begun)) s"
}

# What selftests/contain has found after all runs, as its own test.
report_left()
{
	echo "# test: processes"
	echo "TAP version 13"
	name="no test has left a process behind"
	if grep -qsx uncontained "$out"/left/*; then
		echo "ok 1 - $name # SKIP no namespaces to look in"
	elif [ "$(cat "$out"/left/* 2>/dev/null)" ]; then
		echo "not ok 1 - $name"
		grep . "$out"/left/* | sed 's|.*/left/|# |'
	else
		echo "ok 1 - $name"
	fi
	echo "1..1"
	echo "# end: processes status 0"
}
