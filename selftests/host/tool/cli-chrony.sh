#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl clock next to a real chronyd, with the chrony.conf of Documentation/gates.rst: two
# network namespaces, of which one has the server. Neither sets this machine's clock (chronyd -x),
# so what the kernel says of it is another's; clock-check.sh has gates on a clock of chrony's.
#
# Needs root, and the archive once.
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

top=$(dirname "$here")
[ "$(id -u)" = 0 ] || skip_all "root is needed for network namespaces"
# All namespaces and mounts are this process's own, so nothing is left however it ends. The archive
# is out of reach there.
[ "${INSIDE:-}" ] || "$top/tools/deps/fetch-chrony" >/dev/null 2>&1
[ "${INSIDE:-}" ] || { cd / && rm -rf "$work" && INSIDE=1 LIQUID_NL=$liquid_nl exec unshare -n -m \
	--propagation private "$here/host/tool/${0##*/}"; }
chrony=$("$top/tools/deps/fetch-chrony" 2>text) || skip_all "no chrony: $(tail -n 1 text)"
ldd "$chrony"/usr/*bin/chrony? | grep -q "not found" && skip_all "chrony lacks a library here"
PATH=$chrony/usr/bin:$chrony/usr/sbin:$PATH
page=$top/Documentation/gates.rst
trap 'kill $(jobs -p) 2>/dev/null; wait; rm -rf "$work"' EXIT

mount -t tmpfs tmpfs /run && mkdir -p -m 0750 /run/chrony && mkdir /run/netns || exit 1
printf '127.0.0.1 localhost\n10.88.0.1 controller\n' >hosts
mount --bind hosts /etc/hosts || exit 1
ip netns add node && ip link add lqclk0 type veth peer name lqclk1 netns node &&
	ip addr add 10.88.0.1/24 dev lqclk0 && ip link set lqclk0 up &&
	ip -n node addr add 10.88.0.2/24 dev lqclk1 && ip -n node link set lqclk1 up || exit 1

# start NAME [RUN...]: with the configuration NAME.conf, in the process $started
start()
{
	name=$1
	shift
	"$@" chronyd -d -x -u root -f "$name.conf" >"$name.log" 2>&1 &
	started=$!
}

# In the node's network
clock()
{
	ip netns exec node "$liquid_nl" clock --ptp-socket "$work/none" "$@" >text 2>&1
}

follows()
{
	clock
	grep -q "chrony: follows 10.88.0.1" text
}

# Is it within the page's limit? With its first samples chrony reckons with half a second.
fits()
{
	clock --max-error "$limit"
	grep -q "as chrony says" text && ! grep -q "the clock may be off by" text
}

# error_is COMPARISON NS: of the error that chrony reckons with
error_is()
{
	clock --json
	error=$(sed -n 's/^ *"error_ns": \([0-9]*\).*/\1/p' text | tail -n 1)
	[ -n "$error" ] && [ "$error" "$1" "$2" ]
}

echo "TAP version 13"
awk -f "$here/lib/steps.awk" "$page" | awk '$1 == "@" { inside = /cli-chrony\.sh/; next } inside' \
	>steps
grep -v 'liquid-nl' steps >page.conf
cp page.conf text
grep -q '^server controller ' page.conf && grep -q '^leapsectz ' page.conf
ok "the page has a chrony.conf"
limit=$(sed -n 's/.*liquid-nl clock --max-error \([0-9a-z]*\).*/\1/p' steps)
[ -n "$limit" ]
ok "and a look at the clock, with a limit"
printf '%s\n' "local stratum 1" "allow 10.88.0.0/24" "cmdport 0" "bindcmdaddress /" \
	"pidfile $work/server.pid" >server.conf
# What the page leaves to its defaults is another machine's here: files and ports.
{ cat page.conf; printf '%s\n' "cmdport 0" "pidfile $work/node.pid"; } >node.conf
start node ip netns exec node
within 20 grep -q "starting" node.log
clock
grep -q "follows none" text && grep -q "no reference: " text
ok "without its server it follows none, which is said"
start server
server=$started
within 60 follows
ok "it follows the server, and tells by how much it may be off"
within 60 fits
ok "which is within the page's limit"
clock --max-error 1ns
grep -q "the clock may be off by .* and 1 ns is allowed" text
ok "and not within a nanosecond"
error_is -lt 1000000000 && before=$error
kill "$server"
wait "$server"
within 30 error_is -gt "$((${before:-0} + 1000))"
ok "without the server the error grows"
finish
