#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The bash completion and the man page know every command and option that the tool has.
set -u

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
tool=$(readlink -f "${LIQUID_NL:-${B:-build}/liquid-nl}")
completion=tools/completion/liquid-nl.bash
page=Documentation/man/liquid-nl.8
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
	bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _liquid_nl
		printf "%s\n" "${COMPREPLY[@]}"' "$completion" liquid-nl "$@"
}

echo "TAP version 13"
commands=$("$tool" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p')
missing=
offers=$(offered '')
for command in $commands; do
	echo "$offers" | grep -qx "$command" || missing="$missing $command"
done
nothing_missing "completion offers every command" "$missing"
missing=
for command in $commands; do
	grep -qE "^\.BI? \"?$command" "$page" || missing="$missing $command"
done
nothing_missing "the man page has every command" "$missing"
for command in $commands; do
	offers=$(offered "$command" --)
	absent=
	missing=
	for option in $("$tool" "$command" --help | grep -oE -- '--[a-z-]+' | sort -u); do
		echo "$offers" | grep -qx -- "$option" || missing="$missing $option"
		sed 's/\\-/-/g' "$page" | grep -q -- "$option" || absent="$absent $option"
	done
	nothing_missing "completion offers every option of $command" "$missing"
	nothing_missing "the man page has every option of $command" "$absent"
done
values=$(offered attach lo --policy s)
nothing_missing "completion knows the values of an option" "${values#share}"
offers=$(offered set --)
missing=
for option in $(offered attach -- | grep -vxE -e "--(replace|fabric|node|unit-rate)"); do
	echo "$offers" | grep -qx -- "$option" || missing="$missing $option"
done
nothing_missing "completion offers the options of attach to set" "$missing"
if command -v man >/dev/null && command -v groff >/dev/null; then
	for file in Documentation/man/*.[1-8]; do
		nothing_missing "${file##*/} is set without a warning" \
			"$(man --warnings -E UTF-8 -l -Tutf8 "$file" 2>&1 >/dev/null | tr '\n' ' ')"
	done
fi
finish
