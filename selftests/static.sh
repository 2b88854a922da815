#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What can be said of the sources without running them.
# timeout: 600
set -u

top=$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)
cd "$top" || exit 1
build=${B:-build}
. selftests/lib/tap.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
details=$log

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
	ok "sparse finds nothing in the module for $kernel"
done
without_licence >"$log"
[ ! -s "$log" ]
ok "every source names its licence"
sources '\.(c|h)$' | xargs grep -nE '.{160}|[[:space:]]$' >"$log"
[ ! -s "$log" ]
ok "no source line ends in white space or runs on"
finish
