// SPDX-License-Identifier: GPL-2.0-only
/* The output of `liquid fabric show`: counts, the loads of an all-to-all, routes. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "fabric/show.h"
#include "input/input.h"
#include "util/say.h"
#include "util/units.h"
#include "util/json.h"

#define HOSTS_NAMED 16		/* names of hosts in a line of text; JSON has all */
#define LINK_TEXT (2 * LIQUID_NAME_MAX + 32)

/* The all-to-all of every sender to every other receiver, and its loads */
struct alltoall {
	uint64_t *load;			/* by link */
	struct liquid_loads loads;
	uint64_t duration;
	double fluid_bound;
};

static uint32_t hosts_of(const struct liquid_fabric *fabric)
{
	return liquid_fabric_host_count(fabric) - liquid_fabric_alias_count(fabric);
}

static bool compute_alltoall(const struct liquid_fabric *fabric, struct alltoall *all)
{
	uint32_t links = liquid_fabric_link_count(fabric);

	*all = (struct alltoall){ .load = calloc(links + 1, sizeof(*all->load)) };
	if (!all->load || liquid_fabric_loads(fabric, NULL, hosts_of(fabric), all->load,
					      &all->loads, NULL))
		return false;
	all->duration = loads_duration(fabric, all->load, &all->fluid_bound);
	return true;
}

/* ---- text ---- */

static int print_route(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst)
{
	uint32_t path[LIQUID_PATH_MAX];
	struct liquid_error err;
	char text[LINK_TEXT];
	int length = liquid_fabric_route(fabric, src, dst, path, &err);

	if (length < 0)
		return complain(exit_code_of(length), "%s", err.text);
	printf("%s %s:", liquid_fabric_node_name(fabric, src),
	       liquid_fabric_node_name(fabric, dst));
	for (int i = 0; i < length; i++)
		printf(" %s", liquid_fabric_link_name(fabric, path[i], text, sizeof(text)));
	putchar('\n');
	return EXIT_OK;
}

/* A link, and what orders it: the frames that it needs, unrounded, or its name */
struct row {
	uint32_t link;
	double time;
	char name[LINK_TEXT];
};

static int compare_rows(const void *a, const void *b, void *by_name)
{
	const struct row *x = a, *y = b;

	if (by_name)
		return strverscmp(x->name, y->name);
	return x->time != y->time ? (x->time < y->time) - (x->time > y->time) :
	       (x->link > y->link) - (x->link < y->link);
}

static int print_links(const struct liquid_fabric *fabric, const struct alltoall *all,
		       const struct fabric_show *show)
{
	uint32_t links = liquid_fabric_link_count(fabric);
	uint32_t count = show->top && show->top < links ? show->top : links;
	struct row *rows = calloc(links + 1, sizeof(*rows));

	if (!rows)
		return no_memory();
	for (uint32_t l = 0; l < links; l++) {
		rows[l].link = l;
		rows[l].time = (double)all->load[l] / liquid_fabric_capacity(fabric, l);
		liquid_fabric_link_name(fabric, l, rows[l].name, sizeof(rows[l].name));
	}
	qsort_r(rows, links, sizeof(*rows), compare_rows,
		show->sort == SHOW_BY_NAME ? rows : NULL);
	printf("\n%-40s %8s %10s\n", "link", "capacity", "load");
	for (const struct row *row = rows; row < rows + count; row++) {
		printf("%-40s %8u %10" PRIu64, row->name,
		       liquid_fabric_capacity(fabric, row->link), all->load[row->link]);
		if (is_bottleneck(fabric, all->load, all->duration, row->link))
			put_marked(" bottleneck");
		putchar('\n');
	}
	if (count < links)
		printf("and %u more\n", links - count);
	free(rows);
	return EXIT_OK;
}

/* Does the pair belong to the all-to-all, and does it have a route? */
static bool has_route(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		      uint32_t path[LIQUID_PATH_MAX], int *length)
{
	if (src == dst)
		return false;
	*length = liquid_fabric_route(fabric, src, dst, path, NULL);
	return *length > 0;
}

static void print_routes(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), path[LIQUID_PATH_MAX];
	int length;

	putchar('\n');
	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++)
			if (has_route(fabric, src, dst, path, &length))
				print_route(fabric, src, dst);
}

/* The next larger capacity of a host's link, after @one; 0: before the first, after the last */
static uint32_t next_capacity(const struct liquid_fabric *fabric, uint32_t one)
{
	uint32_t next = 0;

	for (uint32_t h = 0; h < liquid_fabric_host_count(fabric); h++) {
		uint32_t capacity = liquid_fabric_host_capacity(fabric, h);

		if (capacity > one && (!next || capacity < next))
			next = capacity;
	}
	return next;
}

