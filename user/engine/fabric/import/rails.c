// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rails: columns by the names of adapters, never by counting what has a cable.
 *
 * A rail is a port of the adapters of one name. Rail N is the Nth of those that most nodes have: of
 * the sets of rails that nodes have, the most frequent counts, and of equally frequent ones the
 * largest. Nodes that have none of these are numbered by what most of them have, and so on: another
 * kind of machine has other names. An adapter that shares its description with another, or whose
 * description names no node, is on no rail.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/import/import.h"

static const char *adapter_of(const struct import *im, uint32_t port)
{
	const struct topo_node *node = &im->topo.node[im->topo.port[port].node];

	return node->unnamed ? "" : node->adapter;
}

static bool has_tie(const struct import *im, uint32_t port)
{
	const struct topo_node *node = &im->topo.node[im->topo.port[port].node];

	return node->tie || node->nameless;
}

bool import_on_rail(const struct import *import, uint32_t port, const struct import_rail *rail)
{
	return !has_tie(import, port) && import->topo.port[port].number == rail->port &&
	       !strcmp(adapter_of(import, port), rail->adapter);
}

/* ---- the set that most nodes have ---- */

/* Endpoints of a node that are on a rail: port[first] to port[first + count - 1] */
struct rail_set {
	uint32_t first, count;
	uint32_t nodes;			/* that have the same */
};

struct rail_sets {
	const struct import *import;
	uint32_t *port;			/* endpoints on rails, sorted by node */
	struct rail_set *set;		/* of the nodes, the most frequent first */
	uint32_t ports, sets;
};

static int compare_rails(const struct import *im, uint32_t p, uint32_t q)
{
	int order = fabric_compare_names(adapter_of(im, p), adapter_of(im, q));

	return order ? order : (int)im->topo.port[p].number - (int)im->topo.port[q].number;
}

/* The largest first */
static int compare_sets(const void *a, const void *b, void *context)
{
	const struct rail_sets *sets = context;
	const struct rail_set *x = a, *y = b;
	int order = 0;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	for (uint32_t i = 0; i < x->count && !order; i++)
		order = compare_rails(sets->import, sets->port[x->first + i],
				      sets->port[y->first + i]);
	return order;
}

static void collect(struct rail_sets *sets, const uint32_t *port, uint32_t count)
{
	const struct topo *topo = &sets->import->topo;

	for (uint32_t i = 0; i < count; i++) {
		struct rail_set *last = &sets->set[sets->sets - 1];

		if (has_tie(sets->import, port[i]))
			continue;
		if (!sets->sets || !import_same_node(topo, sets->port[last->first], port[i])) {
			last = &sets->set[sets->sets++];
			*last = (struct rail_set){ .first = sets->ports };
		}
		sets->port[sets->ports++] = port[i];
		last->count++;
	}
}

static int compare_frequencies(const void *a, const void *b, void *sets)
{
	const struct rail_set *x = a, *y = b;

	return x->nodes != y->nodes ? x->nodes > y->nodes ? -1 : 1 : compare_sets(a, b, sets);
}

/* Keep one of equal sets. */
static void join_sets(struct rail_sets *sets)
{
	uint32_t kept = 0;

	qsort_r(sets->set, sets->sets, sizeof(*sets->set), compare_sets, sets);
	for (uint32_t i = 0; i < sets->sets; i++) {
		if (!kept || compare_sets(&sets->set[kept - 1], &sets->set[i], sets))
			sets->set[kept++] = sets->set[i];
		sets->set[kept - 1].nodes++;
	}
	sets->sets = kept;
	qsort_r(sets->set, sets->sets, sizeof(*sets->set), compare_frequencies, sets);
}

/* The port that most adapters of this name have; of equally many the lowest. 0: there is none. */
static uint32_t usual_port(const struct rail_sets *sets, const char *adapter)
{
	uint32_t count[TOPO_PORT_MAX + 1] = { 0 }, most = 0;

	for (uint32_t i = 0; i < sets->ports; i++)
		if (!strcmp(adapter_of(sets->import, sets->port[i]), adapter))
			count[sets->import->topo.port[sets->port[i]].number]++;
	for (uint32_t number = 1; number <= TOPO_PORT_MAX; number++)
		if (count[number] > count[most])
			most = number;
	return most;
}

