# SPDX-License-Identifier: GPL-2.0-only
# bash completion of liquid-lab; install as share/bash-completion/completions/liquid-lab
# shellcheck shell=bash

_liquid_lab_words()
{
	case $1 in
	up) echo --ports --netns --rate --switching --worm --buffer --overhead --hop-latency --ring \
		--queues --unrouted --mtu --addr --name ;;
	stats) echo --json ;;
	'') echo up down stats --help --version ;;
	esac
}

_liquid_lab()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local command="" words

	COMPREPLY=()
	if [ "$COMP_CWORD" -gt 1 ]; then
		command=${COMP_WORDS[1]}
	fi
	case $before in
	--switching) words="wormhole cut-through packet" ;;
	--unrouted) words="drop free" ;;
	*) words=$(_liquid_lab_words "$command") ;;
	esac
	if [ "$command" = up ] && [[ $before != --* && $word != -* ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$word")
	fi
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o filenames -F _liquid_lab liquid-lab
