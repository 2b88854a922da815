#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The experiments, quickly: CSV with the right columns and sane values, pictures, and a rerun that
# goes on.
# builds: user experiment-programs
# timeout: 600
set -u

top=$(dirname "$(readlink -f "$0")")/../../..
build=$(readlink -f "${B:-$top/build}")
tool=$(readlink -f "${LIQUID_NL:-$build/liquid-nl}")
count=0
failed=0

if [ ! -x "$tool" ] || [ ! -x "$build/experiments/patterns" ]; then
	echo "1..0 # SKIP \`make user experiment-programs\` builds what is needed"
	exit 4
fi
if ! command -v gnuplot >/dev/null; then
	echo "1..0 # SKIP gnuplot is not installed"
	exit 4
fi
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
# What is built is used, what is measured stays here.
mkdir -p "$work/b/experiments"
ln -s "$build/experiments/patterns" "$work/b/experiments/patterns"
export B=$work/b LIQUID_NL=$tool

# The exit code before this is the result of test $1; the file text tells why.
ok()
{
	status=$?
	count=$((count + 1))
	if [ $status -eq 0 ]; then
		echo "ok $count $1"
	else
		failed=$((failed + 1))
		echo "not ok $count $1"
		tail -n 20 "$work/text" | sed 's/^/# /'
	fi
}

run()
{
	timeout 300 "$top/tools/experiments/$1" --quick "${@:2}" >"$work/text" 2>&1
}

well_formed()
{
	if command -v xmllint >/dev/null; then
		xmllint --noout --nonet "$1" >"$work/text" 2>&1
	else
		[ "$(grep -o '<g[ >]' "$1" | wc -l)" = "$(grep -o '</g>' "$1" | wc -l)" ] &&
			grep -q '</svg>' "$1"
	fi
}

# experiment NAME CSV COLUMNS ROWS PICTURE [OPTION]...: it runs, and goes on where it was stopped
experiment()
{
	local name=$1 file=$2 csv=$B/experiments/$1-quick/$2 columns=$3 rows=$4 picture=$5
	shift 5

	run "$name" "$@"
	ok "$name runs"
	[ "$(head -n 1 "$csv")" = "$columns" ]
	ok "$name: the columns of $file"
	[ "$(tail -n +2 "$csv" | wc -l)" = "$rows" ]
	ok "$name: $rows rows"
	! tail -n +2 "$csv" | grep -qE '(^|,)(,|$)|nan|inf'
	ok "$name: no value is missing"
	if [ "$picture" ]; then
		well_formed "${csv%/*}/$picture.svg" && [ -s "${csv%/*}/$picture.png" ]
		ok "$name: its pictures are there"
	fi

	# stopped in the middle of the third row; the second one tells whether it is measured again
	cp "$csv" "$work/first"
	{
		sed -n '1,2p' "$work/first"
		sed -n '3s/[^,]*$/12345/p' "$work/first"
		sed -n '4p' "$work/first" | cut -c1-7 | tr -d '\n'
	} >"$csv"
	sed '3s/[^,]*$/12345/' "$work/first" | sort >"$work/expected"
	run "$name" "$@" && sort "$csv" | cmp -s - "$work/expected"
	ok "$name: a rerun keeps what is there, and measures the rest as before"
	sed -i 's/$/ other/' "${csv%/*}/.$file.settings"
	run "$name" "$@" && sort "$csv" | cmp -s - <(sort "$work/first")
	ok "$name: with other settings it begins anew"
}

# all CSV CONDITION: by awk, of every row
all()
{
	awk -F, "NR > 1 && !($2) { print \"row: \" \$0; bad = 1 } END { exit bad || NR < 2 }" \
		"$1" >"$work/text"
}

# rows CSV CONDITION: how many meet it
rows()
{
	awk -F, "NR > 1 && ($2)" "$1" | wc -l
}

quick=$B/experiments
[ "$("$build/experiments/patterns" | wc -l)" = 362 ] &&
	[ "$("$build/experiments/patterns" | sed -n '362p' | cut -d, -f2-4)" = 44444444,32,48 ] &&
	"$build/experiments/patterns" | awk -F, '{
		bad += $3 < nodes || ($3 == nodes && $4 >= duration)
		nodes = $3
		duration = $4
	} END { exit bad }'
ok "362 patterns, by nodes and then by liquid throughput"

