// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finding bottlenecks that no simultaneity can use together
 *
 * In a schedule as long as the duration, each frame is a simultaneity in which every
 * bottleneck carries what it needs. If an exhaustive search finds no such simultaneity, the
 * same question is asked without one of the links, as long as the answer is no. A minimal
 * set of links remains, which explains the length.
 */
#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

#define NODES_MAX 20000			/* of one search */
#define BOTTLENECKS_MAX 256
#define PAIRS_MAX 4096
#define NEEDS_MAX 1024			/* the depth of the search */

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_UNKNOWN };

struct asking {
	struct explaining *explaining;
	const struct routes *routes;
	const struct routes_inverse *inverse;
	uint32_t *links, count;		/* bottlenecks to use */
	uint32_t *need;			/* by index in links[]: least transfers in the frame */
	uint32_t *used;			/* by link: transfers so far */
	bool *closed;			/* by pair: in use, or tried before */
	uint32_t *trail, trail_length;	/* pairs that are closed, in this order */
	uint64_t nodes;			/* search nodes so far */
};

static bool fits(const struct asking *asking, uint32_t pair)
{
	uint32_t count;
	const uint32_t *links = routes_links(asking->routes, pair, &count);

	if (asking->closed[pair])
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (asking->used[links[i]] >= asking->routes->capacity[links[i]])
			return false;
	return true;
}

static void close_pair(struct asking *asking, uint32_t pair)
{
	asking->closed[pair] = true;
	asking->trail[asking->trail_length++] = pair;
}

static void reopen(struct asking *asking, uint32_t mark)
{
	while (asking->trail_length > mark)
		asking->closed[asking->trail[--asking->trail_length]] = false;
}

static void use(struct asking *asking, uint32_t pair, int way)
{
	uint32_t count;
	const uint32_t *links = routes_links(asking->routes, pair, &count);

	for (uint32_t i = 0; i < count; i++)
		asking->used[links[i]] += way;
}

/*
 * Of the links that need more transfers, find the one with the fewest pairs to choose from;
 * LIQUID_NONE: no link needs more. *@dead: a link has too few.
 */
static uint32_t tightest(const struct asking *asking, bool *dead)
{
	uint32_t best = LIQUID_NONE, least = UINT32_MAX;

	for (uint32_t i = 0; i < asking->count; i++) {
		uint32_t link = asking->links[i], choice = 0;

		if (asking->used[link] >= asking->need[i])
			continue;
		for (uint32_t j = asking->inverse->first[link];
		     j < asking->inverse->first[link + 1]; j++)
			choice += fits(asking, asking->inverse->pairs[j]);
		*dead |= choice < asking->need[i] - asking->used[link];
		if (choice < least) {
			least = choice;
			best = link;
		}
	}
	return best;
}

static enum answer ask(struct asking *asking)
{
	enum answer answer = ANSWER_NO;
	uint32_t mark = asking->trail_length, link;
	bool dead = false;

	if (++asking->nodes > NODES_MAX || !budget_spend(&asking->explaining->budget, 1000))
		return ANSWER_UNKNOWN;
	link = tightest(asking, &dead);
	if (link == LIQUID_NONE)
		return ANSWER_YES;
	for (uint32_t i = asking->inverse->first[link];
	     !dead && answer == ANSWER_NO && i < asking->inverse->first[link + 1]; i++) {
		uint32_t pair = asking->inverse->pairs[i];

		if (!fits(asking, pair))
			continue;
		close_pair(asking, pair);
		use(asking, pair, 1);
		answer = ask(asking);
		use(asking, pair, -1);
	}
	reopen(asking, mark);
	return answer;
}

static enum answer ask_anew(struct asking *asking)
{
	asking->nodes = 0;
	return ask(asking);
}

/* Leave out each link if the answer stays no. Returns true if no answer was unknown. */
static bool shrink(struct asking *asking)
{
	bool minimal = true;

	for (uint32_t i = asking->count; i-- > 0;) {
		uint32_t last = asking->count - 1, link = asking->links[i], need = asking->need[i];
		enum answer answer;

		memmove(asking->links + i, asking->links + i + 1, (last - i) * sizeof(link));
		memmove(asking->need + i, asking->need + i + 1, (last - i) * sizeof(need));
		asking->count = last;
		answer = ask_anew(asking);
		minimal &= answer != ANSWER_UNKNOWN;
		if (answer == ANSWER_NO)
			continue;
		memmove(asking->links + i + 1, asking->links + i, (last - i) * sizeof(link));
		memmove(asking->need + i + 1, asking->need + i, (last - i) * sizeof(need));
		asking->links[i] = link;
		asking->need[i] = need;
		asking->count = last + 1;
	}
	return minimal;
}

