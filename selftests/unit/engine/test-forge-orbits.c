// SPDX-License-Identifier: GPL-2.0-only
/*
 * The verifier against forgers of orbits: files of all-to-alls whose fields are changed, one or
 * some at a time. What is true is judged here: each transfer by the definition of the file, its
 * route link by link, and what all links carry in each frame.
 *
 * `make check-random` takes a hundred times the edits.
 */
#include <jansson.h>
#include <math.h>
#include <nettle/base64.h>

#include "fabric/fabric.h"
#include "fixtures.h"
#include "tap.h"
#include "traffic/traffic.h"

#define PLACES_MAX 64
#define LINKS_MAX 512
#define SWITCHES_MAX 128
#define FRAMES_MAX 1024
#define UNITS_MAX (PLACES_MAX * PLACES_MAX)
#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static struct liquid_error err;

/* ---- what a file says ---- */

struct form {
	struct liquid_names names;	/* by place */
	uint32_t host[PLACES_MAX];
	bool out[PLACES_MAX];
	uint32_t places, turns, blocks, classes, shifts, kinds, frames;
	uint32_t first[PLACES_MAX + 1], stride[8], count[8];
	uint32_t phases[4], bases[4], weight[4][8];
	uint32_t unit[UNITS_MAX];
	uint32_t class[PLACES_MAX], block[PLACES_MAX];	/* by place; class: of an origin */
};

static uint32_t number_in(const json_t *object, const char *key)
{
	return (uint32_t)json_integer_value(json_object_get(object, key));
}

static uint32_t element_of(const json_t *array, size_t at)
{
	return (uint32_t)json_integer_value(json_array_get(array, at));
}

static bool read_names(json_t *lists, struct liquid_names *names)
{
	bool good = json_array_size(lists) <= 1;	/* small ones are one list */

	*names = (struct liquid_names){ 0 };
	return good && (!json_array_size(lists) ||
			!liquid_hostlist_expand(json_string_value(json_array_get(lists, 0)), names,
						&err));
}

static bool read_units(const char *text, struct form *form)
{
	uint8_t bytes[3 * UNITS_MAX + 8];
	uint32_t width = form->frames > 256 ? 2 : 1;
	struct base64_decode_ctx ctx;
	size_t size = sizeof(bytes), length = strlen(text);

	base64_decode_init(&ctx);
	if (BASE64_DECODE_LENGTH(length) > sizeof(bytes) ||
	    !base64_decode_update(&ctx, &size, bytes, length, text))
		return false;
	for (uint32_t u = 0; u < form->classes * form->blocks; u++)
		form->unit[u] = width == 1 ? bytes[u] :
				bytes[2 * u] | (uint32_t)bytes[2 * u + 1] << 8;
	return size == (size_t)form->classes * form->blocks * width;
}

static uint32_t digit_of(const struct form *form, uint32_t i, uint32_t place)
{
	return place / form->stride[i] % form->count[i];
}

/* @place with digit @i advanced by @by */
static uint32_t advance(const struct form *form, uint32_t i, uint32_t by, uint32_t place)
{
	uint32_t digit = digit_of(form, i, place);

	return place - digit * form->stride[i] + (digit + by) % form->count[i] * form->stride[i];
}

static bool is_origin(const struct form *form, uint32_t place)
{
	for (uint32_t i = 0; i < form->shifts; i++)
		if (digit_of(form, i, place))
			return false;
	return true;
}

static void number_places(struct form *form)
{
	uint32_t classes = 0, block = 0;

	for (uint32_t p = 0; p < form->places; p++) {
		block += form->first[block + 1] <= p;
		form->block[p] = block;
		form->class[p] = is_origin(form, p) ? classes++ : LIQUID_NONE;
	}
}

