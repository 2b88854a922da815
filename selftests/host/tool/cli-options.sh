#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What all commands do alike: help, version, mistyped words, ranges, JSON.
#
# timeout: 60

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

lab=${liquid_nl%/*}/liquid-lab

# Each command and subcommand of program $1, a line each
commands_of()
{
	"$1" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p' | while read -r command; do
		subs=$("$1" "$command" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p')
		for sub in ${subs:-""}; do
			echo "$command${sub:+ $sub}"
		done
	done
}

echo "TAP version 13"

# ---- help ----

for program in "$liquid" "$liquid_nl" "$lab"; do
	name=${program##*/}
	commands_of "$program" >commands
	while read -r command; do
		# shellcheck disable=SC2086 # a command and its subcommand
		"$program" $command --help >help 2>text && [ ! -s text ] &&
			[[ $(head -n 1 help) == "usage: $name $command"* ]] &&
			grep -qE '^  (-.,|   ) --[a-z-]+' help &&
			"$program" help $command | cmp - help
		ok "$name $command --help"
	done <commands
	# shellcheck disable=SC2086
	{
		"$program" --help
		while read -r command; do
			"$program" $command --help
		done <commands
	} | grep -E '.{101}' >text
	[ ! -s text ]
	ok "$name: no line of help is longer than 100 characters"
	"$program" >text 2>&1 && "$program" --help | cmp - text
	ok "$name alone prints the help"
	for version in -V --version; do
		[[ $("$program" $version) =~ ^$name\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
		ok "$name $version"
	done
done
{ commands_of "$liquid" && commands_of "$liquid_nl"; } >commands
[ "$(wc -l <commands)" -gt 25 ]
ok "commands were found"
prints 0 "usage: liquid-nl COMMAND*" help
prints 0 "usage: liquid-nl COMMAND*" -h
prints 0 "usage: liquid-nl job SUBCOMMAND*status*" help job
prints 0 "usage: liquid-nl job status *" job status -h
prints 0 "usage: liquid solve FABRIC*" solve papers --unknown --help
"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=1 -o small >text 2>&1
"$liquid" solve small -o schedule >text 2>&1
work=$(jq '.. | .work? // empty' schedule)
"$liquid" solve --help | tr -s ' \n' ' ' >text
[ "$work" ] && grep -q " --work N [^-]*; by default $work -" text
ok "the help of solve has the default of --work"
prints 2 "*unknown command 'shwo'; did you mean 'show'?*" help shwo
prints 2 "*unknown subcommand 'mkae'; did you mean 'make'?*" help fabric mkae
prints 2 "*no subcommands: 'x' is unexpected*" help solve x

# ---- what is mistyped ----

prints 2 "liquid-nl: unknown command 'shwo'; did you mean 'show'?*help*lists*" shwo
prints 2 "liquid-nl: unknown command 'stat'; did you mean 'stats'?*" stat
prints 2 "liquid-nl: unknown command 'teleport'*" teleport
[[ $(cat text) != *"did you mean"* ]]
ok "nothing is near"
prints 2 "liquid-nl: unknown command 'x'*" x
[[ $(cat text) != *"did you mean"* ]]
ok "a letter is near to nothing"
prints 2 "liquid-nl: unknown command 'comlete'*" comlete
[[ $(cat text) != *"did you mean"* ]]
ok "what is for internal use is not proposed"
prints 2 "liquid-nl job: unknown subcommand 'strat'; did you mean 'start'?*usage: liquid-nl job *" \
	job strat
prints 2 "liquid-nl job: missing subcommand*" job
prints 2 \
	"liquid-nl push: unknown option '--frame-tiem'; did you mean '--frame-time'?\
*usage: liquid-nl push DEV *" \
	push lo --frame-tiem 1ms
prints 2 "liquid-nl push: unknown option '--colour'*" push lo --colour red
[[ $(cat text) != *"did you mean"* ]]
ok "no option is near"
prints 2 "*unknown option '-x'*" show -x
prints 2 "liquid: fabric up is now 'liquid-lab up'*" fabric up --help
prints 2 "liquid: fabric up is now 'liquid-lab up'*" help fabric up

# ---- an option may be shortened as far as it stays the only one ----

"$liquid" fabric make papers-5x5 --out papers 2>text &&
	"$liquid" solve papers --js >one 2>text
ok "shortened options"
prints 2 "*'--se' is ambiguous: '--se*' or '--se*'?*" solve papers --se 1

# ---- -j is --json ----

missing=
while read -r command; do
	# shellcheck disable=SC2086
	if "$liquid_nl" $command --help | grep -q -- --json; then
		"$liquid_nl" $command --help | grep -q -- '-j, --json' ||
			missing="$missing $command"
	fi
done <commands
echo "$missing" >text
[ -z "$missing" ]
ok "-j wherever --json is"

# ---- the ends of ranges ----

# ends COMMAND OPTION TOO_LOW LOW HIGH TOO_HIGH: what fits gets past the options
ends()
{
	for value in "$4" "$5"; do
		# shellcheck disable=SC2086
		"$liquid_nl" $1 $2 "$value" >text 2>&1
		if [ $? -eq 2 ] || grep -q expected text; then
			false
		fi
		ok "$1 $2 $value"
	done
	for value in "$3" "$6"; do
		# shellcheck disable=SC2086
		prints 2 "*: $2: expected *, got '$value'*" $1 $2 "$value"
	done
}
ends "attach none0" --rate -1 0 10T 10001G
ends "attach none0" --overhead -65 -64 1024 1025
ends "attach none0" --mpu -1 0 65535 65536
ends "attach none0" --ahead -1 0 10ms 10000001
ends "attach none0" --limit -1 0 4294967295 4294967296
ends "attach none0" --limit-bytes -1 0 18446744073709551615 18446744073709551616
ends "attach none0" --horizon -1 0 4294967295ms 4294967296ms
ends "attach none0" --reserve -1 0 100% 1001
ends "renew none0" --lease 999us 1ms 604800s 604801s
ends "push none0 --schedule none --node x --lease 1s" --frame-time 9999 10us 10s 10000000001
ends "push none0 --schedule none --node x --frame-time 1ms" --tai-offset -1 0 1000 1001
ends "push none0 --schedule none --node x --frame-time 1ms" --max-packet 63 64 65535 65536
ends "push none0 --schedule none --node x --frame-time 1ms" --hops -1 0 64 65
ends "ranks none" --tasks-per-node 0 1 1048576 1048577
ends "solve none" --wavelengths 0 1 268435456 268435457
ends "solve none" --seed -1 0 9223372036854775807 9223372036854775808
ends "capillary none --from x --to y" --layers 0 1 4294967295 4294967296
ends "capillary none --from x --to y" --tolerance -1 0 99.9% 100%
ends "capillary none --from x --to y" --block 0 1 1048576 1048577
ends "capillary none --from x --to y" --paths 0 1 65536 65537
finish
