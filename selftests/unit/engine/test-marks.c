// SPDX-License-Identifier: GPL-2.0-only
/* Marks of transfers: read, kept, written, checked; and what cannot follow them says so. */
#include "fixtures.h"
#include "tap.h"

static struct liquid_error err;
static struct liquid_fabric *fabric;	/* four hosts on two leaves */


#define HEAD "{\"format\":\"liquid-schedule\",\"version\":2,%s\"fabric\":\"x\"," \
	"\"fabric_digest\":\"%s\",\"traffic_digest\":\"%s\",\"method\":\"hand\",\"seed\":0," \
	"\"work\":0,\"unit_bytes\":null,\"link_rate_bps\":null,\"transfers\":4,\"duration\":2," \
	"\"fluid_bound\":2.0,\"length\":3,\"lower_bound\":2,\"certificate\":\"gap\"," \
	"\"witness\":null,%s\"frames\":[\n[[\"%s\",\"%s\"]],\n[[\"%s\",\"%s\"],[\"%s\",\"%s\"]]," \
	"\n[[\"%s\",\"%s\"]]\n]}\n"

static const char *name(uint32_t host)
{
	return liquid_fabric_node_name(fabric, host);
}

/*
 * h0 to h1, then again with h3 to h0, then h1 to h2; with these marks, in which %0 ... %3 are the
 * hosts and quotes are single; NULL: without any
 */
static char *file_with(const char *marks)
{
	static const uint32_t pair[] = { 0, 1, 0, 1, 3, 0, 1, 2 };
	char digest[2][LIQUID_DIGEST_HEX], said[2048] = "", *file;
	struct liquid_traffic *traffic;
	size_t used = 0;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (int i = 0; i < 4; i++)
		must(liquid_traffic_add(traffic, pair[2 * i], pair[2 * i + 1], 1, &err), &err);
	must(liquid_fabric_digest(fabric, digest[0], &err), &err);
	must(liquid_traffic_digest(fabric, traffic, digest[1], &err), &err);
	liquid_traffic_free(traffic);
	for (const char *at = marks; at && *at; at++)
		if (*at == '%')
			used += (size_t)sprintf(said + used, "\"%s\"", name((uint32_t)*++at - '0'));
		else
			said[used++] = *at == '\'' ? '"' : *at;
	if (marks)
		strcpy(said + used, ",");
	if (asprintf(&file, HEAD, marks ? "\"needs\":[\"marks\"]," : "", digest[0], digest[1],
		     said, name(0), name(1), name(0), name(1), name(3), name(0), name(1),
		     name(2)) < 0)
		exit(1);
	return file;
}

static struct liquid_schedule *read_marks(const char *marks)
{
	struct liquid_schedule *schedule;
	char *file = file_with(marks);

	must(read_text(file, fabric, &schedule, &err), &err);
	free(file);
	return schedule;
}

static const char *const kinds[] = {
	"'marks':[{'frame':1,'src':%0,'dst':%1,'way':3}]",
	"'marks':[{'frame':2,'src':%1,'dst':%2,'after':2}]",
	"'marks':[{'frame':0,'src':%0,'dst':%1,'member':1},"
		 "{'frame':1,'src':%0,'dst':%1,'member':2}]",
	"'marks':[{'frame':1,'src':%3,'dst':%0,'reverse':true}]",
	"'marks':[{'frame':2,'src':%1,'dst':%2,'way':1,'after':1,'member':7,'reverse':true}]",
};

