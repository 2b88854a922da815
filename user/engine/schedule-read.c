// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading schedules in the interchange form; every field is checked, unknown ones are passed over. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "schedule.h"
#include "traffic.h"
#include "wavelengths.h"

/* Names in the order of their first appearance, for a schedule that is read without a fabric. */
struct name_table {
	char **names;
	uint32_t count, room;
	uint32_t *slots;		/* open addressing: name + 1; 0: empty */
	uint32_t slot_count;		/* a power of two, more than twice count */
};

struct reader {
	const char *label;
	const struct liquid_fabric *fabric;
	struct name_table table;
	json_t *root;
	uint32_t version;
	struct liquid_schedule *schedule;
	struct liquid_error *err;
};

#define bad_input(reader, format, ...) \
	liquid_fail((reader)->err, LIQUID_BAD_INPUT, "%s: " format, (reader)->label, ##__VA_ARGS__)

static int no_memory(const struct reader *reader)
{
	return liquid_fail(reader->err, LIQUID_NO_MEMORY, "%s: no memory for the schedule",
			   reader->label);
}

static uint32_t hash_name(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash ^ hash >> 15;
}

static uint32_t *find_slot(const struct name_table *table, const char *name)
{
	uint32_t i = hash_name(name) & (table->slot_count - 1);

	while (table->slots[i] && strcmp(table->names[table->slots[i] - 1], name))
		i = (i + 1) & (table->slot_count - 1);
	return &table->slots[i];
}

static bool grow_table(struct name_table *table)
{
	uint32_t room = table->room ? 2 * table->room : 64;
	char **names = reallocarray(table->names, room, sizeof(*names));
	uint32_t *slots = calloc(4 * (size_t)room, sizeof(*slots));

	if (names)
		table->names = names;
	if (!names || !slots) {
		free(slots);
		return false;
	}
	free(table->slots);
	table->slots = slots;
	table->slot_count = 4 * room;
	table->room = room;
	for (uint32_t i = 0; i < table->count; i++)
		*find_slot(table, names[i]) = i + 1;
	return true;
}

static int number_name(struct reader *reader, const char *name, uint32_t *host)
{
	struct name_table *table = &reader->table;
	uint32_t *slot;

	if (table->count == table->room && !grow_table(table))
		return no_memory(reader);
	slot = find_slot(table, name);
	if (!*slot) {
		table->names[table->count] = strdup(name);
		if (!table->names[table->count])
			return no_memory(reader);
		*slot = ++table->count;
	}
	*host = *slot - 1;
	return LIQUID_OK;
}

static void clear_table(struct name_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		free(table->names[i]);
	free(table->names);
	free(table->slots);
}

/* ---- figures ---- */

static int read_text(const struct reader *reader, const char *key, const char **text)
{
	json_t *value = json_object_get(reader->root, key);

	if (!value)
		return bad_input(reader, "\"%s\" is missing", key);
	*text = json_string_value(value);
	if (!*text || !**text || json_string_length(value) > LIQUID_NAME_MAX)
		return bad_input(reader, "\"%s\" must be a string of 1 ... %d bytes", key,
				 LIQUID_NAME_MAX);
	if (strlen(*text) != json_string_length(value))
		return bad_input(reader, "\"%s\" has a zero byte", key);
	return LIQUID_OK;
}

static int read_integer(const struct reader *reader, const char *key, uint64_t max, bool nullable,
			uint64_t *number)
{
	json_t *value = json_object_get(reader->root, key);

	*number = 0;
	if (!value)
		return bad_input(reader, "\"%s\" is missing", key);
	if (nullable && json_is_null(value))
		return LIQUID_OK;
	if (!json_is_integer(value))
		return bad_input(reader, "\"%s\" must be an integer%s", key,
				 nullable ? " or null" : "");
	if (json_integer_value(value) < 0 || (uint64_t)json_integer_value(value) > max)
		return bad_input(reader, "\"%s\" is %lld, not within 0 ... %llu", key,
				 (long long)json_integer_value(value), (unsigned long long)max);
	*number = (uint64_t)json_integer_value(value);
	return LIQUID_OK;
}

static int read_small(const struct reader *reader, const char *key, uint32_t *number)
{
	uint64_t value;
	int status = read_integer(reader, key, LIQUID_TRANSFERS_MAX, false, &value);

	*number = (uint32_t)value;
	return status;
}

static int read_digest(const struct reader *reader, const char *key, char digest[LIQUID_DIGEST_HEX])
{
	const char *text;
	int status = read_text(reader, key, &text);

	if (status)
		return status;
	if (strlen(text) != LIQUID_DIGEST_HEX - 1 ||
	    strspn(text, "0123456789abcdef") != LIQUID_DIGEST_HEX - 1)
		return bad_input(reader, "\"%s\" must be %d lower-case hexadecimal digits", key,
				 LIQUID_DIGEST_HEX - 1);
	memcpy(digest, text, LIQUID_DIGEST_HEX);
	return LIQUID_OK;
}

static int read_certificate(const struct reader *reader, enum liquid_certificate *certificate)
{
	const char *text;
	int status = read_text(reader, "certificate", &text);

	if (status)
		return status;
	for (int i = LIQUID_CERT_LIQUID; i <= LIQUID_CERT_GAP; i++)
		if (!strcmp(text, liquid_certificate_name(i))) {
			*certificate = i;
			return LIQUID_OK;
		}
	return bad_input(reader, "\"certificate\" must be liquid, optimal or gap, not '%s'", text);
}

static int read_fluid_bound(const struct reader *reader, double *bound)
{
	json_t *value = json_object_get(reader->root, "fluid_bound");

	if (!json_is_number(value) || json_number_value(value) < 0)
		return bad_input(reader, "\"fluid_bound\" must be a number, 0 or more");
	*bound = json_number_value(value);
	return LIQUID_OK;
}

static int read_witness(const struct reader *reader)
{
	json_t *value = json_object_get(reader->root, "witness");
	struct liquid_schedule *schedule = reader->schedule;

	if (!value)
		return bad_input(reader, "\"witness\" is missing");
	if (json_is_null(value))
		return LIQUID_OK;
	if (!json_is_object(value))
		return bad_input(reader, "\"witness\" must be an object or null");
	schedule->witness = json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER);
	schedule->info.witness_json = schedule->witness;
	return schedule->witness ? LIQUID_OK : no_memory(reader);
}

