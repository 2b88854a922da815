#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The scripts of tools/slurm, called by four slurmd of a real Slurm on this host: nodes agree by the
# first of each job, the controller has no part in it, and a job begins and ends whatever they come
# to. Gates are those of a dry run; selftests/kernel/slurm/slurm.sh has real ones.
#
# timeout: 400

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
. "$here/lib/serve.bash"
. "$here/lib/slurm.bash"
contained 400
top=$(dirname "$here")
printf '127.0.0.1 node%d\n' 1 2 3 4 >known
know known

start_munged

# Scripts as they are, but for the tool that they find: it leaves the kernel alone, and is where the
# users of Slurm and of the store can run it. What they say goes to the system's log.
mkdir bin pro tool
cp "$liquid_nl" "$liquid" tool
ln -s "$liquid" bin/liquid
cat >bin/liquid-nl <<-END
	#!/bin/sh
	case "\$2" in
	ready | end) exec $work/tool/liquid-nl "\$@" --dry-run ;;
	*) exec $work/tool/liquid-nl "\$@" ;;
	esac
END
cat >bin/logger <<-END
	#!/bin/sh
	[ "\$1" = -t ] || exit
	echo "\$2" >>$work/tags
	exec cat >>$work/output
END
chmod +x bin/*
touch calls output tags
chmod 666 calls output tags
for script in prolog epilog taskprolog health-check restore-gate; do
	{
		echo "#!/bin/sh"
		echo "export LIQUID_CONF=$work/liquid.conf SLURM_CONF=$work/slurm.conf"
		echo "echo \"$script \$SLURM_JOB_ID \${SLURMD_NODENAME:-controller}\" >>$work/calls"
		sed "1d; s|^export PATH=|export PATH=$work/bin:|" "$top/tools/slurm/$script"
	} >"pro/$script"
done
chmod +x pro/*
"$liquid" fabric make leaf-spine leaves=2 hosts=2 spines=2 -o plain
sed 's/\bh\([1-4]\)\b/node\1/g; s/\bh\[/node[/g' plain >fabric
for n in 1 2 3 4; do
	echo "node$n 10.0.0.$n"
done >addresses
# The whole file at once: scripts of the job before may be reading it.
conf()
{
	printf '%s\n' "addresses $work/addresses" "device lo" "frame-time 1ms" "link-rate 10G" \
		"clock off" \
		"deadline 10s" "lead 1s" "traffic exchange alltoall" "partition debug exchange" \
		"user slurm" "munge-socket $work/munge/socket" "$@" >conf.new
	mv conf.new liquid.conf
}
install -d -o slurm -m 770 shared
fine="fabric $work/fabric"
store="store $work/shared/store"
conf "$fine" "$store"

host=$(hostname -s)
port=$((20000 + $$ % 20000))
at="NodeHostname=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN"
write_slurm_conf 127.0.0.1 $port "PrologFlags=Alloc" "Prolog=$work/pro/prolog" \
	"Epilog=$work/pro/epilog" "TaskProlog=$work/pro/taskprolog" "PrologEpilogTimeout=60" \
	"NodeName=node[1-3] Port=[$((port + 1))-$((port + 3))] RealMemory=100 Feature=fast $at" \
	"NodeName=node4 Port=$((port + 4)) RealMemory=50 $at" \
	"TopologyPlugin=topology/tree" \
	"PartitionName=debug Nodes=node[1-4] Default=YES MaxTime=INFINITE State=UP" \
	"PartitionName=other Nodes=node[1-4] MaxTime=INFINITE State=UP"

"$liquid" fabric show fabric --slurm topology.conf >topology.conf

# As the first node of all these jobs knows it
job_state()
{
	SLURMD_NODENAME=node1 "$liquid_nl" job status --config liquid.conf |
		sed -n "s/^job $1: \([a-z]*\).*/\1/p"
}

is()
{
	[ "$(job_state "$1")" = "$2" ]
}
states()
{
	sinfo -h -N -p debug -o '%N %T %E'
}
# Also over with the job before: a node whose epilogue is still to come is "completing", which
# `sinfo -t idle` counts as idle.
idle()
{
	[ "$(states | grep -c '^node[1-4] idle none$')" = 4 ]
}

echo "TAP version 13"
slurmctld >text 2>&1
for n in 1 2 3 4; do
	slurmd -N node$n >>text 2>&1
