// SPDX-License-Identifier: GPL-2.0-only
/*
 * The model of liquid_lab.ko: times worked out by hand, and what always holds
 *
 * A lane carries a byte in 8 ns (1 Gbit/s) and the wire adds nothing, unless said otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "tap.h"

#define PORTS 8
#define LINKS 16
#define QUEUES 3
#define PACKETS 512
#define NEVER (~0ULL)

struct fate {
	u64 sent, delivered, dropped;		/* when; NEVER: not */
	int reason;
};

struct net {
	struct lfab_model model;		/* first: the callbacks find the net by it */
	struct lfab_port port[PORTS];
	struct lfab_link link[LINKS];
	struct list_head queue[PORTS * QUEUES];
	struct lfab_lane lane[LINKS * 4];
	struct lfab_packet packet[PACKETS];
	struct fate fate[PACKETS];
	u32 path[PORTS][PORTS][LFAB_PATH_MAX + 1];
	u32 count, delivered, dropped, sent;
	u64 now;
};

static struct net *net;

static struct fate *fate_of(const struct lfab_packet *packet)
{
	return &net->fate[packet - net->packet];
}

static void on_sent(struct lfab_model *model, struct lfab_packet *packet)
{
	(void)model;
	if (fate_of(packet)->sent != NEVER)
		abort();
	fate_of(packet)->sent = net->now;
	net->sent++;
}

static void on_deliver(struct lfab_model *model, struct lfab_packet *packet, u64 time)
{
	struct fate *fate = fate_of(packet);

	(void)model;
	if (fate->sent == NEVER || fate->delivered != NEVER || fate->dropped != NEVER)
		abort();
	if (net->link[packet->path[packet->path[0]]].down)
		abort();
	fate->delivered = time;
	net->delivered++;
}

static void on_drop(struct lfab_model *model, struct lfab_packet *packet, enum lfab_reason reason)
{
	struct fate *fate = fate_of(packet);

	(void)model;
	if (fate->sent == NEVER || fate->delivered != NEVER || fate->dropped != NEVER)
		abort();
	fate->dropped = net->now;
	fate->reason = reason;
	net->dropped++;
}

static const struct lfab_ops ops = {
	.sent = on_sent, .deliver = on_deliver, .drop = on_drop,
};

/* A fabric of @links links; which of them end at a switch is found by paths that go on. */
static void begin(enum lfab_switching switching, u32 links)
{
	free(net);
	net = calloc(1, sizeof(*net));
	if (!net)
		abort();
	net->model = (struct lfab_model){
		.ops = &ops, .switching = switching, .rate_bps = 1000000000, .worm_bytes = 1 << 20,
		.buffer_bytes = 1 << 18, .ports = PORTS, .links = links, .queues = QUEUES,
		.port = net->port, .link = net->link,
	};
	for (u32 i = 0; i < LINKS; i++)
		net->link[i].capacity = 1;
	for (u32 i = 0; i < PACKETS; i++)
		net->fate[i] = (struct fate){ NEVER, NEVER, NEVER, -1 };
}

/* The links of a path, ended by -1 */
static void path(u32 src, u32 dst, ...)
{
	u32 *at = net->path[src][dst];
	va_list args;
	int link;

	va_start(args, dst);
	while ((link = va_arg(args, int)) >= 0) {
		if (at[0])
			net->link[at[at[0]]].to_switch = true;
		at[++at[0]] = (u32)link;
	}
	va_end(args);
}

static void ready(void)
{
	lfab_model_init(&net->model, net->queue, net->lane);
}

static u32 budget = (u32)-1;	/* of work, each time the model runs */

/* All events up to @now, each at its own time, so that the callbacks know it. */
static void run(u64 now)
{
	u64 next;

	while (lfab_model_next(&net->model, &next) && next <= now) {
		net->now = next;
		lfab_model_run(&net->model, next, budget);
	}
	net->now = now;
}

