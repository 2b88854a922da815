// SPDX-License-Identifier: GPL-2.0-only
/* Findings as text and as JSON */
#include <string.h>

#include "util/command.h"
#include "doctor/doctor.h"
#include "show/print.h"
#include "util/say.h"

static const char *const verdicts[] = {
	[VERDICT_OK] = "ok", [VERDICT_WARN] = "warn", [VERDICT_WRONG] = "wrong",
	[VERDICT_UNCHECKED] = "not checked",
};

static void print_finding(const char *check, const struct finding *finding)
{
	put_text("%-12s %-14s %s\n", verdicts[finding->verdict], check, finding->text);
	if (*finding->fix)
		put_text("%-12s fix: %s\n", "", finding->fix);
}

/* Text of files and programs may be any bytes, and JSON is UTF-8. */
static json_t *text_json(const char *text)
{
	char escaped[4 * sizeof(((struct finding *)NULL)->text)] = "";
	FILE *out = fmemopen(escaped, sizeof(escaped), "w");

	if (out) {
		put_escaped(out, text);
		fclose(out);
	}
	return json_string(escaped);
}

static json_t *finding_json(const char *check, const struct finding *finding)
{
	json_t *fix = *finding->fix ? text_json(finding->fix) : NULL;

	return json_pack("{s:s, s:s, s:o, s:o*}", "check", check, "verdict",
			 verdicts[finding->verdict], "text", text_json(finding->text), "fix",
			 fix);
}

static int print_as_json(const struct doctor *doctor, struct findings *const *findings,
			 const unsigned int *count)
{
	json_t *array = json_array();
	json_t *node = doctor->job.node ? json_string(doctor->job.node) : json_null();

	for (size_t i = 0; checks[i].name; i++)
		for (unsigned int k = 0; k < findings[i]->count; k++)
			json_array_append_new(array, finding_json(checks[i].name,
								  &findings[i]->finding[k]));
	return print_json("liquid-doctor", 1,
			  json_pack("{s:o, s:i, s:i, s:i, s:i, s:o}", "node", node,
				    "ok", count[VERDICT_OK], "warn", count[VERDICT_WARN],
				    "wrong", count[VERDICT_WRONG],
				    "not_checked", count[VERDICT_UNCHECKED], "findings", array));
}

int doctor_print(const struct doctor *doctor, struct findings *const *findings, bool json)
{
	unsigned int count[VERDICT_UNCHECKED + 1] = { 0 };
	int code;

	for (size_t i = 0; checks[i].name; i++)
		for (unsigned int k = 0; k < findings[i]->count; k++) {
			const struct finding *finding = &findings[i]->finding[k];

			count[finding->verdict]++;
			if (!json)
				print_finding(checks[i].name, finding);
		}
	code = json ? print_as_json(doctor, findings, count) : EXIT_OK;
	return code ? code : count[VERDICT_WRONG] ? EXIT_BAD_INPUT : EXIT_OK;
}
