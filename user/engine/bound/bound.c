// SPDX-License-Identifier: LGPL-2.1-or-later
/* Raising the lower bound of a schedule by prices of transfers. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "bound/mix.h"
#include "bound/prices.h"
#include "bound/simplex.h"
#include "schedule/schedule.h"
#include "traffic/traffic.h"

#define WORK_DEFAULT UINT64_C(20000000000)
#define KINDS_MAX 20000u

struct raising {
	const struct liquid_fabric *fabric;
	const struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;
	const struct routes *routes;	/* without strands */
	struct classes classes;
	struct liquid_mix result;
};

/* ---- the witness ---- */

/* Give the schedule a bound and its proof, which it frees; returns the earlier proof. */
static char *set_bound(struct liquid_schedule *schedule, uint32_t bound, char *witness)
{
	struct liquid_schedule_info *info = &schedule->info;
	char *earlier = schedule->witness;

	schedule->witness = witness;
	info->witness_json = witness;
	info->lower_bound = bound;
	info->certificate = info->length == info->duration ? LIQUID_CERT_LIQUID :
			    info->length == bound ? LIQUID_CERT_OPTIMAL : LIQUID_CERT_GAP;
	return earlier;
}

/* Let the verifier judge: what it does not prove is not claimed. */
static int try_witness(struct raising *r, const struct prices *prices, struct liquid_error *err)
{
	uint32_t bound = r->schedule->info.lower_bound;
	struct liquid_error finding;
	char *witness = prices_witness(prices, &r->classes, r->routes, r->fabric), *earlier;
	int status;

	if (!witness)
		return liquid_no_memory(err);
	earlier = set_bound(r->schedule, (uint32_t)prices_bound(prices), witness);
	status = liquid_verify(r->fabric, r->traffic, r->schedule, NULL, NULL, &finding);
	if (!status) {
		r->result.least = (double)prices->traffic / (double)prices->frame;
		free(earlier);
		return LIQUID_OK;
	}
	free(set_bound(r->schedule, bound, earlier));
	return status == LIQUID_INVALID ? LIQUID_OK :
					  liquid_fail(err, status, "%.900s", finding.text);
}

static int use_prices(struct raising *r, const struct mix *mix, struct liquid_error *err)
{
	const struct liquid_schedule_info *info = &r->schedule->info;
	struct prices prices;
	int status = prices_find(&prices, &r->classes, r->routes, mix->price, err);

	if (!status && prices_bound(&prices) > info->lower_bound &&
	    prices_bound(&prices) <= info->length)
		status = try_witness(r, &prices, err);
	prices_clear(&prices);
	return status;
}

/* ---- the whole ---- */

static int mix_and_use(struct raising *r, struct budget *budget, struct liquid_error *err)
{
	const struct liquid_schedule_info *info = &r->schedule->info;
	uint32_t *frame = routes_frames(r->routes, r->schedule, 1);
	struct mix mix = { 0 };
	int status;

	if (!frame)
		return liquid_no_memory(err);
	status = mix_frames(&mix, &r->classes, r->routes, frame, info->length, info->lower_bound,
			    info->seed, budget, err);
	r->result.most = mix.most;
	r->result.ended = mix.ended;
	if (!status && mix.guess > info->lower_bound)
		status = use_prices(r, &mix, err);
	mix_clear(&mix);
	free(frame);
	return status;
}

static int attach(const struct raising *r, struct liquid_error *err)
{
	const struct liquid_mix *mix = &r->result;
	json_t *root = json_pack("{s:I,s:f,s:f,s:b}", "classes", (json_int_t)mix->classes,
				 "least", mix->least, "most", mix->most, "ended", mix->ended);
	char *json = root ? json_dumps(root, JSON_COMPACT | JSON_PRESERVE_ORDER |
				       JSON_REAL_PRECISION(9)) : NULL;
	int status = json ? liquid_schedule_attach(r->schedule, "mix", json, err) :
			    liquid_no_memory(err);

	free(json);
	json_decref(root);
	return status;
}

static int raise_bound(struct raising *r, uint64_t work, struct liquid_error *err)
{
	struct budget budget = { .limit = work ? work : WORK_DEFAULT, .look = UINT64_MAX };
	const struct liquid_schedule_info *info = &r->schedule->info;
	int status = LIQUID_OK;

	r->result.least = info->fluid_bound;
	r->result.most = info->length;
	if (info->length > info->lower_bound)
		status = classes_find(&r->classes, r->routes, err);
	r->result.classes = r->classes.count;
	r->result.too_large = r->classes.count > SIMPLEX_ROWS_MAX || r->classes.kinds > KINDS_MAX;
	if (!status && r->classes.count && !r->result.too_large)
		status = mix_and_use(r, &budget, err);
	classes_clear(&r->classes);
	return status ? status : attach(r, err);
}

int liquid_raise_bound(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		       struct liquid_schedule *schedule, uint64_t work, struct liquid_mix *mix,
		       struct liquid_error *err)
{
	struct raising r = { .fabric = fabric, .traffic = traffic, .schedule = schedule };
	struct liquid_traffic *parts = NULL;
	struct liquid_error finding;
	struct routes *routes = NULL;
	int status = liquid_verify(fabric, traffic, schedule, NULL, NULL, &finding);

	if (status)
		return liquid_fail(err, status == LIQUID_INVALID ? LIQUID_BAD_INPUT : status,
				   "the schedule is not valid: %.900s", finding.text);
	if (schedule->info.parts > 1)
		status = traffic_scale(traffic, schedule->info.parts, 1, &parts, err);
	if (!status)
		status = routes_build(fabric, parts ? parts : traffic, &routes, err);
	if (!status) {
		r.routes = routes_whole(routes);
		status = raise_bound(&r, work, err);
		routes_free(routes);
	}
	liquid_traffic_free(parts);
	if (!status)
		*mix = r.result;
	return status;
}
