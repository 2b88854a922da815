// SPDX-License-Identifier: GPL-2.0-only
/* Plans: what they carry, that their edges keep links apart, and that none is superfluous. */
#include "plan-fixtures.h"
#include "run/draft.h"
#include "tap.h"

static struct liquid_error err;

/* ---- what a plan carries ---- */

struct transfer {
	uint32_t src, dst, frame;
};

static int compare_transfers(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct transfer));
}

static uint32_t of_schedule(const struct liquid_schedule *schedule, struct transfer *transfers)
{
	uint32_t used = 0;
	size_t count;

	for (uint32_t frame = 0; frame < info_of(schedule)->length; frame++) {
		const struct liquid_transfer *transfer =
			liquid_schedule_frame(schedule, frame, &count);

		for (size_t i = 0; i < count; i++)
			transfers[used++] = (struct transfer){ transfer[i].src, transfer[i].dst,
							       frame };
	}
	return used;
}

static uint32_t of_plan(const struct pieces *pieces, struct transfer *transfers, uint32_t room)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < pieces->count; i++)
		for (uint32_t frame = 0; frame < pieces->piece[i]->frames && used < room; frame++)
			transfers[used++] = (struct transfer){
				pieces->rank[i], pieces->piece[i]->peer,
				pieces->piece[i]->frame + frame };
	return used;
}

static bool carries(const struct pieces *pieces, const struct liquid_schedule *schedule)
{
	uint32_t total = (uint32_t)info_of(schedule)->transfers;
	struct transfer *wanted = calloc(total + 1, sizeof(*wanted));
	struct transfer *planned = calloc(total + 1, sizeof(*planned));
	bool same = of_schedule(schedule, wanted) == total &&
		of_plan(pieces, planned, total + 1) == total;

	qsort(wanted, total, sizeof(*wanted), compare_transfers);
	qsort(planned, total, sizeof(*planned), compare_transfers);
	same = same && !memcmp(wanted, planned, total * sizeof(*wanted));
	free(wanted);
	free(planned);
	return same;
}

/* Pieces of a pair: their parts are all of the message, and none could be a longer one. */
static bool parts_fit(const struct pieces *pieces, uint32_t a)
{
	const struct liquid_piece *piece = pieces->piece[a];
	uint64_t units = 0;

	for (uint32_t b = 0; b < pieces->count; b++) {
		const struct liquid_piece *other = pieces->piece[b];

		if (pieces->rank[a] != pieces->rank[b] || piece->peer != other->peer)
			continue;
		units += other->units;
		if (other->parts != piece->parts || (a != b && other->part < piece->part +
		    piece->units && piece->part < other->part + other->units))
			return false;
		if (piece->frame + piece->frames == other->frame)
			return false;
	}
	return units == piece->parts && piece->units == piece->frames && piece->units;
}

static bool all_parts_fit(const struct pieces *pieces)
{
	for (uint32_t i = 0; i < pieces->count; i++)
		if (!parts_fit(pieces, i))
			return false;
	return true;
}

/* ---- links: by Dilworth, those that are ordered into c chains are never c + 1 at once ---- */

struct matching {
	const struct order *order;
	uint32_t *user, users;		/* nodes that use a link */
	uint32_t *after;		/* by user: the one that it follows in its chain */
	bool *seen;
};

static bool augment(struct matching *matching, uint32_t i)
{
	for (uint32_t j = 0; j < matching->users; j++) {
		if (matching->seen[j] ||
		    !comes_before(matching->order, matching->user[i], matching->user[j]))
			continue;
		matching->seen[j] = true;
		if (matching->after[j] == LIQUID_NONE || augment(matching, matching->after[j])) {
			matching->after[j] = i;
			return true;
		}
	}
	return false;
}

/* The most users of a link that no order keeps apart */
static uint32_t most_at_once(struct matching *matching)
{
	uint32_t chains = matching->users;

	memset(matching->after, 0xff, matching->users * sizeof(*matching->after));
	for (uint32_t i = 0; i < matching->users; i++) {
		memset(matching->seen, 0, matching->users);
		chains -= augment(matching, i);
	}
	return chains;
}

