// SPDX-License-Identifier: GPL-2.0-only
/* The receivers of a node's gate in each frame, with the checks that need schedule or fabric */
#include <stdlib.h>
#include <string.h>

#include <linux/liquid.h>

#include "input/input.h"
#include "answer/answer.h"
#include "commands.h"
#include "util/digest.h"
#include "util/gate-frames.h"

#define FINDINGS_MAX 20		/* findings of the verifier to print */

/* ---- the schedule ---- */

bool slice_question(const json_t *question, struct slice_source *source)
{
	json_int_t frame = 0;

	*source = (struct slice_source){ 0 };
	if (json_unpack((json_t *)question, "{s:o, s?{s:s}, s?o, s?s, s:I}", "schedule",
			&source->file, "fabric", "label", &source->fabric_label, "addresses",
			&source->addresses, "addresses_label", &source->addresses_label,
			"frame_ns", &frame))
		return false;
	source->frame_ns = (uint64_t)frame;
	return true;
}

/* Read without the fabric: the caller tells a schedule of another fabric by its names. */
static int read_schedule_file(struct slice_source *source, struct liquid_error *err)
{
	struct digest_reader reader;
	FILE *in, *digested;
	int status = answer_open(source->file, &in, &source->label, err);

	if (status)
		return status;
	digested = digest_open(&reader, in);
	if (!digested) {
		fclose(in);
		return liquid_no_memory(err);
	}
	status = liquid_schedule_read_json(digested, source->label, NULL, &source->schedule, err);
	fclose(digested);
	fclose(in);
	digest_hex(&reader.sha, source->digest);
	return status;
}

static int check_length(const struct slice_source *source, struct liquid_error *err)
{
	uint32_t length = liquid_schedule_info(source->schedule)->length;

	if (!length)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has no frame", source->label);
	if (length > LIQUID_FRAMES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has %u frames; a gate takes %u",
				   source->label, length, LIQUID_FRAMES_MAX);
	return LIQUID_OK;
}

/* ---- the schedule against its fabric ---- */

static void print_finding(void *context, const char *text)
{
	unsigned int *count = context;

	if (++*count <= FINDINGS_MAX)
		complain(0, "%s", text);
}

static int check_digest(const struct slice_source *source, struct liquid_error *err)
{
	const char *claimed = liquid_schedule_info(source->schedule)->fabric_digest;
	char digest[LIQUID_DIGEST_HEX];
	int status = liquid_fabric_digest(source->fabric, digest, err);

	if (status || !strcmp(digest, claimed))
		return status;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "%s: is a schedule for another fabric (digest %.12s) "
			   "than %s (%.12s)", source->label, claimed, source->fabric_label, digest);
}

static int verify(struct slice_source *source, struct liquid_error *err)
{
	unsigned int findings = 0;
	int status = liquid_verify(source->fabric, NULL, source->schedule, print_finding,
				   &findings, err);

	if (status == LIQUID_INVALID)
		return liquid_fail(err, LIQUID_INVALID, "%s: is not valid on %s: %u finding%s",
				   source->label, source->fabric_label, findings,
				   findings == 1 ? "" : "s");
	return status ? status : liquid_schedule_hops(source->schedule, source->fabric,
						      &source->hops, err);
}

int slice_open(struct slice_source *source, struct liquid_error *err)
{
	int status = read_schedule_file(source, err);

	if (!status)
		status = check_length(source, err);
	if (status || !source->fabric)
		return status;
	status = check_digest(source, err);
	/* Renumber the hosts of a list of transfers to the fabric's numbers. */
	if (!status)
		status = liquid_schedule_renumber(source->schedule, source->fabric, err);
	return status ? status : verify(source, err);
}

void slice_close(struct slice_source *source)
{
	liquid_schedule_free(source->schedule);
	source->schedule = NULL;
}

/* ---- the node's destinations ---- */

static int find_node(const struct slice_source *source, const char *node, uint32_t *host,
		     struct liquid_error *err)
{
	char near[LIQUID_NEAR_TEXT];

	*host = liquid_schedule_find_host(source->schedule, node);
	if (*host != LIQUID_NONE)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s: has no node '%s'%.600s", source->label, node,
			   near_host(source->schedule, node, near));
}

/* The destinations of a slice, numbered as they appear */
struct dests {
	uint32_t *host;			/* by number */
	uint32_t *number;		/* by host */
	uint32_t count;
};

static const char *name_of(const struct slice_source *source, const struct dests *dests,
			   uint32_t number)
{
	return liquid_schedule_host_name(source->schedule, dests->host[number]);
}

static int name_missing(const struct slice_source *source, const struct dests *dests,
			struct liquid_error *err)
{
	const char *file = source->addresses_label;
	char text[700] = "";
	size_t used = 0, missing = 0;

	for (uint32_t i = 0; i < dests->count; i++)
		if (!json_object_get(source->addresses, name_of(source, dests, i)) &&
		    ++missing <= 8 && used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 missing > 1 ? ", " : "",
						 name_of(source, dests, i));
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "no address is known for %zu of %u destinations: "
			   "%s%s%s%.1000s", missing, dests->count, text,
			   missing > 8 ? ", ..." : "",
			   file ? " in " : "; --addr-map or --addr gives them", file ? file : "");
}

static int dests_json(const struct slice_source *source, const struct dests *dests, json_t **array,
		      struct liquid_error *err)
{
	*array = json_array();
	for (uint32_t i = 0; i < dests->count; i++) {
		const char *name = name_of(source, dests, i);
		json_t *keys = json_object_get(source->addresses, name);

		if (!keys)
			return name_missing(source, dests, err);
		if (json_array_append_new(*array, json_pack("{s:s, s:O}", "name", name, "keys",
							    keys)))
			return liquid_no_memory(err);
	}
	return LIQUID_OK;
}

