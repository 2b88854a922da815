// SPDX-License-Identifier: GPL-2.0-only
/* liquid slice: the receivers of a node in each frame of a schedule, also as gates of classes. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "util/json.h"
#include "input/input.h"
#include "util/say.h"

enum slice_format { SLICE_TEXT, SLICE_TAPRIO, SLICE_CSV };

struct slice {
	const char *schedule, *node;
	uint64_t frame_ns, guard_ns, base_ns;
	enum slice_format format;
	bool json;
};

static const char *const formats[] = {
	[SLICE_TEXT] = "text", [SLICE_TAPRIO] = "taprio", [SLICE_CSV] = "csv", NULL
};

#define MEMBER(member) OPT_MEMBER(struct slice, member)

static const struct opt slice_opts[] = {
	{ "SCHEDULE", 0, KIND_TEXT, MEMBER(schedule), .positional = true, .required = true,
	  .help = "as `solve` wrote it" },
	{ "node", 0, KIND_TEXT, MEMBER(node), .required = true, .value = "NAME",
	  .help = "host of the schedule" },
	{ "format", 0, KIND_CHOICE, MEMBER(format), .words = formats, .value = "FORMAT",
	  .help = "a command tc(8) with the gates of tc-taprio(8), or these as CSV; for at most "
		  "16 receivers" },
	{ "frame-time", 0, KIND_TIME, MEMBER(frame_ns), .min = 1000, .max = UINT32_MAX,
	  .value = "TIME", .help = "length of a frame with its guard, for both" },
	{ "guard", 0, KIND_TIME, MEMBER(guard_ns), .max = UINT32_MAX, .value = "TIME",
	  .help = "all gates are closed for as long before others open; 0 by default" },
	{ "base-time", 0, KIND_NUMBER, MEMBER(base_ns), .max = INT64_MAX, .value = "NS",
	  .help = "start of frame 0, in ns of CLOCK_TAI; a time in the past counts by cycles" },
	OPT_JSON(struct slice),
	{ 0 }
};

/* Hosts of a line: the schedule's, by number */
struct lines {
	const struct liquid_schedule *schedule;
	uint32_t length;		/* frames */
	uint32_t at_once;		/* transfers of the node in a frame, at most */
	const uint32_t *dst;		/* by frame and transfer; LIQUID_NONE: none */
};

/* ---- gates of classes ---- */

#define CLASSES 16
#define ENTRIES 30		/* what tc(8) has room for, of iproute2 6.1 */

struct gates {
	const struct slice *slice;
	const struct lines *lines;
	uint32_t dst[CLASSES], count;	/* the receivers, by name */
	uint32_t first;			/* the class of dst[0]; below are the packets to others */
	uint32_t entries;
};

static int compare_hosts(const void *a, const void *b, void *schedule)
{
	return strverscmp(liquid_schedule_host_name(schedule, *(const uint32_t *)a),
			  liquid_schedule_host_name(schedule, *(const uint32_t *)b));
}

static uint32_t find_class(const struct gates *gates, uint32_t dst)
{
	uint32_t class = 0;

	while (class < gates->count && gates->dst[class] != dst)
		class++;
	return class;
}

static int find_classes(struct gates *gates)
{
	const struct lines *lines = gates->lines;
	uint64_t all = (uint64_t)lines->length * lines->at_once;

	for (uint64_t i = 0; i < all; i++) {
		if (lines->dst[i] == LIQUID_NONE ||
		    find_class(gates, lines->dst[i]) < gates->count)
			continue;
		if (gates->count == CLASSES)
			return complain(EXIT_BAD_INPUT, "%s sends to more than %u hosts, and "
					"taprio has %u classes; `liquid-nl push` has no such limit",
					gates->slice->node, CLASSES, CLASSES);
		gates->dst[gates->count++] = lines->dst[i];
	}
	qsort_r(gates->dst, gates->count, sizeof(*gates->dst), compare_hosts,
		(void *)lines->schedule);
	gates->first = gates->count < CLASSES;
	return EXIT_OK;
}

