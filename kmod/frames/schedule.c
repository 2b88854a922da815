// SPDX-License-Identifier: GPL-2.0-only
/*
 * Schedules: transactions, and the immutable schedules that they become
 *
 * A transaction belongs to a socket and a gate. Nothing of it is visible until it is committed. A
 * refused commit leaves it as it was. Requests hold RTNL. A socket is closed without it, and must
 * not wait for the requests of others; therefore the list of transactions has its own lock,
 * which is not held while a transaction is filled or made a schedule.
 */
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "frames/clock.h"
#include "frames/latency.h"
#include "frames/lease.h"
#include "lock.h"
#include "netlink/netlink-gen.h"
#include "netlink/notify.h"
#include "packets/qdisc.h"
#include "netlink/reader.h"
#include "frames/schedule.h"
#include "packets/table.h"

#define LIQUID_STAGES_MAX	64	/* transactions open on one gate */
#define LIQUID_RESCHED_FRAMES	4096	/* frames between two cond_resched() */

/*
 * A transaction of one socket on one gate. Written under RTNL; what says whose it is does not
 * change, and may be read under RCU.
 */
struct liquid_stage {
	struct list_head list;
	struct rcu_head rcu;
	struct liquid_gate *gate;
	const struct net *net;	/* namespace of the socket */
	u32 portid;		/* the socket */
	bool busy;		/* a request works on it; liquid_stage_lock */
	u64 frame_ns;		/* as in &struct liquid_sched, to @then */
	u64 guard_ns;
	u64 cycles;
	u32 frames;
	u32 then;
	struct liquid_job job;
	u32 filled;		/* frames received so far */
	u32 dest[];		/* destination of each frame */
};

static LIST_HEAD(liquid_stages);
static DEFINE_MUTEX(liquid_stage_lock);
static u32 liquid_sched_seq;	/* RTNL */

static struct liquid_stage *liquid_stage_find(const struct liquid_gate *gate,
					      const struct net *net, u32 portid)
{
	struct liquid_stage *stage;

	lockdep_assert_held(&liquid_stage_lock);
	list_for_each_entry(stage, &liquid_stages, list) {
		if (stage->gate == gate && stage->net == net && stage->portid == portid)
			return stage;
	}
	return NULL;
}

static void liquid_stage_drop(struct liquid_stage *stage)
{
	lockdep_assert_held(&liquid_stage_lock);
	list_del_rcu(&stage->list);
	stage->gate->stages--;
	kvfree_rcu(stage, rcu);
}

/*
 * For a request that works on its transaction; NULL: there is none. Its socket is open. But the one
 * that had the number before may be just being closed.
 */
static struct liquid_stage *liquid_stage_get(const struct liquid_gate *gate, const struct net *net,
					     u32 portid, struct netlink_ext_ack *extack)
{
	struct liquid_stage *stage;

	ASSERT_RTNL();
	mutex_lock(&liquid_stage_lock);
	stage = liquid_stage_find(gate, net, portid);
	if (stage)
		stage->busy = true;
	else
		NL_SET_ERR_MSG(extack,
			       "no transaction is open on this socket: begin one first");
	mutex_unlock(&liquid_stage_lock);
	return stage;
}

/* The request has ended; @drop: and with it the transaction. */
static void liquid_stage_put(struct liquid_stage *stage, bool drop)
{
	mutex_lock(&liquid_stage_lock);
	stage->busy = false;
	if (drop)
		liquid_stage_drop(stage);
	mutex_unlock(&liquid_stage_lock);
}

static void liquid_stage_drop_matching(const struct liquid_gate *gate, const struct net *net,
				       u32 portid)
{
	struct liquid_stage *stage, *next;

	mutex_lock(&liquid_stage_lock);
	list_for_each_entry_safe(stage, next, &liquid_stages, list) {
		if (!stage->busy && (gate ? stage->gate == gate :
					    stage->net == net && stage->portid == portid))
			liquid_stage_drop(stage);
	}
	mutex_unlock(&liquid_stage_lock);
}

/* Is a transaction open on this socket? Exact only if no request of it can be under way. */
static bool liquid_stage_any(const struct net *net, u32 portid)
{
	const struct liquid_stage *stage;
	bool any = false;

	rcu_read_lock();
	list_for_each_entry_rcu(stage, &liquid_stages, list) {
		any = stage->net == net && stage->portid == portid;
		if (any)
			break;
	}
	rcu_read_unlock();
	return any;
}

