// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A schedule of orbits: over classes, not over transfers
 *
 * If the tables keep the shifts, and the hosts of a block are twins, then all frames of a base
 * frame are images of one: phase 0, turn 0. In that one, whatever a shift does that keeps phases,
 * the transfers stay the same ones, so that the links of a class carry equally many, and it is
 * enough to count them. A block that sends to a class sends to all of it, and each of its hosts
 * does in its own turn: so there is every transfer, and once.
 *
 * Without shifts blocks may be smaller than the turns. Such a block sends in as many turns as it
 * has hosts, one after another, and others may use its links in the rest: links are counted turn
 * by turn.
 *
 * Hosts that are left out change nothing of this: the rest of a valid frame is valid, and each
 * pair of the others is there, once. But they are no longer images of each other: the loads of
 * links are added up one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "fabric/fabric.h"
#include "traffic/traffic.h"
#include "verify/loads.h"
#include "verify/orbits.h"
#include "verify/shifts.h"

#define SHARED_TURNS_MAX 64	/* with more, a block counts in all turns */

struct orbits_proof {
	const struct liquid_shape *shape;
	uint32_t links, order;		/* order: elements of the shifts */
	uint32_t taking;		/* places that take part */
	uint32_t *host;			/* by place */
	uint32_t *origin;		/* by class: its place */
	struct renaming renaming[LIQUID_SHIFTS_MAX];
	/* Of the kind that orbits_next() has come to */
	uint32_t kind, start, base;	/* kind, its first frame, and its next base frame */
	struct classes classes;		/* under shifts that keep phases */
	uint32_t keep;			/* the number of them */
	uint32_t *unit;			/* of the kind, by base frame */
	size_t *next;			/* by base frame: the end of its units */
};

#define invalid(checker, ...) (verify_find(checker, __VA_ARGS__), LIQUID_INVALID)

static const char *name_of(const struct checker *checker, uint32_t place)
{
	const uint32_t *host = checker->orbits->shape->host;

	return liquid_schedule_host_name(checker->schedule, host ? host[place] : place);
}

/* ---- the shape ---- */

static int check_shifts(struct checker *checker)
{
	struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	uint64_t below = 1;

	proof->order = 1;
	for (uint32_t i = 0; i < shape->shifts && i < LIQUID_SHIFTS_MAX; i++) {
		const struct liquid_shift *shift = &shape->shift[i];
		bool turns = shift->stride == 1 && shift->count == shape->turns;

		if (!shift->stride || shift->count < 2 || shift->stride % below)
			return invalid(checker, "shift %u does not begin where another ends", i);
		below = (uint64_t)shift->stride * shift->count;
		if (below > shape->places || shape->places % below ||
		    (!turns && shift->stride % shape->turns))
			return invalid(checker, "shift %u is none of %u places in blocks of %u", i,
				       shape->places, shape->turns);
		proof->order *= shift->count;
		for (uint32_t k = 0; k < shape->kinds; k++) {
			uint64_t weight = shape->kind[k].weight[i];

			if (weight * shift->count % shape->kind[k].phases)
				return invalid(checker, "kind %u: shift %u does not close", k, i);
		}
	}
	if ((uint64_t)shape->classes * proof->order != shape->places)
		return invalid(checker, "%u classes of %u places each, but %u places",
			       shape->classes, proof->order, shape->places);
	return LIQUID_OK;
}

static bool is_out(const struct liquid_shape *shape, uint32_t place)
{
	return shape->out && shape->out[place];
}

static int count_hosts(struct checker *checker)
{
	struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;

	for (uint32_t p = 0; p < shape->places; p++) {
		if (!name_of(checker, p))
			return invalid(checker, "place %u has no host", p);
		proof->taking += !is_out(shape, p);
	}
	if (proof->taking < 2 || proof->taking + shape->left_out != shape->places)
		return invalid(checker, "%u of %u hosts take part, and %u are left out",
			       proof->taking, shape->places, shape->left_out);
	return LIQUID_OK;
}

