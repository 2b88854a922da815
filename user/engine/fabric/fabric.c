// SPDX-License-Identifier: LGPL-2.1-or-later
/* The fabric: hosts, switches, unidirectional links, and a forwarding table per switch. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "fabric/fabric.h"

#define FABRIC_SWITCH_BIT (1u << 30)

/* ---- names ---- */

int fabric_check_name(const char *what, const char *name, struct liquid_error *err)
{
	size_t length = strlen(name);

	if (!length)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: empty name", what);
	if (length > LIQUID_NAME_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: name longer than %d bytes: %.32s...",
				   what, LIQUID_NAME_MAX, name);
	for (size_t i = 0; i < length; i++)
		if (!name_char((unsigned char)name[i]))
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "%s: name has a byte 0x%02x at position %zu; a name is "
					   "printable ASCII without space # , [ ] \" ' \\",
					   what, (unsigned char)name[i], i + 1);
	return LIQUID_OK;
}

/* ---- hash tables ---- */

static uint32_t hash_bytes(const struct fabric_hash *hash, const void *data, size_t size)
{
	return (uint32_t)siphash(&hash->key, data, size);
}

struct port_key {
	uint32_t node, port, far;
};

static struct port_key port_key_of(const struct liquid_fabric *fabric, uint32_t value)
{
	const struct liquid_link *link = &fabric->link[value >> 1];

	if (value & 1)
		return (struct port_key){ link->to, link->to_port, 1 };
	return (struct port_key){ link->from, link->from_port, 0 };
}

static const char *name_of(const struct liquid_fabric *fabric, uint32_t value)
{
	if (value & FABRIC_SWITCH_BIT)
		return fabric->sw[value & ~FABRIC_SWITCH_BIT].name;
	return fabric->host[value].name;
}

static uint32_t hash_of(const struct liquid_fabric *fabric, const struct fabric_hash *hash,
			uint32_t value)
{
	const char *name;
	struct port_key key;

	if (hash == &fabric->names) {
		name = name_of(fabric, value);
		return hash_bytes(hash, name, strlen(name));
	}
	key = port_key_of(fabric, value);
	return hash_bytes(hash, &key, sizeof(key));
}

static void hash_insert(struct fabric_hash *hash, uint32_t hashed, uint32_t value)
{
	uint32_t i = hashed & (hash->size - 1);

	while (hash->slot[i])
		i = (i + 1) & (hash->size - 1);
	hash->slot[i] = value + 1;
	hash->used++;
}

/* Make room for @more entries; the table is unchanged if memory is short. */
static bool hash_reserve(const struct liquid_fabric *fabric, struct fabric_hash *hash,
			 uint32_t more)
{
	struct fabric_hash larger = { hash->key, .size = hash->size ? 2 * hash->size : 64 };

	if (2 * (hash->used + more) <= hash->size)
		return true;
	larger.slot = calloc(larger.size, sizeof(*larger.slot));
	if (!larger.slot)
		return false;
	for (uint32_t i = 0; i < hash->size; i++)
		if (hash->slot[i])
			hash_insert(&larger, hash_of(fabric, hash, hash->slot[i] - 1),
				   hash->slot[i] - 1);
	free(hash->slot);
	*hash = larger;
	return true;
}

static uint32_t find_name(const struct liquid_fabric *fabric, const char *name)
{
	const struct fabric_hash *hash = &fabric->names;
	uint32_t i;

	if (!hash->size)
		return LIQUID_NONE;
	i = hash_bytes(hash, name, strlen(name)) & (hash->size - 1);
	for (; hash->slot[i]; i = (i + 1) & (hash->size - 1))
		if (!strcmp(name_of(fabric, hash->slot[i] - 1), name))
			return hash->slot[i] - 1;
	return LIQUID_NONE;
}

static uint32_t find_port(const struct liquid_fabric *fabric, struct port_key key)
{
	const struct fabric_hash *hash = &fabric->ports;
	uint32_t i;

	if (!hash->size)
		return LIQUID_NONE;
	i = hash_bytes(hash, &key, sizeof(key)) & (hash->size - 1);
	for (; hash->slot[i]; i = (i + 1) & (hash->size - 1)) {
		struct port_key other = port_key_of(fabric, hash->slot[i] - 1);

		if (!memcmp(&other, &key, sizeof(key)))
			return (hash->slot[i] - 1) >> 1;
	}
	return LIQUID_NONE;
}

