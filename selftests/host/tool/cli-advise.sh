#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid advise: its page is what the other commands say one by one, the errors that it states
# are not exceeded, it says so where nothing is gained, and what it proposes can be called.
#
# timeout: 300

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 4; }

# advice OPTION...: into file json
advice()
{
	timeout 200 "$liquid" advise "$@" --json >json 2>text || return
	cp json text
}

# holds EXPRESSION NAME [INPUT]: it is true of the last advice
holds()
{
	[ "$(jq "$tried $1" json ${3:+"$3"} 2>&1 | head -n 1)" = true ]
	ok "$2"
}

# What was tried, today's first; on the present routes, a share of the speed at best
tried='def tried: [.today] + .remedies; def shares: .at_best_us as $best |
	[tried[]|select(.routes == "present" and (.other_nodes|not))|
	{order, share: ($best / .us.fifo, $best / .us.voq)}];'

# us ORDER QUEUES: that it takes on the present routes
us()
{
	jq "$tried [tried[]|select(.order == \"$1\" and .routes == \"present\" and
		(.other_nodes|not)).us.$2][0]" json
}

# near A B: the same, except for rounding
near()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a - b < 1e-9 && b - a < 1e-9) }'
}

# simulated ORDER QUEUES OPTION...: the us of an order, with the page's starts
simulated()
{
	"$liquid" simulate "${@:3}" --order "$1" --queues "$2" --start-skew 10us --json --seed \
		"$(jq "$tried [tried[]|select(.order == \"$1\" and
			.routes == \"present\")][0].seed.$2" json)" | jq .time_ns/1000
}

echo "TAP version 13"

# ---- nothing gained: three hosts of one switch with all at once; a fat tree in step only ----

"$liquid" fabric make leaf-spine leaves=1 hosts=3 spines=1 -o one >text 2>&1
prints 0 "fabric       leaf-spine:leaves=1:hosts=3:spines=1: 3 hosts, 2 switches, 8 links
exchange     6 messages of 512 KiB from 3 hosts to 3, at 100 Gbit/s a link
at best      83.886 us: the busiest link carries 2 messages
bottleneck   the hosts' own links; the busiest link between switches has 0 % of
               their load
unused       2 of 2 links between switches carry nothing
verdict      nothing that was tried gains 5 %: all-at-once gets 9?.? % of the
               best speed
remedies     in us, with FIFO and with VOQ switches
      FIFO      VOQ   +-   gain effort        what is tried
*  x1.00 -             all at once (linear)
no remedy    *: x1.0?, *
*             and * more (--json)
simulated    whole
schedule     2 frames found, at least 2 are needed
tokens *
gates *
go on with   liquid simulate one --order all-at-once --message 524288 --packet ?
               16384 --start-skew 10000 --seed ?" \
	advise one --message 512Ki --today all-at-once
advice one --message 512Ki --today all-at-once
holds '[.remedies[].recommended]|(any|not) and length > 5' "one switch: nothing is recommended"
"$liquid" fabric make fat-tree k=4 -o whole >text 2>&1
advice whole
holds '.at_best_us / .today.together_us.voq > 0.9 and .at_best_us / .today.us.voq < 0.8 and
	.remedies[0].name == "all at once (linear)"' \
	"a whole fat tree, D-mod-K: pairwise is fast only with hosts that start together"
prints 0 "*us instead of * if all hosts start together: x1.0?*" advise whole

# ---- parts of messages: 25 over a trunk of 4 take 6.25 frames instead of 7 ----

"$liquid" fabric make leaf-spine leaves=2 hosts=5 spines=1 capacity=4 -o four >text 2>&1
prints 0 "*schedule     7 frames found*
parts        messages in 4 parts take 6.25 frames instead of 7 (solve --divisible);
             this gains for messages of 117.2 KiB or more by tokens, 2.861 MiB or more by gates
*" advise four --senders 'h[1-5]' --receivers 'h[6-10]'
advice four --senders 'h[1-5]' --receivers 'h[6-10]'
holds '.schedule.parts|.parts == 4 and .length == 25 and .tokens_from_bytes == 120000' \
	"the JSON has the parts: 18 more tokens of 0.4 us cost what 3/4 of a message takes"
advice whole
holds '.schedule.parts == null' "no parts where whole messages leave no gap"

# ---- routes that other tables would improve ----

"$liquid" fabric make torus size=8x8 -o torus >text 2>&1
advice torus --work 40000
found()
{
	"$liquid" route torus --work 400000 --json "$@" | jq .load
}
holds "[.remedies[]|select(.routes == \"other\").lambda] | min == $(found --lanes 4) and max == min
	and min < $(found)" "those with four lanes are tried, as they need less"

# ---- remedies: each is tried, and the best one first ----

# ranked: those that are recommended by their gain with VOQ, of equal ones the least effort first,
# and none that gains nothing
ranked='def place($r): ["option","preload","hostfile","nodes","tables","tokens","gates"] |
		index($r.effort|split("+")[0]);
	[.remedies[]|select(.recommended)] as $r |
	([$r[].gain.voq]|all(. >= 1.05)) and ([$r[].gain.fifo]|all(. >= 1)) and
	([range(1; $r|length) | $r[.-1] as $a | $r[.] as $b |
		$a.gain.voq * 1.05 >= $b.gain.voq and
		($a.gain.voq / 1.05 > $b.gain.voq or place($a) <= place($b))]|all) and
	([.remedies[]|select(.gain.voq < 1)|.recommended or .why_not == null]|any|not)'
# first NAME EFFORT: of the remedies
first()
{
	holds ".remedies[0].name == \"$1\" and .remedies[0].effort == \"$2\"" \
		"$3: first comes $1"
	holds "$ranked" "$3: all are in the order of gain and effort"
}
# remedy NAME MEMBER: of the last advice
remedy()
{
	jq ".remedies[]|select(.name == \"$1\")$2" json
}
# takes NAME FABRIC OPTION...: what the remedy is said to take with VOQ is what `simulate` says
takes()
{
	local name=$1

	shift
	local start=(--start-skew 10us --seed "$(remedy "$name" .seed.voq)")

	[[ " $* " != *" gates "* ]] || start=(--clock-error 5us "${start[@]:2}")
	"$liquid" simulate "$@" "${start[@]}" --json | jq .time_ns/1000 >took
	echo "$name: $(remedy "$name" .us.voq), simulated $(cat took)" >text
	near "$(remedy "$name" .us.voq)" "$(cat took)"
	ok "$name: its time is what \`simulate\` says"
}
"$liquid" fabric make leaf-spine leaves=2 hosts=16 spines=4 -o two >text 2>&1
advice two
first "all at once (linear)" option "two leaves"
holds '.remedies[0]|.options["Open MPI"] ==
	"--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_alltoall_algorithm 1" and
	.command == "mpirun \(.options["Open MPI"]) ..." and .network == 1 and
	(.options|has("MPICH") and has("UCC") and has("NCCL"))' "by an option of each library"
takes "all at once (linear)" two --order all-at-once
takes "8 at once (windowed)" two --order all-at-once --window 8
takes "pairwise by XOR" two --order pairwise-xor
prints 0 "*verdict      the order of messages decides: all at once (linear) takes
*us instead of * with FIFO switches: x1.??
*us instead of * with VOQ switches: x1.??
*options      Open MPI  --mca *
               coll_tuned_alltoall_algorithm 1
             MPICH     MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=scattered
               MPIR_CVAR_ALLTOALL_THROTTLE=0
             UCC       UCC_TL_UCP_ALLTOALL_PAIRWISE_NUM_POSTS=0
*" advise two
holds '.remedies|map(select(.routes == "other" and .recommended))|length == 0' \
	"where other routes gain nothing, they are not recommended"
holds '.today.order == "pairwise" and .today.gain.voq == 1' "today is pairwise"
advice two --today all-at-once
holds '.today.order == "all-at-once" and ([.remedies[]|select(.order == "pairwise" and
	.recommended)]|length == 0)' "or what --today says"
