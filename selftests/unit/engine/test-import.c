// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: dumps recorded of opensm are imported, and what is wrong with dumps is said. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "fixtures.h"
#include "tap.h"

/* ---- recorded files, from wherever the test runs ---- */

static char *load(const char *name)
{
	static const char *const places[] = { "selftests/data", "data", "../data", "../../data" };
	const char *set = getenv("LIQUID_TEST_DATA");
	char path[512], *text = NULL;
	size_t size = 0;
	FILE *in = NULL;

	for (size_t i = 0; i < 5 && !in; i++) {
		snprintf(path, sizeof(path), "%s/%s", i ? places[i - 1] : set ? set : ".", name);
		in = fopen(path, "r");
	}
	if (!in || getdelim(&text, &size, 0, in) < 0) {
		printf("Bail out! %s: no such file\n", name);
		exit(1);
	}
	fclose(in);
	return text;
}

/* @text with the first @from made @to; @text is freed. */
static char *edited(char *text, const char *from, const char *to)
{
	char *copy = replaced(text, from, to);

	free(text);
	return copy;
}

/* ---- importing ---- */

struct notes {
	char text[1024];
};

static void keep_note(void *context, const char *text)
{
	struct notes *notes = context;
	size_t length = strlen(notes->text);

	snprintf(notes->text + length, sizeof(notes->text) - length, "%s; ", text);
}

/* What else is asked for: one host of ports.topo is slower than the rest. */
#define SLOWEST UINT64_C(2000000000)
static struct liquid_import how = { .unit_bps = SLOWEST };

static struct liquid_fabric *import_text(const char *topo, const char *lft, uint32_t rail,
					 struct notes *notes, struct liquid_error *err)
{
	struct liquid_import import = how;
	struct liquid_fabric *fabric;

	import.topo = fmemopen((void *)topo, strlen(topo), "r");
	import.topo_label = "topo";
	import.lft = fmemopen((void *)lft, strlen(lft), "r");
	import.lft_label = "lft";
	import.rail = rail;
	import.note = notes ? keep_note : NULL;
	import.context = notes;

	liquid_fabric_import(&import, &fabric, err);
	fclose(import.topo);
	fclose(import.lft);
	return fabric;
}

static struct liquid_fabric *import_files(const char *topo, const char *lft, uint32_t rail,
					  struct notes *notes)
{
	char *topo_text = load(topo), *lft_text = load(lft);
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = import_text(topo_text, lft_text, rail, notes, &err);

	if (!fabric)
		printf("# %s\n", err.text);
	free(topo_text);
	free(lft_text);
	return fabric;
}

static bool has_counts(const struct liquid_fabric *fabric, uint32_t hosts, uint32_t switches,
		       uint32_t links)
{
	return fabric && liquid_fabric_host_count(fabric) ==
	       hosts + liquid_fabric_alias_count(fabric) &&
	       liquid_fabric_switch_count(fabric) == switches &&
	       liquid_fabric_link_count(fabric) == links;
}

static bool goes(const struct liquid_fabric *fabric, const char *src, const char *dst,
		 const char *expected)
{
	uint32_t path[LIQUID_PATH_MAX];
	char text[512] = "", name[256];
	int length = liquid_fabric_route(fabric, liquid_fabric_find_host(fabric, src),
					 liquid_fabric_find_host(fabric, dst), path, NULL);

	for (int i = 0; i < length; i++) {
		strcat(text, " ");
		strcat(text, liquid_fabric_link_name(fabric, path[i], name, sizeof(name)));
	}
	if (strcmp(text, expected))
		printf("#%s\n", text);
	return !strcmp(text, expected);
}

static void test_recorded(const char *name, uint32_t links)
{
	char topo[64], file[64], digest[2][LIQUID_DIGEST_HEX] = { "", "-" };
	struct liquid_fabric *fabric[2];

	snprintf(topo, sizeof(topo), "%s.topo", name);
	for (int i = 0; i < 2; i++) {
		snprintf(file, sizeof(file), "%s.%s", name, i ? "lfts" : "fts");
		fabric[i] = import_files(topo, file, 0, NULL);
		ok(has_counts(fabric[i], 32, 8, links), "%s: 32 hosts, 8 switches, %u links", file,
		   links);
		if (fabric[i])
			liquid_fabric_digest(fabric[i], digest[i], NULL);
	}
	ok(!strcmp(digest[0], digest[1]), "%s: both kinds of dump give the same digest", name);
	liquid_fabric_free(fabric[0]);
	liquid_fabric_free(fabric[1]);
}

static void test_routes(void)
{
	struct liquid_fabric *fabric = import_files("k44.topo", "k44.fts", 0, NULL);

	/* As ibtracert printed them when the dump was recorded */
	ok(goes(fabric, "node001", "node032",
		" node001[1]>sw1[1] sw1[8]>sw8[5] sw8[4]>node032[1]"), "k44: node001 to node032");
	ok(goes(fabric, "node032", "node001",
		" node032[1]>sw8[4] sw8[5]>sw1[8] sw1[1]>node001[1]"), "k44: and back");
	ok(goes(fabric, "node001", "node002", " node001[1]>sw1[1] sw1[2]>node002[1]"),
	   "k44: node001 to node002 on the same switch");
	liquid_fabric_free(fabric);
}

/* ---- several ports and adapters, LMC, rates, equal names ---- */

#define LEAF1 "MF0;leaf:MSB7700/U1/0002c90000000001"
#define LEAF2 "MF0;leaf:MSB7700/U1/0002c90000000002"

static void test_names(void)
{
	static const char *const names[] = {
		"alpha/HCA-1/1", "alpha/HCA-1/2", "beta/HCA-1/1", "beta/HCA-2/1", "delta",
		"gamma/0002c90000000130/1", "gamma/0002c90000000140/1",
	};
	struct notes notes = { "" };
	struct liquid_fabric *fabric = import_files("ports.topo", "ports.fts", 0, &notes);
	bool all = has_counts(fabric, 7, 2, 2 * 7 + 2 * 3);

	for (uint32_t h = 0; h < 7 && all; h++)
		all = !strcmp(liquid_fabric_node_name(fabric, h), names[h]);
	ok(all, "endpoints of several ports and adapters, GUIDs where adapters share a name");
	ok(fabric && !strcmp(liquid_fabric_node_name(fabric, liquid_fabric_host_count(fabric)),
			     LEAF1),
	   "the GUID tells switches of one name apart");
	ok(strstr(notes.text, "1 aggregation nodes"), "a note on what is left out: %.50s",
	   notes.text);
	liquid_fabric_free(fabric);
}

static void test_capacities(void)
{
	struct liquid_fabric *fabric = import_files("ports.topo", "ports.lfts", 0, NULL);
	uint32_t single = 0, four = 0, twelve = 0;

	for (uint32_t l = 0; fabric && l < liquid_fabric_link_count(fabric); l++) {
		uint32_t capacity = liquid_fabric_link(fabric, l)->capacity;

		single += capacity == 1;
		four += capacity == 4;
		twelve += capacity == 12;
	}
	ok(single == 2 && four == 16 && twelve == 2,
	   "capacities in units of the slowest host link");
	/* LIDs 6 and 7 are alpha's second port; the table sends 6 by port 5 and 7 by port 6 */
	ok(goes(fabric, "delta", "alpha/HCA-1/2",
		" delta[1]>" LEAF1 "[4] " LEAF1 "[5]>" LEAF2 "[5] " LEAF2 "[1]>alpha/HCA-1/2[2]"),
	   "with an LMC a host has the route of the base LID");
	ok(goes(fabric, "delta", "alpha/HCA-1/2.1",
		" delta[1]>" LEAF1 "[4] " LEAF1 "[6]>" LEAF2 "[6] " LEAF2 "[1]>alpha/HCA-1/2[2]") &&
	   liquid_fabric_owner(fabric, liquid_fabric_find_host(fabric, "alpha/HCA-1/2.1")) ==
	   liquid_fabric_find_host(fabric, "alpha/HCA-1/2"), "an alias has that of the next LID");
	liquid_fabric_free(fabric);
}

/* All rows of the LID that @lid begins with go; those of other LIDs stay. */
static char *without_rows(char *lft, const char *lid)
{
	char *at;

	while ((at = strstr(lft, lid))) {
		char *end = strchr(at, '\n') + 1;

		memmove(at, end, strlen(end) + 1);
	}
	return lft;
}

