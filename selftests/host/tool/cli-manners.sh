#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What all commands do alike: --json says what it is, text has 80 columns, colours are
# for terminals, and examples of the help run as they are.
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

command -v jq >/dev/null || skip_all "no jq"
details=$work/text
echo "TAP version 13"
prints 0 "*" fabric make leaf-spine leaves=4 hosts=4 spines=2 routes=hash -o cluster
prints 0 "*" fabric make leaf-spine leaves=4 hosts=4 spines=2 -o better
prints 0 "*" solve cluster --link-rate 100G -o schedule
for n in $(seq 16); do
	echo "h$n 10.0.0.$n"
done >addresses
echo "src=10.0.0.1 dst=10.0.0.2 bytes=5 src=10.0.0.2 dst=10.0.0.1 bytes=6" >flows
push="none0 --schedule schedule --node h1 --frame-time 1ms --rate 100G --dry-run"

# ---- --json ----

# One run of each command that has --json; elsewhere: in tool.sh, cli-job-records.sh, cli-report.sh
cat >runs <<END
liquid advise cluster
liquid fabric show cluster
liquid fabric show cluster --route h1 h9
liquid solve cluster
liquid verify cluster schedule
liquid verify cluster --circles
liquid slice schedule --node h1
liquid simulate cluster --schedule schedule
liquid ranks cluster
liquid choose cluster --count 6
liquid capillary cluster --from h1 --to h9
liquid route cluster
liquid route cluster --bound
liquid matrix flows --from conntrack --addresses addresses
liquid diff cluster better
liquid-nl push $push --addr-map addresses
liquid-nl clock
liquid-nl doctor
elsewhere liquid-nl show
elsewhere liquid-nl stats
elsewhere liquid-nl monitor
elsewhere liquid-nl job status
elsewhere liquid-nl job report
END
bin=${liquid%/*}

mkdir pages
# The commands of which the help has a line that matches $1
commands_with()
{
	for program in liquid liquid-nl; do
		"$bin/$program" pages pages
		for page in pages/"$program"-*; do
			command=${page##*/"$program"-}
			command=${command%.*}
			for sub in "" $("$bin/$program" "$command" --help |
				sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
				# shellcheck disable=SC2086 # none, or a word
				"$bin/$program" "$command" $sub --help | grep -q -- "$1" &&
					echo "$program $command${sub:+ $sub}"
			done
		done
	done
}
commands_with '--json  ' >wanted
while read -r command; do
	grep -qE "^(elsewhere )?$command( |$)" runs || echo "not run: $command"
done <wanted >text
[ -s wanted ] && [ ! -s text ]
ok "every command with --json is run, here or elsewhere"
while read -r program words; do
	[ "$program" != elsewhere ] || continue
	# shellcheck disable=SC2086 # words
	timeout 60 "$bin/$program" $words --json >json 2>text
	[ -s json ] && jq -e '.format[:7] == "liquid-" and .version >= 1' json >>text 2>&1
	ok "$program $words --json: format and version"
done <runs

# ---- 80 columns, but for names without a space, and for commands to be copied ----

{
	sed '/^liquid /!d' runs
	printf 'liquid %s\n' "simulate cluster --order pairwise" "fabric make" \
		"ranks cluster --check" "fabric show cluster --endpoints" \
		"fabric show cluster --top 5 --sort name" \
		"solve cluster --bound" "solve better --from schedule"
	sed 's/$/ --help/' wanted
} >texts
while read -r program words; do
	# shellcheck disable=SC2086 # words
	timeout 60 "$bin/$program" $words 2>errors | sed '/^For example:/,$d' >out
	[ -s out ] && ! grep -E '^.{81,}' out | grep -E '^.{80}.* ' >text
	ok "$program $words: 80 columns"
done <texts

# ---- colours ----

# shown VARIABLES: how many links are marked on a terminal
shown()
{
	script -qec "env TERM=xterm $1 $liquid fabric show cluster" /dev/null |
		grep -c "$(printf '\033')\[1;31m bott"
}
marked=$("$liquid" fabric show cluster | grep -c ' bottleneck$')
[ "$marked" -gt 0 ] && [ "$(shown "")" = "$marked" ] && [ "$(shown NO_COLOR=1)" = 0 ] &&
	[ "$(shown TERM=dumb)" = 0 ] && ! "$liquid" fabric show cluster | grep -q "$(printf '\033')"
ok "bottlenecks are marked on a terminal, unless NO_COLOR or TERM says no"
"$liquid" fabric show cluster --top "$marked" | tail -n 2 >text
[[ $(cat text) == *bottleneck$'\n'"and $((48 - marked)) more" ]]
ok "the busiest links come first, and --top says what is left out"
"$liquid" fabric show cluster --sort name | sed '1,/^link /d' >text
[[ $(awk '{ print $1 }' text | tr '\n' ' ') == "h1[1]>"*" h2[1]>"*" h10[1]>"*" leaf1[1]>"* ]]
ok "--sort name"

# ---- examples of the help, which are those of the man pages ----

mkdir examples && cd examples || exit 1
for name in topo ibnetdiscover.txt; do
	cp "$data/k44.topo" $name
done
for name in lft dump_fts.txt; do
	cp "$data/k44.fts" $name
done
for n in $(seq -w 32); do
	echo "node0$n 10.0.0.$((10#$n))"
done >addresses
cp ../flows flows.1
for command in $("$liquid" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -vx help); do
	"$liquid" "$command" --help | sed '1,/^For example:$/d' >../lines
	[ -s ../lines ]
	ok "$command --help has an example"
	while read -r line; do
		expected=0
		[ "$command" != diff ] || expected=1
		PATH=$bin:$PATH timeout 60 bash -c "$line" </dev/null >../text 2>&1
		[ $? = $expected ]
		ok "${line//#/no.}"
	done <../lines
done
cd .. || exit 1
for command in "fabric make" "fabric show"; do
	# shellcheck disable=SC2086 # words
	"$liquid" $command --help | sed '1,/^For example:$/d' >text
	[ -s text ] && ! grep -v "^  liquid $command " text
	ok "$command --help has its examples"
done
finish