/* ---- its frames ---- */

static uint32_t number_of(struct dests *dests, uint32_t host)
{
	if (dests->number[host] == LIQUID_NONE) {
		dests->number[host] = dests->count;
		dests->host[dests->count++] = host;
	}
	return dests->number[host];
}

static int add_run(json_t *entries, uint32_t run, uint32_t host, struct dests *dests)
{
	return json_array_append_new(entries, json_pack("{s:I, s:o}", "run", (json_int_t)run,
		"dest", host == LIQUID_NONE ? json_null() : json_integer(number_of(dests, host))));
}

/* Frames in a row with one destination are one run. */
static json_t *runs_json(const uint32_t *dst, uint32_t frames, struct dests *dests)
{
	json_t *entries = json_array();
	uint32_t run = 1;

	for (uint32_t f = 0; f < frames; f++, run++) {
		if (f + 1 < frames && dst[f] == dst[f + 1])
			continue;
		if (add_run(entries, run, dst[f], dests)) {
			json_decref(entries);
			return NULL;
		}
		run = 0;
	}
	return entries;
}

/*
 * The kernel's gate sends to one destination per frame. For a node that sends N transfers at once,
 * each frame is cut into N frames of the gate, whose rate is N times that of a unit.
 */
static int cut_frames(const struct slice_source *source, const char *node, uint32_t host,
		      uint32_t *parts, struct liquid_error *err)
{
	*parts = liquid_schedule_at_once(source->schedule, host);
	if (!*parts)
		*parts = 1;
	if (*parts > 1 && !source->fabric)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: node '%s' sends up to %u transfers at once; --fabric "
				   "says whether its link takes them", source->label, node, *parts);
	return gate_frames_check(liquid_schedule_info(source->schedule)->length, *parts,
				 source->frame_ns, err);
}

static json_t *slice_json(const struct slice_source *source, const char *node, uint32_t parts,
			  uint64_t stated_bps)
{
	const struct liquid_schedule_info *info = liquid_schedule_info(source->schedule);
	uint64_t rate = info->link_rate_bps ? info->link_rate_bps : stated_bps;
	uint32_t capacity = !source->fabric ? 0 : liquid_fabric_host_capacity(
		source->fabric, liquid_fabric_find_host(source->fabric, node));

	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "digest", source->digest,
			 "frames", (json_int_t)info->length, "parts", (json_int_t)parts,
			 "capacity", (json_int_t)capacity, "hops", (json_int_t)source->hops,
			 "unit_bytes", (json_int_t)liquid_part_bytes(info),
			 "link_rate_bps", (json_int_t)rate);
}

static int fill_slice(const struct slice_source *source, const char *node, uint32_t parts,
		      const uint32_t *dst, struct dests *dests, json_t *slice,
		      struct liquid_error *err)
{
	uint32_t hosts = liquid_schedule_host_count(source->schedule);
	uint32_t frames = liquid_schedule_info(source->schedule)->length * parts;
	json_t *array, *entries;
	int status;

	for (uint32_t i = 0; i < hosts; i++)
		dests->number[i] = LIQUID_NONE;
	entries = runs_json(dst, frames, dests);
	status = dests_json(source, dests, &array, err);
	if (json_object_set_new(slice, "dests", array) |
	    json_object_set_new(slice, "entries", entries))
		return liquid_no_memory(err);
	return status || dests->count ? status :
	       liquid_fail(err, LIQUID_BAD_INPUT, "%s: node '%s' sends in no frame",
			   source->label, node);
}

int slice_make(const struct slice_source *source, const char *node, uint64_t stated_bps,
	       json_t **slice, struct liquid_error *err)
{
	size_t hosts = liquid_schedule_host_count(source->schedule) + (size_t)1;
	struct dests dests = {
		.host = calloc(hosts, sizeof(uint32_t)), .number = calloc(hosts, sizeof(uint32_t)),
	};
	uint32_t host, parts, *dst = NULL;
	int status = find_node(source, node, &host, err);

	*slice = NULL;
	if (!status)
		status = cut_frames(source, node, host, &parts, err);
	if (!status) {
		dst = calloc((size_t)liquid_schedule_info(source->schedule)->length * parts + 1,
			     sizeof(*dst));
		if (!dst || !dests.host || !dests.number)
			status = liquid_no_memory(err);
	}
	if (!status)
		status = liquid_schedule_slice(source->schedule, host, parts, dst, err);
	if (!status) {
		*slice = slice_json(source, node, parts, stated_bps);
		status = *slice ? fill_slice(source, node, parts, dst, &dests, *slice, err) :
			 liquid_no_memory(err);
	}
	free(dst);
	free(dests.host);
	free(dests.number);
	return status;
}

/* ---- for push ---- */

int answer_slice(const json_t *question, json_t **answer, struct liquid_error *err)
{
	const json_t *file = json_object_get(question, "fabric");
	const char *node = json_string_value(json_object_get(question, "node"));
	struct liquid_fabric *fabric = NULL;
	struct slice_source source;
	int status = slice_question(question, &source) && node && source.addresses ? LIQUID_OK :
		     answer_malformed(err);

	if (!status && file)
		status = answer_fabric(file, &fabric, err);
	source.fabric = fabric;
	if (!status)
		status = slice_open(&source, err);
	if (!status)
		status = slice_make(&source, node, 0, answer, err);
	slice_close(&source);
	liquid_fabric_free(fabric);
	return status;
}
