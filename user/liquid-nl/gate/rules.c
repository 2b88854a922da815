// SPDX-License-Identifier: GPL-2.0-only
/* Rules of the control bypass and the selector, from words and into words. */
#include <netinet/in.h>
#include <string.h>

#include "gate/options.h"
#include "util/units.h"

static bool parse_ports(const char *text, struct gate_rule *rule)
{
	char first[8];
	const char *dash = strchr(text, '-');
	size_t length = dash ? (size_t)(dash - text) : strlen(text);
	uint64_t min, max;

	if (length >= sizeof(first))
		return false;
	memcpy(first, text, length);
	first[length] = 0;
	if (!parse_number(first, UINT16_MAX, &min))
		return false;
	max = min;
	if (dash && !parse_number(dash + 1, UINT16_MAX, &max))
		return false;
	rule->port_min = min;
	rule->port_max = max;
	rule->present |= 1ULL << LIQUID_RULE_A_PORT_MIN | 1ULL << LIQUID_RULE_A_PORT_MAX;
	return min && min <= max;
}

static const struct {
	const char *name;
	uint8_t number;
} protocols[] = { { "tcp", IPPROTO_TCP }, { "udp", IPPROTO_UDP }, { "sctp", IPPROTO_SCTP } };
#define PROTOCOLS (sizeof(protocols) / sizeof(protocols[0]))

bool parse_rule(const char *text, struct gate_rule *rule)
{
	uint64_t number;

	*rule = (struct gate_rule){ 0 };
	if (!strncmp(text, "ethertype=", 10)) {
		if (!parse_number(text + 10, UINT16_MAX, &number) || !number)
			return false;
		rule->ethertype = number;
		rule->present = 1ULL << LIQUID_RULE_A_ETHERTYPE;
		return true;
	}
	rule->present = 1ULL << LIQUID_RULE_A_L4PROTO;
	if (!strncmp(text, "proto=", 6)) {
		if (!parse_number(text + 6, UINT8_MAX, &number) || !number)
			return false;
		rule->l4proto = number;
		return true;
	}
	for (size_t i = 0; i < PROTOCOLS; i++) {
		size_t length = strlen(protocols[i].name);

		if (strncmp(text, protocols[i].name, length))
			continue;
		rule->l4proto = protocols[i].number;
		if (!text[length])
			return true;
		return text[length] == '=' && parse_ports(text + length + 1, rule);
	}
	return false;
}

const char *format_rule(const struct gate_rule *rule, char text[RULE_TEXT])
{
	const char *name = NULL;
	int length;

	if (rule->present >> LIQUID_RULE_A_ETHERTYPE & 1) {
		snprintf(text, RULE_TEXT, "ethertype=0x%04x", rule->ethertype);
		return text;
	}
	for (size_t i = 0; i < PROTOCOLS; i++)
		if (protocols[i].number == rule->l4proto)
			name = protocols[i].name;
	length = name ? snprintf(text, RULE_TEXT, "%s", name) :
			snprintf(text, RULE_TEXT, "proto=%u", rule->l4proto);
	if (!(rule->present >> LIQUID_RULE_A_PORT_MIN & 1))
		return text;
	length += snprintf(text + length, RULE_TEXT - length, "=%u", rule->port_min);
	if (rule->present >> LIQUID_RULE_A_PORT_MAX & 1 && rule->port_max != rule->port_min)
		snprintf(text + length, RULE_TEXT - length, "-%u", rule->port_max);
	return text;
}
