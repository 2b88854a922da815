// SPDX-License-Identifier: GPL-2.0-only
/* Text of the man pages of liquid-nl's commands, in addition to their options. */
#include "util/pages.h"

#define GATE_OPTIONS \
	"A packet that is not scheduled follows --policy: share sends it in idle frames, " \
	"and in others within --reserve; idle in idle frames only; always whenever the " \
	"link is free; drop drops and counts it. --select: all, dscp=0-63 (which any " \
	"user may set: four times that is IP_TOS), mark=VALUE[/MASK], or a rule as of " \
	"--bypass, for the ports of either end. What ARP, neighbour discovery, IGMP, " \
	"MLD, DHCP, PTP, LACP, LLDP, 802.1X, spanning tree, BFD and VRRP send is " \
	"control, always; an eighth of --control is for the link's own protocols alone. " \
	"--bypass adds up to 16 rules, and replaces the earlier ones.\n\n" \
	"--launch (at most 10 ms) needs devices that take launch times, as tc-etf(8) " \
	"with offload. --wake-early (at most 50 us) waits with the TX queue locked. A " \
	"destination's limit is always at least two frames. --overhead is by default 24 " \
	"for Ethernet and 14 for IPoIB."

const struct page pages[] = {
	{ "attach",
	  "The kernel loads the module if it finds it; the gate is open until a schedule "
	  "is pushed. With --fabric and --node the rate is compared with the node's "
	  "link.\n\n" GATE_OPTIONS,
	  "liquid-nl attach ib0 --rate 100G" },
	{ "set", "Other options keep their values.\n\n" GATE_OPTIONS,
	  "liquid-nl set ib0 --policy idle --bypass tcp=22" },
	{ "detach", "The device gets its default qdisc; queued packets are dropped.",
	  "liquid-nl detach ib0" },
	{ "push",
	  "The files are read and checked before anything is sent to the kernel; a refused "
	  "push changes nothing. --fabric refuses a schedule of another fabric, and is "
	  "needed where a node sends several transfers in a frame. An address map has "
	  "lines NAME ADDR... of up to eight addresses: IPv4, IPv6, Ethernet, or "
	  "mark:NUMBER. Destinations keep their ids and counters.\n\n"
	  "--frame-time is from 10 us (100 us in a user namespace) to 10 s. The guard is "
	  "computed from --clock-error (which counts twice), --release-lag (`show` has "
	  "measured), --hops and --max-packet. A base time is rounded up to a "
	  "multiple of the cycle, so that nodes which push at different moments are in "
	  "phase. A kernel whose TAI offset is not --tai-offset refuses.\n\n"
	  "Without `renew` in the time of --lease (1 ms to 7 days) the gate opens. --stay "
	  "renews it, and opens the gate when a signal comes; it ends with 3 if the lease "
	  "has expired or another schedule has the gate. A label has at most 63 "
	  "characters, 43 with --stay.\n\n"
	  "A warning says if the guard is short, the cycle 100 ms or more, or a frame too "
	  "short for its messages. What TCP needs on routes (initcwnd, initrwnd, rto_min, "
	  "tcp_slow_start_after_idle) is printed, not set: see operations.rst.",
	  "liquid-nl push ib0 --schedule schedule --fabric cluster --node node001 \\\n    "
	  "--addr-map /etc/liquid/addresses --frame-time 1ms --base-time +1s" },
	{ "show",
	  "Mode (open, gated, hold), options, queues, and the schedules in force (oper) "
	  "and next (admin). release_lag says how long the driver took to get "
	  "released packets, in_flight the wire time in flight at a frame's end: bounds "
	  "of 99.9% since the gate was attached. leak names what may send past the gate. "
	  "Destinations and frames are for CAP_NET_ADMIN and the schedule's user.",
	  "liquid-nl show ib0 --dests --frames" },
	{ "stats",
	  "Counters, and 50th, 99th and 100th percentiles of how long packets waited, how "
	  "late late ones left, the lag of a frame's first packet, the driver's time, and "
	  "bytes in flight: bounds of a histogram's buckets, which JSON has whole. "
	  "--watch shows growth per second. --prometheus with -o is for node_exporter's "
	  "textfile collector; without the module liquid_up is 0, and the exit status too.",
	  "liquid-nl stats ib0 --watch" },
	{ "monitor",
	  "A line for each event: a schedule was committed, became oper, has ended; "
	  "lease-expired; clock-step; late packets, at most once a second; guard-short, if "
	  "10 or more of 10,000 runs of packets took longer than the guard; lost, if "
	  "events came faster than they were read. No privilege is needed.",
	  "liquid-nl monitor ib0 --json" },
	{ "renew", "Refused if the gate has no lease, or if it has expired.",
	  "liquid-nl renew ib0 --lease 60s" },
	{ "clear", "Both schedules and the lease go at once: the gate is open.",
	  "liquid-nl clear ib0" },
	{ "job",
	  "Configured by liquid.conf(5); operations.rst has the whole.\n\n"
	  "`start` publishes nodes, traffic, digests and a deadline. A job that shares a "
	  "node with a gated one is not gated, nor one that shares a link, unless --merge "
	  "solves all together. A comment that names no traffic is the user's error: the "
	  "job is not gated, and the command succeeds. Without `end` the job ends about a "
	  "minute after --until.\n\n"
	  "`ready` waits for the job, checks clock and routes, solves in an unprivileged "
	  "child, and stages the slice. When all nodes have staged the same, all commit at "
	  "one base time; if one fails, no node gates. It returns at the latest after "
	  "deadline and lead. By `agree first` it needs --nodes, and `start` is not "
	  "called. --user leaves a notice of the outcome that only that user can read. "
	  "--stay leaves a process for later rounds and the lease.\n\n"
	  "`reroute` solves the rest for new routes and switches all nodes at one base "
	  "time. `sweep` compares routes with the present ones: a round whose "
	  "routes changed is void, and its gates open within a second. Both need "
	  "--stay.\n\n"
	  "`status` says how good a schedule is, or which node failed and why; the job's "
	  "user learns from the notice. `report` has each node's throughput against the "
	  "liquid one, late packets and lags; --html writes one page. `serve` is for the "
	  "controller, by `agree service`.",
	  "liquid-nl job status 4711\nliquid-nl job report 4711 --html report.html" },
	{ "gate",
	  "Off: packets leave whenever the link is free (policy always, and a mark that no "
	  "packet has). On: they are gated again. The schedule runs on, so the nodes need "
	  "no new agreement.",
	  "liquid-nl gate off ib0" },
	{ "clock",
	  "Fit is a kernel's clock that is synchronised, a daemon with a reference, and an "
	  "error of at most --max-error: that of ptp4l(8) or chronyd(8), else the kernel's "
	  "bound. Under ptp4l phc2sys(8) must set the system clock. A TAI offset of 0 is a "
	  "fault only where other nodes have another. Each fault is printed with its "
	  "remedy; then the exit status is 1.",
	  "liquid-nl clock --max-error 10us" },
	{ "doctor",
	  "Checks the user database, configuration, fabric, routes, addresses, store and "
	  "Slurm; with --node also module, gate, guard, clock and processor, with "
	  "--job-user what that user can read. Each finding is ok, warn, wrong or not "
	  "checked, with its remedy; wrong is exit status 1. Nothing is changed. Run it as "
	  "root. A check that does not answer within --time-limit is wrong.",
	  "liquid-nl doctor --node node001" },
	{ "trial",
	  "Started on two to eight nodes of one switch at the same time, by srun(1) or "
	  "ssh(1), it sends from all to all by TCP and UDP, without gates and with. Each "
	  "node prints a record without names and addresses; with FILE the summary of "
	  "records is printed. The gate is removed at the end, however it ends. trial.rst "
	  "describes it.",
	  "srun -N 4 liquid-nl trial --nodes 10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4 "
	  ">records\nliquid-nl trial records" },
	{ 0 }
};
