// SPDX-License-Identifier: LGPL-2.1-or-later
/* One error with all faults of a live fabric, and the options that import it in spite of them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/import/import.h"

/* ---- lists of names of limited length ---- */

/* Write the first @most names; false if they do not fit in @size bytes. */
static bool write_list(char *const *name, size_t most, char *text, size_t size)
{
	struct hostlist_writer list;
	FILE *out = fmemopen(text, size, "w");
	size_t length;
	bool fits;

	if (!out)
		return false;
	setvbuf(out, NULL, _IONBF, 0);
	hostlist_begin(&list, out, "");
	for (size_t i = 0; i < most; i++)
		hostlist_put(&list, name[i]);
	hostlist_end(&list);
	fits = !ferror(out);
	fclose(out);
	length = strcspn(text, "\n");
	fits = fits && (!text[length] || !text[length + 1]);
	text[length] = '\0';
	return fits;
}

void import_list_names(char *const *name, size_t count, char text[FAULT_NAMES + 32])
{
	size_t most;

	for (most = count; most; most /= 2) {
		memset(text, 0, FAULT_NAMES + 32);
		if (write_list(name, most, text, FAULT_NAMES))
			break;
	}
	if (!most)
		snprintf(text, FAULT_NAMES + 32, "%zu of them", count);
	else if (most < count)
		snprintf(text + strlen(text), 32, " and %zu more", count - most);
}

uint32_t import_list(const struct import *import, const uint8_t *is, uint8_t value,
		     char text[FAULT_NAMES + 32])
{
	uint32_t nodes = import->fabric->hosts + import->fabric->switches, count = 0;
	char **name = malloc((nodes + 1) * sizeof(*name));

	for (uint32_t n = 0; n < nodes; n++)
		if (is[n] == value && ++count && name)
			name[count - 1] = (char *)liquid_fabric_node_name(import->fabric, n);
	if (name)
		import_list_names(name, count, text);
	else
		snprintf(text, FAULT_NAMES + 32, "%u of them", count);
	free(name);
	return count;
}

/* ---- the error ---- */

struct faults {
	const struct import *import;
	char text[900];
	/* Options to name: --leave-out, --allow-unreachable, --unknown-rate */
	bool leave_out, allow, unknown;
	uint64_t unit_bps;		/* rate to name for --unit-rate; 0: none */
	double gain;			/* of --leave-out over --unit-rate; 0: not known */
};

__attribute__((format(printf, 2, 3)))
static void add(struct faults *faults, const char *format, ...)
{
	size_t length = strlen(faults->text), room = sizeof(faults->text) - length;
	va_list args;

	if (length)
		length += (size_t)snprintf(faults->text + length, room, "; ");
	if (length >= sizeof(faults->text))
		return;
	va_start(args, format);
	vsnprintf(faults->text + length, sizeof(faults->text) - length, format, args);
	va_end(args);
}