static void test_aliases(void)
{
	char *topo = load("ports.topo"), *lft = without_rows(load("ports.lfts"), "0x0007 ");
	struct notes notes = { "" };
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;

	fabric = import_text(topo, lft, 0, &notes, &err);
	ok(fabric && liquid_fabric_find_host(fabric, "alpha/HCA-1/2") != LIQUID_NONE &&
	   liquid_fabric_find_host(fabric, "alpha/HCA-1/2.1") == LIQUID_NONE &&
	   strstr(notes.text, "1 LIDs above base LIDs have no complete routes and are left out, "
		  "such as alpha/HCA-1/2.1"), "a LID without rows: no alias, but a note %s%s",
	   err.text, notes.text);
	liquid_fabric_free(fabric);
	how = (struct liquid_import){ .leave_out = "delta" };
	fabric = import_files("ports.topo", "ports.lfts", 0, NULL);
	ok(goes(fabric, "alpha/HCA-1/1", "alpha/HCA-1/2.1",
		" alpha/HCA-1/1[1]>" LEAF1 "[1] " LEAF1 "[6]>" LEAF2 "[6] " LEAF2
		"[1]>alpha/HCA-1/2[2]"), "where a host is left out, others keep their aliases");
	how = (struct liquid_import){ .unit_bps = SLOWEST };
	liquid_fabric_free(fabric);
	free(topo);
	free(lft);
}

static void test_rails(void)
{
	struct notes notes = { "" };
	struct liquid_fabric *one = import_files("ports.topo", "ports.fts", 1, &notes);
	struct liquid_fabric *two = import_files("ports.topo", "ports.fts", 2, NULL);

	ok(has_counts(one, 3, 2, 12) && liquid_fabric_find_host(one, "alpha") == 0 &&
	   goes(one, "alpha", "beta", " alpha[1]>" LEAF1 "[1] " LEAF1 "[2]>beta[1]"),
	   "rail 1 takes one endpoint of each node, named as the node");
	ok(strstr(notes.text, "gamma: 2 endpoints whose adapters share a description") &&
	   strstr(notes.text, "1 node has no rail HCA-1 and is left out: gamma"),
	   "adapters that cannot be distinguished are on no rail: %s", notes.text);
	ok(has_counts(two, 1, 2, 8) && liquid_fabric_find_host(two, "alpha") == 0,
	   "rail 2 is the second port of HCA-1, which one node has");
	ok(!import_files("ports.topo", "ports.fts", 3, NULL), "rail 3 has no endpoint: refused");
	liquid_fabric_free(one);
	liquid_fabric_free(two);
}

/*
 * Nodes n0 to n3 of adapters HCA-1 to HCA-3, each at the switch of its rail. @faulty are those, by
 * NODE RAIL, without a cable or (after a !) with their maker's description; after a ~ they have the
 * names mlx5_4 to mlx5_6.
 */
#define RAIL_NODES 4
#define RAILS 3
static bool is_faulty(const char *faulty, char mark, unsigned int node, unsigned int rail)
{
	char text[] = { mark, (char)('0' + node), (char)('0' + rail), '\0' };

	return strstr(faulty, text);
}

static void write_rail(FILE *topo, FILE *lft, const char *faulty, unsigned int rail)
{
	static const char maker[] = "MT4129 ConnectX7   Mellanox Technologies";
	char name[RAIL_NODES][64];

	fprintf(topo, "Switch\t8 \"S-%u\"\t\t# \"leaf%u\" base port 0 lid %u lmc 0\n", rail, rail,
		rail);
	fprintf(lft, "Unicast lids [0x0-0x40] of switch Lid %u guid 0x%x (leaf):\n", rail, rail);
	for (unsigned int n = 0; n < RAIL_NODES; n++) {
		snprintf(name[n], sizeof(name[n]), "n%u HCA-%u", n, rail);
		if (is_faulty(faulty, '!', n, rail))
			strcpy(name[n], maker);
		if (is_faulty(faulty, '~', n, rail))
			snprintf(name[n], sizeof(name[n]), "n%u mlx5_%u", n, rail + RAILS);
		if (is_faulty(faulty, '-', n, rail))
			continue;
		fprintf(topo, "[%u]\t\"H-%u%u\"[1](%u%u)\t\t# \"%s\" lid %u 4xNDR\n", n + 1, rail,
			n, rail, n, name[n], 10 * rail + n);
		fprintf(lft, "0x%04x %03u :\n", 10 * rail + n, n + 1);
	}
	fprintf(lft, "%u lids dumped\n", RAIL_NODES);
	for (unsigned int n = 0; n < RAIL_NODES; n++)
		if (!is_faulty(faulty, '-', n, rail))
			fprintf(topo, "Ca\t1 \"H-%u%u\"\t\t# \"%s\"\n[1](%u%u)\t\"S-%u\"[%u]\t\t# "
				"lid %u lmc 0 \"leaf%u\" lid %u 4xNDR\n", rail, n, name[n], rail, n,
				rail, n + 1, 10 * rail + n, rail, rail);
}

static const char *map, *domain;	/* of import_rail() */

static struct liquid_fabric *import_rail(const char *faulty, const char *rail,
					 const struct liquid_fabric *like, struct notes *notes,
					 struct liquid_error *err)
{
	char *text[2];
	size_t size;
	FILE *topo = open_memstream(&text[0], &size), *lft = open_memstream(&text[1], &size);
	struct liquid_fabric *fabric;

	for (unsigned int r = 1; r <= RAILS; r++)
		write_rail(topo, lft, faulty, r);
	fclose(topo);
	fclose(lft);
	notes->text[0] = '\0';
	*err = (struct liquid_error){ "" };
	how = (struct liquid_import){ .rail_name = rail, .like = like,
				      .allow_unreachable = !rail && !like,
				      .strip_domain = domain, .node_names_label = "map" };
	if (map)
		how.node_names = fmemopen((char *)map, strlen(map), "r");
	fabric = import_text(text[0], text[1], 0, notes, err);
	if (map)
		fclose(how.node_names);
	how = (struct liquid_import){ .unit_bps = SLOWEST };
	free(text[0]);
	free(text[1]);
	return fabric;
}

/* All hosts of @fabric are at @leaf, and there are @hosts. */
static bool is_at(const struct liquid_fabric *fabric, const char *leaf, uint32_t hosts)
{
	bool all = fabric && liquid_fabric_host_count(fabric) == hosts;

	for (uint32_t h = 0; all && h < hosts; h++) {
		uint32_t out = liquid_fabric_host_out(fabric, h);

		all = !strcmp(liquid_fabric_node_name(fabric, liquid_fabric_link(fabric, out)->to),
			      leaf);
	}
	return all;
}

/* What has no cable or no name must not move others to another rail. */
static void test_rail_names(void)
{
	static const struct {
		const char *faulty, *rail, *leaf, *note;
		uint32_t hosts;
	} rails[] = {
		{ "", "2", "leaf2", "", 4 },
		{ "", "HCA-2", "leaf2", "", 4 },
		{ "", "HCA-2/1", "leaf2", "", 4 },
		{ "-21", "1", "leaf1", "1 node has no rail HCA-1 and is left out: n2", 3 },
		{ "-21", "HCA-1", "leaf1", "left out: n2", 3 },
		{ "-21", "3", "leaf3", "", 4 },
		{ "!02", "2", "leaf2", "2 nodes have no rail HCA-2 and are left out: MT4129,n0",
		  3 },
		{ "!02!12", "3", "leaf3", "2 endpoints have a description that names no node, as "
		  "that of 0000000000000020, which becomes 'MT4129': run rdma-ndd on their hosts "
		  "and import again, or name them by --node-name-map; 1 node has no rail HCA-3 "
		  "and is left out: "
		  "MT4129", 4 },
	};
	struct liquid_error err;
	struct notes notes;

	for (size_t i = 0; i < sizeof(rails) / sizeof(rails[0]); i++) {
		struct liquid_fabric *fabric = import_rail(rails[i].faulty, rails[i].rail, NULL,
							   &notes, &err), *again;

		ok(is_at(fabric, rails[i].leaf, rails[i].hosts) &&
		   strstr(notes.text, rails[i].note), "rail %s, faults '%s': %u hosts at %s %s%s",
		   rails[i].rail, rails[i].faulty, rails[i].hosts, rails[i].leaf, notes.text,
		   err.text);
		again = import_rail(rails[i].faulty, NULL, fabric, &notes, &err);
		ok(is_at(again, rails[i].leaf, rails[i].hosts), "and so it is imported again %s",
		   err.text);
		liquid_fabric_free(fabric);
		liquid_fabric_free(again);
	}
	for (const char *const *rail = (const char *const[]){ "0", "4", "HCA-4", "HCA-1/2", "",
							       NULL }; *rail; rail++) {
		struct liquid_fabric *fabric = import_rail("", *rail, NULL, &notes, &err);

		ok(!fabric && strstr(err.text, "'; most nodes have 3: HCA-[1-3]"), "%s", err.text);
		liquid_fabric_free(fabric);
	}
}

