// SPDX-License-Identifier: LGPL-2.1-or-later
/* Common parts of the exports to other solvers: the problem as sets of links, and the output. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "export/export.h"

int liquid_export(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
		  enum liquid_model model, uint32_t frames, FILE *out, struct liquid_error *err)
{
	static const struct {
		const char *comment;
		int (*write)(const struct export *export, const struct liquid_traffic *traffic,
			     struct liquid_error *err);
	} kinds[LIQUID_MODELS] = {
		{ "\\", export_milp }, { "c", export_dimacs }, { "c", export_cnf },
	};
	struct export export = { .fabric = fabric, .out = out, .frames = frames };
	int status;

	if (model >= LIQUID_MODELS)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no model has the number %u", model);
	export.comment = kinds[model].comment;
	status = routes_build(fabric, traffic, &export.routes, err);
	if (!status && !routes_invert(export.routes, &export.inverse))
		status = liquid_no_memory(err);
	if (!status)
		status = kinds[model].write(&export, traffic, err);
	routes_inverse_clear(&export.inverse);
	routes_free(export.routes);
	return status;
}

int export_check_size(const struct export *export, struct liquid_error *err)
{
	uint64_t variables = (uint64_t)export->routes->pair_count * export->frames;

	if (variables <= EXPORT_VARIABLES_MAX)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "%u pairs in %u frames are %llu variables; at most %u are exported",
			   export->routes->pair_count, export->frames,
			   (unsigned long long)variables, EXPORT_VARIABLES_MAX);
}

int export_flush(const struct export *export, struct liquid_error *err)
{
	if (fflush(export->out) || ferror(export->out))
		return liquid_fail(err, LIQUID_IO, "writing the export: %s", strerror(errno));
	return LIQUID_OK;
}

void export_note(const struct export *export, const char *format, ...)
{
	va_list args;

	fprintf(export->out, "%s ", export->comment);
	va_start(args, format);
	vfprintf(export->out, format, args);
	va_end(args);
	putc('\n', export->out);
}

void export_origin(const struct export *export)
{
	const struct routes *routes = export->routes;

	export_note(export, "fabric %s: %u transfers of %u pairs, duration %u",
		    liquid_fabric_name(export->fabric), routes->transfer_count,
		    routes->pair_count, routes->duration);
}

uint32_t export_fullest(const struct export *export)
{
	const struct routes *routes = export->routes;
	uint32_t fullest = LIQUID_NONE;

	for (uint32_t link = 0; link < routes->link_count; link++)
		if (routes->capacity[link] == 1 &&
		    (fullest == LIQUID_NONE || routes->load[link] > routes->load[fullest]))
			fullest = link;
	return fullest;
}
