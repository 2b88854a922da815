// SPDX-License-Identifier: GPL-2.0-only
/*
 * Destinations: requests that change the table, and dumps
 *
 * A change is made in a draft of the table, which is checked for conflicts and then swapped with
 * the old table under the root lock: all of a request or nothing. Destinations that exist in both
 * keep their memory and their queued packets.
 */
#include <linux/sched.h>
#include <linux/slab.h>

#include "netlink/destination.h"
#include "lock.h"
#include "netlink/netlink-gen.h"
#include "packets/qdisc.h"
#include "packets/queue.h"
#include "netlink/reader.h"
#include "frames/schedule.h"
#include "packets/table.h"
#include "netlink/times.h"

#define LIQUID_DUMP_DESTS	64	/* destinations of a dump read under a gate's lock */
#define LIQUID_DELETE_QUEUES	384U	/* queues emptied under one lock */

/* One destination of a request */
struct liquid_change {
	u32 id;
	u32 nkeys;		/* number of @keys */
	struct liquid_key *keys; /* new keys */
	struct liquid_dest *made; /* new destination, if the id had none */
	const struct nlattr *attr; /* of the request */
};

/* A request */
struct liquid_changes {
	unsigned long *ids;	/* bitmap of the ids in it */
	u32 ids_max;		/* highest id + 1 */
	u32 count;		/* destinations in it */
	struct liquid_change *change; /* @count */
};

/* Remove the keys of @dest from the draft @table. */
static int liquid_table_remove_keys(struct liquid_table *table, const struct liquid_dest *dest)
{
	u32 i;
	int err;

	for (i = 0; i < dest->nkeys; i++) {
		err = liquid_table_remove(table, &dest->keys[i]);
		if (err)
			return err;
	}
	return 0;
}

static void liquid_table_swap(struct liquid_gate *root, struct liquid_table *table)
{
	struct liquid_gate *gate;

	root->table_seq = root->table_seq + 1 ?: 1;	/* dumps ignore 0 */
	for (gate = root; gate; gate = gate->family.next) {
		liquid_assert_root_lock(gate);
		gate->table = table;
		gate->last = NULL;
		gate->wait.target_id = LIQUID_NONE;
		liquid_frame_forget(gate);	/* it may have a new destination */
		gate->wait.wake = 0;
	}
}

static void liquid_dest_free(struct liquid_dest *dest)
{
	if (dest)
		kfree(dest->keys);
	kvfree(dest);
}

/* The gate is being destroyed; its queues are empty. */
void liquid_table_destroy(struct liquid_gate *gate)
{
	u32 id;

	if (!gate->table)
		return;
	for (id = 0; id < gate->table->ids; id++) {
		liquid_dest_free(gate->table->dest[id]);
		cond_resched();
	}
	liquid_table_free(gate->table);
	gate->table = NULL;
}

static void liquid_changes_free(struct liquid_changes *changes)
{
	u32 i;

	for (i = 0; i < changes->count; i++) {
		kfree(changes->change[i].keys);
		liquid_dest_free(changes->change[i].made);
	}
	kvfree(changes->change);
	bitmap_free(changes->ids);
}

static u32 liquid_count_nested(const struct nlattr *nest, int type)
{
	const struct nlattr *attr;
	u32 count = 0;
	int rest;

	nla_for_each_nested(attr, nest, rest)
		count += nla_type(attr) == type;
	return count;
}

static int liquid_changes_alloc(struct liquid_changes *changes, const struct nlattr *dests,
				struct netlink_ext_ack *extack)
{
	u32 count = liquid_count_nested(dests, LIQUID_A_DEST);

	if (!count) {
		NL_SET_ERR_MSG_ATTR(extack, dests, "DESTS is empty: name at least one destination");
		return -EINVAL;
	}
	changes->ids = bitmap_zalloc(LIQUID_DEST_MAX, LIQUID_GFP);
	changes->change = kvcalloc(count, sizeof(*changes->change), LIQUID_GFP);
	return changes->ids && changes->change ? 0 : -ENOMEM;
}

