# SPDX-License-Identifier: GPL-2.0-only
# The rows of rdma.csv by liquid-nl simulate: the same fabric, switches, packets and order. After
# lib.bash; fabrics and rates are those of selftests/lib/rdma-alltoall.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # liquid_nl, scratch: lib.bash
# shellcheck source=selftests/lib/rdma-simulate.sh
. "$top/selftests/lib/rdma-simulate.sh"

runs=20			# with other seeds, where starts are random

# word_after OPTION OPTIONS: the value of an option in a line of options
word_after()
{
	sed -n "s/.*$1 \([^ ]*\).*/\1/p" <<<"$2"
}

# sim_fabric FABRIC: sets message, fabric (its options of simulate) and traffic
sim_fabric()
{
	local nodes file=$scratch/${1%/*}

	if [ "$1" = fat-tree ]; then
		message=393216
		traffic=()
		fabric=("$file.fabric" --switching cut-through --queues fifo-speedup --hop-latency 0
			--lanes 1 --buffer 36000 --rate 20M)
		[ -e "$file.schedule" ] || {
			"$liquid_nl" fabric make fat-tree k=4 routes=hash -o "$file.fabric"
			"$liquid_nl" solve "$file.fabric" -o "$file.schedule"
		} >"$scratch/solve"
		return
	fi
	message=116000
	nodes=$(awk -F, -v number="${1%/*}" '$1 == number { gsub(";", ",", $5); print $5 }' \
		"$scratch/guest/patterns")
	traffic=(--senders "t[$nodes]" --receivers "r[$nodes]")
	fabric=("$file.fabric" --switching wormhole --rate 13760k)
	[ -e "$file.schedule" ] || {
		"$liquid_nl" fabric make swiss-t1 -o "$file.fabric"
		"$liquid_nl" solve "$file.fabric" "${traffic[@]}" -o "$file.schedule"
	} >"$scratch/solve"
}

# sim_order FABRIC OPTIONS TOKEN_US TOKEN_MIN_US: sets how, or fails where the simulator has no such
# order. Starts are random by the nap of the processes. A window of 1 waits for an acknowledgement,
# half of what a token takes. The lab's hosts with fq_codel send packets of all messages in turn, so
# a worm is a packet; with pfifo it is a message.
sim_order()
{
	local nap

	nap=$(word_after --nap "$2")
	nap=uniform:${nap:-200000}ns
	if [ "$(word_after --window "$2")" = 1 ]; then
		nap=uniform:${wait_us}us
	fi
	case "$1 $2" in
	*"--order tokens"*)
		read -r -a how < <(rdma_token_options "$3" "$4")
		how+=(--schedule "$scratch/${1%/*}.schedule" --sync tokens
			--tail "$(word_after --tail "$2")") ;;
	*"--order clock"*)
		how=(--schedule "$scratch/${1%/*}.schedule" --sync clock --jitter "$nap"
			--frame-time "$(word_after --frame "$2")ns") ;;
	*"--order order"*)
		how=(--schedule "$scratch/${1%/*}.schedule" --sync order --jitter "$nap") ;;
	*"--order all-at-once"*)
		how=("${traffic[@]}" --order all-at-once --clock-error "${nap#*:}") ;;
	*"--order window --window 1" | */pfifo*pairwise)
		how=("${traffic[@]}" --order pairwise --jitter "$nap") ;;
	*)
		return 1 ;;
	esac
	[ "$1" = fat-tree ] && return
	case "$1 $2" in
	[0-9]*/pfifo* | *"--order tokens"* | *"--order clock"* | *"--order order"*)
		how+=(--worm 126532) ;;
	*)
		how+=(--worm $((RDMA_MTU + overhead))) ;;
	esac
}

# Median, least and greatest share of $runs runs
sim_shares()
{
	local seed

	for ((seed = 1; seed <= runs; seed++)); do
		"$liquid_nl" simulate "${fabric[@]}" "${how[@]}" --message "$message" \
			--packet $RDMA_MTU --overhead "$overhead" --seed "$seed" --json |
			rdma_share
	done | sort -n | awk -v runs=$runs '
		{ share[NR] = $1 }
		END {
			if (NR == runs)
				printf "%.3f,%.3f,%.3f\n", share[int((NR + 1) / 2)], share[1],
					share[NR]
		}'
}

# Rows of rdma.csv (stdin) to rows FABRIC,OPTIONS,GUEST,SIMULATOR,LEAST,GREATEST,DIFFERENCE_PERCENT;
# "-" where the simulator has no such order
simulate_rows()
{
	local name options messages share tokens token_us least writes
	local message overhead wait_us=0 fabric=() traffic=() how=()

	while IFS=, read -r name options messages _ share tokens token_us least _; do
		sim_fabric "$name"
		writes=1
		[ -z "$(word_after --ahead "$options")" ] || writes=3
		[ "$tokens" = 0 ] || wait_us=$token_us
		overhead=$(rdma_overhead "$([ "$name" = fat-tree ] && echo tree || echo swiss)" \
			$writes "$tokens" "$messages" "$message")
		if sim_order "$name" "$options" "$token_us" "$least"; then
			sim_shares
		else
			echo -,-,-
		fi | awk -F, -v row="$name,$options,$share" -v guest="$share" '{
			difference = $1 == "-" ? "-" : sprintf("%+.1f", ($1 / guest - 1) * 100)
			print row "," $0 "," difference
		}'
	done
}
