// SPDX-License-Identifier: GPL-2.0-only
/*
 * A second client of the family, by libnl. It shares the specification's names and types with
 * liquid-nl, and no code.
 *
 *	libnl show [DEV]		all that can be read of a gate, or the states of all
 *					gates, as lines "path value"
 *	libnl flat <JSON		the JSON of liquid-nl as the same lines
 *	libnl monitor			events, as the lines of one object each
 *	libnl send DEV COMMAND WORD... [, COMMAND WORD...]
 *					requests over one socket; a WORD is an attribute as
 *					NAME=VALUE, NAME for a flag, "NAME{" for the begin of a
 *					nest, "}" for its end
 *
 * A refusal is printed as "refused: TEXT", the kernel's, and the exit code is 3. An attribute that
 * is not known here, or has another length, ends the program with 1.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>

#include "fields.h"

static __attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("libnl: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	exit(1);
}

/* The path of the value that is being read, as "0.dests.3.keys" */
struct path {
	char text[128];
};

static struct path below(const struct path *path, const char *name)
{
	struct path longer;

	if ((size_t)snprintf(longer.text, sizeof(longer.text), "%s%s%s", path->text,
			     *path->text ? "." : "", name) >= sizeof(longer.text))
		die("%s.%s: too long", path->text, name);
	return longer;
}

static struct path item(const struct path *path, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return below(path, text);
}

/* ---- decoding ---- */

static const struct field *known(const struct nlattr *attr, const struct fields *fields,
				 const struct path *path)
{
	const struct field *field = field_of(fields, nla_type(attr));

	if (!field)
		die("%s: attribute %d is not known", path->text, nla_type(attr));
	if (field_size(field) && (size_t)nla_len(attr) != field_size(field))
		die("%s.%s: %d bytes", path->text, field->name, nla_len(attr));
	return field;
}

static const char *name_of(uint64_t value, const struct field *field)
{
	for (uint64_t i = 0; field->values[i]; i++)
		if (i == value)
			return field->values[i];
	die("%s: no value %" PRIu64, field->name, value);
}

static void print_scalar(const struct nlattr *attr, const struct field *field,
			 const struct path *path)
{
	uint64_t value = field->kind == U8 ? nla_get_u8(attr) :
			 field->kind == U16 ? nla_get_u16(attr) :
			 field->kind == U32 ? nla_get_u32(attr) :
			 field->kind == U64 ? nla_get_u64(attr) : 0;

	if (field->kind == TEXT)
		printf("%s %s\n", path->text, nla_get_string(attr));
	else if (field->values)
		printf("%s %s\n", path->text, name_of(value, field));
	else if (field->kind == S32)
		printf("%s %" PRId32 "\n", path->text, nla_get_s32(attr));
	else if (field->kind == S64)
		printf("%s %" PRId64 "\n", path->text, nla_get_s64(attr));
	else
		printf("%s %" PRIu64 "\n", path->text, value);
}

/* As liquid-nl takes them: ethertype=0x88f7, udp=319-320, proto=89 */
static void print_rule(const struct nlattr *nest, const struct path *path)
{
	struct nlattr *attr[LIQUID_RULE_A_MAX + 1];
	unsigned int proto, min, max;

	if (nla_parse_nested(attr, LIQUID_RULE_A_MAX, (struct nlattr *)nest, NULL))
		die("%s: malformed", path->text);
	if (attr[LIQUID_RULE_A_ETHERTYPE]) {
		printf("%s ethertype=0x%04x\n", path->text,
		       nla_get_u16(attr[LIQUID_RULE_A_ETHERTYPE]));
		return;
	}
	proto = nla_get_u8(attr[LIQUID_RULE_A_L4PROTO]);
	printf(proto == IPPROTO_TCP ? "%s tcp" : proto == IPPROTO_UDP ? "%s udp" :
	       proto == IPPROTO_SCTP ? "%s sctp" : "%s proto=%u", path->text, proto);
	if (attr[LIQUID_RULE_A_PORT_MIN]) {
		min = nla_get_u16(attr[LIQUID_RULE_A_PORT_MIN]);
		max = min;
		if (attr[LIQUID_RULE_A_PORT_MAX])
			max = nla_get_u16(attr[LIQUID_RULE_A_PORT_MAX]);
		printf(min == max ? "=%u" : "=%u-%u", min, max);
	}
	putchar('\n');
}

