#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The demo's part in the guest: an all-to-all without gates, then with them; prints TAP and rows.
set -eu

rate=20mbit		# of a link
rate_bps=20000000
buffer=24000		# bytes at each port of a switch
bytes=960000		# of a message between two hosts
frame_ns=40000000
guard_ns=2500000	# three more hops store a packet of 1514 bytes each, and some room
work=/tmp/demo
fabric=/liquid/fabric
schedule=/liquid/schedule.json
PATH=/liquid:$PATH

mkdir -p $work
echo "TAP version 13"
echo "1..5"

within()
{
	space=$1
	shift
	nsenter --net=/run/netns/"$space" "$@"
}

hosts()
{
	cut -d' ' -f1 $work/map
}

blast_all()
{
	ends=$(awk '{ print $1 "@" $2 }' $work/map)
	# shellcheck disable=SC2086
	blast "$@" --bytes $bytes --limit 60 $ends -- $ends
}

# One exchange by $1 (udp, tcp), named $2; the rest goes to blast. Prints its row and verdict.
number=0
exchange()
{
	kind=$1
	name=$2
	shift 2
	number=$((number + 1))
	echo "# all-to-all by $kind, $name"
	if blast_all "$kind" --size 1472 --sndbuf 1000000 "$@" >$work/blast; then
		verdict=ok
	else
		verdict="not ok"
	fi
	echo "row $kind-$name $(cat $work/blast)"
	echo "$verdict $number all-to-all by $kind, $name"
}

echo "# building the network: links of $rate, $buffer bytes of buffer a port"
clockset tai 37
sysctl -qw net.core.wmem_max=4000000
veth-fabric addresses $fabric >$work/map
veth-fabric up $fabric $rate $buffer
# A closed gate is no loss: the cycle must be shorter than what TCP takes for one.
for host in $(hosts); do
	within "$host" sysctl -qw net.ipv4.tcp_slow_start_after_idle=0
	ip -n "$host" route replace 10.0.0.0/16 dev eth0 rto_min 2s
	tc -n "$host" qdisc add dev eth0 root tbf rate $rate burst 1520 limit 20000000
done

exchange udp ungated --lossy
exchange tcp ungated

insmod /liquid/liquid.ko
base=$(($(wire now) + 3000000000))
n=0
taps=
plans=
for host in $(hosts); do
	tc -n "$host" qdisc del dev eth0 root
	within "$host" liquid-nl attach eth0 --rate $rate_bps --overhead 0 --mpu 0 --control 6%
	within "$host" liquid-nl push eth0 --schedule $schedule --fabric $fabric --node "$host" \
		--frame-time $frame_ns --guard $guard_ns --base-time $base --addr-map $work/map \
		>$work/push 2>&1 || { cat $work/push; echo "not ok 3 push"; exit 1; }
	within "$host" wire plan eth0 admin >"$work/plan.$host"
	taps="$taps $host:eth0"
	plans="$plans --plan $n $work/plan.$host"
	n=$((n + 1))
done
echo "# gates set on $n hosts; the first:"
within "$(hosts | head -n 1)" liquid-nl show eth0 | sed 's/^/#   /'
# shellcheck disable=SC2086
tap $work/capture 300 $taps >$work/tap.out &
tap=$!
until grep -q ready $work/tap.out; do sleep 0.1; done
exchange udp gated --at $base
exchange tcp gated
kill $tap
wait $tap || :

# shellcheck disable=SC2086
if judge $work/capture $plans --slack 50000 >$work/judged; then
	verdict=ok
else
	verdict="not ok"
fi
set -- $(hosts)
while read -r word rest; do
	case $word in
	host=*)
		host=$1
		shift
		late=$(within "$host" liquid-nl stats eth0 --json | sed -n 's/.*"late": *\([0-9]*\).*/\1/p' | head -n 1)
		echo "row host name=$host late=$late $rest"
		;;
	esac
done <$work/judged
echo "$verdict 5 every scheduled packet lies inside a frame of its destination"
