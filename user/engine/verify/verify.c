// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The verifier: is a schedule valid, and are its figures and its certificate true?
 *
 * It follows the forwarding tables itself and shares no code with the solver, so that a
 * mistake in one does not hide in the other.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "traffic/traffic.h"
#include "verify/verify.h"

void verify_find(struct checker *checker, const char *format, ...)
{
	struct liquid_error finding;
	va_list args;

	if (checker->findings++ >= VERIFY_FINDINGS_MAX)
		return;
	va_start(args, format);
	vsnprintf(finding.text, sizeof(finding.text), format, args);
	va_end(args);
	if (checker->findings == 1)
		liquid_fail(checker->err, LIQUID_INVALID, "%s", finding.text);
	if (checker->report)
		checker->report(checker->context, finding.text);
}

static const char *host_name(const struct checker *checker, uint32_t host)
{
	return liquid_fabric_node_name(checker->fabric, host);
}

uint32_t verify_walk(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		     uint32_t path[LIQUID_PATH_MAX])
{
	uint32_t hosts = liquid_fabric_host_count(fabric), steps = 0, at = src;

	if (src >= hosts || dst >= hosts || src == liquid_fabric_owner(fabric, dst))
		return 0;
	while (steps < LIQUID_PATH_MAX) {
		uint32_t link = at == src ? liquid_fabric_host_out(fabric, at) :
			liquid_fabric_forward(fabric, at - hosts, dst);
		const struct liquid_link *ends = link == LIQUID_NONE ? NULL :
						 liquid_fabric_link(fabric, link);

		if (!ends || ends->from != at)
			return 0;
		path[steps++] = link;
		at = ends->to;
		if (at < hosts)
			return at == liquid_fabric_owner(fabric, dst) ? steps : 0;
	}
	return 0;
}

uint32_t verify_capacity(const struct liquid_fabric *fabric, uint32_t link)
{
	const struct liquid_link *ends = liquid_fabric_link(fabric, link);
	uint32_t hosts = liquid_fabric_host_count(fabric);

	if (fabric->version < 2 && (ends->from < hosts || ends->to < hosts))
		return 1;
	return ends->capacity;
}

/* ---- frames ---- */

/* Write the transfers of @frame that use @link: "a>b, c>d, ..." */
static void name_users(const struct checker *checker, uint32_t frame, uint32_t link,
		       char *text, size_t size)
{
	const struct liquid_transfer *transfers;
	uint32_t path[LIQUID_PATH_MAX];
	size_t count, used = 0;

	transfers = liquid_schedule_frame(checker->schedule, frame, &count);
	text[0] = '\0';
	for (size_t i = 0; i < count && used < size - 1; i++) {
		uint32_t steps = verify_walk(checker->fabric, transfers[i].src, transfers[i].dst,
					     path);

		for (uint32_t j = 0; j < steps; j++)
			if (path[j] == link)
				used += snprintf(text + used, size - used, "%s%s>%s",
						 used ? ", " : "",
						 host_name(checker, transfers[i].src),
						 host_name(checker, transfers[i].dst));
	}
	if (used >= size)
		memcpy(text + size - 4, "...", 4);
}

static void find_congestion(struct checker *checker, uint32_t frame, uint32_t link, uint32_t used)
{
	uint32_t hosts = liquid_fabric_host_count(checker->fabric);
	const struct liquid_link *ends = liquid_fabric_link(checker->fabric, link);
	uint32_t capacity = verify_capacity(checker->fabric, link);
	char users[400], limit[40] = "", name[2 * LIQUID_NAME_MAX + 32];

	if (checker->findings >= VERIFY_FINDINGS_MAX) {
		checker->findings++;
		return;
	}
	name_users(checker, frame, link, users, sizeof(users));
	if (capacity > 1 || (ends->from >= hosts && ends->to >= hosts))
		snprintf(limit, sizeof(limit), ", its capacity is %u", capacity);
	if (ends->from < hosts)
		verify_find(checker, "frame %u: host '%s' sends %u transfers at once%s: %s", frame,
			    host_name(checker, ends->from), used, limit, users);
	else if (ends->to < hosts)
		verify_find(checker, "frame %u: host '%s' receives %u transfers at once%s: %s",
			    frame, host_name(checker, ends->to), used, limit, users);
	else
		verify_find(checker, "frame %u: link %s carries %u transfers%s: %s", frame,
			    liquid_fabric_link_name(checker->fabric, link, name, sizeof(name)),
			    used, limit, users);
}

/* Use of the links by one frame; an entry of another frame counts as 0. */
struct use {
	uint32_t frame, count;
};

