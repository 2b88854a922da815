#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid simulate: figures that are known, text and JSON, what it says of wrong options.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# Field $1 of the JSON of the simulation "${@:3}" is $2.
field()
{
	json_field simulate "$@"
}

command -v jq >/dev/null || { echo "1..0 # SKIP no jq"; exit 4; }

echo "TAP version 13"
"$liquid" fabric make papers-5x5 -o papers >text 2>&1
ok "a fabric"
"$liquid" solve papers -o schedule >text 2>&1
ok "a schedule"
ns="--switching wormhole --rate 8G --message 1000"

# ---- the published example: 6 frames against 7 ----
# shellcheck disable=SC2086 # options
{
field .time_ns 7000 papers --order pairwise $ns
field .time_ns 6000 papers --schedule schedule $ns
field '[.of_liquid > 0.9999,.total.waits,.length,.duration]' '[true,0,6,6]' papers \
	--schedule schedule $ns
field '[.options.order,.options.frame_ns,.lost]' '["pairwise",null,null]' papers \
	--order pairwise $ns
field '.lost|map_values(floor)' '{"length_ns":0,"headers_ns":0,"guard_ns":600,"other_ns":-100}' \
	papers --schedule schedule $ns --frame-time 1100
field '[.links[]|select(.link=="sa>sb" or .link=="sb>sa")|.busy_ns]' '[6000,6000]' papers \
	--order random $ns
field '[.hosts[]|.sent_bytes]|add' 125000 papers --order all-at-once $ns --worm 100 --packet 100 \
	--cycles 5
field '.options.window' 8 papers --order shuffle-rotation --window auto $ns --packet 100 \
	--buffer 1000 \
	--switching packet
# On one switch a packet takes its time twice, and 3 hops until it is acknowledged: 24 ms + 15 ms in
# steps of 12 ms.
"$liquid" fabric make leaf-spine leaves=1 hosts=8 spines=1 -o star >text 2>&1
packets='--order shuffle-xor --switching packet --packet 1500 --message 15000 --rate 1M'
field '.under_way' '{"most":2,"on_schedule":2}' star $packets
field '.under_way' '{"most":4,"on_schedule":4}' star $packets --window 9 --hop-latency 5ms
field '.under_way' '{"most":3,"on_schedule":4}' star $packets --window 3 --hop-latency 5ms
field '.under_way' null star --order pairwise
field '[.options.guard_ns,.options.frame_ns]' '[200,1330]' papers --schedule schedule $ns \
	--clock-error 100ns --jitter uniform:130ns
field '.total.waits > 0' true papers --schedule schedule $ns --clock-error 100ns --guard 0
field '.total.waits' 0 papers --schedule schedule $ns --clock-error 100ns --jitter normal:10ns \
	--seed 3
field '[.options.jitter,.options.jitter_ns,.options.seed]' '["exp",10,3]' papers \
	--order random $ns \
	--jitter exp:10ns --seed 3
field .transfers 4 papers --order pairwise $ns --senders 't[1-2]' --receivers 'r[1-2]'
field .time_ns 6600 papers --schedule schedule $ns --switching packet --packet 50

# ---- switches ----
"$liquid" fabric make torus size=5x5 -o torus >text 2>&1
field '[.options.queues,.options.lanes,.options.lane_by]' '["fifo",1,null]' papers --order random \
	--switching wormhole
field '[.options.queues,.options.lanes,.options.lane_by]' '["voq",2,"source"]' papers \
	--order random --switching cut-through --queues voq --lanes 2 --lane-by source
field '.deadlocks > 0' true torus --order all-at-once --lanes 1 --buffer 4Ki
field '[.deadlocks,.options.lanes,.options.lane_by]' '[0,4,"layers"]' torus --order all-at-once \
	--buffer 4Ki
field '[.options|.switching,.queues,.lanes,.packet_bytes,.buffer_bytes,.hop_ns,.message_bytes]' \
	'["cut-through","voq",1,4096,65536,130,131072]' papers --order random
field '[.options|.switching,.queues,.lanes,.packet_bytes,.hop_ns]' \
	'["wormhole","fifo",1,131072,0]' papers --order random --switching wormhole
field '[.options|.switching,.queues,.lanes,.packet_bytes,.hop_ns]' '["packet","fifo",1,4096,0]' \
	papers --order random --switching packet
field .deadlocks 0 torus --order all-at-once --switching cut-through --buffer 4Ki --lanes 25
field .deadlocks 0 torus --order all-at-once --switching cut-through --buffer 4Ki --lanes 4 \
	--lane-by layers

# ---- a matrix of bytes, divided by messages ----
printf '0 65536 65537\n1 0 0\n0 0 0\n' >matrix
field '[.transfers,.options.message_bytes]' '[4,65536]' torus --message 64Ki --order pairwise \
	--traffic matrix:matrix --hosts h1,h2,h3
field .transfers 3 torus --order pairwise --traffic matrix:matrix --hosts h1,h2,h3 \
	--message 100000

# ---- runs of a plan ----
sync="--schedule schedule --switching wormhole --rate 8G --message 1000 --packet 100"
field '[.time_ns,.total.waits,.tokens.timeouts,.options.tail_bytes]' '[6000,0,0,100]' papers \
	$sync --sync tokens --token-latency 100ns
field '[.time_ns,.total.waits,.tokens.sent > 0]' '[6500,0,true]' papers $sync --sync tokens \
	--token-latency 100ns --tail 0
field '[.tokens.timeouts > 0,.tokens.unsynchronised > 0]' '[true,true]' papers $sync \
	--sync tokens --token-latency 100ns --token-timeout 10ns
field '[.time_ns,.options.frame_ns,.options.guard_ns,.tokens]' '[6250,1050,0,null]' papers $sync \
	--sync clock
field '[.time_ns,.options.frame_ns]' '[6500,1100]' papers $sync --sync clock --frame-slack 10%
field '[.total.waits > 0,.options.sync,.options.frame_ns,.lost]' '[true,"order",null,null]' \
	papers $sync --sync order
field '[.options.jitter_ns,.options.start_skew_ns,.total.waits]' '[50,3000,0]' papers $sync \
	--sync tokens --token-latency 100ns --tail 100 --jitter exp:5% --start-skew 3us
field '[.options.tail_bytes,.total.waits > 0]' '[137,true]' papers $sync --sync tokens \
	--token-latency 100ns --jitter exp:5%
# Paths of 2 and 4 links: what comes over 2 may be 2 hops sooner.
"$liquid" fabric make leaf-spine leaves=4 hosts=4 spines=2 routes=hash -o two-levels
"$liquid" solve two-levels -o two-levels.schedule >/dev/null
hops="--schedule two-levels.schedule --sync tokens --rate 100G \
	--message 256Ki"
field '[.total.waits,.options.tail_bytes]' '[0,20000]' two-levels $hops
field .total.waits 0 two-levels $hops --tail 21730
field '[.total.waits > 0]' '[true]' two-levels $hops --tail 25000
# Jitter of 1000 ns: the tail covers 750 where no route can wait for another in a circle.
"$liquid" solve torus -o torus.schedule >/dev/null
torus="torus --schedule torus.schedule --switching wormhole --sync tokens --rate 8G \
	--message 10000 --jitter exp:1us"
field .options.tail_bytes 2000 $torus
torus="$torus --packet 1000 --switching cut-through --hop-latency 0 --lanes 1"
field .options.tail_bytes 2000 $torus
field .options.tail_bytes 2000 $torus --lanes 8 --lane-by source
field '[.options.tail_bytes,.deadlocks]' '[2750,0]' $torus --lanes 25
field '[.options.tail_bytes,.deadlocks]' '[2750,0]' $torus --lanes 4 --lane-by layers
}
prints 0 "*6 frames by tokens of 2 us, tails of 20000 bytes*tokens *timed out *0 waits*" simulate \
	papers --schedule schedule --message 256Ki --sync tokens
