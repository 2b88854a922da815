#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl job serve against peers that do not keep to the protocol, and in a bad night: a caller
# that sends a byte now and then, nodes that send half a message or never read, credentials that
# are too old, two processes of one node, a disk that is full under the store or under the log.
# Others gate beside all of it, and the service lives on. serve.sh has who may speak at all, and
# deaths; serve-load.sh silence and floods.
# builds: user job-tests
#
# timeout: 180

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
peers=$(readlink -f "${B:-$here/../build}/selftests/host/job/nodes")
[ -x "$peers" ] || skip_all "no nodes; \`make job-tests\` builds it"
in_own_namespaces "$@"
DEADLINE=4
LEAD=2

"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o fabric
for n in 1 2 3 4 5 6 7 8; do
	echo "h$n 10.0.0.$n" >>addresses
	echo "127.0.0.1 h$n" >>known
	echo "127.1.0.$n h$n" >>known
done
echo "127.0.0.1 ctl" >>known
know known
start_munged
write_conf liquid.conf
sed "s|$work/fabric|/nowhere/fabric|; s|$work/addresses|/nowhere/addresses|
	s|$work/store|/nowhere/store|" liquid.conf >node.conf
mkdir store
mount -t tmpfs -o size=1m,mode=750,uid="$(id -u $keeper)" tmpfs store || skip_all "no tmpfs"
trap 'umount -l "$work/store"; end_serve; rm -rf "$work"' EXIT

start()
{
	timeout 20 "$liquid_nl" job start "$1" --config liquid.conf --nodes "${2:-h[1-4]}" \
		--traffic exchange >"$1.start" 2>&1
}

# node JOB NODE [NAME]: its prologue; what it says is in JOB.NAME
node()
{
	prologue "$1.${3:-$2}" "$liquid_nl" job ready "$1" --node "$2" --dry-run --config node.conf
}

# gates JOB N: its prologues have left in time, and this many say that they gate
gates()
{
	await
	cat "$1".start "$1".h* >text
	tail -n 5 log >>text
	[ "$(cat "$1".h* | grep -c ' gates by schedule ')" = "$2" ] &&
		[ "$(longest "$1")" -le $(((DEADLINE + LEAD + 2) * 1000)) ]
}

# all_gate JOB [FIRST]: a job of four nodes as it should be
all_gate()
{
	from=${2:-1}
	start "$1" "h[$from-$((from + 3))]"
	for n in 0 1 2 3; do
		node "$1" h$((from + n))
	done
	gates "$1" 4
	status=$?
	end "$1"
	return $status
}

fill()
{
	setpriv --reuid $keeper --clear-groups dd if=/dev/zero of=store/fill bs=4k >/dev/null 2>&1
	! echo x >store/more 2>/dev/null
}

pids=

echo "TAP version 13"
serve

# ---- peers ----

call
begin=$(date +%s%N)
# a byte each 0.2 s, until the other end is gone
(
	trap '' PIPE
	for _ in $(seq 100); do
		printf M >&3 2>/dev/null || break
		sleep 0.2
	done
	echo $((($(date +%s%N) - begin) / 1000000)) >dripped
) 2>/dev/null &
dripper=$!
exec 3<&- 3>&-
all_gate beside
ok "nodes gate next to a caller that sends a byte now and then"
wait $dripper
echo "it was there for $(cat dripped) ms" >text
[ "$(cat dripped)" -lt 13000 ]
ok "which is refused after ten seconds, as if it had sent nothing"

call
old=$(munge -S munge/socket -t 1 -u "$(id -u $keeper)" \
	-s "liquid-job 1 $nonce $(printf '%064d' 0) 00000000000000aa h1")
sleep 2.1
refused "$old" "the credential has expired: look at the clocks"
ok "a credential that is too old is refused, and the clocks are named"

# peers JOB COUNT HOW: in the background, until the service or their time ends them
peers()
{
	timeout -s KILL 60 "$peers" $PORT munge/socket "$(id -u $keeper)" "$@" >"$3" 2>&1 &
	peer=$!
	disown $peer
}

start half
peers half 4 half
within 20 grep -q "^4 of 4 have sent half a message" half && all_gate others 5
status=$?
cat half >>text
[ $status = 0 ]
ok "nodes gate beside four that have sent half a message"
kill $peer
end half

start deaf
peers deaf 2 deaf
within 50 grep -q "^2 of 2 were cut off" deaf
tail -n 3 log >text
[ "$(grep -c "refused h[12] at 127.1.0.[12]: it does not read messages" log)" = 2 ]
ok "nodes that ask and never read are cut off, and named"
awk '$1 == "VmHWM:" { print; exit $2 > 32768 }' /proc/$service/status >text
ok "before the service has kept much for them"
end deaf
all_gate after
ok "and others gate"

# ---- a machine that is busy ----

mount -t tmpfs tmpfs /usr/local/sbin
cat >/usr/local/sbin/unmunge <<END
#!/bin/sh
$(command -v unmunge) "\$@"
code=\$?
exec >&- 2>&-
sleep 0.3
exit \$code
END
chmod 755 /usr/local/sbin/unmunge
all_gate slow
ok "an unmunge that takes its time to end refuses no one"
umount /usr/local/sbin

# ---- two of one name ----

start twice
node twice h1
within 10 test -e store/rounds/twice-1/schedule.json
sleep 0.5
node twice h1 again.h1
sleep 0.5
for n in 2 3 4; do
	node twice h$n
done
gates twice 0 && grep -q "no node gates, as node h1 decided: node h1 was already ready" twice.h2
ok "two processes of one node: the round is aborted for all, and that is the reason told"
end twice

# ---- a full disk ----

fill
all_gate full
[ $? != 0 ] && [ "$(cat full.h? 2>/dev/null | grep -c ' gates by schedule ')" = 0 ]
ok "a store that is full when a job begins: none gates, and no prologue waits beyond its limit"
rm -f store/fill
end full

start filled
for n in 1 2 3; do
	node filled h$n
done
within 10 test -e store/rounds/filled-1/schedule.json
sleep 0.5
fill
node filled h4
gates filled 0
ok "full before the release: none gates"
grep -q "No space left on device" text
ok "and the reason is reported"
rm -f store/fill
end filled

start between
for n in 1 2 3; do
	node between h$n
done
within 10 test -e store/rounds/between-1/schedule.json
sleep 0.5
stopped=$(worker_of between h2)
kill -STOP "$stopped"
node between h4
within 10 test -e store/rounds/between-1/release.json
fill
kill -CONT "$stopped"
gates between 0
ok "full between the two decisions: none gates"
rm -f store/fill
end between
all_gate emptied
ok "when there is room again, all do, by the same service"

# ---- a log that takes nothing ----

kill $service
wait $service 2>/dev/null
log_to_nowhere()
{
	exec "$@" >/dev/full 2>&1
}
(log_to_nowhere "$liquid_nl" job serve --config liquid.conf) &
service=$!
within 20 answers
call
refused "MUNGE:nonsense:" "unmunge refuses" && all_gate unlogged && kill -0 $service
ok "a full disk under the log ends neither the service nor an agreement"
kill $service
finish
