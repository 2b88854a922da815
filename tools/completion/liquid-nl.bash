# SPDX-License-Identifier: GPL-2.0-only
# bash completion of liquid-nl; install as share/bash-completion/completions/liquid-nl
# shellcheck shell=bash

_liquid_nl_words()
{
	local gate="--rate --overhead --mpu --ahead --limit --limit-bytes --dest-limit
		--dest-limit-bytes --horizon --policy --reserve --control --select --match-mark
		--no-match-mark --bypass"
	local traffic="--traffic --hosts --senders --receivers --tasks-per-node --distribution --json"

	case $1 in
	fabric) echo import make show --topo --lft --name --rail --unit-rate \
		--leave-out --allow-unreachable --routes --route --json -o ;;
	solve) echo "$traffic --method --seed --work --time-limit --progress --unit-bytes
		--link-rate --from --explain --wavelengths --export-milp --export-dimacs
		--export-cnf --frames -o" ;;
	verify) echo "$traffic" ;;
	plot) echo "${traffic% --json} --fabric -o" ;;
	simulate) echo "$traffic --schedule --order --mapping --window --switching --message --worm
		--packet --buffer --rate --overhead --hop-latency --frame-time --guard --cycles --jitter
		--clock-error --seed --progress" ;;
	attach) echo "$gate --replace --fabric --node --unit-rate" ;;
	set) echo "$gate" ;;
	push) echo --schedule --node --fabric --frame-time --guard --base-time --cycles --then \
		--tai-offset --replace --addr-map --addr --clock-error --release-lag --hops \
		--max-packet --lease --dry-run --rate --unit-rate --json ;;
	show) echo --dests --frames --json ;;
	stats) echo --json --watch --count --prometheus -o ;;
	clear) echo --dests ;;
	renew) echo --lease ;;
	monitor) echo --json ;;
	job) echo start ready renew end reroute status purge --older-than --until --nodes --node --traffic --partition --comment --merge \
		--stay --running --dry-run --fabric --topo --lft --leave-out --unit-rate --allow-unreachable --json \
		--config ;;
	gate) echo on off --select --policy --config ;;
	ranks) echo --hosts --tasks-per-node --ca-order --format --check --json ;;
	clock) echo --max-error --ptp-socket --json ;;
	'') echo fabric solve verify plot simulate attach set detach push show stats monitor renew clear job gate ranks clock --help --version ;;
	esac
}

# The values of option $1, or a failure where they are not known
_liquid_nl_values()
{
	case $1 in
	--policy) echo share idle always drop ;;
	--then) echo open hold ;;
	--select) echo all mark= dscp= tcp= udp= sctp= proto= ethertype= ;;
	--bypass) echo none tcp= udp= sctp= proto= ethertype= ;;
	--traffic) echo alltoall mpi:alltoall matrix: ;;
	--distribution) echo block cyclic ;;
	--order) echo round-robin random all-at-once shuffle-xor shuffle-rotation ;;
	--switching) echo wormhole cut-through packet ;;
	--mapping) echo linear contention-aware ;;
	--window) echo auto ;;
	--jitter) echo uniform: normal: exp: ;;
	--format) echo hostfile rankfile hostlist slurm ;;
	*) return 1 ;;
	esac
}

_liquid_nl()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command="" words

	COMPREPLY=()
	if [ "$COMP_CWORD" -gt 1 ]; then
		command=${COMP_WORDS[1]}
	fi
	case $before in
	--schedule | --fabric | --ca-order | --config | --addr-map | --topo | --lft | --from | --export-* | -o)
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
		return
		;;
	esac
	if words=$(_liquid_nl_values "$before"); then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
		return
	fi
	words=$(_liquid_nl_words "$command")
	case $command in
	attach | set | detach | push | show | stats | monitor | renew | clear | gate)
		if [[ $word != -* ]] && [ -d /sys/class/net ]; then
			words="$words $(cd /sys/class/net && echo *)"
		fi
		;;
	solve | verify | fabric | plot | simulate)
		if [[ $word != -* ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$word")
		fi
		;;
	esac
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _liquid_nl liquid-nl
