#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Documentation/operations.rst, jobs.rst and gates.rst, followed to the letter: each block with a
# label `.. test: WHERE` is carried out in the pages' order, and each command that has a text in
# quotes behind it must say that. On a real Slurm, munge and ptp4l; four nodes, each with its
# network, host name and /etc/liquid.
#
# WHERE: controller, nodes (all at the same time), all, user NAME (who submits jobs); file MACHINES
# PATH: the block is that file; lines slurm.conf: the block is added to it.
#
# Not as on a cluster: the subnet manager's dumps are those of OpenSM on ibsim, links of which are
# made faster; there is one clock, so each machine's ptp4l is a grandmaster; and no systemd, so what
# the page has it do is done by the lines of the unit (packages-boot.sh runs the units).
# adds: slurm operations
# modes: long
# kernels: 6.1
# timeout: 460
set -u

. /liquid/lib/guest.sh
. /liquid/lib/lab.sh
. /liquid/lib/slurm.sh
host_has slurmctld unmunge ptp4l

HOST=node00
CONTROL=controller
# shellcheck disable=SC2034 # of slurm.sh
SLURM_USER=slurm
# shellcheck disable=SC2034
PARTITION=batch
MUNGE=/run/munge/munge.socket.2
PAGE=/liquid/operations
STEPS=$TESTDIR/steps
BYTES=50000
ROUNDS=40
export PATH="$CLUSTER/bin:$PATH"

# ---- what a cluster has before anybody reads the page ----

# command_of NAME: a program, from stdin
command_of()
{
	{ echo "#!/bin/sh"; cat; } >"$CLUSTER/bin/$1"
	chmod +x "$CLUSTER/bin/$1"
}

make_commands()
{
	mkdir -p "$CLUSTER/bin"
	command_of ibnetdiscover <<-END
	exec sed s/4xSDR/4xEDR/ /liquid/data/fat-tree.topo
	END
	command_of dump_fts <<-END
	exec cat /liquid/data/fat-tree.fts
	END
	# systemctl restart DAEMON; start, stop, enable --now, disable --now UNIT...
	command_of systemctl <<-END
	line()
	{
		sed -n "s|^\$1=-*||p" "\$file" |
			sed "s|/usr/local/bin/||; s|%I|\$name|g; s|%l|\$(hostname)|g"
	}
	# until ACTION UNIT is done
	act()
	{
		unit=\${2%.service}
		name=\${unit#*@}
		file=$PAGE/\${unit%"\$name"}.service
		[ -e "\$file" ] || file=$PAGE/\$unit.service
		pid="$CLUSTER/\$(hostname).\$unit.pid"
		OPTIONS=\$(sed -n 's/^OPTIONS=//p' "\$(line EnvironmentFile)" 2>/dev/null)
		case "\$1 \$(line Type)" in
		"start oneshot") eval "\$(line ExecStart)" ;;
		"stop oneshot") eval "\$(line ExecStop)" ;;
		"start "*) eval "exec \$(line ExecStart)" >"/run/\$(hostname).\$unit.log" \
			2>&1 </dev/null &
			echo \$! >"\$pid" ;;
		"stop "*) kill "\$(cat "\$pid")"
			for _ in 1 2 3 4 5 6 7 8 9 10; do
				[ -s "/proc/\$(cat "\$pid")/cmdline" ] || break
				sleep 1
			done
			rm "\$pid" ;;
		esac
	}
	action=\$1
	shift
	case "\$action \$1" in
	"restart slurmctld") exec slurmctld ;;
	"restart slurmd") exec slurmd -N "\$(hostname)" ;;
	"enable --now") action=start ;;
	"disable --now") action=stop ;;
	esac
	for unit; do
		case \$unit in
		--now) ;;
		"liquid-attach@*")
			for device in /etc/liquid/attach/*; do
				act "\$action" "liquid-attach@\${device##*/}" || exit
			done ;;
		*) act "\$action" "\$unit" || exit ;;
		esac
	done
	END
	# journalctl -u UNIT -n 1
	command_of journalctl <<-'END'
	exec tail -n 1 "/run/$(hostname).$2.log"
	END
	# scp -q controller:FILE... DIRECTORY, on a node
	command_of scp <<-'END'
	for place; do :; done
	for file; do
		case $file in
		controller:*) cp "/proc/1/root${file#*:}" "$place" || exit ;;
		esac
	done
	END
}

make_users()
{
	echo "slurm:x:64030:64030::/:/bin/sh" >>/etc/passwd
	echo "slurm:x:64030:" >>/etc/group
	echo "alice:x:1001:1001::/tmp:/bin/sh" >>/etc/passwd
	echo "alice:x:1001:" >>/etc/group
	mkdir -p "$CLUSTER/alice"
	chown 1001:1001 "$CLUSTER/alice"
	cat >"$CLUSTER/alice/job.sh" <<-END
	#!/bin/sh
	exec srun --ntasks-per-node=1 $CLUSTER/exchange --dscp 43 --rounds $ROUNDS --pause 200 \
		--bytes $BYTES
	END
}

