// SPDX-License-Identifier: LGPL-2.1-or-later
/* The public calls on a file: each fills the cache, transfers, and agrees on the error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/agree.h"
#include "order/exchange.h"
#include "client/transfer.h"
#include "api/file.h"
#include "layout/name.h"

/* ---- names ---- */

/* A file's name, as each listener gets it */
struct names {
	struct file_name name;
	uint32_t *peer;			/* by subfile */
	bool *uses;			/* by listener, as the rest */
	char **text;
	uint32_t *bytes;
};

static void names_free(struct names *names, uint32_t peers)
{
	for (uint32_t i = 0; i < peers && names->text; i++)
		free(names->text[i]);
	free(names->text);
	free(names->bytes);
	free(names->uses);
	free(names->peer);
	name_free(&names->name);
}

static bool same_host(const char *name, const char *host)
{
	size_t first = strcspn(host, ".");

	return !strcmp(name, host) || (strlen(name) == first && !strncmp(name, host, first));
}

static int find_peer(const struct context *context, const char *host, uint32_t *peer)
{
	for (*peer = 0; *peer < context->peers; ++*peer)
		if (same_host(host, context->peer[*peer].host))
			return 0;
	return -ENXIO;
}

/* Send @peer the path of a subfile. */
static int add_path(struct names *names, uint32_t peer, uint32_t subfile, uint64_t limit)
{
	const char *path = names->name.subfile[subfile].path;
	uint32_t bytes = names->bytes[peer];
	uint32_t more = (uint32_t)(sizeof(subfile) + strlen(path) + 1);
	char *text = realloc(names->text[peer], bytes + more);

	if (!text)
		return -ENOMEM;
	names->text[peer] = text;
	if (bytes + more > limit)
		return -ENAMETOOLONG;
	memcpy(text + bytes, &subfile, sizeof(subfile));
	strcpy(text + bytes + sizeof(subfile), path);
	names->bytes[peer] += more;
	names->uses[peer] = true;
	return 0;
}

static int names_new(const struct context *context, const char *text, struct names *names)
{
	int error = name_parse(text, &names->name);

	if (error)
		return error;
	names->peer = calloc(names->name.count, sizeof(*names->peer));
	names->uses = calloc(context->peers, sizeof(*names->uses));
	names->text = calloc(context->peers, sizeof(*names->text));
	names->bytes = calloc(context->peers, sizeof(*names->bytes));
	if (!names->peer || !names->uses || !names->text || !names->bytes)
		return -ENOMEM;
	for (uint32_t i = 0; i < names->name.count && !error; i++) {
		error = find_peer(context, names->name.subfile[i].host, &names->peer[i]);
		if (!error)
			error = add_path(names, names->peer[i], i, context->buffer);
	}
	return error;
}

/* ---- collective functions ---- */

/* The first rank asks, and all learn what came of it. */
static int ask_all(struct context *context, const struct request *request, const bool *uses,
		   const struct batch *batch, const struct names *names)
{
	int error = 0;

	if (!context->rank)
		error = transfer_ask(context, request, uses, batch, names ? names->text : NULL,
				     names ? names->bytes : NULL);
	return agree_error(context, error);
}

static int by_name(const char *text, enum kind kind)
{
	const struct request request = { .kind = kind };
	struct names names = { .peer = NULL };
	int error;

	if (!sfio_context)
		return -ENOTCONN;
	error = names_new(sfio_context, text, &names);
	error = agree_same(sfio_context, error, text, kind);
	if (!error)
		error = ask_all(sfio_context, &request, names.uses, NULL, &names);
	names_free(&names, sfio_context->peers);
	return error;
}

int sfio_create(const char *name)
{
	return by_name(name, KIND_CREATE);
}

int sfio_delete(const char *name)
{
	return by_name(name, KIND_DELETE);
}

static void file_free(struct sfio_file *file)
{
	free(file->peer);
	free(file->uses);
	free(file);
}

