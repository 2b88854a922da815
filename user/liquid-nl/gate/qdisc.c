// SPDX-License-Identifier: GPL-2.0-only
/* The root qdisc of a device: what makes and ends a gate. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "gate/gate.h"

struct root_search {
	uint32_t ifindex;
	struct root_qdisc *root;
};

static int take_qdisc(const struct nlmsghdr *nlh, void *context)
{
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);
	struct root_search *search = context;
	const struct nlattr *attr;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*tcm))
		return -EPROTO;
	if ((uint32_t)tcm->tcm_ifindex != search->ifindex || tcm->tcm_parent != TC_H_ROOT)
		return 0;
	search->root->handle = tcm->tcm_handle;
	mnl_attr_for_each(attr, nlh, sizeof(*tcm))
		if (mnl_attr_get_type(attr) == TCA_KIND &&
		    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) >= 0)
			snprintf(search->root->kind, sizeof(search->root->kind), "%s",
				 mnl_attr_get_str(attr));
	return 0;
}

static void restart(void *context)
{
	struct root_search *search = context;

	*search->root = (struct root_qdisc){ 0 };
}

static struct nlmsghdr *request(struct netlink *nl, uint16_t type, uint16_t flags, uint32_t ifindex)
{
	struct nlmsghdr *nlh = netlink_route(nl, type, flags, sizeof(struct tcmsg));
	struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);

	nl->table = &route_table;
	tcm->tcm_family = AF_UNSPEC;
	tcm->tcm_ifindex = ifindex;
	tcm->tcm_parent = TC_H_ROOT;
	return nlh;
}

int qdisc_root(struct netlink *nl, uint32_t ifindex, struct root_qdisc *root)
{
	struct nlmsghdr *nlh = request(nl, RTM_GETQDISC, 0, ifindex);
	struct root_search search = { ifindex, root };

	*root = (struct root_qdisc){ 0 };
	return netlink_dump(nl, nlh, take_qdisc, restart, &search);
}

int qdisc_attach(struct netlink *nl, uint32_t ifindex, const struct gate_options *options,
		 bool replace)
{
	uint16_t how = NLM_F_CREATE | (replace ? NLM_F_REPLACE : NLM_F_EXCL);
	struct nlmsghdr *nlh = request(nl, RTM_NEWQDISC, how, ifindex);
	int status;

	mnl_attr_put_strz(nlh, TCA_KIND, LIQUID_QDISC_KIND);
	if (options->present)
		gate_put_options(nlh, TCA_OPTIONS, options);
	status = netlink_do(nl, nlh, NULL, NULL);
	if (status == -ENOENT)
		snprintf(nl->text, sizeof(nl->text),
			 "module liquid is not loaded: modprobe liquid");
	return status;
}

int qdisc_detach(struct netlink *nl, uint32_t ifindex)
{
	struct nlmsghdr *nlh = request(nl, RTM_DELQDISC, 0, ifindex);

	/* With the kind given, the kernel does not remove another qdisc that came meanwhile. */
	mnl_attr_put_strz(nlh, TCA_KIND, LIQUID_QDISC_KIND);
	return netlink_do(nl, nlh, NULL, NULL);
}
