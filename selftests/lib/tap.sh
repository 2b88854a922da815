# SPDX-License-Identifier: GPL-2.0-only
# Results in TAP, for the tests on the host; for sh and bash.
# shellcheck shell=sh

count=0
failed=0
# Files of which the last lines say why a test has failed
details=

# result STATUS NAME
result()
{
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $count - $2"
	for detail in $details; do
		tail -n 40 "$detail" | sed 's/^/# /'
	done
}

# ok NAME: the exit code before this is the result
ok()
{
	result $? "$1"
}

# skip NAME REASON
skip()
{
	count=$((count + 1))
	echo "ok $count - $1 # SKIP $2"
}

# can_mount NAME: is there a mount namespace of its own? Else the test is skipped.
can_mount()
{
	unshare -m true 2>/dev/null && return
	skip "$1" "no mount namespace of its own"
	return 1
}

# skip_all REASON: before any result
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 4
}

# needs_python MODULES: $python has them. The first of PATH may be another than the packages'.
needs_python()
{
	for python in python3 /usr/bin/python3; do
		"$python" -c "import $1" 2>/dev/null && return
	done
	skip_all "no python3 with $1"
}

finish()
{
	echo "1..$count"
	[ "$failed" -eq 0 ]
	exit
}
