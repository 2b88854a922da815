#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Links go down and up while the fabric works: what is on them is lost and counted, by all
# switchings; the other way is not touched; wrong names change nothing.
# modes: icount
# kernels: 5.10 6.1 6.1-rt newest 6.1-debug
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6
# c is reached by way of m1, d by way of m2.
{
	cables a:s1 b:s1 c:s2 d:s2
	cat <<'END'
link s1 m1
  to c
link s1 m2
  to d
link m1 s2
  to c
link m2 s2
  to d
link s2 m1
link s2 m2
  to a,b
link m1 s1
link m2 s1
  to a,b
END
} | fabric_file a,b,c,d s1,s2,m1,m2

# 20 packets from a to c and as many to d: sets to_c, to_d and lost
send_both()
{
	before_c=$(fabric_count ports c rx_packets)
	before_d=$(fabric_count ports d rx_packets)
	before=$(fabric_count ports a drop_link_down)
	need in-ns a blast udp --lossy --send-only --linger 20 --bytes 20000 \
		--rate 4000000 a@10.9.0.1 -- c@10.9.0.3 d@10.9.0.4
	to_c=$(($(fabric_count ports c rx_packets) - before_c))
	to_d=$(($(fabric_count ports d rx_packets) - before_d))
	lost=$(($(fabric_count ports a drop_link_down) - before))
}

states()
{
	liquid-lab stats --json | grep -c '"down": 1'
}

# cut_and_mend TIMES: under traffic, so that the link goes down with packets on it and in its queue
cut_and_mend()
{
	for _ in $(seq "$1"); do
		liquid-lab link down 's1>m1' 'm1>s2' || return
		sleep 0.02
		liquid-lab link up 's1>m1' 'm1>s2' || return
		sleep 0.02
	done
}

for switching in wormhole cut-through "cut-through --queues voq" packet; do
	# shellcheck disable=SC2086 # an option more
	fabric_up --rate 10M --switching $switching --hop-latency 20us --worm 5000
	send_both
	compare "$switching: all links are up: everything arrives" "$to_c $to_d $lost" = "20 20 0"
	check "$switching: a link goes down" liquid-lab link down 's1>m1'
	compare "$switching: its state is shown" \
		"$(fabric_count links 's1>m1' down)-$(states)" = 1-1
	check "$switching: and in the table, though it carried nothing" \
		sh -c "liquid-lab stats | grep '^  s1>m1 .* down$'"
	send_both
	compare "$switching: packets on it are lost and counted, the rest arrives" \
		"$to_c $to_d $lost" = "0 20 20"
	compare "$switching: the link counts it too" "$(fabric_count links 's1>m1' drops)" = 20
	check "$switching: the link goes up" liquid-lab link up 's1>m1'
	send_both
	compare "$switching: everything arrives again" "$to_c $to_d $lost" = "20 20 0"

	background "$TESTDIR/blast" blast udp --lossy --bytes 400000 --rate 7000000 \
		--limit 60 a@10.9.0.1 b@10.9.0.2 -- c@10.9.0.3
	blast=$pid
	check "$switching: links go down and up under traffic" cut_and_mend 8
	check "$switching: the senders end" wait "$blast"
	compare "$switching: some packets were lost on them" "$(fabric_sum drop_link_down)" -gt 20
	check "$switching: every packet is accounted for" fabric_conserves
	send_both
	compare "$switching: afterwards everything arrives" "$to_c $to_d $lost" = "20 20 0"

	need liquid-lab link down 's1>m1' 'm2>s2'
	background "$TESTDIR/blast" blast udp --send-only --lossy --bytes 100000000 --rate 7000000 \
		--limit 60 a@10.9.0.1 b@10.9.0.2 -- c@10.9.0.3 d@10.9.0.4
	blast=$pid
	sleep 0.1
	check "$switching: the fabric is removed with links down, under traffic" liquid-lab down
	kill "$blast" 2>/dev/null
	wait "$blast" 2>/dev/null
done

# refused ARGUMENTS: by liquid-lab link, and nothing has changed
refused()
{
	code=$1
	text=$2
	shift 2
	status=0
	liquid-lab link "$@" >"$LOG" 2>&1 || status=$?
	compare "link $*: refused, nothing has changed" \
		"$status $(grep -cF "$text" "$LOG") $(states)" = "$code 1 1"
}

fabric_up --rate 10M
need liquid-lab link down 's1>m2'
refused 1 "no link 's1>m3' in fabric lab; near it: s1>m1, s1>m2" down 's1>m1' 's1>m3'
refused 1 "no link 's1' in fabric lab" up 's1>m2' s1
refused 2 "missing NAME" down
refused 2 "expected up or down, got 's1>m1'" 's1>m1'
refused 3 "other: no fabric of this name in this network namespace" down 's1>m1' --fabric other
need liquid-lab up "$FABRIC" --rate 10M --ports a=la,b=lb --name second
refused 1 "2 fabrics in this network namespace: choose one by --fabric" down 's1>m1'
check "link: one of two fabrics is chosen" liquid-lab link down 's1>m1' --fabric second
compare "link: it alone has changed" "$(states)" = 2
fabric_down
liquid-lab link down 's1>m1' >"$LOG" 2>&1
compare "link: there is no fabric" "$? $(grep -c 'no fabric in this' "$LOG")" = "3 1"
fabric_finish