experiment dsatur dsatur.csv number,nodes,duration,transfers,dsatur,auto,loss_percent 16 dsatur
csv=$quick/dsatur-quick/dsatur.csv
grep -qx "of the $(rows "$csv" '$5 > $3') that lose \
$(rows "$csv" '$3 <= 0.98 * $5 && $3 >= 0.91 * $5') lose 2 to 9 %, \
$(rows "$csv" '$3 < 0.91 * $5 && $3 >= 0.81 * $5') up to 19 %" "$work/text"
ok "dsatur: how many lose how much, as the thesis counts it"
all "$quick/dsatur-quick/dsatur.csv" '$6 == $3 && $5 >= $3 && $4 == $2 * $2'
ok "dsatur: auto takes the duration, DSATUR no less"

experiment swiss-t1 simulator.csv \
	number,nodes,duration,length,liquid,crossbar,round_robin,random,schedule,predicted,blocks \
	16 simulator \
	--simulator
csv=$quick/swiss-t1-quick/simulator.csv
grep -qx "  the schedule gains 1.5 to 2 on \
$(rows "$csv" '$9 >= 1.5 * $7 && $9 <= 2 * $7') patterns, \
more on $(rows "$csv" '$9 > 2 * $7'), less on $(rows "$csv" '$9 < 1.5 * $7')" "$work/text" &&
	grep -qx "  random is above round-robin on $(rows "$csv" '$8 > $7')" "$work/text" &&
	grep -qx "  round-robin in blocks has at most half on $(rows "$csv" '2 * $11 <= $5')" \
		"$work/text"
ok "swiss-t1: on how many patterns the schedule gains, random is better, blocks have half"
grep -qx "  round-robin is above its prediction on $(rows "$csv" '$2 >= 20 && $7 > $10') of \
$(rows "$csv" '$2 >= 20') with 20 nodes or more, $(rows "$csv" '$2 < 20 && $7 > $10') of \
$(rows "$csv" '$2 < 20') smaller; in blocks on $(rows "$csv" '$2 >= 20 && $11 > $10') and \
$(rows "$csv" '$2 < 20 && $11 > $10')" "$work/text"
ok "swiss-t1: on how many round-robin is above its prediction"
all "$quick/swiss-t1-quick/simulator.csv" '$9 > 0.99 * $5 && $9 <= 1.0001 * $5 && $5 <= $6 + 0.001'
ok "swiss-t1: the schedule is within 1 % of the liquid throughput, which no crossbar is below"
all "$quick/swiss-t1-quick/simulator.csv" '$2 < 16 || ($7 < 0.8 * $9 && $8 < 0.8 * $9)'
ok "swiss-t1: from 16 nodes on other orders stay below 80 % of it"
all "$quick/swiss-t1-quick/simulator.csv" '$10 <= $5 + 0.001 && ($1 != 362 || $10 == 682.667)'
ok "swiss-t1: round-robin as predicted is no faster than liquid; 1024 transfers take 129 frames"
all "$quick/swiss-t1-quick/simulator.csv" '$11 <= $7 * 1.05 && ($1 != 362 || $11 < 0.9 * $7)'
ok "swiss-t1: blocks of 520 KB gain nothing, and lose a tenth on the whole machine"

run congestion && [ "$(wc -l <"$quick/congestion-quick/congestion.csv")" = 17 ] &&
	well_formed "$quick/congestion-quick/skeleton.svg" &&
	well_formed "$quick/congestion-quick/edges.svg"
ok "congestion: 16 rows and two pictures"
# The thesis, appendix B: 48,704 edges between 1,024 vertices
grep -qx '362,32,48,1024,608,608,608,48704' "$quick/congestion-quick/congestion.csv"
ok "congestion: Swiss-T1 whole has 48704 edges, and a skeleton of 608 transfers"
"$build/experiments/patterns" --congestion >"$work/all"
awk -F, '{ share += $5 / $4; bad += !($6 <= $5 && $5 <= $7 && $7 <= $4 && $3 <= $5) }
	END { exit bad || NR != 362 || share / NR < 0.318 || share / NR > 0.32 }' "$work/all"
ok "congestion: skeletons lie between the least and the most; 31.9 % in the mean of 362"
# Another way: the graph that colouring programs get
"$tool" fabric make swiss-t1 -o "$work/fabric" >"$work/text" &&
	"$build/experiments/patterns" | sed -n 50p | cut -d, -f5 | tr ';' ',' >"$work/list" &&
	"$tool" solve "$work/fabric" --senders "t[$(cat "$work/list")]" \
		--receivers "r[$(cat "$work/list")]" --export-dimacs "$work/graph" >"$work/text" &&
	awk '$1 == "p" { print $4 }' "$work/graph" |
		cmp -s - <(sed -n 50p "$work/all" | cut -d, -f8)
