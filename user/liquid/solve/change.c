// SPDX-License-Identifier: GPL-2.0-only
/* liquid solve --from: the earlier schedule, and the changes of its transfers. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "util/say.h"
#include "solve/solve.h"

/* Moved transfers that are printed as text; the JSON has all of them. */
#define TOLD_MAX 20

struct telling {
	json_t *transfers;
	FILE *text;
	unsigned int told;
	bool failed;
};

static int read_from(const char *path, struct liquid_schedule **from)
{
	struct liquid_error err;
	FILE *in;
	int status, code = open_input(path, &in);

	if (code)
		return code;
	input_may_be_replaced(in);	/* by the schedule that follows it */
	status = liquid_schedule_read_json(in, input_label(path), NULL, from, &err);
	close_input(in);
	return status ? complain_of(status, &err) : EXIT_OK;
}

int change_read(struct solve *solve, const struct liquid_fabric *fabric,
		struct liquid_schedule **from, struct liquid_traffic **traffic)
{
	struct liquid_error err;
	int status, code = read_from(solve->from, from);

	if (code)
		return code;
	solve->options.from = *from;
	if (traffic_args_given(&solve->traffic))
		return EXIT_OK;
	status = liquid_schedule_traffic(*from, fabric, traffic, &err);
	return status ? complain(exit_code_of(status), "%s: %s", solve->from, err.text) : EXIT_OK;
}

static json_t *frame_or_null(uint32_t frame)
{
	return frame == LIQUID_NONE ? json_null() : json_integer(frame);
}

static void tell_transfer(void *context, const char *src, const char *dst, uint32_t from,
			  uint32_t to)
{
	struct telling *telling = context;
	json_t *entry = json_pack("[s,s,o,o]", src, dst, frame_or_null(from), frame_or_null(to));

	telling->failed |= json_array_append_new(telling->transfers, entry) != 0;
	if (telling->told++ >= TOLD_MAX)
		return;
	/* Without a fabric to look them up in, the earlier schedule's names are any text. */
	fputs("  ", telling->text);
	put_escaped(telling->text, src);
	fputc('>', telling->text);
	put_escaped(telling->text, dst);
	fputs(": ", telling->text);
	if (from == LIQUID_NONE)
		fprintf(telling->text, "new, in frame %u\n", to);
	else if (to == LIQUID_NONE)
		fprintf(telling->text, "gone, was in frame %u\n", from);
	else
		fprintf(telling->text, "from frame %u to %u\n", from, to);
}

static int attach(const struct liquid_schedule_info *from, struct liquid_schedule *schedule,
		  const struct liquid_change *change, json_t *transfers)
{
	json_t *root = json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:O}",
				 "from_fabric_digest", from->fabric_digest,
				 "from_length", (json_int_t)from->length,
				 "kept", (json_int_t)change->kept,
				 "moved", (json_int_t)change->moved,
				 "gone", (json_int_t)change->gone,
				 "new", (json_int_t)change->added, "transfers", transfers);
	char *json = root ? json_dumps(root, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	struct liquid_error err = { "out of memory for the changes" };
	int status = json ? liquid_schedule_attach(schedule, "change", json, &err) :
		LIQUID_NO_MEMORY;

	free(json);
	json_decref(root);
	return status ? complain_of(status, &err) : EXIT_OK;
}

int change_tell(const struct liquid_schedule *from, struct liquid_schedule *schedule, FILE *text)
{
	struct telling telling = { .transfers = json_array() };
	struct liquid_change change = { 0 };
	struct liquid_error err;
	char *lines = NULL;
	size_t size;
	int status, code = EXIT_OK;

	telling.text = open_memstream(&lines, &size);
	if (!telling.text || !telling.transfers) {
		json_decref(telling.transfers);
		return no_memory();
	}
	status = liquid_schedule_compare(from, schedule, &change, tell_transfer, &telling, &err);
	if (fclose(telling.text) || telling.failed)
		status = liquid_no_memory(&err);
	if (status)
		code = complain_of(status, &err);
	else
		code = attach(liquid_schedule_info(from), schedule, &change, telling.transfers);
	if (!code)
		fprintf(text,
			"%-12s %llu kept, %llu moved, %llu gone, %llu new; before: %u frames\n%s",
			"change", (unsigned long long)change.kept, (unsigned long long)change.moved,
			(unsigned long long)change.gone, (unsigned long long)change.added,
			liquid_schedule_info(from)->length, lines);
	if (!code && telling.told > TOLD_MAX)
		fprintf(text, "  and %u more\n", telling.told - TOLD_MAX);
	json_decref(telling.transfers);
	free(lines);
	return code;
}