static u32 post_queue(u64 now, u32 src, u32 dst, u32 bytes, u32 queue)
{
	struct lfab_packet *packet = &net->packet[net->count];

	if (now > net->now)
		run(now - 1);		/* what is posted at one instant is there at once */
	net->now = now;
	memcpy(packet->path, net->path[src][dst], sizeof(packet->path));
	packet->wire = bytes + net->model.overhead;
	packet->src = src;
	packet->dst = dst;
	packet->queue = queue;
	lfab_model_send(&net->model, packet, now);
	return net->count++;
}

static u32 post(u64 now, u32 src, u32 dst, u32 bytes)
{
	return post_queue(now, src, dst, bytes, 0);
}

static void finish(void)
{
	run(NEVER - 1);
}

static bool delivered(u32 packet, u64 time)
{
	if (net->fate[packet].delivered == time)
		return true;
	printf("# packet %u was delivered at %lld, not %llu\n", packet,
	       (long long)net->fate[packet].delivered, (unsigned long long)time);
	return false;
}

static bool dropped(u32 packet, int reason, u64 time)
{
	if (net->fate[packet].dropped == time && net->fate[packet].reason == reason)
		return true;
	printf("# packet %u was dropped at %lld with reason %d\n", packet,
	       (long long)net->fate[packet].dropped, net->fate[packet].reason);
	return false;
}

static bool equal(const char *what, u64 value, u64 expected)
{
	if (value == expected)
		return true;
	printf("# %s is %llu, not %llu\n", what, (unsigned long long)value,
	       (unsigned long long)expected);
	return false;
}

/* Nothing is held by anybody, and everything is accounted for. */
static bool idle(void)
{
	bool good = equal("in flight", net->model.in_flight, 0) &&
		    equal("sent", net->sent, net->count) &&
		    equal("delivered or dropped", net->delivered + net->dropped, net->count);

	for (u32 i = 0; i < net->model.links && good; i++) {
		const struct lfab_link *link = &net->link[i];
		u32 free_lanes = 0;

		for (const struct list_head *at = link->free.next; at != &link->free; at = at->next)
			free_lanes++;
		good = equal("free lanes", free_lanes, net->model.switching ? 1 : link->capacity) &&
		       equal("room used", link->used, 0) && equal("leaving", link->leaving, 0) &&
		       list_empty(&link->requests) && list_empty(&link->stored);
	}
	for (u32 i = 0; i < net->model.ports && good; i++)
		good = !net->port[i].busy;
	return good && !net->model.heap.root;
}

/* ---- wormhole ---- */

static void one_worm(void)
{
	u32 a, b;

	begin(LFAB_WORMHOLE, 3);
	net->model.hop_ns = 10;
	net->model.overhead = 24;
	path(0, 1, 0, 1, 2, -1);
	ready();
	a = post(100, 0, 1, 1000);
	b = post(100, 0, 1, 500);
	finish();
	/* the header is there at 100 + 2 x 10; 1024 bytes, then 524; 2 x 10 for the bytes */
	ok(delivered(a, 120 + 8192 + 20), "a worm: header, bytes, latencies");
	ok(delivered(b, 120 + 12384 + 20), "its second packet is reckoned from its start");
	ok(equal("a's leaving", net->fate[a].sent, 120 + 8192),
	   "a packet leaves its ring when it is through");
	ok(equal("worms", net->port[0].worms, 1), "both are one worm");
	ok(equal("busy", net->link[1].busy_ns, 12384 + 20), "a link is busy while bytes flow");
	ok(equal("blocked", net->link[0].blocked_ns, 0), "no packet waited");
	ok(equal("bytes", net->link[2].bytes, 1548), "bytes are those on the wire");
	ok(equal("sent bytes", net->port[0].sent_bytes, 1500),
	   "a port counts them without overhead");
	ok(idle(), "and all is given back");
}

