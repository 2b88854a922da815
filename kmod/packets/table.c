// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of destinations: changes
 *
 * A change is made in a draft, which shares the segments of the published table and copies each
 * segment before it writes to it. The published table stays valid until one pointer is set to the
 * draft. Dropping a draft has no effect on it.
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "packets/table.h"

static struct liquid_segment *liquid_segment_make(struct liquid_table *table, u32 depth)
{
	struct liquid_segment *segment = kzalloc(sizeof(*segment), LIQUID_GFP);

	if (!segment)
		return NULL;
	segment->gen = table->gen;
	segment->depth = depth;
	segment->next = table->fresh;
	table->fresh = segment;
	return segment;
}

static void liquid_segments_free(struct liquid_segment *segment)
{
	struct liquid_segment *next;

	for (; segment; segment = next) {
		next = segment->next;
		kfree(segment);
		cond_resched();
	}
}

/* Number of directory entries that point to @segment */
static u32 liquid_segment_span(const struct liquid_table *table,
			       const struct liquid_segment *segment)
{
	return 1U << (table->depth - segment->depth);
}

static void liquid_dir_free_all(struct liquid_table *table)
{
	u32 i, span;

	for (i = 0; i < 1U << table->depth; i += span) {
		span = liquid_segment_span(table, table->dir[i]);
		kfree(table->dir[i]);
		cond_resched();
	}
}

/* An empty directory of one segment, with a new seed */
static int liquid_dir_begin(struct liquid_table *table)
{
	table->dir = kvmalloc_array(2, sizeof(*table->dir), LIQUID_GFP);
	if (!table->dir)
		return -ENOMEM;
	table->dir[0] = liquid_segment_make(table, 0);
	table->dir[1] = table->dir[0];
	if (!table->dir[0]) {
		kvfree(table->dir);
		return -ENOMEM;
	}
	table->depth = 1;
	table->shift = 63;
	table->segments = 1;
	get_random_bytes(&table->seed, sizeof(table->seed));
	table->seed.mult[0] |= 1;
	table->seed.mult[1] |= 1;
	return 0;
}

/* An empty table */
struct liquid_table *liquid_table_alloc(void)
{
	struct liquid_table *table = kvzalloc(sizeof(*table), LIQUID_GFP);

	if (!table)
		return NULL;
	table->ids = 1;
	table->anew = true;
	table->dest = kvcalloc(table->ids, sizeof(*table->dest), LIQUID_GFP);
	if (!table->dest || liquid_dir_begin(table)) {
		kvfree(table->dest);
		kvfree(table);
		return NULL;
	}
	return table;
}

static void *liquid_copy(const void *from, size_t size, size_t room)
{
	void *to = kvmalloc(room, LIQUID_GFP);

	if (!to)
		return NULL;
	memcpy(to, from, size);
	memset((char *)to + size, 0, room - size);
	return to;
}

/* A draft: a copy of @old to be changed, with room for ids below @ids */
struct liquid_table *liquid_table_draft(const struct liquid_table *old, u32 ids)
{
	struct liquid_table *table = liquid_copy(old, sizeof(*old), sizeof(*old));
	size_t entry = sizeof(*table->dir);

	if (!table)
		return NULL;
	table->gen++;
	table->fresh = NULL;
	table->retired = NULL;
	table->anew = false;
	table->seeds = 0;
	if (ids > old->ids)
		table->ids = roundup_pow_of_two(ids);
	table->dest = liquid_copy(old->dest, old->ids * entry, table->ids * entry);
	table->dir = liquid_copy(old->dir, entry << old->depth, entry << old->depth);
	if (table->dest && table->dir)
		return table;
	kvfree(table->dest);
	kvfree(table->dir);
	kvfree(table);
	return NULL;
}

/* A draft of no keys, with the destinations of @old */
struct liquid_table *liquid_table_bare(const struct liquid_table *old)
{
	size_t size = old->ids * sizeof(*old->dest);
	struct liquid_dest **dest = liquid_copy(old->dest, size, size);
	struct liquid_table *table = dest ? liquid_table_alloc() : NULL;

	if (!table) {
		kvfree(dest);
		return NULL;
	}
	kvfree(table->dest);
	table->dest = dest;
	table->ids = old->ids;
	return table;
}

