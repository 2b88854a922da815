// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The proof of a schedule of orbits: over classes, not over transfers
 *
 * If the tables keep the shifts, and the hosts of a block are twins, then all frames of a base
 * frame are images of one: phase 0, turn 0. In that one, whatever a shift does that keeps phases,
 * the transfers stay the same ones, so that the links of a class carry equally many, and it is
 * enough to count them. A block that sends to a class sends to all of it, and each of its hosts
 * does in a turn of its own: so there is every transfer, and once.
 *
 * Without shifts blocks may be smaller than the turns. Such a block sends in as many turns as it
 * has hosts, one after another, and others may use its links in the rest: links are counted turn
 * by turn.
 *
 * Hosts that are left out change nothing of this: what is left of a valid frame is valid, and each
 * pair of the others is there, once. But they are no longer images of each other: what links carry
 * is counted one by one.
 */
#include <stdlib.h>
#include <string.h>

#include "traffic/traffic.h"
#include "liquidsched.h"
#include "verify/loads.h"
#include "verify/shifts.h"
#include "verify/verify.h"

#define SHARED_TURNS_MAX 64	/* with more, a block counts in all turns */

struct proof {
	const struct liquid_fabric *fabric;
	const struct liquid_schedule *schedule;
	const struct liquid_shape *shape;
	const struct liquid_schedule_info *info;
	uint32_t hosts, links, order;	/* order: elements of the shifts */
	uint32_t taking;		/* places that take part */
	uint32_t *host;			/* by place */
	uint32_t *origin;		/* by class: its place */
	struct renaming renaming[LIQUID_SHIFTS_MAX];
	struct liquid_error *err;
};

#define invalid(proof, ...) liquid_fail((proof)->err, LIQUID_INVALID, __VA_ARGS__)

static const char *name_of(const struct proof *proof, uint32_t place)
{
	const uint32_t *host = proof->shape->host;

	return liquid_schedule_host_name(proof->schedule, host ? host[place] : place);
}

static int no_memory(const struct proof *proof)
{
	return liquid_fail(proof->err, LIQUID_NO_MEMORY, "no memory for the proof");
}

/* ---- the shape ---- */

static int check_shifts(struct proof *proof)
{
	const struct liquid_shape *shape = proof->shape;
	uint64_t below = 1;

	proof->order = 1;
	for (uint32_t i = 0; i < shape->shifts && i < LIQUID_SHIFTS_MAX; i++) {
		const struct liquid_shift *shift = &shape->shift[i];
		bool turns = shift->stride == 1 && shift->count == shape->turns;

		if (!shift->stride || shift->count < 2 || shift->stride % below)
			return invalid(proof, "shift %u does not begin where another ends", i);
		below = (uint64_t)shift->stride * shift->count;
		if (below > shape->places || shape->places % below ||
		    (!turns && shift->stride % shape->turns))
			return invalid(proof, "shift %u is none of %u places in blocks of %u", i,
				       shape->places, shape->turns);
		proof->order *= shift->count;
		for (uint32_t k = 0; k < shape->kinds; k++) {
			uint64_t weight = shape->kind[k].weight[i];

			if (weight * shift->count % shape->kind[k].phases)
				return invalid(proof, "kind %u: shift %u does not close", k, i);
		}
	}
	if ((uint64_t)shape->classes * proof->order != shape->places)
		return invalid(proof, "%u classes of %u places each, but %u places",
			       shape->classes, proof->order, shape->places);
	return LIQUID_OK;
}

static bool is_out(const struct proof *proof, uint32_t place)
{
	return proof->shape->out && proof->shape->out[place];
}

static int count_hosts(struct proof *proof)
{
	for (uint32_t p = 0; p < proof->shape->places; p++) {
		if (!name_of(proof, p))
			return invalid(proof, "place %u has no host", p);
		proof->taking += !is_out(proof, p);
	}
	if (proof->taking < 2 || proof->taking + proof->shape->left_out != proof->shape->places)
		return invalid(proof, "%u of %u hosts take part, and %u are left out",
			       proof->taking, proof->shape->places, proof->shape->left_out);
	return LIQUID_OK;
}

