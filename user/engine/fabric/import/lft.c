// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reading forwarding tables, as dump_fts and opensm (opensm-lfts.dump) write them:
 *
 *	Unicast lids [0-40] of switch Lid 2 guid 0x0002c90000000001 ('sw1'):
 *	0x0003 006 # Channel Adapter portguid 0x0002c90000000102: 'node016 HCA-1'
 *	40 lids dumped
 *
 *	Unicast lids [0x0-0x28] of switch DR path slid 0; dlid 0; 0,1 guid 0x0002c90000000001 (sw1):
 *	  Lid  Out   Destination
 *	       Port     Info
 *	0x0003 006 : (Channel Adapter portguid 0x0002c90000000102: 'node016 HCA-1')
 *	40 valid lids dumped
 *
 * or as ibdiagnet writes them for switches that may route adaptively (far.c).
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/import/far.h"

#define PORT_NONE 255			/* in a table: no route */

struct lft_reader {
	struct line_reader lines;
	struct import *import;
	uint32_t node;			/* switch of this table; LIQUID_NONE between tables */
	uint32_t rows;			/* rows of this table so far */
	unsigned long *header;		/* by switch of the fabric: first line of its table */
	struct far far;
	bool groups;			/* within a table of multicast groups, which are ignored */
	struct import_diagnostics diagnostics;
};

static int bad_row(const struct lft_reader *r, const char *reason)
{
	return line_fail(&r->lines, r->import->err, "%s", reason);
}

/* ---- a table's first and last line ---- */

static uint32_t find_switch(const struct topo *topo, uint64_t guid)
{
	uint32_t low = 0, high = topo->nodes;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (topo->node[topo->by_guid[middle]].guid < guid)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < topo->nodes && topo->node[topo->by_guid[low]].guid == guid; low++)
		if (topo->node[topo->by_guid[low]].kind == TOPO_SWITCH)
			return topo->by_guid[low];
	return LIQUID_NONE;
}

/* Begin the table of the switch with @guid, which is text as 0x0002c90000000001. */
static int begin_table(struct lft_reader *r, const char *guid)
{
	const struct topo *topo = &r->import->topo;
	uint32_t sw;

	r->node = find_switch(topo, strtoull(guid, NULL, 16));
	if (r->node == LIQUID_NONE)
		return line_fail(&r->lines, r->import->err,
				 "switch %.18s is not in %s: are they of the same fabric?", guid,
				 r->import->given->topo_label);
	sw = topo->node[r->node].sw;
	if (r->header[sw])
		return line_fail(&r->lines, r->import->err,
				 "a second table of switch %s; the first is on line %lu",
				 r->import->fabric->sw[sw].name, r->header[sw]);
	r->header[sw] = r->lines.number;
	r->rows = 0;
	return LIQUID_OK;
}

static int read_header(struct lft_reader *r)
{
	const char *text = strstr(r->lines.text, " guid 0x");

	if (r->node != LIQUID_NONE)
		return bad_row(r, "a table begins before 'lids dumped' of the previous one: "
				  "is the file cut short?");
	if (!text || !isxdigit((unsigned char)text[8]))
		return bad_row(r, "expected ' guid 0x...' of the switch");
	return begin_table(r, text + 6);
}

/* A table of ibdiagnet has no last line. It is taken for complete if it has a row. */
static int end_far_table(struct lft_reader *r)
{
	if (r->node != LIQUID_NONE && !r->rows)
		return bad_row(r, "the switch before this line has no table: is the file cut "
				  "short?");
	r->node = LIQUID_NONE;
	return LIQUID_OK;
}

static int read_far_header(struct lft_reader *r, const char *line)
{
	int status = r->node != LIQUID_NONE && r->far.part == FAR_NONE ?
		     bad_row(r, "expected a row of a forwarding table") : end_far_table(r);

	if (status)
		return status;
	if (far_begin(&r->far))
		return liquid_no_memory(r->import->err);
	return begin_table(r, line + strlen("Switch "));
}

/* "40 valid lids dumped" counts the rows; "40 lids dumped" also LIDs without a row. */
static int read_trailer(struct lft_reader *r)
{
	unsigned long rows = strtoul(r->lines.text, NULL, 10);
	bool exact = strstr(r->lines.text, " valid ");

	if (r->node == LIQUID_NONE)
		return bad_row(r, "'lids dumped' without a table");
	if (rows < r->rows || (exact && rows > r->rows))
		return line_fail(&r->lines, r->import->err,
				 "%lu lids dumped, but the table has %u rows",
				 rows, r->rows);
	r->node = LIQUID_NONE;
	return LIQUID_OK;
}

