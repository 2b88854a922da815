// SPDX-License-Identifier: GPL-2.0-only
/*
 * Flows of the kernel's connection tracking, a line each
 *
 * A line has two tuples, "src= dst= ... packets= bytes=": of the packets of who began, and of the
 * answers. Addresses may be translated on the way: who answers is the source of the answers. Bytes
 * are counted with net.netfilter.nf_conntrack_acct=1, of flows that began since.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "flows/flows.h"
#include "util/units.h"

struct tuple {
	struct addr_key src;
	bool has_bytes;
	uint64_t bytes;
};

struct flow_line {
	unsigned int tuples;
	struct tuple tuple[2];
	bool partial;			/* the flow goes on, and another line will report it */
};

static bool parse_address(const char *text, struct addr_key *key)
{
	*key = (struct addr_key){ 0 };
	if (inet_pton(AF_INET, text, key->value) == 1) {
		key->kind = LIQUID_KEY_A_IPV4;
		key->length = 4;
		return true;
	}
	key->kind = LIQUID_KEY_A_IPV6;
	key->length = 16;
	return inet_pton(AF_INET6, text, key->value) == 1;
}

/* NULL, or the error in the word */
static const char *take_word(struct flow_line *line, const char *word)
{
	struct tuple *tuple = line->tuples ? &line->tuple[line->tuples - 1] : NULL;

	if (!strncmp(word, "src=", 4)) {
		if (line->tuples == 2)
			return "a third 'src='";
		return parse_address(word + 4, &line->tuple[line->tuples++].src) ? NULL :
		       "no address after 'src='";
	}
	if (!strncmp(word, "bytes=", 6)) {
		if (!tuple || tuple->has_bytes)
			return "'bytes=' without a 'src=' before";
		tuple->has_bytes = true;
		return parse_number(word + 6, UINT64_MAX, &tuple->bytes) ? NULL :
		       "no number after 'bytes='";
	}
	if (!strcmp(word, "[NEW]") || !strcmp(word, "[UPDATE]"))
		line->partial = true;
	return NULL;
}

static const char *add_line(struct flows *flows, char *text)
{
	struct flow_line line = { 0 };
	const struct tuple *there = &line.tuple[0], *back = &line.tuple[1];
	char *save = NULL;

	for (char *word = strtok_r(text, " \t\r\n", &save); word;
	     word = strtok_r(NULL, " \t\r\n", &save)) {
		const char *why = take_word(&line, word);

		if (why)
			return why;
	}
	if (line.tuples != 2)
		return "expected a flow: 'src=' of both directions";
	if (line.partial)
		return NULL;
	if (!there->has_bytes || !back->has_bytes) {
		flows->unmeasured++;
		return NULL;
	}
	return flows_add(flows, &there->src, &back->src, there->bytes) &&
	       flows_add(flows, &back->src, &there->src, back->bytes) ? NULL :
	       "more than 2^64 bytes in all";
}

int flows_read_conntrack(struct flows *flows, FILE *in, const char *label,
			 struct liquid_error *err)
{
	unsigned int number = 0;
	int status = LIQUID_OK;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;

	while (!status && (length = getline(&line, &room, in)) >= 0) {
		const char *why = NULL;

		number++;
		if (strlen(line) != (size_t)length)
			why = "a zero byte in the line";
		else if (line[strspn(line, " \t\r\n")])
			why = add_line(flows, line);
		if (why)
			status = liquid_fail(err, LIQUID_BAD_INPUT, "%s:%u: %s", label, number,
					     why);
	}
	if (!status && !feof(in))
		status = liquid_fail(err, LIQUID_IO, "%s: %s", label, strerror(errno));
	free(line);
	return status;
}
