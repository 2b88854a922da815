// SPDX-License-Identifier: LGPL-2.1-or-later
/* Splits the name of a striped file into its hosts and paths. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "layout/name.h"

static int parse_subfile(const char *text, size_t length, struct subfile_name *name)
{
	const char *slash = memchr(text, '/', length);

	if (!slash || slash == text || slash + 1 == text + length)
		return -EINVAL;
	name->host = strndup(text, (size_t)(slash - text));
	name->path = strndup(slash, length - (size_t)(slash - text));
	return name->host && name->path ? 0 : -ENOMEM;
}

static int add_subfile(struct file_name *name, const char *text, size_t length)
{
	struct subfile_name *more;

	more = realloc(name->subfile, (name->count + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	name->subfile = more;
	more[name->count] = (struct subfile_name){ NULL, NULL };
	return parse_subfile(text, length, &more[name->count++]);
}

int name_parse(const char *text, struct file_name *name)
{
	int error = *text ? 0 : -EINVAL;

	*name = (struct file_name){ NULL, 0 };
	while (*text && !error) {
		size_t length = strcspn(text, ";");

		error = add_subfile(name, text, length);
		text += length + (text[length] == ';');
	}
	if (error)
		name_free(name);
	return error;
}

void name_free(struct file_name *name)
{
	for (uint32_t i = 0; i < name->count; i++) {
		free(name->subfile[i].host);
		free(name->subfile[i].path);
	}
	free(name->subfile);
	*name = (struct file_name){ NULL, 0 };
}
