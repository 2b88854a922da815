// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which files are ours: those that all ranks which open them accept */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/file.h"
#include "file/identity.h"
#include "file/settings.h"
#include "types/types.h"

#define WINDOWS (INT64_C(256) << 20)	/* bytes of the windows of all ranks */

static struct {
	pthread_mutex_t lock;
	struct file *first;
} files = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct file *file_find(MPI_File handle)
{
	struct file *file;

	pthread_mutex_lock(&files.lock);
	for (file = files.first; file && file->handle != handle; file = file->next)
		;
	pthread_mutex_unlock(&files.lock);
	return file;
}

static void insert(struct file *file)
{
	pthread_mutex_lock(&files.lock);
	file->next = files.first;
	files.first = file;
	pthread_mutex_unlock(&files.lock);
}

static struct file *file_take_out(MPI_File handle)
{
	struct file **at = &files.first, *file;

	pthread_mutex_lock(&files.lock);
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	file = *at;
	if (file)
		*at = file->next;
	pthread_mutex_unlock(&files.lock);
	return file;
}

/* ---- open ---- */

static void free_file(struct file *file)
{
	if (file->ground.file >= 0)
		close(file->ground.file);
	window_free(&file->window);
	if (file->view)
		types_drop(file->view);
	free(file->told);
	free(file->wish);
	free(file);
}

static int open_beside(const char *name, int amode)
{
	int mode = amode & MPI_MODE_RDONLY ? O_RDONLY : amode & MPI_MODE_WRONLY ? O_WRONLY : O_RDWR;

	return open(name, mode | O_CLOEXEC);
}

/* Where stripes of the file system begin, as far as it says */
static void set_stripe(struct file *file, MPI_File handle, int64_t block)
{
	char value[32] = "";
	MPI_Info info;
	int found = 0;

	if (!PMPI_File_get_info(handle, &info) && info != MPI_INFO_NULL) {
		PMPI_Info_get(info, "striping_unit", sizeof(value) - 1, value, &found);
		PMPI_Info_free(&info);
	}
	file->ground.stripe = found && atoll(value) > 0 ? atoll(value) : block;
	if (file->ground.stripe < 1 || file->ground.stripe > file->window.room)
		file->ground.stripe = file->window.room;
}

/* A name as "nfs:x" is for the MPI to read. Returns the file's identity, or -1. */
static int64_t file_ready(struct file *file, const char *name, int amode,
			  const struct settings *set)
{
	int64_t identity;

	if (set->mode == MODE_OFF || strchr(name, ':') || strlen(name) == 0 ||
	    amode & (MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND))
		return -1;
	file->ground.file = open_beside(name, amode);
	identity = file->ground.file < 0 ? -1 : identity_of(file->ground.file);
	if (identity < 0 || !window_make(&file->window, set->buffer))
		return -1;
	file->amode = amode;
	file->etype = 1;
	file->view = types_take(MPI_BYTE);
	file->told = calloc((size_t)file->ground.size, sizeof(*file->told));
	file->wish = calloc((size_t)file->ground.size, sizeof(*file->wish));
	for (int book = 0; book < 2; book++)
		way_init(&file->book[book], (enum env_mode)set->mode, 0);
	return file->view && file->told && file->wish ? identity : -1;
}

static bool agree_settings(MPI_Comm comm, int rank, struct settings *set)
{
	memset(set, 0, sizeof(*set));
	if (rank == 0)
		settings_read(set);
	if (set->wrong[0])
		fprintf(stderr, "liquid: %s\n", set->wrong);
	return !PMPI_Bcast(set, sizeof(*set), MPI_BYTE, 0, comm);
}

static bool agree_file(MPI_Comm comm, int64_t identity)
{
	int64_t mine[] = { -identity, identity }, most[2];

	return !PMPI_Allreduce(mine, most, 2, MPI_INT64_T, MPI_MAX, comm) && most[0] < 0 &&
	       most[0] == -most[1];
}

static bool take_comms(struct file *file, MPI_Comm comm)
{
	struct ground *ground = &file->ground;

	if (PMPI_Comm_dup(comm, &ground->comm))
		return false;
	if (PMPI_Comm_dup(MPI_COMM_SELF, &ground->self)) {
		PMPI_Comm_free(&ground->comm);
		return false;
	}
	PMPI_Comm_set_errhandler(ground->comm, MPI_ERRORS_RETURN);
	PMPI_Comm_set_errhandler(ground->self, MPI_ERRORS_RETURN);
	PMPI_Comm_rank(comm, &ground->rank);
	return true;
}

void file_opened(MPI_Comm comm, const char *name, int amode, MPI_File handle, int error)
{
	struct settings set;
	struct file *file;
	int64_t identity = -1;
	int between = 0, size = 0, rank = 0;

	if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &between) || between ||
	    PMPI_Comm_size(comm, &size) || size < 2 || PMPI_Comm_rank(comm, &rank) ||
	    !agree_settings(comm, rank, &set))
		return;
	if (set.buffer > WINDOWS / size)
		set.buffer = WINDOWS / size > 4096 ? WINDOWS / size : 4096;
	file = calloc(1, sizeof(*file));
	if (file) {
		file->ground.file = -1;
		file->ground.size = size;
		identity = error ? -1 : file_ready(file, name, amode, &set);
	}
	if (!agree_file(comm, identity) || !take_comms(file, comm)) {
		if (file)
			free_file(file);
		return;
	}
	file->handle = handle;
	file->ground.window = &file->window;
	file->ground.wish = file->wish;
	file->verbose = set.verbose;
	set_stripe(file, handle, 4096);
	insert(file);
}

void file_closes(MPI_File handle)
{
	struct file *file = handle == MPI_FILE_NULL ? NULL : file_take_out(handle);

	if (!file)
		return;
	if (file->verbose && file->ground.rank == 0)
		fprintf(stderr, "liquid: calls by the exchange: %llu, by the MPI's own way: %llu\n",
			(unsigned long long)file->served, (unsigned long long)file->passed);
	PMPI_Comm_free(&file->ground.self);
	PMPI_Comm_free(&file->ground.comm);
	free_file(file);
}

/* ---- views ---- */

/* A view of whole elements, in the file's bytes as they are in memory */
static struct flat *view_of(int64_t etype, MPI_Datatype view, const char *representation)
{
	bool native = etype > 0 && !strcmp(representation, "native");
	struct flat *flat = native ? types_take(view) : NULL;

	if (flat && flat_is_view(flat) && flat->size % etype == 0)
		return flat;
	if (flat)
		types_drop(flat);
	return NULL;
}

void file_viewed(MPI_File handle, int64_t disp, MPI_Datatype etype, MPI_Datatype view,
		 const char *representation, int error)
{
	struct file *file = file_find(handle);
	int size = 0;

	if (!file)
		return;
	if (file->view)
		types_drop(file->view);
	file->view = NULL;
	file->lost = false;
	if (error || disp < 0 || disp > FAR || PMPI_Type_size(etype, &size))
		return;
	file->disp = disp;
	file->etype = size;
	file->view = view_of(size, view, representation);
}
