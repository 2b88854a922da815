// SPDX-License-Identifier: GPL-2.0-only
/* JSON on stdout: an object is printed as a whole, or the command fails. */
#include "util/command.h"
#include "util/json.h"

int print_json(json_t *json)
{
	int wrong = !json || json_dumpf(json, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER |
						  JSON_ENSURE_ASCII);

	if (wrong && !ferror(stdout))
		wrong = no_memory();
	else if (wrong || putchar('\n') < 0 || fflush(stdout))
		wrong = stdout_lost();
	json_decref(json);
	return wrong;
}
