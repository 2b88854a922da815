#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# MPI programs with liquid on this host, by messages of the MPI itself: right data in every case.
# builds: user mpi mpi-tests
# timeout: 900
#
# usage: selftests/host/library/mpi.sh [SEED [CALLS]]
#
# CALLS random calls (300) by tokens, drawn from SEED; without it the clock draws one. With CALLS,
# as in check-random, also what takes MPICH a minute of the processor.
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
liquid=${LIQUID:-$build/liquid}
seed=${1:-$(date +%s)}
calls=${2:-300}
component=$build/mca_coll_liquid.so
programs=$build/selftests/mpi/openmpi
. selftests/lib/tap.sh

command -v mpirun.openmpi >/dev/null || skip_all "no Open MPI"
[ -e "$component" ] || skip_all "no $component; \`make mpi\` builds it"
[ -x "$programs/mpi-random" ] || skip_all "no $programs/mpi-random; \`make mpi-tests\` builds it"
[ -x "$liquid" ] || skip_all "no $liquid; \`make user\` builds it"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log
for variable in ${!LIQUID_*}; do
	unset "$variable"
done
export LIQUID_CONF=/nonexistent
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 -o "$scratch/fabric" || exit 1
"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 --unit-rate 1G -o "$scratch/timed" ||
	exit 1
mkdir "$scratch/components"
cp "$component" "$scratch/components"
# where its own components are
paths=$(ompi_info --parsable --path pkglibdir 2>/dev/null | sed -n 's/^path:pkglibdir://p')

# Every rank is its own host, or shares one with RANKS_A_HOST - 1 others. ODD is evaluated by
# rank 1, BEFORE goes before the program on rank 0.
cat >"$scratch/rank" <<'END'
#!/bin/sh
rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
export LIQUID_MPI_HOST=h$((rank / ${RANKS_A_HOST:-1} + 1))
[ "$rank" != 1 ] || eval "${ODD:-}"
[ "$rank" = 0 ] || BEFORE=
exec $BEFORE "$@"
END
chmod +x "$scratch/rank"

# settings: what most runs have
settings()
{
	export LIQUID_FABRIC=$scratch/fabric LIQUID_MPI=tokens LIQUID_MPI_MIN=1000
	export LIQUID_MPI_VERBOSE=1 LIQUID_MPI_STATS=$scratch/stats
	unset LIQUID_MPI_TIMEOUT ODD BEFORE RANKS_A_HOST MONITORED
	limit=60
}

# run RANKS PROGRAM ARGUMENT...
run()
{
	ranks=$1
	shift
	rm -f "$scratch"/stats*
	timeout -k 5 "$limit" mpirun.openmpi --oversubscribe -n "$ranks" \
		--mca mpi_yield_when_idle 1 ${MONITORED:+--mca pml_monitoring_enable 1} \
		--mca mca_base_component_path "$paths:$scratch/components" \
		"$scratch/rank" "$programs/$1" "${@:2}" >"$scratch/log" 2>&1
}

# run_full RANKS PROGRAM ARGUMENT...: the memory that processes may share is for two hosts' ranks
run_full()
{
	ranks=$1
	shift
	rm -f "$scratch"/stats*
	timeout -k 5 "$limit" unshare -m sh -c \
		'mount -t tmpfs -o size=8k none /dev/shm && exec "$@"' sh \
		mpirun.openmpi --oversubscribe -n "$ranks" --mca btl self,tcp \
		--mca mpi_yield_when_idle 1 \
		--mca mca_base_component_path "$paths:$scratch/components" \
		"$scratch/rank" "$programs/$1" "${@:2}" >"$scratch/log" 2>&1
}

# went WAY: the number of calls in the statistics that went so
went()
{
	cat "$scratch"/stats* 2>/dev/null | grep -c "\"way\": \"$1\""
}

# right: the program has found nothing wrong, and said so
right()
{
	grep -q 'wrong=0$' "$scratch/log"
}

# ---- random calls ----

