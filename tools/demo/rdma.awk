# SPDX-License-Identifier: GPL-2.0-only
# Print the demo's table of RDMA from the lines `row NAME share=THOUSANDTHS faults=N ns=N`.

function show(what, name)
{
	printf "   %-46s %6.2f s  %5.1f %%\n", what, ns[name] / 1e9, share[name] / 10
}

$1 == "row" {
	for (i = 3; i <= NF; i++) {
		split($i, word, "=")
		value[word[1]] = word[2]
	}
	share[$2] = value["share"]
	ns[$2] = value["ns"]
}

END {
	if (!share["liquid"] || !share["pairwise"] || !share["all-at-once"]) {
		print "demo: a run by RDMA has no result" >"/dev/stderr"
		exit 1
	}
	printf "   %-46s %6.2f s  100.0 %%\n", "liquid throughput (of the links)",
		ns["liquid"] * share["liquid"] / 1e12
	show("without: pairwise, as MPI libraries often do", "pairwise")
	show("without: all messages at once", "all-at-once")
	show("with: a liquid schedule, kept by tokens", "liquid")
	printf "\n   factor gained: %.2f over pairwise, %.2f over all at once\n",
		share["liquid"] / share["pairwise"], share["liquid"] / share["all-at-once"]
}
