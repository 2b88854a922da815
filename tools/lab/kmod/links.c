// SPDX-License-Identifier: GPL-2.0-only
/* Links that go down and up while the fabric works */
#include <linux/rtnetlink.h>

#include "fabric.h"

const struct nla_policy lfab_link_state_policy[LIQUID_LAB_LINK_A_MAX + 1] = {
	[LIQUID_LAB_LINK_A_ID]		= { .type = NLA_U32 },
	[LIQUID_LAB_LINK_A_DOWN]	= NLA_POLICY_MAX(NLA_U8, 1),
};

static int lfab_parse_link(const struct lfab_fabric *fabric, const struct nlattr *nest,
			   struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	int err = nla_parse_nested(attrs, LIQUID_LAB_LINK_A_MAX, nest, lfab_link_state_policy,
				   extack);

	if (err)
		return err;
	if (!attrs[LIQUID_LAB_LINK_A_ID] || !attrs[LIQUID_LAB_LINK_A_DOWN]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "ID or DOWN is missing: a link needs both");
		return -EINVAL;
	}
	if (nla_get_u32(attrs[LIQUID_LAB_LINK_A_ID]) < fabric->model.links)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attrs[LIQUID_LAB_LINK_A_ID], "the fabric has no such link");
	return -ENOENT;
}

/* The lock is taken for each link, so that softirqs are not off for as long as all take. */
static void lfab_set_link(struct lfab_fabric *fabric, u32 link, bool down)
{
	u64 now;

	spin_lock_bh(&fabric->lock);
	now = lfab_enter(fabric);
	lfab_model_link(&fabric->model, link, down, now);
	lfab_leave(fabric);
	spin_unlock_bh(&fabric->lock);
}

/* All are checked before the first changes. */
int lfab_set_links(struct lfab_fabric *fabric, const struct nlattr *links,
		   struct netlink_ext_ack *extack)
{
	struct nlattr *attrs[LIQUID_LAB_LINK_A_MAX + 1], *nest;
	int rest, err;

	ASSERT_RTNL();
	nla_for_each_nested(nest, links, rest) {
		err = lfab_parse_link(fabric, nest, attrs, extack);
		if (err)
			return err;
	}
	nla_for_each_nested(nest, links, rest) {
		lfab_parse_link(fabric, nest, attrs, extack);
		lfab_set_link(fabric, nla_get_u32(attrs[LIQUID_LAB_LINK_A_ID]),
			      nla_get_u8(attrs[LIQUID_LAB_LINK_A_DOWN]));
	}
	return 0;
}