/* Make room for one more element of @size bytes in @array, which has @count; it doubles. */
static bool grow(void **array, uint32_t count, size_t size)
{
	void *larger;

	if (count && (count < 16 || (count & (count - 1))))
		return true;
	larger = realloc(*array, (count ? 2 * (size_t)count : 16) * size);
	if (!larger)
		return false;
	*array = larger;
	return true;
}

/* ---- building ---- */

int liquid_fabric_new(const char *name, struct liquid_fabric **fabric, struct liquid_error *err)
{
	struct liquid_fabric *new;
	int status;

	*fabric = NULL;
	status = fabric_check_name("fabric", name, err);
	if (status)
		return status;
	new = calloc(1, sizeof(*new));
	if (!new)
		return liquid_no_memory(err);
	if (!siphash_draw_key(&new->names.key) || !siphash_draw_key(&new->ports.key)) {
		free(new);
		return liquid_fail(err, LIQUID_IO, "no random numbers: %s", strerror(errno));
	}
	new->version = 2;
	new->threads = 1;
	new->name = strdup(name);
	new->digest = calloc(1, sizeof(*new->digest));
	if (!new->name || !new->digest) {
		free(new->name);
		free(new->digest);
		free(new);
		return liquid_no_memory(err);
	}
	*fabric = new;
	return LIQUID_OK;
}

void liquid_fabric_free(struct liquid_fabric *fabric)
{
	if (!fabric)
		return;
	for (uint32_t h = 0; h < fabric->hosts; h++) {
		free(fabric->host[h].name);
		free(fabric->host[h].endpoint);
	}
	for (uint32_t s = 0; s < fabric->switches; s++) {
		free(fabric->sw[s].name);
		free(fabric->sw[s].forward);
		free(fabric->sw[s].out);
	}
	free(fabric->host);
	free(fabric->sw);
	free(fabric->link);
	free(fabric->place);
	free(fabric->names.slot);
	free(fabric->ports.slot);
	free(fabric->import.rail);
	free(fabric->import.domain);
	liquid_names_clear(&fabric->import.node_names);
	liquid_names_clear(&fabric->import.left_out);
	liquid_names_clear(&fabric->notes);
	free(fabric->name);
	free(fabric->digest);
	free(fabric);
}

static int check_new_node(const struct liquid_fabric *fabric, const char *what, const char *name,
			  uint32_t count, uint32_t max, struct liquid_error *err)
{
	int status = fabric_check_name(what, name, err);
	uint32_t other;

	if (status)
		return status;
	if (fabric->phase != FABRIC_NODES)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s %s comes after the first link",
				   what, name);
	if (count >= max)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s %s: there are already %u, the maximum", what, name, count);
	other = find_name(fabric, name);
	if (other != LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s %s: a %s already has this name", what,
				   name, other & FABRIC_SWITCH_BIT ? "switch" : "host");
	return LIQUID_OK;
}

int fabric_add_destination(struct liquid_fabric *fabric, const char *what, const char *name,
			   struct liquid_error *err)
{
	uint32_t h = fabric->hosts;
	char *copy;
	int status = check_new_node(fabric, what, name, h, FABRIC_HOSTS_MAX, err);

	if (status)
		return status;
	if (!grow((void **)&fabric->host, h, sizeof(*fabric->host)) ||
	    !hash_reserve(fabric, &fabric->names, 1))
		return liquid_no_memory(err);
	copy = strdup(name);
	if (!copy)
		return liquid_no_memory(err);
	fabric->host[h] = (struct fabric_host){ copy, LIQUID_NONE, LIQUID_NONE, h, 0, NULL };
	fabric->hosts++;
	hash_insert(&fabric->names, hash_of(fabric, &fabric->names, h), h);
	return LIQUID_OK;
}