static void print_key(const struct nlattr *nest, const struct path *path)
{
	const struct nlattr *attr = nla_data(nest);
	char text[INET6_ADDRSTRLEN];
	const uint8_t *value;

	if (!nla_ok(attr, nla_len(nest)))
		die("%s: malformed", path->text);
	value = nla_data(attr);
	switch (nla_type(attr)) {
	case LIQUID_KEY_A_IPV4:
		printf("%s %s\n", path->text, inet_ntop(AF_INET, value, text, sizeof(text)));
		break;
	case LIQUID_KEY_A_IPV6:
		printf("%s %s\n", path->text, inet_ntop(AF_INET6, value, text, sizeof(text)));
		break;
	case LIQUID_KEY_A_ETHER:
		printf("%s %02x:%02x:%02x:%02x:%02x:%02x\n", path->text, value[0], value[1],
		       value[2], value[3], value[4], value[5]);
		break;
	case LIQUID_KEY_A_MARK:
		printf("%s mark:0x%x\n", path->text, nla_get_u32(attr));
		break;
	default:
		die("%s: kind %d", path->text, nla_type(attr));
	}
}

static void print_array(const struct nlattr *attr, const struct path *path)
{
	uint64_t value;

	for (unsigned int i = 0; i < nla_len(attr) / sizeof(value); i++) {
		memcpy(&value, (const char *)nla_data(attr) + i * sizeof(value), sizeof(value));
		printf("%s.%u %" PRIu64 "\n", path->text, i, value);
	}
}

/* The parts of a list have no name in liquid-nl's JSON, but numbers. */
static bool is_list(const struct fields *fields)
{
	return fields == &dests_fields || fields == &entries_fields || fields == &bypass_fields;
}

/* All attributes of a nest; *@parts of a list have come before. */
static void print_attrs(struct nlattr *attr, int left, const struct fields *fields,
			const struct path *path, unsigned int *parts)
{
	struct path keys = below(path, "keys");
	unsigned int key = 0, none = 0;

	for (; nla_ok(attr, left); attr = nla_next(attr, &left)) {
		const struct field *field = known(attr, fields, path);
		struct path place = is_list(fields) ? item(path, (*parts)++) :
				    field->nest == &key_fields ? item(&keys, key++) :
				    below(path, field->name);

		if (field->nest == &rule_fields)
			print_rule(attr, &place);
		else if (field->nest == &key_fields)
			print_key(attr, &place);
		else if (field->kind == NEST)
			print_attrs(nla_data(attr), nla_len(attr), field->nest, &place, &none);
		else if (field->kind == ARRAY)
			print_array(attr, &place);
		else if (field->kind != PAD)
			print_scalar(attr, field, &place);
	}
}

/* ---- replies ---- */

struct reading {
	struct path path;		/* of the gate */
	unsigned int messages, parts;	/* parts: of the list that is read */
	bool sched[2];			/* by enum liquid_which: there is one */
};

static void attrs_of(struct nl_msg *msg, struct nlattr *attr[LIQUID_A_MAX + 1])
{
	if (genlmsg_parse(nlmsg_hdr(msg), 0, attr, LIQUID_A_MAX, NULL) || !attr[LIQUID_A_IFINDEX])
		die("a malformed message");
}

static void print_nest(struct nlattr *nest, const struct fields *fields, const struct path *path,
		       unsigned int *parts)
{
	if (nest)
		print_attrs(nla_data(nest), nla_len(nest), fields, path, parts);
}

static void print_device(struct nlattr *const *attr, const struct path *path)
{
	uint32_t ifindex = nla_get_u32(attr[LIQUID_A_IFINDEX]);
	char name[IF_NAMESIZE];

	printf("%s.ifindex %u\n%s.device %s\n", path->text, ifindex, path->text,
	       if_indextoname(ifindex, name));
}