/* Count the transfers of @frame on each link, and in checker->load; is one used too often? */
static bool count_frame(struct checker *checker, uint32_t frame,
			const struct liquid_transfer *transfers, size_t count, struct use *use)
{
	uint32_t path[LIQUID_PATH_MAX], steps;
	bool congested = false;

	for (size_t i = 0; i < count; i++) {
		steps = verify_walk(checker->fabric, transfers[i].src, transfers[i].dst, path);
		if (!steps)
			verify_find(checker, "frame %u: %s>%s has no route in the fabric", frame,
				    host_name(checker, transfers[i].src),
				    host_name(checker, transfers[i].dst));
		for (uint32_t j = 0; j < steps; j++) {
			struct use *here = &use[path[j]];

			here->count = here->frame == frame ? here->count + 1 : 1;
			here->frame = frame;
			checker->load[path[j]]++;
			if (here->count > 1)
				congested |= here->count > verify_capacity(checker->fabric,
									   path[j]);
		}
	}
	return congested;
}

/* No entry of @use may be of @frame, but those of a count of 0. */
static void check_frame(struct checker *checker, uint32_t frame, struct use *use)
{
	const struct liquid_transfer *transfers;
	uint32_t path[LIQUID_PATH_MAX], steps;
	size_t count;

	transfers = liquid_schedule_frame(checker->schedule, frame, &count);
	if (!count)
		verify_find(checker, "frame %u is empty", frame);
	if (!count_frame(checker, frame, transfers, count, use))
		return;
	for (size_t i = 0; i < count; i++) {
		steps = verify_walk(checker->fabric, transfers[i].src, transfers[i].dst, path);
		for (uint32_t j = 0; j < steps; j++) {
			struct use *here = &use[path[j]];

			if (here->count > verify_capacity(checker->fabric, path[j]))
				find_congestion(checker, frame, path[j], here->count);
			here->count = 0;
		}
	}
}

static int check_frames(struct checker *checker)
{
	struct use *use = calloc(liquid_fabric_link_count(checker->fabric) + 1, sizeof(*use));

	if (!use)
		return liquid_fail(checker->err, LIQUID_NO_MEMORY, "no memory to verify");
	for (uint32_t frame = 0; frame < checker->info->length; frame++)
		check_frame(checker, frame, use);
	free(use);
	return LIQUID_OK;
}

/* ---- the traffic that is carried ---- */

static void find_difference(struct checker *checker, const struct liquid_pair *pair,
			    uint32_t wanted, uint32_t carried)
{
	uint32_t difference = wanted > carried ? wanted - carried : carried - wanted;

	if (wanted != carried)
		verify_find(checker, "%s>%s: %u %s (the traffic has %u, the frames %u)",
			    host_name(checker, pair->src), host_name(checker, pair->dst),
			    difference, wanted > carried ? "missing" : "extra", wanted, carried);
}

static int pair_order(const struct liquid_pair *a, const struct liquid_pair *b)
{
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

static void compare_traffics(struct checker *checker, const struct liquid_traffic *carried)
{
	const struct liquid_pair *want = liquid_traffic_pairs(checker->traffic);
	const struct liquid_pair *have = liquid_traffic_pairs(carried);
	size_t wants = liquid_traffic_pair_count(checker->traffic);
	size_t haves = liquid_traffic_pair_count(carried);

	for (size_t i = 0, j = 0; i < wants || j < haves;) {
		int order = i == wants ? 1 : j == haves ? -1 : pair_order(&want[i], &have[j]);

		find_difference(checker, order <= 0 ? &want[i] : &have[j],
				order <= 0 ? want[i].count : 0, order >= 0 ? have[j].count : 0);
		i += order <= 0;
		j += order >= 0;
	}
}

/* ---- figures ---- */

/* The load of the traffic by its pairs, where it may differ from that of the frames. */
static void weigh_pairs(struct checker *checker)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(checker->traffic);
	size_t count = liquid_traffic_pair_count(checker->traffic);
	uint32_t path[LIQUID_PATH_MAX], steps;

	memset(checker->load, 0,
	       liquid_fabric_link_count(checker->fabric) * sizeof(*checker->load));
	for (size_t i = 0; i < count; i++) {
		steps = verify_walk(checker->fabric, pairs[i].src, pairs[i].dst, path);
		if (!steps)
			verify_find(checker, "%s>%s of the traffic has no route in the fabric",
				    host_name(checker, pairs[i].src),
				    host_name(checker, pairs[i].dst));
		for (uint32_t j = 0; j < steps; j++)
			checker->load[path[j]] += pairs[i].count;
	}
}

