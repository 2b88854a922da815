// SPDX-License-Identifier: GPL-2.0-only
/* Text of the man pages of liquid's commands, in addition to their options. */
#include "util/pages.h"

const struct page pages[] = {
	{ "advise",
	  "Prints a page: the bottlenecks by name, and who meets there; the remedies that "
	  "were tried, as orders in which libraries send, other routes, nodes and ranks, "
	  "and a schedule, ranked by gain and effort, with switches of one queue for each "
	  "input and with virtual output queues; and what to type for the best one. It "
	  "says so if nothing gains.\n\n"
	  "Two dumps may be given in any order, and compressed by gzip: each is recognised "
	  "by its content.\n\n"
	  "If the exchange is too large for --work, a part of it is simulated, and the "
	  "page says by how much its figures may be off. advise.rst explains each line.",
	  "liquid advise ibnetdiscover.txt dump_fts.txt --hosts 'node[001-032]'" },
	{ "fabric",
	  "`import` reads the output of ibnetdiscover, and tables of dump_fts, OpenSM "
	  "(opensm-lfts.dump) or ibdiagnet (ibdiagnet2.far; adaptive routes are refused). "
	  "All faults are reported in one error; those of parts that no route uses are "
	  "ignored. A link that is faster than the unit has a capacity of several units, "
	  "rounded down. Pairs without a route by --leave-out or --allow-unreachable are "
	  "left out of all-to-alls, with a note; `route` finds routes for them. The "
	  "options are stored in the file, so that jobs import in the same way.\n\n"
	  "--from ethernet reads a directory for each switch, named as by LLDP, with lldp.json "
	  "(of lldpcli -f json0 show neighbors), fdb.json (bridge -j fdb show), "
	  "routes.json (ip -j route show) and speeds (lines PORT MBIT/S); the last two may "
	  "be missing. Refused are routes of several next hops, bonds and tunnels: a hash "
	  "chooses the way of each packet there.\n\n"
	  "Graphs without tables are read too, for `route` to make them: --from edges (lines A B "
	  "[CAPACITY], as of networkx.write_edgelist()), networkx (JSON of node_link_data()), "
	  "dot and graphml; and --topo without --lft, which may be a net file of ibsim. A node "
	  "with one link is a host, unless its attribute kind says host or switch; the "
	  "attribute capacity of an edge is in units, whose rate --unit-rate gives.\n\n"
	  "`show --slurm` prints the tree of switches for Slurm's topology/tree: what the "
	  "switches of one level join is one of its switches.\n\n"
	  "`make` without a name lists the generators. formats.rst describes the file.",
	  "liquid fabric import --topo topo --lft lft -o cluster\nliquid fabric show cluster\n"
	  "liquid fabric make leaf-spine leaves=4 hosts=16 spines=2 -o better" },
	{ "solve",
	  "The traffic is an all-to-all of all hosts unless options say another. Lists of "
	  "hosts are as Slurm's: node[001-032]. --traffic mpi:alltoall sends a unit from "
	  "rank to rank; matrix:FILE has a row for each sender with the bytes to each "
	  "receiver, which are rounded up to units of --unit-bytes; rows and columns may "
	  "be labelled by hosts or numbers; without labels and --hosts they are all hosts in "
	  "the order of the fabric.\n\n"
	  "The same --method, --seed and --work give the same schedule on every node, by "
	  "any number of threads; with --time-limit it depends on the machine. The default "
	  "method finds one with any budget. More than 1048576 transfers need a budget of "
	  "as many, and more than 67108864 that it is given at all. --work is 2000000000 "
	  "by default, and with --compact 1000000000.\n\n"
	  "--compact makes a schedule of an all-to-all that does not list its transfers; "
	  "without it, more than 262144 transfers become one if no list is shorter.\n\n"
	  "--divisible sends messages in equal parts, up to 32, until a message takes at "
	  "most 0.5% more frames than the bound; =N up to N parts, of which the search may "
	  "take N/4 times the work. It goes with no export, and with neither --from, "
	  "--time-limit, --compact nor --list.\n\n"
	  "--from keeps frames where possible, after a link or host was lost: the schedule "
	  "is at most 5% longer than a new one, and its traffic by default that of the "
	  "schedule. --bound raises the lower bound by prices that `verify` checks. --list "
	  "lists the sets of transfers without congestion to which no other can be added: "
	  "teams use all bottlenecks. The exports write the problem for other solvers. "
	  "formats-schedule.rst has the forms and methods.",
	  "liquid solve cluster --hosts 'node[001-016]' -o schedule" },
	{ "verify",
	  "Code that shares only the fabric with the solver reports every fault. --circles "
	  "looks for routes that wait for each other in a circle within a lane, and names "
	  "its links. --prices checks the bound of `route --json`. If the form of a "
	  "compact schedule is invalid, or the tables do not keep its shifts, its frames "
	  "are not checked.",
	  "liquid verify cluster schedule" },
	{ "slice",
	  "A line for each frame and host, of a schedule of either form.\n\n"
	  "--format taprio prints a shell script for a network of Ethernet without the module: "
	  "a command tc(8) that opens a traffic class for each receiver in its frames, on "
	  "CLOCK_TAI. skb->priority says a packet's class: of a socket SO_PRIORITY, of a "
	  "destination a filter: tc filter add dev DEV egress protocol ip flower dst_ip ADDR "
	  "action skbedit priority PRIORITY, after tc qdisc add dev DEV clsact. The device needs a "
	  "TX queue for each class. All else, as ARP, is in class 0, which is open in all frames "
	  "outside the guard: nothing large should be sent there. The kernel itself "
	  "gives packets priorities up to 7 (IP_TOS, MLD): of more than 8 receivers some share "
	  "theirs with these, and of 16 the first one has class 0. tc has room for 30 "
	  "entries, a guard being one; csv has the same gates, by bit, for other tools.",
	  "liquid slice schedule --node node001\nliquid slice schedule --node node001 "
	  "--format csv --frame-time 1ms" },
	{ "plot",
	  "A schedule: frames from left to right, above the links in use (with --fabric), "
	  "bottlenecks first, below the senders. A cell has the name of its receiver, or "
	  "of more than 16 a colour of the key. Duration: the frames that the busiest links "
	  "need at least; a bottleneck is a link that needs all of them, and a bottleneck "
	  "of the rest needs all frames that are left, from there on: in a CSV the column "
	  "bottleneck is then 2, else 1. Liquid: as short as the duration. Beyond 1000 "
	  "several share a row or column; of more than 16777216 transfers 64 senders are "
	  "drawn.\n\n"
	  "A fabric, without a schedule, as on the pages of --html: trees by levels, tori as "
	  "grids, dragonflies by groups. A line for each direction of a cable, with its "
	  "load, which is the number of its transfers (or load/capacity). Beyond 128 hosts, "
	  "the hosts of a switch are one node; more than 512 switches are refused.\n\n"
	  "gnuplot draws. The file's suffix is the format: .svg, .png, .pdf, .csv, or .gp, "
	  "which is its input.",
	  "liquid plot schedule --fabric cluster -o schedule.svg" },
	{ "simulate",
	  "Carries a schedule as gates would release it, or a traffic in an order without "
	  "gates, and reports the time, its share of the liquid throughput and of a "
	  "crossbar's, waits, and late or lost packets.\n\n"
	  "pairwise and random: a host sends when its last message has arrived. "
	  "all-at-once: all are offered and served in turn. shuffle-xor and "
	  "shuffle-rotation: by packets, with --window of each sender under way.\n\n"
	  "Queues of cut-through switches: fifo, only a buffer's first packet goes on; "
	  "fifo-speedup, several of its packets to several outputs at once; voq, the first "
	  "for each output. --jitter: uniform (0 to the time), normal (its deviation) or "
	  "exp (its mean), which may be a share of a message's time, as exp:5%. --sync "
	  "runs the plan as programs do. simulate.rst and tools/lab/model.rst describe the "
	  "model and the fields of JSON.",
	  "liquid simulate cluster --schedule schedule --clock-error 100ns\nliquid "
	  "simulate cluster --order pairwise" },
	{ "ranks",
	  "Hosts of a switch by its ports, then hosts of the nearest switch left, so that "
	  "a subtree is complete before the next begins; the listed order is kept, with a "
	  "note, if the steps of a shift all-to-all take fewer frames in it. "
	  "contention-aware: in which these steps contend least, by a bounded search. A "
	  "schedule does not depend on the order of ranks.\n\n"
	  "hostfile and rankfile are Open MPI's; mpich is for MPICH's -hosts; hostlist is as "
	  "Slurm's -w and --hosts take it; slurm for SLURM_HOSTFILE with "
	  " --distribution=arbitrary.",
	  "liquid ranks cluster --hosts 'node[001-032]' --format hostlist" },
	{ "choose",
	  "The nodes with the least lambda, the greatest load / capacity of a link when "
	  "each sends one unit to each other; of several, those whose transfers cross the "
	  "fewest links between switches. What no choice goes below is printed too, and "
	  "whether the choice is proven best. The same options give the same nodes. A row "
	  "of a matrix belongs to a chosen node, in the order printed. liquid-sbatch(1) "
	  "submits a job on them.",
	  "liquid choose cluster --count 16 --free 'node[001-030]' --format hostlist" },
	{ "capillary",
	  "Each layer minimises the greatest load of what the layers before leave. Printed "
	  "are a layer's factor, bottlenecks and share, the links in use, the critical "
	  "ones, and the redundancy overall requirement (ROR): while links fail one at a "
	  "time, D seconds each, a sender of P packets a second adds D P ROR packets. "
	  "--fail-every and --fail-for count failures of two links as well. A second table "
	  "has the same for the ways of LMC. capillary.rst explains it.",
	  "liquid capillary cluster --from node001 --to node032" },
	{ "route",
	  "In no virtual lane do routes wait for each other in a circle, unless --circles "
	  "allows it. At equal load, tables with cheap shifts are taken, which a pairwise "
	  "exchange gains from. The bound holds for all routes, even if they split; JSON has the "
	  "prices that prove it. --lmc gives a host 2^K addresses, HOST.1 and so on, and "
	  "--assign writes which a pair takes. --from changes only lost routes; then "
	  "--topo without --lft says which cables are still there.\n\n"
	  "--lfts is for opensm -R file -U FILE, --qos-policy and --opensm-options for "
	  "opensm -Q -Y FILE -F FILE. Programs that ignore the service level of the path "
	  "record put all into lane 0, where routes for several lanes may wait for each "
	  "other forever; so with --lanes tables are written only with both files. "
	  "route.rst has more.",
	  "liquid route --topo topo --lft lft -o routed --lfts tables" },
	{ "diff",
	  "Of two fabrics, the nodes, links and entries of forwarding tables; of two "
	  "schedules, also of different fabrics, the frames of transfers; of two outputs "
	  "of one command with --json, the values. The exit code is 0 if nothing differs, "
	  "and 1 if something does.",
	  "liquid diff cluster better --top 5" },
	{ "matrix",
	  "conntrack reads what conntrack -L, conntrack -E -e DESTROY and "
	  "/proc/net/nf_conntrack print, with net.netfilter.nf_conntrack_acct=1 set "
	  "before; pcap what tcpdump -w writes. Both count IP packets with their headers. "
	  "Of each pair the input that has seen most counts, as sender and receiver see "
	  "the same; with --sum they add up. Bytes within a host and those of unknown "
	  "addresses are left out.",
	  "liquid matrix --from conntrack --addresses addresses -o bytes flows.*\nliquid "
	  "solve cluster --traffic matrix:bytes --unit-bytes 1Mi -o schedule" },
	{ 0 }
};