/*
 * A socket was closed: any generic netlink socket of the machine. One without a transaction takes
 * no lock.
 */
void liquid_stage_release(const struct net *net, u32 portid)
{
	if (liquid_stage_any(net, portid))
		liquid_stage_drop_matching(NULL, net, portid);
}

/* A gate is being destroyed. */
void liquid_stage_release_gate(struct liquid_gate *gate)
{
	liquid_stage_drop_matching(gate, NULL, 0);
}

static int liquid_parse_frames(struct liquid_stage *stage, struct nlattr **attrs,
			       struct nlattr *nest, bool admin, struct netlink_ext_ack *extack)
{
	if (!attrs[LIQUID_SCHED_A_FRAME_NS] || !attrs[LIQUID_SCHED_A_FRAMES]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "a schedule needs FRAME_NS and FRAMES");
		return -EINVAL;
	}
	stage->frame_ns = nla_get_u64(attrs[LIQUID_SCHED_A_FRAME_NS]);
	if (stage->frame_ns < LIQUID_FRAME_NS_MIN || stage->frame_ns > LIQUID_FRAME_NS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_SCHED_A_FRAME_NS],
				    "frame length out of range: use 10 us to 10 s");
		return -ERANGE;
	}
	if (stage->frame_ns < LIQUID_FRAME_NS_USER && !admin) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_SCHED_A_FRAME_NS],
				    "frames below 100 us need CAP_NET_ADMIN on the machine: "
				    "use longer frames");
		return -EPERM;
	}
	stage->frames = nla_get_u32(attrs[LIQUID_SCHED_A_FRAMES]);
	if (!stage->frames || stage->frames > LIQUID_FRAMES_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_SCHED_A_FRAMES],
				    "number of frames out of range: use 1 to 1048576");
		return -ERANGE;
	}
	if (attrs[LIQUID_SCHED_A_GUARD_NS])
		stage->guard_ns = nla_get_u64(attrs[LIQUID_SCHED_A_GUARD_NS]);
	if (stage->guard_ns >= stage->frame_ns) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_SCHED_A_GUARD_NS],
				    "the guard is as long as the frame: use a shorter guard");
		return -ERANGE;
	}
	return 0;
}

static int liquid_parse_end(struct liquid_stage *stage, struct nlattr **attrs,
			    struct netlink_ext_ack *extack)
{
	u64 ns;

	stage->then = LIQUID_THEN_OPEN;
	if (attrs[LIQUID_SCHED_A_THEN])
		stage->then = nla_get_u32(attrs[LIQUID_SCHED_A_THEN]);
	if (stage->then > LIQUID_THEN_HOLD) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_SCHED_A_THEN],
				    "unknown THEN: use open or hold");
		return -EINVAL;
	}
	if (attrs[LIQUID_SCHED_A_CYCLES])
		stage->cycles = nla_get_u64(attrs[LIQUID_SCHED_A_CYCLES]);
	if (!liquid_cycles_ns(stage->frame_ns, stage->frames, stage->cycles, &ns)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_SCHED_A_CYCLES],
				    "too many cycles: the end does not fit in 63 bits; "
				    "use 0 for no end");
		return -ERANGE;
	}
	return 0;
}

static int liquid_parse_label(char *label, const struct nlattr *attr,
			      struct netlink_ext_ack *extack)
{
	size_t length = strlen(nla_data(attr)), i;

	if (!length || length > LIQUID_LABEL_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "label out of range: use 1 to 63 characters");
		return -ERANGE;
	}
	for (i = 0; i <= length; i++) {
		label[i] = ((const char *)nla_data(attr))[i];
		if (i < length && (label[i] < ' ' || label[i] > '~')) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "label with a character that is not printable ASCII: "
					    "leave it out");
			return -EINVAL;
		}
	}
	return 0;
}

static int liquid_parse_job(struct liquid_job *job, struct nlattr **attrs,
			    struct netlink_ext_ack *extack)
{
	const struct nlattr *user = attrs[LIQUID_SCHED_A_USER];

	job->user = INVALID_UID;
	if (user) {
		job->user = make_kuid(current_user_ns(), nla_get_u32(user));
		if (!uid_valid(job->user)) {
			NL_SET_ERR_MSG_ATTR(extack, user,
					    "no such user in the sender's user namespace");
			return -EINVAL;
		}
	}
	return attrs[LIQUID_SCHED_A_LABEL] ?
	       liquid_parse_label(job->label, attrs[LIQUID_SCHED_A_LABEL], extack) : 0;
}

