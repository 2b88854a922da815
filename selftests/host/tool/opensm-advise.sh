#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The first remedy of liquid advise for minhop's tables, other routes, carried out by the real
# opensm: by a simulator that shares no code with the engine it gains what is said.
#
# timeout: 240

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
. "$here/lib/tap.sh"
. "$here/lib/ibsim.bash"

# Eight leaves of eight hosts, six spines
cables()
{
	local leaf port
	for leaf in {1..8}; do
		for port in {1..8}; do
			echo "h$((8 * leaf - 8 + port)) 1 leaf$leaf $port"
		done
		for port in {9..14}; do
			echo "leaf$leaf $port spine$((port - 8)) $leaf"
		done
	done
}

ibsim_begin jq
needs_python json
cd "$work" || exit 1
echo "TAP version 13"
details="said log"

cables >drawn && "$here/tools/ibsim-net" drawn >net && start_ibsim net && route minhop,no_fallback
ok "opensm routes 64 hosts by minhop"
"$liquid" advise topo fts --message 16Ki --json >advice 2>said &&
	"$liquid" fabric import --topo topo --lft fts -o before 2>>said
ok "advise reads its dumps"
command=$(jq -r '.remedies[0]|select(.recommended and .routes == "other").command' advice)
echo "# $command"
[[ $command == "liquid route "*" && opensm -R file -U tables.lfts && mpirun "* ]]
ok "other routes come first, with opensm's command"
(liquid() { "$liquid" "$@"; }; eval "${command%% && opensm *}") >said 2>&1 &&
	route file -U "$PWD/tables.lfts" &&
	"$liquid" fabric import --topo topo --lft fts -o carried 2>said &&
	cmp <(grep -v ^name better.fabric) <(grep -v ^name carried)
ok "opensm carries it out: its dump has these routes"
stop_ibsim
CARRIED=carried "$python" "$here/tools/judge-advice.py" "$liquid" before --message 16Ki >log 2>&1
ok "by packets it gains what advise says, within 8 points of the best speed"
grep '^#' log
finish