/* False: it is larger than the test's own limits, or none; the library reads it. */
static bool read_form(const json_t *root, const struct liquid_fabric *fabric, struct form *form)
{
	json_t *blocks = json_object_get(root, "blocks"), *shifts = json_object_get(root, "shifts");
	json_t *kinds = json_object_get(root, "kinds");
	struct liquid_names without = { 0 };
	bool good = read_names(json_object_get(root, "hosts"), &form->names) &&
		    form->names.count <= PLACES_MAX &&
		    read_names(json_object_get(root, "without"), &without);

	form->places = form->classes = good ? (uint32_t)form->names.count : 0;
	for (uint32_t p = 0; p < form->places; p++) {
		form->host[p] = liquid_fabric_find_host(fabric, form->names.name[p]);
		form->out[p] = false;
		for (size_t i = 0; i < without.count; i++)
			form->out[p] |= !strcmp(without.name[i], form->names.name[p]);
	}
	liquid_names_clear(&without);
	form->turns = number_in(root, "turns");
	form->blocks = (uint32_t)json_array_size(blocks);
	form->shifts = (uint32_t)json_array_size(shifts);
	form->kinds = (uint32_t)json_array_size(kinds);
	form->frames = form->first[0] = 0;
	for (uint32_t b = 0; good && b < form->blocks && b < PLACES_MAX; b++)
		form->first[b + 1] = form->first[b] + element_of(blocks, b);
	for (uint32_t i = 0; i < form->shifts && i < 8; i++) {
		form->stride[i] = element_of(json_array_get(shifts, i), 0);
		form->count[i] = element_of(json_array_get(shifts, i), 1);
		form->classes /= form->count[i] ? form->count[i] : 1;
	}
	for (uint32_t k = 0; k < form->kinds && k < 4; k++) {
		const json_t *kind = json_array_get(kinds, k);

		form->phases[k] = number_in(kind, "phases");
		form->bases[k] = number_in(kind, "base_frames");
		form->frames += form->phases[k] * form->bases[k] * form->turns;
		for (uint32_t i = 0; i < form->shifts && i < 8; i++)
			form->weight[k][i] = element_of(json_object_get(kind, "weights"), i);
	}
	if (good)
		number_places(form);
	return good && form->frames <= FRAMES_MAX &&
	       read_units(json_string_value(json_object_get(root, "units")), form);
}

/* The frame of @src to @dst, as Documentation/formats-schedule.rst has it */
static uint32_t frame_of(const struct form *form, uint32_t src, uint32_t dst)
{
	uint32_t origin = dst, block, k = 0, start = 0, frame, phase, turn, of_base;

	for (uint32_t i = 0; i < form->shifts; i++) {
		uint32_t back = form->count[i] - digit_of(form, i, dst);

		src = advance(form, i, back, src);
		origin = advance(form, i, back, origin);
	}
	block = form->block[src];
	frame = form->unit[form->class[origin] * form->blocks + block];
	while (frame >= start + form->phases[k] * form->bases[k] * form->turns) {
		start += form->phases[k] * form->bases[k] * form->turns;
		k++;
	}
	of_base = form->phases[k] * form->turns;
	frame -= start;
	phase = frame % of_base / form->turns;
	for (uint32_t i = 0; i < form->shifts; i++)
		phase += form->weight[k][i] * digit_of(form, i, dst);
	turn = (frame + src - form->first[block]) % form->turns;
	return start + frame / of_base * of_base + phase % form->phases[k] * form->turns + turn;
}

/* ---- what is true ---- */

struct judge {
	const struct liquid_fabric *fabric;
	const struct form *form;
	uint16_t used[FRAMES_MAX][LINKS_MAX];
	uint32_t load[LINKS_MAX];
	uint32_t taking, last;		/* last: the last frame in which some host sends */
	uint32_t duration;
	double fluid;
};

/* From the switch of @src on: the links to @dst; 0: there is no route */
static uint32_t route(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		      uint32_t path[LIQUID_PATH_MAX])
{
	uint32_t hosts = liquid_fabric_host_count(fabric), steps = 0;
	uint32_t at = liquid_fabric_link(fabric, liquid_fabric_host_out(fabric, src))->to;

	while (at >= hosts && steps < LIQUID_PATH_MAX) {
		path[steps] = liquid_fabric_forward(fabric, at - hosts, dst);
		if (path[steps] == LIQUID_NONE)
			return 0;
		at = liquid_fabric_link(fabric, path[steps++])->to;
	}
	return at == dst ? steps : 0;
}

static bool has_twin(const struct form *form, uint32_t place)
{
	const uint32_t *first = form->first + form->block[place];

	return first[1] - first[0] > 1;
}

/*
 * Count all transfers: @all as if no one were left out, and each host sent to itself over its
 * switch, as a twin does. False: too many on a link, or no route
 */
