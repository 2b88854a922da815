// SPDX-License-Identifier: LGPL-2.1-or-later
/* The functions of the thesis, by the functions of liquid-sfio.h */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "api/file.h"
#include "api/mio.h"

_Static_assert(sizeof(long) == 8, "offsets of the thesis are of type long");

MFILE *mopen(const char *name, int stripe_unit)
{
	return sfio_open(name, stripe_unit > 0 ? (uint64_t)stripe_unit : 0);
}

int mclose(MFILE *file)
{
	return sfio_close(file);
}

int mchsize(MFILE *file, long size)
{
	return size < 0 ? -EINVAL : sfio_resize(file, (uint64_t)size);
}

int mdelete(const char *name)
{
	return sfio_delete(name);
}

int mcreate(const char *name)
{
	return sfio_create(name);
}

/* ---- one block ---- */

typedef int access_function(MFILE *file, const struct sfio_block *block, uint32_t blocks);

static int one(access_function *access, MFILE *file, long offset, const char *buffer,
	       unsigned size)
{
	const struct sfio_block block = { (uint64_t)offset, size, (char *)buffer };

	return access(file, &block, 1);
}

/* Stripe unit by stripe unit */
static int by_unit(access_function *access, MFILE *file, long offset, const char *buffer,
		   unsigned size)
{
	int error = offset < 0 ? -EINVAL : 0;

	while (size && !error) {
		uint64_t left = file->layout.unit - (uint64_t)offset % file->layout.unit;
		unsigned bytes = left < size ? (unsigned)left : size;

		error = one(access, file, offset, buffer, bytes);
		offset += bytes;
		buffer += bytes;
		size -= bytes;
	}
	return error;
}

int mread(MFILE *file, long offset, char *buffer, unsigned size)
{
	return by_unit(sfio_read, file, offset, buffer, size);
}

int mwrite(MFILE *file, long offset, const char *buffer, unsigned size)
{
	return by_unit(sfio_write, file, offset, buffer, size);
}

int mreadc(MFILE *file, long offset, char *buffer, unsigned size)
{
	return one(sfio_read, file, offset, buffer, size);
}

int mwritec(MFILE *file, long offset, const char *buffer, unsigned size)
{
	return one(sfio_write, file, offset, buffer, size);
}

/* ---- many blocks ---- */

static int many(access_function *access, MFILE *file, unsigned blocks, const long *offsets,
		char *const *buffers, const unsigned *sizes)
{
	struct sfio_block *block = malloc((blocks + 1) * sizeof(*block));
	int error;

	for (unsigned i = 0; i < blocks && block; i++)
		block[i] = (struct sfio_block){ (uint64_t)offsets[i], sizes[i], buffers[i] };
	/* Other ranks wait for this one in a collective call also if it has no memory. */
	error = access(file, block, block ? blocks : 0);
	free(block);
	return block ? error : -ENOMEM;
}

int mreadb(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[])
{
	return many(sfio_read, file, blocks, offsets, buffers, sizes);
}

int mwriteb(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[])
{
	return many(sfio_write, file, blocks, offsets, buffers, sizes);
}

int mreadba(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[])
{
	return many(sfio_read_all, file, blocks, offsets, buffers, sizes);
}

int mwriteba(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[])
{
	return many(sfio_write_all, file, blocks, offsets, buffers, sizes);
}

/* ---- errors ---- */

int merror(unsigned long *errors)
{
	return file_errors(errors, false);
}

int merrora(unsigned long *errors)
{
	return file_errors(errors, true);
}

int prioerrora(void)
{
	static const char *const name[MIO_ERRORS] = {
		"open", "close", "creat", "unlink", "ftruncate", "lseek", "write", "read",
	};
	unsigned long errors[MIO_ERRORS];
	int error = file_errors(errors, true);

	if (error || sfio_context->rank)
		return error;
	for (int i = 0; i < MIO_ERRORS; i++)
		printf("%s: %lu failed\n", name[i], errors[i]);
	fflush(stdout);
	return 0;
}
