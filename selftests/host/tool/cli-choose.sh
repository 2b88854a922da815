#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid choose: the nodes for a job, what they are compared with, and what it refuses.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# Field $1 of the JSON of the choice "${@:3}" is $2.
field()
{
	json_field choose "$@"
}

command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 4; }

echo "TAP version 13"
prints 0 "" fabric make swiss-t1 --unit-rate 688M -o swiss

# ---- Swiss-T1: the thesis has 459 to 1,376 MB/s for 16 nodes ----

prints 0 "senders      t[[]1-8,17-24]
receivers    r[[]1-8,17-24]
chosen       16 of 32 candidates
lambda       16, at least 16 for any others
liquid       16 links of capacity 1: 11.008 Gbit/s
spread       1 links between switches for a transfer
proof        the best: all 38165 choices by 8 classes of nodes were compared
first        lambda 32, spread 1
random       lambda *, spread * (median of 15; lambda * to *)" choose swiss --count 16
field '[.lambda,.proven,.classes,.first.lambda]' '[27,"best",8,48]' swiss --count 24
field '[.lambda,.allocations,.spread]' '[48,1,1.25]' swiss --count 32
# Every other switch is taken: the rest has another best
field '[.candidates,.lambda,(.senders|length)]' '[16,8,8]' swiss --count 8 \
	--free 't[1-4,9-12],r[17-20,25-28]'
field '[.lambda,.transfers]' '[64,1024]' swiss --count 16 --tasks-per-node 2
# The same by a schedule: of this many frames, and no fewer
senders=$(jq -r '.senders|join(",")' json)
receivers=$(jq -r '.receivers|join(",")' json)
prints 0 "*duration     16
*" solve swiss --senders "$senders" --receivers "$receivers"

# ---- what is known of others ----

prints 0 "" fabric make leaf-spine leaves=8 hosts=8 spines=4 -o tree
# 4 hosts of each switch: 4 * 28 / 4 = 28 < 31; all of 4 switches: 8 * 24 / 4 = 48
field '[.lambda,.bound,.first.lambda,.proven]' '[31,31,48,"lambda"]' tree --count 32
field '[.lambda,.bound,.proven]' '[112,112,"best"]' tree --count 64
"$liquid" fabric make leaf-spine leaves=8 hosts=8 spines=4 routes=hash -o hashed >text 2>&1
field '[.proven,(.bound<.lambda),(.lambda<=.first.lambda)]' '["none",true,true]' hashed --count 40 \
	--work 1
field '[.allocations,(.lambda<.random.least)]' '[0,true]' hashed --count 40
field '.senders' '["h1","h5"]' tree --count 2 --free h[1,5,9]
"$liquid" choose tree --count 20 --seed 3 --json >one 2>text
"$liquid" choose tree --count 20 --seed 3 --json | diff one - >>text 2>&1
ok "the same options make the same choice"
prints 0 "h[[]1-3]" choose tree --count 3 --free 'h[1-3]' --format hostlist
prints 0 "h1 slots=2
h2 slots=2" choose tree --count 2 --free 'h[1-2]' --format hostfile --tasks-per-node 2
# No link is between hosts of one switch: the links of their own decide
field '[.lambda,.spread]' '[3,0]' tree --count 4

# ---- 64 of 1,024, in what takes less than a second: steps along routes, not time ----

"$liquid" fabric make leaf-spine leaves=64 hosts=16 spines=8 routes=hash -o large >text 2>&1
field '[.candidates,.lambda,.proven,(.work<42000000)]' '[1024,63,"lambda",true]' large --count 64

# ---- a matrix: ranks that send much to each other are close ----

printf '0,0,9,0\n0,0,0,9\n9,0,0,0\n0,9,0,0\n' >matrix
field '[.lambda,.spread,.transfers,(.senders[0]!=.senders[1])]' '[9,0,36,true]' tree --count 4 \
	--traffic matrix:matrix --unit-bytes 1 --free 'h[1,2,63,64]'
field '[.senders[0],.senders[2]]|sort|.==["h1","h2"] or .==["h63","h64"]' true tree --count 4 \
	--traffic matrix:matrix --unit-bytes 1 --free 'h[1,2,63,64]'
