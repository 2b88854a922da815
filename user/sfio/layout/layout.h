/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a file is striped: unit after unit, over its subfiles in turn. There is no metadata. */
#ifndef LIQUID_SFIO_LAYOUT_H
#define LIQUID_SFIO_LAYOUT_H

#include <stdint.h>

struct layout {
	uint32_t subfiles;		/* 1 or more */
	uint64_t unit;			/* stripe unit in bytes, 1 or more */
};

/* Bytes that @subfile has of the first @size ones of the file */
uint64_t layout_size(const struct layout *layout, uint32_t subfile, uint64_t size);
/* Where in the file byte @at of @subfile is */
uint64_t layout_offset(const struct layout *layout, uint32_t subfile, uint64_t at);

#endif
