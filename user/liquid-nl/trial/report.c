// SPDX-License-Identifier: GPL-2.0-only
/* The files of a trial's tarball: written by the conductor, and read again by --show. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "show/print.h"
#include "trial/trial.h"
#include "util/input.h"
#include "util/output.h"

#define FOLDER "liquid-trial/"
#define FILES_MAX (TRIAL_NODES_MAX + 5)
#define TARBALL_MAX (16 << 20)

static const char readme[] =
	"A trial of liquid on a few nodes (liquid-nl trial). `liquid-nl trial --show FILE` prints\n"
	"the summary again; Documentation/trial.rst of liquid tells what the files have.\n"
	"Nodes are numbered. There are no names, addresses or serial numbers in these files: look\n"
	"at them before you send them.\n";

void trial_report_clear(struct trial_report *report)
{
	json_decref(report->trial);
	for (unsigned int i = 0; i < report->count; i++)
		json_decref(report->node[i]);
	*report = (struct trial_report){ 0 };
}

/* ---- writing ---- */

struct file {
	char name[64];
	char *text;		/* to be freed; NULL: out of memory */
	size_t size;
};

struct files {
	struct file file[FILES_MAX];
	unsigned int count;
};

/* A new file, as a stream that the caller closes */
static FILE *open_file(struct files *files, const char *name)
{
	struct file *file = &files->file[files->count++];

	snprintf(file->name, sizeof(file->name), FOLDER "%s", name);
	return open_memstream(&file->text, &file->size);
}

static void put_json(struct files *files, const char *name, const json_t *json)
{
	FILE *out = open_file(files, name);

	if (!out)
		return;
	json_dumpf(json, out, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII);
	fputc('\n', out);
	fclose(out);
}

static void put_plan(struct files *files, const struct trial_plan *plan)
{
	struct liquid_error err;
	FILE *out = open_file(files, "fabric");

	if (out && !liquid_fabric_write(plan->fabric, out, &err))
		fclose(out);
	out = open_file(files, "schedule.json");
	if (out && !liquid_schedule_write_json(plan->schedule, plan->fabric, out, &err))
		fclose(out);
}

static void put_files(struct files *files, const struct trial_report *report,
		      const struct trial_plan *plan)
{
	FILE *out = open_file(files, "README");
	char name[32];

	if (out) {
		fputs(readme, out);
		fclose(out);
	}
	out = open_file(files, "summary.txt");
	if (out) {
		trial_summary(out, report);
		fclose(out);
	}
	put_json(files, "trial.json", report->trial);
	for (unsigned int i = 0; i < report->count; i++) {
		snprintf(name, sizeof(name), "node%u.json", i);
		put_json(files, name, report->node[i]);
	}
	put_plan(files, plan);
}

static int write_tarball(const char *path, const struct files *files)
{
	struct output output;
	int code = output_open(&output, path);
	bool written = true;

	if (code)
		return code;
	for (unsigned int i = 0; i < files->count && written; i++)
		written = trial_tar_put(output.file, files->file[i].name, files->file[i].text,
					files->file[i].size);
	written = written && trial_tar_end(output.file);
	return output_close(&output, written ? EXIT_OK : EXIT_IO);
}

/* What leaves this machine is said before it is packed. */
static int show_files(const struct files *files, const char *path)
{
	for (unsigned int i = 0; i < files->count; i++)
		if (!files->file[i].text)
			return no_memory();
	trial_say("%s will have these files; look at them before you send it:", path);
	for (unsigned int i = 0; i < files->count; i++)
		trial_say("  %8zu bytes  %s", files->file[i].size, files->file[i].name);
	return EXIT_OK;
}

int trial_report_write(const struct trial *trial, const struct trial_report *report,
		       const struct trial_plan *plan)
{
	struct files files = { .count = 0 };
	int code;

	put_files(&files, report, plan);
	trial_summary(stdout, report);
	fflush(stdout);
	code = show_files(&files, trial->output);
	if (!code)
		code = write_tarball(trial->output, &files);
	for (unsigned int i = 0; i < files.count; i++)
		free(files.file[i].text);
	return code;
}

/* ---- reading ---- */

static json_t *find_json(const char *tar, size_t size, const char *name)
{
	char path[64];
	const char *text;
	size_t length;

	snprintf(path, sizeof(path), FOLDER "%s", name);
	text = trial_tar_find(tar, size, path, &length);
	return text ? json_loadb(text, length, JSON_REJECT_DUPLICATES, NULL) : NULL;
}

bool trial_report_parse(const char *tar, size_t size, struct trial_report *report)
{
	char name[32];
	int64_t nodes;

	*report = (struct trial_report){ .trial = find_json(tar, size, "trial.json") };
	nodes = trial_integer(report->trial, "nodes", 0);
	if (strcmp(trial_text(report->trial, "format"), "liquid-trial") ||
	    trial_integer(report->trial, "version", 0) != 1 || nodes < 2 ||
	    nodes > TRIAL_NODES_MAX)
		return false;
	for (report->count = 0; report->count < nodes; report->count++) {
		snprintf(name, sizeof(name), "node%u.json", report->count);
		report->node[report->count] = find_json(tar, size, name);
	}
	return true;
}

static char *read_all(FILE *in, size_t *size)
{
	char *data = malloc(TARBALL_MAX);

	*size = data ? fread(data, 1, TARBALL_MAX, in) : 0;
	return data;
}

static json_t *report_json(const struct trial_report *report)
{
	json_t *nodes = json_array();

	for (unsigned int i = 0; i < report->count; i++)
		json_array_append(nodes, report->node[i] ? report->node[i] : json_null());
	return json_pack("{s:O, s:o}", "trial", report->trial, "nodes", nodes);
}

int trial_report_show(const char *path, bool json)
{
	struct trial_report report;
	char *data;
	size_t size;
	FILE *in;
	int code = open_input(path, &in);

	if (code)
		return code;
	data = read_all(in, &size);
	close_input(in);
	if (!data)
		return no_memory();
	if (!trial_report_parse(data, size, &report))
		code = complain(EXIT_BAD_INPUT, "%s: not the tarball of a trial",
				input_label(path));
	else if (json)
		code = print_json(report_json(&report));
	else
		trial_summary(stdout, &report);
	trial_report_clear(&report);
	free(data);
	return code;
}
