// SPDX-License-Identifier: LGPL-2.1-or-later
/* The store of learnt clauses. */
#include <stdlib.h>

#include "solve/learning/trail.h"

/* Clauses of so few levels stay. */
#define LEVELS_KEPT 2

/*
 * The levels of the literals of learnt[]: the fewer, the more often a clause is of use (Audemard
 * and Simon, "Predicting learnt clauses quality", 2009).
 */
static uint32_t count_levels(struct learner *learner, uint32_t size)
{
	uint32_t levels = 0;

	learner->stamps++;
	for (uint32_t i = 0; i < size; i++) {
		uint64_t *stamp = &learner->stamp[learner->level[learner->learnt[i] / 2]];

		levels += *stamp != learner->stamps;
		*stamp = learner->stamps;
	}
	return levels;
}

static void watch(struct learner *learner, uint32_t at)
{
	uint32_t *clause = learner->store + at;

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t literal = clause[CLAUSE_LITERALS + i];

		clause[CLAUSE_NEXT + i] = learner->watch[literal];
		learner->watch[literal] = at;
	}
}

static bool make_room(struct learner *learner, uint32_t size)
{
	uint32_t room = learner->room ? 2 * learner->room : 1024, *store;

	if (learner->room - learner->stored >= size)
		return true;
	while (room - learner->stored < size)
		room *= 2;
	store = reallocarray(learner->store, room, sizeof(*store));
	if (!store)
		return false;
	learner->store = store;
	learner->room = room;
	return true;
}

uint32_t clauses_add(struct learner *learner, uint32_t size)
{
	uint32_t at = learner->stored, *clause;

	if (!make_room(learner, CLAUSE_LITERALS + size))
		return REASON_NONE;
	clause = learner->store + at;
	clause[CLAUSE_SIZE] = size;
	clause[CLAUSE_LEVELS] = count_levels(learner, size);
	for (uint32_t i = 0; i < size; i++)
		clause[CLAUSE_LITERALS + i] = learner->learnt[i];
	learner->stored += CLAUSE_LITERALS + size;
	learner->clauses++;
	watch(learner, at);
	return at;
}

static uint32_t after(const struct learner *learner, uint32_t at)
{
	return at + CLAUSE_LITERALS + learner->store[at + CLAUSE_SIZE];
}

/*
 * Clauses of fewer levels than returned stay, and *@some of those that have as many. @count[] is by
 * the number of levels, and zero.
 */
static uint32_t choose_levels(const struct learner *learner, uint32_t *count, uint32_t *some)
{
	uint32_t levels = LEVELS_KEPT, left = learner->clauses / 2;

	for (uint32_t at = 0; at < learner->stored; at = after(learner, at))
		count[learner->store[at + CLAUSE_LEVELS]]++;
	for (uint32_t i = 0; i <= LEVELS_KEPT; i++)
		left -= left < count[i] ? left : count[i];
	while (left > count[levels + 1] && levels < learner->limits->variables) {
		levels++;
		left -= count[levels];
	}
	*some = left;
	return levels + 1;
}

/* Bring two literals to the front that are not false; false: a literal is true. */
static bool tidy(const struct learner *learner, uint32_t *clause)
{
	uint32_t *literals = clause + CLAUSE_LITERALS, front = 0;

	for (uint32_t i = 0; i < clause[CLAUSE_SIZE]; i++) {
		uint32_t literal = literals[i];

		if (learner->value[literal] > 0)
			return false;
		if (!learner->value[literal] && front < 2) {
			literals[i] = literals[front];
			literals[front++] = literal;
		}
	}
	return true;
}

static void move(struct learner *learner, uint32_t from, uint32_t *to)
{
	uint32_t size = CLAUSE_LITERALS + learner->store[from + CLAUSE_SIZE];

	for (uint32_t i = 0; i < size; i++)
		learner->store[*to + i] = learner->store[from + i];
	watch(learner, *to);
	*to += size;
	learner->clauses++;
}

bool clauses_reduce(struct learner *learner)
{
	uint32_t *count = calloc((size_t)learner->limits->variables + 4, sizeof(*count));
	uint32_t levels, some, to = 0, next;

	if (!count)
		return false;
	levels = choose_levels(learner, count, &some);
	free(count);
	for (uint32_t literal = 0; literal < 2 * learner->limits->variables; literal++)
		learner->watch[literal] = REASON_NONE;
	learner->clauses = 0;
	for (uint32_t at = 0; at < learner->stored; at = next) {
		uint32_t *clause = learner->store + at;
		bool kept = clause[CLAUSE_LEVELS] < levels;

		next = after(learner, at);
		if (!kept && clause[CLAUSE_LEVELS] == levels && some) {
			kept = true;
			some--;
		}
		if (kept && tidy(learner, clause))
			move(learner, at, &to);
	}
	learner->work += learner->stored + 2 * (uint64_t)learner->limits->variables;
	learner->stored = to;
	return true;
}
