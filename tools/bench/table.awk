# SPDX-License-Identifier: GPL-2.0-only
# Print the rows of the bench as tables: "row DEVICE DESTINATIONS NAME NS" and
# "burst DEVICE DESTINATIONS NAME SENDING-NS LEAVING-NS". The first row of a device and number of
# destinations is that of noqueue.

/^row / {
	device = $2
	count = $3
	ns = $5
	kind = device " " count
	name = $4
	gsub(/~/, " ", name)
	if ($4 ~ /^noqueue/) {
		base[kind] = ns
		if (!printed++)
			printf "%-34s %-8s %12s %10s %10s %7s\n", "queue", "device", "destinations",
				"ns/packet", "over noq.", "ratio"
	}
	if (ns == "-") {
		printf "%-34s %-8s %12d %10s\n", name, device, count, "failed"
		failed++
		next
	}
	if (!(kind in base))
		base[kind] = ns
	printf "%-34s %-8s %12d %10.1f %+10.1f %7.2f\n", name, device, count, ns, ns - base[kind],
		ns / base[kind]
}

/^burst / {
	name = $4
	gsub(/~/, " ", name)
	if (!bursts++)
		printf "%s%-34s %-8s %12s %10s %10s %10s\n", printed++ ? "\n" : "", "a backlog",
			"device", "destinations", "sending", "leaving", "over noq."
	if ($5 == "-") {
		printf "%-34s %-8s %12d %10s\n", name, $2, $3, "failed"
		failed++
		next
	}
	if ($4 == "noqueue")
		sum[$2 " " $3] = $5 + $6
	printf "%-34s %-8s %12d %10.1f %10.1f %+10.1f\n", name, $2, $3, $5, $6,
		$5 + $6 - sum[$2 " " $3]
}

END { exit failed > 0 || !printed }
