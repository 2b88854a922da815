// SPDX-License-Identifier: GPL-2.0-only
/* The options of attach and set, from words to attributes. */
#include <getopt.h>
#include <string.h>

#include "cmd/cmd.h"
#include "gate/device.h"
#include "gate/options.h"
#include "util/units.h"

enum { OPT_FIRST = 256, OPT_REPLACE, OPT_FABRIC, OPT_NODE, OPT_UNIT_RATE, OPT_BYPASS, OPT_SELECT, OPT_MATCH_MARK, OPT_NO_MATCH_MARK,
       OPT_POLICY, OPT_OVERHEAD, OPT_AMOUNT };

typedef bool (*parser)(const char *text, uint64_t *value);

static bool parse_count(const char *text, uint64_t *value)
{
	return parse_number(text, UINT32_MAX, value);
}

static bool parse_milliseconds(const char *text, uint64_t *value)
{
	uint64_t ns;

	if (!parse_time(text, &ns) || ns % 1000000)
		return false;
	*value = ns / 1000000;
	return true;
}

/* Options that are an amount with a unit; --NAME is OPT_AMOUNT + its index here. */
static const struct amount {
	const char *option;
	const char *expected;
	parser parse;
	uint64_t max;
	uint16_t attr;
} amounts[] = {
	{ "rate", "a rate up to 10T (10G, 2500M, bit/s)", parse_rate, LIQUID_RATE_BPS_MAX,
	  LIQUID_GATE_A_RATE_BPS },
	{ "mpu", "bytes up to 65535", parse_size, LIQUID_MPU_MAX, LIQUID_GATE_A_MPU },
	{ "ahead", "a time up to 10ms", parse_time, LIQUID_AHEAD_NS_MAX, LIQUID_GATE_A_AHEAD_NS },
	{ "limit", "a number of packets", parse_count, UINT32_MAX, LIQUID_GATE_A_LIMIT_PACKETS },
	{ "limit-bytes", "bytes (64M, 64Mi)", parse_size, UINT64_MAX, LIQUID_GATE_A_LIMIT_BYTES },
	{ "dest-limit", "a number of packets", parse_count, UINT32_MAX,
	  LIQUID_GATE_A_DEST_LIMIT_PACKETS },
	{ "dest-limit-bytes", "bytes (1M, 1Mi)", parse_size, UINT64_MAX,
	  LIQUID_GATE_A_DEST_LIMIT_BYTES },
	{ "horizon", "a time in whole milliseconds (500ms, 0: never)", parse_milliseconds,
	  UINT32_MAX, LIQUID_GATE_A_HORIZON_MS },
	{ "reserve", "a share up to 100% (5%, or permille)", parse_share, LIQUID_PERMILLE_MAX,
	  LIQUID_GATE_A_RESERVE },
	{ "control", "a share up to 100% (2%, or permille)", parse_share, LIQUID_PERMILLE_MAX,
	  LIQUID_GATE_A_CONTROL },
};
#define AMOUNTS (sizeof(amounts) / sizeof(amounts[0]))

static const struct option other_options[] = {
	{ "replace", no_argument, NULL, OPT_REPLACE },
	{ "fabric", required_argument, NULL, OPT_FABRIC },
	{ "node", required_argument, NULL, OPT_NODE },
	{ "unit-rate", required_argument, NULL, OPT_UNIT_RATE },
	{ "bypass", required_argument, NULL, OPT_BYPASS },
	{ "select", required_argument, NULL, OPT_SELECT },
	{ "match-mark", no_argument, NULL, OPT_MATCH_MARK },
	{ "no-match-mark", no_argument, NULL, OPT_NO_MATCH_MARK },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "overhead", required_argument, NULL, OPT_OVERHEAD },
};
#define OTHERS (sizeof(other_options) / sizeof(other_options[0]))

/* ---- each option ---- */

static int take_rule(struct gate_options *options, const char *command, const char *text)
{
	bool first = !(options->present >> LIQUID_GATE_A_BYPASS & 1);

	options->present |= 1ULL << LIQUID_GATE_A_BYPASS;
	if (!strcmp(text, "none")) {
		if (!first)
			return usage_error(command, "--bypass none beside other rules");
		return EXIT_OK;
	}
	if (options->rule_count == LIQUID_BYPASS_MAX)
		return usage_error(command, "more than %u rules of --bypass", LIQUID_BYPASS_MAX);
	if (!parse_rule(text, &options->rule[options->rule_count++]))
		return usage_error(command,
				   "--bypass '%s': ethertype=N, tcp[=PORT[-PORT]], udp[=...], "
				   "sctp[=...], proto=N or none was expected", text);
	return EXIT_OK;
}

