/* SPDX-License-Identifier: GPL-2.0-only */
/* What describes a gate, from words. */
#ifndef LIQUID_NL_GATE_OPTIONS_H
#define LIQUID_NL_GATE_OPTIONS_H

#include "gate/gate.h"
#include "util/opt.h"

/* The options of struct gate_options: a group for the tables of attach and set */
extern const struct opt gate_opts[];
/* Ends of the range of --lease */
#define OPT_LEASE \
	.min = LIQUID_LEASE_NS_MIN, .max = LIQUID_LEASE_NS_MAX, .value = "TIME", \
	.expected = "a time from 1ms to 7 days"

/* A rule of the control bypass or a selector: ethertype=0x88f7, udp=319-320, tcp, proto=89 */
bool parse_rule(const char *text, struct gate_rule *rule);
#define RULE_TEXT 64
const char *format_rule(const struct gate_rule *rule, char text[RULE_TEXT]);

/*
 * gate/select.c: which packets are scheduled, and the policy for the others. NULL, or the form
 * expected instead of @text.
 */
const char *parse_select(const char *text, struct gate_options *options);
const char *parse_policy(const char *text, struct gate_options *options);
/* Is the gate switched off? Then it selects no packet, and all packets may leave. */
void gate_rest(struct gate_options *options);
bool gate_rests(const struct gate_options *options);

#endif
