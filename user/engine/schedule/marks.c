// SPDX-License-Identifier: LGPL-2.1-or-later
/* Marks of transfers: way, dependency, member, and who asks for them */
#include <stddef.h>
#include <stdlib.h>

#include "schedule/load.h"
#include "schedule/marks.h"
#include "traffic/traffic.h"

#define NUMBERS 6			/* members of struct liquid_mark that are numbers */

static int compare_numbers(const void *one, const void *other, size_t count)
{
	const uint32_t *a = one, *b = other;

	for (size_t i = 0; i < count; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_all(const void *a, const void *b)
{
	int order = compare_numbers(a, b, NUMBERS);

	_Static_assert(offsetof(struct liquid_mark, reverse) == NUMBERS * sizeof(uint32_t), "");
	return order ? order : (int)((const struct liquid_mark *)a)->reverse -
			       (int)((const struct liquid_mark *)b)->reverse;
}

static int refuse(const struct liquid_schedule *schedule, const struct liquid_mark *mark,
		  const char *reason, struct liquid_error *err)
{
	const char *src = liquid_schedule_host_name(schedule, mark->src);
	const char *dst = liquid_schedule_host_name(schedule, mark->dst);

	return liquid_fail(err, LIQUID_BAD_INPUT, "the mark of frame %u, %.200s>%.200s %s",
			   mark->frame, src ? src : "?", dst ? dst : "?", reason);
}

/* Marks and transfers of a frame are in one order: each mark takes a transfer. */
static int check(const struct liquid_schedule *schedule, struct liquid_error *err)
{
	uint32_t next = 0;

	for (size_t i = 0; i < schedule->marks; i++) {
		const struct liquid_mark *mark = &schedule->mark[i];
		uint32_t end = mark->frame < schedule->info.length ?
			       schedule->first[mark->frame + 1] : 0;

		if (!mark->way && !mark->after && !mark->member && !mark->reverse)
			return refuse(schedule, mark, "says nothing", err);
		if (end && next < schedule->first[mark->frame])
			next = schedule->first[mark->frame];
		while (next < end && compare_numbers(&schedule->transfers[next], &mark->src, 2) < 0)
			next++;
		if (next >= end || compare_numbers(&schedule->transfers[next], &mark->src, 2))
			return refuse(schedule, mark, "is of no transfer there, or of one that "
				      "has another mark", err);
		next++;
	}
	return LIQUID_OK;
}

int marks_set(struct liquid_schedule *schedule, const struct liquid_mark *marks, size_t count,
	      struct liquid_error *err)
{
	struct liquid_mark *copy;
	int status;

	if (schedule->orbits || schedule->wdm)
		return liquid_fail(err, LIQUID_BAD_INPUT, "a %s has no marks",
				   schedule->wdm ? "schedule with wavelengths" :
				   "compact schedule");
	copy = calloc(count + 1, sizeof(*copy));
	if (!copy)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for %zu marks", count);
	for (size_t i = 0; i < count; i++)
		copy[i] = marks[i];
	qsort(copy, count, sizeof(*copy), compare_all);
	free(schedule->mark);
	schedule->mark = copy;
	schedule->marks = count;
	schedule->info.version = 2;
	status = check(schedule, err);
	if (!status && count)
		return LIQUID_OK;
	free(copy);
	schedule->mark = NULL;
	schedule->marks = 0;
	return status;
}

void marks_renumber(struct liquid_schedule *schedule, const uint32_t *number)
{
	for (size_t i = 0; i < schedule->marks; i++) {
		schedule->mark[i].src = number[schedule->mark[i].src];
		schedule->mark[i].dst = number[schedule->mark[i].dst];
	}
	if (schedule->marks)
		qsort(schedule->mark, schedule->marks, sizeof(*schedule->mark), compare_all);
}

const struct liquid_mark *liquid_schedule_marks(const struct liquid_schedule *schedule,
						size_t *count)
{
	*count = schedule->marks;
	return schedule->mark;
}

static size_t first_in(const struct liquid_schedule *schedule, uint32_t frame)
{
	size_t low = 0, high = schedule->marks;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (schedule->mark[middle].frame < frame)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct marks_walk marks_walk(const struct liquid_schedule *schedule, uint32_t frame)
{
	size_t first = first_in(schedule, frame);

	return (struct marks_walk){ .at = schedule->mark ? schedule->mark + first : NULL,
				    .left = first_in(schedule, frame + 1) - first };
}

/* Both are in one order, and the first transfers of a pair have its marks. */
const struct liquid_mark *marks_next(struct marks_walk *walk,
				     const struct liquid_transfer *transfer)
{
	if (!walk->left || compare_numbers(&walk->at->src, transfer, 2))
		return NULL;
	walk->left--;
	return walk->at++;
}

int marks_refuse(const struct liquid_schedule *schedule, unsigned int kinds, const char *consumer,
		 struct liquid_error *err)
{
	for (size_t i = 0; i < schedule->marks; i++) {
		const struct liquid_mark *mark = &schedule->mark[i];
		const char *kind = kinds & MARK_WAY && mark->way ? "way" :
				   kinds & MARK_AFTER && mark->after ? "after" :
				   kinds & MARK_REVERSE && mark->reverse ? "reverse" :
				   kinds & MARK_ALL ? "member" : NULL;

		if (kind)
			return liquid_fail(err, LIQUID_BAD_INPUT, "frame %u: %.200s>%.200s is "
					   "marked \"%s\", which %s cannot follow", mark->frame,
					   liquid_schedule_host_name(schedule, mark->src),
					   liquid_schedule_host_name(schedule, mark->dst), kind,
					   consumer);
	}
	return LIQUID_OK;
}

/* ---- JSON ---- */

static json_t *number_or_none(uint32_t number)
{
	return number ? json_integer(number) : NULL;
}

json_t *marks_to_json(const struct liquid_schedule *schedule)
{
	json_t *list = json_array();
	bool good = true;

	for (size_t i = 0; good && i < schedule->marks; i++) {
		const struct liquid_mark *mark = &schedule->mark[i];

		good = !json_array_append_new(list, json_pack(
			"{s:I,s:s,s:s,s:o*,s:o*,s:o*,s:o*}", "frame", (json_int_t)mark->frame,
			"src", liquid_schedule_host_name(schedule, mark->src),
			"dst", liquid_schedule_host_name(schedule, mark->dst),
			"way", number_or_none(mark->way), "after", number_or_none(mark->after),
			"member", number_or_none(mark->member),
			"reverse", mark->reverse ? json_true() : NULL));
	}
	if (good)
		return list;
	json_decref(list);
	return NULL;
}

struct reader {
	const char *label;
	struct liquid_error *err;
	json_t *hosts;			/* numbers by name */
};

static bool in_range(json_int_t number)
{
	return number >= 0 && number <= LIQUID_TRANSFERS_MAX;
}

static int read_mark(const struct reader *reader, size_t index, json_t *value,
		     struct liquid_mark *mark)
{
	json_int_t frame, way = 0, after = 0, member = 0;
	const char *src, *dst;
	json_error_t why;
	int reverse = 0;

	if (json_unpack_ex(value, &why, JSON_STRICT, "{s:I,s:s,s:s,s?I,s?I,s?I,s?b}",
			   "frame", &frame, "src", &src, "dst", &dst, "way", &way,
			   "after", &after, "member", &member, "reverse", &reverse))
		return bad_input(reader, "\"marks\", %zu: %s", index, why.text);
	if (!in_range(frame) || !in_range(way) || !in_range(after) || !in_range(member))
		return bad_input(reader, "\"marks\", %zu: a number is not within 0 ... %u", index,
				 LIQUID_TRANSFERS_MAX);
	*mark = (struct liquid_mark){
		.frame = (uint32_t)frame, .src = LIQUID_NONE, .dst = LIQUID_NONE,
		.way = (uint32_t)way, .after = (uint32_t)after, .member = (uint32_t)member,
		.reverse = reverse,
	};
	if (json_object_get(reader->hosts, src) && json_object_get(reader->hosts, dst)) {
		mark->src = (uint32_t)json_integer_value(json_object_get(reader->hosts, src));
		mark->dst = (uint32_t)json_integer_value(json_object_get(reader->hosts, dst));
		return LIQUID_OK;
	}
	return bad_input(reader, "\"marks\", %zu: the schedule lacks host %.200s or %.200s", index,
			 src, dst);
}

static json_t *numbers_of(const struct liquid_schedule *schedule)
{
	json_t *hosts = json_object();
	bool good = hosts;

	for (uint32_t h = 0; good && h < liquid_schedule_host_count(schedule); h++)
		good = !json_object_set_new(hosts, liquid_schedule_host_name(schedule, h),
					    json_integer(h));
	if (good)
		return hosts;
	json_decref(hosts);
	return NULL;
}

int marks_from_json(json_t *value, const char *label, struct liquid_schedule *schedule,
		    struct liquid_error *err)
{
	struct reader reader = { .label = label, .err = err, .hosts = numbers_of(schedule) };
	struct liquid_mark *marks = calloc(json_array_size(value) + 1, sizeof(*marks));
	int status = marks && reader.hosts ? LIQUID_OK : no_memory_for(&reader);
	struct liquid_error why;

	if (!status && !json_array_size(value))
		status = bad_input(&reader, "\"marks\" must be an array of one mark or more");
	for (size_t i = 0; !status && i < json_array_size(value); i++)
		status = read_mark(&reader, i, json_array_get(value, i), &marks[i]);
	if (!status) {
		status = marks_set(schedule, marks, json_array_size(value), &why);
		if (status)
			status = liquid_fail(err, status, "%s: %.1000s", label, why.text);
	}
	json_decref(reader.hosts);
	free(marks);
	return status;
}
