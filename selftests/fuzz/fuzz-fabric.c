// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the reader of fabric files: what it takes is written and read the same. */
#include <string.h>

#include "fabric/fabric.h"
#include "fuzz.h"
#include "liquidsched.h"

static void try_routes(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), path[LIQUID_PATH_MAX];
	struct liquid_error err;

	for (uint32_t src = 0; src < hosts && src < 8; src++)
		for (uint32_t dst = 0; dst < hosts && dst < 8; dst++)
			fuzz_check(liquid_fabric_route(fabric, src, dst, path, &err) != 0);
}

static void read_again(const struct liquid_fabric *fabric)
{
	int version = fabric_file_version(fabric);
	size_t size, second_size;
	char *text = fuzz_text_of(fabric, &size), *second;
	struct liquid_fabric *other = fuzz_fabric_of(text, size);

	fuzz_check(version == fabric_file_version(other));
	fuzz_check(liquid_fabric_unit_rate(fabric) == liquid_fabric_unit_rate(other));
	second = fuzz_text_of(other, &second_size);
	fuzz_check(size == second_size && !memcmp(text, second, size));
	fuzz_same_digest(fabric, other);
	liquid_fabric_free(other);
	free(text);
	free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct liquid_fabric *fabric;
	struct liquid_error err = { "" };
	FILE *in = fuzz_file(data, size);

	if (liquid_fabric_read(in, "file", &fabric, &err)) {
		fuzz_check(!fabric && err.text[0]);
	} else {
		try_routes(fabric);
		read_again(fabric);
	}
	liquid_fabric_free(fabric);
	fclose(in);
	return 0;
}
