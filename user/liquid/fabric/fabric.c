// SPDX-License-Identifier: GPL-2.0-only
/* liquid fabric: import, make and show fabrics. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "fabric/show.h"
#include "input/input.h"
#include "util/addr-map.h"
#include "util/output.h"

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
	const char *addresses, *output;
};

#define IMPORT(member) OPT_MEMBER(struct import_options, member)
#define OUTPUT(is_member) \
	{ "output", 'o', KIND_TEXT, is_member, .value = "FABRIC", .help = "write it to this file" }

static const struct opt fabric_import_opts[] = {
	OPT_DUMPS(struct import_options, import),
	{ "from", 0, KIND_WORD, IMPORT(import.from), .word_at = liquid_importer_name,
	  .value = "KIND", .help = "of fabric; infiniband by default" },
	{ "SOURCE", 0, KIND_TEXT, IMPORT(import.dir), .positional = true,
	  .help = "what --from reads: of ethernet a directory of each switch, else a file" },
	{ "addresses", 0, KIND_TEXT, IMPORT(addresses), .value = "FILE",
	  .help = "the hosts of --from ethernet and their addresses: lines NAME ADDR [ADDR...]" },
	OPT_GROUP(struct import_options, import, import_opts),
	OUTPUT(IMPORT(output)),
	{ 0 }
};

static int read_map(const char *path, struct addr_map *map, struct liquid_error *err)
{
	FILE *in;
	int status = input_open(path, &in, err);

	if (status)
		return status;
	status = addr_map_read(map, in, input_label(path), err);
	close_input(in);
	return status ? status : addr_map_finish(map, err);
}

/* The first Ethernet and the first IPv4 address count. */
static struct liquid_import_host import_host(const struct addr_entry *entry)
{
	struct liquid_import_host host = { .name = entry->name };

	for (unsigned int k = entry->key_count; k--;) {
		const struct addr_key *key = &entry->key[k];
		uint64_t number = 0;

		for (int i = 0; i < key->length && i < 8; i++)
			number = number << 8 | key->value[i];
		if (key->kind == LIQUID_KEY_A_ETHER)
			host.mac = number;
		if (key->kind == LIQUID_KEY_A_IPV4)
			host.ipv4 = (uint32_t)number;
	}
	return host;
}

static int import_with_hosts(struct import_options *options, struct liquid_fabric **fabric)
{
	struct liquid_import_host *host = NULL;
	struct addr_map map = { 0 };
	struct liquid_error err;
	int code = EXIT_OK, status = options->addresses ? read_map(options->addresses, &map, &err) :
				    LIQUID_OK;

	if (status)
		code = complain_of(status, &err);
	else if (!(host = calloc(map.count + 1, sizeof(*host))))
		code = no_memory();
	for (size_t i = 0; i < map.count && !code; i++)
		host[i] = import_host(&map.entry[i]);
	options->import.host = host;
	options->import.hosts = map.count;
	if (!code)
		code = import_dumps(&options->import, fabric);
	free(host);
	addr_map_clear(&map);
	return code;
}

static int run_import(int argc, char **argv)
{
	struct import_options options = { 0 };
	struct liquid_fabric *fabric = NULL;
	int code = take_options(argc, argv, fabric_import_opts, &options);

	if (!code && options.import.dir &&
	    (!options.import.from || strcmp(options.import.from, "ethernet"))) {
		options.import.topo_label = options.import.dir;
		options.import.dir = NULL;
	}
	if (!code && !options.import.dir && !options.import.topo_label)
		code = usage_error(argv[0], "--topo and --lft, or --from and SOURCE, are needed");
	if (!code)
		code = import_with_hosts(&options, &fabric);
	return code ? code : write_fabric(fabric, options.output);
}

/* ---- make ---- */

static int list_generators(void)
{
	const struct liquid_generator *g;
	char usage[256];

	for (size_t i = 0; (g = liquid_generator(i)); i++) {
		snprintf(usage, sizeof(usage), "%s%s%s", g->name, *g->usage ? " " : "", g->usage);
		print_words(usage, 0, 6, 79, "");
		print_words(g->source, printf("\n    ") - 1, 4, 79, "");
		putchar('\n');
	}
	return EXIT_OK;
}

struct make {
	const char *generator, *output;
	struct opt_list parameters;
	uint64_t unit_bps;
};

static const char *generator_name(size_t index)
{
	const struct liquid_generator *g = liquid_generator(index);

	return g ? g->name : NULL;
}

/* "leaves=", of the usage "[leaves=N] [hosts=PER-LEAF]" */
static const char *generator_key(const char *name, size_t index)
{
	const struct liquid_generator *g;
	static char key[32];
	const char *at;

	for (size_t i = 0; (g = liquid_generator(i)) && strcmp(g->name, name); i++)
		;
	at = g ? strchr(g->usage, '[') : NULL;
	while (at && index--)
		at = strchr(at + 1, '[');
	if (!at)
		return NULL;
	snprintf(key, sizeof(key), "%.*s", (int)strcspn(at + 1, "=") + 1, at + 1);
	return key;
}

#define MAKE(member) OPT_MEMBER(struct make, member)

static const struct opt make_opts[] = {
	{ "NAME", 0, KIND_TEXT, MAKE(generator), .positional = true, .word_at = generator_name,
	  .help = "of a generator; without it these are listed" },
	{ "KEY=VALUE", 0, KIND_LIST, MAKE(parameters), .positional = true,
	  .word_after = generator_key,
	  .help = "its parameters" },
	OPT_UNIT_RATE(MAKE(unit_bps)),
	OUTPUT(MAKE(output)),
	{ 0 }
};

