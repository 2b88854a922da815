#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Every refused request: the right error, a text that says what to do, and nothing changed.
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# modes: icount
# timeout: 120
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load dummy
need ip link add lqtaken type dummy

results labwire <<END
# without a transaction
links without a transaction | links links{link{}} | ENOENT | \
	no transaction is open on this socket: begin one first
ports without a transaction | ports ports{port{ifname=lq0}} | ENOENT | \
	no transaction is open on this socket: begin one first
paths without a transaction | paths paths{path{src=0 dst=1 links=0}} | ENOENT | \
	no transaction is open on this socket: begin one first
a commit without a transaction | commit | ENOENT | \
	no transaction is open on this socket: begin one first
delete: no fabric of this name | delete name=nobody | ENOENT | \
	no fabric of this name in this network namespace
delete: no name | delete | EINVAL | NAME is missing: name the fabric
get: no fabric of this name | get name=nobody | ENOENT | \
	no fabric of this name in this network namespace
dump of links: no fabric of this name | dump-links name=nobody | ENOENT | \
	no fabric of this name in this network namespace
dump of ports: no name | dump-ports | EINVAL | NAME is missing: name the fabric
dump: there is no fabric | dump | ok
an unknown command | command-99 | EOPNOTSUPP

# begin
begin: no name | begin rate_bps=1000000 | EINVAL | NAME is missing: name the fabric
begin: an empty name | begin name= rate_bps=1000000 | EINVAL | NAME is missing: name the fabric
begin: a name of 64 bytes | \
	begin name=0123456789012345678901234567890123456789012345678901234567890123 \
	rate_bps=1000000 | EINVAL
begin: no rate | begin name=f | EINVAL | RATE_BPS is missing: give the rate of a link
a rate below the minimum | begin name=f rate_bps=999999 | ERANGE | \
	rate out of range: use 1 Mbit/s to 400 Gbit/s
a rate above the maximum | begin name=f rate_bps=400000000001 | ERANGE | \
	rate out of range: use 1 Mbit/s to 400 Gbit/s
an unknown switching | begin name=f rate_bps=1000000 switching=3 | ERANGE | \
	unknown switching: use wormhole, cut-through or packet
an overhead above the maximum | begin name=f rate_bps=1000000 overhead=1025 | ERANGE | \
	overhead out of range: use 0 to 1024 bytes
a hop latency above the maximum | begin name=f rate_bps=1000000 hop_ns=1000000001 | ERANGE | \
	hop latency out of range: use 0 to 1 s
a worm limit of 0 bytes | begin name=f rate_bps=1000000 worm_bytes=0 | ERANGE | \
	worm out of range: use 1 to 1073741824 bytes
a worm limit above the maximum | begin name=f rate_bps=1000000 worm_bytes=1073741825 | ERANGE | \
	worm out of range: use 1 to 1073741824 bytes
a buffer of 0 bytes | begin name=f rate_bps=1000000 buffer_bytes=0 | ERANGE | \
	buffer out of range: use 1 to 1073741824 bytes
a buffer above the maximum | begin name=f rate_bps=1000000 buffer_bytes=4294967295 | ERANGE | \
	buffer out of range: use 1 to 1073741824 bytes
a ring of 0 packets | begin name=f rate_bps=1000000 ring=0 | ERANGE | \
	ring out of range: use 1 to 65536 packets
a ring above the maximum | begin name=f rate_bps=1000000 ring=65537 | ERANGE | \
	ring out of range: use 1 to 65536 packets
no TX queue | begin name=f rate_bps=1000000 queues=0 | ERANGE | \
	number of TX queues out of range: use 1 to 64
too many TX queues | begin name=f rate_bps=1000000 queues=65 | ERANGE | \
	number of TX queues out of range: use 1 to 64
an unknown policy for unrouted packets | begin name=f rate_bps=1000000 unrouted=2 | ERANGE | \
	unknown policy for unrouted packets: use drop or free
an MTU too small | begin name=f rate_bps=1000000 mtu=67 | ERANGE | MTU out of range: use 68 to 65535
an MTU too large | begin name=f rate_bps=1000000 mtu=65536 | ERANGE | \
	MTU out of range: use 68 to 65535
unknown queues of a switch | begin name=f rate_bps=1000000 switching=1 switch_queues=3 | ERANGE | \
	unknown queues of a switch: use fifo-speedup, voq or fifo