/* "2 n2/HCA-2/1, 3 n2/HCA-3/1 of 3" */
static const char *rails_text(const struct liquid_fabric *fabric, const char *node)
{
	static char text[512];
	struct liquid_rails rails;
	size_t length = 0;

	liquid_fabric_rails(fabric, node, &rails);
	for (uint32_t i = 0; i < rails.count; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u %s",
					   i ? ", " : "", rails.number[i],
					   liquid_fabric_node_name(fabric, rails.host[i]));
	snprintf(text + length, sizeof(text) - length, " of %u%s", rails.endpoints,
		 rails.only ? " only" : "");
	return text;
}

static bool has_rails(const struct liquid_fabric *fabric, const char *node, const char *expected)
{
	const char *text = fabric ? rails_text(fabric, node) : "";

	if (strcmp(text, expected))
		printf("# %s: %s\n", node, text);
	return !strcmp(text, expected);
}

static char *text_of(const struct liquid_fabric *fabric)
{
	struct liquid_error err = { "" };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ok(!liquid_fabric_write(fabric, out, &err), "written %s", err.text);
	fclose(out);
	return text;
}

static struct liquid_fabric *fabric_of(char *text)
{
	struct liquid_fabric *fabric = NULL;
	struct liquid_error err = { "" };
	FILE *in = fmemopen(text, strlen(text), "r");

	ok(!liquid_fabric_read(in, "file", &fabric, &err), "and read %s", err.text);
	fclose(in);
	return fabric;
}

/* As a reader takes them that does not know them: as lines to ignore */
static void drop_endpoints(char *text)
{
	for (char *line; (line = strstr(text, "\nendpoint "));)
		memmove(line, line + 1 + strcspn(line + 1, "\n"),
			strlen(line + 1 + strcspn(line + 1, "\n")) + 1);
}

static void test_table(struct liquid_fabric *fabric)
{
	uint32_t host = liquid_fabric_find_host(fabric, "n2/HCA-3/1");
	struct liquid_endpoint endpoint;

	liquid_fabric_endpoint(fabric, host, &endpoint);
	ok(endpoint.told && !strcmp(endpoint.node, "n2") && !strcmp(endpoint.adapter, "HCA-3") &&
	   endpoint.port == 1 && endpoint.rail == 3 && endpoint.lid == 32 && endpoint.lids == 1 &&
	   endpoint.bps == 400000000000 && endpoint.switch_port == 3 &&
	   !strcmp(liquid_fabric_node_name(fabric, endpoint.switch_node), "leaf3"),
	   "node, adapter, rail, LIDs, rate and switch port of an endpoint");
	ok(has_rails(fabric, "n1", "1 n1/HCA-1/1, 2 n1/HCA-2/1, 3 n1/HCA-3/1 of 3") &&
	   has_rails(fabric, "n2", "2 n2/HCA-2/1, 3 n2/HCA-3/1 of 2") &&
	   has_rails(fabric, "n3", "3 n3 of 1"),
	   "rails have the same numbers on all nodes, whatever has no cable");
}

static void test_untold(const char *digest, char *text)
{
	struct liquid_fabric *fabric;
	char other[LIQUID_DIGEST_HEX];
	struct liquid_error err;

	drop_endpoints(text);
	fabric = fabric_of(text);
	liquid_fabric_digest(fabric, other, &err);
	ok(!strcmp(digest, other), "they are not digested");
	ok(has_rails(fabric, "n2", "1 n2/HCA-2/1, 2 n2/HCA-3/1 of 2") &&
	   has_rails(fabric, "n3", "1 n3 of 1 only"), "of a file without them they are counted");
	liquid_fabric_free(fabric);
}

static void test_endpoints(void)
{
	char digest[LIQUID_DIGEST_HEX], *text;
	struct liquid_fabric *fabric, *again;
	struct liquid_error err;
	struct notes notes;

	fabric = import_rail("-21-31-32", NULL, NULL, &notes, &err);
	test_table(fabric);
	text = text_of(fabric);
	ok(strstr(text, "\nextra endpoint\n") &&
	   strstr(text, "\nendpoint n3 HCA-3/1 3 33 400000000000\n"),
	   "the file has a line of each");
	again = fabric_of(text);
	test_table(again);
	liquid_fabric_digest(fabric, digest, &err);
	test_untold(digest, text);
	liquid_fabric_free(again);
	liquid_fabric_free(fabric);
	free(text);
	fabric = import_rail("!02!12", NULL, NULL, &notes, &err);
	ok(has_rails(fabric, "MT4129", " of 2") && has_rails(fabric, "n0",
	   "1 n0/HCA-1/1, 3 n0/HCA-3/1 of 2"), "adapters that share a description are on no rail");
	liquid_fabric_free(fabric);
	fabric = import_rail("~21~22~23~31~32~33", NULL, NULL, &notes, &err);
	ok(has_rails(fabric, "n0", "1 n0/HCA-1/1, 2 n0/HCA-2/1, 3 n0/HCA-3/1 of 3") &&
	   has_rails(fabric, "n2", "1 n2/mlx5_4/1, 2 n2/mlx5_5/1, 3 n2/mlx5_6/1 of 3"),
	   "another kind of node has rails from 1 on, too");
	liquid_fabric_free(fabric);
	fabric = import_rail("~21~31", NULL, NULL, &notes, &err);
	ok(has_rails(fabric, "n3", "2 n3/HCA-2/1, 3 n3/HCA-3/1, 4 n3/mlx5_4/1 of 3"),
	   "but not if it has one of the others' names");
	liquid_fabric_free(fabric);
	fabric = import_rail("~31~32~33", NULL, NULL, &notes, &err);
	ok(has_rails(fabric, "n3", "4 n3/mlx5_4/1, 5 n3/mlx5_5/1, 6 n3/mlx5_6/1 of 3"),
	   "nor one node alone");
	liquid_fabric_free(fabric);
	fabric = import_rail("-21", "3", NULL, &notes, &err);
	ok(has_rails(fabric, "n2", "1 n2 of 1 only"), "an import of one rail has one");
	liquid_fabric_free(fabric);
}

/* Has the import @hosts, the note or error @told, and the same when it is repeated? */
static void check_names(const char *faulty, const char *hosts, const char *told)
{
	char *text = NULL, digest[2][LIQUID_DIGEST_HEX], line[256];
	struct liquid_fabric *fabric, *again, *like;
	struct liquid_error err;
	struct notes notes;

	fabric = import_rail(faulty, NULL, NULL, &notes, &err);
	snprintf(line, sizeof(line), "\nhosts %s\n", hosts);
	if (!fabric)
		ok(!*hosts && strstr(err.text, told), "refused: %s", err.text);
	if (!fabric)
		return;
	text = text_of(fabric);
	ok(strstr(text, line) && strstr(notes.text, told), "%s, of %.80s %s", hosts,
	   strstr(text, "\nhosts "), notes.text);
	like = fabric_of(text);
	map = domain = NULL;
	again = import_rail(faulty, NULL, like, &notes, &err);
	ok(again && !liquid_fabric_digest(fabric, digest[0], &err) &&
	   !liquid_fabric_digest(again, digest[1], &err) && !strcmp(digest[0], digest[1]),
	   "the same from what the file keeps %s", err.text);
	liquid_fabric_free(fabric);
	liquid_fabric_free(like);
	liquid_fabric_free(again);
	free(text);
}

#define RAIL_1 "-02-03-12-13-22-23-32-33"	/* alone; its GUIDs are 10 to 13 */
static void test_node_names(void)
{
	static const struct {
		const char *map, *domain, *faulty, *hosts, *told;
	} names[] = {
		{ NULL, NULL, RAIL_1 "!11!21", "MT4129/0000000000000011/1,"
		  "MT4129/0000000000000012/1,n[0,3]", "" },
		{ NULL, NULL, RAIL_1 "!11", "MT4129,n[0,2-3]", "1 endpoint has a description that "
		  "names no node, as that of 0000000000000011, which becomes 'MT4129': run rdma-" },
		{ "# ours\n\n0x11\t\"n1 HCA-1\" # here\n0xff \"other\"", NULL, RAIL_1 "!11",
		  "n[0-3]", "" },
		{ " 11 n9 HCA-1 # x\r\n0x1 spine", NULL, RAIL_1 "!11", "n[0,2-3,9]", "" },
		{ "0xff \"other\"", NULL, RAIL_1, "n[0-3]", "map names no node of the fabric" },
		{ "0x12 \"n2.site HCA-1\"", ".site", RAIL_1, "n[0-3]", "" },
		{ NULL, ".site", RAIL_1, "", "topo: no node's name ends with '.site'" },
	};
	static const char *const wrong[] = { "n9", "0x11", "0x11 ", "0x11 \"n9", "0x11 \"\"",
					     "0x11 # n9", "-11 n9", "0x11n9" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		map = names[i].map;
		domain = names[i].domain;
		check_names(names[i].faulty, names[i].hosts, names[i].told);
		map = domain = NULL;
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		map = wrong[i];
		check_names(RAIL_1, "", "map:1: expected GUID \"NAME\", as 0x");
		map = NULL;
	}
}