static void ends_of_worms(void)
{
	u32 p[6];

	begin(LFAB_WORMHOLE, 3);
	net->model.worm_bytes = 2000;
	path(0, 1, 0, 1, -1);
	path(0, 2, 0, 2, -1);
	ready();
	p[0] = post(0, 0, 1, 1000);
	p[1] = post(0, 0, 1, 1000);
	p[2] = post(0, 0, 1, 3000);
	p[3] = post(0, 0, 2, 100);
	p[4] = post(0, 0, 1, 100);
	p[5] = post(40801, 0, 1, 100);
	finish();
	ok(delivered(p[1], 16000) && delivered(p[2], 40000) && delivered(p[3], 40800) &&
	   delivered(p[4], 41600), "worms follow each other without a gap");
	ok(equal("worms", net->port[0].worms, 4),
	   "a worm ends at its limit, at a larger packet, at another destination");
	ok(delivered(p[5], 42400), "what comes while it flows is part of it");
	p[0] = post(42401, 0, 1, 100);
	finish();
	ok(equal("worms", net->port[0].worms, 5), "it ends when the queue is empty");
}

/* ---- ports that go down ---- */

static void down(void)
{
	u32 a, b, c;

	begin(LFAB_WORMHOLE, 5);
	path(0, 2, 0, 2, 3, -1);
	path(1, 3, 1, 2, 4, -1);
	ready();
	a = post(0, 0, 2, 1000);
	b = post(0, 0, 2, 1000);
	c = post(100, 1, 3, 1000);
	run(9000);
	lfab_model_down(&net->model, 0, 9000);
	finish();
	ok(delivered(a, 8000) && dropped(b, LFAB_DROP_DOWN, 9000),
	   "a port that goes down loses what has not left");
	ok(delivered(c, 17000), "a worm that waits has its links from then on");
	a = post(20000, 0, 2, 1000);
	b = post(20000, 1, 3, 1000);
	run(21000);
	lfab_model_down(&net->model, 1, 21000);
	c = post(22000, 1, 3, 1000);
	finish();
	ok(dropped(b, LFAB_DROP_DOWN, 21000) && delivered(a, 28000) && delivered(c, 36000),
	   "a worm that waits is gone, and the port can send again");
	ok(idle(), "nothing is left");
	begin(LFAB_CUT_THROUGH, 3);
	path(0, 1, 0, 1, 2, -1);
	ready();
	a = post(0, 0, 1, 1000);
	b = post(0, 0, 1, 1000);
	run(1000);
	lfab_model_down(&net->model, 0, 1000);
	ok(equal("a's ring", net->fate[a].sent, 1000), "the ring is rid of what is on the link");
	finish();
	ok(delivered(a, 8000) && dropped(b, LFAB_DROP_DOWN, 1000), "which arrives");
	ok(idle(), "nothing is left");
}

/* ---- links that go down ---- */

/* At @now, after all that happens then */
static void link_at(u64 now, u32 link, bool is_down)
{
	run(now);
	lfab_model_link(&net->model, link, is_down, now);
}

/* Two ports share link 2; each has another last link. */
static void begin_shared(enum lfab_switching switching)
{
	begin(switching, 5);
	path(0, 2, 0, 2, 3, -1);
	path(1, 3, 1, 2, 4, -1);
	path(1, 2, 1, 3, -1);
	ready();
}

static void worm_is_cut(void)
{
	u32 a, b, c;

	begin_shared(LFAB_WORMHOLE);
	a = post(0, 0, 2, 1000);
	b = post(0, 0, 2, 1000);
	link_at(4000, 2, true);
	c = post(9000, 1, 2, 1000);
	link_at(20000, 2, false);
	finish();
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 8000), "a link goes down: what is on it is lost");
	ok(equal("worms", net->port[0].worms, 1) && dropped(b, LFAB_DROP_LINK_DOWN, 16000),
	   "the worm ends, and its next packet is lost before the link");
	ok(delivered(c, 17000), "where it does not hold the links behind");
	ok(equal("drops", net->link[2].drops, 2) && equal("bytes", net->link[0].bytes, 2000) &&
	   equal("bytes", net->link[3].bytes, 2000), "links count them, and bytes up to there");
	a = post(20000, 0, 2, 1000);
	finish();
	ok(delivered(a, 28000), "a link that is up again carries");
	ok(idle(), "nothing is left");
}