static uint32_t count_capacity(const struct liquid_fabric *fabric, uint32_t capacity)
{
	uint32_t count = 0;

	for (uint32_t h = 0; h < liquid_fabric_host_count(fabric); h++)
		count += liquid_fabric_host_capacity(fabric, h) == capacity;
	return count;
}

/* Print the names of the first hosts with this capacity, unless most hosts have it. */
static void print_capacity(const struct liquid_fabric *fabric, uint32_t capacity)
{
	uint32_t count = count_capacity(fabric, capacity), named = 0;

	printf("            %u of capacity %u", count, capacity);
	if (count > liquid_fabric_host_count(fabric) / 2) {
		putchar('\n');
		return;
	}
	putchar(':');
	for (uint32_t h = 0; h < liquid_fabric_host_count(fabric) && named < HOSTS_NAMED; h++)
		if (liquid_fabric_host_capacity(fabric, h) == capacity)
			printf("%s %s", named++ ? "," : "", liquid_fabric_node_name(fabric, h));
	printf("%s\n", named < count ? ", ..." : "");
}

static void print_unit(const struct liquid_fabric *fabric)
{
	const struct liquid_names *left_out = liquid_fabric_left_out(fabric);
	uint32_t first = next_capacity(fabric, 0);
	char rate[UNIT_TEXT];
	const char *note;

	if (liquid_fabric_unit_rate(fabric))
		printf("unit        %s\n", format_rate(liquid_fabric_unit_rate(fabric), rate));
	if (next_capacity(fabric, first)) {
		puts("host links  not all alike:");
		for (uint32_t c = first; c; c = next_capacity(fabric, c))
			print_capacity(fabric, c);
	}
	for (size_t i = 0; i < left_out->count && i < HOSTS_NAMED; i++)
		printf("%s%s", i ? ", " : "left out    ", left_out->name[i]);
	if (left_out->count)
		puts(left_out->count > HOSTS_NAMED ? ", ..." : "");
	for (size_t i = 0; (note = liquid_fabric_note(fabric, i)); i++)
		printf("note        %s\n", note);
}

/* ---- endpoints ---- */

/* Text of columns that may be empty */
struct endpoint_text {
	char port[16], rail[16], lids[24], rate[UNIT_TEXT], cable[LINK_TEXT];
};

static void set_number(char *text, size_t size, uint32_t number)
{
	if (number)
		snprintf(text, size, "%u", number);
	else
		snprintf(text, size, "-");
}

static void set_text(const struct liquid_fabric *fabric, const struct liquid_endpoint *endpoint,
		     struct endpoint_text *text)
{
	set_number(text->port, sizeof(text->port), endpoint->port);
	set_number(text->rail, sizeof(text->rail), endpoint->rail);
	set_number(text->lids, sizeof(text->lids), endpoint->lid);
	if (endpoint->lids > 1)
		snprintf(text->lids, sizeof(text->lids), "%u-%u", endpoint->lid,
			 endpoint->lid + endpoint->lids - 1);
	snprintf(text->rate, sizeof(text->rate), "-");
	if (endpoint->bps)
		format_rate(endpoint->bps, text->rate);
	snprintf(text->cable, sizeof(text->cable), "-");
	if (endpoint->switch_node != LIQUID_NONE)
		snprintf(text->cable, sizeof(text->cable), endpoint->switch_port ? "%s[%u]" : "%s",
			 liquid_fabric_node_name(fabric, endpoint->switch_node),
			 endpoint->switch_port);
}

#define ENDPOINT_ROW "%-18s %-16s %4s %4s %9s %10s  %s\n"

static void print_endpoints(const struct liquid_fabric *fabric)
{
	printf(ENDPOINT_ROW, "node", "adapter", "port", "rail", "lids", "rate", "switch port");
	for (uint32_t h = 0; h < hosts_of(fabric); h++) {
		struct liquid_endpoint endpoint;
		struct endpoint_text text;

		liquid_fabric_endpoint(fabric, h, &endpoint);
		set_text(fabric, &endpoint, &text);
		printf(ENDPOINT_ROW, endpoint.node, endpoint.adapter[0] ? endpoint.adapter : "-",
		       text.port, text.rail, text.lids, text.rate, text.cable);
	}
}

static json_t *number_or_null(uint64_t number)
{
	return number ? json_integer((json_int_t)number) : json_null();
}

