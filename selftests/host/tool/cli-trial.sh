#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-nl trial: what it refuses, broken records, and the commands of Documentation/trial.rst on
# two nodes, which are network namespaces with a cable; nodes that are killed or missing, output
# that cannot be written. With gates: tools/lab/selftests/lab-trial.sh
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

docs=$(dirname "$here")/Documentation

echo "TAP version 13"
prints 2 "*--nodes or a file is needed*usage:*" trial
prints 2 "*either --nodes, or files*" trial --nodes a,b file
prints 2 "*--nodes: expected 2 to 8, got 1*" trial --nodes 127.0.0.1
prints 2 "*--nodes: expected 2 to 8, got 9*" trial --nodes 'n[1-9]'
prints 2 "*--nodes: 'a' is there twice*" trial --nodes a,b,a
prints 1 "*is not closed*" trial --nodes 'n[1'
prints 1 "*0 of --nodes have an address of this machine*" trial --nodes 198.51.100.1,198.51.100.2
prints 1 "*127.0.0.1: no address that other nodes can reach*" \
	trial --nodes 127.0.0.1,198.51.100.2
prints 2 "*--seconds: expected*" trial --nodes a,b --seconds 0
prints 5 "*none: No such file*" trial none
for text in '' '{}' '[1]' '{"format":"liquid-trial","version":2,"nodes":2,"node":2}' \
	'{"format":"liquid-trial","version":2,"nodes":99,"node":9}'; do
	echo "$text" >record
	prints 1 "*record: not the records of one trial*" trial record
done
echo '{"format":' >record
prints 1 "*record:*" trial record
echo '{"format":"liquid-trial","version":2,"nodes":2,"node":1,
	"left_out":[{"why":"\u001b"}]}' >record
prints 0 "*left out: : node1: ?x1b*no record of node0*" trial record
prints 1 "*each once*" trial record record