static int read_wavelengths(const struct reader *reader)
{
	json_t *value = json_object_get(reader->root, "wavelengths");

	if (!value || json_is_null(value))
		return LIQUID_OK;
	return wavelengths_from_json(value, reader->label, reader->schedule, reader->err);
}

/* Other programs' methods have names of their own. */
static int read_method(const struct reader *reader, const char **method)
{
	int status = read_text(reader, "method", method);

	if (!status && (*method)[strspn(*method, "0123456789-._ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"abcdefghijklmnopqrstuvwxyz")])
		return bad_input(reader, "\"method\" must be of letters, digits, '-', '.' and '_'");
	return status;
}

static int read_origin(const struct reader *reader)
{
	struct liquid_schedule *schedule = reader->schedule;
	struct liquid_schedule_info *info = &schedule->info;
	const char *name, *method;
	int status;

	if ((status = read_text(reader, "fabric", &name)) ||
	    (status = read_method(reader, &method)) ||
	    (status = read_digest(reader, "fabric_digest", schedule->fabric_digest)) ||
	    (status = read_digest(reader, "traffic_digest", schedule->traffic_digest)) ||
	    (status = read_integer(reader, "seed", INT64_MAX, false, &info->seed)) ||
	    (status = read_integer(reader, "work", INT64_MAX, false, &info->work)) ||
	    (status = read_integer(reader, "unit_bytes", INT64_MAX, true, &info->unit_bytes)) ||
	    (status = read_integer(reader, "link_rate_bps", INT64_MAX, true,
				   &info->link_rate_bps)))
		return status;
	if (!schedule_set_text(&schedule->fabric_name, &info->fabric_name, name) ||
	    !schedule_set_text(&schedule->method, &info->method, method))
		return no_memory(reader);
	return LIQUID_OK;
}

static int read_figures(const struct reader *reader)
{
	struct liquid_schedule_info *info = &reader->schedule->info;
	uint32_t length;
	int status;

	if ((status = read_integer(reader, "transfers", LIQUID_TRANSFERS_MAX, false,
				   &info->transfers)) ||
	    (status = read_small(reader, "duration", &info->duration)) ||
	    (status = read_fluid_bound(reader, &info->fluid_bound)) ||
	    (status = read_small(reader, "length", &length)) ||
	    (status = read_small(reader, "lower_bound", &info->lower_bound)) ||
	    (status = read_certificate(reader, &info->certificate)) ||
	    (status = read_witness(reader)) ||
	    (status = read_wavelengths(reader)))
		return status;
	if (length != info->length)
		return bad_input(reader, "\"length\" is %u, but \"frames\" has %u", length,
				 info->length);
	return LIQUID_OK;
}

/* ---- frames ---- */

static int read_end(struct reader *reader, json_t *value, uint32_t frame, size_t index,
		    uint32_t *host)
{
	const char *name = json_string_value(value);

	if (!name || !*name || json_string_length(value) > LIQUID_NAME_MAX ||
	    strlen(name) != json_string_length(value))
		return bad_input(reader, "frame %u, transfer %zu: a host must be a string of 1 ... %d "
				 "bytes", frame, index, LIQUID_NAME_MAX);
	if (strpbrk(name, " \t\r\n\v\f"))
		return bad_input(reader, "frame %u, transfer %zu: host '%s' has white space", frame,
				 index, name);
	if (!reader->fabric)
		return number_name(reader, name, host);
	*host = liquid_fabric_find_host(reader->fabric, name);
	if (*host == LIQUID_NONE)
		return bad_input(reader, "frame %u, transfer %zu: the fabric '%s' has no host '%s'",
				 frame, index, liquid_fabric_name(reader->fabric), name);
	return LIQUID_OK;
}

static int read_transfer(struct reader *reader, json_t *value, uint32_t frame, size_t index,
			 struct liquid_transfer *transfer)
{
	int status;

	if (!json_is_array(value) || json_array_size(value) != 2)
		return bad_input(reader, "frame %u, transfer %zu: must be [\"src\",\"dst\"]", frame,
				 index);
	status = read_end(reader, json_array_get(value, 0), frame, index, &transfer->src);
	if (!status)
		status = read_end(reader, json_array_get(value, 1), frame, index, &transfer->dst);
	if (!status && transfer->src == transfer->dst)
		return bad_input(reader, "frame %u, transfer %zu: '%s' sends to itself", frame, index,
				 json_string_value(json_array_get(value, 0)));
	return status;
}

static int compare_transfers(const void *a, const void *b)
{
	const struct liquid_transfer *left = a, *right = b;

	if (left->src != right->src)
		return left->src < right->src ? -1 : 1;
	return left->dst < right->dst ? -1 : left->dst > right->dst;
}

static int read_frame(struct reader *reader, json_t *value, uint32_t frame)
{
	struct liquid_schedule *schedule = reader->schedule;
	uint32_t begin = schedule->first[frame];
	size_t count = json_array_size(value);
	int status;

	for (size_t i = 0; i < count; i++) {
		status = read_transfer(reader, json_array_get(value, i), frame, i,
				       &schedule->transfers[begin + i]);
		if (status)
			return status;
	}
	qsort(schedule->transfers + begin, count, sizeof(*schedule->transfers), compare_transfers);
	schedule->first[frame + 1] = begin + (uint32_t)count;
	return LIQUID_OK;
}

/* Makes the schedule with room for all that the frames say. */
static int size_frames(struct reader *reader, json_t *frames)
{
	uint32_t hosts = reader->fabric ? liquid_fabric_host_count(reader->fabric) : 0;
	size_t length = json_array_size(frames), total = 0;

	for (size_t frame = 0; frame < length; frame++) {
		json_t *value = json_array_get(frames, frame);

		if (!json_is_array(value))
			return bad_input(reader, "frame %zu: must be an array of transfers", frame);
		total += json_array_size(value);
		if (total > LIQUID_TRANSFERS_MAX || frame > LIQUID_TRANSFERS_MAX)
			return bad_input(reader, "more than %u transfers", LIQUID_TRANSFERS_MAX);
	}
	reader->schedule = schedule_new((uint32_t)length, (uint32_t)total, hosts);
	if (!reader->schedule ||
	    (reader->fabric && !schedule_copy_names(reader->schedule, reader->fabric)))
		return no_memory(reader);
	return LIQUID_OK;
}

static int read_frames(struct reader *reader)
{
	json_t *frames = json_object_get(reader->root, "frames");
	int status;

	if (!json_is_array(frames))
		return bad_input(reader, "\"frames\" must be an array");
	status = size_frames(reader, frames);
	for (uint32_t frame = 0; !status && frame < reader->schedule->info.length; frame++)
		status = read_frame(reader, json_array_get(frames, frame), frame);
	if (status || reader->fabric)
		return status;
	free(reader->schedule->names);
	reader->schedule->names = reader->table.names;
	reader->schedule->host_count = reader->table.count;
	reader->table.names = NULL;
	reader->table.count = 0;
	return LIQUID_OK;
}

/* What the schedule is not understood without. No feature is known to this version. */
static int read_needs(const struct reader *reader)
{
	json_t *needs = json_object_get(reader->root, "needs");
	const char *feature;

	if (!needs)
		return LIQUID_OK;
	if (!json_is_array(needs))
		return bad_input(reader, "\"needs\" must be an array of strings");
	if (!json_array_size(needs))
		return LIQUID_OK;
	feature = json_string_value(json_array_get(needs, 0));
	if (!feature)
		return bad_input(reader, "\"needs\" must be an array of strings");
	return bad_input(reader, "the schedule needs '%.200s', which this version of the reader does "
			 "not know", feature);
}

static int read_root(struct reader *reader)
{
	uint64_t version;
	const char *format;
	int status;

	if (!json_is_object(reader->root))
		return bad_input(reader, "not a schedule: expected an object");
	status = read_text(reader, "format", &format);
	if (status)
		return status;
	if (strcmp(format, SCHEDULE_FORMAT))
		return bad_input(reader, "\"format\" is '%s', not '" SCHEDULE_FORMAT "'", format);
	status = read_integer(reader, "version", INT64_MAX, false, &version);
	if (status)
		return status;
	if (version != 1 && version != 2)
		return bad_input(reader, "\"version\" is %llu; this library reads versions 1 and 2",
				 (unsigned long long)version);
	reader->version = (uint32_t)version;
	if (version == 2)
		status = read_needs(reader);
	if (!status)
		status = read_frames(reader);
	if (!status)
		reader->schedule->info.version = reader->version;
	if (!status)
		status = read_origin(reader);
	return status ? status : read_figures(reader);
}

int liquid_schedule_read_json(FILE *in, const char *label, const struct liquid_fabric *fabric,
			      struct liquid_schedule **schedule, struct liquid_error *err)
{
	struct reader reader = { .label = label, .fabric = fabric, .err = err };
	json_error_t where;
	int status;

	*schedule = NULL;
	reader.root = json_loadf(in, JSON_REJECT_DUPLICATES, &where);
	if (!reader.root)
		return liquid_fail(err, ferror(in) ? LIQUID_IO : LIQUID_BAD_INPUT, "%s:%d: %s", label,
				   where.line > 0 ? where.line : 1, where.text);
	status = read_root(&reader);
	json_decref(reader.root);
	clear_table(&reader.table);
	if (status)
		liquid_schedule_free(reader.schedule);
	else
		*schedule = reader.schedule;
	return status;
}
