// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transactions: links, ports and paths come in several requests, each of which is checked. They
 * make a fabric, or give one new paths.
 *
 * A transaction belongs to a socket. Sockets close without RTNL, so the list has a lock of
 * its own, which is not held while a transaction is filled, committed or freed: closing waits for
 * no request of another socket. A request is taken as a whole or not at all.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include <net/net_namespace.h>
#include <net/sock.h>

#include "fabric.h"

static DEFINE_MUTEX(lfab_stage_lock);

const struct nla_policy lfab_link_policy[LIQUID_LAB_LINK_A_MAX + 1] = {
	[LIQUID_LAB_LINK_A_CAPACITY]		= { .type = NLA_U32 },
	[LIQUID_LAB_LINK_A_TO_SWITCH]	= NLA_POLICY_MAX(NLA_U8, 1),
	[LIQUID_LAB_LINK_A_LABEL]		= { .type = NLA_NUL_STRING,
						    .len = LIQUID_LAB_LABEL_MAX },
};

const struct nla_policy lfab_port_policy[LIQUID_LAB_PORT_A_MAX + 1] = {
	[LIQUID_LAB_PORT_A_IFNAME]		= { .type = NLA_NUL_STRING,
						    .len = LIQUID_LAB_LABEL_MAX },
	[LIQUID_LAB_PORT_A_NETNS_FD]		= { .type = NLA_U32 },
	[LIQUID_LAB_PORT_A_HOST]		= { .type = NLA_NUL_STRING,
						    .len = LIQUID_LAB_LABEL_MAX },
	[LIQUID_LAB_PORT_A_NETNS]		= { .type = NLA_NUL_STRING,
						    .len = LIQUID_LAB_LABEL_MAX },
};

const struct nla_policy lfab_path_policy[LIQUID_LAB_PATH_A_MAX + 1] = {
	[LIQUID_LAB_PATH_A_SRC]		= { .type = NLA_U32 },
	[LIQUID_LAB_PATH_A_DST]		= { .type = NLA_U32 },
	[LIQUID_LAB_PATH_A_LINKS]		= { .type = NLA_BINARY },
};

/* --- the list --- */

static struct lfab_stage *lfab_stage_find(const struct net *net, u32 portid)
{
	struct lfab_stage *stage;

	lockdep_assert_held(&lfab_stage_lock);
	list_for_each_entry(stage, &lfab_net_of(net)->stages, list) {
		if (stage->portid == portid)
			return stage;
	}
	return NULL;
}

static void lfab_drop_links(struct lfab_stage *stage, u32 left)
{
	while (stage->links > left) {
		struct lfab_new_link *link = &stage->link[--stage->links];

		stage->lanes -= link->capacity;
		kfree(link->label);
	}
}

static void lfab_drop_ports(struct lfab_stage *stage, u32 left)
{
	while (stage->ports > left) {
		struct lfab_new_port *port = &stage->port[--stage->ports];

		if (port->net)
			put_net(port->net);
		kfree(port->host);
		kfree(port->netns);
	}
}

static void lfab_drop_paths(struct lfab_stage *stage, u32 used)
{
	u32 at = used;

	while (at < stage->used) {
		const u32 *path = stage->pool + at;

		stage->path_at[(size_t)path[LFAB_POOL_SRC] * stage->ports +
			       path[LFAB_POOL_DST]] = 0;
		stage->port[path[LFAB_POOL_SRC]].paths--;
		stage->paths--;
		at += LFAB_POOL_HEAD + path[LFAB_POOL_COUNT];
	}
	stage->used = used;
}

static void lfab_stage_free(struct lfab_stage *stage)
{
	lfab_drop_links(stage, 0);
	lfab_drop_ports(stage, 0);
	kvfree(stage->link);
	kvfree(stage->port);
	kvfree(stage->path_at);
	kvfree(stage->pool);
	kfree(stage);
}

static void lfab_stage_unlist(struct lfab_stage *stage)
{
	lockdep_assert_held(&lfab_stage_lock);
	list_del(&stage->list);
}

static struct lfab_stage *lfab_busy(struct netlink_ext_ack *extack)
{
	NL_SET_ERR_MSG(extack, "another request of this socket is under way: wait for its reply");
	return ERR_PTR(-EBUSY);
}