# random NAME RANKS CALLS LEAST [BYTES]: at least LEAST of the calls that rank 0 leads go liquid
random()
{
	name=$1 least=$4
	run "$2" mpi-random "$seed" "$3" "${@:5}" && right && [ "$(went "$way")" -ge "$least" ]
	ok "$name: all data is right, and calls go liquid"
	echo "# $(grep seed= "$scratch/log"), $(went "$way") by $way, $(went own) own"
}

random_calls()
{
	settings
	limit=$((60 + calls / 10))
	way=tokens
	random "random calls by tokens, 6 ranks" 6 "$calls" $((calls / 5))
	LIQUID_MPI=order way=order random "random calls in order alone, 5 ranks" 5 100 20
	LIQUID_FABRIC=$scratch/timed LIQUID_MPI=clock way=clock \
		random "random calls by the clock, 4 ranks" 4 100 20
	# How many go liquid is the way's to choose, and random.
	LIQUID_MPI=auto random "random calls, the way chosen, 8 ranks" 8 100 1
	RANKS_A_HOST=2
	export RANKS_A_HOST
	random "random calls, two ranks a host" 6 100 20
}

# ---- one rank differs ----

# The component of monitoring is before liquid's on each communicator.
monitored()
{
	settings
	MONITORED=1 odd "monitored, in place: the MPI's own way" own mpi-cases in-place 10 20000
	settings
	LIQUID_MPI=auto
	MONITORED=1 run 4 mpi-cases two 10 20000 && right && [ "$(went own)" -gt 0 ]
	ok "monitored, non-blocking calls of which some go the MPI's own way"
	LIQUID_MPI=off
	MONITORED=1 run 4 mpi-cases plain 10 20000 && right
	ok "monitored, without liquid"
}

# odd NAME WAY PROGRAM ARGUMENT...: the data is right, and all calls go WAY
odd()
{
	name=$1 way=$2
	shift 2
	run 6 "$@" && right && [ "$(went "$way")" -eq 10 ] &&
		[ "$(went "$way")" -eq "$(went "[a-z]*")" ]
	ok "$name"
	[ "$way" != own ] || grep -h '^liquid: ' "$scratch/log" | sed 's/^/# /'
}

# said TEXT: the last run's ranks have said so, once
said()
{
	[ "$(grep -c "$1" "$scratch/log")" -eq 1 ]
	ok "it is said once: $1"
}

