#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid-sbatch reads options as sbatch does, on its command line, in the environment and in the
# script. Its table is that of the sbatch installed here; Slurm's other programs are stand-ins.
# selftests/host/job/slurm.sh has the real ones.
#
# timeout: 120

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

script=$(dirname "$here")/tools/slurm/liquid-sbatch
real=$(command -v sbatch)
unset "${!SBATCH_@}" SLURM_CLUSTERS
mkdir bin
# Nodes of partition "batch", the default, and of "other"; @asked has what was asked for
cat >bin/sinfo <<-'END'
	#!/bin/sh
	for word; do
		[ "$before" != -p ] || echo "partition $word" >>"$work/asked"
		before=$word
	done
	case "$*" in
	*%P*) printf 'other\nbatch*\n' ;;
	*"-p batch "*) printf 'h1 fast,ib\nh2 fast\nh3 ib,fast,x86\nh4 (null)\nh2 fast\n' ;;
	*"-p other "*) printf 'h5 (null)\nalien (null)\nh6 (null)\n' ;;
	esac
END
cat >bin/scontrol <<-'END'
	#!/bin/sh
	echo "$3" | tr , '\n'
END
cat >bin/liquid <<-'END'
	#!/bin/sh
	[ "$1" != choose ] || echo "count $4 of $6" >>"$work/asked"
	echo "liquid: a warning" >&2
	exec "$liquid" "$@"
END
cat >bin/sbatch <<-'END'
	#!/bin/sh
	case "$*" in
	*--test-only*) ;;
	*)
		printf '<%s>' "$@" >>"$work/submitted"
		case "$*" in
		*job* | *--wrap* | *--help*) ;;
		*) cat >"$work/stdin" ;;
		esac
		exit 7
		;;
	esac
	! grep -q refuse "$work/refuse" 2>/dev/null
END
chmod +x bin/*
"$liquid" fabric make leaf-spine leaves=4 hosts=2 spines=1 -o fabric >text 2>&1
export work liquid LIQUID_FABRIC=$work/fabric
search=$work/bin:$PATH

call()
{
	rm -f asked submitted stdin
	touch asked
	PATH=$search timeout 20 sh "$script" "$@" >text 2>&1
	status=$?
	cat asked submitted >>text 2>/dev/null
}

# asks "COUNT PARTITION" WORD...: this many nodes of that partition are asked for, and the job gets
# them, with the same words. NAME is what the test is called instead of by these.
asks()
{
	wanted=$1
	shift
	call "$@"
	[ $status -eq 7 ] && [ "$(sed -n 's/^count \([0-9]*\) of.*/\1/p;
		s/^partition //p' asked | sort -n | tr '\n' ' ')" = "$(printf '%s\n' $wanted |
		sort -n | tr '\n' ' ')" ] && ! grep -q "left to Slurm" text &&
		[[ $(cat submitted) == "<--nodelist="*">$(printf '<%s>' "$@")" ]]
	ok "${name:-$*}: $wanted"
	name=
}

# leaves REASON WORD...: the job is submitted as it is
leaves()
{
	reason=$1
	shift
	call "$@"
	[ $status -eq 7 ] &&
		grep -q "^liquid-sbatch: the nodes are left to Slurm: .*$reason" text &&
		[ "$(cat submitted)" = "$(printf '<%s>' "$@")" ]
	ok "${name:-$*}: left to Slurm, $reason"
	name=
}

echo "TAP version 13"

# ---- the table, and the parser of the real sbatch ----

sed -n "/^options='/,/^'/p" "$script" | grep ' ' >table
if [ -n "$real" ]; then
	printf 'SlurmctldHost=nowhere\nClusterName=none\n' >slurm.conf
	export SLURM_CONF=$work/slurm.conf
	while read -r option letter has; do
		without=$("$real" "--$option" 2>&1 </dev/null | head -n 3)
		with=$("$real" "--$option=1" --unknown-option 2>&1 </dev/null | head -n 3)
		case $without$with in
		*unrecognized*"--$option"*) continue ;;
		*requires\ an\ argument*) kind== ;;
		*"doesn't allow"*) kind=_ ;;
		*) kind=\? ;;
		esac
		# Newer ones may have a value.
		[ "$kind" = "$has" ] || [ "$has$kind" = "?_" ] ||
			echo "--$option: '$has' in the table, but '$kind'"
		echo "$option" >>known
	done <table >differ
	[ "$(wc -l <known)" -gt 80 ]
	ok "most options of the table are those of the sbatch installed"
	cp differ text
	[ ! -s text ]
	ok "with a value, or without"
	"$real" --help | grep -oE '^ *(-[A-Za-z],? +)?--[a-z-]+' | tr -d ' ,' | sed 's/--/ --/' \
		>listed
	while read -r letter option; do
		[ -n "$option" ] || { option=$letter; letter=-_; }
		grep -q "^${option#--} ${letter#-} " table || echo "$letter $option"
	done <listed >text
	[ "$(wc -l <listed)" -gt 80 ] && [ ! -s text ]
	ok "the table has each option and letter that its help lists"
else
	echo "# no sbatch: its table is not compared"
fi

# ---- the command line ----

