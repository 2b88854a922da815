// SPDX-License-Identifier: LGPL-2.1-or-later
/* A plan from a schedule: its transfers frame by frame, runs of one pair as one piece. */
#include <stdlib.h>
#include <string.h>

#include "run/draft.h"
#include "schedule/marks.h"

/* The pieces of a frame, by transfer. */
struct frame_pieces {
	const struct liquid_schedule *schedule;
	uint32_t frame;
	const struct liquid_transfer *transfer;
	size_t count;
	uint32_t *piece;
};

static int compare(const struct liquid_transfer *a, const struct liquid_transfer *b)
{
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

/* A piece is of one member, and waits when it begins. */
static bool goes_on(const struct draft_piece *piece, const struct liquid_mark *mark)
{
	return piece->member == (mark ? mark->member : 0) &&
	       piece->after >= (mark ? mark->after : 0);
}

/* Transfers that @before has, too, go on as the same pieces; the others get LIQUID_NONE. */
static void go_on(struct draft *draft, const struct frame_pieces *before, struct frame_pieces *now)
{
	struct marks_walk walk = marks_walk(now->schedule, now->frame);
	size_t i = 0;

	for (size_t j = 0; j < now->count; j++) {
		const struct liquid_mark *mark = marks_next(&walk, &now->transfer[j]);

		while (i < before->count && compare(&before->transfer[i], &now->transfer[j]) < 0)
			i++;
		now->piece[j] = LIQUID_NONE;
		if (i == before->count || compare(&before->transfer[i], &now->transfer[j]) ||
		    !goes_on(&draft->piece[before->piece[i]], mark))
			continue;
		now->piece[j] = before->piece[i++];
		draft->piece[now->piece[j]].frames++;
	}
}

static int rank_at(const struct draft *draft, uint32_t host, uint32_t *rank,
		   struct liquid_error *err)
{
	if (host >= liquid_fabric_host_count(draft->fabric))
		return liquid_fail(err, LIQUID_BAD_INPUT, "the schedule has host %u, which is not "
				   "in the fabric", host);
	if (liquid_fabric_owner(draft->fabric, host) != host)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the schedule has %s, an alias of %s: a "
				   "plan's messages go to ranks, and cannot choose the address",
				   liquid_fabric_node_name(draft->fabric, host),
				   liquid_fabric_node_name(draft->fabric,
							   liquid_fabric_owner(draft->fabric,
									       host)));
	*rank = draft->rank_of_host[host];
	if (*rank == LIQUID_NONE)
		return liquid_fail(err, LIQUID_BAD_INPUT, "%s is in the schedule, but has no rank",
				   liquid_fabric_node_name(draft->fabric, host));
	return LIQUID_OK;
}

/* A slice in which a piece waits for its own frame, or a later one, cannot be read. */
static int check_mark(const struct frame_pieces *now, const struct liquid_mark *mark,
		      struct liquid_error *err)
{
	if (!mark || mark->after <= now->frame)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "frame %u: %.200s>%.200s waits for frame %u, "
			   "which is not an earlier one", now->frame,
			   liquid_schedule_host_name(now->schedule, mark->src),
			   liquid_schedule_host_name(now->schedule, mark->dst), mark->after - 1);
}

static int add_frame(struct draft *draft, struct frame_pieces *now, struct liquid_error *err)
{
	struct marks_walk walk = marks_walk(now->schedule, now->frame);
	int status = LIQUID_OK;

	for (size_t i = 0; i < now->count && !status; i++) {
		const struct liquid_mark *mark = marks_next(&walk, &now->transfer[i]);
		uint32_t src, dst;

		if (now->piece[i] != LIQUID_NONE)
			continue;
		status = check_mark(now, mark, err);
		if (!status)
			status = rank_at(draft, now->transfer[i].src, &src, err);
		if (!status)
			status = rank_at(draft, now->transfer[i].dst, &dst, err);
		if (!status)
			status = draft_add(draft, src, dst, now->frame, &now->piece[i], err);
		if (!status && mark) {
			draft->piece[now->piece[i]].member = mark->member;
			draft->piece[now->piece[i]].after = mark->after;
		}
	}
	return status;
}

