// SPDX-License-Identifier: GPL-2.0-only
/* kmod/packets/table.c: destinations by key, whatever keys there are and whoever has chosen them */
#include <errno.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <stdlib.h>

#include "packets/table.h"
#include "tap.h"

#define IDS_MAX		65536U
#define KEYS_MAX	(8 * IDS_MAX)
/* What a draft copies whatever the request: the ids, and the directory, which may have to double */
#define COPIES_MAX	(sizeof(void *) * (IDS_MAX + 2 * KEYS_MAX / LIQUID_DIR_KEYS))

/* What the table knows of a destination is its address. */
struct liquid_dest {
	u32 number;
};

static struct liquid_dest dests[2] = { { 0 }, { 1 } };
static u64 state = 1;
static bool same_seed;			/* what is random is always the same */
static long refuse_after = -1;		/* allocations that succeed; negative: all */
static size_t held, taken;

void *unit_alloc(size_t size)
{
	if (refuse_after >= 0 && !refuse_after--)
		return NULL;
	held++;
	taken += size;
	return malloc(size);
}

void unit_free(void *memory)
{
	held -= !!memory;
	free(memory);
}

static u64 next_random(void)
{
	u64 word = state += 0x9e3779b97f4a7c15ULL;

	word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9ULL;
	word = (word ^ word >> 27) * 0x94d049bb133111ebULL;
	return word ^ word >> 31;
}

void get_random_bytes(void *to, size_t size)
{
	u64 word = 12345;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		if (!same_seed)
			word = next_random();
		memcpy((char *)to + i, &word, size - i < sizeof(word) ? size - i : sizeof(word));
	}
}

static struct liquid_key ipv4(u32 address)
{
	return (struct liquid_key){ .a = address, .kind = LIQUID_KEY_A_IPV4 };
}

static struct liquid_dest *find(const struct liquid_table *table, const struct liquid_key *key)
{
	return liquid_table_find(table, key->kind, key->a, key->b);
}

/* Places looked at to find a key */
static u32 probes(const struct liquid_table *table, const struct liquid_key *key)
{
	u64 hash = liquid_hash(&table->seed, key->kind, key->a, key->b);
	const struct liquid_segment *segment = table->dir[hash >> table->shift];
	const struct liquid_place *place =
		liquid_segment_find(segment, hash, key->kind, key->a, key->b);

	return (u32)(place - segment->place + LIQUID_PLACES - liquid_first_place(hash)) %
	       LIQUID_PLACES + 1;
}

/* Add @count of @keys in a draft, and let it take the place of @table. */
static int extend(struct liquid_table **table, const struct liquid_key *keys, u32 count)
{
	struct liquid_table *draft = liquid_table_draft(*table, IDS_MAX);
	int err = draft ? 0 : -ENOMEM;

	for (u32 i = 0; !err && i < count; i++)
		err = liquid_table_add(draft, &keys[i], &dests[0]);
	if (err) {
		liquid_table_drop(draft);
		return err;
	}
	liquid_table_commit(draft, *table);
	*table = draft;
	return 0;
}

static void test_siphash(void)
{
	siphash_key_t key = { { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL } };

	ok(siphash_2u64(0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL,
			&key) == 0x3f2acc7f57c29bdbULL,
	   "the paper's vector of 16 bytes");
}

/* ---- against an array that says who has which of a few keys ---- */

#define FEW	3000U

struct model {
	struct liquid_dest *owner[FEW];
};

static struct liquid_key few_key(u32 i)
{
	struct liquid_key key = { .a = i / 4, .kind = i % 4 };

	if (key.kind == LIQUID_KEY_A_IPV6)
		key.b = i;
	return key;
}

static bool agrees(const struct liquid_table *table, const struct model *model)
{
	u32 count = 0;

	for (u32 i = 0; i < FEW; i++) {
		struct liquid_key key = few_key(i);

		if (find(table, &key) != model->owner[i])
			return false;
		count += !!model->owner[i];
	}
	return table->keys == count;
}