odd_ranks()
{
	settings
	odd "equal calls go liquid" tokens mpi-cases plain 10 20000
	odd "a derived type on one rank" tokens mpi-cases type 10 20000
	odd "a rank that sends and gets nothing" tokens mpi-cases zero 10 20000
	odd "a rank that takes more than is sent to it: the MPI's own way" own \
		mpi-cases counts 10 20000
	said "a rank takes more or fewer bytes than another one sends to it"
	odd "in place: the MPI's own way" own mpi-cases in-place 10 20000
	said "a rank gives MPI_IN_PLACE"
	export ODD="export LIQUID_MPI_HOST=nowhere"
	odd "a rank on a host that the fabric does not have: the MPI's own way" own \
		mpi-cases plain 10 20000
	said "does not have the host nowhere"
	ODD="unset LIQUID_FABRIC; export LIQUID_MPI=off LIQUID_MPI_MIN=1Mi"
	odd "a rank with other settings: those of rank 0" tokens mpi-cases plain 10 20000
	# CUDA as it looks from outside, on a rank that has its buffers in a GPU
	echo "int cuPointerGetAttribute(unsigned int *type, int what, unsigned long at)
	{ *type = what == 2 && at ? 2 : 1; return 0; }" |
		${CC:-cc} -shared -fPIC -x c - -o "$scratch/cuda.so"
	ODD="export LD_PRELOAD=$scratch/cuda.so"
	odd "a rank with buffers in a GPU: the MPI's own way" own mpi-cases plain 10 20000
	said "a rank has a buffer in the memory of a GPU"
	settings
	odd "two communicators at once" tokens mpi-cases two 4 20000
	odd "a rank that is in MPI_Recv() during the exchange" tokens mpi-cases waits 9 20000
	odd "non-blocking calls before the first blocking one" tokens mpi-cases first 10 20000
	run 6 mpi-cases small 5 20000 && right && [ "$(went tokens)" -eq 6 ]
	ok "a small call that ends while another one is prepared"
	run 4 mpi-cases frees 5 20000 && right && [ "$(went tokens)" -ge 15 ]
	ok "an attribute of the program that frees a communicator"
	LIQUID_MPI_MIN=4
	run 4 mpi-cases attributes 5 20000 && right && [ "$(went tokens)" -eq 26 ]
	ok "a type whose attributes make their own calls"
	settings
	run 3 mpi-spawn && right && [ "$(went tokens)" -eq 0 ]
	ok "processes that the program starts, which have other settings: the MPI's own way"
	run 4 mpi-threads 8 10 20000 && right && [ "$(went tokens)" -eq 80 ]
	ok "8 threads at once, each on its own communicator"
	# A line is written in parts: this leaves time between them.
	echo '#include <stdarg.h>
	#include <stdio.h>
	#include <unistd.h>
	int fprintf(FILE *out, const char *format, ...)
	{
		va_list list;
		va_start(list, format);
		int bytes = vfprintf(out, format, list);
		va_end(list);
		usleep(200);
		return bytes;
	}' |
		${CC:-cc} -shared -fPIC -x c - -o "$scratch/slow.so"
	export ODD="export LIQUID_MPI_HOST=nowhere" BEFORE="env LD_PRELOAD=$scratch/slow.so"
	run 4 mpi-threads 8 30 2000 && right && [ "$(went own)" -eq 240 ] &&
		[ "$(grep -c '^{"call": "[A-Za-z]*", "ranks": 4, .*, "unsynchronised": 0}$' \
			"$scratch/stats")" -eq 240 ]
	ok "lines of statistics of 8 threads are whole"
	settings
	LIQUID_MPI=clock
	odd "by the clock, and the fabric has no rate: the MPI's own way" own \
		mpi-cases plain 10 20000
	said "which clock needs: $scratch/fabric: no unit_rate"
	LIQUID_FABRIC=$scratch/timed
	echo '#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>
	int clock_gettime(clockid_t clock, struct timespec *now)
	{
		long error = syscall(SYS_clock_gettime, clock, now);
		now->tv_sec += clock == CLOCK_TAI ? 37 : 0;
		return (int)error;
	}' |
		${CC:-cc} -shared -fPIC -x c - -o "$scratch/tai.so"
	export ODD="export LD_PRELOAD=$scratch/tai.so"
	limit=20
	odd "by the clock, with a rank whose clock is 37 s ahead" clock mpi-cases plain 10 20000
}

# ---- hosts of several rails ----

# A switch and three hosts of two endpoints each
rails_fabric()
{
	echo "liquid-fabric 1"
	echo "name rails"
	echo "hosts h1/a/1,h1/b/1,h2/a/1,h2/b/1,h3/a/1,h3/b/1"
	echo "switches s"
	port=1
	for name in h1/a/1 h1/b/1 h2/a/1 h2/b/1 h3/a/1 h3/b/1; do
		printf 'link %s[1] s[%s] 1\nlink s[%s] %s[1] 1\n  to %s\n' \
			$name $port $port $name $name
		port=$((port + 1))
	done
	echo end
}

rails()
{
	rails_fabric >"$scratch/rails"
	settings
	export LIQUID_FABRIC=$scratch/rails RANKS_A_HOST=2 LIQUID_MPI_WIRE=p2p
	export LIQUID_MPI_RAIL=all
	odd "two rails a host, a rank for each" tokens mpi-cases plain 10 20000
	unset LIQUID_MPI_RAIL
	odd "two rails a host, one of which both ranks share" tokens mpi-cases plain 10 20000
	LIQUID_MPI_RAIL=3 odd "a rail that no host has: the MPI's own way" own \
		mpi-cases plain 10 20000
	said "rails does not have rail 3 of the host h1$"
	way=tokens
	LIQUID_MPI_RAIL=all random "random calls, two rails a host" 6 60 10
	RANKS_A_HOST=6 LIQUID_MPI_RAIL=all odd "both rails of one host: the MPI's own way" own \
		mpi-cases plain 10 20000
	said "all ranks are on one node"
	unset LIQUID_MPI_RAIL LIQUID_MPI_WIRE
}

