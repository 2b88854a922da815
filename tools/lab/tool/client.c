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
	attrs_put(nlh, &fabric_table, fabric, fabric->present);
	return netlink_do(nl, nlh, NULL, NULL);
}

static void put_link(struct nlmsghdr *nlh, const void *element)
{
	const struct wire_link *link = element;
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_LAB_A_LINK);

	attrs_put(nlh, &fabric_link_table, link, link->present);
	if (link->label[0])
		mnl_attr_put_strz(nlh, LIQUID_LAB_LINK_A_LABEL, link->label);
	mnl_attr_nest_end(nlh, nest);
}

static void put_port(struct nlmsghdr *nlh, const void *element)
{
	const struct wire_port *port = element;
	struct nlattr *nest = mnl_attr_nest_start(nlh, LIQUID_LAB_A_PORT);

	attrs_put(nlh, &fabric_port_table, port, port->present);
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

/* Append a zeroed element to an array; NULL: no memory. */
static void *append(void *array, size_t *count, size_t *room, size_t size)
{
	void **at = array;

	if (*count == *room) {
		size_t more = *room ? 2 * *room : 64;
		void *larger = reallocarray(*at, more, size);

		if (!larger)
			return NULL;
		*at = larger;
		*room = more;
	}
	return memset((char *)*at + (*count)++ * size, 0, size);
}

static bool take_text(const struct nlattr *nest, uint16_t type, char text[FABRIC_TEXT])
{
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, nest) {
		uint16_t length = mnl_attr_get_payload_len(attr);

		if (mnl_attr_get_type(attr) != type)
			continue;
		if (!length || length > FABRIC_TEXT || mnl_attr_get_str(attr)[length - 1])
			return false;
		memcpy(text, mnl_attr_get_payload(attr), length);
	}
	return true;
}

static int take_fabric(const struct nlmsghdr *nlh, void *context)
{
	struct wire_fabrics *list = context;
	struct wire_fabric *fabric = append(&list->fabric, &list->count, &list->room,
					    sizeof(*fabric));
	const struct nlattr *attr;

	if (!fabric)
		return -ENOMEM;
	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		uint16_t type = mnl_attr_get_type(attr), length = mnl_attr_get_payload_len(attr);
		const struct attr_row *row = NULL;

		if (type <= fabric_table.max)
			row = &fabric_table.row[type];
		if (type == LIQUID_LAB_A_NAME) {
			if (length > FABRIC_TEXT ||
			    mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) < 0)
				return -EPROTO;
			memcpy(fabric->name, mnl_attr_get_str(attr), length);
		} else if (row && (row->type == ATTR_U32 || row->type == ATTR_U64)) {
			if (length != (row->type == ATTR_U32 ? 4 : 8))
				return -EPROTO;
			memcpy((char *)fabric + row->offset, mnl_attr_get_payload(attr), length);
			fabric->present |= 1ULL << type;
		}
	}
	return 0;
}

static int take_link(struct wire_links *list, const struct nlattr *nest)
{
	struct wire_link *link = append(&list->link, &list->count, &list->room, sizeof(*link));

	if (!link)
		return -ENOMEM;
	if (!attrs_parse(&fabric_link_table, nest, link, &link->present) ||
	    !take_text(nest, LIQUID_LAB_LINK_A_LABEL, link->label))
		return -EPROTO;
	return 0;
}

static int take_port(struct wire_ports *list, const struct nlattr *nest)
{
	struct wire_port *port = append(&list->port, &list->count, &list->room, sizeof(*port));

	if (!port)
		return -ENOMEM;
	if (!attrs_parse(&fabric_port_table, nest, port, &port->present) ||
	    !take_text(nest, LIQUID_LAB_PORT_A_IFNAME, port->ifname) ||
	    !take_text(nest, LIQUID_LAB_PORT_A_HOST, port->host) ||
	    !take_text(nest, LIQUID_LAB_PORT_A_NETNS, port->netns))
		return -EPROTO;
	return 0;
}

static int take_links(const struct nlmsghdr *nlh, void *context)
{
	const struct nlattr *attr, *element;
	int status = 0;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != LIQUID_LAB_A_LINKS)
			continue;
		mnl_attr_for_each_nested(element, attr)
			if (!status && mnl_attr_get_type(element) == LIQUID_LAB_A_LINK)
				status = take_link(context, element);
	}
	return status;
}

static int take_ports(const struct nlmsghdr *nlh, void *context)
{
	const struct nlattr *attr, *element;
	int status = 0;

	mnl_attr_for_each(attr, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != LIQUID_LAB_A_PORTS)
			continue;
		mnl_attr_for_each_nested(element, attr)
			if (!status && mnl_attr_get_type(element) == LIQUID_LAB_A_PORT)
				status = take_port(context, element);
	}
	return status;
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
