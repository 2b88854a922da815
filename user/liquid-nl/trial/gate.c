// SPDX-License-Identifier: GPL-2.0-only
/* This node's gate: whether there can be one, made, renewed, read, removed. */
#include <errno.h>
#include <string.h>

#include "gate/device.h"
#include "gate/gate.h"
#include "gate/times.h"
#include "show/print.h"
#include "trial/trial.h"

#define LEASE_NS UINT64_C(20000000000)

bool trial_gate_possible(const char *device, char why[TRIAL_WHY])
{
	struct root_qdisc root = { .handle = 0 };
	struct netlink nl;
	bool possible = false;

	if (netlink_open_route(&nl) || qdisc_root(&nl, if_nametoindex(device), &root))
		snprintf(why, TRIAL_WHY, "%s", nl.text);
	else if (!strcmp(root.kind, LIQUID_QDISC_KIND))
		snprintf(why, TRIAL_WHY, "the device has a gate already: `liquid-nl detach` "
			 "removes it");
	else if (root.handle)
		snprintf(why, TRIAL_WHY, "the device has a root qdisc that was set up: "
			 "`tc qdisc del dev DEV root` removes it");
	else
		possible = true;
	netlink_close(&nl);
	return possible;
}

bool trial_gate_remove(const char *device)
{
	uint32_t ifindex = if_nametoindex(device);
	struct root_qdisc root;
	struct netlink nl;
	bool removed;

	if (!ifindex)
		return true;
	removed = !netlink_open_route(&nl) && !qdisc_root(&nl, ifindex, &root) &&
		  (strcmp(root.kind, LIQUID_QDISC_KIND) || !qdisc_detach(&nl, ifindex));
	netlink_close(&nl);
	return removed;
}

static int attach(uint64_t rate_bps, uint32_t ifindex, struct netlink *nl)
{
	const struct gate_options options = {
		.present = 1ULL << LIQUID_GATE_A_RATE_BPS | 1ULL << LIQUID_GATE_A_SELECT |
			   1ULL << LIQUID_GATE_A_SELECT_MARK | 1ULL << LIQUID_GATE_A_SELECT_MASK,
		.rate_bps = rate_bps, .select = LIQUID_SELECT_MARK,
		.select_mark = TRIAL_MARK, .select_mask = UINT32_MAX,
	};

	return qdisc_attach(nl, ifindex, &options, false);
}

/* Destination i is node i. */
static int set_dests(const struct trial_net *net, uint32_t ifindex, struct netlink *nl)
{
	struct gate_dest dests[TRIAL_NODES_MAX] = { 0 };
	struct liquid_error err;
	size_t done;

	for (unsigned int i = 0; i < net->count; i++) {
		dests[i].id = i;
		dests[i].key_count = 1;
		if (addr_key_parse(net->node[i].text, &dests[i].key[0], &err)) {
			snprintf(nl->text, sizeof(nl->text), "an address that no gate takes");
			return -EINVAL;
		}
	}
	return gate_dest_set(nl, ifindex, dests, net->count, &done);
}

static int set_schedule(const struct trial_cycle *cycle, uint32_t ifindex, struct netlink *nl)
{
	const struct gate_sched sched = {
		.present = 1ULL << LIQUID_SCHED_A_FRAME_NS | 1ULL << LIQUID_SCHED_A_GUARD_NS |
			   1ULL << LIQUID_SCHED_A_FRAMES,
		.frame_ns = cycle->frame_ns, .guard_ns = cycle->guard_ns,
		.frames = cycle->count - 1,
	};
	struct gate_run run[TRIAL_NODES_MAX];
	const struct gate_runs runs = { .run = run, .count = sched.frames };
	int status = gate_sched_begin(nl, ifindex, &sched);

	for (uint32_t i = 0; i < sched.frames; i++)
		run[i] = (struct gate_run){ 1, trial_plan_dest(cycle, i) };
	if (!status)
		status = gate_sched_entries(nl, ifindex, &runs);
	return status ? status : gate_sched_commit(nl, ifindex, cycle->base_ns, cycle->tai_offset,
						   false, LEASE_NS);
}

bool trial_gate_make(const struct trial_net *net, const struct trial_cycle *cycle,
		     uint64_t rate_bps, char why[TRIAL_WHY])
{
	uint32_t ifindex = if_nametoindex(net->device);
	struct netlink nl;
	int status = netlink_open_route(&nl);

	if (!status)
		status = attach(rate_bps, ifindex, &nl);
	netlink_close(&nl);
	if (!status)
		status = gate_open(&nl);
	if (!status)
		status = set_dests(net, ifindex, &nl);
	if (!status)
		status = set_schedule(cycle, ifindex, &nl);
	if (status)
		snprintf(why, TRIAL_WHY, "%s", nl.text);
	netlink_close(&nl);
	return !status;
}

void trial_gate_renew(const char *device)
{
	struct netlink nl;

	if (!gate_open(&nl))
		(void)gate_lease_renew(&nl, if_nametoindex(device), 0);
	netlink_close(&nl);
}

bool trial_gate_read(const char *device, struct gate *gate, char why[TRIAL_WHY])
{
	struct netlink nl;
	bool read = !gate_open(&nl) && !gate_get(&nl, if_nametoindex(device), gate);

	if (!read)
		snprintf(why, TRIAL_WHY, "%s", nl.text);
	else if (gate->state.mode != LIQUID_MODE_GATED)
		snprintf(why, TRIAL_WHY, "the gate has opened: its lease has ended");
	netlink_close(&nl);
	return read && gate->state.mode == LIQUID_MODE_GATED;
}

json_t *trial_gate_json(const struct gate *before, const struct gate *after)
{
	struct gate_stats stats = after->stats;
	struct gate_times times = after->times;

	for (unsigned int i = 0; i <= LIQUID_STATS_A_MAX; i++)
		stats.counter[i] -= before->stats.counter[i];
	times.wait = times_since(&before->times.wait, &times.wait);
	times.late = times_since(&before->times.late, &times.late);
	times.lag = times_since(&before->times.lag, &times.lag);
	times.xmit = times_since(&before->times.xmit, &times.xmit);
	times.overrun = times_since(&before->times.overrun, &times.overrun);
	return json_pack("{s:o, s:o, s:o, s:o}", "stats", stats_json(&stats), "times",
			 times_json(&times, &stats, true), "release_lag", most_json(&times.xmit),
			 "in_flight", most_json(&times.overrun));
}