# ---- not installed everywhere ----

# lacks NAME RANK: 6 ranks, of which RANK does not have the component; no call goes liquid
lacks()
{
	limit=30
	run 6 mpi-cases plain 10 20000 && right && [ ! -e "$scratch/stats" ]
	ok "$1: the data is right, and no call goes liquid"
	grep -q "^liquid: rank $2 does not have this mca_coll_liquid.so" "$scratch/log"
	ok "and it is said"
}

# Nodes with a daemon and a server of PMIx each: rank 1 is not on that of rank 0.
two_nodes()
{
	cat >"$scratch/agent" <<-'END'
		#!/bin/sh
		host=$1
		shift
		exec unshare --uts sh -c "hostname $host; $*"
	END
	chmod +x "$scratch/agent"
	printf 'first slots=3\nsecond slots=3\n' >"$scratch/hosts"
	export OMPI_MCA_plm_rsh_agent=$scratch/agent OMPI_MCA_orte_default_hostfile=$scratch/hosts
	export OMPI_MCA_rmaps_base_mapping_policy=node
}

on_two_nodes()
{
	name="a rank on another node"
	if ! unshare --uts true 2>/dev/null; then
		skip "$name" "no names of hosts (not root)"
		return
	fi
	two_nodes
	settings
	export ODD='export OMPI_MCA_coll=^liquid'
	lacks "$name" 1
	settings
	run 6 mpi-cases plain 10 20000 && right && [ "$(went tokens)" -eq 10 ]
	ok "on two nodes that both have it all calls go liquid"
	unset OMPI_MCA_plm_rsh_agent OMPI_MCA_orte_default_hostfile
	unset OMPI_MCA_rmaps_base_mapping_policy
}

not_everywhere()
{
	settings
	export ODD='export OMPI_MCA_coll=^liquid'
	lacks "a rank without the component" 1
	settings
	export BEFORE="env OMPI_MCA_mca_base_component_path=$paths"
	lacks "the first rank, on whose node it is not installed" 0
	export ODD='export OMPI_MCA_coll=^liquid'
	lacks "the first two ranks" 0
	settings
	echo '#include <string.h>
	int PMPI_Get_library_version(char *text, int *length)
	{ strcpy(text, "Open MPI v9.9.9, package: none"); *length = 30; return 0; }' |
		${CC:-cc} -shared -fPIC -x c - -o "$scratch/series.so"
	export ODD="export LD_PRELOAD=$scratch/series.so"
	run 4 mpi-cases plain 10 20000 && right && [ ! -e "$scratch/stats" ]
	ok "a rank with another series of Open MPI: the program runs, without liquid"
	said "mca_coll_liquid.so was built for .* and does nothing in Open MPI v9.9.9"
	on_two_nodes
}

# ---- memory is short ----

full_memory()
{
	name="no memory that the ranks of a third host can share: the MPI's own way"
	can_mount "$name" || return
	settings
	export RANKS_A_HOST=2
	run_full 6 mpi-cases plain 10 20000 && right && [ "$(went own)" -eq 10 ]
	ok "$name"
	said "ranks of a node cannot share memory"
}

# ---- the fabric changes ----

# changes NAME OWN GENERATOR...: after 5 calls the fabric is another one; OWN calls go the own way
changes()
{
	name=$1 own=$2
	shift 2
	settings
	cp "$scratch/fabric" "$scratch/changing"
	LIQUID_FABRIC=$scratch/changing
	"$@" >"$scratch/log" 2>&1
	run 6 mpi-cases file 10 20000 "$scratch/changing" && right &&
		[ "$(went own)" -eq "$own" ] && [ "$(went tokens)" -eq $((10 - own)) ]
	ok "$name"
}

