// SPDX-License-Identifier: GPL-2.0-only
/* A node's slice of a round, which the service has had made for all nodes */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "job/agree.h"
#include "job/order.h"
#include "job/service/client.h"

#define REST_NS INT64_C(50000000)	/* between two looks at the clock and the job's end, ns */
#define LOOK_NS INT64_C(500000000)	/* between two looks for the job's end, ns */

/* Why the wait ends early, or NULL */
static const char *why_stop(const struct agreement *agreement, int64_t *next)
{
	int64_t now = clock_ns(CLOCK_MONOTONIC);

	if (is_late(agreement))
		return "the schedule was not ready in time";
	if (now < *next)
		return NULL;
	*next = now + LOOK_NS;
	return job_is_over(agreement) ? "the job has ended" : NULL;
}

static int read_rail(const json_t *json, struct rail *rail, struct liquid_error *err)
{
	const char *endpoint = "";
	int idle = 0;

	if (json_unpack((json_t *)json, "{s?b, s?s}", "idle", &idle, "endpoint", &endpoint))
		return liquid_fail(err, LIQUID_BAD_INPUT, "malformed plan of a rail");
	rail->idle = idle;
	snprintf(rail->endpoint, sizeof(rail->endpoint), "%s", endpoint);
	return idle ? LIQUID_OK : push_plan_take(json, &rail->push.plan, err);
}

/* The first rail's plan has the others' in "more". */
static int read_rails(struct agreement *agreement, const json_t *json, struct liquid_error *err)
{
	const json_t *more = json_object_get(json, "more");
	size_t rails = 1 + json_array_size(more);
	int status = LIQUID_OK;

	if (rails > CONF_RAILS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "plans of %zu rails; a node has at most "
				   "%d", rails, CONF_RAILS_MAX);
	for (size_t i = 0; !status && i < rails; i++)
		status = read_rail(i ? json_array_get(more, i - 1) : json,
				   &agreement->rail[agreement->rails++], err);
	return status;
}

static int read_plan(struct agreement *agreement, const char *text, size_t length)
{
	json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL);
	struct liquid_error err;
	const char *digest;
	int code = EXIT_OK;

	if (json_unpack(json, "{s:s}", "digest", &digest) ||
	    strlen(digest) != LIQUID_DIGEST_HEX - 1)
		code = complain(EXIT_BAD_INPUT, "round %s: malformed plan of node %s",
				agreement->spec.round, agreement->args->node);
	else
		strcpy(agreement->digest, digest);
	job_order_keep(agreement->args, code ? NULL : json_object_get(json, "order"));
	if (!code && read_rails(agreement, json, &err))
		code = complain(EXIT_BAD_INPUT, "round %s: %s", agreement->spec.round, err.text);
	json_decref(json);
	return code;
}

int slice_prepare(struct agreement *agreement)
{
	struct job_args *args = agreement->args;
	int64_t next = clock_ns(CLOCK_MONOTONIC) + LOOK_NS;
	const char *why;
	size_t length;
	char *text;
	int code;

	while (!service_slice(&args->store, agreement->spec.round, &text, &length, &why)) {
		why = why_stop(agreement, &next);
		if (why)
			break;
		job_rest(args, REST_NS);
	}
	code = text ? read_plan(agreement, text, length) : complain(EXIT_BAD_INPUT, "%s", why);
	free(text);
	return code;
}
