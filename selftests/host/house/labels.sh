#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Figures of performance say what they are: each section that has some begins with a label, and
# README.md says so of its own.
# builds:
# timeout: 30

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tap.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
details=$log

# Headings of page $1 below which there are shares, times or a table of numbers, but no label
unlabelled()
{
	awk -v page="$1" -v figure='[0-9] ?%|[0-9][.][0-9]+ *(s|ms|us|ns|x)?( |$)|[0-9] .bit/s' '
		function close_section()
		{
			if (figures && !label)
				print page ": " heading
			figures = label = 0
		}
		{ line[NR] = $0 }
		END {
			for (i = 1; i <= NR; i++) {
				if (line[i + 1] ~ /^(=+|-+)$/ &&
				    length(line[i + 1]) == length(line[i])) {
					close_section()
					heading = line[i++]
					for (k = i + 1; line[k] == ""; )
						k++
					label = line[k] ~ /^\*(Emulated|Computed|Measured on)/
				} else if (line[i] ~ figure)
					figures++
			}
			close_section()
		}' "$1"
}

# Text blocks of README.md with shares, before which no line says that they are emulated
unsaid()
{
	awk '
		/^```/ && !inside {
			inside = 1; begin = NR; shares = 0
			said = before ~ /\*emulated\*/
			next
		}
		/^```/ { inside = 0; before = ""; if (shares && !said) print "README.md:" begin }
		inside { shares += / %/ }
		!inside && NF { before = before " " $0 }' "$1"
}

echo "TAP version 13"
{
	unlabelled Documentation/results.rst
	unlabelled Documentation/benchmarks.rst
} | grep -vE ': (What is measured|Commands|What this does not say)$' >"$log"
[ ! -s "$log" ]
ok "every section with figures says whether they are emulated, computed or measured"
unsaid README.md >"$log"
[ ! -s "$log" ]
ok "README.md says of its figures that they are emulated"

# The same without its labels is refused.
sed '/^\*Emulated/d' Documentation/results.rst >"$log.page"
[ "$(unlabelled "$log.page" | wc -l)" -ge 8 ]
ok "sections without a label are found"
sed 's/\*emulated\*//' README.md >"$log.page"
[ "$(unsaid "$log.page" | wc -l)" = 1 ]
ok "so are figures of README.md"
rm -f "$log.page"
finish
