# SPDX-License-Identifier: GPL-2.0-only
# Print swiss.csv as a table: speed and quality of each method on Swiss-T1, and the bars.

function verdict(met, by)
{
	missed += !met
	return met ? "met" : "missed: " by
}

BEGIN {
	format = "%-15s %-12s %6s %6s  %-27s %9s %9s %9s\n"
	printf format, "work", "method", "number", "liquid", "total s (least - most)", "median us",
	       "p97 us", "max us"
}

$2 == "failed" {
	printf "%-15s failed\n", $1
	missed++
	next
}

{
	work = $1; method = $2; number = $3; right = $4; liquid = $5
	printf format, work, method, number, liquid,
	       sprintf("%.4f (%.4f - %.4f)", $10, $11, $12), $13, $14, $15
	if (right != number)
		wrong = wrong " " method
	quality[method] = sprintf("%.1f / %.1f / %.1f / %.1f, most +%.1f %%", 100 * liquid / number,
				  100 * $6 / number, 100 * $7 / number, 100 * $8 / number, $9)
	if (work == "patterns") {
		order[++methods] = method
		total[method] = $10; slowest[method] = $15; all[method] = liquid == number
	} else {
		allocations = number; allocated = liquid; allocation_time = $10
	}
}

function bars(method)
{
	if (!(method in total))
		return
	printf "%s: 362 liquid: %s; total <= 0.10 s: %s; slowest <= 2 ms: %s\n", method,
	       verdict(all[method], "not all"),
	       verdict(total[method] <= 0.1, sprintf("%.3f s", total[method])),
	       verdict(slowest[method] <= 2000, sprintf("%.1f ms", slowest[method] / 1000))
}

END {
	bars("auto")
	bars("auto whole")
	bars("quotient")
	if (allocations) {
		estimate = allocation_time * 390624 / allocations
		printf "allocations: %d of %d liquid: %s; all in <= 90 s: %s (%.1f s%s)\n",
		       allocated, allocations,
		       verdict(allocated == allocations, allocations - allocated " not"),
		       verdict(estimate <= 90, sprintf("by %.1f s", estimate - 90)), estimate,
		       allocations == 390624 ? "" : ", from the sample"
	}
	print "quality, % at the duration / up to +10 % / up to +20 % / above " \
	      "(DSATUR as published: 74 / 18 / 8)"
	for (i = 1; i <= methods; i++)
		printf "  %-12s %s\n", order[i], quality[order[i]]
	if (wrong) {
		print "invalid schedules:" wrong
		missed++
	}
	print "missed " missed + 0
}
