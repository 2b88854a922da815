// SPDX-License-Identifier: LGPL-2.1-or-later
/* The table of generators, and their parameters. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/generate/generate.h"

static const struct {
	struct liquid_generator shown;
	generate_fn make;
} generators[] = {
	{ { "papers-5x5", "",
	    "Gabrielyan & Hersch, liquid schedule construction (2006), Fig. 2" },
	  generate_papers_5x5 },
	{ { "swiss-t1", "",
	    "Gabrielyan, Three Topics in Parallel Communications (EPFL, 2006), Fig. 39, Table 2" },
	  generate_swiss_t1 },
	{ { "leaf-spine",
	    "[leaves=N] [hosts=PER-LEAF] [spines=N] [capacity=UPLINK] [routes=dmodk|hash]",
	    "Zahavi, D-Mod-K routing (Technion CCIT 776, 2010); Clos (1953)" },
	  generate_leaf_spine },
	{ { "fat-tree", "[k=PORTS] [hosts=PER-EDGE] [routes=dmodk|hash]",
	    "Al-Fares et al., a data center network architecture (SIGCOMM 2008); Zahavi (2010)" },
	  generate_fat_tree },
	{ { "torus", "[size=XxYxZ] [hosts=PER-SWITCH] [ties=plus|balanced]",
	    "Dally & Seitz, deadlock-free message routing (IEEE Trans. Computers, 1987)" },
	  generate_torus },
	{ { "mesh", "[size=XxYxZ] [hosts=PER-SWITCH]",
	    "Dally & Seitz (1987), without the cables from end to end" },
	  generate_mesh },
	{ { "dragonfly", "[a=ROUTERS] [p=HOSTS] [h=GLOBAL] [groups=N]",
	    "Kim et al., technology-driven, highly-scalable dragonfly topology (ISCA 2008)" },
	  generate_dragonfly },
};

const struct liquid_generator *liquid_generator(size_t index)
{
	return index < sizeof(generators) / sizeof(generators[0]) ? &generators[index].shown : NULL;
}

/* ---- parameters ---- */

/* The value of @key, or NULL; the last one counts, as on a command line. */
static const char *gen_value(struct gen_params *params, const char *key)
{
	const char *value = NULL;
	size_t length = strlen(key);

	for (size_t i = 0; i < params->count; i++)
		if (!strncmp(params->word[i], key, length) && params->word[i][length] == '=') {
			value = params->word[i] + length + 1;
			params->used |= UINT64_C(1) << i;
		}
	return value;
}

static bool read_number(const char **text, uint32_t *value)
{
	uint32_t n = 0, digits = 0;

	for (; isdigit((unsigned char)**text) && digits < 9; (*text)++, digits++)
		n = 10 * n + (uint32_t)(**text - '0');
	*value = n;
	return digits;
}

int gen_number(struct gen_params *params, const char *key, uint32_t min, uint32_t max,
	       uint32_t *value, struct liquid_error *err)
{
	const char *text = gen_value(params, key), *end = text;
	uint32_t n;

	if (!text)
		return LIQUID_OK;
	if (!read_number(&end, &n) || *end || n < min || n > max)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s=%s: expected a number %u ... %u", key,
				   text, min, max);
	*value = n;
	return LIQUID_OK;
}

int gen_sizes(struct gen_params *params, const char *key, uint32_t min, uint32_t max,
	      uint32_t *sizes, uint32_t max_count, uint32_t *count, struct liquid_error *err)
{
	const char *text = gen_value(params, key), *at = text;

	if (!text)
		return LIQUID_OK;
	for (*count = 0; *count < max_count; at++) {
		if (!read_number(&at, &sizes[*count]) || sizes[*count] < min ||
		    sizes[*count] > max)
			break;
		++*count;
		if (!*at)
			return LIQUID_OK;
		if (*at != 'x')
			break;
	}
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "%s=%s: expected up to %u numbers %u ... %u with an x between them", key,
			   text, max_count, min, max);
}