static int subfiles_open(struct context *context, const char *name, uint64_t unit,
			 struct sfio_file *file)
{
	struct request request = { .kind = KIND_OPEN, .file = ++context->files };
	struct names names = { .peer = NULL };
	int error = file ? names_new(context, name, &names) : -ENOMEM;

	error = agree_same(context, error ? error : unit ? 0 : -EINVAL, name, unit);
	if (!error)
		error = ask_all(context, &request, names.uses, NULL, &names);
	if (!error) {
		file->number = request.file;
		file->layout = (struct layout){ names.name.count, unit };
		file->peer = names.peer;
		file->uses = names.uses;
		names.peer = NULL;
		names.uses = NULL;
	}
	names_free(&names, context->peers);
	return error;
}

MFILE *sfio_open(const char *name, uint64_t unit)
{
	struct sfio_file *file = calloc(1, sizeof(*file));
	int error = sfio_context ? subfiles_open(sfio_context, name, unit, file) : -ENOTCONN;

	if (!error)
		return file;
	free(file);
	errno = -error;
	return NULL;
}

int sfio_close(MFILE *file)
{
	const struct request request = { .kind = KIND_CLOSE, .file = file->number };
	int error = agree_error(sfio_context, 0);

	if (!error)
		error = ask_all(sfio_context, &request, file->uses, NULL, NULL);
	file_free(file);
	return error;
}

int sfio_resize(MFILE *file, uint64_t size)
{
	const struct request request = { .kind = KIND_RESIZE, .file = file->number };
	struct batch *batch = calloc(sfio_context->peers, sizeof(*batch));
	int error = batch ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < file->layout.subfiles && !error; i++) {
		const struct run run = {
			.at = layout_size(&file->layout, i, size), .subfile = i,
		};

		error = batch_add(&batch[file->peer[i]], &run);
	}
	error = agree_same(sfio_context, error, "", size);
	if (!error)
		error = ask_all(sfio_context, &request, file->uses, batch, NULL);
	for (uint32_t i = 0; i < sfio_context->peers && batch; i++)
		batch_free(&batch[i]);
	free(batch);
	return error;
}

/* ---- errors ---- */

static int ask_errors(struct context *context, unsigned long *errors)
{
	const struct request request = { .kind = KIND_ERRORS };
	bool *uses = malloc(context->peers * sizeof(*uses));
	int error;

	if (!uses)
		return -ENOMEM;
	memset(uses, true, context->peers * sizeof(*uses));
	error = transfer_ask(context, &request, uses, NULL, NULL, NULL);
	for (uint32_t i = 0; i < context->peers; i++)
		for (int k = 0; k < ERRORS && !context->peer[i].dead; k++)
			errors[k] += context->flight[(size_t)i * DEPTH].answer.count[k];
	free(uses);
	return error;
}

int file_errors(unsigned long *errors, bool collective)
{
	int64_t value[ERRORS + 1] = { 0 };
	int error = 0, failed;

	memset(errors, 0, ERRORS * sizeof(*errors));
	if (!sfio_context)
		return -ENOTCONN;
	/* The calls of all ranks are over when the first rank asks. */
	if (collective)
		error = agree_error(sfio_context, 0);
	if (!error && (!collective || !sfio_context->rank))
		error = ask_errors(sfio_context, errors);
	if (!collective)
		return error;
	for (int i = 0; i < ERRORS; i++)
		value[i] = -(int64_t)errors[i];
	value[ERRORS] = error;
	failed = agree(sfio_context, value, ERRORS + 1);
	for (int i = 0; i < ERRORS; i++)
		errors[i] = (unsigned long)-value[i];
	return failed ? failed : (int)value[ERRORS];
}

/* ---- reads and writes ---- */

#define FILE_MAX	(UINT64_C(1) << 62)

