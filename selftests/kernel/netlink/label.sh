#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a schedule is for: its label, which all users read, and its user, who alone of those without
# privileges reads its destinations and frames.
# runs: 6.1-icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/notify.sh
start
make_pair
make_gate
make_dests 4
ANNA=1001 BERT=1002
HIDE=/sys/module/$MODULE/parameters/hide_peers
longest=$(printf '%063d' 0)
chmod 755 / "$TESTDIR"

# as UID COMMAND...: a user without privileges
as()
{
	uid=$1
	shift
	in_ns lqa setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
}

# says NAME CODE TEXT COMMAND...: it ends with CODE, and says TEXT
says()
{
	name=$1 code=$2 text=$3
	shift 3
	"$@" >"$LOG" 2>&1
	status=$?
	echo "$* ended with $status" >>"$LOG"
	if [ $status = "$code" ] && grep -qF -- "$text" "$LOG"; then
		ok "$name"
	else
		not_ok "$name"
	fi
}

# ids UID: the destinations that this user sees
ids()
{
	as "$1" liquid-nl show lqva --dests 2>"$LOG" |
		sed -n 's/^  destination \([0-9]*\):.*/\1/p' | tr '\n' ' '
}

gone()
{
	[ -z "$(gate oper.frames)" ]
}

# ---- labels that are refused ----

table lqa lqva <<END
a label of 64 bytes | begin sched{frame_ns=1000000 frames=1 label=0$longest} | ERANGE | \
	@11 label out of range: use 1 to 63 characters
a label of none | begin sched{frame_ns=1000000 frames=1 @11:00} | ERANGE | \
	@11 label out of range: use 1 to 63 characters
a label with a newline | begin sched{frame_ns=1000000 frames=1 @11:610a6200} | EINVAL | \
	@11 label with a character that is not printable ASCII: leave it out
a label with a byte above ASCII | begin sched{frame_ns=1000000 frames=1 @11:c3a400} | EINVAL | \
	@11 label with a character that is not printable ASCII: leave it out
a label with DEL | begin sched{frame_ns=1000000 frames=1 @11:617f00} | EINVAL | \
	@11 label with a character that is not printable ASCII: leave it out
a label without an end | begin sched{frame_ns=1000000 frames=1 @11:6162} | EINVAL
a user that there is not | begin sched{frame_ns=1000000 frames=1 user=4294967295} | EINVAL | \
	@12 no such user in the sender's user namespace
a label of 63 bytes | begin sched{frame_ns=1000000 frames=1 label=$longest} | ok
END

# ---- the label, where it is reported ----

listen "$TESTDIR/text" lqa lqva
listen "$TESTDIR/json" lqa --json
need push +$((300 * SCALE * MS)) "frame_ns=$MS frames=2 label=job=17_\"a\\b\" user=$ANNA" \
	"lease_ns=60000000000" 1:0 1:1
compare "the waiting schedule has its label" "$(gate admin.label)" = 'job=17 "a\b"'
compare "and its user" "$(gate admin.user)" = $ANNA
told "the event of the commit has it" "$TESTDIR/text" \
	'lqva: committed, start .* TAI, for job=17 "a\\b"$' 1
told "the event of the start has it" "$TESTDIR/text" 'lqva: oper, start .*, for job=17 "a\\b"$' 1
told "as JSON" "$TESTDIR/json" '"kind":"oper",.*"label":"job=17 \\"a\\\\b\\""}$' 1
compare "the schedule in force has it" "$(gate oper.label)" = 'job=17 "a\b"'
says "show tells it, and the user" 0 "         for job=17 \"a\\b\", user $ANNA" \
	in_ns lqa liquid-nl show lqva
says "its JSON" 0 '"label": "job=17 \"a\\b\""' in_ns lqa liquid-nl show lqva --json
says "Prometheus, escaped" 0 \
	'liquid_schedule_info{dev="lqva",which="oper",label="job=17 \"a\\b\""} 1' \
	in_ns lqa liquid-nl stats --prometheus

# ---- who reads what; destinations 0 and 1 are Anna's, 1 and 2 Bert's that waits ----

compare "root reads all destinations" "$(ids 0)" = "0 1 2 3 "
compare "the schedule's user reads its own" "$(ids $ANNA)" = "0 1 "
says "with their counters" 0 "destination 0: 10.0.0.2" as $ANNA liquid-nl stats lqva
says "its frames" 0 "oper frame 1: destination 1" as $ANNA liquid-nl show lqva --frames
compare "and that it is theirs" "$(in_ns lqa wire as $ANNA get lqva oper.user)" = $ANNA
refused="destinations and frames are for CAP_NET_ADMIN and the schedule's user"
says "another user reads no destinations" 3 "$refused" as $BERT liquid-nl show lqva --dests
says "nor frames" 3 "$refused" as $BERT liquid-nl show lqva --frames
says "but the sums, and is told what is left out" 0 "destinations: not for this user" \
	as $BERT liquid-nl stats lqva