/* The classes that may send in frame @f. That of the packets to others always may. */
static uint32_t open_gates(const struct gates *gates, uint32_t f)
{
	const struct lines *lines = gates->lines;
	uint32_t open = gates->first;

	for (uint32_t i = 0; i < lines->at_once; i++) {
		uint32_t dst = lines->dst[(size_t)f * lines->at_once + i];

		if (dst != LIQUID_NONE)
			open |= 1u << (gates->first + find_class(gates, dst));
	}
	return open;
}

static void print_entry(struct gates *gates, uint64_t start, uint64_t length, uint32_t open)
{
	gates->entries++;
	if (gates->slice->format == SLICE_CSV)
		printf("%" PRIu64 ",%" PRIu64 ",0x%04x\n", start, length, open);
	else
		printf("\tsched-entry S %02x %" PRIu64 " \\\n", open, length);
}

/* Frames alike are one entry; @print: or only count them */
static void walk_entries(struct gates *gates, bool print)
{
	uint64_t time = gates->slice->frame_ns, guard = gates->slice->guard_ns;
	uint32_t length = gates->lines->length;

	gates->entries = 0;
	for (uint32_t f = 0, end; f < length; f = end) {
		uint32_t open = open_gates(gates, f);

		end = f + 1;
		while (end < length && open_gates(gates, end) == open &&
		       (end + 1 - f) * time <= UINT32_MAX)
			end++;
		if (!print) {
			gates->entries += 1 + (guard > 0);
			continue;
		}
		print_entry(gates, f * time, (end - f) * time - guard, open);
		if (guard)
			print_entry(gates, end * time - guard, guard, 0);
	}
}

static void print_taprio(struct gates *gates)
{
	const struct slice *slice = gates->slice;
	uint32_t classes = gates->first + gates->count;
	/* The highest: the kernel itself gives packets up to 7, as for MLD, or by IP_TOS. */
	uint32_t priority = CLASSES - gates->count;

	puts("#!/bin/sh");
	put_text("# DEV=DEVICE sh FILE: %s sends by class, as skb->priority says\n",
		 slice->node);
	if (gates->first)
		puts("# other priorities: all else, in all frames");
	for (uint32_t i = 0; i < gates->count; i++)
		put_text("# priority %u: to %s\n", priority + i,
			 liquid_schedule_host_name(gates->lines->schedule, gates->dst[i]));
	printf("tc qdisc replace dev \"${DEV:?}\" parent root handle 100: taprio num_tc %u "
	       "\\\n\tmap", classes);
	for (uint32_t i = 0; i < CLASSES; i++)
		printf(" %u", i < priority ? 0 : gates->first + i - priority);
	printf(" \\\n\tqueues");
	for (uint32_t i = 0; i < classes; i++)
		printf(" 1@%u", i);
	printf(" \\\n\tbase-time %" PRIu64 " cycle-time %" PRIu64 " \\\n", slice->base_ns,
	       gates->lines->length * slice->frame_ns);
	walk_entries(gates, true);
	puts("\tflags 0 clockid CLOCK_TAI");
}

static void print_csv(struct gates *gates)
{
	const struct slice *slice = gates->slice;

	printf("# base time %" PRIu64 " ns, cycle %" PRIu64 " ns\n", slice->base_ns,
	       gates->lines->length * slice->frame_ns);
	if (gates->first)
		puts("# gate 0x0001: all else");
	for (uint32_t i = 0; i < gates->count; i++)
		put_text("# gate 0x%04x: to %s\n", 1u << (gates->first + i),
			 liquid_schedule_host_name(gates->lines->schedule, gates->dst[i]));
	puts("start_ns,length_ns,gates");
	walk_entries(gates, true);
}

static int print_gates(const struct slice *slice, const struct lines *lines)
{
	struct gates gates = { .slice = slice, .lines = lines };
	int code = find_classes(&gates);

	if (code)
		return code;
	walk_entries(&gates, false);
	if (slice->format == SLICE_TAPRIO && gates.entries > ENTRIES)
		return complain(EXIT_BAD_INPUT, "%u entries, and tc(8) has room for %u: it takes "
				"fewer without --guard, and --format csv has no limit",
				gates.entries, ENTRIES);
	if (slice->format == SLICE_TAPRIO)
		print_taprio(&gates);
	else
		print_csv(&gates);
	return EXIT_OK;
}

