// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulator and the model of liquid_lab.ko beside each other
 *
 * Two programs that share nothing carry the same traffic over the same random fabrics; every time
 * and every counter must agree to the nanosecond. The senders of the module are played here:
 * they send what the order says, as soon as what came before is delivered.
 */
#include "model.h"
#include "simulate/shuffle.h"
#include "sim-fixtures.h"
#include "tap.h"

#define HOSTS_MAX 12
#define MESSAGE 1200
#define PACKET 400
#define PACKETS (MESSAGE / PACKET)

/* What a host sends, in the order of its turns */
struct sender {
	u32 dst[HOSTS_MAX], count;
	u32 next;			/* by message */
	u32 open;			/* packets of the message that are not through */
};

struct play {
	struct lfab_model model;	/* first: the callbacks find the rest by it */
	struct sender sender[HOSTS_MAX];
	u32 path[HOSTS_MAX][HOSTS_MAX][LFAB_PATH_MAX + 1];
	struct lfab_packet packet[HOSTS_MAX * HOSTS_MAX * PACKETS];
	u32 packets;
	u64 now, end[HOSTS_MAX];
	u32 delivered, dropped;
	bool by_message;
};

static void post(struct play *play, u32 src, u32 dst, u32 queue)
{
	for (int i = 0; i < PACKETS; i++) {
		struct lfab_packet *packet = &play->packet[play->packets++];

		memcpy(packet->path, play->path[src][dst], sizeof(packet->path));
		packet->wire = PACKET + play->model.overhead;
		packet->src = src;
		packet->dst = dst;
		packet->queue = queue;
		play->sender[src].open++;
		lfab_model_send(&play->model, packet, play->now);
	}
}

static void through(struct play *play, u32 src)
{
	struct sender *sender = &play->sender[src];

	if (!--sender->open && play->by_message && sender->next < sender->count) {
		sender->next++;
		post(play, src, sender->dst[sender->next - 1], 0);
	}
}

static void on_sent(struct lfab_model *model, struct lfab_packet *packet)
{
	(void)model;
	(void)packet;
}

static void on_deliver(struct lfab_model *model, struct lfab_packet *packet, u64 time)
{
	struct play *play = (struct play *)model;

	play->delivered++;
	play->end[packet->dst] = time;
	through(play, packet->src);
}

static void on_drop(struct lfab_model *model, struct lfab_packet *packet, enum lfab_reason reason)
{
	struct play *play = (struct play *)model;

	(void)reason;
	play->dropped++;
	through(play, packet->src);
}

static const struct lfab_ops ops = {
	.sent = on_sent, .deliver = on_deliver, .drop = on_drop,
};

/* ---- the same fabric, traffic and options for the module ---- */

static void set_paths(struct play *play, const struct liquid_fabric *fabric,
		      const struct liquid_pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct liquid_error err;
		u32 *path = play->path[pairs[i].src][pairs[i].dst];
		int links = liquid_fabric_route(fabric, pairs[i].src, pairs[i].dst, path + 1, &err);

		must(links, &err);
		path[0] = (u32)links;
	}
}

/* By the distance in rank, as pairwise goes */
static void set_turns(struct play *play, const struct liquid_fabric *fabric,
		      const struct liquid_pair *pairs, size_t count)
{
	struct shuffle_ranks ranks;
	struct liquid_error err;

	must(shuffle_ranks(fabric, pairs, (u32)count, false, NULL, &ranks, &err), &err);
	for (u32 step = 0; step < ranks.receivers; step++)
		for (size_t i = 0; i < count; i++)
			if (shuffle_step_rotation(&ranks, &pairs[i]) == step) {
				struct sender *sender = &play->sender[pairs[i].src];

				sender->dst[sender->count++] = pairs[i].dst;
			}
	shuffle_ranks_clear(&ranks);
}

static void set_links(struct play *play, const struct liquid_fabric *fabric)
{
	u32 hosts = liquid_fabric_host_count(fabric);

	for (u32 l = 0; l < play->model.links; l++) {
		play->model.link[l].capacity = liquid_fabric_capacity(fabric, l);
		play->model.link[l].to_switch = liquid_fabric_link(fabric, l)->to >= hosts;
	}
}

