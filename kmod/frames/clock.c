// SPDX-License-Identifier: GPL-2.0-only
/*
 * The clock: the schedule in force, the current frame, and the destinations that it allows
 *
 * Frames follow CLOCK_TAI, timers run on CLOCK_MONOTONIC. The difference of the two changes only
 * when someone sets the clock. That is how a step is noticed; everything derived from the clock is
 * then computed again. Frames are never counted: each is found by division.
 */
#include "frames/clock.h"
#include "packets/handover.h"
#include "frames/latency.h"
#include "netlink/notify.h"
#include "packets/packet.h"
#include "packets/pass.h"
#include "packets/queue.h"
#include "frames/schedule.h"
#include "packets/sort.h"
#include "packets/table.h"
#include "trace.h"

/* Latest look at the bytes in flight, after the start of a frame */
#define LIQUID_OVERRUN_NS	(50 * NSEC_PER_USEC)

/* One part in LIQUID_LINK_PART of the credit for control packets is for the link's own alone. */
#define LIQUID_LINK_PART	8

/* TAI - UTC of this kernel, s */
s32 liquid_tai_utc(void)
{
	s64 utc = ktime_to_ns(ktime_mono_to_any(0, TK_OFFS_REAL));

	return div_s64(liquid_tai_offset() - utc, NSEC_PER_SEC);
}

/* Discard values derived from the clock or the schedule. */
void liquid_gate_restart(struct liquid_gate *gate)
{
	liquid_frame_forget(gate);
	gate->frame.number = S64_MIN;
	gate->frame.split = S64_MIN;
	gate->wait.target_id = LIQUID_NONE;
	gate->wait.wake = 0;
}

/* Add the bytes of @frames frames; with 0, only lower the credit to its upper bound. */
static void liquid_refill(struct liquid_budget *budget, u64 frames)
{
	s64 credit = atomic64_read(budget->credit);

	do {
		if (!frames && credit <= budget->cap)
			return;
	} while (!atomic64_try_cmpxchg(budget->credit, &credit,
				       liquid_credit_refill(credit, frames, budget->frame,
							    budget->cap)));
}

static void liquid_budget_recompute(struct liquid_budget *budget, u64 frame_bytes, u32 permille,
				    u32 packet)
{
	budget->frame = liquid_permille(frame_bytes, permille);
	budget->cap = max_t(s64, budget->frame, permille ? packet : 0);
	liquid_refill(budget, 0);
}

/*
 * Without a schedule the core may send packets past an empty gate, if the operator prefers that to
 * counters. The core looks at the flag under the root lock. Not with launch times: the device would
 * get the senders' launch times.
 */
void liquid_gate_set_skip(struct liquid_gate *gate)
{
	const struct liquid_config *config = &gate->config;
	struct Qdisc *sch = liquid_sch(gate);

	liquid_assert_root_lock(gate);
	if (config->skip_open && !gate->link.launch && config->policy != LIQUID_POLICY_DROP &&
	    !rcu_access_pointer(gate->oper) && !rcu_access_pointer(gate->admin))
		sch->flags |= TCQ_F_CAN_BYPASS;
	else
		sch->flags &= ~TCQ_F_CAN_BYPASS;
}

/* Recompute what depends on options, link rate, MTU and schedule. */
void liquid_gate_recompute(struct liquid_gate *gate)
{
	const struct liquid_config *config = &gate->config;
	const struct liquid_sched *sched = liquid_oper(gate);
	struct liquid_link *link = &gate->link;
	u64 bytes = 0, packets;

	liquid_assert_root_lock(gate);
	link->ahead = config->ahead_ns;
	link->window = link->ahead;
	gate->expiry.horizon = (s64)config->horizon_ms * NSEC_PER_MSEC;
	if (sched) {
		bytes = liquid_wire_bytes_in(link->rate.bps, sched->frame_ns);
		gate->frame.room = sched->frame_ns - sched->guard_ns;
	}
	link->packet_bytes = max(liquid_wire_bytes(psched_mtu(qdisc_dev(liquid_sch(gate))),
						   config->overhead, config->mpu), 1U);
	liquid_budget_recompute(&gate->link_budget, bytes, config->control, link->packet_bytes);
	liquid_budget_recompute(&gate->control_budget, bytes, config->control, link->packet_bytes);
	gate->control_budget.keep = gate->control_budget.cap / LIQUID_LINK_PART;
	liquid_budget_recompute(&gate->reserve, bytes, config->reserve, link->packet_bytes);
	packets = div_u64(2 * bytes, link->packet_bytes) + 1;
	gate->dest_limit_packets = clamp_t(u64, packets, config->dest_limit_packets, U32_MAX);
	gate->dest_limit_bytes = max(config->dest_limit_bytes, 2 * bytes);
	liquid_pass_recompute(gate);
	liquid_gate_set_skip(gate);
	liquid_frame_forget(gate);
	gate->wait.wake = 0;
}

