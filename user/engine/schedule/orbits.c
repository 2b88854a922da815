// SPDX-License-Identifier: LGPL-2.1-or-later
/* Frames of orbits: their shape, and when who sends to whom. */
#include <stdlib.h>
#include <string.h>

#include "schedule/orbits.h"
#include "traffic/traffic.h"

void orbits_free(struct orbits *orbits)
{
	if (!orbits)
		return;
	for (uint32_t i = 0; orbits->names && i < orbits->shape.places; i++)
		free(orbits->names[i]);
	free(orbits->names);
	free(orbits->by_name);
	free(orbits->block);
	free(orbits->class);
	free(orbits->out);
	free(orbits->first);
	free(orbits->frame);
	free(orbits->host);
	free(orbits->place);
	free(orbits);
}

/* ---- the shape ---- */

static int check_blocks(const struct liquid_shape *shape, struct liquid_error *err)
{
	if (!shape->places || shape->places > ORBITS_PLACES_MAX || !shape->turns ||
	    shape->turns > shape->places || !shape->blocks || shape->blocks > shape->places ||
	    shape->first[0] || shape->first[shape->blocks] != shape->places)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%u places are not %u blocks of at most %u", shape->places,
				   shape->blocks, shape->turns);
	for (uint32_t b = 0; b < shape->blocks; b++) {
		uint32_t size = shape->first[b + 1] - shape->first[b];

		if (!size || size > shape->turns || (shape->shifts && size != shape->turns))
			return liquid_fail(err, LIQUID_BAD_INPUT, "block %u has %u places, of %u",
					   b, size, shape->turns);
	}
	return LIQUID_OK;
}

/* Shifts rotate all slots of each block, or move whole blocks; each begins where another ends. */
static int check_shifts(const struct liquid_shape *shape, struct liquid_error *err)
{
	uint64_t classes = shape->places, end = 1;

	if (shape->shifts > LIQUID_SHIFTS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "more than %d shifts", LIQUID_SHIFTS_MAX);
	for (uint32_t i = 0; i < shape->shifts; i++) {
		uint32_t stride = shape->shift[i].stride, count = shape->shift[i].count;
		uint64_t next = (uint64_t)stride * count;

		if (!stride || count < 2 || stride % end || next > shape->places ||
		    shape->places % next ||
		    (stride % shape->turns && (stride != 1 || count != shape->turns)))
			return liquid_fail(err, LIQUID_BAD_INPUT, "shift %u: no %u places %u apart",
					   i, count, stride);
		end = next;
		classes /= count;
	}
	if (shape->classes != classes || classes * shape->blocks > ORBITS_UNITS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u classes of receivers: there are %u, "
				   "at most %u by blocks", shape->classes, (unsigned int)classes,
				   ORBITS_UNITS_MAX);
	return LIQUID_OK;
}

static int check_kinds(const struct liquid_shape *shape, struct liquid_error *err)
{
	uint64_t frames = 0;

	if (!shape->kinds || shape->kinds > LIQUID_KINDS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u kinds of frames, not 1 ... %d",
				   shape->kinds, LIQUID_KINDS_MAX);
	for (uint32_t k = 0; k < shape->kinds; k++) {
		const struct liquid_kind *kind = &shape->kind[k];

		if (!kind->phases || !kind->frames || kind->phases > ORBITS_PLACES_MAX ||
		    kind->frames > ORBITS_FRAMES_MAX)
			return liquid_fail(err, LIQUID_BAD_INPUT, "kind %u: %u base frames of %u "
					   "phases", k, kind->frames, kind->phases);
		for (uint32_t i = 0; i < shape->shifts; i++) {
			uint64_t around = (uint64_t)kind->weight[i] * shape->shift[i].count;

			if (kind->weight[i] >= kind->phases || around % kind->phases)
				return liquid_fail(err, LIQUID_BAD_INPUT,
						   "kind %u: shift %u does not close", k, i);
		}
		frames += (uint64_t)kind->frames * kind->phases * shape->turns;
		if (frames > ORBITS_FRAMES_MAX)
			return liquid_fail(err, LIQUID_LIMIT, "more than %u frames",
					   ORBITS_FRAMES_MAX);
	}
	if (frames != shape->frames)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the kinds have %llu frames, not %u",
				   (unsigned long long)frames, shape->frames);
	return LIQUID_OK;
}