static int add_frames(struct draft *draft, const struct liquid_schedule *schedule,
		      struct frame_pieces two[2], struct liquid_error *err)
{
	uint32_t length = liquid_schedule_info(schedule)->length;
	int status = LIQUID_OK;

	for (uint32_t frame = 0; frame < length && !status; frame++) {
		struct frame_pieces *now = &two[frame % 2];

		now->schedule = schedule;
		now->frame = frame;
		now->transfer = liquid_schedule_frame(schedule, frame, &now->count);
		go_on(draft, &two[(frame + 1) % 2], now);
		status = add_frame(draft, now, err);
	}
	return status;
}

static int add_schedule(struct draft *draft, const struct liquid_schedule *schedule, size_t widest,
			struct liquid_error *err)
{
	struct frame_pieces two[2] = { { .count = 0 } };
	int status;

	two[0].piece = calloc(widest + 1, sizeof(*two[0].piece));
	two[1].piece = calloc(widest + 1, sizeof(*two[1].piece));
	if (two[0].piece && two[1].piece)
		status = add_frames(draft, schedule, two, err);
	else
		status = liquid_no_memory(err);
	free(two[0].piece);
	free(two[1].piece);
	return status;
}

/* Transfers of @schedule, and of its fullest frame in *@widest. */
static size_t count_transfers(const struct liquid_schedule *schedule, size_t *widest)
{
	uint32_t length = schedule ? liquid_schedule_info(schedule)->length : 0;
	size_t total = 0;

	*widest = 0;
	for (uint32_t frame = 0; frame < length; frame++) {
		size_t count;

		liquid_schedule_frame(schedule, frame, &count);
		total += count;
		*widest = *widest > count ? *widest : count;
	}
	return total;
}

/* @rank_of_host: memory for each host of the fabric */
static int number_hosts(const struct liquid_fabric *fabric,
			const struct liquid_plan_options *options, uint32_t *rank_of_host,
			struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);

	memset(rank_of_host, 0xff, hosts * sizeof(*rank_of_host));
	for (uint32_t rank = 0; rank < options->ranks; rank++) {
		uint32_t host = options->host_of_rank[rank];

		if (host >= hosts)
			return liquid_fail(err, LIQUID_BAD_INPUT, "rank %u is on host %u: the "
					   "fabric has %u hosts", rank, host, hosts);
		if (rank_of_host[host] != LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT, "ranks %u and %u are both on %s: "
					   "processes of an endpoint share one plan",
					   rank_of_host[host], rank,
					   liquid_fabric_node_name(fabric, host));
		rank_of_host[host] = rank;
	}
	return LIQUID_OK;
}

/* Is each rank on its own host? */
static int check_hosts(const struct liquid_fabric *fabric,
		       const struct liquid_plan_options *options, struct liquid_error *err)
{
	uint32_t *rank_of_host;
	int status;

	if (!options->host_of_rank)
		return LIQUID_OK;
	rank_of_host = calloc((size_t)liquid_fabric_host_count(fabric) + 1, sizeof(*rank_of_host));
	if (!rank_of_host)
		return liquid_no_memory(err);
	status = number_hosts(fabric, options, rank_of_host, err);
	free(rank_of_host);
	return status;
}

/* Without hosts every host is a rank: the caller may say how many, but not others. */
static int check_count(const struct liquid_fabric *fabric, uint32_t ranks,
		       struct liquid_error *err)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);

	if (!ranks || ranks == hosts)
		return LIQUID_OK;
	return liquid_fail(err, LIQUID_BAD_INPUT, "%u ranks without host_of_rank: the fabric has "
			   "%u hosts, and each is a rank then", ranks, hosts);
}

int plan_options(const struct liquid_fabric *fabric, const struct liquid_plan_options *given,
		 struct liquid_plan_options *options, struct liquid_error *err)
{
	int status = LIQUID_OK;

	*options = given ? *given : (struct liquid_plan_options){ 0 };
	if (!options->host_of_rank) {
		status = check_count(fabric, options->ranks, err);
		options->ranks = liquid_fabric_host_count(fabric);
	}
	if (status)
		return status;
	if (options->ranks && options->ranks <= PLAN_RANKS_MAX)
		return check_hosts(fabric, options, err);
	return liquid_fail(err, LIQUID_BAD_INPUT, "a plan has from 1 to %u ranks, not %u",
			   PLAN_RANKS_MAX, options->ranks);
}