static void test_rounding(void)
{
	char *topo = load("ports.topo"), *lft = load("ports.fts");
	struct notes notes = { "" };
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;
	const char *uplink = "\"MF0;leaf:MSB7700/U1\" lid 5 12xSDR";

	how = (struct liquid_import){ 0 };
	/* delta's link from 1xSDR to 4xQDR: now 4xSDR is the slowest; then one cable is faster */
	topo = edited(edited(topo, "1xSDR\n[5]", "4xQDR\n[5]"), "1xSDR\n", "4xQDR\n");
	topo = edited(topo, uplink, "\"MF0;leaf:MSB7700/U1\" lid 5 4xFDR10");
	topo = edited(topo, "lid 4 12xSDR", "lid 4 4xFDR");
	fabric = import_text(topo, lft, 0, &notes, &err);
	ok(fabric && liquid_fabric_link(fabric, 16)->capacity == 5,
	   "40000 / 8000 Mbit/s: capacity 5");
	liquid_fabric_free(fabric);
	topo = edited(topo, "4xFDR10", "1xEDR");
	fabric = import_text(topo, lft, 0, &notes, &err);
	ok(fabric && liquid_fabric_link(fabric, 16)->capacity == 3 &&
	   strstr(notes.text, "rounded down"), "25000 / 8000 Mbit/s: capacity 3, and a note");
	liquid_fabric_free(fabric);
	topo = edited(topo, "1xEDR", "1xSDR");
	fabric = import_text(topo, lft, 0, &notes, &err);
	ok(!fabric && strstr(err.text, "slower than a unit of 8G bit/s"), "%s", err.text);
	how = (struct liquid_import){ .unit_bps = SLOWEST };
	free(topo);
	free(lft);
}

/* Data rates in Mbit/s, line coding taken off, of a lane and of all that are usual. */
static const struct {
	const char *speed;
	uint32_t rate;
} rates[] = {
	{ "1xSDR", 2000 },     { "4xSDR", 8000 },     { "8xSDR", 16000 },    { "12xSDR", 24000 },
	{ "1xDDR", 4000 },     { "4xDDR", 16000 },    { "1xQDR", 8000 },     { "4xQDR", 32000 },
	{ "1xFDR10", 10000 },  { "4xFDR10", 40000 },  { "1xFDR", 13636 },    { "4xFDR", 54545 },
	{ "1xEDR", 25000 },    { "4xEDR", 100000 },   { "12xEDR", 300000 },  { "1xHDR", 50000 },
	{ "2xHDR", 100000 },   { "4xHDR", 200000 },   { "8xHDR", 400000 },   { "1xNDR", 100000 },
	{ "2xNDR", 200000 },   { "4xNDR", 400000 },   { "8xNDR", 800000 },   { "1xXDR", 200000 },
	{ "4xXDR", 800000 },   { "8xXDR", 1600000 },
};

/* Two hosts at 2 Gbit/s, each on its own switch, and a cable between them at @speed. */
static uint32_t trunk_capacity(const char *speed)
{
	static const char form[] =
		"Switch\t2 \"S-1\"\t\t# \"left\" base port 0 lid 1 lmc 0\n"
		"[1]\t\"H-3\"[1](3) \t\t# \"one mlx5_0\" lid 3 1xSDR\n"
		"[2]\t\"S-2\"[2]\t\t# \"right\" lid 2 %s\n"
		"Switch\t2 \"S-2\"\t\t# \"right\" base port 0 lid 2 lmc 0\n"
		"[1]\t\"H-4\"[1](4) \t\t# \"two mlx5_0\" lid 4 1xSDR\n"
		"[2]\t\"S-1\"[2]\t\t# \"left\" lid 1 %s\n"
		"Ca\t1 \"H-3\"\t\t# \"one mlx5_0\"\n"
		"[1](3) \t\"S-1\"[1]\t\t# lid 3 lmc 0 \"left\" lid 1 1xSDR\n"
		"Ca\t1 \"H-4\"\t\t# \"two mlx5_0\"\n"
		"[1](4) \t\"S-2\"[1]\t\t# lid 4 lmc 0 \"right\" lid 2 1xSDR\n";
	static const char tables[] =
		"Unicast lids [0x0-0x4] of switch Lid 1 guid 0x0000000000000001 (left):\n"
		"0x0003 001 : (port)\n0x0004 002 : (port)\n2 valid lids dumped\n"
		"Unicast lids [0x0-0x4] of switch Lid 2 guid 0x0000000000000002 (right):\n"
		"0x0003 002 : (port)\n0x0004 001 : (port)\n2 valid lids dumped\n";
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;
	uint32_t capacity = 0;
	char *topo;

	if (asprintf(&topo, form, speed, speed) < 0)
		exit(1);
	fabric = import_text(topo, tables, 0, NULL, &err);
	for (uint32_t l = 0; fabric && l < liquid_fabric_link_count(fabric); l++)
		if (liquid_fabric_link(fabric, l)->from > 1 &&
		    liquid_fabric_link(fabric, l)->to > 1)
			capacity = liquid_fabric_link(fabric, l)->capacity;
	if (!fabric)
		printf("# %s: %s\n", speed, err.text);
	liquid_fabric_free(fabric);
	free(topo);
	return capacity;
}

static void test_rates(void)
{
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint32_t capacity = trunk_capacity(rates[i].speed);

		ok(capacity == rates[i].rate / 2000, "%s has %" PRIu32 " Mbit/s: %" PRIu32
		   " units of 2000", rates[i].speed, rates[i].rate, capacity);
	}
	ok(!trunk_capacity("4xODR"), "4xODR is not a speed");
	ok(!trunk_capacity("4xHDR100"), "4xHDR100 is not a speed");
}

static void test_back_to_back(void)
{
	static const char topo[] =
		"Ca\t1 \"H-a\"\t\t# \"one mlx5_0\"\n"
		"[1](a) \t\"H-b\"[1](b)\t\t# lid 1 lmc 0 \"two mlx5_0\" lid 2 4xHDR\n"
		"Ca\t1 \"H-b\"\t\t# \"two mlx5_0\"\n"
		"[1](b) \t\"H-a\"[1](a)\t\t# lid 2 lmc 0 \"one mlx5_0\" lid 1 4xHDR\n";
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = import_text(topo, "", 0, NULL, &err);

	ok(has_counts(fabric, 2, 0, 2) && goes(fabric, "two", "one", " two[1]>one[1]"),
	   "two hosts on one cable need no forwarding table %s", err.text);
	liquid_fabric_free(fabric);
}

/* ---- files that are wrong ---- */

static void refused(const char *what, char *topo, char *lft, const char *reason)
{
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = import_text(topo, lft, 0, NULL, &err);

	ok(!fabric && strstr(err.text, reason), "%s: %s", what, err.text);
	liquid_fabric_free(fabric);
	free(topo);
	free(lft);
}

/* In the topology, or (from in the tables) there, @from becomes @to. */
static void topo_refused(const char *from, const char *to, const char *reason)
{
	refused("topo", edited(load("ports.topo"), from, to), load("ports.fts"), reason);
}

static void lft_refused(const char *from, const char *to, const char *reason)
{
	refused("tables", load("ports.topo"), edited(load("ports.fts"), from, to), reason);
}

static void test_mixed_up(void)
{
	refused("swapped", load("k44.fts"), load("k44.topo"),
		"topo:1: a dump of forwarding tables");
	refused("topo twice", load("k44.topo"), load("k44.topo"),
		"lft:2: this looks like ibnetdiscover's output");
	refused("another fabric's tables", load("ports.topo"), load("k44.fts"), "same fabric?");
	refused("another fabric's topology", load("k44.topo"), load("fat-tree.fts"), "lft:");
	refused("the reverse", load("fat-tree.topo"), load("k44.lfts"), "lft:");
	refused("empty topology", strdup(""), load("k44.fts"), "topo:1: no node");
	refused("empty tables", load("k44.topo"), strdup(""),
		"lft:1: the file ends without a table");
}