static bool count(struct judge *judge, bool all)
{
	const struct form *form = judge->form;
	uint32_t path[LIQUID_PATH_MAX + 1];
	bool fits = true;

	memset(judge->used, 0, form->frames * sizeof(judge->used[0]));
	memset(judge->load, 0, sizeof(judge->load));
	judge->last = judge->taking = 0;
	for (uint32_t s = 0; s < form->places; s++) {
		judge->taking += !form->out[s];
		for (uint32_t d = 0; d < form->places; d++) {
			uint32_t frame = frame_of(form, s, d), steps;
			bool there = s != d && !form->out[s] && !form->out[d];

			if (!there && (!all || (s == d && !has_twin(form, s))))
				continue;
			steps = route(judge->fabric, form->host[s], form->host[d], path + 1);
			path[0] = liquid_fabric_host_out(judge->fabric, form->host[s]);
			fits &= steps > 0;
			for (uint32_t k = 0; k <= steps; k++) {
				fits &= ++judge->used[frame][path[k]] <=
					liquid_fabric_capacity(judge->fabric, path[k]);
				judge->load[path[k]]++;
			}
			if (there || (all && s != d))
				judge->last = frame > judge->last ? frame : judge->last;
		}
	}
	return fits;
}

static void weigh(struct judge *judge)
{
	judge->duration = 0;
	judge->fluid = 0;
	for (uint32_t l = 0; l < liquid_fabric_link_count(judge->fabric); l++) {
		double fluid = (double)judge->load[l] / liquid_fabric_capacity(judge->fabric, l);

		judge->fluid = fmax(judge->fluid, fluid);
		judge->duration = (uint32_t)fmax(judge->duration, ceil(fluid - 1e-9));
	}
}

static bool hosts_are_true(const struct judge *judge)
{
	const struct form *form = judge->form;

	for (uint32_t p = 0; p < form->places; p++) {
		if (form->host[p] == LIQUID_NONE ||
		    liquid_fabric_host_capacity(judge->fabric, form->host[p]) != 1)
			return false;
		for (uint32_t q = 0; q < p; q++)
			if (form->host[p] == form->host[q])
				return false;
	}
	for (uint32_t b = 0; b < form->blocks; b++)
		for (uint32_t p = form->first[b] + 1; p < form->first[b + 1]; p++) {
			uint32_t one = liquid_fabric_host_out(judge->fabric, form->host[p - 1]);
			uint32_t two = liquid_fabric_host_out(judge->fabric, form->host[p]);

			if (liquid_fabric_link(judge->fabric, one)->to !=
			    liquid_fabric_link(judge->fabric, two)->to)
				return false;
		}
	return true;
}

/* Do the tables keep shift @i? Each link that is met has one image, and is that of one. */
static bool shift_is_kept(const struct judge *judge, uint32_t i)
{
	const struct liquid_fabric *fabric = judge->fabric;
	const struct form *form = judge->form;
	uint32_t hosts = liquid_fabric_host_count(fabric), image[LINKS_MAX], origin[LINKS_MAX];
	uint32_t todo[LINKS_MAX][4], count = 0, map[SWITCHES_MAX], next = 0;

	memset(image, 0xff, sizeof(image));
	memset(origin, 0xff, sizeof(origin));
	memset(map, 0xff, sizeof(map));
#define MEET(a, b, dst, to) do { \
		uint32_t one_ = (a), two_ = (b); \
		if (image[one_] == LIQUID_NONE && origin[two_] == LIQUID_NONE) { \
			image[one_] = two_; \
			origin[two_] = one_; \
			memcpy(todo[count++], (uint32_t[]){ one_, two_, dst, to }, 16); \
		} \
		if (image[one_] != two_ || origin[two_] != one_) \
			return false; \
	} while (0)
	for (uint32_t p = 0; p < form->places; p++)
		MEET(liquid_fabric_host_out(fabric, form->host[p]),
		     liquid_fabric_host_out(fabric, form->host[advance(form, i, 1, p)]),
		     LIQUID_NONE, LIQUID_NONE);
	for (; next < count; next++) {
		const struct liquid_link *one = liquid_fabric_link(fabric, todo[next][0]);
		const struct liquid_link *two = liquid_fabric_link(fabric, todo[next][1]);

		if (one->capacity != two->capacity || (one->to < hosts) != (two->to < hosts))
			return false;
		if (one->to < hosts) {
			if (one->to != todo[next][2] || two->to != todo[next][3])
				return false;
			continue;
		}
		if (map[one->to - hosts] == two->to)
			continue;
		if (map[one->to - hosts] != LIQUID_NONE)
			return false;
		map[one->to - hosts] = two->to;
		for (uint32_t p = 0; p < form->places; p++) {
			uint32_t dst = form->host[p], to = form->host[advance(form, i, 1, p)];
			uint32_t a = liquid_fabric_forward(fabric, one->to - hosts, dst);
			uint32_t b = liquid_fabric_forward(fabric, two->to - hosts, to);

			if (a == LIQUID_NONE && b == LIQUID_NONE)
				continue;
			if (a == LIQUID_NONE || b == LIQUID_NONE)
				return false;
			MEET(a, b, dst, to);
		}
	}
	return true;
}

