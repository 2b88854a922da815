#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every test of the guest as one program, for kselftest; tools/guest/run chooses them itself.
cd "$(dirname "$(readlink -f "$0")")" || exit 1
echo "TAP version 13"
if [ ! -e /liquid/lib/guest.sh ]; then
	echo "1..0 # SKIP no /liquid/lib: these tests run in a guest (tools/guest/run)"
	exit 4
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
count=0
failed=0
for test in */*.sh; do
	count=$((count + 1))
	status=0
	"./$test" >"$log" 2>&1 || status=$?
	sed 's/^/# /' "$log"
	case $status in
	0) echo "ok $count - $test" ;;
	4) echo "ok $count - $test # SKIP" ;;
	*) echo "not ok $count - $test"; failed=1 ;;
	esac
done
echo "1..$count"
exit $failed
