# SPDX-License-Identifier: GPL-2.0-only
# Print change.csv as a table: seconds and lengths, anew and from the schedule before, and the share
# of transfers that stay in their frames.

BEGIN {
	printf "Solving from the schedule before a loss, beside solving anew\n"
	printf "%-42s %9s %8s %9s %9s %7s %7s %7s %8s  %s\n", "work", "transfers", "duration",
	       "anew s", "from s", "ratio", "anew", "from", "kept",
	       "from: no more than 5 % longer, faster"
}

$2 == "failed" {
	printf "%-42s failed\n", $1 ; next
}

# The label has a comma, so it is two fields.
{
	good = $6 <= 1.05 * $5 && $10 < $9
	printf "%-42s %9d %8d %9.4f %9.4f %7.1f %7d %7d %6.1f %%  %s\n", $1 "," $2, $3, $4, $9, $10,
	       $10 ? $9 / $10 : 0, $5, $6, $3 ? 100 * $7 / $3 : 0, good ? "met" : "missed"
}
