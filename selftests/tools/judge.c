// SPDX-License-Identifier: GPL-2.0-only
/*
 * judge: does what tap recorded lie inside the frames?
 *
 *	judge CAPTURE [OPTION]...
 *	  --plan HOST FILE	a plan of tap's device HOST (output of "wire plan"); may repeat for
 *				schedules that follow one another
 *	  --path FILE		lines "HOST DESTINATION-IPV4 LINK...": no two transfers of a frame
 *				may use the same link
 *	  --slack NS		how long after its release a packet may be seen by the tap (0)
 *	  --outliers N		packets that may lie outside nevertheless (0): only for guests whose
 *				processors are themselves taken away
 *	  --always		a plan holds at any time, also before its start (clock steps)
 *
 * Datagrams of blast must also be released in the order of their numbers.
 *
 * It reckons by itself, from the bytes of the packets and the plan as text: neither the module's
 * arithmetic nor its counters are used. A scheduled packet must be released inside a frame of its
 * destination, and be off the wire, behind all that was released before it, by the guard.
 */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "plan.h"
#include "record.h"

#define HOSTS_MAX	64
#define PLANS_MAX	8
#define REPORTS_MAX	20
#define FLOWS_MAX	4096
#define BLAST_MAGIC	0x6c697175U

struct host {
	struct plan plans[PLANS_MAX];
	unsigned int plan_count;
	int64_t wire_free, last;
	uint64_t scheduled, control, unscheduled, idle_unscheduled, ungated, outside, bytes;
	uint64_t misordered;
	uint32_t next[FLOWS_MAX];	/* number that a flow of blast has reached */
	int64_t earliest;	/* ns after the frame's start */
	int64_t latest;		/* ns from the guard's start; negative: before it */
};

/* One transfer that used a link in a frame: told by its start, which plans have in common. */
struct use {
	int64_t start;
	uint32_t link, host, dst;
};

struct path {
	uint32_t host, dst;
	uint32_t links[16];
	unsigned int count;
};

static struct host hosts[HOSTS_MAX];
static struct path *paths;
static size_t path_count;
static struct use *uses;
static size_t use_count;
static char **link_names;
static uint32_t link_count;
static int64_t slack;
static uint64_t outliers, reports;
static bool always;

/* ---- paths ---- */

static uint32_t link_number(const char *name)
{
	for (uint32_t i = 0; i < link_count; i++)
		if (!strcmp(link_names[i], name))
			return i;
	link_names = grow(link_names, link_count, sizeof(*link_names));
	link_names[link_count] = strdup(name);
	return link_count++;
}

static void read_paths(const char *name)
{
	FILE *in = fopen(name, "r");
	char line[512], *save, *word, *dst;

	if (!in)
		fail("cannot be read", name);
	while (fgets(line, sizeof(line), in)) {
		struct path path = { 0 };
		struct in_addr address;

		word = strtok_r(line, " \n", &save);
		dst = strtok_r(NULL, " \n", &save);
		if (!word || !dst || !inet_aton(dst, &address))
			fail("a line is HOST ADDRESS LINK...", name);
		path.host = (uint32_t)strtoul(word, NULL, 10);
		path.dst = address.s_addr;
		while (path.count < 16 && (word = strtok_r(NULL, " \n", &save)))
			path.links[path.count++] = link_number(word);
		paths = grow(paths, path_count, sizeof(path));
		paths[path_count++] = path;
	}
	fclose(in);
}

static void use_links(uint32_t host, uint32_t dst, int64_t start)
{
	for (size_t p = 0; p < path_count; p++) {
		if (paths[p].host != host || paths[p].dst != dst)
			continue;
		for (unsigned int i = 0; i < paths[p].count; i++) {
			uses = grow(uses, use_count, sizeof(*uses));
			uses[use_count++] = (struct use){ start, paths[p].links[i], host, dst };
		}
		return;
	}
	fail("a packet without a path", "--path");
}

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->link != y->link)
		return x->link < y->link ? -1 : 1;
	return 0;
}

static uint64_t count_meetings(void)
{
	uint64_t meetings = 0;

	qsort(uses, use_count, sizeof(*uses), compare_uses);
	for (size_t i = 1; i < use_count; i++) {
		const struct use *a = &uses[i - 1], *b = &uses[i];

		if (a->start != b->start || a->link != b->link ||
		    (a->host == b->host && a->dst == b->dst))
			continue;
		if (meetings++ < REPORTS_MAX)
			printf("# frame at %" PRId64 ": hosts %u and %u meet on link %s\n",
			       a->start,
			       a->host, b->host, link_names[a->link]);
	}
	return meetings;
}