static void test_files(void)
{
	struct liquid_schedule *schedule;
	const struct liquid_mark *mark;
	size_t count;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		char *file = file_with(kinds[i]), *again;

		must(read_text(file, fabric, &schedule, &err), &err);
		again = json_of(schedule, fabric);
		ok(!strcmp(file, again), "kept and written the same: %s", kinds[i]);
		liquid_schedule_free(schedule);
		free(again);
		must(read_text(file, NULL, &schedule, &err), &err);
		must(liquid_schedule_renumber(schedule, fabric, &err), &err);
		again = json_of(schedule, fabric);
		ok(!strcmp(file, again), "nor do other numbers of hosts change it");
		liquid_schedule_free(schedule);
		free(again);
		free(file);
	}
	schedule = read_marks(kinds[4]);
	mark = liquid_schedule_marks(schedule, &count);
	ok(count == 1 && mark->frame == 2 && mark->src == 1 && mark->dst == 2 && mark->way == 1 &&
	   mark->after == 1 && mark->member == 7 && mark->reverse, "the list has all that is said");
	liquid_schedule_free(schedule);
	schedule = read_marks("'marks':[{'frame':1,'src':%3,'dst':%0,'member':268435456}]");
	mark = liquid_schedule_marks(schedule, &count);
	ok(count == 1 && mark->member == 1u << 28, "the largest number, in another frame than 0");
	liquid_schedule_free(schedule);
	schedule = read_marks(NULL);
	ok(!liquid_schedule_marks(schedule, &count) && !count, "no marks, no list");
	ok(liquid_schedule_set_wavelengths(schedule, 2, &err) == LIQUID_OK, "but wavelengths");
	liquid_schedule_free(schedule);
}

static const struct {
	const char *marks, *error;
} bad[] = {
	{ "'marks':7", "must be an array of one mark or more" },
	{ "'marks':[]", "must be an array of one mark or more" },
	{ "'marks':[7]", "\"marks\", 0: Expected object" },
	{ "'marks':[{'src':%0,'dst':%1,'way':1}]", "0: Object item not found: frame" },
	{ "'marks':[{'frame':0,'src':%0,'dst':%1,'wey':1}]", "unpacked: wey" },
	{ "'marks':[{'frame':0,'src':%0,'dst':%1,'way':'1'}]", "0: Expected integer" },
	{ "'marks':[{'frame':0,'src':%0,'dst':%1,'after':-1}]", "0: a number is not within" },
	{ "'marks':[{'frame':0,'src':%0,'dst':%1,'member':4294967297}]", "is not within 0 ... " },
	{ "'marks':[{'frame':0,'src':%0,'dst':'?','way':1}]", "0: the schedule lacks host " },
	{ "'marks':[{'frame':0,'src':%0,'dst':%1,'way':0}]", "says nothing" },
	{ "'marks':[{'frame':3,'src':%0,'dst':%1,'way':1}]", "is of no transfer there" },
	{ "'marks':[{'frame':2,'src':%0,'dst':%1,'way':1}]", "is of no transfer there" },
	{ "'marks':[{'frame':2,'src':%1,'dst':%2,'way':1},{'frame':2,'src':%1,'dst':%2,'way':2}]",
	  "that has another mark" },
	{ "'mark':[{'frame':0,'src':%0,'dst':%1,'way':1}]", "of that name go together" },
	{ "'wavelengths':{'count':3,'timeslots':1,'lower_bound':1,'frames':[[0,0],[0,1],[0,2]]},"
	  "'marks':[{'frame':0,'src':%0,'dst':%1,'way':1}]", "wavelengths has no marks" },
};

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct liquid_schedule *schedule;
		char *file = file_with(bad[i].marks);
		int status = read_text(file, fabric, &schedule, &err);

		if (!ok(status == LIQUID_BAD_INPUT && !schedule &&
			!strncmp(err.text, "text: ", 6) && strstr(err.text, bad[i].error),
			"%s: %s", bad[i].marks, bad[i].error))
			printf("# %s\n", err.text);
		free(file);
	}
}

/* The verifier says @finding of the file with @marks; NULL: nothing */
static void verified(const char *marks, const char *finding)
{
	struct liquid_schedule *schedule = read_marks(marks);
	int status = liquid_verify(fabric, NULL, schedule, NULL, NULL, &err);

	if (!ok(finding ? status == LIQUID_INVALID && strstr(err.text, finding) : !status,
		"verify %s: %s", marks, finding ? finding : "valid"))
		printf("# %d %s\n", status, status ? err.text : "");
	liquid_schedule_free(schedule);
}

