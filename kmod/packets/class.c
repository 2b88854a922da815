// SPDX-License-Identifier: GPL-2.0-only
/*
 * The children of a gate as classes, which `tc -s class show` prints
 *
 * As with mq, class N is the qdisc of TX queue N - 1, with its counters and its backlog.
 * A child belongs to its gate: tc can neither replace nor remove it, and it takes no filters.
 */
#include <net/pkt_sched.h>

#include "packets/family.h"
#include "gate.h"

static struct Qdisc *liquid_class_qdisc(struct Qdisc *sch, unsigned long class)
{
	struct liquid_gate *root = qdisc_priv(sch), *gate;

	for (gate = root->family.next; gate; gate = gate->family.next)
		if (gate->family.index + 1 == class)
			return liquid_sch(gate);
	return NULL;
}

static unsigned long liquid_class_find(struct Qdisc *sch, u32 handle)
{
	unsigned long class = TC_H_MIN(handle);

	return liquid_class_qdisc(sch, class) ? class : 0;
}

/* What tc could change by itself: nothing */
static struct Qdisc *liquid_class_leaf(struct Qdisc *sch, unsigned long class)
{
	return NULL;
}

static void liquid_class_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	struct liquid_gate *root = qdisc_priv(sch), *gate;

	for (gate = root->family.next; gate && !walker->stop; gate = gate->family.next) {
		if (walker->count >= walker->skip &&
		    walker->fn(sch, gate->family.index + 1, walker) < 0)
			walker->stop = 1;
		else
			walker->count++;
	}
}

static int liquid_class_dump(struct Qdisc *sch, unsigned long class, struct sk_buff *skb,
			     struct tcmsg *tcm)
{
	tcm->tcm_parent = TC_H_ROOT;
	tcm->tcm_handle |= TC_H_MIN(class);
	return 0;
}

static int liquid_class_dump_stats(struct Qdisc *sch, unsigned long class, struct gnet_dump *dump)
{
	struct Qdisc *child = liquid_class_qdisc(sch, class);

	if (gnet_stats_copy_basic(dump, NULL, &child->bstats, true) < 0 ||
	    qdisc_qstats_copy(dump, child) < 0)
		return -1;
	return 0;
}

const struct Qdisc_class_ops liquid_class_ops = {
	.find		= liquid_class_find,
	.leaf		= liquid_class_leaf,
	.walk		= liquid_class_walk,
	.dump		= liquid_class_dump,
	.dump_stats	= liquid_class_dump_stats,
};