/* Replace the segment at @index by @segment in all directory entries that point to it. */
static void liquid_dir_set(struct liquid_table *table, u32 index, struct liquid_segment *segment)
{
	u32 span = liquid_segment_span(table, segment), first = index & ~(span - 1), i;

	for (i = 0; i < span; i++)
		table->dir[first + i] = segment;
}

/* A segment for @hash that @table may write to; NULL: no memory */
static struct liquid_segment *liquid_segment_own(struct liquid_table *table, u64 hash)
{
	struct liquid_segment *old = table->dir[hash >> table->shift], *segment;

	if (old->gen == table->gen)
		return old;
	segment = liquid_segment_make(table, old->depth);
	if (!segment)
		return NULL;
	segment->used = old->used;
	memcpy(segment->place, old->place, sizeof(segment->place));
	liquid_dir_set(table, hash >> table->shift, segment);
	old->next = table->retired;
	table->retired = old;
	return segment;
}

static void liquid_segment_put(struct liquid_segment *segment, u64 hash,
			       const struct liquid_place *from)
{
	struct liquid_place *place = &segment->place[liquid_first_place(hash)];

	while (place->dest) {
		if (++place == &segment->place[LIQUID_PLACES])
			place = segment->place;
	}
	*place = *from;
	segment->used++;
}

static u64 liquid_place_hash(const struct liquid_table *table, const struct liquid_place *place)
{
	return liquid_hash(&table->seed, place->kind, place->a, place->b);
}

static int liquid_dir_double(struct liquid_table *table)
{
	u32 entries = 1U << table->depth, i;
	struct liquid_segment **dir;

	if (table->depth == LIQUID_DEPTH_MAX || 2 * entries * LIQUID_DIR_KEYS > table->keys)
		return -ENOSPC;
	dir = kvmalloc_array(2 * entries, sizeof(*dir), LIQUID_GFP);
	if (!dir)
		return -ENOMEM;
	for (i = 0; i < entries; i++) {
		dir[2 * i] = table->dir[i];
		dir[2 * i + 1] = table->dir[i];
	}
	kvfree(table->dir);
	table->dir = dir;
	table->depth++;
	table->shift--;
	return 0;
}

/* Split @segment, which is the one for @hash and which the table may write to. */
static int liquid_segment_split(struct liquid_table *table, struct liquid_segment *segment,
				u64 hash)
{
	struct liquid_segment *full, *half;
	int err;
	u32 i;

	if (segment->depth == table->depth) {
		err = liquid_dir_double(table);
		if (err)
			return err;
	}
	full = kmemdup(segment, sizeof(*segment), LIQUID_GFP);
	half = full ? liquid_segment_make(table, segment->depth + 1) : NULL;
	if (!half) {
		kfree(full);
		return -ENOMEM;
	}
	segment->depth++;
	segment->used = 0;
	memset(segment->place, 0, sizeof(segment->place));
	/* The hashes whose next bit is 1 */
	liquid_dir_set(table, (hash | 1ULL << (64 - half->depth)) >> table->shift, half);
	for (i = 0; i < LIQUID_PLACES; i++) {
		const struct liquid_place *place = &full->place[i];

		if (place->dest) {
			hash = liquid_place_hash(table, place);
			liquid_segment_put(table->dir[hash >> table->shift], hash, place);
		}
	}
	kfree(full);
	table->segments++;
	return 0;
}

/* -ENOSPC: too many collisions with this seed */
static int liquid_table_insert(struct liquid_table *table, const struct liquid_place *key)
{
	u64 hash = liquid_place_hash(table, key);
	struct liquid_segment *segment;
	int err;

	for (;;) {
		segment = liquid_segment_own(table, hash);
		if (!segment)
			return -ENOMEM;
		if (liquid_segment_find(segment, hash, key->kind, key->a, key->b)->dest)
			return -EEXIST;
		if (segment->used < LIQUID_PLACES_FULL)
			break;
		err = liquid_segment_split(table, segment, hash);
		if (err)
			return err;
	}
	liquid_segment_put(segment, hash, key);
	table->keys++;
	table->kind_keys[key->kind]++;
	table->kinds |= 1U << key->kind;
	return 0;
}

