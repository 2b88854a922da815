// SPDX-License-Identifier: LGPL-2.1-or-later
/* The arguments of a call in bytes */
#include <stdlib.h>
#include <string.h>

#include "plan/agree.h"
#include "plan/device.h"
#include "plan/sides.h"

/* One of the messages of a side, as the program gave it. */
struct item {
	uint32_t peer;
	MPI_Count count;
	unsigned char *at;
};

/* The messages of a side, in the order of the arguments */
struct list {
	struct item *item;
	uint32_t count;
	MPI_Datatype type;
	MPI_Count size;			/* of an element, bytes */
	bool plain;			/* elements are runs of bytes without gaps */
};

uint64_t args_bytes(const struct args *args)
{
	MPI_Count size = 0;

	PMPI_Type_size_x(args->recv.type, &size);
	return (uint64_t)size * (uint64_t)args->recv.count;
}

static bool is_neighbor(const struct args *args)
{
	return args->kind == CALL_NEIGHBOR_ALLTOALL || args->kind == CALL_NEIGHBOR_ALLTOALLV;
}

/* ---- neighbors ---- */

/* Ranks to which this one sends and from which it receives, in the order of MPI's arguments */
struct neighbors {
	int *to, *from;
	int to_count, from_count;
};

static int sides_take_memory(struct neighbors *n)
{
	n->to = calloc((size_t)n->to_count + 1, sizeof(*n->to));
	n->from = calloc((size_t)n->from_count + 1, sizeof(*n->from));
	return n->to && n->from ? CANNOT_NOTHING : CANNOT_MEMORY;
}

static int find_dist_graph(MPI_Comm comm, struct neighbors *n)
{
	int weighted, *weights, cannot;

	PMPI_Dist_graph_neighbors_count(comm, &n->from_count, &n->to_count, &weighted);
	cannot = sides_take_memory(n);
	weights = calloc((size_t)n->from_count + (size_t)n->to_count + 1, sizeof(*weights));
	if (!cannot && !weights)
		cannot = CANNOT_MEMORY;
	if (!cannot)
		PMPI_Dist_graph_neighbors(comm, n->from_count, n->from, weights, n->to_count,
					  n->to, weights + n->from_count);
	free(weights);
	return cannot;
}

static int find_graph(MPI_Comm comm, int rank, struct neighbors *n)
{
	int cannot;

	PMPI_Graph_neighbors_count(comm, rank, &n->to_count);
	n->from_count = n->to_count;
	cannot = sides_take_memory(n);
	if (cannot)
		return cannot;
	PMPI_Graph_neighbors(comm, rank, n->to_count, n->to);
	memcpy(n->from, n->to, (size_t)n->to_count * sizeof(*n->to));
	return CANNOT_NOTHING;
}

static int find_cart(MPI_Comm comm, struct neighbors *n)
{
	int dims, cannot;

	PMPI_Cartdim_get(comm, &dims);
	n->from_count = n->to_count = 2 * dims;
	cannot = sides_take_memory(n);
	for (int i = 0; i < dims && !cannot; i++)
		PMPI_Cart_shift(comm, i, 1, &n->to[2 * i], &n->to[2 * i + 1]);
	if (!cannot)
		memcpy(n->from, n->to, 2 * (size_t)dims * sizeof(*n->to));
	return cannot;
}

static int find_neighbors(MPI_Comm comm, int rank, struct neighbors *n)
{
	int topology;

	PMPI_Topo_test(comm, &topology);
	if (topology == MPI_DIST_GRAPH)
		return find_dist_graph(comm, n);
	if (topology == MPI_GRAPH)
		return find_graph(comm, rank, n);
	return find_cart(comm, n);
}

/* ---- messages in the order of the arguments ---- */

static MPI_Count count_at(const struct side *side, uint32_t i)
{
	if (!side->counts)
		return side->count;
	return side->wide ? ((const MPI_Count *)side->counts)[i] : ((const int *)side->counts)[i];
}

