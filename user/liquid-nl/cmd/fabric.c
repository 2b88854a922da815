// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl fabric: import, make and show fabrics. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "net/attrs.h"
#include "show/fabric-show.h"
#include "util/input.h"
#include "util/output.h"
#include "util/units.h"

static int write_fabric(struct liquid_fabric *fabric, const char *path)
{
	struct liquid_error err;
	struct output output;
	int status, code = output_open(&output, path);

	if (!code) {
		status = liquid_fabric_write(fabric, output.file, &err);
		if (status)
			code = complain(exit_code_of(status), "%s: %s", output.path, err.text);
		code = output_close(&output, code);
	}
	liquid_fabric_free(fabric);
	return code;
}

/* ---- import ---- */

struct import_options {
	struct liquid_import import;
	const char *output;
};

static void print_note(void *context, const char *text)
{
	(void)context;
	complain(0, "note: %s", text);
}

static bool read_rail(const char *text, uint32_t *rail)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	*rail = (uint32_t)value;
	return !errno && end != text && !*end && text[0] != '-' && value && value <= 65535;
}

static int take_unit_rate(uint64_t *bps)
{
	if (!parse_rate(optarg, bps) || !*bps)
		return usage_error("fabric", "--unit-rate '%s': a rate (100G, bit/s) was expected",
				   optarg);
	return EXIT_OK;
}

static int parse_import(int argc, char **argv, struct import_options *options)
{
	static const struct option words[] = {
		{ "topo", required_argument, NULL, 't' },
		{ "lft", required_argument, NULL, 'l' },
		{ "name", required_argument, NULL, 'n' },
		{ "rail", required_argument, NULL, 'r' },
		{ "unit-rate", required_argument, NULL, 'u' },
		{ "leave-out", required_argument, NULL, 'x' },
		{ "allow-unreachable", no_argument, NULL, 'a' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, ":o:", words, NULL)) != -1)
		switch (c) {
		case 't':
			options->import.topo_label = optarg;
			break;
		case 'l':
			options->import.lft_label = optarg;
			break;
		case 'n':
			options->import.name = optarg;
			break;
		case 'r':
			if (!read_rail(optarg, &options->import.rail))
				return usage_error("fabric", "--rail %s: expected 1, 2, ...", optarg);
			break;
		case 'u':
			if (take_unit_rate(&options->import.unit_bps))
				return EXIT_USAGE;
			break;
		case 'x':
			options->import.leave_out = optarg;
			break;
		case 'a':
			options->import.allow_unreachable = true;
			break;
		case 'o':
			options->output = optarg;
			break;
		default:
			return option_error("fabric", c, argv[optind - 1]);
		}
	if (optind < argc)
		return usage_error("fabric", "import: '%s' is one argument too many", argv[optind]);
	if (!options->import.topo_label || !options->import.lft_label)
		return usage_error("fabric", "import needs --topo FILE and --lft FILE");
	return EXIT_OK;
}

static int run_import(int argc, char **argv)
{
	struct import_options options = {
		.import = { .size = sizeof(options.import), .note = print_note },
	};
	struct liquid_import *import = &options.import;
	struct liquid_fabric *fabric = NULL;
	struct liquid_error err;
	int status, code = parse_import(argc, argv, &options);

	if (code)
		return code;
	code = open_input(import->topo_label, &import->topo);
	if (!code)
		code = open_input(import->lft_label, &import->lft);
	if (!code) {
		status = liquid_fabric_import(import, &fabric, &err);
		if (status)
			code = complain(exit_code_of(status), "%s", err.text);
	}
	close_input(import->topo);
	close_input(import->lft);
	return code ? code : write_fabric(fabric, options.output);
}

/* ---- make ---- */

static int list_generators(void)
{
	const struct liquid_generator *g;

	for (size_t i = 0; (g = liquid_generator(i)); i++)
		printf("%s%s%s\n    %s\n", g->name, *g->usage ? " " : "", g->usage, g->source);
	return EXIT_OK;
}

