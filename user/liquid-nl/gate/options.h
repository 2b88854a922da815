/* SPDX-License-Identifier: GPL-2.0-only */
/* The options of attach and set. */
#ifndef LIQUID_NL_GATE_OPTIONS_H
#define LIQUID_NL_GATE_OPTIONS_H

#include "gate/gate.h"

/* What attach takes beside a gate's options. */
struct attach_options {
	bool replace;
	const char *fabric, *node;	/* what the gate's rate is compared with; or NULL */
	uint64_t unit_bps;		/* 0: as the fabric says */
};

/*
 * Parse "DEV [options]" of the subcommand argv[0]. EXIT_OK, or the exit code after
 * a message. @attach is NULL for other subcommands.
 */
int parse_gate_options(int argc, char **argv, const char **device, struct gate_options *options,
		       struct attach_options *attach);

/* A rule of the control bypass, or a selector: "ethertype=0x88f7", "udp=319-320", "tcp", "proto=89" */
bool parse_rule(const char *text, struct gate_rule *rule);
#define RULE_TEXT 64
const char *format_rule(const struct gate_rule *rule, char text[RULE_TEXT]);

/*
 * gate-select.c: what is scheduled at all, and what happens to the rest. NULL, or what was
 * expected instead of @text.
 */
const char *parse_select(const char *text, struct gate_options *options);
const char *parse_policy(const char *text, struct gate_options *options);
/* A gate whose schedule rests: nothing is selected, and all may go. */
void gate_rest(struct gate_options *options);
bool gate_rests(const struct gate_options *options);

#endif
