#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An all-to-all by RDMA writes on a fabric without gates: tokens beside all at once, as long as the
# simulator says, and a process that dies. Neither a parent that dies before the start nor a fork
# that fails leaves processes.
# modes: long
# kernels: 6.1
# adds: experiments
# timeout: 150
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/rdma.sh
. /liquid/lib/rdma-alltoall.sh
. /liquid/lib/rdma-simulate.sh
exchange_start
exchange_tree

# right [-t] NAME OPTION...: an exchange that succeeds; -t: up to three, until one has 0.90
right()
{
	how=exchange
	if [ "$1" = -t ]; then
		how="exchange_until 900"
		shift
	fi
	name=$1
	shift
	# shellcheck disable=SC2086 # words
	if $how 393216 "$@"; then
		ok "$name: every word is right"
	else
		not_ok "$name: every word is right"
	fi
	sed 's/^/# /' "$LOG"
	echo "# share $share of 1000, faults $faults"
	compare "$name: no packet was dropped or sent again" "$faults" = 0
	cp "$LOG" "$TESTDIR/exchange"
}

# Share of the liquid throughput that the exchange before would have by liquid simulate, in
# thousandths: the median of three seeds. predict OPTION...
predict()
{
	overhead=$(rdma_overhead tree 3 "$(field tokens "$TESTDIR/exchange")" \
		"$(field messages "$TESTDIR/exchange")" 393216)
	for seed in 1 2 3; do
		liquid simulate "$FABRIC" --schedule "$TESTDIR/schedule" --rate $RATE \
			--switching cut-through --queues fifo-speedup --hop-latency 0 --lanes 1 \
			--buffer 36000 --message 393216 --packet $RDMA_MTU --overhead "$overhead" \
			--seed $seed --json "$@" |
			rdma_share
	done | sort -n | awk '{ share[NR] = $1 } END { printf "%.0f\n", 1000 * share[2] }'
}

# as_predicted NAME OPTION...
as_predicted()
{
	name=$1
	shift
	predicted=$(predict "$@")
	echo "# the simulator has $predicted of 1000"
	compare "$name: the simulator's time is within 5 %" \
		"$(((predicted - share) * (predicted - share)))" -le $((share * share / 400))
}

# tokens_as_predicted NAME TAIL
tokens_as_predicted()
{
	# shellcheck disable=SC2046 # words
	as_predicted "$1" --sync tokens --tail "$2" $(rdma_token_options \
		"$(field token_us "$TESTDIR/exchange")" \
		"$(field token_min_us "$TESTDIR/exchange")")
}

right "all at once" --order all-at-once
all_at_once=$share
right -t "clock" --order clock --frame 172000000 --tail 32768 --ahead 32768
as_predicted "clock" --sync clock --frame-time 172ms --jitter uniform:200us
right -t "tokens, one process" --order tokens --tail 32768 --ahead 16384
compare "no wait for a token timed out" "$(field timeouts "$LOG")" = 0
compare "they give 0.90 of the liquid throughput" "$share" -ge 900
# all at once has 0.75 to 0.82, depending on trifles
compare "that is 1.05 times as much as all at once" $((share * 100)) -ge $((all_at_once * 105))
tokens_as_predicted "tokens, one process" 32768
right -t "tokens, a process a node" --order tokens --tail 32768 --ahead 16384 \
	--processes each --nap 500000
compare "no wait for a token timed out there" "$(field timeouts "$LOG")" = 0
compare "they give 0.90 there too" "$share" -ge 900
tokens_as_predicted "tokens, a process a node" 32768

# Its peers go on after a wait of two seconds, and their writes to it fail after another two.
if exchange 65536 --order tokens --tail 32768 --processes each --nap 500000 --die h6 \
	--die-after 200000000 --patience 2000000000 --ack-timeout 17 --limit 60; then
	not_ok "a process that dies is noticed"
else
	ok "a process that dies is noticed"
fi
sed 's/^/# /' "$LOG"
cp "$LOG" "$TESTDIR/death"
compare "the others went to their end" \
	"$(field died "$TESTDIR/death") $(field unfinished "$TESTDIR/death")" = "1 1"
# Each of the 15 waits in vain once at most, and they may do so one after another.
compare "they ended within their patience" "$(field ns "$TESTDIR/death")" -lt 35000000000
compare "waits for the tokens of the dead process timed out" \
	"$(field timeouts "$TESTDIR/death")" -gt 0
compare "writes to the dead process failed" "$(field failed "$TESTDIR/death")" -gt 0
# 15 of 16 ranks among themselves
compare "what the others sent each other is there" "$(field arrived "$TESTDIR/death")" -ge 210
compare "what the others sent each other is right" "$(field wrong "$TESTDIR/death")" = 0

each()
{
	timeout 30 rdma-alltoall --processes each "$FABRIC" "$TESTDIR/schedule" "$TESTDIR/map"
}

# No process is left but those that nobody has waited for.
none_left()
{
	for process in $(pidof rdma-alltoall); do
		grep -q '^State:[[:space:]]*Z' "/proc/$process/status" || return 1
	done
}

packets()
{
	cat /sys/class/infiniband/r*/ports/1/hw_counters/sent_pkts |
		awk '{ n += $1 } END { print n + 0 }'
}

# The parent alone tells the others when to start, and how many they are: without it they wait.
sent=$(packets)
background "$TESTDIR/orphans" each
for _ in $(seq 1000); do
	[ "$(pidof rdma-alltoall | wc -w)" -lt 2 ] || break
	sleep 0.01
done
parent=$(pidof rdma-alltoall | tr ' ' '\n' | sort -n | head -n 1)
need kill -STOP "$parent"
sleep 1
compare "processes wait for the start" "$(pidof rdma-alltoall | wc -w)" -ge 2
kill -KILL "$parent"
check "their parent's death ends them all" await none_left
compare "it was before the start" "$(packets)" = "$sent"
# shellcheck disable=SC2046 # pids
none_left || kill -KILL $(pidof rdma-alltoall)
wait "$pid"

# Fewer tasks than the 16 processes need, also for root
most=$(cat /proc/sys/kernel/threads-max)
tasks=$(sed 's|.*/\([0-9]*\) .*|\1|' /proc/loadavg)
echo $((tasks + 9)) >/proc/sys/kernel/threads-max
status=0
each >"$TESTDIR/fork" 2>&1 || status=$?
echo "$most" >/proc/sys/kernel/threads-max
cp "$TESTDIR/fork" "$LOG"
compare "a fork that fails ends the exchange" "$status" = 2
check "it is said what failed" grep -qx 'rdma-alltoall: fork: Resource temporarily unavailable' \
	"$TESTDIR/fork"
check "the processes that had begun end, too" await none_left
exchange_down
fabric_finish