static bool change_one(struct liquid_table *draft, struct model *model, bool removing)
{
	u32 i = (u32)(next_random() % FEW);
	struct liquid_key key = few_key(i);
	struct liquid_dest *dest = &dests[next_random() % 2];

	if (model->owner[i] && removing) {
		model->owner[i] = NULL;
		return !liquid_table_remove(draft, &key);
	}
	if (model->owner[i])
		return liquid_table_add(draft, &key, dest) == -EEXIST;
	if (removing)
		return true;
	model->owner[i] = dest;
	return !liquid_table_add(draft, &key, dest);
}

static void test_changes(void)
{
	struct liquid_table *table = liquid_table_alloc();
	static struct model model, next;
	bool right = true, whole = true;

	for (u32 round = 0; round < 600; round++) {
		struct liquid_table *draft = liquid_table_draft(table, round);

		next = model;
		for (u32 i = 0; i < 200 && right; i++)
			right = change_one(draft, &next, round / 60 % 2 ? i % 8 != 0 : i % 4 == 0);
		liquid_table_shrink(draft);
		right = right && agrees(draft, &next);
		whole = whole && agrees(table, &model);
		if (round % 3 == 0) {
			liquid_table_drop(draft);
			continue;
		}
		liquid_table_commit(draft, table);
		table = draft;
		model = next;
	}
	ok(right, "120,000 random changes: each draft has what it should have");
	ok(whole, "the table in force is untouched by changes in a draft");
	ok(agrees(table, &model), "what is dropped leaves no trace");
	liquid_table_free(table);
	ok(!held, "random changes leave no memory behind");
}

/* ---- the limit, a request at a time ---- */

static void test_limit(void)
{
	struct liquid_key *keys = calloc(KEYS_MAX, sizeof(*keys));
	struct liquid_table *table = liquid_table_alloc();
	size_t most = 0, long_look = 0, sum = 0;
	bool all = true;

	for (u32 i = 0; i < KEYS_MAX; i++)
		keys[i] = ipv4((u32)(i * 2654435761U));
	for (u32 i = 0; i < KEYS_MAX && all; i += 1024) {
		taken = 0;
		all = !extend(&table, keys + i, 1024);
		most = taken > most ? taken : most;
	}
	ok(all && table->keys == KEYS_MAX, "524,288 keys, 1,024 a request");
	for (u32 i = 0; i < KEYS_MAX && all; i++) {
		u32 count = probes(table, &keys[i]);

		all = find(table, &keys[i]) == &dests[0];
		long_look = count > long_look ? count : long_look;
		sum += count;
	}
	ok(all, "each is found");
	printf("# most taken by one request: %zu KiB; %u segments, %u entries; probes: %zu at "
	       "most, %.2f in the mean\n",
	       most >> 10, table->segments, 1U << table->depth, long_look, (double)sum / KEYS_MAX);
	ok(most < 1024 * 3 * sizeof(struct liquid_segment) + COPIES_MAX,
	   "no request takes more memory than its length, the ids and the directory are worth");
	ok(sum < 3 * KEYS_MAX, "a look-up takes less than three probes in the mean");
	taken = 0;
	extend(&table, (struct liquid_key[]){ ipv4(7) }, 1);
	ok(taken < 4 * sizeof(struct liquid_segment) + COPIES_MAX,
	   "nor does a single key that comes last: %zu KiB", taken >> 10);
	liquid_table_free(table);
	free(keys);
	ok(!held, "no memory is left");
}

/* ---- most keys go ---- */

#define GOING	65536U
#define STAYING	1000U

/* Does @table have as little room as is promised, and of the keys those from @first on alone? */
static bool has_shrunk(const struct liquid_table *table, u32 first)
{
	for (u32 i = 0; i < GOING; i++) {
		struct liquid_key key = ipv4(i);

		if (!find(table, &key) != (i < first))
			return false;
	}
	return table->keys == GOING - first &&
	       (table->segments <= LIQUID_PLACES || 4 * table->segments <= table->keys);
}

/* Take keys from @first to @last out of a draft; NULL: no memory. */
static struct liquid_table *without(const struct liquid_table *table, u32 first, u32 last)
{
	struct liquid_table *draft = liquid_table_draft(table, 1);

	for (u32 i = first; draft && i < last; i++) {
		struct liquid_key key = ipv4(i);

		if (liquid_table_remove(draft, &key)) {
			liquid_table_drop(draft);
			return NULL;
		}
	}
	return draft;
}

