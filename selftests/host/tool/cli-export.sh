#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid solve --export-...: CBC, GLPK, picosat and CaDiCaL read what is written and agree with
# us.
#
# timeout: 240

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

skip()
{
	count=$((count + 1))
	echo "ok $count # SKIP no $1"
}

# The fewest frames by solver $1 of model.lp, or "infeasible"
milp_by()
{
	case $1 in
	cbc)
		timeout 60 cbc model.lp solve >text 2>&1
		if grep -qi 'infeasible' text; then
			echo infeasible
		else
			value='^(Objective value:|Optimal objective) *([0-9]+)(\.0*$| - .*)'
			sed -En "s/$value/\2/p" text
		fi
		;;
	glpsol)
		timeout 60 glpsol --lp model.lp -o solution >text 2>&1
		if grep -Eq 'NO PRIMAL FEASIBLE|NO INTEGER FEASIBLE|NO FEASIBLE' text; then
			echo infeasible
		else
			sed -n 's/^Objective: *obj = \([0-9]*\) .*/\1/p' solution
		fi
		;;
	esac
}

# The model of fabric $1 with the options "${@:3}" must have the optimum $2.
milp()
{
	name=$1
	optimum=$2
	shift 2
	"$liquid" solve "$name" "$@" --export-milp model.lp >text 2>&1
	ok "solve $name $* --export-milp"
	for solver in cbc glpsol; do
		if ! command -v $solver >/dev/null; then
			skip $solver
			continue
		fi
		[ "$(milp_by $solver)" = "$optimum" ]
		ok "$solver: $name $*: $optimum"
	done
}

# picosat and CaDiCaL say of fabric $1 in $2 frames: $3
cnf()
{
	name=$1
	frames=$2
	answer=$3
	shift 3
	"$liquid" solve "$name" "$@" --frames "$frames" --export-cnf model.cnf >text 2>&1
	ok "solve $name $* --frames $frames --export-cnf"
	for solver in picosat cadical; do
		if ! command -v $solver >/dev/null; then
			skip $solver
			continue
		fi
		timeout 60 $solver model.cnf >text 2>&1
		grep -qx "s $answer" text
		ok "$solver: $name $* in $frames frames: $answer"
	done
}

# The schedule that we find has the length $2.
length()
{
	"$liquid" solve "$1" "${@:3}" >text 2>&1 && grep -qx "length *$2" text &&
		grep -Eqx 'certificate *(liquid|optimal)' text
	ok "solve $*: proven"
}

echo "TAP version 13"
"$liquid" fabric make papers-5x5 -o papers >text 2>&1 || ok "fabric make papers-5x5"
"$liquid" fabric make swiss-t1 -o swiss >text 2>&1 || ok "fabric make swiss-t1"
ring 1 >triangle
ring 3 >triangle3
printf 't1 r1\nt2 r2\nt3 r3\n' >three
printf 't1 r1 4\nt2 r2 4\nt3 r3 4\n' >twelve

# ---- mixed integer programs ----
milp papers 6
length papers 6
milp papers infeasible --frames 5
milp papers 0 --frames 6
milp triangle 3 --traffic three
length triangle 3 --traffic three
: >nothing
milp papers 0 --traffic nothing
grep -q 'y_f = 1 where frame f is in use' model.lp
ok "the head of the file says which model it is"

# ---- CNF ----
cnf papers 5 UNSATISFIABLE
cnf papers 6 SATISFIABLE
cnf swiss 15 UNSATISFIABLE --senders 't[1-4,9-12]' --receivers 'r[1-4,9-12]'
cnf swiss 16 SATISFIABLE --senders 't[1-4,9-12]' --receivers 'r[1-4,9-12]'

# ---- nodes with several endpoints, links of capacity 2 and more between switches, as imported ----
"$liquid" fabric import --topo "$data/ports.topo" --lft "$data/ports.fts" --unit-rate 2G \
	-o imported \
	>text 2>&1 && sed '/^link/{/leaf.* .*leaf/!s/ [0-9]*$/ 1/}' imported >ports
ok "import ports"
length ports 6
cnf ports 5 UNSATISFIABLE
cnf ports 6 SATISFIABLE
milp ports infeasible --frames 5

# ---- graph ----
"$liquid" solve swiss --export-dimacs graph >text 2>&1 && grep -qx 'p edge 1024 48704' graph &&
	grep -qx 'c vertex 1 t1>r1' graph && [ "$(grep -c '^e ' graph)" = 48704 ]
ok "solve swiss --export-dimacs: 48704 edges"
prints 0 "*p edge 12 18*" solve triangle3 --traffic twelve --export-dimacs -
printf 't1 r1\nt3 r3\nt2 r1\nt1 r3\n' >cross
prints 0 "*p edge 4 *" solve triangle3 --traffic cross --export-dimacs -
"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=1 capacity=2 -o fast >text 2>&1
prints 1 "*: no congestion graph: link * has capacity 2 and load 16, *" solve fast \
	--export-dimacs graph
prints 1 "*: no congestion graph: link *" solve fast --export-dimacs graph2
[ ! -e graph2 ]
ok "no file is left where there is no graph"
prints 1 "*dsatur: a link has capacity 2 and load 16*" solve fast --method dsatur

# ---- wrong use ----
prints 2 "*--export-cnf needs --frames*" solve papers --export-cnf x
prints 2 "*--frames goes with*" solve papers --frames 6
prints 2 "*--frames: expected a number from 1 to *, got '0'*" solve papers --frames 0 --export-cnf x
prints 2 "*makes no schedule*" solve papers --export-milp x --json
prints 1 "*variables; at most*" solve swiss --frames 100000000 --export-cnf x
[ ! -e x ]
ok "no file is left of an export that fails"

echo "1..$count"
[ $failed -eq 0 ]
