// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notifications: what happens to a gate, told to who listens
 *
 * It happens under the root lock, mostly in the data path: there it is only noted, and only
 * while somebody listens. A work item tells it. As long as somebody does, the same item brings a
 * gate without traffic to the start and the end of its schedule, and looks at the clock: nothing
 * else would see these. It takes the root lock and never RTNL, since the gate's destruction waits
 * for it under RTNL.
 */
#include "lock.h"
#include "netlink.h"
#include "notify.h"
#include "schedule.h"

#define LIQUID_LATE_JIFFIES	HZ		/* late packets are told of no more often */
#define LIQUID_WATCH_JIFFIES	HZ		/* the clock is looked at no less often */

static bool liquid_notify_wanted(const struct liquid_gate *gate)
{
	return liquid_event_has_listeners(dev_net(qdisc_dev(liquid_sch(gate))));
}

/* @kind has happened @count times. */
void liquid_notify(struct liquid_gate *gate, u32 kind, u64 count, s64 value)
{
	struct liquid_event *event = &gate->events.event[kind];

	liquid_assert_root_lock(gate);
	if (!liquid_notify_wanted(gate))
		return;
	if (!event->count) {
		event->time = ktime_get_ns();
		mod_delayed_work(system_wq, &gate->events.work, 0);
	}
	event->count += count;
	event->value = kind == LIQUID_EVENT_CLOCK_STEP ? event->value + value : value;
}

/* The gate has a new schedule, or a new listener: what comes is to be seen without traffic too. */
void liquid_notify_schedule(struct liquid_gate *gate)
{
	liquid_assert_root_lock(gate);
	if (liquid_notify_wanted(gate))
		mod_delayed_work(system_wq, &gate->events.work, 0);
}

/* When the schedules next begin or end, ns of CLOCK_TAI; LIQUID_TIME_NEVER */
static s64 liquid_notify_next(const struct liquid_gate *gate)
{
	const struct liquid_sched *oper = liquid_oper(gate), *admin = liquid_admin(gate);
	s64 next = admin ? admin->start : LIQUID_TIME_NEVER;

	if (oper && !gate->events.over)
		next = min(next, oper->end);
	return next;
}

/* Jiffies until the work has something to do again; 0: nothing is to come. */
static unsigned long liquid_notify_delay(const struct liquid_gate *gate)
{
	s64 now = ktime_get_ns() + gate->tai_offset, next = liquid_notify_next(gate);
	unsigned long delay = 0;

	if (liquid_oper(gate) || liquid_admin(gate))
		delay = 1 + min_t(u64, nsecs_to_jiffies(max(next - now, 0LL)),
				  LIQUID_WATCH_JIFFIES);
	if (gate->events.event[LIQUID_EVENT_LATE].count) {
		long late = max_t(long, gate->events.late_after - jiffies, 1);

		delay = delay ? min_t(unsigned long, delay, late) : late;
	}
	return delay;
}

/* Move what may be told now to @event, with its times by the clock as it stands now. */
static void liquid_notify_take(struct liquid_gate *gate, struct liquid_event *event)
{
	u32 kind;

	liquid_assert_root_lock(gate);
	for (kind = 0; kind <= LIQUID_EVENT_MAX; kind++) {
		if (!gate->events.event[kind].count)
			continue;
		if (kind == LIQUID_EVENT_LATE) {
			if (time_before(jiffies, gate->events.late_after))
				continue;
			gate->events.late_after = jiffies + LIQUID_LATE_JIFFIES;
		}
		event[kind] = gate->events.event[kind];
		event[kind].time += gate->tai_offset;
		gate->events.event[kind] = (struct liquid_event){};
	}
}

/* The kind that happened first of those in @event; past the last: there is none. */
static u32 liquid_notify_first(const struct liquid_event *event)
{
	u32 kind, first = LIQUID_EVENT_MAX + 1;

	for (kind = 0; kind <= LIQUID_EVENT_MAX; kind++) {
		if (event[kind].count &&
		    (first > LIQUID_EVENT_MAX || event[kind].time < event[first].time))
			first = kind;
	}
	return first;
}

/* Tell what has happened; jiffies until there is something to do again, 0: nothing is to come. */
static unsigned long liquid_notify_send(struct liquid_gate *gate)
{
	struct liquid_event event[LIQUID_EVENT_MAX + 1] = {};
	unsigned long delay = 0;
	u32 kind;

	liquid_lock_advance(gate);
	liquid_notify_take(gate, event);
	if (liquid_notify_wanted(gate))
		delay = liquid_notify_delay(gate);
	else	/* what was kept back is of no use to who comes later */
		memset(gate->events.event, 0, sizeof(gate->events.event));
	liquid_unlock(gate);
	while ((kind = liquid_notify_first(event)) <= LIQUID_EVENT_MAX) {
		liquid_event_send(gate, kind, &event[kind]);
		event[kind].count = 0;
	}
	return delay;
}

static void liquid_notify_work(struct work_struct *work)
{
	struct liquid_gate *gate = container_of(to_delayed_work(work), struct liquid_gate,
						events.work);
	unsigned long delay = liquid_notify_send(gate);

	if (delay)	/* unless something has happened meanwhile, and it is to run at once */
		queue_delayed_work(system_wq, &gate->events.work, delay);
}

void liquid_notify_init(struct liquid_gate *gate)
{
	INIT_DELAYED_WORK(&gate->events.work, liquid_notify_work);
	gate->events.late_after = jiffies;
}

/*
 * The gate dies: nothing happens to it any more, and what has happened is told. Without the root
 * lock, which the work takes. To tell brings the gate to the present, which may begin or end a
 * schedule, and so want the work once more: that is told as well, and the work must not outlive
 * the gate.
 */
void liquid_notify_destroy(struct liquid_gate *gate)
{
	ASSERT_RTNL();
	cancel_delayed_work_sync(&gate->events.work);
	gate->events.late_after = jiffies;
	liquid_notify_send(gate);
	cancel_delayed_work_sync(&gate->events.work);
}
