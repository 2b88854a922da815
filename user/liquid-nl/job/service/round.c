// SPDX-License-Identifier: GPL-2.0-only
/*
 * The nodes of a round: who may speak for them, their messages, and decisions
 *
 * Positive decisions are checked against the nodes' messages: a node that lies can hinder a
 * round, but not make others gate alone.
 */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "job/service/server.h"

#define MISSING_TOLD 5			/* nodes that a message names, the last one by "..." */

/* ---- where nodes call from ---- */

static bool read_place(struct place *place, const char *node, const json_t *addresses)
{
	size_t index;
	json_t *text;

	snprintf(place->node, sizeof(place->node), "%s", node);
	place->address = calloc(json_array_size(addresses) + 1, sizeof(*place->address));
	if (!place->address)
		return false;
	json_array_foreach(addresses, index, text)
		if (json_is_string(text) &&
		    address_read(json_string_value(text), &place->address[place->addresses]))
			place->addresses++;
	return true;
}

static int compare_places(const void *one, const void *other)
{
	return strcmp(((const struct place *)one)->node, ((const struct place *)other)->node);
}

/* A node that two parts name is one node. */
static bool read_places(struct round *round, const json_t *json)
{
	const struct job_spec *spec = &round->spec;
	size_t kept = 0;

	round->places = calloc(job_spec_node_count(spec) + 1, sizeof(*round->places));
	if (!round->places)
		return false;
	for (size_t i = 0; i < spec->part_count; i++)
		for (size_t n = 0; n < spec->part[i].nodes.count; n++) {
			const char *node = spec->part[i].nodes.name[n];

			if (!read_place(&round->places[round->count++], node,
					json_object_get(json, node)))
				return false;
		}
	qsort(round->places, round->count, sizeof(*round->places), compare_places);
	for (size_t i = 0; i < round->count; i++) {
		if (kept && !strcmp(round->places[kept - 1].node, round->places[i].node))
			free(round->places[i].address);
		else
			round->places[kept++] = round->places[i];
	}
	round->count = kept;
	return true;
}

static struct place *place_named(const struct round *round, const char *node)
{
	struct place wanted;

	snprintf(wanted.node, sizeof(wanted.node), "%s", node);
	return bsearch(&wanted, round->places, round->count, sizeof(wanted), compare_places);
}

/* The first node of a job calls itself. */
static bool is_self(const struct session *session)
{
	const struct server *server = session->server;

	return *server->job && !strcmp(session->hello.node, server->args->node) &&
	       address_is_own(&session->peer);
}

struct place *round_place(const struct round *round, const struct session *session)
{
	struct place *place = place_named(round, session->hello.node);

	if (place && is_self(session))
		return place;
	for (size_t i = 0; place && i < place->addresses; i++)
		if (address_same(&place->address[i], &session->peer))
			return place;
	return NULL;
}

/* ---- who calls from elsewhere ---- */

/* "h1, h2, ..." */
static void list_nodes(const struct round *round, const char *job, char *text, size_t size)
{
	size_t used = 0, listed = 0;

	*text = '\0';
	for (size_t i = 0; i < round->spec.part_count; i++) {
		const struct liquid_names *nodes = &round->spec.part[i].nodes;

		for (size_t n = 0; !strcmp(round->spec.part[i].job, job) && n < nodes->count; n++) {
			const char *name = listed + 1 < MISSING_TOLD ? nodes->name[n] : "...";

			if (listed == MISSING_TOLD || used + strlen(name) + 8 >= size)
				return;
			used += (size_t)snprintf(text + used, size - used, "%s%s",
						 listed++ ? ", " : "", name);
		}
	}
}

static void list_addresses(const struct place *place, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN];
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < place->addresses && used + sizeof(address) + 8 < size; i++) {
		address_write(&place->address[i], address);
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
					 address);
	}
}

/*
 * One record for a name, and few for a round. It is about the name alone: who calls by it decides
 * nothing, and a job that is gated all the same is gated.
 */
static void record_stranger(struct server *server, struct round *round, struct place *place,
			    const char *reason)
{
	struct liquid_error err;

	if (place->refused || round->strangers == STRANGERS_MAX)
		return;
	place->refused = true;
	round->strangers++;
	record_put_reason(server->store, RECORD_REFUSED, round->spec.round, place->node, reason,
			  &err);
}

void round_tell_stranger(struct server *server, struct round *round, const char *job,
			 const struct session *session, char *text, size_t size)
{
	struct place *place = place_named(round, session->hello.node);
	char from[INET6_ADDRSTRLEN], known[128];

	if (!place) {
		list_nodes(round, job, known, sizeof(known));
		snprintf(text, size, "%s is not one of the job's nodes %s", session->hello.node,
			 known);
		return;
	}
	address_write(&session->peer, from);
	list_addresses(place, known, sizeof(known));
	snprintf(text, size, "it calls from %s; for %s %s knows %s (getent ahosts %s)", from,
		 place->node, job_publisher(server->args), known, place->node);
	record_stranger(server, round, place, text);
}

