// SPDX-License-Identifier: GPL-2.0-only
/*
 * wire: speaks the module's netlink as a text, so that tests can say exactly what is on the wire
 *
 *	wire now				CLOCK_TAI in ns
 *	wire add|change DEV [OPTIONS]		the root qdisc, with the attributes of GATE
 *	wire del DEV
 *	wire get DEV [PATH...]			PATH=VALUE lines of the gate, or the values of PATHs
 *	wire dest DEV ID [PATH...]		the same of one destination
 *	wire options DEV			PATH=VALUE lines of the options that the qdisc dumps
 *	wire count DEV				destinations and messages of the dump
 *	wire cycle DEV MODULO			frames of the waiting schedule in the order
 *						0, 1, ... MODULO - 1, 0, ...; messages of the dump
 *	wire plan DEV [admin]			the schedule and the table as judge reads them
 *	wire script DEV				runs lines of stdin on one socket, as a test
 *	wire faults DEV				the same, but repeats each line: first its first
 *						allocation in the kernel fails, then its second ...;
 *						a line may end in "ok | REQUEST; ...", which undo it
 *	wire as UID wire-command...		without privileges
 *
 * A line of a script is "NAME | COMMAND TREE | ERRNO [| TEXT]": the request must end with
 * ERRNO ("ok": none), and its extended ack hold TEXT; "@TYPE TEXT" says which attribute it must
 * blame as well. A TREE is a list of NAME=VALUE and NAME{ TREE }, with NAME*N for repetition, and
 * @TYPE:HEX for any attribute whatever. COMMAND may also be "step SECONDS", which sets the clock
 * on, just before the next line, or "sleep NS".
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <grp.h>
#include <time.h>

#include "wire.h"

static const struct {
	const char *name;
	int number;
} errors[] = {
	{ "ok", 0 }, { "EPERM", EPERM }, { "ENOENT", ENOENT }, { "E2BIG", E2BIG },
	{ "EBUSY", EBUSY }, { "EEXIST", EEXIST }, { "ENODEV", ENODEV }, { "EINVAL", EINVAL },
	{ "ERANGE", ERANGE }, { "EOPNOTSUPP", EOPNOTSUPP }, { "EOVERFLOW", EOVERFLOW },
	{ "ENOMEM", ENOMEM }, { "EMSGSIZE", EMSGSIZE }, { "EALREADY", EALREADY },
	{ "ENOBUFS", ENOBUFS }, { "ENOSPC", ENOSPC }, { "ETIME", ETIME }, { "EINTR", EINTR },
	{ "EAGAIN", EAGAIN },
};

static const char *error_name(int number)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].number == number)
			return errors[i].name;
	return strerror(number);
}

static int64_t tai_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_TAI, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* ---- text to attributes ---- */

static void skip_space(const char **at)
{
	while (isspace((unsigned char)**at))
		(*at)++;
}

static const struct field *find_field(const struct fields *fields, const char *name, size_t size)
{
	for (uint16_t type = 1; fields && type <= fields->max; type++) {
		const struct field *field = field_of(fields, type);

		if (field && strlen(field->name) == size && !memcmp(field->name, name, size))
			return field;
	}
	die("no attribute '%.*s' here", (int)size, name);
}

static size_t parse_hex(const char **at, unsigned char *bytes, size_t max)
{
	size_t count = 0;
	unsigned int byte;

	while (count < max && isxdigit((unsigned char)(*at)[0]) &&
	       isxdigit((unsigned char)(*at)[1]) && sscanf(*at, "%2x", &byte) == 1) {
		bytes[count++] = (unsigned char)byte;
		*at += 2;
	}
	return count;
}

/* "+N" is N ns from now, for base times. */
static uint64_t parse_number(const char **at)
{
	bool relative = **at == '+';
	uint64_t value;
	char *end;

	value = **at == '-' ? (uint64_t)strtoll(*at, &end, 0) : strtoull(*at, &end, 0);
	if (end == *at)
		die("a number is expected at '%s'", *at);
	*at = end;
	return relative ? value + (uint64_t)tai_now() : value;
}

