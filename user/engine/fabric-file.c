// SPDX-License-Identifier: LGPL-2.1-or-later
/* The native fabric file, Documentation/formats.rst: one statement a line, in order, "end" last. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fabric.h"

#define FILE_VERSION 2
#define WORDS_MAX 4

struct reader {
	struct line_reader lines;
	char *word[WORDS_MAX + 1];	/* NULL after the last */
	unsigned int words;
	struct liquid_fabric *fabric;
	uint32_t link;			/* what "to" lines belong to */
	struct liquid_error *err;
};

/* ---- lines ---- */

static int bad_line(const struct reader *r, const char *reason)
{
	return line_fail(&r->lines, r->err, "%s", reason);
}

/* What a builder said of this line, with its place before it. */
static int at_line(const struct reader *r, int status, const struct liquid_error *why)
{
	if (status == LIQUID_BAD_INPUT)
		return line_fail(&r->lines, r->err, "%s", why->text);
	return status ? liquid_fail(r->err, status, "%s", why->text) : LIQUID_OK;
}

static int split_words(struct reader *r)
{
	char *save = NULL, *word;

	r->words = 0;
	r->lines.text[strcspn(r->lines.text, "#")] = '\0';
	for (word = strtok_r(r->lines.text, " \t\r", &save); word;
	     word = strtok_r(NULL, " \t\r", &save)) {
		if (r->words == WORDS_MAX)
			return bad_line(r, "more words than any statement has");
		r->word[r->words++] = word;
	}
	r->word[r->words] = NULL;
	return LIQUID_OK;
}

/* The next line that says something. 1, 0 at the end of the file, or an error. */
static int next_line(struct reader *r)
{
	int status;

	do {
		status = line_next(&r->lines, r->err);
		if (status <= 0)
			return status;
		status = split_words(r);
		if (status)
			return status;
	} while (!r->words);
	return 1;
}

/* Like next_line(), where the file may not end yet. */
static int need_line(struct reader *r)
{
	int status = next_line(r);

	if (status)
		return status;
	return bad_line(r, "the file ends without an 'end' line");
}

static bool statement(const struct reader *r, const char *name, unsigned int words)
{
	return r->words == words && !strcmp(r->word[0], name);
}

static bool read_number(const char *text, uint32_t max, uint32_t *number)
{
	uint32_t value = 0;
	const char *at = text;

	for (; isdigit((unsigned char)*at) && at - text < 9; at++)
		value = 10 * value + (uint32_t)(*at - '0');
	*number = value;
	return at != text && !*at && value <= max;
}

/* ---- statements ---- */

static int read_head(struct reader *r)
{
	struct liquid_error why;
	int status = next_line(r);
	uint32_t version;

	if (status < 0)
		return status;
	if (!status || strcmp(r->word[0], "liquid-fabric"))
		return bad_line(r, "expected 'liquid-fabric 1': this is no fabric file");
	if (r->words != 2 || !read_number(r->word[1], FILE_VERSION, &version) || !version)
		return line_fail(&r->lines, r->err, "version '%s' of the format, expected 1 or %d",
				 r->words > 1 ? r->word[1] : "", FILE_VERSION);
	status = need_line(r);
	if (status < 0)
		return status;
	if (!statement(r, "name", 2))
		return bad_line(r, "expected 'name NAME'");
	status = liquid_fabric_new(r->word[1], &r->fabric, &why);
	if (!status)
		r->fabric->version = version;
	return at_line(r, status, &why);
}

static int read_nodes(struct reader *r)
{
	bool hosts = !strcmp(r->word[0], "hosts");
	struct liquid_names names;
	struct liquid_error why;
	int status = liquid_hostlist_expand(r->word[1], &names, &why);

	for (size_t i = 0; i < names.count && !status; i++)
		status = hosts ? liquid_fabric_add_host(r->fabric, names.name[i], &why) :
				 liquid_fabric_add_switch(r->fabric, names.name[i], &why);
	liquid_names_clear(&names);
	return at_line(r, status, &why);
}

/* "NAME" or "NAME[PORT]" */
static int read_end(const struct reader *r, char *text, uint32_t *node, uint32_t *port)
{
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	*port = 0;
	if (open) {
		if (!close || close[1])
			return bad_line(r, "expected NAME or NAME[PORT]");
		*open = *close = '\0';
		if (!read_number(open + 1, FABRIC_PORT_MAX, port) || !*port)
			return bad_line(r, "a port is a number 1 ... 65535");
	}
	*node = fabric_find_node(r->fabric, text);
	if (*node == LIQUID_NONE)
		return line_fail(&r->lines, r->err, "no host or switch '%s'", text);
	return LIQUID_OK;
}

