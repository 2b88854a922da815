#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The bash completion and the man page know every command and option that the tool has.
set -u

cd "$(dirname "$(readlink -f "$0")")/.." || exit 1
tool=$(readlink -f "${LIQUID_NL:-${B:-build}/liquid-nl}")
completion=tools/completion/liquid-nl.bash
page=Documentation/man/liquid-nl.8
number=0
failed=0

if [ ! -x "$tool" ] || ! command -v bash >/dev/null; then
	echo "1..0 # SKIP liquid-nl is not built, or no bash is there"
	exit 4
fi

# $1: what was tested; $2: what is missing, or nothing
result()
{
	number=$((number + 1))
	if [ -z "$2" ]; then
		echo "ok $number - $1"
	else
		echo "not ok $number - $1"
		echo "#$2"
		failed=1
	fi
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
result "completion offers every command" "$missing"
missing=
for command in $commands; do
	grep -qE "^\.BI? \"?$command" "$page" || missing="$missing $command"
done
result "the man page has every command" "$missing"
for command in $commands; do
	offers=$(offered "$command" --)
	untold=
	missing=
	for option in $("$tool" "$command" --help | grep -oE -- '--[a-z-]+' | sort -u); do
		echo "$offers" | grep -qx -- "$option" || missing="$missing $option"
		sed 's/\\-/-/g' "$page" | grep -q -- "$option" || untold="$untold $option"
	done
	result "completion offers every option of $command" "$missing"
	result "the man page has every option of $command" "$untold"
done
values=$(offered attach lo --policy s)
result "completion knows the values of an option" "${values#share}"
offers=$(offered set --)
missing=
for option in $(offered attach -- | grep -vx -- --replace); do
	echo "$offers" | grep -qx -- "$option" || missing="$missing $option"
done
result "completion offers the options of attach to set" "$missing"
if command -v man >/dev/null && command -v groff >/dev/null; then
	for file in Documentation/man/*.[1-8]; do
		result "${file##*/} is set without a warning" \
			"$(man --warnings -E UTF-8 -l -Tutf8 "$file" 2>&1 >/dev/null | tr '\n' ' ')"
	done
fi
echo "1..$number"
exit $failed
