// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shifts on all entries of the tables, and classes under those that keep a phase. */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "verify/shifts.h"

/* Entries that are looked at one by one where one leads by a new link: others do nearby. */
#define FEW_ENTRIES 16

/* @place with digit @i advanced by @by */
static uint32_t advance(const struct liquid_shape *shape, uint32_t i, uint32_t by, uint32_t place)
{
	uint32_t stride = shape->shift[i].stride, count = shape->shift[i].count;
	uint32_t low = place % stride, digit = place / stride % count;
	uint32_t high = place / stride / count;

	return (high * count + (digit + by) % count) * stride + low;
}

/* ---- what the tables keep ---- */

struct check {
	const struct liquid_fabric *fabric;
	const struct liquid_shape *shape;
	const uint32_t *host, *place;	/* @place: images of places */
	uint32_t hosts;
	uint32_t *sw;			/* by switch: its image */
	/*
	 * Images. No two links have one: each link of an entry is an image of such, since the shift
	 * moves places round, and with them the entries.
	 */
	uint32_t *link;
	uint32_t *todo, count;
	uint32_t *image;		/* by place: the host of its image */
};

/* Switch @from goes to @to; all who say so must agree. A table leads to no host but its @dst. */
static bool agree(struct check *check, uint32_t from, uint32_t to, uint32_t dst, uint32_t image)
{
	if (from < check->hosts || to < check->hosts)
		return from == dst && to == image;
	from -= check->hosts;
	to -= check->hosts;
	if (check->sw[from] == LIQUID_NONE) {
		check->sw[from] = to;
		check->todo[check->count++] = from;
	}
	return check->sw[from] == to;
}

/* Link @one goes to @other; they are entries for host @dst and its @image, or where hosts send. */
static bool entry_kept(struct check *check, uint32_t one, uint32_t other, uint32_t dst,
		       uint32_t image)
{
	const struct liquid_fabric *fabric = check->fabric;

	if (one == LIQUID_NONE || other == LIQUID_NONE)
		return one == other;
	if (check->link[one] == LIQUID_NONE) {
		check->link[one] = other;
		return liquid_fabric_capacity(fabric, one) ==
			       liquid_fabric_capacity(fabric, other) &&
		       agree(check, liquid_fabric_link(fabric, one)->to,
			     liquid_fabric_link(fabric, other)->to, dst, image);
	}
	return check->link[one] == other;
}

/* One by one the entries of switch @sw for places @p ... @end - 1, in which links may be new */
static int check_some(struct check *check, uint32_t sw, uint32_t p, uint32_t end,
		      struct liquid_error *err)
{
	const struct liquid_fabric *fabric = check->fabric;

	for (; p < end; p++) {
		uint32_t dst = check->host[p], image = check->image[p];
		uint32_t one = liquid_fabric_forward(fabric, sw, dst);
		uint32_t other = liquid_fabric_forward(fabric, check->sw[sw], image);

		if (!entry_kept(check, one, other, dst, image))
			return liquid_fail(err, LIQUID_INVALID, "a shift that the tables do not "
					   "keep: the entry of %.200s for %.200s",
					   liquid_fabric_node_name(fabric, check->hosts + sw),
					   liquid_fabric_node_name(fabric, dst));
	}
	return LIQUID_OK;
}

/* Most entries lead by links whose images are known, and those are compared many at once. */
static int check_entries(struct check *check, struct liquid_error *err)
{
	const struct liquid_fabric *fabric = check->fabric;
	uint32_t places = check->shape->places, p, end;
	int status = LIQUID_OK;

	for (p = 0; p < places; p++)
		check->image[p] = check->host[check->place[p]];
	for (uint32_t i = 0; i < check->count; i++)
		for (p = 0; !status && p < places; p = end) {
			uint32_t sw = check->todo[i], to = check->sw[sw];

			p += fabric_forwards_kept(fabric, sw, check->host + p, to,
							 check->image + p, places - p, check->link);
			end = places - p < FEW_ENTRIES ? places : p + FEW_ENTRIES;
			status = check_some(check, sw, p, end, err);
		}
	return status;
}

