// SPDX-License-Identifier: GPL-2.0-only
/*
 * Notifications: events of a gate, for listeners
 *
 * Events happen under the root lock, mostly in the data path. They are recorded there, if there
 * are listeners, and sent by a work item. While there are listeners, the work item also brings a
 * gate without traffic to the start and the end of its schedule, and checks the clock, since
 * nothing else would. It takes the root lock but never RTNL: the destruction of the gate waits for
 * it under RTNL.
 */
#include "lock.h"
#include "netlink/netlink.h"
#include "netlink/notify.h"
#include "frames/schedule.h"

#define LIQUID_LATE_JIFFIES	HZ		/* shortest time between frequent events */
#define LIQUID_WATCH_JIFFIES	HZ		/* longest time between checks of the clock */

static bool liquid_notify_wanted(const struct liquid_gate *gate)
{
	return liquid_event_has_listeners(dev_net(qdisc_dev(liquid_sch(gate))));
}

/* The label of the schedule that an event of @kind is about; NULL: there is no schedule */
static const char *liquid_notify_label(const struct liquid_gate *gate, u32 kind)
{
	const struct liquid_sched *sched = liquid_oper(gate);

	if (!sched || kind == LIQUID_EVENT_COMMITTED)
		sched = liquid_admin(gate);
	return sched ? sched->job.label : NULL;
}

/* Record that @kind has happened @count times. */
void liquid_notify(struct liquid_gate *gate, u32 kind, u64 count, s64 value)
{
	struct liquid_event *event = &gate->events.event[kind];
	const char *label;

	liquid_assert_root_lock(gate);
	if (!liquid_notify_wanted(gate))
		return;
	if (!event->count) {
		event->time = ktime_get_ns();
		mod_delayed_work(system_wq, &gate->family.root->events.work, 0);
	}
	event->count += count;
	event->value = kind == LIQUID_EVENT_CLOCK_STEP ? event->value + value : value;
	label = liquid_notify_label(gate, kind);
	if (label)
		memcpy(event->label, label, sizeof(event->label));
	else
		event->label[0] = '\0';
}

/* The gate has a new schedule or a new listener: watch it from now on, also without traffic. */
void liquid_notify_schedule(struct liquid_gate *gate)
{
	liquid_assert_root_lock(gate);
	if (liquid_notify_wanted(gate))
		mod_delayed_work(system_wq, &gate->events.work, 0);
}

/* Next start or end of a schedule, ns of CLOCK_TAI, or LIQUID_TIME_NEVER */
static s64 liquid_notify_next(const struct liquid_gate *gate)
{
	const struct liquid_sched *oper = liquid_oper(gate), *admin = liquid_admin(gate);
	s64 next = admin ? admin->start : LIQUID_TIME_NEVER;

	if (oper && !test_bit(LIQUID_SCHED_OVER, &oper->seen))
		next = min(next, oper->end);
	return next;
}

/* Jiffies until the work must run again; 0: never. @late: a frequent event is to be sent later. */
static unsigned long liquid_notify_delay(const struct liquid_gate *gate, bool late)
{
	s64 now = ktime_get_ns() + gate->tai_offset, next = liquid_notify_next(gate);
	unsigned long delay = 0;

	if (liquid_oper(gate) || liquid_admin(gate))
		delay = 1 + min_t(u64, nsecs_to_jiffies(max(next - now, 0LL)),
				  LIQUID_WATCH_JIFFIES);
	if (late) {
		long wait = max_t(long, gate->events.late_after - jiffies, 1);

		delay = delay ? min_t(unsigned long, delay, wait) : wait;
	}
	return delay;
}

/* Kinds that may happen all the time, and are sent once a second at most */
static bool liquid_notify_is_frequent(u32 kind)
{
	return kind == LIQUID_EVENT_LATE || kind == LIQUID_EVENT_GUARD_SHORT;
}

/* Move one kind of record of the device's gates to @event, as one event. */
static void liquid_notify_merge(struct liquid_gate *root, u32 kind, struct liquid_event *event)
{
	struct liquid_gate *gate;

	for (gate = root; gate; gate = gate->family.next) {
		struct liquid_event *part = &gate->events.event[kind];

		if (!part->count)
			continue;
		event->time = event->count ? min(event->time, part->time) : part->time;
		event->count += part->count;
		event->value = kind == LIQUID_EVENT_CLOCK_STEP ? event->value + part->value :
								 part->value;
		memcpy(event->label, part->label, sizeof(event->label));
		*part = (struct liquid_event){};
	}
}

static bool liquid_notify_is_late(struct liquid_gate *root)
{
	struct liquid_gate *gate;

	for (gate = root; gate; gate = gate->family.next) {
		if (gate->events.event[LIQUID_EVENT_LATE].count ||
		    gate->events.event[LIQUID_EVENT_GUARD_SHORT].count)
			return true;
	}
	return false;
}

/*
 * Move what may be sent now to @event, with times converted to CLOCK_TAI. True: a frequent one is
 * to be sent later.
 */
static bool liquid_notify_take(struct liquid_gate *root, struct liquid_event *event)
{
	bool late = liquid_notify_is_late(root);
	bool wait = late && time_before(jiffies, root->events.late_after);
	u32 kind;

	liquid_assert_root_lock(root);
	for (kind = 0; kind <= LIQUID_EVENT_MAX; kind++) {
		if (wait && liquid_notify_is_frequent(kind))
			continue;
		liquid_notify_merge(root, kind, &event[kind]);
		event[kind].time += root->tai_offset - root->link.launch;
	}
	if (late && !wait)
		root->events.late_after = jiffies + LIQUID_LATE_JIFFIES;
	return wait;
}

static void liquid_notify_forget(struct liquid_gate *root)
{
	struct liquid_event old = {};

	liquid_notify_merge(root, LIQUID_EVENT_LATE, &old);
	liquid_notify_merge(root, LIQUID_EVENT_GUARD_SHORT, &old);
}

/* The kind that happened first; above LIQUID_EVENT_MAX: @event is empty */
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

/* Send the recorded events. Jiffies until the work must run again; 0: never */
static unsigned long liquid_notify_send(struct liquid_gate *gate)
{
	struct liquid_event event[LIQUID_EVENT_MAX + 1] = {};
	unsigned long delay = 0;
	bool late;
	u32 kind;

	liquid_lock_advance(gate);
	late = liquid_notify_take(gate, event);
	if (liquid_notify_wanted(gate))
		delay = liquid_notify_delay(gate, late);
	else	/* do not keep old events for later listeners */
		liquid_notify_forget(gate);
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

	if (delay)	/* no effect if an event has queued the work meanwhile */
		queue_delayed_work(system_wq, &gate->events.work, delay);
}

void liquid_notify_init(struct liquid_gate *gate)
{
	INIT_DELAYED_WORK(&gate->events.work, liquid_notify_work);
	gate->events.late_after = jiffies;
}

/*
 * The gate is being destroyed: send the recorded events. Called without the root lock, which the
 * work takes. Sending advances the gate, which may start or end a schedule and queue the work
 * again; cancel it again, as it must not outlive the gate.
 */
void liquid_notify_destroy(struct liquid_gate *gate)
{
	ASSERT_RTNL();
	cancel_delayed_work_sync(&gate->events.work);
	gate->events.late_after = jiffies;
	liquid_notify_send(gate);
	cancel_delayed_work_sync(&gate->events.work);
}
