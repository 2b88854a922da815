// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading schedules in the JSON format. All known fields are checked, unknown ones ignored. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/load.h"
#include "schedule/marks.h"
#include "schedule/orbits.h"
#include "schedule/wavelengths.h"
#include "traffic/traffic.h"

struct reader {
	const char *label;
	const struct liquid_fabric *fabric;
	struct schedule_file file;
	json_t *root;			/* file.root */
	uint32_t version;
	bool orbits;			/* it has these instead of "frames" */
	bool marks;
	bool parts;			/* messages are sent in several */
	struct liquid_schedule *schedule;
	struct liquid_error *err;
};

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
	return schedule->witness ? LIQUID_OK : no_memory_for(reader);
}

static int read_wavelengths(const struct reader *reader)
{
	json_t *value = json_object_get(reader->root, "wavelengths");

	if (!value || json_is_null(value))
		return LIQUID_OK;
	return wavelengths_from_json(value, reader->label, reader->schedule, reader->err);
}

/* Any name of a method is accepted: the schedule may come from another program. */
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
		return no_memory_for(reader);
	return LIQUID_OK;
}

static int read_parts(const struct reader *reader, uint32_t *parts)
{
	uint64_t number;
	int status;

	if (!reader->parts)
		return LIQUID_OK;
	status = read_integer(reader, "parts", LIQUID_PARTS_MAX, false, &number);
	if (!status && number < 2)
		return bad_input(reader, "\"parts\" must be an integer from 2 to %u",
				 LIQUID_PARTS_MAX);
	*parts = (uint32_t)number;
	return status;
}

static int read_figures(const struct reader *reader)
{
	struct liquid_schedule_info *info = &reader->schedule->info;
	uint32_t length;
	int status;

	if ((status = read_parts(reader, &info->parts)) ||
	    (status = read_integer(reader, "transfers",
				   reader->orbits ? UINT32_MAX : LIQUID_TRANSFERS_MAX, false,
				   &info->transfers)) ||
	    (status = read_small(reader, "duration", &info->duration)) ||
	    (status = read_fluid_bound(reader, &info->fluid_bound)) ||
	    (status = read_small(reader, "length", &length)) ||
	    (status = read_small(reader, "lower_bound", &info->lower_bound)) ||
	    (status = read_certificate(reader, &info->certificate)) ||
	    (status = read_witness(reader)))
		return status;
	if (reader->orbits)
		info->length = length;
	if (length != info->length)
		return bad_input(reader, "\"length\" is %u, but \"frames\" has %u", length,
				 info->length);
	return read_wavelengths(reader);	/* one of each frame: the length is known now */
}

/* ---- frames ---- */

/* Make the schedule from what the file has, which moves there. */
static bool make_schedule(struct reader *reader)
{
	struct liquid_schedule *schedule = schedule_new(0, 0, 0);
	struct schedule_file *file = &reader->file;
	struct liquid_transfer *exact;

	reader->schedule = schedule;
	if (!schedule)
		return false;
	exact = reallocarray(file->transfers, file->first[file->frame_count] + (size_t)1,
			     sizeof(*exact));
	if (!exact)
		return false;
	free(schedule->transfers);
	schedule->transfers = exact;
	free(schedule->first);
	schedule->first = file->first;
	schedule->info.length = file->frame_count;
	file->transfers = NULL;
	file->first = NULL;
	if (file->names) {
		free(schedule->names);
		schedule->names = file->names;
		schedule->host_count = file->name_count;
		file->names = NULL;
		file->name_count = 0;
	}
	return true;
}

/* Names are in the order of their first appearance, so the error names the first unknown one. */
static int find_hosts(const struct reader *reader)
{
	const struct liquid_schedule *schedule = reader->schedule;
	uint32_t host = 0, i = 0, frame = 0;
	char near[LIQUID_NEAR_TEXT];

	while (host < schedule->host_count &&
	       liquid_fabric_find_host(reader->fabric, schedule->names[host]) != LIQUID_NONE)
		host++;
	if (host == schedule->host_count)
		return LIQUID_OK;
	while (schedule->transfers[i].src != host && schedule->transfers[i].dst != host)
		i++;
	while (schedule->first[frame + 1] <= i)
		frame++;
	return bad_input(reader, "frame %u, transfer %u: the fabric '%s' has no host '%s'%.400s",
			 frame, i - schedule->first[frame], liquid_fabric_name(reader->fabric),
			 schedule->names[host],
			 liquid_fabric_near_host(reader->fabric, schedule->names[host], near));
}