static int check_shape(struct checker *checker)
{
	const struct liquid_shape *shape = checker->orbits->shape;
	uint64_t frames = 0;

	if (shape->shifts > LIQUID_SHIFTS_MAX || !shape->kinds || shape->kinds > LIQUID_KINDS_MAX ||
	    !shape->turns || shape->turns > shape->places || shape->first[0] ||
	    shape->first[shape->blocks] != shape->places)
		return invalid(checker, "invalid shape");
	for (uint32_t b = 0; b < shape->blocks; b++) {
		uint32_t size = shape->first[b + 1] - shape->first[b];

		if (!size || size > shape->turns || (shape->shifts && size != shape->turns))
			return invalid(checker, "block %u has %u places in %u turns", b, size,
				       shape->turns);
	}
	for (uint32_t k = 0; k < shape->kinds; k++) {
		/* Each is bounded before they are multiplied. */
		if (!shape->kind[k].phases || shape->kind[k].phases > shape->places ||
		    !shape->kind[k].frames || shape->kind[k].frames > shape->frames ||
		    shape->kind[k].phases > shape->frames / shape->kind[k].frames / shape->turns)
			return invalid(checker, "kind %u has %u base frames of %u phases", k,
				       shape->kind[k].frames, shape->kind[k].phases);
		frames += (uint64_t)shape->kind[k].phases * shape->kind[k].frames * shape->turns;
	}
	if (frames != shape->frames)
		return invalid(checker, "%u frames, and %llu of all kinds", shape->frames,
			       (unsigned long long)frames);
	for (size_t u = 0; u < (size_t)shape->classes * shape->blocks; u++)
		if (shape->frame[u] >= shape->frames)
			return invalid(checker, "frame %u is not below %u", shape->frame[u],
				       shape->frames);
	return check_shifts(checker);
}

/* ---- hosts ---- */

static int check_host(struct checker *checker, uint32_t place, bool *seen)
{
	struct orbits_proof *proof = checker->orbits;
	uint32_t hosts = liquid_fabric_host_count(checker->fabric);
	const char *name = name_of(checker, place);
	uint32_t host = liquid_fabric_find_host(checker->fabric, name);
	uint32_t out = liquid_fabric_host_out(checker->fabric, host);
	char near[LIQUID_NEAR_TEXT];

	if (host == LIQUID_NONE)
		return invalid(checker, "the fabric has no host '%.200s'%.600s", name,
			       liquid_fabric_near_host(checker->fabric, name, near));
	if (seen[host])
		return invalid(checker, "%.200s is in two places", name);
	seen[host] = true;
	proof->host[place] = host;
	if (out == LIQUID_NONE || verify_capacity(checker->fabric, out) != 1 ||
	    liquid_fabric_link(checker->fabric, out)->to < hosts)
		return invalid(checker, "%.200s does not send one transfer at a time to a switch",
			       name);
	return LIQUID_OK;
}

/* Hosts of a block send to the same switch, whose tables know the destination only. */
static int check_blocks(struct checker *checker)
{
	struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	bool *seen = calloc((size_t)liquid_fabric_host_count(checker->fabric) + 1, sizeof(*seen));
	int status = seen ? LIQUID_OK : liquid_no_memory(checker->err);

	for (uint32_t p = 0; !status && p < shape->places; p++)
		status = check_host(checker, p, seen);
	free(seen);
	for (uint32_t b = 0; !status && b < shape->blocks; b++)
		for (uint32_t p = shape->first[b] + 1; !status && p < shape->first[b + 1]; p++) {
			uint32_t one = liquid_fabric_host_out(checker->fabric, proof->host[p - 1]);
			uint32_t other = liquid_fabric_host_out(checker->fabric, proof->host[p]);

			if (liquid_fabric_link(checker->fabric, one)->to !=
			    liquid_fabric_link(checker->fabric, other)->to)
				status = invalid(checker, "block %u: %.200s is not a twin of the "
						 "others", b, name_of(checker, p));
		}
	return status;
}

static void find_origins(struct orbits_proof *proof)
{
	const struct liquid_shape *shape = proof->shape;
	uint32_t classes = 0;

	for (uint32_t p = 0; p < shape->places; p++) {
		bool origin = true;

		for (uint32_t i = 0; i < shape->shifts; i++)
			origin = origin &&
				 p / shape->shift[i].stride % shape->shift[i].count == 0;
		if (origin)
			proof->origin[classes++] = p;
	}
}