virtual output queues with wormhole | begin name=f rate_bps=1000000 switch_queues=1 | EINVAL | \
	virtual output queues go with cut-through
virtual output queues with store and forward | \
	begin name=f rate_bps=1000000 switching=2 switch_queues=1 | EINVAL | \
	virtual output queues go with cut-through
begin: an attribute that is read only | begin name=f rate_bps=1000000 deadlocks=1 | EINVAL
trap 13: begin: an attribute of another command | begin name=f rate_bps=1000000 links{link{}} | \
	EINVAL
begin: an unknown attribute | begin name=f rate_bps=1000000 @99=00000000 | EINVAL
queues of a switch of the wrong length | begin name=f rate_bps=1000000 @25=01 | EINVAL
a number of the wrong length | begin name=f rate_bps=1000000 @6=01 | EINVAL
a refused begin opens nothing | commit | ENOENT | \
	no transaction is open on this socket: begin one first

# links and ports
virtual output queues with cut-through | \
	begin name=unused rate_bps=1000000 switching=1 switch_queues=1 | ok
input FIFOs with wormhole | begin name=unused rate_bps=1000000 switch_queues=0 | ok
begin a transaction | begin name=f rate_bps=1000000 | ok
links: none | links | EINVAL | LINKS is missing: give links
a link without lanes | links links{link{} link{capacity=0}} | ERANGE | \
	capacity out of range: use 1 or more, 262144 in all links
a link of too many lanes | links links{link{capacity=262145}} | ERANGE | \
	capacity out of range: use 1 or more, 262144 in all links
links of too many lanes together | links links{link{capacity=262144} link{}} | ERANGE | \
	capacity out of range: use 1 or more, 262144 in all links
a link whose TO_SWITCH is 2 | links links{link{to_switch=2}} | ERANGE
a counter of a link | links links{link{bytes=1}} | EINVAL
an unknown attribute of a link | links links{link{@77=00}} | EINVAL
ports: none | ports | EINVAL | PORTS is missing: give ports
a port without an interface name | ports ports{port{host=a}} | EINVAL | \
	IFNAME is missing: name the port's interface
an interface name of 16 bytes | ports ports{port{ifname=lq0123456789abcd}} | EINVAL | \
	invalid interface name: use 1 to 15 characters without / : % or space
an interface name with a slash | ports ports{port{ifname=lq/0}} | EINVAL | \
	invalid interface name: use 1 to 15 characters without / : % or space
an interface name that is a pattern | ports ports{port{ifname=lq%d}} | EINVAL | \
	invalid interface name: use 1 to 15 characters without / : % or space
a counter of a port | ports ports{port{ifname=lq0 worms=1}} | EINVAL
a port in a namespace whose descriptor does not exist | \
	ports ports{port{ifname=lq0 netns_fd=999}} | EBADF | \
	no network namespace has this descriptor
a port in a namespace by a descriptor of something else | \
	ports ports{port{ifname=lq0 netns_fd=0}} | EINVAL | no network namespace has this descriptor
a valid port before an invalid one | ports ports{port{ifname=lq7} port{ifname=lq/7}} | EINVAL
a commit without ports and paths | commit | EINVAL | a fabric needs at least two ports and a path
four links, of which two end at a switch | \
	links links{link{to_switch=1} link{to_switch=1} link{} link{}} | ok
two ports | ports ports{port{ifname=lq0 host=a} port{ifname=lqtaken host=b}} | ok
a commit without paths | commit | EINVAL | a fabric needs at least two ports and a path

# paths
paths: none | paths | EINVAL | PATHS is missing: give paths
a path without links | paths paths{path{src=0 dst=1}} | EINVAL | \
	SRC, DST or LINKS is missing: a path needs all three
a path without a destination | paths paths{path{src=0 links=0,2}} | EINVAL | \
	SRC, DST or LINKS is missing: a path needs all three
a path of 0 links | paths paths{path{src=0 dst=1 links=}} | ERANGE | \
	length of the path out of range: use 1 to 64 links
a path of 65 links | paths paths{path{src=0 dst=1 links=0..64}} | ERANGE | \
	length of the path out of range: use 1 to 64 links
a path of one and a half links | paths paths{path{src=0 dst=1 @3=000000000000}} | ERANGE | \
	length of the path out of range: use 1 to 64 links
trap 16: a link that does not exist | paths paths{path{src=0 dst=1 links=0,4}} | ERANGE | \
	the path has a link that does not exist
