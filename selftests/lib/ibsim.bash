# SPDX-License-Identifier: GPL-2.0-only
# A simulated InfiniBand fabric (ibsim) with the real opensm, for the tests that import its dumps.
# shellcheck shell=bash

umad=$(find /usr/lib /usr/lib64 -name libumad2sim.so 2>/dev/null | head -n 1)
ibsim_pid=

# needs_ibsim [PROGRAM...]: skip the test where it, or one of these, is not there.
needs_ibsim()
{
	for tool in opensm ibsim ibnetdiscover dump_fts "$@"; do
		command -v "$tool" >/dev/null || skip_all "no $tool; \`make deps\` installs it"
	done
	[ -n "$umad" ] || skip_all "no libumad2sim.so"
}

# Start ibsim on network file $1; fd 7 is its console.
start_ibsim()
{
	export IBSIM_SOCKNAME=liquid.$$
	rm -f console
	mkfifo console
	ibsim -s "$1" <console >ibsim.log 2>&1 &
	ibsim_pid=$!
	exec 7>console
	for _ in $(seq 100); do
		grep -q "@$IBSIM_SOCKNAME:ctl" /proc/net/unix && return 0
		sleep .05
	done
	echo "# ibsim did not start"
	return 1
}

stop_ibsim()
{
	[ -n "$ibsim_pid" ] || return 0
	exec 7>&-
	kill "$ibsim_pid" 2>/dev/null
	wait "$ibsim_pid" 2>/dev/null
	ibsim_pid=
}

# ibsim_begin [PROGRAM...]: what a test of $liquid needs, and a directory $work, which goes at the
# end, as ibsim and the opensm of $opensm_pid do
ibsim_begin()
{
	needs_ibsim "$@"
	liquid=$(readlink -f "${LIQUID:-${B:-$here/../build}/liquid}")
	[ -x "$liquid" ] || skip_all "no $liquid; \`make user\` builds it"
	work=$(mktemp -d) || exit 1
	trap ibsim_end EXIT
}

ibsim_end()
{
	[ -z "${opensm_pid:-}" ] || kill -9 "$opensm_pid" 2>/dev/null
	stop_ibsim
	rm -rf "$work"
}

# Run a command as on the first host of the simulated fabric.
on_fabric()
{
	# A client that hangs ignores SIGTERM
	LD_PRELOAD=$umad OSM_TMP_DIR=$PWD OSM_CACHE_DIR=$PWD timeout -k 2 30 "$@" 2>>client.log
}

# Route with engine $1 (and more options), then keep both dumps and the topology.
route()
{
	engine=$1
	shift
	rm -f guid2lid opensm-lfts.dump
	on_fabric opensm -o -e -R "$engine" -f "$PWD/osm.log" --dump_files_dir "$PWD" -D 0x43 "$@" \
		>/dev/null && on_fabric ibnetdiscover >topo && on_fabric dump_fts >fts
}