/* If the last frame is left out, whoever would send in it sends to itself, or is not there. */
static void check_last(struct checker *checker)
{
	const struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	const struct liquid_kind *last = &shape->kind[shape->kinds - 1];

	if (checker->info->length == shape->frames)
		return;
	if (checker->info->length != shape->frames - 1 || last->phases != 1)
		verify_find(checker, "the length is %u, and there are %u frames",
			    checker->info->length, shape->frames);
	for (size_t u = 0; u < (size_t)shape->classes * shape->blocks; u++) {
		uint32_t block = (uint32_t)(u % shape->blocks);
		uint32_t slot = shape->turns - 1 - shape->frame[u] % shape->turns;
		uint32_t place = shape->first[block] + slot;

		if (shape->frame[u] >= shape->frames - shape->turns &&
		    place < shape->first[block + 1] && place != proof->origin[u / shape->blocks])
			verify_find(checker, "frame %u is left out, but has %.200s>%.200s",
				    shape->frames - 1, name_of(checker, place),
				    name_of(checker, proof->origin[u / shape->blocks]));
	}
}

/* The all-to-all of those that take part */
static int make_traffic(const struct checker *checker, struct liquid_traffic **traffic)
{
	const struct orbits_proof *proof = checker->orbits;
	uint32_t *host = calloc((size_t)proof->taking + 1, sizeof(*host));
	size_t count = 0;
	int status;

	for (uint32_t p = 0; host && p < proof->shape->places; p++)
		if (!is_out(proof->shape, p))
			host[count++] = proof->host[p];
	status = host ? liquid_traffic_alltoall(host, count, traffic, checker->err) :
		 liquid_no_memory(checker->err);
	free(host);
	return status;
}

/* Smaller blocks leave turns to others, and links are counted turn by turn. */
static bool may_share(const struct liquid_shape *shape)
{
	for (uint32_t b = 0; !shape->shifts && b < shape->blocks; b++)
		if (shape->first[b + 1] - shape->first[b] < shape->turns)
			return shape->turns <= SHARED_TURNS_MAX;
	return false;
}

static bool get_memory(struct orbits_proof *proof)
{
	const struct liquid_shape *shape = proof->shape;
	size_t units = (size_t)shape->classes * shape->blocks;
	uint32_t frames = 0;

	for (uint32_t k = 0; k < shape->kinds; k++)
		frames = shape->kind[k].frames > frames ? shape->kind[k].frames : frames;
	proof->host = calloc((size_t)shape->places + 1, sizeof(*proof->host));
	proof->origin = calloc((size_t)shape->classes + 1, sizeof(*proof->origin));
	proof->unit = calloc(units + 1, sizeof(*proof->unit));
	proof->next = calloc((size_t)frames + 2, sizeof(*proof->next));
	return proof->host && proof->origin && proof->unit && proof->next;
}

int orbits_open(struct checker *checker, struct liquid_traffic **traffic)
{
	struct orbits_proof *proof = calloc(1, sizeof(*proof));
	int status;

	if (!proof)
		return liquid_no_memory(checker->err);
	checker->orbits = proof;
	proof->shape = liquid_schedule_shape(checker->schedule);
	proof->links = liquid_fabric_link_count(checker->fabric);
	status = check_shape(checker);
	if (!status)
		status = count_hosts(checker);
	if (!status && liquid_fabric_alias_count(checker->fabric))
		status = invalid(checker, "the fabric has aliases");
	if (!status && !get_memory(proof))
		status = liquid_no_memory(checker->err);
	if (!status)
		status = check_blocks(checker);
	if (status)
		return status;
	find_origins(proof);
	check_last(checker);
	checker->turns = may_share(proof->shape) ? proof->shape->turns : 0;
	if (!proof->shape->shifts)
		checker->counters += (size_t)proof->shape->blocks * proof->shape->turns;
	return make_traffic(checker, traffic);
}

void orbits_close(struct checker *checker)
{
	struct orbits_proof *proof = checker->orbits;

	if (!proof)
		return;
	for (uint32_t i = 0; i < LIQUID_SHIFTS_MAX; i++)
		renaming_free(&proof->renaming[i]);
	classes_free(&proof->classes);
	free(proof->host);
	free(proof->origin);
	free(proof->unit);
	free(proof->next);
	free(proof);
}

