#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl clock: it reports what it finds, asks a chronyd and a ptp4l, and refuses nonsense. The
# clock of this machine stays as it is; selftests/kernel/gate/clock-check.sh sets one.
#
# timeout: 90

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# A chronyc that says what the file tracking has
mkdir bin
cat >bin/chronyc <<-END
	#!/bin/sh
	[ "\$*" = "-n -c tracking" ] && cat "$work/tracking"
END
chmod +x bin/chronyc
PATH=$work/bin:$PATH
tracking()
{
	echo "0A000001,10.0.0.1,3,1795248158.63,$1,0,0,0,0,0,$2,$3,64.2,$4" >tracking
}
: >tracking

# What this kernel is like decides the exit code.
verdict=1
timeout 20 "$liquid_nl" clock --json >json 2>/dev/null && verdict=0

echo "TAP version 13"
prints $verdict "*TAI - UTC*neither ptp4l nor chronyd answers*as the kernel says*" \
	clock --ptp-socket "$work/none"
tracking 0.000001 0.000002 0.000003 Normal
prints $verdict \
	"*chrony: follows 10.0.0.1, offset 1000 ns, root distance 4000 ns\
*error *5 us, as chrony says*" \
	clock --ptp-socket "$work/none"
prints $verdict '*"source": {*"name": "chrony"*"locked": true*"error_ns": 5000*' \
	clock --ptp-socket "$work/none" --json
prints 1 "*the clock may be off by 5 us, and 4 us is allowed*" \
	clock --ptp-socket "$work/none" --max-error 4us
tracking 0 0 0 "Not synchronised"
prints 1 "*follows none*no reference: *chronyc sources*" clock --ptp-socket "$work/none"
prints 2 "*--max-error: expected a time such as 10us, got 'x'*" clock --max-error x
prints 2 "*--max-error: expected a time such as 10us, got '0'*" clock --max-error 0
prints 2 "*unknown option '--nonsense'*" clock --nonsense
prints 2 "*unexpected argument 'eth0'*" clock eth0
long=$(printf '%0200d' 1)
prints 1 "*follows none*" clock --ptp-socket "/$long"

# A ptp4l of this machine's own, which only watches (free_running): it becomes master of a cable.
# start_ptp [RUN...]: with a log in ptp.log, and what RUN puts before it
start_ptp()
{
	"$@" ptp4l -f ptp.conf -i lqclk0 -m >ptp.log 2>&1 &
	ptp=$!
	for _ in $(seq 100); do
		grep -q "grand master role" ptp.log && break
		sleep 0.1
	done
}
stop_ptp()
{
	kill "$ptp"
	wait "$ptp"
	ptp=
}
ptp=
if command -v ptp4l >/dev/null && ip link add lqclk0 type veth peer name lqclk1 2>/dev/null; then
	trap 'kill $ptp 2>/dev/null; ip link del lqclk0 2>/dev/null; rm -rf "$work"' EXIT
	ip link set lqclk0 up && ip link set lqclk1 up
	chmod 755 "$work"
	install -m 755 "$liquid_nl" tool
	# ptp_conf SOCKET
	ptp_conf()
	{
		printf '%s\n' "[global]" "time_stamping software" "free_running 1" \
			"network_transport L2" \
			"uds_address $1" "logAnnounceInterval -2" >ptp.conf
	}
	ptp_conf "$work/ptp.sock"
	start_ptp
	prints $verdict \
		"*ptp4l: port MASTER, grandmaster absent, offset of its clock from the master 0 ns\
*as ptp4l says*" \
		clock --ptp-socket "$work/ptp.sock"
	# shellcheck disable=SC2144
	! ls /var/run/liquid-nl.* >text 2>/dev/null
	ok "no socket is left behind"
	setpriv --reuid 64901 --regid 64901 --clear-groups "$work/tool" clock \
		--ptp-socket "$work/ptp.sock" \
		>text 2>&1
	grep -q "follows none" text
	ok "who may not ask ptp4l asks another"
	stop_ptp
	# That of linuxptp 4 has another socket next to it, for all
	ptp_conf "$work/ptp.sockro"
	start_ptp
	chmod 666 ptp.sockro
	setpriv --reuid 64901 --regid 64901 --clear-groups "$work/tool" clock \
		--ptp-socket "$work/ptp.sock" \
		>text 2>&1
	grep -q "ptp4l: port MASTER" text
	ok "unless there is a socket to read from only"
	stop_ptp
fi

echo "1..$count"
[ $failed -eq 0 ]