static const char *has(uint32_t count)
{
	return count == 1 ? "has" : "have";
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void add_lacks(struct faults *faults, const struct import_walk *walk)
{
	const struct import *im = faults->import;
	char names[FAULT_NAMES + 32];
	uint32_t count;

	count = import_list(im, im->lack, LACK_LID, names);
	if (count)
		add(faults, "%s: %u host%s %s no lid (has a subnet manager run?): %s",
		    im->given->topo_label, count, plural(count), has(count), names);
	faults->allow |= count;
	count = import_list(im, im->lack, LACK_OWN_LID, names);
	if (count)
		add(faults, "%s:%lu: lid %u belongs to two ports (hosts that share a lid: %s)",
		    im->given->topo_label, im->shared_line, im->shared_lid, names);
	faults->allow |= count;
	count = import_list(im, im->lack, LACK_ROW, names);
	if (count)
		add(faults, "%s: no table has a row for the lid%s of %s%s", im->given->lft_label,
		    plural(count), names, im->lost_highest ?
		    " (dump_fts leaves out the highest lid where it is a multiple of 64: take "
		    "opensm-lfts.dump)" : "");
	faults->allow |= count;
	count = import_list(im, walk->blamed, 1, names);
	if (count)
		add(faults, "%s: the file ends without a table of switch%s %s",
		    im->given->lft_label, count == 1 ? "" : "es", names);
	faults->allow |= count;
	faults->leave_out |= faults->allow;
}

static void add_pairs(struct faults *faults, const struct import_walk *walk)
{
	uint64_t pairs = walk->lost - walk->unnamed;

	if (!pairs)
		return;
	add(faults, "%s: %llu of %llu pairs have no route:%s%s", faults->import->given->lft_label,
	    (unsigned long long)pairs, (unsigned long long)walk->pairs, walk->names,
	    pairs > 6 ? ", ..." : "");
	faults->allow = faults->leave_out = true;
}

static void add_slow_hosts(struct faults *faults, const struct import_rates *rates)
{
	const struct import *im = faults->import;
	char names[FAULT_NAMES + 32], unit[RATE_TEXT], slowest[RATE_TEXT];
	uint32_t count = import_list(im, rates->slow, SPEED_SLOW, names);

	if (!count)
		return;
	import_rate_text(rates->unit_bps, unit);
	import_rate_text(UINT64_C(1000000) * rates->slowest_host, slowest);
	add(faults, "%s: %u host%s slower than %s %s bit/s: %s (%s%s bit/s)", im->given->topo_label,
	    count, count == 1 ? " is" : "s are", im->given->unit_bps || im->given->like ?
	    "a unit of" : "most, which have", unit, names, count == 1 ? "" : "from ", slowest);
	faults->leave_out = true;
	faults->unit_bps = UINT64_C(1000000) * rates->slowest_host;
	if (!rates->slow_trunks && !rates->unknown_trunks)
		faults->gain = import_price(im, rates->slow, SPEED_SLOW, faults->unit_bps,
					    rates->unit_bps);
}

static void add_slow_trunks(struct faults *faults, const struct import_rates *rates)
{
	uint64_t bps = UINT64_C(1000000) * rates->slowest_trunk;
	char unit[RATE_TEXT];

	if (!rates->slow_trunks)
		return;
	add(faults, "%s: %llu link%s slower than a unit of %s bit/s:%s%s",
	    faults->import->given->topo_label, (unsigned long long)rates->slow_trunks,
	    rates->slow_trunks == 1 ? " that routes use is" : "s that routes use are",
	    import_rate_text(rates->unit_bps, unit), rates->trunks,
	    rates->slow_trunks > rates->trunks_named ? ", ..." : "");
	if (!faults->unit_bps || bps < faults->unit_bps)
		faults->unit_bps = bps;
	faults->leave_out = true;
}

static void add_unknown(struct faults *faults, const struct import_rates *rates)
{
	const char *label = faults->import->given->topo_label;
	char names[FAULT_NAMES + 32];
	uint32_t count = import_list(faults->import, rates->slow, SPEED_UNKNOWN, names);

	if (count)
		add(faults, "%s: it does not tell the speed of %u host%s: %s", label, count,
		    plural(count), names);
	if (rates->unknown_trunks)
		add(faults, "%s: it does not tell the speed of %llu link%s between switches", label,
		    (unsigned long long)rates->unknown_trunks, plural(rates->unknown_trunks));
	faults->unknown = count || rates->unknown_trunks;
	faults->leave_out |= faults->unknown;
}

static int fail(const struct faults *faults)
{
	char unit[RATE_TEXT], rate[96] = "", gain[96] = "";

	if (faults->gain > 1.005)
		snprintf(gain, sizeof(gain), " (an all-to-all is x%.2f as fast as with "
			 "--unit-rate)", faults->gain);
	if (faults->unit_bps)
		snprintf(rate, sizeof(rate), ", --unit-rate %s: in units that all links reach",
			 import_rate_text(faults->unit_bps, unit));
	return liquid_fail(faults->import->err, LIQUID_BAD_INPUT, "%s%s%s%s%s%s", faults->text,
			   faults->leave_out ? "; to go on, --leave-out LIST: without these "
			   "hosts, switches or cables" : "", gain,
			   faults->allow ? ", --allow-unreachable: without what has no route" : "",
			   faults->unknown ? ", --unknown-rate RATE: all "
			   "links of an unknown speed have it" : "", rate);
}

int import_faults(const struct import *import, const struct import_walk *walk,
		  const struct import_rates *rates, bool allow_unreachable)
{
	struct faults faults = { .import = import };

	if (!allow_unreachable) {
		add_lacks(&faults, walk);
		add_pairs(&faults, walk);
	}
	add_unknown(&faults, rates);
	add_slow_hosts(&faults, rates);
	add_slow_trunks(&faults, rates);
	return faults.text[0] ? fail(&faults) : LIQUID_OK;
}
