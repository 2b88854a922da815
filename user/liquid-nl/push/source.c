// SPDX-License-Identifier: GPL-2.0-only
/* A schedule's file, and its fabric's, with all checks before a node's slice */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "util/digest.h"
#include "input/input.h"
#include "push/push.h"

#define FINDINGS_MAX 20		/* findings of the verifier to print */

/* Read without the fabric: the caller tells a schedule of another fabric by its names. */
static int parse_schedule(FILE *in, const char *label, struct push_source *source,
			  struct liquid_error *err)
{
	struct digest_reader reader;
	FILE *digested = digest_open(&reader, in);
	int status;

	if (!digested)
		return liquid_fail(err, LIQUID_NO_MEMORY, "%s: out of memory", label);
	status = liquid_schedule_read_json(digested, label, NULL, &source->schedule, err);
	fclose(digested);
	digest_hex(&reader.sha, source->digest);
	return status;
}

static int read_schedule_file(const char *path, struct push_source *source,
			      struct liquid_error *err)
{
	FILE *in;
	int status = input_open(path, &in, err);

	if (status)
		return status;
	status = parse_schedule(in, input_label(path), source, err);
	close_input(in);
	return status;
}

const struct liquid_schedule_info *push_source_info(const struct push_source *source)
{
	return liquid_schedule_info(source->schedule);
}

/* ---- the schedule against its fabric ---- */

static void print_finding(void *context, const char *text)
{
	unsigned int *count = context;

	if (++*count <= FINDINGS_MAX)
		complain(0, "%s", text);
}

static int check_digest(const char *path, const char *fabric_path,
			const struct push_source *source, struct liquid_error *err)
{
	const char *claimed = push_source_info(source)->fabric_digest;
	char digest[LIQUID_DIGEST_HEX];
	int status = liquid_fabric_digest(source->fabric, digest, err);

	if (status || !strcmp(digest, claimed))
		return status;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "%s: is a schedule for another fabric (digest %.12s) "
			   "than %s (%.12s)", path, claimed, fabric_path, digest);
}

static int not_valid(const struct push_args *args, unsigned int findings, struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_INVALID, "%s: is not valid on %s: %u finding%s",
			   args->schedule, args->fabric, findings, findings == 1 ? "" : "s");
}

static int verify(const struct push_args *args, struct push_source *source,
		  struct liquid_error *err)
{
	unsigned int findings = 0;
	int status = liquid_verify(source->fabric, NULL, source->schedule, print_finding,
				   &findings, err);

	if (status == LIQUID_INVALID)
		status = not_valid(args, findings, err);
	return status ? status : liquid_schedule_hops(source->schedule, source->fabric,
						      &source->hops, err);
}

/* Renumber the hosts of a list of transfers to the fabric's numbers. */
static int check_fabric(const struct push_args *args, struct push_source *source,
			struct liquid_error *err)
{
	int status = input_fabric(args->fabric, &source->fabric, err);

	if (!status)
		status = check_digest(args->schedule, args->fabric, source, err);
	if (!status)
		status = liquid_schedule_renumber(source->schedule, source->fabric, err);
	return status ? status : verify(args, source, err);
}

static int check_length(const struct push_args *args, const struct liquid_schedule_info *info,
			struct liquid_error *err)
{
	if (!info->length)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has no frame", args->schedule);
	if (info->length > LIQUID_FRAMES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has %u frames; a gate takes %u",
				   args->schedule, info->length, LIQUID_FRAMES_MAX);
	return LIQUID_OK;
}

int push_source_open(struct push_args *args, struct push_source *source, struct liquid_error *err)
{
	int status;

	*source = (struct push_source){ 0 };
	status = push_read_map(args, err);
	if (!status)
		status = read_schedule_file(args->schedule, source, err);
	if (status)
		return status;
	args->schedule = input_label(args->schedule);
	status = check_length(args, push_source_info(source), err);
	return status || !args->fabric ? status : check_fabric(args, source, err);
}

void push_source_close(struct push_source *source)
{
	liquid_schedule_free(source->schedule);
	liquid_fabric_free(source->fabric);
	*source = (struct push_source){ 0 };
}