/* Does some element of the shifts lead to each phase? */
static bool phases_are_reached(const struct form *form, uint32_t k)
{
	bool reached[FRAMES_MAX] = { true };
	uint32_t count = 1, before = 0;

	while (count != before) {
		before = count;
		for (uint32_t p = 0; p < form->phases[k]; p++)
			for (uint32_t i = 0; reached[p] && i < form->shifts; i++) {
				uint32_t to = (p + form->weight[k][i]) % form->phases[k];

				count += !reached[to];
				reached[to] = true;
			}
	}
	return count == form->phases[k];
}

/* What the proof is to show, whatever the figures */
static bool shape_is_true(struct judge *judge)
{
	const struct form *form = judge->form;

	if (!hosts_are_true(judge))
		return false;
	for (uint32_t i = 0; i < form->shifts; i++)
		if (!shift_is_kept(judge, i))
			return false;
	for (uint32_t k = 0; k < form->kinds; k++)
		if (!phases_are_reached(form, k))
			return false;
	return count(judge, true);
}

static bool is_text(const json_t *root, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(root, key));

	return value && !strcmp(value, text);
}

static void digest_of(const struct form *form, char hex[LIQUID_DIGEST_HEX])
{
	const char *name[PLACES_MAX];
	size_t count = 0;

	for (uint32_t p = 0; p < form->places; p++)
		if (!form->out[p])
			name[count++] = form->names.name[p];
	must(traffic_alltoall_digest(name, count, hex, &err), &err);
}

/* After shape_is_true(): all frames are there, or all but the last, in which no one sends. */
static bool length_is_true(const struct judge *judge, uint32_t length)
{
	const struct form *form = judge->form;

	return length == form->frames || (length + 1 == form->frames && judge->last < length &&
					  form->phases[form->kinds - 1] == 1);
}

/* After count() of what is there */
static bool figures_are_true(const struct judge *judge, const json_t *root)
{
	uint32_t length = number_in(root, "length");
	char traffic[LIQUID_DIGEST_HEX], fabric[LIQUID_DIGEST_HEX];

	digest_of(judge->form, traffic);
	must(liquid_fabric_digest(judge->fabric, fabric, &err), &err);
	return judge->taking >= 2 && number_in(root, "version") == 2 && judge->last < length &&
	       is_text(root, "format", "liquid-schedule") &&
	       is_text(root, "traffic_digest", traffic) && is_text(root, "fabric_digest", fabric) &&
	       number_in(root, "transfers") == judge->taking * (judge->taking - 1) &&
	       number_in(root, "duration") == judge->duration &&
	       number_in(root, "lower_bound") == judge->duration &&
	       fabs(json_number_value(json_object_get(root, "fluid_bound")) - judge->fluid) <
		       1e-7 &&
	       !json_string_value(json_object_get(root, "witness")) &&
	       !json_is_object(json_object_get(root, "witness")) &&
	       is_text(root, "certificate", length == judge->duration ? "liquid" : "gap") &&
	       length >= judge->duration;
}

/* ---- forgers ---- */

