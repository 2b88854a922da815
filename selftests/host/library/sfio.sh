#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Striped files on this host, by real MPIs over shared memory: right data, errors in bounded time.
# builds: user sfio sfio-tests
# timeout: 300
#
# usage: selftests/host/library/sfio.sh [SEED [ROUNDS]]
#
# ROUNDS: random requests of each kind while a sanitizer looks on, as in check-random; without it no
# sanitizer does, as a start of MPI takes half a minute then.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
liquid=${LIQUID:-$build/liquid}
seed=${1:-$(date +%s)}
rounds=${2:-}
programs=$build/selftests/sfio
. selftests/lib/tap.sh

command -v mpirun.openmpi >/dev/null || skip_all "no Open MPI"
[ -x "$programs/openmpi/sfio-cases" ] ||
	skip_all "no $programs/openmpi/sfio-cases; \`make sfio-tests\` builds it"
[ -x "$liquid" ] || skip_all "no $liquid; \`make user\` builds it"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
for variable in ${!LIQUID_*}; do
	unset "$variable"
done
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
dir=$scratch/disks
mkdir "$dir"

# Compute ranks are on hosts c1, c2, ..., listeners on p1, p2, ...; with FIRST=N all are on h1,
# h2, ..., the listeners from hN on. A rank leaves the number of its process in its host's file.
cat >"$scratch/rank" <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
listener=$((rank - COMPUTE))
if [ $listener -ge 0 ]; then
	host=p$((listener + 1))
	[ -z "${FIRST:-}" ] || host=h$((listener + FIRST))
else
	host=c$((rank + 1))
	[ -z "${FIRST:-}" ] || host=h$((rank + 1))
fi
export LIQUID_SFIO_HOST=$host
echo $$ >"$SCRATCH/pid-$rank"
exec "$@"
END
chmod +x "$scratch/rank"
export SCRATCH=$scratch

settings()
{
	for variable in ${!LIQUID_SFIO_*} FIRST RECOVER; do
		unset "$variable"
	done
	limit=60
}

# run COMPUTE LISTENERS PROGRAM ARGUMENT...: by Open MPI
run()
{
	export COMPUTE=$1 LIQUID_SFIO_LISTENERS=$2
	timeout -k 5 "$limit" mpirun.openmpi --oversubscribe -n $(($1 + $2)) \
		${RECOVER:+--enable-recovery} --mca mpi_yield_when_idle 1 \
		--mca btl self,vader "$scratch/rank" "$programs/${kind:-openmpi}/$3" "${@:4}" \
		>"$scratch/log" 2>&1
}

# run_mpich COMPUTE LISTENERS PROGRAM ARGUMENT...
run_mpich()
{
	export COMPUTE=$1 LIQUID_SFIO_LISTENERS=$2
	UCX_TLS=sysv,self timeout -k 5 "$limit" mpirun.mpich -n $(($1 + $2)) "$scratch/rank" \
		"$programs/mpich/$3" "${@:4}" >"$scratch/log" 2>&1
}

right()
{
	grep -q '^wrong=0$' "$scratch/log"
}

# has FILE TEXT: FILE has these bytes and no others
has()
{
	[ "$(cat "$dir/$1"; echo .)" = "$2." ]
}

# ---- the thesis ----