static int check_shape(struct proof *proof)
{
	const struct liquid_shape *shape = proof->shape;
	uint64_t frames = 0;

	if (shape->shifts > LIQUID_SHIFTS_MAX || !shape->kinds || shape->kinds > LIQUID_KINDS_MAX ||
	    !shape->turns || shape->turns > shape->places || shape->first[0] ||
	    shape->first[shape->blocks] != shape->places)
		return invalid(proof, "invalid shape");
	for (uint32_t b = 0; b < shape->blocks; b++) {
		uint32_t size = shape->first[b + 1] - shape->first[b];

		if (!size || size > shape->turns || (shape->shifts && size != shape->turns))
			return invalid(proof, "block %u has %u places in %u turns", b, size,
				       shape->turns);
	}
	for (uint32_t k = 0; k < shape->kinds; k++) {
		/* Each is bounded before they are multiplied. */
		if (!shape->kind[k].phases || shape->kind[k].phases > shape->places ||
		    !shape->kind[k].frames || shape->kind[k].frames > shape->frames ||
		    shape->kind[k].phases > shape->frames / shape->kind[k].frames / shape->turns)
			return invalid(proof, "kind %u has %u base frames of %u phases", k,
				       shape->kind[k].frames, shape->kind[k].phases);
		frames += (uint64_t)shape->kind[k].phases * shape->kind[k].frames * shape->turns;
	}
	if (frames != shape->frames)
		return invalid(proof, "%u frames, and %llu of all kinds", shape->frames,
			       (unsigned long long)frames);
	for (size_t u = 0; u < (size_t)shape->classes * shape->blocks; u++)
		if (shape->frame[u] >= shape->frames)
			return invalid(proof, "frame %u is not below %u", shape->frame[u],
				       shape->frames);
	return check_shifts(proof);
}

/* ---- hosts ---- */

static int check_host(struct proof *proof, uint32_t place, bool *seen)
{
	const char *name = name_of(proof, place);
	uint32_t host = liquid_fabric_find_host(proof->fabric, name);
	uint32_t out = liquid_fabric_host_out(proof->fabric, host);
	char near[LIQUID_NEAR_TEXT];

	if (host == LIQUID_NONE)
		return invalid(proof, "the fabric has no host '%.200s'%.600s", name,
			       liquid_fabric_near_host(proof->fabric, name, near));
	if (seen[host])
		return invalid(proof, "%.200s is in two places", name);
	seen[host] = true;
	proof->host[place] = host;
	if (out == LIQUID_NONE || liquid_fabric_capacity(proof->fabric, out) != 1 ||
	    liquid_fabric_link(proof->fabric, out)->to < proof->hosts)
		return invalid(proof, "%.200s does not send one transfer at a time to a switch",
			       name);
	return LIQUID_OK;
}

/* Hosts of a block send to the same switch, whose tables know the destination only. */
static int check_blocks(struct proof *proof)
{
	const struct liquid_shape *shape = proof->shape;
	bool *seen = calloc((size_t)proof->hosts + 1, sizeof(*seen));
	int status = seen ? LIQUID_OK : no_memory(proof);

	for (uint32_t p = 0; !status && p < shape->places; p++)
		status = check_host(proof, p, seen);
	free(seen);
	for (uint32_t b = 0; !status && b < shape->blocks; b++)
		for (uint32_t p = shape->first[b] + 1; !status && p < shape->first[b + 1]; p++) {
			uint32_t one = liquid_fabric_host_out(proof->fabric, proof->host[p - 1]);
			uint32_t other = liquid_fabric_host_out(proof->fabric, proof->host[p]);

			if (liquid_fabric_link(proof->fabric, one)->to !=
			    liquid_fabric_link(proof->fabric, other)->to)
				status = invalid(proof, "block %u: %.200s is no twin of the others",
						 b, name_of(proof, p));
		}
	return status;
}

