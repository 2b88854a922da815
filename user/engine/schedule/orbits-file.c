// SPDX-License-Identifier: LGPL-2.1-or-later
/* The file of a schedule of orbits: JSON, and in it the frames of units as base64. */
#include <errno.h>
#include <jansson.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "schedule/orbits.h"
#include "schedule/load.h"

/* ---- writing ---- */

static json_t *unless_bad(json_t *array, int bad)
{
	if (!bad)
		return array;
	json_decref(array);
	return NULL;
}

/* Names in the order of places, as host lists of limited length; @out: of those left out */
static json_t *hosts_json(const struct orbits *orbits, bool out)
{
	struct hostlist_writer list;
	char *text = NULL, *line, *rest;
	size_t size;
	FILE *memory = open_memstream(&text, &size);
	json_t *array = json_array();
	int bad = !memory;

	if (memory) {
		hostlist_begin(&list, memory, "");
		for (uint32_t p = 0; p < orbits->shape.places; p++)
			if (!out || orbits->out[p])
				hostlist_put(&list, orbits->names[p]);
		hostlist_end(&list);
		bad |= fclose(memory);
	}
	for (line = bad ? NULL : strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		bad |= json_array_append_new(array, json_string(line));
	free(text);
	return unless_bad(array, bad);
}

static json_t *sizes_json(const struct liquid_shape *shape)
{
	json_t *array = json_array();
	int bad = 0;

	for (uint32_t b = 0; b < shape->blocks; b++)
		bad |= json_array_append_new(array, json_integer(shape->first[b + 1] -
								 shape->first[b]));
	return unless_bad(array, bad);
}

static json_t *shifts_json(const struct liquid_shape *shape)
{
	json_t *array = json_array();
	int bad = 0;

	for (uint32_t i = 0; i < shape->shifts; i++)
		bad |= json_array_append_new(array, json_pack("[I,I]",
			(json_int_t)shape->shift[i].stride, (json_int_t)shape->shift[i].count));
	return unless_bad(array, bad);
}

static json_t *kinds_json(const struct liquid_shape *shape)
{
	json_t *array = json_array();
	int bad = 0;

	for (uint32_t k = 0; k < shape->kinds; k++) {
		const struct liquid_kind *kind = &shape->kind[k];
		json_t *weights = json_array();

		for (uint32_t i = 0; i < shape->shifts; i++)
			bad |= json_array_append_new(weights, json_integer(kind->weight[i]));
		bad |= json_array_append_new(array, json_pack("{s:I,s:I,s:o}",
			"phases", (json_int_t)kind->phases, "base_frames",
			(json_int_t)kind->frames, "weights", weights));
	}
	return unless_bad(array, bad);
}

/* Bytes that hold a number below @count */
static uint32_t width_of(uint32_t count)
{
	uint32_t width = 1;

	while (width < 4 && (count - 1) >> 8 * width)
		width++;
	return width;
}

static json_t *units_json(const struct liquid_shape *shape)
{
	size_t units = (size_t)shape->classes * shape->blocks;
	uint32_t width = width_of(shape->frames);
	uint8_t *bytes = malloc(units * width + 1);
	char *text = malloc(BASE64_ENCODE_RAW_LENGTH(units * width) + 1);
	json_t *json = NULL;

	if (bytes && text) {
		for (size_t u = 0; u < units; u++)
			for (uint32_t i = 0; i < width; i++)
				bytes[u * width + i] = (uint8_t)(shape->frame[u] >> 8 * i);
		base64_encode_raw(text, units * width, bytes);
		json = json_stringn(text, BASE64_ENCODE_RAW_LENGTH(units * width));
	}
	free(bytes);
	free(text);
	return json;
}

int orbits_write_json(const struct liquid_schedule *schedule, FILE *out, struct liquid_error *err)
{
	const struct liquid_shape *shape = &schedule->orbits->shape;
	json_t *head = schedule_head_json(schedule);
	int bad = !head;

	bad |= json_object_set_new(head, "needs", json_pack("[s,s,s*]", "orbits", "named-traffic",
							    shape->left_out ? "without" : NULL));
	bad |= json_object_set_new(head, "hosts", hosts_json(schedule->orbits, false));
	if (shape->left_out)
		bad |= json_object_set_new(head, "without", hosts_json(schedule->orbits, true));
	bad |= json_object_set_new(head, "turns", json_integer(shape->turns));
	bad |= json_object_set_new(head, "blocks", sizes_json(shape));
	bad |= json_object_set_new(head, "shifts", shifts_json(shape));
	bad |= json_object_set_new(head, "kinds", kinds_json(shape));
	bad |= json_object_set_new(head, "units", units_json(shape));
	if (!bad)
		bad = json_dumpf(head, out, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII);
	json_decref(head);
	if (bad && !ferror(out))
		return liquid_no_memory(err);
	putc('\n', out);
	if (fflush(out) || ferror(out))
		return liquid_fail(err, LIQUID_IO, "writing the schedule: %s", strerror(errno));
	return LIQUID_OK;
}

/* ---- reading ---- */

struct reader {
	json_t *root;
	const char *label;
	struct liquid_names names;
	struct liquid_shape shape;
	uint32_t *first, *frame;
	struct liquid_error *err;
};

static bool take_number(const json_t *json, uint32_t max, uint32_t *number)
{
	json_int_t value = json_integer_value(json);

	if (!json_is_integer(json) || value < 0 || value > (json_int_t)max)
		return false;
	*number = (uint32_t)value;
	return true;
}

static int read_array(const struct reader *reader, const char *key, size_t max, json_t **array)
{
	*array = json_object_get(reader->root, key);
	if (!json_is_array(*array) || json_array_size(*array) > max)
		return bad_input(reader, "\"%s\" must be an array of at most %zu", key, max);
	return LIQUID_OK;
}

/* An array of host lists */
static int read_names(struct reader *reader, const char *key, struct liquid_names *names)
{
	json_t *array;
	int status = read_array(reader, key, ORBITS_PLACES_MAX, &array);

	for (size_t i = 0; !status && i < json_array_size(array); i++) {
		const char *text = json_string_value(json_array_get(array, i));
		struct liquid_names more = { 0 };
		struct liquid_error why;

		if (!text)
			return bad_input(reader, "\"%s\" must be an array of strings", key);
		status = liquid_hostlist_expand(text, &more, &why);
		if (status)
			status = liquid_fail(reader->err, status, "%s: \"%s\": %s",
					     reader->label, key, why.text);
		for (size_t k = 0; !status && k < more.count; k++)
			if (names->count == ORBITS_PLACES_MAX)
				status = bad_input(reader, "more than %u hosts",
						   ORBITS_PLACES_MAX);
			else if (names_add(names, more.name[k], strlen(more.name[k])))
				status = no_memory_for(reader);
		liquid_names_clear(&more);
	}
	return status;
}

static int read_hosts(struct reader *reader)
{
	int status = read_names(reader, "hosts", &reader->names);

	reader->shape.places = (uint32_t)reader->names.count;
	return status;
}

static int read_blocks(struct reader *reader)
{
	struct liquid_shape *shape = &reader->shape;
	uint32_t size;
	json_t *array;
	int status = read_array(reader, "blocks", shape->places, &array);

	if (status)
		return status;
	if (!take_number(json_object_get(reader->root, "turns"), ORBITS_PLACES_MAX,
			 &shape->turns))
		return bad_input(reader, "\"turns\" must be a number up to %u", ORBITS_PLACES_MAX);
	shape->blocks = (uint32_t)json_array_size(array);
	reader->first = calloc((size_t)shape->blocks + 1, sizeof(*reader->first));
	if (!reader->first)
		return no_memory_for(reader);
	for (uint32_t b = 0; b < shape->blocks; b++) {
		if (!take_number(json_array_get(array, b), shape->places - reader->first[b], &size))
			return bad_input(reader, "\"blocks\" must be numbers that add up to the "
					 "%u hosts", shape->places);
		reader->first[b + 1] = reader->first[b] + size;
	}
	shape->first = reader->first;
	return LIQUID_OK;
}

static int read_shifts(struct reader *reader)
{
	struct liquid_shape *shape = &reader->shape;
	uint64_t order = 1;
	json_t *array;
	int status = read_array(reader, "shifts", LIQUID_SHIFTS_MAX, &array);

	for (size_t i = 0; !status && i < json_array_size(array); i++) {
		const json_t *pair = json_array_get(array, i);
		struct liquid_shift *shift = &shape->shift[i];

		if (json_array_size(pair) != 2 ||
		    !take_number(json_array_get(pair, 0), shape->places, &shift->stride) ||
		    !take_number(json_array_get(pair, 1), shape->places, &shift->count) ||
		    !shift->count)
			return bad_input(reader, "\"shifts\" must be pairs of stride and count");
		order *= shift->count;
		if (order > shape->places)
			return bad_input(reader, "\"shifts\" have more images than places");
		shape->shifts++;
	}
	shape->classes = (uint32_t)(shape->places / order);
	return status;
}

static int read_kind(const struct reader *reader, const json_t *json, struct liquid_kind *kind)
{
	const json_t *weights = json_object_get(json, "weights");

	if (!take_number(json_object_get(json, "phases"), ORBITS_PLACES_MAX, &kind->phases) ||
	    !take_number(json_object_get(json, "base_frames"), ORBITS_FRAMES_MAX,
			 &kind->frames) ||
	    !json_is_array(weights) || json_array_size(weights) != reader->shape.shifts)
		return bad_input(reader, "\"kinds\" must have phases, base_frames, and a weight of "
				 "each shift");
	for (uint32_t i = 0; i < reader->shape.shifts; i++)
		if (!take_number(json_array_get(weights, i), ORBITS_PLACES_MAX, &kind->weight[i]))
			return bad_input(reader, "\"kinds\": a weight must be a number");
	return LIQUID_OK;
}

static int read_kinds(struct reader *reader)
{
	struct liquid_shape *shape = &reader->shape;
	uint64_t frames = 0;
	json_t *array;
	int status = read_array(reader, "kinds", LIQUID_KINDS_MAX, &array);

	for (size_t k = 0; !status && k < json_array_size(array); k++) {
		struct liquid_kind *kind = &shape->kind[k];
		uint64_t base;

		status = read_kind(reader, json_array_get(array, k), kind);
		base = (uint64_t)kind->phases * shape->turns;	/* below 2^33 */
		if (!status && base && kind->frames > ORBITS_FRAMES_MAX / base)
			status = bad_input(reader, "\"kinds\" have too many frames");
		frames += base * kind->frames;
		shape->kinds++;
	}
	if (!status && frames > ORBITS_FRAMES_MAX)
		return bad_input(reader, "\"kinds\" have too many frames");
	shape->frames = (uint32_t)frames;
	return status;
}

static int decode_units(struct reader *reader, const char *text, size_t length, uint8_t *bytes,
			size_t size)
{
	struct base64_decode_ctx ctx;
	size_t done = size;

	base64_decode_init(&ctx);
	if (!base64_decode_update(&ctx, &done, bytes, length, text) ||
	    !base64_decode_final(&ctx) || done > size)
		return bad_input(reader, "\"units\" must be base64");
	return (int)done;
}

static int read_units(struct reader *reader)
{
	const struct liquid_shape *shape = &reader->shape;
	const json_t *json = json_object_get(reader->root, "units");
	size_t units = (size_t)shape->classes * shape->blocks, length = json_string_length(json);
	uint32_t width = width_of(shape->frames);
	uint8_t *bytes;
	int done, status = LIQUID_OK;

	if (!json_is_string(json) || units > ORBITS_UNITS_MAX || !shape->frames ||
	    length != BASE64_ENCODE_RAW_LENGTH(units * width))
		return bad_input(reader, "\"units\" must be %zu numbers of %u bytes as base64",
				 units, width);
	bytes = malloc(BASE64_DECODE_LENGTH(length) + 1);
	reader->frame = calloc(units + 1, sizeof(*reader->frame));
	if (!bytes || !reader->frame) {
		free(bytes);
		return no_memory_for(reader);
	}
	done = decode_units(reader, json_string_value(json), length, bytes,
			    BASE64_DECODE_LENGTH(length));
	if (done < 0 || (size_t)done != units * width)
		status = done < 0 ? done : bad_input(reader, "\"units\" have the wrong length");
	for (size_t u = 0; !status && u < units; u++) {
		for (uint32_t i = 0; i < width; i++)
			reader->frame[u] |= (uint32_t)bytes[u * width + i] << 8 * i;
		if (reader->frame[u] >= shape->frames)
			status = bad_input(reader, "\"units\": frame %u of %u", reader->frame[u],
					   shape->frames);
	}
	free(bytes);
	reader->shape.frame = reader->frame;
	return status;
}

static int mark_out(const struct reader *reader, const struct orbits *orbits,
		    const struct liquid_names *names, bool *out)
{
	for (size_t i = 0; i < names->count; i++) {
		uint32_t place = orbits_find(orbits, names->name[i]);

		if (place == LIQUID_NONE)
			return bad_input(reader, "\"without\": '%.200s' is none of the hosts",
					 names->name[i]);
		if (out[place])
			return bad_input(reader, "\"without\": host %.200s is there twice",
					 names->name[i]);
		out[place] = true;
	}
	return LIQUID_OK;
}

/* The hosts that are left out, once the others have their places */
static int read_without(struct reader *reader, struct orbits *orbits)
{
	bool *out = calloc((size_t)orbits->shape.places + 1, sizeof(*out));
	struct liquid_names names = { 0 };
	struct liquid_error why;
	int status = out ? read_names(reader, "without", &names) : no_memory_for(reader);

	if (!status)
		status = mark_out(reader, orbits, &names, out);
	if (!status) {
		status = orbits_leave_out(orbits, out, &why);
		if (status)
			status = bad_input(reader, "\"without\": %s", why.text);
	}
	liquid_names_clear(&names);
	free(out);
	return status;
}

static int make_orbits(struct reader *reader, uint32_t length, struct orbits **orbits)
{
	struct liquid_error why;
	int status = orbits_new(&reader->shape, orbits, &why);

	if (!status) {
		memcpy((*orbits)->names, reader->names.name,
		       reader->names.count * sizeof(*reader->names.name));
		reader->names.count = 0;
		status = orbits_sort_names(*orbits, &why);
	}
	if (!status && length > reader->shape.frames)
		status = liquid_fail(&why, LIQUID_BAD_INPUT, "\"length\" is %u, and the kinds have "
				     "%u frames", length, reader->shape.frames);
	return status ? liquid_fail(reader->err, status, "%s: %s", reader->label, why.text) :
			LIQUID_OK;
}

int orbits_from_json(json_t *root, const char *label, struct liquid_schedule *schedule,
		     struct liquid_error *err)
{
	struct reader reader = { .root = root, .label = label, .err = err };
	struct orbits *orbits = NULL;
	int status = read_hosts(&reader);

	if (!status)
		status = read_blocks(&reader);
	if (!status)
		status = read_shifts(&reader);
	if (!status)
		status = read_kinds(&reader);
	if (!status)
		status = read_units(&reader);
	if (!status)
		status = make_orbits(&reader, schedule->info.length, &orbits);
	if (!status && json_object_get(root, "without"))
		status = read_without(&reader, orbits);
	liquid_names_clear(&reader.names);
	free(reader.first);
	free(reader.frame);
	if (status) {
		orbits_free(orbits);
		return status;
	}
	schedule_take(schedule, orbits);
	return LIQUID_OK;
}