int liquid_fabric_add_host(struct liquid_fabric *fabric, const char *name, struct liquid_error *err)
{
	if (fabric->aliases)
		return liquid_fail(err, LIQUID_BAD_INPUT, "host %.*s comes after an alias",
				   LIQUID_NAME_MAX, name);
	return fabric_add_destination(fabric, "host", name, err);
}

int liquid_fabric_add_switch(struct liquid_fabric *fabric, const char *name,
			     struct liquid_error *err)
{
	uint32_t s = fabric->switches;
	char *copy;
	int status = check_new_node(fabric, "switch", name, s, FABRIC_SWITCHES_MAX, err);

	if (status)
		return status;
	if (!grow((void **)&fabric->sw, s, sizeof(*fabric->sw)) ||
	    !hash_reserve(fabric, &fabric->names, 1))
		return liquid_no_memory(err);
	copy = strdup(name);
	if (!copy)
		return liquid_no_memory(err);
	fabric->sw[s] = (struct fabric_switch){ .name = copy };
	fabric->switches++;
	s |= FABRIC_SWITCH_BIT;
	hash_insert(&fabric->names, hash_of(fabric, &fabric->names, s), s);
	return LIQUID_OK;
}

static int check_port(const struct liquid_fabric *fabric, uint32_t node, uint32_t port,
		      uint32_t far, struct liquid_error *err)
{
	const char *name = liquid_fabric_node_name(fabric, node);
	const char *way = far ? "in" : "out";
	const struct fabric_host *host;

	if (port > FABRIC_PORT_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%s: port %u is larger than %u", name, port,
				   FABRIC_PORT_MAX);
	if (node < fabric->hosts) {
		host = &fabric->host[node];
		if (host->owner != node)
			return liquid_fail(err, LIQUID_BAD_INPUT, "alias %s has no link of its "
					   "own: it is an address of host %s", name,
					   fabric->host[host->owner].name);
		if ((far ? host->in : host->out) != LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT,
					   "host %s already has a link %s; a host has one", name,
					   way);
	}
	if (port && find_port(fabric, (struct port_key){ node, port, far }) != LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s: port %u already has a link %s", name,
				   port, way);
	return LIQUID_OK;
}

static int check_link(const struct liquid_fabric *fabric, const struct liquid_link *link,
		      struct liquid_error *err)
{
	uint32_t nodes = fabric->hosts + fabric->switches;
	int status;

	if (fabric->phase == FABRIC_FINISHED)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the fabric is finished");
	if (fabric->links >= FABRIC_LINKS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "more than %u links", FABRIC_LINKS_MAX);
	if (link->from >= nodes || link->to >= nodes)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "link from node %u to node %u: there are %u nodes",
				   link->from, link->to, nodes);
	if (link->from == link->to)
		return liquid_fail(err, LIQUID_BAD_INPUT, "link from %s to itself",
				   liquid_fabric_node_name(fabric, link->from));
	if (!link->capacity || link->capacity > FABRIC_CAPACITY_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "link from %s to %s: capacity %u is not 1 ... %u",
				   liquid_fabric_node_name(fabric, link->from),
				   liquid_fabric_node_name(fabric, link->to), link->capacity,
				   FABRIC_CAPACITY_MAX);
	status = check_port(fabric, link->from, link->from_port, 0, err);
	return status ? status : check_port(fabric, link->to, link->to_port, 1, err);
}

int liquid_fabric_add_link(struct liquid_fabric *fabric, const struct liquid_link *link,
			   struct liquid_error *err)
{
	uint32_t l = fabric->links;
	int status = check_link(fabric, link, err);

	if (status)
		return status;
	struct fabric_switch *from = link->from < fabric->hosts ? NULL :
				     &fabric->sw[link->from - fabric->hosts];

	if (!grow((void **)&fabric->link, l, sizeof(*fabric->link)) ||
	    !grow((void **)&fabric->place, l, sizeof(*fabric->place)) ||
	    (from && !grow((void **)&from->out, from->outs, sizeof(*from->out))) ||
	    !hash_reserve(fabric, &fabric->ports, 2))
		return liquid_no_memory(err);
	fabric->link[l] = *link;
	fabric->place[l] = from ? from->outs : LIQUID_NONE;
	if (from)
		from->out[from->outs++] = l;
	for (uint32_t end = 2 * l; end <= 2 * l + 1; end++)
		if (port_key_of(fabric, end).port)
			hash_insert(&fabric->ports, hash_of(fabric, &fabric->ports, end), end);
	if (link->from < fabric->hosts)
		fabric->host[link->from].out = l;
	if (link->to < fabric->hosts)
		fabric->host[link->to].in = l;
	fabric->phase = FABRIC_LINKS;
	fabric->links++;
	return LIQUID_OK;
}

