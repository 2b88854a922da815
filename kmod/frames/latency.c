// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU latency: how deeply processors may sleep while there is a schedule
 *
 * A processor may take hundreds of microseconds to leave a deep idle state, and a timer that is so
 * late loses the begin of a frame. The option CPU_LATENCY_NS bounds that time for all processors of
 * the machine. It costs power, so it holds only while a schedule waits or is in force.
 *
 * A schedule may end in a softirq, or in a timer. So a work item compares what should be with what
 * is; nothing else touches the request.
 */
#include <linux/pm_qos.h>

#include "frames/latency.h"
#include "lock.h"
#include "frames/schedule.h"

/* @gate has a schedule, and it is not over for good. */
static bool liquid_has_sched(const struct liquid_gate *gate)
{
	const struct liquid_sched *oper = liquid_oper(gate);

	return liquid_admin(gate) || (oper && (oper->then != LIQUID_THEN_OPEN ||
					       !test_bit(LIQUID_SCHED_OVER, &oper->seen)));
}

/* The latency that processors may have now, ns; 0: any */
static u32 liquid_latency_ns(struct liquid_gate *root)
{
	const struct liquid_gate *gate;
	u32 ns = 0;

	liquid_lock_flush(root);
	for (gate = root; gate && !ns; gate = gate->family.next) {
		if (liquid_has_sched(gate))
			ns = root->config.cpu_latency_ns;
	}
	liquid_unlock(root);
	return ns;
}

static void liquid_latency_work(struct work_struct *work)
{
	struct liquid_gate *root = container_of(work, struct liquid_gate, latency.work);
	struct pm_qos_request *request = &root->latency.request;
	u32 ns = liquid_latency_ns(root);

	if (!cpu_latency_qos_request_active(request)) {
		if (ns)
			cpu_latency_qos_add_request(request, ns / NSEC_PER_USEC);
	} else if (ns) {
		cpu_latency_qos_update_request(request, ns / NSEC_PER_USEC);
	} else {
		cpu_latency_qos_remove_request(request);
	}
}

/* The option has changed. */
void liquid_latency_change(struct liquid_gate *root)
{
	schedule_work(&root->latency.work);
}

/* A schedule comes or goes. */
void liquid_latency_look(struct liquid_gate *gate)
{
	liquid_assert_root_lock(gate);
	if (gate->config.cpu_latency_ns)
		schedule_work(&gate->family.root->latency.work);
}

void liquid_latency_init(struct liquid_gate *root)
{
	INIT_WORK(&root->latency.work, liquid_latency_work);
}

/* The gate is being destroyed: nothing can change its options or schedules any more. */
void liquid_latency_destroy(struct liquid_gate *root)
{
	ASSERT_RTNL();
	cancel_work_sync(&root->latency.work);
	if (cpu_latency_qos_request_active(&root->latency.request))
		cpu_latency_qos_remove_request(&root->latency.request);
}