changing_fabric()
{
	next=$scratch/changing.next
	changes "a fabric that changes between calls" 0 \
		"$liquid" fabric make leaf-spine leaves=4 hosts=2 spines=2 -o "$next"
	changes "a fabric that loses hosts between calls" 5 \
		"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o "$next"
	changes "a fabric that becomes unreadable between calls" 5 \
		sh -c "echo nonsense >'$next'"
}

written_fabric()
{
	settings
	LIQUID_FABRIC=$scratch/changing
	cp "$scratch/fabric" "$scratch/changing"
	cp "$scratch/fabric" "$scratch/changing.next"
	odd "a fabric that is being written when it is read" tokens \
		mpi-cases written 10 20000 "$scratch/changing"
}

# By the clock the last of the frames, of 52.4 ms each, begins 7 frames after the first; by the old
# plan 4. So five calls take 35 frames or so, and by the old plan 20.
rewired_fabric()
{
	settings
	LIQUID_MPI=clock
	LIQUID_FABRIC=$scratch/changing
	for spines in 1 2; do
		"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=$spines \
			--unit-rate 3360000 -o "$scratch/changing"
		[ $spines = 2 ] || mv "$scratch/changing" "$scratch/changing.next"
	done
	run 6 mpi-cases file 10 20000 "$scratch/changing" && right && [ "$(went clock)" -eq 10 ] &&
		took=$(tail -n 5 "$scratch/stats" | sed 's/.*"ns": \([0-9]*\).*/\1/' |
			awk '{ all += $1 } END { print int(all / 1000000) }') &&
		[ "$took" -ge 1450 ]
	ok "a fabric that loses a spine between calls: all ranks have the longer plan"
	echo "# ${took:-?} ms"
}

# ---- a clock that is set ----

# The first rank's clock is set by 10 minutes every 100 ms, back and forth; an exchange of 8 frames
# of 52.4 ms has at least three steps.
lost_clock()
{
	echo '#include <sys/syscall.h>
	#include <time.h>
	#include <unistd.h>
	int clock_gettime(clockid_t clock, struct timespec *now)
	{
		struct timespec since;
		long error = syscall(SYS_clock_gettime, clock, now);
		syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &since);
		now->tv_sec -= clock == CLOCK_TAI && since.tv_nsec / 100000000 % 2 ? 600 : 0;
		return (int)error;
	}' |
		${CC:-cc} -shared -fPIC -x c - -o "$scratch/set.so"
	settings
	"$liquid" fabric make leaf-spine leaves=2 hosts=4 spines=2 --unit-rate 3360000 \
		-o "$scratch/timed"
	LIQUID_MPI=clock LIQUID_FABRIC=$scratch/timed limit=20
	export BEFORE="env LD_PRELOAD=$scratch/set.so"
	odd "by the clock, with a first rank whose clock is set during exchanges" clock \
		mpi-cases plain 10 20000
	[ "$(grep -c '"unsynchronised": [1-9]' "$scratch/stats")" -ge 5 ]
	ok "it has gone on in order, and says so"
	BEFORE=
	run 6 mpi-cases plain 5 20000 && right && [ "$(went clock)" -eq 5 ] &&
		! grep -q '"unsynchronised": [1-9]' "$scratch/stats"
	ok "by clocks that are not set all pieces go in their frames"
}

# ---- late and dead ranks ----

# fails NAME WAY: calls go WAY until MPI's function fails on one rank
fails()
{
	run 6 mpi-cases fails 10 200000 && right && [ "$(went "$2")" -ge 5 ] &&
		[ "$(grep -c "an exchange has failed" "$scratch/log")" -eq 6 ]
	ok "$1"
}

# dies NAME WAY: five calls go WAY, and a rank dies in the next
dies()
{
	begin=$SECONDS
	run 6 mpi-cases killed 10 20000
	status=$?
	[ $status -ne 0 ] && [ $status -ne 124 ] && [ $((SECONDS - begin)) -le 30 ] &&
		[ "$(went "$2")" -eq 5 ]
	ok "$1"
}

