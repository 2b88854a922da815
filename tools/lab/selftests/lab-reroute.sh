#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A fabric gets new routes while it works: packets sent from then on follow them, and nothing is
# lost; also around a link that was cut. Files of another fabric change nothing.
# runs: 6.12-icount
# timeout: 200
. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
fabric_start
load ipv6

# network SWITCHES C D: to c and to d by way of the switches given, and back by the last one
network()
{
	cables a:s1 b:s1 c:s2 d:s2
	for switch in $1; do
		to=
		[ "$2" != $switch ] || to=c
		[ "$3" != $switch ] || to=$to${to:+,}d
		back=
		[ "${1##* }" != $switch ] || back=a,b
		printf 'link s1 %s\n%s' $switch "${to:+  to $to
}"
		printf 'link %s s2\n%s' $switch "${to:+  to $to
}"
		printf 'link s2 %s\n%s' $switch "${back:+  to $back
}"
		printf 'link %s s1\n%s' $switch "${back:+  to $back
}"
	done
}

network "m1 m2" m2 m2 | fabric_file a,b,c,d s1,s2,m1,m2
cp "$FABRIC" "$TESTDIR/m2"
# The names are what counts, not their order.
network "m2 m1" m2 m1 | fabric_file d,c,b,a m2,s2,m1,s1
cp "$FABRIC" "$TESTDIR/swapped"
# As it is found when a cable is cut: without its links
network m1 m1 m1 | fabric_file a,b,c,d s1,s2,m1
cp "$FABRIC" "$TESTDIR/cut"
network "m1 m2" m1 m2 | fabric_file a,b,c,d s1,s2,m1,m2
cp "$FABRIC" "$TESTDIR/apart"
FABRIC=$TESTDIR/apart

# Packets that a host has received, and bytes on the ways to m1 and m2
reading()
{
	liquid-lab stats --json | awk -v host="$1" '
		/"(links|ports)": \[/ { split($0, word, "\""); at = word[2] }
		/"(name|host)":/ { split($0, word, "\""); who = word[4] }
		/"(bytes|rx_packets)":/ {
			split($0, word, "\"")
			gsub(/[^0-9]/, "", $2)
			value[at, who, word[2]] = $2
		}
		END {
			print value["ports", host, "rx_packets"], value["links", "s1>m1", "bytes"],
				value["links", "s1>m2", "bytes"]
		}'
}

# ways: 20 packets of 1,038 bytes from a to c, then to d: prints to each how many arrived, and
# whether m1 or m2 had all
ways()
{
	for to in c@10.9.0.3 d@10.9.0.4; do
		before=$(reading ${to%@*})
		in-ns a blast udp --lossy --send-only --linger 20 --size 972 \
			--bytes 19440 --rate 4000000 a@10.9.0.1 -- $to >/dev/null
		echo "$before $(reading ${to%@*})" | awk -v to=${to%@*} '{
			m1 = $5 - $2
			m2 = $6 - $3
			way = m1 "-" m2
			if (m1 == 20760 && m2 == 0)
				way = "m1"
			if (m1 == 0 && m2 == 20760)
				way = "m2"
			printf "%s %d %s ", to, $4 - $1, way
		}'
	done
}

goes()
{
	compare "$1" "$(ways)" = "$2 "
}

# alternate TIMES: between two files, under traffic
alternate()
{
	for _ in $(seq "$1"); do
		liquid-lab reroute "$TESTDIR/swapped" || return
		sleep 0.013
		liquid-lab reroute "$TESTDIR/apart" || return
		sleep 0.013
	done
}

dropped()
{
	liquid-lab stats --json | grep '"drop_' | grep -vc ': 0,*$'
}

# traffic OPTION...: from a and b to c and d, half of what the links carry or more
traffic()
{
	background "$TESTDIR/blast" blast udp --rate 3000000 --limit 60 "$@" \
		a@10.9.0.1 b@10.9.0.2 -- c@10.9.0.3 d@10.9.0.4
	blast=$pid
}

