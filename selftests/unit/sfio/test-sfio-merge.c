// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random calls of many blocks, with overlaps and holes, through cache, merging and batches to
 * subfiles in memory, against a flat file. Messages and accesses are counted.
 */
#include <string.h>

#include "cache/cache.h"
#include "tap.h"

#define SUBFILES 7
#define ROOM (1 << 16)			/* largest file, except for large units */
#define BLOCKS 24
#define LIMIT 4096			/* of a message, where one is not enough */

static uint64_t state = 88172645463325252;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % (limit ? limit : 1);
}

struct model {
	struct layout layout;
	uint32_t node[SUBFILES], nodes;	/* I/O node of each subfile */
	uint64_t size;			/* room for the file */
	unsigned char *flat, *subfile[SUBFILES];
	unsigned char *touched[SUBFILES];
	unsigned char *message;
	/* of all calls */
	uint64_t calls, overlapped, split;
	bool right;
};

/* The formula of the layout */
static unsigned char *byte_of(struct model *model, unsigned char *const *files, uint64_t offset)
{
	uint64_t block = offset / model->layout.unit;
	uint64_t at = block / model->layout.subfiles * model->layout.unit;

	return &files[block % model->layout.subfiles][at + offset % model->layout.unit];
}

/* ---- what a listener does ---- */

static void write_batch(struct model *model, const struct batch *batch)
{
	unsigned char *from = model->message;

	for (size_t i = 0; i < batch->pieces.count; i++) {
		piece_gather(&batch->pieces.piece[i], from);
		from += batch->pieces.piece[i].length;
	}
	from = model->message;
	for (size_t i = 0; i < batch->runs; i++) {
		memcpy(model->subfile[batch->run[i].subfile] + batch->run[i].at, from,
		       batch->run[i].length);
		from += batch->run[i].length;
	}
}

static void scatter(const struct piece *piece, const unsigned char *from)
{
	uint64_t bytes;

	for (uint64_t at = 0; at < piece->length; at += bytes) {
		unsigned char *memory = piece_memory(piece, at, &bytes);

		memcpy(memory, from + at, bytes);
	}
}

static void read_batch(struct model *model, const struct batch *batch)
{
	unsigned char *to = model->message;

	for (size_t i = 0; i < batch->runs; i++) {
		memcpy(to, model->subfile[batch->run[i].subfile] + batch->run[i].at,
		       batch->run[i].length);
		to += batch->run[i].length;
	}
	to = model->message;
	for (size_t i = 0; i < batch->pieces.count; i++) {
		scatter(&batch->pieces.piece[i], to);
		to += batch->pieces.piece[i].length;
	}
}

/* ---- counting ---- */

/* Runs of bytes of @node that the blocks touch, found by marking each byte */
static size_t runs_of(struct model *model, uint32_t node)
{
	size_t runs = 0;

	for (uint32_t i = 0; i < model->layout.subfiles; i++) {
		uint64_t size = layout_size(&model->layout, i, model->size);

		for (uint64_t at = 0; at < size && model->node[i] == node; at++)
			runs += model->touched[i][at] && !(at && model->touched[i][at - 1]);
	}
	return runs;
}

static void mark(struct model *model, const struct block *block, uint32_t blocks)
{
	for (uint32_t i = 0; i < model->layout.subfiles; i++)
		memset(model->touched[i], 0, layout_size(&model->layout, i, model->size));
	for (uint32_t i = 0; i < blocks; i++)
		for (uint64_t o = 0; o < block[i].size; o++)
			*byte_of(model, model->touched, block[i].offset + o) = 1;
}

/* ---- a call ---- */

/* All that a call has for one I/O node. Within one message, accesses are the merged runs. */
static void transfer(struct model *model, struct requests *requests, uint32_t node, bool writes,
		     uint64_t limit, bool counted)
{
	struct batch batch = { .run = NULL };
	size_t messages = 0, accesses = 0;
	bool more = requests->all.count > 0;

	while (more && model->right) {
		if (requests_take(requests, limit, PLACE_END, &batch, &more))
			model->right = false;
		model->right = model->right && batch.bytes &&
			       batch.bytes + batch.runs * sizeof(struct run) <= limit;
		if (writes)
			write_batch(model, &batch);
		else
			read_batch(model, &batch);
		messages++;
		accesses += batch.runs;
	}
	if (limit > LIMIT && counted)
		model->right = model->right && messages == (requests->all.count > 0) &&
			       accesses == runs_of(model, node);
	model->split += messages > 1;
	batch_free(&batch);
}

static void call(struct model *model, const struct block *block, uint32_t blocks, bool writes)
{
	uint64_t limit = below(4) ? UINT64_C(1) << 32 : LIMIT;
	bool counted = model->size <= ROOM && below(8) == 0;
	struct cache cache;

	model->right = model->right && !cache_new(&cache, model->nodes);
	for (uint32_t i = 0; i < blocks; i++)
		model->right = model->right &&
			       !cache_add(&cache, &model->layout, model->node, &block[i], i);
	model->right = model->right && !cache_merge(&cache);
	if (counted)
		mark(model, block, blocks);
	for (uint32_t i = 0; i < model->nodes; i++) {
		model->overlapped += cache.node[i].cut.count > 0;
		transfer(model, &cache.node[i], i, writes, limit, counted);
	}
	if (!writes)
		cache_share(&cache);
	cache_free(&cache);
	model->calls++;
}

/* ---- random calls ---- */

