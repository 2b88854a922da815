// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the readers of graphs, all four of them: what one takes is a fabric without tables. */
#include "fuzz.h"

static void import(const char *form, const void *data, size_t size)
{
	struct liquid_import options = { .from = form, .topo = fuzz_file(data, size),
					 .topo_label = "graph", .name = "fuzz" };
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;

	if (liquid_fabric_import(&options, &fabric, &err)) {
		fuzz_check(err.text[0] != 0);
	} else {
		fuzz_same_again(fabric);
		liquid_fabric_free(fabric);
	}
	fclose(options.topo);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const forms[] = { "edges", "networkx", "dot", "graphml" };

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		import(forms[i], data, size);
	return 0;
}