static int check_senders(struct check *check, struct liquid_error *err)
{
	const struct liquid_fabric *fabric = check->fabric;

	for (uint32_t p = 0; p < check->shape->places; p++) {
		uint32_t one = liquid_fabric_host_out(fabric, check->host[p]);
		uint32_t other = liquid_fabric_host_out(fabric, check->host[check->place[p]]);

		if (!entry_kept(check, one, other, LIQUID_NONE, LIQUID_NONE))
			return liquid_fail(err, LIQUID_INVALID, "a shift that the fabric does not "
					   "keep: where %.200s sends",
					   liquid_fabric_node_name(fabric, check->host[p]));
	}
	return LIQUID_OK;
}

int shifts_check(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
		 uint32_t shift, const uint32_t *host, struct renaming *renaming,
		 struct liquid_error *err)
{
	size_t switches = liquid_fabric_switch_count(fabric);
	size_t links = liquid_fabric_link_count(fabric);
	struct check check = {
		.fabric = fabric, .shape = shape, .host = host,
		.hosts = liquid_fabric_host_count(fabric),
	};
	int status = LIQUID_OK;

	check.image = malloc(((size_t)shape->places + 1) * sizeof(*check.image));
	check.sw = malloc((switches + 1) * sizeof(*check.sw));
	check.todo = malloc((switches + 1) * sizeof(*check.todo));
	check.link = renaming->link = malloc((links + 1) * sizeof(*check.link));
	renaming->place = malloc(((size_t)shape->places + 1) * sizeof(*renaming->place));
	check.place = renaming->place;
	if (!check.sw || !check.todo || !check.link || !check.place || !check.image) {
		status = liquid_no_memory(err);
	} else {
		memset(check.sw, 0xff, switches * sizeof(*check.sw));
		memset(check.link, 0xff, links * sizeof(*check.link));
		for (uint32_t p = 0; p < shape->places; p++)
			renaming->place[p] = advance(shape, shift, 1, p);
		status = check_senders(&check, err);
	}
	if (!status)
		status = check_entries(&check, err);
	free(check.sw);
	free(check.todo);
	free(check.image);
	return status;
}

void renaming_free(struct renaming *renaming)
{
	free(renaming->place);
	free(renaming->link);
}

/* ---- classes ---- */

static uint32_t find_class(const struct classes *classes, uint32_t link)
{
	while (classes->of[link] != link) {
		classes->of[link] = classes->of[classes->of[link]];
		link = classes->of[link];
	}
	return link;
}

static void join(struct classes *classes, uint32_t a, uint32_t b)
{
	a = find_class(classes, a);
	b = find_class(classes, b);
	if (a == b)
		return;
	if (classes->size[a] < classes->size[b]) {
		uint32_t swap = a;

		a = b;
		b = swap;
	}
	classes->of[b] = a;
	classes->size[a] += classes->size[b];
}

struct element {
	uint32_t digit[LIQUID_SHIFTS_MAX];
};

static struct element element_of(const struct liquid_shape *shape, uint32_t number)
{
	struct element element = { 0 };

	for (uint32_t i = 0; i < shape->shifts; i++) {
		element.digit[i] = number % shape->shift[i].count;
		number /= shape->shift[i].count;
	}
	return element;
}

/* @to: by link, the image by @map of its entry in @from, which may be @to itself */
static void map_on(const uint32_t *map, uint32_t links, const uint32_t *from, uint32_t *to)
{
	for (uint32_t l = 0; l < links; l++)
		to[l] = from[l] == LIQUID_NONE ? LIQUID_NONE : map[from[l]];
}

struct images {
	uint32_t *link, *spare;		/* by link */
};

/*
 * The images of links by @element. Shifts may be taken in any order, since each leads from the
 * entry of a switch for a place to that of their images. So the digits are worked off together,
 * from their highest bits on: the list once more after itself, and a shift whose digit has the
 * bit. Step by step it would be one for each place.
 */
