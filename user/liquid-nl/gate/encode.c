// SPDX-License-Identifier: GPL-2.0-only
/* Options, destinations and frames as attributes of a request. */
#include "gate/gate.h"

/* The length of an attribute is 16 bits, its header included. */
#define NEST_MAX 65535U

/* Room for one more element of at most @most bytes in @nest? */
static bool fits(const struct nlmsghdr *nlh, const struct nlattr *nest, size_t most)
{
	size_t used = (const char *)nlh + nlh->nlmsg_len - (const char *)nest;

	return used + most <= NEST_MAX;
}

void gate_put_options(struct nlmsghdr *nlh, uint16_t type, const struct gate_options *options)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, type);

	attrs_put(nlh, &gate_table, options);
	mnl_attr_nest_end(nlh, nest);
}

static void put_dest(struct nlmsghdr *nlh, const struct gate_dest *dest, bool keys)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_A_DEST);

	mnl_attr_put_u32(nlh, LIQUID_DEST_A_ID, dest->id);
	for (uint32_t i = 0; keys && i < dest->key_count; i++) {
		struct nlattr *key = mnl_attr_nest_start(nlh, LIQUID_DEST_A_KEY);

		mnl_attr_put(nlh, dest->key[i].kind, dest->key[i].length, dest->key[i].value);
		mnl_attr_nest_end(nlh, key);
	}
	mnl_attr_nest_end(nlh, nest);
}

size_t gate_put_dests(struct nlmsghdr *nlh, const struct gate_dest *dests, size_t count, bool keys)
{
	/* headers of DEST and KEY, ID, and the longest address */
	const size_t most = 4 + 8 + LIQUID_DEST_KEYS_MAX * (4 + 4 + 16);
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_A_DESTS);
	size_t done = 0;

	for (; done < count && fits(nlh, nest, most); done++)
		put_dest(nlh, &dests[done], keys);
	mnl_attr_nest_end(nlh, nest);
	return done;
}

size_t gate_put_runs(struct nlmsghdr *nlh, const struct gate_run *runs, size_t count)
{
	const size_t most = 4 + 8 + 8;
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_A_ENTRIES);
	size_t done = 0;

	for (; done < count && fits(nlh, nest, most); done++) {
		struct nlattr *entry = mnl_attr_nest_start(nlh, LIQUID_A_ENTRY);

		mnl_attr_put_u32(nlh, LIQUID_ENTRY_A_RUN, runs[done].run);
		if (runs[done].dest != LIQUID_NONE)
			mnl_attr_put_u32(nlh, LIQUID_ENTRY_A_DEST, runs[done].dest);
		mnl_attr_nest_end(nlh, entry);
	}
	mnl_attr_nest_end(nlh, nest);
	return done;
}