prints 1 "*matrix:1: 4 columns; there are 3 hosts and 3 ranks*" choose tree --count 3 \
	--traffic matrix:matrix --unit-bytes 1
prints 1 "*needs the size of a unit*" choose tree --count 4 --traffic matrix:matrix
prints 5 "*nowhere: No such file*" choose tree --count 4 --traffic matrix:nowhere --unit-bytes 1

# ---- nodes with several endpoints: the first of each ----

cat >two-ports <<-END
	liquid-fabric 1
	name ports
	hosts node2/HCA-1/1,node1/HCA-1/1,node1/HCA-1/2
	switches s
	link node2/HCA-1/1 s[1] 1
	link node1/HCA-1/1 s[2] 1
	link node1/HCA-1/2 s[3] 1
	link s[1] node2/HCA-1/1 1
	  to node2/HCA-1/1
	link s[2] node1/HCA-1/1 1
	  to node1/HCA-1/1
	link s[3] node1/HCA-1/2 1
	  to node1/HCA-1/2
	end
END
field '[.candidates,.senders]' '[2,["node2/HCA-1/1","node1/HCA-1/1"]]' two-ports --count 2
prints 0 "node[[]2,1]" choose two-ports --count 2 --free node1,node2 --format hostlist

# ---- refusals ----

prints 2 "*missing --count*" choose tree
prints 2 "*--count: expected a number, at least 1, got '0'*" choose tree --count 0
prints 1 "*65 nodes of 64 candidates" choose tree --count 65
prints 1 "*3 nodes of 2 candidates" choose tree --count 3 --free 'h[1-2]'
prints 1 "*--free: fabric '*' has no node 'h65'; near it:*" choose tree --count 1 --free h65
prints 1 "*--free: 'h1' is listed twice" choose tree --count 1 --free h1,h2,h1
prints 1 "*--free: *'\[' is not closed*" choose tree --count 1 --free 'h[1'
prints 2 "*--traffic: expected alltoall, mpi:alltoall or matrix:FILE, got 'file'*" choose tree \
	--count 2 --traffic file
prints 2 "*--unit-bytes goes with --traffic matrix:FILE*" choose tree --count 2 --unit-bytes 5
prints 2 "*--json and --format exclude each other*" choose tree --count 2 --json --format slurm
prints 1 "*tree2:3:*" choose "$(sed '3s/.*/hosts h[/' tree >tree2; echo tree2)" --count 2
# Two parts without a link between them
cat >parts <<-END
	liquid-fabric 1
	name parts
	hosts a,b,c,d
	switches s,t
	link a s 1
	link b s 1
	link c t 1
	link d t 1
	link s a 1
	  to a
	link s b 1
	  to b
	link t c 1
	  to c
	link t d 1
	  to d
	end
END
field '[.senders,.random.most]' '[["a","b"],null]' parts --count 2
prints 1 "*no 3 of the 4 candidates were found that have routes to each other" choose parts \
	--count 3

# ---- the order of ranks against contention ----

prints 0 "" fabric make dragonfly -o dragonfly
prints 0 "shift of 72 hosts: * frames as listed, * in this order, * at best" \
	ranks dragonfly --check --order contention-aware
cp text aware
read -r listed ordered <<<"$(sed 's/.*: \([0-9]*\) frames as listed, \([0-9]*\) in.*/\1 \2/' aware)"
[ "${ordered:-0}" -gt 70 ] && [ $((ordered * 3)) -lt $((listed * 2)) ]
ok "ranks --order contention-aware: on a dragonfly a third less"
"$liquid" ranks dragonfly --order contention-aware --format mpich | tr , '\n' | sort >one
"$liquid" ranks dragonfly --format mpich | tr , '\n' | sort | diff one - >text 2>&1
ok "with all of the hosts"
prints 2 "*--ca-order is an order itself: leave out --order*" ranks dragonfly \
	--order contention-aware --ca-order x
prints 2 "*--order: expected fabric or contention-aware, got 'x'*" ranks dragonfly --order x
finish
