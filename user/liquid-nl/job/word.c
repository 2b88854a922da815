// SPDX-License-Identifier: GPL-2.0-only
/* A node's words and decisions in a round, the service's counts, and its polls */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/agree.h"
#include "job/store/records.h"

/* The time between two polls, ns: it grows, and differs between nodes to spread the load. */
#define POLL_NS_MIN 20000000L
#define POLL_NS_MAX 250000000L
#define POLLS_PER_LEAD 16

void job_rest(struct job_args *args, int64_t ns)
{
	const struct timespec time = { ns / 1000000000, ns % 1000000000 };

	if (args->store.backend)
		args->store.backend->rest(&args->store, ns);
	else
		nanosleep(&time, NULL);
	job_lease_keep(args);
}

/* Up to a quarter of the time is taken off at random. */
void nap(struct agreement *agreement, int64_t left)
{
	int64_t most = (int64_t)agreement->spec.lead_ns / POLLS_PER_LEAD, ns = agreement->poll_ns;

	agreement->random = agreement->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	ns -= ns / 4 * (int64_t)(agreement->random >> 48) / 65536;
	job_rest(agreement->args, ns < left ? ns : left > 0 ? left : 0);
	most = most < POLL_NS_MAX ? most : POLL_NS_MAX;
	agreement->poll_ns += agreement->poll_ns / 4;
	if (agreement->poll_ns > most)
		agreement->poll_ns = most;
}

void await_next(struct agreement *agreement)
{
	agreement->poll_ns = POLL_NS_MIN;
}

/* ---- records of the round ---- */

bool decide(struct agreement *agreement, enum record record, struct record_decision *decision)
{
	const struct job_args *args = agreement->args;
	struct liquid_error err;

	snprintf(decision->node, sizeof(decision->node), "%s", args->node);
	if (!record_put_decision(&args->store, record, agreement->spec.round, decision, &err))
		return true;
	if (!agreement->told)
		complain(0, "node %s: the decision could not be made: %s", args->node,
			 err.text);
	agreement->told = true;
	return false;
}

void tell_against(const struct agreement *agreement, enum record record, const char *node,
		  const char *reason)
{
	const char *what = !agreement->replace ? "no node gates" :
			   record == RECORD_GO ? "all gates open" : "no new schedule";

	complain(0, "job %s: %s, as node %s decided: %s", agreement->args->job, what, node, reason);
}

bool decide_against(struct agreement *agreement, enum record record, const char *cause,
		    const char *format, ...)
{
	struct record_decision decision = { .positive = false };
	va_list list;

	va_start(list, format);
	vsnprintf(decision.reason, sizeof(decision.reason), format, list);
	snprintf(decision.cause, sizeof(decision.cause), "%s", cause);
	va_end(list);
	tell_against(agreement, record, agreement->args->node, decision.reason);
	return decide(agreement, record, &decision);
}

int say(const struct agreement *agreement, enum record word, struct liquid_error *err)
{
	const struct job_args *args = agreement->args;
	json_t *json = json_pack("{s:s, s:s}", "node", args->node, "digest", agreement->digest);
	int status = record_put(&args->store, word, agreement->spec.round, args->node, json, err);

	return status == JOB_PUT_LOST ?
	       liquid_fail(err, LIQUID_BAD_INPUT, "node %s was already %s", args->node,
			   word == RECORD_READY ? "ready" : "committed") : status;
}

enum word all_said(struct agreement *agreement, enum record record, const char **other)
{
	const struct job_store *store = &agreement->args->store;
	struct record_words *words = &agreement->words;

	if (!store->backend->words(store, record, agreement->spec.round, false, words))
		return WORD_MISSING;
	*other = *words->other ? words->other : "?";
	if (*words->other || (*words->digest && strcmp(words->digest, agreement->digest)))
		return WORD_OTHER;
	return words->said && words->said == words->of ? WORD_SAME : WORD_MISSING;
}

void tell_count(const struct agreement *agreement, enum record record, const char *were,
		char *text, size_t size)
{
	const struct job_store *store = &agreement->args->store;
	struct record_words words;

	if (store->backend->words(store, record, agreement->spec.round, true, &words))
		snprintf(text, size, "%zu of %zu nodes %s in time%s%s", words.said, words.of, were,
			 *words.missing ? ", not " : "", words.missing);
	else
		snprintf(text, size, "the service %s has not answered in time", store->dir);
}

bool job_is_over(const struct agreement *agreement)
{
	return job_ended_by(&agreement->args->store, agreement->args->job, agreement->until);
}

bool is_late(const struct agreement *agreement)
{
	return clock_ns(CLOCK_MONOTONIC) > agreement->deadline_ns;
}
