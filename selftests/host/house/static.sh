#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What can be said of the sources without running them.
# builds:
# timeout: 600
set -u

top=$(cd "$(dirname "$(readlink -f "$0")")/../../.." && pwd)
cd "$top" || exit 1
build=${B:-build}
. selftests/lib/tap.sh
log=$(mktemp)
trap 'rm -f "$log"' EXIT
details=$log

# Files that are there: git also lists those that were just removed.
sources()
{
	{ git ls-files 2>/dev/null | grep -E "$1" ||
		find . -path "./${build#"$top"/}" -prune -o -type f -print |
		sed 's|^\./||' | grep -E "$1"; } |
		while read -r file; do
			[ ! -f "$file" ] || echo "$file"
		done
}

without_licence()
{
	sources '\.(c|h|sh|mk)$|^Makefile$|^Kbuild$' | xargs awk '
		FNR == 1 { names[FILENAME] }
		FNR <= 3 && /SPDX-License-Identifier/ { delete names[FILENAME] }
		END { for (name in names) print name }'
}

# Tests that no run would take: not executable, but begin as programs do
idle_tests()
{
	for file in $(sources '^(selftests|tools/lab/selftests)/.*\.sh$'); do
		[ -x "$file" ] || ! head -n 1 "$file" | grep '^#!' | sed "s|^|$file: |"
	done
}

# Lines about a test that selftests and tools/guest/run do not see, as a comment filled anew has
# them behind the end of a sentence.
hidden_headers()
{
	sources '^(selftests|tools/lab/selftests)/.*\.sh$' | xargs awk '
		BEGIN {
			names = "adds|builds|card|cross|kernels|last|memory|modes|processors|" \
				"runs|timeout"
		}
		FNR <= 30 && $0 ~ "^# .*\\. (" names "):( |$)" { print FILENAME ": " $0 }'
}

# The rooms of the engine from the ground up, each with the rooms that it includes. All include
# liquidsched.h; a room is named only above its own line. The verifier knows only traffics: it must
# not share with the solver what it judges.
engine_rooms='base:
fabric: base
fabric/generate: fabric
fabric/import: base fabric
traffic: base fabric
schedule: base fabric traffic
verify: base fabric traffic schedule
problem: traffic
solve/methods.h: problem
solve/frames: problem solve/methods.h
solve/ejection: base problem solve/methods.h
solve/baselines: problem solve/methods.h solve/frames
solve/symmetry: traffic problem solve/methods.h solve/frames solve/ejection
compact: base fabric schedule problem solve/ejection solve/symmetry
solve/learning: problem solve/methods.h solve/symmetry
solve: compact fabric traffic schedule problem solve/methods.h solve/ejection solve/symmetry
bound: schedule traffic problem solve/symmetry
run: fabric traffic schedule
choose: fabric traffic problem
capillary:
route: fabric fabric/import traffic problem solve solve/ejection
simulate: fabric traffic schedule problem
explain: traffic problem solve/ejection
export: problem
page: base'

# The same of the MPI adapters; "." is files in no room: the two MPIs, and what they share.
mpi_rooms='settings:
wire:
wire/verbs: settings wire
node: settings wire
plan: settings wire node
call: settings wire node plan
.: settings call'

# The same of libliquid-sfio
sfio_rooms='layout:
cache: layout
wire: cache
order: wire
listener: wire order
api/liquid-sfio.h:
client: wire order api/liquid-sfio.h
api: layout client listener order wire'

# The same of collective calls on files; the first three are of the MPI adapters.
mpiio_rooms='settings:
plan:
series.h:
types:
exchange: types
file: settings plan types exchange
.: series.h file'

# The same of what liquid and liquid-nl share, and of each of them
tool_rooms='escape.h:
util: escape.h
input: util'

liquid_rooms='hostlist.h:
util:
input:
commands.h: util
ranks: hostlist.h util input commands.h
choose: hostlist.h util input commands.h ranks
simulate: util input commands.h
answer: util input commands.h
advise: util input commands.h choose simulate
capillary: util input commands.h
fabric: hostlist.h util input commands.h
diff: util input commands.h
flows: util input commands.h
plot: util input commands.h
route: util input commands.h
solve: util input commands.h
verify: util input commands.h
.: util input commands.h'

