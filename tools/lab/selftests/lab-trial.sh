#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial on nodes of the lab: all that it measures, no secrets in its tarball, and who may
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

trial $NODES --rate 20M --seconds 1 --output "$TESTDIR/all.tar"
compare "four nodes: a trial ends well on all" "$codes" = " 0 0 0 0"
sed 's/^/# /' "$TESTDIR/out.plantone"
check "it leaves nothing behind" nothing_left
check "its tarball is one for tar" tar xf all.tar
compare "which has a file for each node and what they have in common" \
	"$(cd liquid-trial && echo *)" = "README fabric node0.json node1.json node2.json \
node3.json schedule.json summary.txt trial.json"
says "files were shown before they were packed" "bytes  liquid-trial/node3.json"

# In one line: what jansson has written
flat()
{
	tr -d ' \n' <"liquid-trial/$1"
}

for file in node0 node1 node2 node3; do
	compare "$file: four measurements" "$(flat $file.json | grep -o '"transport":' | wc -l)" = 4
	compare "$file: two of them with a gate" \
		"$(flat $file.json | grep -o '"gated":true' | wc -l)" = 2
	compare "$file: stamps of software" \
		"$(flat $file.json | grep -o '"kind":"software"' | wc -l)" = 2
	compare "$file: no packet left outside its frame" \
		"$(flat $file.json | grep -o '"outside":0,' | wc -l)" = 2
	compare "$file: packets left inside" \
		"$(flat $file.json | grep -o '"inside":[1-9][0-9]*,' | wc -l)" = 2
done
for histogram in wait late lag; do
	compare "histogram $histogram before and after both" \
		"$(flat node2.json | grep -o "\"$histogram\":{\"count\"" | wc -l)" = 4
done
compare "the schedule is verified on the fabric" "$(liquid-nl verify liquid-trial/fabric \
	liquid-trial/schedule.json | grep -c '12 transfers in 3 frames, liquid')" = 1
liquid-nl trial --show all.tar >shown 2>&1
cp shown "$LOG"
check "--show prints the summary again" cmp shown liquid-trial/summary.txt
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

# ---- no secrets ----

macs=$(for each in plantone planttwo plantthree plantfour; do
	on $each cat /sys/class/net/$each/address
done)
# secrets FILE...
secrets()
{
	for word in plant $KEY 10.9.0 "$(uname -v)" root $macs; do
		grep -aiF -e "$word" "$@" && return 1
	done
	# a number of its own: times have all digits
	! grep -awF -e "$PORT" "$@"
}
check "the tarball has no name, address or key of its nodes" secrets all.tar
echo '"device": "plantone"' >told
refuse "what would have been found" secrets all.tar told
echo "\"port\": $PORT," >told
refuse "and the port" secrets told

# ---- who does not come, and who must not ----

some=plantone,planttwo,plantfour
begin plantone $some --seconds 1 --rate 20M
first=$pid
begin planttwo $some --seconds 1 --rate 20M
await grep -q "node1 is planttwo" "$TESTDIR/out.plantone" || need false
begin plantthree $some --seconds 1 --rate 20M --node planttwo
wait "$pid"
compare "two nodes of one number: the second is refused" "$?" = 1
says "which is said" "there is another node with its number"
begin plantfour $some --seconds 1 --rate 20M
wait $first
compare "and the trial goes on with the first" "$?" = 0
begin plantone $NODES --seconds 1 --wait 2s
first=$pid
begin plantthree $NODES --seconds 1 --wait 2s --rate 20M
wait $first
compare "a node is missing: the first one says which" "$?" = 5
wait "$pid"
compare "and the others end" "$?" = 5
says "by name" "2 of 4 nodes did not come in time: planttwo, plantfour"
begin planttwo plantone,planttwo --seconds 1 --wait 1s
wait "$pid"
compare "no first node" "$?" = 5
says "that is said" "node1: the first node, plantone, was not reached at port $PORT in time"

begin plantone plantone,planttwo --seconds 1 --wait 3s --rate 20M
first=$pid
KEY=0123456789abcdef-another
begin planttwo plantone,planttwo --seconds 1 --wait 3s --rate 20M
wait "$pid"
compare "another key is refused" "$?" = 1
says "that is said to who has it" "does not answer as one with this --key does"
wait $first
compare "and is no node that has come" "$?" = 5
check "nothing is left of these" nothing_left

# A stranger neither gets an answer that helps it, nor holds up the trial.
KEY=0123456789abcdef-planted-key
begin plantone plantone,planttwo --seconds 1 --rate 20M
first=$pid
await sh -c "grep -q 'waits for' '$TESTDIR/out.plantone'"
for text in '' '{' '{"trial":1,"nonce":[]}' '{"trial":"0","nonce":"x"}' '[]' \
	"$(head -c 3000 /dev/zero | tr '\0' '[')"; do
	{ echo "$text"; sleep 0.2; } | on plantthree nc 10.9.0.1 $PORT >>"$TESTDIR/stranger" 2>&1
done
begin planttwo plantone,planttwo --seconds 1 --rate 20M
wait "$pid"
compare "strangers do not hold up a trial" "$?" = 0
wait $first
compare "nor its first node" "$?" = 0
fabric_down
fabric_finish