/* Set the link rate. Wire time charged at a slower rate must not block the gate. */
void liquid_gate_set_rate(struct liquid_gate *gate, u64 bps)
{
	s64 most = (s64)ktime_get_ns() + gate->link.ahead;

	liquid_assert_root_lock(gate);
	liquid_rate_set(&gate->link.rate, bps);
	atomic64_set(&gate->shared->vfinish, min(liquid_wire_end(gate), most));
	gate->link.reserved = 0;
	liquid_gate_recompute(gate);
}

static void liquid_clock_stepped(struct liquid_gate *gate, s64 offset)
{
	s64 old = atomic64_xchg(&gate->shared->tai_offset, offset);
	struct liquid_sched *oper = liquid_oper(gate);

	/* Only the first gate of the device that sees a step counts it. */
	if (old != offset) {
		trace_liquid_clock_step(qdisc_dev(liquid_sch(gate))->ifindex, offset - old);
		gate->stat[LIQUID_STATS_A_CLOCK_STEPS]++;
		if (oper || liquid_admin(gate))
			liquid_notify(gate, LIQUID_EVENT_CLOCK_STEP, 1, offset - old);
		if (oper)
			clear_bit(LIQUID_SCHED_OVER, &oper->seen);
		liquid_latency_look(gate);
		atomic64_set(&gate->shared->used, S64_MIN);
	}
	gate->tai_offset = offset;
	liquid_gate_restart(gate);
}

/*
 * @oper has ended by @tai. Listeners are notified once, and once more if a step of the clock had
 * brought it back into force.
 */
static bool liquid_is_over(struct liquid_gate *gate, struct liquid_sched *oper, s64 tai)
{
	bool over = oper && tai >= oper->end;

	if (over && !test_and_set_bit(LIQUID_SCHED_OVER, &oper->seen)) {
		liquid_notify(gate, LIQUID_EVENT_ENDED, 1, oper->end);
		liquid_latency_look(gate);
	}
	return over;
}

/* The first gate of the device makes @admin its schedule in force. */
static void liquid_sched_begin(struct liquid_gate *gate, const struct liquid_sched *admin, s64 tai)
{
	trace_liquid_swap(qdisc_dev(liquid_sch(gate))->ifindex, admin->seq, tai, admin->start);
	gate->stat[LIQUID_STATS_A_SWAPS]++;
	liquid_notify(gate, LIQUID_EVENT_OPER, 1, admin->start);
	atomic64_set(gate->control_budget.credit, 0);
	atomic64_set(gate->reserve.credit, 0);
	atomic64_set(&gate->shared->refilled, S64_MIN);
	atomic64_set(&gate->shared->used, S64_MIN);
	atomic64_set(&gate->shared->runs, 0);
	atomic64_set(&gate->shared->runs_above, 0);
}

static void liquid_sched_swap(struct liquid_gate *gate, struct liquid_sched *admin, s64 tai)
{
	struct liquid_sched *old = liquid_oper(gate);

	/* The old schedule may have ended before the new one starts. */
	liquid_is_over(gate, old, admin->start);
	rcu_assign_pointer(gate->oper, admin);
	RCU_INIT_POINTER(gate->admin, NULL);
	if (!test_and_set_bit(LIQUID_SCHED_BEGUN, &admin->seen))
		liquid_sched_begin(gate, admin, tai);
	liquid_sched_put(old);
	liquid_gate_restart(gate);
	liquid_gate_recompute(gate);
	liquid_sort_begin(gate);
}

/* Frame @frame begins: has the frame that the timer was set to been reached, or missed? */
static void liquid_check_target(struct liquid_gate *gate, s64 frame)
{
	struct liquid_dest *dest;

	if (gate->wait.target_id == LIQUID_NONE || frame < gate->wait.target)
		return;
	dest = liquid_own(gate, liquid_dest_by_id(gate->table, gate->wait.target_id));
	if (frame > gate->wait.target && dest && dest->queue.qlen)
		liquid_count(gate, &dest->queue, LIQUID_STATS_A_FRAMES_MISSED, 1);
	gate->wait.target_id = LIQUID_NONE;
}

/*
 * A frame of @frame_ns has begun at @start: the first gate of the device to see it adds to the
 * credits. By a clock that cannot be set: a gate that sees a step later than others would count
 * other frames.
 */
static void liquid_refill_all(struct liquid_gate *gate, s64 start, u64 frame_ns)
{
	s64 last = atomic64_read(&gate->shared->refilled);
	u64 frames = 1;

	do {
		if (start <= last)
			return;
	} while (!atomic64_try_cmpxchg(&gate->shared->refilled, &last, start));
	if (last != S64_MIN)
		frames = max(div64_u64(start - last + frame_ns / 2, frame_ns), 1ULL);
	liquid_refill(&gate->control_budget, frames);
	liquid_refill(&gate->reserve, frames);
}