/* For a request that works on the transaction of its socket */
static struct lfab_stage *lfab_stage_get(const struct net *net, u32 portid,
					 struct netlink_ext_ack *extack)
{
	struct lfab_stage *stage;

	mutex_lock(&lfab_stage_lock);
	stage = lfab_stage_find(net, portid);
	if (!stage) {
		NL_SET_ERR_MSG(extack, "no transaction is open on this socket: begin one first");
		stage = ERR_PTR(-ENOENT);
	} else if (stage->busy) {
		stage = lfab_busy(extack);
	} else {
		stage->busy = true;
	}
	mutex_unlock(&lfab_stage_lock);
	return stage;
}

/* The request has ended; @drop: and with it the transaction. */
static void lfab_stage_put(struct lfab_stage *stage, bool drop)
{
	mutex_lock(&lfab_stage_lock);
	stage->busy = false;
	if (drop)
		lfab_stage_unlist(stage);
	mutex_unlock(&lfab_stage_lock);
	if (drop)
		lfab_stage_free(stage);
}

/*
 * A socket was closed. So no request of it is under way; but a new socket may have got its number
 * and have begun.
 */
void lfab_stage_release(const struct net *net, u32 portid)
{
	struct lfab_stage *stage;

	mutex_lock(&lfab_stage_lock);
	stage = lfab_stage_find(net, portid);
	if (stage && stage->busy)
		stage = NULL;
	if (stage)
		lfab_stage_unlist(stage);
	mutex_unlock(&lfab_stage_lock);
	if (stage)
		lfab_stage_free(stage);
}

/* The namespace or the module goes; sockets may still be open. */
void lfab_stage_release_all(const struct net *net)
{
	struct lfab_stage *stage, *next;

	mutex_lock(&lfab_stage_lock);
	list_for_each_entry_safe(stage, next, &lfab_net_of(net)->stages, list) {
		lfab_stage_unlist(stage);
		lfab_stage_free(stage);
	}
	mutex_unlock(&lfab_stage_lock);
}

/* --- begin --- */

struct lfab_limit {
	int type;
	u64 min, max;
	const char *text;
};

static const struct lfab_limit lfab_limits[] = {
	{ LIQUID_LAB_A_SWITCHING, 0, LIQUID_LAB_PACKET,
	  "unknown switching: use wormhole, cut-through or packet" },
	{ LIQUID_LAB_A_RATE_BPS, LIQUID_LAB_RATE_BPS_MIN, LIQUID_LAB_RATE_BPS_MAX,
	  "rate out of range: use 1 Mbit/s to 400 Gbit/s" },
	{ LIQUID_LAB_A_OVERHEAD, 0, LIQUID_LAB_OVERHEAD_MAX,
	  "overhead out of range: use 0 to 1024 bytes" },
	{ LIQUID_LAB_A_HOP_NS, 0, LIQUID_LAB_HOP_NS_MAX,
	  "hop latency out of range: use 0 to 1 s" },
	{ LIQUID_LAB_A_WORM_BYTES, 1, LIQUID_LAB_WORM_BYTES_MAX,
	  "worm out of range: use 1 to 1073741824 bytes" },
	{ LIQUID_LAB_A_BUFFER_BYTES, 1, LIQUID_LAB_BUFFER_BYTES_MAX,
	  "buffer out of range: use 1 to 1073741824 bytes" },
	{ LIQUID_LAB_A_RING, 1, LIQUID_LAB_RING_MAX,
	  "ring out of range: use 1 to 65536 packets" },
	{ LIQUID_LAB_A_QUEUES, 1, LIQUID_LAB_QUEUES_MAX,
	  "number of TX queues out of range: use 1 to 64" },
	{ LIQUID_LAB_A_UNROUTED, 0, LIQUID_LAB_UNROUTED_FREE,
	  "unknown policy for unrouted packets: use drop or free" },
	{ LIQUID_LAB_A_MTU, LIQUID_LAB_MTU_MIN, LIQUID_LAB_MTU_MAX,
	  "MTU out of range: use 68 to 65535" },
	{ LIQUID_LAB_A_SWITCH_QUEUES, 0, LIQUID_LAB_FIFO,
	  "unknown queues of a switch: use fifo-speedup, voq or fifo" },
};

static u64 lfab_number(const struct nlattr *attr)
{
	return nla_len(attr) == sizeof(u64) ? nla_get_u64(attr) : nla_get_u32(attr);
}