asks "2 batch" -N 2 job
asks "2 batch" -N2 job -N4
asks "2 batch" --nodes=2 job
asks "2 batch" --nodes 2 job
leaves "does not say how many" --node 2 job
asks "2 batch" -N 2-2 job
asks "2 other" -N 2 -p other job
asks "2 other" --part=other -N2 -- job
asks "2 batch" -J "-N4" -N2 job
asks "2 batch" --no-kill -N 2 job
asks "2 batch" -k -N2 job
asks "2 batch" -N2 -kN3 job
asks "2 batch" --exclusive -N 2 job
asks "2 batch" --exclusive=user --nice --propagate -N 2 job
asks "2 batch" --get-user-env --requeue -N 2 job
asks "2 other" -QOpother -N2 job
asks "2 other" -sQ -p other -N2 job
asks "2 batch" -N 4 -N 2 job
asks "2 batch" --comment -p --wckey=-pother -N2 job -p other
asks "2 batch" -N2 --wrap "true -N 3"
leaves "does not say how many" -n 4 job
leaves "does not say how many" -N 1-3 job
leaves "does not say how many" -N 1k job
leaves "named already" -N 2 -w h1,h2 job
leaves "named already" -N 2 --nodelist=h1,h2 job
leaves "named already" -N 2 -Ffile job
leaves "array" -N2 -a 1-3 job
leaves "at once" -N2 --begin=now+1hour job
leaves "at once" -N2 -H job
leaves "at once" -N2 -d afterok:1 job
leaves "another cluster" -N2 -M far job
leaves "reservation" -N2 --reservation=x job
leaves "several parts" -N2 job : -N1 job
leaves "several partitions" -N2 -p batch,other job
leaves "joined by &" -N2 -C "fast|ib" job
leaves "names a file" -N2 -x ./file job
leaves "no such node is idle in partition 'empty'" -N2 -p empty job
leaves "liquid cannot choose" -N 5 job

# free NODES WORD...: the choice is among these
free()
{
	wanted=$1
	shift
	call "$@"
	grep -q "^count [0-9]* of $wanted$" text
	ok "$*: among $wanted"
}
free h1,h2,h3,h4 -N1 job
free h2,h3,h4 -N1 -x h1 job
free h4 -N1 --exclude=h1,h3,h2 job
free h2,h3,h4 -N1 -x h2 --exclude h1 job
free h1,h2,h3 -N1 -C fast job
free h1,h3 -N1 --constraint='ib&fast' job
free h3 -N1 -C x86 -x h1 job
free h5,h6 -N1 -p other job
grep -qx "liquid-sbatch: idle, but not on the fabric: alien" text
ok "an idle node that the fabric lacks is left out, and named"

# ---- environment and script ----

{
	echo "#!/bin/sh"
	echo "#SBATCH -N 1 --partition=other # -N 4"
	echo "# a comment"
	echo
	echo "	"
	echo "#SBATCH --job-name 'a -N \"4\"' -x h5"
	echo "#SBATCH --comment=\\\"-N4\\ -N4"
	echo "hostname"
	echo "#SBATCH -N 4"
} >job
asks "1 other" job
free h6 job
free h5,h6 -x h2 job
asks "1 batch" -p batch job
asks "2 batch" -N2 -p batch job -N3
SBATCH_PARTITION=batch asks "1 batch" job
SBATCH_PARTITION=batch asks "1 other" -p other job
SBATCH_ARRAY_INX=1-2 leaves "array" job
SBATCH_CONSTRAINT='fast&ib' free h1,h3 -p batch job
SBATCH_RESERVATION=r leaves "reservation" job
SBATCH_PARTITION= asks "1 batch" job
printf '#!/bin/sh\n#SBATCH -N1\n#SBATCH hetjob\n#SBATCH -N1\n' >parts.job
leaves "several parts" parts.job
printf '#!/bin/sh\n#SBATCH -w\n#SBATCH h1\n#SBATCH -N1\n' >named.job
leaves "named already" named.job
printf '#!/bin/sh\n#SBATCH -N $(touch %s/run) -p `touch %s/run`\n' "$work" "$work" >sly.job
leaves "does not say how many" sly.job
[ ! -e run ]
ok "no line of the script is run by the shell"
mkdir path && cp job path/found.job && chmod +x path/found.job
search=$work/bin:$work/path:$PATH asks "1 other" found.job
leaves "does not say how many" no.job

call -Q <job
[ "$(cat submitted)" = "<--nodelist=h6><-Q>" ] && grep -q "^partition other$" text &&
	cmp stdin job >>text
ok "a script on stdin is read, and given to sbatch"

# ---- what goes wrong ----

echo refuse >refuse
leaves "Slurm refuses h\[1-2\]" -N2 -p batch job
rm refuse
LIQUID_FABRIC=$work/gone leaves "no fabric in" -N1 job
call -N2 -p batch job
grep -q '^<--nodelist=h\[1-2\]>' text && grep -q "^liquid: a warning$" text
ok "a warning of liquid is on stderr, and not in the list"
call --help
[ "$(cat submitted)" = "<--help>" ] && [ ! -s asked ]
ok "--help is that of sbatch"
finish