/* ---- rows ---- */

/* Has the port or switch with @guid no LID of its own now, or none that matters? */
static bool has_lost_lid(const struct import *im, uint64_t guid)
{
	uint32_t sw = find_switch(&im->topo, guid);

	if (sw != LIQUID_NONE)
		return !im->topo.node[sw].lid;
	for (uint32_t p = 0; p < im->topo.ports; p++) {
		const struct topo_port *port = &im->topo.port[p];

		if (port->guid == guid)
			return import_is_left_out(im, port) || im->lack[port->host];
	}
	return false;
}

/* Check that the row's GUID for this LID agrees with the topology. */
static int check_owner(const struct lft_reader *r, uint32_t lid, const char *rest)
{
	const struct import *im = r->import;
	struct lid_entry *entry = &im->lid[lid];
	const char *text = strstr(rest, "portguid 0x");
	uint64_t guid;

	if (!text)
		return LIQUID_OK;
	guid = strtoull(text + 11, NULL, 16);
	if (entry->use == LID_UNKNOWN && has_lost_lid(im, guid))
		entry->use = LID_OTHER;
	if (entry->use == LID_UNKNOWN)
		return line_fail(&r->lines, im->err,
				 "no node in %s has lid %u: are both files of the same fabric and "
				 "time?", im->given->topo_label, lid);
	if ((entry->use == LID_HOST || entry->use == LID_ALIAS) && !entry->shared &&
	    im->topo.port[entry->owner].guid &&
	    im->topo.port[entry->owner].guid != guid)
		return line_fail(&r->lines, im->err,
				 "lid %u is port 0x%016llx here and 0x%016llx in %s: are they of "
				 "the same fabric?", lid, (unsigned long long)guid,
				 (unsigned long long)im->topo.port[entry->owner].guid,
				 im->given->topo_label);
	return LIQUID_OK;
}

/* Find the link that leaves the switch of this table at port @number. */
static int find_link(const struct lft_reader *r, uint32_t number, uint32_t *link)
{
	const struct import *im = r->import;
	const struct liquid_fabric *fabric = im->fabric;
	uint32_t sw = im->topo.node[r->node].sw;

	*link = fabric_find_link(fabric, liquid_fabric_host_count(fabric) + sw, number);
	if (*link == LIQUID_NONE)
		return line_fail(&r->lines, im->err,
				 "port %u of switch %s has no cable in %s", number,
				 liquid_fabric_node_name(fabric, fabric->hosts + sw),
				 im->given->topo_label);
	return LIQUID_OK;
}

static int read_row(struct lft_reader *r)
{
	const struct import *im = r->import;
	struct lid_entry *entry;
	struct liquid_error why;
	const char *reason;
	unsigned long lid, port;
	char *at, *end;
	uint32_t link;
	int status;

	if (r->node == LIQUID_NONE || (r->far.part != FAR_NONE && r->far.part != FAR_TABLE))
		return bad_row(r, "a row before the first table");
	lid = strtoul(r->lines.text, &at, 16);
	port = strtoul(at, &end, 10);
	if (end == at || !isspace((unsigned char)*at) || lid >= TOPO_LIDS || port > PORT_NONE ||
	    (*end && !isspace((unsigned char)*end)))
		return bad_row(r, "expected 0xLID PORT");
	r->rows++;
	status = check_owner(r, (uint32_t)lid, end);
	entry = &im->lid[lid];
	entry->seen = true;
	if (!status && entry->use == LID_ALIAS && port <= TOPO_PORT_MAX &&
	    (r->far.part != FAR_TABLE || !far_row(&r->far, end, port)))
		r->import->alias_port[(size_t)entry->alias * im->read_switches +
				      im->topo.node[r->node].read_sw] = (uint8_t)port;
	/* Port 0 is the switch itself. A LID that two hosts have may be that of either. */
	if (status || entry->use != LID_HOST || port == PORT_NONE || !port ||
	    im->lack[im->topo.port[entry->owner].host])
		return status;
	reason = r->far.part == FAR_TABLE ? far_row(&r->far, end, port) : NULL;
	if (reason)
		return bad_row(r, reason);
	status = find_link(r, (uint32_t)port, &link);
	if (status)
		return status;
	status = liquid_fabric_set_forward(im->fabric, im->topo.node[r->node].sw,
					   im->topo.port[entry->owner].host, link, &why);
	if (status == LIQUID_BAD_INPUT)
		return bad_row(r, why.text);
	return status ? liquid_fail(im->err, status, "%s", why.text) : LIQUID_OK;
}

