// SPDX-License-Identifier: GPL-2.0-only
/* liquid matrix: the bytes from host to host of traffic that was measured. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "flows/flows.h"
#include "util/json.h"
#include "input/input.h"
#include "util/output.h"

#define MEMBER(member) OPT_MEMBER(struct matrix_args, member)
#define HOSTS_MAX 16384			/* 4 GB of counters */

struct matrix_args {
	unsigned int from;
	const char *addresses, *hosts, *output;
	struct opt_list inputs;
	bool sum, json;
};

static const char *const sources[] = { "conntrack", "pcap", NULL };

static int (*const readers[])(struct flows *, FILE *, const char *, struct liquid_error *) = {
	flows_read_conntrack, flows_read_pcap
};

#define SOURCE_NONE 2

static const struct opt matrix_opts[] = {
	{ "INPUT", 0, KIND_LIST, MEMBER(inputs), .positional = true, .required = true,
	  .help = "files of flows or packets; - is stdin" },
	{ "from", 0, KIND_CHOICE, MEMBER(from), .words = sources, .value = "SOURCE",
	  .help = "contents of the files: lines of conntrack(8), or packets of tcpdump(1)" },
	{ "addresses", 0, KIND_TEXT, MEMBER(addresses), .required = true, .value = "FILE",
	  .help = "the addresses of each host: lines NAME ADDR [ADDR...]" },
	{ "hosts", 0, KIND_TEXT, MEMBER(hosts), .value = "LIST",
	  .help = "rows and columns; by default all hosts of --addresses, as listed" },
	{ "sum", 0, KIND_FLAG, MEMBER(sum),
	  .help = "the files are of several times: add them up" },
	{ "output", 'o', KIND_TEXT, MEMBER(output), .value = "FILE",
	  .help = "write the matrix to this file" },
	OPT_JSON(struct matrix_args),
	{ 0 }
};

/* ---- hosts ---- */

static int compare_lines(const void *a, const void *b)
{
	unsigned int first = ((const struct addr_entry *)a)->line;
	unsigned int second = ((const struct addr_entry *)b)->line;

	return first < second ? -1 : first > second;
}

/* The names of the map, in the order of its lines */
static int list_all(struct addr_map *map, struct liquid_names *names, struct liquid_error *err)
{
	names->name = calloc(map->count + 1, sizeof(*names->name));
	if (!names->name)
		return liquid_no_memory(err);
	if (map->count)
		qsort(map->entry, map->count, sizeof(*map->entry), compare_lines);
	for (; names->count < map->count; names->count++) {
		names->name[names->count] = strdup(map->entry[names->count].name);
		if (!names->name[names->count])
			return liquid_no_memory(err);
	}
	return LIQUID_OK;
}

static int read_map(const struct matrix_args *args, struct addr_map *map,
		    struct liquid_names *names, struct liquid_error *err)
{
	FILE *in;
	int status = input_open(args->addresses, &in, err);

	if (status)
		return status;
	status = addr_map_read(map, in, input_label(args->addresses), err);
	close_input(in);
	if (!status)
		status = args->hosts ? liquid_hostlist_expand(args->hosts, names, err) :
			 list_all(map, names, err);
	if (!status)
		status = addr_map_finish(map, err);
	if (!status && names->count > HOSTS_MAX)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%zu hosts: a matrix has at most %d",
				     names->count, HOSTS_MAX);
	return status;
}

static int read_flows(const struct matrix_args *args, struct flows *flows,
		      struct liquid_error *err)
{
	int status = LIQUID_OK;

	for (size_t i = 0; i < args->inputs.count && !status; i++) {
		const char *path = args->inputs.text[i];
		FILE *in;

		status = input_open(path, &in, err);
		if (status)
			break;
		status = readers[args->from](flows, in, input_label(path), err);
		close_input(in);
		if (!status && !flows_end_input(flows, args->sum))
			status = liquid_fail(err, LIQUID_BAD_INPUT, "%s: more than 2^64 bytes "
					     "between two hosts", input_label(path));
	}
	return status;
}

