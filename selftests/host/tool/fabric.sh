#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid fabric: what it prints, its exit codes, and that no half of a file is ever left.

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

fabric_prints()
{
	prints "$1" "$2" fabric "${@:3}"
}

echo "TAP version 13"
"$liquid" fabric make papers-5x5 -o papers >text 2>&1 &&
	"$liquid" fabric make papers-5x5 >text &&
	cmp papers text
ok "make: the same to a file and to stdout"
fabric_prints 0 "*hosts       10 (5 send, 5 receive)*links       12\
*25 transfers, duration 6, fluid bound 6*sa>sb *1 * 6 bottleneck*" show papers
fabric_prints 0 "t4 r3: t4>sb sb>sa sa>r3" show papers --route t4 r3
fabric_prints 0 "*t1 r1: t1>sa sa>r1*t5 r5: t5>sb sb>r5" show papers --routes
fabric_prints 0 "*torus \[size=XxYxZ]*mesh \[size=XxYxZ]*dragonfly*ISCA*2008)*" make
# The first coordinate first, over the corner s7; and no cable from s3 back to s1
"$liquid" fabric make mesh size=3x3 -o mesh >text 2>&1
fabric_prints 0 "h1 h9: *s1\[1]>s4\[2] s4\[1]>s7\[2] s7\[3]>s8\[4] s8\[3]>s9\[4]*" \
	show mesh --route h1 h9
fabric_prints 0 "h3 h1: h3\[1]>s3\[5] s3\[4]>s2\[3] s2\[4]>s1\[3] s1\[5]>h1\[1]" \
	show mesh --route h3 h1
rm mesh
"$liquid" fabric show --json --routes papers >text &&
	[ "$(grep -c '"from":' text)" = 12 ] && [ "$(grep -c '"src":' text)" = 25 ] &&
	[ "$(grep -c '"bottleneck": true' text)" = 2 ] &&
	grep -q '"duration": 6' text && grep -q '"sa>sb"' text
ok "show --json: figures, links and routes"
"$liquid" fabric show - <papers >text
ok "show: a fabric from stdin"

# Files of more than 32 MB say on a terminal how much is read; their comments are read fast.
{
	head -n 4 papers
	yes "# $(printf '%090d' 0)" | head -c 40000000
	echo
	tail -n +5 papers
} >large
timeout 60 "$liquid" fabric show large >text 2>said && [ ! -s said ] &&
	"$liquid" fabric show papers | cmp - text
ok "show: of a large file nothing is said without a terminal"
if command -v script >text; then
	end=$'99 % of 40 MB read\e[K\r\e[K'
	timeout 60 script -qec "$liquid_nl fabric show large >out" /dev/null >text &&
		[[ $(cat text) == *$'\rlarge: 50 % of 40 MB read\e[K'*"$end" ]] &&
		"$liquid" fabric show papers | cmp - out
	ok "show: on a terminal how much of a large file is read, and the line is cleared"
	echo x >>large
	timeout 60 script -qec "$liquid_nl fabric show large" /dev/null >text
	[[ $(cat text) == *$'\r\e[K'*"large:"*": text after the 'end' line"* ]]
	ok "show: and then what is wrong with it"
fi
rm -f large out said

for lft in fts lfts; do
	"$liquid" fabric import --topo "$data/k44.topo" --lft "$data/k44.$lft" --name k44 \
		-o "$lft" >text 2>&1
	ok "import: $lft of K4,4"
done
cmp fts lfts >text 2>&1
ok "import: both kinds of dump give the same file"
fabric_prints 0 \
	"*note: 1 aggregation*note: gamma: 2 endpoints whose adapters share a description*\
note: 3 nodes have no rail HCA-1/2 and are left out: beta,delta,gamma*\
import rail HCA-1/2*hosts alpha*" \
	import --rail 2 --topo "$data/ports.topo" --lft "$data/ports.fts"

# What each host is: the second adapter of beta is not a rail 2, and those of gamma are on none
"$liquid" fabric import --unit-rate 2G --topo "$data/ports.topo" --lft "$data/ports.fts" \
	-o ports 2>/dev/null