/* ---- text and JSON ---- */

static int print_text(const struct lines *lines)
{
	for (uint32_t f = 0; f < lines->length; f++)
		for (uint32_t i = 0; i < lines->at_once; i++) {
			uint32_t dst = lines->dst[(size_t)f * lines->at_once + i];

			if (dst != LIQUID_NONE)
				put_text("%u %s\n", f,
					 liquid_schedule_host_name(lines->schedule, dst));
		}
	return EXIT_OK;
}

static int print_lines(const struct slice *slice, const struct lines *lines)
{
	json_t *sends;
	int bad = 0;

	if (slice->format)
		return print_gates(slice, lines);
	if (!slice->json)
		return print_text(lines);
	sends = json_array();
	for (uint32_t f = 0; f < lines->length; f++)
		for (uint32_t i = 0; i < lines->at_once; i++) {
			uint32_t dst = lines->dst[(size_t)f * lines->at_once + i];

			if (dst != LIQUID_NONE)
				bad |= json_array_append_new(sends, json_pack("{s:I,s:s}", "frame",
					(json_int_t)f, "to",
					liquid_schedule_host_name(lines->schedule, dst)));
		}
	if (bad) {
		json_decref(sends);
		return no_memory();
	}
	return print_json("liquid-slice", 1,
			  json_pack("{s:s,s:I,s:o}", "node", slice->node, "length",
				    (json_int_t)lines->length, "sends", sends));
}

static int no_node(const struct slice *slice, const struct liquid_schedule *schedule)
{
	char near[LIQUID_NEAR_TEXT];

	return complain(EXIT_BAD_INPUT, "%s has no host '%s'%s", slice->schedule, slice->node,
			near_host(schedule, slice->node, near));
}

static int slice_node(const struct slice *slice, const struct liquid_schedule *schedule)
{
	uint32_t length = liquid_schedule_info(schedule)->length;
	uint32_t host = liquid_schedule_find_host(schedule, slice->node), at_once, *dst;
	struct liquid_error err;
	int status, code;

	if (host == LIQUID_NONE)
		return no_node(slice, schedule);
	at_once = liquid_schedule_at_once(schedule, host);
	dst = calloc((size_t)length * at_once + 1, sizeof(*dst));
	if (!dst)
		return no_memory();
	status = at_once ? liquid_schedule_slice(schedule, host, at_once, dst, &err) : LIQUID_OK;
	code = status ? complain_of(status, &err) :
	       print_lines(slice, &(struct lines){ schedule, length, at_once, dst });
	free(dst);
	return code;
}

static int check_slice(const struct slice *slice)
{
	if (!slice->format && (slice->frame_ns || slice->guard_ns || slice->base_ns))
		return usage_error("slice", "--frame-time, --guard and --base-time go with "
				   "--format taprio or csv");
	if (slice->format && slice->json)
		return usage_error("slice", "--json and --format exclude each other");
	if (slice->format && !slice->frame_ns)
		return usage_error("slice", "--format %s needs --frame-time",
				   formats[slice->format]);
	if (slice->guard_ns && slice->guard_ns >= slice->frame_ns)
		return usage_error("slice", "--guard: no shorter than the frame time");
	return EXIT_OK;
}

static int run_slice(int argc, char **argv)
{
	struct liquid_schedule *schedule = NULL;
	struct slice slice = { 0 };
	int code = take_options(argc, argv, slice_opts, &slice);

	if (!code)
		code = check_slice(&slice);
	if (!code)
		code = read_schedule(slice.schedule, NULL, &schedule);
	if (!code)
		code = slice_node(&slice, schedule);
	liquid_schedule_free(schedule);
	return code;
}

const struct command cmd_slice = {
	"slice", "list the receivers of a node in each frame of a schedule", slice_opts, run_slice,
	NULL, NULL
};
