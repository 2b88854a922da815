#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Traffics of ranks (solve --traffic mpi:alltoall, matrix:FILE), and liquid ranks.
#
# timeout: 60

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# same NAME: files want and text are equal
same()
{
	diff want text >differences
	status=$?
	cat differences >>text
	[ $status -eq 0 ]
	ok "$1"
}

# The traffic of a schedule, a line "src dst" for each transfer, sorted
transfers()
{
	grep -oE '\["[a-z0-9-]+","[a-z0-9-]+"\]' "$1" | tr -d '[]"' | tr , ' ' | sort
}

echo "TAP version 13"
prints 0 "" fabric make fat-tree k=4 -o tree
hosts=$("$liquid" ranks tree --format mpich)
one=${hosts%%,*}
two=${hosts#*,}
two=${two%%,*}
three=$(echo "$hosts" | cut -d, -f3)

# ---- all-to-all of ranks ----

prints 0 "*transfers *18*length *9*liquid*" solve tree --traffic mpi:alltoall --hosts "$one,$two" \
	--tasks-per-node 3 -o schedule
prints 0 "*valid: 18 transfers*" verify tree schedule --traffic mpi:alltoall --hosts "$one,$two" \
	--tasks-per-node 3
prints 1 "*is not valid*" verify tree schedule --traffic mpi:alltoall --hosts "$one,$two"
prints 0 "*transfers *2
*" solve tree --traffic mpi:alltoall --hosts "$one,$two"
prints 2 "*--tasks-per-node: expected a number, at least 1, got '0'*" solve tree \
	--traffic mpi:alltoall --tasks-per-node 0
prints 2 "*--tasks-per-node and --distribution go with*" solve tree --tasks-per-node 2
prints 2 "*--distribution: expected block or cyclic, got 'x'*" solve tree --traffic mpi:alltoall \
	--distribution x
prints 1 "*a host is listed twice*" solve tree --traffic mpi:alltoall --hosts "$one,$one"
prints 1 "*make more than * transfers*" solve tree --traffic mpi:alltoall --hosts "$one,$two" \
	--tasks-per-node 100000

# ---- matrices ----

printf '# two hosts\n0,2500\n1000 ; 7\n' >matrix
prints 0 "*transfers *4*" solve tree --traffic matrix:matrix --hosts "$one,$two" --unit-bytes 1000 \
	-o schedule
printf '%s\n' "$one $two" "$one $two" "$one $two" "$two $one" | sort >want
transfers schedule >text
same "2500 bytes are three units, 1000 are one, what stays in a host none"
prints 0 "*valid: 4 transfers*" verify tree schedule --traffic matrix:matrix --hosts "$one,$two"
# Four ranks: 0, 1 on the first host (block), or 0, 2 (cyclic)
printf '0,600,600,0\n0,0,0,600\n0,0,0,0\n0,0,0,0\n' >matrix
prints 0 "*transfers *2
*" solve tree --traffic matrix:matrix --hosts "$one,$two" --unit-bytes 1000 --tasks-per-node 2
prints 0 "*transfers *1
*" solve tree --traffic matrix:matrix --hosts "$one,$two" --unit-bytes 1000 --tasks-per-node 2 \
	--distribution cyclic -o schedule
echo "$one $two" >want
transfers schedule >text
same "by cyclic ranks, only rank 0 sends to another host"
prints 1 "*needs the size of a unit*" solve tree --traffic matrix:matrix --hosts "$one,$two" \
	--tasks-per-node 2
prints 1 "*matrix:1: 4 columns; there are 2 hosts and 2 ranks*" solve tree --traffic matrix:matrix \
	--hosts "$one,$two" --unit-bytes 1
printf '0,1\n1,0\n' >matrix
prints 1 "*matrix:1: 2 columns, without names; the fabric has * hosts: a matrix of others needs \
--hosts, or labels that name them*" solve tree --traffic matrix:matrix --unit-bytes 1

# As numpy and pandas write them
printf '%b' ',0,1\n0,0.0,2500.0\n1,1000.0,7.0\n' >pandas
printf '0.000000000000000000e+00,2.500000000000000000e+03\n1.0e+03,0.0\n' >numpy
"$liquid" fabric make leaf-spine leaves=1 hosts=2 spines=1 -o two
prints 0 "*
transfers    4*" solve two --traffic matrix:numpy --unit-bytes 1000
for kind in pandas numpy; do
	prints 0 "*transfers *4*" solve tree --traffic matrix:$kind --hosts "$one,$two" \
		--unit-bytes 1000 -o schedule
	printf '%s\n' "$one $two" "$one $two" "$one $two" "$two $one" | sort >want
	transfers schedule >text
	same "a matrix of $kind is read"
done
prints 0 "" plot --fabric tree --traffic matrix:numpy --hosts "$one,$two" --unit-bytes 1000 -o p.gp
prints 0 "*load*" route tree --traffic matrix:numpy --hosts "$one,$two" --unit-bytes 1000

# Names in the first row and column tell the order, which is that of --hosts, or not.
printf '%s\n' "$one $two" "$one $two" "$one $two" "$two $one" | sort >want
for text in ",$two,$one\n$one,2500,0\n$two,0,1000.0\n" \
		"bytes;$one;$two\n$two;1000;0\n$one;0;2500\n" \
		"\"\",\"$two\",\"$one\"\n\"$two\",7,1000\n\"$one\",2500,7\n" \
		"\t$two\t$one\n$one\t2500\t0\n$two\t0\t1000\n"; do
	printf '%b' "$text" >named
	for option in "" "--hosts $two,$one"; do
		# shellcheck disable=SC2086
		prints 0 "*transfers *4*" solve tree --traffic matrix:named $option \
			--unit-bytes 1000 -o schedule
		transfers schedule >text
		same "a matrix labelled by names: $text, ${option:-no --hosts}"
	done
	prints 0 "" plot --fabric tree --traffic matrix:named --unit-bytes 1000 -o p.gp
	prints 0 "*load*" route tree --traffic matrix:named --unit-bytes 1000
	prints 0 "*valid: 4 transfers*" verify tree schedule --traffic matrix:named
done
for command in "plot --fabric tree -o p.gp" "route tree"; do
	# shellcheck disable=SC2086
	prints 2 "*a matrix needs --unit-bytes*" $command --traffic matrix:numpy --hosts "$one,$two"
	# shellcheck disable=SC2086
	prints 2 "*--unit-bytes goes with --traffic matrix:FILE*" $command --unit-bytes 1000
done

# spoilt TEXT PATTERN: a matrix of two hosts is refused with file and line
spoilt()
{
	printf '%b' "$1" >bad
	prints 1 "$2" solve tree --traffic matrix:bad --hosts "$one,$two" --unit-bytes 1000
}
spoilt '0,1\n' "*bad:2: the file ends after 1 rows of 2*"
spoilt '0,1\n1\n' "*bad:2: 1 columns; the first row has 2*"
spoilt '0,1\n1,0\n1,0\n' "*bad:3: more rows than the 2 columns*"
spoilt '0,-1\n1,0\n' "*bad:1: column 2: '-1' is not a whole number*"
spoilt '0,1.5\n1,0\n' "*bad:1: column 2: '1.5' is not a whole number*"
spoilt '0,99999999999999999999\n1,0\n' "*bad:1: column 2: the number of bytes exceeds 64 bits*"
spoilt '0,1,,\n1,0\n' "*bad:1: *"
spoilt ',n1,n2\nn1,0,1\nn2,1,0\n' "*bad:1: the label 'n1' should be 0: *, or name hosts*"
spoilt ",$one,n2\n$one,0,1\nn2,1,0\n" "*bad:1: 'n2' is not a host of the fabric; near it: h*"
spoilt ",$one,$three\n$one,0,1\n" "*bad:1: '$three' is not among the hosts of --hosts*"
spoilt ",$one,$one\n$one,0,1\n" "*bad:1: '$one' labels two columns*"
spoilt ",$one,$two\n$one,0,1\n$one,1,0\n" "*bad:3: '$one' labels two rows*"
spoilt ",$one,$two\n$one,0,1\n0,1,0\n" "*bad:3: '0' is not a host of the fabric*"
spoilt ",$one\n$one,0\n" "*bad:1: 1 columns; there are 2 hosts and 2 ranks*"
spoilt ",$one,$two\n$one,0,1,5\n" "*bad:2: 3 columns; the first row has 2*"
spoilt ",$one,$two\n$one,0,1\n" "*the file ends after 1 rows of 2*"
spoilt ',0,1\n0,0,1\n2,1,0\n' "*bad:3: the label '2' should be 1: *"
spoilt '0,1e400\n1,0\n' "*bad:1: column 2: '1e400' is not a whole number*"
spoilt '0,1.000001e3,\n1,0\n' "*bad:1: column 2: '1.000001e3' is not a whole number*"
spoilt '0,nan\n1,0\n' "*bad:1: column 2: 'nan' is not a whole number*"
spoilt '0,18446744073709551615\n1,0\n' "*more than 268435456 transfers*"
spoilt '' "*the file ends after 0 rows*"
prints 5 "*nowhere*No such file*" solve tree --traffic matrix:nowhere --hosts "$one,$two" \
	--unit-bytes 1

# ---- orders ----

prints 0 "$one slots=2
$two slots=2
*" ranks tree --tasks-per-node 2
prints 0 "rank 0=$one slot=0
rank 1=$one slot=1
rank 2=$two slot=0
*" ranks tree --tasks-per-node 2 --format rankfile
prints 0 "$one
$one
$two
$two
*" ranks tree --tasks-per-node 2 --format slurm
# Listed in an order that spreads neighbours over the tree, they come back leaf by leaf.
mixed=$(echo "$hosts" | tr , '\n' | awk '{ h[NR] = $0 } END {
	for (i = 1; i <= 4; i++)
		for (j = i; j <= NR; j += 4)
			printf "%s%s", s++ ? "," : "", h[j]
}')
[ "$mixed" != "$hosts" ]
ok "hosts in another order"
echo "$hosts" >want
"$liquid" ranks tree --format mpich --hosts "$mixed" >text 2>&1
same "come back in that of the fabric"
prints 0 "h[[]1-16]" ranks tree --format hostlist
prints 0 '*"hosts": \['"*\"$one\"*\"$two\"*" ranks tree --json
# What it is good for, on a tree with one path for each destination (D-mod-K).
prints 0 "" fabric make leaf-spine leaves=4 hosts=4 spines=4 -o fat
listed=$("$liquid" ranks fat --format mpich | tr , '\n' |
	shuf --random-source=fat | paste -sd,)
prints 0 "shift of 16 hosts: * frames as listed, 15 in this order, \
15 at best" \
	ranks fat --check
prints 0 '*"frames_as_listed": *"frames": 15*' ranks fat --hosts "$listed" --check --json
as_listed=$(sed -n 's/.*"frames_as_listed": \([0-9]*\).*/\1/p' text)
[ "${as_listed:-0}" -gt 15 ]
ok "in another order the same exchange takes longer"
# On a torus the order of the file is better, and is kept.
prints 0 "" fabric make torus size=4x4 -o torus
seq -s, -f h%g 16 >want
"$liquid" ranks torus --format mpich >text 2>/dev/null
same "where the order as listed takes fewer frames, it is kept"
prints 0 "*note: the order as listed is kept: the first 15 steps of a shift exchange take 24 \
frames, and 27 in the order by switches*" ranks torus
prints 0 "*shift of 16 hosts: 24 frames as listed, 24 in this order, \
15 at best*" ranks torus --check

# ---- the order of OpenSM's ftree engine, in its own file's form ----

cat >topology.fabric <<-END
	liquid-fabric 1
	name ports
	hosts node1,node2/HCA-1/1,node2/HCA-1/2
	switches s
	link node1 s[1] 1
	link node2/HCA-1/1 s[2] 1
	link node2/HCA-1/2 s[3] 1
	link s[1] node1 1
	  to node1
	link s[2] node2/HCA-1/1 1
	  to node2/HCA-1/1
	link s[3] node2/HCA-1/2 1
	  to node2/HCA-1/2
	end
END
"$liquid" fabric show topology.fabric >text 2>&1
ok "a fabric of a node with two ports"
printf '0x0004\tnode2 HCA-1\n0xFFFF\tDUMMY\n0x0001\tnode1 HCA-1\n' >order
prints 0 "node2 slots=1
node1 slots=1" ranks topology.fabric --ca-order order
prints 0 "node1 slots=1
node2 slots=1" ranks topology.fabric
printf '0x0004\tnode2 HCA-1\n' >order
prints 1 "*order: has no 'node1'*" ranks topology.fabric --ca-order order
printf 'node2 HCA-1\n' >order
prints 1 "*order:1: expected a LID*" ranks topology.fabric --ca-order order
prints 2 "*--format: expected hostfile, rankfile, hostlist, slurm or mpich, got 'x'*" \
	ranks tree --format x
prints 2 "*missing FABRIC*" ranks
prints 1 "*has no host 'nobody'*" ranks tree --hosts nobody

echo "1..$count"
[ $failed -eq 0 ]