/* The proofs of shifts, side by side */
struct shift_proofs {
	const struct liquid_fabric *fabric;
	struct orbits_proof *proof;
	int status[LIQUID_SHIFTS_MAX];
	struct liquid_error why[LIQUID_SHIFTS_MAX];
};

static void check_shift(void *context, uint32_t i)
{
	struct shift_proofs *all = context;
	struct orbits_proof *proof = all->proof;

	all->status[i] = shifts_check(all->fabric, proof->shape, i, proof->host,
				      &proof->renaming[i], &all->why[i]);
}

int orbits_shifts(struct checker *checker)
{
	struct shift_proofs all = { .fabric = checker->fabric, .proof = checker->orbits };
	uint32_t shifts = checker->orbits->shape->shifts, i = 0;

	parallel_do(checker->fabric->threads, shifts, check_shift, &all);
	while (i < shifts && !all.status[i])
		i++;
	if (i == shifts)
		return LIQUID_OK;
	return all.status[i] == LIQUID_INVALID ? invalid(checker, "%s", all.why[i].text) :
						 liquid_no_memory(checker->err);
}

/* ---- base frames ---- */

static uint32_t shifted(const struct liquid_shape *shape, uint32_t element, uint32_t place)
{
	for (uint32_t i = 0; i < shape->shifts; i++) {
		uint32_t stride = shape->shift[i].stride, count = shape->shift[i].count;
		uint32_t digit = place / stride % count, by = element % count;

		place = place - digit * stride + (digit + by) % count * stride;
		element /= count;
	}
	return place;
}

/* Is there anybody in the block of @unit who sends to its class? */
static bool sends(const struct orbits_proof *proof, size_t unit)
{
	const uint32_t *first = proof->shape->first + unit % proof->shape->blocks;

	return first[1] - first[0] > 1 || proof->origin[unit / proof->shape->blocks] != first[0];
}

/* Units of the kind by base frame; those of others are not there. */
static void sort_units(struct orbits_proof *proof, uint32_t of_base, uint32_t bases)
{
	const struct liquid_shape *shape = proof->shape;
	size_t units = (size_t)shape->classes * shape->blocks, *next = proof->next;

	memset(next, 0, ((size_t)bases + 2) * sizeof(*next));
	for (size_t u = 0; u < units; u++)
		if ((shape->frame[u] - proof->start) / of_base < bases && sends(proof, u))
			next[(shape->frame[u] - proof->start) / of_base + 2]++;
	for (uint32_t b = 0; b < bases; b++)
		next[b + 2] += next[b + 1];
	for (size_t u = 0; u < units; u++)
		if ((shape->frame[u] - proof->start) / of_base < bases && sends(proof, u))
			proof->unit[next[(shape->frame[u] - proof->start) / of_base + 1]++] =
				(uint32_t)u;
}

/* A class carries in a frame as many images of its transfers as keep the phase. */
static void set_limits(struct checker *checker)
{
	const struct orbits_proof *proof = checker->orbits;

	for (uint32_t l = 0; l < proof->links; l++) {
		uint64_t limit = (uint64_t)verify_capacity(checker->fabric, l) *
				 proof->classes.size[l] / proof->keep;

		if (proof->classes.of[l] == l)
			checker->counter[l].limit = limit < UINT32_MAX ? (uint32_t)limit :
						    UINT32_MAX;
	}
}

static int begin_kind(struct checker *checker)
{
	struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	const struct liquid_kind *kind = &shape->kind[proof->kind];
	int status;

	classes_free(&proof->classes);
	status = classes_new(checker->fabric, shape, kind, proof->renaming, &proof->classes,
			     checker->err);
	if (status)
		return status;
	for (uint32_t p = 0; p < kind->phases; p++)
		if (proof->classes.to[p] == LIQUID_NONE)
			return invalid(checker, "no shift leads to phase %u of %u", p,
				       kind->phases);
	proof->keep = proof->order / kind->phases;
	checker->class = shape->shifts ? proof->classes.of : NULL;
	set_limits(checker);
	sort_units(proof, kind->phases * shape->turns, kind->frames);
	return LIQUID_OK;
}