static uint64_t digest_piece(uint64_t digest, const struct liquid_piece *piece)
{
	const uint32_t number[] = {
		piece->lane, piece->peer, piece->part, piece->parts, piece->frame, piece->frames,
		piece->waits, piece->again,
	};

	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		digest = plan_digest(digest, number[i]);
	if (piece->member || piece->after)
		digest = plan_digest(plan_digest(digest, piece->member), piece->after);
	return digest;
}

static uint64_t digest_rank(uint64_t digest, const struct liquid_plan *plan,
			    const struct plan_rank *own)
{
	digest = plan_digest(digest, own->pieces);
	for (uint32_t i = own->first; i < own->first + own->pieces; i++) {
		uint32_t first = plan->first_token[i], end = plan->first_token[i + 1];

		digest = digest_piece(digest, &plan->piece[i]);
		digest = plan_digest(digest, end - first);
		for (uint32_t j = first; j < end; j++) {
			digest = plan_digest(digest, plan->token[j].rank);
			digest = plan_digest(digest, plan->token[j].slot);
		}
	}
	return digest;
}

/*
 * Of all that the slices say: plans that differ anywhere must not be taken for each other. What
 * comes in follows from what goes out.
 */
static uint64_t digest_of(const struct liquid_plan *plan)
{
	uint64_t digest = plan_digest(PLAN_DIGEST_BEGIN, plan->info.ranks);

	digest = plan_digest(digest, plan->info.length);
	digest = plan_digest(digest, plan->info.cyclic);
	digest = plan_digest(digest, plan->info.unit_bytes);
	for (uint32_t rank = 0; rank < plan->info.ranks; rank++)
		digest = digest_rank(digest, plan, &plan->rank[rank]);
	return digest;
}

static int finish(struct draft *draft, const struct liquid_schedule *schedule, bool cyclic,
		  struct liquid_plan **plan, struct liquid_error *err)
{
	if (!cyclic || draft_close_cycle(draft))
		*plan = draft_lay_out(draft);
	if (!*plan)
		return liquid_no_memory(err);
	(*plan)->info.length = schedule ? liquid_schedule_info(schedule)->length : 0;
	(*plan)->info.cyclic = cyclic;
	(*plan)->info.unit_bytes = schedule ? liquid_part_bytes(liquid_schedule_info(schedule)) : 0;
	(*plan)->info.id = digest_of(*plan);
	return LIQUID_OK;
}

int plan_of(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
	    const struct liquid_plan_options *options, struct liquid_plan **plan,
	    struct liquid_error *err)
{
	size_t widest, transfers = count_transfers(schedule, &widest);
	struct draft draft;
	int status = draft_new(&draft, fabric, options, transfers, widest, err);

	if (!status && schedule)
		status = add_schedule(&draft, schedule, widest, err);
	if (!status)
		status = finish(&draft, schedule, options->cyclic, plan, err);
	draft_clear(&draft);
	/* Not earlier: a draft takes more memory than what comes in. */
	if (!status && !plan_find_incoming(*plan)) {
		liquid_plan_free(*plan);
		*plan = NULL;
		return liquid_no_memory(err);
	}
	return status;
}

int liquid_plan_make(const struct liquid_fabric *fabric, const struct liquid_schedule *schedule,
		     const struct liquid_plan_options *given, struct liquid_plan **plan,
		     struct liquid_error *err)
{
	struct liquid_plan_options options;
	int status;

	*plan = NULL;
	status = plan_options(fabric, given, &options, err);
	if (status)
		return status;
	if (liquid_schedule_info(schedule)->wavelengths)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the schedule has wavelengths: its "
				   "frames do not follow each other, so it has no plan");
	status = marks_refuse(schedule, MARK_WAY | MARK_REVERSE, "a plan", err);
	if (!status)
		status = liquid_schedule_list(schedule, NULL, err);
	return status ? status : plan_of(fabric, schedule, &options, plan, err);
}