static int lfab_check_limits(struct nlattr **attrs, struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lfab_limits); i++) {
		const struct lfab_limit *limit = &lfab_limits[i];
		const struct nlattr *attr = attrs[limit->type];

		if (!attr || (lfab_number(attr) >= limit->min && lfab_number(attr) <= limit->max))
			continue;
		if (extack)
			extack->_msg = limit->text;
		NL_SET_BAD_ATTR(extack, attr);
		return -ERANGE;
	}
	return 0;
}

static void lfab_set_u32(u32 *value, const struct nlattr *attr)
{
	if (attr)
		*value = nla_get_u32(attr);
}

static int lfab_set_name(struct lfab_config *config, const struct nlattr *attr,
			 struct netlink_ext_ack *extack)
{
	if (!attr || !*(const char *)nla_data(attr)) {
		NL_SET_ERR_MSG(extack, "NAME is missing: name the fabric");
		return -EINVAL;
	}
	nla_strscpy(config->name, attr, sizeof(config->name));
	return 0;
}

static int lfab_set_switch_queues(struct lfab_config *config, const struct nlattr *attr,
				  struct netlink_ext_ack *extack)
{
	lfab_set_u32(&config->switch_queues, attr);
	if (config->switch_queues != LIQUID_LAB_VOQ ||
	    config->switching == LIQUID_LAB_CUT_THROUGH)
		return 0;
	NL_SET_ERR_MSG_ATTR(extack, attr, "virtual output queues go with cut-through");
	return -EINVAL;
}

static int lfab_set_config(struct lfab_config *config, struct nlattr **attrs,
			   struct netlink_ext_ack *extack)
{
	int err = lfab_set_name(config, attrs[LIQUID_LAB_A_NAME], extack);

	if (!err)
		err = lfab_check_limits(attrs, extack);
	if (err)
		return err;
	if (!attrs[LIQUID_LAB_A_RATE_BPS]) {
		NL_SET_ERR_MSG(extack, "RATE_BPS is missing: give the rate of a link");
		return -EINVAL;
	}
	config->rate_bps = nla_get_u64(attrs[LIQUID_LAB_A_RATE_BPS]);
	lfab_set_u32(&config->switching, attrs[LIQUID_LAB_A_SWITCHING]);
	lfab_set_u32(&config->overhead, attrs[LIQUID_LAB_A_OVERHEAD]);
	lfab_set_u32(&config->hop_ns, attrs[LIQUID_LAB_A_HOP_NS]);
	lfab_set_u32(&config->worm_bytes, attrs[LIQUID_LAB_A_WORM_BYTES]);
	lfab_set_u32(&config->buffer_bytes, attrs[LIQUID_LAB_A_BUFFER_BYTES]);
	lfab_set_u32(&config->ring, attrs[LIQUID_LAB_A_RING]);
	lfab_set_u32(&config->queues, attrs[LIQUID_LAB_A_QUEUES]);
	lfab_set_u32(&config->unrouted, attrs[LIQUID_LAB_A_UNROUTED]);
	lfab_set_u32(&config->mtu, attrs[LIQUID_LAB_A_MTU]);
	return lfab_set_switch_queues(config, attrs[LIQUID_LAB_A_SWITCH_QUEUES], extack);
}

static struct lfab_stage *lfab_stage_new(const struct net *net, u32 portid,
					 const struct lfab_config *config)
{
	struct lfab_stage *stage = kzalloc(sizeof(*stage), GFP_KERNEL_ACCOUNT);

	if (!stage)
		return NULL;
	stage->net = net;
	stage->portid = portid;
	stage->config = *config;
	return stage;
}

/* Open the transaction in place of an earlier one of its socket. */
static int lfab_stage_open(struct lfab_stage *stage, struct netlink_ext_ack *extack)
{
	struct lfab_stage *gone;
	int err = 0;

	mutex_lock(&lfab_stage_lock);
	gone = lfab_stage_find(stage->net, stage->portid);
	if (gone && gone->busy) {
		err = PTR_ERR(lfab_busy(extack));
		gone = stage;
	} else {
		if (gone)
			lfab_stage_unlist(gone);
		list_add(&stage->list, &lfab_net_of(stage->net)->stages);
	}
	mutex_unlock(&lfab_stage_lock);
	if (gone)
		lfab_stage_free(gone);
	return err;
}