# A ring sends each block from rank to rank: 15 * 16 / 2 steps of one neighbour each.
printf 'h%d h%d\n' $(for i in $(seq 16); do echo "$i $((i % 16 + 1))"; done) >next.pairs
advice whole
"$liquid" simulate whole --order pairwise --traffic next.pairs --json |
	jq '.time_ns*120/1000 + 10' >took
near "$(remedy ring .us.voq)" "$(cat took)"
ok "a ring takes as long as its steps, and as its hosts are late"
holds '.remedies[]|select(.order == "ring").network == 8' "and burdens links eight times as much"

# ---- a hashed one, next to the other commands ----

"$liquid" fabric make fat-tree k=6 routes=hash -o hashed >text 2>&1
advice hashed
first "other routes, all at once (linear)" tables+option "the same tree hashed"
holds '.today.together_us.fifo / (.remedies[]|select(.name == "other routes, pairwise")|
	(.recommended|select(.)) as $r|.together_us.fifo) > 2.9' \
	"other routes alone make pairwise three times as fast, if hosts start together"
for queues in fifo voq; do
	for order in pairwise all-at-once; do
		simulated=$(simulated $order $queues hashed)
		echo "$order: $(us $order $queues), simulated $simulated" >text
		near "$(us $order $queues)" "$simulated"
		ok "$order, $queues: the time is what \`simulate\` says"
	done
