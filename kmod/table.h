/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of destinations: by id, and by key; shared with the tests on the host
 *
 * Keys lie in segments of a fixed size, each with open addressing of its own. A directory, indexed
 * by the first bits of a key's hash, points to them. A full segment is split in two; where it is
 * the only one for its bits, the directory doubles. So a table grows without being moved as a
 * whole, and a change copies the segments that it touches, by the length of the request; and
 * beside these the directory, 8 bytes for every 8 keys at most, and the array of ids, 8 bytes for
 * each up to the highest.
 *
 * Who chooses keys may wish them to collide. So the hash has a secret seed, new in each gate and in
 * each table that is built anew. A look-up never leaves its segment, whatever the keys are. And a
 * directory that would become too large for the number of keys shows that somebody knows the seed:
 * the table is then built anew with another.
 */
#ifndef LIQUID_TABLE_H
#define LIQUID_TABLE_H

#include <linux/compiler.h>
#include <linux/siphash.h>
#include <linux/types.h>
#include <linux/liquid.h>

#define LIQUID_KEY_KINDS	4	/* of &enum liquid_key_kind */
#define LIQUID_PLACES		63	/* of a segment of 2 KiB */
#define LIQUID_PLACES_FULL	48	/* keys of one that is split: 49 probes at most */
#define LIQUID_DIR_KEYS		8	/* at least so many keys for each entry of the directory */
#define LIQUID_DEPTH_MAX	16
#define LIQUID_SEEDS		4	/* that a request may try */

/* A user chooses the sizes, and is told when there is no memory: no warning in the log for it. */
#define LIQUID_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

struct liquid_dest;

/**
 * struct liquid_key - what a packet is matched by, folded into two words
 * @a: address, first word
 * @b: address, second word (IPv6 only)
 * @kind: &enum liquid_key_kind
 */
struct liquid_key {
	u64 a;
	u64 b;
	u32 kind;
};

/* A place for a key; empty without @dest. Two to a cache line. */
struct liquid_place {
	u64 a;
	u64 b;
	struct liquid_dest *dest;
	u32 kind;
};

/**
 * struct liquid_segment - places for the keys whose hashes begin with the same @depth bits
 * @gen: generation of the table that it was made for: that one alone may write to it
 * @next: in &liquid_table.fresh, or in &liquid_table.retired of the table that has replaced it
 * @depth: how many bits
 * @used: places in use
 * @place: open addressing
 */
struct liquid_segment {
	u64 gen;
	struct liquid_segment *next;
	u32 depth;
	u32 used;
	u64 unused;
	struct liquid_place place[LIQUID_PLACES];
};

/* What nobody outside of the kernel knows */
struct liquid_seed {
	u64 flip;
	u64 mult[2];
	siphash_key_t sip;
};

/**
 * struct liquid_table - the destinations of a gate
 *
 * What a look-up reads is immutable once published.
 * Published under RTNL and the root lock, so either is enough to read it.
 *
 * @kinds: bit per &enum liquid_key_kind in use
 * @shift: 64 less @depth
 * @dir: segments by the first @depth bits of the hash
 * @seed: of the hash
 * @dest: by id
 * @ids: size of @dest
 * @count: destinations
 * @depth: of the directory
 * @keys: all of them
 * @kind_keys: of each kind
 * @segments: how many
 * @gen: one more than that of the table that it was drafted from
 * @fresh: segments made for this table
 * @retired: segments of the table before that this one has replaced
 * @anew: this table shares no segment with the one before
 * @seeds: that have been tried
 */
struct liquid_table {
	u32 kinds;
	u32 shift;
	struct liquid_segment **dir;
	struct liquid_seed seed;
	struct liquid_dest **dest;
	u32 ids;
	u32 count;
	u32 depth;
	u32 keys;
	u32 kind_keys[LIQUID_KEY_KINDS];
	u32 segments;
	u64 gen;
	struct liquid_segment *fresh;
	struct liquid_segment *retired;
	bool anew;
	u32 seeds;
};

/*
 * SipHash for the long addresses, where there is room to search for keys that collide. IPv4
 * addresses and marks have 32 bits, and are looked up on the short path: two secret odd
 * multipliers, with the first product folded in between, so that no sum or difference of keys has
 * a known effect. That is no pseudorandom function. Who measures packets long enough to learn the
 * seed from their times can make a look-up as long as a segment, and no longer; who goes beyond
 * that has a table with another seed.
 */
static inline u64 liquid_hash(const struct liquid_seed *seed, u32 kind, u64 a, u64 b)
{
	u64 word;

	if (kind == LIQUID_KEY_IPV6 || kind == LIQUID_KEY_ETHER)
		return siphash_2u64(a, b, &seed->sip);
	word = (a ^ seed->flip) * seed->mult[0];
	word ^= word >> 32;
	return word * seed->mult[1];
}

/* The first place for a hash, by bits that the directory does not use */
static inline u32 liquid_first_place(u64 hash)
{
	return ((u64)(u32)(hash >> (64 - LIQUID_DEPTH_MAX - 32)) * LIQUID_PLACES) >> 32;
}

/* Only an address of IPv6 has a second word. An empty place is all zero. */
static inline bool liquid_place_is(const struct liquid_place *place, u32 kind, u64 a, u64 b)
{
	return place->a == a && place->kind == kind && (kind != LIQUID_KEY_IPV6 || place->b == b);
}

/* The place of a key in @segment, or the empty one where it would go: there is always one. */
static inline const struct liquid_place *
liquid_segment_find(const struct liquid_segment *segment, u64 hash, u32 kind, u64 a, u64 b)
{
	const struct liquid_place *place = &segment->place[liquid_first_place(hash)];

	while (unlikely(!liquid_place_is(place, kind, a, b)) && place->dest) {
		if (++place == &segment->place[LIQUID_PLACES])
			place = segment->place;
	}
	return place;
}

/* The destination of a key */
static inline struct liquid_dest *liquid_table_find(const struct liquid_table *table, u32 kind,
						    u64 a, u64 b)
{
	u64 hash = liquid_hash(&table->seed, kind, a, b);

	return liquid_segment_find(table->dir[hash >> table->shift], hash, kind, a, b)->dest;
}

static inline struct liquid_dest *liquid_dest_by_id(const struct liquid_table *table, u32 id)
{
	return id < table->ids ? table->dest[id] : NULL;
}

struct liquid_table *liquid_table_alloc(void);
struct liquid_table *liquid_table_draft(const struct liquid_table *old, u32 ids);
int liquid_table_add(struct liquid_table *table, const struct liquid_key *key,
		     struct liquid_dest *dest);
int liquid_table_remove(struct liquid_table *table, const struct liquid_key *key);
void liquid_table_shrink(struct liquid_table *table);
void liquid_table_drop(struct liquid_table *draft);
void liquid_table_commit(struct liquid_table *draft, struct liquid_table *old);
void liquid_table_free(struct liquid_table *table);

#endif /* LIQUID_TABLE_H */
