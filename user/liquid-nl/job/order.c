// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of a job's exchange, for its ranks: a plan of the round's schedule, of which each node
 * gets its slice from the service, and leaves it where the job's user can read it
 *
 * `liquid` makes it with the slices of the gates. A node learns of it with its own slice, so
 * it comes by the same connection, and only root of that node or the keeper can ask for it. It is
 * in the file from the base time of the schedule on, and the file is empty while there is none.
 * Nothing that goes wrong here is a reason not to gate.
 */
#include <errno.h>
#include <nettle/base64.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/command.h"
#include "job/order.h"

static bool decode(const char *text, uint8_t **bytes, size_t *size)
{
	size_t length = strlen(text);
	struct base64_decode_ctx base64;

	*size = BASE64_DECODE_LENGTH(length);
	*bytes = malloc(*size + 1);
	base64_decode_init(&base64);
	return *bytes && base64_decode_update(&base64, size, *bytes, length, text) &&
	       base64_decode_final(&base64);
}

static bool write_slice(FILE *out, const json_t *json)
{
	const char *text = json_string_value(json);
	uint8_t *slice = NULL;
	size_t size;
	bool fine = text && decode(text, &slice, &size);

	if (fine)
		fprintf(out, "slice %zu\n", size);
	fine = fine && fwrite(slice, 1, size, out) == size;
	free(slice);
	return fine;
}

/* A name is a word. */
static bool write_names(FILE *out, const json_t *nodes)
{
	json_t *node;
	size_t index;

	json_array_foreach(nodes, index, node) {
		const char *name = json_string_value(node);

		if (!name || !*name || name[strcspn(name, " \t\r\n")])
			return false;
		fprintf(out, "node %s\n", name);
	}
	return true;
}

/* A number, or "all" */
static bool write_rail(FILE *out, const json_t *rail)
{
	if (json_is_integer(rail))
		return fprintf(out, "rail %" JSON_INTEGER_FORMAT "\n",
			       json_integer_value(rail)) > 0;
	return json_is_string(rail) && !strcmp(json_string_value(rail), "all") &&
	       fputs("rail all\n", out) >= 0;
}

/* The text of the file, see user/mpi/plan/prepared.h; false: not a plan, or out of memory */
static bool write_text(FILE *out, const json_t *json)
{
	json_t *rail, *nodes, *slice, *more = NULL;
	json_int_t rate;
	size_t index;
	bool fine;

	if (json_unpack((json_t *)json, "{s:o, s:I, s:o, s:o, s?o}", "rail", &rail, "rate_bps",
			&rate, "nodes", &nodes, "slice", &slice, "more", &more))
		return false;
	fprintf(out, "liquid-plan 1\nrate %" JSON_INTEGER_FORMAT "\n", rate);
	fine = write_rail(out, rail) && write_names(out, nodes) && write_slice(out, slice);
	json_array_foreach(more, index, slice)
		fine = fine && write_slice(out, slice);
	return fine;
}

/* Ranks may be reading it: they find it whole, or see that it is not. */
static bool write_file(int fd, const json_t *json)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool fine = out && write_text(out, json);

	if (out && fclose(out))
		fine = false;
	fine = fine && pwrite(fd, text, size, 0) == (ssize_t)size;
	free(text);
	return fine;
}

void job_order_void(const struct job_args *args)
{
	if (args->run.order_fd >= 0 && ftruncate(args->run.order_fd, 0))
		complain(0, "job %s: the ranks' order could not be removed, so they go on by the "
			 "old routes: %s", args->job, strerror(errno));
}

void job_order_put(const struct job_args *args)
{
	job_order_void(args);
	if (args->run.order_fd < 0 || !args->run.order)
		return;
	errno = 0;
	if (write_file(args->run.order_fd, args->run.order))
		return;
	complain(0, "job %s: no plan for its ranks: %s", args->job,
		 errno ? strerror(errno) : "it is malformed");
	job_order_void(args);
}

void job_order_keep(struct job_args *args, json_t *json)
{
	json_decref(args->run.order);
	args->run.order = json_incref(json);
}
