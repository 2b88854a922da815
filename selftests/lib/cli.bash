# SPDX-License-Identifier: GPL-2.0-only
# What the tests of liquid-nl's output have in common: a scratch directory, results, a checked call.
# shellcheck shell=bash

here=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/..")
liquid_nl=$(readlink -f "${LIQUID_NL:-${B:-$here/../build}/liquid-nl}")
liquid=$(readlink -f "${LIQUID:-${B:-$here/../build}/liquid}")
# shellcheck disable=SC2034 # for who sources this
data=$here/data
. "$here/lib/tap.sh"
# shellcheck disable=SC2034
details=text

[ -x "$liquid_nl" ] || skip_all "no $liquid_nl; \`make user\` builds it"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# Run liquid-nl "${@:3}": it must exit with $1 and print $2 (a pattern).
prints()
{
	expected=$1
	pattern=$2
	shift 2
	timeout 60 "$liquid_nl" "$@" >text 2>&1
	status=$?
	# shellcheck disable=SC2053 # a pattern
	[ $status -eq "$expected" ] && [[ $(cat text) == $pattern ]]
	ok "$*: exit code $expected"
}

# within SECONDS COMMAND...: it succeeds by then
within()
{
	for _ in $(seq $(($1 * 20))); do
		"${@:2}" >/dev/null 2>&1 && return 0
		sleep 0.05
	done
	return 1
}

# Processes of this test: its scratch directory is where they work, or was given to them.
processes_of_work()
{
	for process in /proc/[0-9]*; do
		[ "$process" != /proc/$$ ] || continue
		if [[ $(readlink "$process/cwd") == "$work"* ]] ||
			grep -qF "$work/" "$process/cmdline" "$process/environ"; then
			echo "${process#/proc/}"
		fi
	done 2>/dev/null
}

nothing_works()
{
	[ -z "$(processes_of_work)" ]
}

# End them: those that are told to and do not within 5 s are killed.
end_work()
{
	cd /
	for signal in TERM KILL; do
		# shellcheck disable=SC2046 # one word per process
		nothing_works || kill -$signal $(processes_of_work) 2>/dev/null
		within 5 nothing_works && return
	done
}

# The process of node $2 of job $1 that was called, below timeout
process_of()
{
	pgrep -f "job ready $1 --node $2 --dry-run" | while read -r p; do
		[ "$(cut -d' ' -f1 "/proc/$p/comm")" = liquid-nl ] && echo "$p" && break
	done
}

# Its worker, which looks at the store and has the gate
worker_of()
{
	pgrep -P "$(process_of "$1" "$2")"
}

# unpack_records DIR: a store, of the records in data/job-store
unpack_records()
{
	awk -v dir="$1" '/^--- / {
			file = dir "/" $2
			parent = file
			sub(/\/[^\/]*$/, "", parent)
			system("mkdir -p " parent)
			lines = 0
			next
		}
		file { printf "%s%s", lines++ ? "\n" : "", $0 >file }' "$data/job-store/records"
	chmod -R go-w "$1"
}

# forms_of DIR: which members the records of a store have, in which order, of which type; without
# what was added later, which is not needed by those who do not know it
forms_of()
{
	find "$1" -name '*.json' ! -name schedule.json ! -name places.json ! -name 'first.*' \
		! -name 'last.*' |
	while read -r record; do
		name=${record##*/}
		printf '%s ' "${name%%[.-]*}"
		sed -E 's/:"([^"\\]|\\.)*"/:text/g; s/"([^"\\]|\\.)*"([],])/text\2/g
			s/(text,)+text\]/text]/g; s/:-?[0-9]+/:number/g; s/:(true|false)/:bool/g
			s/(\{"job":[^}]*\},?)+/part/
			s/,"(cause":text|tai_offset":number)//' "$record"
		echo
	done | LC_ALL=C sort -u
}

# has_known_forms DIR: each record has a form that the recorded ones have; the others are in text
has_known_forms()
{
	unpack_records recorded
	forms_of "$1" >forms
	LC_ALL=C comm -23 forms <(forms_of recorded) >text
	[ -s forms ] && [ ! -s text ]
}

# tai.so: a process that preloads it has a kernel whose TAI - UTC offset is $TAI
make_tai()
{
	cat >tai.c <<-END
		#include <stdlib.h>
		#include <sys/timex.h>
		int adjtimex(struct timex *now)
		{
			*now = (struct timex){ .tai = atoi(getenv("TAI")) };
			return 0;
		}
	END
	${CC:-cc} -shared -fPIC tai.c -o tai.so 2>text
}

# Field $2 of the JSON of "$1 ${@:4}" is $3.
json_field()
{
	"$liquid_nl" "$1" "${@:4}" --json >json 2>text &&
		found=$(jq -c "$2" json 2>>text) && [ "$found" = "$3" ]
	status=$?
	[ $status -eq 0 ] || echo "$2: found ${found-nothing}" >>text
	(exit $status)
	ok "$1 ${*:4}: $2 is $3"
}

# The papers' Fig. 11 and 12: three transfers, of which each takes two of three links in a ring
# whose links have capacity $1.
ring()
{
	cat <<-END
	liquid-fabric 1
	name triangle
	hosts t[1-3],r[1-3]
	switches a,b,c
	link t1 a 1
	link t2 b 1
	link t3 c 1
	link a b $1
	  to r1,r3
	link b c $1
	  to r1,r2
	link c a $1
	  to r2,r3
	link c r1 1
	  to r1
	link a r2 1
	  to r2
	link b r3 1
	  to r3
	end
	END
}
