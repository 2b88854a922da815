#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Documentation/operations.rst, and its further pages jobs.rst and gates.rst: their commands and
# options are there, the liquid.conf is read, and each block has a label:
# kernel/slurm/operations.sh carries it out, or it says why not.
#
# timeout: 30

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

pages=$(dirname "$here")/Documentation
page=$work/page
cat "$pages"/{operations,jobs,gates}.rst >page

echo "TAP version 13"
of_liquid=$("$liquid" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | paste -sd '|')
# Joined where a line ends in a backslash, cut where a literal, a pipe or a comment ends
sed -e ':a' -e '/\\$/N; s/\\\n//; ta' "$page" |
	grep -oE "liquid(-nl [a-z]| ($of_liquid) )[^\`#|&]*" |
	sort -u >commands
: >text
while read -r program command sub rest; do
	"$liquid_nl" "$command" --help >help 2>&1 || echo "no command $command" >>text
	if grep -qE "^  $sub +" help && "$liquid_nl" "$command" "$sub" --help >help; then
		command="$command $sub"
	fi
	for option in $(grep -oE -- '--[a-z][a-z-]*' <<<"$sub $rest"); do
		grep -qE -- "$option( |\[|$)" help ||
			echo "$program $command has no $option" >>text
	done
done <commands
[ ! -s text ]
ok "every command of operations.rst has its options"
[ "$(wc -l <commands)" -gt 10 ]
ok "commands were found"

awk -f "$here/lib/steps.awk" "$page" >steps
awk '$1 == "@" { at = $2; label = $3 }
	$1 == "@" && label != "test:" && !(label == "not" && $4 == "run:" && NF > 4) {
		print "line " at ": a block without a label, or a label without a block" }
	$1 == "@" && label == "test:" && !($4 == "controller" || $4 == "nodes" || $4 == "all" ||
		$4 " " $5 == "lines slurm.conf" || $4 == "user" && NF == 5 ||
		$4 == "file" && $5 ~ /^(controller|all)$/ && $6 ~ /^\//) {
		print "line " at ": no place to carry it out: " $0 }' steps >text
[ ! -s text ]
ok "each block is followed by a test, or says why not"
: >text
for script in $(sed -n 's/^@ [0-9]* not run: //p' steps | grep -oE '[a-z-]+\.sh'); do
	[ -n "$(find "$here" -name "$script")" ] || echo "no $script" >>text
done
[ ! -s text ]
ok "whatever else tests them is there"
[ "$(grep -c '^@ [0-9]* test: ' steps)" -gt 20 ] && [ "$(grep -c ' # ".*"$' steps)" -gt 12 ]
ok "blocks and what they print were found"

awk '$1 == "@" { inside = /file all .*liquid.conf$/; next } inside' steps |
	sed "s|^agree .*|store $work/store|; s|^user .*|user $(id -un)|" >liquid.conf
[ "$(grep -c . liquid.conf)" -gt 5 ]
ok "a liquid.conf is shown"
prints 0 "" job status --config liquid.conf
echo "1..$count"
[ $failed -eq 0 ]
