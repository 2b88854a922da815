// SPDX-License-Identifier: GPL-2.0-only
/* A slice is taken or refused, its destinations keep their ids, a mistyped name finds its like. */
#include <stdlib.h>
#include <string.h>

#include "push/push.h"
#include "tap.h"
#include "util/gate-frames.h"

#define N LIQUID_NONE

#define DIGEST "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define FIGURES "'digest':'" DIGEST "','frames':4,'parts':1,'capacity':1,'hops':2," \
		"'unit_bytes':0,'link_rate_bps':0,"
#define DESTS "'dests':[{'name':'a','keys':['10.0.0.1']}],"
#define RUNS "'entries':[{'run':3,'dest':0},{'run':1,'dest':null}]"

/* @text has ' for ". */
static int take(const char *text, struct push_plan *plan)
{
	struct liquid_error err;
	char *copy = strdup(text);
	json_t *json;
	int status;

	for (char *at = copy; (at = strchr(at, '\''));)
		*at = '"';
	json = json_loads(copy, 0, NULL);
	status = push_plan_take(json, plan, &err);
	free(copy);
	json_decref(json);
	return status;
}

/* What a process without privileges says is taken as a whole, or refused. */
static void check_taken(void)
{
	static const struct {
		const char *name, *text;
	} wrong[] = {
		{ "nothing", "{}" },
		{ "a digest that is none", "{'digest':'00',"
		  "'frames':4,'parts':1,'capacity':1,'hops':2,'unit_bytes':0,'link_rate_bps':0,"
		  DESTS RUNS "}" },
		{ "more frames than the runs have", "{'digest':'" DIGEST "',"
		  "'frames':5,'parts':1,'capacity':1,'hops':2,'unit_bytes':0,'link_rate_bps':0,"
		  DESTS RUNS "}" },
		{ "no part of a frame", "{'digest':'" DIGEST "',"
		  "'frames':4,'parts':0,'capacity':1,'hops':2,'unit_bytes':0,'link_rate_bps':0,"
		  DESTS RUNS "}" },
		{ "a path of 65 links", "{'digest':'" DIGEST "',"
		  "'frames':4,'parts':1,'capacity':1,'hops':65,'unit_bytes':0,'link_rate_bps':0,"
		  DESTS RUNS "}" },
		{ "a negative rate", "{'digest':'" DIGEST "',"
		  "'frames':4,'parts':1,'capacity':1,'hops':2,'unit_bytes':0,'link_rate_bps':-1,"
		  DESTS RUNS "}" },
		{ "a destination that is not there", "{" FIGURES DESTS
		  "'entries':[{'run':4,'dest':1}]}" },
		{ "a run of no frame", "{" FIGURES DESTS
		  "'entries':[{'run':0,'dest':0},{'run':4,'dest':0}]}" },
		{ "an address that is none", "{" FIGURES
		  "'dests':[{'name':'a','keys':['x']}]," RUNS "}" },
		{ "a destination without an address", "{" FIGURES
		  "'dests':[{'name':'a','keys':[]}]," RUNS "}" },
	};
	struct push_plan plan;

	ok(!take("{" FIGURES DESTS RUNS "}", &plan) && plan.count == 1 && plan.runs.count == 2 &&
	   plan.runs.run[1].dest == N && plan.frames == 4, "a slice of four frames is taken");
	push_plan_clear(&plan);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ok(take(wrong[i].text, &plan) == LIQUID_BAD_INPUT && !plan.dests && !plan.runs.run,
		   "refused: %s", wrong[i].name);
}