static void test_verify(void)
{
	verified(kinds[0], "does not exist: the fabric has only that of its tables");
	verified(kinds[1], NULL);
	verified(kinds[2], NULL);
	verified(kinds[3], NULL);
	verified("'marks':[{'frame':1,'src':%0,'dst':%1,'after':1}]", NULL);
	verified("'marks':[{'frame':1,'src':%0,'dst':%1,'after':2}]", "waits for frame 1, which");
	verified("'marks':[{'frame':1,'src':%0,'dst':%1,'after':3}]", "waits for frame 2, which");
}

/* ---- the slice of a gate ---- */

static void test_slices(void)
{
	struct liquid_schedule *schedule = read_marks(kinds[3]);
	uint32_t dst[6];

	must(liquid_schedule_slice(schedule, 3, 1, dst, &err), &err);
	ok(dst[1] == LIQUID_NONE && !liquid_schedule_at_once(schedule, 3),
	   "what is asked for is not sent by itself");
	ok(liquid_schedule_slice(schedule, 0, 1, dst, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "begins transfers with"), "two in a frame: %s", err.text);
	must(liquid_schedule_slice(schedule, 0, 2, dst, &err), &err);
	ok(dst[0] == 1 && dst[1] == 1 && dst[2] == 1 && dst[3] == 3 && dst[4] == LIQUID_NONE &&
	   liquid_schedule_at_once(schedule, 0) == 2, "it is asked for in its frame");
	liquid_schedule_free(schedule);
	schedule = read_marks(kinds[0]);
	ok(liquid_schedule_slice(schedule, 3, 1, dst, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "\"way\", which a gate cannot follow"), "refused: %s", err.text);
	liquid_schedule_free(schedule);
}

/* Those that a host sends, whoever asks for them */
static void test_samples(void)
{
	static const int marked[] = { 0, 3, 4 };
	static const uint32_t some[] = { 3 };

	for (size_t i = 0; i < sizeof(marked) / sizeof(*marked); i++) {
		struct liquid_schedule *schedule = read_marks(kinds[marked[i]]), *sample;
		const struct liquid_transfer *transfer;
		size_t before, count, after;

		must(liquid_schedule_sample(schedule, some, 1, &sample, &err), &err);
		liquid_schedule_frame(sample, 0, &before);
		liquid_schedule_frame(sample, 2, &after);
		transfer = liquid_schedule_frame(sample, 1, &count);
		ok(count == 1 && !before && !after && transfer->src == 3 && !transfer->dst,
		   "a sample of h3 has what it sends: %s", kinds[marked[i]]);
		liquid_schedule_free(sample);
		liquid_schedule_free(schedule);
	}
}

/* They are those of the frames, so that whoever looks for them finds them. */
static void test_sampled_wavelengths(void)
{
	struct liquid_schedule *schedule = read_marks(NULL), *sample;
	static const uint32_t some[] = { 3 };
	char *json;

	must(liquid_schedule_set_wavelengths(schedule, 2, &err), &err);
	must(liquid_schedule_sample(schedule, some, 1, &sample, &err), &err);
	json = json_of(sample, fabric);
	ok(strstr(json, "\"frames\":[[0,0],[0,1],[1,0]]"), "a sample keeps the wavelengths");
	ok(liquid_verify(fabric, NULL, sample, NULL, NULL, &err) == LIQUID_INVALID,
	   "and can be verified: %s", err.text);
	free(json);
	liquid_schedule_free(sample);
	liquid_schedule_free(schedule);
}

/* ---- plans, and what else takes a schedule ---- */

static struct liquid_plan *plan_of_marks(const char *marks)
{
	struct liquid_schedule *schedule = read_marks(marks);
	struct liquid_plan *plan;

	must(liquid_plan_make(fabric, schedule, NULL, &plan, &err), &err);
	liquid_schedule_free(schedule);
	return plan;
}

/* What @rank reads of the plan */
static struct liquid_plan *slice_of_marks(const char *marks, uint32_t rank)
{
	struct liquid_plan *plan = plan_of_marks(marks), *slice;
	size_t size;
	void *bytes;

