# SPDX-License-Identifier: GPL-2.0-only
# A stream of UDP over the ways of a capillary routing, on links that fail; include it after lab.sh.
#
# The network is the thesis' small one. Hosts S1 ... Sk at s and T1 ... Tk at t are the k addresses
# of the two ends, and what goes between Si and Ti takes way i, as with LMC.
# shellcheck shell=dash

LINKS='s>a s>b a>c a>d b>c b>d b>t c>t d>t'
BLOCK_NS=$((20000000 * (1 + 9 * ${DEBUG:-0})))	# a debug kernel is slow

stream_start()
{
	command -v stream-run >/dev/null ||
		skip_all "no stream-run (make deps experiment-programs)"
	fabric_start
	load ipv6
	stream_network
}

stream_network()
{
	{
		printf 'liquid-fabric 1\nname small\nhosts h\nswitches s,t,a,b,c,d\nlink h s 1\n'
		for link in $LINKS; do
			echo "link ${link%>*} ${link#*>} 1"
		done
		echo end
	} >"$TESTDIR/network"
}

# stream_ways LAYERS PATHS: sets ROR; $TESTDIR/ways has a line a way, its weight and its links
stream_ways()
{
	liquid-nl capillary "$TESTDIR/network" --from s --to t --layers "$1" --paths "$2" --json |
		awk '
			/"paths": \{/ { inside = 1 }
			!inside { next }
			/"ror":/ { sub(/,/, ""); print "ror", $2 }
			/"weight":/ { sub(/,/, ""); line = $2 }
			/"[a-z]>[a-z]"/ { gsub(/[",]/, ""); line = line " " $1 }
			/\]/ && line { print line; line = "" }' >"$TESTDIR/answer"
	ROR=$(sed -n 's/^ror //p' "$TESTDIR/answer")
	sed '/^ror/d' "$TESTDIR/answer" >"$TESTDIR/ways"
}

# The fabric of the ways: a way back for each, and both directions of each cable
stream_fabric()
{
	awk -v network="$LINKS" '
		function link(from, to, routes) {
			print "link", from, to, 1
			if (routes)
				print "  to " routes
		}
		function end_host(host, node) {
			hosts = hosts (hosts ? "," : "") host
			at[host] = node
		}
		{
			for (i = 2; i <= NF; i++) {
				forth[$i] = forth[$i] (forth[$i] ? "," : "") "T" NR
				back[$i] = back[$i] (back[$i] ? "," : "") "S" NR
			}
			end_host("S" NR, "s")
			end_host("T" NR, "t")
		}
		END {
			print "liquid-fabric 1\nname stream\nhosts " hosts
			print "switches s,t,a,b,c,d"
			for (host in at) {
				link(host, at[host])
				link(at[host], host, host)
			}
			n = split(network, name, " ")
			for (i = 1; i <= n; i++) {
				split(name[i], node, ">")
				link(node[1], node[2], forth[name[i]])
				link(node[2], node[1], back[name[i]])
			}
			print "end"
		}' "$TESTDIR/ways" >"$FABRIC"
}

# stream_send BLOCKS FAILURES FAIL_BLOCKS SEED overlap|alone: a stream of so many blocks, while each
# link fails so often, each time for FAIL_BLOCKS blocks
stream_send()
{
	fabric_up --rate 100M --switching packet --hop-latency 10us
	cp "$LOG" "$TESTDIR/map"
	awk 'NR == FNR { address[$1] = $2; next }
		{ print $1, "S" FNR, address["S" FNR], "T" FNR, address["T" FNR] }' \
		"$TESTDIR/map" "$TESTDIR/ways" >"$TESTDIR/addresses"
	background "$TESTDIR/received" stream-run receive "$TESTDIR/addresses"
	receiver=$pid
	sleep 0.1
	background "$TESTDIR/sent" stream-run send "$TESTDIR/addresses" "$1" $BLOCK_NS
	sender=$pid
	# shellcheck disable=SC2086 # words
	stream-run clock "$5" $((($1 - 2 * $3) * BLOCK_NS)) $(($3 * BLOCK_NS)) "$2" "$4" $LINKS \
		>"$TESTDIR/clock" 2>&1
	wait "$sender"
	check "$NAME: all that is decoded is what was sent" wait "$receiver"
	dropped=$(fabric_sum drop_link_down)
	fabric_down
	judge_stream "$2" "$3" >"$TESTDIR/row"
	sed 's/^/# /' "$TESTDIR/row" "$TESTDIR/sent"
}

# stream_replay: the same without a network, with the failures of the same clock
stream_replay()
{
	# shellcheck disable=SC2086 # words
	stream-replay "$TESTDIR/ways" "$1" $BLOCK_NS "$5" $((($1 - 2 * $3) * BLOCK_NS)) \
		$(($3 * BLOCK_NS)) "$2" "$4" $LINKS >"$TESTDIR/replay" || return
	grep -E '^(down|up) ' "$TESTDIR/replay" >"$TESTDIR/clock"
	grep '^sender ' "$TESTDIR/replay" >"$TESTDIR/sent"
	grep -E '^(receiver|undecoded) ' "$TESTDIR/replay" >"$TESTDIR/received"
	dropped=$(sed -n 's/^replay lost=//p' "$TESTDIR/replay")
	judge_stream "$2" "$3" >"$TESTDIR/row"
}

# stream_row NAME LAYERS BLOCKS FAILURES FAIL_BLOCKS SEED HOW: a line of results of the last stream
stream_row()
{
	echo "row;$1;$2;$4;$5;$6;$7;$ROR;$(cut -d' ' -f2- "$TESTDIR/row" | tr '\n' ';')"
}

stream_value()
{
	sed -n "s/^$1 //p" "$TESTDIR/row"
}

# judge_stream FAILURES FAIL_BLOCKS: what came out, beside D P ROR, as lines KEY VALUE. A block is
# excused that was not decoded, if at a time in the two blocks from its beginning on no way had all
# its links. While liquid-lab works on a link, it counts as down.
judge_stream()
{
	awk -v ror="$ROR" -v block_ns="$BLOCK_NS" -v failures="$1" -v fail_blocks="$2" \
		-v dropped="$dropped" '
		function all_ways_are_cut(	w, i, cut) {
			for (w = 1; w <= ways; w++) {
				cut = 0
				for (i = 1; i <= length_of[w]; i++)
					cut = cut || is_down[way[w, i]]
				if (!cut)
					return 0
			}
			return 1
		}
		function excused(block,	start, i) {
			start = value["begin"] + block * block_ns
			for (i = 1; i <= spans; i++)
				if (start < till[i] && start + 2 * block_ns > from[i])
					return 1
			return 0
		}
		FILENAME ~ /ways$/ {
			ways++
			length_of[ways] = NF - 1
			for (i = 2; i <= NF; i++)
				way[ways, i - 1] = $i
		}
		FILENAME ~ /clock$/ {
			at = $1 == "down" ? $3 : $4
			is_down[$2] = $1 == "down"
			if (all_ways_are_cut()) {
				if (!all)
					from[++spans] = at
				all = 1
			} else if (all) {
				till[spans] = at
				cut_ns += at - from[spans]
				all = 0
			}
		}
		FILENAME ~ /(sent|received)$/ {
			for (i = 2; i <= NF; i++)
				if (split($i, word, "=") == 2)
					value[word[1]] = word[2]
		}
		$1 == "sender" { sent = value["packets"] }
		$1 == "undecoded" { undecoded[++bad] = $2 }
		END {
			for (i = 1; i <= bad; i++)
				if (excused(undecoded[i]))
					cut++
				else
					others = others " " undecoded[i]
			predicted = failures * fail_blocks * value["least"] * ror
			print "ways", ways
			print "blocks", value["blocks"]
			print "least", value["least"]
			print "sent", sent
			print "extra", value["extra"]
			printf "predicted %.0f\n", predicted
			printf "ratio %.3f\n", predicted ? value["extra"] / predicted : 0
			print "completing", value["completed"]
			print "beyond", value["beyond"]
			print "lost", dropped
			print "decoded", value["decoded"]
			print "undecoded", bad + 0
			print "cut", cut + 0
			printf "cut_ms %.0f\n", cut_ns / 1e6
			print "others", bad - cut others
		}' "$TESTDIR/ways" "$TESTDIR/clock" "$TESTDIR/sent" "$TESTDIR/received"
}
