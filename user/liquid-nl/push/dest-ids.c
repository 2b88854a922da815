// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stable ids of destinations: one that the gate already knows by an address keeps its id, and with
 * it queue and counters. The others get the lowest free ids.
 */
#include <stdlib.h>
#include <string.h>

#include "push/push.h"

struct owned_key {
	struct addr_key key;
	size_t owner;			/* index into the present destinations */
};

static int compare_owned(const void *a, const void *b)
{
	return addr_key_compare(a, b);
}

static struct owned_key *index_keys(const struct gate_dests *present, size_t *count)
{
	struct owned_key *keys = calloc(present->count + 1, LIQUID_DEST_KEYS_MAX * sizeof(*keys));

	*count = 0;
	for (size_t i = 0; keys && i < present->count; i++)
		for (uint32_t k = 0; k < present->dest[i].key_count; k++)
			keys[(*count)++] = (struct owned_key){ present->dest[i].key[k], i };
	if (keys)
		qsort(keys, *count, sizeof(*keys), compare_owned);
	return keys;
}

static bool same_keys(const struct gate_dest *a, const struct gate_dest *b)
{
	if (a->key_count != b->key_count)
		return false;
	for (uint32_t i = 0; i < a->key_count; i++) {
		uint32_t k = 0;

		while (k < b->key_count && addr_key_compare(&a->key[i], &b->key[k]))
			k++;
		if (k == b->key_count)
			return false;
	}
	return true;
}

struct assignment {
	const struct gate_dests *present;
	struct owned_key *keys;
	size_t key_count;
	bool *claimed;			/* present destinations that are in use, by index */
	uint32_t next;			/* lowest id that may be free */
	size_t next_present;		/* first present destination with an id >= next */
	struct dest_changes *changes;
	struct liquid_error *err;
};

#define NOBODY SIZE_MAX

/* The present destination that has one of the keys; an error if two have. */
static int find_owner(const struct assignment *a, const struct gate_dest *dest, const char *name,
		      size_t *owner)
{
	*owner = NOBODY;
	for (uint32_t k = 0; k < dest->key_count; k++) {
		const struct owned_key *found = bsearch(&dest->key[k], a->keys, a->key_count,
							sizeof(*a->keys), compare_owned);

		if (!found || found->owner == *owner)
			continue;
		if (*owner != NOBODY)
			return liquid_fail(a->err, LIQUID_BAD_INPUT,
					   "the addresses of '%s' belong to destinations %u and "
					   "%u of the gate; `liquid-nl clear DEV --dests` forgets "
					   "them", name, a->present->dest[*owner].id,
					   a->present->dest[found->owner].id);
		*owner = found->owner;
	}
	return LIQUID_OK;
}

static int take_free_id(struct assignment *a, const char *name, uint32_t *id)
{
	while (a->next_present < a->present->count &&
	       a->present->dest[a->next_present].id <= a->next)
		if (a->present->dest[a->next_present++].id == a->next)
			a->next++;
	if (a->next >= LIQUID_DEST_MAX)
		return liquid_fail(a->err, LIQUID_BAD_INPUT, "no id is left for '%s': the gate has "
				   "%u destinations at most", name, LIQUID_DEST_MAX);
	*id = a->next++;
	return LIQUID_OK;
}

static int assign(struct assignment *a, struct gate_dest *dest, const char *name)
{
	struct dest_changes *changes = a->changes;
	size_t owner;
	int status = find_owner(a, dest, name, &owner);

	if (status)
		return status;
	if (owner == NOBODY) {
		status = take_free_id(a, name, &dest->id);
		if (!status)
			changes->fresh[changes->fresh_count++] = *dest;
		return status;
	}
	if (a->claimed[owner])
		return liquid_fail(a->err, LIQUID_BAD_INPUT,
				   "destination %u of the gate has addresses "
				   "of '%s' and of another node; `liquid-nl clear DEV --dests` "
				   "forgets them", a->present->dest[owner].id, name);
	a->claimed[owner] = true;
	dest->id = a->present->dest[owner].id;
	if (same_keys(dest, &a->present->dest[owner]))
		return LIQUID_OK;
	changes->former[changes->changed_count] = a->present->dest[owner];
	changes->changed[changes->changed_count++] = *dest;
	return LIQUID_OK;
}

int dest_ids_assign(struct gate_dest *wanted, char *const *names, size_t count,
		    const struct gate_dests *present, struct dest_changes *changes,
		    struct liquid_error *err)
{
	struct assignment a = { .present = present, .changes = changes, .err = err };
	int status = LIQUID_OK;

	*changes = (struct dest_changes){
		.fresh = calloc(count + 1, sizeof(*wanted)),
		.changed = calloc(count + 1, sizeof(*wanted)),
		.former = calloc(count + 1, sizeof(*wanted)),
	};
	a.keys = index_keys(present, &a.key_count);
	a.claimed = calloc(present->count + 1, sizeof(*a.claimed));
	if (!changes->fresh || !changes->changed || !changes->former || !a.keys || !a.claimed)
		status = liquid_no_memory(err);
	for (size_t i = 0; i < count && !status; i++)
		status = assign(&a, &wanted[i], names[i]);
	free(a.keys);
	free(a.claimed);
	if (status)
		dest_changes_clear(changes);
	return status;
}

void dest_changes_clear(struct dest_changes *changes)
{
	free(changes->fresh);
	free(changes->changed);
	free(changes->former);
	*changes = (struct dest_changes){ 0 };
}