/* ---- what comes out ---- */

static json_t *matrix_json(const struct flows *flows, const struct liquid_names *names)
{
	json_t *hosts = json_array(), *rows = json_array();

	for (uint32_t i = 0; i < flows->hosts; i++) {
		const uint64_t *bytes = &flows->bytes[(size_t)i * flows->hosts];
		json_t *row = json_array();

		json_array_append_new(hosts, json_string(names->name[i]));
		for (uint32_t j = 0; j < flows->hosts; j++)
			json_array_append_new(row, json_integer((json_int_t)bytes[j]));
		json_array_append_new(rows, row);
	}
	return json_pack("{s:o,s:o,s:I,s:I}", "hosts", hosts, "bytes", rows,
			 "left_out", (json_int_t)flows->left_out,
			 "unmeasured", (json_int_t)flows->unmeasured);
}

static void write_matrix(const struct flows *flows, const struct liquid_names *names, FILE *out)
{
	fputs("# bytes from each host, a row, to each: --traffic matrix:FILE --hosts ", out);
	for (uint32_t i = 0; i < flows->hosts; i++)
		fprintf(out, "%s%s", i ? "," : "", names->name[i]);
	fputc('\n', out);
	for (uint32_t i = 0; i < flows->hosts; i++)
		for (uint32_t j = 0; j < flows->hosts; j++)
			fprintf(out, "%" PRIu64 "%c", flows->bytes[(size_t)i * flows->hosts + j],
				j + 1 < flows->hosts ? ',' : '\n');
}

static int write_output(const struct matrix_args *args, const struct flows *flows,
			const struct liquid_names *names)
{
	struct output output;
	int code = output_open(&output, args->output);

	if (code)
		return code;
	write_matrix(flows, names, output.file);
	return output_close(&output, EXIT_OK);
}

static void tell(const struct flows *flows)
{
	uint64_t known = 0;

	for (size_t i = 0; i < (size_t)flows->hosts * flows->hosts; i++)
		if (__builtin_add_overflow(known, flows->bytes[i], &known))
			known = UINT64_MAX;
	if (flows->left_out)
		complain(0, "note: %" PRIu64 " bytes from or to other addresses are left out, "
			 "besides %" PRIu64 " between the hosts", flows->left_out, known);
	if (flows->unmeasured)
		complain(0, "note: no bytes are known of %" PRIu64 " flows: they began before "
			 "net.netfilter.nf_conntrack_acct was 1", flows->unmeasured);
	if (!known)
		complain(0, "note: nothing was sent between the hosts");
}

static int check(const struct matrix_args *args)
{
	if (args->from == SOURCE_NONE)
		return usage_error("matrix", "missing --from conntrack or --from pcap");
	if (args->json && args->output)
		return usage_error("matrix", "--json prints; it goes without --output");
	return output_check(&args->output, 1);
}

static int run_matrix(int argc, char **argv)
{
	struct matrix_args args = { .from = SOURCE_NONE };
	struct liquid_names names = { 0 };
	struct addr_map map = { 0 };
	struct flows flows = { 0 };
	struct liquid_error err;
	int code = take_options(argc, argv, matrix_opts, &args), status;

	if (!code)
		code = check(&args);
	if (code)
		goto out;
	status = read_map(&args, &map, &names, &err);
	if (!status)
		status = flows_open(&flows, &map, &names, &err);
	if (!status)
		status = read_flows(&args, &flows, &err);
	if (status) {
		code = complain_of(status, &err);
		goto out;
	}
	tell(&flows);
	code = args.json ? print_json("liquid-matrix", 1, matrix_json(&flows, &names)) :
	       write_output(&args, &flows, &names);
out:
	flows_close(&flows);
	addr_map_clear(&map);
	liquid_names_clear(&names);
	free(args.inputs.text);
	return code;
}

const struct command cmd_matrix = {
	.name = "matrix",
	.summary = "bytes from host to host, of traffic that was measured",
	.opts = matrix_opts,
	.run = run_matrix,
};
