// SPDX-License-Identifier: GPL-2.0-only
/* Pages of commands. */
#include "input/input.h"
#include "util/command.h"
#include "util/output.h"

int write_page(const char *path, const struct liquid_page *page, FILE **text)
{
	struct liquid_error err;
	struct output output;
	int status, code = output_open(&output, path);

	if (code)
		return code;
	if (output_is_stdout(&output))
		*text = stderr;
	status = liquid_page_write(page, output.file, &err);
	if (status)
		code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
	return output_close(&output, code);
}
