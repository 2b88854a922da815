// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl solve --compact: the all-to-all of many hosts, whose transfers are never listed. */
#include <stdlib.h>

#include "clock/clock-ns.h"
#include "cmd/cmd.h"
#include "cmd/solve.h"
#include "util/output.h"

static int write_compact(const struct liquid_compact *compact, const char *path, FILE **text)
{
	struct liquid_error err;
	struct output output;
	int status, code = output_open(&output, path);

	if (code)
		return code;
	if (output_is_stdout(&output))
		*text = stderr;
	status = liquid_compact_write_json(compact, output.file, &err);
	if (status)
		code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
	return output_close(&output, code);
}

int solve_compact(const struct solve *solve, const struct liquid_fabric *fabric)
{
	struct liquid_compact *compact = NULL;
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	struct liquid_error err;
	uint32_t *hosts = NULL;
	FILE *text = stdout;
	size_t count;
	int status, code = read_host_list(fabric, "hosts", solve->traffic.hosts, &hosts, &count);

	if (code)
		return code;
	status = liquid_compact_solve(fabric, hosts, count, &solve->options, &compact, &err);
	free(hosts);
	if (status)
		return complain_of(status, &err);
	if (solve->output || solve->json)
		code = write_compact(compact, solve->output, &text);
	if (!code && !solve->json)
		solve_summary(text, liquid_compact_info(compact),
			      1e-9 * (double)(clock_ns(CLOCK_MONOTONIC) - start));
	liquid_compact_free(compact);
	return code;
}
