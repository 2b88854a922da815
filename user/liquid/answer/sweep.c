// SPDX-License-Identifier: GPL-2.0-only
/* Which rounds are void: their transfers take other routes now. */
#include <stdlib.h>
#include <string.h>

#include "answer/answer.h"

/* ---- the links of two fabrics ---- */

struct named {
	char name[2 * LIQUID_NAME_MAX + 32];
	uint32_t link;
};

static int compare_named(const void *one, const void *other)
{
	return strcmp(((const struct named *)one)->name, ((const struct named *)other)->name);
}

static struct named *name_links(const struct liquid_fabric *fabric)
{
	uint32_t count = liquid_fabric_link_count(fabric);
	struct named *named = calloc((size_t)count + 1, sizeof(*named));

	for (uint32_t i = 0; named && i < count; i++) {
		char text[sizeof(named->name)];

		snprintf(named[i].name, sizeof(named[i].name), "%s",
			 liquid_fabric_link_name(fabric, i, text, sizeof(text)));
		named[i].link = i;
	}
	if (named)
		qsort(named, count, sizeof(*named), compare_named);
	return named;
}

/* By link of @before, the same one of @now: LIQUID_NONE if it is gone or has another capacity */
static uint32_t *match_links(const struct liquid_fabric *before, const struct liquid_fabric *now)
{
	uint32_t count = liquid_fabric_link_count(before), others = liquid_fabric_link_count(now);
	uint32_t *same = calloc((size_t)count + 1, sizeof(*same));
	struct named *theirs = name_links(now), wanted;

	for (uint32_t i = 0; same && theirs && i < count; i++) {
		const struct named *found;
		char text[sizeof(wanted.name)];

		snprintf(wanted.name, sizeof(wanted.name), "%s",
			 liquid_fabric_link_name(before, i, text, sizeof(text)));
		found = bsearch(&wanted, theirs, others, sizeof(*theirs), compare_named);
		same[i] = found && liquid_fabric_capacity(now, found->link) ==
			  liquid_fabric_capacity(before, i) ? found->link : LIQUID_NONE;
	}
	if (!theirs) {
		free(same);
		same = NULL;
	}
	free(theirs);
	return same;
}

static bool is_same_route(const struct liquid_fabric *before, const struct liquid_fabric *now,
			  const uint32_t *same, const struct liquid_pair *pair)
{
	uint32_t src = liquid_fabric_find_host(now, liquid_fabric_node_name(before, pair->src));
	uint32_t dst = liquid_fabric_find_host(now, liquid_fabric_node_name(before, pair->dst));
	uint32_t path[LIQUID_PATH_MAX], other[LIQUID_PATH_MAX];
	struct liquid_error err;
	int length = liquid_fabric_route(before, pair->src, pair->dst, path, &err);

	if (src == LIQUID_NONE || dst == LIQUID_NONE || length <= 0 ||
	    liquid_fabric_route(now, src, dst, other, &err) != length)
		return false;
	for (int i = 0; i < length; i++)
		if (same[path[i]] != other[i])
			return false;
	return true;
}

/*
 * The fabric of some rounds, what has become of it, and for each link of the one the link of the
 * other
 */
struct sweep {
	struct liquid_fabric *before, *now;
	uint32_t *same;
	uint64_t rail;
	char digest[LIQUID_DIGEST_HEX];		/* of @before */
};

#define REASON_MAX 512

/* Why a traffic cannot go on by its schedule, or "" */
static void compare_routes(const struct sweep *sweep, const struct liquid_traffic *traffic,
			   char reason[REASON_MAX])
{
	const struct liquid_pair *pair = liquid_traffic_pairs(traffic), *first = NULL;
	size_t count = liquid_traffic_pair_count(traffic), moved = 0;
	const struct liquid_fabric *before = sweep->before;

	for (size_t i = 0; i < count; i++) {
		if (is_same_route(before, sweep->now, sweep->same, &pair[i]))
			continue;
		if (!moved++)
			first = &pair[i];
	}
	reason[0] = '\0';
	if (liquid_fabric_unit_rate(before) != liquid_fabric_unit_rate(sweep->now))
		snprintf(reason, REASON_MAX, "a unit has another rate now");
	else if (moved)
		snprintf(reason, REASON_MAX, "routes have changed: %zu of %zu pairs of hosts have "
			 "another one, as from %.100s to %.100s", moved, count,
			 liquid_fabric_node_name(before, first->src),
			 liquid_fabric_node_name(before, first->dst));
}

/* ---- the rounds ---- */

static int judge(const struct sweep *sweep, const json_t *json, char reason[REASON_MAX],
		 struct liquid_error *err)
{
	const char *digest, *label;
	struct liquid_traffic *traffic = NULL;
	struct round round;
	int status;

	if (json_unpack((json_t *)json, "{s:s, s:s}", "fabric_digest", &digest, "label", &label))
		return answer_malformed(err);
	if (strcmp(sweep->digest, digest)) {
		snprintf(reason, REASON_MAX, "it is for fabric %.12s, and %.200s is %.12s now",
			 digest, label, sweep->digest);
		return LIQUID_OK;
	}
	status = round_read(json, sweep->rail, &round, err);
	if (!status)
		status = round_traffic(&round, sweep->before, &traffic, err);
	if (!status)
		compare_routes(sweep, traffic, reason);
	round_clear(&round);
	liquid_traffic_free(traffic);
	return status;
}

/* Of each round {"reason": ...}, "" if it goes on, or {"error": ...}: the others are judged. */
static int judge_all(const struct sweep *sweep, const json_t *rounds, json_t **answer,
		     struct liquid_error *err)
{
	json_t *verdicts = json_array();
	int failed = 0;

	for (size_t i = 0; i < json_array_size(rounds); i++) {
		char reason[REASON_MAX];
		struct liquid_error why;
		int status = judge(sweep, json_array_get(rounds, i), reason, &why);

		failed |= json_array_append_new(verdicts, json_pack("{s:s}",
			status ? "error" : "reason", status ? why.text : reason));
	}
	*answer = json_pack("{s:o}", "rounds", verdicts);
	return failed || !*answer ? liquid_no_memory(err) : LIQUID_OK;
}

/* "now" is a fabric, or there are dumps, which are imported like "fabric". */
static int read_now(struct sweep *sweep, const json_t *question, struct liquid_error *err)
{
	const struct liquid_import like = { .like = sweep->before, .allow_unreachable = true };
	const json_t *now = json_object_get(question, "now");
	int status = now ? answer_fabric(now, &sweep->now, err) :
		     answer_dumps(question, &like, &sweep->now, err);

	if (status)
		return status;
	sweep->same = match_links(sweep->before, sweep->now);
	return sweep->same ? liquid_fabric_digest(sweep->before, sweep->digest, err) :
	       liquid_no_memory(err);
}

int answer_sweep(const json_t *question, json_t **answer, struct liquid_error *err)
{
	struct sweep sweep = {
		.rail = (uint64_t)json_integer_value(json_object_get(question, "rail")),
	};
	int status = answer_fabric(json_object_get(question, "fabric"), &sweep.before, err);

	if (!status)
		status = read_now(&sweep, question, err);
	if (!status)
		status = judge_all(&sweep, json_object_get(question, "rounds"), answer, err);
	free(sweep.same);
	liquid_fabric_free(sweep.before);
	liquid_fabric_free(sweep.now);
	return status;
}