trap 16: a link whose number is the largest of all | \
	paths paths{path{src=0 dst=1 links=0,4294967295}} | ERANGE | \
	the path has a link that does not exist
a path that uses a link twice | paths paths{path{src=0 dst=1 links=0,1,0,2}} | EINVAL | \
	the path uses a link twice
a path that ends at a switch | paths paths{path{src=0 dst=1 links=0,1}} | EINVAL | \
	all links of a path but the last must end at a switch
a path through a host | paths paths{path{src=0 dst=1 links=2,3}} | EINVAL | \
	all links of a path but the last must end at a switch
trap 16: a port that does not exist | paths paths{path{src=0 dst=2 links=0,2}} | ERANGE | \
	SRC and DST must be two different ports
trap 16: a sender that does not exist | paths paths{path{src=4294967295 dst=0 links=0,2}} | \
	ERANGE | SRC and DST must be two different ports
a path from a port to itself | paths paths{path{src=0 dst=0 links=0,2}} | ERANGE | \
	SRC and DST must be two different ports
a valid path before an invalid one | \
	paths paths{path{src=0 dst=1 links=1,2} path{src=0 dst=1 links=0,9}} | ERANGE | \
	the path has a link that does not exist
links may follow refused paths | links links{link{capacity=0}} | ERANGE | \
	capacity out of range: use 1 or more, 262144 in all links
an empty list of paths | paths paths{} | ok
ports may follow an empty list of paths | ports ports{port{ifname=lq/0}} | EINVAL | \
	invalid interface name: use 1 to 15 characters without / : % or space
trap 05: the valid path before an invalid one was not kept | \
	paths paths{path{src=0 dst=1 links=0,2}} | ok
a second path between two ports | paths paths{path{src=0 dst=1 links=0,2}} | EEXIST | \
	there is already a path between these ports
ports after paths | ports ports{port{ifname=lq2}} | EINVAL | \
	links and ports must come before all paths
links after paths | links links{link{}} | EINVAL | links and ports must come before all paths
trap 05: an interface name that is in use | commit | EEXIST | \
	a port's interface name is in use in its namespace: use another
END
compare "refused requests made no device" "$(ip -o link show | grep -c ': lq[0-9]')" = 0

results labwire <<END
begin a fabric | begin name=f rate_bps=1000000 | ok
links of the fabric | links links{link{to_switch=1} link{to_switch=1} link{} link{}} | ok
ports of the fabric | ports ports{port{ifname=lq0} port{ifname=lq1} port{ifname=lq2}} | ok
paths of the fabric | paths paths{path{src=0 dst=1 links=0,2} path{src=1 dst=0 links=1,3}} | ok
a path that begins with another link than the port's first path | \
	paths paths{path{src=0 dst=2 links=1,2}} | EINVAL | \
	all paths of a port must begin with the same link
commit the fabric | commit | ok
commit ends the transaction | commit | ENOENT | \
	no transaction is open on this socket: begin one first
begin a fabric whose name is in use | begin name=f rate_bps=1000000 | ok
links of the fabric | links links{link{} link{}} | ok
two ports with the same interface name | ports ports{port{ifname=lq8} port{ifname=lq8}} | ok
paths of two ports with the same name | \
	paths paths{path{src=0 dst=1 links=0} path{src=1 dst=0 links=1}} | ok
commit a fabric whose name is in use | commit | EEXIST | \
	the name is in use by a fabric: use another, or remove that one first
END
compare "the fabric has its three devices" "$(ip -o link show | grep -c ': lq[0-9]')" = 3
results labwire <<END
begin another fabric | begin name=g rate_bps=1000000 | ok
links of the fabric | links links{link{} link{}} | ok
two ports with the same interface name | ports ports{port{ifname=lq8} port{ifname=lq8}} | ok
paths of two ports with the same name | \
	paths paths{path{src=0 dst=1 links=0} path{src=1 dst=0 links=1}} | ok
trap 05: only one of the two devices can be made | commit | EEXIST | \
	a port's interface name is in use in its namespace: use another
END
compare "a refused commit left no device" "$(ip -o link show | grep -c ': lq8')" = 0

# links that go down
results labwire <<END
link-set: no name | link-set links{link{id=0 down=1}} | EINVAL | NAME is missing: name the fabric
link-set: no fabric of this name | link-set name=nobody links{link{id=0 down=1}} | ENOENT | \
	no fabric of this name in this network namespace