prints 0 "*cut-through with virtual output queues*lanes *3 virtual lanes by destination*" simulate \
	papers --order random --switching cut-through --queues voq --lanes 3
prints 0 "*throughput *85.71 % of the liquid one, 71.43 % of a crossbar's*waits *8,*" \
	simulate papers --order pairwise --switching wormhole --message 64Ki
prints 0 "*6 frames of 5.243 us (guard 0 ns)*100.00 % of the liquid*lost time *waits *0*" simulate \
	papers --schedule schedule --switching wormhole --message 64Ki
prints 0 "*dropped *50 packets: too_long*" simulate papers --order random --switching cut-through \
	--message 2k --packet 1k --buffer 500
"$liquid" simulate papers --schedule - <schedule >text 2>&1
ok "a schedule from stdin"

# ---- what is refused ----
prints 2 "*either --schedule or --order*" simulate papers
prints 2 "*either --schedule or --order*" simulate papers --schedule schedule --order random
prints 2 "*--schedule has its own traffic*" simulate papers --schedule schedule --traffic alltoall
prints 2 "*--window and --mapping go with --order*" simulate papers --schedule schedule --window 3
prints 2 "*--window goes with*shuffle-xor*" simulate papers --order random --window 3
prints 2 "*--mapping goes with every order but random*" simulate papers --order random \
	--mapping contention-aware