fabric_prints 0 "node *adapter *port *rail *lids *rate *switch port*\
alpha *HCA-1 *1 *1 *2-3 *8 Gbit/s  MF0*01\[1]*alpha *HCA-1 *2 *2 *6-7 *\
beta *HCA-1 *1 *1 *8-9 *beta *HCA-2 *1 *3 *10-11 *02\[2]*delta *HCA-1 *1 *1 *2 Gbit/s *\
*gamma *0002c90000000130 *1 *- *12-13 *" show --endpoints ports
fabric_prints 0 "node *t1 *- *- *- *- *- *sa*r5 *- *- *- *- *- *sb" show --endpoints papers
"$liquid" fabric show --json ports >text &&
	[ "$(jq -c '.endpoints[3] | [.host, .node, .adapter, .port, .rail, .lid, .lids, .rate_bps,
		.switch, .switch_port]' text)" = '["beta/HCA-2/1","beta","HCA-2",1,3,10,2,'\
'8000000000,"MF0;leaf:MSB7700/U1/0002c90000000002",2]' ]
ok "show --json: endpoints"
printf '0x0002c90000000140 "gamma.site mlx5_1"\n' >map
fabric_prints 0 "*import node-name 0002c90000000140 gamma.site mlx5_1*import strip-domain .site*\
endpoint gamma/mlx5_0/1 mlx5_0/1 4 *endpoint gamma/mlx5_1/1 mlx5_1/1 5 *" import --unit-rate 2G \
	--node-name-map map --strip-domain .site --topo "$data/ports.topo" --lft "$data/ports.fts"
echo 'gamma mlx5_1' >map
fabric_prints 1 "liquid: map:1: expected GUID \"NAME\", as 0x*" import --node-name-map map \
	--topo "$data/ports.topo" --lft "$data/ports.fts"
rm map
fabric_prints 2 "*--endpoints shows no routes*" show --endpoints --routes ports
rm ports

# A switch without a route to c: show and solve report how many pairs
{
	printf 'liquid-fabric 1\nname star\nhosts a,b,c\nswitches s\n'
	for host in a b c; do
		printf 'link %s s 1\nlink s %s 1\n  to %s\n' $host $host $host
	done | sed '/^  to c/d'
	echo end
} >star
fabric_prints 0 \
	"*4 transfers, duration 2,*no route    2 pairs: solve refuses a traffic with one of them*" \
	show star
prints 1 "*no route from a to c: it ends at switch s; 2 of 6 pairs of the traffic have no route" \
	solve star
printf 'a b\na c\n' >one-lost
prints 1 "*no route from a to c: it ends at switch s" solve star --traffic one-lost
# An import that allows it: traffics by name leave these pairs out
sed '1s/1/2/; /^hosts/i import allow-unreachable' star >allowed
lost='note: 2 of 6 pairs have no route and are left out: a>c, b>c'
prints 0 "*$lost*transfers    4*" solve allowed -o part
prints 0 "*$lost*valid*" verify allowed part --hosts a,b,c
prints 0 "*$lost*transfers    4*" solve allowed --traffic mpi:alltoall
prints 0 "*note: 1 of 2 pairs have no route and are left out: a>c*transfers    1*" \
	solve allowed --senders a --receivers b,c
prints 1 "*no pair of the traffic has a route" solve allowed --senders a --receivers c
prints 0 "*$lost*" advise allowed
prints 0 "*$lost*" simulate allowed --order pairwise
prints 1 "*no route from a to c: it ends at switch s" solve allowed --traffic one-lost
prints 0 "*" route allowed -o whole.fts && "$liquid" fabric show whole.fts >text
! grep "no route" text
ok "route finds routes for the pairs that have none"
rm star one-lost allowed part whole.fts

# The rate of a unit: in fabric, digest and schedule, and no other next to it
fabric_prints 0 "liquid-fabric 2*name papers-5x5*unit 10000000000*" make papers-5x5 --unit-rate 10G
"$liquid" fabric make papers-5x5 --unit-rate 10G >papers.10
sed 's/^unit 10000000000/unit 9999999999/' papers.10 >papers.9
for rate in 10 9; do
	"$liquid" fabric show papers.$rate | sed -n 's/^digest *//p'
done | sort -u >text
[ "$(wc -c <text)" = 130 ]
ok "show: an edited rate is another digest"
rm papers.10 papers.9
fabric_prints 0 "*unit        2 Gbit/s*host links  not all alike:*1 of capacity 1: delta\
*note        slower than the 6 hosts of capacity 4: delta*" show - \
	< <("$liquid" fabric import --topo "$data/ports.topo" \
		--lft "$data/ports.fts" --unit-rate 2G 2>/dev/null)
