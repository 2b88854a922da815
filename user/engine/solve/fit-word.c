// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * First fit into the duration, a link's frames being the bits of one word
 *
 * For small traffics, where an attempt costs less than an analysis of their structure. The
 * transfers on the fullest links come first; equal ones are in the order of a round-robin
 * shift. Each goes to the first free frame at or after its frame in the shift. There are two
 * attempts: a shift over the numbers of the hosts, and one over their ranks among senders and
 * receivers. An attempt ends at the first transfer that finds no frame.
 */
#include <stdlib.h>
#include <string.h>

#include "solve/methods.h"

/* Within these limits all sort keys fit in 32 bits, and the table of hosts is small. */
enum { FRAMES_MAX = 64, PAIRS_MAX = 4096, HOSTS_MAX = 4096, SUM_BITS = 12 };
enum { DIGIT_BITS = 9, DIGITS = 1 << DIGIT_BITS };

struct keyed {
	uint32_t key, pair;
};

struct word_fit {
	const struct routes *routes;
	uint32_t hosts;			/* largest number + 1 */
	uint32_t sum_most;		/* largest sum of the loads of a route */
	uint64_t *busy;			/* by link: its used frames, as bits */
	struct keyed *order, *spare;
	uint32_t *sender, *receiver;	/* by host: its rank among them */
	uint32_t *frame;		/* by transfer */
};

static bool is_for_words(const struct routes *routes)
{
	if (routes->duration > FRAMES_MAX || routes->pair_count > PAIRS_MAX)
		return false;
	for (uint32_t link = 0; link < routes->link_count; link++)
		if (routes->capacity[link] != 1)
			return false;
	return true;
}

/* Returns false if there are too many hosts. */
static bool measure(struct word_fit *fit, const struct routes *routes)
{
	uint32_t last = 0, longest = 0;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		const struct liquid_pair *ends = &routes->pairs[pair];
		uint32_t length = routes->first[pair + 1] - routes->first[pair];

		last = ends->src > last ? ends->src : last;
		last = ends->dst > last ? ends->dst : last;
		longest = length > longest ? length : longest;
	}
	if (last >= HOSTS_MAX)
		return false;
	fit->hosts = last + 1;
	fit->sum_most = longest * routes->duration;
	if (fit->sum_most >= 1u << SUM_BITS)
		fit->sum_most = (1u << SUM_BITS) - 1;
	return true;
}

/* Returns the one allocation that has all tables. */
static void *word_fit_new(struct word_fit *fit, const struct routes *routes)
{
	size_t pairs = routes->pair_count, hosts = fit->hosts;
	char *memory = malloc(routes->link_count * sizeof(*fit->busy) +
			      2 * pairs * sizeof(*fit->order) + 2 * hosts * sizeof(*fit->sender) +
			      routes->transfer_count * sizeof(*fit->frame));

	fit->routes = routes;
	fit->busy = (void *)memory;
	fit->order = (void *)(fit->busy + routes->link_count);
	fit->spare = fit->order + pairs;
	fit->sender = (void *)(fit->spare + pairs);
	fit->receiver = fit->sender + hosts;
	fit->frame = fit->receiver + hosts;
	return memory;
}

static uint32_t shift_of(uint32_t from, uint32_t to, uint32_t span)
{
	return to >= from ? to - from : to + span - from;
}

static uint32_t bits_of(uint32_t value)
{
	return value ? 32 - (uint32_t)__builtin_clz(value) : 0;
}

/* Pairs are placed by ascending keys. Returns the bits of a key. */
static uint32_t set_keys(struct word_fit *fit)
{
	const struct routes *routes = fit->routes;
	uint32_t shift_bits = bits_of(fit->hosts - 1), sum_bits = bits_of(fit->sum_most), all = 0;

	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		const struct liquid_pair *ends = &routes->pairs[pair];
		uint32_t fullest = 0, sum = 0, key;

		for (uint32_t i = routes->first[pair]; i < routes->first[pair + 1]; i++) {
			uint32_t load = routes->load[routes->links[i]];

			fullest = load > fullest ? load : fullest;
			sum += load;
		}
		key = (routes->duration - fullest) << sum_bits |
		      (sum < fit->sum_most ? fit->sum_most - sum : 0);
		key = key << shift_bits | shift_of(ends->src, ends->dst, fit->hosts);
		fit->order[pair] = (struct keyed){ key, pair };
		all |= key;
	}
	return bits_of(all);
}