static size_t parse_bytes(const char **at, unsigned char *bytes, size_t max)
{
	char word[64];
	size_t size = strcspn(*at, " \t}");

	if (size < sizeof(word)) {
		memcpy(word, *at, size);
		word[size] = 0;
		if (strchr(word, '.') && inet_pton(AF_INET, word, bytes) == 1) {
			*at += size;
			return 4;
		}
		if (strchr(word, ':') && inet_pton(AF_INET6, word, bytes) == 1) {
			*at += size;
			return 16;
		}
	}
	return parse_hex(at, bytes, max);
}

/* Where the last @size bytes of a number are: first in memory, or last */
static size_t number_at(size_t size)
{
	const uint16_t one = 1;

	return *(const unsigned char *)&one ? 0 : sizeof(uint64_t) - size;
}

static void put_value(const char **at, const struct field *field)
{
	static unsigned char bytes[NL_MESSAGE_MAX / 2];
	uint64_t value;
	size_t size;

	if (field->kind == BYTES || field->kind == ARRAY) {
		size = parse_bytes(at, bytes, sizeof(bytes));
		nl_put(&message, field->type, bytes, size);
		return;
	}
	if (field->kind == TEXT) {	/* ends with the first blank; "_" is a space */
		size = strcspn(*at, " \t}");
		if (size >= sizeof(bytes))
			die("a text of %zu bytes", size);
		for (size_t i = 0; i < size; i++)
			bytes[i] = (unsigned char)((*at)[i] == '_' ? ' ' : (*at)[i]);
		bytes[size] = 0;
		*at += size;
		nl_put(&message, field->type, bytes, size + 1);
		return;
	}
	value = parse_number(at);
	size = field_size(field);
	nl_put(&message, field->type, (const char *)&value + number_at(size), size);
}

static void parse_raw(const char **at)
{
	static unsigned char bytes[NL_MESSAGE_MAX / 2];
	uint16_t type;
	char *end;

	type = (uint16_t)strtoul(*at + 1, &end, 0);
	*at = end;
	if (**at == ':')
		(*at)++;
	nl_put(&message, type, bytes, parse_hex(at, bytes, sizeof(bytes)));
}

static void parse_tree(const char **at, const struct fields *fields);

static void parse_item(const char **at, const struct fields *fields)
{
	const char *name = *at;
	size_t size = strcspn(name, "={}*@ \t");
	const struct field *field = find_field(fields, name, size);
	unsigned long times = 1;
	const char *from;
	size_t nest;

	*at += size;
	if (**at == '*')
		times = strtoul(*at + 1, (char **)at, 0);
	if (**at == '=') {
		(*at)++;
		put_value(at, field);
		return;
	}
	if (**at != '{') {
		nl_put(&message, field->type, NULL, 0);
		return;
	}
	for (from = *at + 1; times; times--) {
		*at = from;
		nest = nl_nest(&message, field->type);
		parse_tree(at, field->nest);
		if (**at != '}')
			die("'}' is missing at '%s'", *at);
		nl_nest_end(&message, nest);
	}
	(*at)++;
}

static void parse_tree(const char **at, const struct fields *fields)
{
	for (skip_space(at); **at && **at != '}' && **at != '|'; skip_space(at)) {
		if (**at == '@')
			parse_raw(at);
		else
			parse_item(at, fields);
	}
}

/* ---- attributes to text ---- */

struct printer {
	const char *const *want;	/* only these paths, values alone */
	int want_count;
	int found;
	int64_t id;		/* only this destination; -1: not a question of destinations */
	unsigned long dests;
};

static void print_line(struct printer *printer, const char *path, const char *value)
{
	if (!printer->want_count) {
		printf("%s=%s\n", path, value);
		return;
	}
	for (int i = 0; i < printer->want_count; i++)
		if (!strcmp(printer->want[i], path)) {
			puts(value);
			printer->found++;
		}
}