ok "congestion: as many edges as --export-dimacs has"
! "$build/experiments/patterns" --congested >"$work/text" 2>&1 && grep -q '^usage' "$work/text"
ok "patterns: an unknown option is refused"

ln -s "$build/experiments/manet" "$B/experiments/manet"
capillary=$quick/capillary-quick
run capillary && cp "$work/text" "$work/rows" &&
	[ "$(wc -l <"$capillary/layers-300.csv")" = 21 ] &&
	[ "$(wc -l <"$capillary/ror-115.csv")" = 301 ] &&
	for picture in fec ror-115 ror-120 overlap; do
		well_formed "$capillary/$picture.svg" || break
	done
ok "capillary: rows of 2 networks and of 2 sets of frames, and pictures"
[ "$(sed -n 3p "$capillary/small.csv")" = 2,7,1.5,3,0.333333333 ] &&
	grep -qx 'p. 103 .* 886' "$work/rows"
ok "capillary: layer 2 of the thesis' small network; 886 links overlap in 5 %"
all "$capillary/ror-115.csv" '$6 > 1.5 * $7 && ($5 > 1 || $6 > 5)' &&
	grep -qx '60 .*curves that fall.* 30 of 30' "$work/rows"
ok "capillary: ROR falls from layer 1 to 10, and large blocks need less"
if command -v glpsol >/dev/null; then
	! grep -q different "$capillary/hunt.csv" &&
		[ "$(grep -c same "$capillary/hunt.csv")" = 20 ]
	ok "capillary: the thesis' hunting loop has the same bottlenecks in 20 layers of 300 nodes"
fi
! "$build/experiments/manet" ror 10 >"$work/text" 2>&1 && grep -q '^usage' "$work/text"
ok "manet: missing numbers are refused"

# A solver that answers at once, by what the file answers says of a number of nodes
mkdir -p "$B/bench"
cat >"$B/bench/peers" <<'END'
#!/bin/bash
echo "$*" >>"${0%/*}/asked"
while [ "$1" != --nodes ]; do
	shift