/* Parse and check a new transaction, before memory is allocated for it. */
static int liquid_stage_parse(struct liquid_stage *stage, struct nlattr *sched, bool admin,
			      struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[LIQUID_SCHED_A_MAX + 1];
	int err;

	err = nla_parse_nested(attrs, LIQUID_SCHED_A_MAX, sched, liquid_sched_policy, extack);
	if (!err)
		err = liquid_parse_frames(stage, attrs, sched, admin, extack);
	if (!err)
		err = liquid_parse_end(stage, attrs, extack);
	if (!err)
		err = liquid_parse_job(&stage->job, attrs, extack);
	return err;
}

/*
 * Open a transaction, in place of an earlier one of this socket on this gate. @admin: the sender
 * has CAP_NET_ADMIN in the initial user namespace.
 */
int liquid_stage_begin(struct liquid_gate *gate, const struct net *net, u32 portid,
		       struct nlattr *sched, bool admin, struct netlink_ext_ack *extack)
{
	struct liquid_stage head = { .gate = gate, .net = net, .portid = portid }, *stage, *old;
	int err;

	ASSERT_RTNL();
	err = liquid_stage_parse(&head, sched, admin, extack);
	if (err)
		return err;
	stage = kvzalloc(struct_size(stage, dest, head.frames), LIQUID_GFP);
	if (!stage)
		return -ENOMEM;
	*stage = head;
	mutex_lock(&liquid_stage_lock);
	old = liquid_stage_find(gate, net, portid);
	if (old)
		liquid_stage_drop(old);
	if (gate->stages < LIQUID_STAGES_MAX) {
		gate->stages++;
		list_add_rcu(&stage->list, &liquid_stages);
		stage = NULL;
	}
	mutex_unlock(&liquid_stage_lock);
	if (!stage)
		return 0;
	kvfree(stage);
	NL_SET_ERR_MSG(extack, "too many transactions are open on the gate: close some");
	return -ENOSPC;
}

/* For loops over many frames */
static void liquid_resched(u32 frame)
{
	if (!(frame % LIQUID_RESCHED_FRAMES))
		cond_resched();
}

static int liquid_entry_dest(const struct nlattr *entry, struct nlattr *attr, u32 *dest,
			     struct netlink_ext_ack *extack)
{
	const struct nlattr *other;
	u32 count = 0;
	int rest;

	*dest = LIQUID_NONE;
	if (!attr)
		return 0;
	nla_for_each_nested(other, entry, rest)
		count += nla_type(other) == LIQUID_ENTRY_A_DEST;
	if (count > LIQUID_FRAME_DESTS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, entry, "a frame has at most one destination");
		return -EINVAL;
	}
	*dest = nla_get_u32(attr);
	if (*dest >= LIQUID_DEST_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "destination ID out of range: use 0 to 65535");
		return -ERANGE;
	}
	return 0;
}

/* Append one run of frames to the first @filled of @stage. */
static int liquid_stage_entry(struct liquid_stage *stage, u32 *filled, const struct nlattr *entry,
			      struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[LIQUID_ENTRY_A_MAX + 1];
	u32 run, dest;
	int err;

	err = nla_parse_nested(attrs, LIQUID_ENTRY_A_MAX, entry, liquid_entry_policy, extack);
	if (err)
		return err;
	if (!attrs[LIQUID_ENTRY_A_RUN] || !nla_get_u32(attrs[LIQUID_ENTRY_A_RUN])) {
		NL_SET_ERR_MSG_ATTR(extack, entry, "entry needs a RUN of at least one frame");
		return -EINVAL;
	}
	run = nla_get_u32(attrs[LIQUID_ENTRY_A_RUN]);
	if (run > stage->frames - *filled) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_ENTRY_A_RUN],
				    "more frames than the transaction's FRAMES");
		return -EINVAL;
	}
	err = liquid_entry_dest(entry, attrs[LIQUID_ENTRY_A_DEST], &dest, extack);
	if (err)
		return err;
	while (run--) {
		stage->dest[(*filled)++] = dest;
		liquid_resched(run);
	}
	return 0;
}

