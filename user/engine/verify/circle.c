// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Do routes wait for each other in a circle?
 *
 * Every route of every pair of hosts is followed. A packet that holds a link waits for the next
 * link of its route, so each pair of links that follow each other is a dependency, in the lane of
 * the destination. Links that wait for nothing are then removed, until none is left, or a circle
 * is.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "verify/verify.h"

#define NO_MEMORY "no memory to look for a circle of routes"

struct waits {
	const struct liquid_fabric *fabric;
	uint32_t links;
	uint64_t *seen;			/* hash set: link * links + next, and 1; 0 is empty */
	size_t size, used;
	uint32_t *first, *next;		/* by link: dependencies, as lists */
	size_t pairs, room;
	struct { uint32_t to, after; } *pair;
	uint32_t *degree;		/* by link: links that it still waits for */
	uint32_t *stack;
};

static size_t slot_of(const struct waits *waits, uint64_t key)
{
	size_t slot = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (waits->size - 1);

	while (waits->seen[slot] && waits->seen[slot] != key)
		slot = (slot + 1) & (waits->size - 1);
	return slot;
}

static bool grow_set(struct waits *waits)
{
	struct waits larger = *waits;

	larger.size = waits->size ? 2 * waits->size : 1024;
	larger.seen = calloc(larger.size, sizeof(*larger.seen));
	if (!larger.seen)
		return false;
	for (size_t i = 0; i < waits->size; i++)
		if (waits->seen[i])
			larger.seen[slot_of(&larger, waits->seen[i])] = waits->seen[i];
	free(waits->seen);
	waits->seen = larger.seen;
	waits->size = larger.size;
	return true;
}

static bool grow_pairs(struct waits *waits)
{
	size_t room = waits->room ? 2 * waits->room : 1024;
	void *pair = realloc(waits->pair, room * sizeof(*waits->pair));

	if (!pair)
		return false;
	waits->pair = pair;
	waits->room = room;
	return true;
}

/* A packet on @link waits for @then; false: no memory. */
static bool add_wait(struct waits *waits, uint32_t link, uint32_t then)
{
	uint64_t key = (uint64_t)link * waits->links + then + 1;
	size_t slot;

	if (2 * (waits->used + 1) > waits->size && !grow_set(waits))
		return false;
	slot = slot_of(waits, key);
	if (waits->seen[slot])
		return true;
	if (waits->pairs == waits->room && !grow_pairs(waits))
		return false;
	waits->seen[slot] = key;
	waits->used++;
	/* Kept by the link that is waited for, so that removing it finds those that wait. */
	waits->pair[waits->pairs].to = link;
	waits->pair[waits->pairs].after = waits->first[then];
	waits->first[then] = (uint32_t)waits->pairs++;
	waits->degree[link]++;
	return true;
}

/*
 * The links of a route as far as it leads: where a table has no row the packet is dropped, but up
 * to there it waits as others do. Returns how many there are.
 */
static uint32_t follow(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		       uint32_t path[LIQUID_PATH_MAX])
{
	uint32_t hosts = liquid_fabric_host_count(fabric), steps = 0;
	uint32_t link = src == liquid_fabric_owner(fabric, dst) ? LIQUID_NONE :
			liquid_fabric_host_out(fabric, src);

	while (link != LIQUID_NONE && steps < LIQUID_PATH_MAX) {
		uint32_t at = liquid_fabric_link(fabric, link)->to;

		path[steps++] = link;
		link = at < hosts ? LIQUID_NONE : liquid_fabric_forward(fabric, at - hosts, dst);
	}
	return steps;
}

static bool add_routes(struct waits *waits, uint32_t lane)
{
	uint32_t hosts = liquid_fabric_host_count(waits->fabric);
	uint32_t path[LIQUID_PATH_MAX];

	for (uint32_t dst = 0; dst < hosts; dst++) {
		if (waits->fabric->host[dst].lane != lane)
			continue;
		for (uint32_t src = 0; src < hosts; src++) {
			uint32_t links = follow(waits->fabric, src, dst, path);

			for (uint32_t i = 1; i < links; i++)
				if (!add_wait(waits, path[i - 1], path[i]))
					return false;
		}
	}
	return true;
}

