// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compact schedules: their shape, and when who sends to whom. */
#include <stdlib.h>
#include <string.h>

#include "schedule/compact.h"

void liquid_compact_free(struct liquid_compact *compact)
{
	if (!compact)
		return;
	for (uint32_t i = 0; compact->names && i < compact->shape.places; i++)
		free(compact->names[i]);
	free(compact->names);
	free(compact->by_name);
	free(compact->block);
	free(compact->class);
	free(compact->out);
	free(compact->first);
	free(compact->frame);
	liquid_schedule_free(compact->head);
	free(compact);
}

const struct liquid_schedule_info *liquid_compact_info(const struct liquid_compact *compact)
{
	return &compact->head->info;
}

const struct liquid_shape *liquid_compact_shape(const struct liquid_compact *compact)
{
	return &compact->shape;
}

const char *liquid_compact_name(const struct liquid_compact *compact, uint32_t place)
{
	return place < compact->shape.places ? compact->names[place] : NULL;
}

/* ---- the shape ---- */

static int check_blocks(const struct liquid_shape *shape, struct liquid_error *err)
{
	if (!shape->places || shape->places > COMPACT_PLACES_MAX || !shape->turns ||
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
	if (shape->classes != classes || classes * shape->blocks > COMPACT_UNITS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u classes of receivers: there are %u, "
				   "at most %u by blocks", shape->classes, (unsigned int)classes,
				   COMPACT_UNITS_MAX);
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

		if (!kind->phases || !kind->frames || kind->phases > COMPACT_PLACES_MAX ||
		    kind->frames > COMPACT_FRAMES_MAX)
			return liquid_fail(err, LIQUID_BAD_INPUT, "kind %u: %u base frames of %u "
					   "phases", k, kind->frames, kind->phases);
		for (uint32_t i = 0; i < shape->shifts; i++) {
			uint64_t around = (uint64_t)kind->weight[i] * shape->shift[i].count;

			if (kind->weight[i] >= kind->phases || around % kind->phases)
				return liquid_fail(err, LIQUID_BAD_INPUT,
						   "kind %u: shift %u does not close", k, i);
		}
		frames += (uint64_t)kind->frames * kind->phases * shape->turns;
		if (frames > COMPACT_FRAMES_MAX)
			return liquid_fail(err, LIQUID_LIMIT, "more than %u frames",
					   COMPACT_FRAMES_MAX);
	}
	if (frames != shape->frames)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the kinds have %llu frames, not %u",
				   (unsigned long long)frames, shape->frames);
	return LIQUID_OK;
}

/* ---- making one ---- */

static bool get_memory(struct liquid_compact *compact, const struct liquid_shape *shape)
{
	size_t places = shape->places, units = (size_t)shape->classes * shape->blocks;

	compact->shape = *shape;
	compact->names = calloc(places + 1, sizeof(*compact->names));
	compact->by_name = calloc(places + 1, sizeof(*compact->by_name));
	compact->block = calloc(places + 1, sizeof(*compact->block));
	compact->class = calloc(places + 1, sizeof(*compact->class));
	compact->out = calloc(places + 1, sizeof(*compact->out));
	compact->first = calloc((size_t)shape->blocks + 1, sizeof(*compact->first));
	compact->frame = calloc(units + 1, sizeof(*compact->frame));
	compact->head = schedule_new(0, 0, 0);
	if (compact->head)
		compact->head->info.version = 2;
	return compact->head && compact->names && compact->by_name && compact->block &&
	       compact->class && compact->out && compact->first && compact->frame;
}

static uint32_t digit_of(const struct liquid_shift *shift, uint32_t place)
{
	return place / shift->stride % shift->count;
}

/* @place with all its digits 0 */
static uint32_t origin_of(const struct liquid_shape *shape, uint32_t place)
{
	uint32_t origin = place;

	for (uint32_t i = 0; i < shape->shifts; i++)
		origin -= digit_of(&shape->shift[i], place) * shape->shift[i].stride;
	return origin;
}

static void number_classes(struct liquid_compact *compact)
{
	uint32_t classes = 0;

	for (uint32_t p = 0; p < compact->shape.places; p++) {
		uint32_t origin = origin_of(&compact->shape, p);

		compact->class[p] = origin == p ? classes++ : compact->class[origin];
	}
}

int compact_new(const struct liquid_shape *shape, struct liquid_compact **out,
		struct liquid_error *err)
{
	size_t units = (size_t)shape->classes * shape->blocks;
	struct liquid_compact *compact;
	int status = check_blocks(shape, err);

	*out = NULL;
	if (!status)
		status = check_shifts(shape, err);
	if (!status)
		status = check_kinds(shape, err);
	if (status)
		return status;
	compact = calloc(1, sizeof(*compact));
	if (!compact || !get_memory(compact, shape)) {
		liquid_compact_free(compact);
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the schedule");
	}
	memcpy(compact->first, shape->first, ((size_t)shape->blocks + 1) * sizeof(*shape->first));
	if (shape->frame)
		memcpy(compact->frame, shape->frame, units * sizeof(*shape->frame));
	compact->shape.first = compact->first;
	compact->shape.frame = compact->frame;
	compact->shape.left_out = 0;
	compact->shape.out = NULL;
	for (uint32_t b = 0; b < shape->blocks; b++)
		for (uint32_t p = compact->first[b]; p < compact->first[b + 1]; p++)
			compact->block[p] = b;
	number_classes(compact);
	*out = compact;
	return LIQUID_OK;
}