/* Append frames: all of the request or none. */
int liquid_stage_entries(struct liquid_gate *gate, const struct net *net, u32 portid,
			 struct nlattr *entries, struct netlink_ext_ack *extack)
{
	struct liquid_stage *stage;
	struct nlattr *entry;
	int rest, err = 0;
	u32 filled;

	stage = liquid_stage_get(gate, net, portid, extack);
	if (!stage)
		return -ENOENT;
	filled = stage->filled;
	nla_for_each_nested(entry, entries, rest) {
		err = liquid_stage_entry(stage, &filled, entry, extack);
		if (err)
			break;
	}
	if (!err)
		stage->filled = filled;
	liquid_stage_put(stage, false);
	return err;
}

int liquid_stage_abort(struct liquid_gate *gate, const struct net *net, u32 portid,
		       struct netlink_ext_ack *extack)
{
	struct liquid_stage *stage = liquid_stage_get(gate, net, portid, extack);

	if (!stage)
		return -ENOENT;
	liquid_stage_put(stage, true);
	return 0;
}

/* One allocation for all, so that one kvfree_rcu() frees a schedule */
static struct liquid_sched *liquid_sched_alloc(const struct liquid_stage *stage)
{
	u32 ids = 0, idle = 0, frame;
	struct liquid_sched *sched;
	size_t size;

	for (frame = 0; frame < stage->frames; frame++) {
		if (stage->dest[frame] == LIQUID_NONE)
			idle++;
		else
			ids = max(ids, stage->dest[frame] + 1);
		liquid_resched(frame);
	}
	size = sizeof(*sched) + BITS_TO_LONGS(ids) * sizeof(long) +
	       sizeof(u32) * ((size_t)stage->frames + ids + 1 + stage->frames - idle);
	sched = kvzalloc(size, LIQUID_GFP);
	if (!sched)
		return NULL;
	sched->ids = ids;
	sched->idle = idle;
	sched->frames = stage->frames;
	sched->has = (unsigned long *)(sched + 1);
	sched->dest = (u32 *)(sched->has + BITS_TO_LONGS(ids));
	sched->first = sched->dest + stage->frames;
	sched->dest_frames = sched->first + ids + 1;
	return sched;
}

/* Sort the frames by destination (counting sort). */
static void liquid_sched_index(struct liquid_sched *sched)
{
	u32 id, frame;

	for (frame = 0; frame < sched->frames; frame++) {
		liquid_resched(frame);
		id = sched->dest[frame];
		if (id == LIQUID_NONE)
			continue;
		sched->first[id]++;
		sched->dests += !__test_and_set_bit(id, sched->has);
	}
	for (id = 1; id <= sched->ids; id++)
		sched->first[id] += sched->first[id - 1];
	for (frame = sched->frames; frame-- > 0;) {
		liquid_resched(frame);
		id = sched->dest[frame];
		if (id != LIQUID_NONE)
			sched->dest_frames[--sched->first[id]] = frame;
	}
}

static struct liquid_sched *liquid_sched_build(const struct liquid_stage *stage)
{
	struct liquid_sched *sched = liquid_sched_alloc(stage);

	if (!sched)
		return NULL;
	sched->frame_ns = stage->frame_ns;
	sched->guard_ns = stage->guard_ns;
	sched->cycles = stage->cycles;
	sched->then = stage->then;
	sched->job = stage->job;
	memcpy(sched->dest, stage->dest, sizeof(u32) * stage->frames);
	liquid_sched_index(sched);
	return sched;
}

/* Number of frames from @index to the next frame of @id, 1 ... @frames; @id has a frame. */
u32 liquid_sched_next(const struct liquid_sched *sched, u32 id, u32 index)
{
	u32 low = sched->first[id], high = sched->first[id + 1];

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (sched->dest_frames[middle] > index)
			high = middle;
		else
			low = middle + 1;
	}
	if (low < sched->first[id + 1])
		return sched->dest_frames[low] - index;
	return sched->frames - index + sched->dest_frames[sched->first[id]];
}

/* Set start and end of @sched from the base time in @attr. */
static int liquid_sched_time(struct liquid_sched *sched, struct nlattr *attr, s64 now,
			     struct netlink_ext_ack *extack)
{
	s64 base = nla_get_s64(attr);

