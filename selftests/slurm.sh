#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The scripts of tools/slurm, called by a real slurmctld and four slurmd on this host: they agree, and a
# job begins and ends whatever they come to. Gates are those of a dry run; selftests/kernel/job.sh
# has real ones.
#
# timeout: 200

. "$(dirname "$(readlink -f "$0")")/cli.bash"

for program in slurmctld slurmd srun munged setpriv; do
	if ! command -v $program >/dev/null || [ "$(id -u)" != 0 ] || ! id munge >/dev/null 2>&1; then
		echo "1..0 # SKIP Slurm, munge or root is missing ($program)"
		exit 4
	fi
done
top=$(dirname "$here")

stop()
{
	for file in "$work"/*.pid; do
		[ -e "$file" ] && kill "$(cat "$file")" 2>/dev/null
	done
	sleep 1
	[ -z "$munged" ] || kill "$munged" 2>/dev/null
	rm -rf "$work"
}
munged=
trap stop EXIT
trap 'exit 1' INT TERM

# munged of our own, on a socket of our own
chmod 755 "$work"
install -d -o munge -g munge -m 755 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key"
chown munge "$work/munge/key"
chmod 400 "$work/munge/key"
runuser -u munge -- munged --foreground --key-file "$work/munge/key" --socket "$work/munge/socket" \
	--pid-file "$work/munge/pid" --log-file "$work/munge/log" --seed-file "$work/munge/seed" --force \
	>munged.log 2>&1 &
munged=$!

# Scripts as they are, but for the tool that they find: it leaves the kernel alone.
mkdir bin state log pro
cat >bin/liquid-nl <<-END
	#!/bin/sh
	case "\$2" in
	ready | end) exec $liquid_nl "\$@" --dry-run ;;
	*) exec $liquid_nl "\$@" ;;
	esac
END
chmod +x bin/liquid-nl
for script in prolog prolog-slurmctld epilog epilog-slurmctld; do
	{
		echo "#!/bin/sh"
		echo "export LIQUID_CONF=$work/liquid.conf"
		echo "echo \"$script \$SLURM_JOB_ID \${SLURMD_NODENAME:-controller}\" >>$work/calls"
		sed "1d; s|^export PATH=|export PATH=$work/bin:|" "$top/tools/slurm/$script"
	} | sed "s|^exec \(.*\)|exec >>$work/output 2>\&1\n&|" >"pro/$script"
done
chmod +x pro/*
"$liquid_nl" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o plain
sed 's/\bh\([1-4]\)\b/node\1/g; s/\bh\[/node[/g' plain >fabric
for n in 1 2 3 4; do
	echo "node$n 10.0.0.$n"
done >addresses
printf '%s\n' "fabric $work/fabric" "addresses $work/addresses" "store $work/store" "device lo" \
	"frame-time 1ms" "clock off" "deadline 10s" "lead 1s" "traffic exchange alltoall" \
	"partition debug exchange" >liquid.conf

host=$(hostname -s)
port=$((20000 + $$ % 20000))
cat >slurm.conf <<-END
	ClusterName=liquid
	SlurmctldHost=$host(127.0.0.1)
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$work/munge/socket
	CredType=cred/munge
	SlurmctldPort=$port
	StateSaveLocation=$work/state
	SlurmctldPidFile=$work/slurmctld.pid
	SlurmctldLogFile=$work/log/slurmctld.log
	SlurmdSpoolDir=$work/spool.%n
	SlurmdPidFile=$work/slurmd.%n.pid
	SlurmdLogFile=$work/log/slurmd.%n.log
	ProctrackType=proctrack/pgid
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core
	MpiDefault=none
	ReturnToService=2
	PrologFlags=Alloc
	Prolog=$work/pro/prolog
	Epilog=$work/pro/epilog
	PrologSlurmctld=$work/pro/prolog-slurmctld
	EpilogSlurmctld=$work/pro/epilog-slurmctld
	SlurmdParameters=config_overrides
	NodeName=node[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=2 RealMemory=100 State=UNKNOWN
	PartitionName=debug Nodes=node[1-4] Default=YES MaxTime=INFINITE State=UP
	PartitionName=other Nodes=node[1-4] MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf

job_state()
{
	"$liquid_nl" job status --config liquid.conf | sed -n "s/^job $1: \([a-z]*\).*/\1/p"
}

is()
{
	[ "$(job_state "$1")" = "$2" ]
}
idle()
{
	[ "$(sinfo -h -p debug -t idle -o %D)" = 4 ]
}

echo "TAP version 13"
within 10 test -S munge/socket
slurmctld >text 2>&1
for n in 1 2 3 4; do
	slurmd -N node$n >>text 2>&1
done
within 30 idle
cat munged.log log/* >>text 2>/dev/null
ok "four nodes of a real Slurm are idle"

timeout 60 srun -N4 -p debug sh -c 'echo "on $SLURMD_NODENAME"; sleep 2' >text 2>&1
status=$?
cat output calls >>text
[ $status -eq 0 ] && [ "$(grep -c '^on node' text)" = 4 ]
ok "a job runs"
cp output text
[ "$(grep -c ' gates by schedule ' output)" = 4 ] &&
	[ "$(sed -n 's/.* gates by \(schedule [0-9a-f]* from [0-9]*\).*/\1/p' output | sort -u | wc -l)" = 1 ]
ok "its four nodes gate by one schedule from one time"
within 20 is 1 ended
job_state 1 >text
is 1 ended
ok "its end is noted"
cp calls text
[ "$(sort -u calls | grep -c ' 1 ')" = 10 ]
ok "each script was called: on four nodes, and by the controller"

timeout 60 srun -N4 -p other true >text 2>&1
status=$?
within 20 is 2 ended
tail -n 5 output >>text
[ $status -eq 0 ] && grep -q "job 2: not gated: no traffic is configured" output
ok "a job of a partition without traffic runs ungated"

timeout 60 srun -N2 -p other --comment "liquid=exchange" sleep 1 >text 2>&1
status=$?
cat output >>text
[ $status -eq 0 ] && [ "$(grep -c 'job 3: node .* gates by schedule' output)" = 2 ]
ok "a comment names a configured traffic"

# One node has lost its fabric's file: the job runs, ungated.
within 20 is 3 ended
within 20 idle
sed -i '/^fabric/d' liquid.conf
echo "fabric $work/gone" >>liquid.conf
timeout 60 srun -N4 -p debug true >text 2>&1
cat output >>text
! grep -q 'job 4: node .* gates by schedule' output
ok "without a fabric's file no node gates"
sed -i '/^fabric/d' liquid.conf
echo "fabric $work/fabric" >>liquid.conf

# A job that is cancelled while it runs
scontrol update nodename=node[1-4] state=resume 2>/dev/null
within 20 idle
timeout 60 srun -N4 -p debug --job-name long sleep 60 >text 2>&1 &
long=$!
gating()
{
	[ "$(grep -c 'job [5-9]: node .* gates by schedule' output)" = 4 ]
}
within 30 gating
ok "a long job gates"
scancel --name long
wait $long
id=$(sed -n 's/^job \([5-9]\): node .* gates .*/\1/p' output | tail -n 1)
within 30 is "$id" ended
job_state "$id" >text
is "$id" ended
ok "cancelled, its end is noted"
left()
{
	! pgrep -f "job ready [0-9]* --config $work/liquid.conf"
}
within 20 left
pgrep -fa "job ready" >text
left
ok "no process of a prologue is left"

echo "1..$count"
[ $failed -eq 0 ]