done
within 30 idle
cat munge/out log/* >>text 2>/dev/null
ok "four nodes of a real Slurm are idle"
scontrol show topology >text 2>&1
grep -q "^SwitchName=leaf2 Level=0 .*Nodes=node\[3-4\]$" text &&
	grep -q "^SwitchName=spine1 Level=1 .*Nodes=node\[1-4\] Switches=leaf\[1-2\]$" text
ok "Slurm's tree of switches is that of the fabric"

timeout 60 srun -N4 -p debug sh -c 'echo "on $SLURMD_NODENAME"; sleep 2' >text 2>&1
status=$?
cat output calls >>text
[ $status -eq 0 ] && [ "$(grep -c '^on node' text)" = 4 ]
ok "a job runs"
cp output text
[ "$(grep -c ' gates by schedule ' output)" = 4 ] &&
	sed -n 's/.* gates by \(schedule [0-9a-f]* from [0-9]*\).*/\1/p' output >gates &&
	[ "$(sort -u gates | wc -l)" = 1 ]
ok "its four nodes gate by one schedule from one time"
within 20 is 1 ended
job_state 1 >text
is 1 ended
ok "its end is noted"
called()
{
	[ "$(sort -u calls | grep -c ' 1 ')" = 16 ]
}
within 20 called
cp calls text
called
ok "each script was called on four nodes"

# commented JOB PATTERN: of `scontrol show job`, in the end
commented()
{
	scontrol show job "$1" | sed -n 's/.*AdminComment=//p' >text
	grep -qE "^$2\$" text
}
commented 1 "liquid: gated, round 1-1, schedule [0-9a-f]{12} from .*"
ok "its AdminComment tells by which schedule it was gated"

timeout 60 srun -N4 -p other true >text 2>&1
status=$?
gone()
{
	! ls -d "shared/store/node"?"/jobs/$1" 2>/dev/null
}
within 20 gone 2
tail -n 5 output >>text
[ $status -eq 0 ] && gone 2 && grep -q "job 2: not gated: no traffic is configured" output
ok "a job of a partition that no line names runs ungated, and leaves no record"

timeout 60 sbatch -N2 -p other --comment "liquid=exchange" --hold --parsable -o /dev/null \
	--wrap "sleep 1" >text 2>&1
scontrol update JobId=3 AdminComment="site 5" >>text 2>&1
scontrol release 3 >>text 2>&1
within 20 is 3 ended
cat output >>text
[ "$(grep -c 'job 3: node .* gates by schedule' output)" = 2 ]
ok "a comment names a configured traffic"
commented 3 "site 5; liquid: gated, .*"
ok "what others have put into AdminComment stays"

: >output
timeout 60 srun -N2 -p other --comment $'liquid=typo\e[31m' \
	sh -c "scontrol show job \$SLURM_JOB_ID" >text 2>&1
status=$?
cat output >>text
[ $status -eq 0 ] && grep \
	-q 'AdminComment=liquid: ungated: its comment names traffic .typo\\x1b\[31m' text
ok "who names one that is not is informed, and runs ungated"

within 20 is 4 ended
within 20 idle
find shared/store -type f ! -name lock ! -name '*.json.*' | sort >records
conf "$fine" "$store" "partition other none"
: >output
timeout 60 srun -N4 -p other --comment "liquid=exchange" true >text 2>&1
status=$?
within 20 idle
cat output >>text
find shared/store -type f ! -name lock ! -name '*.json.*' | sort | diff records - >>text
[ $? -eq 0 ] && [ $status -eq 0 ] &&
	[ "$(grep -c 'job 5: not gated: its partition has no traffic' output)" = 4 ]
ok "in one that has none its nodes know by themselves, and there never is a record"

# ---- what the job's user is told ----

notice="/run/liquid-jobs/\$SLURM_JOB_ID@\$SLURMD_NODENAME"
setpriv --reuid daemon --regid daemon --clear-groups timeout 60 srun -N4 -p debug \
	sh -c "echo \$SLURMD_NODENAME; cat $notice; echo status \$LIQUID_STATUS" >told 2>&1
status=$?
cp told text
[ $status -eq 0 ] && [ "$(grep -c "^fabric $work/fabric\$" told)" = 4 ] &&
	[ "$(sed -n 's/^host //p' told | sort)" = "$(grep '^node' told | sort)" ]
ok "a user's job finds the fabric and its hosts, each on its node"
[ "$(grep -c '^status gated$' told)" = 4 ] &&
	[ "$(grep -cE '^liquid: job [0-9]*: gated, round .*, schedule [0-9a-f]{12}' told)" = 1 ]