prints 2 "*--frame-time and --guard go with --schedule*" simulate papers --order random --guard 1us
prints 2 \
	"*--order: expected pairwise, random, all-at-once, shuffle-xor, shuffle-rotation or \
pairwise-xor, got 'chaos'*" \
	simulate papers --order chaos
prints 2 "*--sync goes with --schedule*" simulate papers --order random --sync tokens
prints 2 "*--token-latency, --tail and --token-timeout go with --sync tokens*" simulate papers \
	--schedule schedule --sync clock --tail 0
prints 2 "*--frame-slack goes with --sync clock*" simulate papers --schedule schedule \
	--sync tokens --frame-slack 5%
prints 2 "*--start-skew goes with --order, and --sync tokens, clock or order*" simulate papers \
	--schedule schedule --start-skew 1us
prints 2 "*--guard goes with --sync gates*" simulate papers --schedule schedule --sync clock \
	--guard 0
prints 2 "*--frame-time goes with --sync gates or clock*" simulate papers --schedule schedule \
	--sync order --frame-time 1us
prints 2 "*--frame-slack: expected a percentage, such as 5%*" simulate papers \
	--schedule schedule --sync clock --frame-slack 5
prints 1 "*virtual output queues go with cut-through*" simulate papers --order random \
	--switching wormhole --queues voq
prints 1 "*virtual lanes go with cut-through and packet*" simulate papers --order random \
	--switching wormhole --lanes 2
prints 1 "*need more than 1 virtual lanes to have no cycle*" simulate torus --order random \
	--switching cut-through --lane-by layers
prints 2 "*--lanes: expected*" simulate papers --order random --lanes 0
prints 2 "*--switching: expected wormhole, cut-through or packet, got 'x'*" simulate papers \
	--order random --switching x
prints 2 "*--jitter: expected uniform:TIME, normal:TIME or exp:TIME, *got 'poisson:3'*" \
	simulate papers --order random --jitter poisson:3
prints 2 "*--jitter: expected uniform:TIME*" simulate papers --order random --jitter exp
prints 2 "*--window: expected a number of packets, at least 1, or auto, got '0'*" simulate papers \
	--order shuffle-xor --window 0
prints 2 "*--message: expected a size such as 64Ki, got '0'*" simulate papers --order random \
	--message 0
prints 2 "*missing FABRIC*" simulate --order random
prints 1 "*none fits into a frame of 400 ns with*" simulate papers --schedule schedule \
	--frame-time 400ns
prints 5 "*nowhere: No such file*" simulate papers --schedule nowhere
prints 1 "*message: more than 2^40 bytes*" simulate papers --order random --message 2000000M

echo "1..$count"
[ $failed -eq 0 ]
