# SPDX-License-Identifier: GPL-2.0-only
# Nodes of two rails each, and what holds of their jobs whichever way they agree; after cli.bash.
# shellcheck shell=bash disable=SC2154

# rename_rails: of a fabric on stdin with hosts h1, h2 ..., two each are the rails of n1, n2 ...
rename_rails()
{
	awk '
	function endpoint(host)
	{
		return "n" int((host + 1) / 2) (host % 2 ? "/a/1" : "/b/1")
	}
	function expand(list, parts, ends, text, i, host)
	{
		text = ""
		for (i = split(list, parts, ","); i; i--) {
			split(parts[i] "-" parts[i], ends, "-")
			for (host = ends[2]; host >= ends[1]; host--)
				text = endpoint(host) (text == "" ? "" : ",") text
		}
		return text
	}
	{
		for (i = 1; i <= NF; i++) {
			word = $i
			if (word ~ /^h\[[0-9,-]+\]$/)
				word = expand(substr(word, 3, length(word) - 3))
			else if (match(word, /^h[0-9]+/))
				word = endpoint(substr(word, 2, RLENGTH - 1)) \
					substr(word, RLENGTH + 1)
			printf "%s%s", word, i < NF ? " " : "\n"
		}
	}'
}

# Four nodes, of which two are on each leaf; their addresses
make_rails()
{
	"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 --unit-rate 10G |
		rename_rails >fabric
	for n in 1 2 3 4; do
		printf '%s\n' "n$n/a/1 10.1.0.$n" "n$n/b/1 10.2.0.$n"
	done >addresses
	printf '%s\n' "n1/b/1 n2/b/1" "n2/a/1 n3/a/1" "n2/b/1 n3/b/1" >pairs
	chmod 644 fabric addresses pairs
}

# What liquid.conf has, besides how nodes agree
rails_lines()
{
	printf '%s\n' "rail all" "traffic ranks mpi:alltoall 2" "traffic odd mpi:alltoall 3" \
		"traffic pairs file:$work/pairs"
}

# start JOB TRAFFIC [CONF]: on three nodes
start()
{
	timeout 20 "$liquid_nl" job start "$1" --nodes 'n[1-3]' --traffic "$2" \
		--config "${3:-liquid.conf}" >text 2>&1
}

# node JOB NODE CONF [ARG...]: its prologue, in the background; its output is in JOB.NODE
node()
{
	setsid timeout -s KILL 60 "$liquid_nl" job ready "$1" --node "$2" --dry-run \
		--config "$3" "${@:4}" >"$1.$2" 2>&1 &
	pids="$pids $!"
}

# gates JOB N: this many of its nodes say that they gate, by one schedule from one time
gates()
{
	# shellcheck disable=SC2086 # several
	wait $pids
	pids=
	cat "$1".n* >>text
	[ "$(cat "$1".n* | grep -c ' gates by schedule ')" = "$2" ] &&
		[ "$(sed -n 's/.* gates by \(schedule .*\)/\1/p' "$1".n* | sort -u | wc -l)" -le 1 ]
}

end()
{
	timeout 10 "$liquid_nl" job end "$1" --config liquid.conf >text 2>&1
}

# dests_of RAIL FILE: of a node's slice, rails numbered from 0, to whom that rail sends
dests_of()
{
	jq -r --argjson rail "$1" 'if $rail > 0 then .more[$rail - 1] else . end |
		[.dests[]?.name] | sort | join(" ")' "$2"
}

# slice JOB NODE: of its first round, to slice.NODE
slice()
{
	timeout 20 "$liquid_nl" job prepare "$1-1" --node "$2" --config liquid.conf \
		>"slice.$2" 2>text
}

pids=