ok "LIQUID_STATUS tells each task that it is gated, and one line the job's output"
within 20 idle
no_notice()
{
	[ -d /run/liquid-jobs ] && [ -z "$(ls /run/liquid-jobs)" ]
}
within 20 no_notice
ls /run/liquid-jobs >text 2>&1
no_notice
ok "and at its end none of that is left"

# ---- nodes for a job ----

# submitted OPTION...: by liquid-sbatch; "on LIST" of what Slurm gave the job, to file nodes
submitted()
{
	rm -f nodes
	PATH=$work/bin:$PATH LIQUID_CONF=$work/liquid.conf timeout 60 \
		sh "$top/tools/slurm/liquid-sbatch" -o /dev/null -e /dev/null "$@" >text 2>&1 ||
		return
	within 60 test -s nodes
	cat nodes >>text
}
body="echo \"on \$SLURM_JOB_NODELIST of \$PATH\" >$work/nodes"
# gets NODES NAME OPTION...: when all are idle
gets()
{
	within 60 idle
	submitted "${@:3}"
	status=$?
	[ $status -eq 0 ] && grep -q "^on $1 of $work/bin:$PATH\$" text &&
		[ "$(grep -c liquid-sbatch text)" = "${lines:-0}" ]
	ok "$2"
}
gets 'node\[1-2\]' "liquid-sbatch gives a job two nodes of one switch, and leaves its PATH alone" \
	-N2 -p other -J "-N4" --wrap "$body"
printf '%s\n' "#!/bin/sh" "#SBATCH -N2 --partition=other" "#SBATCH -x node1" "$body" >job.sh
gets 'node\[3-4\]' "as its script asks, without a node that is excluded there" job.sh
gets 'node\[1-2\]' "the command line goes first" -x node4 job.sh
gets 'node\[2-3\]' "of those that have a feature" -C fast job.sh
lines=1 gets 'node\[2-3\]' "if Slurm refuses them, Slurm's own" --mem=80 job.sh
grep -q "left to Slurm: Slurm refuses node\[3-4\]" text
ok "and a line says so"
"$liquid" fabric make leaf-spine leaves=1 hosts=3 spines=1 |
	sed 's/\bh\([1-3]\)\b/node\1/g; s/\bh\[/node[/g' >three
LIQUID_FABRIC=$work/three lines=1 gets 'node\[2-3\]' \
	"an idle node that the fabric lacks is left out" job.sh
grep -q "idle, but not on the fabric: node4" text
ok "and named"
within 60 idle
sbatch -w node1 -p other -o /dev/null --job-name holder --wrap "sleep 600" >text 2>&1
within 60 sh -c "sinfo -h -N -n node1 -p debug -t alloc,mix | grep -q node1"
states >before
submitted --nodes 2 --partition=other --wrap "$body"
status=$?
cat before >>text
states >>text
[ $status -eq 0 ] && grep -q '^on node\[3-4\] of' text && ! grep -q liquid-sbatch text
ok "and two of another while one of them is busy"
left_alone="^liquid-sbatch: the nodes are left to Slurm:"
submitted -p other -N 1-3 --wrap "$body"
status=$?
[ $status -eq 0 ] && grep -q '^on node' text &&
	grep -q "$left_alone -N does not say how many" text
ok "where no nodes can be chosen the job runs all the same, and a line says why"
LIQUID_FABRIC=$work/gone submitted -p other -N2 --wrap "$body"
status=$?
[ $status -eq 0 ] && grep -q '^on node' text &&
	grep -q "$left_alone no fabric in '$work/gone'" text
ok "so where the fabric's file is missing"
scancel --name holder
within 20 idle

# ---- what is set up wrong: the job runs, ungated, and no node is drained ----

# runs_ungated WORDS NAME: because of what the scripts said
runs_ungated()
{
	: >output
	timeout 60 srun -N4 -p debug true >text 2>&1
	status=$?
	within 20 idle
	states >>text
	cat output >>text
	[ $status -eq 0 ] && idle && ! grep -q "job .*: node .* gates by schedule" output &&
		grep -q "$1" output
	ok "$2"
}
conf "fabric $work/gone" "$store"
runs_ungated "gone: No such file" "without a fabric's file no node gates, and none is drained"
conf "$fine" "$store" "what is this"
runs_ungated "liquid.conf:14: unknown key 'what'" "nor with a liquid.conf that cannot be read"
rm liquid.conf
runs_ungated "liquid.conf: No such file" "nor without any"
conf "$fine" "store $work/none/store"
runs_ungated "$work/none/store: " "nor with a store that cannot be made"
mv bin/liquid-nl bin/away
runs_ungated "liquid-nl" "nor where the tool is not installed"
mv bin/away bin/liquid-nl
sort -u tags >text
[ "$(wc -l <text)" = 2 ]
ok "each script has told the system's log"

