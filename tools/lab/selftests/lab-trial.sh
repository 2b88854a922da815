#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial on nodes of the lab: all that it measures, no names in its records, and who may
# take part. lab-trial-ends.sh has how else one may end.
# kernels: 6.1
# modes: icount
# runs: 6.1-icount
# timeout: 280
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/trial.sh
trial_start

# ---- a whole trial ----

trial $NODES --rate 20M --seconds 1
compare "four nodes: a trial ends well on all" "$codes" = " 0 0 0 0"
check "it leaves nothing behind" nothing_left
for each in plantone planttwo plantthree plantfour; do
	compare "$each: four measurements" "$(grep -o '"udp":' record.$each | wc -l)" = 4
	compare "$each: two of them with a gate" \
		"$(grep -o '"gated":true' record.$each | wc -l)" = 2
	compare "$each: what the gate has counted" \
		"$(grep -o '"stats":{"packets":[1-9]' record.$each | wc -l)" = 2
done
for histogram in wait late lag; do
	compare "histogram $histogram of both" \
		"$(grep -o "\"$histogram\":{\"count\"" record.planttwo | wc -l)" = 2
done
check "the records have a summary" liquid-nl trial record.plantone record.planttwo \
	record.plantthree record.plantfour
cp "$LOG" shown
sed 's/^/# /' shown
for each in plantone planttwo plantthree plantfour; do
	cat record.$each
done >all
check "which is the same if they are in one file" sh -c 'liquid-nl trial all | cmp - shown'
for row in "tcp without a gate" "udp without a gate" "tcp with a gate" "udp with a gate"; do
	check "the summary has $row" grep -E "^$row  +[1-9][0-9.]* %" shown
done
# share ROW: of the links, whole percents
share()
{
	sed -n "s/^$1  *\([0-9]*\)\.[0-9] %.*/\1/p" shown
}
compare "with a gate UDP fills most of its frames" "$(share 'udp with a gate')" -ge 60
compare "and TCP as well" "$(share 'tcp with a gate')" -ge 50
check "without any loss" grep -E '^tcp with a gate .* 0\.000 %' shown

# ---- no names ----

macs=$(for each in plantone planttwo plantthree plantfour; do
	on $each cat /sys/class/net/$each/address
done)
# secrets FILE...
secrets()
{
	for word in plant 10.9.0 "$(uname -v)" root $macs; do
		grep -aiF -e "$word" "$@" && return 1
	done
	# its own number: times have all digits
	! grep -awF -e "$PORT" "$@"
}
check "the records have no name or address of their nodes" secrets all
echo '"device": "plantone"' >told
refuse "what would have been found" secrets all told

# ---- who does not come, and who must not ----

begin plantone $NODES --seconds 1 --wait 2s --rate 20M
first=$pid
begin plantthree $NODES --seconds 1 --wait 2s --rate 20M
wait $first
compare "a node is missing: the first one ends" "$?" = 5
wait "$pid"
compare "and the others" "$?" = 5
says "which is said" "node1, 10.9.0.2, has not come in time"

# Who is not a node, or not root on one, takes no place.
# shellcheck disable=SC2016 # awk's
listens()
{
	on plantone awk '$4 == "0A" { n++ } END { exit !n }' /proc/net/tcp
}
begin plantone plantone,planttwo --seconds 1 --rate 20M
first=$pid
await listens
for each in plantthree planttwo; do
	{ echo "$each"; sleep 0.2; } | on $each nc 10.9.0.1 $PORT >>"$TESTDIR/stranger" 2>&1
done
begin planttwo plantone,planttwo --seconds 1 --rate 20M
wait "$pid"
compare "strangers do not hold up a trial" "$?" = 0
wait $first
compare "nor its first node" "$?" = 0
check "nothing is left of these" nothing_left
fabric_down
fabric_finish