static void find_users(struct matching *matching, const struct pieces *pieces, uint32_t link,
		       uint32_t epochs)
{
	matching->users = 0;
	for (uint32_t i = 0; i < pieces->count; i++)
		for (int j = 0; j < pieces->links[i]; j++)
			for (uint32_t e = 0; pieces->path[i][j] == link && e < epochs; e++)
				matching->user[matching->users++] = e * pieces->count + i;
}

/* Does the plan keep its users apart on every link, however long each takes? */
static bool keeps_apart(const struct pieces *pieces, uint32_t epochs)
{
	struct matching matching;
	struct order order;
	bool right = true;

	order_of(&order, pieces, epochs);
	matching.order = &order;
	matching.user = calloc(order.nodes + 1, sizeof(*matching.user));
	matching.after = calloc(order.nodes + 1, sizeof(*matching.after));
	matching.seen = calloc(order.nodes + 1, sizeof(*matching.seen));
	for (uint32_t link = 0; link < liquid_fabric_link_count(pieces->fabric) && right; link++) {
		find_users(&matching, pieces, link, epochs);
		right = most_at_once(&matching) <= liquid_fabric_capacity(pieces->fabric, link);
	}
	free(matching.user);
	free(matching.after);
	free(matching.seen);
	order_clear(&order);
	return right;
}

/* Would the order be the same without this edge? */
static bool superfluous(const struct pieces *pieces, const struct order *order,
			const struct plan_edge *edge)
{
	for (uint32_t i = 0; i < pieces->count; i++)
		if (comes_before(order, edge->from, i) && comes_before(order, i, edge->to))
			return true;
	return false;
}

static uint32_t count_superfluous(const struct pieces *pieces)
{
	struct order order;
	uint32_t found = 0;

	order_of(&order, pieces, 1);
	for (uint32_t i = 0; i < pieces->edges; i++)
		found += pieces->edge[i].token && !pieces->edge[i].again &&
			superfluous(pieces, &order, &pieces->edge[i]);
	order_clear(&order);
	return found;
}

/* ---- slices ---- */

static bool same_tokens(const struct liquid_plan *a, const struct liquid_plan *b, uint32_t rank,
			uint32_t piece)
{
	uint32_t counts[2];
	const struct liquid_token *token = liquid_plan_tokens(a, rank, piece, &counts[0]);
	const struct liquid_token *other = liquid_plan_tokens(b, rank, piece, &counts[1]);

	return counts[0] == counts[1] && !memcmp(token, other, counts[0] * sizeof(*token));
}

static bool same_incoming(const struct liquid_plan *a, const struct liquid_plan *b, uint32_t rank)
{
	uint32_t counts[4];
	const struct liquid_incoming *message = liquid_plan_incoming(a, rank, &counts[0]);
	const struct liquid_incoming *other = liquid_plan_incoming(b, rank, &counts[1]);
	const uint32_t *giver = liquid_plan_givers(a, rank, &counts[2]);
	const uint32_t *other_giver = liquid_plan_givers(b, rank, &counts[3]);

	return counts[0] == counts[1] && counts[2] == counts[3] &&
		!memcmp(message, other, counts[0] * sizeof(*message)) &&
		!memcmp(giver, other_giver, counts[2] * sizeof(*giver));
}

static bool same_rank(const struct liquid_plan *a, const struct liquid_plan *b, uint32_t rank)
{
	uint32_t counts[2];
	const struct liquid_piece *piece = liquid_plan_pieces(a, rank, &counts[0]);
	const struct liquid_piece *other = liquid_plan_pieces(b, rank, &counts[1]);
	bool same = counts[0] == counts[1] &&
		!memcmp(piece, other, counts[0] * sizeof(*piece)) &&
		slots_of(a, rank) == slots_of(b, rank);

	for (uint32_t i = 0; i < counts[0] && same; i++)
		same = same_tokens(a, b, rank, i);
	return same && same_incoming(a, b, rank);
}