static int fill_cache(struct cache *cache, const MFILE *file, const struct sfio_block *block,
		      uint32_t blocks)
{
	int error = 0;

	for (uint32_t i = 0; i < blocks && !error; i++) {
		const struct block one = { block[i].offset, block[i].bytes, block[i].memory };

		if (one.offset > FILE_MAX || one.size > FILE_MAX - one.offset)
			return -EINVAL;
		error = cache_add(cache, &file->layout, file->peer, &one, i);
	}
	return error ? error : cache_merge(cache);
}

/* Requests that this rank has for the listener for which it has the most, at least 1 */
static int64_t count_rounds(const struct context *context, const struct cache *cache)
{
	struct batch batch = { .run = NULL };
	int64_t most = 1;

	for (uint32_t i = 0; i < cache->nodes; i++) {
		struct requests requests = cache->node[i];
		int64_t rounds = 0;
		bool more = true;

		while (more && !requests_take(&requests, context->buffer, PLACE_END, &batch, &more))
			rounds++;
		most = rounds > most ? rounds : most;
	}
	batch_free(&batch);
	return most;
}

/* By tokens a listener answers if all listeners of the fabric have equally many requests. */
static bool uses_all(const struct context *context, const MFILE *file)
{
	for (uint32_t i = 0; i < context->peers; i++)
		if (!file->uses[i])
			return false;
	return true;
}

/* With tokens all ranks go through equally many epochs. *@rounds stays 0 without. */
static int agree_rounds(struct context *context, const struct cache *cache, int64_t *rounds)
{
	int64_t least = -count_rounds(context, cache);
	int error = agree(context, &least, 1);

	*rounds = error ? 0 : -least;
	return error;
}

/* A collective call of the requests in @cache */
static int transfer_all(MFILE *file, struct request request, struct cache *cache)
{
	struct context *context = sfio_context;
	bool writes = request.kind == KIND_WRITE_ALL;
	int64_t rounds = 0;
	int error = 0;

	if (exchange_needs_rounds(context->exchange) && (writes || uses_all(context, file)))
		error = agree_rounds(context, cache, &rounds);
	if (error)
		return error;
	if (rounds && writes)
		exchange_rounds(context->exchange, (uint64_t)rounds);
	else if (rounds)
		request.flags = REQUEST_TOKENS;
	return transfer(context, &request, cache, file->uses, writes ? 0 : (uint64_t)rounds);
}

static int call(MFILE *file, const struct request *request, const struct sfio_block *block,
		uint32_t blocks, bool collective)
{
	struct context *context = sfio_context;
	struct cache cache;
	int error = cache_new(&cache, context->peers), failed = 0;

	if (!error)
		error = fill_cache(&cache, file, block, blocks);
	if (error) {
		/* Other ranks wait for this one, which has nothing for them. */
		cache_free(&cache);
		failed = error;
		error = collective ? cache_new(&cache, context->peers) : error;
	}
	if (!error)
		error = collective ? transfer_all(file, *request, &cache) :
			transfer(context, request, &cache, file->uses, 0);
	if (request->kind == KIND_READ || request->kind == KIND_READ_ALL)
		cache_share(&cache);
	cache_free(&cache);
	return failed ? failed : error;
}

int sfio_write(MFILE *file, const struct sfio_block *block, uint32_t blocks)
{
	const struct request request = { .kind = KIND_WRITE, .file = file->number };

	return call(file, &request, block, blocks, false);
}

int sfio_read(MFILE *file, const struct sfio_block *block, uint32_t blocks)
{
	const struct request request = { .kind = KIND_READ, .file = file->number };

	return call(file, &request, block, blocks, false);
}

int sfio_write_all(MFILE *file, const struct sfio_block *block, uint32_t blocks)
{
	const struct request request = {
		.kind = KIND_WRITE_ALL, .file = file->number, .call = ++sfio_context->calls,
	};

	return call(file, &request, block, blocks, true);
}

int sfio_read_all(MFILE *file, const struct sfio_block *block, uint32_t blocks)
{
	const struct request request = {
		.kind = KIND_READ_ALL, .file = file->number, .call = ++sfio_context->calls,
	};

	return call(file, &request, block, blocks, true);
}
