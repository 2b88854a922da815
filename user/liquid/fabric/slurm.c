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
#include "util/command.h"

struct tree {
	const struct liquid_fabric *fabric;
	uint32_t hosts, switches;
	uint32_t *level;		/* by switch: links to the nearest with a host */
	uint32_t *group;		/* by switch: one of those that it is joined with */
	uint32_t *top;			/* by leaf: what it is below, a node of the fabric */
	uint32_t *next;			/* the same when the next level is added */
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

/* Whether @node is one of the names of the list of @of: a leaf's hosts, or what @of is above. */
static bool is_below(struct tree *tree, uint32_t node, uint32_t of, bool hosts)
{
	uint32_t link;

	if (!hosts)
		return node >= tree->hosts && !tree->level[node - tree->hosts] &&
		       group_of(tree, node - tree->hosts) == of;
	link = liquid_fabric_host_out(tree->fabric, node);
	return link != LIQUID_NONE && liquid_fabric_owner(tree->fabric, node) == node &&
	       liquid_fabric_link(tree->fabric, link)->to == tree->hosts + of;
}

/* The node of a host, which may be one of its endpoints; or the top above a leaf */
static void name_below(const struct tree *tree, uint32_t node, char name[LIQUID_NAME_MAX + 1])
{
	uint32_t shown = node < tree->hosts ? node : tree->top[node - tree->hosts];

	snprintf(name, LIQUID_NAME_MAX + 1, "%s", liquid_fabric_node_name(tree->fabric, shown));
	if (node < tree->hosts)
		name[strcspn(name, "/")] = '\0';
}

static void print_list(struct tree *tree, uint32_t of, bool hosts)
{
	uint32_t first = hosts ? 0 : tree->hosts;
	uint32_t end = hosts ? tree->hosts : tree->hosts + tree->switches;
	char last[LIQUID_NAME_MAX + 1] = "", name[LIQUID_NAME_MAX + 1];

	for (uint32_t n = first; n < end; n++) {
		if (!is_below(tree, n, of, hosts))
			continue;
		name_below(tree, n, name);
		if (strcmp(name, last))
			printf("%s%s", *last ? "," : "", name);
		memcpy(last, name, sizeof(last));
	}
	putchar('\n');
}

static void print_switch(struct tree *tree, const char *name, uint32_t of, bool hosts)
{
	if (tree->yaml)
		printf("      - switch: %s\n        %s: ", name, hosts ? "nodes" : "children");
	else
		printf("SwitchName=%s %s=", name, hosts ? "Nodes" : "Switches");
	print_list(tree, of, hosts);
}

/* The switches of the tree that have joined several by now. */
static void print_joined(struct tree *tree, uint32_t level)
{
	memcpy(tree->next, tree->top, tree->switches * sizeof(*tree->next));
	for (uint32_t s = 0; s < tree->switches; s++) {
		uint32_t one = LIQUID_NONE, above = LIQUID_NONE;
		bool several = false;

		if (group_of(tree, s) != s)
			continue;
		for (uint32_t leaf = 0; leaf < tree->switches; leaf++) {
			if (group_of(tree, leaf) != s)
				continue;
			if (tree->level[leaf] == level && above == LIQUID_NONE)
				above = leaf;
			if (tree->level[leaf])
				continue;
			several |= one != LIQUID_NONE && one != tree->top[leaf];
			one = tree->top[leaf];
		}
		if (!several)
			continue;
		print_switch(tree, level == LIQUID_NONE ? "all-switches" :
			     liquid_fabric_node_name(tree->fabric, tree->hosts + above), s, false);
		for (uint32_t leaf = 0; leaf < tree->switches; leaf++)
			if (group_of(tree, leaf) == s)
				tree->next[leaf] = tree->hosts + above;
	}
	memcpy(tree->top, tree->next, tree->switches * sizeof(*tree->next));
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
	uint32_t *memory = calloc(4 * ((size_t)tree.switches + 1), sizeof(*memory));

	if (!memory)
		return no_memory();
	tree.level = memory;
	tree.group = memory + tree.switches;
	tree.top = tree.group + tree.switches;
	tree.next = tree.top + tree.switches;
	for (uint32_t s = 0; s < tree.switches; s++) {
		tree.level[s] = LIQUID_NONE;
		tree.group[s] = s;
		tree.top[s] = tree.hosts + s;
	}
	print_tree(&tree);
	free(memory);
	return EXIT_OK;
}