static bool same_info(const struct liquid_plan *plan, const struct liquid_plan *slice,
		      uint32_t rank)
{
	const struct liquid_plan_info *info = liquid_plan_info(plan);
	const struct liquid_plan_info *other = liquid_plan_info(slice);

	return other->id == info->id && other->ranks == info->ranks && other->rank == rank &&
		other->length == info->length && other->cyclic == info->cyclic &&
		other->unit_bytes == info->unit_bytes;
}

/* Each slice is read as it was written, and the slices together are the plan. */
static bool slices_agree(const struct liquid_plan *plan)
{
	const struct liquid_plan_info *info = liquid_plan_info(plan);
	uint64_t pieces = 0, tokens = 0;
	bool same = true;

	for (uint32_t rank = 0; rank < info->ranks && same; rank++) {
		struct liquid_plan *slice;
		uint32_t none;
		size_t size;
		void *bytes;

		must(liquid_plan_slice(plan, rank, &bytes, &size, &err), &err);
		must(liquid_plan_read(bytes, size, NULL, 0, &slice, &err), &err);
		same = same_rank(plan, slice, rank) && same_info(plan, slice, rank) &&
			!liquid_plan_pieces(slice, rank + 1, &none) && !none;
		pieces += liquid_plan_info(slice)->pieces;
		tokens += liquid_plan_info(slice)->tokens;
		liquid_plan_free(slice);
		free(bytes);
	}
	return same && pieces == info->pieces && tokens == info->tokens;
}

/* ---- many small plans ---- */

struct tally {
	uint32_t cases, merged, lanes, wide;	/* plans; with long pieces, lanes, capacities */
	uint32_t carried, parts, told, apart, again_apart, slices, incoming, givers;
	uint32_t edges, superfluous, own;	/* own: tokens of a rank for itself */
};

static void note_kinds(struct tally *tally, const struct pieces *pieces)
{
	bool merged = false, lanes = false, wide = false;

	for (uint32_t i = 0; i < pieces->count; i++) {
		merged |= pieces->piece[i]->frames > 1;
		lanes |= pieces->piece[i]->lane > 0;
	}
	for (uint32_t i = 0; i < pieces->edges; i++)
		tally->own += pieces->edge[i].token && pieces->rank[pieces->edge[i].from] ==
			pieces->rank[pieces->edge[i].to];
	for (uint32_t link = 0; link < liquid_fabric_link_count(pieces->fabric); link++)
		wide |= liquid_fabric_capacity(pieces->fabric, link) > 1;
	tally->merged += merged;
	tally->lanes += lanes;
	tally->wide += wide;
}

static void try_case(struct tally *tally, struct dice *dice)
{
	uint32_t hosts = 3 + roll(dice, 6);
	struct liquid_plan *cyclic;
	struct plan_case made;
	struct pieces pieces;

	make_case(&made, dice, hosts, 1 + roll(dice, 40), false);
	pieces_of(&pieces, made.fabric, made.plan, NULL);
	note_kinds(tally, &pieces);
	tally->cases++;
	tally->carried += carries(&pieces, made.schedule);
	tally->parts += all_parts_fit(&pieces);
	tally->told += pieces.valid;
	tally->apart += keeps_apart(&pieces, 1);
	tally->edges += pieces.edges;
	tally->superfluous += count_superfluous(&pieces);
	tally->slices += slices_agree(made.plan);
	tally->incoming += incoming_fits(made.plan);
	tally->givers += all_givers_fit(made.plan);
	pieces_clear(&pieces);

	cyclic = plan_of_schedule(made.fabric, made.schedule, true);
	pieces_of(&pieces, made.fabric, cyclic, NULL);
	tally->told -= !pieces.valid;
	tally->again_apart += keeps_apart(&pieces, 3);
	tally->slices -= !slices_agree(cyclic);
	tally->incoming -= !incoming_fits(cyclic);
	tally->givers -= !all_givers_fit(cyclic);
	pieces_clear(&pieces);
	liquid_plan_free(cyclic);
	clear_case(&made);
}