int fabric_add_cable(struct liquid_fabric *fabric, uint32_t a, uint32_t a_port, uint32_t b,
		     uint32_t b_port, uint32_t capacity, struct liquid_error *err)
{
	struct liquid_link there = { a, b, a_port, b_port, capacity };
	struct liquid_link back = { b, a, b_port, a_port, capacity };
	int status = liquid_fabric_add_link(fabric, &there, err);

	return status ? status : liquid_fabric_add_link(fabric, &back, err);
}

/* ---- checking the finished fabric ---- */

int liquid_fabric_finish(struct liquid_fabric *fabric, struct liquid_error *err)
{
	int status;

	if (!fabric->hosts)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the fabric has no host");
	for (uint32_t h = 0; h < fabric->hosts - fabric->aliases; h++)
		if (fabric->host[h].in == LIQUID_NONE && fabric->host[h].out == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT, "host %s has no link",
					   fabric->host[h].name);
	if ((uint64_t)fabric->hosts * fabric->switches > FABRIC_TABLES_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%u hosts and %u switches: too large",
				   fabric->hosts, fabric->switches);
	status = fabric_check_aliases(fabric, err);
	if (!status)
		status = fabric_check_routes(fabric, err);
	if (!status)
		fabric->phase = FABRIC_FINISHED;
	return status;
}

/* ---- reading ---- */

const char *liquid_fabric_name(const struct liquid_fabric *fabric)
{
	return fabric->name;
}

uint32_t liquid_fabric_host_count(const struct liquid_fabric *fabric)
{
	return fabric->hosts;
}

uint32_t liquid_fabric_switch_count(const struct liquid_fabric *fabric)
{
	return fabric->switches;
}

uint32_t liquid_fabric_link_count(const struct liquid_fabric *fabric)
{
	return fabric->links;
}

const char *liquid_fabric_node_name(const struct liquid_fabric *fabric, uint32_t node)
{
	if (node < fabric->hosts)
		return fabric->host[node].name;
	if (node - fabric->hosts < fabric->switches)
		return fabric->sw[node - fabric->hosts].name;
	return NULL;
}

const struct liquid_link *liquid_fabric_link(const struct liquid_fabric *fabric, uint32_t link)
{
	return link < fabric->links ? &fabric->link[link] : NULL;
}

uint32_t liquid_fabric_capacity(const struct liquid_fabric *fabric, uint32_t link)
{
	const struct liquid_link *l = liquid_fabric_link(fabric, link);

	if (!l)
		return 0;
	if (fabric->version < 2 && (l->from < fabric->hosts || l->to < fabric->hosts))
		return 1;
	return l->capacity;
}

uint32_t liquid_fabric_host_capacity(const struct liquid_fabric *fabric, uint32_t host)
{
	return liquid_fabric_capacity(fabric, liquid_fabric_host_out(fabric, host));
}

const char *liquid_fabric_link_name(const struct liquid_fabric *fabric, uint32_t link, char *text,
				    size_t size)
{
	const struct liquid_link *l = liquid_fabric_link(fabric, link);
	char from[16] = "", to[16] = "";

	if (!l) {
		snprintf(text, size, "(no link)");
		return text;
	}
	if (l->from_port)
		snprintf(from, sizeof(from), "[%u]", l->from_port);
	if (l->to_port)
		snprintf(to, sizeof(to), "[%u]", l->to_port);
	snprintf(text, size, "%s%s>%s%s", liquid_fabric_node_name(fabric, l->from), from,
		 liquid_fabric_node_name(fabric, l->to), to);
	return text;
}

