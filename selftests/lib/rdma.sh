# SPDX-License-Identifier: GPL-2.0-only
# Soft-RoCE between two devices of one namespace, as it wants it: policy routing sends what is for
# the other end over the wire, though its address is local. After lib.sh.
# shellcheck shell=dash

# Addresses 10.6.0.1 and 10.6.0.2 on two devices that are joined. rdma_routes DEVA DEVB
rdma_routes()
{
	for dev; do
		ethtool -K "$dev" tso off gso off gro off tx off >/dev/null 2>&1
		echo 1 >"/proc/sys/net/ipv4/conf/$dev/accept_local"
		echo 0 >"/proc/sys/net/ipv4/conf/$dev/rp_filter"
		need ip link set "$dev" up
	done
	echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
	need ip addr add 10.6.0.1/32 dev "$1"
	need ip addr add 10.6.0.2/32 dev "$2"
	need ip neigh replace 10.6.0.2 lladdr "$(cat "/sys/class/net/$2/address")" dev "$1"
	need ip neigh replace 10.6.0.1 lladdr "$(cat "/sys/class/net/$1/address")" dev "$2"
	need ip route add 10.6.0.2/32 dev "$1" table 100
	need ip route add 10.6.0.1/32 dev "$2" table 101
	need ip rule add pref 10 iif "$1" lookup local
	need ip rule add pref 11 iif "$2" lookup local
	need ip rule add pref 20 oif "$1" lookup 100
	need ip rule add pref 21 oif "$2" lookup 101
	need ip rule add pref 22 from 10.6.0.1 to 10.6.0.2 lookup 100
	need ip rule add pref 23 from 10.6.0.2 to 10.6.0.1 lookup 101
	need ip rule add pref 30 lookup local
	need ip rule del pref 0
}

rdma_restore()
{
	ip rule add pref 0 lookup local
	for pref in 10 11 20 21 22 23 30; do
		ip rule del pref $pref
	done
	rdma link del rxea
	rdma link del rxeb
}

# rdma_links DEVA DEVB, or the test ends here
rdma_links()
{
	rdma link add rxea type rxe netdev "$1" >"$LOG" 2>&1 &&
		rdma link add rxeb type rxe netdev "$2" >"$LOG" 2>&1 && return
	reason=$(head -n 1 "$LOG")
	rdma_restore 2>/dev/null
	skip "soft-RoCE" "no soft-RoCE here: $reason"
	finish
}

# The index of the IPv4 address among a device's thousand GIDs
gid()
{
	grep -ls "ffff:0a06:000$2" /sys/class/infiniband/"$1"/ports/1/gids/* | sed -n '1s|.*/||p'
}

# A server has come so far that clients find it. listens PORT
listens()
{
	grep -q ":$(printf %04X "$1") 0*:0000 0A" /proc/net/tcp /proc/net/tcp6
}

# pingpong MESSAGES BYTES [MTU]
pingpong()
{
	background "$TESTDIR/server" timeout 60 ibv_rc_pingpong -d rxeb -g "$(gid rxeb 2)" -n "$1" \
		-s "$2" -m "${3:-1024}" -p 18600
	server=$pid
	await listens 18600
	timeout 60 ibv_rc_pingpong -d rxea -g "$(gid rxea 1)" -n "$1" -s "$2" -m "${3:-1024}" \
		-p 18600 127.0.0.1 || return 1
	wait "$server"
}

# ---- soft-RoCE on all ports of a fabric in one namespace ----

# rdma_ports MAP QDISC...: MAP has a line `HOST ADDRESS` for each port, which has that address and
# knows the others' (liquid-lab up --addr). Each gets the device rHOST, and sends through QDISC.
rdma_ports()
{
	rdma_map=$1
	shift
	load crc32_generic ib_uverbs rdma_rxe
	echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
	ip rule add pref 30 lookup local
	ip rule del pref 0
	table=100
	while read -r host address; do
		table=$((table + 1))
		echo 1 >"/proc/sys/net/ipv4/conf/$host/accept_local"
		echo 0 >"/proc/sys/net/ipv4/conf/$host/rp_filter"
		need tc qdisc replace dev "$host" root "$@"
		need ip route add 10.0.0.0/8 dev "$host" src "$address" table $table
		need ip rule add pref 10 iif "$host" lookup local
		need ip rule add pref 20 oif "$host" lookup $table
		need rdma link add "r$host" type rxe netdev "$host"
	done <"$rdma_map"
}

rdma_ports_remove()
{
	while read -r host address; do
		rdma link del "r$host"
	done <"$rdma_map"
	ip rule add pref 0 lookup local
	for pref in 10 20 30; do
		while ip rule del pref $pref 2>/dev/null; do
			:
		done
	done
}

# Packets that soft-RoCE has sent again
rdma_retries()
{
	cat /sys/class/infiniband/r*/ports/1/hw_counters/completer_retry_err |
		awk '{ n += $1 } END { print n + 0 }'
}