static json_t *json_endpoint(const struct liquid_fabric *fabric, uint32_t host)
{
	struct liquid_endpoint e;

	liquid_fabric_endpoint(fabric, host, &e);
	return json_pack("{s:s s:s s:o s:o s:o s:o s:o s:o s:o s:o}",
			 "host", liquid_fabric_node_name(fabric, host), "node", e.node,
			 "adapter", e.adapter[0] ? json_string(e.adapter) : json_null(),
			 "port", number_or_null(e.port), "rail", number_or_null(e.rail),
			 "lid", number_or_null(e.lid), "lids", number_or_null(e.lids),
			 "rate_bps", number_or_null(e.bps),
			 "switch", e.switch_node == LIQUID_NONE ? json_null() :
			 json_string(liquid_fabric_node_name(fabric, e.switch_node)),
			 "switch_port", number_or_null(e.switch_port));
}

static json_t *json_endpoints(const struct liquid_fabric *fabric)
{
	json_t *array = json_array();

	for (uint32_t h = 0; h < hosts_of(fabric); h++)
		json_array_append_new(array, json_endpoint(fabric, h));
	return array;
}

static int print_text(const struct liquid_fabric *fabric, const struct alltoall *all,
		      const char *digest, const struct fabric_show *show)
{
	int code;

	printf("fabric      %s\ndigest      %s\n", liquid_fabric_name(fabric), digest);
	printf("hosts       %u (%u send, %u receive)\n", hosts_of(fabric), all->loads.senders,
	       all->loads.receivers);
	if (liquid_fabric_alias_count(fabric))
		printf("aliases     %u\n", liquid_fabric_alias_count(fabric));
	printf("switches    %u\nlinks       %u\n", liquid_fabric_switch_count(fabric),
	       liquid_fabric_link_count(fabric));
	print_unit(fabric);
	printf("all-to-all  %" PRIu64 " transfers, duration %" PRIu64 ", fluid bound %.6g\n",
	       all->loads.transfers, all->duration, all->fluid_bound);
	if (all->loads.unreachable)
		printf("no route    %" PRIu64 " pairs: solve refuses a traffic with one of them,\n"
		       "            unless it is by name and the import was with "
		       "--allow-unreachable\n", all->loads.unreachable);
	code = print_links(fabric, all, show);
	if (show->routes)
		print_routes(fabric);
	return code;
}

/* ---- JSON ---- */

static json_t *json_links(const struct liquid_fabric *fabric, const struct alltoall *all)
{
	json_t *array = json_array();

	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		const struct liquid_link *link = liquid_fabric_link(fabric, l);

		json_array_append_new(array, json_pack("{s:s s:I s:s s:I s:I s:I s:b}",
			"from", liquid_fabric_node_name(fabric, link->from),
			"from_port", (json_int_t)link->from_port,
			"to", liquid_fabric_node_name(fabric, link->to),
			"to_port", (json_int_t)link->to_port,
			"capacity", (json_int_t)liquid_fabric_capacity(fabric, l),
			"load", (json_int_t)all->load[l],
			"bottleneck", is_bottleneck(fabric, all->load, all->duration, l)));
	}
	return array;
}

/* The hosts, grouped by the capacity of their links */
static json_t *json_host_links(const struct liquid_fabric *fabric)
{
	uint64_t unit = liquid_fabric_unit_rate(fabric);
	json_t *array = json_array();

	for (uint32_t c = next_capacity(fabric, 0); c; c = next_capacity(fabric, c)) {
		json_t *names = json_array();

		for (uint32_t h = 0; h < liquid_fabric_host_count(fabric); h++)
			if (liquid_fabric_host_capacity(fabric, h) == c)
				json_array_append_new(names, json_string(
					liquid_fabric_node_name(fabric, h)));
		json_array_append_new(array, json_pack("{s:I s:o s:o}", "capacity", (json_int_t)c,
			"rate_bps", unit ? json_integer((json_int_t)(c * unit)) : json_null(),
			"hosts", names));
	}
	return array;
}

static json_t *json_notes(const struct liquid_fabric *fabric)
{
	json_t *array = json_array();
	const char *note;

	for (size_t i = 0; (note = liquid_fabric_note(fabric, i)); i++)
		json_array_append_new(array, json_string(note));
	return array;
}

static json_t *json_left_out(const struct liquid_fabric *fabric)
{
	const struct liquid_names *left_out = liquid_fabric_left_out(fabric);
	json_t *array = json_array();

	for (size_t i = 0; i < left_out->count; i++)
		json_array_append_new(array, json_string(left_out->name[i]));
	return array;
}

