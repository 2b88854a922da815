#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl stats --watch and --prometheus of a gate that has sent.
# runs: 6.12-normal
# timeout: 120
# modes: normal
set -u

. /liquid/lib/guest.sh

start
make_pair
make_gate
make_dests 2
need push +0 "frame_ns=$((2 * MS)) frames=2" "" 1:0 1:1
in_ns lqa ping -c 3 -i 0.2 -W 2 10.0.0.2 >"$LOG" 2>&1

in_ns lqa liquid-nl stats lqva --prometheus -o "$TESTDIR/liquid.prom" >"$LOG" 2>&1
compare "metrics are written to a file" $? = 0
check "a counter of the gate" grep -qE '^liquid_packets_total\{dev="lqva"\} [1-9][0-9]*$' \
	"$TESTDIR/liquid.prom"
DEST0='\{dev="lqva",destination="0",address="10.0.0.2"\} [1-9][0-9]*$'
check "a counter of a destination with its address" \
	grep -qE "^liquid_destination_packets_total$DEST0" "$TESTDIR/liquid.prom"
check "the frame" grep -qx 'liquid_frame_seconds{dev="lqva"} 0.002000000' "$TESTDIR/liquid.prom"
check "the cycle" grep -qx 'liquid_cycle_seconds{dev="lqva"} 0.004000000' "$TESTDIR/liquid.prom"
check "the rate" grep -qE '^liquid_rate_bytes_per_second\{dev="lqva"\} [1-9][0-9]*$' \
	"$TESTDIR/liquid.prom"
check "the error of the clock" grep -qE '^liquid_clock_error_seconds [0-9]+\.[0-9]{9}$' \
	"$TESTDIR/liquid.prom"
check "the version" grep -qE '^liquid_info\{version="[0-9.]+",module="[0-9.]*"\} 1$' \
	"$TESTDIR/liquid.prom"
check "the mode" grep -qx 'liquid_mode{dev="lqva"} 1' "$TESTDIR/liquid.prom"
for counter \
	in $(in_ns lqa liquid-nl stats lqva | sed -n 's/^  \([a-z][a-z ]*\): .*/\1/p' | tr ' ' _); \
	do
	case $counter in destination*) continue ;; esac
	grep -q "^liquid_${counter}_total{" "$TESTDIR/liquid.prom" || echo "$counter"
done >"$LOG"
compare "every counter is a metric" "$(wc -l <"$LOG")" = 0
for part in wait late frame_lag; do
	check "a histogram of the $part" grep -qE \
		"^liquid_${part}_seconds_bucket\{dev=\"lqva\",le=\"\+Inf\"\} [0-9]+$" \
		"$TESTDIR/liquid.prom"
done
metric()
{
	sed -n "s/^liquid_$1{dev=\"lqva\".*} //p" "$TESTDIR/liquid.prom"
}
compare "packets that waited and that did not are all packets" \
	"$(metric wait_seconds_count)" = "$(metric packets_total)"
check "the waits of a destination" \
	grep -qE "^liquid_destination_wait_seconds_count$DEST0" "$TESTDIR/liquid.prom"
in_ns lqa liquid-nl stats lqva >"$TESTDIR/text" 2>&1
sed 's/^/# /; /time of/!d' "$TESTDIR/text"
check "wait times are shown as text, in short" grep \
	-qE '^    wait time of 50, 99, 100 %: .+, .+, [^0-]' "$TESTDIR/text"
in_ns lqa liquid-nl stats lqva --json >"$TESTDIR/json" 2>&1
cp "$TESTDIR/json" "$LOG"
compare "wait times are shown as JSON, with their bounds" \
	"$(sed -n '/"bounds_ns"/,/]/p' "$TESTDIR/json" | tail -n 2 | head -n 1 | tr -d ' ')" = \
	4194304000
compare "nothing else is left there" "$(find "$TESTDIR" -name 'liquid.prom*' | wc -l)" = 1

background "$TESTDIR/ping" in-ns lqa ping -c 100 -i 0.05 -W 2 10.0.0.2
in_ns lqa liquid-nl stats lqva --watch=300ms --count 3 >"$TESTDIR/watch" 2>&1
compare "watching ends after its count" $? = 0
cp "$TESTDIR/watch" "$LOG"
compare "one head where it is not a terminal" "$(grep -c '^gate .*packets/s' "$TESTDIR/watch")" = 1
cp "$TESTDIR/watch" "$LOG"
compare "a line each time" "$(grep -c '^lqva ' "$TESTDIR/watch")" = 3
check "the rate of what runs" grep -qE '^lqva +[1-9][0-9]* ' "$TESTDIR/watch"
check "watch shows packets by destination" grep -qE '^  0 10.0.0.2 +[1-9][0-9]* ' "$TESTDIR/watch"
check "watch shows how long packets waited" grep \
	-qE '^  0 10.0.0.2 .* [0-9]+ +[0-9.]+( [um]?s)? +[0-9.]+ [um]?s$' "$TESTDIR/watch"
background "$TESTDIR/watch" in-ns lqa liquid-nl stats --watch
watch=$pid
sleep 1.5
kill "$watch"
wait "$watch"
compare "a signal ends it well" $? = 0
finish
