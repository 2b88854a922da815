#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Documentation/netlink/specs/liquid.yaml says what the header and the module's policies say: names,
# numbers and types of attributes, values of options, commands, and what each request may have.
set -u
. selftests/lib/tap.sh
spec=Documentation/netlink/specs/liquid.yaml
header=uapi/linux/liquid.h
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details="$scratch/diff"
attrs='LIQUID_[A-Z0-9_]*_A_[A-Z0-9_]*\|LIQUID_A_[A-Z_]*'

# Lines of the spec: "attr SET NAME NUMBER TYPE NEST", "value ENUM NAME NUMBER", "max SET NUMBER",
# "command NAME NUMBER", "request COMMAND ATTRIBUTE"; names as in C
read_spec()
{
	awk '
	function c(name) { name = toupper(name); gsub("-", "_", name); return name }
	function get(key) {
		if (!match($0, "[ {]" key ": [^,} ]+"))
			return "-"
		return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
	}
	function flush_set() { if (part == "attribute-sets" && prefix) print "max", prefix, n }
	/^[a-z-]+:/ { flush_set(); part = $1; sub(":", "", part); prefix = ""; next }
	part == "definitions" || part == "attribute-sets" {
		if ($0 == "  -") { flush_set(); prefix = ""; n = part == "definitions" ? -1 : 0 }
		if ($1 == "name-prefix:") prefix = c($2)
	}
	part == "definitions" && /^      - / { print "value", prefix c($2), ++n }
	part == "attribute-sets" && /^      - \{/ && prefix {
		type = get("type")
		print "attr", prefix c(get("name")), ++n, type, get("nested-attributes")
	}
	part == "operations" && $1 == "name:" {
		op = c($2)
		print "command", "LIQUID_CMD_" op, ++ops
	}
	part == "operations" && $1 ~ /^(request|reply|event):$/ { asks = $1 == "request:" }
	part == "operations" && $1 == "attributes:" && asks {
		for (i = 3; i < NF; i++) { sub(",", "", $i); print "request", op, c($i) }
	}
	' "$spec"
}

read_spec >"$scratch/spec"

# Names and numbers: the compiler knows best.
{
	echo '#include <linux/liquid.h>'
	awk '$1 == "attr" || $1 == "value" || $1 == "command" {
		printf "_Static_assert(%s == %d, \"%s\");\n", $2, $3, $2
	}
	$1 == "max" { printf "_Static_assert(%sMAX == %d, \"%s\");\n", $2, $3, $2 }
	$1 == "command" { last = $3 }
	END { printf "_Static_assert(LIQUID_CMD_MAX == %d, \"commands\");\n", last }
	' "$scratch/spec"
	version=$(sed -n 's/^version: //p' "$spec")
	echo "_Static_assert(LIQUID_GENL_VERSION == $version, \"version\");"
} >"$scratch/numbers.c"
"${CC:-cc}" -Iuapi -fsyntax-only "$scratch/numbers.c" 2>"$scratch/diff"
result $? "every name of the spec has its number in the header, and no attribute is left out"
[ "$(grep -c '^attr' "$scratch/spec")" -gt 100 ] && [ "$(grep -c '^value' "$scratch/spec")" -gt 20 ]
result $? "the spec was read"

# same NAME: two lists
same()
{
	sort -u "$scratch/one" >"$scratch/one.sorted"
	sort -u "$scratch/other" >"$scratch/other.sorted"
	diff "$scratch/one.sorted" "$scratch/other.sorted" >"$scratch/diff" &&
		[ -s "$scratch/one.sorted" ]
	result $? "$1"
}

awk '$1 == "value" { print $2 }' "$scratch/spec" >"$scratch/one"
# Enums of values are those whose names have no _A_ and no CMD.
sed -n 's/^\t\(LIQUID_[A-Z0-9_]*\),$/\1/p' "$header" | grep -v '_A_\|_CMD_\|^LIQUID_EVENT_MAX' \
	>"$scratch/other"
same "the spec has every value of the header"

awk '$1 == "attr" && $4 ~ /^[us][0-9]/ { print $2, $4 }' "$scratch/spec" |
	grep -v 'STATS_A_' >"$scratch/one"
sed -n "s/^ \* @\($attrs\): \([us][0-9]*\)[,;].*/\1 \2/p" "$header" >"$scratch/other"
same "numbers have the types that the header states"

# Types of the policies; S64 and the like in lower case
sed -n "s/^\t\[\($attrs\)\][ \t]*= {* *\(.*\),\$/\1 \2/p" \
	kmod/netlink.c kmod/config.c kmod/destination.c kmod/schedule.c kmod/lease.c |
	sed -e 's/NLA_NUL_STRING/NLA_STRING/' \
		-e 's/\.type = NLA_\([A-Z0-9]*\).*/\1/' -e 's/ NLA_POLICY_NESTED.*/ NESTED/' \
		-e 's/ NLA_POLICY_EXACT_LEN.*/ BINARY/' |
	awk '{ sub("NESTED", "NEST", $2); print $1, tolower($2) }' >"$scratch/other"
awk 'NR == FNR { policy[$1] = 1; next }
	$1 == "attr" && $2 in policy { print $2, $4 }' "$scratch/other" "$scratch/spec" \
	>"$scratch/one"
same "the policies have the types of the spec"

awk '$1 == "request" { print $2, $3 }' "$scratch/spec" >"$scratch/one"
awk '
	/^static const struct nla_policy liquid_/ { name = $5; sub("\\[.*", "", name) }
	/^\t\[LIQUID_A_/ && name { attr = $1; gsub("\\[LIQUID_A_|\\]", "", attr)
		has[name] = has[name] " " attr }
	/^};/ { name = "" }
	/\.cmd/ { cmd = $3; gsub("LIQUID_CMD_|,", "", cmd) }
	/\.policy/ && cmd { policy = $3; sub(",", "", policy); ask(cmd, policy); cmd = "" }
	/^\tLIQUID_DO\(/ { gsub("LIQUID_DO\\(LIQUID_CMD_|,|\\)", ""); ask($1, $2) }
	function ask(cmd, policy,   list, n, i) {
		n = split(has[policy], list, " ")
		for (i = 1; i <= n; i++) print cmd, list[i]
	}
' kmod/netlink.c >"$scratch/other"
same "each command takes what the spec says, and no more"
finish