	if (base < 0) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "base time before 1970: use ns of CLOCK_TAI");
		return -ERANGE;
	}
	sched->base = base;
	if (!liquid_end_time(base, sched->frame_ns, sched->frames, sched->cycles, &sched->end)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the schedule's end does not fit in 63 bits: "
				    "use an earlier base time");
		return -ERANGE;
	}
	sched->start = liquid_next_boundary(now, base, sched->frame_ns * sched->frames);
	if (sched->start >= sched->end) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "the schedule's last cycle is over: use a later base time");
		return -ERANGE;
	}
	return 0;
}

static int liquid_check_offset(struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (!attr || nla_get_s32(attr) == liquid_tai_utc())
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr,
			    "the kernel's TAI offset differs: set it, see adjtimex(2)");
	return -EINVAL;
}

static int liquid_check_dests(const struct liquid_gate *gate, const struct liquid_sched *sched,
			      struct netlink_ext_ack *extack)
{
	u32 id;

	for_each_set_bit(id, sched->has, sched->ids) {
		if (!liquid_dest_by_id(gate->table, id)) {
			NL_SET_ERR_MSG(extack,
				       "the schedule names an unknown destination: add it first");
			return -ENOENT;
		}
	}
	if (liquid_needs_idle(&gate->config) && !sched->idle) {
		NL_SET_ERR_MSG(extack,
			       "no idle frame for unscheduled packets: "
			       "add one or change the policy");
		return -EINVAL;
	}
	return 0;
}

static int liquid_check_stage(const struct liquid_gate *gate, const struct liquid_stage *stage,
			      struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	if (!attrs[LIQUID_A_BASE_TIME]) {
		NL_SET_ERR_MSG(extack, "BASE_TIME is missing: give ns of CLOCK_TAI");
		return -EINVAL;
	}
	if (stage->filled != stage->frames) {
		NL_SET_ERR_MSG(extack,
			       "fewer frames than the transaction's FRAMES: send the rest");
		return -EINVAL;
	}
	return liquid_check_offset(attrs[LIQUID_A_TAI_OFFSET], extack) ?:
	       liquid_lease_check(attrs[LIQUID_A_LEASE_NS], extack);
}

/* Make @sched the waiting schedule, with a lease of @lease_ns; 0: no lease. */
static int liquid_sched_publish(struct liquid_gate *root, struct liquid_sched *sched, bool replace,
				u64 lease_ns, struct netlink_ext_ack *extack)
{
	struct liquid_gate *gate;

	liquid_lock_advance(root);
	if (liquid_admin(root) && !replace) {
		liquid_unlock(root);
		NL_SET_ERR_MSG(extack,
			       "a schedule is already waiting: replace it or clear the gate");
		return -EBUSY;
	}
	refcount_set(&sched->refs, 1 + root->family.children);
	for (gate = root; gate; gate = gate->family.next) {
		liquid_sched_put(liquid_admin(gate));
		rcu_assign_pointer(gate->admin, sched);
		liquid_gate_set_skip(gate);
		liquid_frame_forget(gate);
		gate->wait.wake = 0;
	}
	liquid_lease_set(root, lease_ns);
	liquid_notify(root, LIQUID_EVENT_COMMITTED, 1, sched->start);
	liquid_notify_schedule(root);
	liquid_latency_look(root);
	liquid_unlock(root);
	liquid_gate_kick(root);
	return 0;
}

static int liquid_stage_publish(struct liquid_gate *gate, const struct liquid_stage *stage,
				struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *lease = attrs[LIQUID_A_LEASE_NS];
	struct liquid_sched *sched;
	int err;

	err = liquid_check_stage(gate, stage, attrs, extack);
	if (err)
		return err;
	sched = liquid_sched_build(stage);
	if (!sched)
		return -ENOMEM;
	sched->seq = ++liquid_sched_seq ?: ++liquid_sched_seq;	/* dumps ignore 0 */
	err = liquid_check_dests(gate, sched, extack);
	if (!err)
		err = liquid_sched_time(sched, attrs[LIQUID_A_BASE_TIME],
					ktime_get_ns() + liquid_tai_offset(), extack);
	if (!err)
		err = liquid_sched_publish(gate, sched, attrs[LIQUID_A_REPLACE],
					   lease ? nla_get_u64(lease) : 0, extack);
	if (err)
		kvfree(sched);
	return err;
}

/* Make the transaction the admin schedule. */
int liquid_stage_commit(struct liquid_gate *gate, const struct net *net, u32 portid,
			struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	struct liquid_stage *stage = liquid_stage_get(gate, net, portid, extack);
	int err;

	if (!stage)
		return -ENOENT;
	err = liquid_stage_publish(gate, stage, attrs, extack);
	liquid_stage_put(stage, !err);
	return err;
}

