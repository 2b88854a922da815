// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reading ibnetdiscover's output: nodes, their ports, and the cables between them. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/import/import.h"

struct topo_reader {
	struct line_reader lines;
	struct topo *topo;
	struct liquid_error *err;
};

/* ---- pieces of a line: each function advances @at or returns false ---- */

static void skip_space(const char **at)
{
	while (**at == ' ' || **at == '\t')
		++*at;
}

static bool take_char(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static bool take_text(const char **at, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(*at, text, length))
		return false;
	*at += length;
	return true;
}

static bool take_number(const char **at, uint32_t max, uint32_t *number)
{
	const char *start = *at;

	*number = 0;
	while (isdigit((unsigned char)**at) && *at - start < 9)
		*number = 10 * *number + (uint32_t)(*(*at)++ - '0');
	return *at != start && *number <= max && !isdigit((unsigned char)**at);
}

/* A LID above the unicast ones is that of a port which no subnet manager has configured. */
static bool take_lid(const char **at, uint32_t *lid)
{
	if (!take_number(at, TOPO_LID_MAX, lid))
		return false;
	if (*lid >= TOPO_LIDS)
		*lid = 0;
	return true;
}

static bool take_hex(const char **at, uint64_t *number)
{
	const char *start = *at, *digits = "0123456789abcdef", *digit;

	*number = 0;
	while (**at && *at - start < 16) {
		digit = strchr(digits, tolower((unsigned char)**at));
		if (!digit)
			break;
		*number = *number << 4 | (uint64_t)(digit - digits);
		++*at;
	}
	return *at != start && !isxdigit((unsigned char)**at);
}

/* "[12]" or, in a chassis, "[12][ext 3]" */
static bool take_port(const char **at, uint32_t *number)
{
	uint32_t outside;

	if (!take_char(at, '[') || !take_number(at, TOPO_PORT_MAX, number) || !*number ||
	    !take_char(at, ']'))
		return false;
	return !take_text(at, "[ext ") || (take_number(at, UINT32_MAX, &outside) &&
					   take_char(at, ']'));
}

/* "(2c90300a1b2c3)", which ports of switches do not have */
static bool take_guid(const char **at, uint64_t *guid)
{
	*guid = 0;
	return !take_char(at, '(') || (take_hex(at, guid) && take_char(at, ')'));
}

/* "\"S-0002c90000000001\"" */
static bool take_id(const char **at, enum topo_kind *kind, uint64_t *guid)
{
	if (!take_char(at, '"') || !**at || !strchr("SHR", **at))
		return false;
	*kind = (enum topo_kind)*(*at)++;
	return take_char(at, '-') && take_hex(at, guid) && take_char(at, '"');
}

/* ---- nodes ---- */

/* Copy the next word of a description as a valid name, cut if it is too long. */
static const char *take_word(const char *at, const char *end, char word[TOPO_WORD])
{
	size_t length = 0;

	while (at < end && isspace((unsigned char)*at))
		at++;
	for (; at < end && !isspace((unsigned char)*at); at++)
		if (length < TOPO_WORD - 1)
			word[length++] = name_char((unsigned char)*at) ? *at : '_';
	word[length] = '\0';
	return at;
}

/* Descriptions of adapters that nothing has named, and of nodes that had no name yet */
static bool is_nameless(const struct topo_node *node, const char *start, const char *end)
{
	static const char *const makers[] = { "Mellanox Technologies", "Infiniband HCA" };

	if (node->kind != TOPO_ADAPTER || node->left_out)
		return false;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (memmem(start, (size_t)(end - start), makers[i], strlen(makers[i])))
			return true;
	return !strcmp(node->node, "localhost");
}

void topo_describe(struct topo_node *node, const char *start, const char *end)
{
	take_word(take_word(start, end, node->node), end, node->adapter);
	if (!node->node[0])
		snprintf(node->node, sizeof(node->node), "%016llx",
			 (unsigned long long)node->guid);
	node->nameless = is_nameless(node, start, end);
}