static void set_number(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static uint32_t near_number(struct dice *dice, uint32_t value)
{
	switch (roll(dice, 5)) {
	case 0:
		return value + 1;
	case 1:
		return value ? value - 1 : 1;
	case 2:
		return 2 * value;
	case 3:
		return value / 2;
	default:
		return roll(dice, 20);
	}
}

/* Some number somewhere below @value, or an element of an array more, less, or elsewhere */
static void change_any(json_t *value, struct dice *dice)
{
	size_t size = json_is_array(value) ? json_array_size(value) : json_object_size(value);
	uint32_t at = size ? roll(dice, (uint32_t)size) : 0;
	json_t *child = NULL;
	const char *key = NULL;

	if (json_is_array(value)) {
		child = json_array_get(value, at);
	} else {
		void *member = json_object_iter(value);

		while (at--)
			member = json_object_iter_next(value, member);
		key = json_object_iter_key(member);
		child = json_object_iter_value(member);
	}
	if (json_is_array(value) && !roll(dice, 4)) {
		json_t *moved = json_incref(child);

		if (roll(dice, 2) && size)
			json_array_remove(value, roll(dice, (uint32_t)size));
		if (roll(dice, 2) && moved)
			json_array_insert(value, roll(dice, (uint32_t)json_array_size(value) + 1),
					  moved);
		json_decref(moved);
	} else if (json_is_array(child) || json_is_object(child)) {
		change_any(child, dice);
	} else if (json_is_integer(child)) {
		json_integer_set(child, near_number(dice, (uint32_t)json_integer_value(child)));
	} else if (json_is_real(child)) {
		json_real_set(child, json_real_value(child) + (roll(dice, 3) - 1.0) / 2);
	} else if (json_is_string(child) && json_string_length(child)) {
		char *text = strdup(json_string_value(child));

		text[roll(dice, (uint32_t)strlen(text))] ^= 1 << roll(dice, 5);
		json_string_set(child, text);
		free(text);
	} else if (key && !roll(dice, 2)) {
		json_object_del(value, key);
	}
}

static void write_units(json_t *root, const struct form *form, uint32_t units)
{
	uint32_t width = form->frames > 256 ? 2 : 1;
	uint8_t bytes[2 * UNITS_MAX];
	char text[BASE64_ENCODE_RAW_LENGTH(sizeof(bytes)) + 1];

	for (uint32_t u = 0; u < units; u++)
		for (uint32_t i = 0; i < width; i++)
			bytes[u * width + i] = (uint8_t)(form->unit[u] >> 8 * i);
	base64_encode_raw(text, units * width, bytes);
	text[BASE64_ENCODE_RAW_LENGTH(units * width)] = '\0';
	json_object_set_new(root, "units", json_string(text));
}

/* Some units in other frames, most of them in the same base frame or in that of another */
static void move_units(json_t *root, struct form *form, struct dice *dice)
{
	uint32_t units = form->classes * form->blocks;

	for (uint32_t n = 1 + roll(dice, 2); n; n--) {
		uint32_t *unit = &form->unit[roll(dice, units)];
		uint32_t *other = &form->unit[roll(dice, units)], kept = *unit;

		switch (roll(dice, 4)) {
		case 0:
			*unit = roll(dice, form->frames);
			break;
		case 1:
			*unit = *other - *other % form->turns + roll(dice, form->turns);
			break;
		default:
			*unit = *other;
			*other = kept;
		}
	}
	write_units(root, form, units);
}

static void write_hosts(json_t *root, const struct form *form, const char *key, bool out)
{
	char *text, **name = form->names.name;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	for (uint32_t p = 0; p < form->places; p++)
		if (!out || form->out[p])
			fprintf(memory, "%s%s", ftell(memory) ? "," : "", name[p]);
	fclose(memory);
	json_object_set_new(root, key, *text ? json_pack("[s]", text) : json_array());
	free(text);
}

/* Two hosts in each other's places, also of other blocks; seldom one in both */
static void swap_hosts(json_t *root, struct form *form, struct dice *dice)
{
	uint32_t a = roll(dice, form->places), b = roll(dice, form->places);
	char **name = form->names.name, *kept = name[a];

	if (roll(dice, 2))
		b = a % form->turns ? a - 1 : a + 1 < form->places ? a + 1 : a;
	name[a] = name[b];
	name[b] = kept;
	if (roll(dice, 2) && form->host[0] != LIQUID_NONE) {
		uint32_t host = form->host[a];

		form->host[a] = form->host[b];
		form->host[b] = host;
	}
	write_hosts(root, form, "hosts", false);
}

static void leave_out(json_t *root, struct form *form, struct dice *dice)
{
	uint32_t p = roll(dice, form->places), count = 0;

	form->out[p] = !form->out[p];
	for (uint32_t i = 0; i < form->places; i++)
		count += form->out[i];
	json_object_set_new(root, "needs", json_pack("[s,s,s*]", "orbits", "named-traffic",
						     count ? "without" : NULL));
	if (count)
		write_hosts(root, form, "without", true);
	else
		json_object_del(root, "without");
}

/* The same frames without shifts, each transfer of its own class: often a valid file, too */
static void forget_shifts(json_t *root, struct form *form)
{
	uint32_t unit[UNITS_MAX];

	if (!form->shifts || form->places * form->blocks > UNITS_MAX)
		return;
	for (uint32_t d = 0; d < form->places; d++)
		for (uint32_t b = 0; b < form->blocks; b++)
			unit[d * form->blocks + b] = frame_of(form, form->first[b], d);
	memcpy(form->unit, unit, sizeof(unit));
	json_object_set_new(root, "shifts", json_array());
	json_object_set_new(root, "kinds", json_pack("[{s:i,s:i,s:[]}]", "phases", 1, "base_frames",
						     (int)(form->frames / form->turns),
						     "weights"));
	form->shifts = 0;
	form->classes = form->places;
	write_units(root, form, form->places * form->blocks);
}

/* Each unit in a base frame of its own, which is true of any blocks of twins */
static void spread_units(json_t *root, struct form *form)
{
	uint32_t units = form->places * form->blocks;

	forget_shifts(root, form);
	if (units > UNITS_MAX || units * form->turns > FRAMES_MAX)
		return;
	for (uint32_t u = 0; u < units; u++)
		form->unit[u] = u * form->turns;
	json_object_set_new(root, "kinds", json_pack("[{s:i,s:i,s:[]}]", "phases", 1, "base_frames",
						     (int)units, "weights"));
	form->frames = units * form->turns;
	write_units(root, form, units);
}

/* Another number of phases, with as many frames in all */
static void change_phases(json_t *root, const struct form *form, struct dice *dice)
{
	uint32_t k = roll(dice, form->kinds), all = form->phases[k] * form->bases[k];
	json_t *kind = json_array_get(json_object_get(root, "kinds"), k);
	uint32_t phases = 1 + roll(dice, all < 16 ? all : 16);

	if (all % phases)
		return;
	set_number(kind, "phases", phases);
	set_number(kind, "base_frames", all / phases);
	for (uint32_t i = 0; i < form->shifts; i++)
		if (form->weight[k][i] >= phases || roll(dice, 2))
			json_array_set_new(json_object_get(kind, "weights"), i,
					   json_integer(roll(dice, phases)));
}

/* A block in two, each of its own class and place; only without shifts */
static void cut_block(json_t *root, struct form *form, struct dice *dice)
{
	uint32_t b = roll(dice, form->blocks), size = form->first[b + 1] - form->first[b];
	uint32_t cut = size > 1 ? 1 + roll(dice, size - 1) : 0, unit[UNITS_MAX];
	uint32_t blocks = form->blocks + 1;

	if (!cut || form->shifts || form->places * blocks > UNITS_MAX)
		return;
	for (uint32_t d = 0; d < form->places; d++)
		for (uint32_t i = 0; i < blocks; i++) {
			uint32_t old = form->unit[d * form->blocks + (i > b ? i - 1 : i)];

			if (i == b + 1)
				old = old - old % form->turns + (old + cut) % form->turns;
			unit[d * blocks + i] = old;
		}
	memcpy(form->unit, unit, sizeof(unit));
	json_array_set_new(json_object_get(root, "blocks"), b, json_integer(cut));
	json_array_insert_new(json_object_get(root, "blocks"), b + 1, json_integer(size - cut));
	write_units(root, form, form->places * blocks);
}

/* All that is not the shape made true, so that the shape alone decides */
static void mend_figures(json_t *root, struct judge *judge)
{
	uint32_t length = judge->form->frames;
	char hex[LIQUID_DIGEST_HEX];

	count(judge, false);
	weigh(judge);
	if (judge->form->phases[judge->form->kinds - 1] == 1 && judge->last + 1 < length &&
	    number_in(root, "length") < length)
		length--;
	digest_of(judge->form, hex);
	json_object_set_new(root, "traffic_digest", json_string(hex));
	must(liquid_fabric_digest(judge->fabric, hex, &err), &err);
	json_object_set_new(root, "fabric_digest", json_string(hex));
	set_number(root, "transfers", judge->taking * (judge->taking - 1));
	set_number(root, "duration", judge->duration);
	set_number(root, "lower_bound", judge->duration);
	set_number(root, "length", length);
	json_object_set_new(root, "fluid_bound", json_real(judge->fluid));
	json_object_set_new(root, "certificate",
			    json_string(length == judge->duration ? "liquid" : "gap"));
}

/* ---- trials ---- */

struct tally {
	uint32_t tried, read, accepted, changed, wrong, refused, large;
};

/* Can it be read, so that another forger may have it? */
static bool is_sound(const struct liquid_fabric *fabric, const json_t *root)
{
	struct liquid_schedule *schedule = NULL;
	char *text = json_dumps(root, JSON_COMPACT);
	bool sound = !read_text(text, fabric, &schedule, &err) && liquid_schedule_shape(schedule);

	liquid_schedule_free(schedule);
	free(text);
	return sound;
}

static void change(json_t *root, struct form *form, struct dice *dice)
{
	switch (roll(dice, 11)) {
	case 0:
		swap_hosts(root, form, dice);
		break;
	case 1:
		leave_out(root, form, dice);
		break;
	case 2:
		forget_shifts(root, form);
		break;
	case 3:
		change_phases(root, form, dice);
		break;
	case 4:
		forget_shifts(root, form);
		cut_block(root, form, dice);
		break;
	case 5:
		spread_units(root, form);
		break;
	case 6:
	case 7:
		change_any(root, dice);
		break;
	default:
		move_units(root, form, dice);
	}
}

static void forge(const struct liquid_fabric *fabric, json_t *root, struct dice *dice)
{
	static struct form form;

	if (read_form(root, fabric, &form))
		change(root, &form, dice);
	liquid_names_clear(&form.names);
}

/* Does the library's word about @root agree with the test's? */
static void try_one(struct judge *judge, json_t *root, bool mended, struct tally *tally)
{
	static struct form form;
	struct liquid_schedule *schedule = NULL;
	bool accepted, truth, shape;
	char *text;

	judge->form = &form;
	tally->tried++;
	text = json_dumps(root, JSON_COMPACT);
	if (!read_text(text, judge->fabric, &schedule, &err) && liquid_schedule_shape(schedule)) {
		tally->read++;
		if (!read_form(root, judge->fabric, &form)) {
			tally->large++;
		} else {
			if (mended) {
				mend_figures(root, judge);
				free(text);
				text = json_dumps(root, JSON_COMPACT);
				liquid_schedule_free(schedule);
				must(read_text(text, judge->fabric, &schedule, &err), &err);
			}
			accepted = !liquid_verify(judge->fabric, NULL, schedule, NULL, NULL, &err);
			shape = shape_is_true(judge) &&
				length_is_true(judge, number_in(root, "length"));
			truth = hosts_are_true(judge) && count(judge, false);
			weigh(judge);
			truth = truth && figures_are_true(judge, root);
			tally->accepted += accepted;
			if (accepted && !truth && !tally->wrong++)
				printf("# accepted, but false: %s\n", text);
			if (!accepted && truth && shape && !tally->refused++)
				printf("# refused, but true (%s): %s\n", err.text, text);
			if (accepted && !shape && !tally->changed++)
				printf("# accepted, not for what it says: %s\n", text);
		}
		liquid_names_clear(&form.names);
	}
	liquid_schedule_free(schedule);
	free(text);
}

/* A link's capacity or an entry of a table, so that some shifts are not kept; again: as it was */
static void spoil(struct liquid_fabric *fabric, struct dice *dice, uint32_t what)
{
	struct liquid_link *link = &fabric->link[roll(dice, fabric->links)];
	struct fabric_switch *sw = &fabric->sw[roll(dice, fabric->switches)];
	uint32_t host = roll(dice, fabric->hosts), index = roll(dice, sw->outs + 1);
	static uint32_t kept;
	uint8_t *entry = (uint8_t *)sw->forward + host;

	fabric->digest->whole.state = DIGEST_NONE;
	if (what % 2) {
		link->capacity = what > 1 ? kept : (kept = link->capacity) + 1;
		return;
	}
	if (what > 1) {
		*entry = (uint8_t)kept;
		return;
	}
	kept = *entry;
	if (index == sw->outs)
		*entry = UINT8_MAX;
	else if (fabric->link[sw->out[index]].to >= fabric->hosts)
		*entry = (uint8_t)index;
}

/* An all-to-all of all hosts of @fabric but @without, and @edits changes of its file */
static void test_fabric(struct liquid_fabric *fabric, uint32_t without, uint32_t edits,
			struct tally *tally)
{
	static struct judge judge;
	struct liquid_solve_options options = { .method = "compact", .work = 100000 };
	uint32_t hosts = liquid_fabric_host_count(fabric) - without, host[PLACES_MAX];
	struct liquid_traffic *traffic;
	struct liquid_schedule *schedule;
	struct dice dice = { hosts + without };
	json_t *original;
	char *text;

	for (uint32_t h = 0; h < hosts; h++)
		host[h] = h;
	must(liquid_traffic_alltoall(host, hosts, &traffic, &err), &err);
	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	text = json_of(schedule, fabric);
	original = json_loads(text, 0, NULL);
	judge.fabric = fabric;
	for (uint32_t i = 0; i < edits; i++) {
		json_t *root = json_deep_copy(original);
		struct dice same = { i };
		bool spoilt = i % 4 == 3;

		if (spoilt)
			spoil(fabric, &same, i / 4 % 2);
		if (i && !(spoilt && roll(&dice, 2)))
			forge(fabric, root, &dice);
		while (i && !roll(&dice, 2) && is_sound(fabric, root))
			forge(fabric, root, &dice);
		try_one(&judge, root, spoilt || roll(&dice, 4), tally);
		same = (struct dice){ i };
		if (spoilt)
			spoil(fabric, &same, 2 + i / 4 % 2);
		json_decref(root);
	}
	json_decref(original);
	free(text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

static void test_edits(const char *name, const char *const *params, size_t count, uint32_t without,
		       uint32_t edits, struct tally *tally)
{
	test_fabric(make_fabric(name, params, count), without, edits, tally);
}

/* A ring whose links carry two transfers: of three in a class, not all fit. */
static void test_wide_ring(uint32_t edits, struct tally *tally)
{
	static const char *const ring[] = { "size=6" };
	struct liquid_fabric *fabric = make_fabric("torus", ring, 1);

	for (uint32_t l = 0; l < fabric->links; l++)
		if (fabric->link[l].from >= fabric->hosts && fabric->link[l].to >= fabric->hosts)
			fabric->link[l].capacity = 2;
	test_fabric(fabric, 0, edits, tally);
}

int main(void)
{
	const char *const tree[] = { "k=4" }, *const torus[] = { "size=3x3" };
	const char *const hashed[] = { "leaves=3", "hosts=4", "spines=2", "routes=hash" };
	const char *const wide[] = { "leaves=4", "hosts=3", "spines=2", "capacity=2" };
	const char *const twins[] = { "size=4", "hosts=2" }, *const groups[] = { "a=2" };
	uint32_t edits = draws(1000);
	struct tally tally = { 0 };

	test_edits("fat-tree", tree, 1, 0, edits, &tally);
	test_edits("fat-tree", tree, 1, 3, edits, &tally);
	test_edits("torus", torus, 1, 0, edits, &tally);
	test_edits("torus", torus, 1, 1, edits, &tally);
	test_edits("leaf-spine", hashed, 4, 0, edits, &tally);
	test_edits("leaf-spine", hashed, 4, 1, edits, &tally);
	test_edits("leaf-spine", hashed, 4, 3, edits, &tally);
	test_edits("leaf-spine", wide, 4, 0, edits, &tally);
	test_edits("torus", twins, 2, 0, edits, &tally);
	test_edits("dragonfly", groups, 1, 0, edits, &tally);
	test_wide_ring(edits, &tally);
	printf("# %u edits, %u can be read, %u of these are larger than this test\n", tally.tried,
	       tally.read, tally.large);
	ok(!tally.wrong, "%u edits of files of orbits: none is accepted that is false",
	   tally.tried);
	ok(!tally.changed, "none is accepted whose shifts the tables do not keep");
	ok(!tally.refused, "none is refused that is true");
	ok(tally.accepted > tally.read / 20 && tally.accepted < tally.read * 19 / 20,
	   "of %u that can be read %u are accepted", tally.read, tally.accepted);
	return tap_exit();
}
