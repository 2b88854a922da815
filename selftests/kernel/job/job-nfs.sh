#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job with its store on NFS: a real server, and a client of its own for each node. How the
# client is mounted decides whether nodes see each other's records; a server that does not answer
# holds up no job.
# adds: nfs
# runs: 6.1-icount
# timeout: 400
# last: a hard mount whose server was stopped keeps what the next test deletes
set -u

. /liquid/lib/guest.sh
. /liquid/lib/job.sh
. /liquid/lib/nfs.sh

unmount_all()
{
	for n in 0 $NODES; do
		umount -l /node$n 2>/dev/null
	done
}

nfs_finish()
{
	unmount_all
	umount -l /bound 2>/dev/null
	stop_server
	finish
}

# conf_at PLACE [LINE...]: with the store there
conf_at()
{
	place=$1
	shift
	conf "$TESTDIR/fabric" "user root" "clock off" "$@" | sed "s|^store .*|store $place/liquid|"
}

# mounts OPTIONS [LINE...]: the controller's and four nodes', and liquid.conf for each
mounts()
{
	unmount_all
	rm -rf $SERVER
	mkdir $SERVER
	options=$1
	shift
	for n in 0 $NODES; do
		mount_at /node$n "$options"
		conf_at /node$n "$@" >"$TESTDIR/conf.$n"
	done
}

publish()
{
	timeout 60 liquid-nl job start "$1" --nodes 'h[1-4]' --traffic exchange \
		--config "$TESTDIR/conf.0" \
		>"$TESTDIR/$1.start" 2>&1
}

# prologues JOB N...: as Slurm does, a moment before the job is published; how long the slowest
# took: $took ms
prologues()
{
	job=$1
	shift
	waiting=
	begin=$(date +%s%N)
	for n; do
		node "$job" "$n" "$TESTDIR/conf.$n"
	done
}

done_all()
{
	for p in $waiting; do
		wait "$p"
	done
	took=$((($(date +%s%N) - begin) / 1000000))
	cat "$TESTDIR/$job".* >"$TESTDIR/said"
}

# tells NAME PATTERN: the last job's processes have said so
tells()
{
	check "$1" grep -E "$2" "$TESTDIR/said"
}

run_job()
{
	prologues "$1" $NODES
	sleep 0.3
	publish "$1"
	done_all
}

end_job()
{
	for n in $NODES; do
		in_ns lqn$n timeout 60 liquid-nl job end "$1" --node h$n \
			--config "$TESTDIR/conf.$n" >>"$LOG" 2>&1
	done
	compare "$1: its end leaves no gate closed" "$(gated)" = 0
	compare "$1: no process is left" "$(left "$1")" = 0
}

status()
{
	liquid-nl job status "$1" --config "$TESTDIR/conf.0"
}

# What node $1 has asked the server: look-ups and opens of names
asked()
{
	awk -v place="/node$1" '$1 == "device" { on = $5 == place }
		on && /^[ \t]*(LOOKUP|OPEN|OPEN_NOATTR|ACCESS|GETATTR):/ { sum += $2 }
		END { print sum + 0 }' /proc/self/mountstats
}

start
clockset sync 20
make_cluster
need liquid-nl fabric make leaf-spine leaves=2 hosts=2 spines=1 -o "$TESTDIR/fabric"
make_server
text="on NFS that caches .* which records do not exist: mount it with lookupcache=positive"

# ---- as everybody mounts it ----

mounts ""
sleep 10	# the server's grace
run_job default
compare "a default mount: it is refused" \
	"$(gated) $(grep -c "^job default: not gated: /node0/liquid is $text" "$TESTDIR/said")" = \
	"0 5"
compare "without a wait for the deadline" "$took" -lt 3000
conf_at $SERVER/.. >"$TESTDIR/conf.0"
sed -i "s|^store .*|store $SERVER|" "$TESTDIR/conf.0"
run_job nodes
tells "the controller has it on its own disk: nodes refuse it, and say so" \
	"as node h[1-4] decided: /node[1-4]/liquid is $text"