done
echo "$(($2 * $2)),$4,1.0,1.0,1.0,cbc,0.5,$(awk -v n="$2" 'n <= $1 { print $2; exit }' \
	"${0%/*}/answers"),0.1"
END
chmod +x "$B/bench/peers"
printf '14 yes\n32 limit\n' >"$B/bench/answers"
csv=$B/experiments/milp-quick/cbc.csv

# asks COUNT [OPTION]...: the experiment runs, and asks so many times
asks()
{
	: >"$B/bench/asked"
	run milp "${@:2}" && [ "$(wc -l <"$B/bench/asked")" = "$1" ]
}

asks 16 --limit 1 && [ "$(wc -l <"$csv")" = 17 ] && [ "$(grep -c ',limit,1$' "$csv")" = 10 ]
ok "milp: a row for each pattern, with the limit where it was met"
asks 0 --limit 1
ok "milp: a rerun asks nothing"
printf '18 yes\n32 limit\n' >"$B/bench/answers"
asks 10 --limit 2 && [ "$(wc -l <"$csv")" = 17 ] && [ "$(grep -c ',limit,2$' "$csv")" = 6 ] &&
	[ "$(grep -c ',yes,1$' "$csv")" = 6 ]
ok "milp: a higher limit asks again only where the last one was met"
asks 0 --limit 1
ok "milp: a lower limit asks nothing"
echo '32 none' >"$B/bench/answers"
! run milp --limit 3 && grep -q 'cbc on pattern [0-9]*: none' "$work/text"
ok "milp: an answer that is none ends it"
! run milp --solver clp && grep -q "no argument '--solver clp'" "$work/text"
ok "milp: an unknown solver is refused"
if [ -x "$build/bench/peers" ] && command -v cbc >/dev/null; then
	"$build/bench/peers" --exported --runs 1 --peer cbc --nodes 9 --duration 20 \
		>"$work/text" 2>&1
	awk -F, '{ n++; bad = $8 != "yes" || $6 != "cbc" || $1 != 81 || $7 * 1e6 < 10 * $3 }
		END { exit bad || n != 1 }' "$work/text"
	ok "milp: CBC solves 81 transfers in 20 frames, and takes ten times as long as the library"
	! "$build/bench/peers" --peer cbc --nodes 9 --duration 21 >"$work/text" 2>&1 &&
		grep -q 'no pattern of 9 nodes and duration 21' "$work/text"
	ok "milp: of a pattern that is none it is not asked"
fi

experiment fabrics fabrics.csv \
	fabric,switching,order,transfers,duration,time_ns,of_liquid,waits,deadlocks,received_bytes \
	44 wormhole
all "$quick/fabrics-quick/fabrics.csv" \
	'$7 > 0 && $7 <= 1.0001 && ($3 != "liquid" && $3 != "tokens" || $7 > 0.98) && $9 == 0'
ok "fabrics: shares are shares, the schedule's is above 0.98, nothing deadlocks"
well_formed "$quick/fabrics-quick/voq.svg"
ok "fabrics: a picture of virtual output queues"

# Quickly: four fabrics, two seeds
experiment tokens tokens.csv fabric,seed,queues,sender,share,waits,deadlocks,timeouts 92 ""
all "$quick/tokens-quick/tokens.csv" '$4 != "tokens" || ($5 > 0.985 && $6 + $7 + $8 == 0)'
ok "tokens: above 0.985 of the schedule's time, nothing waits, deadlocks or times out"
all "$quick/tokens-quick/tokens.csv" '$4 != "tokens-1%" || $5 > 0.97' &&
	all "$quick/tokens-quick/tokens.csv" '$4 != "tokens-5%" || $5 > 0.88'
ok "tokens: above 0.97 and 0.88 with jitter of 1 % and 5 % of a message"
all "$quick/tokens-quick/tokens.csv" '$7 == 0'
ok "tokens: nothing deadlocks, by tokens with one lane, by orders with lanes in layers"
! run tokens nonsense && grep -q "no fabric 'nonsense'" "$work/text"
ok "tokens: an unknown fabric is refused"

experiment sync sync.csv error,guard,of_liquid,waits_per_message,late_per_message,delivered 9 \
	throughput
all "$quick/sync-quick/sync.csv" '$2 != "needed" || $1 > 0.1 || ($4 == 0 && $6 == 1)'
ok "sync: with a guard of twice the error nothing waits"
all "$quick/sync-quick/sync.csv" '$1 != 0.2 || $2 == "needed" || $4 > 0'
ok "sync: with too small a guard something does"

# A guest that answers at once: 9 s, and each exchange takes 0.1 s less than the one before. The
# last $LOST exchanges of each row are missing.
if [ -x "$build/experiments/mpi-alltoall" ]; then
	mkdir -p "$B/kmod-6.1"
	touch "$B/kmod-6.1/liquid_lab.ko" "$B/mca_coll_liquid.so" "$B/experiments/rdma-alltoall"
	ln -s "$build/experiments/mpi-alltoall" "$B/experiments/mpi-alltoall"
	cat >"$work/guest" <<-'END'
		#!/bin/bash
		while [ "${1##*/}" != rows ]; do
			shift
		done
		while read -r network call bytes way exchanges link; do
			last=$((exchanges - 1 - ${LOST:-0}))
			times=$(seq -s ' ' 9000000000 -100000000 $((9000000000 - 100000000 * last)))
			echo "row;$network;$call;$bytes;$way;$link;$exchanges;0;own;$times;0;3"
		done <"$1"
		echo asked >>"${0%/*}/asked"
	END
	chmod +x "$work/guest"
	csv=$B/experiments/mpi/mpi.csv
	mpi()
	{
		GUEST=$work/guest timeout 100 "$top/tools/experiments/mpi" "$@" >"$work/text" 2>&1
	}

	mpi tcp && [ "$(wc -l <"$csv")" = 20 ] && [ "$(head -n 1 "$csv")" = \
		network,call,bytes,order,first_ms,ms,share,way,faults,verdict ]
	ok "mpi: the columns, and 19 rows by TCP"
	grep -qx 'tcp,alltoall,393216,linear,9000.0,8850.0,0.391,own,3,ok' "$csv" &&
		grep -qx 'tcp,alltoall,65536,auto,9000.0,6650.0,0.087,own,3,ok' "$csv"
	ok "mpi: the median of all exchanges but the first, and of the last 8 of 28"
	# The busiest link of these rows by Zipf has 864 frames of 8 KiB.
	grep -qx 'tcp,alltoallv,262144,tokens,9000.0,8850.0,0.320,own,3,ok' "$csv"
	ok "mpi: a matrix's liquid throughput is that of its busiest link"
	sed -i '/,pairwise,/d' "$csv"
	! LOST=1 mpi tcp && [ "$(grep -c 'pairwise,.*,failed$' "$csv")" = 2 ] &&
		[ "$(wc -l <"$csv")" = 20 ]
	ok "mpi: a row with an exchange less has failed"
	: >"$work/asked"
	! mpi tcp && [ ! -s "$work/asked" ]
	ok "mpi: a rerun asks nothing"
	! mpi ethernet && grep -q "no network 'ethernet'" "$work/text"
	ok "mpi: an unknown network is refused"