static int read_link(struct reader *r)
{
	struct liquid_link link;
	struct liquid_error why;
	int status = read_end(r, r->word[1], &link.from, &link.from_port);

	if (!status)
		status = read_end(r, r->word[2], &link.to, &link.to_port);
	if (status)
		return status;
	if (!read_number(r->word[3], FABRIC_CAPACITY_MAX, &link.capacity) || !link.capacity)
		return bad_line(r, "a capacity is a number 1 ... 65535");
	r->link = liquid_fabric_link_count(r->fabric);
	return at_line(r, liquid_fabric_add_link(r->fabric, &link, &why), &why);
}

static int read_to(struct reader *r)
{
	const struct liquid_link *link = liquid_fabric_link(r->fabric, r->link);
	uint32_t hosts = liquid_fabric_host_count(r->fabric), dst;
	struct liquid_names names;
	struct liquid_error why;
	int status;

	if (!link)
		return bad_line(r, "'to' comes before the first link");
	if (link->from < hosts)
		return bad_line(r, "'to' after a link that begins at a host");
	status = liquid_hostlist_expand(r->word[1], &names, &why);
	for (size_t i = 0; i < names.count && !status; i++) {
		dst = liquid_fabric_find_host(r->fabric, names.name[i]);
		if (dst == LIQUID_NONE)
			status = liquid_fail(&why, LIQUID_BAD_INPUT, "no host '%s'", names.name[i]);
		else
			status = liquid_fabric_set_forward(r->fabric, link->from - hosts, dst,
							   r->link, &why);
	}
	liquid_names_clear(&names);
	return at_line(r, status, &why);
}

static int read_statement(struct reader *r)
{
	if (statement(r, "hosts", 2) || statement(r, "switches", 2))
		return read_nodes(r);
	if (statement(r, "link", 4))
		return read_link(r);
	if (statement(r, "to", 2))
		return read_to(r);
	return bad_line(r, "expected 'hosts LIST', 'switches LIST', 'link FROM TO CAPACITY', "
			   "'to LIST' or 'end'");
}

/* Statements up to the one that says the file is whole. */
static int read_statements(struct reader *r)
{
	int status;

	do {
		status = need_line(r);
		if (status < 0)
			return status;
		if (statement(r, "end", 1))
			return LIQUID_OK;
		status = read_statement(r);
	} while (!status);
	return status;
}

static int read_fabric(struct reader *r)
{
	struct liquid_error why;
	int status = read_head(r);

	if (!status)
		status = read_statements(r);
	if (!status)
		status = at_line(r, liquid_fabric_finish(r->fabric, &why), &why);
	if (status)
		return status;
	status = next_line(r);
	return status > 0 ? bad_line(r, "something after the 'end' line") : status;
}

int liquid_fabric_read(FILE *in, const char *label, struct liquid_fabric **fabric,
		       struct liquid_error *err)
{
	struct reader r = { .link = LIQUID_NONE, .err = err };
	int status = line_open(&r.lines, in, label, err);

	if (!status)
		status = read_fabric(&r);
	line_close(&r.lines);
	if (status) {
		liquid_fabric_free(r.fabric);
		r.fabric = NULL;
	}
	*fabric = r.fabric;
	return status;
}

/* ---- writing ---- */

static void write_end(const struct liquid_fabric *fabric, uint32_t node, uint32_t port, FILE *out)
{
	fprintf(out, " %s", liquid_fabric_node_name(fabric, node));
	if (port)
		fprintf(out, "[%u]", port);
}

static void write_link(const struct liquid_fabric *fabric, uint32_t l, FILE *out)
{
	const struct liquid_link *link = &fabric->link[l];
	struct hostlist_writer list;

	fputs("link", out);
	write_end(fabric, link->from, link->from_port, out);
	write_end(fabric, link->to, link->to_port, out);
	fprintf(out, " %u\n", link->capacity);
	if (link->from < fabric->hosts)
		return;
	hostlist_begin(&list, out, "  to ");
	for (uint32_t h = 0; h < fabric->hosts; h++)
		if (liquid_fabric_forward(fabric, link->from - fabric->hosts, h) == l)
			hostlist_put(&list, fabric->host[h].name);
	hostlist_end(&list);
}

int liquid_fabric_write(const struct liquid_fabric *fabric, FILE *out, struct liquid_error *err)
{
	struct hostlist_writer list;

	fprintf(out, "liquid-fabric %u\nname %s\n", fabric->version, fabric->name);
	hostlist_begin(&list, out, "hosts ");
	for (uint32_t h = 0; h < fabric->hosts; h++)
		hostlist_put(&list, fabric->host[h].name);
	hostlist_end(&list);
	hostlist_begin(&list, out, "switches ");
	for (uint32_t s = 0; s < fabric->switches; s++)
		hostlist_put(&list, fabric->sw[s].name);
	hostlist_end(&list);
	for (uint32_t l = 0; l < fabric->links; l++)
		write_link(fabric, l, out);
	fputs("end\n", out);
	if (fflush(out) || ferror(out))
		return liquid_fail(err, LIQUID_IO, "writing the fabric failed: %s",
				   errno ? strerror(errno) : "I/O error");
	return LIQUID_OK;
}
