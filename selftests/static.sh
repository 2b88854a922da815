#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What can be said of the sources without running them.
# timeout: 600
set -u

top=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
cd "$top" || exit 1
build=${B:-build}
number=0
failed=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Take the exit code before this for the result. $1: what was tested
result()
{
	status=$?
	number=$((number + 1))
	if [ $status = 0 ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		head -n 40 "$log" | sed 's/^/# /'
		failed=1
	fi
}

sources()
{
	git ls-files 2>/dev/null | grep -E "$1" || find . -path "./${build#"$top"/}" -prune -o -type f -print |
		sed 's|^\./||' | grep -E "$1"
}

without_licence()
{
	for file in $(sources '\.(c|h|sh|mk)$|^Makefile$|^Kbuild$'); do
		[ ! -f "$file" ] || head -n 3 "$file" | grep -q SPDX-License-Identifier || echo "$file"
	done
}

echo TAP version 13
for kernel in ${GUEST_KERNELS:-6.1 6.12}; do
	make -s B="$build" "sparse-$kernel" >"$log" 2>&1
	result "sparse finds nothing in the module for $kernel"
done
without_licence >"$log"
[ ! -s "$log" ]
result "every source names its licence"
sources '\.(c|h)$' | xargs grep -nE '.{160}|[[:space:]]$' >"$log"
[ ! -s "$log" ]
result "no source line ends in white space or runs on"
echo "1..$number"
exit $failed
