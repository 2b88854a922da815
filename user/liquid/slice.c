// SPDX-License-Identifier: GPL-2.0-only
/* liquid slice: the receivers and senders of a node in each frame of a schedule. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "util/json.h"
#include "input/input.h"
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

/* Hosts of a line: the schedule's, by number */
struct lines {
	const struct liquid_schedule *schedule;
	uint32_t length;		/* frames */
	uint32_t at_once;		/* transfers of the node in a frame, at most */
	const uint32_t *dst;		/* by frame and transfer; LIQUID_NONE: none */
};

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

static int run_slice(int argc, char **argv)
{
	struct liquid_schedule *schedule = NULL;
	struct slice slice = { 0 };
	int code = take_options(argc, argv, slice_opts, &slice);

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
