// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checking marks: dependencies on earlier frames, ways that exist, routes of requests. */
#include "verify/verify.h"

static void check_mark(struct checker *checker, const struct liquid_mark *mark)
{
	const char *src = liquid_schedule_host_name(checker->schedule, mark->src);
	const char *dst = liquid_schedule_host_name(checker->schedule, mark->dst);
	uint32_t path[LIQUID_PATH_MAX];

	if (mark->after > mark->frame)
		verify_find(checker, "frame %u: %s>%s waits for frame %u, which is not an earlier "
			    "one", mark->frame, src, dst, mark->after - 1);
	/* A pair has the path of the tables; another address of a host is its own host. */
	if (mark->way)
		verify_find(checker, "frame %u: way %u of %s>%s does not exist: the fabric has "
			    "only that of its tables", mark->frame, mark->way, src, dst);
	if (mark->reverse && !verify_walk(checker->fabric, mark->dst, mark->src, path))
		verify_find(checker, "frame %u: %s is to ask %s for a transfer, but has no route "
			    "to it", mark->frame, dst, src);
}

void verify_marks(struct checker *checker)
{
	size_t count;
	const struct liquid_mark *mark = liquid_schedule_marks(checker->schedule, &count);

	for (size_t i = 0; i < count; i++)
		check_mark(checker, &mark[i]);
}
