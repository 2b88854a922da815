# SPDX-License-Identifier: GPL-2.0-only
# What the tests of events share: monitors that listen for certain, and waiting for what they tell.
# shellcheck shell=dash disable=SC2034,SC2154

# Has process $1 joined a group of generic netlink?
listens()
{
	for socket in $(ls -l /proc/"$1"/fd | sed -n 's/.* socket:\[\(.*\)\]$/\1/p'); do
		awk -v inode="$socket" \
			'$NF == inode && $4 !~ /^0*$/ { found = 1 } END { exit !found }' \
			/proc/"$1"/net/netlink && return
	done
	return 1
}

# listen FILE NETNS ARG...: a monitor without CAP_NET_ADMIN, and what it tells; sets pid
listen()
{
	file=$1
	netns=$2
	shift 2
	background "$file" in-ns "$netns" setpriv --bounding-set=-net_admin \
		--inh-caps=-net_admin liquid-nl monitor "$@"
	await listens "$pid" || need false
}

# lines FILE PATTERN
lines()
{
	grep -c -- "$2" "$1"
}

has()
{
	[ "$(lines "$1" "$2")" = "$3" ]
}

# told NAME FILE PATTERN TIMES: before long this many of its lines match
told()
{
	if await has "$2" "$3" "$4"; then
		ok "$1"
	else
		cp "$2" "$LOG"
		echo "$4 lines were to match $3" >>"$LOG"
		not_ok "$1"
	fi
}
