// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Forwarding tables: by destination the number of a link among those of the switch
 *
 * A byte does where a switch has fewer than 255 links, so that 65,536 hosts and 5,120 switches have
 * tables of 320 MB.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

/* Does an index of a link fit into a table of @width bytes, whose last value means none? */
static bool fits_table(uint32_t index, uint32_t width)
{
	return width == 4 || index < (UINT32_C(1) << 8 * width) - 1;
}

/* Inlined where @width is a constant: loops over whole tables are as fast as one of bytes. */
static inline __attribute__((always_inline))
uint32_t entry_of(const void *table, uint32_t width, uint32_t host)
{
	uint32_t index;

	switch (width) {
	case 1:
		index = ((const uint8_t *)table)[host];
		return index == UINT8_MAX ? LIQUID_NONE : index;
	case 2:
		index = ((const uint16_t *)table)[host];
		return index == UINT16_MAX ? LIQUID_NONE : index;
	default:
		return ((const uint32_t *)table)[host];
	}
}

static uint32_t table_get(const struct fabric_switch *sw, uint32_t host)
{
	return entry_of(sw->forward, sw->width, host);
}

static void table_set(struct fabric_switch *sw, uint32_t host, uint32_t index)
{
	switch (sw->width) {
	case 1:
		((uint8_t *)sw->forward)[host] = (uint8_t)index;
		break;
	case 2:
		((uint16_t *)sw->forward)[host] = (uint16_t)index;
		break;
	default:
		((uint32_t *)sw->forward)[host] = index;
	}
}

/* Give switch @sw a table that holds @index, with what the one before has. */
static int new_table(struct liquid_fabric *fabric, uint32_t sw, uint32_t index,
		     struct liquid_error *err)
{
	struct fabric_switch old = fabric->sw[sw], *new = &fabric->sw[sw];
	uint32_t width = old.width ? old.width : 1;
	uint64_t more;

	while (!fits_table(index, width))
		width *= 2;
	/* The limit is for what a fabric has, whatever the order in which its tables grew */
	more = (uint64_t)fabric->hosts * (width - old.width);
	if (fabric->forwards + more > FABRIC_FORWARDS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "the forwarding tables have more than %u bytes in all",
				   FABRIC_FORWARDS_MAX);
	new->forward = malloc((size_t)fabric->hosts * width);
	if (!new->forward) {
		new->forward = old.forward;
		return liquid_no_memory(err);
	}
	memset(new->forward, 0xff, (size_t)fabric->hosts * width);
	new->width = width;
	for (uint32_t h = 0; old.forward && h < fabric->hosts; h++)
		table_set(new, h, table_get(&old, h));
	free(old.forward);
	fabric->forwards += more;
	return LIQUID_OK;
}

static int check_forward(const struct liquid_fabric *fabric, uint32_t sw, uint32_t dst_host,
			 uint32_t l, struct liquid_error *err)
{
	const struct liquid_link *link;

	if (fabric->phase == FABRIC_FINISHED)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the fabric is finished");
	if (sw >= fabric->switches || dst_host >= fabric->hosts || l >= fabric->links)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "forward at switch %u to host %u by link %u: "
				   "no such switch, host or link", sw, dst_host, l);
	link = &fabric->link[l];
	if (link->from != fabric->hosts + sw)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "switch %s forwards by a link that begins at %s",
				   fabric->sw[sw].name,
				   liquid_fabric_node_name(fabric, link->from));
	if (link->to < fabric->hosts && link->to != fabric->host[dst_host].owner)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "switch %s forwards traffic for host %s to host %s",
				   fabric->sw[sw].name, fabric->host[dst_host].name,
				   fabric->host[link->to].name);
	if (liquid_fabric_forward(fabric, sw, dst_host) != LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "switch %s already has a forward to host %s",
				   fabric->sw[sw].name, fabric->host[dst_host].name);
	return LIQUID_OK;
}

int fabric_fit_table(struct liquid_fabric *fabric, uint32_t link, struct liquid_error *err)
{
	uint32_t sw = fabric->link[link].from - fabric->hosts;

	return fits_table(fabric->place[link], fabric->sw[sw].width) ? LIQUID_OK :
	       new_table(fabric, sw, fabric->place[link], err);
}