/* Shrink a draft in which only a number of allocations succeed: all it loses by that is room. */
static bool shrinks_or_not(const struct liquid_table *table, u32 first, u32 last, long refused,
			   bool *shrunk)
{
	size_t before = held;
	struct liquid_table *draft = without(table, first, last);
	u32 segments = draft->segments, keys = draft->keys;
	bool right = true;

	refuse_after = refused;
	liquid_table_shrink(draft);
	refuse_after = -1;
	*shrunk = draft->segments < segments;
	right = draft->keys == keys && (*shrunk || draft->segments == segments);
	for (u32 i = 0; i < GOING && right; i += 31) {
		struct liquid_key key = ipv4(i);

		right = !find(draft, &key) == (i < last);
	}
	liquid_table_drop(draft);
	return right && held == before;
}

static void test_shrink(void)
{
	struct liquid_table *table = liquid_table_alloc(), *draft;
	static struct liquid_key keys[GOING];
	bool right = true, shrunk = false, tried = false;
	u32 full, first, last, refused = 0;

	for (u32 i = 0; i < GOING; i++)
		keys[i] = ipv4(i);
	for (u32 i = 0; i < GOING; i += 1024)
		right = right && !extend(&table, keys + i, 1024);
	full = table->segments;
	for (first = 0; right && first < GOING - STAYING; first = last) {
		last = first + 1024 < GOING - STAYING ? first + 1024 : GOING - STAYING;
		draft = without(table, first, last);
		/* Once, where it is due: each of its allocations refused */
		if (!tried && draft->segments > LIQUID_PLACES &&
		    draft->keys < 4 * draft->segments) {
			tried = true;
			while (right && !shrunk)
				right = shrinks_or_not(table, first, last, refused++, &shrunk);
		}
		liquid_table_shrink(draft);
		liquid_table_commit(draft, table);
		table = draft;
		right = right && has_shrunk(table, last);
	}
	ok(right,
	   "where most keys go, 1,024 a request, the room goes after each, and the others stay");
	ok(table->keys == STAYING && table->segments < full / 8,
	   "%u segments become %u", full, table->segments);
	ok(tried && shrunk && refused > 10,
	   "each of %u allocations refused: the draft keeps its room", refused);
	liquid_table_free(table);
	ok(!held, "no memory is left");
}

/* ---- chosen keys ---- */

/*
 * The sets that break a hash by multiplication whose constants are known, or that has no second
 * round
 */
static struct liquid_key chosen_key(u32 set, u32 i)
{
	/*
	 * Inverse of the constants' product of an earlier hash, which made these all equal whatever
	 * its seed
	 */
	const u64 step = 0xd6e8feb86659fd93ULL * 0x9e3779b97f4a7c15ULL;
	u64 inverse = step;

	for (int round = 0; round < 6; round++)
		inverse *= 2 - step * inverse;
	switch (set) {
	case 0:
		return (struct liquid_key){ .a = 1, .b = i * inverse, .kind = LIQUID_KEY_A_IPV6 };
	case 1:
		return (struct liquid_key){ .a = i * 0xf1de83e19937733dULL,
					    .kind = LIQUID_KEY_A_ETHER };
	case 2:
		return ipv4(i);
	case 3:
		return ipv4(i << 15);
	case 4:
		return ipv4(i * 0x9e3779b9U);
	case 5:
		return ipv4((i & 0xff) << 24 | (i >> 8 & 0xff) << 8);
	case 6:
		return ipv4(0x0a000000 + (i / 254 << 8) + i % 254 + 1);
	default:
		return (struct liquid_key){ .a = i * 0x10001U, .kind = LIQUID_KEY_A_MARK };
	}
}

#define SETS	8U

