#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial: what it refuses, broken tarballs, and the commands of Documentation/trial.rst on
# two nodes, which are network namespaces with a cable. With gates: tools/lab/selftests/lab-trial.sh
#
# timeout: 90

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

page=$(dirname "$here")/Documentation/trial.rst
KEY=0123456789abcdef
unset LIQUID_TRIAL_KEY

echo "TAP version 13"
prints 2 "*--nodes or --show is needed*usage:*" trial
prints 2 "*--key: expected at least 16 characters*" trial --nodes 127.0.0.1,127.0.0.2
prints 2 "*--key: expected at least 16 characters*" trial --nodes 127.0.0.1,b --key short
prints 2 "*--nodes: expected 2 to 8, got 1*" trial --nodes 127.0.0.1 --key $KEY
prints 2 "*--nodes: expected 2 to 8, got 9*" trial --nodes 'n[1-9]' --key $KEY
prints 2 "*--nodes: 'a' is there twice*" trial --nodes a,b,a --key $KEY
prints 1 "*is not closed*" trial --nodes 'n[1' --key $KEY
prints 1 "*--node: 'c' is not among --nodes*" trial --nodes a,b --key $KEY --node c
prints 1 "*0 of --nodes have an address of this machine*" \
	trial --nodes 198.51.100.1,198.51.100.2 --key $KEY
prints 1 "*2 of --nodes have an address of this machine*" \
	trial --nodes 127.0.0.1,127.0.0.2 --key $KEY
prints 1 "*127.0.0.1: no address that other nodes can reach*" \
	trial --nodes 127.0.0.1,198.51.100.2 --key $KEY
prints 2 "*--seconds: expected*" trial --nodes a,b --key $KEY --seconds 0
prints 2 "*--json goes with --show*" trial --nodes a,b --key $KEY --json
prints 2 "*unknown option '--keep-names'*" trial --nodes a,b --key $KEY --keep-names
prints 1 "*none: No such file*" trial --show none
: >empty.tar
prints 1 "*empty.tar: not the tarball of a trial*" trial --show empty.tar
head -c 5000 /dev/urandom >random.tar
prints 1 "*random.tar: not the tarball of a trial*" trial --show random.tar

# ---- two nodes ----

# The nodes have IPv6 as well, by which they know each other.
make_nodes()
{
	for node in 1 2; do
		ip netns add trial$node.$$ || return
		ip -n trial$node.$$ link set lo up
	done
	ip link add plantdev netns trial1.$$ type veth peer name plantdev netns trial2.$$ &&
	for node in 1 2; do
		ip -n trial$node.$$ addr add 10.66.0.$node/24 dev plantdev &&
		ip -n trial$node.$$ addr add fd66::$node/64 dev plantdev nodad &&
		ip -n trial$node.$$ link set plantdev up || return
	done
}
remove_nodes()
{
	ip netns del trial1.$$
	ip netns del trial2.$$
	rm -rf "$work"
} 2>/dev/null

# Stand-ins for launchers: the command on each node, shorter
make_launchers()
{
	mkdir -p bin
	cat >bin/srun <<-LAUNCHER
		#!/bin/bash
		while [ "\$1" != liquid-nl ]; do shift; done
		shift
		for node in 1 2; do
			ip netns exec trial\$node.$$ "$liquid_nl" "\$@" --seconds 1 --wait 20s \\
				--rate 10G & pids="\$pids \$!"
		done
		for pid in \$pids; do wait \$pid || code=\$?; done
		exit \${code:-0}
	LAUNCHER
	cp bin/srun bin/pdsh
	cp bin/srun bin/mpirun
	ln -s "$liquid_nl" bin/liquid-nl
	chmod +x bin/*
}

# The commands of a page, with the nodes that there are
commands()
{
	sed -n 's/^  \(export LIQUID\|srun\|pdsh\|mpirun\|liquid-nl trial\)/\1/p' "$1" |
		sed "s/'node\[1-4\]'/10.66.0.1,10.66.0.2/g; s/eth1/plantdev/"
}

# Does the summary on stdin have both measurements without a gate?
measured()
{
	[ "$(grep -cE '^(tcp|udp) without a gate +[1-9]' "$1")" -ge 1 ] &&
		grep -q '^udp without a gate' "$1"
}

trap remove_nodes EXIT
if make_nodes 2>text; then
	make_launchers
	for each in trial operations; do
		commands "${page%/*}/$each.rst" >commands
		[ "$(grep -c liquid-nl commands)" -ge 2 ]
		ok "$each.rst has commands"
		PATH=$work/bin:$PATH SLURM_JOB_NODELIST=fd66::1,fd66::2 \
			timeout 60 bash -e commands >text 2>&1
		ok "the commands of $each.rst run"
		measured text
		ok "and print a summary ($each.rst)"
	done
	tar xf liquid-trial.tar
	grep -q 'left out: with a gate: node[01]: ' liquid-trial/summary.txt
	ok "why there is no gate on this kernel is said"
	! grep -raiE "plantdev|10\.66\.0|fd66|$(uname -n)|trial[12]\." liquid-trial
	ok "no name or address is in the tarball"
	prints 0 '*"left_out":*"measurements":*' trial --show liquid-trial.tar --json
	head -c 6000 liquid-trial.tar >cut.tar
	timeout 20 "$liquid_nl" trial --show cut.tar >text 2>&1
	[ $? -le 1 ]
	ok "a tarball that was cut off"
	! ip netns pids trial1.$$ | grep .
	ok "no process is left"
else
	skip "two nodes" "no network namespaces"
fi
finish
