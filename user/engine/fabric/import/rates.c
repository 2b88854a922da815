// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Choosing the unit of the fabric: the rate of a link of capacity 1.
 *
 * A host slower than most is an error unless the user gives a unit. If its rate became the unit,
 * one degraded cable would raise all other capacities and lead to useless schedules.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/import/import.h"

static uint64_t bps_of(uint32_t mbps)
{
	return UINT64_C(1000000) * mbps;
}

const char *import_rate_text(uint64_t bps, char text[RATE_TEXT])
{
	static const struct {
		uint64_t bps;
		const char *unit;
	} units[] = { { 1000000000, "G" }, { 1000000, "M" }, { 1000, "k" }, { 1, "" } };
	unsigned int i = 0;

	while (bps % units[i].bps)
		i++;
	snprintf(text, RATE_TEXT, "%llu%s", (unsigned long long)(bps / units[i].bps),
		 units[i].unit);
	return text;
}

static int compare_rates(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Find the rate that most hosts have; of two equally common rates, the higher one. */
static int find_common(struct import *im, const uint8_t *out, struct import_rates *rates)
{
	const struct liquid_fabric *fabric = im->fabric;
	uint32_t *rate = malloc((fabric->hosts + 1) * sizeof(*rate));
	uint32_t count = 0, most = 0, end;

	if (!rate)
		return liquid_no_memory(im->err);
	for (uint32_t h = 0; h < fabric->hosts; h++)
		if (!out[h] && im->rate[fabric->host[h].out])
			rate[count++] = im->rate[fabric->host[h].out];
	qsort(rate, count, sizeof(*rate), compare_rates);
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && rate[end] == rate[i];)
			end++;
		if (end - i >= most) {
			most = end - i;
			rates->common = rate[i];
		}
	}
	rates->slowest_host = count ? rate[0] : 0;
	free(rate);
	return LIQUID_OK;
}

static void choose_unit(const struct import *im, struct import_rates *rates)
{
	const struct liquid_fabric *like = im->given->like;

	if (im->given->unit_bps)
		rates->unit_bps = im->given->unit_bps;
	else if (like && like->unit_bps)
		rates->unit_bps = like->unit_bps;
	else if (like)
		rates->slowest = true;
	if (!rates->unit_bps)
		rates->unit_bps = bps_of(rates->slowest ? rates->slowest_host : rates->common);
}

static bool is_trunk(const struct liquid_fabric *fabric, const struct liquid_link *link)
{
	return link->from >= fabric->hosts && link->to >= fabric->hosts;
}

static void name_trunk(const struct liquid_fabric *fabric, uint32_t link, uint32_t mbps,
		       struct import_rates *rates)
{
	size_t length = strlen(rates->trunks);
	char name[2 * LIQUID_NAME_MAX + 32], rate[RATE_TEXT], text[sizeof(name) + RATE_TEXT + 8];

	if (!rates->slow_trunks++ || mbps < rates->slowest_trunk)
		rates->slowest_trunk = mbps;
	liquid_fabric_link_name(fabric, link, name, sizeof(name));
	import_rate_text(bps_of(mbps), rate);
	snprintf(text, sizeof(text), "%s %s (%s)", length ? "," : "", name, rate);
	if (length + strlen(text) < sizeof(rates->trunks)) {
		memcpy(rates->trunks + length, text, strlen(text) + 1);
		rates->trunks_named++;
	}
}

static enum import_speed speed_of(const struct import *im, uint32_t link,
				  const struct import_rates *rates)
{
	if (!im->rate[link])
		return SPEED_UNKNOWN;
	return bps_of(im->rate[link]) < rates->unit_bps ? SPEED_SLOW : SPEED_ENOUGH;
}

static void find_slow(const struct import *im, const uint8_t *out, const bool *used,
		      struct import_rates *rates)
{
	const struct liquid_fabric *fabric = im->fabric;

	for (uint32_t h = 0; h < fabric->hosts; h++)
		rates->slow[h] = out[h] ? SPEED_ENOUGH : speed_of(im, fabric->host[h].out, rates);
	for (uint32_t l = 0; l < fabric->links; l++) {
		enum import_speed speed = speed_of(im, l, rates);

		if (!used[l] || !is_trunk(fabric, &fabric->link[l]))
			continue;
		if (speed == SPEED_SLOW)
			name_trunk(fabric, l, im->rate[l], rates);
		rates->unknown_trunks += speed == SPEED_UNKNOWN;
	}
}

static int check_unit(const struct import *im, const struct import_rates *rates)
{
	uint32_t fastest = 0;
	char text[RATE_TEXT];

	for (uint32_t l = 0; l < im->fabric->links; l++)
		if (im->rate[l] > fastest)
			fastest = im->rate[l];
	if (rates->unit_bps > FABRIC_UNIT_BPS_MAX ||
	    bps_of(fastest) / rates->unit_bps > FABRIC_CAPACITY_MAX)
		return liquid_fail(im->err, LIQUID_BAD_INPUT,
				   "a unit of %s bit/s: a link can have a capacity of %u units at "
				   "most", import_rate_text(rates->unit_bps, text),
				   FABRIC_CAPACITY_MAX);
	return LIQUID_OK;
}

int import_rates(struct import *import, const uint8_t *out, const bool *used,
		 struct import_rates *rates)
{
	int status;

	rates->slow = calloc(import->fabric->hosts + import->fabric->switches + 1, 1);
	status = rates->slow ? LIQUID_OK : liquid_no_memory(import->err);
	if (status || import->all_alike)
		return status;
	status = find_common(import, out, rates);
	if (status)
		return status;
	choose_unit(import, rates);
	/*
	 * No host has a rate, because each lacks a LID or a row, or none is known: import_faults()
	 * reports that
	 */
	if (!rates->unit_bps) {
		rates->unit_bps = 1;
		find_slow(import, out, used, rates);
		return LIQUID_OK;
	}
	status = check_unit(import, rates);
	if (!status)
		find_slow(import, out, used, rates);
	return status;
}

uint32_t import_capacity(const struct import *import, const struct import_rates *rates,
			 uint32_t link)
{
	const struct liquid_fabric *fabric = import->fabric;

	/* In version 1 a host sends and receives one transfer per frame whatever its rate */
	if (import->all_alike || (rates->slowest && !is_trunk(fabric, &fabric->link[link])))
		return 1;
	return (uint32_t)(bps_of(import->rate[link]) / rates->unit_bps);
}