static void format_value(const struct nlattr *attr, const struct field *field, char *text,
			 size_t size)
{
	size_t bytes = nl_size(attr) < sizeof(uint64_t) ? nl_size(attr) : sizeof(uint64_t);
	uint64_t value = 0;

	memcpy((char *)&value + number_at(bytes), nl_value(attr), bytes);
	if (field->kind == TEXT)
		snprintf(text, size, "%.*s", (int)nl_size(attr), (const char *)nl_value(attr));
	else if (field->kind == S32)
		snprintf(text, size, "%d", (int32_t)value);
	else if (field->kind == S64)
		snprintf(text, size, "%" PRId64, (int64_t)value);
	else if (field->kind != BYTES)
		snprintf(text, size, "%" PRIu64, value);
	for (size_t i = 0; field->kind == BYTES && i < nl_size(attr) && 2 * i + 2 < size; i++)
		snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)nl_value(attr))[i]);
}

/* PATH_0=VALUE, PATH_1=VALUE ... of an array, without those that are 0 */
static void print_array(struct printer *printer, const char *path, const struct nlattr *attr)
{
	char name[160], text[32];
	uint64_t value;

	for (size_t i = 0; i < nl_size(attr) / sizeof(value); i++) {
		memcpy(&value, (const char *)nl_value(attr) + i * sizeof(value), sizeof(value));
		snprintf(name, sizeof(name), "%s_%zu", path, i);
		snprintf(text, sizeof(text), "%" PRIu64, value);
		if (value)
			print_line(printer, name, text);
	}
}

static void print_tree(struct printer *printer, const char *prefix, const struct fields *fields,
		       const void *first, size_t size)
{
	char path[128], value[256];

	nl_for_each(attr, first, size) {
		const struct field *field = field_of(fields, attr->nla_type & NLA_TYPE_MASK);

		if (!field || field->kind == PAD)
			continue;
		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", field->name);
		if (field->kind == NEST) {
			print_tree(printer, path, field->nest, nl_value(attr), nl_size(attr));
			continue;
		}
		if (field->kind == ARRAY) {
			print_array(printer, path, attr);
			continue;
		}
		format_value(attr, field, value, sizeof(value));
		print_line(printer, path, value);
	}
}

static void print_reply(void *context, const struct nlmsghdr *head)
{
	size_t size;
	const void *first = payload(head, &size);

	print_tree(context, "", &liquid_fields, first, size);
}

static uint32_t dest_id(const struct nlattr *dest)
{
	uint32_t id = UINT32_MAX;

	nl_for_each(attr, nl_value(dest), nl_size(dest))
		if ((attr->nla_type & NLA_TYPE_MASK) == LIQUID_DEST_A_ID)
			memcpy(&id, nl_value(attr), sizeof(id));
	return id;
}

static void dest_reply(void *context, const struct nlmsghdr *head)
{
	struct printer *printer = context;
	size_t size;
	const void *first = payload(head, &size);

	nl_for_each(top, first, size) {
		if ((top->nla_type & NLA_TYPE_MASK) != LIQUID_A_DESTS)
			continue;
		nl_for_each(dest, nl_value(top), nl_size(top)) {
			printer->dests++;
			if (printer->id >= 0 && dest_id(dest) == (uint32_t)printer->id)
				print_tree(printer, "", &dest_fields, nl_value(dest),
					   nl_size(dest));
		}
	}
}

/* The table as lines "dest ID KIND HEX". */
static void plan_dest(const struct nlattr *dest)
{
	uint32_t id = dest_id(dest);
	char hex[64];

	nl_for_each(key, nl_value(dest), nl_size(dest)) {
		if ((key->nla_type & NLA_TYPE_MASK) != LIQUID_DEST_A_KEY)
			continue;
		nl_for_each(attr, nl_value(key), nl_size(key)) {
			const struct field *field = field_of(&key_fields, attr->nla_type);

			if (!field)
				continue;
			format_value(attr, field, hex, sizeof(hex));
			printf("dest %u %s %s\n", id, field->name, hex);
		}
	}
}