static int liquid_parse_id(struct liquid_changes *changes, struct liquid_change *change,
			   struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	if (!attrs[LIQUID_DEST_A_ID]) {
		NL_SET_ERR_MSG_ATTR(extack, change->attr, "destination without ID: add one");
		return -EINVAL;
	}
	change->id = nla_get_u32(attrs[LIQUID_DEST_A_ID]);
	if (change->id >= LIQUID_DEST_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_DEST_A_ID],
				    "destination ID out of range: use 0 to 65535");
		return -ERANGE;
	}
	if (__test_and_set_bit(change->id, changes->ids)) {
		NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_DEST_A_ID],
				    "duplicate destination ID: name each destination once");
		return -EINVAL;
	}
	changes->ids_max = max(changes->ids_max, change->id + 1);
	return 0;
}

static void liquid_key_set(struct liquid_key *key, u32 kind, const void *value)
{
	__be32 word[4] = {};

	key->kind = kind;
	switch (kind) {
	case LIQUID_KEY_A_IPV4:
		memcpy(word, value, 4);
		key->a = ntohl(word[0]);
		break;
	case LIQUID_KEY_A_IPV6:
		memcpy(word, value, 16);
		key->a = (u64)ntohl(word[0]) << 32 | ntohl(word[1]);
		key->b = (u64)ntohl(word[2]) << 32 | ntohl(word[3]);
		break;
	case LIQUID_KEY_A_ETHER:
		key->a = ether_addr_to_u64(value);
		break;
	case LIQUID_KEY_A_MARK:
		key->a = *(const u32 *)value;
		break;
	}
}

static int liquid_key_fill(struct sk_buff *skb, const struct liquid_key *key)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_DEST_A_KEY);
	__be32 word[4] = { htonl(key->a >> 32), htonl(key->a), htonl(key->b >> 32), htonl(key->b) };
	u8 address[ETH_ALEN];
	int err;

	if (!nest)
		return -EMSGSIZE;
	switch (key->kind) {
	case LIQUID_KEY_A_IPV4:
		err = nla_put_be32(skb, LIQUID_KEY_A_IPV4, word[1]);
		break;
	case LIQUID_KEY_A_IPV6:
		err = nla_put(skb, LIQUID_KEY_A_IPV6, 16, word);
		break;
	case LIQUID_KEY_A_ETHER:
		u64_to_ether_addr(key->a, address);
		err = nla_put(skb, LIQUID_KEY_A_ETHER, ETH_ALEN, address);
		break;
	default:
		err = nla_put_u32(skb, LIQUID_KEY_A_MARK, key->a);
		break;
	}
	if (!err)
		nla_nest_end(skb, nest);
	return err;
}

/* The policies have checked its attributes, but not how many there are. */
static int liquid_parse_key(struct liquid_key *key, const struct nlattr *nest,
			    struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = nla_data(nest);

	if (!nla_ok(attr, nla_len(nest)) || nla_total_size(nla_len(attr)) < nla_len(nest)) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "a key is one of IPV4, IPV6, ETHER and MARK");
		return -EINVAL;
	}
	liquid_key_set(key, nla_type(attr), nla_data(attr));
	return 0;
}

static int liquid_parse_keys(struct liquid_change *change, struct netlink_ext_ack *extack)
{
	u32 count = liquid_count_nested(change->attr, LIQUID_DEST_A_KEY);
	struct nlattr *attr;
	int rest, err;

	if (!count || count > LIQUID_DEST_KEYS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, change->attr, "a destination needs 1 to 8 keys");
		return -EINVAL;
	}
	change->keys = kcalloc(count, sizeof(*change->keys), LIQUID_GFP);
	if (!change->keys)
		return -ENOMEM;
	nla_for_each_nested(attr, change->attr, rest) {
		if (nla_type(attr) != LIQUID_DEST_A_KEY)
			continue;
		err = liquid_parse_key(&change->keys[change->nkeys++], attr, extack);
		if (err)
			return err;
	}
	return 0;
}

static int liquid_refuse_keys(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	if (!attrs[LIQUID_DEST_A_KEY])
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_DEST_A_KEY],
			    "destinations are removed by ID: leave out the keys");
	return -EINVAL;
}

/* Nests that are read only. The policy refuses such numbers; of a nest it would blame the flag. */
static int liquid_refuse_nests(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr = attrs[LIQUID_DEST_A_STATS] ?: attrs[LIQUID_DEST_A_TIMES];

	if (!attr)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "attribute is read only: leave it out");
	return -EINVAL;
}

