// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sorts parts by offset, joins adjacent ones, and makes one access for each group. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "listener/access.h"

int access_add(struct access *access, const struct run *run, unsigned char *data)
{
	if (access->parts == access->room) {
		size_t room = access->room * 2 + 64;
		struct part *more = realloc(access->part, room * sizeof(*more));

		if (!more)
			return -ENOMEM;
		access->part = more;
		access->room = room;
	}
	access->part[access->parts++] = (struct part){ *run, data };
	return 0;
}

void access_free(struct access *access)
{
	free(access->part);
	free(access->joined);
	*access = (struct access){ .part = NULL };
}

static int access_compare(const void *a, const void *b)
{
	const struct run *one = &((const struct part *)a)->run;
	const struct run *two = &((const struct part *)b)->run;

	if (one->subfile != two->subfile)
		return one->subfile < two->subfile ? -1 : 1;
	return (one->at > two->at) - (one->at < two->at);
}

/* Parts from @first on that are one access, which is *@run */
static size_t access_join(const struct access *access, size_t first, struct run *run)
{
	size_t next = first + 1;

	*run = access->part[first].run;
	for (; next < access->parts; next++) {
		const struct run *more = &access->part[next].run;
		uint64_t end = more->at + more->length;

		if (more->subfile != run->subfile || more->at > run->at + run->length ||
		    end - run->at > UINT32_MAX)
			break;
		if (end > run->at + run->length)
			run->length = (uint32_t)(end - run->at);
	}
	return next;
}

static int access_make_room(struct access *access, uint64_t bytes)
{
	unsigned char *more;

	if (bytes <= access->joined_room)
		return 0;
	more = realloc(access->joined, bytes);
	if (!more)
		return -ENOMEM;
	access->joined = more;
	access->joined_room = bytes;
	return 0;
}

/* Copy between the access and its parts. */
static void copy_parts(struct access *access, size_t first, size_t end, const struct run *run,
		       bool writes)
{
	for (size_t i = first; i < end; i++) {
		const struct part *part = &access->part[i];
		unsigned char *joined = access->joined + (part->run.at - run->at);

		if (writes)
			memcpy(joined, part->data, part->run.length);
		else
			memcpy(part->data, joined, part->run.length);
	}
}

static int do_joined(struct access *access, struct files *files, uint32_t file, bool writes,
		     size_t first, size_t end, const struct run *run)
{
	int error = access_make_room(access, run->length);

	if (error)
		return error;
	if (writes) {
		copy_parts(access, first, end, run, true);
		return files_write(files, file, run, access->joined);
	}
	error = files_read(files, file, run, access->joined);
	copy_parts(access, first, end, run, false);
	return error;
}

static int do_one(struct files *files, uint32_t file, bool writes, const struct part *part)
{
	return writes ? files_write(files, file, &part->run, part->data) :
	       files_read(files, file, &part->run, part->data);
}

int access_do(struct access *access, struct files *files, uint32_t file, bool writes,
	      uint32_t *accesses)
{
	int error = 0;

	*accesses = 0;
	if (access->parts)
		qsort(access->part, access->parts, sizeof(*access->part), access_compare);
	for (size_t i = 0, end; i < access->parts && !error; i = end) {
		struct run run;

		end = access_join(access, i, &run);
		error = end == i + 1 ? do_one(files, file, writes, &access->part[i]) :
			do_joined(access, files, file, writes, i, end, &run);
		++*accesses;
	}
	access->parts = 0;
	return error;
}
