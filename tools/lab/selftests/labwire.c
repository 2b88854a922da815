// SPDX-License-Identifier: GPL-2.0-only
/*
 * labwire: speaks liquid_lab's netlink as a text, so that tests can say exactly what is on the wire
 *
 *	labwire		runs lines of stdin on one socket, as test results
 *	labwire as UID	the same without privileges
 *	labwire among N	the same, while N other sockets have a transaction open
 *
 * A line is "NAME | COMMAND TREE | ERRNO [| TEXT]", as of wire script. A TREE is a list of
 * NAME=VALUE, NAME*N=VALUE (so many of it), and NAME{ TREE }; @TYPE=HEX is any attribute.
 */
#include <ctype.h>
#include <grp.h>
#include <linux/liquid_lab.h>
#include <stdio.h>
#include <stdlib.h>

#include "nl.h"

enum kind { TEXT, U8, U32, U64, ARRAY, NEST };

struct field {
	const char *name;
	uint16_t type;
	enum kind kind;
	const struct field *inner;
};

static const struct field link_fields[] = {
	{ "capacity", LIQUID_LAB_LINK_A_CAPACITY, U32, NULL },
	{ "to_switch", LIQUID_LAB_LINK_A_TO_SWITCH, U8, NULL },
	{ "label", LIQUID_LAB_LINK_A_LABEL, TEXT, NULL },
	{ "bytes", LIQUID_LAB_LINK_A_BYTES, U64, NULL },
	{ "id", LIQUID_LAB_LINK_A_ID, U32, NULL },
	{ "down", LIQUID_LAB_LINK_A_DOWN, U8, NULL },
	{ 0 }
};

static const struct field port_fields[] = {
	{ "ifname", LIQUID_LAB_PORT_A_IFNAME, TEXT, NULL },
	{ "netns_fd", LIQUID_LAB_PORT_A_NETNS_FD, U32, NULL },
	{ "host", LIQUID_LAB_PORT_A_HOST, TEXT, NULL },
	{ "netns", LIQUID_LAB_PORT_A_NETNS, TEXT, NULL },
	{ "worms", LIQUID_LAB_PORT_A_WORMS, U64, NULL },
	{ 0 }
};

static const struct field path_fields[] = {
	{ "src", LIQUID_LAB_PATH_A_SRC, U32, NULL },
	{ "dst", LIQUID_LAB_PATH_A_DST, U32, NULL },
	{ "links", LIQUID_LAB_PATH_A_LINKS, ARRAY, NULL },
	{ 0 }
};

static const struct field links_fields[] = {
	{ "link", LIQUID_LAB_A_LINK, NEST, link_fields }, { 0 }
};

static const struct field ports_fields[] = {
	{ "port", LIQUID_LAB_A_PORT, NEST, port_fields }, { 0 }
};

static const struct field paths_fields[] = {
	{ "path", LIQUID_LAB_A_PATH, NEST, path_fields }, { 0 }
};

static const struct field top_fields[] = {
	{ "name", LIQUID_LAB_A_NAME, TEXT, NULL },
	{ "switching", LIQUID_LAB_A_SWITCHING, U32, NULL },
	{ "rate_bps", LIQUID_LAB_A_RATE_BPS, U64, NULL },
	{ "overhead", LIQUID_LAB_A_OVERHEAD, U32, NULL },
	{ "hop_ns", LIQUID_LAB_A_HOP_NS, U32, NULL },
	{ "worm_bytes", LIQUID_LAB_A_WORM_BYTES, U32, NULL },
	{ "buffer_bytes", LIQUID_LAB_A_BUFFER_BYTES, U32, NULL },
	{ "ring", LIQUID_LAB_A_RING, U32, NULL },
	{ "queues", LIQUID_LAB_A_QUEUES, U32, NULL },
	{ "unrouted", LIQUID_LAB_A_UNROUTED, U32, NULL },
	{ "mtu", LIQUID_LAB_A_MTU, U32, NULL },
	{ "switch_queues", LIQUID_LAB_A_SWITCH_QUEUES, U32, NULL },
	{ "deadlocks", LIQUID_LAB_A_DEADLOCKS, U64, NULL },
	{ "links", LIQUID_LAB_A_LINKS, NEST, links_fields },
	{ "ports", LIQUID_LAB_A_PORTS, NEST, ports_fields },
	{ "paths", LIQUID_LAB_A_PATHS, NEST, paths_fields },
	{ 0 }
};

