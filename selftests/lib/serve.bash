# SPDX-License-Identifier: GPL-2.0-only
# A service of jobs with its own munged, in its own namespaces; after cli.bash.
# shellcheck shell=bash disable=SC2154

PORT=7816
keeper=daemon

# in_own_namespaces [ARG...]: the test begins anew in a mount and a network namespace
in_own_namespaces()
{
	if [ -z "$LIQUID_OWN_NET" ]; then
		[ "$(id -u)" = 0 ] && unshare -m -n true 2>/dev/null ||
			skip_all "no its own namespaces (not root)"
		for program in munged munge unmunge ip; do
			[ -n "$(command -v $program)" ] ||
				skip_all "no $program; \`make deps\` installs it"
		done
		cd / && rmdir "$work"
		LIQUID_OWN_NET=1 LIQUID_NL=$liquid_nl exec unshare -m -n \
			"$here/host/job/${0##*/}" "$@"
	fi
	trap 'end_serve; rm -rf "$work"' EXIT
	chmod 755 "$work"
	mkdir -m 755 bin
	install -m 755 -t bin "$liquid" "$liquid_nl"
	liquid_nl=$work/bin/liquid-nl
	ip link set lo up
}

end_serve()
{
	umount -l /etc/hosts 2>/dev/null
	end_work
}

start_munged()
{
	mkdir -m 755 munge
	head -c 1024 /dev/urandom >munge/key
	chmod 400 munge/key
	munged --force --key-file "$work/munge/key" --socket "$work/munge/socket" \
		--pid-file "$work/munge/pid" --log-file "$work/munge/log" \
		--seed-file "$work/munge/seed" >munge/out 2>&1 ||
		skip_all "munged does not start"
}

# know FILE: names and addresses that the controller knows, in addition
know()
{
	cat /etc/hosts "$1" >hosts
	mount --bind hosts /etc/hosts
}

# cable_nodes N: nodes h1 to hN in network namespaces, those of processes holder[], each with a
# cable, eth0, to one of port1 to portN of a bridge; lines of their addresses in file `known`
cable_nodes()
{
	ip link add bridge type bridge || skip_all "no bridge"
	ip addr add 10.99.0.254/24 dev bridge
	ip link set bridge up
	for n in $(seq "$1"); do
		echo "10.99.0.$n h$n" >>known
		unshare -n sleep 1000 &
		holder[n]=$!
		within 5 [ "$(readlink /proc/self/ns/net)" != \
			"$(readlink "/proc/${holder[n]}/ns/net")" ]
		ip link add "port$n" type veth peer name eth0 netns "${holder[n]}"
		ip link set "port$n" master bridge up
		nsenter -n -t "${holder[n]}" ip addr add "10.99.0.$n/24" dev eth0
		nsenter -n -t "${holder[n]}" ip link set eth0 up
	done
}

# prologue FILE COMMAND...: in the background; FILE has what it says, its exit code and its ms
prologue()
{
	(
		begin=$(date +%s%N)
		setsid timeout -s KILL 40 "${@:2}" >"$1" 2>&1
		echo "exit $? after $((($(date +%s%N) - begin) / 1000000)) ms" >>"$1"
	) &
	pids="$pids $!"
}

# nodes JOB NODE...: the prologue of each, by the test's node()
nodes()
{
	for name in "${@:2}"; do
		node "$1" "$name"
	done
}

# All of them have left.
await()
{
	# shellcheck disable=SC2086
	[ -z "$pids" ] || wait $pids
	pids=
}

# The longest prologue of a job, in ms
longest()
{
	sed -n 's/^exit [01] after \([0-9]*\) ms$/\1/p' "$1".h* | sort -n | tail -n 1
}

# prepared ROUND: its schedule is there, and nodes that have come are ready
prepared()
{
	within 10 test -e "store/rounds/$1/schedule.json"
	sleep 0.5
}

end()
{
	timeout 20 "$liquid_nl" job end "$1" --config liquid.conf >/dev/null 2>&1
}

# one_host NODE...: they are processes of this host, and so is the controller
one_host()
{
	printf '127.0.0.1 %s\n' ctl "$@" >known
	know known
}

# serve_one_host NODE...: a service for them, which `wait` does not wait for
serve_one_host()
{
	one_host "$@"
	start_munged
	serve
	disown
}

# Lines of liquid.conf: how nodes agree
agree()
{
	printf '%s\n' "agree service ctl:$PORT" "store $work/store" \
		"munge-socket $work/munge/socket"
}

# write_conf FILE [LINE...]: of the controller; what it is about is where it says
write_conf()
{
	agree >"$1"
	printf '%s\n' "fabric $work/fabric" "addresses $work/addresses" "user $keeper" \
		"device lo" "frame-time 1ms" "link-rate 10G" "clock off" \
		"deadline ${DEADLINE}s" "lead ${LEAD}s" "traffic exchange alltoall" \
		"${@:2}" >>"$1"
}

# serve [COMMAND...]: start the service; its number is in $service, what it says in `log`
serve()
{
	# shellcheck disable=SC2086 # a command and its arguments
	"$@" "$liquid_nl" job serve --config liquid.conf >>log 2>&1 &
	service=$!
	within 20 answers
}

answers()
{
	(exec 3<>"/dev/tcp/127.0.0.1/$PORT") 2>/dev/null
}

# A connection in descriptor 3, and the nonce of its greeting in $nonce
call()
{
	exec 3<>"/dev/tcp/127.0.0.1/$PORT"
	read -r -t 5 _ _ nonce <&3
}

# refused CREDENTIAL REASON: the service refuses it on the open connection
refused()
{
	echo "$1" >&3
	read -r -t 20 answer <&3
	exec 3<&- 3>&-
	echo "$answer" >text
	[[ $answer == "refused $2"* ]]
}
