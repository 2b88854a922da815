// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A sweep over a subfile, from its begin to its end. A heap has the pieces that have begun, the one
 * of the last block on top: as far as it reaches, or until another begins, its bytes are kept.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "cache/merge.h"

struct sweep {
	const struct pieces *all;
	struct pieces *cut;
	size_t *heap, heaped;		/* indices in @all */
	size_t next;			/* piece that begins next */
	uint32_t subfile;
	uint64_t at;
};

/* ---- the heap ---- */

static bool wins(const struct sweep *sweep, size_t a, size_t b)
{
	const struct piece *piece = sweep->all->piece;

	return piece[sweep->heap[a]].request > piece[sweep->heap[b]].request;
}

static void merge_exchange(struct sweep *sweep, size_t a, size_t b)
{
	size_t index = sweep->heap[a];

	sweep->heap[a] = sweep->heap[b];
	sweep->heap[b] = index;
}

static void push(struct sweep *sweep, size_t index)
{
	size_t i = sweep->heaped++;

	sweep->heap[i] = index;
	for (; i && wins(sweep, i, (i - 1) / 2); i = (i - 1) / 2)
		merge_exchange(sweep, i, (i - 1) / 2);
}

static void pop(struct sweep *sweep)
{
	size_t i = 0;

	sweep->heap[0] = sweep->heap[--sweep->heaped];
	while (2 * i + 1 < sweep->heaped) {
		size_t child = 2 * i + 1;

		if (child + 1 < sweep->heaped && wins(sweep, child + 1, child))
			child++;
		if (!wins(sweep, child, i))
			return;
		merge_exchange(sweep, i, child);
		i = child;
	}
}

/* ---- the sweep ---- */

static uint64_t end_of(const struct piece *piece)
{
	return piece->at + piece->length;
}

/* The next piece begins in this subfile. */
static bool begins_here(const struct sweep *sweep)
{
	return sweep->next < sweep->all->count &&
	       sweep->all->piece[sweep->next].subfile == sweep->subfile;
}

static void begin_pieces(struct sweep *sweep)
{
	const struct piece *piece = sweep->all->piece;

	if (!sweep->heaped) {
		sweep->subfile = piece[sweep->next].subfile;
		sweep->at = piece[sweep->next].at;
	}
	while (begins_here(sweep) && piece[sweep->next].at <= sweep->at)
		push(sweep, sweep->next++);
}

/* Keep @piece from here to @end, as more of the piece before if that is of the same block. */
static int merge_keep(struct sweep *sweep, const struct piece *piece, uint64_t end)
{
	struct pieces *cut = sweep->cut;
	struct piece *last = cut->count ? &cut->piece[cut->count - 1] : NULL;
	struct piece part = piece_part(piece, sweep->at - piece->at, end - sweep->at);

	sweep->at = end;
	if (last && last->subfile == part.subfile && last->request == part.request &&
	    end_of(last) == part.at) {
		last->length += part.length;
		return 0;
	}
	return pieces_add(cut, &part);
}

static int merge_step(struct sweep *sweep)
{
	const struct piece *top;
	uint64_t end;

	begin_pieces(sweep);
	top = &sweep->all->piece[sweep->heap[0]];
	end = end_of(top);
	if (end <= sweep->at) {
		pop(sweep);
		return 0;
	}
	if (begins_here(sweep) && sweep->all->piece[sweep->next].at < end)
		end = sweep->all->piece[sweep->next].at;
	return merge_keep(sweep, top, end);
}

static int cut_pieces(const struct pieces *all, struct pieces *cut)
{
	struct sweep sweep = { .all = all, .cut = cut };
	int error = 0;

	sweep.heap = malloc(all->count * sizeof(*sweep.heap));
	if (!sweep.heap)
		return -ENOMEM;
	while (!error && (sweep.heaped || sweep.next < all->count))
		error = merge_step(&sweep);
	free(sweep.heap);
	return error;
}

/* ---- sorting ---- */

static int merge_compare(const void *a, const void *b)
{
	const struct piece *one = a, *two = b;

	if (one->subfile != two->subfile)
		return one->subfile < two->subfile ? -1 : 1;
	if (one->at != two->at)
		return one->at < two->at ? -1 : 1;
	return (one->request > two->request) - (one->request < two->request);
}

static bool sorted(const struct pieces *pieces)
{
	for (size_t i = 1; i < pieces->count; i++)
		if (merge_compare(&pieces->piece[i - 1], &pieces->piece[i]) > 0)
			return false;
	return true;
}

static bool overlaps(const struct pieces *pieces)
{
	for (size_t i = 1; i < pieces->count; i++) {
		const struct piece *last = &pieces->piece[i - 1];

		if (last->subfile == pieces->piece[i].subfile &&
		    end_of(last) > pieces->piece[i].at)
			return true;
	}
	return false;
}

int merge(struct pieces *all, struct pieces *cut)
{
	if (!sorted(all))
		qsort(all->piece, all->count, sizeof(*all->piece), merge_compare);
	return overlaps(all) ? cut_pieces(all, cut) : 0;
}

/* ---- shared bytes of a read ---- */

/* The first piece of @cut that ends after the begin of @piece */
static size_t first_with(const struct pieces *cut, const struct piece *piece)
{
	size_t low = 0, high = cut->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct piece *at = &cut->piece[middle];

		if (at->subfile < piece->subfile ||
		    (at->subfile == piece->subfile && end_of(at) <= piece->at))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Copy the part of @from that @to has as well. */
static void merge_copy_shared(const struct piece *to, const struct piece *from)
{
	uint64_t begin = to->at > from->at ? to->at : from->at;
	uint64_t end = end_of(to) < end_of(from) ? end_of(to) : end_of(from);
	struct piece target = piece_part(to, begin - to->at, end - begin);
	struct piece source = piece_part(from, begin - from->at, end - begin);

	piece_copy(&target, &source);
}

void merge_share(const struct pieces *all, const struct pieces *cut)
{
	for (size_t i = 0; i < all->count && cut->count; i++) {
		const struct piece *to = &all->piece[i], *from;

		for (size_t k = first_with(cut, to); k < cut->count; k++) {
			from = &cut->piece[k];
			if (from->subfile != to->subfile || from->at >= end_of(to))
				break;
			if (from->request != to->request)
				merge_copy_shared(to, from);
		}
	}
}