static void find_origins(struct proof *proof)
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

/* ---- routes ---- */

/* The links from the switch of @sender on, to @receiver: places. Fewer than 0: an error */
static int walk(const struct proof *proof, uint32_t sender, uint32_t receiver,
		uint32_t link[LIQUID_PATH_MAX])
{
	const struct liquid_fabric *fabric = proof->fabric;
	uint32_t dst = proof->host[receiver];
	uint32_t at = liquid_fabric_link(fabric, liquid_fabric_host_out(fabric,
						 proof->host[sender]))->to;
	int count = 0;

	while (at != dst) {
		uint32_t next = LIQUID_NONE;

		if (at >= proof->hosts && count < LIQUID_PATH_MAX)
			next = liquid_fabric_forward(fabric, at - proof->hosts, dst);
		if (next == LIQUID_NONE)	/* or another host, or in a circle */
			return invalid(proof, "no route from %.200s to %.200s",
				       name_of(proof, sender),
				       name_of(proof, receiver));
		link[count++] = next;
		at = liquid_fabric_link(fabric, next)->to;
	}
	return count;
}

/* Is there anybody in @block who sends to @place? */
static bool sends(const struct proof *proof, uint32_t block, uint32_t place)
{
	const uint32_t *first = proof->shape->first + block;

	return first[1] - first[0] > 1 || place != first[0];
}

/* ---- base frames ---- */

/* A unit as phase 0 and turn 0 of its base frame have it */
struct unit {
	uint32_t base;
	uint32_t slot;			/* of its block */
	uint32_t turn;			/* without shifts: when slot 0 of its block sends */
	uint32_t sender, receiver;	/* places; the sender is some of its block */
	uint32_t block;
};

struct count {
	struct classes classes;
	uint64_t keep;			/* shifts that keep phases */
	uint32_t *used, *frame;		/* by class: in which base frame, + 1 */
	uint32_t *partly;		/* by link and turn: of blocks that are smaller; or NULL */
	uint32_t *most;			/* by link: the most of its turns */
	uint32_t *slot_used;		/* the same by slot, of blocks that are smaller too */
	uint32_t *shift_to;		/* by phase: an element of the shifts, by digits */
};

static uint32_t shifted(const struct proof *proof, uint32_t element, uint32_t place)
{
	const struct liquid_shape *shape = proof->shape;

	for (uint32_t i = 0; i < shape->shifts; i++) {
		uint32_t stride = shape->shift[i].stride, count = shape->shift[i].count;
		uint32_t digit = place / stride % count, by = element % count;

		place = place - digit * stride + (digit + by) % count * stride;
		element /= count;
	}
	return place;
}

/* For each phase an element that leads to it from phase 0; there must be one. */
static int find_elements(struct proof *proof, const struct liquid_kind *kind, struct count *count)
{
	const struct liquid_shape *shape = proof->shape;

	memset(count->shift_to, 0xff, kind->phases * sizeof(*count->shift_to));
	for (uint32_t e = proof->order; e-- > 0;) {
		uint64_t phase = 0;

		for (uint32_t i = 0, rest = e; i < shape->shifts; i++) {
			phase += (uint64_t)kind->weight[i] * (rest % shape->shift[i].count);
			rest /= shape->shift[i].count;
		}
		count->shift_to[phase % kind->phases] = e;
	}
	for (uint32_t p = 0; p < kind->phases; p++)
		if (count->shift_to[p] == LIQUID_NONE)
			return invalid(proof, "no shift leads to phase %u of %u", p, kind->phases);
	count->keep = proof->order / kind->phases;
	return LIQUID_OK;
}