static int take_gate(struct nl_msg *msg, void *context)
{
	struct genlmsghdr *head = genlmsg_hdr(nlmsg_hdr(msg));
	struct nlattr *attr[LIQUID_A_MAX + 1];
	struct reading *reading = context;

	attrs_of(msg, attr);
	print_device(attr, &reading->path);
	print_attrs(genlmsg_attrdata(head, 0), genlmsg_attrlen(head, 0), &liquid_fields,
		    &reading->path, NULL);
	reading->sched[LIQUID_WHICH_OPER] = attr[LIQUID_A_OPER];
	reading->sched[LIQUID_WHICH_ADMIN] = attr[LIQUID_A_ADMIN];
	return NL_OK;
}

/* Of a dump of all gates only this is printed: how each stands, and how many there are. */
static int take_gates(struct nl_msg *msg, void *context)
{
	struct nlattr *attr[LIQUID_A_MAX + 1];
	struct reading *reading = context;
	struct path none = { "" }, gate = item(&none, reading->messages++),
		    state = below(&gate, "state");

	attrs_of(msg, attr);
	print_device(attr, &gate);
	print_nest(attr[LIQUID_A_STATE], &state_fields, &state, NULL);
	return NL_OK;
}

static int take_list(struct nl_msg *msg, void *context)
{
	struct nlattr *attr[LIQUID_A_MAX + 1];
	struct reading *reading = context;
	struct path dests = below(&reading->path, "dests"), sched, entries;

	attrs_of(msg, attr);
	print_nest(attr[LIQUID_A_DESTS], &dests_fields, &dests, &reading->parts);
	if (!attr[LIQUID_A_WHICH])
		return NL_OK;
	sched = below(&reading->path, which_names[nla_get_u32(attr[LIQUID_A_WHICH])]);
	entries = below(&sched, "entries");
	print_nest(attr[LIQUID_A_ENTRIES], &entries_fields, &entries, &reading->parts);
	return NL_OK;
}

static int take_event(struct nl_msg *msg, void *context)
{
	struct nlattr *attr[LIQUID_A_MAX + 1];
	struct reading *reading = context;
	struct path none = { "" }, path = item(&none, reading->messages++);

	attrs_of(msg, attr);
	if (genlmsg_hdr(nlmsg_hdr(msg))->cmd != LIQUID_CMD_EVENT || !attr[LIQUID_A_EVENT])
		die("no event");
	print_device(attr, &path);
	print_nest(attr[LIQUID_A_EVENT], &event_info_fields, &path, NULL);
	return NL_OK;
}

static int take_nothing(struct nl_msg *msg, void *context)
{
	(void)msg;
	(void)context;
	return NL_OK;
}

/* ---- requests ---- */

struct client {
	struct nl_sock *socket;
	int family;
	uint32_t ifindex;
};

/* The extended ack follows the header of the request, or the whole of it. */
static int print_refusal(struct sockaddr_nl *from, struct nlmsgerr *error, void *context)
{
	const struct nlmsghdr *head = (const struct nlmsghdr *)error - 1;
	size_t skip = sizeof(*error);
	const struct nlattr *text;

	(void)from;
	(void)context;
	if (!(head->nlmsg_flags & NLM_F_CAPPED))
		skip += error->msg.nlmsg_len - NLMSG_HDRLEN;
	text = head->nlmsg_flags & NLM_F_ACK_TLVS ?
	       nla_find((const struct nlattr *)((const char *)error + skip),
			head->nlmsg_len - NLMSG_HDRLEN - skip, NLMSGERR_ATTR_MSG) : NULL;
	fprintf(stderr, "refused: %s\n", text ? (const char *)nla_data(text) : "no text");
	exit(3);
}

static struct nl_sock *connected(void)
{
	struct nl_sock *socket = nl_socket_alloc();
	int one = 1;