int orbits_next(struct checker *checker, struct frame *frame)
{
	struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	const struct liquid_kind *kind = &shape->kind[proof->kind];
	int status = LIQUID_OK;

	if (proof->base == kind->frames) {
		proof->start += proof->base * kind->phases * shape->turns;
		proof->base = 0;
		proof->kind++;
		kind++;
	}
	frame->number = LIQUID_NONE;
	if (proof->kind == shape->kinds)
		return LIQUID_OK;
	if (!proof->base)
		status = begin_kind(checker);
	frame->number = proof->start + proof->base * kind->phases * shape->turns;
	frame->unit = proof->unit + proof->next[proof->base];
	frame->count = proof->next[proof->base + 1] - proof->next[proof->base];
	proof->base++;
	return status;
}

/* As phase 0 of the base frame has it: its sender there is that of turn 0. */
void orbits_flow(const struct checker *checker, uint32_t unit, struct flow *flow)
{
	const struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	uint32_t block = unit % shape->blocks, first = shape->first[block];
	uint32_t size = shape->first[block + 1] - first;
	uint32_t frame = shape->frame[unit] - proof->start, turn = frame % shape->turns;
	uint32_t phases = shape->kind[proof->kind].phases;
	uint32_t phase = frame / shape->turns % phases;
	uint32_t back = proof->classes.to[(phases - phase) % phases];
	uint32_t receiver = shifted(shape, back, proof->origin[unit / shape->blocks]);
	uint32_t slot = shape->shifts ? (shape->turns - turn) % shape->turns : 0;
	uint32_t sender = shifted(shape, back, first + slot);

	flow->dst = proof->host[receiver];
	flow->turn = turn;
	flow->turns = size < shape->turns ? size : 0;
	flow->sender = shape->shifts ? liquid_fabric_host_out(checker->fabric,
							     proof->host[sender]) :
		       proof->links + block * shape->turns + turn;
	/* some twin has a route, which from the switch on is that of all */
	if (sender == receiver)
		sender += shape->shifts && sender % shape->turns ? -1 : 1;
	flow->src = proof->host[sender];
}

uint32_t orbits_sender(const struct checker *checker, const struct flow *flow, uint32_t turn)
{
	const struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	uint32_t block, place;

	if (shape->shifts)
		return flow->src;
	block = (flow->sender - proof->links) / shape->turns;
	place = shape->first[block] + (turn + shape->turns - flow->turn) % shape->turns;
	return place < shape->first[block + 1] && proof->host[place] != flow->dst ?
	       proof->host[place] : flow->src;
}

uint32_t orbits_share(const struct checker *checker, uint32_t counter, uint32_t count)
{
	const struct orbits_proof *proof = checker->orbits;

	return checker->class ? (uint32_t)((uint64_t)count * proof->keep /
					   proof->classes.size[counter]) : count;
}

/* ---- loads ---- */

/* Transfers to one place of each class, and from it to its images; all that are if some are not. */
int orbits_loads(struct checker *checker)
{
	const struct orbits_proof *proof = checker->orbits;
	const struct liquid_shape *shape = proof->shape;
	bool all = shape->left_out || !shape->shifts;
	uint64_t *sum = calloc((size_t)proof->links + 1, sizeof(*sum));
	struct classes classes = { 0 };
	int status = sum ? LIQUID_OK : liquid_no_memory(checker->err);

	if (!status)
		status = loads_add(checker->fabric, shape, proof->host, all ? NULL : proof->origin,
				   all ? checker->load : sum, checker->err);
	if (!status && !all)
		status = classes_new(checker->fabric, shape, NULL, proof->renaming, &classes,
				     checker->err);
	for (uint32_t l = 0; !status && !all && l < proof->links; l++)
		if (classes.of[l] != l)
			sum[classes.of[l]] += sum[l];
	for (uint32_t l = 0; !status && !all && l < proof->links; l++)
		checker->load[l] = sum[classes.of[l]] * proof->order / classes.size[classes.of[l]];
	for (uint32_t p = 0; !status && p < shape->places; p++)
		if (!is_out(shape, p))
			checker->load[liquid_fabric_host_out(checker->fabric, proof->host[p])] =
				proof->taking - 1;
	classes_free(&classes);
	free(sum);
	return status;
}
