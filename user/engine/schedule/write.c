// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writing schedules in the JSON format, with one line per frame. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "schedule/load.h"
#include "schedule/marks.h"
#include "schedule/orbits.h"
#include "schedule/wavelengths.h"

static json_t *integer_or_null(uint64_t value)
{
	return value ? json_integer((json_int_t)value) : json_null();
}

static bool add_figures(json_t *head, const struct liquid_schedule_info *info)
{
	int bad = 0;

	bad |= json_object_set_new(head, "unit_bytes", integer_or_null(info->unit_bytes));
	bad |= json_object_set_new(head, "link_rate_bps", integer_or_null(info->link_rate_bps));
	bad |= json_object_set_new(head, "transfers", json_integer((json_int_t)info->transfers));
	bad |= json_object_set_new(head, "duration", json_integer(info->duration));
	bad |= json_object_set_new(head, "fluid_bound", json_real(info->fluid_bound));
	bad |= json_object_set_new(head, "length", json_integer(info->length));
	bad |= json_object_set_new(head, "lower_bound", json_integer(info->lower_bound));
	bad |= json_object_set_new(head, "certificate",
				   json_string(liquid_certificate_name(info->certificate)));
	bad |= json_object_set_new(head, "witness", info->witness_json ?
				   json_loads(info->witness_json, 0, NULL) : json_null());
	return !bad;
}

/* Add the optional parts of a schedule. */
static bool add_extras(json_t *head, const struct liquid_schedule *schedule)
{
	int bad = 0;

	if (schedule->wdm)
		bad |= json_object_set_new(head, "wavelengths", wavelengths_to_json(schedule));
	if (schedule->marks)
		bad |= json_object_set_new(head, "marks", marks_to_json(schedule));
	return !bad && (!schedule->extras || !json_object_update_missing(head, schedule->extras));
}

/* Everything but the frames, in the order of the documentation. */
json_t *schedule_head_json(const struct liquid_schedule *schedule)
{
	const struct liquid_schedule_info *info = &schedule->info;
	json_t *head = json_object();
	int bad = 0;

	bad |= json_object_set_new(head, "format", json_string(SCHEDULE_FORMAT));
	bad |= json_object_set_new(head, "version", json_integer(info->version));
	if (schedule->marks && info->parts > 1)
		bad |= json_object_set_new(head, "needs", json_pack("[ss]", "marks", "parts"));
	else if (schedule->marks || info->parts > 1)
		bad |= json_object_set_new(head, "needs", json_pack("[s]", schedule->marks ?
								     "marks" : "parts"));
	if (info->parts > 1)
		bad |= json_object_set_new(head, "parts", json_integer(info->parts));
	bad |= json_object_set_new(head, "fabric", json_string(info->fabric_name));
	bad |= json_object_set_new(head, "fabric_digest", json_string(info->fabric_digest));
	bad |= json_object_set_new(head, "traffic_digest", json_string(info->traffic_digest));
	bad |= json_object_set_new(head, "method", json_string(info->method));
	bad |= json_object_set_new(head, "seed", json_integer((json_int_t)info->seed));
	bad |= json_object_set_new(head, "work", json_integer((json_int_t)info->work));
	if (bad || !add_figures(head, info) || !add_extras(head, schedule)) {
		json_decref(head);
		return NULL;
	}
	return head;
}

static void write_string(FILE *out, const char *text)
{
	putc('"', out);
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\')
			fprintf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(out, "\\u%04x", c);
		else
			putc(c, out);
	}
	putc('"', out);
}

static void write_frames(const struct liquid_schedule *schedule, FILE *out)
{
	const struct liquid_transfer *transfers;
	size_t count;

	for (uint32_t frame = 0; frame < schedule->info.length; frame++) {
		fputs(frame ? ",\n[" : "\n[", out);
		transfers = liquid_schedule_frame(schedule, frame, &count);
		for (size_t i = 0; i < count; i++) {
			fputs(i ? ",[" : "[", out);
			write_string(out, schedule->names[transfers[i].src]);
			putc(',', out);
			write_string(out, schedule->names[transfers[i].dst]);
			putc(']', out);
		}
		putc(']', out);
	}
}

static int write_list(const struct liquid_schedule *schedule, FILE *out, struct liquid_error *err)
{
	json_t *head = schedule_head_json(schedule);
	/* Attached values may have any bytes; as ASCII they cannot act on a terminal */
	char *text = head ? json_dumps(head, JSON_COMPACT | JSON_PRESERVE_ORDER |
					     JSON_ENSURE_ASCII) : NULL;

	json_decref(head);
	if (!text)
		return liquid_no_memory(err);
	text[strlen(text) - 1] = '\0';		/* drop the brace: the frames come before it */
	fprintf(out, "%s,\"frames\":[", text);
	free(text);
	write_frames(schedule, out);
	fputs(schedule->info.length ? "\n]}\n" : "]}\n", out);
	if (fflush(out) || ferror(out))
		return liquid_fail(err, LIQUID_IO, "writing the schedule: %s", strerror(errno));
	return LIQUID_OK;
}

int liquid_schedule_write_json(const struct liquid_schedule *schedule,
			       const struct liquid_fabric *fabric, FILE *out,
			       struct liquid_error *err)
{
	(void)fabric;		/* the schedule keeps the names of its hosts */
	return schedule->orbits ? orbits_write_json(schedule, out, err) :
				  write_list(schedule, out, err);
}
