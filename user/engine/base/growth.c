// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public structs of callers that were compiled with an older or a newer liquidsched.h. */
#include <string.h>

#include "base/growth.h"

/* No struct of any version is larger: a larger size means that the caller did not set it. */
#define GROWTH_BYTES_MAX 4096u

static int read_size(const void *given, size_t *size, const char *name, struct liquid_error *err)
{
	memcpy(size, given, sizeof(*size));
	if (*size >= sizeof(*size) && *size <= GROWTH_BYTES_MAX)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "struct %s: set size to sizeof(struct %s)", name,
			   name);
}

int growth_take(const void *given, void *own, size_t size, const char *name,
		struct liquid_error *err)
{
	size_t given_size;
	int status = read_size(given, &given_size, name, err);

	if (status)
		return status;
	for (size_t i = size; i < given_size; i++)
		if (((const char *)given)[i])
			return liquid_fail(err, LIQUID_BAD_INPUT, "struct %s: a member beyond the "
					   "%zu bytes known to this library is set; it needs a "
					   "newer library", name, size);
	memset(own, 0, size);
	memcpy(own, given, given_size < size ? given_size : size);
	memcpy(own, &size, sizeof(size));
	return LIQUID_OK;
}

int growth_give(const void *own, size_t size, void *to, const char *name,
		struct liquid_error *err)
{
	size_t to_size;
	int status = read_size(to, &to_size, name, err);

	if (status)
		return status;
	memset(to, 0, to_size);
	memcpy(to, own, to_size < size ? to_size : size);
	memcpy(to, &to_size, sizeof(to_size));
	return LIQUID_OK;
}