late_ranks()
{
	settings
	export LIQUID_MPI_TIMEOUT=20ms
	run 6 mpi-cases late 6 20000 600 && right && [ "$(went tokens)" -eq 6 ]
	ok "a rank that is late by 30 times the longest wait for tokens"
	run 6 mpi-cases stops 9 20000 30 && right && [ "$(went tokens)" -eq 10 ] &&
		[ "$(grep -c '"timeouts": [1-9]' "$scratch/stats")" -ge 4 ]
	ok "a rank that stops inside exchanges: others go on without its tokens"
	echo "# $(grep -c '"timeouts": [1-9]' "$scratch/stats") calls of 10"
	settings
	odd "ranks wait for one that ends MPI later, as it may need their acknowledgements" tokens \
		mpi-cases ends 10 20000 300
	odd "communicators that are freed after one call" tokens mpi-cases freed 10 20000
	# On the rank that has FAIL in its environment MPI's own function returns an error.
	echo '#include <stdlib.h>
	int MPI_Testsome(int, void *, int *, int *, void *);
	int PMPI_Testsome(int all, void *request, int *done, int *which, void *status)
	{
		*done = 0;
		return getenv("FAIL") ? 16 : MPI_Testsome(all, request, done, which, status);
	}' |
		${CC:-cc} -shared -fPIC -x c - -o "$scratch/fail.so"
	export ODD="export LD_PRELOAD=$scratch/fail.so"
	limit=30
	fails "an error of one rank is one of all ranks" tokens
	run 6 mpi-cases handles 1 200000 && right && [ "$(went tokens)" -ge 1 ] &&
		[ "$(grep -c "an exchange has failed" "$scratch/log")" -eq 6 ]
	ok "an error of a non-blocking call comes to an error handler"
	settings
	dies "a rank that dies during a call ends the job within 30 s" tokens
}

# ---- the window shuffle ----

# What the other ways are tested by, without the file of a fabric
shuffle_settings()
{
	settings
	unset LIQUID_FABRIC
	export LIQUID_MPI=shuffle LIQUID_MPI_PACKET=3000
	way=shuffle
}

shuffled_calls()
{
	shuffle_settings
	random "shuffle: random calls without a fabric, 6 ranks" 6 150 30
	export LIQUID_FABRIC=$scratch/fabric RANKS_A_HOST=2 LIQUID_MPI_WINDOW=1
	random "shuffle: random calls, a window of one packet, two ranks a host" 6 60 5
	unset LIQUID_MPI_WINDOW
}

shuffled_odd_ranks()
{
	shuffle_settings
	odd "shuffle: equal calls" shuffle mpi-cases plain 10 20000
	# what one host's link gets in a step is one packet
	said "6 ranks: window shuffle, 349 packets of 3000 bytes, ids by hosts$"
	LIQUID_FABRIC=$scratch/fabric odd "shuffle: with a fabric" shuffle mpi-cases plain 10 20000
	said "window shuffle, [0-9]* packets of 3000 bytes, ids by the fabric$"
	LIQUID_FABRIC=/nonexistent odd "shuffle: a fabric that is not there" shuffle \
		mpi-cases plain 10 20000
	RANKS_A_HOST=6 odd "shuffle: one host: the MPI's own way" own mpi-cases plain 10 20000
	export ODD="export LIQUID_MPI=off LIQUID_MPI_PACKET=7"
	odd "shuffle: a rank with other settings: those of rank 0" shuffle mpi-cases plain 10 20000
}

shuffled_late_ranks()
{
	shuffle_settings
	run 6 mpi-cases late 6 20000 600 && right && [ "$(went shuffle)" -eq 6 ]
	ok "shuffle: a rank that is late"
	shuffle_settings
	dies "shuffle: a rank that dies during a call ends the job within 30 s" shuffle
}

shuffles()
{
	shuffled_calls
	shuffled_odd_ranks
	shuffled_late_ranks
	unset LIQUID_MPI_PACKET
}

# fortran NAME CALLS RUN PROGRAMS
fortran()
{
	if [ ! -x "$4/mpi-fortran" ]; then
		skip "$1" "no Fortran compiler for it"
		return
	fi
	"$3" 4 mpi-fortran && right && [ "$(went tokens)" -eq "$2" ]
	ok "$1"
}