done
near "$(us shuffle-rotation voq)" "$(simulated shuffle-rotation voq hashed --window auto)"
ok "and that of windows"
"$liquid" fabric show hashed >show
most=$(awk '$3 > most && /bottleneck/ { most = $3 } END { print most }' show)
links=$(awk -v most="$most" '$3 == most' show | grep -c bottleneck)
holds ".bottlenecks[0].load == $most and .bottleneck_count == $links and .lambda == $most" \
	"its bottlenecks are those of \`fabric show\`"
holds "[.bottlenecks[].link]|length == ([.[]|select(test(\"^[a-z]+[0-9]+.[0-9]+.>\"))]|length)" \
	"named by switch and port"
"$liquid" solve hashed --work 400000000 -o schedule >text 2>&1
length=$(sed -n 's/^length *//p' text)
holds ".schedule.length == $length and .schedule.simulated" "its schedule is that of \`solve\`"
takes "a schedule by tokens" hashed --schedule schedule --sync tokens
takes "a schedule by gates" hashed --schedule schedule --sync gates
"$liquid" route hashed --work 400000 -o better >text 2>&1
for order in pairwise all-at-once; do
	name="other routes, $order"
	takes "${name/all-at-once/all at once (linear)}" better --order $order
done
# The median of three starts, and what others differ
for seed in 0 1 2 3; do
	"$liquid" simulate better --order pairwise --seed $seed --json \
		--start-skew $((seed ? 10 : 0))us | jq .time_ns
done >starts
median=$(tail -n 3 starts | sort -n | sed -n 2p)
[ "$(remedy "other routes, pairwise" ".us.voq*1000|round")" = "$median" ] &&
	[ "$(remedy "other routes, pairwise" ".together_us.voq*1000|round")" = \
		"$(head -n 1 starts)" ]
ok "the time is the median of three starts; and what it is if hosts start together"
spread=$(awk -v m="$median" 'NR > 1 { d = $1 / m - 1; d = d < 0 ? -d : d
	most = d > most ? d : most } END { printf "%.12g", most }' starts)
near "$(remedy "other routes, pairwise" .spread.voq)" "$spread"
ok "the spread is the largest difference of the others"
# Who meets: from and to different hosts, all by the first bottleneck
jq -r '.meet[]|join(" ")' json | while read -r from to; do
	"$liquid" fabric show hashed --route "$from" "$to"
done >routes.text
[ "$(grep -cF "$(jq -r '.bottlenecks[0].link' json)" routes.text)" = 3 ] &&
	[ "$(jq -r '.meet[][0]' json | sort -u | wc -l)" = 3 ]
ok "the flows named meet on the bottleneck"

# ---- links of larger capacity: no share is above what they allow ----

"$liquid" fabric make leaf-spine leaves=2 hosts=3 spines=1 -o thin >text 2>&1
sed -E '/^link (leaf.\[4\]|spine)/s/ 1$/ 2/' thin >trunk
advice trunk --senders 'h[1-3]' --receivers 'h[4-6]'
holds '.lambda == 4.5 and .at_best == 4.5 and .schedule.duration == 5' "9 messages on a link of 2"
holds '.at_best_us as $best|[shares[].share, $best / .remedies[].us.fifo]|
	max <= 1 and (max > 0.9)' "none is above 100 %"
holds '.at_best_us / (.remedies[]|select(.order == "tokens" and
	.routes == "present")).us.fifo < 0.9' \
	"nor do five frames reach the speed of 4.5"
"$liquid" fabric make leaf-spine leaves=6 hosts=3 spines=1 -o thin6 >text 2>&1
sed -E '/^link (leaf.\[4\]|spine)/s/ 1$/ 2/' thin6 >trunk6
advice trunk6 --work 1
holds '(.simulated.whole|not) and .at_best == 22.5 and
	([shares[].share]|max <= 1)' \
	"nor is one of a sample"