static void test_topo(void)
{
	topo_refused("Switch\t12", "Switch\tx", "topo:10: expected the node's number of ports");
	topo_refused("\"S-0002c90000000002\"\t", "\"X\"\t", "topo:10: expected the node's id");
	topo_refused("base port 0 lid 5", "base port 0", "topo:10: expected the switch's lid");
	topo_refused("lid 6 4xSDR", "lid 6 4xABC", "topo:11: expected \"description\" lid N");
	topo_refused("lid 6 4xSDR", "lid 6", "topo:11: expected \"description\" lid N");
	topo_refused("[2]\t\"H", "[1]\t\"H", "topo:12: a second line of port 1");
	topo_refused("[2]\t\"H", "[999]\t\"H", "topo:12: expected [port]");
	topo_refused("[2]\t\"H-0002c90000000120\"[1]", "[2]\t\"H-0002c90000000120\"[2]",
		     "has no line");
	topo_refused("[2]\t\"H-0002c90000000120\"", "[2]\t\"H-0002c90000000999\"", "does not have");
	topo_refused("[2]\t\"H-0002c90000000120\"", "[2]\t\"H-0002c90000000110\"",
		     "leads elsewhere");
	topo_refused("\"S-0002c90000000001\"\t\t", "\"S-0002c90000000002\"\t\t",
		     "a second line of node");
	topo_refused("# lid 14 lmc 1", "# lid 12 lmc 1", "lid 12 belongs to two ports");
	topo_refused("# lid 14 lmc 1", "# lid 0 lmc 0", "has no lid");
	topo_refused("# lid 14 lmc 1", "# lid 14 lmc 9", "expected # lid N lmc N");
	topo_refused("# lid 14 lmc 1", "# lid 99999 lmc 1", "expected # lid N lmc N");
	topo_refused("vendid", "src/hello.c:12 vendid", "topo:6: expected a Switch, Ca or Rt line");
	topo_refused("vendid", "hello vendid", "topo:6: expected a Switch, Ca or Rt line");
}

static void test_lft(void)
{
	lft_refused("0x0002 005 :", "0x0002 012 :", "lft:4: port 12 of switch");
	lft_refused("0x0002 005 :", "0x0002 999 :", "lft:4: expected 0xLID PORT");
	lft_refused("0x0002 005 :", "0x10002 005 :", "lft:4: expected 0xLID PORT");
	lft_refused("0x0002 005 :", "0x0002", "lft:4: expected 0xLID PORT");
	lft_refused("0x0002 005 :", "0x0002 003 :", "for host alpha/HCA-1/1 to host gamma");
	lft_refused("0x0003 007", "0x0002 007",
		    "lft:5: switch MF0;leaf:MSB7700/U1/0002c90000000002 "
		    "already has a forward to host alpha/HCA-1/1");
	lft_refused("portguid 0x0002c90000000101", "portguid 0x0002c90000000fff", "same fabric?");
	lft_refused("18 valid", "17 valid", "17 lids dumped, but the table has 18 rows");
	lft_refused("18 valid lids dumped", "", "a table begins before 'lids dumped'");
	lft_refused("Unicast", "Multicast", "expected a row");
	lft_refused("guid 0x0002c90000000002", "guid 0x0002c90000000077", "is not in topo");
	lft_refused("guid 0x0002c90000000001 (", "guid 0x0002c90000000002 (",
		    "lft:23: a second table of switch MF0;leaf:MSB7700/U1/0002c90000000002");
	lft_refused("guid 0x0002c90000000002", "", "expected ' guid 0x...'");
	/* No way to delta from the other switch */
	lft_refused("0x0012 005 :", "0x0012 255 :",
		    "3 of 42 pairs have no route: alpha/HCA-1/2>delta, beta/HCA-2/1>delta");
	/* Back and forth between the two */
	lft_refused("0x0002 001 :", "0x0002 005 :", "the route to host alpha/HCA-1/1 loops");
}

/* As when dump_fts stops before the last block of a table. */
static void test_lid_missing(void)
{
	char *lft = load("ports.fts");

	for (int i = 0; i < 2; i++) {
		lft = edited(lft, "0x0012 00", "0x0062 00");
		lft = edited(lft, ": (Channel Adapter portguid 0x0002c90000000161: 'delta HCA-1')",
			     "");
		lft = edited(lft, ": (path #2 out of 2: portguid 0x0002c90000000161)", "");
	}
	refused("no row", load("ports.topo"), strdup(lft),
		"no table has a row for the lid of delta");
	refused("no row of the highest lid",
		edited(load("ports.topo"), "# lid 18 lmc 1 \"", "# lid 64 lmc 0 \""), lft,
		"no table has a row for the lid of delta (dump_fts leaves out");
}

/* ---- ibdiagnet's dump, which reports adaptive routes ---- */

/*
 * The tables of an opensm-lfts.dump in ibdiagnet's words. Written after descriptions of the format:
 * there is no simulator of such switches.
 */
static char *as_far(const char *name)
{
	char *lft = load(name), *text = NULL, *line, *rest = lft;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("# This database file was automatically generated by IBDIAG\nFile version: 1\n", out);
	while ((line = strsep(&rest, "\n"))) {
		const char *guid = strstr(line, " guid ");

		if (!strncmp(line, "Unicast", 7))
			fprintf(out, "\nSwitch %.18s - switch\nar_en: 1\nGroups Definition:\n"
				"Group  Sub Group  WHBF  Ports\n--------\n1 0 0 5,\n2 0 0 5,6,\n2 "
				"1 0 7\n"
				"LFT Definition: PLFT_NUM: 0, top:0x80\n"
				"LID    Static Port  Lid State  Group\n--------\n", guid + 6);
		else if (!strncmp(line, "0x", 2))
			fprintf(out, "%.10s   Static   0\n", line);
	}
	fclose(out);
	free(lft);
	return text;
}

static void far_refused(const char *from, const char *to, const char *reason)
{
	refused("ibdiagnet", load("k44.topo"), edited(as_far("k44.lfts"), from, to), reason);
}

static void test_far(void)
{
	struct liquid_fabric *plain = import_files("k44.topo", "k44.lfts", 0, NULL), *fabric;
	char digest[2][LIQUID_DIGEST_HEX] = { "", "-" };
	char *topo = load("k44.topo"), *text = as_far("k44.lfts");
	struct liquid_error err = { "" };

	for (int i = 0; i < 2; i++) {
		fabric = import_text(topo, text, 0, NULL, &err);
		if (fabric)
			liquid_fabric_digest(fabric, digest[1], NULL);
		liquid_fabric_digest(plain, digest[0], NULL);
		ok(fabric && !strcmp(digest[0], digest[1]),
		   "ibdiagnet's dump, %s: the same fabric %s",
		   i ? "a group of the static port alone" : "all static", err.text);
		liquid_fabric_free(fabric);
		text = edited(text, "0x0035 005   Static   0", "0x0035 005   Free     1");
	}
	free(text);
	free(topo);
	liquid_fabric_free(plain);
	far_refused("0x0035 005   Static   0", "0x0035 005   Free     2",
		    "lft:27: this switch routes adaptively");
	far_refused("0x0035 005   Static   0", "0x0035 005   HBF     2", "routes adaptively");
	far_refused("0x0032 002   Static   0", "0x0032 002   Free    1",
		    "so the path is unknown");
	far_refused("0x0035 005   Static   0", "0x0035 005   Free    3",
		    "a group that the switch has");
	far_refused("0x0035 005   Static   0", "0x0035 005   Free", "a group that the switch has");
	far_refused("0x0035 005   Static   0", "0x0035 005", "expected Static, Free or HBF");
	far_refused("0x0035 005   Static   0", "0x0035 005   Bound   0",
		    "expected Static, Free or HBF");
	far_refused("1 0 0 5,", "1 0 0 0,", "expected ports from 1 to 254");
	far_refused("1 0 0 5,", "1 0 0 5;", "expected ports and commas");
	far_refused("1 0 0 5,", "99999 0 0 5,", "expected GROUP SUBGROUP");
	far_refused("1 0 0 5,", "1 0 x", "expected GROUP SUBGROUP");
	far_refused("ar_en: 1\nGroups", "0x0035 005   Static   0\nGroups",
		    "a row before the first table");
	far_refused("0x0035 005   Static   0", "LFT Definition: PLFT_NUM: 1, top:0x80",
		    "a second forwarding table");
	far_refused("0x0035 005   Static   0", "hello", "expected a row");
	far_refused("0x0035 005   Static   0\n", "", "pairs have no route");
	far_refused("Switch 0x0002c90000000002", "Switch 0x0002c90000000001", "a second table of");
	far_refused("Switch 0x0002c90000000002", "Switch 0x0002c90000000099", "is not in topo");
}

