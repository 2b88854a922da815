#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A run of a plan on a gate's clock, for transfers that the gate does not see: it is in the gate's
# frames, also after its schedule or its clock has changed, and ends its epoch in order then.
# modes: icount
# kernels: 6.1
# adds: experiments
# timeout: 60
. /liquid/lib/guest.sh
command -v gate-run >/dev/null || skip_all "no gate-run (make experiment-programs)"
start
make_pair
fabric=$TESTDIR/fabric
need liquid fabric make papers-5x5 -o "$fabric"
need liquid solve "$fabric" -o "$TESTDIR/schedule"
for n in 1 2 3 4 5; do
	echo "r$n 10.0.0.$((n + 1))"
done >"$TESTDIR/map"
make_gate

# schedule FRAME BASE [OPTION]...: that of t1, on lqva
schedule()
{
	frame=$1
	base=$2
	shift 2
	in_ns lqa liquid-nl push lqva --schedule "$TESTDIR/schedule" --node t1 \
		--addr-map "$TESTDIR/map" --frame-time "$frame" --guard 100us --hops 1 \
		--unit-rate 100M --base-time "$base" --replace "$@"
}

# follow EPOCHS: sets follower
follow()
{
	background "$TESTDIR/run" in-ns lqa gate-run lqva "$fabric" "$TESTDIR/schedule" \
		t1 "$1"
	follower=$pid
	await grep -q ready "$TESTDIR/run" || need false
}

# followed NAME CHANGES IN_ORDER: pieces that went without a frame, at least; all are 100
followed()
{
	if wait "$follower"; then
		ok "$1: the run is in the gate's frames"
	else
		cp "$TESTDIR/run" "$LOG"
		not_ok "$1: the run is in the gate's frames"
	fi
	sed 's/^/# /' "$TESTDIR/run"
	compare "$1: it has noticed" "$(field changes "$TESTDIR/run" 2)" = "$2"
	in_order=$(field in_order "$TESTDIR/run" 2)
	compare "$1: all pieces of 20 epochs" \
		$(($(field in_frame "$TESTDIR/run" 2) + in_order)) -eq 100
	compare "$1: those of one epoch at most went without a frame" "$in_order" -le 5
	compare "$1: this many did at least" "$in_order" -ge "$3"
}

follow 20
need schedule 5ms +50ms
followed "a schedule that begins later" 0 0
follow 20
need schedule 3ms +123456789ns
followed "another schedule while it runs" 1 0
# A step comes in the middle of an epoch of 100 ms.
need schedule 20ms +50ms
sleep 0.5
follow 20
sleep 0.35
clockset step 100
followed "a clock that is set forward" 1 1
follow 20
sleep 0.35
clockset step -100
followed "a clock that is set back" 1 1
need schedule 20ms +50ms --lease 900ms
sleep 0.5
follow 20
sleep 1
need schedule 20ms +50ms
followed "a lease that ends, and then another schedule" 1 1
finish
