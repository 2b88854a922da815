// SPDX-License-Identifier: LGPL-2.1-or-later
/* What version 2 of the fabric format adds: unit, lanes, notes and options of the import. */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "base/hostlist.h"

int liquid_fabric_set_unit_rate(struct liquid_fabric *fabric, uint64_t bps,
				struct liquid_error *err)
{
	if (fabric->version == 1)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a fabric of version 1 has no unit rate");
	if (!bps || bps > FABRIC_UNIT_BPS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a unit's rate is a number of bit/s, 1 ... %llu",
				   (unsigned long long)FABRIC_UNIT_BPS_MAX);
	fabric->unit_bps = bps;
	fabric->digest->whole.state = DIGEST_NONE;
	return LIQUID_OK;
}

uint64_t liquid_fabric_unit_rate(const struct liquid_fabric *fabric)
{
	return fabric->unit_bps;
}

bool fabric_has_host_capacities(const struct liquid_fabric *fabric)
{
	if (fabric->version == 1)
		return false;
	for (uint32_t l = 0; l < fabric->links; l++) {
		const struct liquid_link *link = &fabric->link[l];

		if ((link->from < fabric->hosts || link->to < fabric->hosts) && link->capacity > 1)
			return true;
	}
	return false;
}

int fabric_file_version(const struct liquid_fabric *fabric)
{
	const struct fabric_import *import = &fabric->import;

	return fabric->unit_bps || import->rail || import->allow_unreachable ||
	       import->unknown_bps || import->node_names.count || import->domain ||
	       import->left_out.count || fabric->notes.count || fabric_has_lanes(fabric) ||
	       fabric->aliases || fabric_has_endpoints(fabric) ||
	       fabric_has_host_capacities(fabric) ? 2 : 1;
}

/* ---- lanes ---- */

int fabric_set_lane(struct liquid_fabric *fabric, uint32_t host, uint32_t lane,
			   struct liquid_error *err)
{
	if (host >= fabric->hosts || lane >= LIQUID_LANES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "lane %u of host %u: there are %u hosts, and lanes 0 ... %d",
				   lane, host, fabric->hosts, LIQUID_LANES_MAX - 1);
	if (lane && fabric->version == 1)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a fabric of version 1 has no lanes");
	fabric->host[host].lane = lane;
	return LIQUID_OK;
}

bool fabric_has_lanes(const struct liquid_fabric *fabric)
{
	for (uint32_t host = 0; host < fabric->hosts; host++)
		if (fabric->host[host].lane)
			return true;
	return false;
}

/* ---- notes ---- */

/* Is @text safe to print, and will a reader of the file get the same text? */
static bool is_note(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '#')
			return false;
	return length && length <= FABRIC_NOTE_BYTES && text[0] != ' ' && text[length - 1] != ' ';
}

int fabric_add_note(struct liquid_fabric *fabric, const char *text, struct liquid_error *err)
{
	size_t length = strlen(text);

	if (!is_note(text, length))
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "a note is 1 ... %d bytes of printable ASCII without #",
				   FABRIC_NOTE_BYTES);
	if (fabric->notes.count >= FABRIC_NOTES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "more than %d notes", FABRIC_NOTES_MAX);
	if (names_add(&fabric->notes, text, length))
		return liquid_no_memory(err);
	return LIQUID_OK;
}

const char *liquid_fabric_note(const struct liquid_fabric *fabric, size_t index)
{
	return index < fabric->notes.count ? fabric->notes.name[index] : NULL;
}

/* ---- names that the user left out ---- */

int fabric_leave_out(struct liquid_fabric *fabric, const char *name, struct liquid_error *err)
{
	int status = fabric_check_name("left out", name, err);

	if (status)
		return status;
	status = names_add(&fabric->import.left_out, name, strlen(name));
	if (status == LIQUID_BAD_INPUT)
		return liquid_fail(err, status, "more names are left out than a fabric has");
	return status ? liquid_fail(err, status, "out of memory") : LIQUID_OK;
}

int fabric_compare_names(const char *a, const char *b)
{
	int order = strverscmp(a, b);

	return order ? order : strcmp(a, b);
}

static int compare(const void *a, const void *b)
{
	return fabric_compare_names(*(char *const *)a, *(char *const *)b);
}

void fabric_sort_left_out(struct liquid_fabric *fabric)
{
	struct liquid_names *names = &fabric->import.left_out;
	size_t kept = 0;

	if (!names->count)
		return;
	qsort(names->name, names->count, sizeof(*names->name), compare);
	for (size_t i = 1; i < names->count; i++) {
		if (strcmp(names->name[kept], names->name[i]))
			names->name[++kept] = names->name[i];
		else
			free(names->name[i]);
	}
	names->count = kept + 1;
}

const struct liquid_names *liquid_fabric_left_out(const struct liquid_fabric *fabric)
{
	return &fabric->import.left_out;
}
