#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What advise says that remedies gain, beside another simulator that shares no code with it.
# builds: user
# timeout: 240
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
LIQUID=$(readlink -f "${LIQUID:-${B:-build}/liquid}")
. selftests/lib/tap.sh
needs_python json
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

echo "TAP version 13"
"$LIQUID" fabric make leaf-spine leaves=5 hosts=4 spines=3 routes=hash \
	-o "$scratch/fabric" || exit 1
"$python" selftests/tools/judge-advice.py "$LIQUID" "$scratch/fabric" >"$scratch/log" 2>&1
grep '^#' "$scratch/log"
grep -q '^ok .*gain what is said' "$scratch/log"
ok "remedies gain what advise says, within 8 points of the best speed, by VOQ"
grep -q '^ok .*the first remedy is among the best' "$scratch/log"
ok "its first remedy is among the best"
finish