uint32_t fabric_find_node(const struct liquid_fabric *fabric, const char *name)
{
	uint32_t found = find_name(fabric, name);

	if (found == LIQUID_NONE || !(found & FABRIC_SWITCH_BIT))
		return found;
	return fabric->hosts + (found & ~FABRIC_SWITCH_BIT);
}

uint32_t fabric_find_link(const struct liquid_fabric *fabric, uint32_t node, uint32_t port)
{
	const struct fabric_switch *sw = node < fabric->hosts ? NULL :
					 &fabric->sw[node - fabric->hosts];

	/* most fabrics are built port by port */
	if (sw && port - 1 < sw->outs && fabric->link[sw->out[port - 1]].from_port == port)
		return sw->out[port - 1];
	return find_port(fabric, (struct port_key){ node, port, 0 });
}

uint32_t liquid_fabric_find_host(const struct liquid_fabric *fabric, const char *name)
{
	uint32_t node = fabric_find_node(fabric, name);

	return node < fabric->hosts ? node : LIQUID_NONE;
}

static const char *host_name(const void *fabric, uint32_t host)
{
	return ((const struct liquid_fabric *)fabric)->host[host].name;
}

const char *liquid_fabric_near_host(const struct liquid_fabric *fabric, const char *name,
				    char text[LIQUID_NEAR_TEXT])
{
	return liquid_near_names(name, host_name, fabric, fabric->hosts, text, LIQUID_NEAR_TEXT);
}

uint32_t liquid_fabric_host_out(const struct liquid_fabric *fabric, uint32_t host)
{
	return host < fabric->hosts ? fabric->host[host].out : LIQUID_NONE;
}

uint32_t liquid_fabric_host_in(const struct liquid_fabric *fabric, uint32_t host)
{
	return host < fabric->hosts ? fabric->host[fabric->host[host].owner].in : LIQUID_NONE;
}

static int check_pair(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
		      struct liquid_error *err)
{
	if (src >= fabric->hosts || dst >= fabric->hosts)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "no route from host %u to host %u: there are %u",
				   src, dst, fabric->hosts);
	if (fabric->host[src].owner != src)
		return liquid_fail(err, LIQUID_BAD_INPUT, "alias %s sends nothing: host %s does",
				   fabric->host[src].name,
				   fabric->host[fabric->host[src].owner].name);
	if (src == fabric->host[dst].owner)
		return liquid_fail(err, LIQUID_BAD_INPUT, "host %s does not send to itself",
				   fabric->host[src].name);
	if (fabric->host[src].out == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "no route from %s to %s: %s has no outgoing link",
				   fabric->host[src].name, fabric->host[dst].name,
				   fabric->host[src].name);
	return LIQUID_OK;
}

static int route_ends(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst, uint32_t node,
		      struct liquid_error *err)
{
	const char *from = fabric->host[src].name, *to = fabric->host[dst].name;

	if (liquid_fabric_host_in(fabric, dst) == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "no route from %s to %s: %s has no incoming link",
				   from, to, to);
	return liquid_fail(err, LIQUID_BAD_INPUT,
			   "no route from %s to %s: it ends at %s %s%s", from, to,
			   node < fabric->hosts ? "host" : "switch",
			   liquid_fabric_node_name(fabric, node), fabric->forwards ? "" :
			   "; the fabric has no tables: `liquid route FABRIC -o NEW` makes them");
}

int liquid_fabric_route(const struct liquid_fabric *fabric, uint32_t src, uint32_t dst,
			uint32_t path[LIQUID_PATH_MAX], struct liquid_error *err)
{
	int length = 0, status = check_pair(fabric, src, dst, err);
	uint32_t link, node;

	if (status)
		return status;
	link = fabric->host[src].out;
	while (length < LIQUID_PATH_MAX) {
		path[length++] = link;
		node = fabric->link[link].to;
		if (node == fabric->host[dst].owner)
			return length;
		/* The difference wraps to an invalid switch number if @node is a host */
		link = liquid_fabric_forward(fabric, node - fabric->hosts, dst);
		if (link == LIQUID_NONE)
			return route_ends(fabric, src, dst, node, err);
	}
	return liquid_fail(err, LIQUID_BAD_INPUT, "the route from %s to %s is a loop",
			   fabric->host[src].name, fabric->host[dst].name);
}