fabric_prints 1 "*1 host is slower than most, which have 8G bit/s: delta (2G bit/s); \
to go on, --leave-out LIST*--unit-rate 2G*" import --topo "$data/ports.topo" --lft "$data/ports.fts"
fabric_prints 0 "*note: left out as asked: delta*import leave-out delta*hosts alpha*" import \
	--leave-out delta \
	--topo "$data/ports.topo" --lft "$data/ports.fts"
fabric_prints 0 "*import rail HCA-1*import leave-out delta*hosts alpha,beta*" import --rail 1 \
	--leave-out delta --topo "$data/ports.topo" --lft "$data/ports.fts"
fabric_prints 0 "*note: left out as asked: alpha/HCA-1/2,beta/HCA-2/1*import leave-out \
rail:\[2-3]*hosts alpha/HCA-1/1,beta/HCA-1/1,delta,gamma*" import --leave-out 'rail:[2-3]' \
	--unit-rate 2G --topo "$data/ports.topo" --lft "$data/ports.fts"
fabric_prints 0 "*note: left out as asked: beta/HCA-2/1*hosts alpha/HCA-1/\[1-2],beta/HCA-1/1,*" \
	import --leave-out rail:HCA-2 --unit-rate 2G --topo "$data/ports.topo" \
	--lft "$data/ports.fts"
fabric_prints 1 "*unknown hosts, switches, cables or rails: omega*" import --leave-out delta,omega \
	--topo "$data/ports.topo" \
	--lft "$data/ports.fts"
fabric_prints 1 "*a unit of 1k bit/s: a link can have a capacity of 65535 units at most*" import \
	--unit-rate 1k \
	--topo "$data/ports.topo" --lft "$data/ports.fts"
fabric_prints 2 "*--unit-rate: expected a rate such as 10G, got 'fast'*" import --unit-rate fast
fabric_prints 2 "*--unit-rate: expected a rate such as 10G, got '0'*" make papers-5x5 --unit-rate 0
fabric_prints 1 "*k44.fts:1: a dump of forwarding tables*" import --topo "$data/k44.fts" \
	--lft "$data/k44.topo" -o fts
cmp fts lfts >text 2>&1
ok "import: a file that was there stays as it was when the import fails"
fabric_prints 5 "*nowhere: No such file*" import --topo nowhere --lft "$data/k44.fts"
fabric_prints 5 "*no/where: No such file*" make papers-5x5 -o no/where
fabric_prints 1 "*fabric: name has a byte 0x20*" import --name "a b" \
	--topo "$data/k44.topo" --lft "$data/k44.fts"
head -n 20 papers >short
fabric_prints 1 "*short:21: the file ends without an 'end' line" show short
fabric_prints 1 "*no host 'T1-ib' in fabric papers-5x5; near it: t1" \
	show papers --route T1-ib r1
fabric_prints 1 "*no host 'x' in fabric papers-5x5; near it: *" show papers --route x r1
fabric_prints 1 "*no route from r1 to t1: r1 has no outgoing link" show papers --route r1 t1
fabric_prints 1 "*no generator 'moebius'" make moebius
fabric_prints 2 "*missing subcommand*usage:*"
for verb in up down stats; do
	fabric_prints 2 "liquid: fabric $verb is now 'liquid-lab $verb' (make install-lab)" $verb
done
fabric_prints 2 "*unknown subcommand 'paint'*" paint
fabric_prints 2 "*--topo and --lft, or --from and SOURCE, are needed*" import
fabric_prints 1 "*ports.topo: no rail '0'; most nodes have 2: *" import --rail 0 \
	--topo "$data/ports.topo" --lft "$data/ports.fts"
fabric_prints 2 "*missing FABRIC*" show
fabric_prints 1 "*only one of the files can be stdin*" import --topo - --lft -
fabric_prints 2 "*either --routes or --route*" show --routes --route papers t1 r1
if [ -e /dev/full ]; then
	"$liquid" fabric make papers-5x5 >/dev/full 2>text
	[ $? -eq 5 ]
	ok "make: a full disk is an error"
fi
[ "$(ls -A)" = "$(printf '%s\n' fts lfts papers short text)" ]
ok "no temporary file is left behind"
finish