# ---- settings ----

user_settings()
{
	settings
	LIQUID_MPI=auto
	run 4 mpi-cases plain 400 100000 && right && [ "$(went tokens)" -ge 3 ] &&
		[ "$(went own)" -ge 350 ]
	ok "auto: in shared memory the MPI's own way is faster, and is kept"
	echo "# $(went tokens) calls of 400 by tokens"
	settings
	LIQUID_MPI_MIN=0
	odd "without a least size, also after a first call of no bytes" tokens \
		mpi-cases empty 9 20000
	settings
	LIQUID_MPI=off
	run 4 mpi-cases plain 10 20000 && right && [ "$(went "[a-z]*")" -eq 0 ]
	ok "off: nothing goes liquid, and nothing is counted"
	settings
	LIQUID_MPI=sometimes
	run 4 mpi-cases plain 10 20000 && right && [ "$(went tokens)" -eq 0 ]
	ok "a setting that is wrong: the program runs without liquid"
	said "LIQUID_MPI: expected auto, off, tokens, clock, order or shuffle, got 'sometimes'"
	settings
	export ODD="export LIQUID_MPI_SL=16"
	run 4 mpi-cases plain 10 20000 && right && [ "$(went tokens)" -eq 0 ]
	ok "a setting that is wrong on another rank than the first: the same"
	said "LIQUID_MPI_SL: expected a service level, 0 to 15, got '16'"
	settings
	fortran "Fortran's MPI_ALLTOALL and MPI_IALLTOALL go liquid" 6 run "$programs"
}

# ---- MPICH ----

# run_mpich RANKS PROGRAM ARGUMENT...: over shared memory
run_mpich()
{
	ranks=$1
	shift
	rm -f "$scratch"/stats*
	UCX_TLS=sysv,self timeout -k 5 "$limit" mpirun.mpich -n "$ranks" \
		-genv LD_PRELOAD "$preload" "$scratch/rank" "$build/selftests/mpi/mpich/$1" \
		"${@:2}" >"$scratch/log" 2>&1
}

# See selftests/mpi/faults/short.c. A token for which there is no memory is not missed.
mpich_short_of_memory()
{
	local alone="$build/selftests/mpi/short.so:$preload"

	settings
	ODD="export LD_PRELOAD=$alone"
	export ODD
	run_mpich 3 mpi-cases freed 60 20000 && right && [ "$(went own)" -ge 50 ]
	ok "MPICH: a rank short of memory in set-up, plan, wire, exchange: the MPI's own way"
	unset ODD
	BEFORE="env LD_PRELOAD=$alone"
	export BEFORE
	run_mpich 3 mpi-cases freed 80 20000 && right && [ "$(went own)" -gt 30 ]
	ok "MPICH: rank 0 short of memory in any of them: all data is right"
	settings
}

many_communicators()
{
	run_mpich 2 mpi-cases alive 300 2000 && right && [ "$(went tokens)" -eq 256 ] &&
		[ "$(went own)" -eq 44 ]
	ok "MPICH: of 300 communicators at once 256 have a duplicate, others go the MPI's own way"
	said "a rank has plans for 256 communicators, the most at once: free the ones"
	RANKS_A_HOST=2
	export RANKS_A_HOST
	run_mpich 2 mpi-cases alive 300 2000 && right && [ "$(went own)" -eq 300 ] &&
		! grep -q "256 communicators" "$scratch/log"
	ok "MPICH: 300 communicators at once of one node keep no duplicates"
	unset RANKS_A_HOST
	run_mpich 2 mpi-cases crowded 10 2000 && right && [ "$(went tokens)" -eq 1 ] &&
		[ "$(went own)" -eq 9 ]
	ok "MPICH: where it has one communicator left, the program goes on, the MPI's own way"
	said "the MPI cannot make another communicator; MPICH has 2,048 at once"
}