/*
 * Another frame begins, behind one that the gate has used: how much is still in flight? If the gate
 * looks much later, nothing in flight proves nothing.
 */
static void liquid_count_overrun(struct liquid_gate *gate, const struct liquid_slot *slot, s64 tai)
{
	const struct Qdisc *sch = liquid_sch(gate);

	if (gate->link.launch || !gate->frame.used || slot->frame != gate->frame.number + 1 ||
	    tai - slot->start > LIQUID_OVERRUN_NS || !(sch->flags & TCQ_F_ONETXQUEUE) ||
	    !liquid_bql_queued(sch->dev_queue))
		return;
	liquid_hist_note_fine(&gate->delays.overrun,
			      liquid_wire_ns(&gate->link.rate, liquid_in_flight(sch->dev_queue)));
}

static void liquid_enter_frame(struct liquid_gate *gate, const struct liquid_slot *slot, u32 id)
{
	liquid_check_target(gate, slot->frame);
	if (slot->frame != gate->frame.number)
		gate->frame.used = false;
	gate->frame.number = slot->frame;
	gate->frame.index = slot->index;
	gate->frame.id = id;
	gate->frame.dest = liquid_own(gate, liquid_dest_by_id(gate->table, id));
	trace_liquid_frame(qdisc_dev(liquid_sch(gate))->ifindex, slot->frame, slot->index, id,
			   slot->start);
}

/* With a schedule: the frame of @tai */
static void liquid_advance_frame(struct liquid_gate *gate, const struct liquid_sched *sched,
				 s64 tai)
{
	struct liquid_slot slot = liquid_slot_at(tai, sched->base, sched->frame_ns, sched->frames);
	bool over = tai >= sched->end;

	liquid_count_overrun(gate, &slot, tai);
	gate->frame.mode = over ? LIQUID_MODE_HOLD : LIQUID_MODE_GATED;
	liquid_enter_frame(gate, &slot, over ? LIQUID_NONE : sched->dest[slot.index]);
	gate->frame.start = slot.start - gate->tai_offset;
	liquid_refill_all(gate, gate->frame.start, sched->frame_ns);
	gate->frame.end = slot.end - gate->tai_offset;
	gate->frame.latest = over ? LIQUID_TIME_NEVER : gate->frame.end + gate->link.launch;
	gate->link.limit = gate->frame.end - (s64)sched->guard_ns;
	gate->frame.valid_until = gate->frame.end;
}

static void liquid_advance_open(struct liquid_gate *gate)
{
	gate->frame.mode = LIQUID_MODE_OPEN;
	gate->frame.number = S64_MIN;
	gate->frame.id = LIQUID_NONE;
	gate->frame.dest = NULL;
	gate->wait.target_id = LIQUID_NONE;
	gate->link.limit = LIQUID_TIME_NEVER;
	gate->handover.from = LIQUID_TIME_NEVER;
	gate->frame.end = LIQUID_TIME_NEVER;
	gate->frame.latest = LIQUID_TIME_NEVER;
	gate->frame.valid_until = LIQUID_TIME_NEVER;
}

/* Derive the schedule in force and the frame of @now. @offset: CLOCK_TAI - CLOCK_MONOTONIC */
static void liquid_derive(struct liquid_gate *gate, s64 now, s64 offset)
{
	struct liquid_sched *oper, *admin;
	s64 tai = now + offset;
	bool over;

	if (offset != gate->tai_offset)
		liquid_clock_stepped(gate, offset);
	admin = liquid_admin(gate);
	/* Once it has begun on the device, a step back of the clock does not undo that. */
	if (admin && (tai >= admin->start || test_bit(LIQUID_SCHED_BEGUN, &admin->seen))) {
		liquid_sched_swap(gate, admin, tai);
		admin = NULL;
	}
	oper = liquid_oper(gate);
	over = liquid_is_over(gate, oper, tai);
	if (!oper || (over && oper->then == LIQUID_THEN_OPEN))
		liquid_advance_open(gate);
	else
		liquid_advance_frame(gate, oper, tai);
	if (admin) {
		s64 start = admin->start - gate->tai_offset;

		gate->frame.valid_until = min(gate->frame.valid_until, start);
		gate->link.limit = min(gate->link.limit, start - (s64)admin->guard_ns);
	}
	if (gate->frame.mode != LIQUID_MODE_OPEN)
		liquid_handover_near(gate, gate->link.limit, oper->guard_ns);
}

/*
 * The frame is over, or someone may have set the clock since the last look: the offset is read
 * once a millisecond, not for each packet.
 */
void liquid_gate_check(struct liquid_gate *gate, s64 now)
{
	s64 offset = liquid_tai_offset() + gate->link.launch;

	liquid_assert_root_lock(gate);
	if (now >= gate->frame.valid_until || offset != gate->tai_offset)
		liquid_derive(gate, now, offset);
	gate->frame.checked_until = min(gate->frame.valid_until, now + LIQUID_CHECK_NS);
}
