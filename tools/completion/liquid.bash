# SPDX-License-Identifier: GPL-2.0-only
# bash completion of liquid, liquid-nl and liquid-lab; install as
# share/bash-completion/completions/NAME
# shellcheck shell=bash

# The tool prints the words that may follow, one per line; the shell completes files and devices.
_liquid()
{
	local word=${COMP_WORDS[COMP_CWORD]} offer

	COMPREPLY=()
	while IFS= read -r offer; do
		case $offer in
		'<files>') mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word") ;;
		'<devices>')
			[ ! -d /sys/class/net ] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY \
				< <(compgen -W "$(cd /sys/class/net && echo *)" -- "$word")
			;;
		"$word"*) COMPREPLY+=("$offer") ;;
		esac
	done < <("${COMP_WORDS[0]}" complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
	# A key waits for its value, and is no file whose '=' would be quoted.
	[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace +o filenames 2>/dev/null
}
complete -o filenames -F _liquid liquid liquid-nl liquid-lab