static void test_many(void)
{
	struct dice dice = { .state = 20061 };
	struct tally tally = { 0 };

	for (int i = 0; i < 400; i++)
		try_case(&tally, &dice);
	printf("# %u plans: %u with long pieces, %u with lanes, %u with capacities; %u tokens of a "
	       "rank for itself\n", tally.cases, tally.merged, tally.lanes, tally.wide, tally.own);
	ok(tally.merged > 50 && tally.lanes > 50 && tally.wide > 100 && tally.edges > 1000 &&
	   tally.own > 5, "the random plans have long pieces, lanes, capacities and edges");
	ok(tally.carried == tally.cases, "a plan has the transfers of its schedule, in its frames");
	ok(tally.parts == tally.cases, "the parts of a pair are its message, in few pieces");
	ok(tally.told == tally.cases, "each slot is told by one token");
	ok(tally.apart == tally.cases,
	   "never more pieces than its capacity are on a link, however long each takes");
	ok(tally.again_apart == tally.cases, "nor when a cyclic plan is run again and again");
	ok(!tally.superfluous, "no token is sent that others and a rank's order make needless");
	ok(tally.slices == tally.cases, "slices are read as they were written");
	ok(tally.incoming == tally.cases, "what comes in to a rank is what the others send to it");
	ok(tally.givers == tally.cases, "the token of each slot is one of the rank that gives it");
}

/* ---- ranks that are not the hosts ---- */