static struct unit unit_of(const struct proof *proof, const struct liquid_kind *kind,
			   const struct count *count, uint32_t class, uint32_t block,
			   uint32_t frame)
{
	const struct liquid_shape *shape = proof->shape;
	uint32_t turn = frame % shape->turns, phase = frame / shape->turns % kind->phases;
	uint32_t back = count->shift_to[(kind->phases - phase) % kind->phases];
	struct unit unit = {
		.base = frame / shape->turns / kind->phases,
		.turn = turn,
		.slot = (shape->turns - turn) % shape->turns,
		.receiver = shifted(proof, back, proof->origin[class]),
	};
	uint32_t from = shape->first[block];

	if (!shape->shifts) {
		unit.block = block;
		unit.sender = from;
		return unit;
	}
	unit.sender = shifted(proof, back, from + unit.slot);	/* its blocks are all full */
	unit.block = unit.sender / shape->turns;
	unit.slot = unit.sender % shape->turns;
	return unit;
}

/* One transfer more on the class of @member, which holds @capacity each */
static bool add(struct count *count, uint32_t member, uint32_t base, uint64_t capacity)
{
	uint32_t root = classes_of(&count->classes, member);

	if (count->frame[root] != base + 1)
		count->used[root] = 0;
	count->frame[root] = base + 1;
	return ++count->used[root] * count->keep <= capacity * count->classes.size[root];
}

/* The same without shifts: the block of @unit is on @link in the turns of its hosts. */
static bool add_turns(const struct proof *proof, struct count *count, const struct unit *unit,
		      uint32_t link)
{
	const struct liquid_shape *shape = proof->shape;
	uint32_t size = shape->first[unit->block + 1] - shape->first[unit->block];
	uint32_t *partly = count->partly + (size_t)link * shape->turns;

	if (count->frame[link] != unit->base + 1) {
		count->frame[link] = unit->base + 1;
		count->used[link] = count->most[link] = 0;
		memset(partly, 0, shape->turns * sizeof(*partly));
	}
	if (size == shape->turns)
		count->used[link]++;
	for (uint32_t i = 0; size < shape->turns && i < size; i++) {
		uint32_t of_turn = ++partly[(unit->turn + i) % shape->turns];

		count->most[link] = of_turn > count->most[link] ? of_turn : count->most[link];
	}
	return (uint64_t)count->used[link] + count->most[link] <=
	       liquid_fabric_capacity(proof->fabric, link);
}

static int check_unit(struct proof *proof, struct count *count, const struct unit *unit)
{
	const struct liquid_shape *shape = proof->shape;
	uint32_t link[LIQUID_PATH_MAX], *slot;
	int links = walk(proof, unit->sender, unit->receiver, link);
	char name[600];

	if (links < 0)
		return links;
	slot = &count->slot_used[(size_t)unit->block * shape->turns + unit->slot];
	if (shape->shifts ? !add(count, unit->sender, unit->base, 1) : *slot == unit->base + 1)
		return invalid(proof, "base frame %u: %.200s and its twins send twice in a frame",
			       unit->base, name_of(proof, unit->sender));
	*slot = unit->base + 1;
	for (int k = 0; k < links; k++)
		if (count->partly ? !add_turns(proof, count, unit, link[k]) :
		    !add(count, shape->places + link[k], unit->base,
			 liquid_fabric_capacity(proof->fabric, link[k])))
			return invalid(proof, "base frame %u: too many on link %s", unit->base,
				       liquid_fabric_link_name(proof->fabric, link[k], name,
							       sizeof(name)));
	return LIQUID_OK;
}

/* Units of frames @start ... @end - 1 sorted by base frame: @next is by base frame, and @unit. */
static void sort_units(const struct proof *proof, uint32_t start, uint32_t end, uint32_t of_base,
		       size_t *next, uint32_t *unit)
{
	const struct liquid_shape *shape = proof->shape;
	size_t units = (size_t)shape->classes * shape->blocks;
	uint32_t bases = (end - start) / of_base;

	memset(next, 0, ((size_t)bases + 1) * sizeof(*next));
	for (size_t u = 0; u < units; u++)
		if (shape->frame[u] >= start && shape->frame[u] < end)
			next[(shape->frame[u] - start) / of_base + 1]++;
	for (uint32_t b = 0; b < bases; b++)
		next[b + 1] += next[b];
	for (size_t u = 0; u < units; u++)
		if (shape->frame[u] >= start && shape->frame[u] < end)
			unit[next[(shape->frame[u] - start) / of_base]++] = (uint32_t)u;
}