static void liquid_sched_drop_one(struct liquid_gate *gate)
{
	struct liquid_sched *oper = liquid_oper(gate), *admin = liquid_admin(gate);

	liquid_assert_root_lock(gate);
	RCU_INIT_POINTER(gate->oper, NULL);
	RCU_INIT_POINTER(gate->admin, NULL);
	liquid_gate_restart(gate);
	liquid_gate_recompute(gate);
	liquid_gate_check(gate, ktime_get_ns());
	liquid_sched_put(oper);
	liquid_sched_put(admin);
	/* Under the root lock: the core takes it before it destroys the qdisc. */
	if (gate->qlen)
		__netif_schedule(liquid_sch(gate));
}

/* Drop both schedules and the lease: the gate is open, and waiting packets may be released. */
void liquid_sched_drop(struct liquid_gate *root)
{
	struct liquid_gate *gate;

	liquid_lease_set(root, 0);
	for (gate = root; gate; gate = gate->family.next)
		liquid_sched_drop_one(gate);
	liquid_latency_look(root);
}

/* The same for a request */
void liquid_sched_clear(struct liquid_gate *gate)
{
	ASSERT_RTNL();
	liquid_lock_advance(gate);
	liquid_sched_drop(gate);
	liquid_unlock(gate);
}

/* --- dumps --- */

static int liquid_job_fill(struct sk_buff *skb, const struct liquid_sched *sched,
			   const struct liquid_reader *reader)
{
	const struct liquid_job *job = &sched->job;

	if (job->label[0] && nla_put_string(skb, LIQUID_SCHED_A_LABEL, job->label))
		return -EMSGSIZE;
	if (!uid_valid(job->user) || !liquid_reads(reader, sched))
		return 0;
	return nla_put_u32(skb, LIQUID_SCHED_A_USER,
			   from_kuid_munged(current_user_ns(), job->user));
}

/* Add a schedule without its frames, as nest @attr. */
int liquid_sched_fill(struct sk_buff *skb, int attr, const struct liquid_sched *sched,
		      const struct liquid_reader *reader)
{
	struct nlattr *nest = nla_nest_start(skb, attr);

	if (!nest ||
	    nla_put_u64_64bit(skb, LIQUID_SCHED_A_FRAME_NS, sched->frame_ns,
			      LIQUID_SCHED_A_PAD) ||
	    nla_put_u64_64bit(skb, LIQUID_SCHED_A_GUARD_NS, sched->guard_ns,
			      LIQUID_SCHED_A_PAD) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_FRAMES, sched->frames) ||
	    nla_put_u64_64bit(skb, LIQUID_SCHED_A_CYCLES, sched->cycles, LIQUID_SCHED_A_PAD) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_THEN, sched->then) ||
	    nla_put_s64(skb, LIQUID_SCHED_A_BASE_TIME, sched->base, LIQUID_SCHED_A_PAD) ||
	    nla_put_s64(skb, LIQUID_SCHED_A_START_TIME, sched->start, LIQUID_SCHED_A_PAD) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_IDLE_FRAMES, sched->idle) ||
	    nla_put_u32(skb, LIQUID_SCHED_A_DESTS, sched->dests) ||
	    liquid_job_fill(skb, sched, reader))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int liquid_entry_fill(struct sk_buff *skb, u32 run, u32 dest)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_ENTRY);

	if (nest && !nla_put_u32(skb, LIQUID_ENTRY_A_RUN, run) &&
	    (dest == LIQUID_NONE || !nla_put_u32(skb, LIQUID_ENTRY_A_DEST, dest))) {
		nla_nest_end(skb, nest);
		return 0;
	}
	if (nest)
		nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/* Fill a message with runs from frame @next on; @next is then the next frame. */
int liquid_frames_fill(struct sk_buff *skb, const struct liquid_sched *sched, long *next)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_ENTRIES);
	u32 frame, end;

	if (!nest)
		return -EMSGSIZE;
	for (frame = *next; frame < sched->frames; frame = end) {
		for (end = frame + 1; end < sched->frames; end++) {
			if (sched->dest[end] != sched->dest[frame])
				break;
		}
		if (liquid_entry_fill(skb, end - frame, sched->dest[frame]))
			break;
	}
	if (frame == *next)
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	*next = frame;
	return 0;
}