sed -E '1s/1/2/; /^link (h[14]\[|leaf.\[.\] h[14]\[)/s/ 1$/ 2/' trunk >wide
advice wide --senders h1 --receivers h4
took=$(simulated pairwise voq wide --senders h1 --receivers h4)
holds ".lambda == 0.5 and .at_best == 0.5 and .at_best_us < .today.us.voq and
	(.today.us.voq == $took)" \
	"one message over links of 2: it takes half the time"
prints 0 "*exchange     1 message of 128 KiB from 1 host to 1, at *
at best      5.242 us: the busiest link carries 0.5 messages*" \
	advise wide --senders h1 --receivers h4
advice wide --hosts h1,h2
holds '.lambda == 1 and (.remedies[]|select(.name == "other nodes, pairwise")|
	.recommended and .lambda == 0.5)' \
	"nodes with larger links are better for one message too"
printf 'h%s h%s 3\n' 1 2 2 1 >thrice
advice thin --traffic thrice
holds '.lambda == 3 and ([.remedies[].other_nodes]|any|not)' \
	"other nodes are asked to send as much"

# ---- other nodes ----

advice hashed --hosts 'h[1-18]'
chosen=$("$liquid" choose hashed --count 18 --json | jq .lambda)
holds ".lambda > $chosen and
	(.remedies[]|select(.name == \"other nodes, all at once (linear)\")|.recommended and
	.lambda == $chosen and
	.effort == \"nodes+option\" and
	(.command|startswith(\"liquid choose hashed --count 18 --format hostlist >hosts \" +
	\"&& mpirun \")))" \
	"other nodes are those of \`choose\`"
takes "other nodes, pairwise" hashed --order pairwise \
	--hosts "$("$liquid" choose hashed --count 18 --format hostlist)"
advice hashed --senders h1 --receivers 'h[2-5]'
holds '([.remedies[].other_nodes]|any|not) and .lambda == 4 and .hosts_lambda == 4' \
	"not for other traffics"

# ---- what may be broken ----

"$liquid" fabric make leaf-spine leaves=9 hosts=2 spines=2 -o sound >text 2>&1
sed -E '1s/1/2/; /^link/s/ 1$/ 2/; /^link (h5\[|leaf.\[.\] h5\[)/s/ 2$/ 1/' sound >slow
prints 0 "*cause        a slow host? h5 has a link of capacity 1, most have 2*" advise slow
awk '/^link (leaf5.* spine2|spine2.* leaf5)/ { next } !/^  to/' sound >cut.links
"$liquid" route cut.links -o cut >text 2>&1
prints 0 "*cause        a dead cable? leaf5 has 1 of the 2 links to other switches that
               most switches with hosts have*" advise cut
advice sound
holds '.cause == "" and .unused == 0' "a sound fabric has no cause, and no unused link"
sed -E '/^link leaf1\[.\] spine2/,/^link/{/^  to/d}
	s/^(link leaf1\[.\] spine1.*)/\1\n  to h[3-18]/' sound |
	awk '/^  to/ && had { had = 0; next } { had = /to h\[3-18\]/; print }' >idle
advice idle
holds '.unused == 1 and .switch_links == 36' "a link that no table uses is counted"

# ---- errors: a sample is off by no more than is said ----

# sampled FABRIC WORK NAME OPTION...: the largest difference from the whole is within the error
# stated, which is as large as another test has it
sampled='[shares|sort_by(.order)[]|
	select(.order|test("pairwise$|all-at|ring|bruck")).share]'
whole=
sampled()
{
	if [ "$whole" != "$1 ${*:4}" ]; then
		advice "$1" --work 1000000000 "${@:4}"
		jq "$tried $sampled" json >whole.json
		whole="$1 ${*:4}"
	fi
	advice "$1" --work "$2" "${@:4}"
	holds "($sampled as \$s|input as \$w|[range(\$s|length)|\$s[.]-\$w[.]|fabs]|max) <=
		.simulated.error and .simulated.error > 0 and .simulated.share < 1 and
		.simulated.steps < .simulated.of_steps" "$3" whole.json
}
"$liquid" fabric make leaf-spine leaves=12 hosts=6 spines=3 routes=hash -o leaves >text 2>&1
"$liquid" fabric make leaf-spine leaves=12 hosts=6 spines=3 -o dmodk >text 2>&1
sampled leaves 400000 "hashed, half of the exchange: the error is within what is said"
holds '.simulated.error == 0.2 and .simulated.packets < .simulated.of_packets' \
	"with shorter messages"
sampled leaves 150000 "hashed, a fifth"
# In turns: the time of each further packet is what the longer messages take more.
more=$(jq .simulated.packets json)
time_of()
{
	"$liquid" simulate leaves --order all-at-once --message $((4096 * $1)) --json \
		--start-skew 10us --seed 1 | jq .time_ns
}
few_ns=$(time_of 1)
more_ns=$(time_of "$more")
echo "1 packet: $few_ns ns, $more: $more_ns ns" >text
[ "$more" -gt 3 ] && near "$(us all-at-once voq)" "$(jq -n \
	"($more_ns + (32 - $more) * ($more_ns - $few_ns) / ($more - 1)) / 1000")"
ok "in turns, it is what \`simulate\` says of messages of two lengths"
sampled leaves 20000 "hashed, a fortieth"
holds '.simulated.error == 0.6' "the error is larger then"
"$liquid" fabric make torus size=8x8 -o torus >text 2>&1
# `make check` asks for a quarter.
if [ "${LIQUID_TEST_DRAWS:-100}" -ge 100 ]; then
	sampled dmodk 150000 "D-mod-K, a fifth"
	sampled torus 200000 "a torus, with virtual lanes"
	sampled leaves 30000 "senders and receivers" --senders 'h[1-36]' --receivers 'h[37-72]'
fi
prints 0 "*(estimated)*simulated    * % of it, among all hosts: figures may be off by * points*" \
	advise leaves --work 40000
# Whole, this fabric gains 1.29 with virtual output queues, and 1.15 without.
"$liquid" fabric make leaf-spine leaves=32 hosts=16 spines=8 routes=hash -o large >text 2>&1
advice large
holds '.transfers == 261632 and .simulated.error == 0.1 and
	(.remedies[]|select(.order == "tokens" and .routes == "present").recommended)' \
	"512 hosts: a sample sees what is gained"

# ---- links of several rates, beside an independent packet simulator; frames are whole ----

# agrees FABRIC ORDER FIFO VOQ: its shares of the best speed are at most 0.03 off
agrees()
{
	advice "$1"
	best=$(jq .at_best_us json)
	for queues in fifo voq; do
		"$liquid" simulate "$1" --order "$2" --queues $queues --json | jq .time_ns
	done >text
	mapfile -t took <text
	awk -v best="$best" -v fifo="${took[0]}" -v voq="${took[1]}" -v a="$3" -v b="$4" '
		function off(ns, share) { share -= 1000 * best / ns; return share * share }
		BEGIN { exit !(off(fifo, a) < 0.0009 && off(voq, b) < 0.0009) }'
	ok "$name, $2: a link of capacity c is one server, $3 with FIFOs, $4 with VOQ"
}

"$liquid" fabric make leaf-spine leaves=4 hosts=8 spines=2 -o alike >text 2>&1
sed -E '/^link (leaf.\[[0-9]+\] spine|spine)/s/ 1$/ 2/' alike >trunks
name="32 hosts, trunks of capacity 2"
agrees trunks all-at-once 0.470 0.996
holds "(1000 * .at_best_us / $("$liquid" simulate trunks --order pairwise --queues fifo --json |
	jq .time_ns) - 0.462|fabs) < 0.03" "and pairwise 0.462 with FIFOs"
name="20 hosts of capacity 4, 4 of 2"
"$liquid" fabric make leaf-spine leaves=4 hosts=6 spines=4 -o alike >text 2>&1
sed -E '1s/1/2/; /^link/s/ 1$/ 4/; /^link (h(1|7|13|19)\[|leaf.\[1\] h)/s/ 4$/ 2/' alike >slower
agrees slower all-at-once 0.740 0.999
holds '[.remedies[]|select(.order == "tokens")][0].us.voq > .remedies[0].us.voq' \
	"and a schedule gains nothing over that"
prints 0 "*12 frames found, at least 12 are needed; whole frames instead of 11.5 cost 4.2 %*" \
	advise slower

# ---- 1,024 hosts ----

"$liquid" fabric make leaf-spine leaves=64 hosts=16 spines=8 -o large >text 2>&1
advice large --work 100000
holds '.transfers == 1047552 and .simulated.of_steps == 1023 and .lambda == 2016' \
	"1,024 hosts are judged by a sample"

# ---- tokens and gates ----

advice hashed --message 32Ki --hosts 'h[1-6]'
holds '.tokens.tokens == [false,false]' "32 KiB: too little for tokens"
advice hashed --message 65535 --hosts 'h[1-6]'
holds '.tokens.tokens == [false,false]' "a byte less than 64 KiB, too"
advice hashed --message 64Ki --hosts 'h[1-6]'
holds '.tokens.tokens == [true,false]' "64 KiB: against FIFO switches"
advice hashed --message 16Ki --tasks-per-node 3 --hosts 'h[1-6]'
holds '.tokens.tokens == [true,true] and .pair_bytes == 147456' \
	"9 messages of a pair count as one"
jq "$tried shares" json >ranks.json
advice hashed --message 147456 --hosts 'h[1-6]'
[ "$(jq "$tried shares" json)" = "$(cat ranks.json)" ] && [ "$(jq .today.us.voq json)" != null ]
ok "and are simulated as one"
advice hashed --message 128Ki --rate 400G --hosts 'h[1-6]'
holds '.tokens.tokens == [false,false] and .tokens.from_bytes[0] == 262144' \
	"at 400 Gbit/s it takes four times as much"
advice hashed --message 128Ki --token-latency 4us --hosts 'h[1-6]'
holds '.tokens.tokens == [true,false]' "with tokens twice as late, twice"
advice hashed --message 1250000 --hosts 'h[1-6]'
holds '.gates == {"guard_ns":10000,"from_bytes":1250000,"gates":true}' \
	"gates: the guard is a tenth of a frame"
advice hashed --message 1249999 --hosts 'h[1-6]'
holds '.gates.gates|not' "and not of a byte less"
prints 0 "*gates        no: hardware RDMA bypasses them*" advise hashed --transport rdma
"$liquid" advise hashed --transport tcp >text 2>&1
! grep -q '^tokens' text && grep -q '^gates        no (TCP .*: they pay from 1.192 MiB on' text
ok "for TCP it reports gates alone"
advice hashed --transport tcp --message 4Mi --hosts 'h[1-12]'
holds '[.remedies[]|select(.order == "tokens").recommended]|any|not' "and recommends no tokens"
advice hashed --transport rdma --message 4Mi --hosts 'h[1-12]'
holds '[.remedies[]|select(.order == "gates").recommended]|any|not' "for RDMA no gates"

# ---- what it proposes can be called ----

runs_all()
{
	jq -r '.next[]' json >next
	sed -i "s|^liquid|$liquid|" next
	sh -e next >text 2>&1
}
# same OPTION...: `simulate`, the last of what is called next, says what the page has there
same()
{
	advice "$@" && jq -r '.next[]' json >next &&
		sed -i "s|^liquid|$liquid|; \${s/\$/ --json/; s/\$/ >figures/}" next &&
		sh -e next >text 2>&1 &&
		[ "$(jq "(if (.remedies[0].recommended) then .remedies[0] else .today end).us.voq as
			\$page | .simulated.whole and (input.time_ns / 1000 - \$page|fabs) < 1e-6" \
			json figures 2>>text)" = true ]
	ok "what is called next says what the page does: $*"
}
same hashed
same two
same hashed --token-latency 3us --tasks-per-node 2
same whole --rate 10G --message 3Ki --tasks-per-node 5
same torus --message 4Ki
holds '.today.lanes > 1' "with virtual lanes"
same whole --senders h1 --receivers 'h[2-5]'
same hashed --hosts 'h[1-18]'
printf '0 10 20\n5 0 9\n1 1 0\n' >matrix
same whole --traffic matrix:matrix --hosts h1,h5,h9 --message 4
advice two --transport tcp --clock-error 7us --message 16Mi
holds '.remedies[]|select(.order == "gates" and .routes == "present").recommended' \
	"gates are recommended for TCP"
for file in "$data/k44.fts" "$data/k44.lfts"; do
	advice --topo "$data/k44.topo" --lft "$file" && runs_all
	ok "the commands run: from dumps, ${file##*.}"
done
holds '.next[0]|startswith("liquid fabric import --topo ")' "which they import"
# Two dumps, in any order, also compressed
gzip <"$data/k44.topo" >k44.topo.gz
gzip <"$data/k44.lfts" >k44.lfts.gz
jq 'del(.next, .remedies[].command)' json >named
for files in "$data/k44.topo $data/k44.lfts" "$data/k44.lfts $data/k44.topo" \
	"k44.lfts.gz k44.topo.gz"; do
	# shellcheck disable=SC2086 # two words
	advice $files
	[ "$(jq 'del(.next, .remedies[].command)' json)" = "$(cat named)" ]
	ok "two dumps, each recognised: ${files##*/}"
done
# A host that no table has: an import as the error proposes
sed /node005/d "$data/k44.lfts" >cut.lfts
prints 1 "*; to go on, --leave-out LIST*, --allow-unreachable*" advise --topo "$data/k44.topo" \
	--lft cut.lfts
advice --topo "$data/k44.topo" --lft cut.lfts --leave-out node005 --unit-rate 2G --name less &&
	runs_all && grep -q '^import leave-out node005$' cluster.fabric &&
	"$liquid" advise cluster.fabric --json | jq 'del(.next)' >again &&
	[ "$(jq 'del(.next)' json)" = "$(cat again)" ]
holds '.senders == 31 and .fabric == "less"' \
	"from dumps, without a host: the page is that of the fabric that it proposes to import"
advice --topo "$data/k44.topo" --lft cut.lfts --allow-unreachable --rail 1
holds '.senders == 31 and (.next[0]|endswith(
	" --rail 1 --allow-unreachable -o cluster.fabric"))' "and without what has no route"