/* ---- making one ---- */

static bool get_memory(struct orbits *orbits, const struct liquid_shape *shape)
{
	size_t places = shape->places, units = (size_t)shape->classes * shape->blocks;

	orbits->shape = *shape;
	orbits->names = calloc(places + 1, sizeof(*orbits->names));
	orbits->by_name = calloc(places + 1, sizeof(*orbits->by_name));
	orbits->block = calloc(places + 1, sizeof(*orbits->block));
	orbits->class = calloc(places + 1, sizeof(*orbits->class));
	orbits->out = calloc(places + 1, sizeof(*orbits->out));
	orbits->first = calloc((size_t)shape->blocks + 1, sizeof(*orbits->first));
	orbits->frame = calloc(units + 1, sizeof(*orbits->frame));
	return orbits->names && orbits->by_name && orbits->block &&
	       orbits->class && orbits->out && orbits->first && orbits->frame;
}

/* @place with all its digits 0 */
static uint32_t origin_of(const struct liquid_shape *shape, uint32_t place)
{
	uint32_t origin = place;

	for (uint32_t i = 0; i < shape->shifts; i++)
		origin -= digit_of(&shape->shift[i], place) * shape->shift[i].stride;
	return origin;
}

static void number_classes(struct orbits *orbits)
{
	uint32_t classes = 0;

	for (uint32_t p = 0; p < orbits->shape.places; p++) {
		uint32_t origin = origin_of(&orbits->shape, p);

		orbits->class[p] = origin == p ? classes++ : orbits->class[origin];
	}
}

int orbits_new(const struct liquid_shape *shape, struct orbits **out, struct liquid_error *err)
{
	size_t units = (size_t)shape->classes * shape->blocks;
	struct orbits *orbits;
	int status = check_blocks(shape, err);

	*out = NULL;
	if (!status)
		status = check_shifts(shape, err);
	if (!status)
		status = check_kinds(shape, err);
	if (status)
		return status;
	orbits = calloc(1, sizeof(*orbits));
	if (!orbits || !get_memory(orbits, shape)) {
		orbits_free(orbits);
		return liquid_no_memory(err);
	}
	memcpy(orbits->first, shape->first, ((size_t)shape->blocks + 1) * sizeof(*shape->first));
	if (shape->frame)
		memcpy(orbits->frame, shape->frame, units * sizeof(*shape->frame));
	orbits->shape.first = orbits->first;
	orbits->shape.frame = orbits->frame;
	orbits->shape.host = NULL;
	orbits->shape.left_out = 0;
	orbits->shape.out = NULL;
	for (uint32_t b = 0; b < shape->blocks; b++)
		for (uint32_t p = orbits->first[b]; p < orbits->first[b + 1]; p++)
			orbits->block[p] = b;
	number_classes(orbits);
	*out = orbits;
	return LIQUID_OK;
}

static int compare_places(const void *a, const void *b, void *names)
{
	char **name = names;

	return strcmp(name[*(const uint32_t *)a], name[*(const uint32_t *)b]);
}

int orbits_sort_names(struct orbits *orbits, struct liquid_error *err)
{
	uint32_t places = orbits->shape.places;

	for (uint32_t p = 0; p < places; p++)
		orbits->by_name[p] = p;
	qsort_r(orbits->by_name, places, sizeof(*orbits->by_name), compare_places,
		orbits->names);
	for (uint32_t i = 1; i < places; i++)
		if (!strcmp(orbits->names[orbits->by_name[i - 1]],
			    orbits->names[orbits->by_name[i]]))
			return liquid_fail(err, LIQUID_BAD_INPUT, "host %.200s is there twice",
					   orbits->names[orbits->by_name[i]]);
	return LIQUID_OK;
}