/* Read the description, which is between the first and the last quote of @at. */
static bool take_description(const char *at, struct topo_node *node)
{
	const char *start = strchr(at, '"'), *end = strrchr(at, '"');
	static const char aggregation[] = "Aggregation Node";

	if (!start || start == end)
		return false;
	node->left_out = node->kind == TOPO_ROUTER ||
			 (node->kind == TOPO_ADAPTER &&
			  memmem(start, (size_t)(end - start), aggregation, strlen(aggregation)));
	topo_describe(node, start + 1, end);
	return true;
}

static int add_node(struct topo_reader *r, const struct topo_node *node)
{
	struct topo *topo = r->topo;
	struct topo_node *larger;

	if (topo->nodes >= TOPO_NODES_MAX)
		return line_fail(&r->lines, r->err, "more than %u nodes", TOPO_NODES_MAX);
	if (!(topo->nodes & (topo->nodes - 1))) {
		larger = realloc(topo->node, (2 * (size_t)topo->nodes + 1) * sizeof(*larger));
		if (!larger)
			return liquid_no_memory(r->err);
		topo->node = larger;
	}
	topo->node[topo->nodes++] = *node;
	return LIQUID_OK;
}

/* Switch	24 "S-0002c90000000001"		# "sw1" base port 0 lid 2 lmc 0 */
static int read_node(struct topo_reader *r, const char *at, enum topo_kind kind)
{
	struct topo_node node = { .line = r->lines.number, .first_port = r->topo->ports,
				  .sw = LIQUID_NONE };
	const char *lid;
	uint32_t ports;

	skip_space(&at);
	if (!take_number(&at, TOPO_PORT_MAX + 1, &ports))
		return line_fail(&r->lines, r->err, "expected the node's number of ports");
	skip_space(&at);
	if (!take_id(&at, &node.kind, &node.guid) || node.kind != kind)
		return line_fail(&r->lines, r->err, "expected the node's id as \"%c-GUID\"", kind);
	skip_space(&at);
	if (!take_char(&at, '#') || !take_description(at, &node))
		return line_fail(&r->lines, r->err, "expected # \"node description\"");
	if (kind == TOPO_SWITCH && !r->topo->bare) {
		lid = strstr(strrchr(at, '"'), " lid ");
		if (!lid || (lid += 5, !take_lid(&lid, &node.lid)))
			return line_fail(&r->lines, r->err, "expected the switch's lid");
	}
	return add_node(r, &node);
}

/* ---- ports ---- */

/* Data rate of a lane in Mbit/s, without line coding. */
static const struct speed {
	const char *name;
	uint32_t rate;
} speeds[] = {
	{ "SDR", 2000 },   { "DDR", 4000 },  { "QDR", 8000 },	{ "FDR10", 10000 },
	{ "FDR", 13636 },  { "EDR", 25000 }, { "HDR", 50000 },	{ "NDR", 100000 },
	{ "XDR", 200000 },
};

/* "4xEDR". ibnetdiscover writes ?? or ??? for a width or a speed that it does not know: rate 0. */
static bool take_rate(const char **at, uint32_t *rate)
{
	uint32_t width = 0;

	if (!take_text(at, "??") && (!take_number(at, 16, &width) || !width || !take_char(at, 'x')))
		return false;
	if (take_text(at, "???"))
		return true;
	*rate = 0;
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		size_t length = strlen(speeds[i].name);

		if (!strncmp(*at, speeds[i].name, length) &&
		    !isalnum((unsigned char)(*at)[length])) {
			*rate = width * speeds[i].rate;
			return true;
		}
	}
	return false;
}

/* lid 34 lmc 0 "sw7" lid 10 4xSDR; the port of a switch has no lid and lmc before the name */
static int read_port_comment(struct topo_reader *r, const char *at, struct topo_port *port)
{
	const char *tail = strrchr(at, '"');
	bool adapter = r->topo->node[port->node].kind != TOPO_SWITCH;
	uint32_t peer_lid;

	skip_space(&at);
	if (adapter && !(take_text(&at, "lid ") && take_lid(&at, &port->lid) &&
			 take_text(&at, " lmc ") && take_number(&at, 7, &port->lmc)))
		return line_fail(&r->lines, r->err, "expected # lid N lmc N");
	if (tail) {
		tail++;
		skip_space(&tail);
		if (take_text(&tail, "lid ") && take_lid(&tail, &peer_lid)) {
			skip_space(&tail);
			if (take_rate(&tail, &port->rate))
				return LIQUID_OK;
		}
	}
	return line_fail(&r->lines, r->err,
			 "expected \"description\" lid N and width and speed, as 4xEDR, at the "
			 "end");
}