# thesis RUN NAME
thesis()
{
	settings
	rm -f "$dir"/*
	"$1" 1 2 sfio-thesis hello "$dir" && has a1.dat Hellod && has a2.dat ' Worl'
	ok "$2: \"Hello World\" in two subfiles is that of the thesis"
	"$1" 3 2 sfio-thesis three "$dir" && has a.dat 'Good*ng!Bo!Buontina!' &&
		has b.dat 'morninjoura*mat'
	ok "$2: three ranks write the text of the thesis, byte for byte"
}

# ---- random calls ----

# random RUN NAME COMPUTE LISTENERS SUBFILES UNIT CALLS
random()
{
	"$1" "$3" "$4" sfio-cases random "$dir" "$5" "$4" "$6" "$seed" "$7" && right
	ok "$2: $3 ranks, $4 listeners, $5 subfiles, units of $6: as a flat file"
}

random_calls()
{
	settings
	random run "Open MPI" 3 2 1 1 100
	random run "Open MPI" 3 2 7 75 120
	random run "Open MPI" 2 3 5 4096 100
	random run "Open MPI" 2 2 3 1000000 40
	export LIQUID_SFIO_BUFFER=256
	random run "Open MPI, requests of 256 bytes" 3 2 4 200 40
}

# ---- counts, sizes, errors ----

cases()
{
	settings
	run 2 2 sfio-cases counts "$dir" && right
	ok "a message for each I/O node, an access for each merged run"
	run 2 2 sfio-cases errors "$dir" && right && grep -q '^write: 0 failed$' "$scratch/log"
	ok "sizes, refusals, counted errors"
	LIQUID_SFIO_ORDER=sometimes run 1 1 sfio-cases errors "$dir"
	[ $? -ne 0 ] && grep -q "LIQUID_SFIO_ORDER: expected none, order, tokens or round-robin," \
		"$scratch/log"
	ok "a setting that is wrong"
}

full_disk()
{
	name="a full disk: an error of the call, counted"
	can_mount "$name" || return
	settings
	export -f run
	export scratch programs limit
	unshare -m bash -c "mount -t tmpfs -o size=256k none '$dir' &&
		run 2 2 sfio-cases full '$dir'" && right
	ok "$name"
}

# ---- the order of a schedule ----

# ordered ORDER NAME
ordered()
{
	export LIQUID_SFIO_FABRIC=$scratch/fabric LIQUID_SFIO_ORDER=$1
	run 4 4 sfio-cases random "$dir" 7 4 75 "$seed" 50 && right &&
		grep -q '^epochs=[1-9].* read_epochs=[1-9]' "$scratch/log" &&
		! grep -q liquid-sfio: "$scratch/log"
	ok "$2: the data is right, writes and reads by epochs of the schedule"
	echo "# $(grep epochs= "$scratch/log")"
}

orders()
{
	"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o "$scratch/fabric" || exit 1
	settings
	export FIRST=5
	ordered order "in order, listeners on their own hosts"
	ordered round-robin "in round-robin order, listeners on their own hosts"
	ordered tokens "by tokens, listeners on their own hosts"
	grep -q '^epochs=.* unsynchronised=0 .* read_unsynchronised=0$' "$scratch/log"
	ok "no piece goes without its tokens, written or read"
	FIRST=1
	ordered tokens "by tokens, each host computes and listens"
	LIQUID_SFIO_FABRIC=$scratch/nothing
	run 2 2 sfio-cases random "$dir" 2 2 75 "$seed" 20 && right &&
		grep -q "^liquid-sfio: .*/nothing: No such file" "$scratch/log" &&
		grep -q '^epochs=0 .* read_epochs=0 ' "$scratch/log"
	ok "a fabric that cannot be read: said, and the program runs in no order"
}

# ---- ranks that die ----

# dies SIGNAL RANK CASE [VICTIM]: while it writes; RANK gets the signal, or VICTIM kills itself
dies()
{
	rm -f "$scratch/log"
	export LIQUID_SFIO_TIMEOUT=2
	limit=40
	run 3 2 sfio-cases "$3" "$dir" "${@:4}" &
	job=$!
	for ((i = 0; i < 100; i++)); do
		grep -qs ready "$scratch/log" && break
		sleep 0.1
	done
	sleep 0.3
	[ -n "${4:-}" ] || kill -"$1" "$(cat "$scratch/pid-$2")"
	begin=$SECONDS
	if [ "$1" = STOP ]; then
		# Open MPI may wait for a rank that has stopped, when all others have ended. The
		# first that ends may abort the others, so not all come to their end.
		for ((i = 0; i < 200; i++)); do
			[ "$(grep -c 'error 110' "$scratch/log")" -ge 3 ] && break
			sleep 0.1
		done
		kill -KILL "$(cat "$scratch/pid-$2")" 2>/dev/null
	fi
	wait $job
	status=$?
	[ $status -ne 124 ] && [ $((SECONDS - begin)) -le 20 ]
}

# heard COUNT: this many ranks had the call return with the error, in time
heard()
{
	[ "$(grep -c 'error 110 (Connection timed out) after [0-9] s' "$scratch/log")" -eq "$1" ]
}

