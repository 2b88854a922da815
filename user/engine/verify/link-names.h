/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links by the names that witnesses give them. */
#ifndef LIQUID_VERIFY_LINK_NAMES_H
#define LIQUID_VERIFY_LINK_NAMES_H

#include "liquidsched.h"

struct named_link {
	const char *name;
	uint32_t link;
};

/* Links sorted by name, because a witness may name all of them. */
struct link_names {
	struct named_link *sorted;
	size_t count;
	char *text;			/* all names, each with its final 0 */
};

/* link-names.c; link_names_close() if it was opened. False: no memory. */
bool link_names_open(struct link_names *names, const struct liquid_fabric *fabric);
void link_names_close(struct link_names *names);
/* LIQUID_NONE: no link has this name, or several have it. */
uint32_t link_names_find(const struct link_names *names, const char *name);

#endif
