// SPDX-License-Identifier: GPL-2.0-only
/* The requests of the generic-netlink family, one function each. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/gate.h"

int gate_open(struct netlink *nl)
{
	return netlink_open_generic(nl, LIQUID_GENL_NAME, LIQUID_GENL_VERSION, &liquid_table,
				    "module liquid is not loaded: modprobe liquid");
}

static struct nlmsghdr *request(struct netlink *nl, uint8_t command, uint32_t ifindex)
{
	struct nlmsghdr *nlh = netlink_generic(nl, command, 0);

	mnl_attr_put_u32(nlh, LIQUID_A_IFINDEX, ifindex);
	return nlh;
}

static int no_answer(struct netlink *nl)
{
	snprintf(nl->text, sizeof(nl->text), "the kernel's answer is empty");
	return -EPROTO;
}

int gate_get(struct netlink *nl, uint32_t ifindex, struct gate *gate)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_GATE_GET, ifindex);
	struct gate_list list = { 0 };
	int status = netlink_do(nl, nlh, gate_take, &list);

	if (!status && !list.count)
		status = no_answer(nl);
	if (!status)
		*gate = list.gate[0];
	gate_list_clear(&list);
	return status;
}

static void restart_gates(void *context)
{
	gate_list_clear(context);
}

int gate_dump(struct netlink *nl, struct gate_list *list)
{
	struct nlmsghdr *nlh = netlink_generic(nl, LIQUID_CMD_GATE_GET, 0);

	return netlink_dump(nl, nlh, gate_take, restart_gates, list);
}

int gate_set(struct netlink *nl, uint32_t ifindex, const struct gate_options *options)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_GATE_SET, ifindex);

	gate_put_options(nlh, LIQUID_A_GATE, options);
	return netlink_do(nl, nlh, NULL, NULL);
}

static void restart_dests(void *context)
{
	gate_dests_clear(context);
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t left = ((const struct gate_dest *)a)->id;
	uint32_t right = ((const struct gate_dest *)b)->id;

	return left < right ? -1 : left > right;
}

int gate_dest_dump(struct netlink *nl, uint32_t ifindex, struct gate_dests *dests)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_DEST_GET, ifindex);
	int status = netlink_dump(nl, nlh, gate_take_dests, restart_dests, dests);

	if (!status && dests->count)
		qsort(dests->dest, dests->count, sizeof(*dests->dest), compare_ids);
	return status;
}

/* As many requests as @dests need. */
static int change_dests(struct netlink *nl, uint8_t command, uint32_t ifindex,
			const struct gate_dest *dests, size_t count, bool keys, size_t *done)
{
	*done = 0;
	while (*done < count) {
		struct nlmsghdr *nlh = request(nl, command, ifindex);
		size_t some = gate_put_dests(nlh, dests + *done, count - *done, keys);
		int status = netlink_do(nl, nlh, NULL, NULL);

		if (status)
			return status;
		*done += some;
	}
	return 0;
}

int gate_dest_set(struct netlink *nl, uint32_t ifindex, const struct gate_dest *dests,
		  size_t count, size_t *done)
{
	return change_dests(nl, LIQUID_CMD_DEST_SET, ifindex, dests, count, true, done);
}

int gate_dest_del(struct netlink *nl, uint32_t ifindex, const struct gate_dest *dests,
		  size_t count)
{
	size_t done;

	return change_dests(nl, LIQUID_CMD_DEST_DEL, ifindex, dests, count, false, &done);
}

int gate_dest_flush(struct netlink *nl, uint32_t ifindex)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_DEST_DEL, ifindex);

	mnl_attr_put(nlh, LIQUID_A_ALL, 0, NULL);
	return netlink_do(nl, nlh, NULL, NULL);
}

int gate_sched_begin(struct netlink *nl, uint32_t ifindex, const struct gate_sched *sched)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_SCHED_BEGIN, ifindex);
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_A_SCHED);

	attrs_put(nlh, &sched_table, sched);
	mnl_attr_nest_end(nlh, nest);
	return netlink_do(nl, nlh, NULL, NULL);
}

int gate_sched_entries(struct netlink *nl, uint32_t ifindex, const struct gate_runs *runs)
{
	size_t done = 0;
	int status = 0;

	while (done < runs->count && !status) {
		struct nlmsghdr *nlh = request(nl, LIQUID_CMD_SCHED_ENTRIES, ifindex);

		done += gate_put_runs(nlh, runs->run + done, runs->count - done);
		status = netlink_do(nl, nlh, NULL, NULL);
	}
	return status;
}

int gate_sched_commit(struct netlink *nl, uint32_t ifindex, int64_t base_time,
		      int32_t tai_offset, bool replace, uint64_t lease_ns)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_SCHED_COMMIT, ifindex);

	mnl_attr_put(nlh, LIQUID_A_BASE_TIME, sizeof(base_time), &base_time);
	mnl_attr_put(nlh, LIQUID_A_TAI_OFFSET, sizeof(tai_offset), &tai_offset);
	if (replace)
		mnl_attr_put(nlh, LIQUID_A_REPLACE, 0, NULL);
	if (lease_ns)
		mnl_attr_put_u64(nlh, LIQUID_A_LEASE_NS, lease_ns);
	return netlink_do(nl, nlh, NULL, NULL);
}

int gate_lease_renew(struct netlink *nl, uint32_t ifindex, uint64_t lease_ns)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_LEASE_RENEW, ifindex);

	if (lease_ns)
		mnl_attr_put_u64(nlh, LIQUID_A_LEASE_NS, lease_ns);
	return netlink_do(nl, nlh, NULL, NULL);
}

int gate_sched_abort(struct netlink *nl, uint32_t ifindex)
{
	return netlink_do(nl, request(nl, LIQUID_CMD_SCHED_ABORT, ifindex), NULL, NULL);
}

int gate_sched_clear(struct netlink *nl, uint32_t ifindex)
{
	return netlink_do(nl, request(nl, LIQUID_CMD_SCHED_CLEAR, ifindex), NULL, NULL);
}

static void restart_runs(void *context)
{
	gate_runs_clear(context);
}

int gate_sched_dump(struct netlink *nl, uint32_t ifindex, uint32_t which, struct gate_runs *runs)
{
	struct nlmsghdr *nlh = request(nl, LIQUID_CMD_SCHED_GET, ifindex);

	mnl_attr_put_u32(nlh, LIQUID_A_WHICH, which);
	return netlink_dump(nl, nlh, gate_take_runs, restart_runs, runs);
}