uint32_t orbits_find(const struct orbits *orbits, const char *name)
{
	uint32_t low = 0, high = orbits->shape.places;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(name, orbits->names[orbits->by_name[middle]]);

		if (!order)
			return orbits->by_name[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return LIQUID_NONE;
}

int orbits_bind(struct orbits *orbits, const struct liquid_fabric *fabric,
		struct liquid_error *err)
{
	uint32_t places = orbits->shape.places, hosts = liquid_fabric_host_count(fabric);
	char near[LIQUID_NEAR_TEXT];

	free(orbits->host);
	free(orbits->place);
	orbits->host = calloc((size_t)places + 1, sizeof(*orbits->host));
	orbits->place = malloc(((size_t)hosts + 1) * sizeof(*orbits->place));
	orbits->shape.host = orbits->host;
	if (!orbits->host || !orbits->place)
		return liquid_no_memory(err);
	memset(orbits->place, 0xff, (size_t)hosts * sizeof(*orbits->place));
	for (uint32_t p = 0; p < places; p++) {
		uint32_t host = liquid_fabric_find_host(fabric, orbits->names[p]);

		if (host == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "the fabric '%s' has no host '%.200s'%.400s",
					   liquid_fabric_name(fabric), orbits->names[p],
					   liquid_fabric_near_host(fabric, orbits->names[p], near));
		orbits->host[p] = host;
		orbits->place[host] = p;
	}
	return LIQUID_OK;
}

/* ---- who takes part ---- */

uint32_t orbits_place(const struct orbits *orbits, uint32_t host)
{
	uint32_t place = orbits->place ? orbits->place[host] : host;

	return place == LIQUID_NONE || orbits->out[place] ? LIQUID_NONE : place;
}

int orbits_leave_out(struct orbits *orbits, const bool *out, struct liquid_error *err)
{
	struct liquid_shape *shape = &orbits->shape;
	uint32_t count = 0;

	for (uint32_t p = 0; p < shape->places; p++)
		count += out[p];
	if (shape->places - count < 2)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u of %u hosts are left out: an "
				   "exchange has two or more", count, shape->places);
	memcpy(orbits->out, out, shape->places * sizeof(*out));
	shape->left_out = count;
	shape->out = count ? orbits->out : NULL;
	return LIQUID_OK;
}

uint64_t orbits_transfers(const struct orbits *orbits)
{
	uint64_t hosts = orbits->shape.places - orbits->shape.left_out;

	return hosts * (hosts - 1);
}

int orbits_traffic_digest(const struct orbits *orbits, char hex[LIQUID_DIGEST_HEX],
			  struct liquid_error *err)
{
	const char **name = calloc((size_t)orbits->shape.places + 1, sizeof(*name));
	size_t count = 0;
	int status;

	for (uint32_t p = 0; name && p < orbits->shape.places; p++)
		if (!orbits->out[p])
			name[count++] = orbits->names[p];
	status = name ? traffic_alltoall_digest(name, count, hex, err) : liquid_no_memory(err);
	free(name);
	return status;
}

int orbits_traffic(const struct orbits *orbits, const struct liquid_fabric *fabric,
		   struct liquid_traffic **traffic, struct liquid_error *err)
{
	uint32_t *hosts = calloc((size_t)orbits->shape.places + 1, sizeof(*hosts)), count = 0;
	int status;

	*traffic = NULL;
	for (uint32_t p = 0; hosts && p < orbits->shape.places; p++) {
		if (orbits->out[p])
			continue;
		hosts[count] = fabric ? liquid_fabric_find_host(fabric, orbits->names[p]) :
			       orbits_host(orbits, p);
		count += hosts[count] != LIQUID_NONE;
	}
	if (!hosts)
		status = liquid_no_memory(err);
	else
		status = count < 2 ? liquid_traffic_new(traffic, err) :
			 liquid_traffic_alltoall(hosts, count, traffic, err);
	free(hosts);
	return status;
}

