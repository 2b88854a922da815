// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * States that an exhaustive search has refuted: remaining counts and frames
 *
 * Whole states are kept and compared: with hashes alone, a collision would refute a good state.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/frames/failed.h"

#define FAILED_BYTES_MAX ((size_t)64 << 20)

struct failed_set {
	uint32_t width;			/* entries of a state: counts of all pairs, frames left */
	uint32_t count, room;
	uint32_t *states;
	uint32_t *slots;		/* open addressing: state + 1; 0: empty */
	uint32_t slot_count;
};

static uint64_t hash_state(const uint32_t *count, uint32_t left, uint32_t pairs)
{
	uint64_t hash = left;

	for (uint32_t pair = 0; pair < pairs; pair++)
		hash = (hash ^ count[pair]) * 0x9e3779b97f4a7c15 + (hash >> 29);
	return hash >> 32;
}

static bool same_state(const uint32_t *state, const uint32_t *count, uint32_t left,
		       uint32_t pairs)
{
	return state[pairs] == left && !memcmp(state, count, pairs * sizeof(*state));
}

static uint32_t *find_slot(const struct failed_set *set, const uint32_t *count, uint32_t left)
{
	uint32_t pairs = set->width - 1;
	uint32_t i = (uint32_t)hash_state(count, left, pairs) & (set->slot_count - 1);

	while (set->slots[i] && !same_state(set->states + (size_t)(set->slots[i] - 1) * set->width,
					    count, left, pairs))
		i = (i + 1) & (set->slot_count - 1);
	return &set->slots[i];
}

/* Double the room, within FAILED_BYTES_MAX; false if that is not possible. */
static bool failed_grow(struct failed_set *set)
{
	uint32_t room = set->room ? 2 * set->room : 256, *states, *slots;

	if ((size_t)room * set->width * sizeof(*states) > FAILED_BYTES_MAX && set->room)
		return false;
	states = reallocarray(set->states, room, set->width * sizeof(*states));
	if (states)
		set->states = states;
	slots = calloc(4 * (size_t)room, sizeof(*slots));
	if (!states || !slots) {
		free(slots);
		return false;
	}
	free(set->slots);
	set->slots = slots;
	set->slot_count = 4 * room;
	set->room = room;
	for (uint32_t i = 0; i < set->count; i++) {
		const uint32_t *state = states + (size_t)i * set->width;

		*find_slot(set, state, state[set->width - 1]) = i + 1;
	}
	return true;
}

struct failed_set *failed_new(uint32_t pair_count)
{
	struct failed_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->width = pair_count + 1;
	if (!failed_grow(set)) {
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

bool failed_has(const struct failed_set *set, const struct team *team)
{
	return *find_slot(set, team->count, team->left) != 0;
}

void failed_add(struct failed_set *set, const struct team *team)
{
	uint32_t *slot, *state;

	if (set->count == set->room && !failed_grow(set))
		return;
	slot = find_slot(set, team->count, team->left);
	if (*slot)
		return;
	state = set->states + (size_t)set->count * set->width;
	memcpy(state, team->count, (set->width - 1) * sizeof(*state));
	state[set->width - 1] = team->left;
	*slot = ++set->count;
}