static int liquid_changes_parse(struct liquid_changes *changes, const struct nlattr *dests,
				bool keys, struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[LIQUID_DEST_A_MAX + 1], *attr;
	int rest, err;

	err = liquid_changes_alloc(changes, dests, extack);
	if (err)
		return err;
	nla_for_each_nested(attr, dests, rest) {
		struct liquid_change *change = &changes->change[changes->count];

		err = nla_parse_nested(attrs, LIQUID_DEST_A_MAX, attr, liquid_dest_policy, extack);
		if (err)
			return err;
		changes->count++;
		change->attr = attr;
		err = liquid_parse_id(changes, change, attrs, extack);
		if (!err)
			err = liquid_refuse_nests(attrs, extack);
		if (!err)
			err = keys ? liquid_parse_keys(change, extack) :
				     liquid_refuse_keys(attrs, extack);
		if (err)
			return err;
		cond_resched();
	}
	return 0;
}

static struct liquid_dest *liquid_dest_alloc(const struct liquid_gate *root, u32 id)
{
	u32 elements = max(root->family.children, 1U), i;
	struct liquid_dest *dest = kvcalloc(elements, sizeof(*dest), LIQUID_GFP);

	for (i = 0; dest && i < elements; i++)
		dest[i].queue.id = id;
	return dest;
}

static int liquid_change_add_keys(struct liquid_table *table, struct liquid_dest *dest,
				  const struct liquid_change *change,
				  struct netlink_ext_ack *extack)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < change->nkeys; i++)
		err = liquid_table_add(table, &change->keys[i], dest);
	if (err == -EEXIST)
		NL_SET_ERR_MSG_ATTR(extack, change->attr,
				    "key is in use: each key belongs to one destination");
	if (err == -ENOSPC)
		NL_SET_ERR_MSG_ATTR(extack, change->attr,
				    "keys collide with every hash seed tried: "
				    "send the request again");
	return err;
}

static int liquid_change_apply(const struct liquid_gate *root, struct liquid_change *change,
			       struct liquid_table *table, struct netlink_ext_ack *extack)
{
	struct liquid_dest *dest = table->dest[change->id];

	if (!dest) {
		change->made = liquid_dest_alloc(root, change->id);
		dest = change->made;
		if (!dest)
			return -ENOMEM;
		table->dest[change->id] = dest;
		table->count++;
	}
	return liquid_change_add_keys(table, dest, change, extack);
}

/* Remove all old keys first: a key may move from one destination to another. */
static int liquid_changes_apply(const struct liquid_gate *root, struct liquid_changes *changes,
				struct liquid_table *table, struct netlink_ext_ack *extack)
{
	int err = 0;
	u32 i;

	for (i = 0; !err && i < changes->count; i++) {
		const struct liquid_dest *dest = table->dest[changes->change[i].id];

		if (dest)
			err = liquid_table_remove_keys(table, dest);
		cond_resched();
	}
	for (i = 0; !err && i < changes->count; i++) {
		err = liquid_change_apply(root, &changes->change[i], table, extack);
		cond_resched();
	}
	return err;
}

/* The table was swapped: hand over the keys. @changes is left with the old ones, to be freed. */
static void liquid_changes_finish(struct liquid_gate *gate, struct liquid_changes *changes)
{
	u32 i;

	for (i = 0; i < changes->count; i++) {
		struct liquid_change *change = &changes->change[i];
		struct liquid_dest *dest = liquid_dest_by_id(gate->table, change->id);

		swap(dest->keys, change->keys);
		dest->nkeys = change->nkeys;
		change->made = NULL;
	}
}

/* Add destinations, or replace the keys of existing ones. */
int liquid_dest_set(struct liquid_gate *gate, struct nlattr *dests,
		    struct netlink_ext_ack *extack)
{
	struct liquid_table *table = NULL, *old = gate->table;
	struct liquid_changes changes = {};
	int err;

	ASSERT_RTNL();
	err = liquid_changes_parse(&changes, dests, true, extack);
	if (err)
		goto out;
	table = liquid_table_draft(old, changes.ids_max);
	err = table ? liquid_changes_apply(gate, &changes, table, extack) : -ENOMEM;
	if (err) {
		liquid_table_drop(table);
		goto out;
	}
	liquid_lock_flush(gate);
	liquid_table_swap(gate, table);
	liquid_unlock(gate);
	liquid_changes_finish(gate, &changes);
	liquid_table_commit(table, old);
	liquid_gate_kick(gate);
out:
	liquid_changes_free(&changes);
	return err;
}

/* In RCU. The waiting schedule first: it may come into force in between. */
static bool liquid_in_use(const struct liquid_gate *gate, u32 id)
{
	const struct liquid_sched *admin = rcu_dereference(gate->admin);
	const struct liquid_sched *oper = rcu_dereference(gate->oper);

	return (oper && liquid_sched_has(oper, id)) || (admin && liquid_sched_has(admin, id));
}