static void plan_dest_reply(void *context, const struct nlmsghdr *head)
{
	size_t size;
	const void *first = payload(head, &size);

	(void)context;
	nl_for_each(top, first, size)
		if ((top->nla_type & NLA_TYPE_MASK) == LIQUID_A_DESTS)
			nl_for_each(dest, nl_value(top), nl_size(top))
				plan_dest(dest);
}

static void plan_entry(const struct nlattr *entry)
{
	int64_t run = 0, dest = -1;

	nl_for_each(attr, nl_value(entry), nl_size(entry)) {
		uint32_t value;

		memcpy(&value, nl_value(attr), sizeof(value));
		if (attr->nla_type == LIQUID_ENTRY_A_RUN)
			run = value;
		if (attr->nla_type == LIQUID_ENTRY_A_DEST)
			dest = value;
	}
	printf("entry %" PRId64 " %" PRId64 "\n", run, dest);
}

static void plan_sched(const struct nlattr *sched)
{
	fputs("schedule", stdout);
	nl_for_each(attr, nl_value(sched), nl_size(sched)) {
		const struct field *field = field_of(&sched_fields, attr->nla_type);
		char value[32];

		if (!field || field->kind == PAD)
			continue;
		format_value(attr, field, value, sizeof(value));
		printf(" %s %s", field->name, value);
	}
	putchar('\n');
}

static void plan_reply(void *context, const struct nlmsghdr *head)
{
	size_t size;
	const void *first = payload(head, &size);
	bool *started = context;

	nl_for_each(top, first, size) {
		switch (top->nla_type & NLA_TYPE_MASK) {
		case LIQUID_A_SCHED:
			if (!*started)
				plan_sched(top);
			*started = true;
			break;
		case LIQUID_A_ENTRIES:
			nl_for_each(entry, nl_value(top), nl_size(top))
				plan_entry(entry);
			break;
		}
	}
}

/* ---- requests ---- */

/*
 * The kernel's switch by which the N-th allocation of a task fails; 0: none does. It reads as 0
 * when that has happened.
 */
static struct {
	int fd;
	unsigned int nth;
	bool hit;
} fault = { .fd = -1 };

static void fault_arm(unsigned int nth)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fault.fd, text, (size_t)size, 0) != size)
		die("fail-nth: %s", strerror(errno));
}

static bool fault_was_hit(void)
{
	char text[16] = "";

	if (pread(fault.fd, text, sizeof(text) - 1, 0) < 1)
		die("fail-nth: %s", strerror(errno));
	return atoi(text) == 0;
}

static struct nl_verdict talk(int fd)
{
	struct nl_verdict verdict;

	if (!fault.nth)
		return nl_talk(fd, &message, NULL, NULL);
	fault_arm(fault.nth);
	verdict = nl_talk(fd, &message, NULL, NULL);
	fault.hit = fault_was_hit();
	fault_arm(0);
	return verdict;
}

static struct nl_verdict talk_qdisc(const char *verb, uint32_t ifindex, const char *tree)
{
	bool add = !strcmp(verb, "add"), del = !strcmp(verb, "del");
	int fd = nl_open(NETLINK_ROUTE);
	struct nl_verdict verdict;

	start_qdisc(del ? RTM_DELQDISC : RTM_NEWQDISC, add ? NLM_F_CREATE | NLM_F_EXCL : 0,
		    ifindex);
	if (*tree) {
		size_t nest = nl_nest(&message, TCA_OPTIONS);

		parse_tree(&tree, &gate_fields);
		nl_nest_end(&message, nest);
	}
	verdict = talk(fd);
	close(fd);
	return verdict;
}

struct qdisc_reply {
	struct printer printer;
	uint32_t ifindex;
};

static void options_reply(void *context, const struct nlmsghdr *head)
{
	const struct tcmsg *qdisc = NLMSG_DATA(head);
	struct qdisc_reply *reply = context;
	const char *first = (const char *)qdisc + NLMSG_ALIGN(sizeof(*qdisc));

	if ((uint32_t)qdisc->tcm_ifindex != reply->ifindex || qdisc->tcm_parent != TC_H_ROOT)
		return;
	nl_for_each(attr, (const void *)first, head->nlmsg_len - NLMSG_LENGTH(sizeof(*qdisc)))
		if (attr->nla_type == (TCA_OPTIONS | NLA_F_NESTED))
			print_tree(&reply->printer, "gate", &gate_fields, nl_value(attr),
				   nl_size(attr));
}