static void test_cut_short(void)
{
	char *topo = load("ports.topo"), *lft = load("ports.fts");
	bool all = true;

	for (size_t length = strlen(topo) - 2; length > 2; length -= 3) {
		struct liquid_error err = { "" };
		char *part = strndup(topo, length);
		struct liquid_fabric *fabric = import_text(part, lft, 0, NULL, &err);

		all = all && !fabric && strstr(err.text, ":");
		liquid_fabric_free(fabric);
		free(part);
	}
	ok(all, "a topology that is cut short anywhere is refused");
	all = true;
	for (size_t length = strlen(lft) - 16; length > 2; length -= 3) {
		struct liquid_error err = { "" };
		char *part = strndup(lft, length);
		struct liquid_fabric *fabric = import_text(topo, part, 0, NULL, &err);

		all = all && !fabric && strstr(err.text, "lft:");
		liquid_fabric_free(fabric);
		free(part);
	}
	ok(all, "tables that are cut short anywhere are refused");
	free(topo);
	free(lft);
}

/* ---- fabrics that are not whole, and units ---- */

/*
 * The k44 fabric with @count edits of its topology, and one of its tables where @lft_from is given.
 */
struct edit {
	const char *topo[4];		/* from, to, from, to */
	const char *lft[2];
};

/* How @edit is imported as @asked says; to be freed. */
static struct liquid_fabric *import_edited(const struct edit *edit,
					   const struct liquid_import *asked,
					   struct notes *notes, struct liquid_error *err)
{
	char *topo = load("k44.topo"), *lft = load("k44.lfts");
	struct liquid_fabric *fabric;

	for (int i = 0; i < 4 && edit->topo[i]; i += 2)
		topo = edited(topo, edit->topo[i], edit->topo[i + 1]);
	if (edit->lft[0])
		lft = edited(lft, edit->lft[0], edit->lft[1]);
	how = asked ? *asked : (struct liquid_import){ 0 };
	if (notes)
		notes->text[0] = '\0';
	*err = (struct liquid_error){ "" };
	fabric = import_text(topo, lft, 0, notes, err);
	how = (struct liquid_import){ .unit_bps = SLOWEST };
	free(topo);
	free(lft);
	return fabric;
}

static uint32_t capacity_out(const struct liquid_fabric *fabric, const char *host)
{
	uint32_t h = liquid_fabric_find_host(fabric, host);

	return h == LIQUID_NONE ? 0 :
	       liquid_fabric_link(fabric, liquid_fabric_host_out(fabric, h))->capacity;
}

/* An import again, like the one before, gives the same, byte for byte except for the notes. */
static bool repeats(const struct edit *edit, const struct liquid_fabric *fabric)
{
	struct liquid_import asked = { .like = fabric };
	char one[LIQUID_DIGEST_HEX] = "", two[LIQUID_DIGEST_HEX] = "-";
	struct liquid_error err;
	struct liquid_fabric *again = import_edited(edit, &asked, NULL, &err);

	if (again) {
		liquid_fabric_digest(fabric, one, NULL);
		liquid_fabric_digest(again, two, NULL);
	} else {
		printf("# %s\n", err.text);
	}
	liquid_fabric_free(again);
	return !strcmp(one, two);
}

/* Refused with @reason; with @asked it goes on, and @note says so. */
static void goes_on(const char *what, const struct edit *edit, const char *reason,
		    const struct liquid_import *asked, const char *note, uint32_t hosts)
{
	struct liquid_error err;
	struct notes notes = { "" };
	struct liquid_fabric *fabric = import_edited(edit, NULL, NULL, &err);

	ok(!fabric && strstr(err.text, reason), "%s: %s", what, err.text);
	liquid_fabric_free(fabric);
	fabric = import_edited(edit, asked, &notes, &err);
	ok(fabric && liquid_fabric_host_count(fabric) == hosts && strstr(notes.text, note),
	   "%s, by request: %u hosts %s %s", what, hosts, notes.text, err.text);
	ok(fabric && repeats(edit, fabric), "%s: imported again as it was, it is the same", what);
	liquid_fabric_free(fabric);
}

#define NODE001 "[1](2c90000001005) \t\"S-0002c90000000001\"[1]\t\t# lid "

static const struct edit whole, slow_host = {
	.topo = { "[1]\t\"H-0002c90000001064\"[1](2c90000001065) \t\t# \"node025 HCA-1\" lid 73 "
		  "4xSDR",
		  "[1]\t\"H-0002c90000001064\"[1](2c90000001065) \t\t# \"node025 HCA-1\" lid 73 "
		  "1xSDR" },
};

/* One degraded cable must not make the unit of all others, unasked. */
static void test_slow_host(void)
{
	struct liquid_import slowest = { .unit_bps = SLOWEST },
			     without = { .leave_out = "node025" };
	struct liquid_import half = { .unit_bps = 4000000000 };
	struct liquid_error err;
	struct liquid_fabric *fabric = import_edited(&slow_host, &slowest, NULL, &err);

	ok(fabric && liquid_fabric_unit_rate(fabric) == SLOWEST &&
	   capacity_out(fabric, "node025") == 1 &&
	   capacity_out(fabric, "node001") == 4,
	   "in the slowest host's units the others have four");
	liquid_fabric_free(fabric);
	goes_on("a slow host", &slow_host,
		"1 host is slower than most, which have 8G bit/s: node025 (2G "
		"bit/s); to go on, --leave-out LIST: without these hosts, switches or cables (an "
		"all-to-all is x2.07 as fast as with --unit-rate), --unit-rate 2G:", &slowest,
		"slower than the 31 hosts of capacity 4: node025; without (--leave-out) an "
		"all-to-all is x2.07 as fast", 32);
	goes_on("a slow host", &slow_host, "node025", &without, "left out as asked: node025", 31);
	fabric = import_edited(&slow_host, &half, NULL, &err);
	ok(!fabric && strstr(err.text, "slower than a unit of 4G bit/s: node025"), "%s", err.text);
	liquid_fabric_free(fabric);
}

static void test_fast_host(void)
{
	static const struct edit fast = {
		.topo = { "\"node025 HCA-1\" lid 73 4xSDR", "\"node025 HCA-1\" lid 73 4xDDR",
			  "# lid 73 lmc 0 \"sw7\" lid 48 4xSDR",
			  "# lid 73 lmc 0 \"sw7\" lid 48 4xDDR" },
	};
	struct liquid_error err;
	struct notes notes;
	struct liquid_fabric *fabric = import_edited(&fast, NULL, &notes, &err);

	ok(fabric && liquid_fabric_unit_rate(fabric) == 8000000000 &&
	   capacity_out(fabric, "node025") == 2 && capacity_out(fabric, "node001") == 1 &&
	   strstr(notes.text, "faster than the 31 hosts of capacity 1: node025"),
	   "a faster host has two units, and a note says so %s%s", notes.text, err.text);
	liquid_fabric_free(fabric);
}

/* What was imported before units had a rate: the slowest host's, and hosts of one unit each. */
static void test_like_first(void)
{
	char one[LIQUID_DIGEST_HEX] = "", two[LIQUID_DIGEST_HEX] = "-";
	struct liquid_error err;
	struct liquid_fabric *plain, *fabric;
	struct liquid_import asked = { 0 };

	liquid_fabric_make("papers-5x5", NULL, 0, &plain, NULL);
	asked.like = plain;
	fabric = import_edited(&slow_host, &asked, NULL, &err);
	liquid_fabric_digest(plain, one, NULL);
	ok(fabric && !liquid_fabric_unit_rate(fabric) && fabric_file_version(fabric) == 1 &&
	   capacity_out(fabric, "node001") == 1 && !liquid_fabric_digest(fabric, two, NULL) &&
	   !strcmp(two, "516cfcc8b9ba9ef65f777e1ce04ef94b2e809761ccda948f55a94afbfbe00e11"),
	   "like one of version 1: as it was imported then %s %s", two, err.text);
	liquid_fabric_free(fabric);
	liquid_fabric_free(plain);
}

#define UNKNOWN "4x??" "?"
#define NODE025_OUT "# lid 73 lmc 0 \"sw7\" lid 48 "
#define TRUNK_END(sw, lid) \
	"[5]\t\"S-0002c9000000000" #sw "\"[5]\t\t# \"sw" #sw "\" lid " #lid " "
#define NODE025_IN "\"node025 HCA-1\" lid 73 "

/* An ibnetdiscover that is older than the adapters */
static void test_unknown_speed(void)
{
	static const struct edit host = {
		.topo = { NODE025_IN "4xSDR", NODE025_IN UNKNOWN,
			  NODE025_OUT "4xSDR", NODE025_OUT "??SDR" },
	};
	static const struct edit trunk = {
		.topo = { TRUNK_END(2, 43) "4xSDR", TRUNK_END(2, 43) UNKNOWN,
			  TRUNK_END(1, 42) "4xSDR", TRUNK_END(1, 42) UNKNOWN },
	};
	static const struct edit one_end = {
		.topo = { NODE025_IN "4xSDR", NODE025_IN UNKNOWN },
	};
	struct liquid_import given = { .unknown_bps = 16000000000 },
			     without = { .leave_out = "node025" };
	struct liquid_error err;
	struct liquid_fabric *fabric = import_edited(&one_end, NULL, NULL, &err);

	ok(capacity_out(fabric, "node025") == 1, "a speed that one end tells is known %s",
	   err.text);
	liquid_fabric_free(fabric);
	goes_on("a host of an unknown speed", &host,
		"it does not tell the speed of 1 host: node025; to go on, --leave-out LIST: "
		"without these hosts, switches or cables, --unknown-rate RATE: all links of an "
		"unknown speed have it", &given,
		"faster than the 31 hosts of capacity 1: node025", 32);
	goes_on("a host of an unknown speed", &host, "node025", &without, "left out as asked", 31);
	goes_on("a link of an unknown speed", &trunk, "topo: it does not tell the speed of 2 links "
		"between switches", &given, "", 32);
}

