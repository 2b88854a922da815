/* SPDX-License-Identifier: GPL-2.0-only */
/* Suggestions for mistyped names. */
#ifndef LIQUID_NL_NEAREST_H
#define LIQUID_NL_NEAREST_H

#include <stddef.h>
#include <stdint.h>

/*
 * "; near it: a, b" for the names that differ least from @name, or ""; first those that differ by
 * a domain, a suffix, an adapter or in upper case
 */
const char *nearest_names(const char *name, const char *(*name_of)(const void *, uint32_t),
			  const void *context, uint32_t count, char *text, size_t size);
/* The number of letters to change, add or remove to turn one word into the other, or @limit + 1 */
unsigned int name_distance(const char *name, const char *word, unsigned int limit);
/* The largest distance at which a word is suggested for @name */
unsigned int near_limit(const char *name);

#endif
