// SPDX-License-Identifier: LGPL-2.1-or-later
/* Splits the ranks into listeners and compute ranks, runs the former, and ends both. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/agree.h"
#include "client/transfer.h"
#include "listener/listener.h"
#include "order/order.h"
#include "api/roles.h"
#include "api/settings.h"

struct context *sfio_context;

/* A compute rank's own, for as long as its exchange has it */
static struct nodes sfio_nodes;

static void init_say(const char *what)
{
	fprintf(stderr, "liquid-sfio: %s\n", what);
}

/* ---- the order ---- */

/* The exchange of this side, NULL for no order: without one the program runs as well. */
static struct exchange *set_order(MPI_Comm comm, const struct roles *roles, struct nodes *nodes,
				  const struct settings *settings)
{
	bool listens = roles->listens[roles->rank];
	const struct order_options options = {
		.fabric = settings->fabric, .timeout_ns = settings->timeout_ns / 8,
		.method = settings->order == ORDER_ROUND_ROBIN ? "round-robin" : NULL,
		.sync = settings->order == ORDER_TOKENS ? LIQUID_SYNC_TOKENS : LIQUID_SYNC_ORDER,
	};
	struct side side = { .comm = comm, .nodes = nodes };
	struct exchange *exchange = NULL;
	struct liquid_error err = { "" };
	int status;

	if (settings->order == ORDER_NONE)
		return NULL;
	MPI_Comm_rank(comm, &side.rank);
	MPI_Comm_size(comm, &side.ranks);
	side.peers = (uint32_t)(roles->ranks - side.ranks);
	if (!roles_alone(roles))
		status = liquid_fail(&err, LIQUID_BAD_INPUT,
				     "a host has two compute ranks or two listeners: no order");
	else
		status = roles_nodes(roles, nodes) ? LIQUID_NO_MEMORY :
			 order_new(&side, &options, &exchange, &err);
	if (status && !side.rank && !listens)
		init_say(err.text);
	return exchange;
}

/* ---- compute ranks ---- */

static void context_free(struct context *context)
{
	exchange_free(context->exchange);
	nodes_free(&sfio_nodes);
	for (uint32_t i = 0; i < context->peers * DEPTH && context->flight; i++)
		batch_free(&context->flight[i].batch);
	free(context->flight);
	free(context->peer);
	free(context);
}

static int compute_begin(MPI_Comm all, MPI_Comm compute, const struct roles *roles,
			 const struct settings *settings)
{
	struct context *context = calloc(1, sizeof(*context));

	if (!context)
		return -ENOMEM;
	context->all = all;
	context->compute = compute;
	context->buffer = settings->buffer;
	context->timeout_ns = settings->timeout_ns;
	context->peers = roles->listeners;
	context->peer = roles_peers(roles);
	context->flight = calloc((size_t)context->peers * DEPTH, sizeof(*context->flight));
	if (!context->peer || !context->flight) {
		context_free(context);
		return -ENOMEM;
	}
	MPI_Comm_rank(compute, &context->rank);
	MPI_Comm_size(compute, &context->ranks);
	MPI_Comm_dup(compute, &context->agree);
	MPI_Comm_set_errhandler(context->agree, MPI_ERRORS_RETURN);
	context->exchange = set_order(context->agree, roles, &sfio_nodes, settings);
	sfio_context = context;
	return 0;
}

static int listen_all(MPI_Comm all, MPI_Comm own, const struct roles *roles,
		      const struct settings *settings)
{
	struct nodes nodes = { .host = NULL };
	const struct listener_options options = {
		.comm = all, .clients = (uint32_t)roles->ranks - roles->listeners,
		.buffer = settings->buffer, .timeout_ns = settings->timeout_ns,
		.exchange = set_order(own, roles, &nodes, settings),
	};
	int error = listener_run(&options);

	exchange_free(options.exchange);
	nodes_free(&nodes);
	return error;
}

/* ---- all ranks ---- */

static int read_settings(MPI_Comm all, struct settings *settings)
{
	int rank;

	MPI_Comm_rank(all, &rank);
	settings_read(settings);
	if (MPI_Bcast(settings, sizeof(*settings), MPI_BYTE, 0, all))
		return -EIO;
	if (settings->wrong[0] && !rank)
		init_say(settings->wrong);
	return settings->wrong[0] ? -EINVAL : 0;
}

static int init_begin(MPI_Comm all, const struct settings *settings, const struct roles *roles,
		      MPI_Comm *compute)
{
	bool listens = roles->listens[roles->rank];
	MPI_Comm own;
	int error;

	if (MPI_Comm_split(all, listens, 0, &own))
		return -EIO;
	MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
	if (!listens) {
		*compute = own;
		return compute_begin(all, own, roles, settings);
	}
	error = listen_all(all, own, roles, settings);
	if (!error) {
		MPI_Comm_free(&own);
		MPI_Comm_free(&all);
	}
	return error;
}

int sfio_init(MPI_Comm comm, MPI_Comm *compute)
{
	struct settings settings;
	struct roles roles = { .host = NULL };
	MPI_Comm all;
	int error;

	*compute = MPI_COMM_NULL;
	if (sfio_context)
		return -EALREADY;
	if (MPI_Comm_dup(comm, &all))
		return -EIO;
	MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN);
	error = read_settings(all, &settings);
	if (!error)
		error = roles_new(all, &settings, &roles);
	if (error == -EINVAL) {
		if (!settings.wrong[0] && !roles.rank)
			init_say("LIQUID_SFIO_LISTENERS leaves no rank to compute");
		MPI_Barrier(all);	/* a rank that aborts now must not cut off the message */
	}
	if (!error)
		error = init_begin(all, &settings, &roles, compute);
	roles_free(&roles);
	return error;
}

MPI_Comm sfio_compute(void)
{
	return sfio_context ? sfio_context->compute : MPI_COMM_NULL;
}

/* The compute ranks are done. If a listener is dead, do not wait for the others. */
static int meet(struct context *context)
{
	for (uint32_t i = 0; i < context->peers; i++)
		if (context->peer[i].dead)
			return -ETIMEDOUT;
	return agree_error(context, 0);
}

int sfio_finish(void)
{
	const struct request request = { .kind = KIND_FINISH };
	struct context *context = sfio_context;
	bool *uses;
	int error, finished;

	if (!context)
		return -ENOTCONN;
	error = meet(context);
	uses = malloc(context->peers * sizeof(*uses));
	if (!uses)
		return -ENOMEM;
	memset(uses, true, context->peers * sizeof(*uses));
	finished = transfer_ask(context, &request, uses, NULL, NULL, NULL);
	free(uses);
	sfio_context = NULL;
	error = error ? error : finished;
	if (!error) {
		exchange_free(context->exchange);
		context->exchange = NULL;
		MPI_Comm_free(&context->agree);
		MPI_Comm_free(&context->compute);
		MPI_Comm_free(&context->all);
		context_free(context);
	}
	return error;
}

int sfio_main(int argc, char **argv, int (*compute)(int argc, char **argv))
{
	MPI_Comm comm;
	int error, result = 0, threads;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
	error = sfio_init(MPI_COMM_WORLD, &comm);
	if (!error && comm != MPI_COMM_NULL) {
		result = compute(argc, argv);
		error = sfio_finish();
	}
	if (error) {
		fprintf(stderr, "liquid-sfio: %s\n", strerror(-error));
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Finalize();
	return result;
}

void sfio_stats(struct sfio_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	if (!sfio_context)
		return;
	*stats = sfio_context->stats;
	exchange_stats(sfio_context->exchange, &stats->epochs, &stats->unsynchronised);
}
