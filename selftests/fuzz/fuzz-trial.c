// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz what a trial reads from elsewhere: tarballs, and lines of a connection
 *
 * The input is taken for a tarball; for the JSON files of one, parted by lines "--"; and for what
 * comes over a connection.
 */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "trial/trial.h"

static const char *const files[] = {
	"liquid-trial/trial.json", "liquid-trial/node0.json", "liquid-trial/node1.json"
};
#define FILES (sizeof(files) / sizeof(files[0]))

static void show(const char *tar, size_t size)
{
	struct trial_report report;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	if (trial_report_parse(tar, size, &report)) {
		fuzz_check(report.count >= 2 && report.count <= TRIAL_NODES_MAX);
		trial_summary(out, &report);
	}
	fclose(out);
	for (size_t i = 0; i < length; i++)
		fuzz_check(text[i] == '\n' || (unsigned char)text[i] >= ' ');
	free(text);
	trial_report_clear(&report);
}

static void show_files(const char *text, size_t size)
{
	struct fuzz_text rest = { text, size };
	char *tar = NULL;
	size_t length;
	FILE *out = open_memstream(&tar, &length);

	for (size_t i = 0; i < FILES; i++) {
		struct fuzz_text part = fuzz_next_part(&rest);

		fuzz_check(trial_tar_put(out, files[i], part.text, part.size));
	}
	fuzz_check(trial_tar_end(out));
	fclose(out);
	show(tar, length);
	free(tar);
}

/* What one end sends at once, the other takes line by line, and then sees that no more comes. */
static void take_lines(const void *data, size_t size)
{
	struct trial_wire wire;
	bool gone = false;
	int ends[2];

	if (size > 100000 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return;
	fuzz_check(trial_wire_open(&wire, ends[0]));
	fuzz_check(send(ends[1], data, size, 0) == (ssize_t)size);
	close(ends[1]);
	for (size_t i = 0; i <= size + 1 && !gone; i++) {
		json_t *json = trial_take_some(&wire, &gone);

		fuzz_check(!json || json_is_object(json));
		json_decref(json);
	}
	fuzz_check(gone);
	trial_wire_close(&wire);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	show((const char *)data, size);
	show_files((const char *)data, size);
	take_lines(data, size);
	return 0;
}
