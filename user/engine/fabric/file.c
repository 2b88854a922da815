// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The native fabric file, Documentation/formats.rst: one statement per line, in order, "end" last.
 *
 * A file of version 2 can name features that its reader needs; an unknown one is refused before
 * the rest is read. Unknown statements are ignored if the file declares them as extra. Others
 * are refused, because they may be typing errors.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "fabric/fabric.h"
#include "base/hostlist.h"
#include "fabric/lines.h"
#include "fabric/series.h"

#define WORDS_MAX 6
#define USUAL_WORDS 4			/* of the statements that files without an import have */
#define EXTRA_MAX 64
#define BATCH_LINES 16384
#define BATCH_BYTES (4u << 20)		/* of text, where several threads share it */

/* Lines "to", whose lists wait until there are many for several threads */
struct batch {
	struct {
		const char *list;
		uint32_t link;
		unsigned long number;	/* of the line */
	} line[BATCH_LINES];
	uint32_t count;
	/* Each sets the tables of its share of the switches, up to a line with an error */
	struct part {
		struct host_series series;
		uint32_t done;
		int status;
		struct liquid_error why;
	} part[PARALLEL_THREADS_MAX];
	int status;			/* of the first line with an error */
	struct liquid_error err;
};

struct reader {
	struct line_reader lines;
	char *word[WORDS_MAX + 1];	/* NULL after the last */
	unsigned int words;		/* number of words; WORDS_MAX + 1: more than WORDS_MAX */
	uint32_t version;
	struct liquid_fabric *fabric;
	struct liquid_names extra;	/* statements to ignore */
	bool lanes, endpoints;		/* the file declares the features "lane", "endpoint" */
	bool *has_lane;			/* by host: a line has said so; NULL before the first */
	bool aliases;			/* it needs the feature "alias" */
	uint32_t link;			/* latest link, to which "to" lines belong */
	uint32_t threads;
	struct batch *batch;
	struct liquid_error *err;
};

/* ---- lines ---- */

static int bad_line(const struct reader *r, const char *reason)
{
	return line_fail(&r->lines, r->err, "%s", reason);
}

/* Pass on an error of a function that builds the fabric, with the line's number before it. */
static int at_line(const struct reader *r, int status, const struct liquid_error *why)
{
	if (status == LIQUID_BAD_INPUT)
		return line_fail(&r->lines, r->err, "%s", why->text);
	return status ? liquid_fail(r->err, status, "%s", why->text) : LIQUID_OK;
}

/* The rest of a "note" line is one word, whatever spaces it has. */
static bool take_note(struct reader *r, char *rest)
{
	size_t length;

	if (r->version == 1 || strcmp(r->word[0], "note"))
		return false;
	rest += strspn(rest, " \t\r");
	rest[strcspn(rest, "#")] = '\0';
	for (length = strlen(rest); length && strchr(" \t\r", rest[length - 1]);)
		rest[--length] = '\0';
	r->word[1] = rest;
	r->words = length ? 2 : 1;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* A comment ends the line, and the word before it. */
static void split_words(struct reader *r)
{
	char *at = r->lines.text;

	for (r->words = 0;;) {
		while (is_blank(*at))
			at++;
		if (!*at || *at == '#' || r->words++ == WORDS_MAX)
			break;
		r->word[r->words - 1] = at;
		at += strcspn(at, "# \t\r");
		if (*at == '#')
			*at = '\0';
		else if (*at)
			*at++ = '\0';
		if (r->words == 1 && take_note(r, at))
			break;
	}
	if (r->words <= WORDS_MAX)
		r->word[r->words] = NULL;
}

/* Read the next line that is not blank. Returns 1, 0 at the end of the file, or an error. */
static int next_line(struct reader *r)
{
	int status;

	do {
		status = line_next(&r->lines, r->err);
		if (status <= 0)
			return status;
		split_words(r);
	} while (!r->words);
	return 1;
}

/* Like next_line(), but the end of the file is an error. */
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

	if (status < 0)
		return status;
	if (!status || strcmp(r->word[0], "liquid-fabric"))
		return bad_line(r, "expected 'liquid-fabric 1' or 2: not a fabric file");
	if (r->words != 2 || (strcmp(r->word[1], "1") && strcmp(r->word[1], "2")))
		return line_fail(&r->lines, r->err, "unknown version '%s', expected 1 or 2",
				 r->words > 1 ? r->word[1] : "");
	r->version = r->word[1][0] == '1' ? 1 : 2;
	status = need_line(r);
	if (status < 0)
		return status;
	if (!statement(r, "name", 2))
		return bad_line(r, "expected 'name NAME'");
	status = at_line(r, liquid_fabric_new(r->word[1], &r->fabric, &why), &why);
	if (!status) {
		r->fabric->version = r->version;
		r->fabric->threads = r->threads;
	}
	return status;
}

