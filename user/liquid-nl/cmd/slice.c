// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl slice: to whom a node sends in each frame of a schedule, and from whom it receives. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "show/print.h"
#include "util/input.h"
#include "util/say.h"

struct slice {
	const char *schedule, *node;
	bool json;
};

#define MEMBER(member) OPT_MEMBER(struct slice, member)

static const struct opt slice_opts[] = {
	{ "SCHEDULE", 0, KIND_TEXT, MEMBER(schedule), .positional = true, .required = true,
	  .help = "as `solve` wrote it" },
	{ "node", 0, KIND_TEXT, MEMBER(node), .required = true, .value = "NAME",
	  .help = "host of the schedule" },
	OPT_JSON(struct slice),
	{ 0 }
};

/* What a line says: the schedule's host, by number */
struct lines {
	const char *(*name)(const void *schedule, uint32_t host);
	const void *schedule;
	uint32_t length;		/* frames */
	uint32_t at_once;		/* transfers of the node in a frame, at most */
	const uint32_t *dst;		/* by frame and transfer; LIQUID_NONE: none */
};

static const char *listed_name(const void *schedule, uint32_t host)
{
	return liquid_schedule_host_name(schedule, host);
}

static const char *compact_name(const void *compact, uint32_t place)
{
	return liquid_compact_name(compact, place);
}

static int print_text(const struct lines *lines)
{
	for (uint32_t f = 0; f < lines->length; f++)
		for (uint32_t i = 0; i < lines->at_once; i++) {
			uint32_t dst = lines->dst[(size_t)f * lines->at_once + i];

			if (dst != LIQUID_NONE)
				put_text("%u %s\n", f, lines->name(lines->schedule, dst));
		}
	return EXIT_OK;
}

static int print_lines(const struct slice *slice, const struct lines *lines)
{
	json_t *sends;
	int bad = 0;

	if (!slice->json)
		return print_text(lines);
	sends = json_array();
	for (uint32_t f = 0; f < lines->length; f++)
		for (uint32_t i = 0; i < lines->at_once; i++) {
			uint32_t dst = lines->dst[(size_t)f * lines->at_once + i];

			if (dst != LIQUID_NONE)
				bad |= json_array_append_new(sends, json_pack("{s:I,s:s}", "frame",
					(json_int_t)f, "to", lines->name(lines->schedule, dst)));
		}
	if (bad) {
		json_decref(sends);
		return no_memory();
	}
	return print_json(json_pack("{s:s,s:I,s:o}", "node", slice->node, "length",
				    (json_int_t)lines->length, "sends", sends));
}

static int no_node(const struct slice *slice, const char *(*name_of)(const void *, uint32_t),
		   const void *schedule, uint32_t count)
{
	char near[LIQUID_NEAR_TEXT];

	return complain(EXIT_BAD_INPUT, "%s has no host '%s'%s", slice->schedule, slice->node,
			liquid_near_names(slice->node, name_of, schedule, count, near,
					  sizeof(near)));
}

static int slice_compact(const struct slice *slice, const struct liquid_compact *compact)
{
	uint32_t length = liquid_compact_info(compact)->length;
	uint32_t place = liquid_compact_find(compact, slice->node);
	uint32_t *dst = calloc((size_t)length + 1, sizeof(*dst));
	const struct lines lines = { compact_name, compact, length, 1, dst };
	struct liquid_error err;
	int status, code;

	if (!dst || place == LIQUID_NONE) {
		free(dst);
		return dst ? no_node(slice, compact_name, compact,
				     liquid_compact_shape(compact)->places) : no_memory();
	}
	status = liquid_compact_slice(compact, place, dst, &err);
	code = status ? complain_of(status, &err) : print_lines(slice, &lines);
	free(dst);
	return code;
}

static uint32_t find_host(const struct liquid_schedule *schedule, const char *name)
{
	uint32_t hosts = liquid_schedule_host_count(schedule);

	for (uint32_t h = 0; h < hosts; h++)
		if (!strcmp(liquid_schedule_host_name(schedule, h), name))
			return h;
	return LIQUID_NONE;
}

static int slice_listed(const struct slice *slice, const struct liquid_schedule *schedule)
{
	uint32_t length = liquid_schedule_info(schedule)->length;
	uint32_t host = find_host(schedule, slice->node), at_once = 0;
	struct liquid_error err;
	uint32_t *dst;
	int status, code;

	if (host == LIQUID_NONE)
		return no_node(slice, listed_name, schedule,
			       liquid_schedule_host_count(schedule));
	at_once = liquid_schedule_at_once(schedule, host);
	dst = calloc((size_t)length * at_once + 1, sizeof(*dst));
	if (!dst)
		return no_memory();
	status = at_once ? liquid_schedule_slice(schedule, host, at_once, dst, &err) : LIQUID_OK;
	code = status ? complain_of(status, &err) :
	       print_lines(slice, &(struct lines){ listed_name, schedule, length, at_once, dst });
	free(dst);
	return code;
}

static int run_slice(int argc, char **argv)
{
	struct liquid_schedule *schedule = NULL;
	struct liquid_compact *compact = NULL;
	struct slice slice = { 0 };
	int code = take_options(argc, argv, slice_opts, &slice);

	if (!code)
		code = read_any_schedule(slice.schedule, NULL, &schedule, &compact);
	if (!code)
		code = compact ? slice_compact(&slice, compact) : slice_listed(&slice, schedule);
	liquid_schedule_free(schedule);
	liquid_compact_free(compact);
	return code;
}

const struct command cmd_slice = {
	"slice", "to whom a node sends in each frame of a schedule", slice_opts, run_slice, NULL,
	NULL
};
