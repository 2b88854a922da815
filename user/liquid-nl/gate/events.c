// SPDX-License-Identifier: GPL-2.0-only
/* Events of gates, from the module's multicast group. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/genetlink.h>

#include "gate/gate.h"

/* The id of the module's group, if this nest of CTRL_ATTR_MCAST_GROUPS is that one; else 0 */
static uint32_t group_of(const struct nlattr *nest)
{
	const struct nlattr *attr;
	uint32_t number = 0;
	bool named = false;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_NAME &&
		    !mnl_attr_validate(attr, MNL_TYPE_NUL_STRING))
			named = !strcmp(mnl_attr_get_str(attr), LIQUID_GENL_EVENTS);
		if (mnl_attr_get_type(attr) == CTRL_ATTR_MCAST_GRP_ID &&
		    !mnl_attr_validate(attr, MNL_TYPE_U32))
			number = mnl_attr_get_u32(attr);
	}
	return named ? number : 0;
}

static int take_groups(const struct nlmsghdr *nlh, void *context)
{
	const struct nlattr *attr, *nest;
	uint32_t *group = context;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != CTRL_ATTR_MCAST_GROUPS)
			continue;
		mnl_attr_for_each_nested(nest, attr)
			if (!*group)
				*group = group_of(nest);
	}
	return 0;
}

int gate_events_join(struct netlink *nl)
{
	uint32_t group = 0, families = GENL_ID_CTRL;	/* GENL_ID_CTRL: changes of families */
	uint16_t family = nl->family;
	struct nlmsghdr *nlh;
	int status;

	nl->family = GENL_ID_CTRL;
	nlh = netlink_generic(nl, CTRL_CMD_GETFAMILY, 0);
	mnl_attr_put_u16(nlh, CTRL_ATTR_FAMILY_ID, family);
	status = netlink_do(nl, nlh, take_groups, &group);
	nl->family = family;
	if (status)
		return status;
	if (!group) {
		snprintf(nl->text, sizeof(nl->text), "the module is too old to send events");
		return -ENOENT;
	}
	if (!mnl_socket_setsockopt(nl->socket, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) &&
	    !mnl_socket_setsockopt(nl->socket, NETLINK_ADD_MEMBERSHIP, &families, sizeof(families)))
		return 0;
	status = -errno;
	snprintf(nl->text, sizeof(nl->text), "cannot listen to events: %s", strerror(-status));
	return status;
}

/* The family was removed. The kernel has dropped the members of its group with it. */
static bool tells_end(const struct netlink *nl, const struct nlmsghdr *nlh)
{
	const struct genlmsghdr *header = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;

	if (nlh->nlmsg_type != GENL_ID_CTRL || header->cmd != CTRL_CMD_DELFAMILY)
		return false;
	mnl_attr_for_each(attr, nlh, sizeof(*header))
		if (mnl_attr_get_type(attr) == CTRL_ATTR_FAMILY_ID &&
		    !mnl_attr_validate(attr, MNL_TYPE_U16))
			return mnl_attr_get_u16(attr) == nl->family;
	return false;
}

static int take_news(struct netlink *nl, const struct nlmsghdr *nlh, netlink_reply reply,
		     void *context)
{
	const struct genlmsghdr *header = mnl_nlmsg_get_payload(nlh);
	int status;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*header))
		return 0;
	if (tells_end(nl, nlh)) {
		snprintf(nl->text, sizeof(nl->text), "module liquid has been unloaded");
		return -ENODEV;
	}
	if (nlh->nlmsg_type != nl->family || header->cmd != LIQUID_CMD_EVENT)
		return 0;
	status = reply(nlh, context);
	if (status)
		snprintf(nl->text, sizeof(nl->text), "malformed event");
	return status;
}

int gate_events_wait(struct netlink *nl, netlink_reply reply, void *context)
{
	ssize_t got = mnl_socket_recvfrom(nl->socket, nl->reply, NETLINK_REPLY_MAX);
	const struct nlmsghdr *nlh = (const void *)nl->reply;
	int left = got, status = 0;

	if (got < 0 && errno == EINTR)
		return 0;
	if (got < 0) {
		status = -errno;
		snprintf(nl->text, sizeof(nl->text), "cannot read events: %s",
			 strerror(-status));
		return status;
	}
	for (; mnl_nlmsg_ok(nlh, left) && !status; nlh = mnl_nlmsg_next(nlh, &left))
		status = take_news(nl, nlh, reply, context);
	return status;
}
