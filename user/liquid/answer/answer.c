// SPDX-License-Identifier: GPL-2.0-only
/* liquid answer: the table of questions, and their files. It is not for users. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/answer.h"
#include "commands.h"

int answer_malformed(struct liquid_error *err)
{
	return liquid_fail(err, LIQUID_BAD_INPUT, "malformed question");
}

/* ---- files ---- */

int answer_open(const json_t *file, FILE **in, const char **label, struct liquid_error *err)
{
	int fd, copy;

	*in = NULL;
	if (json_unpack((json_t *)file, "{s:i, s:s}", "fd", &fd, "label", label) || fd < 0)
		return answer_malformed(err);
	copy = dup(fd);
	/* A file may be read before; a pipe only once. */
	if (copy >= 0 && (lseek(copy, 0, SEEK_SET) >= 0 || errno == ESPIPE))
		*in = fdopen(copy, "r");
	if (*in)
		return LIQUID_OK;
	if (copy >= 0)
		close(copy);
	return liquid_fail(err, LIQUID_IO, "%s: %s", *label, strerror(errno));
}

int answer_fabric(const json_t *file, struct liquid_fabric **fabric, struct liquid_error *err)
{
	const char *label;
	FILE *in;
	int status = answer_open(file, &in, &label, err);

	*fabric = NULL;
	if (status)
		return status;
	status = liquid_fabric_read(in, label, fabric, err);
	fclose(in);
	return status;
}

int answer_schedule(const json_t *file, const struct liquid_fabric *fabric, const char **label,
		    struct liquid_schedule **schedule, struct liquid_error *err)
{
	FILE *in;
	int status = answer_open(file, &in, label, err);

	*schedule = NULL;
	if (status)
		return status;
	status = liquid_schedule_read_json(in, *label, fabric, schedule, err);
	fclose(in);
	return status;
}

int answer_dumps(const json_t *question, const struct liquid_import *import,
		 struct liquid_fabric **fabric, struct liquid_error *err)
{
	struct liquid_import dumps = *import;
	int status = answer_open(json_object_get(question, "topo"), &dumps.topo,
				 &dumps.topo_label, err);

	*fabric = NULL;
	if (!status)
		status = answer_open(json_object_get(question, "lft"), &dumps.lft,
				     &dumps.lft_label, err);
	if (!status)
		status = liquid_fabric_import(&dumps, fabric, err);
	if (dumps.topo)
		fclose(dumps.topo);
	if (dumps.lft)
		fclose(dumps.lft);
	return status;
}

/* ---- the questions ---- */

static const struct {
	const char *name;
	answer_question *answer;
} questions[] = {
	{ "slice", answer_slice },
	{ "hosts", answer_hosts },
	{ "import", answer_import },
	{ "sweep", answer_sweep },
	{ "prepare", answer_prepare },
};

static int answer(const json_t *question, json_t **reply, struct liquid_error *err)
{
	const char *name, *version;

	*reply = NULL;
	if (json_unpack((json_t *)question, "{s:s, s:s}", "question", &name, "version", &version))
		return answer_malformed(err);
	if (strcmp(version, LIQUID_VERSION))
		return liquid_fail(err, LIQUID_BAD_INPUT, "liquid-nl is of release %.32s, and "
				   "liquid of %s: install both of one release", version,
				   LIQUID_VERSION);
	for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++)
		if (!strcmp(name, questions[i].name))
			return questions[i].answer(question, reply, err);
	return answer_malformed(err);
}

static int print_reply(json_t *reply)
{
	int failed = reply && json_dumpf(reply, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(reply);
	return failed ? stdout_lost() : EXIT_OK;
}

static const struct opt answer_opts[] = { { 0 } };

static int run_answer(int argc, char **argv)
{
	json_t *question, *reply = NULL;
	struct liquid_error err;
	int status, code = take_options(argc, argv, answer_opts, NULL);

	if (code)
		return code;
	question = json_loadf(stdin, JSON_REJECT_DUPLICATES, NULL);
	status = question ? answer(question, &reply, &err) : answer_malformed(&err);
	code = status ? complain_of(status, &err) : print_reply(reply);
	json_decref(question);
	return code;
}

const struct command cmd_answer = {
	"answer", NULL, answer_opts, run_answer, NULL, NULL
};
