#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The options of liquid-nl stats; what it prints is tested in the guest (stats-watch.sh), its format
# by test-nl-prometheus.
#
# timeout: 30

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

echo "TAP version 13"
prints 2 "*exclude each other*" stats --json --watch
prints 2 "*exclude each other*" stats --prometheus --watch=2s
prints 2 "*-o goes with --prometheus*" stats -o file
prints 2 "*--count goes with --watch*" stats --count 3
prints 2 "*--watch: expected a time, at least 1ms, got 'x'*" stats --watch=x
prints 2 "*--watch: expected a time, at least 1ms, got '0'*" stats --watch=0
prints 2 "*--count: expected a number, at least 1, got '0'*" stats --watch --count 0
prints 2 "*unknown option '--nonsense'*" stats --nonsense
# No module is loaded here, and nothing is written.
if ! { grep -q "^liquid " /proc/modules; } 2>/dev/null; then
	prints 3 "*module liquid is not loaded*" stats
	prints 0 "" stats --prometheus -o "$work/metrics"
	cp metrics text
	grep -qx "liquid_up 0" metrics && grep -q '^liquid_info{.*module=""} 1$' metrics
	ok "metrics say that the module is not loaded"
	prints 3 "*module liquid is not loaded*" stats lo --prometheus -o "$work/none"
	[ ! -e none ]
	ok "a refusal writes no file"
fi
echo "1..$count"
[ $failed -eq 0 ]
