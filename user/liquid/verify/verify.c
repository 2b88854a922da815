// SPDX-License-Identifier: GPL-2.0-only
/* liquid verify: is a schedule valid on a fabric, or its routes? If not, print the faults. */
#include <jansson.h>
#include <stdlib.h>

#include "commands.h"
#include "verify/verify.h"
#include "input/input.h"
#include "util/json.h"
#include "util/say.h"

struct verify {
	const char *fabric, *schedule, *prices;
	struct traffic_args traffic;
	uint64_t threads;		/* 0: one for each processor */
	bool circles;			/* look for one */
	bool json, lost;		/* lost: out of memory for a finding */
	json_t *findings;		/* findings so far, for --json */
};

#define MEMBER(member) OPT_MEMBER(struct verify, member)

static const struct opt verify_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, MEMBER(fabric), .positional = true, .required = true,
	  .help = "the file of the fabric" },
	{ "SCHEDULE", 0, KIND_TEXT, MEMBER(schedule), .positional = true,
	  .help = "as `solve` wrote it" },
	{ "circles", 0, KIND_FLAG, MEMBER(circles),
	  .help = "no schedule: do the routes wait for each other in a circle?" },
	{ "prices", 0, KIND_TEXT, MEMBER(prices), .value = "FILE",
	  .help = "no schedule: the bound that `route --json` found" },
	OPT_GROUP(struct verify, traffic, traffic_opts),
	OPT_THREADS(MEMBER(threads)),
	OPT_JSON(struct verify),
	{ 0 }
};

static int parse(int argc, char **argv, struct verify *verify)
{
	int code = take_options(argc, argv, verify_opts, verify);

	if (code)
		return code;
	if (!!verify->schedule + !!verify->prices + verify->circles != 1)
		return usage_error("verify", "either SCHEDULE, --circles or --prices");
	if (verify->circles && traffic_args_given(&verify->traffic))
		return usage_error("verify", "--circles is about all routes, not the routes of a "
				   "traffic");
	return check_traffic_args(&verify->traffic, "verify");
}

/* A finding quotes the schedule and may be cut within a character, which JSON does not allow. */
static json_t *finding_json(const char *text)
{
	json_t *json = json_string(text);
	char *escaped = NULL;
	size_t size;
	FILE *out = json ? NULL : open_memstream(&escaped, &size);

	if (out) {
		put_escaped(out, text);
		if (!fclose(out))
			json = json_string(escaped);
	}
	free(escaped);
	return json;
}

static void report(void *context, const char *text)
{
	struct verify *verify = context;

	if (verify->json)
		verify->lost |= json_array_append_new(verify->findings, finding_json(text)) != 0;
	else
		put_text("%s: %s\n", verify->schedule, text);
}

static int print_as_json(struct verify *verify, const struct liquid_schedule_info *info, bool valid)
{
	return print_json("liquid-verdict", 1,
			  json_pack("{s:b,s:I,s:I,s:o*,s:s,s:O}", "valid", valid,
				    "transfers", (json_int_t)info->transfers,
				    "length", (json_int_t)info->length,
				    "parts", info->parts > 1 ? json_integer(info->parts) : NULL,
				    "certificate", liquid_certificate_name(info->certificate),
				    "findings", verify->findings));
}

/* After the findings: @status says whether the schedule is valid. */
static int print_result(struct verify *verify, const struct liquid_fabric *fabric,
			const struct liquid_schedule_info *info, int status)
{
	int code;

	if (verify->lost)
		return no_memory();
	fflush(stdout);		/* the findings come before the summary */
	if (verify->json)
		code = print_as_json(verify, info, !status);
	else
		code = status ? complain(EXIT_BAD_INPUT, "%s is not valid on fabric '%s'",
					 verify->schedule, liquid_fabric_name(fabric)) : EXIT_OK;
	if (!status && !verify->json)
		put_text("%s: valid: %llu transfers in %u frames, %s\n", verify->schedule,
			 (unsigned long long)info->transfers, info->length,
			 liquid_certificate_name(info->certificate));
	if (!status && !verify->json && info->parts > 1)
		put_text("each transfer is 1/%u of a message, which takes %g frames\n", info->parts,
			 (double)info->length / info->parts);
	return status ? EXIT_BAD_INPUT : code;
}

static int verify_schedule(struct verify *verify, const struct liquid_fabric *fabric,
			   const struct liquid_traffic *traffic,
			   const struct liquid_schedule *schedule)
{
	struct liquid_error err;
	int status = liquid_verify(fabric, traffic, schedule, report, verify, &err);

	if (status && status != LIQUID_INVALID)
		return complain(exit_code_of(status), "%s: %s", verify->schedule, err.text);
	return print_result(verify, fabric, liquid_schedule_info(schedule), status);
}

static int run_on_schedule(struct verify *verify, const struct liquid_fabric *fabric)
{
	struct liquid_schedule *schedule = NULL;
	struct liquid_traffic *traffic = NULL;
	bool given = traffic_args_given(&verify->traffic);
	int code = read_schedule(verify->schedule, fabric, &schedule);

	verify->findings = json_array();
	if (!code && given && liquid_schedule_shape(schedule))
		code = complain(EXIT_USAGE, "%s is compact and has its traffic itself, so leave "
				"out the options", verify->schedule);
	if (!code && given) {
		/* A matrix is cut into the units of the schedule. */
		verify->traffic.unit_bytes = liquid_schedule_info(schedule)->unit_bytes;
		code = read_traffic(&verify->traffic, fabric, &traffic);
	}
	if (!code)
		code = verify_schedule(verify, fabric, traffic, schedule);
	json_decref(verify->findings);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	return code;
}

static int run_on_prices(const struct verify *verify, const struct liquid_fabric *fabric)
{
	struct liquid_traffic *traffic = NULL;
	int code = read_all_pairs(&verify->traffic, fabric, &traffic);

	if (!code)
		code = verify_prices(fabric, traffic, verify->prices, verify->json);
	liquid_traffic_free(traffic);
	return code;
}

static int run_verify(int argc, char **argv)
{
	struct liquid_fabric *fabric = NULL;
	struct verify verify = { 0 };
	int code = parse(argc, argv, &verify);

	if (!code)
		code = read_fabric_by(verify.fabric, verify.threads, &fabric);
	if (code)
		return code;
	if (verify.circles)
		code = verify_circles(fabric, verify.fabric, verify.json);
	else if (verify.prices)
		code = run_on_prices(&verify, fabric);
	else
		code = run_on_schedule(&verify, fabric);
	liquid_fabric_free(fabric);
	return code;
}

const struct command cmd_verify = {
	"verify", "check a schedule or routes, and print its faults", verify_opts, run_verify,
	NULL, NULL
};