nl_rooms='util:
ask: util
net:
gate: util net
show: util gate
clock: util
push: util ask gate show
trial: util clock gate show
job/store: util
job/conf.h:
job/fabric.h: ask job/store job/conf.h
job/job.h: clock push job/store job/conf.h
job/service: util job/store job/job.h
job: util gate show job/store job/conf.h job/fabric.h job/job.h job/service
report: util gate show job/job.h
doctor: util show job/fabric.h job/job.h job/service
cmd: util ask clock gate show push trial job/conf.h job report doctor
.: util cmd'

# Includes below $1 that the rooms $2 do not allow, and lines of these that look up or go unused.
against_rooms()
{
	sources "^$1/.*\.[ch]\$" | xargs grep '^#include "' | TOP=$1/ ROOMS=$2 awk -F '[:"]' '
	function room(path)
	{
		if (!(path in known) && !sub(/\/[^\/]*$/, "", path))
			path = "."
		return path
	}
	BEGIN {
		lines = split(ENVIRON["ROOMS"], line, "\n")
		for (i = 1; i <= lines; i++) {
			count = split(line[i], word, /:? +|:$/)
			for (j = 2; j <= count; j++) {
				if (word[j] && !(word[j] in known))
					print word[1] ": " word[j] " is not below it"
				may[word[1], word[j]] = word[j]
			}
			known[word[1]]
		}
	}
	{
		own = room(substr($1, length(ENVIRON["TOP"]) + 1))
		used[own, room($3)]
		if ($3 != "liquidsched.h" && own != room($3) && !may[own, room($3)])
			print $1 " includes " $3
	}
	END {
		for (pair in may)
			if (may[pair] && !(pair in used)) {
				split(pair, word, SUBSEP)
				print word[1] ": nothing of " word[2] " is included"
			}
	}'
}

# A program includes its own headers, those of user/tool and user/base, and of the engine what all
# programs see.
not_its_own()
{
	sources '^user/(tool|liquid|liquid-nl)/.*\.[ch]$' | xargs grep -H '^#include "' |
	while IFS='"' read -r file header _; do
		own=${file#user/}
		[ "$header" = liquidsched.h ] || [ -e "user/${own%%/*}/$header" ] ||
			[ -e "user/tool/$header" ] || [ -e "user/base/$header" ] ||
			echo "$file$header"
	done
}

# A patch series has no compat/: names that only that defines are none of the kernel's.
only_in_compat()
{
	sed -n 's/^#define \(liquid_[a-z_]*\).*/\1/p' kmod/compat/compat.h | sort -u |
		while read -r name; do
			grep -nw "$name" kmod/*.[ch] kmod/[!c]*/*.[ch]
		done
}

# The store of jobs knows nothing of those who use it.
above_the_store()
{
	sources '^user/liquid-nl/job/store/.*\.[ch]$' | xargs grep '^#include "' |
		grep -vE '"(job/store/[^"]*|liquidsched\.h|util/clock-ns\.h)"$'
}

# What decides a schedule computes in whole numbers; what looks for routes and prices takes no more
# of floating point than the four operations, which IEEE 754 fixes to the last bit. Figures that are
# only shown, and limits of time, may be anything.
against_whole_numbers()
{
	sources '^user/engine/(compact|problem|solve)/.*\.[ch]$' |
		xargs grep -nE '\<(double|float)\>|<math\.h>|[0-9]\.[0-9fe]' |
		grep -vE '^[^:]*:[0-9]+:([/ ]\*|//)|fluid|deadline|time_limit|monotonic|tv_nsec'
	sources '^user/engine/(bound|route)/.*\.[ch]$' |
		xargs grep -nE '^[^/*]*[^/*a-z_](exp|pow|log|sin|cos|tan|cbrt)[0-9a-z]*\('
}

# Files whose lines have at most 100 columns
narrow='\.(c|h|sh|bash|mk)$|(^|/)Makefile$|^Kbuild$|^tools/([^/]*/)?[^/.]*$'

# Lines of files on stdin that have more than 100 columns, as FILE:LINE; tabs have 8 columns
long_lines()
{
	xargs grep -Ils . | xargs awk '{
		line = $0
		while (tab = index(line, "\t"))
			line = substr(line, 1, tab - 1) sprintf("%*s", 8 - (tab - 1) % 8, "") \
				substr(line, tab + 1)
		if (length(line) > 100)
			print FILENAME ":" FNR
	}'
}

