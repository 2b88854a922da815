# SPDX-License-Identifier: GPL-2.0-only
# The demo's table, from its guest's lines "row KIND NAME=VALUE..."; -v liquid=MBIT, the liquid throughput.

function read_words(    i, at)
{
	split("", value)
	for (i = 3; i <= NF; i++) {
		at = index($i, "=")
		value[substr($i, 1, at - 1)] = substr($i, at + 1)
	}
}

# Mbit/s of payload, all flows together
function throughput()
{
	return value["ms"] ? value["received"] * 8 / value["ms"] / 1000 : 0
}

function show(what, mbit, rest)
{
	printf "   %-34s %8.1f Mbit/s  %5.1f %%  %s\n", what, mbit, 100 * mbit / liquid, rest
}

$1 != "row" { next }
{ read_words() }
$2 ~ /gated$/ {
	runs[++count] = $2
	mbit[$2] = throughput()
	lost[$2] = value["packets"] > 0 ? value["lost"] " of " value["packets"] " datagrams lost" : ""
}
$2 == "host" {
	if (!hosts++)
		printf "   %-10s %9s %9s %9s %6s %9s\n", "host", "packets", "in frame", "outside",
			"late", "control"
	printf "   %-10s %9d %9d %9d %6d %9d\n", value["name"], value["scheduled"],
		value["scheduled"] - value["outside"], value["outside"], value["late"], value["control"]
}

END {
	if (count < 4) {
		print "demo: the guest gave no results" >"/dev/stderr"
		exit 1
	}
	print ""
	show("liquid throughput (of the links)", liquid)
	for (i = 1; i <= count; i++) {
		split(runs[i], word, "-")
		show(toupper(word[1]) " payload " (word[2] == "gated" ? "with gates" : "without gates"),
			mbit[runs[i]], lost[runs[i]])
	}
}