static int add_port(struct topo_reader *r, const struct topo_port *port)
{
	struct topo *topo = r->topo;
	struct topo_node *node = &topo->node[port->node];
	struct topo_port *larger;

	for (uint32_t p = node->first_port; p < topo->ports; p++)
		if (topo->port[p].number == port->number)
			return line_fail(&r->lines, r->err,
					 "a second line of port %u; the first is line %lu",
					 port->number, topo->port[p].line);
	if (topo->ports >= TOPO_PORTS_MAX)
		return line_fail(&r->lines, r->err, "more than %u ports", TOPO_PORTS_MAX);
	if (!(topo->ports & (topo->ports - 1))) {
		larger = realloc(topo->port, (2 * (size_t)topo->ports + 1) * sizeof(*larger));
		if (!larger)
			return liquid_no_memory(r->err);
		topo->port = larger;
	}
	topo->port[topo->ports++] = *port;
	node->ports++;
	return LIQUID_OK;
}

/* [1](2c9000...) 	"S-0002c90000000001"[4]		# lid 34 lmc 0 "sw7" lid 10 4xSDR */
static int read_port(struct topo_reader *r, const char *at)
{
	struct topo_port port = { .line = r->lines.number, .host = LIQUID_NONE,
				  .peer = LIQUID_NONE };
	uint64_t peer_port_guid;
	int status;

	if (!r->topo->nodes)
		return line_fail(&r->lines, r->err, "a port before the first node");
	port.node = r->topo->nodes - 1;
	if (!take_port(&at, &port.number) || !take_guid(&at, &port.guid))
		return line_fail(&r->lines, r->err, "expected [port] or [port](guid)");
	skip_space(&at);
	if (!take_id(&at, &port.peer_kind, &port.peer_guid) || !take_port(&at, &port.peer_number) ||
	    !take_guid(&at, &peer_port_guid))
		return line_fail(&r->lines, r->err,
				 "expected the other end of the cable as \"S-GUID\"[port]");
	skip_space(&at);
	if (r->topo->bare && !*at)
		return add_port(r, &port);
	if (!take_char(&at, '#'))
		return line_fail(&r->lines, r->err, "expected # and the properties of the cable");
	status = read_port_comment(r, at, &port);
	return status ? status : add_port(r, &port);
}

/* ---- lines ---- */

/* Comments, properties as vendid=0x2c9, and the lines on chassis of `ibnetdiscover -g` */
static bool is_ignored(const char *line)
{
	size_t letters = 0;

	while (islower((unsigned char)line[letters]))
		letters++;
	return !*line || *line == '#' || (letters && line[letters] == '=') ||
	       !strncmp(line, "Chassis ", 8) || !strncmp(line, "Non-Chassis ", 12);
}

static int read_line(struct topo_reader *r)
{
	const char *at = r->lines.text;

	skip_space(&at);
	if (is_ignored(at) || *at == '\r' ||
	    import_is_diagnostic(&r->lines, &r->topo->diagnostics))
		return LIQUID_OK;
	if (*at == '[')
		return read_port(r, at);
	if (take_text(&at, "Switch"))
		return read_node(r, at, TOPO_SWITCH);
	if (take_text(&at, "Ca"))
		return read_node(r, at, TOPO_ADAPTER);
	if (take_text(&at, "Rt"))
		return read_node(r, at, TOPO_ROUTER);
	if (take_text(&at, "Unicast lids"))
		return line_fail(&r->lines, r->err,
				 "a dump of forwarding tables; expected ibnetdiscover's output");
	return line_fail(&r->lines, r->err,
			 "expected a Switch, Ca or Rt line or a [port] of ibnetdiscover's output");
}

/* ---- joining the ends of cables ---- */

