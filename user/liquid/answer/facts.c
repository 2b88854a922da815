// SPDX-License-Identifier: GPL-2.0-only
/* What a round is before it is published: its digest, and which links it shares with others */
#include <stdlib.h>

#include "answer/answer.h"

/* The first link that carries load of both; LIQUID_NONE: there is none */
static uint32_t shared_link(const struct liquid_fabric *fabric, const uint64_t *a,
			    const uint64_t *b)
{
	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++)
		if (a[link] && b[link])
			return link;
	return LIQUID_NONE;
}

struct facts {
	const struct liquid_fabric *fabric;
	uint64_t rail;
	uint64_t *own, *other;		/* loads of two rounds, by link */
};

/* The first link that the round @json shares with ours, by name, or null */
static int add_shared(const struct facts *facts, const json_t *json, json_t *shared,
		      struct liquid_error *err)
{
	struct liquid_traffic *traffic = NULL;
	char name[2 * LIQUID_NAME_MAX + 32];
	struct round round;
	uint32_t link;
	int status = round_read(json, facts->rail, &round, err);

	if (!status)
		status = round_traffic(&round, facts->fabric, &traffic, err);
	if (!status)
		status = liquid_traffic_loads(facts->fabric, traffic, facts->other, err);
	round_clear(&round);
	liquid_traffic_free(traffic);
	if (status)
		return status;
	link = shared_link(facts->fabric, facts->own, facts->other);
	return json_array_append_new(shared, link == LIQUID_NONE ? json_null() : json_string(
		liquid_fabric_link_name(facts->fabric, link, name, sizeof(name)))) ?
	       liquid_no_memory(err) : LIQUID_OK;
}

static int add_others(const struct facts *facts, const json_t *others, json_t *answer,
		      struct liquid_error *err)
{
	json_t *shared = json_array();
	int status = json_object_set_new(answer, "shared", shared) ? liquid_no_memory(err) :
		     LIQUID_OK;

	for (size_t i = 0; !status && i < json_array_size(others); i++)
		status = add_shared(facts, json_array_get(others, i), shared, err);
	return status;
}

static int describe(const struct facts *facts, const struct liquid_traffic *traffic,
		    json_t *answer, struct liquid_error *err)
{
	char digest[LIQUID_DIGEST_HEX];
	int status = liquid_traffic_digest(facts->fabric, traffic, digest, err);

	if (!status)
		status = liquid_traffic_loads(facts->fabric, traffic, facts->own, err);
	if (status)
		return status;
	return json_object_update_new(answer, json_pack("{s:s, s:I}", "traffic_digest", digest,
		"transfers", (json_int_t)liquid_traffic_transfer_count(traffic))) ?
	       liquid_no_memory(err) : LIQUID_OK;
}

int round_facts(const json_t *question, const struct liquid_fabric *fabric, json_t *answer,
		struct liquid_error *err)
{
	size_t links = (size_t)liquid_fabric_link_count(fabric) + 1;
	struct facts facts = {
		.fabric = fabric, .own = calloc(links, sizeof(*facts.own)),
		.other = calloc(links, sizeof(*facts.other)),
		.rail = (uint64_t)json_integer_value(json_object_get(question, "rail")),
	};
	struct liquid_traffic *traffic = NULL;
	struct round round;
	int status = round_read(json_object_get(question, "round"), facts.rail, &round, err);

	if (!facts.own || !facts.other)
		status = liquid_no_memory(err);
	if (!status)
		status = round_traffic(&round, fabric, &traffic, err);
	if (!status)
		status = describe(&facts, traffic, answer, err);
	if (!status)
		status = add_others(&facts, json_object_get(question, "others"), answer, err);
	liquid_traffic_free(traffic);
	round_clear(&round);
	free(facts.own);
	free(facts.other);
	return status;
}
