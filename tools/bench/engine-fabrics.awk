# SPDX-License-Identifier: GPL-2.0-only
# Print full.csv, random.csv, ... as a table: results of auto, lengths of the baselines, bars.

function gap(length_, duration)
{
	return duration ? 100 * (length_ - duration) / duration : 0
}

function median(list, count,	i, j, swap)
{
	for (i = 2; i <= count; i++)
		for (j = i; j > 1 && list[j - 1] > list[j]; j--) {
			swap = list[j]; list[j] = list[j - 1]; list[j - 1] = swap
		}
	least = list[1]; most = list[count]
	return list[int((count + 1) / 2)]
}

function misses(label, off, seconds,	text)
{
	if (gap_bar[label] != "-" && off > gap_bar[label] + 1e-9)
		text = text sprintf(" gap by %.2f points", off - gap_bar[label])
	if (second_bar[label] != "-" && seconds > second_bar[label])
		text = text sprintf(" time by %.2f s", seconds - second_bar[label])
	if (mb_bar[label] != "-" && mb[label] > mb_bar[label])
		text = text sprintf(" memory by %.0f MB", mb[label] - mb_bar[label])
	return text
}

function bars(label,	text)
{
	if (gap_bar[label] != "-")
		text = "<= +" gap_bar[label] " %"
	if (second_bar[label] != "-")
		text = text ", " second_bar[label] " s"
	if (mb_bar[label] != "-")
		text = text ", " mb_bar[label] " MB"
	return text
}

# Length of a baseline relative to the duration.
function baseline(label, method)
{
	if (!((label, method) in other))
		return "-"
	return sprintf("+%.1f %%", gap(other[label, method], duration[label]))
}

BEGIN {
	format = "%-40s %9s %8s %7s %7s %8s  %-20s %5s %10s %9s  %-22s %s\n"
	printf format, "work", "transfers", "duration", "bound", "length", "gap",
	       "s (least - most)", "MB", "rnd-robin", "first-fit", "bar", ""
}

!($1 in gap_bar) {
	order[++labels] = $1
	gap_bar[$1] = $2; second_bar[$1] = $3; mb_bar[$1] = $4
}

$5 == "auto" {
	label = $1
	n[label]++
	transfers[label] = $6; duration[label] = $7; bound[label] = $8; frames[label] = $9
	seconds[label, n[label]] = $11
	if ($13 > mb[label])
		mb[label] = $13
	next
}

$5 != "failed" {
	other[$1, $5] = $9
}

$5 == "failed" {
	failed[$1]++
}

END {
	for (i = 1; i <= labels; i++) {
		label = order[i]
		if (!n[label]) {
			printf "%-40s failed\n", label
			missed++
			continue
		}
		split("", list)
		for (j = 1; j <= n[label]; j++)
			list[j] = seconds[label, j]
		middle = median(list, n[label])
		off = gap(frames[label], duration[label])
		text = misses(label, off, middle)
		missed += text != ""
		printf format, label, transfers[label], duration[label], bound[label],
		       frames[label], sprintf("+%.2f %%", off),
		       sprintf("%.2f (%.2f - %.2f)", middle, least, most),
		       sprintf("%.0f", mb[label]), baseline(label, "round-robin"),
		       baseline(label, "first-fit"), bars(label),
		       bars(label) == "" ? "" : text == "" ? "met" : "missed:" text
	}
	print "missed " missed + 0
}