/* Insert all keys of @from into @to, which is empty. */
static int liquid_table_refill(struct liquid_table *to, const struct liquid_table *from)
{
	u32 i, k, span;
	int err;

	for (i = 0; i < 1U << from->depth; i += span) {
		span = liquid_segment_span(from, from->dir[i]);
		for (k = 0; k < LIQUID_PLACES; k++) {
			if (!from->dir[i]->place[k].dest)
				continue;
			err = liquid_table_insert(to, &from->dir[i]->place[k]);
			if (err)
				return err;
		}
		cond_resched();
	}
	return 0;
}

/* Build the draft anew with another seed. It then shares no segment with the old table. */
static int liquid_table_reseed(struct liquid_table *table)
{
	struct liquid_table other = {
		.gen = table->gen, .ids = table->ids, .count = table->count, .dest = table->dest,
		.seeds = table->seeds, .anew = true,
	};
	int err = liquid_dir_begin(&other);

	if (err)
		return err;
	err = liquid_table_refill(&other, table);
	if (err) {
		liquid_segments_free(other.fresh);
		kvfree(other.dir);
		return err;
	}
	liquid_segments_free(table->fresh);
	kvfree(table->dir);
	*table = other;
	return 0;
}

/*
 * Add a key to the draft. -EEXIST: a destination has it already. -ENOSPC: too many collisions with
 * every seed tried, which does not happen by chance.
 */
int liquid_table_add(struct liquid_table *table, const struct liquid_key *key,
		     struct liquid_dest *dest)
{
	const struct liquid_place place = {
		.a = key->a, .b = key->b, .kind = key->kind, .dest = dest,
	};
	int err = liquid_table_insert(table, &place);

	while (err == -ENOSPC && table->seeds < LIQUID_SEEDS) {
		table->seeds++;
		err = liquid_table_reseed(table) ?: liquid_table_insert(table, &place);
	}
	return err;
}

/* Remove a key, which exists, from the draft. */
int liquid_table_remove(struct liquid_table *table, const struct liquid_key *key)
{
	u64 hash = liquid_hash(&table->seed, key->kind, key->a, key->b);
	struct liquid_segment *segment = liquid_segment_own(table, hash);
	struct liquid_place moved;
	u32 i;

	if (!segment)
		return -ENOMEM;
	i = liquid_segment_find(segment, hash, key->kind, key->a, key->b) - segment->place;
	segment->place[i] = (struct liquid_place){};
	segment->used--;
	table->keys--;
	if (!--table->kind_keys[key->kind])
		table->kinds &= ~(1U << key->kind);
	/* Keys behind it may have been displaced by it: insert them again. */
	for (;;) {
		i = i + 1 < LIQUID_PLACES ? i + 1 : 0;
		moved = segment->place[i];
		if (!moved.dest)
			return 0;
		segment->place[i] = (struct liquid_place){};
		segment->used--;
		liquid_segment_put(segment, liquid_place_hash(table, &moved), &moved);
	}
}

/* Free memory of a draft that has lost most of its keys. Failure is harmless. */
void liquid_table_shrink(struct liquid_table *table)
{
	if (table->segments > LIQUID_PLACES && table->keys < 4 * table->segments)
		liquid_table_reseed(table);
}

static void liquid_table_free_shell(struct liquid_table *table)
{
	kvfree(table->dest);
	kvfree(table->dir);
	kvfree(table);
}

/* Drop a draft. */
void liquid_table_drop(struct liquid_table *draft)
{
	if (!draft)
		return;
	liquid_segments_free(draft->fresh);
	liquid_table_free_shell(draft);
}

/* The draft has replaced @old, which has no readers any more: free what they do not share. */
void liquid_table_commit(struct liquid_table *draft, struct liquid_table *old)
{
	if (draft->anew)
		liquid_dir_free_all(old);
	else
		liquid_segments_free(draft->retired);
	draft->fresh = NULL;
	draft->retired = NULL;
	liquid_table_free_shell(old);
}

/* Free a published table. */
void liquid_table_free(struct liquid_table *table)
{
	liquid_dir_free_all(table);
	liquid_table_free_shell(table);
}