	if (!socket || genl_connect(socket))
		die("no generic netlink");
	if (setsockopt(nl_socket_get_fd(socket), SOL_NETLINK, NETLINK_EXT_ACK, &one, sizeof(one)))
		die("no extended acks: %s", strerror(errno));
	nl_socket_modify_err_cb(socket, NL_CB_CUSTOM, print_refusal, NULL);
	return socket;
}

static struct nl_msg *request(const struct client *client, int how, uint8_t command)
{
	struct nl_msg *msg = nlmsg_alloc();

	if (!msg || !genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, client->family, 0, how, command,
				 LIQUID_GENL_VERSION))
		die("no memory");
	if (client->ifindex && nla_put_u32(msg, LIQUID_A_IFINDEX, client->ifindex))
		die("no memory");
	return msg;
}

static void read_reply(const struct client *client, struct nl_msg *msg, nl_recvmsg_msg_cb_t take,
		       struct reading *reading)
{
	bool dump = nlmsg_hdr(msg)->nlmsg_flags & NLM_F_DUMP;
	int status;

	reading->parts = 0;
	nl_socket_modify_cb(client->socket, NL_CB_VALID, NL_CB_CUSTOM, take, reading);
	status = nl_send_auto(client->socket, msg);
	if (status >= 0)
		status = nl_recvmsgs_default(client->socket);
	if (status >= 0 && !dump)
		status = nl_wait_for_ack(client->socket);
	if (status < 0)
		die("%s", nl_geterror(status));
	nlmsg_free(msg);
}

static int show(struct client *client, char **args)
{
	struct reading reading = { .path = { "0" } };

	(void)args;
	if (!client->ifindex) {
		read_reply(client, request(client, NLM_F_DUMP, LIQUID_CMD_GATE_GET), take_gates,
			   &reading);
		return 0;
	}
	read_reply(client, request(client, 0, LIQUID_CMD_GATE_GET), take_gate, &reading);
	read_reply(client, request(client, NLM_F_DUMP, LIQUID_CMD_DEST_GET), take_list, &reading);
	for (uint32_t which = LIQUID_WHICH_OPER; which <= LIQUID_WHICH_ADMIN; which++) {
		struct nl_msg *msg = request(client, NLM_F_DUMP, LIQUID_CMD_SCHED_GET);

		if (!reading.sched[which])
			continue;
		nla_put_u32(msg, LIQUID_A_WHICH, which);
		read_reply(client, msg, take_list, &reading);
	}
	return 0;
}

static const struct field *named(const struct fields *fields, const char *name, size_t size)
{
	for (uint16_t type = 1; type <= fields->max; type++) {
		const struct field *field = field_of(fields, type);

		if (field && strlen(field->name) == size && !memcmp(field->name, name, size))
			return field;
	}
	die("no attribute '%s' here", name);
}

static void put_value(struct nl_msg *msg, const struct field *field, const char *text)
{
	int64_t number = strtoll(text, NULL, 0);
	uint8_t address[16];

	if (field->kind == BYTES && inet_pton(AF_INET6, text, address) == 1)
		nla_put(msg, field->type, 16, address);
	else if (field->kind == BYTES && inet_pton(AF_INET, text, address) == 1)
		nla_put(msg, field->type, 4, address);
	else if (field_size(field))	/* the low bytes come first */
		nla_put(msg, field->type, field_size(field), &number);
	else
		die("%s=%s cannot be sent", field->name, text);
}

/* Put @words up to the end of their nest or request, and return that. */
static char **put_words(struct nl_msg *msg, const struct fields *fields, char **words)
{
	for (; *words && strcmp(*words, "}") && strcmp(*words, ","); words++) {
		size_t size = strcspn(*words, "={");
		const struct field *field = named(fields, *words, size);
		struct nlattr *nest;

		if ((*words)[size] == '{') {
			nest = nla_nest_start(msg, field->type);
			words = put_words(msg, field->nest, words + 1);
			nla_nest_end(msg, nest);
			if (!*words)
				die("a } is missing");
		} else if ((*words)[size] == '=') {
			put_value(msg, field, *words + size + 1);
		} else {
			nla_put_flag(msg, field->type);
		}
	}
	return words;
}