int lfab_stage_begin(const struct net *net, u32 portid, struct nlattr **attrs,
		     struct netlink_ext_ack *extack)
{
	struct lfab_config config = {
		.overhead = 24, .worm_bytes = 1 << 20, .buffer_bytes = 1 << 18,
		.ring = 256, .queues = 1, .mtu = 1500,
	};
	struct lfab_stage *stage;
	int err = lfab_set_config(&config, attrs, extack);

	if (err)
		return err;
	stage = lfab_stage_new(net, portid, &config);
	return stage ? lfab_stage_open(stage, extack) : -ENOMEM;
}

/* What paths are checked against: the fabric's links and ports, without their texts */
static int lfab_stage_take_fabric(struct lfab_stage *stage, const struct lfab_fabric *fabric)
{
	const struct lfab_model *model = &fabric->model;

	stage->reroutes = fabric->born;
	stage->link = kvcalloc(model->links, sizeof(*stage->link), GFP_KERNEL_ACCOUNT);
	stage->port = kvcalloc(model->ports, sizeof(*stage->port), GFP_KERNEL_ACCOUNT);
	if (!stage->link || !stage->port)
		return -ENOMEM;
	for (; stage->links < model->links; stage->links++)
		stage->link[stage->links].to_switch = model->link[stage->links].to_switch;
	stage->ports = model->ports;
	return 0;
}

int lfab_stage_reroute(const struct net *net, u32 portid, const struct lfab_fabric *fabric,
		       struct netlink_ext_ack *extack)
{
	struct lfab_stage *stage = lfab_stage_new(net, portid, &fabric->config);
	int err;

	ASSERT_RTNL();
	if (!stage)
		return -ENOMEM;
	err = lfab_stage_take_fabric(stage, fabric);
	if (!err)
		return lfab_stage_open(stage, extack);
	lfab_stage_free(stage);
	return err;
}

/* --- requests with links, ports or paths --- */

/**
 * struct lfab_piece - a kind of element: links, ports or paths
 * @ready: check that the transaction takes such elements now
 * @take: parse one element and add it
 */
struct lfab_piece {
	int (*ready)(struct lfab_stage *stage, struct netlink_ext_ack *extack);
	int (*take)(struct lfab_stage *stage, const struct lfab_request *request,
		    const struct nlattr *nest);
};

/* Without paths, links and ports may still come. */
static void lfab_forget_paths(struct lfab_stage *stage)
{
	if (stage->paths)
		return;
	kvfree(stage->path_at);
	stage->path_at = NULL;
}

/* A refused request changes nothing. */
static int lfab_take_pieces(struct lfab_stage *stage, const struct lfab_request *request,
			    const struct nlattr *pieces, const struct lfab_piece *piece)
{
	const u32 links = stage->links, ports = stage->ports, used = stage->used;
	struct nlattr *nest;
	int rest, err;

	err = piece->ready(stage, request->extack);
	if (err)
		return err;
	nla_for_each_nested(nest, pieces, rest) {
		err = piece->take(stage, request, nest);
		if (err)
			break;
	}
	if (err) {
		lfab_drop_paths(stage, used);
		lfab_drop_ports(stage, ports);
		lfab_drop_links(stage, links);
	}
	lfab_forget_paths(stage);
	return err;
}

static int lfab_stage_pieces(const struct lfab_request *request, const struct nlattr *pieces,
			     const struct lfab_piece *piece)
{
	struct lfab_stage *stage = lfab_stage_get(request->net, request->portid, request->extack);
	int err;

	if (IS_ERR(stage))
		return PTR_ERR(stage);
	err = lfab_take_pieces(stage, request, pieces, piece);
	lfab_stage_put(stage, false);
	return err;
}

/* --- links and ports --- */

/* Room for one more element of @size bytes in @array. */
static int lfab_grow(void **array, u32 count, u32 *room, size_t size)
{
	u32 more = *room ? *room * 2 : 64;
	void *larger;

	if (count < *room)
		return 0;
	larger = kvcalloc(more, size, GFP_KERNEL_ACCOUNT);
	if (!larger)
		return -ENOMEM;
	if (count)
		memcpy(larger, *array, count * size);
	kvfree(*array);
	*array = larger;
	*room = more;
	return 0;
}

