// SPDX-License-Identifier: LGPL-2.1-or-later
/* A flat type is an attribute of its MPI type, counted by users, with a lock for threads. */
#include <pthread.h>

#include "types/types.h"

/* Several threads may use, and free, handles of one type. */
static struct {
	pthread_mutex_t lock;
	bool made;
	int key;
} kept = { .lock = PTHREAD_MUTEX_INITIALIZER };

void types_drop(struct flat *flat)
{
	pthread_mutex_lock(&kept.lock);
	flat_free(flat);
	pthread_mutex_unlock(&kept.lock);
}

static int types_forget(MPI_Datatype type, int key, void *value, void *extra)
{
	(void)type, (void)key, (void)extra;
	types_drop(value);
	return MPI_SUCCESS;
}

/* The attribute is one user more. */
static void types_keep(MPI_Datatype type, struct flat *flat)
{
	flat->users++;
	if (PMPI_Type_set_attr(type, kept.key, flat))
		flat->users--;
}

static struct flat *types_unpack(MPI_Datatype type)
{
	struct flat *flat = NULL;
	int found = 0;

	if (!kept.made)
		kept.made = !PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, types_forget, &kept.key,
						     NULL);
	if (kept.made && PMPI_Type_get_attr(type, kept.key, &flat, &found))
		found = 0;
	if (found) {
		flat->users++;
		return flat;
	}
	flat = flatten(type);
	if (flat && kept.made)
		types_keep(type, flat);
	return flat;
}

struct flat *types_take(MPI_Datatype type)
{
	struct flat *flat;

	pthread_mutex_lock(&kept.lock);
	flat = types_unpack(type);
	pthread_mutex_unlock(&kept.lock);
	return flat;
}