static void run_module(struct play *play)
{
	u64 next;

	for (u32 src = 0; src < play->model.ports; src++) {
		struct sender *sender = &play->sender[src];

		if (play->by_message && sender->count) {
			sender->next = 1;
			post(play, src, sender->dst[0], 0);
		}
		for (u32 i = 0; i < sender->count && !play->by_message; i++)
			post(play, src, sender->dst[i], i);
	}
	while (lfab_model_next(&play->model, &next)) {
		play->now = next;
		lfab_model_run(&play->model, next, 1);	/* an event at a time */
	}
}

static struct play *played(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			   const struct liquid_sim_options *options)
{
	const struct liquid_pair *pairs = liquid_traffic_pairs(traffic);
	size_t count = liquid_traffic_pair_count(traffic);
	u32 links = liquid_fabric_link_count(fabric), hosts = liquid_fabric_host_count(fabric);
	static struct play one;		/* not allocated anew, which would take most of the time */
	struct play *play = &one;
	struct list_head *queues = calloc((size_t)hosts * HOSTS_MAX, sizeof(*queues));
	struct lfab_lane *lanes = calloc((size_t)links * 4, sizeof(*lanes));

	memset(play, 0, sizeof(*play));
	play->by_message = options->order == LIQUID_SIM_PAIRWISE;
	play->model = (struct lfab_model){
		.ops = &ops, .switching = options->switching, .rate_bps = options->rate_bps,
		.overhead = options->overhead, .hop_ns = options->hop_ns,
		.worm_bytes = options->worm_bytes, .buffer_bytes = options->buffer_bytes,
		.voq = options->queues == LIQUID_SIM_VOQ,
		.fifo = options->queues == LIQUID_SIM_FIFO,
		.ports = hosts, .links = links, .queues = HOSTS_MAX,
		.port = calloc(hosts, sizeof(struct lfab_port)),
		.link = calloc(links, sizeof(struct lfab_link)),
	};
	set_links(play, fabric);
	set_paths(play, fabric, pairs, count);
	set_turns(play, fabric, pairs, count);
	lfab_model_init(&play->model, queues, lanes);
	run_module(play);
	free(queues);
	free(lanes);
	return play;
}

static void clear_play(struct play *play)
{
	free(play->model.port);
	free(play->model.link);
}

/* ---- beside each other ---- */

static bool equal(const char *what, u32 number, u64 simulated_value, u64 played_value)
{
	if (simulated_value == played_value)
		return true;
	printf("# %s %u: simulator %llu, module %llu\n", what, number,
	       (unsigned long long)simulated_value, (unsigned long long)played_value);
	return false;
}

static bool agree(const struct liquid_sim_result *r, const struct play *play)
{
	bool good = equal("deadlocks", 0, r->deadlocks, play->model.deadlocks) &&
		equal("delivered", 0, r->total->sent_packets, play->delivered) &&
		equal("dropped", 0, r->total->drops[LIQUID_SIM_DEADLOCK] +
		      r->total->drops[LIQUID_SIM_TAIL], play->dropped);

	for (u32 host = 0; host < r->host_count && good; host++)
		good = equal("end of host", host, host_of(r, host)->end_ns, play->end[host]) &&
			equal("head of line of host", host, host_of(r, host)->blocked_ns,
			      play->model.port[host].hol_ns);
	for (u32 l = 0; l < r->link_count && good; l++) {
		const struct liquid_sim_link *a = link_of(r, l);
		const struct lfab_link *b = &play->model.link[l];

		good = equal("bytes of link", l, a->bytes, b->bytes) &&
			equal("busy time of link", l, a->busy_ns, b->busy_ns) &&
			equal("blocked time of link", l, a->blocked_ns, b->blocked_ns) &&
			equal("waits for link", l, a->waits, b->waits);
	}
	return good;
}