static int report(const struct nl_verdict *verdict)
{
	if (!verdict->error)
		return 0;
	fprintf(stderr, "%s: %s\n", error_name(verdict->error), verdict->text);
	return 1;
}

/* ---- scripts ---- */

/* N destinations with the keys FIRST, FIRST + 1, ... as IPv4 addresses, ids from 0. */
static struct nl_verdict fill_dests(const struct session *session, const char *args)
{
	struct nl_verdict verdict = { .error = EINVAL };
	unsigned long count, sent = 0;
	char address[32];
	struct in_addr first;

	if (sscanf(args, "%lu %31s", &count, address) != 2 || !inet_aton(address, &first))
		die("fill-dests N ADDRESS");
	while (sent < count) {
		size_t nest;

		start_request(session, LIQUID_CMD_DEST_SET, 0);
		nest = nl_nest(&message, LIQUID_A_DESTS);
		for (unsigned long i = 0; i < 1000 && sent < count; i++, sent++) {
			uint32_t value = htonl(ntohl(first.s_addr) + (uint32_t)sent);
			uint32_t id = (uint32_t)sent;
			size_t dest = nl_nest(&message, LIQUID_A_DEST), key;

			nl_put(&message, LIQUID_DEST_A_ID, &id, sizeof(id));
			key = nl_nest(&message, LIQUID_DEST_A_KEY);
			nl_put(&message, LIQUID_KEY_A_IPV4, &value, sizeof(value));
			nl_nest_end(&message, key);
			nl_nest_end(&message, dest);
		}
		nl_nest_end(&message, nest);
		verdict = talk(session->fd);
		if (verdict.error)
			break;
	}
	return verdict;
}

/* N entries of one frame each, to the destinations 0 ... MODULO - 1 in turn. */
static struct nl_verdict fill_entries(const struct session *session, const char *args)
{
	struct nl_verdict verdict = { .error = EINVAL };
	unsigned long count, modulo, sent = 0;

	if (sscanf(args, "%lu %lu", &count, &modulo) != 2 || !modulo)
		die("fill-entries N MODULO");
	while (sent < count) {
		size_t nest;

		start_request(session, LIQUID_CMD_SCHED_ENTRIES, 0);
		nest = nl_nest(&message, LIQUID_A_ENTRIES);
		for (unsigned long i = 0; i < 3000 && sent < count; i++, sent++) {
			uint32_t dest = (uint32_t)(sent % modulo), run = 1;
			size_t entry = nl_nest(&message, LIQUID_A_ENTRY);

			nl_put(&message, LIQUID_ENTRY_A_RUN, &run, sizeof(run));
			nl_put(&message, LIQUID_ENTRY_A_DEST, &dest, sizeof(dest));
			nl_nest_end(&message, entry);
		}
		nl_nest_end(&message, nest);
		verdict = talk(session->fd);
		if (verdict.error)
			break;
	}
	return verdict;
}

static struct nl_verdict talk_command(const struct session *session, const char *name,
				      const char *tree)
{
	uint8_t command = !strcmp(name, "command-99") ? 99 : command_of(name);
	struct session other = *session;
	bool dump = !strcmp(name, "dest-get") || !strcmp(name, "sched-get");

	if (!strncmp(tree, "ifindex", 7))	/* the script names the device itself */
		other.ifindex = 0;
	if (!command)
		die("no command '%s'", name);
	start_request(&other, command, dump ? NLM_F_DUMP : 0);
	parse_tree(&tree, &liquid_fields);
	return talk(session->fd);
}

static struct nl_verdict step_clock(const char *seconds)
{
	struct nl_verdict verdict = { 0 };
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	now.tv_sec += strtol(seconds, NULL, 0);
	if (clock_settime(CLOCK_REALTIME, &now))
		verdict.error = errno;
	return verdict;
}