static void test_ranks(void)
{
	static const uint32_t hosts[] = { 3, 0, 2 };
	struct liquid_plan_options options = { .host_of_rank = hosts,
					       .ranks = 3 };
	struct liquid_fabric *fabric = make_fabric("fat-tree", (const char *const[]){ "k=2" }, 0);
	struct liquid_schedule *schedule;
	struct liquid_traffic *traffic;
	struct liquid_plan *plan;
	struct pieces pieces;
	bool right = true;

	must(liquid_traffic_alltoall(hosts, 3, &traffic, &err), &err);
	schedule = solve(fabric, traffic);
	must(liquid_plan_make(fabric, schedule, &options, &plan, &err), &err);
	pieces_of(&pieces, fabric, plan, hosts);
	for (uint32_t i = 0; i < pieces.count; i++)
		right &= pieces.piece[i]->peer < 3 && pieces.piece[i]->peer != pieces.rank[i];
	ok(right && pieces.count == 6 && pieces.valid && keeps_apart(&pieces, 1),
	   "ranks are numbered as the caller does, on hosts in any order");
	pieces_clear(&pieces);
	liquid_plan_free(plan);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- the id ---- */

/* Plans of three ranks that differ in one thing each; the second is the first. */
static const struct {
	uint64_t bytes[9], unit;
	bool cyclic;
} with_ids[] = {
	{ { [2] = 100 }, 100, false },		/* from rank 0 to rank 2 */
	{ { [2] = 100 }, 100, false },
	{ { [5] = 100 }, 100, false },		/* from rank 1 */
	{ { [1] = 100 }, 100, false },		/* to rank 1 */
	{ { [2] = 400 }, 100, false },		/* in four units */
	{ { [2] = 100 }, 100, true },
	{ { [2] = 100, [5] = 100 }, 100, false },
	{ { [2] = 200, [5] = 100 }, 100, false },
	{ { [2] = 100 }, 101, false },
};
#define WITH_IDS (sizeof(with_ids) / sizeof(*with_ids))

static uint64_t id_of(const struct liquid_fabric *fabric, size_t i)
{
	static const uint32_t hosts[] = { 0, 1, 2 };
	struct liquid_plan_options options = { .host_of_rank = hosts,
					       .ranks = 3, .cyclic = with_ids[i].cyclic };
	struct liquid_solve_options solve_options = { .unit_bytes = with_ids[i].unit };
	struct liquid_plan *plan;
	uint64_t id;

	must(liquid_plan_make_matrix(fabric, with_ids[i].bytes, &options, &solve_options, &plan,
				     &err), &err);
	id = liquid_plan_info(plan)->id;
	liquid_plan_free(plan);
	return id;
}

static void test_ids(void)
{
	struct liquid_fabric *fabric = make_fabric("fat-tree", (const char *const[]){ "k=2" }, 0);
	uint64_t id[WITH_IDS];
	bool right = true;

	for (size_t i = 0; i < WITH_IDS; i++) {
		id[i] = id_of(fabric, i);
		for (size_t j = 0; j < i; j++)
			if ((id[i] == id[j]) != (i == 1)) {
				printf("# plans %zu and %zu: %" PRIx64 " and %" PRIx64 "\n", j, i,
				       id[j], id[i]);
				right = false;
			}
	}
	ok(right, "the same plan has the same id, and one that differs in anything another");
	liquid_fabric_free(fabric);
}

/* ---- refusals ---- */

static bool refused(int status, const struct liquid_plan *plan, const char *text)
{
	bool right = status == LIQUID_BAD_INPUT && !plan && strstr(err.text, text);

	if (!right)
		printf("# %d: %s\n", status, status ? err.text : "accepted");
	return right;
}

static bool refuses_hosts(const struct liquid_fabric *fabric,
			  const struct liquid_schedule *schedule, const uint32_t *hosts,
			  uint32_t ranks, const char *text)
{
	struct liquid_plan_options options = { .host_of_rank = hosts,
					       .ranks = ranks };
	struct liquid_plan *plan;
	int status = liquid_plan_make(fabric, schedule, &options, &plan, &err);
	static const uint64_t bytes[9] = { 0, 1, 1, 1, 0, 1, 1, 1, 0 };

	if (!refused(status, plan, text))
		return false;
	if (ranks > 3 || strstr(text, "no rank"))
		return true;
	status = liquid_plan_make_matrix(fabric, bytes, &options, NULL, &plan, &err);
	return refused(status, plan, text);
}

static void test_refusals(void)
{
	struct liquid_fabric *fabric = make_triangle(2), *narrow = make_triangle(1);
	struct liquid_traffic *traffic = triangle_traffic(2);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	struct liquid_plan *plan;
	int status;

	ok(refuses_hosts(fabric, schedule, (const uint32_t[]){ 0, 1, 9 }, 3,
			 "rank 2 is on host 9: the fabric has 6 hosts"),
	   "a host that is not in the fabric is refused");
	ok(refuses_hosts(fabric, schedule, (const uint32_t[]){ 0, 1, 0 }, 3,
			 "ranks 0 and 2 are both on t1: processes of an endpoint share one plan"),
	   "two ranks on a host are refused");
	ok(refuses_hosts(fabric, schedule, (const uint32_t[]){ 0, 1, 2 }, 3, "but has no rank"),
	   "a host of the schedule without a rank is refused");
	ok(refuses_hosts(fabric, schedule, NULL, 2,
			 "2 ranks without host_of_rank: the fabric has 6 hosts"),
	   "a number of ranks that are not the hosts is refused: the matrix would be too small");
	ok(refuses_hosts(fabric, schedule, (const uint32_t[]){ 0 }, 0, "from 1 to 65536 ranks"),
	   "a plan without ranks is refused");
	status = liquid_plan_make(narrow, schedule, NULL, &plan, &err);
	ok(refused(status, plan, "the schedule is not one of this fabric"),
	   "a schedule that is not valid on the fabric is refused");
	must(liquid_schedule_set_wavelengths(schedule, 2, &err), &err);
	status = liquid_plan_make(fabric, schedule, NULL, &plan, &err);
	ok(refused(status, plan, "the schedule has wavelengths"),
	   "a schedule of wavelengths is refused");
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(narrow);
	liquid_fabric_free(fabric);
}

/* ---- a piece's bytes ---- */

static void test_cut(void)
{
	bool whole = true, tails = true;

	for (uint64_t message = 0; message < 40; message++)
		for (uint32_t parts = 1; parts < 9; parts++) {
			uint64_t next = 0;

			for (uint32_t part = 0; part < parts; part++) {
				struct liquid_piece piece = { .part = part, .units = 1,
							      .parts = parts };
				struct liquid_cut cut;

				liquid_piece_cut(&piece, message, 3, &cut);
				whole &= cut.offset == next;
				tails &= cut.tail == 3 || (cut.tail < 3 && !cut.main);
				next = cut.offset + cut.main + cut.tail;
			}
			whole &= next == message;
		}
	ok(whole, "the pieces of a message are the message");
	ok(tails, "a tail is as long as was asked, or the piece");
}

static void test_large_cut(void)
{
	struct liquid_piece piece = { .part = 268435454, .units = 1, .parts = 268435455 };
	struct liquid_cut cut;

	liquid_piece_cut(&piece, UINT64_MAX, 0, &cut);
	ok(cut.offset + cut.main == UINT64_MAX && cut.main >= UINT64_MAX / piece.parts &&
	   cut.main <= UINT64_MAX / piece.parts + 1, "no message is too long to be cut");
}

/* ---- matrices ---- */

static uint64_t planned_units(const struct pieces *pieces, uint32_t src, uint32_t dst)
{
	uint64_t units = 0;

	for (uint32_t i = pieces->first[src]; i < pieces->first[src + 1]; i++)
		if (pieces->piece[i]->peer == dst)
			units += pieces->piece[i]->units;
	return units;
}

/* Does each message have the units of its bytes? @unit 0: of *@chosen, which the plan tells */
static bool plans_matrix(const struct liquid_fabric *fabric, const uint64_t *bytes, uint64_t unit,
			 uint32_t *most_units, uint64_t *chosen)
{
	struct liquid_solve_options solve_options = { .unit_bytes = unit };
	uint32_t ranks = liquid_fabric_host_count(fabric);
	struct liquid_plan *plan;
	struct pieces pieces;
	bool right;

	must(liquid_plan_make_matrix(fabric, bytes, NULL, &solve_options, &plan, &err), &err);
	pieces_of(&pieces, fabric, plan, NULL);
	right = pieces.valid && keeps_apart(&pieces, 1);
	*most_units = 0;
	*chosen = liquid_plan_info(plan)->unit_bytes;
	right &= slices_agree(plan) && (!unit || *chosen == unit);
	for (uint32_t i = 0; i < ranks * ranks; i++) {
		uint64_t units = planned_units(&pieces, i / ranks, i % ranks);

		if (i / ranks == i % ranks)
			right &= !units;
		else if (*chosen)
			right &= units == (bytes[i] + *chosen - 1) / *chosen;
		else
			right &= !units == !bytes[i];
		if (*most_units < units)
			*most_units = (uint32_t)units;
	}
	pieces_clear(&pieces);
	liquid_plan_free(plan);
	return right;
}

/* 16 pairs of one large and one small message, whose unit may fit the small one or the large. */
static uint64_t unit_with(const struct liquid_fabric *fabric, uint64_t piece_bytes)
{
	struct liquid_plan_options options = { .piece_bytes = piece_bytes };
	uint64_t bytes[16 * 16] = { 0 }, unit;
	struct liquid_plan *plan;

	for (uint32_t i = 0; i < 16; i++) {
		bytes[16 * i + (i + 1) % 16] = 100000;
		bytes[16 * i + (i + 2) % 16] = 20000;
	}
	must(liquid_plan_make_matrix(fabric, bytes, &options, NULL, &plan, &err), &err);
	unit = liquid_plan_info(plan)->unit_bytes;
	liquid_plan_free(plan);
	return unit;
}

/* 2 x 100,000, 3 x 50,000, 4 x 33,334, 5 x 25,000 (good enough), 6 x 20,000 bytes for a rank */
static void test_piece_bytes(void)
{
	struct liquid_plan_options options = { .piece_bytes = UINT64_C(1) << 40 };
	struct liquid_fabric *fabric = make_fabric("fat-tree", NULL, 0);
	static const uint64_t bytes[16 * 16] = { [1] = 1 };
	struct liquid_plan *plan;

	ok(unit_with(fabric, 0) == 25000 && unit_with(fabric, 4999) == 20000 &&
	   unit_with(fabric, 5001) == 25000 && unit_with(fabric, 16000) == 33334 &&
	   unit_with(fabric, 17000) == 50000 && unit_with(fabric, 49999) == 50000 &&
	   unit_with(fabric, 50001) == 100000 && unit_with(fabric, UINT64_C(1) << 39) == 100000,
	   "units are the larger, the more a piece costs in addition to its bytes");
	ok(liquid_plan_make_matrix(fabric, bytes, &options, NULL, &plan, &err) ==
	   LIQUID_BAD_INPUT && !plan && strstr(err.text, "piece_bytes"), "2^40 are refused");
	liquid_fabric_free(fabric);
}

static void test_matrix(void)
{
	struct liquid_fabric *fabric = make_fabric("fat-tree", NULL, 0);
	uint64_t bytes[16 * 16], unit;
	uint32_t most;
	bool right;

	for (uint32_t i = 0; i < 256; i++)
		bytes[i] = 100000 / (1 + (i / 16 + i % 16) % 16);
	ok(plans_matrix(fabric, bytes, 10000, &most, &unit) && most == 10,
	   "a matrix is planned in units of the size given");
	right = plans_matrix(fabric, bytes, 0, &most, &unit);
	printf("# the longest message has %u units of %" PRIu64 " bytes\n", most, unit);
	ok(right && most > 4 && most <= 64 && unit * most >= 100000 && unit * (most - 1) < 100000,
	   "or in units that fit messages of several sizes, and the plan tells their size");
	for (uint32_t i = 0; i < 256; i++)
		bytes[i] = 1000003;
	ok(plans_matrix(fabric, bytes, 0, &most, &unit) && most == 1 && unit == 1000003,
	   "messages of one size are a unit each");
	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 77;
	ok(plans_matrix(fabric, bytes, 0, &most, &unit) && !most && !unit,
	   "a matrix with nothing for others has a plan without pieces");
	bytes[1] = UINT64_MAX;
	ok(liquid_plan_make_matrix(fabric, bytes, NULL, NULL, &(struct liquid_plan *){ NULL },
				   &err) == LIQUID_BAD_INPUT, "a message too long is refused");
	liquid_fabric_free(fabric);
}

/* ---- clocks ---- */

static void test_clocks(void)
{
	struct clocks clocks;
	uint32_t early, late;
	bool far;

	ok(clocks_new(&clocks, 20, 3), "clocks are made");
	early = clocks_take(&clocks, NULL, 0);
	clocks_use(&clocks, early);
	clocks_stamp(&clocks, early, 17, 5);
	late = clocks_take(&clocks, &early, 1);
	clocks_use(&clocks, late);
	clocks_stamp(&clocks, late, 3, 1);
	ok(clocks_reach(&clocks, late, 17, 5) && clocks_reach(&clocks, late, 17, 4) &&
	   !clocks_reach(&clocks, late, 17, 6) && clocks_reach(&clocks, late, 3, 1) &&
	   !clocks_reach(&clocks, early, 3, 1), "a clock knows what comes before, and no more");
	clocks_stamp(&clocks, early, 17, 40000);
	far = !clocks_reach(&clocks, late, 17, 5) && clocks_reach(&clocks, early, 17, 40000) &&
		!clocks_reach(&clocks, early, 17, 40001);
	clocks_stamp(&clocks, late, 17, 60000);
	ok(far && clocks_reach(&clocks, late, 17, 40001) &&
	   !clocks_reach(&clocks, early, 17, 40001) && clocks_reach(&clocks, early, 17, 40000) &&
	   clocks_reach(&clocks, late, 3, 1),
	   "after many pieces a clock forgets the oldest, and errs to that side alone");
	clocks_leave(&clocks, early);
	clocks_leave(&clocks, late);
	ok(clocks.spares == 3, "clocks that no one uses are used again");
	clocks_clear(&clocks);
}

static void add_schedule(struct draft *draft, const struct liquid_schedule *schedule)
{
	uint32_t piece;
	size_t count;

	for (uint32_t frame = 0; frame < info_of(schedule)->length; frame++) {
		const struct liquid_transfer *transfer =
			liquid_schedule_frame(schedule, frame, &count);

		for (size_t i = 0; i < count; i++)
			must(draft_add(draft, transfer[i].src, transfer[i].dst, frame, &piece,
				       &err), &err);
	}
}

/* A plan of @made's schedule as it is made where the clocks would be too large; @edges: of it */
static bool right_without_clocks(const struct plan_case *made, uint32_t *edges)
{
	struct liquid_plan_options options = {
		.ranks = liquid_fabric_host_count(made->fabric),
	};
	size_t transfers = info_of(made->schedule)->transfers;
	struct liquid_plan *plan;
	struct pieces pieces;
	struct draft draft;
	bool right;

	must(draft_new(&draft, made->fabric, &options, transfers, transfers, &err), &err);
	free(draft.clocks.rows);
	draft.clocks.rows = NULL;
	add_schedule(&draft, made->schedule);
	if (!draft_close_cycle(&draft))
		abort();
	plan = draft_lay_out(&draft);
	draft_clear(&draft);
	plan->info.length = info_of(made->schedule)->length;
	pieces_of(&pieces, made->fabric, plan, NULL);
	right = pieces.valid && keeps_apart(&pieces, 3);
	*edges += pieces.edges;
	pieces_clear(&pieces);
	liquid_plan_free(plan);
	return right;
}

static void test_without_clocks(void)
{
	struct dice dice = { .state = 99 };
	uint32_t edges = 0;
	bool right = true;

	for (int i = 0; i < 50; i++) {
		struct plan_case made;

		make_case(&made, &dice, 3 + roll(&dice, 6), 1 + roll(&dice, 40), false);
		right &= right_without_clocks(&made, &edges);
		clear_case(&made);
	}
	ok(right && edges > 500, "links are kept apart where clocks would be too large, too");
}

/* ---- how many tokens ---- */

static double tokens_a_message(const char *name, const char *const *params, size_t count)
{
	struct liquid_fabric *fabric = make_fabric(name, params, count);
	struct liquid_traffic *traffic = all_routes(fabric);
	struct liquid_schedule *schedule = solve(fabric, traffic);
	struct liquid_plan *plan = plan_of_schedule(fabric, schedule, false);
	const struct liquid_plan_info *info = liquid_plan_info(plan);
	double tokens = (double)info->tokens / (double)info_of(schedule)->transfers;

	printf("# %s %s: %.3f tokens, %.3f before reduction\n", name, params[0], tokens,
	       (double)info->edges / (double)info_of(schedule)->transfers);
	liquid_plan_free(plan);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
	return tokens;
}

static void test_tokens(void)
{
	ok(tokens_a_message("leaf-spine", (const char *const[]){ "leaves=8", "hosts=8", "spines=8",
			    "routes=hash" }, 4) <= 2.0 &&
	   tokens_a_message("leaf-spine", (const char *const[]){ "leaves=8", "hosts=8",
			    "spines=4" }, 3) <= 2.0, "leaf-spine: at most 2 tokens a message");
	ok(tokens_a_message("fat-tree", (const char *const[]){ "k=8", "routes=hash" }, 2) <= 3.0 &&
	   tokens_a_message("fat-tree", (const char *const[]){ "k=8" }, 1) <= 3.0,
	   "fat tree of three levels: at most 3 tokens a message");
}

int main(void)
{
	test_many();
	test_ranks();
	test_ids();
	test_refusals();
	test_cut();
	test_large_cut();
	test_matrix();
	test_piece_bytes();
	test_clocks();
	test_without_clocks();
	test_tokens();
	return tap_exit();
}
