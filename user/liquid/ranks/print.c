// SPDX-License-Identifier: GPL-2.0-only
/* Orders of hosts as launchers read them: Open MPI, MPICH, Slurm. */
#include <stdio.h>
#include <string.h>

#include "hostlist.h"
#include "util/command.h"
#include "ranks/ranks.h"

const char *const ranks_formats[] = {
	[RANKS_HOSTFILE] = "hostfile", [RANKS_RANKFILE] = "rankfile",
	[RANKS_HOSTLIST] = "hostlist", [RANKS_SLURM] = "slurm",
	[RANKS_MPICH] = "mpich", NULL
};

/* The length of the node's name in "node016/HCA-1/1": launchers need nodes, not endpoints. */
static int node_length(const char *name)
{
	return (int)strcspn(name, "/");
}

static bool same_node(const char *a, const char *b)
{
	int length = node_length(a);

	return length == node_length(b) && !strncmp(a, b, length);
}

/* The endpoints of a node may be anywhere in the list. */
static bool came_before(const struct liquid_fabric *fabric, const uint32_t *hosts, size_t at)
{
	const char *name = liquid_fabric_node_name(fabric, hosts[at]);

	if (!strchr(name, '/'))
		return false;
	for (size_t i = 0; i < at; i++)
		if (same_node(liquid_fabric_node_name(fabric, hosts[i]), name))
			return true;
	return false;
}

static void print_node(const struct ranks_args *args, const char *name, uint64_t nodes,
		       struct hostlist_writer *list)
{
	char node[LIQUID_NAME_MAX + 1];
	int length = node_length(name);

	switch (args->format) {
	case RANKS_HOSTFILE:
		printf("%.*s slots=%u\n", length, name, args->tasks);
		break;
	case RANKS_RANKFILE:
		for (uint32_t task = 0; task < args->tasks; task++)
			printf("rank %llu=%.*s slot=%u\n",
			       (unsigned long long)(nodes * args->tasks + task), length, name,
			       task);
		break;
	case RANKS_HOSTLIST:
		snprintf(node, sizeof(node), "%.*s", length, name);
		hostlist_put(list, node);
		break;
	case RANKS_MPICH:
		printf("%s%.*s", nodes ? "," : "", length, name);
		break;
	default:
		for (uint32_t task = 0; task < args->tasks; task++)
			printf("%.*s\n", length, name);
	}
}

int ranks_print(const struct ranks_args *args, const struct liquid_fabric *fabric,
		const uint32_t *hosts, size_t count)
{
	struct hostlist_writer list;
	uint64_t nodes = 0;

	hostlist_begin(&list, stdout, NULL);
	for (size_t i = 0; i < count; i++)
		if (!came_before(fabric, hosts, i))
			print_node(args, liquid_fabric_node_name(fabric, hosts[i]), nodes++, &list);
	hostlist_end(&list);
	if (args->format == RANKS_MPICH)
		putchar('\n');
	return EXIT_OK;
}

json_t *ranks_json(const struct ranks_args *args, const struct liquid_fabric *fabric,
		   const uint32_t *hosts, size_t count, const uint64_t *before, uint64_t after,
		   uint64_t duration)
{
	json_t *names = json_array();
	json_t *json = json_pack("{s:s, s:i, s:o}", "fabric", liquid_fabric_name(fabric),
				 "tasks_per_node", (int)args->tasks, "hosts", names);

	for (size_t i = 0; json && i < count; i++)
		if (json_array_append_new(names, json_string(liquid_fabric_node_name(fabric,
										     hosts[i])))) {
			json_decref(json);
			return NULL;
		}
	if (json && before &&
	    json_object_set_new(json, "shift",
				json_pack("{s:I, s:I, s:I}",
					  "frames_as_listed", (json_int_t)*before,
					  "frames", (json_int_t)after,
					  "duration", (json_int_t)duration))) {
		json_decref(json);
		return NULL;
	}
	return json;
}