static void test_chosen(void)
{
	static struct liquid_key keys[20000];

	for (u32 set = 0; set < SETS; set++) {
		u32 seeds = 0, count = set == 3 || set == 5 ? 16384 : 20000;
		size_t worst = 0;

		for (u32 i = 0; i < count; i++)
			keys[i] = chosen_key(set, i);
		for (int round = 0; round < 20; round++) {
			struct liquid_table *table = liquid_table_alloc();
			size_t sum = 0;

			extend(&table, keys, count);
			seeds += table->keys == count ? table->seeds : 1000;
			for (u32 i = 0; i < count; i++)
				sum += probes(table, &keys[i]);
			worst = sum > worst ? sum : worst;
			liquid_table_free(table);
		}
		ok(!seeds && worst < 3 * (size_t)count,
		   "set %u of chosen keys under 20 seeds: %.2f probes at worst in the mean, %u new "
		   "seeds",
		   set, (double)worst / count, seeds);
	}
}

/* ---- keys of a user who knows the seed ---- */

/* @count keys whose hashes agree in the first @bits bits, and look for the same place */
static void leaked_keys(const struct liquid_table *table, u32 bits, struct liquid_key *keys,
			u32 count)
{
	u32 found = 0;

	for (u32 address = 0; found < count; address++) {
		u64 hash = liquid_hash(&table->seed, LIQUID_KEY_A_IPV4, address, 0);

		if (!liquid_first_place(hash) && (!bits || !(hash >> (64 - bits))))
			keys[found++] = ipv4(address);
	}
}

static void test_leaked(void)
{
	static struct liquid_key keys[17600];
	struct liquid_table *table = liquid_table_alloc();
	size_t most = 0, sum = 0;
	bool all = true;

	leaked_keys(table, 0, keys, 17600);
	for (u32 i = 0; i < 17600; i += 1100)
		all = all && !extend(&table, keys + i, 1100);
	for (u32 i = 0; i < 17600; i++) {
		u32 count = probes(table, &keys[i]);

		all = all && find(table, &keys[i]);
		most = count > most ? count : most;
		sum += count;
	}
	ok(all && table->keys == 17600,
	   "keys that all look for one place of their segment are taken");
	ok(most <= LIQUID_PLACES_FULL && sum < 17600 * LIQUID_PLACES_FULL / 2,
	   "a look-up of them takes %zu probes at most, %.2f in the mean", most,
	   (double)sum / 17600);
	liquid_table_free(table);

	table = liquid_table_alloc();
	leaked_keys(table, 12, keys, 200);
	all = !extend(&table, keys, 200);
	ok(all && table->seeds == 1, "keys of one segment that cannot be split cost one new seed");
	for (u32 i = 0; i < 200; i++)
		all = all && find(table, &keys[i]) && probes(table, &keys[i]) < 32;
	ok(all, "under a new seed chosen keys lie as any others");
	liquid_table_free(table);
}

static void test_no_seed(void)
{
	struct liquid_key keys[200], first = ipv4(0xfefefefe);
	struct liquid_table *table;

	same_seed = true;
	table = liquid_table_alloc();
	leaked_keys(table, 12, keys, 200);
	ok(!extend(&table, &first, 1), "one key");
	ok(extend(&table, keys, 200) == -ENOSPC, "where every new seed is known they are refused");
	ok(table->keys == 1 && find(table, &first), "a refused draft leaves the table as it was");
	same_seed = false;
	ok(!extend(&table, keys, 200), "with secret seeds again they are taken");
	liquid_table_free(table);
	ok(!held, "no memory is left");
}

static void test_no_memory(void)
{
	static struct liquid_key keys[600];
	struct liquid_table *table = liquid_table_alloc();
	long refused = 0;
	bool whole = true;

	for (u32 i = 0; i < 600; i++)
		keys[i] = ipv4(i);
	extend(&table, keys, 300);
	for (;; refused++) {
		size_t before = held;

		refuse_after = refused;
		if (!extend(&table, keys + 300, 300))
			break;
		whole = whole && held == before && table->keys == 300;
		for (u32 i = 0; i < 600; i++)
			whole = whole && !find(table, &keys[i]) == (i >= 300);
	}
	refuse_after = -1;
	ok(whole && refused > 10, "each of %ld allocations refused: nothing has changed", refused);
	ok(table->keys == 600, "none refused: all is there");
	liquid_table_free(table);
	ok(!held, "no memory is left");
}

int main(void)
{
	test_siphash();
	test_changes();
	test_limit();
	test_shrink();
	test_chosen();
	test_leaked();
	test_no_seed();
	test_no_memory();
	return tap_exit();
}