static void name_rail(const struct rail_sets *sets, const struct import_rail *rail,
		      char name[TOPO_WORD + 16])
{
	if (usual_port(sets, rail->adapter) == rail->port)
		snprintf(name, TOPO_WORD + 16, "%s", rail->adapter);
	else
		snprintf(name, TOPO_WORD + 16, "%s/%u", rail->adapter, rail->port);
}

/* ---- the rail that is asked for ---- */

static int no_rail(struct rail_sets *sets, const char *asked)
{
	struct rail_set most = sets->set[0];
	const struct import *im = sets->import;
	char list[FAULT_NAMES + 32], **name = calloc(most.count + 1, sizeof(*name));

	for (uint32_t i = 0; name && i < most.count; i++)
		name[i] = (char *)adapter_of(im, sets->port[most.first + i]);
	import_list_names(name, name ? most.count : 0, list);
	free(name);
	return liquid_fail(im->err, LIQUID_BAD_INPUT, "%s: no rail '%s'; most nodes have %u: %s",
			   im->given->topo_label, asked, most.count, list);
}

static void take_endpoint(const struct rail_sets *sets, uint32_t port, struct import_rail *rail)
{
	snprintf(rail->adapter, sizeof(rail->adapter), "%s", adapter_of(sets->import, port));
	rail->port = sets->import->topo.port[port].number;
}

/* HCA-3, or HCA-3/2 */
static bool take_name(const struct rail_sets *sets, const char *name, struct import_rail *rail)
{
	const char *slash = strrchr(name, '/');

	if (slash && (!slash[1] || slash[1 + strspn(slash + 1, "0123456789")]))
		slash = NULL;
	snprintf(rail->adapter, sizeof(rail->adapter), "%.*s",
		 slash ? (int)(slash - name) : (int)sizeof(rail->adapter) - 1, name);
	rail->port = slash ? (uint32_t)atoi(slash + 1) : usual_port(sets, rail->adapter);
	for (uint32_t i = 0; i < sets->ports; i++)
		if (import_on_rail(sets->import, sets->port[i], rail))
			return true;
	return false;
}

static int find_rail(struct rail_sets *sets, const char *asked, struct import_rail *rail)
{
	size_t digits = strspn(asked, "0123456789");
	struct rail_set most = sets->set[0];
	unsigned long number = strtoul(asked, NULL, 10);

	if (asked[digits] ? !take_name(sets, asked, rail) : !number || number > most.count)
		return no_rail(sets, asked);
	if (!asked[digits])
		take_endpoint(sets, sets->port[most.first + number - 1], rail);
	return LIQUID_OK;
}

static int open_sets(struct rail_sets *sets, const struct import *import, const uint32_t *port,
		     uint32_t count)
{
	*sets = (struct rail_sets){
		.import = import,
		.port = calloc((size_t)count + 1, sizeof(*sets->port)),
		.set = calloc((size_t)count + 1, sizeof(*sets->set)),
	};
	if (!sets->port || !sets->set)
		return liquid_no_memory(import->err);
	collect(sets, port, count);
	join_sets(sets);
	return LIQUID_OK;
}

static void close_sets(struct rail_sets *sets)
{
	free(sets->port);
	free(sets->set);
}

int import_find_rail(struct import *import, const uint32_t *port, uint32_t count,
		     struct import_rail *rail)
{
	char number[RAIL_NUMBER];
	const char *asked = import_rail(import, number);
	struct rail_sets sets;
	int status = open_sets(&sets, import, port, count);

	if (!status)
		status = find_rail(&sets, asked, rail);
	if (!status)
		name_rail(&sets, rail, import->rail);
	/* Adapters without a name: their rail has only its number */
	if (!status && !rail->adapter[0])
		snprintf(import->rail, sizeof(import->rail), "%s", asked);
	close_sets(&sets);
	return status;
}

/* ---- numbers ---- */

