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
#include "verify/orbits.h"

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

/* ---- the traffic that is carried ---- */

static void find_difference(struct checker *checker, const struct liquid_pair *pair,
			    uint32_t wanted, uint32_t carried)
{
	uint32_t difference = wanted > carried ? wanted - carried : carried - wanted;

	if (wanted != carried)
		verify_find(checker, "%s>%s: %u %s (the traffic has %u, the frames %u)",
			    verify_host_name(checker, pair->src),
			    verify_host_name(checker, pair->dst),
			    difference, wanted > carried ? "missing" : "extra", wanted, carried);
}

static int pair_order(const struct liquid_pair *a, const struct liquid_pair *b)
{
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

/* Are both all-to-alls? Then a finding says it, if they are not the same. */
static bool compare_hosts(struct checker *checker, const struct liquid_traffic *wanted,
			  const struct liquid_traffic *carried)
{
	size_t wants, haves;
	const uint32_t *want = traffic_hosts(wanted, &wants);
	const uint32_t *have = traffic_hosts(carried, &haves);

	if (want && have && (wants != haves || memcmp(want, have, wants * sizeof(*want))))
		verify_find(checker, "the schedule is an exchange of %zu hosts, not of these %zu",
			    haves, wants);
	return want && have;
}

/* @wanted NULL: what is carried */
static int compare_traffics(struct checker *checker, const struct liquid_traffic *wanted,
			    const struct liquid_traffic *carried)
{
	const struct liquid_pair *want, *have;
	size_t wants, haves;
	int status;

	if (!wanted || compare_hosts(checker, wanted, carried))
		return LIQUID_OK;
	status = traffic_list(wanted, checker->err);
	if (!status)
		status = traffic_list(carried, checker->err);
	if (status)
		return status;
	want = liquid_traffic_pairs(wanted);
	have = liquid_traffic_pairs(carried);
	wants = liquid_traffic_pair_count(wanted);
	haves = liquid_traffic_pair_count(carried);
	for (size_t i = 0, j = 0; i < wants || j < haves;) {
		int order = i == wants ? 1 : j == haves ? -1 : pair_order(&want[i], &have[j]);

		find_difference(checker, order <= 0 ? &want[i] : &have[j],
				order <= 0 ? want[i].count : 0, order >= 0 ? have[j].count : 0);
		i += order <= 0;
		j += order >= 0;
	}
	return LIQUID_OK;
}

/* ---- figures ---- */

/* The load of the traffic by its pairs, where it may differ from that of the frames. */
static int weigh_pairs(struct checker *checker)
{
	int status = traffic_list(checker->traffic, checker->err);
	const struct liquid_pair *pairs = liquid_traffic_pairs(checker->traffic);
	size_t count = liquid_traffic_pair_count(checker->traffic);
	size_t links = liquid_fabric_link_count(checker->fabric);
	uint32_t path[LIQUID_PATH_MAX], steps;

	memset(checker->load, 0, links * sizeof(*checker->load));
	for (size_t i = 0; i < count; i++) {
		steps = verify_walk(checker->fabric, pairs[i].src, pairs[i].dst, path);
		if (!steps)
			verify_find(checker, "%s>%s of the traffic has no route in the fabric",
				    verify_host_name(checker, pairs[i].src),
				    verify_host_name(checker, pairs[i].dst));
		for (uint32_t j = 0; j < steps; j++)
			checker->load[path[j]] += pairs[i].count;
	}
	return status;
}

/* Where nothing has been found yet, the frames carry the traffic, and their load is its load. */
static int weigh(struct checker *checker)
{
	uint32_t links = liquid_fabric_link_count(checker->fabric);
	int status = checker->orbits ? orbits_loads(checker) :
		     checker->findings ? weigh_pairs(checker) : LIQUID_OK;

	for (uint32_t link = 0; link < links; link++) {
		uint64_t *load = &checker->load[link], frames;
		uint32_t capacity = verify_capacity(checker->fabric, link);

		frames = (*load + capacity - 1) / capacity;
		if (frames > checker->duration)
			checker->duration = (uint32_t)frames;
		checker->fluid_bound = fmax(checker->fluid_bound, (double)*load / capacity);
	}
	return status;
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

/* Orbits are not listed for their digest. */
static int digest_traffic(const struct checker *checker, char hex[LIQUID_DIGEST_HEX])
{
	size_t count;
	const uint32_t *host = traffic_hosts(checker->traffic, &count);
	const char **name;
	int status;

	if (!checker->orbits)
		return liquid_traffic_digest(checker->fabric, checker->whole, hex, checker->err);
	name = calloc(count + 1, sizeof(*name));
	for (size_t i = 0; name && i < count; i++)
		name[i] = verify_host_name(checker, host[i]);
	status = name ? traffic_alltoall_digest(name, count, hex, checker->err) :
		 liquid_no_memory(checker->err);
	free(name);
	return status;
}

static int check_digests(struct checker *checker)
{
	char fabric[LIQUID_DIGEST_HEX], traffic[LIQUID_DIGEST_HEX];
	uint64_t unit = liquid_fabric_unit_rate(checker->fabric);
	int status = liquid_fabric_digest(checker->fabric, fabric, checker->err);

	if (!status)
		status = digest_traffic(checker, traffic);
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
	if (info->witness_json && checker->orbits) {
		verify_find(checker, "a compact schedule has no witness");
	} else if (info->witness_json) {
		status = traffic_list(checker->traffic, checker->err);
		if (!status)
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

static int check_all(struct checker *checker, const struct liquid_traffic *wanted,
		     const struct liquid_traffic *carried)
{
	int status;

	checker->load = calloc(liquid_fabric_link_count(checker->fabric) + 1,
			       sizeof(*checker->load));
	if (!checker->load)
		return liquid_no_memory(checker->err);
	status = check_digests(checker);
	if (!status && checker->orbits)
		status = orbits_shifts(checker);
	if (!status)
		status = verify_frames(checker);
	if (!status)
		status = compare_traffics(checker, wanted, carried);
	if (!status)
		status = weigh(checker);
	if (!status) {
		check_figures(checker);
		check_claim(checker);
		verify_marks(checker);
		status = check_bound(checker);
	}
	if (!status)
		status = verify_timeslots(checker);
	free(checker->load);
	free(checker->counter);
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

/* ---- the traffic that the frames carry ---- */

/* Is it an all-to-all of @senders? By a bit for each pair: none is there twice. */
static bool is_exchange(const struct checker *checker, uint64_t *seen, bool *receives,
			bool *sends, uint32_t *sender, size_t *senders)
{
	uint32_t hosts = liquid_fabric_host_count(checker->fabric);
	const struct liquid_transfer *transfer;
	uint64_t transfers = 0;
	size_t count;

	for (uint32_t f = 0; f < checker->info->length; f++) {
		transfer = liquid_schedule_frame(checker->schedule, f, &count);
		transfers += count;
		for (size_t i = 0; i < count; i++) {
			size_t bit = (size_t)transfer[i].src * hosts + transfer[i].dst;

			if (transfer[i].src == transfer[i].dst || seen[bit / 64] >> bit % 64 & 1)
				return false;
			seen[bit / 64] |= UINT64_C(1) << bit % 64;
			sends[transfer[i].src] = receives[transfer[i].dst] = true;
		}
	}
	for (uint32_t h = 0; h < hosts; h++)
		if (sends[h])
			sender[(*senders)++] = h;
	return *senders && transfers == *senders * (*senders - 1) &&
	       !memcmp(sends, receives, hosts * sizeof(*sends));
}

/* An all-to-all that is listed is known by its hosts: nothing has to be sorted. */
static int take_list(struct checker *checker, struct liquid_traffic **carried)
{
	size_t hosts = liquid_fabric_host_count(checker->fabric), senders = 0;
	bool few = hosts * hosts / 64 > checker->info->transfers;
	uint64_t *seen = few ? NULL : calloc(hosts * hosts / 64 + 1, sizeof(*seen));
	bool *sends = calloc(hosts + 1, sizeof(*sends));
	bool *receives = calloc(hosts + 1, sizeof(*receives));
	uint32_t *sender = calloc(hosts + 1, sizeof(*sender));
	int status;

	if (seen && sends && receives && sender &&
	    is_exchange(checker, seen, receives, sends, sender, &senders))
		status = liquid_traffic_alltoall(sender, senders, carried, checker->err);
	else
		status = liquid_schedule_traffic(checker->schedule, NULL, carried, checker->err);
	free(seen);
	free(sends);
	free(receives);
	free(sender);
	return status;
}

/* The traffic of the frames */
static int take_carried(struct checker *checker, struct liquid_traffic **carried)
{
	if (liquid_schedule_shape(checker->schedule))
		return orbits_open(checker, carried);
	if (liquid_schedule_host_count(checker->schedule) !=
	    liquid_fabric_host_count(checker->fabric))
		return liquid_fail(checker->err, LIQUID_BAD_INPUT,
				   "the schedule was not read for this fabric: %u hosts, not %u",
				   liquid_schedule_host_count(checker->schedule),
				   liquid_fabric_host_count(checker->fabric));
	return take_list(checker, carried);
}

/*
 * Each message is sent in as many parts as the schedule says. Without a traffic, it has the
 * messages whose parts are there, if not all.
 */
static int check_parts(struct checker *checker, const struct liquid_traffic *wanted,
		       const struct liquid_traffic *carried)
{
	uint32_t parts = checker->info->parts;
	struct liquid_traffic *whole = NULL, *divided = NULL;
	int status = LIQUID_OK;

	if (!wanted)
		status = traffic_scale(carried, 1, parts, &whole, checker->err);
	checker->whole = whole ? whole : wanted;
	if (!status)
		status = traffic_scale(checker->whole, parts, 1, &divided, checker->err);
	checker->traffic = divided;
	if (!status)
		status = check_all(checker, divided, carried);
	liquid_traffic_free(whole);
	liquid_traffic_free(divided);
	return status;
}

/* Orbits are of whole messages, and version 1 has no word for parts. */
static int refuse_parts(const struct checker *checker)
{
	uint32_t parts = checker->info->parts;

	if (parts == 1 || (parts && parts <= LIQUID_PARTS_MAX && checker->info->version > 1 &&
			   !liquid_schedule_shape(checker->schedule)))
		return LIQUID_OK;
	liquid_fail(checker->err, LIQUID_INVALID, "\"parts\" is %u: it must be from 1 to %u, and 1 "
		    "in version 1 or if it is compact", parts, LIQUID_PARTS_MAX);
	if (checker->report)
		checker->report(checker->context, checker->err->text);
	return LIQUID_INVALID;
}

int liquid_verify(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  const struct liquid_schedule *schedule, liquid_verify_report report,
		  void *context, struct liquid_error *err)
{
	struct checker checker = {
		.fabric = fabric, .schedule = schedule, .info = liquid_schedule_info(schedule),
		.report = report, .context = context, .err = err,
		.counters = liquid_fabric_link_count(fabric),
	};
	struct liquid_traffic *carried = NULL;
	int status = refuse_parts(&checker);

	if (status)
		return status;
	status = take_carried(&checker, &carried);
	/* orbits say theirs by names, and separate figures */
	checker.traffic = checker.whole = traffic && !checker.orbits ? traffic : carried;
	if (!status && checker.info->parts != 1)
		status = check_parts(&checker, traffic, carried);
	else if (!status)
		status = check_all(&checker, traffic, carried);
	liquid_traffic_free(carried);
	orbits_close(&checker);
	tell_rest(&checker);
	if (status && status != LIQUID_INVALID)	/* what is invalid is a finding */
		return status;
	return checker.findings ? LIQUID_INVALID : LIQUID_OK;
}
