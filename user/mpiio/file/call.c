// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which calls are ours: those against which no rank knows a reason
 *
 * Ranks agree before the first byte, so that all go the same way. A read that fails, or
 * comes to the end of the file, is made again the MPI's own way, which reports it.
 */
#include <errno.h>
#include <sys/stat.h>

#include "file/call.h"
#include "file/file.h"
#include "settings/clock.h"
#include "types/types.h"

#define SPARSE 8			/* times the bytes asked for, in the file */

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* The MPI's error class of arguments that are wrong on this rank alone, or success */
static int wrong_argument(const struct call *call)
{
	if (call->count < 0)
		return MPI_ERR_COUNT;
	if (call->type == MPI_DATATYPE_NULL)
		return MPI_ERR_TYPE;
	return call->explicit_offset && call->offset < 0 ? MPI_ERR_ARG : MPI_SUCCESS;
}

static bool find_start(struct file *file, const struct call *call, struct access *access)
{
	MPI_Offset at = call->offset;

	if (!call->explicit_offset && (file->lost || PMPI_File_get_position(call->handle, &at)))
		return false;
	access->start = at * file->etype;
	return at >= 0 && at < FAR / file->etype;
}

static bool find_bytes(struct file *file, const struct call *call, struct access *access)
{
	access->memory = types_take(call->type);
	if (!access->memory || (access->memory->size && call->count > FAR / access->memory->size))
		return false;
	access->bytes = call->count * access->memory->size;
	return access->bytes % file->etype == 0;
}

/* The part of the file that this rank asks for */
static bool find_range(struct file *file, const struct access *access, struct wish *wish)
{
	const struct flat *view = access->view;
	int64_t end = access->start + access->bytes, copies = end / view->size + 1;
	struct stat st;

	if (!access->bytes)
		return true;
	if (copies > FAR / (view->extent + 1))
		return false;
	wish_make(wish, access);
	return access->write || (!fstat(file->ground.file, &st) && wish->high <= st.st_size);
}

static bool accepts(struct file *file, const struct call *call, struct access *access,
		    struct wish *wish)
{
	int atomic = 1, forbidden = call->write ? MPI_MODE_RDONLY : MPI_MODE_WRONLY;

	access->view = file->view;
	access->disp = file->disp;
	return file->view && !(file->amode & forbidden) &&
	       !PMPI_File_get_atomicity(call->handle, &atomic) && !atomic &&
	       find_start(file, call, access) && find_bytes(file, call, access) &&
	       find_range(file, access, wish);
}

/* Of all ranks: the least @low, the largest of the rest, and no strip */
static struct told sum_up(struct file *file)
{
	struct told all = { .wish.low = FAR };

	for (int rank = 0; rank < file->ground.size; rank++) {
		const struct told *one = &file->told[rank];

		file->wish[rank] = one->wish;
		all.refused |= one->refused;
		all.ns = larger(all.ns, one->ns);
		if (!one->wish.bytes)
			continue;
		all.wish.bytes = larger(all.wish.bytes, one->wish.bytes);
		all.wish.high = larger(all.wish.high, one->wish.high);
		all.wish.low = -larger(-all.wish.low, -one->wish.low);
	}
	return all;
}

/* Are the bytes of each rank behind those of the ranks before it? */
static bool are_apart(const struct file *file)
{
	int64_t end = 0;

	for (int rank = 0; rank < file->ground.size; rank++) {
		const struct wish *wish = &file->wish[rank];

		if (wish->bytes && wish->low < end)
			return false;
		end = wish->bytes ? wish->high : end;
	}
	return true;
}

static void set_ground(struct file *file, const struct wish *mine, const struct wish *all)
{
	struct ground *ground = &file->ground;
	const struct wish *part;

	ground->apart = are_apart(file);
	part = ground->apart ? mine : all;
	ground->low = part->low;
	ground->high = part->high;
	ground->sparse = (part->high - part->low) / (ground->apart ? 1 : ground->size) / SPARSE >
			 part->bytes;
}