mpich()
{
	preload=$build/libliquid-mpich.so
	if ! command -v mpirun.mpich >/dev/null || [ ! -e "$preload" ]; then
		skip "MPICH" "no MPICH, or no $preload"
		return
	fi
	settings
	run_mpich 4 mpi-random "$seed" 100 && right && [ "$(went tokens)" -ge 5 ]
	ok "MPICH: random calls: all data is right, and blocking calls go liquid"
	echo "# $(grep seed= "$scratch/log"), $(went tokens) by tokens, $(went own) own"
	run_mpich 4 mpi-cases large 5 20000 && right && [ "$(went tokens)" -eq 10 ]
	ok "MPICH: the forms for large counts go liquid"
	shuffle_settings
	run_mpich 4 mpi-random "$seed" 60 && right && [ "$(went shuffle)" -ge 5 ]
	ok "MPICH: random calls by the window shuffle"
	unset LIQUID_MPI_PACKET
	settings
	fortran "MPICH: Fortran's MPI_ALLTOALL goes liquid" 3 run_mpich \
		"$build/selftests/mpi/mpich"
	run_mpich 3 mpi-threads 6 10 20000 && right && [ "$(went tokens)" -eq 33 ]
	ok "MPICH: 6 threads at once, of which 3 make blocking calls"
	if [ $# != 0 ]; then
		many_communicators
		mpich_short_of_memory
	fi
	rm -f "$scratch"/stats*
	timeout -k 5 $limit mpirun.openmpi --oversubscribe -n 4 --mca mpi_yield_when_idle 1 \
		-x LD_PRELOAD="$preload" "$scratch/rank" "$programs/mpi-random" "$seed" 100 \
		>"$scratch/log" 2>&1 && right && [ ! -e "$scratch/stats" ]
	ok "MPICH's object in Open MPI: the program runs without liquid"
	said "libliquid-mpich.so was built for MPICH .* and does nothing in Open MPI"
}

# ---- memory ----

# clean NAME PROGRAM ARGUMENT...: rank 0 touches no memory that it has freed
clean()
{
	name=$1
	shift
	run 2 "$@" && right && ! grep -q 'mca_coll_liquid\|user/mpi/' "$scratch/log"
	ok "$name"
}

freed_memory()
{
	if ! command -v valgrind >/dev/null; then
		skip "calls after the end of liquid" "no valgrind"
		skip "communicators that are freed touch no freed memory" "no valgrind"
		return
	fi
	settings
	export BEFORE="valgrind -q --undef-value-errors=no"
	clean "calls after the end of liquid" mpi-cases ends 3 20000 100
	clean "communicators that are freed touch no freed memory" mpi-cases freed 5 20000
}

# ---- cost ----

# Instructions mean the time: some 1,000 are 0.3 us. Those of the MPI's own function are not
# counted, and the set-up is shared by 3,000 calls.
cost()
{
	most=250
	name="a call that passes through costs at most $most instructions"
	if ! command -v valgrind >/dev/null; then
		skip "$name" "no valgrind"
		return
	fi
	settings
	unset LIQUID_MPI_STATS
	export LIQUID_MPI=auto LIQUID_MPI_MIN=64Ki
	export BEFORE="valgrind -q --tool=callgrind --callgrind-out-file=$scratch/out"
	run 2 mpi-cases plain 3000 64 && right &&
		callgrind_annotate --inclusive=yes --tree=calling --threshold=100 "$scratch/out" \
			>"$scratch/log" 2>&1 &&
		tr -d , <"$scratch/log" | awk -v most=$most '
			/> .*:liquid_alltoall \(3000x\)/ { all = $1 }
			/> .*:ompi_coll_tuned_alltoall_intra_dec_fixed \(3000x\)/ { own = $1 }
			END {
				printf "# %d\n", (all - own) / 3000
				exit !(all && own && all - own <= 3000 * most)
			}'
	ok "$name"
}

echo "TAP version 13"
echo "# seed $seed"
random_calls
odd_ranks
monitored
not_everywhere
rails
full_memory
changing_fabric
written_fabric
rewired_fabric
lost_clock
late_ranks
shuffles
user_settings
mpich "${@:2}"
freed_memory
cost
finish
