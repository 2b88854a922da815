# SPDX-License-Identifier: GPL-2.0-only
# Print the demo's tables from the lines of the guest. Lines that begin with # are printed as text.
#
# -v liquid=BYTES_PER_S: the liquid throughput; -v payload=BYTES: of a datagram;
# -v curves=FILE: output file for the throughput over time, from which the picture is made.

function read_words(    i, at)
{
	split("", value)
	for (i = 2; i <= NF; i++) {
		at = index($i, "=")
		if (at)
			value[substr($i, 1, at - 1)] = substr($i, at + 1)
	}
}

function title(order)
{
	return order == "gated" ? "liquid schedule, with gates" : "pairwise, without gates"
}

# A line of the live table: throughput since the previous line, with a bar of up to 50 characters
function live(    seconds, rate, share, bar)
{
	seconds = (value["ns"] - last_ns) / 1e9
	rate = (value["arrived"] - last_arrived) * payload / seconds
	share = rate / liquid
	for (bar = ""; length(bar) < 50 * share - 0.5; )
		bar = bar "#"
	printf "   %5.1f s  %6.1f MB/s  %5.1f %%  %s\n", value["ns"] / 1e9, rate / 1e6, 100 * share,
		bar
	print order, value["ns"] / 1e9, 100 * share >curves
	last_ns = value["ns"]
	last_arrived = value["arrived"]
}

function show(what, rate, rest)
{
	printf "   %-34s %7.1f MB/s  %5.1f %%%s\n", what, rate / 1e6, 100 * rate / liquid, rest
}

{ read_words() }

$1 == "#" {
	if ($2 !~ /^(test|end|guest):/)
		print "  " substr($0, 2)
}
$1 == "begin" {
	if (order)
		print "\n\n" >curves
	order = $2
	last_ns = last_arrived = 0
	printf "   %s; of the liquid throughput, %.1f MB/s:\n", title(order), liquid / 1e6
}
$1 == "at" { live() }
$1 == "row" && $2 == "host" {
	if (!hosts++)
		printf "\n   %-8s %9s %10s %9s %6s\n", "sender", "packets", "messages", "in frame",
			"late"
	printf "   %-8s %9d %10d %9d %6d\n", value["name"], value["packets"], value["messages"],
		value["messages"] - value["outside"], value["late"]
}
$1 == "row" && $2 != "host" {
	rate[$2] = value["ns"] > 0 ? value["arrived"] * payload * 1e9 / value["ns"] : 0
	lost[$2] = value["datagrams"] - value["arrived"]
	datagrams[$2] = value["datagrams"]
}
/^not ok/ { failed = 1 }
{ fflush() }

END {
	if (!rate["gated"] || !rate["pairwise"] || failed) {
		print "demo: a run failed or has no result" >"/dev/stderr"
		exit 1
	}
	print ""
	show("liquid throughput (of the links)", liquid)
	count = split("pairwise gated", name, " ")
	for (i = 1; i <= count; i++)
		show(title(name[i]), rate[name[i]],
			"  " lost[name[i]] " of " datagrams[name[i]] " datagrams lost")
	printf "\n   factor gained: %.2f\n", rate["gated"] / rate["pairwise"]
}