# ---- two nodes ----

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
	cat >bin/ssh <<-LAUNCHER
		#!/bin/bash
		node=\${1#root@10.66.0.}
		shift
		exec ip netns exec trial\$node.$$ "\$@" --seconds 1 --wait 20s
	LAUNCHER
	cat >bin/srun <<-LAUNCHER
		#!/bin/bash
		while [ "\$1" != liquid-nl ]; do shift; done
		for node in 10.66.0.1 10.66.0.2; do
			ssh root@\$node "\$@" >trial.\$node & pids="\$pids \$!"
		done
		for pid in \$pids; do wait \$pid || code=\$?; done
		exit \${code:-0}
	LAUNCHER
	ln -s "$liquid_nl" bin/liquid-nl
	chmod +x bin/*
	PATH=$work/bin:$PATH
}

# commands PAGE WORD LIST: those of a page from the one that begins with WORD to the summary, with
# the nodes that there are
commands()
{
	sed -n "/^  $2 /,/^  liquid-nl/s/^  //p" "$docs/$1" |
		sed "s/'10\.1\.0\.\[1-4\]'/$3/; s/10\.1\.0\.{1..4}/10.66.0.{1..2}/"
}

# runs NAME COMMANDS: they print a summary of both measurements.
runs()
{
	rm -f trial.*
	commands "${@:2}" >commands
	[ "$(grep -c 'liquid-nl trial' commands)" -ge 2 ] && timeout 60 bash -e commands >text 2>&1
	ok "the commands of $1 run"
	grep -q '^udp without a gate  *[0-9.]*[1-9]' text &&
		grep -q '^tcp without a gate  *[0-9.]*[1-9]' text
	ok "and print a summary ($1)"
}

# begin NODE ARG...: in the background
begin()
{
	node=$1
	ip netns exec "trial$node.$$" liquid-nl trial --nodes 10.66.0.1,10.66.0.2 --seconds 1 \
		"${@:2}" >"record.$node" 2>"said.$node" &
}

# ended NODE CODE TEXT: the last one that was begun ends with that, having said so
ended()
{
	wait "$2"
	code=$?
	cat "said.$1" >text
	[ $code -eq "$3" ] && grep -qF -- "$4" text
	ok "$5"
}

measures()
{
	grep -q 'without a gate: 1 s' "said.1"
}

listens()
{
	ip netns exec "trial$1.$$" grep -q ':1BCD 00000000:0000 0A' /proc/net/tcp
}

worker_in()
{
	ip netns pids "trial$1.$$" | tail -n 1
}

no_process()
{
	[ -z "$(ip netns pids trial1.$$)$(ip netns pids trial2.$$)" ]
}

# A user can run the tool where it is for all to read.
bare=$(mktemp)
trap 'remove_nodes; rm -f "$bare"' EXIT
as_user()
{
	ip netns exec "trial$1.$$" setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$bare" trial --nodes '10.66.0.[1-2]' --seconds 1
}

if make_nodes 2>text; then
	make_launchers
	cp "$liquid_nl" "$bare"
	chmod 755 "$bare"
	runs "trial.rst, srun" trial.rst srun 'fd66::[1-2]'
	grep -q 'left out: with a gate: node[01]: ' text
	ok "why there is no gate on this kernel is said"
	! grep -raiE "plantdev|10\.66\.0|fd66|$(uname -n)|trial[12]\." trial.*
	ok "no name or address is in the records"
	head -c 300 trial.10.66.0.1 >cut
	prints 1 "*cut:*" trial cut
	runs "trial.rst, ssh" trial.rst for '10.66.0.[1-2]'
	commands trial.rst srun x >text
	commands operations.rst srun x | cmp - text >>text
	ok "operations.rst has the same commands"

	begin 1
	one=$!
	within 10 listens 1
	timeout 10 ip netns exec trial2.$$ bash -c \
		'exec 3<>/dev/tcp/10.66.0.1/7117; head -c 1 <&3' >text 2>stranger
	[ $? -ne 124 ] && [ ! -s text ]
	ok "a connection from a port that users have is closed"
	begin 2
	two=$!
	within 10 measures
	kill -KILL "$(worker_in 2)"
	ended 2 $two 5 "ended by signal 9" "a node whose worker is killed ends"
	ended 1 $one 5 "the trial ends" "and so does the other one"
	prints 0 "*not finished*no record of node1*" trial record.1

	begin 1 --wait 1s
	ended 1 $! 5 "node1, 10.66.0.2, has not come in time" "a node that is missing is named"

	# Node 1's words in place of a node's: of another step, and with a rate of 0
	# shellcheck disable=SC2016 # perl's
	wide=q9,0x6c697100000201,1,0,0,0,0,1500,1,0
	for words in 'x99|node1, 10.66.0.2, has another version' \
		"$wide|node1 has said figures that are out of range"; do
		begin 1
		one=$!
		within 10 listens 1
		ip netns exec trial2.$$ perl -MIO::Socket::INET -e 'my @word = split ",", shift;
			my $node = IO::Socket::INET->new(PeerAddr => "10.66.0.1", PeerPort => 7117,
				LocalAddr => "10.66.0.2", LocalPort => 700 + $$ % 300,
				ReuseAddr => 1) or die;
			$node->syswrite(pack(shift @word, map { oct || $_ } @word)); sleep 5' \
			"${words%|*}" 2>perl &
		code=$([[ $words = x* ]] && echo 5 || echo 1)
		ended 1 $one "$code" "${words#*|}" "a node whose words are wrong: ${words#*|}"
	done

	rm -f said.1
	begin 1
	one=$!
	ip netns exec trial2.$$ liquid-nl trial --nodes 10.66.0.1,10.66.0.2 --seconds 1 2>said.2 |
		within 10 measures
	ended 1 $one 5 "the trial ends" "a node whose output is not read any more"
	# A user gets what needs no gate. A record that cannot be written is an error of its node.
	as_user 1 >record.1 2>said.1 &
	one=$!
	as_user 2 2>text >/dev/full
	[ $? -eq 5 ] && grep -q "No space left" text
	ok "a record that cannot be written is an error"
	ended 1 $one 0 "" "of that node only"
	prints 0 "*tcp without a gate*udp without a gate*no record of node1*" trial record.1
	within 10 no_process
	ok "no process is left"
else
	skip "two nodes" "no network namespaces"
fi
finish