/* @fabric is k44, as it is without what was read past; it is freed. */
static void is_k44(struct liquid_fabric *fabric, const char *what, const struct liquid_error *err)
{
	struct liquid_error none;
	struct liquid_fabric *plain = import_edited(&whole, NULL, NULL, &none);
	char one[LIQUID_DIGEST_HEX] = "", two[LIQUID_DIGEST_HEX] = "-";

	liquid_fabric_digest(plain, one, NULL);
	if (fabric)
		liquid_fabric_digest(fabric, two, NULL);
	ok(!strcmp(one, two), "%s: the same fabric %s", what, err->text);
	liquid_fabric_free(plain);
	liquid_fabric_free(fabric);
}

static void test_read_past(void)
{
	static const struct edit edit[] = {
		{ .topo = { "#\n", "\xef\xbb\xbf#\n" }, .lft = { "Uni", "\xef\xbb\xbfUni" } },
		{ .topo = { "#\n", "src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr "
			    "0x11:0) bad status 110; Connection timed out\n#\n",
			    "vendid", "ibwarn: [6931] sim_connect: attached as client 1\nvendid" },
		  .lft = { "Uni", "ibwarn: [7] mad_rpc: timed out\nUni" } },
		{ .lft = { "Uni", "Multicast mlids [0xc000-0xc3ff] of switch Lid 42 guid "
			   "0x0002c90000000001 (sw1):\n            0          1\n"
			   "     Ports: 0 1 2 3\n MLid\n0xc000        x x\n1 valid mlids dumped\n"
			   "Uni" } },
		{ .lft = { "Uni", "Multicast mlids [0xc000-0xc3ff] of switch Lid 42\nUni" } },
	};
	struct notes notes = { "" };
	struct liquid_error err;
	struct liquid_fabric *fabric;

	is_k44(import_edited(&edit[0], NULL, NULL, &err), "byte order marks", &err);
	is_k44(import_edited(&edit[1], NULL, &notes, &err), "diagnostics", &err);
	ok(strstr(notes.text,
		  "topo:1: 2 lines of diagnostics, not of output: is the file whole?") &&
	   strstr(notes.text, "lft:1: 1 line of diagnostics"), "%s", notes.text);
	is_k44(import_edited(&edit[2], NULL, NULL, &err), "tables of multicast groups", &err);
	fabric = import_edited(&edit[3], NULL, NULL, &err);
	ok(!fabric && strstr(err.text, "the file ends within a table"), "%s", err.text);
	liquid_fabric_free(fabric);
}

#define TRUNK "[5]\t\"S-0002c90000000002\"[5]\t\t# \"sw2\" lid 43 4xSDR"
#define SLOW_TRUNK "[5]\t\"S-0002c90000000002\"[5]\t\t# \"sw2\" lid 43 1xSDR"

static void test_slow_trunk(void)
{
	static const struct edit trunk = { .topo = { TRUNK, SLOW_TRUNK } };
	struct liquid_import slowest = { .unit_bps = SLOWEST };

	goes_on("a slow trunk", &trunk,
		"2 links that routes use are slower than a unit of 8G bit/s: sw",
		&slowest, "", 32);
}

/* Two hosts of one switch whose only uplink in use is fast: the slow one does no harm. */
static void test_idle_trunk(void)
{
	static const char topo[] =
		"Switch\t4 \"S-1\"\t\t# \"s\" base port 0 lid 1 lmc 0\n"
		"[1]\t\"H-a\"[1](a1) \t\t# \"a H\" lid 2 4xEDR\n"
		"[2]\t\"S-2\"[1]\t\t# \"t\" lid 4 4xEDR\n"
		"[3]\t\"S-2\"[2]\t\t# \"t\" lid 4 1xSDR\n"
		"Switch\t4 \"S-2\"\t\t# \"t\" base port 0 lid 4 lmc 0\n"
		"[1]\t\"S-1\"[2]\t\t# \"s\" lid 1 4xEDR\n"
		"[2]\t\"S-1\"[3]\t\t# \"s\" lid 1 1xSDR\n"
		"[3]\t\"H-b\"[1](b1) \t\t# \"b H\" lid 3 4xEDR\n"
		"Ca\t1 \"H-a\"\t\t# \"a H\"\n[1](a1) \t\"S-1\"[1]\t\t# lid 2 lmc 0 \"s\" lid 1 "
		"4xEDR\n"
		"Ca\t1 \"H-b\"\t\t# \"b H\"\n[1](b1) \t\"S-2\"[3]\t\t# lid 3 lmc 0 \"t\" lid 4 "
		"4xEDR\n";
	static const char lft[] =
		"Unicast lids [0x0-0x4] of switch DR path guid 0x1 (s):\n0x0002 001 :\n0x0003 00%c "
		":\n"
		"2 valid lids dumped\n"
		"Unicast lids [0x0-0x4] of switch DR path guid 0x2 (t):\n0x0002 001 :\n0x0003 003 "
		":\n"
		"2 valid lids dumped\n";
	struct liquid_error err = { "" };
	struct notes notes = { "" };
	struct liquid_fabric *fabric;
	char text[sizeof(lft)];

	how = (struct liquid_import){ 0 };
	snprintf(text, sizeof(text), lft, '2');
	fabric = import_text(topo, text, 0, &notes, &err);
	ok(has_counts(fabric, 2, 2, 6) &&
	   strstr(notes.text, "1 cables that no route uses are slower"),
	   "a slow cable that no route uses is not a fault %s%s", notes.text, err.text);
	liquid_fabric_free(fabric);
	snprintf(text, sizeof(text), lft, '3');
	fabric = import_text(topo, text, 0, NULL, &err);
	ok(!fabric && strstr(err.text,
			     "1 link that routes use is slower than a unit of 100G bit/s: "
			     "s[3]>t[2] (2G)"), "one that a route uses is: %s", err.text);
	liquid_fabric_free(fabric);
	how = (struct liquid_import){ .unit_bps = SLOWEST };
}

static void test_not_whole(void)
{
	static const struct edit no_lid = { .topo = { NODE001 "41 lmc 0", NODE001 "0 lmc 0" } };
	struct liquid_import allow = { .allow_unreachable = true },
			     without = { .leave_out = "node001" };
	struct liquid_import nobody = { .leave_out = "node[001-032]" };
	struct liquid_import typo = { .leave_out = "node001,nodeX" };
	struct liquid_fabric *fabric;
	struct liquid_error err;

	goes_on("a host without a lid", &no_lid,
		"1 host has no lid (has a subnet manager run?): node001; to "
		"go on, --leave-out LIST: without these hosts, switches or cables, "
		"--allow-unreachable:",
		&allow,
		"left out because they have no lid: node001", 31);
	goes_on("a host without a lid", &no_lid, "node001", &without, "left out as asked: node001",
		31);
	fabric = import_edited(&whole, &typo, NULL, &err);
	ok(!fabric && strstr(err.text, "cannot leave out unknown hosts, switches, cables or "
			     "rails: nodeX"), "%s", err.text);
	liquid_fabric_free(fabric);
	fabric = import_edited(&whole, &nobody, NULL, &err);
	ok(!fabric && strstr(err.text, "no host is left"), "%s", err.text);
	liquid_fabric_free(fabric);
}

#define NODE002 "[1](2c90000001009) \t\"S-0002c90000000001\"[2]\t\t# lid "

/* What ports show that no subnet manager has configured, and the first LID of a group. */
static void test_no_lid(void)
{
	static const struct edit edit[] = {
		{ .topo = { NODE001 "41 ", NODE001 "65535 ", NODE002 "50 ", NODE002 "65535 " } },
		{ .topo = { NODE001 "41 ", NODE001 "49152 ", NODE002 "50 ", NODE002 "0 " } },
		{ .topo = { "port 0 lid 49 lmc 0", "port 0 lid 65535 lmc 0",
			    NODE001 "41 ", NODE001 "65535 " } },
	};
	struct liquid_import allow = { .allow_unreachable = true },
			     without = { .leave_out = "node[001-002]" };

	for (int i = 0; i < 2; i++) {
		goes_on("two hosts without a lid", &edit[i], "2 hosts have no lid (has a subnet "
			"manager run?): node[001-002]; to go on", &allow,
			"left out because they have no lid: node[001-002]", 30);
		goes_on("two hosts without a lid", &edit[i], "node[001-002]", &without,
			"left out as asked: node[001-002]", 30);
	}
	goes_on("a host and a switch", &edit[2], "1 host has no lid", &allow, "node001", 31);
}

