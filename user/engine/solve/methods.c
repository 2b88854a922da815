// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of methods. */
#include <string.h>

#include "solve/methods.h"

static const struct method methods[] = {
	{ "auto", method_auto, word_fit },
	{ "teams", method_teams, NULL },
	{ "frames", method_frames, NULL },
	{ "ejection", method_ejection, NULL },
	{ "first-fit", method_first_fit, NULL },
	{ "dsatur", method_dsatur, NULL },
	{ "round-robin", method_round_robin, NULL },
	{ "quotient", method_quotient, NULL },
	{ "product", method_product, NULL },
	{ "closure", method_closure, NULL },
	{ "compact", method_compact, NULL },
	{ "twins", method_twins, NULL },
	{ "learning", method_learning, NULL },
};

#define METHODS (sizeof(methods) / sizeof(methods[0]))

const char *liquid_method_name(size_t index)
{
	return index < METHODS ? methods[index].name : NULL;
}

const struct method *method_find(const char *name)
{
	for (size_t i = 0; i < METHODS; i++)
		if (!strcmp(methods[i].name, name ? name : "auto"))
			return &methods[i];
	return NULL;
}

int method_run(const struct method *method, struct solving *solving, struct liquid_error *err)
{
	int status = method->look ? method->look(solving, err) : LIQUID_OK;

	if (status || solving_done(solving))
		return status;
	status = solving_invert(solving, err);
	return status ? status : method->solve(solving, err);
}