static int make(const struct make *make)
{
	struct liquid_fabric *fabric;
	struct liquid_error err;
	int status;

	if (!make->generator)
		return list_generators();
	status = liquid_fabric_make(make->generator, make->parameters.text, make->parameters.count,
				    &fabric, &err);
	if (status)
		return complain_of(status, &err);
	if (make->unit_bps && liquid_fabric_set_unit_rate(fabric, make->unit_bps, &err)) {
		liquid_fabric_free(fabric);
		return complain(EXIT_BAD_INPUT, "%s", err.text);
	}
	return write_fabric(fabric, make->output);
}

static int run_make(int argc, char **argv)
{
	struct make args = { 0 };
	int code = take_options(argc, argv, make_opts, &args);

	if (!code)
		code = make(&args);
	free(args.parameters.text);
	return code;
}

/* ---- show ---- */

struct show_args {
	const char *fabric, *src, *dst, *slurm;
	struct fabric_show show;
};

#define SHOW(member) OPT_MEMBER(struct show_args, member)

static const char *const sorts[] = {
	[SHOW_BY_LOAD] = "load", [SHOW_BY_NAME] = "name", NULL
};
static const char *const slurm_files[] = { "topology.conf", "topology.yaml", NULL };

static const struct opt show_opts[] = {
	{ "FABRIC", 0, KIND_TEXT, SHOW(fabric), .positional = true, .required = true,
	  .help = "the file of the fabric" },
	{ "SRC", 0, KIND_TEXT, SHOW(src), .positional = true, .help = "of --route" },
	{ "DST", 0, KIND_TEXT, SHOW(dst), .positional = true, .help = "of --route" },
	{ "routes", 0, KIND_FLAG, SHOW(show.routes), .help = "and the routes of all pairs" },
	{ "route", 0, KIND_FLAG, SHOW(show.one_route), .help = "the route from SRC to DST" },
	{ "endpoints", 0, KIND_FLAG, SHOW(show.endpoints),
	  .help = "node, adapter, rail, LIDs, rate and switch port of each host" },
	{ "slurm", 0, KIND_WORD, SHOW(slurm), .words = slurm_files, .value = "FILE",
	  .help = "the switches and their nodes as Slurm's topology.conf or topology.yaml" },
	{ "sort", 0, KIND_CHOICE, SHOW(show.sort), .words = sorts, .value = "KEY",
	  .help = "the order of the links: load, the busiest first (the default), or name" },
	{ "top", 0, KIND_NUMBER, SHOW(show.top), .min = 1, .value = "N",
	  .help = "print the first N links; by default all, as in JSON" },
	{ "json", 'j', KIND_FLAG, SHOW(show.json), .help = "print JSON" },
	{ 0 }
};

static int parse_show(int argc, char **argv, struct show_args *args)
{
	int code = take_options(argc, argv, show_opts, args);

	if (code)
		return code;
	if (args->show.one_route && !args->dst)
		return usage_error(argv[0], "--route needs SRC and DST");
	if (!args->show.one_route && args->src)
		return usage_error(argv[0], "unexpected argument '%s'", args->src);
	if (args->show.one_route && args->show.routes)
		return usage_error(argv[0], "either --routes or --route");
	if (args->show.endpoints && (args->show.one_route || args->show.routes))
		return usage_error(argv[0], "--endpoints shows no routes");
	return EXIT_OK;
}

static int find_host(const struct liquid_fabric *fabric, const char *name, uint32_t *host)
{
	char near[LIQUID_NEAR_TEXT];

	*host = liquid_fabric_find_host(fabric, name);
	if (*host == LIQUID_NONE)
		return complain(EXIT_BAD_INPUT, "no host '%s' in fabric %s%s", name,
				liquid_fabric_name(fabric),
				liquid_fabric_near_host(fabric, name, near));
	return EXIT_OK;
}

static int run_show(int argc, char **argv)
{
	struct show_args args = { 0 };
	struct liquid_fabric *fabric;
	int code = parse_show(argc, argv, &args);

	if (!code)
		code = read_fabric(args.fabric, &fabric);
	if (code)
		return code;
	if (args.show.one_route)
		code = find_host(fabric, args.src, &args.show.src);
	if (args.show.one_route && !code)
		code = find_host(fabric, args.dst, &args.show.dst);
	if (!code && args.slurm)
		code = fabric_show_slurm(fabric, !strcmp(args.slurm, "topology.yaml"));
	else if (!code)
		code = fabric_show(fabric, &args.show);
	liquid_fabric_free(fabric);
	return code;
}

/* ---- subcommands ---- */

static const struct command cmd_import = {
	"fabric import", "import a fabric: InfiniBand, Ethernet, or a graph", fabric_import_opts,
	run_import, NULL, NULL
};
static const struct command cmd_make = {
	"fabric make", "make a fabric by a generator", make_opts, run_make, NULL, NULL
};
static const struct command cmd_fabric_show = {
	"fabric show", "show a fabric, its routes and loads", show_opts, run_show, NULL, NULL
};

/* Fabrics without hardware have their own tool, liquid-lab. */
static const struct command ethernet = {
	"fabric ethernet", .moved = "'liquid fabric import --from ethernet'"
};
static const struct command up = {
	"fabric up", .moved = "'liquid-lab up' (make install-lab)"
};
static const struct command down = {
	"fabric down", .moved = "'liquid-lab down' (make install-lab)"
};
static const struct command stats = {
	"fabric stats", .moved = "'liquid-lab stats' (make install-lab)"
};

static const struct command *const subcommands[] = {
	&cmd_import, &cmd_make, &cmd_fabric_show, &ethernet, &up, &down, &stats, NULL
};

const struct command cmd_fabric = {
	"fabric", "import, make and show fabrics", NULL, NULL, subcommands, NULL
};