/* Of two ports with a LID none can be told from the other, until one of them is left out. */
static void test_shared_lid(void)
{
	static const struct edit edit = { .topo = { NODE001 "41 ", NODE001 "50 " } };
	static const struct edit sw = { .topo = { NODE001 "41 ", NODE001 "48 " } };
	struct liquid_import allow = { .allow_unreachable = true },
			     one = { .leave_out = "node001" },
			     both = { .leave_out = "node[001-002]" };
	const char *reason = "lid 50 belongs to two ports (hosts that share a lid: "
			     "node[001-002]); to go on, --leave-out LIST";

	goes_on("two hosts with a lid", &edit, reason, &one, "left out as asked: node001", 31);
	goes_on("two hosts with a lid", &edit, reason, &both, "left out as asked", 30);
	goes_on("two hosts with a lid", &edit, reason, &allow,
		"left out because they share a lid: node[001-002]", 30);
	goes_on("a host with a switch's lid", &sw,
		"lid 48 belongs to two ports (hosts that share a lid: node001)", &one,
		"left out as asked: node001", 31);
}

/* A cable that is left out takes routes with it, or the host at its end. */
static void test_cables(void)
{
	static const struct edit slow = { .topo = { TRUNK, SLOW_TRUNK } };
	struct liquid_import cut = { .leave_out = "sw1:5" },
			     both = { .leave_out = "sw2:5",
				      .allow_unreachable = true },
			     host = { .leave_out = "sw1:1,node002:1" };
	const struct edit *edits[] = { &whole, &slow };
	struct liquid_error err;
	struct notes notes;
	struct liquid_fabric *fabric = import_edited(&whole, &cut, NULL, &err);

	ok(!fabric && strstr(err.text, "pairs have no route: node005>"), "a cable: %s", err.text);
	liquid_fabric_free(fabric);
	for (int i = 0; i < 2; i++) {
		notes = (struct notes){ "" };
		fabric = import_edited(edits[i], &both, &notes, &err);
		ok(fabric && liquid_fabric_link_count(fabric) == 2 * (32 + 16 - 1) &&
		   liquid_fabric_unit_rate(fabric) == 8000000000 &&
		   strstr(notes.text, "1 cable left out as asked: sw1:5") &&
		   !strcmp(liquid_fabric_left_out(fabric)->name[0], "sw2:5"),
		   "without a %s cable: %s%s", i ? "slow" : "whole", notes.text, err.text);
		ok(fabric && repeats(edits[i], fabric), "it stays out");
		liquid_fabric_free(fabric);
	}
	fabric = import_edited(&whole, &host, &notes, &err);
	ok(fabric && liquid_fabric_host_count(fabric) == 30 && repeats(&whole, fabric),
	   "a cable of a host, by both ends: %s", err.text);
	liquid_fabric_free(fabric);
	host.leave_out = "sw1:9,sw1:,:1,sw9:1,sw1:1x,rail:2,sw1:4294967297";
	fabric = import_edited(&whole, &host, NULL, &err);
	ok(!fabric && strstr(err.text, "rails: sw1:9,sw1:,:1,sw9:1,sw1:1x,rail:2,sw1:4294967297 "
			     "..."), "no such cable: %s", err.text);
	liquid_fabric_free(fabric);
}

/* Without the table of a switch: its first line to the next table's, out of both files. */
static char *without_table(const char *guid)
{
	char *lft = load("k44.lfts"), *place = strstr(lft, guid), *end;

	while (place > lft && place[-1] != '\n')
		place--;
	end = strchr(strstr(place, "lids dumped"), '\n') + 1;
	memmove(place, end, strlen(end) + 1);
	return lft;
}

static void test_no_table(void)
{
	char *topo = load("k44.topo"), *lft = without_table(" guid 0x0002c90000000003 (");
	struct liquid_error err = { "" };
	struct notes notes = { "" };
	struct liquid_fabric *fabric;

	how = (struct liquid_import){ 0 };
	fabric = import_text(topo, lft, 0, NULL, &err);
	ok(!fabric && strstr(err.text, "the file ends without a table of switch sw3; to go on"),
	   "a switch without a table: %s", err.text);
	how.leave_out = "sw3";
	fabric = import_text(topo, lft, 0, NULL, &err);
	ok(!fabric && strstr(err.text, "pairs have no route"),
	   "routes through what is left out: %s",
	   err.text);
	how.allow_unreachable = true;
	fabric = import_text(topo, lft, 0, &notes, &err);
	ok(fabric && liquid_fabric_host_count(fabric) == 28 &&
	   liquid_fabric_switch_count(fabric) == 7 &&
	   strstr(notes.text, "left out as asked: sw3; left out with the switch of their cable: "
		  "node[009-012]; "), "left out with its hosts: %s%s", notes.text, err.text);
	liquid_fabric_free(fabric);
	how.leave_out = NULL;
	fabric = import_text(topo, lft, 0, &notes, &err);
	ok(fabric && liquid_fabric_host_count(fabric) == 28 &&
	   strstr(notes.text,
		  "not used by routes because they have no table: sw3; left out because no route "
		  "leads from or to them: node[009-012]"), "allowed: %s%s", notes.text, err.text);
	liquid_fabric_free(fabric);
	how = (struct liquid_import){ .unit_bps = SLOWEST };
	free(topo);
	free(lft);
}

/* A table that knows no host at all leaves nothing by which to choose a unit. */
static void test_no_rows(void)
{
	static const char topo[] =
		"Switch\t4 \"S-1\"\t\t# \"s\" base port 0 lid 1 lmc 0\n"
		"[1]\t\"H-a\"[1](a1) \t\t# \"a H\" lid 2 4xEDR\n"
		"[2]\t\"H-b\"[1](b1) \t\t# \"b H\" lid 3 4xEDR\n"
		"Ca\t1 \"H-a\"\t\t# \"a H\"\n[1](a1) \t\"S-1\"[1]\t\t# lid 2 lmc 0 \"s\" lid 1 "
		"4xEDR\n"
		"Ca\t1 \"H-b\"\t\t# \"b H\"\n[1](b1) \t\"S-1\"[2]\t\t# lid 3 lmc 0 \"s\" lid 1 "
		"4xEDR\n";
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;

	for (int allow = 0; allow < 2; allow++) {
		how = (struct liquid_import){ .allow_unreachable = allow };
		fabric = import_text(topo,
				     "Unicast lids [0x0-0x4] of switch DR path guid 0x1 (s):\n"
				     "0 valid lids dumped\n", 0, NULL, &err);
		ok(!fabric && strstr(err.text, allow ? "no host is left" :
				     "no table has a row for the lids of a,b"), "%s", err.text);
		liquid_fabric_free(fabric);
	}
	how = (struct liquid_import){ .unit_bps = SLOWEST };
}

/* All that is wrong is said at once. */
static void test_all_faults(void)
{
	static const struct edit edit = {
		.topo = { NODE001 "41 lmc 0", NODE001 "0 lmc 0", TRUNK, SLOW_TRUNK },
		.lft = { "0x0035 005", "0x0035 255" },
	};
	struct liquid_error err;
	struct liquid_fabric *fabric = import_edited(&edit, NULL, NULL, &err);

	ok(!fabric && strstr(err.text, "has no lid") && strstr(err.text, "have no route:") &&
	   strstr(err.text, "links that routes use are slower") &&
	   strstr(err.text, "--leave-out") &&
	   strstr(err.text, "--allow-unreachable") && strstr(err.text, "--unit-rate 2G"),
	   "all at once: %s", err.text);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_recorded("k44", 96);
	test_recorded("fat-tree", 128);
	test_routes();
	test_names();
	test_capacities();
	test_aliases();
	test_rails();
	test_rail_names();
	test_endpoints();
	test_node_names();
	test_rounding();
	test_rates();
	test_back_to_back();
	test_mixed_up();
	test_topo();
	test_lft();
	test_lid_missing();
	test_far();
	test_slow_host();
	test_fast_host();
	test_unknown_speed();
	test_read_past();
	test_like_first();
	test_slow_trunk();
	test_idle_trunk();
	test_not_whole();
	test_no_lid();
	test_shared_lid();
	test_cables();
	test_no_table();
	test_no_rows();
	test_all_faults();
	test_cut_short();
	return tap_exit();
}
