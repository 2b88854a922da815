// SPDX-License-Identifier: GPL-2.0-only
/* Parsing of --select, which packets a gate schedules, and of --policy, for the others. */
#include <string.h>

#include "gate/options.h"
#include "util/units.h"

/* A mark that no packet has: all bits set */
#define NO_MARK UINT32_MAX

/* VALUE[/MASK] */
static bool parse_mark(const char *text, uint64_t *mark, uint64_t *mask)
{
	char value[32];
	const char *slash = strchr(text, '/');

	if (slash && slash - text >= (int)sizeof(value))
		return false;
	snprintf(value, sizeof(value), "%.*s", slash ? (int)(slash - text) : 31, text);
	*mask = UINT32_MAX;
	return parse_number(value, UINT32_MAX, mark) &&
	       (!slash || parse_number(slash + 1, UINT32_MAX, mask));
}

#define SELECTOR (1ULL << LIQUID_GATE_A_SELECT)
#define MARK (1ULL << LIQUID_GATE_A_SELECT_MARK | 1ULL << LIQUID_GATE_A_SELECT_MASK)
#define DSCP (1ULL << LIQUID_GATE_A_SELECT_DSCP)
#define RULE (1ULL << LIQUID_GATE_A_SELECT_RULE)

/* The last selector replaces all earlier ones. */
static void select_by(struct gate_options *options, uint32_t select, uint64_t attrs)
{
	options->select = select;
	options->present &= ~(MARK | DSCP | RULE);
	options->present |= SELECTOR | attrs;
}

const char *parse_select(const char *text, struct gate_options *options)
{
	uint64_t value, mask;

	if (!strcmp(text, "all")) {
		select_by(options, LIQUID_SELECT_ALL, 0);
	} else if (!strncmp(text, "mark=", 5) && parse_mark(text + 5, &value, &mask)) {
		if (value & ~mask)
			return "a mark without bits outside its mask: nothing would match";
		options->select_mark = value;
		options->select_mask = mask;
		select_by(options, LIQUID_SELECT_MARK, MARK);
	} else if (!strncmp(text, "dscp=", 5) && parse_number(text + 5, LIQUID_DSCP_MAX, &value)) {
		options->select_dscp = value;
		select_by(options, LIQUID_SELECT_DSCP, DSCP);
	} else if (parse_rule(text, &options->select_rule)) {
		select_by(options, LIQUID_SELECT_RULE, RULE);
	} else {
		return "all, mark=VALUE[/MASK], dscp=0..63, tcp[=PORT[-PORT]], udp[=...], "
		       "sctp[=...], proto=N or ethertype=N";
	}
	return NULL;
}

const char *parse_policy(const char *text, struct gate_options *options)
{
	int policy = value_of_name(policy_names, text);

	if (policy < 0)
		return "share, idle, always or drop";
	options->policy = policy;
	options->present |= 1ULL << LIQUID_GATE_A_POLICY;
	return NULL;
}

void gate_rest(struct gate_options *options)
{
	options->select_mark = NO_MARK;
	options->select_mask = NO_MARK;
	select_by(options, LIQUID_SELECT_MARK, MARK);
	options->policy = LIQUID_POLICY_ALWAYS;
	options->present |= 1ULL << LIQUID_GATE_A_POLICY;
}

bool gate_rests(const struct gate_options *options)
{
	return options->select == LIQUID_SELECT_MARK && options->select_mark == NO_MARK &&
	       options->select_mask == NO_MARK;
}
