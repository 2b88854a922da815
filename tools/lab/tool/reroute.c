// SPDX-License-Identifier: GPL-2.0-only
/*
 * liquid-lab reroute: routes of another file for a fabric that works.
 *
 * Nodes and links are those of the same name, in whatever order the file has them. A link that is
 * down may be missing: a file that was made after a cable was cut does not have it.
 */
#include <stdlib.h>
#include <string.h>

#include "routes.h"
#include "input/input.h"

struct reroute {
	const char *file, *given;
	char *name;			/* of the fabric */
	struct liquid_fabric *fabric;
	struct wire_links links;	/* of the module, by name */
	struct wire_ports ports;
	bool *found;			/* by link of the module: the file has it */
	uint32_t *link, *host;		/* as in struct ends */
	struct netlink nl;
};

#define MEMBER(member) OPT_MEMBER(struct reroute, member)

static const struct opt reroute_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(file), .positional = true, .required = true,
	  .help = "the file with the routes" },
	{ "fabric", 0, KIND_TEXT, MEMBER(given), .value = "NAME",
	  .help = "that gets them; needed if there are several" },
	{ 0 }
};

static int refused(const struct reroute *reroute)
{
	return complain(EXIT_REFUSED, "%s: %s", reroute->name, reroute->nl.text);
}

/* ---- links and hosts of the same names ---- */

static int by_label(const void *a, const void *b)
{
	const struct wire_link *one = a, *other = b;

	return strcmp(one->label, other->label);
}

static const char *label_of(const void *links, uint32_t link)
{
	return ((const struct wire_links *)links)->link[link].label;
}

static int not_there(const struct reroute *reroute, const char *label)
{
	char near[4 * FABRIC_TEXT];

	liquid_near_names(label, label_of, &reroute->links, (uint32_t)reroute->links.count, near,
			  sizeof(near));
	return complain(EXIT_BAD_INPUT, "%s: link '%s' is not in fabric %s%s", reroute->file, label,
			reroute->name, near);
}

static int match_link(struct reroute *reroute, uint32_t l)
{
	bool to_switch = liquid_fabric_link(reroute->fabric, l)->to >=
			 liquid_fabric_host_count(reroute->fabric);
	uint32_t capacity = liquid_fabric_capacity(reroute->fabric, l);
	const struct wire_link *same;
	struct wire_link key;

	liquid_fabric_link_name(reroute->fabric, l, key.label, sizeof(key.label));
	same = bsearch(&key, reroute->links.link, reroute->links.count, sizeof(key), by_label);
	if (!same)
		return not_there(reroute, key.label);
	if (same->capacity != capacity)
		return complain(EXIT_BAD_INPUT, "%s: link '%s' has capacity %u, in fabric %s %u",
				reroute->file, key.label, capacity, reroute->name, same->capacity);
	if (same->to_switch != to_switch)
		return complain(EXIT_BAD_INPUT, "%s: link '%s' ends at a %s, in fabric %s at a %s",
				reroute->file, key.label, to_switch ? "switch" : "host",
				reroute->name, to_switch ? "host" : "switch");
	reroute->found[same - reroute->links.link] = true;
	reroute->link[l] = same->id;
	return EXIT_OK;
}

static int check_missing(const struct reroute *reroute)
{
	for (size_t i = 0; i < reroute->links.count; i++) {
		const struct wire_link *link = &reroute->links.link[i];

		if (!reroute->found[i] && !link->down)
			return complain(EXIT_BAD_INPUT, "%s: link '%s' of fabric %s is missing, "
					"and not down", reroute->file, link->label, reroute->name);
	}
	return EXIT_OK;
}

static int match_links(struct reroute *reroute)
{
	uint32_t count = liquid_fabric_link_count(reroute->fabric);
	int code = EXIT_OK;

	reroute->link = calloc(count + 1, sizeof(*reroute->link));
	reroute->found = calloc(reroute->links.count + 1, sizeof(*reroute->found));
	if (!reroute->link || !reroute->found)
		return complain(EXIT_IO, "out of memory");
	for (uint32_t l = 0; l < count && !code; l++)
		code = match_link(reroute, l);
	return code ? code : check_missing(reroute);
}

static int match_hosts(struct reroute *reroute)
{
	reroute->host = calloc(reroute->ports.count + 1, sizeof(*reroute->host));
	if (!reroute->host)
		return complain(EXIT_IO, "out of memory");
	for (size_t i = 0; i < reroute->ports.count; i++) {
		const char *name = reroute->ports.port[i].host;

		reroute->host[i] = liquid_fabric_find_host(reroute->fabric, name);
		if (reroute->host[i] == LIQUID_NONE)
			return complain(EXIT_BAD_INPUT, "%s: host '%s' of fabric %s is missing",
					reroute->file, name, reroute->name);
	}
	return EXIT_OK;
}

/* Long names are cut off. */
static int check_labels(const struct reroute *reroute)
{
	for (size_t i = 1; i < reroute->links.count; i++) {
		const struct wire_link *link = &reroute->links.link[i];

		if (!by_label(link - 1, link))
			return complain(EXIT_BAD_INPUT, "fabric %s has two links '%s'",
					reroute->name, link->label);
	}
	return EXIT_OK;
}

static int read_module(struct reroute *reroute)
{
	if (lab_dump_links(&reroute->nl, reroute->name, &reroute->links) ||
	    lab_dump_ports(&reroute->nl, reroute->name, &reroute->ports))
		return refused(reroute);
	qsort(reroute->links.link, reroute->links.count, sizeof(*reroute->links.link), by_label);
	return check_labels(reroute);
}

/* ---- the new routes ---- */

static int tell_module(struct reroute *reroute)
{
	struct ends ends = {
		.fabric = reroute->fabric, .host = reroute->host, .link = reroute->link,
		.count = (uint32_t)reroute->ports.count,
	};
	int code = lab_reroute(&reroute->nl, reroute->name) ? refused(reroute) : EXIT_OK;

	if (!code)
		code = send_routes(&reroute->nl, reroute->name, &ends);
	if (!code && lab_commit(&reroute->nl))
		code = refused(reroute);
	return code;
}

static int give_routes(struct reroute *reroute)
{
	int code;

	if (lab_open(&reroute->nl))
		return complain(EXIT_REFUSED, "%s", reroute->nl.text);
	code = choose_fabric(&reroute->nl, reroute->given, &reroute->name);
	if (!code)
		code = read_module(reroute);
	if (!code)
		code = match_hosts(reroute);
	if (!code)
		code = match_links(reroute);
	if (!code)
		code = tell_module(reroute);
	netlink_close(&reroute->nl);
	return code;
}

static int run_reroute(int argc, char **argv)
{
	struct reroute reroute = { 0 };
	int code = take_options(argc, argv, reroute_opts, &reroute);

	if (!code)
		code = read_lab_fabric(reroute.file, &reroute.fabric);
	if (!code)
		code = give_routes(&reroute);
	liquid_fabric_free(reroute.fabric);
	wire_links_clear(&reroute.links);
	wire_ports_clear(&reroute.ports);
	free(reroute.found);
	free(reroute.link);
	free(reroute.host);
	free(reroute.name);
	return code;
}

const struct command lab_new_routes = {
	"reroute", "give a fabric the routes of another file", reroute_opts, run_reroute, NULL, NULL
};