/* Where nothing has been found yet, the frames carry the traffic, and their load is its load. */
static void weigh(struct checker *checker)
{
	if (checker->findings)
		weigh_pairs(checker);
	for (uint32_t link = 0; link < liquid_fabric_link_count(checker->fabric); link++) {
		uint32_t capacity = verify_capacity(checker->fabric, link);
		uint64_t frames = (checker->load[link] + capacity - 1) / capacity;

		if (frames > checker->duration)
			checker->duration = (uint32_t)frames;
		checker->fluid_bound = fmax(checker->fluid_bound,
					    (double)checker->load[link] / capacity);
	}
}

static void check_figures(struct checker *checker)
{
	const struct liquid_schedule_info *info = checker->info;
	uint64_t transfers = liquid_traffic_transfer_count(checker->traffic);

	if (info->transfers != transfers)
		verify_find(checker, "\"transfers\" is %llu, but there are %llu",
			    (unsigned long long)info->transfers, (unsigned long long)transfers);
	if (info->duration != checker->duration)
		verify_find(checker, "\"duration\" is %u, but the loads make it %u", info->duration,
			    checker->duration);
	if (!(fabs(info->fluid_bound - checker->fluid_bound) <= 1e-9 * checker->fluid_bound))
		verify_find(checker, "\"fluid_bound\" is %.9g, but the loads make it %.9g",
			    info->fluid_bound, checker->fluid_bound);
}

/* Does the fabric have properties that a schedule of version 1 cannot express? */
static bool needs_version_2(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);

	for (uint32_t link = 0; link < liquid_fabric_link_count(fabric); link++) {
		const struct liquid_link *ends = liquid_fabric_link(fabric, link);

		if ((ends->from < hosts || ends->to < hosts) && verify_capacity(fabric, link) > 1)
			return true;
	}
	return liquid_fabric_unit_rate(fabric) > 0;
}

static int check_digests(struct checker *checker)
{
	char fabric[LIQUID_DIGEST_HEX], traffic[LIQUID_DIGEST_HEX];
	uint64_t unit = liquid_fabric_unit_rate(checker->fabric);
	int status = liquid_fabric_digest(checker->fabric, fabric, checker->err);

	if (!status)
		status = liquid_traffic_digest(checker->fabric, checker->traffic, traffic,
					       checker->err);
	if (status)
		return status;
	if (strcmp(fabric, checker->info->fabric_digest))
		verify_find(checker, "the schedule was made for another fabric: \"fabric_digest\" "
			    "is %.16s..., this fabric's is %.16s...", checker->info->fabric_digest,
			    fabric);
	if (checker->info->version < 2 && needs_version_2(checker->fabric))
		verify_find(checker, "\"version\" is %u, but the fabric needs version 2: it has a "
			    "unit rate or hosts that send several transfers at once",
			    checker->info->version);
	if (unit && checker->info->link_rate_bps != unit)
		verify_find(checker, "\"link_rate_bps\" is %llu, a unit of the fabric is %llu "
			    "bit/s", (unsigned long long)checker->info->link_rate_bps,
			    (unsigned long long)unit);
	if (strcmp(traffic, checker->info->traffic_digest))
		verify_find(checker, "\"traffic_digest\" is %.16s..., the traffic's is %.16s...",
			    checker->info->traffic_digest, traffic);
	return LIQUID_OK;
}

/* ---- certificate ---- */

static void check_claim(struct checker *checker)
{
	const struct liquid_schedule_info *info = checker->info;
	const char *name = liquid_certificate_name(info->certificate);

	switch (info->certificate) {
	case LIQUID_CERT_LIQUID:
		if (info->length != checker->duration)
			verify_find(checker, "certificate '%s', but the length is %u and the "
				    "duration %u", name, info->length, checker->duration);
		break;
	case LIQUID_CERT_OPTIMAL:
		if (info->length <= checker->duration)
			verify_find(checker, "certificate '%s', but the length %u is not above the "
				    "duration %u", name, info->length, checker->duration);
		if (info->lower_bound != info->length)
			verify_find(checker, "certificate '%s', but the lower bound %u is not the "
				    "length %u", name, info->lower_bound, info->length);
		break;
	case LIQUID_CERT_GAP:
		if (info->length <= info->lower_bound)
			verify_find(checker, "certificate '%s', but the length %u is not above the "
				    "lower bound %u", name, info->length, info->lower_bound);
		break;
	}
}