/* Where message @i begins, in elements */
static MPI_Count place_at(const struct side *side, uint32_t i)
{
	if (!side->counts)
		return (MPI_Count)i * side->count;
	return side->wide ? (MPI_Count)((const MPI_Aint *)side->places)[i] :
			    ((const int *)side->places)[i];
}

bool type_is_named(MPI_Datatype type)
{
	int integers, addresses, types, combiner;

	PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
	return combiner == MPI_COMBINER_NAMED;
}

/* Is each element a run of bytes that begins at its address and is followed by the next? */
static bool is_plain(MPI_Datatype type, MPI_Count size)
{
	MPI_Count lb, extent, true_lb, true_extent;

	PMPI_Type_get_extent_x(type, &lb, &extent);
	PMPI_Type_get_true_extent_x(type, &true_lb, &true_extent);
	return type_is_named(type) && !lb && !true_lb && extent == size && true_extent == size;
}

static int list_fill(struct list *list, const struct side *side, const int *peers, uint32_t count)
{
	MPI_Count lb, extent;

	list->type = side->type;
	PMPI_Type_size_x(side->type, &list->size);
	PMPI_Type_get_extent_x(side->type, &lb, &extent);
	list->plain = is_plain(side->type, list->size);
	list->item = calloc((size_t)count + 1, sizeof(*list->item));
	if (!list->item)
		return CANNOT_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		int peer = peers ? peers[i] : (int)i;

		if (peer == MPI_PROC_NULL)
			continue;
		list->item[list->count++] = (struct item){
			.peer = (uint32_t)peer, .count = count_at(side, i),
			.at = (unsigned char *)side->buffer + place_at(side, i) * extent,
		};
	}
	return CANNOT_NOTHING;
}

struct lists {
	struct list out, in;
};

static int lists_fill(struct lists *lists, const struct args *args, const struct seat *seat)
{
	struct neighbors n = { .to_count = (int)seat->ranks, .from_count = (int)seat->ranks };
	int cannot = CANNOT_NOTHING;

	if (is_neighbor(args))
		cannot = find_neighbors(seat->comm, (int)seat->rank, &n);
	if (!cannot)
		cannot = list_fill(&lists->out, &args->send, n.to, (uint32_t)n.to_count);
	if (!cannot)
		cannot = list_fill(&lists->in, &args->recv, n.from, (uint32_t)n.from_count);
	free(n.to);
	free(n.from);
	return cannot;
}

static void lists_clear(struct lists *lists)
{
	free(lists->out.item);
	free(lists->in.item);
}

/* ---- messages by rank ---- */

static uint64_t item_bytes(const struct list *list, const struct item *item)
{
	return (uint64_t)item->count * (uint64_t)list->size;
}

/* MPI_Pack() counts in int, and an MPI may pack more than the bytes themselves. */
static int check_packing(const struct list *list, const struct item *item)
{
	uint64_t bytes = item_bytes(list, item);
	int packed;

	if (bytes > INT32_MAX || item->count > INT32_MAX)
		return CANNOT_TYPE;
	if (PMPI_Pack_size((int)item->count, list->type, MPI_COMM_SELF, &packed))
		return CANNOT_TYPE;
	return (uint64_t)packed == bytes ? CANNOT_NOTHING : CANNOT_TYPE;
}

/* Memory for all packed messages of @list, one after another; @span says where each will be. */
static int place_packed(const struct list *list, struct span *span, unsigned char **memory)
{
	uint64_t bytes = 0;
	int cannot = CANNOT_NOTHING;

	for (uint32_t i = 0; i < list->count && !cannot; i++) {
		bytes += item_bytes(list, &list->item[i]);
		cannot = check_packing(list, &list->item[i]);
	}
	if (cannot)
		return cannot;
	*memory = malloc(bytes + 1);
	if (!*memory)
		return CANNOT_MEMORY;
	bytes = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		span[list->item[i].peer].at = *memory + bytes;
		bytes += item_bytes(list, &list->item[i]);
	}
	return CANNOT_NOTHING;
}

