// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rows of frames: when a sender sends to all others, without a division for each
 *
 * A receiver is the image of its class's origin by an element of the shifts. The sender goes back
 * by the same element, which is worked out once for each; the rest is additions.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/orbits.h"

/* The digits of a place as one number */
static uint32_t element_of(const struct liquid_shape *shape, uint32_t place)
{
	uint32_t element = 0;

	for (uint32_t i = 0; i < shape->shifts; i++)
		element = element * shape->shift[i].count + digit_of(&shape->shift[i], place);
	return element;
}

/* A place with these digits and no other part: the first that has them */
static void find_elements(struct orbit_rows *rows)
{
	const struct liquid_shape *shape = &rows->orbits->shape;

	for (uint32_t p = 0; p < shape->places; p++) {
		uint32_t element = element_of(shape, p);

		rows->element[p] = element;
		for (uint32_t k = 0; k < shape->kinds; k++) {
			const struct liquid_kind *kind = &shape->kind[k];
			uint64_t later = 0;

			for (uint32_t i = 0; i < shape->shifts; i++)
				later += (uint64_t)kind->weight[i] *
					 digit_of(&shape->shift[i], p);
			rows->add[k * rows->elements + element] = (uint32_t)(later % kind->phases);
		}
	}
}

static void find_units(struct orbit_rows *rows)
{
	const struct liquid_shape *shape = &rows->orbits->shape;
	size_t units = (size_t)shape->classes * shape->blocks;

	for (size_t u = 0; u < units; u++) {
		uint32_t frame = shape->frame[u], start = 0, k = 0, each;

		while (frame - start >= (each = shape->kind[k].frames * shape->kind[k].phases *
					 shape->turns)) {
			start += each;
			k++;
		}
		frame -= start;
		rows->unit[u] = (struct orbit_unit){
			.start = start + frame - frame % (shape->turns * shape->kind[k].phases),
			.slot = frame % shape->turns - shape->first[u % shape->blocks],
			.phase = frame / shape->turns % shape->kind[k].phases,
			.phases = shape->kind[k].phases,
			.add = k * rows->elements,
		};
	}
}

int orbit_rows_open(struct orbit_rows *rows, const struct orbits *orbits, struct liquid_error *err)
{
	const struct liquid_shape *shape = &orbits->shape;
	size_t units = (size_t)shape->classes * shape->blocks;

	*rows = (struct orbit_rows){ .orbits = orbits, .elements = 1 };
	for (uint32_t i = 0; i < shape->shifts; i++)
		rows->elements *= shape->shift[i].count;
	rows->element = calloc((size_t)shape->places + 1, sizeof(*rows->element));
	rows->add = calloc((size_t)shape->kinds * rows->elements + 1, sizeof(*rows->add));
	rows->unit = calloc(units + 1, sizeof(*rows->unit));
	rows->back = calloc((size_t)rows->elements + 1, sizeof(*rows->back));
	if (!rows->element || !rows->add || !rows->unit || !rows->back)
		return liquid_no_memory(err);
	find_elements(rows);
	find_units(rows);
	return LIQUID_OK;
}

void orbit_rows_close(struct orbit_rows *rows)
{
	free(rows->element);
	free(rows->add);
	free(rows->unit);
	free(rows->back);
}

/* Where @src is, gone back by each element: shift by shift, the last digit changes first. */
static void go_back(struct orbit_rows *rows, uint32_t src)
{
	const struct liquid_shape *shape = &rows->orbits->shape;
	uint32_t *back = rows->back, known = 1;

	back[0] = src;
	for (uint32_t i = shape->shifts; i--; known *= shape->shift[i].count) {
		const struct liquid_shift *shift = &shape->shift[i];
		uint32_t own = digit_of(shift, src);

		for (uint32_t digit = 1; digit < shift->count; digit++) {
			uint32_t ahead = (digit > own ? shift->count : 0) - digit;

			for (uint32_t e = 0; e < known; e++)
				back[digit * known + e] = back[e] + ahead * shift->stride;
		}
	}
}

void orbit_rows_of(struct orbit_rows *rows, uint32_t src, uint32_t *frame)
{
	const struct orbits *orbits = rows->orbits;
	uint32_t places = orbits->shape.places, blocks = orbits->shape.blocks;
	uint32_t turns = orbits->shape.turns;

	go_back(rows, src);
	for (uint32_t p = 0; p < places; p++) {
		uint32_t element = rows->element[p], at = rows->back[element];
		const struct orbit_unit *unit = &rows->unit[(size_t)orbits->class[p] * blocks +
							    orbits->block[at]];
		uint32_t phase = unit->phase + rows->add[unit->add + element];
		uint32_t slot = unit->slot + at;

		slot -= slot >= turns ? turns : 0;
		phase -= phase >= unit->phases ? unit->phases : 0;
		frame[p] = unit->start + phase * turns + slot;
	}
	for (uint32_t p = 0; orbits->shape.out && p < places; p++)
		if (orbits->out[p])
			frame[p] = LIQUID_NONE;
	frame[src] = LIQUID_NONE;
	if (orbits->out[src])
		memset(frame, 0xff, (size_t)places * sizeof(*frame));
}
