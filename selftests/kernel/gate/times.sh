#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Histograms: what waits is counted by how long, at its destination and at the gate; what does not
# wait, is dropped, or waits elsewhere is not.
#
# What is expected comes from the stamps of the tracepoints, by bounds that are reckoned here.
# kernels: 6.1 6.12
# runs: 6.1-icount
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/trace.sh
start
make_pair
make_gate horizon_ms=60000
make_dests 4

send()
{
	need in_ns lqa pkt lqva "$@"
}

# hist OWNER KIND: its buckets, "INDEX COUNT" a line; OWNER is a destination's id, or gate
hist()
{
	if [ "$1" = gate ]; then
		gate
	else
		in_ns lqa wire dest lqva "$1"
	fi | sed -n "s/^times\.$2\.buckets_\([0-9]*\)=/\1 /p"
}

# How many times a histogram has. total OWNER KIND
total()
{
	hist "$1" "$2" | awk '{ count += $2 } END { print count + 0 }'
}

# sum OWNER KIND, in us
sum()
{
	if [ "$1" = gate ]; then
		gate "times.$2.sum_ns"
	else
		in_ns lqa wire dest lqva "$1" "times.$2.sum_ns"
	fi | awk '{ printf "%d\n", $1 / 1000 }'
}

# grows NAME OWNER KIND BY COMMAND...: the histogram grows by this many times
grows()
{
	name=$1
	owner=$2
	kind=$3
	by=$4
	shift 4
	was=$(total "$owner" "$kind")
	"$@"
	compare "$name" $(($(total "$owner" "$kind") - was)) = "$by"
}

# A destination's packets leave in the order in which they came.
# expected FILE DEST: "INDEX COUNT" a line, and "sum US", of what the tracepoints saw released there
expected()
{
	sed -n "s/^.* \([0-9]*\)\.\([0-9]*\): liquid_\([a-z]*\): .* dest=$2 .*/\3 \1\2/p" "$1" |
		awk '
		$1 == "enqueue" { came[++last] = $2 }
		$1 == "dequeue" {
			wait = $2 - came[++first]
			sum += wait
			bound = 1
			for (i = 0; i < 12 && wait > bound; i++)
				bound *= 4
			count[i]++
		}
		END {
			for (i = 0; i <= 12; i++)
				if (count[i])
					print i, count[i]
			printf "sum %d\n", sum
		}'
}

# agree DEST FILE: its histogram is what the tracepoints saw
agree()
{
	expected "$2" "$1" >"$TESTDIR/expected"
	hist "$1" wait >"$TESTDIR/hist"
	{
		echo "expected"
		cat "$TESTDIR/expected"
		echo "found"
		cat "$TESTDIR/hist"
	} >"$LOG"
	if grep -v sum "$TESTDIR/expected" | cmp -s - "$TESTDIR/hist"; then
		ok "destination $1: each wait is in its bucket"
	else
		not_ok "destination $1: each wait is in its bucket"
	fi
	off=$(($(sum "$1" wait) - $(sed -n 's/^sum //p' "$TESTDIR/expected")))
	# each stamp is a few instructions next to the gate's own, and rounded
	compare "destination $1: they add up" "${off#-}" -le $(($(total "$1" wait) * SLACK / 1000))
}

FRAME=$((500 * MS))
cycle=$((16 * FRAME))
base=$(($(now) + 100 * MS))
need push $base "frame_ns=$FRAME guard_ns=$((50 * MS)) frames=16" "" 1:0 1:1 2:- 1:2 9:- 1:3 1:-
clockset until $((base + FRAME / 10))
compare "nothing has waited yet" "$(total gate wait)" = 0
compare "at a destination no wait is counted before there is one" "$(total 1 wait)" = 0

# Frames of 0.5 s; sent so long before a frame: 0.45 s, 2 s, 7 s, then 100 ms, 40 ms, 8 ms or so.
trace_start liquid/liquid_enqueue liquid/liquid_dequeue
send --count 3 --dst 10.0.0.3 udp
send --count 4 --dst 10.0.0.4 udp
send --count 5 --dst 10.0.0.5 udp
for permille in 800 920 980; do
	clockset until $((base + FRAME * permille / 1000))
	send --count 2 --dst 10.0.0.3 udp
done
clockset until $((base + cycle - FRAME / 2))
trace_stop "$TESTDIR/trace"
compare "all have left" "$(gate state.qlen)" = 0
for dest in 1 2 3; do
	agree $dest "$TESTDIR/trace"
done
for dest in 1 2 3; do
	hist $dest wait
done | cut -d' ' -f1 | sort -u >"$LOG"
compare "waits of many lengths" "$(wc -l <"$LOG")" -ge 5
compare "a wait beyond all bounds is in the last class" "$(hist 3 wait)" = "12 5"
compare "the gate has counted them too" "$(total gate wait)" = 18
all=$(($(sum 1 wait) + $(sum 2 wait) + $(sum 3 wait)))
off=$(($(sum gate wait) - all))
compare "waits are counted with their sum" "${off#-}" -le 3
compare "each frame that was waited for has its lag" "$(total gate lag)" = 3
echo "# lags: $(sum gate lag) us together"
compare "the timer was in time" "$(sum gate lag)" -le $((3 * SLACK / 1000))
refuse "a destination has no lag" in_ns lqa wire dest lqva 1 times.lag.sum_ns
refuse "no packet is late, so there is no sum of lateness" gate times.late.sum_ns

