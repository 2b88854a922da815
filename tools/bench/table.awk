# SPDX-License-Identifier: GPL-2.0-only
# Make the bench's table of its rows: "row DEVICE DESTINATIONS NAME NS", noqueue first of each kind.

/^row / {
	device = $2
	count = $3
	ns = $5
	# A burst is measured in another way: busy time until all is gone.
	kind = device " " count " " ($4 ~ /burst/)
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

END { exit failed > 0 || !printed }