static int compare_rails_of(const void *a, const void *b, void *import)
{
	return compare_rails(import, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Give the columns of a set the numbers 1, 2, ... unless one of them has a number already. */
static void number_set(const struct rail_sets *sets, const struct rail_set *set, uint32_t *number,
		       uint32_t *last)
{
	const struct topo_port *port = sets->import->topo.port;

	for (uint32_t i = 0; i < set->count; i++)
		if (number[port[sets->port[set->first + i]].rail])
			return;
	for (uint32_t i = 0; i < set->count; i++)
		number[port[sets->port[set->first + i]].rail] = i + 1;
	if (set->count > *last)
		*last = set->count;
}

/* @port: all that are on a rail, sorted by it. A rail is first its column, in order of names. */
static void number_columns(struct import *im, const struct rail_sets *sets, const uint32_t *port,
			   uint32_t *number)
{
	uint32_t columns = 0, last = 0;

	for (uint32_t i = 0; i < sets->ports; i++) {
		columns += !i || compare_rails(im, port[i - 1], port[i]);
		im->topo.port[port[i]].rail = columns;
	}
	for (uint32_t s = 0; s < sets->sets && (!s || sets->set[s].nodes > 1); s++)
		number_set(sets, &sets->set[s], number, &last);
	for (uint32_t column = 1; column <= columns && last < FABRIC_RAILS_MAX; column++)
		if (!number[column])
			number[column] = ++last;
	for (uint32_t i = 0; i < sets->ports; i++)
		im->topo.port[port[i]].rail = number[im->topo.port[port[i]].rail];
}

static int number_by_name(struct import *im, struct rail_sets *sets)
{
	uint32_t *port = malloc(((size_t)sets->ports + 1) * sizeof(*port));
	uint32_t *number = calloc((size_t)sets->ports + 1, sizeof(*number));
	int status = port && number ? LIQUID_OK : liquid_no_memory(im->err);

	if (!status) {
		memcpy(port, sets->port, sets->ports * sizeof(*port));
		qsort_r(port, sets->ports, sizeof(*port), compare_rails_of, im);
		number_columns(im, sets, port, number);
	}
	free(port);
	free(number);
	return status;
}

int import_number_rails(struct import *import, const uint32_t *port, uint32_t count)
{
	bool several = false;
	struct rail_sets sets;
	int status;

	for (uint32_t i = 1; i < count && !import->rail[0]; i++)
		several |= import_same_node(&import->topo, port[i - 1], port[i]);
	for (uint32_t i = 0; i < count && !several; i++)
		import->topo.port[port[i]].rail = 1;
	if (!several)
		return LIQUID_OK;
	status = open_sets(&sets, import, port, count);
	if (!status)
		status = number_by_name(import, &sets);
	close_sets(&sets);
	return status;
}

/* ---- descriptions that name no node, or that several adapters share ---- */

#define TIES_NAMED 3
#define WHAT_TO_DO "run rdma-ndd on their hosts and import again, or name them by --node-name-map"

static void note_nameless(struct import *import, const uint32_t *port, uint32_t count)
{
	const struct topo_node *first = NULL;
	uint32_t nameless = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct topo_node *node = &import->topo.node[import->topo.port[port[i]].node];

		nameless += node->nameless;
		if (node->nameless && !first)
			first = node;
	}
	if (first)
		import_note(import, "%u endpoint%s a description that names no node, as that of "
			    "%016llx, which becomes '%s': " WHAT_TO_DO, nameless,
			    nameless == 1 ? " has" : "s have", (unsigned long long)first->guid,
			    first->node);
}

void import_note_ties(struct import *import, const uint32_t *port, uint32_t count)
{
	const struct topo *topo = &import->topo;
	uint32_t nodes = 0, ties, end;

	note_nameless(import, port, count);
	for (uint32_t i = 0; i < count; i = end) {
		ties = 0;
		for (end = i; end < count && import_same_node(topo, port[i], port[end]); end++)
			ties += has_tie(import, port[end]) &&
				!topo->node[topo->port[port[end]].node].nameless;
		if (ties && nodes++ < TIES_NAMED)
			import_note(import, "%s: %u endpoints whose adapters share a description: "
				    WHAT_TO_DO, topo->node[topo->port[port[i]].node].node, ties);
	}
	if (nodes > TIES_NAMED)
		import_note(import, "%u more names stand for adapters that share a description",
			    nodes - TIES_NAMED);
}
