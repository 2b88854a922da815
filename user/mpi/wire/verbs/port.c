// SPDX-License-Identifier: LGPL-2.1-or-later
/* Chooses a device, its port, GID and partition key, and makes its completion queues. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire/verbs/pipe.h"

#define CREDITS_MAX	4096
#define WRITE_MAX	(4u << 20)
#define ACK_UNIT_NS	4096
#define DEFAULT_PKEY	0xffff

/* ---- GIDs and partition keys ---- */

/* RoCE version 2 before 1, which is not routed; IPv4 first, which all ranks are likely to have. */
static int gid_worth(const struct ibv_gid_entry *entry)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	if (entry->gid_type != IBV_GID_TYPE_ROCE_V2)
		return 1;
	if (!memcmp(entry->gid.raw, mapped, sizeof(mapped)))
		return 4;
	return entry->gid.raw[0] == 0xfe && (entry->gid.raw[1] & 0xc0) == 0x80 ? 2 : 3;
}

static bool choose_gid(struct port *port, int length)
{
	struct ibv_gid_entry entry;
	int best = 0;

	for (int i = 0; i < length && i < 256; i++)
		if (!ibv_query_gid_ex(port->context, port->number, (uint32_t)i, &entry, 0) &&
		    gid_worth(&entry) > best) {
			best = gid_worth(&entry);
			port->gid = entry.gid;
			port->gid_index = (uint8_t)i;
		}
	return best;
}

static bool find_gid(struct port *port, const struct environment *env, int length)
{
	if (env->gid < 0 && port->ethernet)
		return choose_gid(port, length);
	port->gid_index = (uint8_t)(env->gid > 0 ? env->gid : 0);
	return env->gid < 256 &&
	       !ibv_query_gid(port->context, port->number, port->gid_index, &port->gid);
}

/* Keys are the same in a partition except for the highest bit, which marks full members. */
static bool find_pkey(struct port *port, uint16_t wanted, int length)
{
	__be16 pkey;

	for (int i = 0; i < length; i++)
		if (!ibv_query_pkey(port->context, port->number, i, &pkey) &&
		    !((ntohs(pkey) ^ wanted) & 0x7fff)) {
			port->pkey_index = (uint16_t)i;
			return true;
		}
	return wanted == DEFAULT_PKEY;
}

/* ---- the port ---- */

/* Each try of a write takes that long or up to four times that; all take as long as tokens may. */
static uint8_t ack_timeout(int64_t timeout_ns)
{
	uint8_t exponent = 1;

	while (exponent < 31 && (int64_t)ACK_UNIT_NS << exponent < timeout_ns / ACK_TRIES)
		exponent++;
	return exponent;
}

static void port_parse(struct port *port, const struct environment *env, uint8_t number,
		       const struct ibv_port_attr *attr)
{
	port->number = number;
	port->ethernet = attr->link_layer == IBV_LINK_LAYER_ETHERNET;
	port->global = port->ethernet || env->gid >= 0 ||
		       (attr->flags & IBV_QPF_GRH_REQUIRED);
	port->sl = env->sl;
	port->lid = attr->lid;
	port->mtu = attr->active_mtu;
	port->write_max = attr->max_msg_sz < WRITE_MAX ? attr->max_msg_sz : WRITE_MAX;
	port->ack_timeout = ack_timeout(env->timeout_ns);
	snprintf(port->name, sizeof(port->name), "%s:%u",
		 ibv_get_device_name(port->context->device), number);
}

/* Returns false if no port of the open device is active; *attr and port->number describe it. */
static bool find_port(struct port *port, const struct environment *env, struct ibv_port_attr *attr)
{
	struct ibv_device_attr device;

	if (ibv_query_device(port->context, &device))
		return false;
	for (int i = 1; i <= device.phys_port_cnt; i++)
		if ((!env->port || env->port == i) &&
		    !ibv_query_port(port->context, (uint8_t)i, attr) &&
		    attr->state == IBV_PORT_ACTIVE) {
			port_parse(port, env, (uint8_t)i, attr);
			return true;
		}
	return false;
}