/* Stable sort by the digit of the keys at bit @low. */
static void sort_digit(struct word_fit *fit, uint32_t low)
{
	uint32_t begin[DIGITS + 1] = { 0 }, count = fit->routes->pair_count;
	struct keyed *from = fit->order;

	for (uint32_t i = 0; i < count; i++)
		begin[(from[i].key >> low) % DIGITS + 1]++;
	for (uint32_t digit = 0; digit < DIGITS; digit++)
		begin[digit + 1] += begin[digit];
	for (uint32_t i = 0; i < count; i++)
		fit->spare[begin[(from[i].key >> low) % DIGITS]++] = from[i];
	fit->order = fit->spare;
	fit->spare = from;
}

/* Returns the number of receivers. */
static uint32_t rank_hosts(struct word_fit *fit)
{
	const struct routes *routes = fit->routes;
	uint32_t senders = 0, receivers = 0;

	memset(fit->sender, 0, 2 * fit->hosts * sizeof(*fit->sender));
	for (uint32_t pair = 0; pair < routes->pair_count; pair++) {
		fit->sender[routes->pairs[pair].src] = 1;
		fit->receiver[routes->pairs[pair].dst] = 1;
	}
	for (uint32_t host = 0; host < fit->hosts; host++) {
		uint32_t sends = fit->sender[host], receives = fit->receiver[host];

		fit->sender[host] = senders;
		fit->receiver[host] = receivers;
		senders += sends;
		receivers += receives;
	}
	return receivers;
}

/* The first free frame at or after @from, then from 0; there is one. */
static uint32_t free_frame(uint64_t free, uint32_t from)
{
	uint64_t later = free >> from << from;

	return (uint32_t)__builtin_ctzll(later ? later : free);
}

/* Place the units of @pair; false if one has no frame within the duration. */
static bool place(struct word_fit *fit, uint32_t pair, uint32_t from, uint64_t frames)
{
	const struct routes *routes = fit->routes;
	uint32_t begin = routes->first[pair], end = routes->first[pair + 1];

	for (uint32_t unit = routes->first_transfer[pair]; unit < routes->first_transfer[pair + 1];
	     unit++) {
		uint64_t busy = 0;

		for (uint32_t i = begin; i < end; i++)
			busy |= fit->busy[routes->links[i]];
		if (!(frames & ~busy))
			return false;
		fit->frame[unit] = free_frame(frames & ~busy, from);
		for (uint32_t i = begin; i < end; i++)
			fit->busy[routes->links[i]] |= 1ull << fit->frame[unit];
	}
	return true;
}

static bool attempt(struct word_fit *fit, bool by_rank)
{
	const struct routes *routes = fit->routes;
	uint32_t length = routes->duration, span = by_rank ? rank_hosts(fit) : fit->hosts;
	uint64_t frames = ~0ull >> (FRAMES_MAX - length);

	memset(fit->busy, 0, routes->link_count * sizeof(*fit->busy));
	for (uint32_t i = 0; i < routes->pair_count; i++) {
		uint32_t pair = fit->order[i].pair;
		uint32_t from = routes->pairs[pair].src, to = routes->pairs[pair].dst;

		if (by_rank) {
			from = fit->sender[from];
			to = fit->receiver[to];
		}
		if (!place(fit, pair, shift_of(from, to, span) % length, frames))
			return false;
	}
	return true;
}

int word_fit(struct solving *solving, struct liquid_error *err)
{
	const struct routes *routes = solving->routes;
	struct word_fit fit = { 0 };
	uint64_t work = 2 * ((uint64_t)routes->first[routes->pair_count] + routes->transfer_count);
	int status = LIQUID_OK;
	uint32_t bits;
	void *memory;

	if (!is_for_words(routes) || !measure(&fit, routes) ||
	    !budget_spend(solving->budget, work))
		return LIQUID_OK;
	memory = word_fit_new(&fit, routes);
	if (!memory)
		return liquid_no_memory(err);
	bits = set_keys(&fit);
	for (uint32_t low = 0; low < bits; low += DIGIT_BITS)
		sort_digit(&fit, low);
	if (attempt(&fit, false) || (budget_spend(solving->budget, work) && attempt(&fit, true)))
		status = solving_offer(solving, fit.frame, routes->duration, err);
	free(memory);
	return status;
}
