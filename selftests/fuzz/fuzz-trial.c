// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the summary of a trial's records, which may come from anywhere. */
#include "fuzz.h"
#include "trial/trial.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *nodes = json_array(), *record;
	FILE *in = fuzz_file(data, size), *out;
	char *text = NULL;
	size_t length;

	while ((record = json_loadf(in, JSON_DISABLE_EOF_CHECK, NULL)))
		json_array_append_new(nodes, record);
	fclose(in);
	out = open_memstream(&text, &length);
	fuzz_check(!trial_summary(out, nodes) || json_array_size(nodes) <= TRIAL_NODES_MAX);
	fclose(out);
	for (size_t i = 0; i < length; i++)
		fuzz_check(text[i] == '\n' || (unsigned char)text[i] >= ' ');
	free(text);
	json_decref(nodes);
	return 0;
}