/* ---- writing the answer ---- */

static void write_users(struct asking *asking, uint32_t link, json_t *object)
{
	struct explaining *explaining = asking->explaining;
	uint32_t begin = asking->inverse->first[link], end = asking->inverse->first[link + 1];
	json_t *list = json_array();

	for (uint32_t i = begin; i < end; i++) {
		if (i - begin < EXPLAIN_LISTED_MAX)
			explain_add(explaining, list,
				    explain_pair(explaining, asking->inverse->pairs[i]));
		if (i - begin >= EXPLAIN_NAMED_MAX)
			continue;
		fputs(i > begin ? ", " : " can carry ", explaining->text);
		explain_say_pair(explaining, asking->inverse->pairs[i]);
	}
	if (end - begin > EXPLAIN_NAMED_MAX)
		fprintf(explaining->text, " and %u more", end - begin - EXPLAIN_NAMED_MAX);
	putc('\n', explaining->text);
	explain_set(explaining, object, "transfers", list);
}

static void write_blocked(struct asking *asking, bool minimal)
{
	struct explaining *explaining = asking->explaining;
	json_t *list = json_array();

	fprintf(explaining->text, "no team      no simultaneity uses these bottlenecks together%s, "
		"as each of %u frames would have to:\n",
		minimal ? " (any fewer of them can be used)" : "", explaining->info->duration);
	for (uint32_t i = 0; i < asking->count; i++) {
		json_t *object = json_pack("{s:o,s:I}", "link",
					   explain_link(explaining, asking->links[i]), "need",
					   (json_int_t)asking->need[i]);

		fputs("  ", explaining->text);
		explain_say_link(explaining, asking->links[i]);
		write_users(asking, asking->links[i], object);
		explain_add(explaining, list, object);
	}
	explain_set(explaining, explaining->root, "blocked", list);
	explain_set(explaining, explaining->root, "minimal", json_boolean(minimal));
}

static void write_answer(struct asking *asking)
{
	enum answer answer = ask_anew(asking);
	static const char *const words[] = {
		[ANSWER_NO] = "none", [ANSWER_YES] = "exists", [ANSWER_UNKNOWN] = "unknown",
	};

	explain_set(asking->explaining, asking->explaining->root, "team",
		    json_string(words[answer]));
	if (answer == ANSWER_NO)
		write_blocked(asking, shrink(asking));
	else if (answer == ANSWER_YES)
		fputs("teams        some simultaneity uses all bottlenecks, "
		      "so the obstacle is not a single frame but what it leaves\n",
		      asking->explaining->text);
}

static bool choose_links(struct asking *asking)
{
	const struct routes *routes = asking->routes;
	uint64_t needs = 0;

	for (uint32_t link = 0; link < routes->link_count; link++) {
		uint64_t others = (uint64_t)routes->capacity[link] * (routes->duration - 1);

		if (!explain_is_bottleneck(routes, link))
			continue;
		if (asking->count == BOTTLENECKS_MAX)
			return false;
		asking->links[asking->count] = link;
		asking->need[asking->count++] = (uint32_t)(routes->load[link] - others);
		needs += routes->load[link] - others;
	}
	return needs <= NEEDS_MAX;
}

int explain_teams(struct explaining *explaining, struct liquid_error *err)
{
	struct asking asking = { .explaining = explaining, .routes = explaining->routes,
				 .inverse = &explaining->inverse };
	size_t pairs = (size_t)explaining->routes->pair_count + 1;
	bool good;

	if (pairs > PAIRS_MAX)
		return LIQUID_OK;
	asking.links = calloc(BOTTLENECKS_MAX, sizeof(*asking.links));
	asking.need = calloc(BOTTLENECKS_MAX, sizeof(*asking.need));
	asking.used = calloc((size_t)explaining->routes->link_count + 1, sizeof(*asking.used));
	asking.closed = calloc(pairs, sizeof(*asking.closed));
	asking.trail = calloc(pairs, sizeof(*asking.trail));
	good = asking.links && asking.need && asking.used && asking.closed && asking.trail;
	if (good && choose_links(&asking))
		write_answer(&asking);
	free(asking.links);
	free(asking.need);
	free(asking.used);
	free(asking.closed);
	free(asking.trail);
	return good ? LIQUID_OK : liquid_no_memory(err);
}