int gen_choice(struct gen_params *params, const char *key, const char *const *choices,
	       uint32_t *value, struct liquid_error *err)
{
	const char *text = gen_value(params, key);
	char all[128] = "";
	size_t length = 0;

	*value = 0;
	if (!text)
		return LIQUID_OK;
	for (uint32_t i = 0; choices[i]; i++) {
		if (!strcmp(text, choices[i])) {
			*value = i;
			return LIQUID_OK;
		}
		if (length < sizeof(all))
			length += (size_t)snprintf(all + length, sizeof(all) - length, " %s",
						   choices[i]);
	}
	return liquid_fail(err, LIQUID_BAD_INPUT, "%s=%s: expected one of%s", key, text, all);
}

int gen_params_done(const struct gen_params *params, struct liquid_error *err)
{
	for (size_t i = 0; i < params->count; i++)
		if (!(params->used >> i & 1))
			return liquid_fail(err, LIQUID_BAD_INPUT, "unknown parameter '%s'",
					   params->word[i]);
	return LIQUID_OK;
}

/* ---- nodes ---- */

int gen_hosts(struct liquid_fabric *fabric, const char *format, uint32_t count,
	      struct liquid_error *err)
{
	char name[LIQUID_NAME_MAX + 1];
	int status = LIQUID_OK;

	for (uint32_t i = 1; i <= count && !status; i++) {
		snprintf(name, sizeof(name), format, i);
		status = liquid_fabric_add_host(fabric, name, err);
	}
	return status;
}

int gen_switches(struct liquid_fabric *fabric, const char *format, uint32_t count,
		 struct liquid_error *err)
{
	char name[LIQUID_NAME_MAX + 1];
	int status = LIQUID_OK;

	for (uint32_t i = 1; i <= count && !status; i++) {
		snprintf(name, sizeof(name), format, i);
		status = liquid_fabric_add_switch(fabric, name, err);
	}
	return status;
}

uint32_t gen_hash(uint32_t a, uint32_t b)
{
	uint64_t x = (uint64_t)a << 32 | b;

	x ^= x >> 33;
	x *= 0xff51afd7ed558ccd;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53;
	return (uint32_t)(x >> 32);
}

/* Add the parameters to the name ("torus:size=8x8"), unless it gets too long. */
static int name_fabric(struct liquid_fabric *fabric, const struct gen_params *params,
		       struct liquid_error *err)
{
	char name[LIQUID_NAME_MAX + 2], *copy;
	size_t length = (size_t)snprintf(name, sizeof(name), "%s", fabric->name);

	for (size_t i = 0; i < params->count && length < sizeof(name); i++)
		length += (size_t)snprintf(name + length, sizeof(name) - length, ":%s",
					   params->word[i]);
	if (fabric_check_name("fabric", name, NULL))
		return LIQUID_OK;
	copy = strdup(name);
	if (!copy)
		return liquid_no_memory(err);
	free(fabric->name);
	fabric->name = copy;
	return LIQUID_OK;
}

int liquid_fabric_make(const char *name, const char *const *params, size_t param_count,
		       struct liquid_fabric **fabric, struct liquid_error *err)
{
	struct gen_params given = { .word = params, .count = param_count };
	struct liquid_fabric *new;
	const struct liquid_generator *generator;
	size_t i = 0;
	int status;

	*fabric = NULL;
	while ((generator = liquid_generator(i)) && strcmp(generator->name, name))
		i++;
	if (!generator)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no generator '%s'", name);
	if (param_count > 64)
		return liquid_fail(err, LIQUID_BAD_INPUT, "more than 64 parameters");
	status = liquid_fabric_new(name, &new, err);
	if (status)
		return status;
	status = generators[i].make(new, &given, err);
	if (!status)
		status = liquid_fabric_finish(new, err);
	if (!status)
		status = name_fabric(new, &given, err);
	if (status) {
		liquid_fabric_free(new);
		return status;
	}
	*fabric = new;
	return LIQUID_OK;
}