static int liquid_check_deletion(struct liquid_gate *gate, const struct liquid_changes *changes,
				 struct netlink_ext_ack *extack)
{
	int err = 0;
	u32 i;

	liquid_lock_advance(gate);
	liquid_unlock(gate);
	rcu_read_lock();
	for (i = 0; !err && i < changes->count; i++) {
		const struct liquid_change *change = &changes->change[i];

		if (!liquid_dest_by_id(gate->table, change->id)) {
			NL_SET_ERR_MSG_ATTR(extack, change->attr, "no such destination");
			err = -ENOENT;
		} else if (liquid_in_use(gate, change->id)) {
			NL_SET_ERR_MSG_ATTR(extack, change->attr,
					    "a schedule uses the destination: "
					    "clear or replace the schedule first");
			err = -EBUSY;
		}
	}
	rcu_read_unlock();
	return err;
}

/* Drop the packets of destination @id in all gates of the device: to @packets. */
static void liquid_dest_cut(struct liquid_gate *root, u32 id, struct liquid_packets *packets)
{
	struct liquid_gate *gate;

	for (gate = liquid_first(root); gate; gate = gate->family.next) {
		struct liquid_queue *queue = &liquid_own(gate, gate->table->dest[id])->queue;

		gate->stat[LIQUID_STATS_A_DROP_DELETED] += queue->qlen;
		liquid_sch(gate)->qstats.drops += queue->qlen;
		liquid_queue_cut(gate, queue, packets);
	}
}

/*
 * Take the destinations of @ids that are in [@from, @to) out of the table, and their packets out of
 * their queues. Not inline, so that the time can be measured that it takes under the root lock.
 */
static noinline void liquid_delete_visit(struct liquid_gate *root, const unsigned long *ids,
					 u32 from, u32 to, struct liquid_packets *packets)
{
	struct liquid_table *table = root->table;
	u32 id = from;

	liquid_assert_root_lock(root);
	for_each_set_bit_from(id, ids, to) {
		if (!table->dest[id])
			continue;
		liquid_dest_cut(root, id, packets);
		table->dest[id] = NULL;
	}
}

static void liquid_packets_free(struct liquid_packets *packets)
{
	struct sk_buff *skb, *next;

	skb_list_walk_safe(packets->head, skb, next) {
		skb_mark_not_on_list(skb);
		kfree_skb_reason(skb, SKB_DROP_REASON_QDISC_DROP);
		cond_resched();
	}
}

/*
 * Replace the gate's table by @table, which has no keys of @ids any more. From then on they get no
 * packets, and waiting ones are dropped, a batch of destinations at a time.
 */
static void liquid_delete(struct liquid_gate *root, struct liquid_table *table,
			  const unsigned long *ids)
{
	u32 batch = max(LIQUID_DELETE_QUEUES / max(root->family.children, 1U), 1U), from, id;
	struct liquid_table *old = root->table;

	liquid_lock_flush(root);
	liquid_table_swap(root, table);
	liquid_unlock(root);
	for (from = find_first_bit(ids, old->ids); from < old->ids;
	     from = find_next_bit(ids, old->ids, from + batch)) {
		u32 to = min(from + batch, old->ids);
		struct liquid_packets packets = {};

		id = from;
		liquid_lock_flush(root);
		liquid_delete_visit(root, ids, from, to, &packets);
		liquid_unlock(root);
		liquid_packets_free(&packets);
		for_each_set_bit_from(id, ids, to)
			liquid_dest_free(old->dest[id]);
		cond_resched();
	}
	liquid_table_commit(table, old);
}

/* A draft without the keys of the destinations in @changes; NULL: no memory */
static struct liquid_table *liquid_table_without(const struct liquid_gate *gate,
						 const struct liquid_changes *changes)
{
	struct liquid_table *table = liquid_table_draft(gate->table, 0);
	u32 i;

	for (i = 0; table && i < changes->count; i++) {
		u32 id = changes->change[i].id;

		if (liquid_table_remove_keys(table, table->dest[id])) {
			liquid_table_drop(table);
			return NULL;
		}
		table->count--;
		cond_resched();
	}
	if (table)
		liquid_table_shrink(table);
	return table;
}