/* ---- statements of version 2 before the first host ---- */

static int read_needs(struct reader *r)
{
	if (!strcmp(r->word[1], "alias")) {
		r->aliases = true;
		return LIQUID_OK;
	}
	return line_fail(&r->lines, r->err,
			 "the file needs '%.200s', which this version of the reader does not know",
			 r->word[1]);
}

/* Statements that cannot be extra: errors in them would be ignored. */
static bool is_known(const char *name)
{
	static const char *const known[] = {
		"liquid-fabric", "name", "needs", "extra", "unit", "import", "note", "hosts",
		"switches", "link", "to", "end", "alias",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

static int read_extra(struct reader *r)
{
	struct liquid_names names;
	struct liquid_error why;
	int status = liquid_hostlist_expand(r->word[1], &names, &why);

	for (size_t i = 0; i < names.count && !status; i++) {
		if (r->extra.count == EXTRA_MAX)
			status = liquid_fail(&why, LIQUID_BAD_INPUT,
					     "more than %d extra statements", EXTRA_MAX);
		else if (!strcmp(names.name[i], "lane"))
			r->lanes = true;
		else if (!strcmp(names.name[i], "endpoint"))
			r->endpoints = true;
		else if (is_known(names.name[i]))
			status = liquid_fail(&why, LIQUID_BAD_INPUT,
					     "'%s' is a standard statement and cannot be extra",
					     names.name[i]);
		else if (names_add(&r->extra, names.name[i], strlen(names.name[i])))
			status = liquid_no_memory(&why);
	}
	liquid_names_clear(&names);
	return at_line(r, status, &why);
}

/* Bit/s; 0: no number, or above the largest */
static uint64_t take_bps(const char *at)
{
	uint64_t bps = 0;

	for (; isdigit((unsigned char)*at) && bps <= FABRIC_UNIT_BPS_MAX; at++)
		bps = 10 * bps + (uint64_t)(*at - '0');
	return *at || bps > FABRIC_UNIT_BPS_MAX ? 0 : bps;
}

static int read_unit(struct reader *r)
{
	struct liquid_error why;

	if (r->fabric->unit_bps)
		return bad_line(r, "a second 'unit' line");
	return at_line(r, liquid_fabric_set_unit_rate(r->fabric, take_bps(r->word[1]), &why),
		       &why);
}

static int read_left_out(struct reader *r)
{
	struct liquid_names names;
	struct liquid_error why;
	int status = liquid_hostlist_expand(r->word[2], &names, &why);

	for (size_t i = 0; i < names.count && !status; i++)
		status = fabric_leave_out(r->fabric, names.name[i], &why);
	liquid_names_clear(&names);
	return at_line(r, status, &why);
}

static int read_rail(struct reader *r)
{
	const char *text = r->word[2];
	struct liquid_error why;
	uint32_t number;

	if (text[strspn(text, "0123456789")] ? fabric_check_name("rail", text, &why) :
	    !read_number(text, FABRIC_RAILS_MAX, &number) || !number)
		return bad_line(r, "a rail is the name of an adapter or a number 1 ... 65535");
	r->fabric->import.rail = strdup(text);
	return r->fabric->import.rail ? LIQUID_OK : liquid_no_memory(r->err);
}

/* node-name GUID NODE [ADAPTER] */
static int read_node_name(struct reader *r)
{
	char line[3 * LIQUID_NAME_MAX + 4];
	struct liquid_error why;
	struct liquid_names names = { .name = (char *[]){ line }, .count = 1 };

	if (r->words < 4 || strlen(r->word[2]) != 16 ||
	    r->word[2][strspn(r->word[2], "0123456789abcdef")])
		return bad_line(r, "expected 'import node-name GUID NODE ADAPTER', the GUID of 16 "
				"digits");
	for (unsigned int i = 3; i < r->words; i++)
		if (fabric_check_name(i == 3 ? "node" : "adapter", r->word[i], &why))
			return bad_line(r, why.text);
	snprintf(line, sizeof(line), "%s %s%s%s", r->word[2], r->word[3], r->words > 4 ? " " : "",
		 r->words > 4 ? r->word[4] : "");
	return fabric_keep_names(r->fabric, &names, NULL, r->err);
}

static int read_import(struct reader *r)
{
	struct fabric_import *import = &r->fabric->import;

	if (r->words == 3 && !strcmp(r->word[1], "leave-out"))
		return read_left_out(r);
	if (r->words == 2 && !strcmp(r->word[1], "allow-unreachable")) {
		import->allow_unreachable = true;
		return LIQUID_OK;
	}
	if (r->words == 3 && !strcmp(r->word[1], "rail")) {
		if (import->rail)
			return bad_line(r, "a second 'import rail' line");
		return read_rail(r);
	}
	if (r->words == 3 && !strcmp(r->word[1], "unknown-rate")) {
		import->unknown_bps = take_bps(r->word[2]);
		return import->unknown_bps ? LIQUID_OK :
		       bad_line(r, "a rate is a number of bit/s, 1 ... 10^15");
	}
	if (r->words > 2 && r->words < 6 && !strcmp(r->word[1], "node-name"))
		return read_node_name(r);
	if (r->words == 3 && !strcmp(r->word[1], "strip-domain") && !import->domain)
		return fabric_keep_names(r->fabric, &(struct liquid_names){ 0 }, r->word[2],
					 r->err);
	return bad_line(r, "expected 'import rail N', 'import leave-out LIST', 'import node-name "
			   "GUID NODE ADAPTER', 'import strip-domain END', 'import unknown-rate "
			   "RATE' or 'import allow-unreachable'");
}

/* Read a statement of version 2 into *@status; false if the line is another statement. */
static bool read_preamble(struct reader *r, int *status)
{
	struct liquid_error why;

	*status = LIQUID_OK;
	if (r->version == 1)
		return false;
	if (statement(r, "needs", 2))
		*status = read_needs(r);
	else if (statement(r, "extra", 2))
		*status = read_extra(r);
	else if (statement(r, "unit", 2))
		*status = read_unit(r);
	else if (statement(r, "note", 2))
		*status = at_line(r, fabric_add_note(r->fabric, r->word[1], &why), &why);
	else if (!strcmp(r->word[0], "import"))
		*status = read_import(r);
	else
		return false;
	if (!*status && r->fabric->hosts + r->fabric->switches)
		*status = line_fail(&r->lines, r->err, "'%s' after the first host or switch",
				    r->word[0]);
	return true;
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

static int read_alias(struct reader *r)
{
	uint32_t host = liquid_fabric_find_host(r->fabric, r->word[2]);
	struct liquid_error why;

	if (host == LIQUID_NONE)
		return line_fail(&r->lines, r->err, "no host '%s'", r->word[2]);
	return at_line(r, fabric_add_alias(r->fabric, r->word[1], host, &why), &why);
}

/* Find the hosts of @list: series->host[]. */
static int find_hosts(const struct reader *r, struct host_series *series, const char *list,
		      struct liquid_error *why)
{
	int status = LIQUID_OK;

	if (!series->fabric)
		status = series_new(r->fabric, series, why);
	return status ? status : series_expand(series, list, why);
}

static int set_lane(struct reader *r, uint32_t host, uint32_t lane, struct liquid_error *why)
{
	if (r->has_lane[host])
		return liquid_fail(why, LIQUID_BAD_INPUT, "a second lane for %s",
				   liquid_fabric_node_name(r->fabric, host));
	r->has_lane[host] = true;
	return fabric_set_lane(r->fabric, host, lane, why);
}

static int read_lane(struct reader *r)
{
	struct host_series *series = &r->batch->part[0].series;
	struct liquid_error why;
	uint32_t lane;
	int status;

	if (r->words != 3)
		return bad_line(r, "expected 'lane NUMBER LIST'");
	if (!read_number(r->word[1], LIQUID_LANES_MAX - 1, &lane))
		return line_fail(&r->lines, r->err, "a lane is a number 0 ... %d",
				 LIQUID_LANES_MAX - 1);
	if (r->fabric->phase != FABRIC_NODES)
		return bad_line(r, "'lane' after the first link");
	if (!r->has_lane)
		r->has_lane = calloc(FABRIC_HOSTS_MAX, sizeof(*r->has_lane));
	if (!r->has_lane)
		return liquid_no_memory(r->err);
	status = find_hosts(r, series, r->word[2], &why);
	for (uint32_t i = 0; !status && i < series->hosts; i++)
		status = set_lane(r, series->host[i], lane, &why);
	return at_line(r, status, &why);
}

/* ---- endpoints ---- */

static bool is_dash(const char *word)
{
	return !strcmp(word, "-");
}

/* A number from 1 on, or "-": not known */
static bool take_number(const char *word, uint32_t max, uint32_t *number)
{
	*number = 0;
	return is_dash(word) || (read_number(word, max, number) && *number);
}

/* "ADAPTER/PORT" */
static bool take_adapter(char *word, struct fabric_endpoint *endpoint)
{
	char *port = strrchr(word, '/');
	struct liquid_error why;

	if (!port || port == word || port - word > FABRIC_ADAPTER_MAX)
		return is_dash(word);
	*port = '\0';
	snprintf(endpoint->adapter, sizeof(endpoint->adapter), "%s", word);
	return !fabric_check_name("adapter", word, &why) &&
	       read_number(port + 1, FABRIC_PORT_MAX, &endpoint->port) && endpoint->port;
}

/* "17" or "16-19" */
static bool take_lids(char *word, struct fabric_endpoint *endpoint)
{
	char *last = strchr(word + 1, '-');
	uint32_t end;

	if (last)
		*last++ = '\0';
	if (!take_number(word, FABRIC_LID_MAX, &endpoint->lid) ||
	    !take_number(last ? : word, FABRIC_LID_MAX, &end) || end < endpoint->lid)
		return false;
	endpoint->lids = endpoint->lid ? end - endpoint->lid + 1 : 0;
	return true;
}

static int read_endpoint(struct reader *r)
{
	struct fabric_endpoint endpoint = { .port = 0 };
	struct liquid_error why;
	uint32_t host;

	if (r->words != 6)
		return bad_line(r, "expected 'endpoint HOST ADAPTER/PORT RAIL LIDS RATE'");
	host = liquid_fabric_find_host(r->fabric, r->word[1]);
	if (host == LIQUID_NONE)
		return line_fail(&r->lines, r->err, "no host '%s'", r->word[1]);
	if (!take_adapter(r->word[2], &endpoint))
		return bad_line(r, "expected ADAPTER/PORT, or - if it is not known");
	if (!take_number(r->word[3], FABRIC_RAILS_MAX, &endpoint.rail))
		return bad_line(r, "a rail is a number 1 ... 65535, or - for none");
	if (!take_lids(r->word[4], &endpoint))
		return bad_line(r, "LIDs are as 17 or 16-19, up to 49151, or - if none is known");
	endpoint.bps = take_bps(r->word[5]);
	if (!endpoint.bps && !is_dash(r->word[5]))
		return bad_line(r, "a rate is a number of bit/s, 1 ... 10^15, or -");
	if (r->fabric->host[host].endpoint)
		return line_fail(&r->lines, r->err, "a second endpoint line of %s", r->word[1]);
	return at_line(r, fabric_set_endpoint(r->fabric, host, &endpoint, &why), &why);
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

/* ---- entries of tables ---- */

static void set_part(void *context, uint32_t number)
{
	struct reader *r = context;
	struct part *part = &r->batch->part[number];
	struct host_series *series = &part->series;

	for (part->done = 0; part->done < r->batch->count; part->done++) {
		uint32_t link = r->batch->line[part->done].link;
		uint32_t sw = r->fabric->link[link].from - r->fabric->hosts;

		if (sw % r->threads != number)
			continue;
		part->status = find_hosts(r, series, r->batch->line[part->done].list, &part->why);
		if (!part->status)
			part->status = fabric_set_forwards(r->fabric, sw, series->host,
							   series->hosts, link, &part->why);
		if (part->status)
			break;
	}
}

/* Set what lines have said so far. The error is that of the first line that has one. */
static int set_batch(struct reader *r)
{
	struct batch *batch = r->batch;
	const struct part *first = batch->part;

	if (batch->status || !batch->count)
		return batch->status;
	parallel_do(r->threads, r->threads, set_part, r);
	for (uint32_t i = 1; i < r->threads; i++)
		if (batch->part[i].done < first->done)
			first = &batch->part[i];
	if (first->done < batch->count) {
		r->lines.number = batch->line[first->done].number;
		batch->status = at_line(r, first->status, &first->why);
		batch->err = *r->err;
	}
	batch->count = 0;
	return batch->status;
}

static void leave_text(void *context)
{
	set_batch(context);
}

static int read_to(struct reader *r)
{
	const struct liquid_link *link = liquid_fabric_link(r->fabric, r->link);
	struct batch *batch = r->batch;
	struct liquid_error why;
	int status = LIQUID_OK;
	bool fits;

	if (!link)
		return bad_line(r, "'to' comes before the first link");
	if (link->from < liquid_fabric_host_count(r->fabric))
		return bad_line(r, "'to' after a link that begins at a host");
	/* Threads make no table. If there can be none, a line that waits may have an error. */
	fits = !fabric_fit_table(r->fabric, r->link, &why);
	if (batch->count == BATCH_LINES || !fits)
		status = set_batch(r);
	if (status)
		return status;
	batch->line[batch->count].list = r->word[1];
	batch->line[batch->count].link = r->link;
	batch->line[batch->count++].number = r->lines.number;
	return fits ? LIQUID_OK : set_batch(r);
}

static bool is_extra(const struct reader *r)
{
	for (size_t i = 0; i < r->extra.count; i++)
		if (!strcmp(r->extra.name[i], r->word[0]))
			return true;
	return false;
}

static int read_statement(struct reader *r)
{
	int status;

	if (statement(r, "to", 2))	/* as most are */
		return read_to(r);
	if (read_preamble(r, &status))
		return status;
	if (statement(r, "hosts", 2) || statement(r, "switches", 2))
		return read_nodes(r);
	if (statement(r, "link", 4))
		return read_link(r);
	if (r->aliases && statement(r, "alias", 3))
		return read_alias(r);
	if (r->lanes && !strcmp(r->word[0], "lane"))
		return read_lane(r);
	if (r->endpoints && !strcmp(r->word[0], "endpoint"))
		return read_endpoint(r);
	if (is_extra(r))
		return LIQUID_OK;
	return bad_line(r, r->words > USUAL_WORDS ? "too many words" :
			"expected 'hosts LIST', 'switches LIST', 'link FROM TO CAPACITY', "
			"'to LIST' or 'end'");
}

/* Read statements up to "end", which shows that the file is complete. */
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
	/* What waits comes before the line where this ends */
	if (set_batch(r))
		return liquid_fail(r->err, r->batch->status, "%s", r->batch->err.text);
	if (!status)
		status = at_line(r, liquid_fabric_finish(r->fabric, &why), &why);
	if (status)
		return status;
	fabric_sort_left_out(r->fabric);
	status = next_line(r);
	return status > 0 ? bad_line(r, "text after the 'end' line") : status;
}

static int open_batch(struct reader *r)
{
	r->batch = calloc(1, sizeof(*r->batch));
	if (!r->batch)
		return liquid_no_memory(r->err);
	r->lines.leave = leave_text;
	r->lines.context = r;
	return LIQUID_OK;
}

static void close_batch(struct reader *r)
{
	for (uint32_t i = 0; r->batch && i < r->threads; i++)
		series_free(&r->batch->part[i].series);
	free(r->batch);
}

int liquid_fabric_read_by(FILE *in, const char *label, uint32_t threads,
			  struct liquid_fabric **fabric, struct liquid_error *err)
{
	struct liquid_error own;
	struct reader r = { .link = LIQUID_NONE, .version = 1, .err = err ? : &own };
	int status = line_open(&r.lines, in, label, threads > 1 ? BATCH_BYTES : LINE_BLOCK, err);

	r.threads = threads > PARALLEL_THREADS_MAX ? PARALLEL_THREADS_MAX : threads + !threads;
	if (!status)
		status = open_batch(&r);
	if (!status)
		status = read_fabric(&r);
	line_close(&r.lines);
	liquid_names_clear(&r.extra);
	close_batch(&r);
	free(r.has_lane);
	if (status) {
		liquid_fabric_free(r.fabric);
		r.fabric = NULL;
	}
	*fabric = r.fabric;
	return status;
}

/* ---- writing ---- */

/* The hosts of a switch in the order of its links: from first[n] to first[n + 1] by the n-th */
struct sorted {
	uint32_t *first;
	uint16_t *host;			/* so that they take no more memory than the table */
};

_Static_assert(FABRIC_HOSTS_MAX - 1 <= UINT16_MAX, "a number of a host has two bytes");

struct writer {
	const struct liquid_fabric *fabric;
	FILE *out;
	/*
	 * By switch, if its table is wider than a byte: a search of the table for each of its many
	 * links would take their product. Kept from the switch's first link to its last, because
	 * the links between two switches alternate.
	 */
	struct sorted *sorted;
	uint32_t *host;			/* of the switch that is being sorted */
};

static void forget_switch(struct sorted *sorted)
{
	free(sorted->first);
	free(sorted->host);
	*sorted = (struct sorted){ 0 };
}

static bool sort_switch(const struct writer *writer, uint32_t sw)
{
	const struct liquid_fabric *fabric = writer->fabric;
	struct sorted *sorted = &writer->sorted[sw];
	uint32_t outs = fabric->sw[sw].outs, count;

	sorted->first = calloc((size_t)outs + 1, sizeof(*sorted->first));
	if (!sorted->first)
		return false;
	fabric_sort_forwards(fabric, sw, NULL, sorted->first, writer->host);
	count = sorted->first[outs];
	sorted->host = calloc((size_t)count + 1, sizeof(*sorted->host));
	for (uint32_t i = 0; sorted->host && i < count; i++)
		sorted->host[i] = (uint16_t)writer->host[i];
	return sorted->host;
}

/* The "to" list of a link of a switch whose table is wider than a byte */
static bool put_sorted(const struct writer *writer, uint32_t sw, uint32_t place,
		       struct hostlist_writer *list)
{
	struct sorted *sorted = &writer->sorted[sw];

	if (!sorted->host && !sort_switch(writer, sw))
		return false;
	for (uint32_t i = sorted->first[place]; i < sorted->first[place + 1]; i++)
		hostlist_put(list, writer->fabric->host[sorted->host[i]].name);
	if (place == writer->fabric->sw[sw].outs - 1)
		forget_switch(sorted);
	return true;
}

static void write_end(const struct liquid_fabric *fabric, uint32_t node, uint32_t port, FILE *out)
{
	fprintf(out, " %s", liquid_fabric_node_name(fabric, node));
	if (port)
		fprintf(out, "[%u]", port);
}

static bool write_link(const struct writer *writer, uint32_t l)
{
	const struct liquid_fabric *fabric = writer->fabric;
	const struct liquid_link *link = &fabric->link[l];
	uint32_t sw = link->from - fabric->hosts;
	struct hostlist_writer list;
	bool done = true;

	fputs("link", writer->out);
	write_end(fabric, link->from, link->from_port, writer->out);
	write_end(fabric, link->to, link->to_port, writer->out);
	fprintf(writer->out, " %u\n", link->capacity);
	if (link->from < fabric->hosts)
		return true;
	hostlist_begin(&list, writer->out, "  to ");
	if (fabric->sw[sw].width > 1)
		done = put_sorted(writer, sw, fabric->place[l], &list);
	else
		for (uint32_t h = fabric_next_forward(fabric, l, 0); h != LIQUID_NONE;
		     h = fabric_next_forward(fabric, l, h + 1))
			hostlist_put(&list, fabric->host[h].name);
	hostlist_end(&list);
	return done;
}

static int write_links(const struct liquid_fabric *fabric, FILE *out, struct liquid_error *err)
{
	struct writer writer = {
		.fabric = fabric, .out = out,
		.sorted = calloc((size_t)fabric->switches + 1, sizeof(*writer.sorted)),
		.host = calloc((size_t)fabric->hosts + 1, sizeof(*writer.host)),
	};
	bool done = writer.sorted && writer.host;

	for (uint32_t l = 0; done && l < fabric->links; l++)
		done = write_link(&writer, l);
	for (uint32_t s = 0; writer.sorted && s < fabric->switches; s++)
		forget_switch(&writer.sorted[s]);
	free(writer.sorted);
	free(writer.host);
	return done ? LIQUID_OK : liquid_no_memory(err);
}

static void write_lanes(const struct liquid_fabric *fabric, FILE *out)
{
	for (uint32_t lane = 1; lane < LIQUID_LANES_MAX; lane++) {
		struct hostlist_writer list;
		char start[16];

		snprintf(start, sizeof(start), "lane %u ", lane);
		hostlist_begin(&list, out, start);
		for (uint32_t h = 0; h < fabric->hosts; h++)
			if (fabric->host[h].lane == lane)
				hostlist_put(&list, fabric->host[h].name);
		hostlist_end(&list);
	}
}

static void write_number(uint64_t number, FILE *out)
{
	if (number)
		fprintf(out, " %llu", (unsigned long long)number);
	else
		fputs(" -", out);
}

static void write_endpoints(const struct liquid_fabric *fabric, FILE *out)
{
	for (uint32_t h = 0; h < fabric->hosts; h++) {
		const struct fabric_endpoint *endpoint = fabric->host[h].endpoint;

		if (!endpoint)
			continue;
		fprintf(out, "endpoint %s", fabric->host[h].name);
		if (endpoint->adapter[0])
			fprintf(out, " %s/%u", endpoint->adapter, endpoint->port);
		else
			fputs(" -", out);
		write_number(endpoint->rail, out);
		write_number(endpoint->lid, out);
		if (endpoint->lids > 1)
			fprintf(out, "-%u", endpoint->lid + endpoint->lids - 1);
		write_number(endpoint->bps, out);
		fputc('\n', out);
	}
}

static void write_preamble(const struct liquid_fabric *fabric, FILE *out)
{
	const struct fabric_import *import = &fabric->import;
	struct hostlist_writer list;

	if (fabric->aliases)
		fputs("needs alias\n", out);
	if (fabric->unit_bps)
		fprintf(out, "unit %llu\n", (unsigned long long)fabric->unit_bps);
	if (import->rail)
		fprintf(out, "import rail %s\n", import->rail);
	hostlist_begin(&list, out, "import leave-out ");
	for (size_t i = 0; i < import->left_out.count; i++)
		hostlist_put(&list, import->left_out.name[i]);
	hostlist_end(&list);
	if (import->unknown_bps)
		fprintf(out, "import unknown-rate %llu\n",
			(unsigned long long)import->unknown_bps);
	if (import->allow_unreachable)
		fputs("import allow-unreachable\n", out);
	for (size_t i = 0; i < import->node_names.count; i++)
		fprintf(out, "import node-name %s\n", import->node_names.name[i]);
	if (import->domain)
		fprintf(out, "import strip-domain %s\n", import->domain);
	if (fabric_has_lanes(fabric))
		fputs("extra lane\n", out);
	if (fabric_has_endpoints(fabric))
		fputs("extra endpoint\n", out);
	for (size_t i = 0; i < fabric->notes.count; i++)
		fprintf(out, "note %s\n", fabric->notes.name[i]);
}

int liquid_fabric_write(const struct liquid_fabric *fabric, FILE *out, struct liquid_error *err)
{
	struct hostlist_writer list;
	int status;

	fprintf(out, "liquid-fabric %d\nname %s\n", fabric_file_version(fabric),
		fabric->name);
	write_preamble(fabric, out);
	hostlist_begin(&list, out, "hosts ");
	for (uint32_t h = 0; h < fabric->hosts - fabric->aliases; h++)
		hostlist_put(&list, fabric->host[h].name);
	hostlist_end(&list);
	for (uint32_t h = fabric->hosts - fabric->aliases; h < fabric->hosts; h++)
		fprintf(out, "alias %s %s\n", fabric->host[h].name,
			fabric->host[fabric->host[h].owner].name);
	hostlist_begin(&list, out, "switches ");
	for (uint32_t s = 0; s < fabric->switches; s++)
		hostlist_put(&list, fabric->sw[s].name);
	hostlist_end(&list);
	write_lanes(fabric, out);
	write_endpoints(fabric, out);
	status = write_links(fabric, out, err);
	if (status)
		return status;
	fputs("end\n", out);
	if (fflush(out) || ferror(out))
		return liquid_fail(err, LIQUID_IO, "writing the fabric failed: %s",
				   errno ? strerror(errno) : "I/O error");
	return LIQUID_OK;
}