static void worm_is_cut_shortly(void)
{
	u32 a, b;

	begin_shared(LFAB_WORMHOLE);
	a = post(0, 0, 2, 1000);
	b = post(0, 0, 2, 1000);
	link_at(4000, 3, true);
	link_at(4001, 3, false);
	finish();
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 8000) && delivered(b, 16000),
	   "a link is down for 1 ns: the packet on it is lost, the next is not");
	net->model.hop_ns = 100;
	a = post(20000, 0, 2, 1000);		/* through at 28200, there at 28400 */
	b = post(30000, 0, 2, 1000);
	link_at(28300, 2, true);
	link_at(28300, 2, false);
	link_at(38300, 2, true);
	link_at(38350, 2, false);
	finish();
	ok(delivered(a, 28400), "down for no time: nothing is lost");
	ok(dropped(b, LFAB_DROP_LINK_DOWN, 38400), "last bytes are lost too");
	ok(idle(), "nothing is left");
}

/* b waits for the link that a holds. */
static void waits_are_cut(void)
{
	u32 a, b, c;

	begin_shared(LFAB_WORMHOLE);
	a = post(0, 0, 2, 1000);
	b = post(10, 1, 3, 1000);
	link_at(4000, 2, true);
	finish();
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 8000) && dropped(b, LFAB_DROP_LINK_DOWN, 12000),
	   "a worm that waits for a link that goes down flows up to it");
	ok(equal("head of line", net->port[1].hol_ns, 3990), "and waits no longer");
	link_at(20000, 0, true);
	a = post(20000, 0, 2, 1000);
	b = post(20000, 0, 2, 1000);
	c = post(20000, 1, 2, 1000);
	finish();
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 20000) && dropped(b, LFAB_DROP_LINK_DOWN, 20000) &&
	   delivered(c, 28000), "the port's own link is down: its packets are dropped at once");
	ok(idle(), "nothing is left");
}

static void cut_is_cut(void)
{
	u32 a, b, c;

	begin_shared(LFAB_CUT_THROUGH);
	net->model.hop_ns = 50;
	a = post(0, 0, 2, 1000);		/* on link 2 from 50 to 8050 */
	b = post(0, 0, 2, 1000);		/* asks for it at 8050 */
	link_at(4000, 2, true);
	finish();
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 8100), "cut-through: the receiver discards the rest");
	ok(dropped(b, LFAB_DROP_LINK_DOWN, 16000), "what asks for the link is gone with its tail");
	ok(equal("drops", net->link[2].drops, 2) && equal("bytes", net->link[3].bytes, 1000),
	   "the link counts both");
	link_at(20000, 2, false);
	a = post(20000, 0, 2, 2000);
	b = post(20000, 1, 3, 1000);		/* stored behind link 1, waits for link 2 */
	c = post(20000, 1, 2, 1000);
	link_at(30000, 2, true);
	link_at(30001, 2, false);
	finish();
	ok(dropped(b, LFAB_DROP_LINK_DOWN, 30000), "what waits for it in a buffer is dropped");
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 36100) && delivered(c, 36100 + 8000),
	   "the packet behind goes on");
	ok(idle(), "nothing is left");
}

static void packet_is_cut(void)
{
	u32 a, b, c;

	begin_shared(LFAB_PACKET);
	a = post(0, 0, 2, 1000);
	b = post(0, 0, 2, 1000);
	link_at(4000, 0, true);
	link_at(5000, 0, false);
	link_at(12000, 2, true);
	finish();
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 8000),
	   "store and forward: the switch discards the rest");
	ok(dropped(b, LFAB_DROP_LINK_DOWN, 16000) && equal("drops", net->link[2].drops, 1),
	   "and what is for a link that is down");
	link_at(20000, 2, false);
	a = post(20000, 0, 2, 2000);		/* on link 2 from 36000 to 52000 */
	b = post(30000, 1, 3, 1000);		/* there at 38000 */
	c = post(30000, 1, 3, 1000);		/* there at 46000 */
	link_at(40000, 2, true);
	link_at(45000, 2, false);
	finish();
	ok(dropped(b, LFAB_DROP_LINK_DOWN, 40000) && dropped(a, LFAB_DROP_LINK_DOWN, 52000),
	   "the queue of a link that goes down is dropped");
	ok(delivered(c, 68000), "later packets have its room");
	ok(idle(), "nothing is left");
}