int liquid_dest_del_all(struct liquid_gate *gate, struct netlink_ext_ack *extack)
{
	struct liquid_table *table;
	unsigned long *ids;
	bool busy;

	ASSERT_RTNL();
	liquid_lock_advance(gate);
	busy = (liquid_oper(gate) && liquid_oper(gate)->dests) ||
	       (liquid_admin(gate) && liquid_admin(gate)->dests);
	liquid_unlock(gate);
	if (busy) {
		NL_SET_ERR_MSG(extack, "a schedule uses destinations: clear the schedule first");
		return -EBUSY;
	}
	ids = bitmap_alloc(LIQUID_DEST_MAX, LIQUID_GFP);
	table = ids ? liquid_table_bare(gate->table) : NULL;
	if (table) {
		bitmap_fill(ids, LIQUID_DEST_MAX);
		liquid_delete(gate, table, ids);
		liquid_lock_flush(gate);
		table->ids = 1;		/* all are gone: the next draft has few */
		liquid_unlock(gate);
	}
	bitmap_free(ids);
	return table ? 0 : -ENOMEM;
}

/* Remove the destinations in @dests. */
int liquid_dest_del(struct liquid_gate *gate, struct nlattr *dests,
		    struct netlink_ext_ack *extack)
{
	struct liquid_changes changes = {};
	struct liquid_table *table;
	int err;

	ASSERT_RTNL();
	err = liquid_changes_parse(&changes, dests, false, extack);
	if (!err)
		err = liquid_check_deletion(gate, &changes, extack);
	if (!err) {
		table = liquid_table_without(gate, &changes);
		if (table)
			liquid_delete(gate, table, changes.ids);
		else
			err = -ENOMEM;
	}
	liquid_changes_free(&changes);
	return err;
}

/* --- dumps --- */

/* @type, for which a destination must have room */
#define LIQUID_KEPT(type) \
	((type) + BUILD_BUG_ON_ZERO((type) >= ARRAY_SIZE(((struct liquid_dest *)NULL)->stat)))

static bool liquid_kept_per_dest(int type)
{
	switch (type) {
	case LIQUID_KEPT(LIQUID_STATS_A_PACKETS):
	case LIQUID_KEPT(LIQUID_STATS_A_BYTES):
	case LIQUID_KEPT(LIQUID_STATS_A_WAITS):
	case LIQUID_KEPT(LIQUID_STATS_A_LATE):
	case LIQUID_KEPT(LIQUID_STATS_A_FRAMES_USED):
	case LIQUID_KEPT(LIQUID_STATS_A_FRAMES_MISSED):
	case LIQUID_KEPT(LIQUID_STATS_A_DROP_LIMIT):
	case LIQUID_KEPT(LIQUID_STATS_A_DROP_HORIZON):
	case LIQUID_KEPT(LIQUID_STATS_A_DROP_TOO_BIG):
	case LIQUID_KEPT(LIQUID_STATS_A_DROP_SPLIT):
		return true;
	default:
		return false;
	}
}

static int liquid_dest_stats_fill(struct sk_buff *skb, const struct liquid_dest *dest)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_DEST_A_STATS);
	int type;

	if (!nest)
		return -EMSGSIZE;
	for (type = LIQUID_STATS_A_PACKETS; type < ARRAY_SIZE(dest->stat); type++) {
		if (liquid_kept_per_dest(type) &&
		    nla_put_u64_64bit(skb, type, dest->stat[type], LIQUID_STATS_A_PAD))
			return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

static u32 liquid_dest_frames(const struct liquid_gate *gate, u32 id)
{
	const struct liquid_sched *oper;
	u32 frames = 0;

	rcu_read_lock();
	oper = rcu_dereference(gate->oper);
	if (oper && liquid_sched_has(oper, id))
		frames = oper->first[id + 1] - oper->first[id];
	rcu_read_unlock();
	return frames;
}

/* Add to @sum what child has counted in @dest. */
static void liquid_dest_add(struct liquid_dest *sum, const struct liquid_dest *dest)
{
	size_t i;

	sum->queue.qlen += dest->queue.qlen;
	sum->queue.backlog += dest->queue.backlog;
	sum->packets += dest->packets;
	sum->bytes += dest->bytes;
	for (i = 0; i < ARRAY_SIZE(sum->stat); i++)
		sum->stat[i] += dest->stat[i];
	liquid_times_add(&sum->times, &dest->times);
}

/* Add the copy of one destination as a DEST nest; nothing is added if it does not fit. */
static int liquid_dest_fill(struct sk_buff *skb, const struct liquid_gate *gate,
			    const struct liquid_dest *copy)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_DEST);
	u32 id = copy->queue.id, i;

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, LIQUID_DEST_A_ID, id))
		goto full;
	for (i = 0; i < copy->nkeys; i++) {
		if (liquid_key_fill(skb, &copy->keys[i]))
			goto full;
	}
	if (nla_put_u32(skb, LIQUID_DEST_A_QLEN, copy->queue.qlen) ||
	    nla_put_u64_64bit(skb, LIQUID_DEST_A_BACKLOG, copy->queue.backlog,
			      LIQUID_DEST_A_PAD) ||
	    nla_put_u32(skb, LIQUID_DEST_A_FRAMES, liquid_dest_frames(gate, id)) ||
	    liquid_dest_stats_fill(skb, copy) ||
	    liquid_times_fill(skb, LIQUID_DEST_A_TIMES, &copy->times, NULL))
		goto full;
	nla_nest_end(skb, nest);
	return 0;
full:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

static u32 liquid_next_id(const struct liquid_gate *gate, const struct liquid_reader *reader,
			  u32 id)
{
	const struct liquid_table *table = gate->table;

	while (id < table->ids && (!table->dest[id] || !liquid_reads_dest(reader, gate, id)))
		id++;
	return id;
}

/* Advance @id to the next destination for @reader; false: there is none. */
bool liquid_dest_first(const struct liquid_gate *gate, const struct liquid_reader *reader,
		       long *id)
{
	*id = liquid_next_id(gate, reader, *id);
	return *id < gate->table->ids;
}

/*
 * Add what @gate, one of a device, has counted in the destinations of @copies. Not inline, so that
 * the time can be measured that it takes under the lock.
 */
static noinline void liquid_dests_visit(struct liquid_gate *gate, struct liquid_dest *copies, u32 n)
{
	u32 i;

	liquid_lock_gate(gate);
	for (i = 0; i < n; i++)
		liquid_dest_add(&copies[i],
				liquid_own(gate, gate->table->dest[copies[i].queue.id]));
	liquid_unlock_gate(gate);
}

/* Copy destinations from id @id on; how many, at most LIQUID_DUMP_DESTS. */
static u32 liquid_dests_copy(struct liquid_gate *root, const struct liquid_reader *reader, u32 id,
			     struct liquid_dest *copies)
{
	const struct liquid_table *table = root->table;
	struct liquid_gate *gate;
	u32 n = 0, i;

	ASSERT_RTNL();
	while (n < LIQUID_DUMP_DESTS && id < table->ids) {
		copies[n].queue.id = id;
		copies[n].keys = table->dest[id]->keys;
		copies[n++].nkeys = table->dest[id]->nkeys;
		id = liquid_next_id(root, reader, id + 1);
	}
	for (gate = liquid_first(root); gate; gate = gate->family.next)
		liquid_dests_visit(gate, copies, n);
	for (i = 0; i < n; i++) {
		copies[i].stat[LIQUID_STATS_A_PACKETS] = copies[i].packets;
		copies[i].stat[LIQUID_STATS_A_BYTES] = copies[i].bytes;
	}
	return n;
}

/* Fill an open nest; how many of the @n copies have found room */
static u32 liquid_copies_fill(struct sk_buff *skb, const struct liquid_gate *gate,
			      const struct liquid_dest *copies, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++) {
		if (liquid_dest_fill(skb, gate, &copies[i]))
			break;
	}
	return i;
}

/*
 * Fill a message with destinations for @reader from id @next on, which is one; @next is then the
 * next id.
 */
int liquid_dests_fill(struct sk_buff *skb, struct liquid_gate *gate,
		      const struct liquid_reader *reader, long *next)
{
	struct nlattr *nest = nla_nest_start(skb, LIQUID_A_DESTS);
	struct liquid_dest *copies;
	u32 n;

	if (!nest)
		return -EMSGSIZE;
	copies = kvcalloc(LIQUID_DUMP_DESTS, sizeof(*copies), LIQUID_GFP);
	if (!copies)
		return -ENOMEM;
	n = liquid_copies_fill(skb, gate, copies,
			       liquid_dests_copy(gate, reader, *next, copies));
	if (n) {
		nla_nest_end(skb, nest);
		*next = copies[n - 1].queue.id + 1;
	}
	kvfree(copies);
	return n ? 0 : -EMSGSIZE;
}
