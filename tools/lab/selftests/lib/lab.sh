# SPDX-License-Identifier: GPL-2.0-only
# What the tests of liquid_lab.ko share; include it after guest.sh.
# shellcheck shell=dash

FABRIC=$TESTDIR/fabric

fabric_start()
{
	start
	fabric_is_loaded || need insmod /liquid/liquid_lab.ko
}

fabric_is_loaded()
{
	grep -q "^liquid_lab " /proc/modules
}

fabric_unload()
{
	rmmod liquid_lab 2>/dev/null
	! fabric_is_loaded
}

# Write a fabric file from the links on stdin; a link without a capacity gets 1.
# fabric_file HOSTS SWITCHES
fabric_file()
{
	printf 'liquid-fabric 1\nname lab\nhosts %s\nswitches %s\n' "$1" "$2" >"$FABRIC"
	sed 's/^link [^ ]* [^ ]*$/& 1/' >>"$FABRIC"
	echo end >>"$FABRIC"
}

# cables HOST:SWITCH...: a link from each host to its switch, and one back
cables()
{
	for end; do
		printf 'link %s %s\n' "${end%:*}" "${end#*:}"
		printf 'link %s %s\n  to %s\n' "${end#*:}" "${end%:*}" "${end%:*}"
	done
}

# Bring the fabric up: each port in its own namespace, addresses from 10.9.0.1, no IPv6 packets.
fabric_up()
{
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	need liquid-lab up "$FABRIC" --netns --addr 10.9.0.0/24 "$@"
}

fabric_down()
{
	need liquid-lab down
}

# The value of a counter: fabric_count links|ports NAME KEY
fabric_count()
{
	liquid-lab stats --json | awk -v list="$1" -v name="$2" -v key="$3" '
		/"(links|ports)": \[/ { split($0, word, "\""); at = word[2] }
		/"(name|host)":/ { split($0, word, "\""); who = word[4] }
		at == list && who == name && index($0, "\"" key "\":") {
			gsub(/[^0-9-]/, "", $2)
			print $2
			exit
		}'
}

# The sum of a counter over all ports
fabric_sum()
{
	liquid-lab stats --json | awk -v key="$1" '
		index($0, "\"" key "\":") { gsub(/[^0-9-]/, "", $2); sum += $2 }
		END { printf "%d\n", sum }'
}

# One reading of all counters: a packet that moves between two would be missing, or counted twice.
fabric_balance()
{
	liquid-lab stats --json | awk '
		/"tx_packets":/ { gsub(/[^0-9-]/, "", $2); sent += $2 }
		/"rx_packets":/ { gsub(/[^0-9-]/, "", $2); received += $2 }
		/"drop_(full|deadlock|peer_down|rx_full|link_down)":/ {
			gsub(/[^0-9-]/, "", $2)
			lost += $2
		}
		/"in_flight":/ { gsub(/[^0-9-]/, "", $2); in_flight += $2 }
		END {
			printf "sent %d, received %d, dropped on the way %d, in flight %d\n", sent,
				received, lost, in_flight
			exit !(sent > 0 && !in_flight && sent == received + lost)
		}'
}

# Every packet that a port sent has arrived or was dropped. A queue may have some more to send.
fabric_conserves()
{
	await fabric_balance
	fabric_balance
}

fabric_finish()
{
	if fabric_is_loaded; then
		check "liquid_lab.ko can be unloaded" await fabric_unload
	fi
	finish
}
