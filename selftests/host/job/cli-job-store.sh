#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job where the store takes no record, does not answer or is of no use: no prologue
# outlives deadline and lead, none gates, and each says so once. And who learns why a job was not
# gated, by node and reason.
#
# timeout: 150

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# A small tmpfs is the store, which nobody else shall see.
if [ -z "$LIQUID_OWN_MOUNTS" ]; then
	[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null ||
		skip_all "no mounts of its own (not root)"
	LIQUID_OWN_MOUNTS=1 LIQUID_NL=$liquid_nl exec unshare -m "$here/host/job/${0##*/}"
fi
mkdir store
mount -t tmpfs -o size=1m,mode=755 tmpfs store || skip_all "no tmpfs"
trap 'umount -l "$work/store"; rm -rf "$work"' EXIT
chmod 755 "$work"

"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o fabric
for n in 1 2 3 4 5 6 7 8; do
	echo "h$n 10.0.0.$n"
done >addresses
DEADLINE=3
LEAD=2
# conf FILE [LINE...]
conf()
{
	file=$1
	shift
	printf '%s\n' "fabric $work/fabric" "addresses $work/addresses" "agree files $work/store" \
		"device lo" \
		"frame-time 1ms" "link-rate 10G" "clock off" "user root" "deadline ${DEADLINE}s" \
		"lead ${LEAD}s" \
		"traffic exchange alltoall" "partition batch exchange" "partition idle none" \
		"$@" >"$file"
}
conf liquid.conf

start()
{
	timeout 20 "$liquid_nl" job start --config liquid.conf --partition batch "$@" >text 2>&1
}

# node JOB NODE [ARG...]: its prologue; its output is in JOB.NODE, and its seconds and exit code
# below that
node()
{
	(
		job=$1
		name=$2
		shift 2
		begin=$(date +%s%N)
		setsid timeout -s KILL 40 "$liquid_nl" job ready "$job" --node "$name" \
			--dry-run --config liquid.conf \
			"$@" >"$job.$name" 2>&1
		echo "exit $? after $((($(date +%s%N) - begin) / 1000000)) ms" >>"$job.$name"
	) &
}

nodes()
{
	job=$1
	shift
	for name; do
		node "$job" "$name"
	done
}

# gates JOB N: so many of its nodes have said that they gate
gates()
{
	cat "$1".h* >text
	[ "$(grep -c ' gates by schedule ' text)" = "$2" ]
}

# left JOB SECONDS: all of its nodes have left in time, and none has said a thing twice
left()
{
	wait
	cat "$1".h* >text
	[ "$(sed -n 's/^exit [01] after \([0-9]*\) ms$/\1/p' text | sort -n | tail -n 1)" \
		-le $(($2 * 1000)) ] &&
		[ "$(grep -c '^exit [01] ' text)" = "$(ls "$1".h* | wc -l)" ] &&
		for said in "$1".h*; do
			[ -z "$(sort "$said" | uniq -d)" ] &&
				[ "$(wc -l <"$said")" -le 8 ] || return 1
		done
}

fill()
{
	dd if=/dev/zero of=store/fill bs=4k >/dev/null 2>&1
	! echo x >store/more 2>/dev/null
}

empty()
{
	rm -f store/fill store/more
}

end()
{
	timeout 20 "$liquid_nl" job end "$1" --config liquid.conf >/dev/null 2>&1
}

# At the latest by themselves, and a little for a machine that is busy
MOST=$((DEADLINE + LEAD + 1))

echo "TAP version 13"

# ---- a full store, in each phase ----

start full --nodes 'h[1-2]'
fill
nodes full h1 h2
left full $MOST
ok "full from the beginning: each node leaves by itself, and says so once"
gates full 0 && grep -q "No space left on device" full.h1
ok "none gates, and the reason is told"
empty
end full

start ready --nodes 'h[1-4]'
nodes ready h1 h2 h3
within 10 test -e store/rounds/ready-1/ready.h1.json -a -e store/rounds/ready-1/ready.h2.json \
	-a -e store/rounds/ready-1/ready.h3.json
fill
node ready h4
left ready $MOST && gates ready 0
ok "full once three of four are ready: none gates, and none waits any longer"
empty
end ready

start committed --nodes 'h[1-4]'
nodes committed h1 h2
within 10 test -e store/rounds/committed-1/ready.h2.json
stopped=$(worker_of committed h2)
kill -STOP "$stopped"
nodes committed h3 h4
within 10 test -e store/rounds/committed-1/committed.h1.json \
	-a -e store/rounds/committed-1/committed.h3.json \
	-a -e store/rounds/committed-1/committed.h4.json
fill
kill -CONT "$stopped"
left committed $MOST && gates committed 0 && [ ! -e store/rounds/committed-1/go.json ]
ok "full once three of four have committed: each opens its gate at the base time"
[ "$(grep -l 'opens its gate: it saw no verdict until the base time' committed.h* | wc -l)" = 4 ]
ok "and says why"
empty
end committed

# ---- a record that goes away ----

start purged --nodes 'h[1-2]'
node purged h1
within 10 test -e store/rounds/purged-1/ready.h1.json
rm -r store/jobs/purged
left purged $((DEADLINE - 1)) && gates purged 0
ok "purged while a node waits for the others: it waits no longer"

# ---- other stores that take nothing ----

start readonly --nodes 'h[1-4]'
nodes readonly h1 h2
within 10 test -e store/rounds/readonly-1/ready.h1.json -a -e store/rounds/readonly-1/ready.h2.json
mount -o remount,ro store
nodes readonly h3 h4
left readonly $MOST && gates readonly 0 && grep -q "Read-only file system" readonly.h1
ok "read-only from one moment to the next: none gates, none waits any longer"
mount -o remount,rw store
end readonly

if id nobody >/dev/null 2>&1; then
	chown -R nobody store
	conf liquid.conf "user nobody"
	start foreign --nodes 'h[1-4]'
	chown -R root store/rounds
	chmod -R go=rX store/rounds
	nodes foreign h1 h2 h3 h4
	left foreign $MOST && gates foreign 0 &&
		grep -Eq "foreign-1/.*: Permission denied|belongs to user 0" foreign.h1
	ok "records of another user: none gates, none waits any longer"
	# What has begun may not write any more, nor its end be recorded in the round.
	chown -R nobody store
	end foreign
	# By the privileges that Slurm's prologue leaves us: the worker is another user than who
	# waits for it.
	start away --nodes 'h[1-2]'
	caps=$(sed -n 's/^caps=//p' "$(dirname "$here")/tools/slurm/prolog")
	timeout -s KILL 40 setpriv --bounding-set="-all,$caps" --inh-caps=-all \
		"$liquid_nl" job ready away \
		--node h1 --dry-run --config liquid.conf >away.h1 2>&1 &
	within 10 test -e store/rounds/away-1/ready.h1.json
	stopped=$(worker_of away h1)
	kill -STOP "$stopped"
	sed -n 's/^CapEff:\t//p' "/proc/$(process_of away h1)/status" "/proc/$stopped/status" >caps
	wait
	cat caps away.h1 >text
	grep -q "away: the store .*/store has not answered in time" text &&
		! kill -0 "$stopped" 2>/dev/null
	ok "the keeper's worker does not come back: who waits leaves, and leaves nobody behind"
	[ "$(tr '\n' ' ' <caps)" = "0000000000001020 0000000000001000 " ]
	ok "who waits has CAP_KILL and CAP_NET_ADMIN, the worker CAP_NET_ADMIN alone"
	end away
	start ended --nodes 'h[1-4]'
	nodes ended h1 h2
	within 10 test -e store/rounds/ended-1/ready.h1.json \
		-a -e store/rounds/ended-1/ready.h2.json
	chown -R root store/rounds
	chmod -R go=rX store/rounds
	begin=$(date +%s%N)
	end ended
	wait
	took=$((($(date +%s%N) - begin) / 1000000))
	left ended $MOST && gates ended 0 && [ $took -lt 2000 ] &&
		grep -q "h1 decided: the job has ended" ended.h1
	ok "the job ends meanwhile: nodes leave at once"
	chown -R root store
	conf liquid.conf
fi

# ---- one that does not answer ----

start hung --nodes 'h[1-2]'
node hung h1
within 10 test -e store/rounds/hung-1/ready.h1.json
stopped=$(worker_of hung h1)
kill -STOP "$stopped"
left hung $MOST && gates hung 0 &&
	grep -q "hung: the store .*/store has not answered in time" hung.h1
ok "whoever looks at it does not come back: the prologue leaves all the same"
! kill -0 "$stopped" 2>/dev/null
ok "and leaves nobody behind"
end hung
start caller --nodes 'h[1-2]'
node caller h1
within 10 test -e store/rounds/caller-1/ready.h1.json
worker=$(worker_of caller h1)
kill -KILL "$(process_of caller h1)"
gone()
{
	! kill -0 "$worker"
}
within 2 gone
ok "a prologue that is killed takes its worker with it"
wait
end caller

# ---- one late node ----

# late JOB: h2 sleeps from its commit until after the base time, while all others go on. h3 holds
# the go up until h2 is stopped.
late()
{
	start "$1" --nodes 'h[1-4]'
	nodes "$1" h1 h2 h3
	within 10 test -e "store/rounds/$1-1/ready.h3.json"
	held=$(worker_of "$1" h3)
	kill -STOP "$held"
	node "$1" h4
	within 10 test -e "store/rounds/$1-1/committed.h2.json"
	stopped=$(worker_of "$1" h2)
	kill -STOP "$stopped"
	kill -CONT "$held"
	within 10 test -e "store/rounds/$1-1/go.json"
	sleep $LEAD
}
late asleep
kill -CONT "$stopped"
wait
gates asleep 4
ok "one sleeps through the base time: it looks once more, and gates as the others do"
end asleep
late alone
mv store/rounds/alone-1/go.json gone.json
kill -CONT "$stopped"
wait
mv gone.json store/rounds/alone-1/go.json
gates alone 3 && grep -q "node h2: opens its gate: it saw no verdict until the base time" alone.h2
ok "one cannot see the verdict: it opens its gate, and says why"
prints 0 "job alone: gated,*; node h2 has opened its gate: it saw no verdict until the base time" \
	job status alone \
	--config liquid.conf
prints 0 '*"open": \[*"node": "h2"*"reason": "it saw no verdict*' job status alone \
	--json --config liquid.conf
end alone

# ---- who learns why ----

# because JOB REASON [ARG...]: h2's prologue is called with more, and the status tells its reason,
# also afterwards
because()
{
	reason=$2
	start "$1" --nodes 'h[1-2]'
	node "$1" h1
	node "$1" h2 "${@:3}"
	wait
	prints 0 "job $1: aborted, round $1-1*: h2: $reason" job status "$1" --config liquid.conf
	end "$1"
	prints 0 "job $1: ended (ungated: h2: $reason), round $1-1*" job status "$1" \
		--config liquid.conf
}
grep -v '^h1 ' addresses >fewer
conf fewer.conf "addresses $work/fewer"
because address "no address is known for 1 of 1 destinations: h1 in $work/fewer" --config fewer.conf
conf clock.conf "clock refuse" "clock-error 1ns"
because clock "*clock*" --config clock.conf
conf device.conf "device lqnone"
sed -i '/^device lo/d' device.conf
start module --nodes 'h[1-2]'
node module h1
timeout 20 "$liquid_nl" job ready module --node h2 --config device.conf >module.h2 2>&1
wait
prints 0 "job module: aborted, round module-1*: h2: *lqnone*" job status module --config liquid.conf
end module
start many --nodes 'h[1-8]'
nodes many h1 h2
wait
prints 0 \
	"job many: aborted, round many-1*: h?: 2 of 8 nodes were ready in time, \
not h3, h4, h5, h6, ..." \
	job status many --config liquid.conf
end many

# ---- a controller that does nothing ----

node unpublished h1
left unpublished 4 && grep -q "nothing was published: look at the controller" unpublished.h1
ok "nothing is published: nodes wait for a moment, and say where to look"
mkdir store/jobs/begun
node begun h1
wait
grep -q "the controller has begun with it" begun.h1 &&
	[ "$(sed -n 's/^exit 0 after \([0-9]*\) ms$/\1/p' begun.h1)" \
	-ge $((DEADLINE * 1000 - 500)) ]
ok "the controller is at it: they wait until the deadline"
rmdir store/jobs/begun

# ---- no more records, nor look-ups, than must be ----

find store -type f | sort >before
prints 0 "job free: not gated: its partition has no traffic" job start free --nodes 'h[1-2]' \
	--partition idle \
	--comment liquid=exchange --config liquid.conf
prints 0 "job free: not gated: its partition has no traffic" job ready free --node h1 \
	--partition idle \
	--dry-run --config liquid.conf
end free
find store -type f | sort >text
cmp -s before text
ok "a partition without traffic: no record is left, nor waited for"
prints 0 "*job open: not gated: no traffic is configured*" job start open --nodes 'h[1-2]' \
	--partition other \
	--config liquid.conf
prints 0 "job open: not gated: no traffic is configured*" job ready open --node h1 \
	--partition other --dry-run \
	--config liquid.conf
end open
find store -type f | sort >text
cmp -s before text
ok "a partition that is not named: nothing is left after the end"
start runs --nodes 'h[1-2]'
prints 0 "job runs: preparing, round runs-1" job status --running --config liquid.conf
[ "$(ls store/running)" = runs ]
ok "who starts a job looks at those that run, and not at all that ever ran"
end runs
prints 0 "" job status --running --config liquid.conf
start quiet --nodes 'h[1-2]'
[ -e store/jobs/quiet ] && ! grep -q live-topo text
ok "that no live-topo is configured is no news at each job: doctor says it"
end quiet
# By default, when the controller notes an end
start old --nodes 'h[1-2]'
end old
touch -d '9 days ago' store/jobs/old/end.json store/rounds/old-1 store/purged
start new --nodes 'h[1-2]'
end new
ls store/jobs >text
[ ! -e store/jobs/old ] && [ ! -e store/rounds/old-1 ] && [ -e store/jobs/new/end.json ]
ok "what ended a week ago is removed, once a day"
"$liquid" fabric make leaf-spine leaves=5 hosts=16 spines=2 -o fabric
prints 0 \
	"*job large: not gated: its round would have 65 nodes, and the limit is 64" job start \
	large --nodes 'h[1-65]' --partition batch --config liquid.conf
prints 0 "*round largest-1, 64 nodes*" job start largest --nodes 'h[1-64]' --partition batch \
	--config liquid.conf
finish