	must(liquid_plan_slice(plan, rank, &bytes, &size, &err), &err);
	must(liquid_plan_read(bytes, size, NULL, 0, &slice, &err), &err);
	liquid_plan_free(plan);
	free(bytes);
	return slice;
}

static void test_pieces(void)
{
	struct liquid_plan *plain = plan_of_marks(NULL), *plan = slice_of_marks(kinds[2], 0);
	uint32_t count, counts;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, 0, &counts);

	liquid_plan_pieces(plain, 0, &count);
	ok(count == 1 && counts == 2 && piece[0].member == 1 && piece[1].member == 2 &&
	   piece[1].part == 1 && piece[1].parts == 2, "a piece is of one member");
	ok(liquid_plan_info(plain)->id != liquid_plan_info(plan)->id, "that is another plan");
	liquid_plan_free(plan);
	liquid_plan_free(plain);
}

static void test_runs(void)
{
	struct liquid_run_options options = { .timeout_ns = 1, .frame_ns = 1 };
	struct liquid_plan *plan = slice_of_marks(kinds[1], 1), *other;
	struct liquid_run *run;

	ok(liquid_run_new(plan, 1, &options, &run, &err) == LIQUID_BAD_INPUT && !run &&
	   strstr(err.text, "piece 0 is marked \"after\""), "refused: %s", err.text);
	other = slice_of_marks(kinds[1], 3);
	ok(!liquid_run_new(other, 3, &options, &run, &err), "but not other ranks");
	liquid_run_free(run);
	liquid_plan_free(other);
	options.sync = LIQUID_SYNC_CLOCK;
	ok(!liquid_run_new(plan, 1, &options, &run, &err), "nor by a clock, which keeps frames");
	liquid_run_free(run);
	liquid_plan_free(plan);
}

/* No one could read its slice. */
static void test_late(void)
{
	struct liquid_schedule *schedule =
		read_marks("'marks':[{'frame':1,'src':%0,'dst':%1,'after':3}]");
	struct liquid_plan *plan;

	ok(liquid_plan_make(fabric, schedule, NULL, &plan, &err) == LIQUID_BAD_INPUT && !plan &&
	   strstr(err.text, "waits for frame 2, which is not an earlier one"),
	   "no plan of what waits for itself: %s", err.text);
	liquid_schedule_free(schedule);
}

static void refused_by(int status, const char *who)
{
	ok(status == LIQUID_BAD_INPUT && strstr(err.text, who), "refused: %s", err.text);
}

static void test_refused(void)
{
	struct liquid_solve_options solve = { 0 };
	struct liquid_sim_options sim = { 0 };
	struct liquid_sim_result *result;
	struct liquid_schedule *schedule;
	struct liquid_traffic *traffic;
	struct liquid_plan *plan;

	for (int kind = 0; kind < 4; kind += 3) {
		schedule = read_marks(kinds[kind]);
		refused_by(liquid_plan_make(fabric, schedule, NULL, &plan, &err), "a plan cannot");
		refused_by(liquid_simulate(fabric, NULL, schedule, &sim, &result, &err),
			   "the simulator cannot");
		liquid_schedule_free(schedule);
	}
	solve.from = read_marks(kinds[2]);
	must(liquid_schedule_traffic(solve.from, NULL, &traffic, &err), &err);
	refused_by(liquid_solve(fabric, traffic, &solve, &schedule, &err), "a change of");
	schedule = read_marks(kinds[2]);
	refused_by(liquid_schedule_set_wavelengths(schedule, 2, &err), "with marks");
	liquid_schedule_free(schedule);
	liquid_schedule_free((struct liquid_schedule *)solve.from);
	liquid_traffic_free(traffic);
}

int main(void)
{
	static const char *const params[] = { "leaves=2", "hosts=2", "spines=2" };

	fabric = make_fabric("leaf-spine", params, 3);
	test_files();
	test_bad();
	test_verify();
	test_slices();
	test_samples();
	test_sampled_wavelengths();
	test_pieces();
	test_late();
	test_runs();
	test_refused();
	liquid_fabric_free(fabric);
	return tap_exit();
}