/* By its name, or by its GUID of 16 digits */
static bool is_wanted(const struct environment *env, struct ibv_device *device)
{
	char guid[17];

	if (!env->device || !strcmp(env->device, ibv_get_device_name(device)))
		return true;
	snprintf(guid, sizeof(guid), "%016llx",
		 (unsigned long long)be64toh(ibv_get_device_guid(device)));
	return !strcmp(env->device, guid);
}

static int no_port(const struct environment *env, bool seen, struct liquid_error *err)
{
	if (env->device && !seen)
		return liquid_fail(err, LIQUID_IO, "device %s: no such device",
				   env->device);
	if (env->device && env->port)
		return liquid_fail(err, LIQUID_IO, "device %s: port %u is not active", env->device,
				   env->port);
	return liquid_fail(err, LIQUID_IO, "%s%s: no port is active",
			   env->device ? "device " : "RDMA devices",
			   env->device ? env->device : "");
}

static int open_first(struct port *port, const struct environment *env, struct ibv_port_attr *attr,
		      struct liquid_error *err)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	bool seen = false;

	for (int i = 0; list && list[i]; i++) {
		if (!is_wanted(env, list[i]))
			continue;
		seen = true;
		port->context = ibv_open_device(list[i]);
		if (port->context && find_port(port, env, attr))
			break;
		if (port->context)
			ibv_close_device(port->context);
		port->context = NULL;
	}
	if (list)
		ibv_free_device_list(list);
	return port->context ? LIQUID_OK : no_port(env, seen, err);
}

/* Receives have a place each, because they complete whenever others want; writes can wait. */
static int make_queues(struct port *port, uint32_t writes, uint32_t receives,
		       struct liquid_error *err)
{
	struct ibv_device_attr device;
	uint32_t entries;

	port->credits = writes < CREDITS_MAX ? writes + 1 : CREDITS_MAX;
	if (!ibv_query_device(port->context, &device) && receives < (uint32_t)device.max_cqe &&
	    port->credits > (uint32_t)device.max_cqe - receives)
		port->credits = (uint32_t)device.max_cqe - receives;
	entries = port->credits + receives;
	port->pd = ibv_alloc_pd(port->context);
	if (port->pd)
		port->cq = ibv_create_cq(port->context, (int)entries, NULL, NULL, 0);
	return port->cq ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "device %s: no completion queue of %u entries: %s",
			   port->name, entries, strerror(errno));
}

static int address_port(struct port *port, const struct environment *env,
			const struct ibv_port_attr *attr, struct liquid_error *err)
{
	if (!find_gid(port, env, attr->gid_tbl_len))
		return liquid_fail(err, LIQUID_IO, "device %s: no GID%s", port->name,
				   env->gid >= 0 ? " of that index" : "");
	return find_pkey(port, env->pkey, attr->pkey_tbl_len) ? LIQUID_OK :
	       liquid_fail(err, LIQUID_IO, "device %s: partition key 0x%04x is not in its table",
			   port->name, env->pkey);
}

int port_open(struct port *port, const struct environment *env, uint32_t writes,
	      uint32_t receives, struct liquid_error *err)
{
	struct ibv_port_attr attr;
	int status = open_first(port, env, &attr, err);

	if (!status)
		status = address_port(port, env, &attr, err);
	if (!status)
		status = make_queues(port, writes, receives, err);
	return status;
}

static void free_writes(struct write *write)
{
	struct write *next;

	for (; write; write = next) {
		next = write->next;
		free(write);
	}
}

void port_close(struct port *port)
{
	free_writes(port->ready);
	free_writes(port->spare);
	if (port->cq)
		ibv_destroy_cq(port->cq);
	if (port->pd)
		ibv_dealloc_pd(port->pd);
	if (port->context)
		ibv_close_device(port->context);
}