/* ---- rounds ---- */

static void round_free(struct round *round)
{
	for (size_t i = 0; i < round->count; i++)
		free(round->places[i].address);
	free(round->places);
	job_spec_clear(&round->spec);
	free(round);
}

struct round *round_open(struct server *server, const char *name, struct liquid_error *err)
{
	struct round *round = jobs_round(server, name);
	json_t *places;
	bool fine;

	if (round) {
		round->jobs++;
		return round;
	}
	round = calloc(1, sizeof(*round));
	if (!round || job_spec_read(server->store, name, &round->spec, err)) {
		if (!round)
			liquid_no_memory(err);
		free(round);
		return NULL;
	}
	places = record_get(server->store, RECORD_PLACES, name, NULL, err);
	fine = read_places(round, places);
	json_decref(places);
	if (!fine) {
		liquid_no_memory(err);
		round_free(round);
		return NULL;
	}
	round->jobs = 1;
	round->next = server->rounds;
	server->rounds = round;
	return round;
}

void round_close(struct server *server, struct round *round)
{
	struct round **link = &server->rounds;

	if (--round->jobs)
		return;
	while (*link != round)
		link = &(*link)->next;
	*link = round->next;
	if (round->slices)
		slices_free(server, round->slices);
	round_free(round);
}

/* ---- words ---- */

int round_say(struct round *round, struct place *place, uint64_t process, enum record word,
	      const char *digest, struct liquid_error *err)
{
	int which = word == RECORD_COMMITTED;
	struct tally *tally = &round->tally[which];

	if (place->process[which])
		return place->process[which] == process ? JOB_PUT_DONE :
		       liquid_fail(err, JOB_PUT_LOST, "another process has said so");
	place->process[which] = process;
	tally->said++;
	if (!*tally->digest)
		strcpy(tally->digest, digest);
	else if (strcmp(tally->digest, digest) && !*tally->other)
		strcpy(tally->other, place->node);
	return JOB_PUT_DONE;
}

bool round_all_said(const struct round *round, enum record word, const char *digest)
{
	const struct tally *tally = &round->tally[word == RECORD_COMMITTED];

	return tally->said == round->count && !*tally->other &&
	       (!digest || !strcmp(tally->digest, digest));
}

void round_missing(const struct round *round, enum record word, char *text, size_t size)
{
	size_t used = 0, missing = 0;

	*text = '\0';
	for (size_t i = 0; i < round->count && missing < MISSING_TOLD; i++) {
		const struct place *place = &round->places[i];

		if (place->process[word == RECORD_COMMITTED] ||
		    used + strlen(place->node) + 8 >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", missing ? ", " : "",
					 missing + 1 == MISSING_TOLD ? "..." : place->node);
		missing++;
	}
}

/* ---- decisions ---- */

static int check_decision(const struct round *round, const struct place *place, enum record record,
			  const struct record_decision *decision, struct liquid_error *err)
{
	if (!decision->made || strcmp(decision->node, place->node))
		return liquid_fail(err, LIQUID_BAD_INPUT, "malformed decision");
	if (!decision->positive)
		return LIQUID_OK;
	if (record == RECORD_RELEASE && (!decision->base_given || decision->base_ns < 0 ||
					 !round_all_said(round, RECORD_READY, decision->digest)))
		return liquid_fail(err, LIQUID_BAD_INPUT, "not all nodes are ready");
	if (record == RECORD_GO && !round_all_said(round, RECORD_COMMITTED, NULL))
		return liquid_fail(err, LIQUID_BAD_INPUT, "not all nodes have committed");
	return LIQUID_OK;
}

static void tell_decision(const struct round *round, enum record record,
			  const struct record_decision *decision)
{
	const char *name = round->spec.round;

	if (!decision->positive)
		complain(0, "round %s: given up, as node %s decided: %s", name, decision->node,
			 decision->reason);
	else if (record == RECORD_RELEASE)
		complain(0, "round %s: all %zu nodes have schedule %.12s", name, round->count,
			 decision->digest);
	else
		complain(0, "round %s: all %zu nodes gate", name, round->count);
}

/* The record is on the disk before any node learns of it. */
int round_decide(struct server *server, struct round *round, const struct place *place,
		 enum record record, const json_t *json, struct liquid_error *err)
{
	struct record_decision decision;
	int status;

	record_read_decision(json, record, &decision);
	status = check_decision(round, place, record, &decision, err);
	if (status)
		return status;
	if (record_has(server->store, record, round->spec.round, NULL))
		return JOB_PUT_LOST;
	status = record_put_decision(server->store, record, round->spec.round, &decision, err);
	if (status)
		return status;
	if (record == RECORD_RELEASE && decision.positive)
		round->base_ns = decision.base_ns;
	if (record == RECORD_GO && decision.positive)
		server->base_ns = round->base_ns;
	tell_decision(round, record, &decision);
	jobs_decided(server, round);
	return LIQUID_OK;
}
