// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the expansion of hostlists: names are fit to be names, and survive being compressed. */
#include <string.h>

#include "fabric/fabric.h"
#include "base/hostlist.h"
#include "fuzz.h"

static char *compress(const struct liquid_names *names)
{
	struct hostlist_writer writer;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	hostlist_begin(&writer, out, "");
	for (size_t i = 0; i < names->count; i++)
		hostlist_put(&writer, names->name[i]);
	hostlist_end(&writer);
	fclose(out);
	return text;
}

static void expand_again(const struct liquid_names *names)
{
	struct liquid_names again;
	char *text = compress(names), *at;

	/* Each line is a list; so are all of them with commas between */
	for (at = strchr(text, '\n'); at; at = strchr(at, '\n'))
		*at = at[1] ? ',' : '\0';
	fuzz_check(!liquid_hostlist_expand(text, &again, NULL));
	fuzz_check(again.count == names->count);
	for (size_t i = 0; i < names->count; i++)
		fuzz_check(!strcmp(names->name[i], again.name[i]));
	liquid_names_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *list = strndup((const char *)data, size);
	struct liquid_names names;
	struct liquid_error err = { "" };

	if (liquid_hostlist_expand(list, &names, &err)) {
		fuzz_check(!names.count && !names.name && err.text[0]);
	} else {
		fuzz_check(names.count > 0);
		for (size_t i = 0; i < names.count; i++)
			fuzz_check(!fabric_check_name("host", names.name[i], NULL));
		expand_again(&names);
	}
	liquid_names_clear(&names);
	free(list);
	return 0;
}
