// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names that are near another one, for messages. */
#include <stdio.h>
#include <string.h>

#include "liquidsched.h"

#define NEAREST 3

/* Levenshtein's distance */
unsigned int liquid_name_distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int row[LIQUID_NAME_MAX + 1];
	size_t b_length = strlen(b);

	if (b_length > LIQUID_NAME_MAX || strlen(a) > LIQUID_NAME_MAX)
		return limit + 1;
	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < b_length; j++) {
			unsigned int change = diagonal + (a[i] != b[j]);
			unsigned int step = 1 + (row[j] < row[j + 1] ? row[j] : row[j + 1]);

			diagonal = row[j + 1];
			row[j + 1] = change < step ? change : step;
		}
	}
	return row[b_length] <= limit ? row[b_length] : limit + 1;
}

struct near {
	const char *name;
	unsigned int distance;
};

static void insert(struct near found[NEAREST], const char *name, unsigned int away)
{
	struct near next = { name, away };

	for (int i = 0; i < NEAREST; i++) {
		struct near here = found[i];

		if (here.name && here.distance <= next.distance)
			continue;
		found[i] = next;
		next = here;
		if (!next.name)
			return;
	}
}

/* node001 and NODE001, node001.example.org, node001-ib, node001/mlx5_0/1, or the other way round */
static bool is_form_of(const char *a, const char *b)
{
	size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
	char next = a[length] ? a[length] : b[length];

	return length && !strncasecmp(a, b, length) && strchr("./-", next);
}

const char *liquid_near_names(const char *name, const char *(*name_of)(const void *, uint32_t),
			  const void *context, uint32_t count, char *text, size_t size)
{
	unsigned int limit = 2 + strlen(name) / 3;
	struct near found[NEAREST] = { 0 };
	size_t used = 0;

	for (uint32_t i = 0; i < count; i++) {
		unsigned int away = is_form_of(name, name_of(context, i)) ? 0 :
				    liquid_name_distance(name, name_of(context, i), limit);

		if (away <= limit)
			insert(found, name_of(context, i), away);
	}
	text[0] = 0;
	for (int i = 0; i < NEAREST && found[i].name && used < size; i++)
		used += snprintf(text + used, size - used, "%s%s", i ? ", " : "; near it: ",
				 found[i].name);
	return text;
}