static int read_frames(struct reader *reader)
{
	const struct schedule_file *file = &reader->file;
	int status;

	if (!json_is_array(json_object_get(reader->root, "frames")) || !file->first)
		return bad_input(reader, "\"frames\" must be an array");
	if (file->frames_status)
		return liquid_fail(reader->err, file->frames_status, "%s", file->reason.text);
	if (!make_schedule(reader))
		return no_memory_for(reader);
	if (reader->fabric) {
		status = find_hosts(reader);
		return status ? status : liquid_schedule_renumber(reader->schedule, reader->fabric,
								  reader->err);
	}
	for (uint32_t frame = 0; frame < reader->schedule->info.length; frame++)
		schedule_sort_frame(reader->schedule, frame);
	return LIQUID_OK;
}

/* Refuse any feature that this reader does not know. */
static int read_needs(struct reader *reader)
{
	json_t *needs = json_object_get(reader->root, "needs");
	bool named = false, without = false;

	if (needs && !json_is_array(needs))
		return bad_input(reader, "\"needs\" must be an array of strings");
	for (size_t i = 0; i < json_array_size(needs); i++) {
		const char *feature = json_string_value(json_array_get(needs, i));

		if (!feature)
			return bad_input(reader, "\"needs\" must be an array of strings");
		if (!strcmp(feature, "orbits"))
			reader->orbits = true;
		else if (!strcmp(feature, "named-traffic"))
			named = true;
		else if (!strcmp(feature, "without"))
			without = true;
		else if (!strcmp(feature, "marks"))
			reader->marks = true;
		else if (!strcmp(feature, "parts"))
			reader->parts = true;
		else
			return bad_input(reader, "the schedule needs '%.200s', which this version "
					 "of the reader does not know", feature);
	}
	if (reader->marks != !!json_object_get(reader->root, "marks"))
		return bad_input(reader, "\"marks\" and the feature of that name go together");
	if (reader->marks && reader->orbits)
		return bad_input(reader, "a compact schedule has no \"marks\"");
	if (named != reader->orbits)
		return bad_input(reader, "'orbits' and 'named-traffic' go together");
	if (without && !reader->orbits)
		return bad_input(reader, "'without' goes with 'orbits'");
	if (reader->orbits && without != !!json_object_get(reader->root, "without"))
		return bad_input(reader, "\"without\" and the feature of that name go together");
	if (reader->parts != !!json_object_get(reader->root, "parts"))
		return bad_input(reader, "\"parts\" and the feature of that name go together");
	if (reader->orbits && reader->parts)
		return bad_input(reader, "a compact schedule has no \"parts\"");
	if (reader->orbits && json_object_get(reader->root, "frames"))
		return bad_input(reader, "a compact schedule has no \"frames\"");
	/* The proof of a compact schedule says nothing of them */
	if (reader->orbits && json_object_get(reader->root, "wavelengths"))
		return bad_input(reader, "a compact schedule has no \"wavelengths\"");
	return LIQUID_OK;
}

static int read_orbits(struct reader *reader)
{
	struct liquid_error why;
	int status;

	reader->schedule = schedule_new(0, 0, 0);
	if (!reader->schedule)
		return no_memory_for(reader);
	reader->schedule->info.version = reader->version;
	status = read_origin(reader);
	if (!status)
		status = read_figures(reader);
	if (!status)
		status = orbits_from_json(reader->root, reader->label, reader->schedule,
					  reader->err);
	if (status || !reader->fabric)
		return status;
	status = liquid_schedule_renumber(reader->schedule, reader->fabric, &why);
	return status ? liquid_fail(reader->err, status, "%s: %.1000s", reader->label, why.text) :
			LIQUID_OK;
}

static int read_root(struct reader *reader)
{
	uint64_t version;
	const char *format;
	int status;

	if (!json_is_object(reader->root))
		return bad_input(reader, "not a schedule: expected an object");
	/* What follows invalid frames was not read, so do not report that it is missing */
	if (reader->file.frames_status && (!json_object_get(reader->root, "format") ||
					   !json_object_get(reader->root, "version")))
		return read_frames(reader);
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
	if (!status && reader->orbits)
		return read_orbits(reader);
	if (!status)
		status = read_frames(reader);
	if (!status)
		reader->schedule->info.version = reader->version;
	if (!status)
		status = read_origin(reader);
	if (!status)
		status = read_figures(reader);
	return status || !reader->marks ? status :
	       marks_from_json(json_object_get(reader->root, "marks"), reader->label,
			       reader->schedule, reader->err);
}

int liquid_schedule_read_json(FILE *in, const char *label, const struct liquid_fabric *fabric,
			      struct liquid_schedule **schedule, struct liquid_error *err)
{
	struct reader reader = { .label = label, .fabric = fabric, .err = err };
	int status = schedule_file_load(in, label, &reader.file, err);

	*schedule = NULL;
	reader.root = reader.file.root;
	if (!status)
		status = read_root(&reader);
	schedule_file_clear(&reader.file);
	if (status)
		liquid_schedule_free(reader.schedule);
	else
		*schedule = reader.schedule;
	return status;
}
