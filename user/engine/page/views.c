// SPDX-License-Identifier: LGPL-2.1-or-later
/* The views of a page: looks by link, and who uses it. */
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

#define PAIRS_MAX 4194304u		/* of more, those who use a link are not looked for */

/* ---- looks ---- */

static bool is_more(const struct page_sheet *sheet, const struct page_view *view, uint32_t a,
		    uint32_t b)
{
	return view->load[a] * liquid_fabric_capacity(sheet->fabric, b) >
		view->load[b] * liquid_fabric_capacity(sheet->fabric, a);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* By link between switches: no link leads the other way. NULL: no memory */
static bool *find_one_way(const struct page_sheet *sheet)
{
	bool *one_way = calloc(sheet->links + (size_t)1, sizeof(*one_way));
	uint64_t *ends = calloc(sheet->links + (size_t)1, sizeof(*ends));

	for (uint32_t l = 0; one_way && ends && l < sheet->links; l++) {
		const struct liquid_link *link = liquid_fabric_link(sheet->fabric, l);

		ends[l] = (uint64_t)link->from << 32 | link->to;
	}
	if (one_way && ends)
		qsort(ends, sheet->links, sizeof(*ends), by_number);
	for (uint32_t l = 0; one_way && ends && l < sheet->links; l++) {
		const struct liquid_link *link = liquid_fabric_link(sheet->fabric, l);
		uint64_t back = (uint64_t)link->to << 32 | link->from;

		one_way[l] = link->from >= sheet->hosts && link->to >= sheet->hosts &&
			!bsearch(&back, ends, sheet->links, sizeof(*ends), by_number);
	}
	free(ends);
	return one_way;
}

static void find_looks(const struct page_sheet *sheet, struct page_view *view, const bool *one_way)
{
	static const char *const shades[] = { "s1", "s2", "s3", "s4", "s5", "s6", "s7" };

	for (uint32_t l = 1; l < sheet->links; l++)
		if (is_more(sheet, view, l, view->most))
			view->most = l;
	for (uint32_t l = 0; l < sheet->links; l++) {
		bool broken = one_way[l];
		uint64_t top = view->load[view->most] * liquid_fabric_capacity(sheet->fabric, l);
		uint64_t part = 7 * view->load[l] *
			liquid_fabric_capacity(sheet->fabric, view->most);

		view->look[l] = broken ? "x" : !view->load[l] ? "u" :
			!is_more(sheet, view, view->most, l) ? "b" :
			shades[part / top < 7 ? part / top : 6];
		view->broken += broken;
		view->unused += !broken && !view->load[l];
		view->bottlenecks += view->look[l][0] == 'b';
	}
}

/* ---- who uses a link ---- */

static int find_users(const struct page_sheet *sheet, struct page_view *view,
		      struct liquid_error *err)
{
	const struct liquid_traffic *traffic = view->given->traffic;
	size_t pairs = traffic && liquid_traffic_transfer_count(traffic) <= PAIRS_MAX ?
		liquid_traffic_pair_count(traffic) : 0;
	const struct liquid_pair *pair = pairs ? liquid_traffic_pairs(traffic) : NULL;
	uint8_t *users;

	if (!pairs)
		return LIQUID_OK;
	users = calloc(sheet->links + (size_t)1, sizeof(*users));
	view->user = malloc((sheet->links + (size_t)1) * sizeof(*view->user));
	if (!users || !view->user) {
		free(users);
		return liquid_no_memory(err);
	}
	memset(view->user, 0xff, (sheet->links + (size_t)1) * sizeof(*view->user));
	for (size_t i = 0; i < pairs; i++) {
		uint32_t path[LIQUID_PATH_MAX];
		int count = liquid_fabric_route(view->given->fabric, pair[i].src, pair[i].dst, path,
						NULL);

		for (int k = 0; k < count; k++) {
			uint32_t l = path[k];

			if (users[l] < PAGE_USERS)
				view->user[l][users[l]++] = (struct liquid_transfer){
					pair[i].src, pair[i].dst };
		}
	}
	free(users);
	return LIQUID_OK;
}

int page_view_make(const struct page_sheet *sheet, const struct liquid_view *given,
		   struct page_view *view, struct liquid_error *err)
{
	bool *one_way;

	*view = (struct page_view){ .given = given, .load = given->load };
	if (liquid_fabric_link_count(given->fabric) != sheet->links)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "all views of a page need the same links");
	view->look = calloc(sheet->links + (size_t)1, sizeof(*view->look));
	one_way = find_one_way(sheet);
	if (!one_way || !view->look) {
		free(one_way);
		return liquid_no_memory(err);
	}
	find_looks(sheet, view, one_way);
	free(one_way);
	return find_users(sheet, view, err);
}

void page_view_clear(struct page_view *view)
{
	free(view->look);
	free(view->user);
}