static int lfab_copy_text(char **text, const struct nlattr *attr)
{
	*text = NULL;
	if (!attr)
		return 0;
	*text = nla_strdup(attr, GFP_KERNEL_ACCOUNT);
	return *text ? 0 : -ENOMEM;
}

static int lfab_no_paths_yet(struct lfab_stage *stage, struct netlink_ext_ack *extack)
{
	if (stage->reroutes) {
		NL_SET_ERR_MSG(extack, "a fabric that exists keeps its links and ports");
		return -EINVAL;
	}
	if (!stage->path_at)
		return 0;
	NL_SET_ERR_MSG(extack, "links and ports must come before all paths");
	return -EINVAL;
}

static int lfab_stage_link(struct lfab_stage *stage, const struct lfab_request *request,
			   const struct nlattr *nest)
{
	struct netlink_ext_ack *extack = request->extack;
	struct nlattr *attrs[LIQUID_LAB_LINK_A_MAX + 1];
	struct lfab_new_link link = { .capacity = 1 };
	int err;

	err = nla_parse_nested(attrs, LIQUID_LAB_LINK_A_MAX, nest, lfab_link_policy, extack);
	if (err)
		return err;
	lfab_set_u32(&link.capacity, attrs[LIQUID_LAB_LINK_A_CAPACITY]);
	if (!link.capacity || link.capacity > LIQUID_LAB_LANES_MAX - stage->lanes) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "capacity out of range: use 1 or more, 262144 in all links");
		return -ERANGE;
	}
	if (stage->links == LIQUID_LAB_LINKS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "too many links: use 65536 at most");
		return -ENOSPC;
	}
	if (attrs[LIQUID_LAB_LINK_A_TO_SWITCH])
		link.to_switch = nla_get_u8(attrs[LIQUID_LAB_LINK_A_TO_SWITCH]);
	err = lfab_grow((void **)&stage->link, stage->links, &stage->link_room, sizeof(link));
	if (!err)
		err = lfab_copy_text(&link.label, attrs[LIQUID_LAB_LINK_A_LABEL]);
	if (err)
		return err;
	stage->lanes += link.capacity;
	stage->link[stage->links++] = link;
	return 0;
}

int lfab_stage_links(const struct lfab_request *request, const struct nlattr *links)
{
	static const struct lfab_piece piece = { lfab_no_paths_yet, lfab_stage_link };

	return lfab_stage_pieces(request, links, &piece);
}

static int lfab_port_ifname(struct lfab_new_port *port, const struct nlattr *nest,
			    const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	if (!attr) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "IFNAME is missing: name the port's interface");
		return -EINVAL;
	}
	if (!dev_valid_name(nla_data(attr)) || strchr(nla_data(attr), '%')) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "invalid interface name: "
				    "use 1 to 15 characters without / : % or space");
		return -EINVAL;
	}
	nla_strscpy(port->ifname, attr, sizeof(port->ifname));
	return 0;
}

static int lfab_port_net(struct lfab_new_port *port, const struct lfab_request *request,
			 const struct nlattr *attr)
{
	struct net *there = attr ? get_net_ns_by_fd(nla_get_u32(attr)) : get_net(request->net);

	if (IS_ERR(there)) {
		NL_SET_ERR_MSG_ATTR(request->extack, attr,
				    "no network namespace has this descriptor");
		return PTR_ERR(there);
	}
	port->net = there;
	return 0;
}

static int lfab_port_texts(struct lfab_new_port *port, struct nlattr **attrs)
{
	int err = lfab_copy_text(&port->host, attrs[LIQUID_LAB_PORT_A_HOST]);

	if (!err)
		err = lfab_copy_text(&port->netns, attrs[LIQUID_LAB_PORT_A_NETNS]);
	return err;
}

static int lfab_stage_port(struct lfab_stage *stage, const struct lfab_request *request,
			   const struct nlattr *nest)
{
	struct netlink_ext_ack *extack = request->extack;
	struct nlattr *attrs[LIQUID_LAB_PORT_A_MAX + 1];
	struct lfab_new_port port = {};
	int err;

	err = nla_parse_nested(attrs, LIQUID_LAB_PORT_A_MAX, nest, lfab_port_policy, extack);
	if (!err)
		err = lfab_port_ifname(&port, nest, attrs[LIQUID_LAB_PORT_A_IFNAME], extack);
	if (err)
		return err;
	if (stage->ports == LIQUID_LAB_PORTS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "too many ports: use 1024 at most");
		return -ENOSPC;
	}
	err = lfab_grow((void **)&stage->port, stage->ports, &stage->port_room, sizeof(port));
	if (!err)
		err = lfab_port_net(&port, request, attrs[LIQUID_LAB_PORT_A_NETNS_FD]);
	if (err)
		return err;
	err = lfab_port_texts(&port, attrs);
	stage->port[stage->ports++] = port;	/* on an error the caller drops it */
	return err;
}