static int send_requests(struct client *client, char **words)
{
	while (*words) {
		uint8_t command = command_of(*words);
		struct nl_msg *msg = request(client, 0, command);
		int status;

		if (!command)
			die("no command '%s'", *words);
		words = put_words(msg, &liquid_fields, words + 1);
		words += *words != NULL;
		status = nl_send_sync(client->socket, msg);
		if (status)
			die("%s", nl_geterror(status));
	}
	return 0;
}

/* Who joins and then reads the gates receives what follows. */
static int monitor(struct client *client, char **args)
{
	struct reading reading = { .path = { "" } };
	struct nl_sock *socket = connected();
	int group = genl_ctrl_resolve_grp(socket, LIQUID_GENL_NAME, LIQUID_GENL_EVENTS), status;

	(void)args;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (group < 0 || nl_socket_add_membership(socket, group))
		die("no group " LIQUID_GENL_EVENTS);
	nl_socket_disable_seq_check(socket);
	nl_socket_modify_cb(socket, NL_CB_VALID, NL_CB_CUSTOM, take_event, &reading);
	read_reply(client, request(client, NLM_F_DUMP, LIQUID_CMD_GATE_GET), take_nothing,
		   &reading);
	for (;;) {
		status = nl_recvmsgs_default(socket);
		if (status < 0)
			die("%s", nl_geterror(status));
	}
}

/* ---- the JSON of liquid-nl ---- */

static void flatten(const json_t *json, const struct path *path)
{
	struct path place;
	const char *name;
	json_t *member;
	size_t i;

	switch (json_typeof(json)) {
	case JSON_OBJECT:
		json_object_foreach((json_t *)json, name, member) {
			place = below(path, name);
			flatten(member, &place);
		}
		break;
	case JSON_ARRAY:
		json_array_foreach(json, i, member) {
			place = item(path, i);
			flatten(member, &place);
		}
		break;
	case JSON_INTEGER:
		printf("%s %" JSON_INTEGER_FORMAT "\n", path->text, json_integer_value(json));
		break;
	case JSON_STRING:
		printf("%s %s\n", path->text, json_string_value(json));
		break;
	case JSON_NULL:			/* what is not there has no line */
		break;
	default:
		die("%s: of another type", path->text);
	}
}

/* One document, or an object a line, which is numbered */
static int flat(void)
{
	struct path none = { "" };
	unsigned int number = 0;
	json_error_t error;
	json_t *json, *gates;
	int next;

	for (;;) {
		struct path path = item(&none, number);

		do
			next = getchar();
		while (next == '\n');
		if (next == EOF)
			return number ? 0 : 1;
		ungetc(next, stdin);
		json = json_loadf(stdin, JSON_DISABLE_EOF_CHECK, &error);
		if (!json)
			die("%s", error.text);
		json_object_del(json, "format");	/* of the output, not of the gates */
		json_object_del(json, "version");
		gates = json_object_get(json, "gates");
		flatten(gates ? gates : json, gates ? &none : &path);
		json_decref(json);
		number++;
	}
}

static const struct {
	const char *name;
	int (*run)(struct client *client, char **args);
} verbs[] = { { "show", show }, { "send", send_requests }, { "monitor", monitor } };

int main(int argc, char **argv)
{
	struct client client = { 0 };

	if (argc == 2 && !strcmp(argv[1], "flat"))
		return flat();
	if (argc > 2) {
		client.ifindex = if_nametoindex(argv[2]);
		if (!client.ifindex)
			die("no device '%s'", argv[2]);
	}
	for (size_t i = 0; argc > 1 && i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, argv[1]))
			continue;
		client.socket = connected();
		client.family = genl_ctrl_resolve(client.socket, LIQUID_GENL_NAME);
		if (client.family < 0)
			die("no family " LIQUID_GENL_NAME);
		return verbs[i].run(&client, argv + (argc > 2 ? 3 : 2));
	}
	die("see the head of libnl.c");
}
