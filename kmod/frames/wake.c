// SPDX-License-Identifier: GPL-2.0-only
/* The timer: when the gate has work again */
#include "packets/queue.h"
#include "frames/schedule.h"
#include "packets/table.h"
#include "frames/wake.h"

#define LIQUID_TURNS_MAX	8	/* children between which turns are divided */
#define LIQUID_SCAN_FRAMES	256	/* frames searched for one that the backlog can use */

/* Wake the gate at @time, or as much earlier as it wants, unless the timer expires before. */
void liquid_arm_timer(struct liquid_gate *gate, s64 now, s64 time)
{
	if (time - gate->wait.early > now)
		time -= gate->wait.early;
	/* A watchdog whose device is going down does not start its timer. */
	if (gate->wait.armed > now && gate->wait.armed <= time &&
	    hrtimer_is_queued(&gate->wait.timer.timer))
		return;
	gate->wait.armed = time;
	qdisc_watchdog_schedule_ns(&gate->wait.timer, time);
}

/*
 * The timer expires before a frame begins (WAKE_EARLY_NS), since a processor may need some time to
 * leave its idle state. Busy until the frame begins, for at most LIQUID_WAKE_EARLY_NS_MAX. Not if
 * the timer has not expired: then a packet has arrived, and its sender need not wait.
 */
s64 liquid_wait_busy(const struct liquid_gate *gate, s64 now)
{
	const struct liquid_wait *wait = &gate->wait;

	if (now < wait->armed || now >= wait->wake || now < wait->wake - wait->early)
		return now;
	do {
		cpu_relax();
		now = ktime_get_ns();
	} while (now < wait->wake);
	return now;
}

/*
 * ns that a child may reserve until it waits for others. All wait until half of what may be
 * released ahead has drained; without turns, the first child to wake would take that half each
 * time.
 */
static s64 liquid_turn_ns(const struct liquid_gate *gate)
{
	const struct liquid_shared *shared = gate->shared;
	int senders = max(atomic_read(&shared->senders), atomic_read(&shared->before));

	senders = min(senders, LIQUID_TURNS_MAX);
	return senders > 1 ? div_s64(gate->link.ahead, 2 * senders) : LIQUID_TIME_NEVER;
}

/* A child has packets for the frame: from now on others leave it a share of the wire. */
void liquid_join_frame(struct liquid_gate *gate)
{
	s64 frame = gate->frame.number;

	gate->link.joined = frame;
	if (atomic64_xchg(&gate->shared->joined, frame) == frame)
		atomic_inc(&gate->shared->senders);
	else
		atomic_set(&gate->shared->before, atomic_xchg(&gate->shared->senders, 1));
	gate->link.turn = liquid_turn_ns(gate);
}

/* The gate has packets that may leave in the frame, not only for later ones. */
static bool liquid_wants_wire(const struct liquid_gate *gate)
{
	return liquid_control_qlen(gate) || gate->unsched.qlen ||
	       (gate->frame.dest && gate->frame.dest->queue.qlen);
}

/*
 * When a child wakes that takes turns with others. One that has had its turn sleeps until what it
 * has reserved has left, one that was refused wakes before those; or the same would win again.
 */
static s64 liquid_turn_wake(const struct liquid_link *link, s64 last)
{
	s64 half = last - link->ahead / 2, quarter = link->ahead / 4;

	if (link->turn <= 0)
		return max(half, min(link->vfinish, last - quarter));
	return link->turn <= link->ahead ? half - min(link->turn, quarter) : half;
}

/*
 * The wire is reserved as far ahead as the gate may, until @last. Let half of it drain, so that
 * each wake-up releases several packets.
 */
void liquid_wait_for_wire(struct liquid_gate *gate, s64 now, s64 last)
{
	struct liquid_link *link = &gate->link;
	s64 wake = last - link->ahead / 2;

	if (gate->family.root != gate) {
		if (link->joined != gate->frame.number && liquid_wants_wire(gate))
			liquid_join_frame(gate);
		wake = liquid_turn_wake(link, last);
		link->window = link->ahead;
		link->turn = liquid_turn_ns(gate);
	}
	gate->wait.wake = min(wake, now + LIQUID_TIMER_CAP_NS);
	gate->wait.early = 0;
}

/* The timer is about to be set to a frame of destination @id. */
static void liquid_set_target(struct liquid_gate *gate, s64 frame, u32 id)
{
	if (gate->wait.target_id != LIQUID_NONE && gate->wait.target == frame)
		return;
	gate->wait.target = frame;
	gate->wait.target_id = id;
	liquid_count(gate, &liquid_own(gate, gate->table->dest[id])->queue,
		     LIQUID_STATS_A_WAITS, 1);
}

static s64 liquid_frame_time(const struct liquid_gate *gate, const struct liquid_sched *sched,
			     u64 frames)
{
	return liquid_time_add(gate->frame.start, frames * sched->frame_ns);
}