static bool call_agree(struct file *file, struct told *told)
{
	struct told mine = *told;
	struct untold *last = &file->untold;
	int words = (int)(sizeof(mine) / sizeof(int64_t));

	mine.ns = last->ns;
	if (PMPI_Allgather(&mine, words, MPI_INT64_T, file->told, words, MPI_INT64_T,
			   file->ground.comm))
		return false;
	*told = sum_up(file);
	if (last->is)
		way_learn(&file->book[last->book], last->bytes, last->way, told->ns);
	last->is = false;
	set_ground(file, &mine.wish, &told->wish);
	return true;
}

/* A read that ended within an element leaves the pointer at a place that MPI does not define. */
static int own_read(struct file *file, const struct call *call)
{
	struct call told = *call;
	MPI_Status status;
	MPI_Count bytes = 0;
	int error;

	if (call->status == MPI_STATUS_IGNORE)
		told.status = &status;
	error = call->own(&told);
	if (error || PMPI_Get_elements_x(told.status, MPI_BYTE, &bytes) || bytes % file->etype)
		file->lost = true;
	return error;
}

static int go_own(struct file *file, const struct call *call, int wrong)
{
	struct call empty = *call;

	file->passed++;
	if (!wrong && !call->write && !call->explicit_offset && file->etype > 1)
		return own_read(file, call);
	if (!wrong)
		return call->own(call);
	empty.count = 0;
	empty.type = MPI_BYTE;
	empty.offset = 0;
	empty.own(&empty);
	PMPI_File_call_errhandler(call->handle, wrong);
	return wrong;
}

static int error_class(int error)
{
	switch (error) {
	case ENOSPC:
		return MPI_ERR_NO_SPACE;
	case EDQUOT:
		return MPI_ERR_QUOTA;
	case EROFS:
		return MPI_ERR_READ_ONLY;
	case EPROTO:
		return MPI_ERR_OTHER;
	default:
		return MPI_ERR_IO;
	}
}

static int call_finish(struct file *file, const struct call *call, const struct access *access,
		       int error)
{
	MPI_Offset end = (access->start + access->bytes) / file->etype;

	if (!error && !call->explicit_offset && access->bytes)
		PMPI_File_seek(call->handle, end, MPI_SEEK_SET);
	if (call->status != MPI_STATUS_IGNORE) {
		PMPI_Status_set_elements_x(call->status, MPI_BYTE, error ? 0 : access->bytes);
		PMPI_Status_set_cancelled(call->status, 0);
	}
	if (error)
		PMPI_File_call_errhandler(call->handle, error);
	return error;
}

static int go_liquid(struct file *file, const struct call *call, const struct access *access,
		     int wrong, const struct told *told)
{
	int error = told->wish.bytes ? exchange(&file->ground, access) : 0;

	if (error && !call->write && error != EPROTO)
		return go_own(file, call, wrong);
	file->served++;
	if (wrong) {
		PMPI_File_call_errhandler(call->handle, wrong);
		return wrong;
	}
	return call_finish(file, call, access, error ? error_class(error) : 0);
}

static int go(struct file *file, const struct call *call, const struct access *access, int wrong,
	      const struct told *told)
{
	struct way_book *book = &file->book[call->write];
	uint64_t bytes = (uint64_t)told->wish.bytes;
	enum way way = told->refused ? WAY_OWN : way_next(book, bytes);
	int64_t begin = clock_ns(CLOCK_MONOTONIC);
	int error;

	error = way == WAY_OWN ? go_own(file, call, wrong) :
		go_liquid(file, call, access, wrong, told);
	file->untold = (struct untold){
		.is = !told->refused && way_measures(book, bytes), .book = call->write, .way = way,
		.bytes = bytes, .ns = clock_ns(CLOCK_MONOTONIC) - begin,
	};
	return error;
}

int file_call(const struct call *call)
{
	struct file *file = file_find(call->handle);
	struct access access = { .write = call->write, .buffer = call->buffer };
	struct told told = { 0 };
	int error = MPI_ERR_OTHER, wrong;

	if (!file)
		return call->own(call);
	wrong = wrong_argument(call);
	told.refused = wrong ? !file->view : !accepts(file, call, &access, &told.wish);
	if (wrong)
		access = (struct access){ .write = call->write, .view = file->view };
	if (call_agree(file, &told))
		error = go(file, call, &access, wrong, &told);
	else
		PMPI_File_call_errhandler(call->handle, error);
	if (access.memory)
		types_drop((struct flat *)access.memory);
	return error;
}