# Folders with more sources than one can look through
full_folders()
{
	sources '\.(c|h|sh)$' | sed 's|/[^/]*$||' | sort | uniq -c | awk '$1 > 40 { print $2, $1 }'
}

# Files of the tree that scripts name, and that are not there
missing_files()
{
	git grep -hoE '\$top/(tools|selftests|user|kmod|Documentation)/[A-Za-z0-9_./-]*[a-z0-9]' \
		-- tools selftests 2>/dev/null | sed 's|^\$top/||' | sort -u |
		while read -r file; do
			[ -e "$file" ] || echo "$file"
		done
}

# Files of C whose second line begins no comment
without_head()
{
	sources '\.c$' | xargs awk 'FNR == 2 && !/^\/\*/ { print FILENAME }'
}

echo TAP version 13
# A minute each, most of it compiling; check-kernels has the other one.
for kernel in ${SPARSE_KERNELS:-6.1}; do
	make -s B="$build" "sparse-$kernel" >"$log" 2>&1
	ok "sparse finds nothing in the module for $kernel"
done
make -s B="$build" fuzz-compiles >"$log" 2>&1
ok "the fuzzers compile"
without_licence >"$log"
[ ! -s "$log" ]
ok "every source names its licence"
sources "$narrow" | xargs grep -InE '[[:space:]]$' >"$log"
[ ! -s "$log" ]
ok "no source line ends in white space"
sources "$narrow" | long_lines >"$log"
make -s help | grep -E '.{101}' >>"$log"
[ ! -s "$log" ]
ok "no source line has more than 100 columns, nor has one of \`make help\`"
against_rooms user/engine "$engine_rooms" >"$log"
[ ! -s "$log" ]
ok "every room of the engine includes only rooms below it"
against_rooms user/mpi "$mpi_rooms" >"$log"
[ ! -s "$log" ]
ok "every room of the MPI adapters includes only rooms below it"
against_rooms user/sfio "$sfio_rooms" >"$log"
[ ! -s "$log" ]
ok "every room of libliquid-sfio includes only rooms below it"
against_rooms user/mpiio "$mpiio_rooms" >"$log"
[ ! -s "$log" ]
ok "every room of collective calls on files includes only rooms below it"
against_rooms user/tool "$tool_rooms" >"$log"
against_rooms user/liquid "$liquid_rooms" >>"$log"
against_rooms user/liquid-nl "$nl_rooms" >>"$log"
[ ! -s "$log" ]
ok "every room of liquid, of liquid-nl and of what both share includes only rooms below it"
against_whole_numbers >"$log"
[ ! -s "$log" ]
ok "no schedule is decided by floating point, and no route by what differs between machines"
not_its_own >"$log"
[ ! -s "$log" ]
ok "both programs include nothing of each other, and of the engine nothing but liquidsched.h"
above_the_store >"$log"
[ ! -s "$log" ]
ok "the store of jobs includes nothing that is above it"
full_folders >"$log"
[ ! -s "$log" ]
ok "no folder has more than 40 sources"
missing_files >"$log"
[ ! -s "$log" ]
ok "each file that a script names by its place in the tree is there"
hidden_headers >"$log"
[ ! -s "$log" ]
ok "what a test says of its runs begins a line"
idle_tests >"$log"
[ ! -s "$log" ]
ok "each test is executable, as those that run tests ask"
without_head >"$log"
[ ! -s "$log" ]
ok "each .c file says in its second line what it is"
only_in_compat >"$log"
[ ! -s "$log" ]
ok "the module uses no name of its own that only compat/ defines"
finish