static int compare_nodes(const void *a, const void *b, void *context)
{
	const struct topo *topo = context;
	const struct topo_node *x = &topo->node[*(const uint32_t *)a];
	const struct topo_node *y = &topo->node[*(const uint32_t *)b];

	if (x->guid != y->guid)
		return x->guid < y->guid ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static uint32_t find_node(const struct topo *topo, uint64_t guid, enum topo_kind kind)
{
	uint32_t low = 0, high = topo->nodes;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct topo_node *node = &topo->node[topo->by_guid[middle]];

		if (node->guid == guid && node->kind == kind)
			return topo->by_guid[middle];
		if (node->guid < guid || (node->guid == guid && node->kind < kind))
			low = middle + 1;
		else
			high = middle;
	}
	return LIQUID_NONE;
}

struct topo_node *topo_find(const struct topo *topo, uint64_t guid)
{
	uint32_t node = find_node(topo, guid, TOPO_SWITCH);

	if (node == LIQUID_NONE)
		node = find_node(topo, guid, TOPO_ADAPTER);
	return node == LIQUID_NONE ? NULL : &topo->node[node];
}

static int sort_nodes(struct topo_reader *r)
{
	struct topo *topo = r->topo;

	topo->by_guid = malloc((topo->nodes + 1) * sizeof(*topo->by_guid));
	if (!topo->by_guid)
		return liquid_no_memory(r->err);
	for (uint32_t n = 0; n < topo->nodes; n++)
		topo->by_guid[n] = n;
	qsort_r(topo->by_guid, topo->nodes, sizeof(*topo->by_guid), compare_nodes, topo);
	for (uint32_t i = 1; i < topo->nodes; i++) {
		const struct topo_node *node = &topo->node[topo->by_guid[i]];

		if (compare_nodes(&topo->by_guid[i - 1], &topo->by_guid[i], topo))
			continue;
		r->lines.number = node->line;
		return line_fail(&r->lines, r->err, "a second line of node \"%c-%016llx\"",
				 node->kind, (unsigned long long)node->guid);
	}
	return LIQUID_OK;
}

static uint32_t find_port(const struct topo *topo, uint32_t n, uint32_t number)
{
	const struct topo_node *node = &topo->node[n];

	for (uint32_t p = node->first_port; p < node->first_port + node->ports; p++)
		if (topo->port[p].number == number)
			return p;
	return LIQUID_NONE;
}

static int join_port(struct topo_reader *r, struct topo_port *port)
{
	const struct topo *topo = r->topo;
	const struct topo_node *node = &topo->node[port->node];
	uint32_t peer_node = find_node(topo, port->peer_guid, port->peer_kind);
	const struct topo_port *peer;

	r->lines.number = port->line;
	if (peer_node == LIQUID_NONE)
		return line_fail(&r->lines, r->err,
				 "a cable to \"%c-%016llx\", which the file does not have: "
				 "is it cut short?", port->peer_kind,
				 (unsigned long long)port->peer_guid);
	port->peer = find_port(topo, peer_node, port->peer_number);
	if (port->peer == LIQUID_NONE)
		return line_fail(&r->lines, r->err, "a cable to port %u of %s, which has no line",
				 port->peer_number, topo->node[peer_node].node);
	peer = &topo->port[port->peer];
	if (peer->peer_guid != node->guid || peer->peer_kind != node->kind ||
	    peer->peer_number != port->number)
		return line_fail(&r->lines, r->err,
				 "the other end of the cable, line %lu, leads elsewhere",
				 peer->line);
	return LIQUID_OK;
}

static int join(struct topo_reader *r)
{
	int status = sort_nodes(r);

	for (uint32_t p = 0; p < r->topo->ports && !status; p++)
		status = join_port(r, &r->topo->port[p]);
	return status;
}

int topo_read(struct topo *topo, FILE *in, const char *label, struct liquid_error *err)
{
	struct topo_reader r = { .topo = topo, .err = err };
	int status = line_open(&r.lines, in, label, LINE_BLOCK, err), more = 1;

	while (!status && more) {
		more = line_next(&r.lines, err);
		if (more < 0)
			status = more;
		else if (more)
			status = read_line(&r);
	}
	if (!status && !topo->nodes)
		status = line_fail(&r.lines, err, "no node: this is not ibnetdiscover's output");
	if (!status)
		status = join(&r);
	line_close(&r.lines);
	return status;
}

void topo_free(struct topo *topo)
{
	free(topo->node);
	free(topo->port);
	free(topo->by_guid);
	*topo = (struct topo){ 0 };
}
