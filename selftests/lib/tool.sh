# SPDX-License-Identifier: GPL-2.0-only
# What sh tests of liquid-nl share: the tool, a scratch directory, results of one call.
# shellcheck shell=sh disable=SC2034

tool=$(readlink -f "${LIQUID_NL:-${B:-build}/liquid-nl}")
liquid=$(readlink -f "${LIQUID:-${B:-build}/liquid}")
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details="$scratch/out $scratch/err"

# run ARG...: sets status
run()
{
	"$tool" "$@" >"$scratch/out" 2>"$scratch/err"
	status=$?
}

# says NAME CODE TEXT ARG...: exit code, and a part of what is said
says()
{
	name=$1 code=$2 text=$3
	shift 3
	run "$@"
	[ "$status" = "$code" ] && grep -qF -- "$text" "$scratch/out" "$scratch/err"
	result $? "$name"
}

# expect NAME CODE TEXT ARG...: the same, but on stderr
expect()
{
	name=$1 code=$2 text=$3
	shift 3
	run "$@"
	[ "$status" = "$code" ] && grep -qF -- "$text" "$scratch/err"
	result $? "$name"
}
