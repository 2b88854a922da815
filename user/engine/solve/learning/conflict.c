// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a conflict teaches: the clause of its first unique implication point. */
#include "solve/learning/trail.h"

/* Note the literals of why[]; returns how many of the highest level were new. */
static uint32_t note(struct learner *learner, uint32_t count, uint32_t *size)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t literal = learner->why[i], variable = literal / 2;

		if (learner->seen[variable] || !learner->level[variable])
			continue;
		learner->seen[variable] = true;
		activity_raise(&learner->activity, variable);
		if (learner->level[variable] == learner->levels)
			open++;
		else
			learner->learnt[(*size)++] = literal ^ 1;
	}
	return open;
}

/* Whether @literal, which is false, follows from others of the clause. */
static bool is_implied(struct learner *learner, uint32_t literal)
{
	uint32_t reason = learner->reason[literal / 2], count;

	if (reason == REASON_NONE)
		return false;
	count = trail_explain(learner, reason, literal ^ 1);
	for (uint32_t i = 0; i < count; i++)
		if (!learner->seen[learner->why[i] / 2] && learner->level[learner->why[i] / 2])
			return false;
	return true;
}

/* Leave out what follows from the rest; the order of the trail keeps that free of circles. */
static uint32_t shorten(struct learner *learner, uint32_t size)
{
	uint32_t kept = 1, left_out = size;

	for (uint32_t i = 1; i < left_out;) {
		uint32_t literal = learner->learnt[i];

		if (is_implied(learner, literal)) {
			learner->learnt[i] = learner->learnt[--left_out];
			learner->learnt[left_out] = literal;
		} else {
			kept++;
			i++;
		}
	}
	for (uint32_t i = 1; i < size; i++)
		learner->seen[learner->learnt[i] / 2] = false;
	return kept;
}

/* The literal of the highest level comes second, where it is watched. */
static uint32_t level_below(struct learner *learner, uint32_t size)
{
	uint32_t *learnt = learner->learnt;

	if (size == 1)
		return 0;
	for (uint32_t i = 2; i < size; i++)
		if (learner->level[learnt[i] / 2] > learner->level[learnt[1] / 2]) {
			uint32_t literal = learnt[i];

			learnt[i] = learnt[1];
			learnt[1] = literal;
		}
	return learner->level[learnt[1] / 2];
}

uint32_t conflict_analyse(struct learner *learner, uint32_t conflict, uint32_t *back)
{
	uint32_t literal = LIQUID_NONE, reason = conflict, at = learner->length, size = 1, open = 0;

	do {
		open += note(learner, trail_explain(learner, reason, literal), &size);
		do {
			literal = learner->trail[--at];
		} while (!learner->seen[literal / 2]);
		reason = learner->reason[literal / 2];
		learner->seen[literal / 2] = false;
	} while (--open);
	learner->learnt[0] = literal ^ 1;
	size = shorten(learner, size);
	*back = level_below(learner, size);
	activity_age(&learner->activity);
	return size;
}