static void find_images(const struct liquid_shape *shape, const struct renaming *renaming,
			const struct element *element, uint32_t links, struct images *images)
{
	uint32_t bits = 0, *swap;

	for (uint32_t i = 0; i < shape->shifts; i++)
		bits |= element->digit[i];
	for (uint32_t l = 0; l < links; l++)
		images->link[l] = l;
	for (uint32_t bit = 32; bit-- > 0;) {
		if (bits >> bit > 1) {
			map_on(images->link, links, images->link, images->spare);
			swap = images->link;
			images->link = images->spare;
			images->spare = swap;
		}
		for (uint32_t i = 0; i < shape->shifts; i++)
			if (element->digit[i] >> bit & 1)
				map_on(renaming[i].link, links, images->link, images->link);
	}
}

/* Each link with its image by one element of the shifts */
static void join_by(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
		    const struct renaming *renaming, uint32_t number, struct images *images,
		    struct classes *classes)
{
	uint32_t links = liquid_fabric_link_count(fabric);
	struct element element = element_of(shape, number);

	find_images(shape, renaming, &element, links, images);
	for (uint32_t l = 0; l < links; l++)
		if (images->link[l] != LIQUID_NONE)
			join(classes, l, images->link[l]);
}

/*
 * Shift by shift: one element for each phase to which those before lead, and with the fewest steps
 * of the next that lead to such a phase an element that leads back to phase 0. All that keep
 * phases are sums of these.
 */
static void join_all(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
		     const struct liquid_kind *kind, const struct renaming *renaming,
		     struct images *images, uint32_t *reached, struct classes *classes)
{
	uint32_t phases = kind ? kind->phases : 1, count = 1, one = 1;

	memset(classes->to, 0xff, phases * sizeof(*classes->to));
	classes->to[0] = reached[0] = 0;
	for (uint32_t i = 0; i < shape->shifts; one *= shape->shift[i++].count) {
		uint32_t weight = kind ? kind->weight[i] % phases : 0, phase = weight, steps = 1;
		uint32_t before = count;

		for (; classes->to[phase] == LIQUID_NONE; steps++) {
			for (uint32_t k = 0; k < before; k++) {
				uint32_t next = (reached[k] + phase) % phases;

				classes->to[next] = classes->to[reached[k]] + steps * one;
				reached[count++] = next;
			}
			phase = (phase + weight) % phases;
		}
		if (steps < shape->shift[i].count)
			join_by(fabric, shape, renaming,
				classes->to[phase ? phases - phase : 0] + steps * one, images,
				classes);
	}
}

int classes_new(const struct liquid_fabric *fabric, const struct liquid_shape *shape,
		const struct liquid_kind *kind, const struct renaming *renaming,
		struct classes *classes, struct liquid_error *err)
{
	uint32_t links = liquid_fabric_link_count(fabric), phases = kind ? kind->phases : 1;
	struct images images = {
		.link = malloc(((size_t)links + 1) * sizeof(*images.link)),
		.spare = malloc(((size_t)links + 1) * sizeof(*images.spare)),
	};
	uint32_t *reached = malloc((size_t)phases * sizeof(*reached));
	bool made;

	classes->of = malloc(((size_t)links + 1) * sizeof(*classes->of));
	classes->size = malloc(((size_t)links + 1) * sizeof(*classes->size));
	classes->to = malloc((size_t)phases * sizeof(*classes->to));
	made = images.link && images.spare && reached && classes->of && classes->size &&
	       classes->to;
	for (uint32_t l = 0; made && l < links; l++) {
		classes->of[l] = l;
		classes->size[l] = 1;
	}
	if (made)
		join_all(fabric, shape, kind, renaming, &images, reached, classes);
	for (uint32_t l = 0; made && l < links; l++)
		classes->of[l] = find_class(classes, l);
	free(images.link);
	free(images.spare);
	free(reached);
	return made ? LIQUID_OK : liquid_no_memory(err);
}

void classes_free(struct classes *classes)
{
	free(classes->of);
	free(classes->size);
	free(classes->to);
}
