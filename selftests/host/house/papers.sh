#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Documentation/papers.rst: its commands print what it says.
# builds: user experiment-programs bench-programs
# timeout: 120

build=$(readlink -f "${B:-$(dirname "$(readlink -f "$0")")/../build}")
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

page=$(dirname "$here")/Documentation/papers.rst

# Each command of the page becomes a file NUMBER, and what follows it NUMBER.prints. A command
# begins with "$ ", its further lines with "> ".
commands()
{
	awk '
		/^    \$ / {
			file = sprintf("%03d", ++n)
			printf "" >(file ".prints")
			print substr($0, 7) >file
			next
		}
		!/^    / { file = "" }
		file && /^    > / { print substr($0, 7) >file; next }
		file { print substr($0, 5) >(file ".prints") }' "$page"
}

echo "TAP version 13"
for program in glpsol "$build/experiments/patterns" "$build/bench/swiss-t1"; do
	command -v "$program" >/dev/null || skip_all "no $program (make deps, experiment-programs, \
bench-programs)"
done
mkdir bin
ln -s "$liquid" "$liquid_nl" bin/
ln -s "$build" build
PATH=$work/bin:$PATH
commands
for number in [0-9][0-9][0-9]; do
	read -r first <"$number"
	timeout 20 bash -eu "$number" >found 2>&1
	diff -u "$number.prints" found >text
	ok "$first"
done
[ -s 030 ]
ok "papers.rst has its commands"
echo "1..$count"
[ $failed -eq 0 ]