static void draw(struct model *model, struct block *block, uint32_t blocks, unsigned char *memory)
{
	uint64_t most = 1 + below(model->size / (below(2) ? blocks : 2));
	bool in_order = below(3) == 0;
	uint64_t offset = 0;

	for (uint32_t i = 0; i < blocks; i++) {
		uint64_t size = below(most + 1);

		offset = in_order ? offset + below(3) * below(most + 1) : below(model->size);
		if (offset > model->size)
			offset = model->size;
		if (size > model->size - offset)
			size = model->size - offset;
		block[i] = (struct block){ offset, size, memory };
		memory += size;
		if (in_order)
			offset += size;
	}
}

static void random_write(struct model *model, unsigned char *memory)
{
	struct block block[BLOCKS];
	uint32_t blocks = 1 + (uint32_t)below(BLOCKS);

	draw(model, block, blocks, memory);
	for (uint32_t i = 0; i < blocks; i++)
		for (uint64_t o = 0; o < block[i].size; o++)
			block[i].memory[o] = (unsigned char)(1 + below(255));
	call(model, block, blocks, true);
	for (uint32_t i = 0; i < blocks; i++)
		memcpy(model->flat + block[i].offset, block[i].memory, block[i].size);
}

static void random_read(struct model *model, unsigned char *memory)
{
	struct block block[BLOCKS];
	uint32_t blocks = 1 + (uint32_t)below(BLOCKS);

	draw(model, block, blocks, memory);
	for (uint32_t i = 0; i < blocks; i++)
		memset(block[i].memory, 0xee, block[i].size);
	call(model, block, blocks, false);
	for (uint32_t i = 0; i < blocks; i++)
		model->right = model->right &&
			       !memcmp(model->flat + block[i].offset, block[i].memory,
				       block[i].size);
}

static bool same_as_flat(struct model *model)
{
	for (uint64_t o = 0; o < model->size; o++)
		if (model->flat[o] != *byte_of(model, model->subfile, o))
			return false;
	return true;
}

static void file(struct model *model, uint32_t subfiles, uint64_t unit, uint64_t size,
		 uint32_t calls)
{
	unsigned char *memory = malloc(size * BLOCKS);

	model->layout = (struct layout){ subfiles, unit };
	model->size = size;
	model->nodes = 1 + (uint32_t)below(subfiles);
	model->flat = calloc(size, 1);
	model->message = malloc(size + 1);
	for (uint32_t i = 0; i < subfiles; i++) {
		model->node[i] = (uint32_t)below(model->nodes);
		model->subfile[i] = calloc(size + 1, 1);
		model->touched[i] = calloc(size + 1, 1);
	}
	for (uint32_t i = 0; i < calls && model->right; i++)
		if (below(2))
			random_write(model, memory);
		else
			random_read(model, memory);
	model->right = model->right && same_as_flat(model);
	for (uint32_t i = 0; i < subfiles; i++) {
		free(model->subfile[i]);
		free(model->touched[i]);
	}
	free(model->flat);
	free(model->message);
	free(memory);
}

static void random_calls(void)
{
	static const uint64_t units[] = { 1, 2, 5, 7, 75, 200, 1005, 4096, 65536, 1000000 };
	uint32_t calls = draws(100000) / 70;

	for (uint32_t subfiles = 1; subfiles <= 7; subfiles++) {
		struct model model = { .right = true };

		for (size_t i = 0; i < 9; i++)
			for (uint32_t done = 0; done < calls; done += 100) {
				uint64_t size = 1 + below(below(4) ? 1000 : ROOM / 8);

				file(&model, subfiles, units[i], size, 100);
			}
		for (uint32_t done = 0; done < calls; done += 100)
			file(&model, subfiles, units[9], 1 + below(2), 100);
		file(&model, subfiles, units[8], 6 * units[8], 30);
		file(&model, subfiles, units[9], 3 * units[9], 6);
		ok(model.right && model.overlapped && model.split,
		   "%u subfiles: %llu random calls are those of a flat file", subfiles,
		   (unsigned long long)model.calls);
		printf("# %llu with overlaps, %llu of several messages\n",
		       (unsigned long long)model.overlapped, (unsigned long long)model.split);
	}
}

/* ---- small cases, by hand ---- */

/* Fig. 12 of the thesis: overlapping and consecutive requests become one. */
static void merges(void)
{
	struct layout layout = { 1, 1000 };
	unsigned char memory[100];
	const struct block block[] = {
		{ 40, 10, memory }, { 0, 10, memory }, { 10, 10, memory }, { 15, 10, memory },
		{ 60, 5, memory },
	};
	const uint32_t node = 0;
	struct batch batch = { .run = NULL };
	struct cache cache;
	bool more, right = !cache_new(&cache, 1);

	for (uint32_t i = 0; i < 5; i++)
		right = right && !cache_add(&cache, &layout, &node, &block[i], i);
	right = right && !cache_merge(&cache) &&
		!requests_take(&cache.node[0], 1000, PLACE_END, &batch, &more) && !more;
	ok(right && batch.runs == 3 && batch.bytes == 40, "five requests become three accesses");
	ok(right && batch.run[0].at == 0 && batch.run[0].length == 25 && batch.run[1].at == 40 &&
	   batch.run[2].at == 60, "those that overlap or follow each other are one");
	batch_free(&batch);
	cache_free(&cache);
}

/* A call of any size is one piece for each subfile. */
static void one_piece(void)
{
	struct layout layout = { 3, 75 };
	const struct block block = { 1000, UINT64_C(1) << 40, NULL };
	const uint32_t node[] = { 0, 1, 2 };
	struct cache cache;
	bool right = !cache_new(&cache, 3) && !cache_add(&cache, &layout, node, &block, 0);

	for (uint32_t i = 0; i < 3; i++)
		right = right && cache.node[i].all.count == 1;
	ok(right, "a contiguous terabyte in units of 75 bytes takes one piece for each subfile");
	cache_free(&cache);
}

int main(void)
{
	merges();
	one_piece();
	random_calls();
	return tap_exit();
}