static int check_kind(struct proof *proof, uint32_t k, uint32_t start, struct count *count,
		      size_t *next, uint32_t *units)
{
	const struct liquid_shape *shape = proof->shape;
	const struct liquid_kind *kind = &shape->kind[k];
	uint32_t of_base = kind->phases * shape->turns, end = start + kind->frames * of_base;
	size_t members = (size_t)shape->places + proof->links;
	int status = find_elements(proof, kind, count);

	if (!status)
		status = classes_new(proof->fabric, shape, kind, proof->renaming, &count->classes,
				     proof->err);
	if (status || !kind->frames)
		return status;
	memset(count->frame, 0, members * sizeof(*count->frame));
	memset(count->slot_used, 0,
	       (size_t)shape->blocks * shape->turns * sizeof(*count->slot_used));
	sort_units(proof, start, end, of_base, next, units);
	for (size_t i = 0; !status && i < next[kind->frames - 1]; i++) {
		uint32_t class = units[i] / shape->blocks, block = units[i] % shape->blocks;
		struct unit unit;

		if (!sends(proof, block, proof->origin[class]))
			continue;
		unit = unit_of(proof, kind, count, class, block, shape->frame[units[i]] - start);
		status = check_unit(proof, count, &unit);
	}
	return status;
}

/* Links are counted turn by turn if some block is smaller than the turns. */
static bool may_share(const struct liquid_shape *shape)
{
	for (uint32_t b = 0; !shape->shifts && b < shape->blocks; b++)
		if (shape->first[b + 1] - shape->first[b] < shape->turns)
			return shape->turns <= SHARED_TURNS_MAX;
	return false;
}

static int check_kinds(struct proof *proof)
{
	const struct liquid_shape *shape = proof->shape;
	size_t members = (size_t)shape->places + proof->links;
	size_t units = (size_t)shape->classes * shape->blocks;
	uint32_t start = 0, most = 0, phases = 0;
	struct count count = { 0 };
	uint32_t *unit = malloc((units + 1) * sizeof(*unit));
	size_t *next;
	int status = LIQUID_OK;

	for (uint32_t k = 0; k < shape->kinds; k++) {
		most = shape->kind[k].frames > most ? shape->kind[k].frames : most;
		phases = shape->kind[k].phases > phases ? shape->kind[k].phases : phases;
	}
	next = malloc(((size_t)most + 2) * sizeof(*next));
	count.used = calloc(members + 1, sizeof(*count.used));
	count.frame = calloc(members + 1, sizeof(*count.frame));
	count.slot_used = calloc((size_t)shape->blocks * shape->turns + 1,
				 sizeof(*count.slot_used));
	count.shift_to = calloc((size_t)phases + 1, sizeof(*count.shift_to));
	if (!unit || !next || !count.used || !count.frame || !count.slot_used || !count.shift_to)
		status = no_memory(proof);
	if (!status && may_share(shape)) {
		count.partly = calloc((size_t)proof->links * shape->turns + 1,
				      sizeof(*count.partly));
		count.most = calloc((size_t)proof->links + 1, sizeof(*count.most));
		status = count.partly && count.most ? LIQUID_OK : no_memory(proof);
	}
	for (uint32_t k = 0; !status && k < shape->kinds; k++) {
		status = check_kind(proof, k, start, &count, next, unit);
		start += shape->kind[k].frames * shape->kind[k].phases * shape->turns;
		classes_free(&count.classes);
		count.classes = (struct classes){ 0 };
	}
	free(unit);
	free(next);
	free(count.used);
	free(count.frame);
	free(count.slot_used);
	free(count.partly);
	free(count.most);
	free(count.shift_to);
	return status;
}

