// SPDX-License-Identifier: GPL-2.0-only
/* liquid solve --list: full teams or full simultaneities, and what searches for them cost. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "util/output.h"
#include "solve/solve.h"

const char *const solve_lists[] = { "teams", "simultaneities", NULL };

static const struct {
	const char *key, *text;
} searches[LIQUID_TEAMS_SEARCHES] = {
	[LIQUID_TEAMS_NAIVE] = { "naive", "by fission alone" },
	[LIQUID_TEAMS_BLANK] = { "blank", "without blank ones" },
	[LIQUID_TEAMS_IDLE] = { "idle", "without idle ones too" },
	[LIQUID_TEAMS_SKELETON] = { "skeleton", "with the skeleton first" },
};

struct list {
	const struct liquid_fabric *fabric;
	bool json, all;			/* all: not only teams */
	FILE *out;
	uint64_t count;
};

static bool is_whole(const struct list *list, const struct liquid_teams *teams)
{
	return teams->ended[list->all ? LIQUID_TEAMS_BLANK : LIQUID_TEAMS_SKELETON];
}

/* ---- the sets ---- */

static int write_line(void *context, const struct liquid_transfer *transfers, size_t count)
{
	struct list *list = context;

	for (size_t i = 0; i < count; i++)
		fprintf(list->out, "%s%s>%s", i ? " " : "",
			liquid_fabric_node_name(list->fabric, transfers[i].src),
			liquid_fabric_node_name(list->fabric, transfers[i].dst));
	fputc('\n', list->out);
	return ferror(list->out);
}

static int write_array(void *context, const struct liquid_transfer *transfers, size_t count)
{
	struct list *list = context;
	json_t *set = json_array();
	int status = 0;

	for (size_t i = 0; i < count; i++)
		status |= json_array_append_new(set, json_pack("[s,s]",
				liquid_fabric_node_name(list->fabric, transfers[i].src),
				liquid_fabric_node_name(list->fabric, transfers[i].dst)));
	fputs(list->count++ ? ",\n" : "\n", list->out);
	status |= json_dumpf(set, list->out, JSON_COMPACT);
	json_decref(set);
	return status;
}

/* ---- the figures ---- */

static void print_count(FILE *out, const char *name, uint64_t count, bool whole, const char *text)
{
	fprintf(out, "%-15s %s%" PRIu64 "%s\n", name, whole ? "" : "at least ", count, text);
}

static void print_figures(FILE *out, const struct list *list, const struct liquid_teams *teams)
{
	const bool *ended = teams->ended;
	char text[32];

	fprintf(out, "%-15s %s\n", "fabric", liquid_fabric_name(list->fabric));
	fprintf(out, "%-15s %" PRIu64 ", %" PRIu64 " of them in the skeleton\n", "transfers",
		teams->transfers, teams->skeleton);
	fprintf(out, "%-15s %u\n", "duration", teams->duration);
	print_count(out, "full teams", teams->full_teams, ended[LIQUID_TEAMS_SKELETON], "");
	print_count(out, "simultaneities", teams->full_simultaneities, ended[LIQUID_TEAMS_BLANK],
		    ", full ones");
	for (int i = 0; i < LIQUID_TEAMS_SEARCHES; i++) {
		snprintf(text, sizeof(text), " %s", searches[i].text);
		print_count(out, i ? "" : "categories", teams->categories[i], ended[i], text);
	}
}

/* A search that did not end counts as null. */
static json_t *count_json(uint64_t count, bool whole)
{
	return whole ? json_integer((json_int_t)count) : json_null();
}

static int write_figures_json(const struct list *list, const struct liquid_teams *teams)
{
	json_t *categories = json_object();
	json_t *figures = json_pack("{s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:b}",
		"fabric", liquid_fabric_name(list->fabric),
		"transfers", (json_int_t)teams->transfers,
		"skeleton", (json_int_t)teams->skeleton, "duration", (json_int_t)teams->duration,
		"full_teams", count_json(teams->full_teams, teams->ended[LIQUID_TEAMS_SKELETON]),
		"full_simultaneities",
		count_json(teams->full_simultaneities, teams->ended[LIQUID_TEAMS_BLANK]),
		"categories", categories, "complete", is_whole(list, teams));
	char *text;
	int code = EXIT_OK;

	for (int i = 0; i < LIQUID_TEAMS_SEARCHES; i++)
		json_object_set_new(categories, searches[i].key,
				    count_json(teams->categories[i], teams->ended[i]));
	text = json_dumps(figures, JSON_COMPACT);
	json_decref(figures);
	if (text)
		fprintf(list->out, "\n],%s\n", text + 1);
	else
		code = no_memory();
	free(text);
	return code;
}

/* ---- */

static int write_list(const struct solve *solve, struct list *list,
		      const struct liquid_traffic *traffic, struct liquid_teams *teams)
{
	struct liquid_error err;
	int status;

	if (list->json)
		fprintf(list->out, "{\"%s\":[", solve->list);
	status = liquid_list_teams(list->fabric, traffic, list->all, solve->options.work,
				   list->json ? write_array : write_line, list, teams, &err);
	if (status == LIQUID_CANCELLED)		/* output_close() reports why */
		return ferror(list->out) ? EXIT_OK : no_memory();
	if (status)
		return complain_of(status, &err);
	return list->json ? write_figures_json(list, teams) : EXIT_OK;
}

int solve_list(const struct solve *solve, const struct liquid_fabric *fabric,
	       const struct liquid_traffic *traffic)
{
	struct list list = { .fabric = fabric, .json = solve->json,
			     .all = !strcmp(solve->list, "simultaneities") };
	struct liquid_teams teams = { 0 };
	struct output output;
	bool to_stdout;
	int code = output_open(&output, solve->output);

	if (code)
		return code;
	list.out = output.file;
	to_stdout = output_is_stdout(&output);
	code = output_close(&output, write_list(solve, &list, traffic, &teams));
	if (!code && !list.json)
		print_figures(to_stdout ? stderr : stdout, &list, &teams);
	if (!code && !is_whole(&list, &teams))
		code = complain(EXIT_NO_SCHEDULE, "the list is not complete; allow more (--work)");
	return code;
}
