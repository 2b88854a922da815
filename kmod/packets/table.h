/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of destinations: by id and by key; also compiled for tests on the host
 *
 * Keys are in segments of a fixed size, each a hash table with open addressing. A directory points
 * to the segments, indexed by the first bits of a key's hash. A full segment is split in two. If it
 * is the only one for its bits, the directory is doubled first. So a table grows without being
 * copied as a whole. A change copies the segments that it touches, which depends on the length of
 * the request; and the directory, at most 8 bytes for every 8 keys, and the array of ids, 8 bytes
 * for each id up to the highest.
 *
 * Users choose the keys, and may want them to collide. Therefore the hash has a secret seed, new
 * for each gate and for each table that is built anew. A look-up never leaves its segment, whatever
 * the keys are. If the directory becomes too large for the number of keys, the seed must be known:
 * the table is then built anew with another.
 */
#ifndef LIQUID_TABLE_H
#define LIQUID_TABLE_H

#include <linux/compiler.h>
#include <linux/siphash.h>
#include <linux/types.h>
#include <linux/liquid.h>

#define LIQUID_PLACES		63	/* places in a segment of 2 KiB */
#define LIQUID_PLACES_FULL	48	/* keys at which it is split: 49 probes at most */
#define LIQUID_DIR_KEYS		8	/* fewest keys per entry of the directory */
#define LIQUID_DEPTH_MAX	16
#define LIQUID_SEEDS		4	/* seeds that a request may try */

/* Sizes come from userspace, and failure is reported there: no warning in the log. */
#define LIQUID_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NOWARN)

struct liquid_dest;

/* The key of a packet, folded into two words */
struct liquid_key {
	u64 a;			/* address, first word */
	u64 b;			/* address, second word (IPv6 only) */
	u32 kind;		/* &enum liquid_key_attr */
};

/* A place for a key; empty if @dest is NULL. Two per cache line */
struct liquid_place {
	u64 a;
	u64 b;
	struct liquid_dest *dest;
	u32 kind;
};

/* Places for the keys whose hashes begin with the same @depth bits */
struct liquid_segment {
	u64 gen;		/* generation of the table that may write to it */
	struct liquid_segment *next; /* in &liquid_table.fresh or &liquid_table.retired */
	u32 depth;		/* bits */
	u32 used;		/* places in use */
	u64 unused;
	struct liquid_place place[LIQUID_PLACES]; /* open addressing */
};

/* Secret of the hash */
struct liquid_seed {
	u64 flip;
	u64 mult[2];
	siphash_key_t sip;
};

/*
 * The destinations of a gate. The data that a look-up reads is immutable once published. Published
 * under RTNL and the root lock, so either suffices to read it.
 */
struct liquid_table {
	u32 kinds;		/* bit per &enum liquid_key_attr in use */
	u32 shift;		/* 64 - @depth */
	struct liquid_segment **dir; /* by the first @depth bits of the hash */
	struct liquid_seed seed; /* of the hash */
	struct liquid_dest **dest; /* by id */
	u32 ids;		/* size of @dest */
	u32 count;		/* destinations */
	u32 depth;		/* of the directory */
	u32 keys;		/* all keys */
	u32 kind_keys[LIQUID_KEY_A_MAX + 1]; /* keys of each kind */
	u32 segments;		/* number of segments */
	u64 gen;		/* generation: that of the previous table + 1 */
	struct liquid_segment *fresh; /* made for this table */
	struct liquid_segment *retired; /* of the previous table, replaced in this one */
	bool anew;		/* shares no segment with the previous table */
	u32 seeds;		/* seeds tried */
};

/*
 * Long addresses use SipHash, since they leave room to search for colliding keys. IPv4 addresses
 * and marks have 32 bits and are looked up on the short path: two secret odd multipliers, with the
 * first product folded in between, so that no sum or difference of keys has a known effect. That is
 * not a pseudorandom function. An attacker who learns the seed by measuring packets can make a
 * look-up as long as a segment, but not longer; more collisions make the table change its seed.
 */
static inline u64 liquid_hash(const struct liquid_seed *seed, u32 kind, u64 a, u64 b)
{
	u64 word;

	if (kind == LIQUID_KEY_A_IPV6 || kind == LIQUID_KEY_A_ETHER)
		return siphash_2u64(a, b, &seed->sip);
	word = (a ^ seed->flip) * seed->mult[0];
	word ^= word >> 32;
	return word * seed->mult[1];
}

/* First place for a hash, by bits that the directory does not use */
static inline u32 liquid_first_place(u64 hash)
{
	return ((u64)(u32)(hash >> (64 - LIQUID_DEPTH_MAX - 32)) * LIQUID_PLACES) >> 32;
}

/* Only an IPv6 address has a second word. An empty place is all zero. */
static inline bool liquid_place_is(const struct liquid_place *place, u32 kind, u64 a, u64 b)
{
	return place->a == a && place->kind == kind && (kind != LIQUID_KEY_A_IPV6 || place->b == b);
}

/* The place of a key in @segment, or the empty place where it belongs: there is always one. */
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
struct liquid_table *liquid_table_bare(const struct liquid_table *old);
struct liquid_table *liquid_table_draft(const struct liquid_table *old, u32 ids);
int liquid_table_add(struct liquid_table *table, const struct liquid_key *key,
		     struct liquid_dest *dest);
int liquid_table_remove(struct liquid_table *table, const struct liquid_key *key);
void liquid_table_shrink(struct liquid_table *table);
void liquid_table_drop(struct liquid_table *draft);
void liquid_table_commit(struct liquid_table *draft, struct liquid_table *old);
void liquid_table_free(struct liquid_table *table);

#endif /* LIQUID_TABLE_H */