/* Six requests wait for the link: refusing each is work of its own. */
static void refusals_are_work(void)
{
	begin(LFAB_CUT_THROUGH, 10);
	for (int i = 0; i < 7; i++)
		path((u32)i, 7, i, 8, -1);
	ready();
	for (u32 i = 0; i < 7; i++)
		post(0, i, 7, 1000);
	link_at(100, 8, true);
	lfab_model_run(&net->model, 100, 4);
	ok(equal("drops", net->link[8].drops, 4), "a portion of work refuses no more than that");
	finish();
	ok(equal("dropped", net->dropped, 7) && idle(), "and all are refused in the end");
}

/* ---- new routes ---- */

/* Two ways from port 0 to port 2, by link 2 and by link 3; port 1 also uses link 2. */
static void begin_two_ways(enum lfab_switching switching)
{
	begin(switching, 6);
	path(0, 2, 0, 2, 4, -1);
	path(1, 3, 1, 2, 5, -1);
	ready();
	net->link[3].to_switch = true;
}

/* Packets of port 0 from now on go by @link, 2 or 3. */
static void new_route(u32 link)
{
	net->path[0][2][0] = 0;
	path(0, 2, 0, (int)link, 4, -1);
}

static void worm_of_one_way(void)
{
	u32 a, b, c, d;

	begin_two_ways(LFAB_WORMHOLE);
	a = post(0, 0, 2, 1000);
	b = post(0, 0, 2, 1000);
	run(4000);
	new_route(3);
	c = post(4000, 0, 2, 1000);
	finish();
	ok(delivered(a, 8000) && delivered(b, 16000) && delivered(c, 24000),
	   "new routes: a worm takes no packet that goes another way");
	ok(equal("worms", net->port[0].worms, 2) && equal("old", net->link[2].bytes, 2000) &&
	   equal("new", net->link[3].bytes, 1000), "that is its own worm, by the new way");
	a = post(30000, 0, 2, 1000);
	run(31000);
	new_route(3);
	b = post(31000, 0, 2, 1000);
	finish();
	ok(delivered(a, 38000) && delivered(b, 46000) &&
	   equal("worms", net->port[0].worms, 3), "routes as before: it takes the next packet");
	net->model.hop_ns = 100;
	c = post(50000, 0, 2, 1000);		/* through at 58200, there at 58400 */
	run(51000);
	new_route(2);
	d = post(58300, 0, 2, 1000);
	finish();
	ok(delivered(c, 58400) && delivered(d, 66800) && equal("old", net->link[3].busy_ns, 32200),
	   "a worm whose packets are through keeps its way to its end");
	ok(idle(), "nothing is left");
}

/* b waits for link 2, which a holds; c is sent after it, by the new way. */
static void cut_has_new_routes(bool voq)
{
	u32 a, b, c;

	begin_two_ways(LFAB_CUT_THROUGH);
	net->model.voq = voq;
	a = post(0, 1, 3, 2000);
	b = post(1000, 0, 2, 1000);
	run(2000);
	new_route(3);
	c = post(2000, 0, 2, 1000);
	finish();
	if (voq)
		ok(delivered(b, 25000) && delivered(c, 17000),
		   "with queues by link, what goes the new way overtakes it");
	else
		ok(delivered(b, 24000) && delivered(c, 32000),
		   "new routes: in a FIFO, what goes the new way waits behind what does not");
	ok(delivered(a, 16000) && equal("old", net->link[2].bytes, 3000) &&
	   equal("new", net->link[3].bytes, 1000), "links count their bytes");
	ok(idle(), "nothing is left");
}

