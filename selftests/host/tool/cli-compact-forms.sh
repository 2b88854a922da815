#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What takes a compact schedule says the same of it as of the list of its transfers, which is made
# here from the slices: push, simulate, plot, solve --from.
# builds: user
# timeout: 180
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
. selftests/lib/tool.sh

[ -x "$tool" ] || skip_all "liquid-nl is not built (make user)"
echo "TAP version 13"
cd "$scratch" || exit 1

# list COMPACT FABRIC OUT: version 1 of a compact schedule. Its head is that of a schedule of the
# same traffic; frames are those of all slices.
list()
{
	"$liquid" solve "$2" --hosts "$hosts" --seed 7 --json | head -n 1 >head.1
	length=$(grep -o '"length":[0-9]*' "$1" | cut -d: -f2)
	bound=$(grep -o '"lower_bound":[0-9]*' "$1" | cut -d: -f2)
	certificate=gap
	[ "$length" != "$bound" ] || certificate=liquid
	sed -i "s/\"length\":[0-9]*/\"length\":$length/
		s/\"lower_bound\":[0-9]*/\"lower_bound\":$bound/
		s/\"certificate\":\"[a-z]*\"/\"certificate\":\"$certificate\"/
		s/\"witness\":.*,\"frames\"/\"witness\":null,\"frames\"/" head.1
	for host in $names; do
		"$liquid" slice "$1" --node "$host" | sed "s/^/$host /"
	done | awk '{ line[$2] = line[$2] (line[$2] == "" ? "" : ",") "[\"" $1 "\",\"" $3 "\"]" }
		END { for (f = 0; f < '"$length"'; f++)
			print "[" line[f] "]" (f < '"$length"' - 1 ? "," : "") ; print "]}" }' |
		cat head.1 - >"$3"
}

# same NAME ARG...: the output is that of the same command with the list of transfers
same()
{
	name=$1
	shift
	for form in compact listed; do
		# shellcheck disable=SC2046 # words
		"$tool" $(echo "$*" | sed "s/@/$form/") >"said.$form" 2>&1
		echo "exit code $?" >>"said.$form"
		sed -i '/"digest": /d; s/"seconds": *[0-9.e-]*//
			s/compact: //; s/listed: //' "said.$form"
	done
	diff said.compact said.listed >out
	result $? "$name"
}

# try FABRIC HOSTS: all that takes a schedule, and a node of them
try()
{
	hosts=$1 names=$2 node=$3
	"$liquid" solve fabric --hosts "$hosts" --link-rate 1G --compact -o compact >/dev/null
	list compact fabric listed
	sed -i 's/"link_rate_bps":null/"link_rate_bps":1000000000/' listed
	says "the list is valid" 0 "listed: valid" verify fabric listed
	common="--frame-time 1ms --base-time 6000000000000000 --rate 1G --dry-run --schedule @"
	same "push" push none0 $common --node "$node" --addr-map map --json
	grep -q '"frames": ' said.compact
	result $? "it says its frames"
	same "push with the fabric" push none0 $common --node "$node" --addr-map map --json \
		--fabric fabric
	grep -q '"hops": [2-9]' said.compact || grep -q 'guard_needed_ns' said.compact
	result $? "it knows the longest path"
	same "simulate by gates" simulate fabric --schedule @ --json
	same "simulate by tokens" simulate fabric --schedule @ --sync tokens --jitter normal:20% \
		--seed 3 --json
	same "simulate by clock" simulate fabric --schedule @ --sync clock --json
	"$liquid" plot listed --fabric fabric -o listed.csv
	"$liquid" plot compact --fabric fabric -o compact.csv
	cmp -s listed.csv compact.csv
	result $? "plot"
	"$liquid" plot compact --hosts "$node" -o one.csv 2>err &&
		grep "^sender,[0-9]*,$node," listed.csv | cut -d, -f2,3,6 >some &&
		grep "^sender," one.csv | cut -d, -f2,3,6 | cmp -s - some
	result $? "plot of one host"
	same "solve --from" solve fabric --hosts "$hosts" --from @ --json
}

expand()
{
	seq -f "$1%g" 1 "$2" | tr '\n' ' '
}

# ---- a fat tree, all of it; a torus, a part of it ----

"$liquid" fabric make fat-tree k=8 -o fabric >/dev/null
for n in $(seq 1 400); do
	echo "h$n 10.0.$((n / 200)).$((n % 200 + 1))"
done >map
try 'h[1-128]' "$(expand h 128)" h77
"$liquid" fabric make torus size=4x4 hosts=2 -o fabric >/dev/null
try 'h[1-31]' "$(expand h 31)" h31
grep -q '"without":\["h32"\]' compact
result $? "hosts can be left out"
# ---- refusals ----

common="--frame-time 1ms --base-time 6000000000000000 --rate 1G --dry-run --schedule @"
sed '/^h5 /d; /^h6 /d' map >less
same "no address of two" push none0 $common --node h1 --addr-map less
grep -q "no address is known for 2 of 30 destinations: h[56], h[56] in less" said.compact
result $? "by name"
sed 's/"units":"../"units":"BB/' compact >forged
expect "a forged schedule" 1 "forged: is not valid on fabric: " push none0 \
	--schedule forged --node h1 --frame-time 1ms --rate 1G --dry-run --addr-map map \
	--fabric fabric
grep -q 'frame [0-9]*: .*' err
result $? "with the finding"
expect "a picture of a host that it has not" 1 "has no host 'h99'; near it: h" \
	plot compact --hosts h99 -o a.csv

# ---- what is never listed: 4,608 hosts in the memory of a slice ----

"$liquid" fabric make leaf-spine leaves=96 hosts=48 spines=48 -o fabric >/dev/null
says "solve chooses the form, where nothing is lost" 0 "method       compact" solve fabric \
	--link-rate 1G -o compact
grep -q '"needs":\["orbits"' compact
result $? "and writes it"
for n in $(seq 1 4608); do
	echo "h$n 10.0.$((n / 250)).$((n % 250 + 1))"
done >map
(ulimit -v 200000 && "$tool" push none0 --schedule compact --node h4000 --frame-time 1ms \
	--rate 1G --dry-run --addr-map map >out 2>err) && [ "$(grep -c destination out)" -ge 4607 ]
result $? "push takes one of 4,608 hosts in less than 200 MB"
says "plot takes a sample" 0 "what 64 of 4608 hosts send, without links" plot compact \
	--fabric fabric -o a.csv
[ "$(cut -d, -f1 a.csv | sort | uniq -c | wc -l)" = 2 ]
result $? "of senders"
"$liquid" fabric make leaf-spine leaves=16 hosts=16 spines=16 -o fabric >/dev/null
says "it lists what is not large" 0 "method       auto" solve fabric
"$liquid" fabric make dragonfly a=8 p=4 h=4 groups=9 -o fabric >/dev/null
says "which is as short as one of orbits" 0 "length       29" solve fabric
says "and a list was not asked for" 0 "method       first-fit" solve fabric --method first-fit
finish
