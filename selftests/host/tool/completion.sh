#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The completion offers what each tool has, and the man pages name each option, and no other.
# builds: user lab
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
tool=$(readlink -f "${LIQUID_NL:-${B:-build}/liquid-nl}")
. selftests/lib/tap.sh

[ -x "$tool" ] || skip_all "liquid-nl is not built (make user)"
command -v bash >/dev/null || skip_all "no bash"
untold=$(mktemp)
trap 'rm -rf "$untold" "$untold".*' EXIT
details=$untold

# nothing_missing NAME MISSING
nothing_missing()
{
	echo "missing: $2" >"$untold"
	[ -z "$2" ]
	ok "$1"
}

# What completion offers after the words "$@", the last of which is begun.
offered()
{
	bash -c '. tools/completion/liquid.bash
		COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _liquid
		printf "%s\n" "${COMPREPLY[@]}"' bash "$tool" "$@"
}

# offers NAME EXPECTED WORD...: sorted, with a space after each
offers()
{
	name=$1
	expected=$2
	shift 2
	offered "$@" | LC_ALL=C sort | tr '\n' ' ' >"$untold"
	[ "$(cat "$untold")" = "$expected" ]
	ok "completion: $name"
}

# The words at the beginning of help's lines: commands, or subcommands
commands_of()
{
	"$tool" "$@" --help | sed -n 's/^  \([a-z][a-z]*\)  .*/\1/p'
}

options_of()
{
	"$tool" "$@" --help | sed -nE 's/^  (-.,|   ) (--[a-z-]+).*/\2/p'
}

# knows COMMAND [SUBCOMMAND]: completion offers each of its options, the man page names each
knows()
{
	options_of "$@" >"$untold.options"
	cat "$untold.options" >>"$untold.all"
	offers=$(offered "$@" --)
	absent=
	missing=
	while read -r option; do
		echo "$offers" | grep -qx -- "$option" || missing="$missing $option"
		grep -qE -- "$option([^a-z-]|$)" "$untold.page" || absent="$absent $option"
	done <"$untold.options"
	[ -s "$untold.options" ] || missing="any option"
	nothing_missing "$program: completion offers every option of $*" "$missing"
	nothing_missing "$program: the man page has every option of $*" "$absent"
}

# all_known PROGRAM PAGE: each command, with its options
all_known()
{
	program=$1
	tool=${tool%/*}/$1
	sed 's/\\-/-/g' "$2" >"$untold.page"
	absent=
	for command in $(commands_of); do
		subs=$(commands_of "$command")
		grep -qE "^\.BI? \"?$command" "$2" || absent="$absent $command"
		if [ -z "$subs" ]; then
			knows "$command"
		fi
		for sub in $subs; do
			grep -qE "^\.BI? \"?$command $sub" "$2" || absent="$absent $command $sub"
			knows "$command" "$sub"
		done
	done
	nothing_missing "$program: the man page has every command" "$absent"
}

# all_exist NAME: what the page has are options of the programs that were looked at
all_exist()
{
	# Those of other programs, in its text
	printf '%s\n' --help --version --hostfile --rankfile --addr-map >>"$untold.all"
	nothing_missing "$1: every option of the man page exists" "$(
		grep -oE -- '--[a-z][a-z-]+' "$untold.page" | sort -u |
			grep -vxFf "$untold.all" | tr '\n' ' ')"
	rm "$untold.all"
}

# pages_known PROGRAM: each command has a page with its options and an example
pages_known()
{
	program=$1
	tool=${tool%/*}/$1
	"$tool" pages "$untold.man"
	for command in $(commands_of | grep -vx help); do
		sed 's/\\-/-/g' "$untold.man/$program-$command".[18] >"$untold.page"
		nothing_missing "$program: the page of $command has an example" \
			"$(grep -A 2 '^.SH EXAMPLE' "$untold.page" |
				grep -q "^[srun N4-]*$program $command" || echo example)"
		subs=$(commands_of "$command")
		[ "$subs" ] || knows "$command"
		for sub in $subs; do
			knows "$command" "$sub"
		done
	done
}

echo "TAP version 13"
all_known liquid-lab tools/lab/liquid-lab.8
all_exist liquid-lab
offers "commands of liquid-lab" "--help --version down help link reroute stats up " ''
offers "values of the lab's options" "free " up file --unrouted f
mkdir "$untold.man"
pages_known liquid-nl
pages_known liquid
offers "commands that begin with s" "simulate slice solve " s
tool=$tool-nl
offers "commands of gates that begin with s" "set show stats " s
offers "values of an option" "share " attach lo --policy s
offers "values that are not the only ones" "none " attach lo --bypass n
offers "options that begin so" "--dest-limit --dest-limit-bytes " set lo --dest-
offers "not what attach alone takes" "--reserve " set lo --re
offers "subcommands" "import " fabric i
offers "generators" "torus " fabric make t
offers "their keys" "leaves= " fabric make leaf-spine spines=2 -o f l
offers "files for an option" "tools/completion " solve x --output tools/comp
offers "files for an option's letter" "tools/completion " solve x -o tools/comp
offers "files for an argument" "tools/completion " solve tools/comp
offers "commands for help" "show " help sh
offers "devices" "lo " show lo
offers "nothing for a moved command" " " fabric up --

# Both other shells print what the tool says: fish as it completes, zsh by its own words.
tool=${tool%-nl}
echo missing fish >"$untold"
PATH=${tool%/*}:$PATH fish --no-config -c 'source tools/completion/liquid.fish
	complete -C "liquid-nl set lo --dest-"
	complete -C "liquid solve x -o tools/comp"' >"$untold" 2>&1
printf '%s\n' --dest-limit --dest-limit-bytes tools/completion/ | cmp -s - "$untold"
ok "completion by fish: options and files"
# shellcheck disable=SC2016
zsh -f -c 'compadd() { shift; printf "%s\n" "$@"; }
	_files() { echo files; }
	offers() { . tools/completion/_liquid; }
	words=("$@") CURRENT=$#
	offers' zsh "$tool-nl" set lo --dest- >"$untold" 2>&1
grep -qx -- --dest-limit-bytes "$untold" && ! grep -q files "$untold"
ok "completion by zsh: options"
if command -v man >/dev/null && command -v groff >/dev/null; then
	for file in Documentation/man/*.[1-8] tools/lab/*.[1-8] "$untold.man"/*; do
		nothing_missing "${file##*/} is set without a warning" \
			"$(man --warnings -E UTF-8 -l -Tutf8 "$file" 2>&1 >/dev/null | tr '\n' ' ')"
	done
fi
finish
