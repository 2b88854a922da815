// SPDX-License-Identifier: GPL-2.0-only
/* liquid verify without a schedule: the routes of a fabric, and what bounds their load. */
#include <jansson.h>
#include <stdlib.h>

#include "util/command.h"
#include "verify/verify.h"
#include "util/json.h"
#include "input/input.h"
#include "util/say.h"

/* ---- circles ---- */

/* Where tables are not complete, not all possible transfers were checked. */
static void note_missing(const struct liquid_fabric *fabric, const char *path)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), links[LIQUID_PATH_MAX];
	uint64_t missing = 0;

	for (uint32_t src = 0; src < hosts; src++) {
		if (liquid_fabric_host_out(fabric, src) == LIQUID_NONE)
			continue;
		for (uint32_t dst = 0; dst < hosts; dst++)
			missing += src != liquid_fabric_owner(fabric, dst) &&
				   liquid_fabric_host_in(fabric, dst) != LIQUID_NONE &&
				   liquid_fabric_route(fabric, src, dst, links, NULL) < 0;
	}
	if (missing)
		complain(0, "note: %s: %llu pairs of hosts have no route", path,
			 (unsigned long long)missing);
}

static json_t *circle_json(const struct liquid_fabric *fabric, const uint32_t *circle,
			   uint32_t count)
{
	json_t *names = json_array();
	char name[2 * LIQUID_NAME_MAX + 32];

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(names, json_string(liquid_fabric_link_name(fabric, circle[i],
								name, sizeof(name))));
	return names;
}

static void print_circle(const struct liquid_fabric *fabric, const uint32_t *circle,
			 uint32_t count)
{
	char name[2 * LIQUID_NAME_MAX + 32];

	for (uint32_t i = 0; i < count; i++)
		printf("%s waits for\n", liquid_fabric_link_name(fabric, circle[i], name,
								 sizeof(name)));
	printf("%s\n", liquid_fabric_link_name(fabric, circle[0], name, sizeof(name)));
	fflush(stdout);
}

int verify_circles(const struct liquid_fabric *fabric, const char *path, bool json)
{
	uint32_t *circle, count;
	struct liquid_error err;
	int code = EXIT_OK, status = liquid_fabric_find_circle(fabric, &circle, &count, &err);

	if (status < 0)
		return complain_of(status, &err);
	if (json)
		code = print_json("liquid-verdict", 1, json_pack("{s:b,s:o}", "valid", !status,
					    "circle", circle_json(fabric, circle, count)));
	else if (status)
		print_circle(fabric, circle, count);
	else
		put_text("%s: valid: no routes wait for each other in a circle\n", path);
	free(circle);
	note_missing(fabric, path);
	if (status && !json)
		code = complain(EXIT_BAD_INPUT, "%s: routes wait for each other in a circle of %u "
				"links", path, count);
	return status && !code ? EXIT_BAD_INPUT : code;
}

/* ---- prices ---- */

/* The witness alone, or the output of `route --json`, with a bound; else *@told is 0 */
static char *take_witness(FILE *in, const char *path, double *told)
{
	json_error_t where;
	json_t *json = json_loadf(in, JSON_REJECT_DUPLICATES, &where), *witness;
	char *text = NULL;

	if (!json) {
		complain(EXIT_BAD_INPUT, "%s:%d: %s", path, where.line, where.text);
		return NULL;
	}
	witness = json_object_get(json, "witness");
	*told = json_number_value(json_object_get(json, "bound"));
	text = json_dumps(witness ? witness : json, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(json);
	if (!text)
		no_memory();
	return text;
}

int verify_prices(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  const char *path, bool json)
{
	struct liquid_error err;
	double bound, told;
	char *witness;
	FILE *in;
	int status, code = open_input(path, &in);

	if (code)
		return code;
	witness = take_witness(in, input_label(path), &told);
	close_input(in);
	if (!witness)
		return EXIT_BAD_INPUT;
	status = liquid_verify_prices(fabric, traffic, witness, &bound, &err);
	free(witness);
	if (status)
		return complain(exit_code_of(status), "%s: %s", input_label(path), err.text);
	/* It was printed with 17 digits, but computed otherwise. */
	if (told > bound * (1 + 1e-9))
		return complain(EXIT_BAD_INPUT, "%s: it states a bound of %.10g, and its prices "
				"prove %.10g", input_label(path), told, bound);
	if (json)
		return print_json("liquid-verdict", 1,
				  json_pack("{s:b,s:f}", "valid", true, "bound", bound));
	put_text("%s: valid: no routes of the traffic have a smaller load than %.6g\n",
		 input_label(path), bound);
	return EXIT_OK;
}
