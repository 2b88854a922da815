# SPDX-License-Identifier: GPL-2.0-only
# What the tests of liquid-nl's output have in common: a scratch directory, results, a checked call.
# shellcheck shell=bash

here=$(dirname "$(readlink -f "$0")")
liquid_nl=$(readlink -f "${LIQUID_NL:-${B:-$here/../build}/liquid-nl}")
# shellcheck disable=SC2034 # for who sources this
data=$here/data
count=0
failed=0

if [ ! -x "$liquid_nl" ]; then
	echo "1..0 # SKIP no $liquid_nl; \`make user\` builds it"
	exit 4
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# The exit code before this is the result of test $1; the file text tells why.
ok()
{
	status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count $1"
	else
		failed=$((failed + 1))
		echo "not ok $count $1"
		sed 's/^/# /' text
	fi
}

# Run liquid-nl "${@:3}": it must exit with $1 and print $2 (a pattern).
prints()
{
	expected=$1
	pattern=$2
	shift 2
	timeout 60 "$liquid_nl" "$@" >text 2>&1
	status=$?
	# shellcheck disable=SC2053 # a pattern
	[ $status -eq "$expected" ] && [[ $(cat text) == $pattern ]]
	ok "$*: exit code $expected"
}