timeout 60 srun -N4 -p debug sh -c 'echo "status $LIQUID_STATUS"' >told 2>&1
status=$?
cp told text
[ $status -eq 0 ] && [ "$(grep -c '^status ungated$' told)" = 4 ] &&
	grep -qE "^liquid: job [0-9]*: ungated: .*$work/none/store" told
ok "the job's output says why it is not"
conf "$fine" "$store"
within 20 idle

# ---- asked for, all that is a failure ----

# The node's alone: the others go on
printf '[ "$SLURMD_NODENAME" != node2 ] || LIQUID_CONF=%s\nexport LIQUID_CONF\n' "$work/bad.conf" \
	>bin/choose
sed -i "/^export LIQUID_CONF/r bin/choose" pro/prolog
conf "$fine" "$store" "on-failure fail"
{
	cat liquid.conf
	echo "what is this"
} >bad.conf
: >output
timeout 60 srun -N4 -p debug true >text 2>&1
status=$?
drained()
{
	states | grep -q '^node2 drain.* Prolog error'
}
within 20 drained
states >>text
cat output >>text
[ $status -ne 0 ] && drained
ok "with on-failure fail, a bad liquid.conf is the node's failure, also in a later line"
sed -i '/^\[ "$SLURMD_NODENAME"/d' pro/prolog
# The prologues of the other nodes fail too, since there is no agreement, and each in its time:
# Slurm hears of it when the job is long over.
all_drained()
{
	[ "$(states | grep -c '^node[1-4] drain.* Prolog error')" = 4 ]
}
within 40 all_drained
states >text
all_drained
ok "as the lack of agreement is that of the others"
conf "$fine" "$store"
resumed()
{
	for name in $(sinfo -h -N -p debug -t drained,down -o %N | sort -u); do
		scontrol update nodename="$name" state=resume
	done
	idle
}
within 30 resumed
states >text
idle
ok "the node is back"

# ---- cancelled while it runs ----
: >output
timeout 60 srun -N4 -p debug -t 7 --job-name long sleep 60 >long 2>&1 &
long=$!
gating()
{
	[ "$(grep -c 'job [0-9]*: node .* gates by schedule' output)" = 4 ]
}
within 30 gating
{
	cat long output
	states
} >text
gating
ok "a long job gates"
id=$(sed -n 's/^job \([0-9]*\): node .* gates .*/\1/p' output | tail -n 1)
# 420 s, and what it may take beyond
until=$(sed -n 's/^{"until":\([0-9]*\)}$/\1/p' "shared/store/node1/jobs/$id/until.json")
echo "until $until, now $(date +%s)" >text
[ "$until" -gt $(($(date +%s) + 400)) ] && [ "$until" -lt $(($(date +%s) + 480)) ]
ok "and Slurm has told when its time is over"
scancel --name long
wait $long
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

# ---- doctor ----

: >output
: >tags
SLURMD_NODENAME=node1 timeout 20 pro/prolog --check >text 2>&1
status=$?
grep -q '^ok  *store ' text && grep -q '^ok  *fabric ' text && grep -q '^ok  *slurm ' text &&
	[ $status -eq "$(grep -q '^wrong' text; echo $((!$?)))" ]
ok "prolog --check finds what a prologue would, with its privileges"
grep '^ok\|^not checked' output >text
[ ! -s text ]
ok "the system's log has what is wrong, and nothing else"
sed -i "s|^PrologFlags=.*|&\nHealthCheckProgram=$work/pro/health-check\nHealthCheckInterval=2|" \
	slurm.conf
sed -i '/^PrologEpilogTimeout/s/60/11/' slurm.conf
scontrol reconfigure >text 2>&1
examined()
{
	[ "$(grep -c '^health-check  node[1-4]$' calls)" -ge 4 ] &&
		grep -q '^wrong  *slurm  *PrologEpilogTimeout is 11 s' output
}
within 30 examined
cat output calls >text
examined && idle
ok "Slurm calls it on each node: what is wrong is in the log, and no node is drained"

# what a health check tries may go meanwhile
find shared/store ! -user slurm -print 2>/dev/null | grep -v '/\.doctor-' >text
[ ! -s text ] && [ -e shared/store/node1/jobs ]
ok "all stores belong to the user of liquid.conf"

echo "1..$count"
[ $failed -eq 0 ]