static json_t *json_names(const struct liquid_fabric *fabric, uint32_t first, uint32_t count)
{
	json_t *array = json_array();

	for (uint32_t n = first; n < first + count; n++)
		json_array_append_new(array, json_string(liquid_fabric_node_name(fabric, n)));
	return array;
}

static json_t *json_route(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
			  const uint32_t *path, int length)
{
	json_t *links = json_array();
	char text[LINK_TEXT];

	for (int i = 0; i < length; i++)
		json_array_append_new(links, json_string(liquid_fabric_link_name(fabric, path[i],
										 text,
										 sizeof(text))));
	return json_pack("{s:s s:s s:o}", "src", liquid_fabric_node_name(fabric, src),
			 "dst", liquid_fabric_node_name(fabric, dst), "links", links);
}

/* By alias, its host */
static json_t *json_aliases(const struct liquid_fabric *fabric)
{
	uint32_t count = liquid_fabric_host_count(fabric);
	json_t *aliases = json_object();

	for (uint32_t h = hosts_of(fabric); h < count; h++)
		json_object_set_new(aliases, liquid_fabric_node_name(fabric, h),
				    json_string(liquid_fabric_node_name(fabric,
					liquid_fabric_owner(fabric, h))));
	return aliases;
}

static json_t *json_routes(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), path[LIQUID_PATH_MAX];
	json_t *array = json_array();
	int length;

	for (uint32_t src = 0; src < hosts; src++)
		for (uint32_t dst = 0; dst < hosts; dst++)
			if (has_route(fabric, src, dst, path, &length))
				json_array_append_new(array, json_route(fabric, src, dst, path,
									length));
	return array;
}

static json_t *json_fabric(const struct liquid_fabric *fabric, const struct alltoall *all,
			   const char *digest, const struct fabric_show *show)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t switches = liquid_fabric_switch_count(fabric);
	json_t *top = json_pack("{s:s s:s s:I s:I s:I s:o s:o}",
				"name", liquid_fabric_name(fabric), "digest", digest,
				"host_count", (json_int_t)hosts_of(fabric),
				"switch_count", (json_int_t)switches,
				"link_count", (json_int_t)liquid_fabric_link_count(fabric),
				"hosts", json_names(fabric, 0, hosts_of(fabric)),
				"switches", json_names(fabric, hosts, switches));

	uint64_t unit = liquid_fabric_unit_rate(fabric);

	if (!top)
		return NULL;
	json_object_set_new(top, "unit_rate_bps",
			    unit ? json_integer((json_int_t)unit) : json_null());
	json_object_set_new(top, "aliases", json_aliases(fabric));
	json_object_set_new(top, "endpoints", json_endpoints(fabric));
	json_object_set_new(top, "host_links", json_host_links(fabric));
	json_object_set_new(top, "left_out", json_left_out(fabric));
	json_object_set_new(top, "notes", json_notes(fabric));
	json_object_set_new(top, "alltoall",
			    json_pack("{s:I s:I s:I s:f}",
				      "transfers", (json_int_t)all->loads.transfers,
				      "unreachable", (json_int_t)all->loads.unreachable,
				      "duration", (json_int_t)all->duration,
				      "fluid_bound", all->fluid_bound));
	json_object_set_new(top, "links", json_links(fabric, all));
	if (show->routes)
		json_object_set_new(top, "routes", json_routes(fabric));
	return top;
}

/* ---- */

static int show_one_route(const struct liquid_fabric *fabric, const struct fabric_show *show)
{
	uint32_t path[LIQUID_PATH_MAX];
	struct liquid_error err;
	int length;

	if (!show->json)
		return print_route(fabric, show->src, show->dst);
	length = liquid_fabric_route(fabric, show->src, show->dst, path, &err);
	if (length < 0)
		return complain(exit_code_of(length), "%s", err.text);
	return print_json("liquid-path", 1,
			  json_route(fabric, show->src, show->dst, path, length));
}

int fabric_show(const struct liquid_fabric *fabric, const struct fabric_show *show)
{
	char digest[LIQUID_DIGEST_HEX];
	struct liquid_error err;
	struct alltoall all;
	int status, code;

	if (show->one_route)
		return show_one_route(fabric, show);
	if (show->endpoints && !show->json) {
		print_endpoints(fabric);
		return EXIT_OK;
	}
	status = liquid_fabric_digest(fabric, digest, &err);
	if (status)
		return complain_of(status, &err);
	if (!compute_alltoall(fabric, &all)) {
		free(all.load);
		return no_memory();
	}
	if (show->json)
		code = print_json("liquid-fabric-show", 1, json_fabric(fabric, &all, digest, show));
	else
		code = print_text(fabric, &all, digest, show);
	free(all.load);
	return code;
}