int liquid_fabric_set_forward(struct liquid_fabric *fabric, uint32_t sw, uint32_t dst_host,
			      uint32_t link, struct liquid_error *err)
{
	int status = check_forward(fabric, sw, dst_host, link, err);

	if (!status)
		status = fabric_fit_table(fabric, link, err);
	if (!status)
		table_set(&fabric->sw[sw], dst_host, fabric->place[link]);
	return status;
}

/* Up to a host that has an entry */
static uint32_t set_bytes(uint8_t *forward, const uint32_t *host, uint32_t count, uint32_t index)
{
	uint32_t i = 0;

	for (; i < count && forward[host[i]] == UINT8_MAX; i++)
		forward[host[i]] = (uint8_t)index;
	return i;
}

int fabric_set_forwards(struct liquid_fabric *fabric, uint32_t sw, const uint32_t *host,
			uint32_t count, uint32_t link, struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (uint32_t i = 0; !status && i < count; i++) {
		status = liquid_fabric_set_forward(fabric, sw, host[i], link, err);
		/* What this host was checked for holds for all of a link between switches */
		if (!status && fabric->sw[sw].width == 1 && fabric->link[link].to >= fabric->hosts)
			i += set_bytes(fabric->sw[sw].forward, host + i + 1, count - i - 1,
				       fabric->place[link]);
	}
	return status;
}

uint32_t liquid_fabric_forward(const struct liquid_fabric *fabric, uint32_t sw, uint32_t dst_host)
{
	uint32_t index;

	if (sw >= fabric->switches || dst_host >= fabric->hosts || !fabric->sw[sw].forward)
		return LIQUID_NONE;
	index = table_get(&fabric->sw[sw], dst_host);
	return index == LIQUID_NONE ? LIQUID_NONE : fabric->sw[sw].out[index];
}

void fabric_find_next(const struct liquid_fabric *fabric, uint32_t host, const uint32_t *to,
		      uint32_t *next)
{
	for (uint32_t s = 0; s < fabric->switches; s++) {
		const struct fabric_switch *sw = &fabric->sw[s];

		/* LIQUID_NONE + 1 is 0 */
		next[s] = sw->forward ? to[table_get(sw, host) + 1] : NEAR_NOTHING;
		to += sw->outs + 1;
	}
}

static inline __attribute__((always_inline))
void compare_near(const void *table, uint32_t width, const uint32_t *host, uint32_t count,
		  const uint32_t *to, const uint8_t *near, uint8_t expected, uint8_t *wrong)
{
	for (uint32_t i = 0; i < count; i++)
		wrong[i] |= near[to[entry_of(table, width, host[i]) + 1]] ^ expected;
}

#define AHEAD 8u			/* tables: in the time of so many, memory has answered */

void fabric_compare_near(const struct liquid_fabric *fabric, uint32_t sw, const uint32_t *host,
			 uint32_t count, const uint32_t *to, const uint8_t *near, uint8_t *wrong)
{
	const struct fabric_switch *table = &fabric->sw[sw];
	uint8_t expected = (uint8_t)(near[NEAR_SWITCHES + sw] - 1);

	if (fabric->switches - sw > AHEAD && table[AHEAD].forward)
		__builtin_prefetch((const uint8_t *)table[AHEAD].forward +
				   (size_t)*host * table[AHEAD].width);
	if (table->width == 1)
		compare_near(table->forward, 1, host, count, to, near, expected, wrong);
	else if (table->forward)
		compare_near(table->forward, table->width, host, count, to, near, expected, wrong);
	/* Without a table it forwards nothing to any of them, and @near is not wrong for one */
}

uint32_t fabric_next_forward(const struct liquid_fabric *fabric, uint32_t l, uint32_t host)
{
	const struct fabric_switch *sw = &fabric->sw[fabric->link[l].from - fabric->hosts];
	const uint8_t *table = sw->forward, *found;
	uint32_t place = fabric->place[l];

	if (host >= fabric->hosts || sw->width != 1 || !fits_table(place, 1))
		return LIQUID_NONE;
	/* 32 entries at a time, in most libraries */
	found = memchr(table + host, (int)place, fabric->hosts - host);
	return found ? (uint32_t)(found - table) : LIQUID_NONE;
}