static int compare_places(const void *a, const void *b, void *names)
{
	char **name = names;

	return strcmp(name[*(const uint32_t *)a], name[*(const uint32_t *)b]);
}

int compact_sort_names(struct liquid_compact *compact, struct liquid_error *err)
{
	uint32_t places = compact->shape.places;

	for (uint32_t p = 0; p < places; p++)
		compact->by_name[p] = p;
	qsort_r(compact->by_name, places, sizeof(*compact->by_name), compare_places,
		compact->names);
	for (uint32_t i = 1; i < places; i++)
		if (!strcmp(compact->names[compact->by_name[i - 1]],
			    compact->names[compact->by_name[i]]))
			return liquid_fail(err, LIQUID_BAD_INPUT, "host %.200s is there twice",
					   compact->names[compact->by_name[i]]);
	return LIQUID_OK;
}

uint32_t compact_place(const struct liquid_compact *compact, const char *name)
{
	uint32_t low = 0, high = compact->shape.places;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(name, compact->names[compact->by_name[middle]]);

		if (!order)
			return compact->by_name[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return LIQUID_NONE;
}

uint32_t liquid_compact_find(const struct liquid_compact *compact, const char *name)
{
	uint32_t place = compact_place(compact, name);

	return place != LIQUID_NONE && compact->out[place] ? LIQUID_NONE : place;
}

/* ---- who takes part ---- */

int compact_leave_out(struct liquid_compact *compact, const bool *out, struct liquid_error *err)
{
	struct liquid_shape *shape = &compact->shape;
	uint32_t count = 0;

	for (uint32_t p = 0; p < shape->places; p++)
		count += out[p];
	if (shape->places - count < 2)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u of %u hosts are left out: an "
				   "exchange has two or more", count, shape->places);
	memcpy(compact->out, out, shape->places * sizeof(*out));
	shape->left_out = count;
	shape->out = count ? compact->out : NULL;
	return LIQUID_OK;
}

uint64_t compact_transfers(const struct liquid_compact *compact)
{
	uint64_t hosts = compact->shape.places - compact->shape.left_out;

	return hosts * (hosts - 1);
}

int compact_traffic_digest(const struct liquid_compact *compact, char hex[LIQUID_DIGEST_HEX],
			   struct liquid_error *err)
{
	const char **name = calloc((size_t)compact->shape.places + 1, sizeof(*name));
	size_t count = 0;
	int status;

	for (uint32_t p = 0; name && p < compact->shape.places; p++)
		if (!compact->out[p])
			name[count++] = compact->names[p];
	status = name ? liquid_alltoall_digest(name, count, hex, err) :
		 liquid_fail(err, LIQUID_NO_MEMORY, "no memory for the traffic's digest");
	free(name);
	return status;
}

/* ---- frames ---- */

/* The frame of the image by the digits of @dst: @src goes back by them, and @dst to its class. */
uint32_t liquid_compact_frame(const struct liquid_compact *compact, uint32_t src, uint32_t dst)
{
	const struct liquid_shape *shape = &compact->shape;
	const struct liquid_kind *kind = shape->kind;
	uint32_t at = src, block, frame, slot, phase, start = 0;

	if (src == dst || src >= shape->places || dst >= shape->places || compact->out[src] ||
	    compact->out[dst])
		return LIQUID_NONE;
	for (uint32_t i = 0; i < shape->shifts; i++) {
		const struct liquid_shift *shift = &shape->shift[i];
		uint32_t own = digit_of(shift, at), back = digit_of(shift, dst);

		at += ((own + shift->count - back) % shift->count - own) * shift->stride;
	}
	block = compact->block[at];
	slot = at - shape->first[block];
	frame = shape->frame[(size_t)compact->class[dst] * shape->blocks + block];
	while (frame - start >= kind->frames * kind->phases * shape->turns) {
		start += kind->frames * kind->phases * shape->turns;
		kind++;
	}
	frame -= start;
	slot = (frame + slot) % shape->turns;
	phase = frame / shape->turns % kind->phases;
	frame -= frame % (shape->turns * kind->phases);
	for (uint32_t i = 0; i < shape->shifts; i++)
		phase = (uint32_t)((phase + (uint64_t)kind->weight[i] *
				    digit_of(&shape->shift[i], dst)) % kind->phases);
	return start + frame + phase * shape->turns + slot;
}

int liquid_compact_slice(const struct liquid_compact *compact, uint32_t src, uint32_t *dst,
			 struct liquid_error *err)
{
	if (src >= compact->shape.places)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no place %u in the schedule", src);
	if (compact->out[src])
		return liquid_fail(err, LIQUID_BAD_INPUT, "%.200s is left out of the schedule",
				   compact->names[src]);
	memset(dst, 0xff, (size_t)compact->head->info.length * sizeof(*dst));
	for (uint32_t p = 0; p < compact->shape.places; p++) {
		uint32_t frame = liquid_compact_frame(compact, src, p);

		if (frame == LIQUID_NONE)
			continue;
		if (frame >= compact->head->info.length || dst[frame] != LIQUID_NONE)
			return liquid_fail(err, LIQUID_INVALID, "%.200s does not send to %.200s in "
					   "a frame of its own", compact->names[src],
					   compact->names[p]);
		dst[frame] = p;
	}
	return LIQUID_OK;
}