static void packet_has_new_routes(void)
{
	u32 a, b;

	begin_two_ways(LFAB_PACKET);
	a = post(0, 0, 2, 1000);
	run(4000);
	new_route(3);
	b = post(4000, 0, 2, 1000);
	finish();
	ok(delivered(a, 24000) && delivered(b, 32000) && equal("old", net->link[2].bytes, 1000),
	   "new routes: a packet under way goes the old way, switch after switch");
	new_route(2);
	a = post(40000, 0, 2, 1000);
	link_at(46000, 2, true);
	new_route(3);
	b = post(46000, 0, 2, 1000);
	finish();
	ok(dropped(a, LFAB_DROP_LINK_DOWN, 48000) && delivered(b, 72000),
	   "if that is cut it is lost, and what goes the new way is not");
	ok(idle(), "nothing is left");
}

/* ---- what always holds ---- */

static u64 seed;

static u32 random_below(u32 limit)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % limit;
}

/* Ports on a ring of switches of either direction: circles are the rule. */
static void random_paths(void)
{
	for (u32 src = 0; src < PORTS; src++)
		for (u32 dst = 0; dst < PORTS; dst++) {
			u32 *at = net->path[src][dst], hops = (dst / 2 + 4 - src / 2) % 4;

			/* links 0-7: from ports; 8-11: ring; 12-15: each to a pair of ports */
			if (src == dst)
				continue;
			at[++at[0]] = src;
			net->link[src].to_switch = true;
			for (u32 h = 0; h < hops; h++) {
				at[++at[0]] = 8 + (src / 2 + h) % 4;
				net->link[8 + (src / 2 + h) % 4].to_switch = true;
			}
			at[++at[0]] = 12 + dst / 2;
		}
}

/* All that the model can be */
static const struct kind {
	const char *name;
	enum lfab_switching switching;
	bool voq;
} kinds[] = {
	{ "wormhole", LFAB_WORMHOLE, false },
	{ "cut-through", LFAB_CUT_THROUGH, false },
	{ "virtual output queues", LFAB_CUT_THROUGH, true },
	{ "packet", LFAB_PACKET, false },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static bool random_run(const struct kind *kind)
{
	u64 now = 0;
	u32 number, deadlocks;

	begin(kind->switching, LINKS);
	net->model.voq = kind->voq;
	random_paths();
	net->model.hop_ns = random_below(3) * 700;
	net->model.worm_bytes = 1 + random_below(6000);
	net->model.buffer_bytes = 1500 + random_below(4000);
	for (u32 i = 8; i < LINKS; i++)
		net->link[i].capacity = 1 + random_below(3);
	ready();
	number = 1 + random_below(PACKETS);
	while (net->count < number) {
		u32 src = random_below(PORTS), dst = (src + 1 + random_below(PORTS - 1)) % PORTS;

		now += random_below(4) ? 0 : random_below(9000);
		post_queue(now, src, dst, 1 + random_below(1500), random_below(QUEUES));
		if (!random_below(60))
			lfab_model_down(&net->model, random_below(PORTS), now);
		if (!random_below(15))
			lfab_model_link(&net->model, random_below(LINKS), !random_below(3), now);
	}
	deadlocks = 0;
	finish();
	for (u32 i = 0; i < net->count; i++)
		deadlocks += net->fate[i].reason == LFAB_DROP_DEADLOCK;
	return idle() &&
	       (kind->switching == LFAB_PACKET ? !deadlocks : deadlocks >= net->model.deadlocks);
}

static void always(void)
{
	u64 deadlocks;

	for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
		bool good = true;

		deadlocks = 0;
		for (seed = 1; seed < 1000000007 && good; seed += 1000000007 / 400) {
			u64 before = seed;

			good = random_run(kind);
			deadlocks += net->model.deadlocks;
			if (!good)
				printf("# seed %llu\n", (unsigned long long)before);
			seed = before;
		}
		ok(good,
		   "%s: any traffic ends, each packet delivered or dropped once", kind->name);
		ok(kind->switching == LFAB_PACKET ? !deadlocks : deadlocks > 10,
		   "%s: %llu deadlocks were broken", kind->name, (unsigned long long)deadlocks);
	}
}