# The machines and their networks, with clocks and munge; ports of a fabric of the same dumps
make_machines()
{
	mkdir -p "$CLUSTER"
	chmod 755 / "$TESTDIR"
	make_commands
	ibnetdiscover >"$TESTDIR/topo"
	dump_fts >"$TESTDIR/fts"
	need liquid fabric import --topo "$TESTDIR/topo" --lft "$TESTDIR/fts" -o "$FABRIC"
	fabric_up --rate 100G --addr 10.1.0.0/24 \
		--ports node001=ib0,node002=ib0,node003=ib0,node004=ib0
	make_control
	for n in $NODES; do
		mkdir -p "$CLUSTER/etc.$n/attach" "$CLUSTER/home.$n"
		echo "10.77.0.$n $HOST$n" >>/etc/hosts
		echo "$HOST$n 10.1.0.$n" >>"$CLUSTER/map"
	done
	echo "10.77.0.254 $CONTROL" >>/etc/hosts
	mkdir -p /etc/liquid /usr/local/libexec/liquid /run/munge
	ln -s /etc/slurm/liquid /usr/local/libexec/liquid/slurm
	make_users
	make_task
	sed -i "s|/etc/liquid/addresses|$CLUSTER/map|" "$CLUSTER/exchange"
	hostname $CONTROL
	keep_clock
	keep_ptp /run/ptp4l
	for n in $NODES; do
		keep_ptp "$CLUSTER/ptp4l.$n" ip netns exec $HOST$n
	done
	NODE_MOUNTS="mount --bind $CLUSTER/ptp4l.\$1 /run/ptp4l && "
	start_munge
}

# The page's first job has the number 17.
SCRIPTS="FirstJobId=17"

# keep_ptp SOCKET [RUN...]: a ptp4l, at the end of its own cable
keep_ptp()
{
	socket=$1
	shift
	need "$@" ip link add lqptp0 type veth peer name lqptp1
	need "$@" ip link set lqptp0 up
	need "$@" ip link set lqptp1 up
	printf '%s\n' "[global]" "time_stamping software" "free_running 1" \
		"network_transport L2" "logAnnounceInterval -2" "uds_address $socket" \
		>"$socket.conf"
	background "$socket.log" "$@" ptp4l -f "$socket.conf" -i lqptp0 -m
	await grep -q "grand master role" "$socket.log" || need false
}

# ---- the page ----

# at MACHINE LINE
at()
{
	case $1 in
	controller) (cd / && exec sh -c "$2") ;;
	user) (cd "$CLUSTER/$user" && exec setpriv --reuid "$user" --regid "$user" \
		--init-groups sh -c "$2") ;;
	*) on_node "$1" sh -c "cd $CLUSTER/home.$1 || exit; $2" ;;
	esac
}

machines()
{
	case $where in
	nodes) echo "$NODES" ;;
	all) echo "controller $NODES" ;;
	*) echo "$where" ;;
	esac
}

# One line, on all machines of its block at the same time. Where it says what it prints it may take
# a while until it does.
carry_out()
{
	run=
	for machine in $(machines); do
		at "$machine" "$1" >"$TESTDIR/out.$machine" 2>&1 </dev/null &
		run="$run $!"
	done
	right=1
	for process in $run; do
		wait "$process" || [ -n "$text" ] || right=0
	done
	for machine in $(machines); do
		[ -z "$text" ] || grep -qF -- "$text" "$TESTDIR/out.$machine" || right=0
	done
	for machine in $(machines); do
		echo "$machine:"
		cat "$TESTDIR/out.$machine"
	done
	[ $right = 1 ] && return
	tail -n 5 /run/*.log 2>/dev/null
	return 1
}

step()
{
	text=
	case $1 in
	*" # \""*) text=${1#* \# \"} text=${text%\"*} ;;
	esac
	name="line $line, $where: $1"
	if [ -n "$text" ]; then
		await_that "$name" carry_out "$1"
	else
		check "$name" carry_out "$1"
	fi
}

# Ends a block that is a file
file_done()
{
	[ -s "$TESTDIR/file" ] || return
	# shellcheck disable=SC2086 # MACHINES PATH
	set -- $file
	case $1 in
	slurm.conf)
		SCRIPTS="$SCRIPTS
$(cat "$TESTDIR/file")"
		slurm_files ;;
	*)
		mkdir -p "${2%/*}"
		# `...` are the lines of the other hosts.
		awk '$1 != "..." { print; next }
			{ for (n = 5; n <= 32; n++) printf "node%03d  10.1.0.%d\n", n, n }' \
			"$TESTDIR/file" >"$2"
		[ "$1" != all ] || for n in $NODES; do
			node_file=$CLUSTER/etc.$n/${2#/etc/liquid/}
			mkdir -p "${node_file%/*}"
			cp "$2" "$node_file"
		done ;;
	esac
	rm "$TESTDIR/file"
	ok "line $line: $file"
}

fabric_start
make_machines
trap 'slurm_stop; cleanup' EXIT
cat "$PAGE/operations.rst" "$PAGE/jobs.rst" "$PAGE/gates.rst" |
	awk -f /liquid/lib/steps.awk >"$STEPS"
where= file= line= user=
while IFS= read -r words <&3; do
	case $words in
	"@ "*)
		file_done
		where= file=
		line=${words#@ }
		label=${line#* }
		line=${line%% *}
		case $label in
		"test: file "*) file=${label#test: file } ;;
		"test: lines "*) file=${label#test: lines } ;;
		"test: user "*) where=user user=${label#test: user } ;;
		"test: "*) where=${label#test: } ;;
		esac ;;
	*)
		[ -z "$file" ] || echo "$words" >>"$TESTDIR/file"
		[ -z "$where" ] || step "$words" ;;
	esac
done 3<"$STEPS"
file_done

# ---- what the page does not look at ----

job=17
compare "the four ranks of the first job have what was sent to them" \
	"$(grep -c ": $((ROUNDS * BYTES)) bytes from each" "$CLUSTER"/alice/slurm-17.out)" = 4
await_that "no one is left who renews a lease" no_process 'liquid-nl.jo[b]' 'liquid-nl.pus[h]' \
	'alltoal[l]'
compare "nothing is left of notices" "$(find /run/liquid-jobs -type f | wc -l)" = 0
rm -f /run/*.log
slurm_finish
