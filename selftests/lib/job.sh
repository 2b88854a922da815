# SPDX-License-Identifier: GPL-2.0-only
# Nodes for liquid-nl job: four namespaces with a gate each, on a bridge; after guest.sh. By another
# bridge they reach the service, which needs the line `# adds: munge`.
# shellcheck shell=dash

NODES="1 2 3 4"
JOB_NODES='h[1-4]'	# as a job names them
DEVICES=lqv		# with a gate, of each node
NAMESPACE=lqn	# of node N, followed by N

# All of the nodes' work is done by one or two processors, and a host that is busy takes some of it.
if [ "${LIQUID_ICOUNT:-0}" = 1 ] && [ $DEBUG = 0 ]; then
	DEADLINE=5s
	LEAD=2s
else
	DEADLINE=20s
	LEAD=6s
fi

make_cluster()
{
	load veth bridge
	need ip link add lqbr type bridge
	need ip link set lqbr up
	for n in $NODES; do
		need ip netns add lqn$n
		need ip link add lqp$n type veth peer name lqv netns lqn$n
		need ip link set lqp$n master lqbr up
		need ip -n lqn$n link set lo up
		need ip -n lqn$n addr add 10.9.0.$n/24 dev lqv
		need ip -n lqn$n link set lqv up
		need in_ns lqn$n liquid-nl attach lqv --rate 1G
		echo "h$n 10.9.0.$n"
	done >"$TESTDIR/addresses"
	start_service
}

start_munge()
{
	mkdir -p "$TESTDIR/munge"
	chmod 755 / "$TESTDIR" "$TESTDIR/munge"
	head -c 1024 /dev/urandom >"$TESTDIR/munge/key"
	chmod 400 "$TESTDIR/munge/key"
	background "$TESTDIR/munge/out" munged --foreground --force \
		--key-file "$TESTDIR/munge/key" --socket "$TESTDIR/munge/socket" \
		--pid-file "$TESTDIR/munge/pid" --log-file "$TESTDIR/munge/log" \
		--seed-file "$TESTDIR/munge/seed"
	await test -S "$TESTDIR/munge/socket"
}

# The service reads liquid.conf when it begins, and files that it names for each round.
start_service()
{
	command -v munged >/dev/null || skip_all "munge is missing on the host (make deps)"
	load veth bridge
	need ip link add lqctl type bridge
	need ip addr add 10.77.0.254/24 dev lqctl
	need ip link set lqctl up
	echo "10.77.0.254 control" >"$TESTDIR/hosts"
	for n in $NODES; do
		need ip link add lqc$n type veth peer name lqctl netns $NAMESPACE$n
		need ip link set lqc$n master lqctl up
		need ip -n $NAMESPACE$n addr add 10.77.0.$n/24 dev lqctl
		need ip -n $NAMESPACE$n link set lqctl up
		echo "10.77.0.$n h$n" >>"$TESTDIR/hosts"
	done
	cp "$TESTDIR/hosts" /etc/hosts
	start_munge
	conf "$TESTDIR/fabric" >"$TESTDIR/conf"
	background "$TESTDIR/service" liquid-nl job serve --config "$TESTDIR/conf"
	await grep -q "serves at control" "$TESTDIR/service"
}

# prepared ROUND: its nodes that have come are ready
prepared()
{
	await test -e "$TESTDIR/store/rounds/$1/schedule.json"
	sleep 2
}

# committed N: a gate of the node has a schedule that waits
committed()
{
	for device in $DEVICES; do
		in_ns $NAMESPACE$1 liquid-nl show $device
	done | grep -q '^  admin '
}

# conf FABRIC [LINE...]
conf()
{
	cat <<-END
	fabric $1
	addresses $TESTDIR/addresses
	agree service control
	store $TESTDIR/store
	munge-socket $TESTDIR/munge/socket
	device lqv
	frame-time 1ms
	link-rate 1G
	deadline $DEADLINE
	lead $LEAD
	clock refuse
	clock-error 900ms
	guard 50us
	user root
	traffic exchange alltoall
	END
	shift
	for line; do
		echo "$line"
	done
}

# node JOB N [CONF]: its prologue
node()
{
	ip netns exec "$NAMESPACE$2" setsid liquid-nl job ready "$1" --node "h$2" --stay \
		--config "${3:-$TESTDIR/conf}" >"$TESTDIR/$1.$2" 2>&1 &
	pid=$!
	waiting="$waiting $pid"
}

# job JOB N...: publish it for all nodes; the prologue runs on those given
job()
{
	job=$1
	shift
	waiting=
	need liquid-nl job start "$job" --nodes "$JOB_NODES" --traffic exchange \
		--config "$TESTDIR/conf"
	for n; do
		node "$job" "$n"
	done
}

all_done()
{
	for p in $waiting; do
		wait "$p"
	done
	cat "$TESTDIR/$job".* >"$LOG"
}

show()
{
	in_ns "$NAMESPACE$1" liquid-nl show lqv
}

# in_force N: the node has a schedule, and its base time has come
in_force()
{
	show "$1" | grep -q '^lqv: gated'
}

# said N: this many nodes have said that they gate
said()
{
	cat "$TESTDIR/$job".*
	[ "$(cat "$TESTDIR/$job".* | grep -c ' gates by schedule ')" = "$1" ]
}

# How many gates of nodes have a schedule, in force or waiting
gated()
{
	for n in $NODES; do
		for device in $DEVICES; do
			in_ns $NAMESPACE$n liquid-nl show $device | grep -E '^  (oper|admin) ' |
				head -n 1
		done
	done | wc -l
}

bases()
{
	for n in $NODES; do
		for device in $DEVICES; do
			in_ns $NAMESPACE$n liquid-nl show $device --json |
				sed -n 's/.*"base_time": \([0-9]*\).*/\1/p'
		done
	done | sort -u
}

end()
{
	for n in $NODES; do
		in_ns $NAMESPACE$n liquid-nl job end "$1" --node h$n \
			--config "$TESTDIR/conf" >>"$LOG" 2>&1
	done
	compare "$1: its end leaves no gate closed" "$(gated)" = 0
	compare "$1: no process is left" "$(left "$1")" = 0
}

count_processes()
{
	cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -o "liquid-n[l] job ready $1 " |
		wc -l
}

# How many processes of a job are still there after a while
left()
{
	for _ in $(seq 50); do
		[ "$(count_processes "$1")" = 0 ] && break
		sleep 0.1
	done
	count_processes "$1"
}

# processes_of JOB N: the oldest first; others are children of it. The shell leaves zero bytes out,
# and needs no program for each process, of which there are many.
processes_of()
{
	for dir in /proc/[0-9]*; do
		line=
		read -r line <"$dir/cmdline"
		case $line in
		"liquid-nljobready$1--nodeh$2--"*) echo "${dir#/proc/}" ;;
		esac
	done 2>/dev/null | sort -n
}

process_of()
{
	processes_of "$@" | head -n 1
}

# worker_of JOB N: of a prologue's, the one that asks the service and has the gate
worker_of()
{
	processes_of "$@" | sed -n 2p
}