static int check_bound(struct checker *checker)
{
	const struct liquid_schedule_info *info = checker->info;
	int status = LIQUID_OK;
	uint32_t proven;

	if (info->lower_bound > info->length)
		verify_find(checker, "\"lower_bound\" %u is above the length %u", info->lower_bound,
			    info->length);
	if (info->lower_bound < checker->duration)
		verify_find(checker, "\"lower_bound\" %u is below the duration %u",
			    info->lower_bound, checker->duration);
	if (info->witness_json) {
		status = verify_witness(checker, &proven);
		if (!status && proven < info->lower_bound)
			verify_find(checker, "the witness proves a lower bound of %u, not of %u",
				    proven, info->lower_bound);
	} else if (info->lower_bound > checker->duration) {
		verify_find(checker, "\"lower_bound\" %u is above the duration %u and has no "
			    "witness", info->lower_bound, checker->duration);
	}
	return status == LIQUID_INVALID ? LIQUID_OK : status;	/* already reported as a finding */
}

/* ---- all checks ---- */

static int check_all(struct checker *checker, const struct liquid_traffic *carried)
{
	int status;

	checker->load = calloc(liquid_fabric_link_count(checker->fabric) + 1,
			       sizeof(*checker->load));
	if (!checker->load)
		return liquid_fail(checker->err, LIQUID_NO_MEMORY, "no memory to verify");
	status = check_digests(checker);
	if (!status)
		status = check_frames(checker);
	if (!status) {
		compare_traffics(checker, carried);
		weigh(checker);
		check_figures(checker);
		check_claim(checker);
		verify_marks(checker);
		status = check_bound(checker);
		if (!status)
			status = verify_timeslots(checker);
	}
	free(checker->load);
	return status;
}

static void tell_rest(struct checker *checker)
{
	char text[80];

	if (checker->findings <= VERIFY_FINDINGS_MAX || !checker->report)
		return;
	snprintf(text, sizeof(text), "and %llu more",
		 (unsigned long long)(checker->findings - VERIFY_FINDINGS_MAX));
	checker->report(checker->context, text);
}

/* Is each of the @count @hosts one that the shape has? Those of the shape are others each. */
static bool all_take_part(const struct checker *checker, const uint32_t *hosts, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (liquid_schedule_find_host(checker->schedule,
					      host_name(checker, hosts[i])) == LIQUID_NONE)
			return false;
	return true;
}

/* Is the traffic the all-to-all of those that take part? */
static int compare_with_shape(const struct checker *checker)
{
	const struct liquid_shape *shape = liquid_schedule_shape(checker->schedule);
	uint64_t taking = shape->places - shape->left_out;
	size_t count;
	const uint32_t *hosts = traffic_hosts(checker->traffic, &count);

	if (!hosts)
		return liquid_fail(checker->err, LIQUID_BAD_INPUT, "the schedule is compact: its "
				   "traffic is an all-to-all of hosts");
	if (count == taking && all_take_part(checker, hosts, count))
		return LIQUID_OK;
	return liquid_fail(checker->err, LIQUID_INVALID, "the schedule is an exchange of %llu "
			   "hosts, not that of these %zu", (unsigned long long)taking, count);
}

/* What is proven over classes ends at the first error. */
static int verify_shape(const struct checker *checker)
{
	int status = verify_orbits(checker->fabric, checker->schedule, checker->err);

	if (!status && checker->traffic)
		status = compare_with_shape(checker);
	if (status == LIQUID_INVALID && checker->report)
		checker->report(checker->context, checker->err->text);
	return status;
}

int liquid_verify(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  const struct liquid_schedule *schedule, liquid_verify_report report,
		  void *context, struct liquid_error *err)
{
	struct checker checker = {
		.fabric = fabric, .traffic = traffic, .schedule = schedule,
		.info = liquid_schedule_info(schedule),
		.report = report, .context = context, .err = err,
	};
	struct liquid_traffic *carried;
	int status;

	if (liquid_schedule_shape(schedule))
		return verify_shape(&checker);
	if (liquid_schedule_host_count(schedule) != liquid_fabric_host_count(fabric))
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the schedule was not read for this fabric: %u hosts, not %u",
				   liquid_schedule_host_count(schedule),
				   liquid_fabric_host_count(fabric));
	status = liquid_schedule_traffic(schedule, NULL, &carried, err);
	if (!status && traffic)
		status = traffic_list(traffic, err);
	if (status)
		return status;
	if (!traffic)
		checker.traffic = carried;
	status = check_all(&checker, carried);
	liquid_traffic_free(carried);
	if (status)
		return status;
	tell_rest(&checker);
	return checker.findings ? LIQUID_INVALID : LIQUID_OK;
}