deaths()
{
	settings
	dies KILL 4 until-error && grep -q "signal 9" "$scratch/log"
	ok "a listener is killed: the program ends"
	RECOVER=1 dies KILL 4 until-error && heard 3
	ok "a listener is killed, and the MPI goes on: each rank's call returns an error in time"
	dies STOP 4 until-error-all && heard 3
	ok "a listener stops: each rank's collective call returns an error in time"
	RECOVER=1 dies KILL 1 until-error-all 1 && heard 2
	ok "a compute rank dies, and the MPI goes on: the others' collective calls return an error"
	export FIRST=4 LIQUID_SFIO_FABRIC=$scratch/fabric LIQUID_SFIO_ORDER=order
	RECOVER=1 dies KILL 1 until-dead 1 &&
		[ "$(grep -c 'read on, error 0, longest [01]' "$scratch/log")" -eq 2 ]
	ok "a compute rank dies while it reads in order: the others read on"
	grep longest "$scratch/log" | sed 's/^/# /'
	settings
	export LIQUID_SFIO_TIMEOUT=2
	run 3 2 sfio-cases missing "$dir" && right
	ok "a rank that comes too late to a collective call: all have an error, the next call works"
}

# ---- with sanitizers ----

# Also leaks, which the programs look for before MPI ends; libpmix has some of its own.
sanitized()
{
	if [ ! -x "$programs/asan/sfio-cases" ]; then
		skip "ASan" "no $programs/asan/sfio-cases"
		return
	fi
	settings
	kind=asan
	echo leak:libpmix >"$scratch/leaks"
	export LSAN_OPTIONS=suppressions=$scratch/leaks:print_suppressions=0
	run 2 2 sfio-cases errors "$dir" && right
	ok "ASan: refusals"
	random run "ASan" 2 2 3 75 "$rounds"
	run 2 2 sfio-cases counts "$dir" && right
	ok "ASan: counts and sizes"
	export LIQUID_SFIO_BUFFER=256
	random run "ASan, requests of 256 bytes" 2 2 2 200 "$rounds"
	settings
	export FIRST=3 LIQUID_SFIO_FABRIC=$scratch/fabric
	random run "ASan, by tokens" 2 2 3 75 "$rounds"
	grep -q '^epochs=[1-9].* read_epochs=[1-9]' "$scratch/log"
	ok "ASan: they were in the order of a schedule"
	unset kind LSAN_OPTIONS
}

mpich()
{
	if ! command -v mpirun.mpich >/dev/null || [ ! -x "$programs/mpich/sfio-cases" ]; then
		skip "MPICH" "no MPICH, or no $programs/mpich/sfio-cases"
		return
	fi
	thesis run_mpich MPICH
	random run_mpich MPICH 3 2 5 75 50
	run_mpich 2 2 sfio-cases counts "$dir" && right
	ok "MPICH: a message for each I/O node, an access for each merged run"
}

# ---- the page ----

# block AFTER: the indented lines of sfio.rst after the line AFTER
block()
{
	awk -v after="$1" '
		/^[^ ]/ && seen { exit }
		seen { sub(/^    /, ""); print }
		index($0, after) == 1 { seen = 1 }' Documentation/sfio.rst | sed '/./,$!d'
}

# The library is found where it was built.
page()
{
	settings
	mkdir "$scratch/page"
	block '.. code-block:: c' >"$scratch/page/program.c"
	block 'It is compiled, and run' >"$scratch/commands"
	block 'and prints::' | sed '/^$/d' >"$scratch/wanted"
	export C_INCLUDE_PATH=$PWD/user/sfio/api LIBRARY_PATH=$build LD_LIBRARY_PATH=$build
	(cd "$scratch/page" && timeout 60 bash -e ../commands) >"$scratch/printed" 2>"$scratch/log"
	unset C_INCLUDE_PATH LIBRARY_PATH LD_LIBRARY_PATH
	[ "$(wc -l <"$scratch/wanted")" -eq 5 ] &&
		diff "$scratch/wanted" "$scratch/printed" >>"$scratch/log" 2>&1
	ok "the commands of sfio.rst print what it says"
}

echo "TAP version 13"
echo "# seed $seed"
thesis run "Open MPI"
random_calls
cases
full_disk
orders
deaths
[ -z "$rounds" ] || sanitized
mpich
page
finish
