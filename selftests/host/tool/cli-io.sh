#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl's inputs and stdout: exit code 5 for what cannot be read or written or has no memory,
# inputs from pipes, one from stdin.
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

echo "TAP version 13"
"$liquid" fabric make papers-5x5 -o papers >text 2>&1 &&
	"$liquid" solve papers --link-rate 1G -o schedule >text 2>&1
ok "a fabric and its schedule"
"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=1 -o tree >text 2>&1
ok "a fabric for ranks"
for i in 1 2 3 4 5; do
	echo "r$i 10.0.0.$i"
done >map
slice="none0 --node t1 --frame-time 1ms --rate 1G --dry-run"

# ---- what is printed must arrive ----
# full ARGUMENT...: with a stdout that takes nothing
full()
{
	timeout 60 "$liquid_nl" "$@" >/dev/full 2>text
	[ $? = 5 ] && grep -qE "^liquid(-nl)?: stdout: .*No space left on device" text &&
		[ "$(grep -cE "^liquid(-nl)?: " text)" = 1 ]
	ok "$* >/dev/full: exit code 5"
}
if [ -c /dev/full ]; then
	full --help
	full --version
	full solve --help
	full push --help
	full fabric make papers-5x5
	full fabric import --topo "$data/k44.topo" --lft "$data/k44.fts"
	full fabric show papers
	full solve papers
	full solve papers --export-dimacs -
	full verify papers schedule
	full simulate papers --schedule schedule
	full ranks tree
	# shellcheck disable=SC2086 # words
	full push $slice --schedule schedule --addr-map map
	"$liquid" verify papers schedule --traffic <(echo t1 r1) --json >/dev/full 2>text
	[ $? = 1 ] && grep -q "stdout: the output could not be written" text
	ok "an invalid schedule is exit code 1 all the same"
fi
# Whether the reader goes before the tool writes is not certain, but in the end it is gone.
(trap '' PIPE && "$liquid" fabric make fat-tree k=16 2>text; echo $? >code) | :
[ "$(cat code)" = 5 ] && grep -q "Broken pipe" text
ok "a pipe whose reader is gone, and SIGPIPE is ignored: exit code 5"

# ---- inputs that cannot be read ----
prints 5 "liquid: .: Is a directory" solve .
prints 5 "liquid: .: Is a directory" verify papers .
prints 5 "liquid: papers/x: Not a directory" solve papers/x
# A file of which every read fails
for words in "solve BAD" "solve papers --traffic BAD" "solve papers --from BAD" \
	"verify papers BAD" "simulate papers --schedule BAD" \
	"fabric import --topo BAD --lft $data/k44.fts" "push $slice --schedule BAD" \
	"push $slice --schedule schedule --addr-map BAD" \
	"ranks tree --ca-order BAD" \
	"solve tree --traffic matrix:BAD --hosts h1,h2 --unit-bytes 1"; do
	# shellcheck disable=SC2086
	prints 5 "liquid*: /proc/self/mem*Input/output error" ${words/BAD//proc/self/mem}
done
"$liquid" solve - <&- >text 2>&1
[ $? = 5 ] && grep -q "stdin: Bad file descriptor" text
ok "solve - <&-: exit code 5"

# ---- one input from stdin ----
# twice FILE ARGUMENT...: with FILE from a pipe as stdin
twice()
{
	# shellcheck disable=SC2002 # a pipe
	cat "$1" | timeout 20 "$liquid_nl" "${@:2}" >text 2>&1
	[ $? = 1 ] && grep -q "only one of the files can be stdin" text
	ok "$1 | ${*:2}: refused"
}
twice papers solve - --traffic -
twice papers solve - --traffic /dev/stdin
twice papers solve /dev/stdin --traffic /dev/fd/0
twice tree solve - --traffic matrix:- --hosts h1,h2 --unit-bytes 1
twice schedule solve papers --from - --traffic -
twice papers verify - -
twice schedule verify papers - --traffic -
twice papers simulate - --schedule -
twice papers simulate - --order random --traffic -
twice papers plot - --fabric - -o x.csv
twice papers plot --fabric - --traffic - -o x.csv
twice tree ranks - --ca-order -
# shellcheck disable=SC2086
twice map push $slice --schedule - --addr-map -
# shellcheck disable=SC2086
twice schedule push $slice --schedule - --fabric - --addr-map map
twice "$data/k44.topo" fabric import --topo - --lft -
"$liquid" solve - --traffic - <papers >text 2>&1
[ $? = 1 ] && grep -q "only one of the files can be stdin" text
ok "stdin is a file: refused too"

# ---- inputs from other pipes ----
prints 0 "*valid*" verify <(cat papers) <(cat schedule) --traffic <(printf \
	't%d r1\n' 1 2 3 4 5; printf 't%d r2\n' 1 2 3 4 5
	printf 't%d r3\n' 1 2 3 4 5; printf 't%d r4\n' 1 2 3 4 5; printf 't%d r5\n' 1 2 3 4 5)
prints 0 "*kept*" solve <(cat papers) --from <(cat schedule)
prints 0 "*" simulate <(cat papers) --schedule <(cat schedule)
prints 0 "" plot <(cat schedule) --fabric <(cat papers) -o x.csv
prints 0 "*" fabric import --topo <(cat "$data/k44.topo") --lft <(cat "$data/k44.fts")
prints 0 "*" solve <(cat tree) --traffic matrix:<(printf '0 1\n1 0\n') --hosts h1,h2 --unit-bytes 1
# shellcheck disable=SC2086
"$liquid_nl" push $slice --schedule schedule --addr-map map --fabric papers \
	--base-time 0 >wanted 2>text
# shellcheck disable=SC2086
prints 0 "$(cat wanted)" push $slice --schedule <(cat schedule) --addr-map <(cat map) \
	--fabric <(cat papers) --base-time 0
# shellcheck disable=SC2086
"$liquid_nl" push $slice --schedule - --addr-map map --fabric papers \
	--base-time 0 <schedule >got 2>text && cmp -s got wanted
ok "push --schedule - --fabric FILE"

# ---- usage errors are the tool's own ----
for verb in import make show; do
	prints 2 "liquid fabric $verb: *'--strange'*usage: liquid fabric $verb*" fabric \
		$verb --strange
done
prints 2 "liquid fabric make: unknown option '--json'*" fabric make --json
prints 2 "liquid fabric make: -o needs a value*" fabric make papers-5x5 -o
prints 2 "liquid fabric import: --lft needs a value*" fabric import --lft

# ---- out of memory ----
"$liquid" fabric make fat-tree k=12 -o large >text 2>&1 &&
	"$liquid" solve large --method round-robin -o large.json >text 2>&1
ok "a larger schedule"
# Each limit gets a little farther. None may end without a reason, or with a fault of the file.
refused=0
wrong=0
for limit in $(seq 4500 250 9500); do
	# shellcheck disable=SC2086
	(ulimit -v "$limit" && exec "$liquid_nl" push ${slice/t1/h1} --schedule large.json \
		--fabric large --addr h9=10.0.0.9) >text 2>&1
	status=$?
	case $status in
	5)
		refused=$((refused + 1))
		grep -q "^liquid-nl: .*memory" text
		;;
	1) grep -qE "no address is known|error while loading shared libraries" text ;;
	127) ;;		# the loader's, which exits with 1 in one place
	*) false ;;
	esac || { wrong=$((wrong + 1)) && sed "s/^/# $limit: $status: /" text; }
done
[ $refused -ge 8 ] && [ $wrong = 0 ]
ok "out of memory while a schedule is read: exit code 5, and said as such"
finish