compare "which are those that root reads" \
	"$(in_ns lqa wire as $BERT get lqva state.dests oper.frames stats.swaps | tr '\n' ' ')" = \
	"$(gate state.dests oper.frames stats.swaps | tr '\n' ' ')"
compare "and the label" "$(in_ns lqa wire as $BERT get lqva oper.label)" = 'job=17 "a\b"'
compare "not the frame, nor who the user is" \
	"$(in_ns lqa wire as $BERT get lqva state.frame state.frame_dest oper.user)" = ""
compare "the user does" "$(in_ns lqa wire as $ANNA get lqva state.frame | wc -l)" = 1
says "root without CAP_NET_ADMIN is another user" 3 "$refused" in_ns lqa \
	setpriv --bounding-set=-net_admin --inh-caps=-net_admin liquid-nl show lqva --dests

need push +$((3600000 * MS)) "frame_ns=$MS frames=2 user=$BERT" "lease_ns=60000000000" 1:1 1:2
compare "what two users' schedules share is neither's" "$(ids $ANNA)/$(ids $BERT)" = "0 /2 "
says "the one that waits is not the other's" 3 "$refused" as $ANNA liquid-nl show lqva --frames
compare "nor is its user" "$(in_ns lqa wire as $ANNA get lqva admin.user)" = ""
told "a commit without a label has none" "$TESTDIR/text" 'lqva: committed, start [^,]* TAI$' 1

compare "the option that hides is on" "$(cat $HIDE)" = Y
echo N >$HIDE
compare "off: all users read all" "$(ids $BERT)" = "0 1 2 3 "
says "and who the user is" 0 "user $ANNA" as $BERT liquid-nl show lqva
echo Y >$HIDE
says "on again" 3 "$refused" as 1003 liquid-nl show lqva --dests

# ---- the end: nothing is left of either ----

echo "renew | renew lease_ns=$MS | ok" >"$TESTDIR/renew"
need in_ns lqa wire script lqva <"$TESTDIR/renew"
told "the end of the lease names the schedule that it ends" "$TESTDIR/text" \
	'lqva: lease-expired, for job=17 "a\\b"$' 1
await gone
compare "afterwards the gate has no label" "$(gate oper.label admin.label)" = ""
says "and nobody's destinations" 3 "$refused" as $ANNA liquid-nl show lqva --dests

# ---- the tool: labels go up, names of addresses come down ----

{
	liquid fabric make papers-5x5 -o "$TESTDIR/fabric" &&
	liquid solve "$TESTDIR/fabric" --senders 't[1-5]' --receivers 'r[1-5]' --json \
		--link-rate 1G -o "$TESTDIR/schedule"
} >"$LOG" 2>&1 || not_ok "a schedule"
for host in 1 2 3 4 5; do
	echo "r$host 10.0.0.$((host + 1))"
done >"$TESTDIR/map"
says "push takes a label and a user" 0 "base" in_ns lqa liquid-nl push lqva --node t1 \
	--schedule "$TESTDIR/schedule" --frame-time 1ms --addr-map "$TESTDIR/map" \
	--unit-rate 100M --label 'run 4' --user $BERT --base-time +3600s
compare "which the gate has" "$(gate admin.label admin.user | tr '\n' ' ')" = "run 4 $BERT "
says "destinations have the names of the map" 0 "destination 3: r4 10.0.0.5" \
	in_ns lqa liquid-nl show lqva --dests --addr-map "$TESTDIR/map"
says "in JSON" 0 '"name": "r4"' \
	in_ns lqa liquid-nl show lqva --dests --json --addr-map "$TESTDIR/map"
says "in stats" 0 "destination 3: r4 10.0.0.5" \
	in_ns lqa liquid-nl stats lqva --addr-map "$TESTDIR/map"
says "for Prometheus" 0 'destination="3",address="10.0.0.5",name="r4"}' \
	in_ns lqa liquid-nl stats lqva --prometheus --addr-map "$TESTDIR/map"
mkdir -p /etc/liquid
cat >/etc/liquid/liquid.conf <<END
fabric $TESTDIR/fabric
addresses $TESTDIR/map
store $TESTDIR/store
device lqva
frame-time 1ms
user root
END
says "by default of the map that liquid.conf names" 0 "destination 3: r4 10.0.0.5" \
	in_ns lqa liquid-nl show lqva --dests
echo "r1 10.0.0.2 and more" >"$TESTDIR/map"
says "without names if that is wrong" 0 "destination 3: 10.0.0.5" \
	in_ns lqa liquid-nl show lqva --dests
rm -f /etc/liquid/liquid.conf
finish