#define BYTE_LINKS 256		/* values of an entry of one byte; the last one is none */

/* By entry of @one what @other must have for it. */
static void expect_entries(const struct liquid_fabric *fabric, const struct fabric_switch *one,
			   uint32_t other, const uint32_t *image, uint16_t expected[BYTE_LINKS])
{
	memset(expected, 0xff, BYTE_LINKS * sizeof(*expected));	/* no entry is so */
	expected[UINT8_MAX] = UINT8_MAX;
	for (uint32_t n = 0; n < one->outs && n < UINT8_MAX; n++) {
		uint32_t link = image[one->out[n]];

		/* A table of bytes has no entry for a link after the 255th, and 255 is none */
		if (link < fabric->links && fabric->link[link].from == fabric->hosts + other &&
		    fits_table(fabric->place[link], 1))
			expected[n] = (uint16_t)fabric->place[link];
	}
}

/* Tables of bytes, by which nearly all that is compared goes */
static uint32_t count_kept_bytes(const uint8_t *one, const uint32_t *dst, const uint8_t *other,
				 const uint32_t *other_dst, uint32_t count,
				 const uint16_t expected[BYTE_LINKS])
{
	uint32_t i = 0;

	while (i < count && expected[one[dst[i]]] == other[other_dst[i]])
		i++;
	return i;
}

uint32_t fabric_forwards_kept(const struct liquid_fabric *fabric, uint32_t sw, const uint32_t *dst,
			      uint32_t other, const uint32_t *other_dst, uint32_t count,
			      const uint32_t *image)
{
	uint16_t expected[BYTE_LINKS];
	uint32_t i = 0;

	if (sw < fabric->switches && other < fabric->switches && fabric->sw[sw].width == 1 &&
	    fabric->sw[other].width == 1) {
		expect_entries(fabric, &fabric->sw[sw], other, image, expected);
		return count_kept_bytes(fabric->sw[sw].forward, dst, fabric->sw[other].forward,
					other_dst, count, expected);
	}
	for (; i < count; i++) {
		uint32_t from = liquid_fabric_forward(fabric, sw, dst[i]);
		uint32_t to = liquid_fabric_forward(fabric, other, other_dst[i]);

		if (from == LIQUID_NONE || to == LIQUID_NONE ? from != to : image[from] != to)
			break;
	}
	return i;
}

/* Without @host: only count how many go by each link, each in the place after its own. */
static inline __attribute__((always_inline))
void sort_entries(const struct fabric_switch *sw, uint32_t width, uint32_t hosts,
		  const uint32_t *order, uint32_t *first, uint32_t *host)
{
	for (uint32_t i = 0; i < hosts; i++) {
		uint32_t h = order ? order[i] : i, index = entry_of(sw->forward, width, h);

		if (index != LIQUID_NONE && host)
			host[first[index]++] = h;
		else if (index != LIQUID_NONE)
			first[index + 1]++;
	}
}

static void sort_all(const struct fabric_switch *sw, uint32_t hosts, const uint32_t *order,
		     uint32_t *first, uint32_t *host)
{
	if (sw->width == 1)
		sort_entries(sw, 1, hosts, order, first, host);
	else if (sw->width == 2)
		sort_entries(sw, 2, hosts, order, first, host);
	else
		sort_entries(sw, 4, hosts, order, first, host);
}

void fabric_sort_forwards(const struct liquid_fabric *fabric, uint32_t sw, const uint32_t *order,
			  uint32_t *first, uint32_t *host)
{
	const struct fabric_switch *table = &fabric->sw[sw];

	memset(first, 0, ((size_t)table->outs + 1) * sizeof(*first));
	if (!table->forward)
		return;
	sort_all(table, fabric->hosts, NULL, first, NULL);
	for (uint32_t n = 0; n < table->outs; n++)
		first[n + 1] += first[n];
	sort_all(table, fabric->hosts, order, first, host);
	/* each is now where the next begins */
	memmove(first + 1, first, table->outs * sizeof(*first));
	first[0] = 0;
}
