/* SPDX-License-Identifier: GPL-2.0-only */
/* Gates, destinations, frames and counters as text and as JSON of the same content. */
#ifndef LIQUID_NL_PRINT_H
#define LIQUID_NL_PRINT_H

#include <jansson.h>
#include <stdio.h>

#include "gate/gate.h"
#include "util/json.h"

#define TAI_TEXT 64
/* ns of CLOCK_TAI as a date and time of that scale */
const char *format_tai(int64_t ns, char text[TAI_TEXT]);
/* "forever", "4 cycles, then open" */
const char *format_repeat(const struct gate_sched *sched, char text[64]);

/* What may pass the gate by @leak, of enum liquid_leak; NULL: there is no such leak. */
const char *leak_text(unsigned int leak);
void print_gate(FILE *out, const struct gate *gate);
/* " NAME", or nothing */
void print_dest_name(FILE *out, const struct gate_dest *dest);
void print_dests(FILE *out, const struct gate_dests *dests);
void print_runs(FILE *out, const char *which, const struct gate_runs *runs);
void print_stats(FILE *out, const char *indent, const struct gate_stats *stats);
/* times-print.c; @stats: of the same */
void print_times(FILE *out, const char *indent, const struct gate_times *times,
		 const struct gate_stats *stats);
/* times-print.c: the release lag and the guard, and the bytes in flight after frames */
void print_release_lag(FILE *out, const struct gate *gate);

/* New objects; NULL: out of memory */
json_t *gate_json(const struct gate *gate);
json_t *sched_json(const struct gate_sched *sched);
json_t *stats_json(const struct gate_stats *stats);
/* @gate: include what only a gate has, and the bounds of the buckets */
json_t *times_json(const struct gate_times *times, const struct gate_stats *stats, bool gate);
/* A fine histogram's count, and the bounds of its 99.9 % quantile */
json_t *most_json(const struct gate_hist *fine);
json_t *dests_json(const struct gate_dests *dests, bool stats);
json_t *runs_json(const struct gate_runs *runs);
json_t *keys_json(const struct addr_key *key, uint32_t count);

#endif