link-set: no links | link-set name=f | EINVAL | LINKS is missing: give links
a link without its state | link-set name=f links{link{id=0}} | EINVAL | \
	ID or DOWN is missing: a link needs both
a state without its link | link-set name=f links{link{down=1}} | EINVAL | \
	ID or DOWN is missing: a link needs both
a state of 2 | link-set name=f links{link{id=0 down=2}} | ERANGE
a link that changes its capacity | link-set name=f links{link{id=0 down=1 capacity=2}} | EINVAL
a link that the fabric does not have | link-set name=f links{link{id=4 down=1}} | ENOENT | \
	the fabric has no such link
a valid link before one that the fabric does not have | \
	link-set name=f links{link{id=0 down=1} link{id=4294967295 down=1}} | ENOENT | \
	the fabric has no such link
a link of a new fabric that is down | links links{link{down=1}} | EINVAL
END
compare "no link is down after what was refused" \
	"$(liquid-lab stats --json | grep -c '"down": 1')" = 0
results labwire <<END
two links go down | link-set name=f links{link{id=0 down=1} link{id=3 down=1}} | ok
one goes up, the other stays down | link-set name=f links{link{id=0 down=0} link{id=3 down=1}} | ok
END
compare "one link is down" "$(liquid-lab stats --json | grep -c '"down": 1')" = 1

# new paths
n_paths()
{
	liquid-lab stats --json | sed -n 's/.*"n_paths": \([0-9]*\).*/\1/p'
}

results labwire <<END
reroute: no name | reroute | EINVAL | NAME is missing: name the fabric
reroute: no fabric of this name | reroute name=nobody | ENOENT | \
	no fabric of this name in this network namespace
a refused reroute opens nothing | commit | ENOENT | \
	no transaction is open on this socket: begin one first
reroute: an attribute of another command | reroute name=f rate_bps=1000000 | EINVAL
new paths for the fabric | reroute name=f | ok
new paths: no links | links links{link{}} | EINVAL | \
	a fabric that exists keeps its links and ports
new paths: no ports | ports ports{port{ifname=lq9}} | EINVAL | \
	a fabric that exists keeps its links and ports
new paths: none | commit | EINVAL | a fabric needs at least two ports and a path
trap 16: new paths: a link that does not exist | paths paths{path{src=0 dst=1 links=0,4}} | \
	ERANGE | the path has a link that does not exist
trap 16: new paths: a port that does not exist | paths paths{path{src=0 dst=3 links=0,2}} | \
	ERANGE | SRC and DST must be two different ports
new paths: a path that ends at a switch | paths paths{path{src=0 dst=1 links=0,1}} | EINVAL | \
	all links of a path but the last must end at a switch
new paths: a path through a host | paths paths{path{src=0 dst=1 links=2,3}} | EINVAL | \
	all links of a path but the last must end at a switch
new paths: a valid one before an invalid one | \
	paths paths{path{src=0 dst=1 links=0,2} path{src=0 dst=2 links=1,2}} | EINVAL | \
	all paths of a port must begin with the same link
new paths: still no links | links links{link{}} | EINVAL | \
	a fabric that exists keeps its links and ports
new paths: still none | commit | EINVAL | a fabric needs at least two ports and a path
END
compare "no path has changed after what was refused" "$(n_paths)" = 2
results labwire <<END
new paths for the fabric | reroute name=f | ok
a path more than it has, in two requests | \
	paths paths{path{src=0 dst=1 links=0,2} path{src=1 dst=0 links=1,3}} | ok
with another first link than before | paths paths{path{src=2 dst=0 links=1,2}} | ok
commit the new paths | commit | ok
commit ends the transaction of paths | commit | ENOENT | \
	no transaction is open on this socket: begin one first
END
compare "the fabric has three paths" "$(n_paths)" = 3

