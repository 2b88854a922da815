#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial by ssh and by srun, as a user: two nodes, which are network namespaces with a
# cable, have an sshd and a slurmd each. In the middle of a measurement a node is killed or stopped.
# host/tool/cli-trial.sh has the rest.
#
# timeout: 200

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
. "$here/lib/slurm.bash"
for program in /usr/sbin/sshd ssh ssh-keygen; do
	command -v $program >/dev/null || skip_all "no $program; \`make deps\` installs it"
done
[ -n "${LIQUID_CONTAINED:-}" ] || contained 200
in_own_namespaces "$@"
contained 200

# ---- two nodes, and a user ----

user=64907
{
	cat /etc/passwd
	echo "trial:*:$user:$user::$work:/bin/sh"
} >passwd
mount --bind passwd /etc/passwd
cable_nodes 2
echo "10.99.0.254 $(hostname -s)" >>known
know known
start_munged
mkdir -m 755 /run/sshd
install -d -o $user out
ssh-keygen -q -t ed25519 -N '' -f key
cp key.pub authorized
chmod 644 authorized
chown $user key
write_slurm_conf 10.99.0.254 17300 \
	"NodeName=h[1-2] NodeAddr=10.99.0.[1-2] NodeHostname=$(hostname -s) Port=[17301-17302] \
CPUs=2 State=UNKNOWN" "PartitionName=all Nodes=h[1-2] Default=YES MaxTime=INFINITE State=UP"
slurmctld >text 2>&1
for n in 1 2; do
	nsenter -n -t "${holder[n]}" slurmd -N h$n >>text 2>&1
	nsenter -n -t "${holder[n]}" /usr/sbin/sshd -f /dev/null -h "$work/key" -E sshd.log \
		-o PidFile=none -o AuthorizedKeysFile="$work/authorized" -o StrictModes=no \
		-o UsePAM=no >>text 2>&1
done

as_user()
{
	setpriv --reuid $user --regid $user --clear-groups "$@"
}

# by LAUNCHER SECONDS: the trial, in the background; out/trial.N and out/said.N of node N
by()
{
	rm -f out/*
	words="$liquid_nl trial --nodes 10.99.0.[1-2] --rate 1G --seconds $2 --wait 30s"
	# shellcheck disable=SC2086 # several words
	if [ "$1" = srun ]; then
		as_user timeout 100 srun -N2 --ntasks-per-node=1 -D "$work/out" -o trial.%n \
			-e said.%n $words >text 2>&1 &
		pids=$!
	else
		pids=
		for n in 0 1; do
			as_user timeout 100 ssh -F /dev/null -i key -o StrictHostKeyChecking=no \
				-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
				"10.99.0.$((n + 1))" "$words" >out/trial.$n 2>out/said.$n &
			pids="$pids $!"
		done
	fi
}

# The processes of the trial on node N, the parent first
trial_on()
{
	pgrep -x liquid-nl | while read -r p; do
		[ "$(readlink "/proc/$p/ns/net")" != "$(readlink "/proc/${holder[$1]}/ns/net")" ] ||
			echo "$p"
	done
}

none_left()
{
	[ -z "$(trial_on 1)$(trial_on 2)" ]
}

measures()
{
	grep -q 'tcp without a gate: ' out/said.0
}

# ended CODES: of the commands, in a line; how long they took is in $took, in s
ended()
{
	begun=$(date +%s)
	codes=
	for pid in $pids; do
		wait "$pid"
		codes="$codes$? "
	done
	took=$(($(date +%s) - begun))
	echo "exit codes $codes after $took s" >>text
	tail -n 5 out/said.* >>text
	[ "$codes" = "$1" ]
}

echo "TAP version 13"
for launcher in ssh srun; do
	[ $launcher = ssh ] && all="5 5 " || all="5 "
	by $launcher 1
	ended "${all//5/0}" && "$liquid_nl" trial out/trial.* >text 2>&1 &&
		grep -q '^tcp without a gate  *[0-9]' text &&
		grep -q '^udp without a gate  *[0-9]' text
	ok "$launcher: two nodes measure"
	grep -q "left out: with a gate: node[01]: " text && within 5 none_left
	ok "$launcher: why there is no gate is said, and nothing is left"

	by $launcher 60
	within 20 measures
	kill -KILL "$(trial_on 2 | tail -n 1)"
	ended "$all" && grep -q 'node1, 10.99.0.2, has gone: the trial ends' out/said.0 &&
		[ $took -le 5 ] && within 5 none_left
	ok "$launcher: a node that is killed ends the trial at once, and is named"
	prints 0 "*not finished*" trial out/trial.0

	by $launcher 60
	within 20 measures
	kill -STOP "$(trial_on 2 | tail -n 1)"
	ended "$all" && grep -q 'node1, 10.99.0.2, has gone: the trial ends' out/said.0 &&
		[ $took -le 5 ] && within 5 none_left
	ok "$launcher: so does one that is stopped"
done

# All of a node stands still: the other one notices at the end of the measurement.
by ssh 3
within 20 measures
# shellcheck disable=SC2046 # a process a word
kill -STOP $(trial_on 2)
begun=$(date +%s)
# shellcheck disable=SC2086 # the first of the two
set -- $pids
wait "$1"
code=$?
took=$(($(date +%s) - begun))
{
	echo "$code after $took s"
	cat out/said.0
} >text
[ $code -eq 5 ] && [ $took -le 25 ] &&
	grep -q 'node1, 10.99.0.2, has gone, or has not answered in time: the trial ends' text
ok "a node that stands still is named when it does not answer"
# shellcheck disable=SC2046
kill -CONT $(trial_on 2)
wait "$2"
[ $? -eq 5 ] && within 5 none_left
ok "and ends when it goes on"
finish
