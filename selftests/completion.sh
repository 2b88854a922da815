#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The bash completion and the man page of each tool know every command and option that it has.
# builds: user lab
set -u

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
tool=$(readlink -f "${LIQUID_NL:-${B:-build}/liquid-nl}")
. selftests/lib/tap.sh

[ -x "$tool" ] || skip_all "liquid-nl is not built (make user)"
command -v bash >/dev/null || skip_all "no bash"
untold=$(mktemp)
trap 'rm -f "$untold"' EXIT
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
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _$(echo "$1" | tr - _)
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$program" "$@"
}

# knows COMMAND: completion and the man page have each of its options
knows()
{
	offers=$(offered "$1" --)
	absent=
	missing=
	for option in $("$tool" "$1" --help | grep -oE -- '--[a-z-]+' | sort -u); do
		echo "$offers" | grep -qx -- "$option" || missing="$missing $option"
		sed 's/\\-/-/g' "$page" | grep -q -- "$option" || absent="$absent $option"
	done
	nothing_missing "$program: completion offers every option of $1" "$missing"
	nothing_missing "$program: the man page has every option of $1" "$absent"
}

# all_known PROGRAM COMPLETION PAGE: each command, with its options
all_known()
{
	program=$1 completion=$2 page=$3
	tool=${tool%/*}/$1
	commands=$("$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
	offers=$(offered '')
	missing=
	absent=
	for command in $commands; do
		echo "$offers" | grep -qx "$command" || missing="$missing $command"
		grep -qE "^\.BI? \"?$command" "$page" || absent="$absent $command"
	done
	nothing_missing "$program: completion offers every command" "$missing"
	nothing_missing "$program: the man page has every command" "$absent"
	for command in $commands; do
		knows "$command"
	done
}

echo "TAP version 13"
all_known liquid-lab tools/lab/liquid-lab.bash tools/lab/liquid-lab.8
values=$(offered up file --unrouted f)
nothing_missing "completion knows the values of the lab's options" "${values#free}"
all_known liquid-nl tools/completion/liquid-nl.bash Documentation/man/liquid-nl.8
values=$(offered attach lo --policy s)
nothing_missing "completion knows the values of an option" "${values#share}"
offers=$(offered set --)
missing=
for option in $(offered attach -- | grep -vxE -e "--(replace|fabric|node|unit-rate)"); do
	echo "$offers" | grep -qx -- "$option" || missing="$missing $option"
done
nothing_missing "completion offers the options of attach to set" "$missing"
if command -v man >/dev/null && command -v groff >/dev/null; then
	for file in Documentation/man/*.[1-8] tools/lab/*.[1-8]; do
		nothing_missing "${file##*/} is set without a warning" \
			"$(man --warnings -E UTF-8 -l -Tutf8 "$file" 2>&1 >/dev/null | tr '\n' ' ')"
	done
fi
finish