static const struct {
	const char *name;
	uint8_t cmd;
	uint16_t flags;
} commands[] = {
	{ "begin", LIQUID_LAB_CMD_BEGIN, 0 },
	{ "links", LIQUID_LAB_CMD_LINKS, 0 },
	{ "ports", LIQUID_LAB_CMD_PORTS, 0 },
	{ "paths", LIQUID_LAB_CMD_PATHS, 0 },
	{ "commit", LIQUID_LAB_CMD_COMMIT, 0 },
	{ "delete", LIQUID_LAB_CMD_DELETE, 0 },
	{ "get", LIQUID_LAB_CMD_GET, 0 },
	{ "dump", LIQUID_LAB_CMD_GET, NLM_F_DUMP },
	{ "dump-links", LIQUID_LAB_CMD_LINK_GET, NLM_F_DUMP },
	{ "dump-ports", LIQUID_LAB_CMD_PORT_GET, NLM_F_DUMP },
	{ "link-set", LIQUID_LAB_CMD_LINK_SET, 0 },
	{ "reroute", LIQUID_LAB_CMD_REROUTE, 0 },
	{ "command-99", 99, 0 },
};

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "ok", 0 }, { "EPERM", EPERM }, { "ENOENT", ENOENT }, { "EBADF", EBADF },
	{ "ENODEV", ENODEV }, { "EINVAL", EINVAL }, { "ENOSPC", ENOSPC }, { "ERANGE", ERANGE },
	{ "EEXIST", EEXIST }, { "EOPNOTSUPP", EOPNOTSUPP },
};

static struct nl_message message;

static void __attribute__((noreturn)) die(const char *what, const char *at)
{
	printf("wire: %s: %s\n", what, at);
	exit(2);
}

static void skip_space(const char **at)
{
	while (isspace((unsigned char)**at))
		++*at;
}

static void put_number(const char *text, const struct field *field)
{
	uint64_t number = strtoull(text, NULL, 0);
	uint32_t u32 = (uint32_t)number;
	uint8_t u8 = (uint8_t)number;

	if (field->kind == U64)
		nl_put(&message, field->type, &number, sizeof(number));
	else if (field->kind == U32)
		nl_put(&message, field->type, &u32, sizeof(u32));
	else
		nl_put(&message, field->type, &u8, sizeof(u8));
}

/* "1,2,3"; "N..M" in place of a number counts up */
static void put_array(const char *text, const struct field *field)
{
	uint32_t numbers[256];
	size_t count = 0;
	char *end;

	while (*text && count < 256) {
		uint64_t first = strtoull(text, &end, 0), last = first;

		if (!strncmp(end, "..", 2))
			last = strtoull(end + 2, &end, 0);
		for (; first <= last && count < 256; first++)
			numbers[count++] = (uint32_t)first;
		text = *end ? end + 1 : end;
	}
	nl_put(&message, field->type, numbers, count * sizeof(numbers[0]));
}

static void put_raw(const char *text, uint16_t type)
{
	unsigned char bytes[512];
	size_t count = 0;
	unsigned int byte;

	for (; sscanf(text, "%2x", &byte) == 1 && count < sizeof(bytes); text += 2)
		bytes[count++] = (unsigned char)byte;
	nl_put(&message, type, bytes, count);
}

static void put_value(const char *text, const struct field *field)
{
	if (field->kind == TEXT)
		nl_put(&message, field->type, text, strlen(text) + 1);
	else if (field->kind == ARRAY)
		put_array(text, field);
	else
		put_number(text, field);
}

static void put_tree(const char **at, const struct field *fields);

static void put_item(const char **at, const struct field *fields)
{
	char name[64], value[600];
	int used = 0;
	unsigned long times = 1;

	if (sscanf(*at, "@%63[0-9]=%599[^ }]%n", name, value, &used) == 2) {
		put_raw(value, (uint16_t)atoi(name));
		*at += used;
		return;
	}
	if (sscanf(*at, "%63[a-z_]%n", name, &used) != 1)
		die("no name", *at);
	*at += used;
	if (**at == '*')
		times = strtoul(*at + 1, (char **)at, 10);
	while (fields->name && strcmp(fields->name, name))
		fields++;
	if (!fields->name)
		die("no such field", name);
	if (**at == '{') {
		const char *inside = ++*at;

		for (; times; times--) {
			size_t nest = nl_nest(&message, fields->type);

			*at = inside;
			put_tree(at, fields->inner);
			nl_nest_end(&message, nest);
		}
		return;
	}
	value[0] = 0;
	used = 0;
	if (sscanf(*at, "=%599[^ }]%n", value, &used) != 1)
		used = **at == '=';
	*at += used;
	put_value(value, fields);
}