/* If the last frame is left out, whoever would send in it sends to itself, or is not there. */
static int check_last(struct proof *proof)
{
	const struct liquid_shape *shape = proof->shape;
	const struct liquid_kind *last = &shape->kind[shape->kinds - 1];

	if (proof->info->length == shape->frames)
		return LIQUID_OK;
	if (proof->info->length != shape->frames - 1 || last->phases != 1)
		return invalid(proof, "the length is %u, and there are %u frames",
			       proof->info->length, shape->frames);
	for (uint32_t c = 0; c < shape->classes; c++)
		for (uint32_t b = 0; b < shape->blocks; b++) {
			uint32_t frame = shape->frame[(size_t)c * shape->blocks + b];
			uint32_t slot = shape->turns - 1 - frame % shape->turns;
			uint32_t place = shape->first[b] + slot;

			if (frame >= shape->frames - shape->turns &&
			    place < shape->first[b + 1] && place != proof->origin[c])
				return invalid(proof, "%.200s sends in a frame that is left out",
					       name_of(proof, place));
		}
	return LIQUID_OK;
}

/* ---- figures ---- */

/* What the links of each class carry in all, at its root; divided evenly */
static int sum_loads(struct proof *proof, const struct classes *classes, uint64_t *load)
{
	const struct liquid_shape *shape = proof->shape;
	uint32_t link[LIQUID_PATH_MAX];

	for (uint32_t c = 0; c < shape->classes; c++)
		for (uint32_t b = 0; b < shape->blocks; b++) {
			uint32_t place = proof->origin[c], first = shape->first[b];
			uint64_t senders = shape->first[b + 1] - first;
			int links;

			if (!sends(proof, b, place))
				continue;
			senders -= place >= first && place < shape->first[b + 1];
			links = walk(proof, first, place, link);
			if (links < 0)
				return links;
			for (int k = 0; k < links; k++)
				load[classes_of(classes, shape->places + link[k])] +=
					senders * proof->order;
		}
	return LIQUID_OK;
}

/* @load: by link */
static int check_figures(struct proof *proof, const uint64_t *load)
{
	const struct liquid_schedule_info *info = proof->info;
	uint32_t hosts = proof->taking;
	uint64_t duration = hosts - 1;
	double fluid = hosts - 1;

	for (uint32_t l = 0; l < proof->links; l++) {
		uint32_t capacity = liquid_fabric_capacity(proof->fabric, l);
		uint64_t own = load[l];
		uint64_t frames = (own + capacity - 1) / capacity;

		duration = frames > duration ? frames : duration;
		fluid = (double)own / capacity > fluid ? (double)own / capacity : fluid;
	}
	if (info->transfers != (uint64_t)hosts * (hosts - 1) || info->duration != duration)
		return invalid(proof, "%llu transfers of duration %u, not %llu of %llu",
			       (unsigned long long)info->transfers, info->duration,
			       (unsigned long long)hosts * (hosts - 1),
			       (unsigned long long)duration);
	if (info->fluid_bound < fluid || info->fluid_bound > fluid)
		return invalid(proof, "the fluid bound is %.17g, not %.17g", info->fluid_bound,
			       fluid);
	if (info->lower_bound != duration || info->witness_json)
		return invalid(proof, "the lower bound is %u, and what is proven is the duration, "
			       "%u", info->lower_bound, info->duration);
	if (info->certificate != (info->length == duration ? LIQUID_CERT_LIQUID :
							      LIQUID_CERT_GAP))
		return invalid(proof, "the certificate says %s",
			       liquid_certificate_name(info->certificate));
	return LIQUID_OK;
}