/* Frames that are cut for a node that sends several transfers at once. */
static void check_parts(void)
{
	static const struct {
		uint32_t frames, parts;
		uint64_t frame_ns;
		const char *refused;
	} cases[] = {
		{ 6, 1, 1000001, NULL },
		{ 6, 2, 1000000, NULL },
		{ 6, 3, 1000000, "cannot be cut into 3 equal parts" },
		{ 6, 2, 20000, NULL },
		{ 6, 2, 19998, "leaves 9999 ns; a gate takes no less than 10000" },
		{ 524288, 2, 1000000, NULL },
		{ 524289, 2, 1000000, "are 1048578; a gate takes 1048576" },
		{ 65537, 65537, 1000000, "are 4295098369; a gate takes 1048576" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct liquid_error err = { "" };
		int status = gate_frames_check(cases[i].frames, cases[i].parts, cases[i].frame_ns,
					       &err);

		ok(cases[i].refused ? status == LIQUID_BAD_INPUT &&
		   strstr(err.text, cases[i].refused) : !status, "%u frames in %u parts: %s",
		   cases[i].frames, cases[i].parts, status ? err.text : "fit");
	}
}

static void check_long_runs(void)
{
	struct gate_runs runs = { 0 };

	ok(gate_runs_append(&runs, 1, UINT32_MAX) && gate_runs_append(&runs, 1, 1) &&
	   runs.count == 2, "a run does not wrap");
	gate_runs_clear(&runs);
}

static void set_keys(struct gate_dest *dest, uint32_t id, const char *const *addrs)
{
	*dest = (struct gate_dest){ .id = id };
	for (; *addrs; addrs++)
		addr_key_parse(*addrs, &dest->key[dest->key_count++], NULL);
}

#define KEYS(...) ((const char *const []){ __VA_ARGS__, NULL })

static char a[] = "a", b[] = "b", c[] = "c", d[] = "d";
static char *names[] = { a, b, c, d };

/* The gate has ids 0 (10.0.0.1), 2 (10.0.0.3, fd00::3) and 5 (10.0.0.5). */
static void make_present(struct gate_dest dest[3], struct gate_dests *present)
{
	set_keys(&dest[0], 0, KEYS("10.0.0.1"));
	set_keys(&dest[1], 2, KEYS("10.0.0.3", "fd00::3"));
	set_keys(&dest[2], 5, KEYS("10.0.0.5"));
	*present = (struct gate_dests){ dest, 3, 3 };
}

static void check_ids(void)
{
	struct gate_dest have[3], want[4];
	struct gate_dests present;
	struct dest_changes changes;
	struct liquid_error err;

	make_present(have, &present);
	set_keys(&want[0], 99, KEYS("10.0.0.9"));
	set_keys(&want[1], 99, KEYS("fd00::3", "10.0.0.3"));
	set_keys(&want[2], 99, KEYS("10.0.0.5", "10.0.0.6"));
	set_keys(&want[3], 99, KEYS("10.0.0.8"));
	ok(!dest_ids_assign(want, names, 4, &present, &changes, &err), "ids with a gate's");
	ok(want[0].id == 1 && want[3].id == 3, "who is new gets the lowest free id");
	ok(want[1].id == 2, "the same addresses keep their id, whatever their order");
	ok(want[2].id == 5, "one more address keeps the id");
	ok(changes.fresh_count == 2 && changes.fresh[0].id == 1 && changes.fresh[1].id == 3,
	   "only what is new is added");
	ok(changes.changed_count == 1 && changes.changed[0].key_count == 2 &&
	   changes.former[0].key_count == 1 && changes.former[0].id == 5,
	   "what changes can be put back");
	dest_changes_clear(&changes);
}

static void check_conflicts(void)
{
	struct gate_dest have[3], want[2];
	struct gate_dests present;
	struct dest_changes changes;
	struct liquid_error err;

	make_present(have, &present);
	set_keys(&want[0], 0, KEYS("10.0.0.1", "10.0.0.5"));
	ok(dest_ids_assign(want, names, 1, &present, &changes, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "destinations 0 and 5"), "one name for two destinations is refused");
	set_keys(&want[0], 0, KEYS("10.0.0.3"));
	set_keys(&want[1], 0, KEYS("fd00::3"));
	ok(dest_ids_assign(want, names, 2, &present, &changes, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text,
		  "'b' and of another node"), "two names for one destination are refused");
}

static void check_full(void)
{
	struct gate_dest want, *have = calloc(LIQUID_DEST_MAX, sizeof(*have));
	struct gate_dests present = { have, LIQUID_DEST_MAX, LIQUID_DEST_MAX };
	struct dest_changes changes;
	struct liquid_error err;
	char text[32];

	for (uint32_t id = 0; id < LIQUID_DEST_MAX; id++) {
		snprintf(text, sizeof(text), "10.1.%u.%u", id >> 8, id & 255);
		set_keys(&have[id], id, KEYS(text));
	}
	set_keys(&want, 0, KEYS("10.2.0.0"));
	ok(dest_ids_assign(&want, names, 1, &present, &changes, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no id is left"), "a full gate takes no more");
	set_keys(&want, 0, KEYS("10.1.255.255"));
	ok(!dest_ids_assign(&want, names, 1, &present, &changes, &err) && want.id == 65535 &&
	   !changes.fresh_count, "a full gate knows whom it has");
	dest_changes_clear(&changes);
	free(have);
}

static const char *name_of(const void *context, uint32_t i)
{
	return ((const char *const *)context)[i];
}

static void check_nearest(const char *name, const char *wanted)
{
	static const char *const hosts[] = { "node001", "node002", "node010", "login", "gpu7" };
	char text[256];

	liquid_near_names(name, name_of, hosts, 5, text, sizeof(text));
	if (!ok(!strcmp(text, wanted), "near '%s'", name))
		printf("# '%s'\n", text);
}

int main(void)
{
	check_taken();
	check_parts();
	check_long_runs();
	check_ids();
	check_conflicts();
	check_full();
	check_nearest("node01", "; near it: node001, node010, node002");
	check_nearest("logn", "; near it: login");
	check_nearest("LOGIN.example.org", "; near it: login");
	check_nearest("gpu7/mlx5_0/1", "; near it: gpu7");
	check_nearest("storage-17", "");
	return tap_exit();
}
