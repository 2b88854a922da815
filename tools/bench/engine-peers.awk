# SPDX-License-Identifier: GPL-2.0-only
# Print peers.csv as a table: times on nine patterns, geometric means of the ratios, and the bars.

function time(seconds)
{
	if (seconds < 0.00001)
		return sprintf("%.1f us", 1e6 * seconds)
	if (seconds < 0.001)
		return sprintf("%.0f us", 1e6 * seconds)
	return seconds < 1 ? sprintf("%.1f ms", 1e3 * seconds) : sprintf("%.2f s", seconds)
}

BEGIN {
	bar["cadical"] = 5000; bar["cbc"] = 20000; bar["glpk"] = 50000
	split("cadical cbc glpk", peers, " ")
	format = "%-10s %4s  %9s %9s %9s  %10s %10s %10s\n"
	printf format, "transfers", "K", "auto", "quotient", "whole", "CaDiCaL", "CBC", "GLPK"
}

{
	key = $1 "," $2
	if (!(key in auto))
		order[++patterns] = key
	auto[key] = $3 / 1e6; quotient[key] = $4 / 1e6; whole[key] = $5 / 1e6
	shown[key, $6] = $8 == "yes" ? time($7) : $8 == "limit" ? "> " time($7) : $8
	if ($8 == "yes" || $8 == "limit") {
		n[$6]++
		by_auto[$6] += log($7 * 1e6 / $3)
		by_quotient[$6] += log($7 * 1e6 / $4)
		by_whole[$6] += log($7 * 1e6 / $5)
		started[$6] += log(($7 + $9) * 1e6 / $3)
	}
	if ($8 == "limit")
		limited[$6]++
}

END {
	for (i = 1; i <= patterns; i++) {
		key = order[i]
		split(key, part, ",")
		printf format, part[1], part[2], time(auto[key]), time(quotient[key]),
		       time(whole[key]), shown[key, "cadical"], shown[key, "cbc"],
		       shown[key, "glpk"]
	}
	print "geometric means of peer's time / ours"
	for (i = 1; i <= 3; i++) {
		peer = peers[i]
		if (!n[peer]) {
			printf "  %-8s did not run\n", peer
			missed++
			continue
		}
		least = limited[peer] ? ">= " : ""
		ratio = exp(by_auto[peer] / n[peer])
		met = ratio >= bar[peer] && n[peer] == 9
		printf "  %-8s auto %s%.0f, quotient %s%.0f, whole %s%.0f", peer, least, ratio,
		       least, exp(by_quotient[peer] / n[peer]), least,
		       exp(by_whole[peer] / n[peer])
		printf "; bar %d for auto: %s (%.0f with its process start)\n", bar[peer],
		       met ? "met" : sprintf("missed: %.2f of it", ratio / bar[peer]),
		       exp(started[peer] / n[peer])
		missed += !met
	}
	print "missed " missed + 0
}
