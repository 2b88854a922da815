// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What an exhaustive search has shown to be impossible: remaining counts and frames.
 * Whole states are kept and compared, since a hash alone could prove what is false.
 */
#include <stdlib.h>
#include <string.h>

#include "tree.h"

#define FAILED_BYTES_MAX ((size_t)64 << 20)

struct failed_set {
	uint32_t width;			/* of a state: pairs, and the frames that are left */
	uint32_t count, room;
	uint32_t *states;
	uint32_t *slots;		/* open addressing: state + 1; 0: empty */
	uint32_t slot_count;
};

struct failed_set *failed_new(uint32_t pair_count)
{
	struct failed_set *set = calloc(1, sizeof(*set));
	size_t room = FAILED_BYTES_MAX / (((size_t)pair_count + 1) * sizeof(*set->states));

	if (!set)
		return NULL;
	set->width = pair_count + 1;
	set->room = room < (1u << 20) ? (uint32_t)room : 1u << 20;
	for (set->slot_count = 16; set->slot_count < 2 * (size_t)set->room;)
		set->slot_count *= 2;
	set->states = malloc((size_t)set->room * set->width * sizeof(*set->states) + 1);
	set->slots = calloc(set->slot_count, sizeof(*set->slots));
	if (!set->states || !set->slots) {
		failed_free(set);
		return NULL;
	}
	return set;
}

void failed_free(struct failed_set *set)
{
	if (!set)
		return;
	free(set->states);
	free(set->slots);
	free(set);
}

static bool same_state(const uint32_t *state, const struct team *team, uint32_t pairs)
{
	return state[pairs] == team->left &&
	       !memcmp(state, team->count, pairs * sizeof(*state));
}

static uint32_t *find_slot(const struct failed_set *set, const struct team *team)
{
	uint32_t pairs = set->width - 1;
	uint64_t hash = team->left;
	uint32_t i;

	for (uint32_t pair = 0; pair < pairs; pair++)
		hash = (hash ^ team->count[pair]) * 0x9e3779b97f4a7c15 + (hash >> 29);
	i = (uint32_t)(hash >> 32) & (set->slot_count - 1);
	while (set->slots[i] &&
	       !same_state(set->states + (size_t)(set->slots[i] - 1) * set->width, team, pairs))
		i = (i + 1) & (set->slot_count - 1);
	return &set->slots[i];
}

bool failed_has(const struct failed_set *set, const struct team *team)
{
	return *find_slot(set, team) != 0;
}

void failed_add(struct failed_set *set, const struct team *team)
{
	uint32_t *slot, *state;

	if (set->count == set->room)
		return;
	slot = find_slot(set, team);
	if (*slot)
		return;
	state = set->states + (size_t)set->count * set->width;
	memcpy(state, team->count, (set->width - 1) * sizeof(*state));
	state[set->width - 1] = team->left;
	*slot = ++set->count;
}