static bool liquid_unsched_uses_idle(const struct liquid_gate *gate)
{
	return gate->unsched.qlen && (gate->config.policy == LIQUID_POLICY_SHARE ||
				      gate->config.policy == LIQUID_POLICY_IDLE);
}

/* Start of the next frame that the backlog can use; if none is found, the end of the search */
static s64 liquid_scan(struct liquid_gate *gate, const struct liquid_sched *sched)
{
	bool idle = liquid_unsched_uses_idle(gate);
	u32 index = gate->frame.index, frames, id;

	for (frames = 1; frames <= LIQUID_SCAN_FRAMES; frames++) {
		index = index + 1 < sched->frames ? index + 1 : 0;
		id = sched->dest[index];
		if (id == LIQUID_NONE) {
			if (idle)
				break;
		} else if (test_bit(id, gate->ready)) {
			liquid_set_target(gate, gate->frame.number + frames, id);
			break;
		}
	}
	return liquid_frame_time(gate, sched, frames);
}

/*
 * When @budget will allow another packet. All children that wait for it wake at the begin of the
 * same frame, and the first takes it. One that has had of a budget in this frame wakes later than
 * the others; or timers of one CPU, which fire in the order in which they were set, would give it
 * to the same child each time.
 */
static s64 liquid_budget_time(const struct liquid_gate *gate, const struct liquid_sched *sched,
			      const struct liquid_budget *budget)
{
	u64 frames = max(liquid_credit_frames(liquid_budget_left(budget), budget->frame), 1ULL);
	s64 later = 0;

	if (gate->family.root != gate && gate->wait.charged == gate->frame.number)
		later = min_t(s64, gate->link.ahead, sched->frame_ns) / 4;
	return frames > LIQUID_SCAN_FRAMES ? LIQUID_TIME_NEVER :
	       liquid_frame_time(gate, sched, frames) + later;
}

/* With a schedule: when there may be work again */
static s64 liquid_wake_time(struct liquid_gate *gate, const struct liquid_sched *sched,
			    bool stopped)
{
	s64 wake = LIQUID_TIME_NEVER;

	if (gate->frame.mode == LIQUID_MODE_GATED && !stopped)
		wake = liquid_scan(gate, sched);
	else if (liquid_unsched_uses_idle(gate))	/* in a hold every frame is idle */
		wake = liquid_frame_time(gate, sched, 1);
	if (gate->link_control.qlen)
		wake = min(wake, liquid_budget_time(gate, sched, &gate->link_budget));
	if (gate->control.qlen)
		wake = min(wake, liquid_budget_time(gate, sched, &gate->control_budget));
	if (gate->unsched.qlen && gate->config.policy == LIQUID_POLICY_SHARE)
		wake = min(wake, liquid_budget_time(gate, sched, &gate->reserve));
	if (gate->unsched.qlen && gate->config.policy == LIQUID_POLICY_ALWAYS)
		wake = min(wake, liquid_frame_time(gate, sched, 1));
	if (gate->frame.mode == LIQUID_MODE_GATED && sched->end != LIQUID_TIME_NEVER)
		wake = min(wake, sched->end - gate->tai_offset);
	return wake;
}

/* Nothing to release now: sleep. When a device queue is started again, the core calls dequeue. */
void liquid_sleep(struct liquid_gate *gate, s64 now, bool stopped)
{
	const struct liquid_sched *oper = liquid_oper(gate), *admin = liquid_admin(gate);
	s64 cap = now + LIQUID_TIMER_CAP_NS, wake = cap;

	if (gate->frame.mode != LIQUID_MODE_OPEN)
		wake = min(wake, liquid_wake_time(gate, oper, stopped));
	if (admin)
		wake = min(wake, admin->start - gate->tai_offset);
	qdisc_qstats_overlimit(liquid_sch(gate));
	/* The call after a restart of the device queue must not find the gate asleep. */
	gate->wait.wake = stopped ? 0 : wake;
	gate->wait.early = stopped || wake == cap ? 0 : gate->config.wake_early_ns;
	liquid_arm_timer(gate, now, wake);
}

/*
 * The first packet of @queue arrives while the gate sleeps: wake earlier if its frame begins
 * earlier. A frame that has begun since the gate went to sleep is not a target: it may be over
 * already, without having been missed.
 */
void liquid_wake_earlier(struct liquid_gate *gate, struct liquid_queue *queue, s64 now)
{
	const struct liquid_sched *oper;
	u32 frames;
	s64 time;

	if (queue->id == LIQUID_NONE || gate->frame.mode == LIQUID_MODE_OPEN ||
	    queue->id == gate->frame.id) {
		gate->wait.wake = 0;
		return;
	}
	if (gate->frame.mode == LIQUID_MODE_HOLD)
		return;
	oper = liquid_oper(gate);
	frames = liquid_sched_next(oper, queue->id, gate->frame.index);
	time = liquid_frame_time(gate, oper, frames);
	if (time >= gate->wait.wake)
		return;
	gate->wait.wake = time;
	gate->wait.early = gate->config.wake_early_ns;
	if (time > now)
		liquid_set_target(gate, gate->frame.number + frames, queue->id);
}