"$liquid" advise --topo "$data/k44.topo" --lft cut.lfts --leave-out node005 2>text >page
[ -s page ] && grep -q '^liquid: note: left out as asked: node005' text
ok "what was left out is named"
cp hashed "it's a fabric"
advice "it's a fabric" && runs_all
ok "the commands run: of a file with a quote in its name"

# ---- refusals ----

prints 2 "*missing FABRIC, or two dumps*" advise
prints 2 "*missing the forwarding tables, the second dump*" advise --topo x
prints 2 "*missing the forwarding tables, the second dump*" advise "$data/k44.topo"
prints 2 "*more than a fabric, or two dumps*" advise x y z
prints 1 "*of hashed and torus one has to be ibnetdiscover's output*" advise hashed torus
printf '\037\213x' >spoilt.gz
prints 1 "*spoilt.gz: gzip -d cannot decompress it*" advise spoilt.gz
prints 2 "*FABRIC, or --topo and --lft, not both*" advise hashed --lft x
prints 2 "*--leave-out and --allow-unreachable go with --topo and --lft*" advise hashed --rail 1
prints 5 "*nowhere: No such file*" advise nowhere
prints 5 "liquid: nowhere: No such file*" advise nowhere nothing
advice <(cat one) && jq .fabric json >read && advice one && jq .fabric json | cmp - read
ok "a fabric that can be read only once"
sed '4s/$/ what/' hashed >spoilt
prints 1 "*spoilt:4: *" advise spoilt
prints 1 "*--hosts: fabric * has no host 'h99'*" advise hashed --hosts h1,h99
prints 1 "*the traffic is empty*" advise hashed --hosts h1
echo "h1 h2 x" >pairs
prints 1 "*pairs:1: *" advise hashed --traffic pairs
prints 2 "*--transport: expected any, rdma or tcp, got 'x'*" advise hashed --transport x
prints 2 "*--message: expected *" advise hashed --message 0
prints 2 "*make more than 2^40 bytes*" advise hashed --message 1Ki --tasks-per-node 32769
prints 2 "*make more than 2^40 bytes*" advise hashed --message 1 --tasks-per-node 4294967295
sed '0,/^  to h2$/s///' whole >lost
prints 1 "*no route from h1 to h2: it ends at switch edge1" advise lost

# ---- killed, it leaves nothing behind ----

"$liquid" advise large --work 1000000000 >text 2>&1 &
main=$!
within 10 pgrep -P $main
pgrep -P $main >children
kill -KILL $main
wait $main 2>/dev/null
gone()
{
	for child in $(cat children); do
		[ ! -e "/proc/$child" ] || return 1
	done
}
within 3 gone
cp children text
[ -s children ] && gone
ok "killed, it takes its processes along"
prints 0 "*verdict      the sample shows no gain, give or take * points*" \
	advise dmodk --work 150000 --today all-at-once
finish