# In its own frame a packet does not wait.
start=$((base + cycle))
clockset until $((start + FRAME / 10))
# 13 us each on the wire: they fit what is ahead
send --count 6 --dst 10.0.0.2 udp
compare "packets leave in their frame" "$(in_ns lqa wire dest lqva 0 stats.packets)" = 6
compare "except for the first they pass, and are in no queue" "$(total 0 wait)" = 1
compare "the first packet waits for microseconds" "$(sum 0 wait)" -le $((SLACK / 1000))
compare "nothing lay in wait for that frame" "$(total gate lag)" = 3

# Other queues: the gate counts what leaves them.
grows "control packets count at the gate" gate wait 3 send --count 3 --dst 10.0.0.2 syn
grows "the wait of control packets is not counted at a destination" 0 wait 0 send --count 3 \
	--dst 10.0.0.2 syn
clockset until $((start + 5 * FRAME / 2))
grows "unscheduled packets have their wait counted at the gate" gate wait 3 send --count 3 \
	--dst 10.9.9.9 udp

# What is dropped has not been released.
need in_ns lqa wire change lqva horizon_ms=100
dropped()
{
	send --count 4 --dst 10.0.0.5 udp
	clockset until $((start + 14 * FRAME))
}
grows "what waited too long is not counted" 3 wait 0 dropped
compare "packets beyond the horizon are counted as dropped" \
	"$(in_ns lqa wire dest lqva 3 stats.drop_horizon)" = 4
need in_ns lqa wire change lqva horizon_ms=60000
purged()
{
	send --count 4 --dst 10.0.0.3 udp
	need ip -n lqa link set lqva down
	need ip -n lqa link set lqva up
}
grows "the wait of packets that go with the device is not counted" gate wait 0 purged
compare "nothing is left of it" "$(gate state.qlen)" = 0

# A change of schedule moves packets; they have waited since they came.
start=$((base + 2 * cycle))
clockset until $((start + FRAME / 10))
send --count 6 --dst 10.0.0.5 udp
clockset until $((start + FRAME))
grows "the gate opens: what waited is counted at its destination" 3 wait 6 \
	need in_ns lqa wire script lqva <<END
clear | clear | ok
END
hist 3 wait >"$LOG"
compare "a packet is counted by how long it had waited" "$(hist 3 wait | sed -n 's/^10 //p')" = 6
compare "a cleared schedule leaves the histograms as they were" \
	"$(hist 3 wait | sed -n 's/^12 //p')" = 5

base=$(($(now) + 100 * MS))
need push $base "frame_ns=$FRAME frames=4" "" 1:1 2:- 1:3
clockset until $((base + FRAME / 10))
send --count 7 --dst 10.0.0.5 udp
was=$(total gate wait)
before=$(total 3 wait)
need push $(($(now) + FRAME / 2)) "frame_ns=$FRAME frames=2" "" 1:1 1:-
clockset until $((base + 4 * FRAME))
compare "a destination that has lost its frames: its packets leave unscheduled" \
	"$(gate stats.unsched_packets)" -ge 7
compare "packets that left their destination are counted at the gate" \
	$(($(total gate wait) - was)) = 7
compare "packets that left their destination are not counted there" "$(total 3 wait)" = "$before"

# A packet that is split counts as often as it has parts, from when it came.
before=$(total 1 wait)
packets=$(in_ns lqa wire dest lqva 1 stats.packets)
splits=$(gate stats.splits)
need push $(($(now) + 10 * MS)) "frame_ns=1000000 guard_ns=50000 frames=200" replace 1:1 199:-
need in_ns lqa gso lqva --dst 10.0.0.3 --mss 1400 --segs 20 --count 3
clockset until $(($(now) + 3000 * MS))
compare "packets were split" $(($(gate stats.splits) - splits)) -ge 1
compare "all parts are gone" "$(gate state.qlen)" = 0
released=$(($(in_ns lqa wire dest lqva 1 stats.packets) - packets))
compare "more than there were packets" $released -gt 3
compare "each part of a split packet is counted" $(($(total 1 wait) - before)) = $released

# Other keys are the same destination; one that is deleted takes its histograms along.
set_dests "dest{id=1 key{ipv4=10.0.0.9}}"
before=$(total gate wait)
compare "another key changes nothing" "$(total 1 wait)" -gt $released
table lqa lqva <<END
clear | clear | ok
a destination goes | dest-del dests{dest{id=1}} | ok
and comes back | dest-set dests{dest{id=1 key{ipv4=10.0.0.3}}} | ok
nobody writes histograms | dest-set dests{dest{id=1 key{ipv4=10.0.0.3} times{}}} | \
	EINVAL | attribute is read only: leave it out
END
compare "without its histogram" "$(total 1 wait)" = 0
compare "the gate's stays" "$(total gate wait)" = "$before"
finish
