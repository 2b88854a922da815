#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A node of capacity 2 sends to two receivers of capacity 1 within the time of each frame.
# kernels: 6.1
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
start
command -v liquid-nl >/dev/null || skip_all "no liquid-nl"
make_pair

# a's link takes 100 Mbit/s, twice the unit of the others.
FRAME=$((4 * SCALE * MS))
GUARD=$((FRAME / 40))
cat >"$TESTDIR/fabric" <<END
liquid-fabric 2
name fast
unit 50000000
hosts a,b,c
switches s
link a s 2
link s a 2
  to a
link b s 1
link s b 1
  to b
link c s 1
link s c 1
  to c
end
END
printf 'a b\na c\n' >"$TESTDIR/traffic"
printf 'b 10.0.0.2\nc 10.0.0.3\n' >"$TESTDIR/map"
need liquid solve "$TESTDIR/fabric" --traffic "$TESTDIR/traffic" -o "$TESTDIR/schedule"

# The schedule's one frame, once, and then nothing; sets base
frame()
{
	in_ns lqa wire del lqva 2>/dev/null
	make_gate
	base=$(($(now) / FRAME * FRAME + 1000 * MS / FRAME * FRAME))
	need in_ns lqa liquid-nl push lqva --schedule "$TESTDIR/schedule" --node a \
		--fabric "$TESTDIR/fabric" --frame-time ${FRAME}ns --guard ${GUARD}ns \
		--base-time $base \
		--cycles 1 --then hold --addr-map "$TESTDIR/map"
}

# send BYTES: to b and to c, from the base time on. At 100 Mbit/s half a frame takes 23 datagrams
# of 1,000 bytes, less the guard and what is kept for others.
send()
{
	blast udp --bytes $(($1 * SCALE)) --at "$base" --limit 5 lqa@10.0.0.1 \
		-- lqb@10.0.0.2 lqb@10.0.0.3
}

frame
compare "the kernel takes the parts of the frame" "$(gate admin.frames)" = 2
compare "each is half of it" "$(gate admin.frame_ns)" = $((FRAME / 2))
plan "$TESTDIR/plan" admin
tap_start "$TESTDIR/cap" 60 lqa:lqva
check "one frame carries a transfer to each of two receivers" send 18000
tap_stop
judge_capture "every packet in its receiver's part" "$TESTDIR/cap" --plan 0 "$TESTDIR/plan"
frame
refuse "it does not carry twice as much" send 36000
finish