int lfab_stage_ports(const struct lfab_request *request, const struct nlattr *ports)
{
	static const struct lfab_piece piece = { lfab_no_paths_yet, lfab_stage_port };

	return lfab_stage_pieces(request, ports, &piece);
}

/* --- paths --- */

static int lfab_pool_room(struct lfab_stage *stage, u32 more)
{
	u32 room = max(stage->used + more, stage->pool_room * 2);
	u32 *larger;

	if (stage->used + more <= stage->pool_room)
		return 0;
	larger = kvmalloc_array(room, sizeof(*larger), GFP_KERNEL_ACCOUNT);
	if (!larger)
		return -ENOMEM;
	if (stage->used)
		memcpy(larger, stage->pool, stage->used * sizeof(*larger));
	kvfree(stage->pool);
	stage->pool = larger;
	stage->pool_room = room;
	return 0;
}

static int lfab_check_path(const struct lfab_stage *stage, const u32 *link, u32 links,
			   const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	u32 i, j;

	for (i = 0; i < links; i++) {
		if (link[i] >= stage->links) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "the path has a link that does not exist");
			return -ERANGE;
		}
		for (j = 0; j < i; j++) {
			if (link[j] != link[i])
				continue;
			NL_SET_ERR_MSG_ATTR(extack, attr, "the path uses a link twice");
			return -EINVAL;
		}
		if (stage->link[link[i]].to_switch == (i == links - 1)) {
			NL_SET_ERR_MSG_ATTR(extack, attr,
					    "all links of a path but the last "
					    "must end at a switch");
			return -EINVAL;
		}
	}
	return 0;
}

static int lfab_check_ends(struct lfab_stage *stage, const struct nlattr *nest, u32 src, u32 dst,
			   u32 first, struct netlink_ext_ack *extack)
{
	if (src >= stage->ports || dst >= stage->ports || src == dst) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "SRC and DST must be two different ports");
		return -ERANGE;
	}
	if (stage->path_at[(size_t)src * stage->ports + dst]) {
		NL_SET_ERR_MSG_ATTR(extack, nest, "there is already a path between these ports");
		return -EEXIST;
	}
	if (stage->port[src].paths && stage->port[src].first != first) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "all paths of a port must begin with the same link");
		return -EINVAL;
	}
	return 0;
}

static int lfab_put_path(struct lfab_stage *stage, const struct nlattr *nest, u32 src, u32 dst,
			 const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	u32 links = nla_len(attr) / sizeof(u32), *at;
	int err;

	if (stage->used + LFAB_POOL_HEAD + links > LIQUID_LAB_PATH_LINKS_MAX) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "too many links in all paths: use 16777216 at most");
		return -ENOSPC;
	}
	err = lfab_pool_room(stage, LFAB_POOL_HEAD + links);
	if (err)
		return err;
	at = stage->pool + stage->used;
	at[LFAB_POOL_SRC] = src;
	at[LFAB_POOL_DST] = dst;
	at[LFAB_POOL_COUNT] = links;
	memcpy(at + LFAB_POOL_HEAD, nla_data(attr), links * sizeof(u32));
	stage->path_at[(size_t)src * stage->ports + dst] = stage->used + 1;
	stage->port[src].first = at[LFAB_POOL_HEAD];
	stage->port[src].paths++;
	stage->used += LFAB_POOL_HEAD + links;
	stage->paths++;
	return 0;
}

