// SPDX-License-Identifier: GPL-2.0-only
/* liquid solve --export-...: the problem as a file for another solver. */
#include "util/command.h"
#include "util/output.h"
#include "solve/solve.h"

static int export_to(const char *path, enum liquid_model model, const struct solve *solve,
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
	status = liquid_export(fabric, traffic, model, solve->frames, output.file, &err);
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
	int code = export_to(solve->milp, LIQUID_MODEL_MILP, solve, fabric, traffic);

	if (!code)
		code = export_to(solve->dimacs, LIQUID_MODEL_DIMACS, solve, fabric, traffic);
	if (!code)
		code = export_to(solve->cnf, LIQUID_MODEL_CNF, solve, fabric, traffic);
	return code;
}
