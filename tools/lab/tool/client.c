// SPDX-License-Identifier: GPL-2.0-only
/* The requests of the family liquid_lab, one function each, and the replies of dumps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/genetlink.h>

#include "lab.h"

/* The length of an attribute is 16 bits; what one element of a list takes at most. */
#define NEST_MAX 65535u
#define ELEMENT_MAX 1024u

int lab_open(struct netlink *nl)
{
	return netlink_open_generic(nl, LIQUID_LAB_GENL_NAME, LIQUID_LAB_GENL_VERSION,
				    &fabric_table,
				    "module liquid_lab is not loaded: modprobe liquid_lab");
}

int lab_begin(struct netlink *nl, const struct wire_fabric *fabric)
{
	struct nlmsghdr *nlh = netlink_generic(nl, LIQUID_LAB_CMD_BEGIN, 0);

	mnl_attr_put_strz(nlh, LIQUID_LAB_A_NAME, fabric->name);
	attrs_put(nlh, &fabric_table, fabric);
	return netlink_do(nl, nlh, NULL, NULL);
}

static void put_link(struct nlmsghdr *nlh, const void *element)
{
	const struct wire_link *link = element;
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_LAB_A_LINK);

	attrs_put(nlh, &fabric_link_table, link);
	if (link->label[0])
		mnl_attr_put_strz(nlh, LIQUID_LAB_LINK_A_LABEL, link->label);
	mnl_attr_nest_end(nlh, nest);
}

static void put_port(struct nlmsghdr *nlh, const void *element)
{
	const struct wire_port *port = element;
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_LAB_A_PORT);

	attrs_put(nlh, &fabric_port_table, port);
	mnl_attr_put_strz(nlh, LIQUID_LAB_PORT_A_IFNAME, port->ifname);
	if (port->host[0])
		mnl_attr_put_strz(nlh, LIQUID_LAB_PORT_A_HOST, port->host);
	if (port->netns[0])
		mnl_attr_put_strz(nlh, LIQUID_LAB_PORT_A_NETNS, port->netns);
	mnl_attr_nest_end(nlh, nest);
}

static void put_path(struct nlmsghdr *nlh, const void *element)
{
	const struct wire_path *path = element;
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_LAB_A_PATH);

	mnl_attr_put_u32(nlh, LIQUID_LAB_PATH_A_SRC, path->src);
	mnl_attr_put_u32(nlh, LIQUID_LAB_PATH_A_DST, path->dst);
	mnl_attr_put(nlh, LIQUID_LAB_PATH_A_LINKS, path->count * sizeof(uint32_t), path->link);
	mnl_attr_nest_end(nlh, nest);
}

static struct nlmsghdr *named(struct netlink *nl, uint8_t command, const char *name)
{
	struct nlmsghdr *nlh = netlink_generic(nl, command, 0);

	if (name)
		mnl_attr_put_strz(nlh, LIQUID_LAB_A_NAME, name);
	return nlh;
}

/* Send a list, of the fabric @name or of the open transaction, in as many requests as it needs. */
static int send_list(struct netlink *nl, uint8_t command, const char *name, uint16_t type,
		     const void *list, size_t size, size_t count,
		     void (*put)(struct nlmsghdr *nlh, const void *element))
{
	size_t done = 0;
	int status = 0;

	while (done < count && !status) {
		struct nlmsghdr *nlh = named(nl, command, name);
		struct nlattr *nest = mnl_attr_nest_start(nlh, type);

		while (done < count && nlh->nlmsg_len + ELEMENT_MAX <= NEST_MAX)
			put(nlh, (const char *)list + done++ * size);
		mnl_attr_nest_end(nlh, nest);
		status = netlink_do(nl, nlh, NULL, NULL);
	}
	return status;
}

int lab_links(struct netlink *nl, const struct wire_link *link, size_t count)
{
	return send_list(nl, LIQUID_LAB_CMD_LINKS, NULL, LIQUID_LAB_A_LINKS, link, sizeof(*link),
			 count, put_link);
}

int lab_ports(struct netlink *nl, const struct wire_port *port, size_t count)
{
	return send_list(nl, LIQUID_LAB_CMD_PORTS, NULL, LIQUID_LAB_A_PORTS, port, sizeof(*port),
			 count, put_port);
}

