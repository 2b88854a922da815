// SPDX-License-Identifier: LGPL-2.1-or-later
/* Traffics: multisets of transfers, made pair by pair or from sets of hosts. */
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "traffic/traffic.h"

/*
 * Pairs are appended in any order and sorted when they are read for the first time. Most
 * inputs are sorted already, which makes this cheap. Those of an all-to-all are not there before.
 */
struct liquid_traffic {
	uint32_t *hosts;		/* of an all-to-all, sorted; NULL: it is none */
	size_t host_count;
	struct liquid_pair *pairs;
	size_t count, room;		/* elements of @pairs: in use, allocated */
	uint64_t transfers;		/* sum of the counts */
	bool sorted;			/* by (src, dst), without duplicates */
	struct kept_digest digest;
};

int liquid_traffic_new(struct liquid_traffic **traffic, struct liquid_error *err)
{
	*traffic = calloc(1, sizeof(**traffic));
	if (!*traffic)
		return liquid_no_memory(err);
	(*traffic)->sorted = true;
	return LIQUID_OK;
}

void liquid_traffic_free(struct liquid_traffic *traffic)
{
	if (!traffic)
		return;
	free(traffic->pairs);
	free(traffic->hosts);
	free(traffic);
}

/* So many hosts have a schedule of orbits at most. */
#define ALLTOALL_HOSTS_MAX 65536u

