// SPDX-License-Identifier: LGPL-2.1-or-later
/* Filling in struct liquid_error. */
#include <stdarg.h>

#include "liquidsched.h"

int liquid_fail(struct liquid_error *err, int status, const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	return status;
}
