// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl solve --export-...: the problem as a file for another solver. */
#include "cmd/cmd.h"
#include "util/output.h"
#include "cmd/solve.h"

typedef int (*write_fn)(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			uint32_t frames, FILE *out, struct liquid_error *err);

static int write_dimacs(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			uint32_t frames, FILE *out, struct liquid_error *err)
{
	(void)frames;		/* a graph to colour does not limit the colours */
	return liquid_export_dimacs(fabric, traffic, out, err);
}

static int export_to(const char *path, write_fn write, const struct solve *solve,
		     const struct liquid_fabric *fabric, const struct liquid_traffic *traffic)
{
	struct liquid_error err;
	struct output output;
	int status, code;

	if (!path)
		return EXIT_OK;
	code = output_open(&output, path);
	if (code)
		return code;
	status = write(fabric, traffic, solve->frames, output.file, &err);
	if (status)
		code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
	return output_close(&output, code);
}

bool solve_exports(const struct solve *solve)
{
	return solve->milp || solve->dimacs || solve->cnf;
}

int solve_export(const struct solve *solve, const struct liquid_fabric *fabric,
		 const struct liquid_traffic *traffic)
{
	int code = export_to(solve->milp, liquid_export_milp, solve, fabric, traffic);

	if (!code)
		code = export_to(solve->dimacs, write_dimacs, solve, fabric, traffic);
	if (!code)
		code = export_to(solve->cnf, liquid_export_cnf, solve, fabric, traffic);
	return code;
}
