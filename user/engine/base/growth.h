/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Public structs of callers that were compiled with an older or a newer liquidsched.h. */
#ifndef LIQUID_GROWTH_H
#define LIQUID_GROWTH_H

#include "liquidsched.h"

/*
 * Copy the caller's struct @given, which begins with its size, into @own of @size bytes. Members
 * that the caller does not know become 0; those that the library does not know must be 0. @name
 * is the struct's, for errors.
 */
int growth_take(const void *given, void *own, size_t size, const char *name,
		struct liquid_error *err);
/* Copy @own of @size bytes into the caller's struct @to, as far as the caller knows it. */
int growth_give(const void *own, size_t size, void *to, const char *name,
		struct liquid_error *err);

#endif