for switching in wormhole "cut-through --queues voq" packet; do
	# shellcheck disable=SC2086 # an option more
	fabric_up --rate 10M --switching $switching --hop-latency 20us --worm 5000
	goes "$switching: routes as of the first file" "c 20 m1 d 20 m2"
	check "$switching: new routes" liquid-lab reroute "$TESTDIR/m2"
	goes "$switching: packets follow them" "c 20 m2 d 20 m2"
	need liquid-lab reroute "$TESTDIR/m2"
	goes "$switching: the same again: nothing changes" "c 20 m2 d 20 m2"
	need liquid-lab reroute "$TESTDIR/swapped"
	goes "$switching: a file in another order" "c 20 m2 d 20 m1"
	need liquid-lab reroute "$TESTDIR/apart"

	traffic --bytes 150000
	check "$switching: routes change under traffic" alternate 5
	wait "$blast"
	# Packets may overtake where their paths part.
	compare "$switching: all of it arrives once, and is right" "$(for key in flows received \
		lost doubled corrupt; do field $key "$TESTDIR/blast"; done | tr '\n' ' ')" = \
		"4 600000 0 0 0 "
	compare "$switching: nothing was dropped" "$(dropped)" = 0
	check "$switching: every packet is accounted for" fabric_conserves

	need liquid-lab link down 's1>m2' 'm2>s2' 's2>m2' 'm2>s1'
	goes "$switching: a cable is cut: packets on it are lost" "c 20 m1 d 0 0-0"
	check "$switching: a file without the cable" liquid-lab reroute "$TESTDIR/cut"
	goes "$switching: all take the other" "c 20 m1 d 20 m1"
	need liquid-lab link up 's1>m2' 'm2>s2' 's2>m2' 'm2>s1'
	goes "$switching: the cable is repaired: routes stay" "c 20 m1 d 20 m1"
	check "$switching: routes of the first file" liquid-lab reroute "$TESTDIR/apart"
	goes "$switching: as at first" "c 20 m1 d 20 m2"

	traffic --send-only --lossy --bytes 100000000
	sleep 0.1
	need liquid-lab reroute "$TESTDIR/swapped"
	check "$switching: the fabric is removed on new routes, under traffic" liquid-lab down
	kill "$blast" 2>/dev/null
	wait "$blast" 2>/dev/null
done

# changed EXPRESSION: the first file, changed by sed
changed()
{
	sed -E "$1" "$TESTDIR/apart" >"$TESTDIR/changed"
}

# refused CODE TEXT [ARGUMENT...]
refused()
{
	code=$1
	text=$2
	shift 2
	status=0
	liquid-lab reroute "${@:-$TESTDIR/changed}" >"$LOG" 2>&1 || status=$?
	compare "refused: $text" "$status $(grep -cF -- "$text" "$LOG")" = "$code 1"
}

fabric_up --rate 10M
changed 's/^link a s1 1/link a nowhere 1/'
refused 1 "changed:5: "
changed 's/^hosts .*/hosts a,b,c,e/; s/^(link .*)d/\1e/; s/^(  to .*)d/\1e/'
refused 1 "host 'd' of fabric lab is missing"
changed 's/^switches .*/switches s1,s2,m1,m3/; s/m2/m3/'
refused 1 "link 's1>m3' is not in fabric lab; near it: s1>m1, s1>m2"
changed 's/^link s1 m2 1/link s1 m2 2/'
refused 1 "link 's1>m2' has capacity 2, in fabric lab 1"
changed '/^link m2 s1/,/^  to/d'
refused 1 "link 'm2>s1' of fabric lab is missing, and not down"
refused 5 "no-such-file" "$TESTDIR/no-such-file"
refused 2 "missing FABRIC" --fabric lab
refused 3 "other: no fabric of this name in this network namespace" "$TESTDIR/m2" --fabric other
goes "what was refused has changed no route" "c 20 m1 d 20 m2"
need liquid-lab up "$FABRIC" --rate 10M --ports a=la,b=lb --name second
refused 1 "2 fabrics in this network namespace: choose one by --fabric" "$TESTDIR/m2"
check "one of two fabrics, with some of the file's hosts" \
	liquid-lab reroute "$TESTDIR/m2" --fabric second
need liquid-lab down second
goes "the other keeps its routes" "c 20 m1 d 20 m2"
fabric_down
refused 3 "no fabric in this network namespace" "$TESTDIR/m2"

# Links that are not distinguished: names of which the first 255 bytes are the same
long=$(printf '%0254d' 1 | tr 0 s)
cables "a:$long" "b:$long" | fabric_file a,b "$long"
need liquid-lab up "$FABRIC" --rate 10M
refused 1 "fabric lab has two links" "$FABRIC"
fabric_down
fabric_finish
