#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What is made from Documentation/netlink/specs/liquid.yaml is what `make netlink` would write now,
# each name has the number that it always had, and everything in it has a text.
set -u
. selftests/lib/tap.sh
python3 -c 'import yaml' 2>/dev/null || skip_all "no python3-yaml"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details="$scratch/log"

tools/netlink/make "$scratch/new" >"$details" 2>&1
result $? "all is made from the specification"
for file in $(cd "$scratch/new" && find . -type f | sort); do
	diff -u "${file#./}" "$scratch/new/$file" >"$details" 2>&1
	result $? "${file#./} is as \`make netlink\` writes it"
done

# An attribute that is moved or left out would change the number of another.
{
	echo '#include <linux/liquid.h>'
	sed 's/\(.*\) \(.*\)/_Static_assert(\1 == \2, "\1");/' selftests/data/netlink-numbers
} >"$scratch/numbers.c"
"${CC:-cc}" -Iuapi -fsyntax-only "$scratch/numbers.c" 2>"$details"
result $? "every name has the number that it always had"

# spoiled NAME SED TEXT: a specification changed by SED is refused with TEXT
spoiled()
{
	mkdir -p "$scratch/tree/tools/netlink" "$scratch/tree/Documentation/netlink/specs"
	cp tools/netlink/make "$scratch/tree/tools/netlink/"
	sed "$2" Documentation/netlink/specs/liquid.yaml \
		>"$scratch/tree/Documentation/netlink/specs/liquid.yaml"
	"$scratch/tree/tools/netlink/make" >"$details" 2>&1
	[ $? = 1 ] && grep -qF -- "$3" "$details"
	result $? "$1"
}

spoiled "an attribute without a text is refused" 's/, doc: the gate.s net device//' \
	"attribute ifindex of liquid has no doc"
spoiled "an unknown type is refused" '0,/type: s32/s//type: s33/' \
	"attribute tai-offset of liquid: unknown type s33"
finish
