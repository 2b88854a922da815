// SPDX-License-Identifier: LGPL-2.1-or-later
/* Non-blocking reductions, waited for with patience, so that a lost rank is an error in time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "api/agree.h"
#include "wire/patience.h"

/* Another rank may first wait for a listener, and begin to wait again with each that answers. */
#define PATIENCE	4

static int wait_all(struct context *context, MPI_Request *request)
{
	struct patience patience = patience_new(context->timeout_ns * PATIENCE);
	int done = 0, error = 0;

	while (!done && !error) {
		if (MPI_Test(request, &done, MPI_STATUS_IGNORE))
			return -EIO;
		if (!done)
			error = patience_rest(&patience);
	}
	return error;
}

int agree(struct context *context, int64_t *value, int count)
{
	/* After a time-out MPI may still write to it. */
	int64_t *least = malloc(2 * (size_t)count * sizeof(*least));
	MPI_Request request;
	int error = least ? 0 : -ENOMEM;

	if (context->broken || error) {
		free(least);
		return error ? error : -ETIMEDOUT;
	}
	memcpy(least + count, value, (size_t)count * sizeof(*value));
	if (MPI_Iallreduce(least + count, least, count, MPI_INT64_T, MPI_MIN, context->agree,
			   &request))
		error = -EIO;
	if (!error)
		error = wait_all(context, &request);
	context->broken = error != 0;
	if (error)
		return error;
	memcpy(value, least, (size_t)count * sizeof(*value));
	free(least);
	return 0;
}

int agree_error(struct context *context, int error)
{
	int64_t value = error;
	int failed = agree(context, &value, 1);

	return failed ? failed : (int)value;
}

static int64_t digest(const char *name, uint64_t number)
{
	uint64_t sum = number ^ UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		sum = (sum ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (int64_t)(sum >> 1);
}

int agree_same(struct context *context, int error, const char *name, uint64_t number)
{
	int64_t sum = digest(name, number);
	int64_t value[] = { error, sum, -sum };
	int failed = agree(context, value, 3);

	if (failed)
		return failed;
	if (value[0])
		return (int)value[0];
	return value[1] == -value[2] ? 0 : -EINVAL;
}