compare "none gates, and none waits for the deadline" "$(gated) $((took < 4000))" = "0 1"
liquid-nl job status nodes --config "$TESTDIR/conf.0" >"$TESTDIR/status" 2>&1
check "the status names a node and the reason" \
	grep 'aborted, .*: h[1-4]: /node[1-4]/liquid is on NFS' "$TESTDIR/status"
for options in noac acdirmax=0; do
	umount -l /node0
	mount_at /node0 $options
	conf_at /node0 >"$TESTDIR/conf.0"
	name=${options%%=*}
	publish "$name"
	check "$options is refused as well" grep "^job $name: not gated: /node0/liquid is $text" \
		"$TESTDIR/$name.start"
done

# ---- with the options that help ----

for option in positive none; do
	mounts lookupcache=$option
	before=$(asked 1)
	run_job $option
	check "lookupcache=$option: all four say that they gate" said 4
	compare "and do" "$(gated) $(bases | wc -l)" = "4 1"
	echo "# lookupcache=$option: $took ms, lead $LEAD," \
		"$(($(asked 1) - before)) requests of node h1"
	end_job $option
	[ $option = positive ] || continue
	run_job $option
	check "lookupcache=$option: again under the same name, all four gate" said 4
	end_job $option
done
mounts lookupcache=positive
umount -l /node4
mount_at /node4 ""
run_job odd
compare "one node's mount is not as the others': none gates, and none waits" \
	"$(gated) $((took < 4000))" = "0 1"
liquid-nl job status odd --config "$TESTDIR/conf.0" >"$TESTDIR/status" 2>&1
check "the status names the node whose mount differs" \
	grep 'aborted, .*: h4: /node4/liquid is on NFS' "$TESTDIR/status"
mkdir -p /bound
need mount --bind /node4/liquid /bound
sed -i "s|^store .*|store /bound|" "$TESTDIR/conf.4"
run_job bind
tells "a bind mount hides nothing" "as node h4 decided: /bound is $text"
umount -l /bound
need mount --bind /node3/liquid /bound
run_job fine
check "nor does it spoil a mount that is fine" said 4
end_job fine

# A node that waits for others asks as often however long it waits, and does not ask for each of
# them each time.
mounts lookupcache=positive
publish waits
before=$(asked 1)
prologues waits 1
done_all
requests=$(($(asked 1) - before))
echo "# one of four that waits $took ms: $requests requests"
compare "one that waits for three others asks at most fifty times a second" "$requests" \
	-lt $((took / 20))

# ---- a server that does not answer ----

# stopped_server OPTIONS: while three nodes wait for a fourth
stopped_server()
{
	store=${1%%,*}
	mounts lookupcache=positive,$1 "lease 4s"
	publish $store
	prologues $store 1 2 3
	# All three: one that is still writing cannot be killed while the server is stopped.
	for n in 1 2 3; do
		await test -e "$SERVER/rounds/$store-1/ready.h$n.json"
	done
	echo 0 >/proc/fs/nfsd/threads
	done_all
	compare "$store: the server stops in the agreement: prologues end in deadline and lead" \
		"$((took < 8000)) $(gated)" = "1 0"
	echo "# $store: $took ms, deadline $DEADLINE, lead $LEAD"
	tells "$store: and say why" "has not answered in time|Input/output error|timed out"
	compare "$store: no process is left" "$(left $store)" = 0
	serve
	sleep 12
	end_job $store
}

opened()
{
	[ "$(gated)" = 0 ]
}

stopped_server hard
run_job back
check "it is back, and the next job gates" said 4
echo 0 >/proc/fs/nfsd/threads
begin=$(date +%s%N)
in_ns lqn1 timeout 60 liquid-nl job end back --node h1 --config "$TESTDIR/conf.1" >"$LOG" 2>&1
took=$((($(date +%s%N) - begin) / 1000000))
echo "# the epilogue took $took ms"
compare "hard: the server stops under a gated job: an epilogue returns by the deadline" \
	"$((took < 6000))" = 1
await opened
compare "and all gates open, at the latest for their leases" "$(gated)" = 0
serve
sleep 12
end_job back
stopped_server soft,timeo=10,retrans=1
nfs_finish