fi

# A guest that answers at once; $EXTRA packets more than predicted, $OTHERS
if [ -x "$build/experiments/stream-replay" ]; then
	mkdir -p "$B/kmod-6.1"
	touch "$B/kmod-6.1/liquid_lab.ko"
	ln -s "$build/experiments/stream-replay" "$B/experiments/stream-replay"
	cat >"$work/guest" <<-'END'
		#!/bin/bash
		while [ "${1##*/}" != rows ]; do
			shift
		done
		while read -r name layers paths blocks failures fail_blocks seed how; do
			echo "row;$name;$layers;$failures;$fail_blocks;$seed;$how;8.5;$paths"\
		";$blocks;28;1;100;100;$RATIO;0;0;9;$((blocks - 3));3;2;7;${OTHERS:-0};"
		done <"$1"
	END
	chmod +x "$work/guest"
	csv=$B/experiments/stream-quick/stream.csv
	stream()
	{
		rm -f "$csv"
		GUEST=$work/guest timeout 100 "$top/tools/experiments/stream" "$@" \
			>"$work/text" 2>&1
	}

	RATIO=1.09 stream --quick &&
		grep -q '^1-alone,.*,8.5,16,700,28,1,100,100,1.09,0,0,9,697,3,2,7,0,ok$' "$csv"
	ok "stream: a row within a tenth of D P ROR, whose other blocks are decoded, is good"
	! RATIO=1.11 stream --quick && grep -q ',1.11,.*,missed$' "$csv"
	ok "stream: a row beyond it has missed the bar"
	! RATIO=1 OTHERS='1 77' stream --quick && grep -q ',1 77,missed$' "$csv"
	ok "stream: so has one with a block that is not decoded without a reason"
	csv=$B/experiments/stream/stream.csv
	! RATIO=0.89 stream && [ "$(grep -c ',ok$' "$csv")" = 4 ] &&
		[ "$(grep -c 'alone.*,missed$' "$csv")" = 3 ]
	ok "stream: the bar is that of failures that come alone"
	! "$build/experiments/stream-run" clock alone 1 2 3 x 's>a' >"$work/text" 2>&1 &&
		grep -q "'x' is no number" "$work/text"
	ok "stream: what is no number is refused"
	csv=$B/experiments/stream-quick/replay.csv
	stream --quick --replay && grep -q '^1-alone,.*,700,28,.*,700,0,0,0,0,ok$' "$csv" &&
		[ "$(cut -d, -f17 "$csv" | tail -n 1)" -gt 1000 ]
	ok "stream: a replay loses packets, and decodes every block"
	# While s>a and b>t are down the last two carry a sixth of the stream: blocks sent before
	# that was known are completed by both.
	printf '%s\n' '4 s>b b>t' '3 s>a a>c c>t' '3 s>a a>d d>t' '1 s>b b>c c>t' '1 s>b b>d d>t' |
		awk '{ $1 = $1 / 12; print }' >"$work/ways"
	"$build/experiments/stream-replay" "$work/ways" 3000 20000000 overlap 58000000000 \
		400000000 30 2 's>a' 'b>t' >"$work/text" 2>&1 &&
		! grep '^undecoded' "$work/text" && grep -q ' beyond=1[0-9][0-9]$' "$work/text"
	ok "stream: blocks sent as links fail are completed by the ways that are left"
fi

line=$(bash -c 'set -- && . "$0" && { echo row; sleep 3; } | awk_lines "{ print; fflush() }" |
	{ read -t 2 -r line && echo "$line"; }' "$top/tools/experiments/lib/lib.bash" \
	2>"$work/text")
[ "$line" = row ]
ok "a row of a guest is read as it comes"

run dsatur --nonsense
[ $? = 1 ] && grep -q "no argument '--nonsense'" "$work/text"
ok "an unknown argument is refused"

echo "1..$count"
[ $failed -eq 0 ]
