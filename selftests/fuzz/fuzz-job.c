// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz the readers of the store's records, which any node may have written
 *
 * The input has one record after the other, parted by lines "--", in the order of records[]; each
 * becomes a file of a store. What is taken of them is within its bounds, and is written the same.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "job/job.h"
#include "report/report.h"

static const char *const records[] = {
	"rounds/j-1/spec.json", "rounds/j-1/plan.h1.json", "rounds/j-1/release.json",
	"rounds/j-1/go.json", "rounds/j-1/figures.json", "jobs/j/gen-1.json", "jobs/j/gen-2.json",
	"rounds/j-2/spec.json", "rounds/j-2/release.json", "jobs/j/until.json", "jobs/j/skip.json",
	"rounds/j-1/first.h1.json", "rounds/j-1/last.h1.json",
};
#define RECORDS (sizeof(records) / sizeof(records[0]))

/* Each after the one that it is in */
static const char *const directories[] = {
	"rounds", "rounds/j-1", "rounds/j-2", "jobs", "jobs/j"
};
#define DIRECTORIES (sizeof(directories) / sizeof(directories[0]))

int LLVMFuzzerInitialize(int *argc, char ***argv);

static char directory[64];
static struct job_store open_store = { .dir = directory, .fd = -1 };

/* Of a name in the store; good until the next. */
static const char *within(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void clean_up(void)
{
	for (size_t i = 0; i < RECORDS; i++)
		unlink(within(records[i]));
	for (size_t i = DIRECTORIES; i--;)
		rmdir(within(directories[i]));
	rmdir(directory);
	job_store_close(&open_store);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fuzz_make_directory(directory, sizeof(directory), "job");
	for (size_t i = 0; i < DIRECTORIES; i++)
		fuzz_check(!mkdir(within(directories[i]), 0700));
	open_store.keeper = geteuid();
	fuzz_check(!job_store_open(&open_store, NULL));
	atexit(clean_up);
	/* libFuzzer writes to stderr; what status prints is only made. */
	fuzz_check(freopen("/dev/null", "w", stdout) != NULL);
	return 0;
}

/* ---- the store ---- */

static void put_record(const char *record, const char *text, size_t size)
{
	const char *path = within(record);
	int fd;

	unlink(path);
	if (!size)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	fuzz_check(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	close(fd);
}

static void make_store(const char *text, size_t size)
{
	struct fuzz_text rest = { text, size };

	for (size_t i = 0; i < RECORDS; i++) {
		struct fuzz_text part = fuzz_next_part(&rest);

		put_record(records[i], part.text, part.size);
	}
}

/* ---- what must hold of what was taken ---- */

static void same_json(json_t *one, json_t *other)
{
	fuzz_check(one && other && json_equal(one, other));
	json_decref(one);
	json_decref(other);
}

static void check_part(const struct job_part *part)
{
	fuzz_check(job_name_fits(part->job) && part->what && part->tasks_per_node >= 1);
	for (size_t i = 0; i < part->nodes.count; i++)
		fuzz_check(job_name_fits(part->nodes.name[i]));
}

static void check_spec(const struct job_store *store)
{
	struct liquid_error err = { "" };
	struct job_spec spec, again;
	json_t *json;
	char *text;

	if (job_spec_read(store, "j-1", &spec, &err)) {
		fuzz_check(err.text[0] && !spec.part && !spec.part_count);
		return;
	}
	for (size_t i = 0; i < spec.part_count; i++)
		check_part(&spec.part[i]);
	json = job_spec_json(&spec);
	text = json_dumps(json, JSON_COMPACT);
	fuzz_check(text != NULL);
	put_record("rounds/j-1/spec.json", text, strlen(text));
	fuzz_check(!job_spec_read(store, "j-1", &again, &err));
	same_json(json, job_spec_json(&again));
	free(text);
	job_spec_clear(&spec);
	job_spec_clear(&again);
}

static void check_runs(const struct push_plan *plan)
{
	uint64_t frames = 0;

	for (size_t i = 0; i < plan->runs.count; i++) {
		fuzz_check(plan->runs.run[i].dest == LIQUID_NONE ||
			   plan->runs.run[i].dest < plan->count);
		frames += plan->runs.run[i].run;
	}
	fuzz_check(frames == (uint64_t)plan->frames * plan->parts);
	for (size_t i = 0; i < plan->count; i++)
		fuzz_check(plan->names[i] && plan->dests[i].key_count);
}

static void check_plan(const struct job_store *store)
{
	struct liquid_error err = { "" };
	json_t *json = job_get(store, "rounds/j-1/plan.h1.json", &err);
	struct push_plan plan;

	if (!json || push_plan_take(json, &plan, &err)) {
		fuzz_check(!json || err.text[0]);
		json_decref(json);
		return;
	}
	check_runs(&plan);
	push_plan_clear(&plan);
	json_decref(json);
}

/* What nodes have written is text of the page: of its own it has these elements, and no other. */
static void check_page(const char *page)
{
	static const char *const elements[] = {
		"!DOCTYPE html>", "html ", "html>", "head>", "meta ", "style>", "title>", "body>",
		"h1>", "h2>", "p>", "b>", "span ", "span>", "ul ", "ul>", "li>", "table>", "thead>",
		"tbody>", "tr>", "th>", "td>", "figure>", "figcaption>", "svg ", "svg>", "text ",
		"text>", "rect ", "rect>",
	};

	for (const char *at = page; (at = strchr(at, '<'));) {
		bool known = false;

		at += 1 + (at[1] == '/');
		for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++)
			known |= !strncmp(at, elements[i], strlen(elements[i]));
		fuzz_check(known);
	}
	for (const char *at = page; *at; at++)
		fuzz_check((unsigned char)*at >= 0x20 || *at == '\n');
}

static void check_report(const struct job_args *args)
{
	json_t *report = report_read(args);
	char *page = NULL;
	size_t size;
	FILE *out;

	fuzz_check(report != NULL);
	report_print(report);
	out = open_memstream(&page, &size);
	report_write_html(out, report);
	fclose(out);
	check_page(page);
	free(page);
	json_decref(report);
	report = report_count_jobs(args);
	fuzz_check(json_array_size(report) == 1);
	report_print_metrics(stdout, report);
	json_decref(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct job_args args = { .job = "j", .node = "h1", .store = open_store };
	char round[JOB_ROUND_SIZE] = "";

	make_store((const char *)data, size);
	if (job_in_force(&args.store, "j", round))
		fuzz_check(job_name_fits(round));
	(void)job_ended(&args.store, "j");
	fuzz_check(!job_status(&args));
	args.json = true;
	fuzz_check(!job_status(&args));
	check_report(&args);
	check_plan(&args.store);
	check_spec(&args.store);
	return 0;
}
