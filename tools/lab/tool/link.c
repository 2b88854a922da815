// SPDX-License-Identifier: GPL-2.0-only
/* liquid-lab link: take links of a fabric down, or up again, while it works. */
#include <stdlib.h>
#include <string.h>

#include "lab.h"

static const char *const link_words[] = { "up", "down", NULL };

struct link_args {
	const char *state;		/* one of link_words */
	const char *fabric;		/* NULL: the only one */
	struct opt_list names;
};

#define MEMBER(member) OPT_MEMBER(struct link_args, member)

static const struct opt link_opts[] = {
	{ "up|down", 0, KIND_WORD, MEMBER(state), .words = link_words, .positional = true,
	  .required = true, .help = "what the links shall be" },
	{ "NAME", 0, KIND_LIST, MEMBER(names), .positional = true, .required = true,
	  .help = "of a link, as in the first column of stats" },
	{ "fabric", 0, KIND_TEXT, MEMBER(fabric), .value = "NAME",
	  .help = "of these links; needed if there are several" },
	{ 0 }
};

static const char *name_of(const void *links, uint32_t link)
{
	return ((const struct wire_links *)links)->link[link].label;
}

/* Add the link @name of @all to @list, or say that there is none. */
static int find_link(const struct link_args *args, const struct wire_links *all, const char *name,
		     struct wire_links *list)
{
	struct wire_link *found = &list->link[list->count];
	char near[4 * FABRIC_TEXT];

	for (size_t i = 0; i < all->count; i++) {
		if (strcmp(all->link[i].label, name))
			continue;
		*found = (struct wire_link){
			.present = 1ULL << LIQUID_LAB_LINK_A_ID | 1ULL << LIQUID_LAB_LINK_A_DOWN,
			.id = all->link[i].id, .down = !strcmp(args->state, "down"),
		};
		list->count++;
		return EXIT_OK;
	}
	liquid_near_names(name, name_of, all, (uint32_t)all->count, near, sizeof(near));
	return complain(EXIT_BAD_INPUT, "no link '%s' in fabric %s%s", name, args->fabric, near);
}

static int set_links(struct netlink *nl, const struct link_args *args)
{
	struct wire_links all = { 0 }, list = { 0 };
	int code = EXIT_OK;

	list.link = calloc(args->names.count, sizeof(*list.link));
	if (!list.link)
		code = complain(EXIT_IO, "out of memory");
	else if (lab_dump_links(nl, args->fabric, &all))
		code = complain(EXIT_REFUSED, "%s: %s", args->fabric, nl->text);
	for (size_t i = 0; i < args->names.count && !code; i++)
		code = find_link(args, &all, args->names.text[i], &list);
	if (!code && lab_set_links(nl, args->fabric, list.link, list.count))
		code = complain(EXIT_REFUSED, "%s: %s", args->fabric, nl->text);
	wire_links_clear(&all);
	wire_links_clear(&list);
	return code;
}

static int change_links(struct link_args *args)
{
	struct netlink nl;
	char *name;
	int code;

	if (lab_open(&nl))
		return complain(EXIT_REFUSED, "%s", nl.text);
	code = choose_fabric(&nl, args->fabric, &name);
	args->fabric = name;
	if (!code)
		code = set_links(&nl, args);
	free(name);
	netlink_close(&nl);
	return code;
}

static int run_link(int argc, char **argv)
{
	struct link_args args = { 0 };
	int code = take_options(argc, argv, link_opts, &args);

	if (!code)
		code = change_links(&args);
	free(args.names.text);
	return code;
}

const struct command lab_link = {
	"link", "take links down, or up again", link_opts, run_link, NULL, NULL
};
