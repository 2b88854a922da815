/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A page in the making: its views, and what is written of them. */
#ifndef LIQUID_PAGE_H
#define LIQUID_PAGE_H

#include "liquidsched.h"

#define PAGE_DRAWN_MAX 1000		/* links of a map, 500 cables; of more, a heat map */
#define PAGE_USERS 6			/* transfers of a link that are named */

struct page_view {
	const struct liquid_view *given;
	const uint64_t *load;
	/* By link: "u" carries nothing, "s1" ... "s7" shades, "b" bottleneck, "x" broken */
	const char **look;
	struct liquid_transfer (*user)[PAGE_USERS];	/* or NULL */
	uint32_t most;			/* a link of the largest load / capacity */
	uint32_t bottlenecks, unused, broken;
};

struct page_sheet {
	const struct liquid_page *page;
	const struct liquid_fabric *fabric;	/* of the first view */
	const struct liquid_layout *layout;
	struct page_view *view;
	uint32_t hosts, nodes, links;
	bool heat;
};

/* views.c; each returns a status. */
int page_view_make(const struct page_sheet *sheet, const struct liquid_view *given,
		   struct page_view *view, struct liquid_error *err);
void page_view_clear(struct page_view *view);
/* map.c */
int page_write_map(const struct page_sheet *sheet, FILE *out, struct liquid_error *err);
/* data.c: what the script reads, as JSON */
void page_write_data(const struct page_sheet *sheet, FILE *out);

#endif