static int run_make(int argc, char **argv)
{
	static const struct option words[] = {
		{ "unit-rate", required_argument, NULL, 'u' },
		{ "output", required_argument, NULL, 'o' },
		{ NULL, 0, NULL, 0 }
	};
	const char *output = NULL;
	struct liquid_fabric *fabric;
	struct liquid_error err;
	uint64_t unit = 0;
	int c, status;

	while ((c = getopt_long(argc, argv, ":o:", words, NULL)) != -1) {
		if (c == 'o')
			output = optarg;
		else if (c != 'u')
			return option_error("fabric", c, argv[optind - 1]);
		else if (take_unit_rate(&unit))
			return EXIT_USAGE;
	}
	if (optind == argc)
		return list_generators();
	status = liquid_fabric_make(argv[optind], (const char *const *)argv + optind + 1,
				    (size_t)(argc - optind - 1), &fabric, &err);
	if (status)
		return complain(exit_code_of(status), "%s", err.text);
	if (unit && liquid_fabric_set_unit_rate(fabric, unit, &err)) {
		liquid_fabric_free(fabric);
		return complain(EXIT_BAD_INPUT, "%s", err.text);
	}
	return write_fabric(fabric, output);
}

/* ---- show ---- */

static int parse_show(int argc, char **argv, struct fabric_show *show)
{
	static const struct option words[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "routes", no_argument, NULL, 'a' },
		{ "route", no_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 }
	};
	int c, wanted;

	while ((c = getopt_long(argc, argv, ":j", words, NULL)) != -1)
		switch (c) {
		case 'j':
			show->json = true;
			break;
		case 'a':
			show->routes = true;
			break;
		case 'r':
			show->one_route = true;
			break;
		default:
			return option_error("fabric", c, argv[optind - 1]);
		}
	wanted = show->one_route ? 3 : 1;
	if (argc - optind != wanted)
		return usage_error("fabric", show->one_route ?
				   "show --route needs FABRIC, SRC and DST" :
				   "show needs one FABRIC");
	if (show->one_route && show->routes)
		return usage_error("fabric", "show: either --routes or --route");
	return EXIT_OK;
}

static int find_host(const struct liquid_fabric *fabric, const char *name, uint32_t *host)
{
	*host = liquid_fabric_find_host(fabric, name);
	if (*host == LIQUID_NONE)
		return complain(EXIT_BAD_INPUT, "no host '%s' in fabric %s", name,
				liquid_fabric_name(fabric));
	return EXIT_OK;
}

static int run_show(int argc, char **argv)
{
	struct fabric_show show = { 0 };
	struct liquid_fabric *fabric;
	int code = parse_show(argc, argv, &show);

	if (!code)
		code = read_fabric(argv[optind], &fabric);
	if (code)
		return code;
	if (show.one_route)
		code = find_host(fabric, argv[optind + 1], &show.src);
	if (show.one_route && !code)
		code = find_host(fabric, argv[optind + 2], &show.dst);
	if (!code)
		code = fabric_show(fabric, &show);
	liquid_fabric_free(fabric);
	return code;
}

int cmd_fabric(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(int argc, char **argv);
	} verbs[] = {
		{ "import", run_import },
		{ "make", run_make },
		{ "show", run_show },
	};
	static const char *const moved[] = { "up", "down", "stats", NULL };

	if (argc < 2)
		return usage_error("fabric", "expected import, make or show");
	opterr = 0;
	optind = 1;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(argv[1], verbs[i].name))
			return verbs[i].run(argc - 1, argv + 1);
	if (value_of_name(moved, argv[1]) >= 0)
		return complain(EXIT_USAGE, "fabric %s is now 'liquid-lab %s' (make install-lab)",
				argv[1], argv[1]);
	return usage_error("fabric", "'%s' is none of import, make, show", argv[1]);
}