int lab_paths(struct netlink *nl, const struct wire_path *path, size_t count)
{
	return send_list(nl, LIQUID_LAB_CMD_PATHS, NULL, LIQUID_LAB_A_PATHS, path, sizeof(*path),
			 count, put_path);
}

int lab_set_links(struct netlink *nl, const char *name, const struct wire_link *link, size_t count)
{
	return send_list(nl, LIQUID_LAB_CMD_LINK_SET, name, LIQUID_LAB_A_LINKS, link, sizeof(*link),
			 count, put_link);
}

int lab_commit(struct netlink *nl)
{
	return netlink_do(nl, netlink_generic(nl, LIQUID_LAB_CMD_COMMIT, 0), NULL, NULL);
}

int lab_reroute(struct netlink *nl, const char *name)
{
	return netlink_do(nl, named(nl, LIQUID_LAB_CMD_REROUTE, name), NULL, NULL);
}

int lab_delete(struct netlink *nl, const char *name)
{
	return netlink_do(nl, named(nl, LIQUID_LAB_CMD_DELETE, name), NULL, NULL);
}

/* ---- replies ---- */

static int take_fabric(const struct nlmsghdr *nlh, void *context)
{
	struct wire_fabrics *list = context;
	struct wire_fabric *fabric = array_append(&list->fabric, &list->count, &list->room,
						  sizeof(*fabric));

	if (!fabric)
		return -ENOMEM;
	return attrs_parse_message(&fabric_table, nlh, sizeof(struct genlmsghdr), fabric) ? 0 :
	       -EPROTO;
}

static int take_link(void *context, const struct nlattr *nest)
{
	struct wire_links *list = context;
	struct wire_link *link = array_append(&list->link, &list->count, &list->room,
					      sizeof(*link));

	if (!link)
		return -ENOMEM;
	return attrs_parse(&fabric_link_table, nest, link) ? 0 : -EPROTO;
}

static int take_port(void *context, const struct nlattr *nest)
{
	struct wire_ports *list = context;
	struct wire_port *port = array_append(&list->port, &list->count, &list->room,
					      sizeof(*port));

	if (!port)
		return -ENOMEM;
	return attrs_parse(&fabric_port_table, nest, port) ? 0 : -EPROTO;
}

/* Take the elements of type @inner in the list of type @outer. */
static int take_list(const struct nlmsghdr *nlh, uint16_t outer, uint16_t inner, void *context,
		     int (*take)(void *context, const struct nlattr *nest))
{
	const struct nlattr *attr, *element;
	int status = 0;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != outer)
			continue;
		mnl_attr_for_each_nested(element, attr)
			if (!status && mnl_attr_get_type(element) == inner)
				status = take(context, element);
	}
	return status;
}

static int take_links(const struct nlmsghdr *nlh, void *context)
{
	return take_list(nlh, LIQUID_LAB_A_LINKS, LIQUID_LAB_A_LINK, context, take_link);
}

static int take_ports(const struct nlmsghdr *nlh, void *context)
{
	return take_list(nlh, LIQUID_LAB_A_PORTS, LIQUID_LAB_A_PORT, context, take_port);
}

void wire_fabrics_clear(struct wire_fabrics *fabrics)
{
	free(fabrics->fabric);
	*fabrics = (struct wire_fabrics){ 0 };
}

void wire_links_clear(struct wire_links *links)
{
	free(links->link);
	*links = (struct wire_links){ 0 };
}

void wire_ports_clear(struct wire_ports *ports)
{
	free(ports->port);
	*ports = (struct wire_ports){ 0 };
}

static void restart_fabrics(void *context)
{
	wire_fabrics_clear(context);
}

static void restart_links(void *context)
{
	wire_links_clear(context);
}

static void restart_ports(void *context)
{
	wire_ports_clear(context);
}

int lab_dump(struct netlink *nl, struct wire_fabrics *fabrics)
{
	return netlink_dump(nl, netlink_generic(nl, LIQUID_LAB_CMD_GET, 0), take_fabric,
			    restart_fabrics, fabrics);
}

int lab_dump_links(struct netlink *nl, const char *name, struct wire_links *links)
{
	return netlink_dump(nl, named(nl, LIQUID_LAB_CMD_LINK_GET, name), take_links,
			    restart_links, links);
}

int lab_dump_ports(struct netlink *nl, const char *name, struct wire_ports *ports)
{
	return netlink_dump(nl, named(nl, LIQUID_LAB_CMD_PORT_GET, name), take_ports,
			    restart_ports, ports);
}
