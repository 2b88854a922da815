// SPDX-License-Identifier: GPL-2.0-only
/*
 * Leases: a gate opens when its owner no longer renews its lease
 *
 * A lease is measured on CLOCK_BOOTTIME, which cannot be set and which counts while the machine
 * sleeps. It has its own timer, so that it also expires without traffic; the data path knows
 * nothing of it. The timer takes the root lock. Therefore nothing may wait for the timer with that
 * lock held, and the timer checks under the lock whether the lease has really expired.
 */
#include "frames/lease.h"
#include "lock.h"
#include "netlink/notify.h"
#include "frames/schedule.h"

static s64 liquid_lease_now(void)
{
	return ktime_get_boottime_ns();
}

/* ns left of the gate's lease; it has one. */
u64 liquid_lease_left(const struct liquid_gate *gate)
{
	liquid_assert_root_lock(gate);
	return max(gate->lease.end - liquid_lease_now(), 0LL);
}

/* In softirq. Waiting packets stay in their queues, which are now served round robin. */
static enum hrtimer_restart liquid_lease_expire(struct hrtimer *timer)
{
	struct liquid_gate *gate = container_of(timer, struct liquid_gate, lease.timer);

	liquid_lock_advance(gate);
	if (gate->lease.ns && liquid_lease_now() >= gate->lease.end) {
		gate->stat[LIQUID_STATS_A_LEASE_EXPIRED]++;
		liquid_notify(gate, LIQUID_EVENT_LEASE_EXPIRED, 1, 0);
		liquid_sched_drop(gate);
	}
	liquid_unlock(gate);
	return HRTIMER_NORESTART;
}

/* Start a lease of @ns; 0: end it. */
void liquid_lease_set(struct liquid_gate *gate, u64 ns)
{
	liquid_assert_root_lock(gate);
	gate->lease.ns = ns;
	if (!ns) {
		/* A handler that already runs waits for the lock, and then finds no lease. */
		hrtimer_try_to_cancel(&gate->lease.timer);
		return;
	}
	gate->lease.end = liquid_lease_now() + (s64)ns;
	hrtimer_start(&gate->lease.timer, ns_to_ktime(gate->lease.end), HRTIMER_MODE_ABS_SOFT);
}

int liquid_lease_check(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	u64 ns;

	if (!attr)
		return 0;
	ns = nla_get_u64(attr);
	if (ns >= LIQUID_LEASE_NS_MIN && ns <= LIQUID_LEASE_NS_MAX)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "lease out of range: use 1 ms to 7 days");
	return -ERANGE;
}

/* Restart the gate's lease, with the length in @attr if given. */
int liquid_lease_renew(struct liquid_gate *gate, const struct nlattr *attr,
		       struct netlink_ext_ack *extack)
{
	int err = liquid_lease_check(attr, extack);
	u64 ns;

	ASSERT_RTNL();
	if (err)
		return err;
	liquid_lock_flush(gate);
	ns = gate->lease.ns;
	if (ns)
		liquid_lease_set(gate, attr ? nla_get_u64(attr) : ns);
	liquid_unlock(gate);
	if (ns)
		return 0;
	NL_SET_ERR_MSG(extack,
		       "the gate has no lease, or it has expired: push a schedule with a lease");
	return -ENOENT;
}

void liquid_lease_init(struct liquid_gate *gate)
{
	hrtimer_setup(&gate->lease.timer, liquid_lease_expire, CLOCK_BOOTTIME,
		      HRTIMER_MODE_ABS_SOFT);
}

/* The gate is being destroyed: stop the timer and wait for it, without the root lock. */
void liquid_lease_destroy(struct liquid_gate *gate)
{
	ASSERT_RTNL();
	hrtimer_cancel(&gate->lease.timer);
}