static int lfab_stage_path(struct lfab_stage *stage, const struct lfab_request *request,
			   const struct nlattr *nest)
{
	struct netlink_ext_ack *extack = request->extack;
	struct nlattr *attrs[LIQUID_LAB_PATH_A_MAX + 1], *attr;
	u32 src, dst, links;
	int err;

	err = nla_parse_nested(attrs, LIQUID_LAB_PATH_A_MAX, nest, lfab_path_policy, extack);
	if (err)
		return err;
	attr = attrs[LIQUID_LAB_PATH_A_LINKS];
	if (!attrs[LIQUID_LAB_PATH_A_SRC] || !attrs[LIQUID_LAB_PATH_A_DST] || !attr) {
		NL_SET_ERR_MSG_ATTR(extack, nest,
				    "SRC, DST or LINKS is missing: a path needs all three");
		return -EINVAL;
	}
	links = nla_len(attr) / sizeof(u32);
	if (!links || links > LIQUID_LAB_PATH_MAX || nla_len(attr) % sizeof(u32)) {
		NL_SET_ERR_MSG_ATTR(extack, attr,
				    "length of the path out of range: use 1 to 64 links");
		return -ERANGE;
	}
	src = nla_get_u32(attrs[LIQUID_LAB_PATH_A_SRC]);
	dst = nla_get_u32(attrs[LIQUID_LAB_PATH_A_DST]);
	err = lfab_check_path(stage, nla_data(attr), links, attr, extack);
	if (!err)
		err = lfab_check_ends(stage, nest, src, dst, *(u32 *)nla_data(attr), extack);
	return err ?: lfab_put_path(stage, nest, src, dst, attr, extack);
}

static int lfab_begin_paths(struct lfab_stage *stage, struct netlink_ext_ack *extack)
{
	if (!stage->path_at)
		stage->path_at = kvcalloc(max_t(size_t, 1, (size_t)stage->ports * stage->ports),
					  sizeof(*stage->path_at), GFP_KERNEL_ACCOUNT);
	return stage->path_at ? 0 : -ENOMEM;
}

int lfab_stage_paths(const struct lfab_request *request, const struct nlattr *paths)
{
	static const struct lfab_piece piece = { lfab_begin_paths, lfab_stage_path };

	return lfab_stage_pieces(request, paths, &piece);
}

/* --- commit --- */

static int lfab_check_names(const struct lfab_stage *stage, struct netlink_ext_ack *extack)
{
	u32 i;

	for (i = 0; i < stage->ports; i++) {
		if (!__dev_get_by_name(stage->port[i].net, stage->port[i].ifname))
			continue;
		NL_SET_ERR_MSG(extack,
			       "a port's interface name is in use in its namespace: use another");
		return -EEXIST;
	}
	return 0;
}

static int lfab_check_size(const struct lfab_stage *stage, struct netlink_ext_ack *extack)
{
	if (stage->ports >= LIQUID_LAB_PORTS_MIN && stage->paths)
		return 0;
	NL_SET_ERR_MSG(extack, "a fabric needs at least two ports and a path");
	return -EINVAL;
}

static int lfab_commit_new(struct lfab_stage *stage, struct net *net,
			   struct netlink_ext_ack *extack)
{
	struct lfab_fabric *fabric;
	int err;

	if (lfab_fabric_find(net, stage->config.name)) {
		NL_SET_ERR_MSG(extack,
			       "the name is in use by a fabric: "
			       "use another, or remove that one first");
		return -EEXIST;
	}
	err = lfab_check_names(stage, extack);
	if (err)
		return err;
	fabric = lfab_fabric_make(net, stage, extack);
	if (IS_ERR(fabric))
		return PTR_ERR(fabric);
	lfab_fabric_list(net, fabric);
	return 0;
}

/* Another fabric of the same name may have other links. */
static int lfab_commit_paths(struct lfab_stage *stage, const struct net *net,
			     struct netlink_ext_ack *extack)
{
	struct lfab_fabric *fabric = lfab_fabric_find(net, stage->config.name);

	if (!fabric || fabric->born != stage->reroutes) {
		NL_SET_ERR_MSG(extack, "the fabric was removed since the transaction began");
		return -ENOENT;
	}
	lfab_fabric_reroute(fabric, stage);
	return 0;
}

int lfab_stage_commit(struct net *net, u32 portid, struct netlink_ext_ack *extack)
{
	struct lfab_stage *stage = lfab_stage_get(net, portid, extack);
	int err;

	ASSERT_RTNL();
	if (IS_ERR(stage))
		return PTR_ERR(stage);
	err = lfab_check_size(stage, extack);
	if (!err && stage->reroutes)
		err = lfab_commit_paths(stage, net, extack);
	else if (!err)
		err = lfab_commit_new(stage, net, extack);
	lfab_stage_put(stage, !err);
	return err;
}
