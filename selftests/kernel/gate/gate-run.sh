#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A run of a plan on a gate's clock, for transfers that the gate does not see: it is in the gate's
# frames, also after its schedule or its clock has changed.
# modes: icount
# kernels: 6.1
# adds: experiments
# timeout: 60
. /liquid/lib/guest.sh
command -v gate-run >/dev/null || skip_all "no gate-run (make experiment-programs)"
start
make_pair
fabric=$TESTDIR/fabric
need liquid-nl fabric make papers-5x5 -o "$fabric"
need liquid-nl solve "$fabric" -o "$TESTDIR/schedule"
for n in 1 2 3 4 5; do
	echo "r$n 10.0.0.$((n + 1))"
done >"$TESTDIR/map"
make_gate

# schedule FRAME BASE: that of t1, on lqva
schedule()
{
	in_ns lqa liquid-nl push lqva --schedule "$TESTDIR/schedule" --node t1 \
		--addr-map "$TESTDIR/map" --frame-time "$1" --guard 100us --hops 1 \
		--unit-rate 100M --base-time "$2" --replace
}

# follow EPOCHS: sets follower
follow()
{
	background "$TESTDIR/run" ip netns exec lqa gate-run lqva "$fabric" "$TESTDIR/schedule" \
		t1 "$1"
	follower=$pid
	await grep -q ready "$TESTDIR/run" || need false
}

# followed NAME CHANGES
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
	compare "$1: all pieces of 20 epochs" "$(field in_frame "$TESTDIR/run" 2)" -ge 100
}

follow 20
need schedule 5ms +50ms
followed "a schedule that begins later" 0
follow 20
need schedule 3ms +123456789ns
followed "another schedule while it runs" 1
follow 20
sleep 0.1
clockset step 100
followed "a clock that is set" 1
finish