static struct nl_verdict sleep_ns(const char *ns)
{
	long long length = strtoll(ns, NULL, 0);
	struct timespec time = { length / 1000000000, length % 1000000000 };

	return (struct nl_verdict){ .error = nanosleep(&time, NULL) ? errno : 0 };
}

static struct nl_verdict run_request(const struct session *session, const char *request)
{
	char name[32];
	int used = 0;

	if (sscanf(request, " %31s %n", name, &used) < 1)
		die("no command in '%s'", request);
	request += used;
	if (!strcmp(name, "add") || !strcmp(name, "change") || !strcmp(name, "del"))
		return talk_qdisc(name, session->ifindex, request);
	if (!strcmp(name, "step"))
		return step_clock(request);
	if (!strcmp(name, "sleep"))
		return sleep_ns(request);
	if (!strcmp(name, "fill-dests"))
		return fill_dests(session, request);
	if (!strcmp(name, "fill-entries"))
		return fill_entries(session, request);
	return talk_command(session, name, request);
}

static char *next_column(char **at)
{
	char *column = *at, *end;

	if (!column)
		return NULL;
	while (isspace((unsigned char)*column))
		column++;
	end = strchr(column, '|');
	*at = end ? end + 1 : NULL;
	if (!end)
		end = column + strlen(column);
	while (end > column && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	return column;
}

/* Does it blame an attribute of the type that @text begins with? Moves @text behind that. */
static bool blames(const struct nl_verdict *verdict, const char **text)
{
	unsigned long type;
	uint16_t blamed;
	char *end;

	if (!*text || **text != '@')
		return true;
	type = strtoul(*text + 1, &end, 10);
	*text = end + (*end == ' ');
	if (verdict->offset < NLMSG_HDRLEN || verdict->offset + NLA_HDRLEN > message.head.nlmsg_len)
		return false;
	memcpy(&blamed, message.bytes + verdict->offset + 2, sizeof(blamed));
	return (blamed & NLA_TYPE_MASK) == type;
}

/* A refusal must say why: without TEXT in the line, any text will do. */
static bool as_expected(const struct nl_verdict *verdict, const char *error, const char *text)
{
	if (verdict->error && !blames(verdict, &text))
		return false;
	if (strcmp(error_name(verdict->error), error))
		return false;
	if (!verdict->error)
		return true;
	return text ? !!strstr(verdict->text, text) : !!verdict->text[0];
}

/* Requests, separated by semicolons, none of which may fail */
static bool run_all(const struct session *session, const char *requests)
{
	static char text[NL_MESSAGE_MAX];
	char *rest = text, *request;
	bool done = true;

	snprintf(text, sizeof(text), "%s", requests);
	while (done && (request = strsep(&rest, ";")))
		done = !run_request(session, request).error;
	return done;
}

/*
 * One request with its first allocation failing, then its second, until it has as many as it
 * wants. Where one is done although an allocation failed, UNDO (if there is one) comes before the
 * next; without it that is the end. Sets changed where one was refused and yet not without a trace.
 */
static struct nl_verdict run_faults(const struct session *session, const char *request,
				    const char *undo, bool *changed)
{
	uint64_t before = gate_hash(session);
	struct nl_verdict verdict;

	*changed = false;
	for (unsigned int nth = 1;; nth++) {
		fault.nth = nth;
		verdict = run_request(session, request);
		fault.nth = 0;
		if (fault.hit && verdict.lost)
			verdict.error = 0;	/* the last one: the kernel's answer */
		if (fault.hit && verdict.error && gate_hash(session) != before)
			*changed = true;
		if (fault.hit && !verdict.error && undo) {
			*changed = !run_all(session, undo) || gate_hash(session) != before;
			if (!*changed)
				continue;
		}
		if (!fault.hit || !verdict.error || *changed) {
			printf("# %u failed allocations\n", nth - !fault.hit);
			return verdict;
		}
	}
}

static int run_script(const struct session *session)
{
	static char line[NL_MESSAGE_MAX];
	int failed = 0;

	while (fgets(line, sizeof(line), stdin)) {
		char *at = line, *name = next_column(&at), *request = next_column(&at);
		char *error = next_column(&at), *text = next_column(&at);
		struct nl_verdict verdict;
		bool changed = false;

		if (!*name || *name == '#')
			continue;
		if (!request || !error)
			die("'%s': a line is NAME | COMMAND TREE | ERRNO [| TEXT]", name);
		verdict = fault.fd < 0 ? run_request(session, request) :
			  run_faults(session, request, text, &changed);
		if (!changed && as_expected(&verdict, error, text)) {
			printf("ok %s\n", name);
			if (getenv("WIRE_TEXTS") && verdict.error)
				printf("# %s: %s\n", error_name(verdict.error), verdict.text);
			continue;
		}
		failed++;
		printf("not ok %s\n%s# %s ended with %s \"%s\", expected %s \"%s\"\n", name,
		       changed ? "# a request that failed has changed something\n" : "", request,
		       error_name(verdict.error), verdict.text, error, text ? text : "any text");
	}
	return failed ? 1 : 0;
}

/* ---- the command line ---- */

static int do_get(const char *dev, const char *const *paths, int count)
{
	struct printer printer = { .want = paths, .want_count = count, .id = -1 };
	struct nl_verdict verdict;
	struct session session;

	open_session(&session, dev);
	start_request(&session, LIQUID_CMD_GATE_GET, 0);
	verdict = nl_talk(session.fd, &message, print_reply, &printer);
	if (report(&verdict))
		return 1;
	return printer.found < count;
}

static int do_dest(const char *dev, const char *id, const char *const *paths, int count)
{
	struct printer printer = { .want = paths, .want_count = count,
				   .id = id ? (int64_t)strtoul(id, NULL, 0) : -1 };
	struct nl_verdict verdict;
	struct session session;

	open_session(&session, dev);
	start_request(&session, LIQUID_CMD_DEST_GET, NLM_F_DUMP);
	verdict = nl_talk(session.fd, &message, dest_reply, &printer);
	if (report(&verdict))
		return 1;
	if (!id)
		printf("%lu %u\n", printer.dests, verdict.messages);
	return printer.found < count;
}

static int do_options(const char *dev)
{
	struct qdisc_reply reply = { .printer = { .id = -1 }, .ifindex = device(dev) };
	struct tcmsg head = { .tcm_family = AF_UNSPEC, .tcm_ifindex = (int)reply.ifindex };
	struct nl_verdict verdict;
	int fd = nl_open(NETLINK_ROUTE);

	nl_start(&message, RTM_GETQDISC, NLM_F_DUMP, &head, sizeof(head));
	verdict = nl_talk(fd, &message, options_reply, &reply);
	close(fd);
	return report(&verdict);
}

/* How far a dump keeps to the order in which fill-entries filled. */
struct cycle {
	uint64_t frames, modulo;
	bool broken;
};

static void cycle_entry(struct cycle *cycle, const struct nlattr *entry)
{
	uint32_t run = 0, dest = UINT32_MAX;

	nl_for_each(attr, nl_value(entry), nl_size(entry)) {
		if (attr->nla_type == LIQUID_ENTRY_A_RUN)
			memcpy(&run, nl_value(attr), sizeof(run));
		if (attr->nla_type == LIQUID_ENTRY_A_DEST)
			memcpy(&dest, nl_value(attr), sizeof(dest));
	}
	if (run != 1 || dest != cycle->frames % cycle->modulo)
		cycle->broken = true;
	if (!cycle->broken)
		cycle->frames++;
}

static void cycle_reply(void *context, const struct nlmsghdr *head)
{
	size_t size;
	const void *first = payload(head, &size);

	nl_for_each(top, first, size)
		if ((top->nla_type & NLA_TYPE_MASK) == LIQUID_A_ENTRIES)
			nl_for_each(entry, nl_value(top), nl_size(top))
				cycle_entry(context, entry);
}

static int do_cycle(const char *dev, const char *modulo)
{
	struct cycle cycle = { .modulo = strtoull(modulo, NULL, 0) };
	uint32_t which = LIQUID_WHICH_ADMIN;
	struct nl_verdict verdict;
	struct session session;

	if (!cycle.modulo)
		die("MODULO is at least 1");
	open_session(&session, dev);
	start_request(&session, LIQUID_CMD_SCHED_GET, NLM_F_DUMP);
	nl_put(&message, LIQUID_A_WHICH, &which, sizeof(which));
	verdict = nl_talk(session.fd, &message, cycle_reply, &cycle);
	printf("%" PRIu64 " %u\n", cycle.frames, verdict.messages);
	return report(&verdict);
}

static int do_plan(const char *dev, uint32_t which)
{
	struct nl_verdict verdict;
	struct session session;
	bool started = false;
	static const char *const path[] = { "state.link_rate_bps", "gate.overhead", "gate.mpu" };
	static const char *const words[] = { "rate", "overhead", "mpu" };

	for (int i = 0; i < 3; i++) {
		printf("%s ", words[i]);
		if (do_get(dev, &path[i], 1))
			return 1;
	}
	open_session(&session, dev);
	start_request(&session, LIQUID_CMD_DEST_GET, NLM_F_DUMP);
	verdict = nl_talk(session.fd, &message, plan_dest_reply, NULL);
	if (report(&verdict))
		return 1;
	start_request(&session, LIQUID_CMD_SCHED_GET, NLM_F_DUMP);
	nl_put(&message, LIQUID_A_WHICH, &which, sizeof(which));
	verdict = nl_talk(session.fd, &message, plan_reply, &started);
	return report(&verdict) || !started;
}

static void become(const char *uid)
{
	uid_t id = (uid_t)strtoul(uid, NULL, 0);

	if (setgroups(0, NULL) || setgid(id) || setuid(id))
		die("cannot become user %s: %s", uid, strerror(errno));
}

static void join(char *text, size_t size, char **words, int count)
{
	size_t used = 0;

	text[0] = 0;
	for (int i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", words[i]);
}

static int do_qdisc(const char *verb, const char *dev, char **words, int count)
{
	static char tree[NL_MESSAGE_MAX];
	struct nl_verdict verdict;

	join(tree, sizeof(tree), words, count);
	verdict = talk_qdisc(verb, device(dev), tree);
	return report(&verdict);
}

static int do_script(const char *dev)
{
	struct session session;

	open_session(&session, dev);
	return run_script(&session);
}

int main(int argc, char **argv)
{
	const char *verb;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 3 && !strcmp(argv[1], "as")) {
		become(argv[2]);
		argv += 2;
		argc -= 2;
	}
	verb = argc > 1 ? argv[1] : "";
	if (!strcmp(verb, "now")) {
		printf("%" PRId64 "\n", tai_now());
		return 0;
	}
	if (argc < 3)
		die("see the head of the source for what it takes");
	if (!strcmp(verb, "add") || !strcmp(verb, "change") || !strcmp(verb, "del"))
		return do_qdisc(verb, argv[2], argv + 3, argc - 3);
	if (!strcmp(verb, "get"))
		return do_get(argv[2], (const char *const *)argv + 3, argc - 3);
	if (!strcmp(verb, "options"))
		return do_options(argv[2]);
	if (!strcmp(verb, "dest") && argc > 3)
		return do_dest(argv[2], argv[3], (const char *const *)argv + 4, argc - 4);
	if (!strcmp(verb, "count"))
		return do_dest(argv[2], NULL, NULL, 0);
	if (!strcmp(verb, "cycle") && argc > 3)
		return do_cycle(argv[2], argv[3]);
	if (!strcmp(verb, "plan"))
		return do_plan(argv[2], argc > 3 ? LIQUID_WHICH_ADMIN : LIQUID_WHICH_OPER);
	if (!strcmp(verb, "faults")) {
		fault.fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
		if (fault.fd < 0)
			die("the kernel cannot make allocations fail");
	}
	if (!strcmp(verb, "script") || !strcmp(verb, "faults"))
		return do_script(argv[2]);
	die("no command '%s'", verb);
}