/* Some of all pairs, each once */
static struct liquid_traffic *some_pairs(struct dice *dice, u32 hosts)
{
	u32 share = 1 + roll(dice, 10);
	struct liquid_traffic *traffic;
	struct liquid_error err;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (u32 src = 0; src < hosts; src++)
		for (u32 dst = 0; dst < hosts; dst++)
			if (src != dst && roll(dice, 10) < share)
				must(liquid_traffic_add(traffic, src, dst, 1, &err), &err);
	return traffic;
}

static void draw_options(struct dice *dice, struct liquid_sim_options *options)
{
	options->rate_bps = roll(dice, 2) ? BYTE_A_NS : 7000000000;
	options->overhead = roll(dice, 2) * 24;
	options->hop_ns = roll(dice, 3) * 37;
	options->worm_bytes = (PACKET + options->overhead) * (1 + roll(dice, PACKETS));
	options->buffer_bytes = PACKET + options->overhead + roll(dice, 4 * PACKET);
}

static void test_agreement(enum liquid_sim_switching switching, enum liquid_sim_queues queues,
			   enum liquid_sim_order order, const char *name)
{
	struct dice dice = { 7 + switching + 10 * order + 100 * queues };
	u64 deadlocks = 0, waits = 0, dropped = 0;
	const u32 rounds = draws(200);
	u32 agreed = 0;

	for (u32 round = 0; round < rounds; round++) {
		struct liquid_sim_options options = options_of(switching, MESSAGE, PACKET);
		u32 hosts = 3 + roll(&dice, HOSTS_MAX - 2);
		/* A host sends a worm on each lane of its link; the module's port just one. */
		struct liquid_fabric *fabric = make_mixed(&dice, hosts, 1 + roll(&dice, 3),
							  switching ? 3 : 1);
		struct liquid_traffic *traffic = some_pairs(&dice, hosts);
		struct liquid_sim_result *r;
		struct play *play;

		options.order = order;
		options.queues = queues;
		draw_options(&dice, &options);
		r = simulated(fabric, traffic, NULL, &options);
		play = played(fabric, traffic, &options);
		if (agree(r, play))
			agreed++;
		else
			printf("# round %u\n", round);
		deadlocks += r->deadlocks;
		waits += r->total->waits;
		dropped += r->total->drops[LIQUID_SIM_TAIL];
		liquid_sim_free(r);
		clear_play(play);
		liquid_traffic_free(traffic);
		liquid_fabric_free(fabric);
	}
	ok(agreed == rounds, "%s: simulator and module agree to the nanosecond on %" PRIu32 " of %"
	   PRIu32 " fabrics", name, agreed, rounds);
	ok(waits && (switching == LIQUID_SIM_PACKET ? dropped : deadlocks),
	   "%s: with %llu waits, %llu deadlocks, %llu packets dropped at the tail", name,
	   (unsigned long long)waits, (unsigned long long)deadlocks, (unsigned long long)dropped);
}

int main(void)
{
	static const struct {
		enum liquid_sim_switching switching;
		enum liquid_sim_queues queues;
		const char *by_turns, *at_once;
	} kinds[] = {
		{ LIQUID_SIM_WORMHOLE, LIQUID_SIM_FIFO,
		  "wormhole, pairwise", "wormhole, all at once" },
		{ LIQUID_SIM_CUT_THROUGH, LIQUID_SIM_FIFO,
		  "FIFOs, pairwise", "FIFOs, all at once" },
		{ LIQUID_SIM_CUT_THROUGH, LIQUID_SIM_FIFO_SPEEDUP,
		  "FIFOs with speedup, pairwise", "FIFOs with speedup, all at once" },
		{ LIQUID_SIM_CUT_THROUGH, LIQUID_SIM_VOQ,
		  "virtual output queues, pairwise", "virtual output queues, all at once" },
		{ LIQUID_SIM_PACKET, LIQUID_SIM_FIFO,
		  "packet, pairwise", "packet, all at once" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		test_agreement(kinds[i].switching, kinds[i].queues, LIQUID_SIM_PAIRWISE,
			       kinds[i].by_turns);
		test_agreement(kinds[i].switching, kinds[i].queues, LIQUID_SIM_ALL_AT_ONCE,
			       kinds[i].at_once);
	}
	return tap_exit();
}
