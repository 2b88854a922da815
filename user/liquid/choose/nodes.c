// SPDX-License-Identifier: GPL-2.0-only
/* Nodes that a job may get: hosts of a fabric, by their names or their endpoints' names. */
#include <stdlib.h>
#include <string.h>

#include "choose/choose.h"
#include "util/command.h"

void nodes_clear(struct nodes *nodes)
{
	free(nodes->senders);
	free(nodes->receivers);
	*nodes = (struct nodes){ 0 };
}

/* ---- all nodes of a fabric ---- */

static bool sends(const struct liquid_fabric *fabric, uint32_t host)
{
	return liquid_fabric_host_out(fabric, host) != LIQUID_NONE;
}

static bool receives(const struct liquid_fabric *fabric, uint32_t host)
{
	return liquid_fabric_host_in(fabric, host) != LIQUID_NONE;
}

static size_t find_whole(const struct liquid_fabric *fabric, uint32_t *hosts)
{
	size_t count = 0;

	for (uint32_t host = 0; host < liquid_fabric_host_count(fabric); host++)
		if (sends(fabric, host) && receives(fabric, host))
			hosts[count++] = host;
	return count;
}

/* Senders and receivers in turn, as the papers' networks have them. */
static int find_pairs(const struct liquid_fabric *fabric, struct nodes *nodes)
{
	size_t senders = 0, receivers = 0;

	for (uint32_t host = 0; host < liquid_fabric_host_count(fabric); host++)
		if (sends(fabric, host))
			nodes->senders[senders++] = host;
		else if (liquid_fabric_owner(fabric, host) == host)
			nodes->receivers[receivers++] = host;
	nodes->count = senders;
	if (senders != receivers)
		return complain(EXIT_BAD_INPUT, "fabric '%s' has %zu hosts that only send and %zu "
				"that only receive: they make no nodes", liquid_fabric_name(fabric),
				senders, receivers);
	return EXIT_OK;
}

/* ---- endpoints ---- */

static size_t node_length(const char *name)
{
	return strcspn(name, "/");
}

static int compare_nodes(const void *a, const void *b, void *fabric)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const char *one = liquid_fabric_node_name(fabric, left);
	const char *other = liquid_fabric_node_name(fabric, right);
	size_t length = node_length(one), more = node_length(other);
	int order = strncmp(one, other, length < more ? length : more);

	if (order)
		return order;
	if (length != more)
		return length < more ? -1 : 1;
	return left < right ? -1 : left > right;
}

static bool same_node(const struct liquid_fabric *fabric, uint32_t a, uint32_t b)
{
	const char *one = liquid_fabric_node_name(fabric, a);
	const char *other = liquid_fabric_node_name(fabric, b);

	return node_length(one) == node_length(other) && !strncmp(one, other, node_length(one));
}

static int compare_hosts(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

/* The first endpoint of each node, in the fabric's order. */
static size_t first_endpoints(const struct liquid_fabric *fabric, uint32_t *hosts, size_t count)
{
	size_t kept = 0;

	qsort_r(hosts, count, sizeof(*hosts), compare_nodes, (void *)fabric);
	for (size_t i = 0; i < count; i++)
		if (!kept || !same_node(fabric, hosts[kept - 1], hosts[i]))
			hosts[kept++] = hosts[i];
	qsort(hosts, kept, sizeof(*hosts), compare_hosts);
	return kept;
}

static int find_nodes(const struct liquid_fabric *fabric, struct nodes *nodes)
{
	size_t hosts = (size_t)liquid_fabric_host_count(fabric) + 1;

	nodes->senders = calloc(hosts, sizeof(*nodes->senders));
	nodes->receivers = calloc(hosts, sizeof(*nodes->receivers));
	if (!nodes->senders || !nodes->receivers)
		return no_memory();
	nodes->count = find_whole(fabric, nodes->senders);
	if (!nodes->count)
		return find_pairs(fabric, nodes);
	nodes->count = first_endpoints(fabric, nodes->senders, nodes->count);
	memcpy(nodes->receivers, nodes->senders, nodes->count * sizeof(*nodes->receivers));
	return EXIT_OK;
}

/* ---- lists ---- */

struct finding {
	const struct liquid_fabric *fabric;
	const struct nodes *nodes;
	bool *listed;			/* by node */
};

static const char *name_of(const void *context, uint32_t i)
{
	const struct finding *finding = context;

	return liquid_fabric_node_name(finding->fabric, finding->nodes->senders[i]);
}

static bool has_name(const struct liquid_fabric *fabric, uint32_t host, const char *name)
{
	const char *own = liquid_fabric_node_name(fabric, host);
	size_t length = strlen(name);

	return !strncmp(own, name, length) && (!own[length] || own[length] == '/');
}

static bool is_node(const struct finding *finding, size_t i, const char *name)
{
	return has_name(finding->fabric, finding->nodes->senders[i], name) ||
	       has_name(finding->fabric, finding->nodes->receivers[i], name);
}

static int unknown_node(const struct finding *finding, const char *name)
{
	char near[LIQUID_NEAR_TEXT];

	liquid_near_names(name, name_of, finding, (uint32_t)finding->nodes->count, near,
			  sizeof(near));
	return complain(EXIT_BAD_INPUT, "--free: fabric '%s' has no node '%s'%s",
			liquid_fabric_name(finding->fabric), name, near);
}

/* @at: where the node after the last that was found is, which is mostly the next one's place. */
static int find_listed(struct finding *finding, const char *name, size_t *at)
{
	size_t count = finding->nodes->count, tried = 0;

	for (; tried < count && !is_node(finding, *at, name); tried++)
		*at = (*at + 1) % count;
	if (tried == count)
		return unknown_node(finding, name);
	if (finding->listed[*at])
		return complain(EXIT_BAD_INPUT, "--free: '%s' is listed twice", name);
	finding->listed[*at] = true;
	return EXIT_OK;
}

static void keep_listed(struct nodes *nodes, const bool *listed)
{
	size_t kept = 0;

	for (size_t i = 0; i < nodes->count; i++)
		if (listed[i]) {
			nodes->senders[kept] = nodes->senders[i];
			nodes->receivers[kept++] = nodes->receivers[i];
		}
	nodes->count = kept;
}

static int mark_listed(struct finding *finding, const struct liquid_names *names)
{
	int code = EXIT_OK;
	size_t at = 0;

	for (size_t i = 0; i < names->count && !code; i++)
		code = find_listed(finding, names->name[i], &at);
	return code;
}

static int select_listed(const struct liquid_fabric *fabric, const char *list, struct nodes *nodes)
{
	struct finding finding = { .fabric = fabric, .nodes = nodes };
	struct liquid_names names;
	struct liquid_error err;
	int status = liquid_hostlist_expand(list, &names, &err), code;

	if (status)
		return complain(exit_code_of(status), "--free: %s", err.text);
	finding.listed = calloc(nodes->count + 1, sizeof(*finding.listed));
	code = finding.listed ? mark_listed(&finding, &names) : no_memory();
	if (!code)
		keep_listed(nodes, finding.listed);
	free(finding.listed);
	liquid_names_clear(&names);
	return code;
}

int nodes_read(const struct liquid_fabric *fabric, const char *free, struct nodes *nodes)
{
	int code;

	*nodes = (struct nodes){ 0 };
	code = find_nodes(fabric, nodes);
	if (!code && free)
		code = select_listed(fabric, free, nodes);
	return code;
}
