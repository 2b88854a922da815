// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sizes and offsets of subfiles from size and offset of the whole file. */
#include "layout/layout.h"

uint64_t layout_size(const struct layout *layout, uint32_t subfile, uint64_t size)
{
	uint64_t units = size / layout->unit, last = units % layout->subfiles;
	uint64_t bytes = units / layout->subfiles * layout->unit;

	if (subfile < last)
		return bytes + layout->unit;
	return subfile == last ? bytes + size % layout->unit : bytes;
}

uint64_t layout_offset(const struct layout *layout, uint32_t subfile, uint64_t at)
{
	uint64_t unit = at / layout->unit * layout->subfiles + subfile;

	return unit * layout->unit + at % layout->unit;
}