# Between a reroute and its commit the fabric goes, and another of its name comes.
mkfifo "$TESTDIR/requests"
labwire <"$TESTDIR/requests" >"$TESTDIR/answers" 2>&1 &
rerouting=$!
pids="$pids $rerouting"
exec 9>"$TESTDIR/requests"
make_twice()
{
	cat <<-END
		begin | begin name=twice rate_bps=1000000 | ok
		links | links links{link{} link{}} | ok
		ports | ports ports{port{ifname=lqt0} port{ifname=lqt1}} | ok
		paths | paths paths{path{src=0 dst=1 links=0}} | ok
		commit | commit | ok
	END
}
make_twice | need labwire
echo "new paths | reroute name=twice | ok" >&9
echo "paths | paths paths{path{src=0 dst=1 links=0}} | ok" >&9
await grep -q '^ok paths' "$TESTDIR/answers"
need liquid-lab down twice
GONE="the fabric was removed since the transaction began"
echo "gone | commit | ENOENT | $GONE" >&9
check "new paths of a fabric that is gone" await grep '^ok gone' "$TESTDIR/answers"
make_twice | need labwire
echo "another | commit | ENOENT | $GONE" >&9
check "new paths of a fabric that is another by now" await grep '^ok another' "$TESTDIR/answers"
exec 9>&-
wait "$rerouting"
need liquid-lab down twice
refuse "ip link cannot make a port" ip link add lq9 type liquid_lab
refuse "a port's Ethernet address is fixed" ip link set dev lq0 address 02:00:00:00:00:01
check "a port's MTU may be 65535" ip link set dev lq0 mtu 65535
refuse "a port's MTU may not be 65536" ip link set dev lq0 mtu 65536

# Without privilege: reading is allowed, writing is not.
fabric_read_as_nobody()
{
	echo "reading | get name=f | ok" | labwire as 65534 | grep -q '^ok'
}
check "a user without privilege may read" fabric_read_as_nobody
for request in "begin name=h rate_bps=1000000" "links links{link{}}" \
	"ports ports{port{ifname=lq7}}" "paths paths{path{src=0 dst=1 links=0}}" commit \
		"link-set name=f links{link{id=0 down=1}}" "reroute name=f" "delete name=f"; do
	echo "without privilege | $request | EPERM" | labwire as 65534 >"$LOG" 2>&1
	compare "without privilege: ${request%% *}" $? = 0
done
need ip netns add lqother
echo "another namespace | delete name=f | ENOENT" | in-ns lqother labwire >"$LOG" 2>&1
compare "another namespace does not see the fabric" $? = 0

# The tool prints the kernel's reasons and its own.
refuse "liquid-lab up refuses a file that is no fabric" liquid-lab up /dev/null --rate 1M
fabric_file a,b s1 <<'END'
link a s1
link s1 b
  to b
END
tool_says()
{
	name=$1
	text=$2
	shift 2
	"$@" >"$LOG" 2>&1
	status=$?
	if [ $status != 0 ] && grep -qF -- "$text" "$LOG"; then
		ok "$name"
	else
		echo "it ended with $status and should say: $text" >>"$LOG"
		not_ok "$name"
	fi
}
tool_says "liquid-lab up: a rate is needed" "--rate" liquid-lab up "$FABRIC"
tool_says "liquid-lab up: a rate out of range" \
	"rate out of range: use 1 Mbit/s to 400 Gbit/s (RATE_BPS)" \
	liquid-lab up "$FABRIC" --rate 1
tool_says "liquid-lab up: virtual output queues without cut-through" \
	"virtual output queues go with cut-through (SWITCH_QUEUES)" \
	liquid-lab up "$FABRIC" --rate 1M --queues voq
tool_says "liquid-lab up: the number of TX queues has another name" \
	"expected fifo-speedup, voq or fifo (the number of TX queues is --tx-queues), got '2'" \
	liquid-lab up "$FABRIC" --rate 1M --queues 2
tool_says "liquid-lab up: an unknown host" "no host 'x' in fabric lab" \
	liquid-lab up "$FABRIC" --rate 1M --ports a,x
tool_says "liquid-lab up: a host twice" "host 'a' is named twice" \
	liquid-lab up "$FABRIC" --rate 1M --ports a,b,a
tool_says "liquid-lab up: an interface name that is too long" "is not a valid interface name" \
	liquid-lab up "$FABRIC" --rate 1M --ports a=abcdefghijklmnop,b
tool_says "liquid-lab up: too few addresses" "too few addresses for 2 ports" \
	liquid-lab up "$FABRIC" --rate 1M --netns --addr 10.9.0.0/31
tool_says "liquid-lab up: a fabric's name that is in use" "the name is in use by a fabric" \
	liquid-lab up "$FABRIC" --rate 1M --netns --ports a,b --name f
compare "refused commands of liquid-lab left no namespace" "$(ip netns list | wc -l)" = 1
check "liquid-lab down removes the fabric" liquid-lab down
compare "liquid-lab down removes all ports" "$(ip -o link show | grep -c ': lq[0-9]')" = 0
need ip link del lqtaken
fabric_finish