/* Up to the end of the text, or past the brace that ends the nest. */
static void put_tree(const char **at, const struct field *fields)
{
	for (skip_space(at); **at && **at != '}'; skip_space(at))
		put_item(at, fields);
	if (**at)
		++*at;
}

static uint16_t family_id(int fd)
{
	struct genlmsghdr head = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	uint16_t family = 0;
	static char reply[8192];
	ssize_t got;

	nl_start(&message, GENL_ID_CTRL, 0, &head, sizeof(head));
	nl_put(&message, CTRL_ATTR_FAMILY_NAME, LIQUID_LAB_GENL_NAME,
	       sizeof(LIQUID_LAB_GENL_NAME));
	if (send(fd, message.bytes, message.head.nlmsg_len, 0) < 0)
		die("send", strerror(errno));
	got = recv(fd, reply, sizeof(reply), 0);
	if (got < (ssize_t)(NLMSG_HDRLEN + GENL_HDRLEN))
		die("no family", "liquid_lab");
	nl_for_each(attr, (const void *)(reply + NLMSG_HDRLEN + GENL_HDRLEN),
		    ((struct nlmsghdr *)reply)->nlmsg_len - NLMSG_HDRLEN - GENL_HDRLEN)
		if (attr->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(&family, nl_value(attr), sizeof(family));
	return family;
}

static struct nl_verdict run_request(int fd, uint16_t family, const char *text)
{
	struct genlmsghdr head = { .version = LIQUID_LAB_GENL_VERSION };
	size_t i, count = sizeof(commands) / sizeof(commands[0]), length;

	skip_space(&text);
	length = strcspn(text, " ");
	for (i = 0; i < count; i++)
		if (strlen(commands[i].name) == length && !strncmp(commands[i].name, text, length))
			break;
	if (i == count)
		die("no such command", text);
	head.cmd = commands[i].cmd;
	nl_start(&message, family, commands[i].flags, &head, sizeof(head));
	text += length;
	put_tree(&text, top_fields);
	return nl_talk(fd, &message, NULL, NULL);
}

static char *column(char **at)
{
	char *start = *at, *bar = strchr(start, '|'), *end;

	if (bar)
		*bar = 0;
	*at = bar ? bar + 1 : start + strlen(start);
	while (isspace((unsigned char)*start))
		start++;
	for (end = start + strlen(start); end > start && isspace((unsigned char)end[-1]);)
		*--end = 0;
	return start;
}

static int expected_error(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (!strcmp(errors[i].name, name))
			return errors[i].number;
	die("no such error", name);
}

static bool run_line(int fd, uint16_t family, char *line)
{
	char *name = column(&line), *request = column(&line), *error = column(&line);
	char *text = column(&line);
	struct nl_verdict verdict = run_request(fd, family, request);
	bool good = verdict.error == expected_error(error) && strstr(verdict.text, text);

	printf("%sok %s\n", good ? "" : "not ", name);
	if (!good)
		printf("# it said %d (%s): %s\n", verdict.error, strerror(verdict.error),
		       verdict.text);
	return good;
}

static void begin_others(uint16_t family, int count)
{
	while (count-- > 0) {
		struct nl_verdict verdict = run_request(nl_open(NETLINK_GENERIC), family,
							"begin name=other rate_bps=1000000");

		if (verdict.error)
			die("begin", verdict.text);
	}
}

int main(int argc, char **argv)
{
	static char line[1 << 16];
	uint16_t family;
	bool good = true;
	int fd;

	if (argc == 3 && !strcmp(argv[1], "as") &&
	    (setgroups(0, NULL) || setuid((uid_t)atoi(argv[2]))))
		die("cannot become", argv[2]);
	fd = nl_open(NETLINK_GENERIC);
	if (fd < 0)
		die("netlink", strerror(errno));
	family = family_id(fd);
	if (argc == 3 && !strcmp(argv[1], "among"))
		begin_others(family, atoi(argv[2]));
	setlinebuf(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		const char *start = line;

		skip_space(&start);
		if (*start && *start != '#')
			good &= run_line(fd, family, line);
	}
	return !good;
}