static int take_select(struct gate_options *options, const char *command, const char *text)
{
	const char *wrong = parse_select(text, options);

	return wrong ? usage_error(command, "--select '%s': %s", text, wrong) : EXIT_OK;
}

static int take_policy(struct gate_options *options, const char *command, const char *text)
{
	const char *wrong = parse_policy(text, options);

	return wrong ? usage_error(command, "--policy '%s': %s", text, wrong) : EXIT_OK;
}

static int take_overhead(struct gate_options *options, const char *command, const char *text)
{
	bool minus = text[0] == '-';
	uint64_t bytes;

	if (!parse_size(text + minus, &bytes) ||
	    bytes > (minus ? -LIQUID_OVERHEAD_MIN : LIQUID_OVERHEAD_MAX))
		return usage_error(command,
				   "--overhead '%s': bytes from %d to %d were expected", text,
				   LIQUID_OVERHEAD_MIN, LIQUID_OVERHEAD_MAX);
	options->overhead = minus ? -(int32_t)bytes : (int32_t)bytes;
	options->present |= 1ULL << LIQUID_GATE_A_OVERHEAD;
	return EXIT_OK;
}

static void store_amount(struct gate_options *options, uint16_t attr, uint64_t value)
{
	const struct attr_row *row = &gate_table.row[attr];
	char *at = (char *)options + row->offset;
	uint32_t narrow = value;

	if (row->type == ATTR_U64)
		memcpy(at, &value, sizeof(value));
	else
		memcpy(at, &narrow, sizeof(narrow));
	options->present |= 1ULL << attr;
}

static int take_amount(struct gate_options *options, const char *command,
		       const struct amount *amount, const char *text)
{
	uint64_t value;

	if (!amount->parse(text, &value) || value > amount->max)
		return usage_error(command, "--%s '%s': %s was expected", amount->option, text,
				   amount->expected);
	store_amount(options, amount->attr, value);
	return EXIT_OK;
}

static int take_attach(int option, const char *command, const char *name,
		       struct attach_options *attach)
{
	if (!attach)
		return usage_error(command, "--%s belongs to attach", name);
	switch (option) {
	case OPT_REPLACE:
		attach->replace = true;
		return EXIT_OK;
	case OPT_FABRIC:
		attach->fabric = optarg;
		return EXIT_OK;
	case OPT_NODE:
		attach->node = optarg;
		return EXIT_OK;
	default:
		return parse_rate(optarg, &attach->unit_bps) && attach->unit_bps ? EXIT_OK :
		       usage_error(command, "--unit-rate '%s': a rate (10G, bit/s) was expected",
				   optarg);
	}
}

static int take_option(int option, struct gate_options *options, const char *command)
{
	switch (option) {
	case OPT_BYPASS:
		return take_rule(options, command, optarg);
	case OPT_SELECT:
		return take_select(options, command, optarg);
	case OPT_POLICY:
		return take_policy(options, command, optarg);
	case OPT_OVERHEAD:
		return take_overhead(options, command, optarg);
	case OPT_MATCH_MARK:
	case OPT_NO_MATCH_MARK:
		options->match_mark = option == OPT_MATCH_MARK;
		options->present |= 1ULL << LIQUID_GATE_A_MATCH_MARK;
		return EXIT_OK;
	default:
		return take_amount(options, command, &amounts[option - OPT_AMOUNT], optarg);
	}
}

int parse_gate_options(int argc, char **argv, const char **device, struct gate_options *options,
		       struct attach_options *attach)
{
	struct option table[OTHERS + AMOUNTS + 1] = { 0 };
	const char *command = argv[0];
	int option, index, code;

	memcpy(table, other_options, sizeof(other_options));
	for (size_t i = 0; i < AMOUNTS; i++)
		table[OTHERS + i] = (struct option){ amounts[i].option, required_argument, NULL,
						     OPT_AMOUNT + i };
	*options = (struct gate_options){ 0 };
	opterr = 0;
	optind = 1;
	while ((option = getopt_long(argc, argv, ":", table, &index)) != -1) {
		if (option == ':' || option == '?')
			return option_error(command, option, argv[optind - 1]);
		if (option >= OPT_REPLACE && option <= OPT_UNIT_RATE)
			code = take_attach(option, command, table[index].name, attach);
		else
			code = take_option(option, options, command);
		if (code)
			return code;
	}
	return take_device(argc, argv, command, device);
}