/* Remove links that wait for none; returns how many remain. */
static uint32_t remove_free(struct waits *waits)
{
	uint32_t count = 0, left = waits->links;

	for (uint32_t link = 0; link < waits->links; link++)
		if (!waits->degree[link])
			waits->stack[count++] = link;
	while (count) {
		uint32_t link = waits->stack[--count];

		left--;
		for (uint32_t i = waits->first[link]; i != LIQUID_NONE; i = waits->pair[i].after)
			if (!--waits->degree[waits->pair[i].to])
				waits->stack[count++] = waits->pair[i].to;
	}
	return left;
}

/* Each link that remains waits for one that remains: going on, one comes round. */
static uint32_t find_circle(struct waits *waits, uint32_t *circle)
{
	uint32_t link = 0, count = 0, start;

	for (uint32_t i = 0; i < waits->links; i++)
		waits->next[i] = LIQUID_NONE;
	for (uint32_t then = 0; then < waits->links; then++)
		for (uint32_t i = waits->first[then]; i != LIQUID_NONE; i = waits->pair[i].after)
			if (waits->degree[then] && waits->degree[waits->pair[i].to])
				waits->next[waits->pair[i].to] = then;
	while (!waits->degree[link])
		link++;
	for (uint32_t i = 0; i < waits->links; i++)	/* now it is in the circle */
		link = waits->next[link];
	start = link;
	do {
		circle[count++] = link;
		link = waits->next[link];
	} while (link != start);
	return count;
}

static bool open_waits(struct waits *waits, const struct liquid_fabric *fabric)
{
	size_t links = (size_t)liquid_fabric_link_count(fabric) + 1;

	*waits = (struct waits){ .fabric = fabric, .links = (uint32_t)links - 1 };
	waits->first = malloc(links * sizeof(*waits->first));
	waits->next = malloc(links * sizeof(*waits->next));
	waits->degree = malloc(links * sizeof(*waits->degree));
	waits->stack = malloc(links * sizeof(*waits->stack));
	return waits->first && waits->next && waits->degree && waits->stack;
}

static void close_waits(struct waits *waits)
{
	free(waits->seen);
	free(waits->pair);
	free(waits->first);
	free(waits->next);
	free(waits->degree);
	free(waits->stack);
}

/* Returns 1 if there is a circle in @lane, or LIQUID_NO_MEMORY. */
static int look_in(struct waits *waits, uint32_t lane, uint32_t **circle, uint32_t *count)
{
	waits->used = waits->pairs = 0;
	if (waits->size)
		memset(waits->seen, 0, waits->size * sizeof(*waits->seen));
	for (uint32_t link = 0; link < waits->links; link++) {
		waits->first[link] = LIQUID_NONE;
		waits->degree[link] = 0;
	}
	if (!add_routes(waits, lane))
		return LIQUID_NO_MEMORY;
	if (!remove_free(waits))
		return LIQUID_OK;
	*circle = malloc(waits->links * sizeof(**circle));
	if (!*circle)
		return LIQUID_NO_MEMORY;
	*count = find_circle(waits, *circle);
	return 1;
}

int liquid_fabric_find_circle(const struct liquid_fabric *fabric, uint32_t **circle,
			      uint32_t *count, struct liquid_error *err)
{
	struct waits waits;
	int status = open_waits(&waits, fabric) ? LIQUID_OK : LIQUID_NO_MEMORY;

	*circle = NULL;
	*count = 0;
	for (uint32_t lane = 0; lane < LIQUID_LANES_MAX && !status; lane++)
		status = look_in(&waits, lane, circle, count);
	close_waits(&waits);
	return status < 0 ? liquid_fail(err, status, NO_MEMORY) : status;
}
