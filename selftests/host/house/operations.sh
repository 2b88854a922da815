#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Documentation/operations.rst: its commands and options are there, its liquid.conf is read. That
# they work is tested by cli-job.sh, slurm.sh and kernel/job.sh.
#
# timeout: 30

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

page=$(dirname "$here")/Documentation/operations.rst

echo "TAP version 13"
# Joined where a line ends in a backslash, cut where a literal, a pipe or a comment ends
sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$page" | grep -oE 'liquid-nl [a-z][^`#|&]*' |
	sort -u >commands
: >text
while read -r _ command sub rest; do
	"$liquid_nl" "$command" --help >help 2>&1 || echo "no command $command" >>text
	if grep -qE "^  $sub +" help && "$liquid_nl" "$command" "$sub" --help >help; then
		command="$command $sub"
	fi
	for option in $(grep -oE -- '--[a-z][a-z-]*' <<<"$sub $rest"); do
		grep -qE -- "$option( |\[|$)" help ||
			echo "liquid-nl $command has no $option" >>text
	done
done <commands
[ ! -s text ]
ok "every command of operations.rst has its options"
[ "$(wc -l <commands)" -gt 10 ]
ok "commands were found"

awk '/has all keys::/ { inside = 1; next } inside && /^[^ ]/ { exit } inside' "$page" |
	sed "s|/shared/liquid|$work/store|; s|^ *user .*|user $(id -un)|" >liquid.conf
[ "$(grep -c . liquid.conf)" -gt 5 ]
ok "a liquid.conf is shown"
prints 0 "" job status --config liquid.conf
echo "1..$count"
[ $failed -eq 0 ]