/* All links of a class carry the same. */
static int share_loads(struct proof *proof, uint64_t *load)
{
	uint32_t places = proof->shape->places;
	uint64_t *sum = calloc((size_t)places + proof->links + 1, sizeof(*sum));
	struct classes classes = { 0 };
	int status = sum ? classes_new(proof->fabric, proof->shape, NULL, proof->renaming,
				       &classes, proof->err) : no_memory(proof);

	if (!status)
		status = sum_loads(proof, &classes, sum);
	for (uint32_t l = 0; !status && l < proof->links; l++) {
		uint32_t root = classes_of(&classes, places + l);

		load[l] = sum[root] / classes.size[root];
	}
	classes_free(&classes);
	free(sum);
	return status;
}

static int check_loads(struct proof *proof)
{
	uint64_t *load = calloc((size_t)proof->links + 1, sizeof(*load));
	int status = LIQUID_OK;

	if (!load)
		status = no_memory(proof);
	else if (proof->shape->left_out || !proof->shape->shifts)
		status = loads_add(proof->fabric, proof->shape, proof->host, load, proof->err);
	else
		status = share_loads(proof, load);
	if (!status)
		status = check_figures(proof, load);
	free(load);
	return status;
}

/* ---- what it is for ---- */

static int check_digests(struct proof *proof)
{
	const char **name = calloc((size_t)proof->shape->places + 1, sizeof(*name));
	uint64_t unit = liquid_fabric_unit_rate(proof->fabric);
	char hex[LIQUID_DIGEST_HEX];
	int status = name ? LIQUID_OK : no_memory(proof);
	size_t count = 0;

	for (uint32_t p = 0; !status && p < proof->shape->places; p++)
		if (!is_out(proof, p))
			name[count++] = name_of(proof, p);
	if (!status)
		status = traffic_alltoall_digest(name, count, hex, proof->err);
	if (!status && strcmp(hex, proof->info->traffic_digest))
		status = invalid(proof, "the digest of the traffic is %.16s..., not %.16s...",
				 proof->info->traffic_digest, hex);
	if (!status && unit && proof->info->link_rate_bps != unit)
		status = invalid(proof, "the rate of a unit is not that of the fabric");
	if (!status)
		status = liquid_fabric_digest(proof->fabric, hex, proof->err);
	if (!status && strcmp(hex, proof->info->fabric_digest))
		status = invalid(proof, "the digest of the fabric is %.16s..., not %.16s...: the "
				 "schedule is for another, or its routes have changed",
				 proof->info->fabric_digest, hex);
	free(name);
	return status;
}

static int prove(struct proof *proof)
{
	int status = check_shape(proof);

	if (!status)
		status = count_hosts(proof);
	if (!status && liquid_fabric_alias_count(proof->fabric))
		status = invalid(proof, "the fabric has aliases");
	if (!status)
		status = check_digests(proof);
	if (status)
		return status;
	proof->host = calloc((size_t)proof->shape->places + 1, sizeof(*proof->host));
	proof->origin = calloc((size_t)proof->shape->classes + 1, sizeof(*proof->origin));
	if (!proof->host || !proof->origin)
		return no_memory(proof);
	status = check_blocks(proof);
	if (!status)
		find_origins(proof);
	for (uint32_t i = 0; !status && i < proof->shape->shifts; i++)
		status = shifts_check(proof->fabric, proof->shape, i, proof->host,
				      &proof->renaming[i], proof->err);
	if (!status)
		status = check_kinds(proof);
	if (!status)
		status = check_last(proof);
	return status ? status : check_loads(proof);
}

int verify_orbits(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
		  struct liquid_error *err)
{
	struct proof proof = {
		.fabric = fabric, .schedule = schedule, .err = err,
		.shape = liquid_schedule_shape(schedule), .info = liquid_schedule_info(schedule),
		.hosts = liquid_fabric_host_count(fabric),
		.links = liquid_fabric_link_count(fabric),
	};
	int status = prove(&proof);

	for (uint32_t i = 0; i < LIQUID_SHIFTS_MAX; i++)
		renaming_free(&proof.renaming[i]);
	free(proof.host);
	free(proof.origin);
	return status;
}
