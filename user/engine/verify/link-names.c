// SPDX-License-Identifier: LGPL-2.1-or-later
/* A sorted table of link names, which finds the link that a witness names. */
#include <stdlib.h>
#include <string.h>

#include "verify/link-names.h"

static int compare_named(const void *a, const void *b)
{
	const struct named_link *one = a, *other = b;

	return strcmp(one->name, other->name);
}

void link_names_close(struct link_names *names)
{
	free(names->sorted);
	free(names->text);
}

bool link_names_open(struct link_names *names, const struct liquid_fabric *fabric)
{
	char name[2 * LIQUID_NAME_MAX + 32];
	size_t size = 0, at = 0;

	*names = (struct link_names){ .count = liquid_fabric_link_count(fabric) };
	for (uint32_t link = 0; link < names->count; link++)
		size += strlen(liquid_fabric_link_name(fabric, link, name, sizeof(name))) + 1;
	names->sorted = calloc(names->count + 1, sizeof(*names->sorted));
	names->text = malloc(size + 1);
	if (!names->sorted || !names->text) {
		link_names_close(names);
		return false;
	}
	for (uint32_t link = 0; link < names->count; link++) {
		char *text = names->text + at;

		strcpy(text, liquid_fabric_link_name(fabric, link, name, sizeof(name)));
		at += strlen(text) + 1;
		names->sorted[link] = (struct named_link){ text, link };
	}
	qsort(names->sorted, names->count, sizeof(*names->sorted), compare_named);
	return true;
}

uint32_t link_names_find(const struct link_names *names, const char *name)
{
	const struct named_link wanted = { .name = name }, *found;
	const struct named_link *first = names->sorted, *end = first + names->count;

	found = bsearch(&wanted, first, names->count, sizeof(wanted), compare_named);
	if (!found)
		return LIQUID_NONE;
	if ((found > first && !compare_named(found - 1, found)) ||
	    (found + 1 < end && !compare_named(found, found + 1)))
		return LIQUID_NONE;	/* two links have this name */
	return found->link;
}