/* ---- frames ---- */

/*
 * The frame of the image by @digit, the digits of @dst: @src, whose digits are @own, goes back by
 * them, and @dst to its class.
 */
static uint32_t frame_of(const struct orbits *orbits, uint32_t src, const uint32_t *own,
			 uint32_t dst, const uint32_t *digit)
{
	const struct liquid_shape *shape = &orbits->shape;
	const struct liquid_kind *kind = shape->kind;
	uint32_t at = src, turns = shape->turns, block, frame, slot, phase, start = 0;

	if (src == dst || orbits->out[dst])
		return LIQUID_NONE;
	for (uint32_t i = 0; i < shape->shifts; i++) {
		at -= digit[i] * shape->shift[i].stride;
		if (digit[i] > own[i])
			at += shape->shift[i].count * shape->shift[i].stride;
	}
	block = orbits->block[at];
	frame = shape->frame[(size_t)orbits->class[dst] * shape->blocks + block];
	while (frame - start >= kind->frames * kind->phases * turns) {
		start += kind->frames * kind->phases * turns;
		kind++;
	}
	frame -= start;
	phase = frame / turns % kind->phases;
	slot = frame % turns;
	frame -= slot + phase * turns;
	slot += at - shape->first[block];
	slot -= slot >= turns ? turns : 0;
	for (uint32_t i = 0; i < shape->shifts; i++)
		phase = (uint32_t)((phase + (uint64_t)kind->weight[i] * digit[i]) % kind->phases);
	return start + frame + phase * turns + slot;
}

uint32_t orbits_frame(const struct orbits *orbits, uint32_t src, uint32_t dst)
{
	const struct liquid_shape *shape = &orbits->shape;
	uint32_t own[LIQUID_SHIFTS_MAX], digit[LIQUID_SHIFTS_MAX];

	if (src >= shape->places || dst >= shape->places || orbits->out[src])
		return LIQUID_NONE;
	digits_of(shape, src, own);
	digits_of(shape, dst, digit);
	return frame_of(orbits, src, own, dst, digit);
}

/* From the digits of a place to those of the next; @left: places until each changes */
static void next_digits(const struct liquid_shape *shape, uint32_t *digit, uint32_t *left)
{
	for (uint32_t i = 0; i < shape->shifts; i++)
		if (!--left[i]) {
			left[i] = shape->shift[i].stride;
			digit[i] = digit[i] + 1 < shape->shift[i].count ? digit[i] + 1 : 0;
		}
}

int orbits_slice(const struct orbits *orbits, uint32_t length, uint32_t src, uint32_t *dst,
		 struct liquid_error *err)
{
	const struct liquid_shape *shape = &orbits->shape;
	uint32_t own[LIQUID_SHIFTS_MAX], digit[LIQUID_SHIFTS_MAX] = { 0 };
	uint32_t left[LIQUID_SHIFTS_MAX];

	memset(dst, 0xff, (size_t)length * sizeof(*dst));
	digits_of(shape, src, own);
	for (uint32_t i = 0; i < shape->shifts; i++)
		left[i] = shape->shift[i].stride;
	for (uint32_t p = 0; p < shape->places && !orbits->out[src]; p++) {
		uint32_t frame = frame_of(orbits, src, own, p, digit);

		next_digits(shape, digit, left);
		if (frame == LIQUID_NONE)
			continue;
		if (frame >= length || dst[frame] != LIQUID_NONE)
			return liquid_fail(err, LIQUID_INVALID, "%.200s does not send to %.200s in "
					   "a frame of its own", orbits->names[src],
					   orbits->names[p]);
		dst[frame] = p;
	}
	return LIQUID_OK;
}