/* ---- the file ---- */

/* Lines of a table of dump_fts -M, from "Multicast mlids" to "mlids dumped" */
static bool is_of_groups(struct lft_reader *r, const char *line)
{
	bool inside = r->groups;

	if (r->node != LIQUID_NONE)
		return false;
	if (!strncmp(line, "Multicast mlids ", 16))
		r->groups = true;
	else if (inside && strstr(line, "mlids dumped"))
		r->groups = false;
	return inside || r->groups;
}

static int read_line(struct lft_reader *r)
{
	const char *at = r->lines.text, *reason;
	bool known;

	at += strspn(at, " \t\r");
	if (!*at || !strncmp(at, "Lid  Out ", 9) || !strncmp(at, "Port  ", 6) ||
	    is_of_groups(r, at) || import_is_diagnostic(&r->lines, &r->diagnostics))
		return LIQUID_OK;
	if (!strncmp(at, "Unicast lids ", 13))
		return read_header(r);
	if (far_begins(at))
		return read_far_header(r, at);
	if (!strncmp(at, "0x", 2))
		return read_row(r);
	reason = far_line(&r->far, at, &known);
	if (reason)
		return bad_row(r, reason);
	if (known)
		return LIQUID_OK;
	if (isdigit((unsigned char)*at) && strstr(at, "lids dumped"))
		return read_trailer(r);
	if (strstr(at, "# Topology file") || strstr(at, "guid=0x") || !strncmp(at, "vendid=", 7))
		return bad_row(r, "this looks like ibnetdiscover's output; expected a dump of "
				  "forwarding tables (dump_fts, opensm-lfts.dump, ibdiagnet2.far)");
	if (*at == '#')
		return LIQUID_OK;
	return bad_row(r, "expected a row or the first or last line of a forwarding table");
}

/* Find switches without a table. At least one must have a table, and the last must be complete. */
static int check_tables(struct lft_reader *r)
{
	const struct liquid_fabric *fabric = r->import->fabric;
	int status = r->far.part == FAR_NONE ? LIQUID_OK : end_far_table(r);
	uint32_t without = 0;

	if (status)
		return status;
	if (r->node != LIQUID_NONE || r->groups)
		return bad_row(r, "the file ends within a table");
	for (uint32_t s = 0; s < fabric->switches; s++) {
		if (r->header[s])
			continue;
		r->import->lack[fabric->hosts + s] = LACK_TABLE;
		without++;
	}
	if (without && without == fabric->switches)
		return bad_row(r, "the file ends without a table of any switch");
	return LIQUID_OK;
}

/*
 * Find hosts without a row in any table. dump_fts of infiniband-diags 44 does not print the
 * highest LID if that is a multiple of 64, because it stops before the last block of the table.
 */
static void check_lids(struct import *im)
{
	bool highest = true;

	for (uint32_t lid = TOPO_LIDS; lid-- > 1;) {
		const struct lid_entry *entry = &im->lid[lid];

		if (entry->use == LID_HOST && !entry->seen) {
			im->lack[im->topo.port[entry->owner].host] = LACK_ROW;
			im->lost_highest |= highest && lid % 64 == 0;
		}
		highest = highest && entry->use == LID_UNKNOWN;
	}
}

static int check_whole(struct lft_reader *r)
{
	int status = check_tables(r);

	/* Two hosts connected by a cable need no table */
	if (!status && liquid_fabric_switch_count(r->import->fabric))
		check_lids(r->import);
	return status;
}

static int read_tables(struct lft_reader *r)
{
	int status, more;

	do {
		more = line_next(&r->lines, r->import->err);
		if (more < 0)
			return more;
		status = more ? read_line(r) : check_whole(r);
	} while (!status && more);
	return status;
}

int import_lft(struct import *import)
{
	struct lft_reader r = { .import = import, .node = LIQUID_NONE };
	int status;

	r.header = calloc(liquid_fabric_switch_count(import->fabric) + 1, sizeof(*r.header));
	if (!r.header)
		return liquid_no_memory(import->err);
	status = line_open(&r.lines, import->given->lft, import->given->lft_label, LINE_BLOCK,
			   import->err);
	if (!status)
		status = read_tables(&r);
	if (!status)
		import_note_diagnostics(import, import->given->lft_label, &r.diagnostics);
	line_close(&r.lines);
	far_free(&r.far);
	free(r.header);
	return status;
}
