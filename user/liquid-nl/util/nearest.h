/* SPDX-License-Identifier: GPL-2.0-only */
/* The names that someone who mistyped one may have meant. */
#ifndef LIQUID_NL_NEAREST_H
#define LIQUID_NL_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/* "; near it: a, b" for the names that differ least from @name, or "" */
const char *nearest_names(const char *name, const char *(*name_of)(const void *, uint32_t),
			  const void *context, uint32_t count, char *text, size_t size);
/* How much a word differs from @name, in letters changed, added or removed: at most @limit + 1 */
unsigned int name_distance(const char *name, const char *word, unsigned int limit);
/* How much a word may differ from @name to be what was meant */
unsigned int near_limit(const char *name);

#endif