static int spans_fill(const struct list *list, struct span *span, unsigned char **memory)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct item *item = &list->item[i];

		if (span[item->peer].at)
			return CANNOT_NEIGHBOR_TWICE;
		/* not NULL, also of an empty message: the neighbor has been seen */
		span[item->peer] = (struct span){
			.at = item->at ? item->at : (unsigned char *)memory,
			.bytes = item_bytes(list, item),
		};
	}
	return list->plain ? CANNOT_NOTHING : place_packed(list, span, memory);
}

static int pack(const struct list *list, const struct span *span)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const struct item *item = &list->item[i];
		int position = 0;

		if (PMPI_Pack(item->at, (int)item->count, list->type, span[item->peer].at,
			      (int)span[item->peer].bytes, &position, MPI_COMM_SELF))
			return CANNOT_TYPE;
	}
	return CANNOT_NOTHING;
}

static int sides_unpack(const struct list *list, const struct span *span)
{
	int error = MPI_SUCCESS;

	for (uint32_t i = 0; i < list->count && !error; i++) {
		const struct item *item = &list->item[i];
		int position = 0;

		error = PMPI_Unpack(span[item->peer].at, (int)span[item->peer].bytes, &position,
				    item->at, (int)item->count, list->type, MPI_COMM_SELF);
	}
	return error;
}

/* What goes over the fabric */
static void find_far(struct messages *messages, const struct seat *seat)
{
	for (uint32_t i = 0; i < seat->ranks; i++) {
		if (map_is_near(seat->map, i, seat->rank))
			continue;
		messages->far_out[i] = messages->out[i];
		messages->far_in[i] = messages->in[i];
		if (messages->longest < messages->out[i].bytes)
			messages->longest = messages->out[i].bytes;
		if (messages->longest < messages->in[i].bytes)
			messages->longest = messages->in[i].bytes;
	}
}

/* A received message may be unpacked without more memory. */
static int keep_list(struct messages *messages, struct list *list)
{
	messages->unpack = malloc(sizeof(*list));
	if (!messages->unpack)
		return CANNOT_MEMORY;
	*messages->unpack = *list;
	messages->unpack->item = malloc(((size_t)list->count + 1) * sizeof(*list->item));
	if (!messages->unpack->item)
		return CANNOT_MEMORY;
	memcpy(messages->unpack->item, list->item, list->count * sizeof(*list->item));
	return CANNOT_NOTHING;
}

int messages_fill(struct messages *messages, const struct args *args, const struct seat *seat)
{
	struct lists lists = { 0 };
	int cannot;

	*messages = (struct messages){
		.out = calloc(seat->ranks, sizeof(struct span)),
		.in = calloc(seat->ranks, sizeof(struct span)),
		.far_out = calloc(seat->ranks, sizeof(struct span)),
		.far_in = calloc(seat->ranks, sizeof(struct span)),
	};
	if (!messages->out || !messages->in || !messages->far_out || !messages->far_in)
		return CANNOT_MEMORY;
	if (args->send.buffer == MPI_IN_PLACE)
		return CANNOT_IN_PLACE;
	if (is_device_memory(args->send.buffer) || is_device_memory(args->recv.buffer))
		return CANNOT_DEVICE;
	cannot = lists_fill(&lists, args, seat);
	if (!cannot && !lists.in.plain)
		cannot = keep_list(messages, &lists.in);
	if (!cannot)
		cannot = spans_fill(&lists.out, messages->out, &messages->packed_out);
	if (!cannot)
		cannot = spans_fill(&lists.in, messages->in, &messages->packed_in);
	if (!cannot && !lists.out.plain)
		cannot = pack(&lists.out, messages->out);
	if (!cannot)
		find_far(messages, seat);
	lists_clear(&lists);
	return cannot;
}

int messages_unpack(const struct messages *messages)
{
	return messages->packed_in ? sides_unpack(messages->unpack, messages->in) : MPI_SUCCESS;
}

void messages_clear(struct messages *messages)
{
	free(messages->out);
	free(messages->in);
	free(messages->far_out);
	free(messages->far_in);
	free(messages->packed_out);
	free(messages->packed_in);
	if (messages->unpack)
		free(messages->unpack->item);
	free(messages->unpack);
	*messages = (struct messages){ 0 };
}
