// SPDX-License-Identifier: GPL-2.0-only
/* JSON on stdout: an object is printed as a whole, after its kind, or the command fails. */
#include "util/command.h"
#include "util/json.h"

json_t *json_headed(const char *format, int version, json_t *json)
{
	json_t *head = json_pack("{s:s, s:i}", "format", format, "version", version);

	if (!json || json_object_update(head, json)) {
		json_decref(head);
		head = NULL;
	}
	json_decref(json);
	return head;
}

int print_json(const char *format, int version, json_t *json)
{
	json_t *whole = json_headed(format, version, json);
	int wrong = !whole || json_dumpf(whole, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER |
						    JSON_ENSURE_ASCII);

	if (wrong && !ferror(stdout))
		wrong = no_memory();
	else if (wrong || putchar('\n') < 0 || fflush(stdout))
		wrong = stdout_lost();
	json_decref(whole);
	return wrong;
}
