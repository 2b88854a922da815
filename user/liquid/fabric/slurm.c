// SPDX-License-Identifier: GPL-2.0-only
/*
 * A fabric as Slurm's topology/tree plugin wants it: a tree
 *
 * Switches with hosts are the leaves. What the switches of a distance from the hosts join is one
 * switch of the tree, with the name of the first of them; what nothing joins is, in the end.
 */
#include <stdlib.h>
#include <string.h>

#include "fabric/show.h"
#include "hostlist.h"
#include "util/command.h"

struct tree {
	const struct liquid_fabric *fabric;
	uint32_t hosts, switches;
	uint32_t *level;		/* by switch: links to the nearest with a host */
	uint32_t *group;		/* by switch: one of those that it is joined with */
	uint32_t *top;			/* by leaf: what it is below, a node of the fabric */
	bool yaml;
};

static uint32_t group_of(struct tree *tree, uint32_t s)
{
	while (tree->group[s] != s)
		s = tree->group[s] = tree->group[tree->group[s]];
	return s;
}

/* Distances from the switches with hosts. Returns the greatest. */
static uint32_t find_levels(struct tree *tree)
{
	const struct liquid_fabric *fabric = tree->fabric;
	uint32_t level = 0, found = 1;

	for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
		const struct liquid_link *link = liquid_fabric_link(fabric, l);

		if (link->from < tree->hosts && link->to >= tree->hosts)
			tree->level[link->to - tree->hosts] = 0;
	}
	for (; found; level++) {
		found = 0;
		for (uint32_t l = 0; l < liquid_fabric_link_count(fabric); l++) {
			const struct liquid_link *link = liquid_fabric_link(fabric, l);
			uint32_t s = link->from - tree->hosts, to = link->to - tree->hosts;

			if (link->from < tree->hosts || link->to < tree->hosts ||
			    tree->level[s] != level || tree->level[to] != LIQUID_NONE)
				continue;
			tree->level[to] = level + 1;
			found++;
		}
	}
	return level - 1;
}

/* Join what switches of @level have links to; LIQUID_NONE: everything. */
static void join(struct tree *tree, uint32_t level)
{
	for (uint32_t l = 0; l < liquid_fabric_link_count(tree->fabric); l++) {
		const struct liquid_link *link = liquid_fabric_link(tree->fabric, l);
		uint32_t s = link->from - tree->hosts, to = link->to - tree->hosts;

		if (link->from < tree->hosts || link->to < tree->hosts)
			continue;
		if (level == LIQUID_NONE ||
		    (tree->level[s] == level && tree->level[to] <= level))
			tree->group[group_of(tree, s)] = group_of(tree, to);
	}
}

/* ---- output ---- */

/* The nodes of a leaf's hosts, which may be its endpoints */
static void put_nodes(const struct tree *tree, uint32_t leaf, struct hostlist_writer *list)
{
	char name[LIQUID_NAME_MAX + 1], last[LIQUID_NAME_MAX + 1] = "";

	for (uint32_t host = 0; host < tree->hosts; host++) {
		uint32_t link = liquid_fabric_host_out(tree->fabric, host);

		if (link == LIQUID_NONE || liquid_fabric_owner(tree->fabric, host) != host ||
		    liquid_fabric_link(tree->fabric, link)->to != tree->hosts + leaf)
			continue;
		snprintf(name, sizeof(name), "%s", liquid_fabric_node_name(tree->fabric, host));
		name[strcspn(name, "/")] = '\0';
		if (strcmp(name, last))
			hostlist_put(list, name);
		memcpy(last, name, sizeof(last));
	}
}

/* What is above the leaves of group @s; @list NULL: only count */
static uint32_t put_children(struct tree *tree, uint32_t s, struct hostlist_writer *list)
{
	uint32_t last = LIQUID_NONE, count = 0;

	for (uint32_t leaf = 0; leaf < tree->switches; leaf++) {
		if (tree->level[leaf] || group_of(tree, leaf) != s || tree->top[leaf] == last)
			continue;
		last = tree->top[leaf];
		count++;
		if (list)
			hostlist_put(list, liquid_fabric_node_name(tree->fabric, last));
	}
	return count;
}

static void print_switch(struct tree *tree, const char *name, uint32_t of, bool hosts)
{
	struct hostlist_writer list;

	if (tree->yaml)
		printf("      - switch: %s\n        %s: ", name, hosts ? "nodes" : "children");
	else
		printf("SwitchName=%s %s=", name, hosts ? "Nodes" : "Switches");
	hostlist_begin(&list, stdout, NULL);
	if (hosts)
		put_nodes(tree, of, &list);
	else
		put_children(tree, of, &list);
	hostlist_end(&list);
}

/* The switches of the tree that have joined several by now */
static void print_joined(struct tree *tree, uint32_t level)
{
	for (uint32_t s = 0; s < tree->switches; s++) {
		uint32_t above = 0;

		if (group_of(tree, s) != s || put_children(tree, s, NULL) < 2)
			continue;
		while (level != LIQUID_NONE &&
		       (tree->level[above] != level || group_of(tree, above) != s))
			above++;
		print_switch(tree, level == LIQUID_NONE ? "all-switches" :
			     liquid_fabric_node_name(tree->fabric, tree->hosts + above), s, false);
		for (uint32_t leaf = 0; leaf < tree->switches; leaf++)
			if (group_of(tree, leaf) == s)
				tree->top[leaf] = tree->hosts + above;
	}
}

static void print_tree(struct tree *tree)
{
	uint32_t levels = find_levels(tree);

	if (tree->yaml)
		fputs("---\n- topology: liquid\n  cluster_default: true\n  tree:\n    switches:\n",
		      stdout);
	for (uint32_t s = 0; s < tree->switches; s++) {
		if (!tree->level[s])
			print_switch(tree, liquid_fabric_node_name(tree->fabric, tree->hosts + s),
				     s, true);
	}
	for (uint32_t level = 1; level <= levels; level++) {
		join(tree, level);
		print_joined(tree, level);
	}
	join(tree, LIQUID_NONE);
	print_joined(tree, LIQUID_NONE);
}

int fabric_show_slurm(const struct liquid_fabric *fabric, bool yaml)
{
	struct tree tree = {
		.fabric = fabric, .yaml = yaml, .hosts = liquid_fabric_host_count(fabric),
		.switches = liquid_fabric_switch_count(fabric),
	};
	uint32_t *memory = calloc(3 * ((size_t)tree.switches + 1), sizeof(*memory));

	if (!memory)
		return no_memory();
	tree.level = memory;
	tree.group = memory + tree.switches;
	tree.top = tree.group + tree.switches;
	for (uint32_t s = 0; s < tree.switches; s++) {
		tree.level[s] = LIQUID_NONE;
		tree.group[s] = s;
		tree.top[s] = tree.hosts + s;
	}
	print_tree(&tree);
	free(memory);
	return EXIT_OK;
}
