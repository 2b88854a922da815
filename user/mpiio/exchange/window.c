// SPDX-License-Identifier: LGPL-2.1-or-later
/* A bitmap of the valid bytes, and accesses of their runs, with small gaps read or written too. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exchange/window.h"

#define GAP 4096		/* bytes that are sooner read than left out */

bool window_make(struct window *window, int64_t room)
{
	window->room = room;
	window->bytes = malloc((size_t)room);
	window->meant = malloc((size_t)room / 8 + 8);
	return window->bytes && window->meant;
}

void window_free(struct window *window)
{
	free(window->bytes);
	free(window->meant);
}

void window_set(struct window *window, int64_t begin, int64_t end)
{
	window->begin = begin;
	window->end = end;
	memset(window->meant, 0, (size_t)(end - begin) / 8 + 8);
}

char *window_mean(struct window *window, int64_t offset, int64_t length)
{
	uint64_t first = (uint64_t)(offset - window->begin), end = first + (uint64_t)length;
	uint64_t *meant = window->meant;
	uint64_t head = ~UINT64_C(0) << (first & 63), tail = ~(~UINT64_C(0) << (end & 63));

	if (first / 64 == end / 64) {
		meant[first / 64] |= head & tail;
		return window->bytes + first;
	}
	meant[first / 64] |= head;
	for (uint64_t word = first / 64 + 1; word < end / 64; word++)
		meant[word] = ~UINT64_C(0);
	meant[end / 64] |= tail;
	return window->bytes + first;
}

/* The first byte from @at on that is meant, or is not; the window's size: there is none. */
static int64_t window_find(const struct window *window, int64_t at, bool meant)
{
	int64_t size = window->end - window->begin;

	while (at < size) {
		uint64_t word = window->meant[at / 64];

		word = (meant ? word : ~word) >> (at % 64);
		if (word) {
			at += __builtin_ctzll(word);
			return at < size ? at : size;
		}
		at = (at / 64 + 1) * 64;
	}
	return size;
}

int block_access(int file, bool write, char *bytes, struct run run)
{
	int64_t at = 0;

	while (at < run.length) {
		size_t length = (size_t)(run.length - at);
		off_t place = run.offset + at;
		ssize_t done = write ? pwrite(file, bytes + at, length, place) :
				       pread(file, bytes + at, length, place);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? errno : write ? EIO : ENODATA;
		at += done;
	}
	return 0;
}

/* The first error is reported; other runs are tried nevertheless. */
static int access_runs(const struct window *window, int file, bool write, int64_t gap)
{
	int64_t size = window->end - window->begin, begin, end, next;
	int first = 0, error;

	for (begin = window_find(window, 0, true); begin < size; begin = next) {
		end = window_find(window, begin, false);
		next = window_find(window, end, true);
		while (next < size && next - end <= gap) {
			end = window_find(window, next, false);
			next = window_find(window, end, true);
		}
		error = block_access(file, write, window->bytes + begin,
				     (struct run){ window->begin + begin, end - begin });
		first = first ? first : error;
	}
	return first;
}

int window_write(const struct window *window, int file)
{
	return access_runs(window, file, true, 0);
}

int window_read(const struct window *window, int file)
{
	return access_runs(window, file, false, GAP);
}