static int pair_order(const struct liquid_pair *a, const struct liquid_pair *b)
{
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

static int compare_pairs(const void *a, const void *b)
{
	return pair_order(a, b);
}

static int reserve(struct liquid_traffic *traffic, size_t more, struct liquid_error *err)
{
	struct liquid_pair *pairs;
	size_t room;

	if (more <= traffic->room - traffic->count)
		return LIQUID_OK;
	if (more > LIQUID_TRANSFERS_MAX || traffic->count > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "more than %u transfers",
				   LIQUID_TRANSFERS_MAX);
	room = traffic->count + more;
	if (room < 2 * traffic->room)
		room = 2 * traffic->room;
	if (room < 16)
		room = 16;
	pairs = reallocarray(traffic->pairs, room, sizeof(*pairs));
	if (!pairs)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %zu pairs", room);
	traffic->pairs = pairs;
	traffic->room = room;
	return LIQUID_OK;
}

/* The caller must have reserved room and checked the sum of all counts. */
static void append(struct liquid_traffic *traffic, uint32_t src, uint32_t dst, uint32_t count)
{
	struct liquid_pair *last = traffic->count ? &traffic->pairs[traffic->count - 1] : NULL;
	struct liquid_pair pair = { src, dst, count };

	traffic->transfers += count;
	if (last && !pair_order(last, &pair)) {
		last->count += count;
		return;
	}
	if (last && pair_order(last, &pair) > 0)
		traffic->sorted = false;
	traffic->pairs[traffic->count++] = pair;
}

/* What changes is no longer the all-to-all of its hosts, and has another digest. */
static int forget_hosts(struct liquid_traffic *traffic, struct liquid_error *err)
{
	int status = traffic_list(traffic, err);

	if (status)
		return status;
	free(traffic->hosts);
	traffic->hosts = NULL;
	traffic->digest.state = DIGEST_NONE;
	return LIQUID_OK;
}

/* Look at the pairs to add; returns their units. 0: one is refused, or there are none */
static uint64_t count_units(const struct liquid_pair *pairs, size_t count,
			    struct liquid_error *err)
{
	uint64_t units = 0;

	for (const struct liquid_pair *pair = pairs; pair < pairs + count; pair++) {
		const char *fault = pair->src == pair->dst ? "a transfer from a host to itself" :
				    pair->src == LIQUID_NONE ? "a transfer without a source" :
				    pair->dst == LIQUID_NONE ? "a transfer without a destination" :
				    !pair->count ? "a count of 0; it must be at least 1" : NULL;

		if (fault) {
			liquid_fail(err, LIQUID_BAD_INPUT, "%s", fault);
			return 0;
		}
		units += pair->count;
	}
	return units;
}

int liquid_traffic_add_pairs(struct liquid_traffic *traffic, const struct liquid_pair *pairs,
			     size_t count, struct liquid_error *err)
{
	uint64_t units = count_units(pairs, count, err);
	int status;

	if (!units)
		return count ? LIQUID_BAD_INPUT : LIQUID_OK;
	status = forget_hosts(traffic, err);
	if (status)
		return status;
	if (traffic->transfers > LIQUID_TRANSFERS_MAX ||
	    units > LIQUID_TRANSFERS_MAX - traffic->transfers)
		return liquid_fail(err, LIQUID_BAD_INPUT, "more than %u transfers",
				   LIQUID_TRANSFERS_MAX);
	status = reserve(traffic, count, err);
	for (size_t i = 0; !status && i < count; i++)
		append(traffic, pairs[i].src, pairs[i].dst, pairs[i].count);
	return status;
}

static void merge_sorted(struct liquid_traffic *traffic)
{
	size_t kept = 0;

	for (size_t i = 1; i < traffic->count; i++) {
		if (pair_order(&traffic->pairs[kept], &traffic->pairs[i]))
			traffic->pairs[++kept] = traffic->pairs[i];
		else
			traffic->pairs[kept].count += traffic->pairs[i].count;
	}
	traffic->count = kept + 1;
}

/* A stable pass by source or destination, whose numbers are below @keys */
static void count_pass(const struct liquid_pair *from, struct liquid_pair *to, size_t count,
		       bool by_src, size_t *begin, size_t keys)
{
	memset(begin, 0, (keys + 1) * sizeof(*begin));
	for (size_t i = 0; i < count; i++)
		begin[(by_src ? from[i].src : from[i].dst) + 1]++;
	for (size_t key = 0; key < keys; key++)
		begin[key + 1] += begin[key];
	for (size_t i = 0; i < count; i++)
		to[begin[by_src ? from[i].src : from[i].dst]++] = from[i];
}

/* By counting, where there are not many more hosts than pairs; false: not done */
static bool count_sort(struct liquid_pair *pairs, size_t count)
{
	struct liquid_pair *other;
	size_t *begin, keys = 0;

	for (size_t i = 0; i < count; i++) {
		keys = pairs[i].src >= keys ? (size_t)pairs[i].src + 1 : keys;
		keys = pairs[i].dst >= keys ? (size_t)pairs[i].dst + 1 : keys;
	}
	if (keys > count)
		return false;
	begin = malloc((keys + 1) * sizeof(*begin));
	other = malloc(count * sizeof(*other));
	if (begin && other) {
		count_pass(pairs, other, count, false, begin, keys);
		count_pass(other, pairs, count, true, begin, keys);
	}
	free(begin);
	free(other);
	return begin && other;
}

/* Sort the pairs. @traffic is const because that does not change which transfers it has. */
static void sort_pairs(const struct liquid_traffic *traffic)
{
	struct liquid_traffic *mutable = (struct liquid_traffic *)traffic;

	if (mutable->sorted)
		return;
	if (!count_sort(mutable->pairs, mutable->count))
		qsort(mutable->pairs, mutable->count, sizeof(*mutable->pairs), compare_pairs);
	merge_sorted(mutable);
	mutable->sorted = true;
}

/* The list is what an all-to-all says anyway, so that it may be made of one that is constant. */
int traffic_list(const struct liquid_traffic *traffic, struct liquid_error *err)
{
	struct liquid_traffic *mutable = (struct liquid_traffic *)traffic;
	size_t hosts = traffic->host_count;
	uint64_t transfers = traffic->transfers;
	int status;

	if (!traffic->hosts || traffic->count || !transfers)
		return LIQUID_OK;
	if (transfers > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_LIMIT, "%llu transfers are too many to list: at "
				   "most %u", (unsigned long long)transfers, LIQUID_TRANSFERS_MAX);
	status = reserve(mutable, transfers, err);
	if (status)
		return status;
	for (size_t i = 0; i < hosts; i++)
		for (size_t j = 0; j < hosts; j++)
			if (i != j)
				mutable->pairs[mutable->count++] = (struct liquid_pair){
					traffic->hosts[i], traffic->hosts[j], 1 };
	return LIQUID_OK;
}

struct kept_digest *traffic_digest(const struct liquid_traffic *traffic)
{
	return &((struct liquid_traffic *)traffic)->digest;
}

const uint32_t *traffic_hosts(const struct liquid_traffic *traffic, size_t *count)
{
	*count = traffic->hosts ? traffic->host_count : 0;
	return traffic->hosts;
}

const struct liquid_pair *liquid_traffic_list(const struct liquid_traffic *traffic, size_t *count)
{
	*count = 0;
	if (traffic_list(traffic, NULL))
		return NULL;
	sort_pairs(traffic);
	*count = traffic->count;
	return traffic->pairs;
}

uint64_t liquid_traffic_transfer_count(const struct liquid_traffic *traffic)
{
	return traffic->transfers;
}

int traffic_scale(const struct liquid_traffic *traffic, uint32_t times, uint32_t divisor,
		  struct liquid_traffic **scaled, struct liquid_error *err)
{
	const struct liquid_pair *pair;
	int status = traffic_list(traffic, err);
	size_t count;

	*scaled = NULL;
	if (!status)
		status = liquid_traffic_new(scaled, err);
	pair = liquid_traffic_list(traffic, &count);
	for (size_t i = 0; !status && i < count; i++, pair++) {
		uint64_t units = ((uint64_t)pair->count * times + divisor - 1) / divisor;

		/* More than fit are refused, and not cut off */
		status = liquid_traffic_add(*scaled, pair->src, pair->dst,
					    units > UINT32_MAX ? UINT32_MAX : (uint32_t)units, err);
	}
	return status;
}

static int compare_hosts(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

/* Make a sorted copy of @hosts without duplicates. */
static uint32_t *sorted_set(const uint32_t *hosts, size_t *count)
{
	uint32_t *set = malloc(*count ? *count * sizeof(*set) : 1);
	size_t kept = 0;

	if (!set)
		return NULL;
	for (size_t i = 0; i < *count; i++)
		set[i] = host_at(hosts, i);
	if (hosts)
		qsort(set, *count, sizeof(*set), compare_hosts);
	for (size_t i = 0; i < *count; i++)
		if (!kept || set[kept - 1] != set[i])
			set[kept++] = set[i];
	*count = kept;
	return set;
}

static int cross_sets(struct liquid_traffic *traffic, const uint32_t *senders, size_t sender_count,
		      const uint32_t *receivers, size_t receiver_count, struct liquid_error *err)
{
	int status;

	if (receiver_count && sender_count > LIQUID_TRANSFERS_MAX / receiver_count)
		return liquid_fail(err, LIQUID_BAD_INPUT,
				   "%zu senders x %zu receivers are more than %u transfers",
				   sender_count, receiver_count, LIQUID_TRANSFERS_MAX);
	status = reserve(traffic, sender_count * receiver_count, err);
	if (status)
		return status;
	for (size_t i = 0; i < sender_count; i++)
		for (size_t j = 0; j < receiver_count; j++)
			if (senders[i] != receivers[j])
				append(traffic, senders[i], receivers[j], 1);
	return LIQUID_OK;
}

int liquid_traffic_cross(const uint32_t *senders, size_t sender_count,
			 const uint32_t *receivers, size_t receiver_count,
			 struct liquid_traffic **traffic, struct liquid_error *err)
{
	uint32_t *from, *to;
	int status;

	*traffic = NULL;
	if (sender_count > LIQUID_TRANSFERS_MAX || receiver_count > LIQUID_TRANSFERS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "more than %u hosts",
				   LIQUID_TRANSFERS_MAX);
	from = sorted_set(senders, &sender_count);
	to = sorted_set(receivers, &receiver_count);
	if (!from || !to)
		status = liquid_no_memory(err);
	else
		status = liquid_traffic_new(traffic, err);
	if (!status)
		status = cross_sets(*traffic, from, sender_count, to, receiver_count, err);
	free(from);
	free(to);
	if (status) {
		liquid_traffic_free(*traffic);
		*traffic = NULL;
	}
	return status;
}

int liquid_traffic_alltoall(const uint32_t *hosts, size_t count, struct liquid_traffic **traffic,
			    struct liquid_error *err)
{
	uint32_t *set;
	int status;

	*traffic = NULL;
	if (count > ALLTOALL_HOSTS_MAX)
		return liquid_fail(err, LIQUID_BAD_INPUT, "an all-to-all of more than %u hosts",
				   ALLTOALL_HOSTS_MAX);
	set = sorted_set(hosts, &count);
	status = set ? liquid_traffic_new(traffic, err) : liquid_no_memory(err);
	if (status) {
		free(set);
		return status;
	}
	(*traffic)->hosts = set;
	(*traffic)->host_count = count;
	(*traffic)->transfers = count ? (uint64_t)count * (count - 1) : 0;
	return LIQUID_OK;
}

int liquid_traffic_loads(const struct liquid_fabric *fabric, const struct liquid_traffic *traffic,
			 uint64_t *load, struct liquid_error *err)
{
	uint32_t path[LIQUID_PATH_MAX];
	int length, status = traffic_list(traffic, err);

	if (status)
		return status;
	sort_pairs(traffic);
	memset(load, 0, liquid_fabric_link_count(fabric) * sizeof(*load));
	for (size_t i = 0; i < traffic->count; i++) {
		const struct liquid_pair *pair = &traffic->pairs[i];

		length = liquid_fabric_route(fabric, pair->src, pair->dst, path, err);
		if (length < 0)
			return length;
		for (int j = 0; j < length; j++)
			load[path[j]] += pair->count;
	}
	return LIQUID_OK;
}

static bool is_lost(const struct liquid_fabric *fabric, const struct liquid_pair *pair)
{
	uint32_t path[LIQUID_PATH_MAX];

	return liquid_fabric_owner(fabric, pair->src) == pair->src &&
	       liquid_fabric_owner(fabric, pair->dst) != pair->src &&
	       liquid_fabric_route(fabric, pair->src, pair->dst, path, NULL) < 0;
}

/* Take out of @traffic the pairs that @lost has; both are sorted. */
static void take_out(struct liquid_traffic *traffic, const struct liquid_traffic *lost)
{
	size_t kept = 0, taken = 0;

	for (size_t i = 0; i < traffic->count; i++) {
		if (taken < lost->count && !pair_order(&lost->pairs[taken], &traffic->pairs[i]))
			taken++;
		else
			traffic->pairs[kept++] = traffic->pairs[i];
	}
	traffic->count = kept;
	traffic->transfers -= lost->transfers;
}

int liquid_traffic_take_lost(struct liquid_traffic *traffic, const struct liquid_fabric *fabric,
			     struct liquid_traffic **lost, struct liquid_error *err)
{
	int status;

	*lost = NULL;
	if (!fabric->import.allow_unreachable)
		return LIQUID_OK;
	status = traffic_list(traffic, err);
	if (status)
		return status;
	sort_pairs(traffic);
	status = liquid_traffic_new(lost, err);
	for (size_t i = 0; i < traffic->count && !status; i++) {
		const struct liquid_pair *pair = &traffic->pairs[i];

		if (is_lost(fabric, pair))
			status = liquid_traffic_add(*lost, pair->src, pair->dst, pair->count, err);
	}
	if (!status && (*lost)->count) {
		take_out(traffic, *lost);
		return forget_hosts(traffic, err);
	}
	liquid_traffic_free(*lost);
	*lost = NULL;
	return status;
}
