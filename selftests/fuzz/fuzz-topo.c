// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz the reader of ibnetdiscover's output, and what names and joins what was read.
 *
 * The forwarding tables follow the input after a line "%%", so that a topology can
 * come as far as its routes.
 */
#include <string.h>

#include "fuzz.h"
#include "liquid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = memmem(data, size, "\n%%\n", 4);
	size_t topo = cut ? (size_t)(cut + 1 - data) : size;
	struct liquid_error err = { "" };
	struct liquid_import import = {
		.topo = fuzz_file(data, topo), .topo_label = "topo",
		.lft = cut ? fuzz_file(cut + 4, size - topo - 3) : fuzz_file(NULL, 0),
		.lft_label = "lft", .rail = size % 3,
	};
	struct liquid_fabric *fabric;

	if (liquid_fabric_import(&import, &fabric, &err))
		fuzz_check(!fabric && err.text[0]);
	liquid_fabric_free(fabric);
	fclose(import.topo);
	fclose(import.lft);
	return 0;
}