static void purge(void)
{
	begin(LFAB_CUT_THROUGH, LINKS);
	random_paths();
	ready();
	for (u32 i = 0; i < 100; i++)
		post(i * 10, i % PORTS, (i + 3) % PORTS, 1000);
	run(20000);
	lfab_model_purge(&net->model);
	ok(equal("in flight", net->model.in_flight, 0) && net->dropped && net->delivered &&
	   net->dropped + net->delivered == 100 && !net->model.heap.root,
	   "a purge drops what is under way");
}

static bool same_fates(const struct fate *fate)
{
	for (u32 i = 0; i < PACKETS; i++)
		if (fate[i].delivered != net->fate[i].delivered ||
		    fate[i].dropped != net->fate[i].dropped)
			return false;
	return true;
}

static void portions(void)
{
	static struct fate whole[PACKETS];
	bool good = true;

	for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
		seed = 7;
		good &= random_run(kind);
		memcpy(whole, net->fate, sizeof(whole));
		budget = 1;
		seed = 7;
		good &= random_run(kind) && same_fates(whole);
		budget = (u32)-1;
	}
	ok(good, "in portions everything happens at the same time");

	begin(LFAB_WORMHOLE, 1);
	path(0, 1, 0, -1);
	ready();
	for (int i = 0; i < 10; i++)
		post(0, 0, 1, 1000);
	/* A header asks, two packets are through; the third is through 24 us after the start. */
	ok(equal("the model's time", lfab_model_run(&net->model, 100000, 3), 24000) &&
	   equal("in flight", net->model.in_flight, 8) &&
	   equal("the model's time", lfab_model_run(&net->model, 100000, 100), 100000) &&
	   equal("in flight", net->model.in_flight, 0), "a small budget makes the model late");
}

/* Three worms want the last link: each of the two that wait looks at the holders of its lanes. */
static void search_is_work(void)
{
	begin(LFAB_WORMHOLE, 4);
	path(0, 3, 0, 3, -1);
	path(1, 3, 1, 3, -1);
	path(2, 3, 2, 3, -1);
	ready();
	for (u32 src = 0; src < 3; src++)
		post(0, src, 3, 1000);
	lfab_model_run(&net->model, 0, 100);
	ok(equal("work", net->model.work, 6 + 2),
	   "six headers ask, and two searches see a lane each");
}

/* Two links out are held, so that the third packet finds two queues in its buffer. */
static void queues_are_work(void)
{
	begin(LFAB_CUT_THROUGH, 6);
	net->model.voq = true;
	path(0, 3, 0, 3, -1);
	path(0, 4, 0, 4, -1);
	path(0, 5, 0, 5, -1);
	path(1, 3, 1, 3, -1);
	path(2, 4, 2, 4, -1);
	ready();
	post(0, 1, 3, 2000);
	post(0, 2, 4, 2000);
	for (u32 dst = 3; dst < 6; dst++)
		post(10, 0, dst, 100);
	run(1609);
	lfab_model_run(&net->model, 1610, 100);
	ok(equal("work", net->model.work, 3 + 2),
	   "a lane ends, two headers ask, and two queues are not the packet's");
}

int main(void)
{
	one_worm();
	ends_of_worms();
	down();
	worm_is_cut();
	worm_is_cut_shortly();
	waits_are_cut();
	cut_is_cut();
	packet_is_cut();
	refusals_are_work();
	worm_of_one_way();
	cut_has_new_routes(false);
	cut_has_new_routes(true);
	packet_has_new_routes();
	always();
	purge();
	portions();
	search_is_work();
	queues_are_work();
	free(net);
	return tap_exit();
}