/* ---- packets ---- */

struct packet {
	const unsigned char *ip;	/* NULL: not IP */
	size_t size;			/* captured, from there */
	unsigned int version, l4_at, protocol;
	uint32_t ip_length;
	bool fragment;			/* not the first one */
};

static uint16_t get16(const unsigned char *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static struct packet dissect(const struct tap_record *record)
{
	struct packet packet = { 0 };
	size_t at = record->header;
	uint16_t protocol = record->protocol;

	while ((protocol == 0x8100 || protocol == 0x88a8) && at + 4 <= record->captured) {
		protocol = get16(record->bytes + at + 2);
		at += 4;
	}
	packet.size = record->captured - at;
	if (protocol == 0x0800 && packet.size >= 20) {
		packet.ip = record->bytes + at;
		packet.version = 4;
		packet.l4_at = (packet.ip[0] & 15) * 4U;
		packet.protocol = packet.ip[9];
		packet.ip_length = get16(packet.ip + 2);
		packet.fragment = get16(packet.ip + 6) & 0x1fff;
	} else if (protocol == 0x86dd && packet.size >= 40) {
		packet.ip = record->bytes + at;
		packet.version = 6;
		packet.l4_at = 40;
		packet.protocol = packet.ip[6];
		packet.ip_length = 40U + get16(packet.ip + 4);
	}
	return packet;
}

static bool is_tcp(const struct packet *packet)
{
	return packet->ip && !packet->fragment && packet->protocol == IPPROTO_TCP &&
	       packet->l4_at + 20 <= packet->size;
}

/* No data, SYN, FIN or RST: a control packet unless its destination has frames */
static bool is_bare_ack(const struct tap_record *record, const struct packet *packet)
{
	const unsigned char *tcp = packet->ip + packet->l4_at;

	return is_tcp(packet) && !(tcp[13] & 0x07) && !record->gso_size &&
	       packet->ip_length <= packet->l4_at + (tcp[12] >> 4) * 4U;
}

static bool udp_is_control(const struct tap_record *record, const struct packet *packet)
{
	const unsigned char *udp = packet->ip + packet->l4_at;
	uint16_t port;

	if (packet->l4_at + 9 > packet->size)
		return false;
	port = get16(udp + 2);
	if (port == 319 || port == 320 || port == 67 || port == 68 || port == 546 || port == 547)
		return true;
	/* BFD: its length is one byte */
	if (port == 3784 || port == 3785 || port == 4784 || port == 6784)
		return !record->gso_size && packet->ip_length <= packet->l4_at + 8 + 255;
	/* RoCE v2: ACK, atomic ACK of any service, CNP */
	return port == 4791 && ((udp[8] & 0x1f) == 0x11 || (udp[8] & 0x1f) == 0x12 ||
				udp[8] == 0x81);
}

/* Multicast listeners and neighbours; the former behind a router alert of 8 bytes */
static bool icmp6_is_control(const struct packet *packet)
{
	bool alert = !packet->protocol;
	size_t at = packet->l4_at + (alert ? 8 : 0);
	unsigned int type;

	if (at >= packet->size || (alert && packet->ip[packet->l4_at] != IPPROTO_ICMPV6))
		return false;
	type = packet->ip[at];
	return (type >= 130 && type <= 137) || type == 143;
}

/* ARP, PTP, LACP, LLDP, 802.1X, and 802.2 of spanning trees */
static bool link_is_control(const struct tap_record *record)
{
	switch (record->protocol) {
	case 0x0806:
	case 0x88f7:
	case 0x8809:
	case 0x88cc:
	case 0x888e:
		return true;
	}
	return record->protocol < 0x600 && record->captured > record->header &&
	       record->bytes[record->header] == 0x42;
}

static bool is_control(const struct tap_record *record, const struct packet *packet)
{
	if (!packet->ip)
		return link_is_control(record);
	if (packet->fragment)
		return false;
	if (packet->protocol == 112 || (packet->version == 4 && packet->protocol == IPPROTO_IGMP))
		return true;
	if (is_tcp(packet))
		return packet->ip[packet->l4_at + 13] & 0x02;	/* SYN */
	if (packet->protocol == IPPROTO_UDP)
		return udp_is_control(record, packet);
	return packet->version == 6 && (packet->protocol == IPPROTO_ICMPV6 || !packet->protocol) &&
	       icmp6_is_control(packet);
}

static bool key_matches(const struct dest *dest, const struct tap_record *record,
			const struct packet *packet)
{
	switch (dest->kind) {
	case KEY_IPV4:
		return packet->version == 4 && !memcmp(dest->key, packet->ip + 16, 4);
	case KEY_IPV6:
		return packet->version == 6 && !memcmp(dest->key, packet->ip + 24, 16);
	case KEY_ETHER:
		return record->header == 14 && !memcmp(dest->key, record->bytes, 6);
	default:
		return false;
	}
}

/* A destination with frames in this plan, else -1: unscheduled. */
static int64_t find_dest(const struct plan *plan, const struct tap_record *record,
			 const struct packet *packet)
{
	for (uint32_t i = 0; i < plan->dest_count; i++) {
		if (!key_matches(&plan->dests[i], record, packet))
			continue;
		for (uint32_t f = 0; f < plan->frames; f++)
			if (plan->slot[f] == (int32_t)plan->dests[i].id)
				return plan->dests[i].id;
		return -1;
	}
	return -1;
}

static int64_t serialisation(const struct plan *plan, const struct tap_record *record,
			     const struct packet *packet)
{
	int64_t segments = 1, headers = 0, bytes;

	if (record->gso_size && packet->ip) {
		headers = packet->l4_at + record->header;
		headers += packet->protocol == IPPROTO_TCP && packet->l4_at + 13 <= packet->size ?
			   (packet->ip[packet->l4_at + 12] >> 4) * 4 : 8;
		segments = (record->length - headers + record->gso_size - 1) / record->gso_size;
		segments = segments < 1 ? 1 : segments;
	}
	bytes = record->length + (segments - 1) * headers + segments * plan->overhead;
	if (segments == 1 && bytes < plan->mpu)
		bytes = plan->mpu;
	/* A packet has few bytes: this does not overflow. */
	return bytes * 8 * 1000000000 / plan->rate;
}

/* ---- the verdict on one packet ---- */

static const struct plan *plan_at(const struct host *host, int64_t now)
{
	const struct plan *best = NULL;

	for (unsigned int i = 0; i < host->plan_count; i++)
		if ((always || host->plans[i].start <= now) &&
		    (!best || host->plans[i].start > best->start))
			best = &host->plans[i];
	return best;
}

/*
 * The tap sees a packet a moment after the gate has read the clock, so one that is seen just
 * after a frame may have been released in it: within the slack, the frame before counts too.
 */
static bool in_frame(struct host *host, const struct plan *plan, int64_t dest, int64_t now,
		     int64_t done, int64_t *frame)
{
	int64_t seen = floor_divide(now - plan->base, plan->frame_ns), over, start;

	for (*frame = seen; *frame >= seen - 1; (*frame)--) {
		start = plan->base + *frame * plan->frame_ns;
		over = done - (start + plan->frame_ns - plan->guard_ns);
		if (slot_of(plan, *frame) != dest || over > slack)
			continue;
		if (now - start < host->earliest)
			host->earliest = now - start;
		if (over > host->latest)
			host->latest = over;
		return true;
	}
	return false;
}

static void complain(const struct tap_record *record, const struct plan *plan, int64_t dest,
		     int64_t done)
{
	int64_t frame = floor_divide(record->tai_ns - plan->base, plan->frame_ns);

	if (reports++ >= REPORTS_MAX)
		return;
	printf("# host %u: %u bytes for %" PRId64 " at %" PRId64 ", %" PRId64
	       " ns into frame %" PRId64 " of %d, off the wire %" PRId64 " ns after the guard "
	       "began\n",
	       record->host, record->length, dest, record->tai_ns,
	       record->tai_ns - plan->base - frame * plan->frame_ns, frame, slot_of(plan, frame),
	       done - (plan->base + (frame + 1) * plan->frame_ns - plan->guard_ns));
}

static void judge_scheduled(struct host *host, const struct tap_record *record,
			    const struct packet *packet, const struct plan *plan, int64_t dest)
{
	int64_t frame;
	uint32_t dst;

	host->scheduled++;
	host->bytes += record->length;
	if (!in_frame(host, plan, dest, record->tai_ns, host->wire_free, &frame)) {
		host->outside++;
		complain(record, plan, dest, host->wire_free);
		return;
	}
	if (!path_count || packet->version != 4)
		return;
	memcpy(&dst, packet->ip + 16, sizeof(dst));
	use_links(record->host, dst, plan->base + frame * plan->frame_ns);
}

/* A number of 0 begins another run. */
static void check_order(struct host *host, const struct packet *packet)
{
	uint32_t head[3];	/* magic, flow, number */

	if (!packet->ip || packet->protocol != IPPROTO_UDP || packet->fragment ||
	    packet->l4_at + 8 + sizeof(head) > packet->size)
		return;
	memcpy(head, packet->ip + packet->l4_at + 8, sizeof(head));
	if (head[0] != BLAST_MAGIC || head[1] >= FLOWS_MAX)
		return;
	if (head[2] && head[2] < host->next[head[1]])
		host->misordered++;
	host->next[head[1]] = head[2] + 1;
}

static void judge_packet(const struct tap_record *record)
{
	struct host *host = &hosts[record->host];
	const struct plan *plan = plan_at(host, record->tai_ns);
	struct packet packet = dissect(record);
	int64_t now = record->tai_ns, dest, frame;

	if (!plan) {
		host->ungated++;
		return;
	}
	/* after a step of the clock the wire is where it was, but not on this scale */
	if (now < host->last || now - host->last > 1000000000)
		host->wire_free = now;
	host->last = now;
	host->wire_free = (host->wire_free > now ? host->wire_free : now) +
			  serialisation(plan, record, &packet);
	frame = floor_divide(now - plan->base, plan->frame_ns);
	dest = find_dest(plan, record, &packet);
	if (is_control(record, &packet) || (dest < 0 && is_bare_ack(record, &packet))) {
		host->control++;
		return;
	}
	if (has_ended(plan, frame) && !plan->then) {
		host->ungated++;
		return;
	}
	if (dest >= 0) {
		check_order(host, &packet);
		judge_scheduled(host, record, &packet, plan, dest);
		return;
	}
	host->unscheduled++;
	host->idle_unscheduled += slot_of(plan, frame) < 0;
}


static void judge_capture(const char *name)
{
	FILE *in = fopen(name, "r");
	struct tap_record record;

	if (!in)
		fail("cannot be read", name);
	while (fread(&record, sizeof(record), 1, in) == 1)
		if (record.host < HOSTS_MAX && record.captured <= TAP_SNAP &&
		    record.header <= record.captured)
			judge_packet(&record);
	fclose(in);
}

static uint64_t print_host(uint32_t number, const struct host *host)
{
	printf("host=%u scheduled=%" PRIu64 " bytes=%" PRIu64 " control=%" PRIu64
	       " unscheduled=%" PRIu64 " idle=%" PRIu64 " ungated=%" PRIu64 " outside=%" PRIu64
	       " misordered=%" PRIu64, number, host->scheduled, host->bytes, host->control,
	       host->unscheduled,
	       host->idle_unscheduled, host->ungated, host->outside, host->misordered);
	if (host->scheduled > host->outside)
		printf(" earliest=%" PRId64 " latest=%" PRId64, host->earliest, host->latest);
	putchar('\n');
	return host->outside;
}

static void read_options(int argc, char **argv)
{
	for (int i = 2; i < argc; i++) {
		int left = argc - i - 1;

		if (!strcmp(argv[i], "--plan") && left > 1) {
			unsigned long number = strtoul(argv[i + 1], NULL, 10);

			if (number >= HOSTS_MAX)
				fail("too many hosts", argv[i + 1]);
			if (hosts[number].plan_count == PLANS_MAX)
				fail("too many plans", argv[i + 2]);
			read_plan(&hosts[number].plans[hosts[number].plan_count++], argv[i + 2]);
			i += 2;
		} else if (!strcmp(argv[i], "--path") && left) {
			read_paths(argv[++i]);
		} else if (!strcmp(argv[i], "--slack") && left) {
			slack = strtoll(argv[++i], NULL, 10);
		} else if (!strcmp(argv[i], "--outliers") && left) {
			outliers = strtoull(argv[++i], NULL, 10);
		} else if (!strcmp(argv[i], "--always")) {
			always = true;
		} else {
			fail("unknown option", argv[i]);
		}
	}
}

int main(int argc, char **argv)
{
	uint64_t outside = 0, misordered = 0, meetings;

	if (argc < 2)
		fail("see the head of the source for what it takes", "usage");
	read_options(argc, argv);
	for (uint32_t i = 0; i < HOSTS_MAX; i++) {
		hosts[i].earliest = INT64_MAX;
		hosts[i].latest = INT64_MIN;
	}
	judge_capture(argv[1]);
	for (uint32_t i = 0; i < HOSTS_MAX; i++) {
		if (!hosts[i].plan_count)
			continue;
		outside += print_host(i, &hosts[i]);
		misordered += hosts[i].misordered;
	}
	meetings = count_meetings();
	if (path_count)
		printf("meetings=%" PRIu64 " uses=%zu\n", meetings, use_count);
	return outside > outliers || misordered || meetings ? 1 : 0;
}
