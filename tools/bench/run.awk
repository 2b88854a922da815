# SPDX-License-Identifier: GPL-2.0-only
# Print the lines of tools/bench/run, "COMMAND|GAP|SECONDS|MB|OUTPUT", as a table.

# One run of the row of @by
function add(by, transfers, bound, length_, s, mb, spent,	key)
{
	key = $1 SUBSEP by
	if (!(key in runs))
		order[++rows] = key
	time[key, ++runs[key]] = s
	head[key] = sprintf("%-68s  %-11s  %9s  %7s", $1, by, transfers, bound)
	length_of[key] = length_
	ns[key] = transfers
	most[key] = mb > most[key] ? mb : most[key]
	tail[key] = spent
	gap[key] = $2 != "-" && length_ > bound * (1 + $2 / 100) + 1e-9
	seconds[key] = $3; mbs[key] = $4
}

function show(s)
{
	return sprintf(s < 0.001 ? "%.6f" : s < 10 ? "%.4f" : "%.1f", s)
}

function sort(key,	i, j, swap)
{
	for (i = 2; i <= runs[key]; i++)
		for (j = i; j > 1 && time[key, j - 1] > time[key, j]; j--) {
			swap = time[key, j]; time[key, j] = time[key, j - 1]
			time[key, j - 1] = swap
		}
}

function row(key,	n, s, spread, late, large)
{
	n = runs[key]
	sort(key)
	s = time[key, int((n + 1) / 2)]
	spread = n > 1 ? sprintf("%s - %s", show(time[key, 1]), show(time[key, n])) : ""
	if (key in least)
		spread = least[key]
	late = seconds[key] != "-" && s > seconds[key]
	large = mbs[key] != "-" && most[key] > mbs[key]
	missed += gap[key] + late + large
	printf "%s  %7s%s  %8s%s  %-15s  %9.0f  %4s%s  %s\n", head[key], length_of[key],
		gap[key] ? "!" : "", show(s), late ? "!" : "", spread,
		ns[key] ? 1e9 * s / ns[key] : 0, most[key] ? sprintf("%.0f", most[key]) : "",
		large ? "!" : "", tail[key]
}

BEGIN {
	printf "%-68s  %-11s  %9s  %7s  %7s  %8s  %-15s  %9s  %4s  %s\n", "command", "by",
		"transfers", "bound", "length", "s", "least - most", "ns/tr.", "MB", "spent, %"
}

{ n = split($5, f, ","); program = $1; sub(/ .*/, "", program) }

n < 3 {
	printf "%-68s  failed: %s\n", $1, $5
	missed++
	next
}

program == "solve-fabric" && n > 13 {
	add(f[12], f[2], sprintf("%.2f", f[4] / f[14]), sprintf("%.2f", f[15]), f[7], f[9], f[13])
	next
}

program ~ /^(solve-fabric|te-ccl|two-hops)$/ {
	add(f[12], f[2], f[4], f[5], f[7], f[9], f[13])
}

program == "swiss-t1" {
	add(f[1], f[15], f[16], f[17], f[9], 0, f[4] " of " f[2] " liquid")
	least[$1, f[1]] = show(f[10]) " - " show(f[11])
}

# The time of a peer that is stopped is a lower bound.
program == "peers" {
	add("auto", f[1], f[2], f[2], f[5] / 1e6, 0, "whole, median of 11")
	add(f[6], f[1], f[2], f[8] == "yes" ? f[2] : "-", f[7], 0,
	    f[8] == "yes" ? sprintf("%.0f times as long", f[7] * 1e6 / f[5]) : f[8])
}

program == "change" {
	add("anew", f[1], f[2], f[3], f[7], 0, "")
	add("from before", f[1], f[2], f[4], f[8], 0, sprintf("kept %.1f", 100 * f[5] / f[1]))
}

END {
	for (i = 1; i <= rows; i++)
		row(order[i])
	print missed + 0 " figures miss their bars (!)"
}
