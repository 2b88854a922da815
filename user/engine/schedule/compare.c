// SPDX-License-Identifier: LGPL-2.1-or-later
/* Comparing two schedules: transfers that stay in their frame, move, are gone or are new. */
#include <stdlib.h>
#include <string.h>

#include "schedule/orbits.h"

/* A transfer of either schedule. */
struct entry {
	uint32_t src, dst;		/* indexes in struct ranks */
	uint32_t frame;
};

struct ranks {
	const char **names;		/* of both schedules, sorted, without duplicates */
	uint32_t count;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool ranks_new(struct ranks *ranks, const struct liquid_schedule *a,
		      const struct liquid_schedule *b)
{
	uint32_t as = liquid_schedule_host_count(a), bs = liquid_schedule_host_count(b);
	uint32_t count = 0;

	*ranks = (struct ranks){ 0 };
	ranks->names = calloc((size_t)as + bs + 1, sizeof(*ranks->names));
	if (!ranks->names)
		return false;
	for (uint32_t i = 0; i < as; i++)
		ranks->names[count++] = liquid_schedule_host_name(a, i);
	for (uint32_t i = 0; i < bs; i++)
		ranks->names[count++] = liquid_schedule_host_name(b, i);
	qsort(ranks->names, count, sizeof(*ranks->names), compare_names);
	for (uint32_t i = 0; i < count; i++)
		if (!i || strcmp(ranks->names[i], ranks->names[ranks->count - 1]))
			ranks->names[ranks->count++] = ranks->names[i];
	return true;
}

static uint32_t rank_of(const struct ranks *ranks, const char *name)
{
	const char **found = bsearch(&name, ranks->names, ranks->count, sizeof(*ranks->names),
				     compare_names);

	return (uint32_t)(found - ranks->names);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *left = a, *right = b;

	if (left->src != right->src)
		return left->src < right->src ? -1 : 1;
	if (left->dst != right->dst)
		return left->dst < right->dst ? -1 : 1;
	return left->frame < right->frame ? -1 : left->frame > right->frame;
}

static struct entry *list_entries(const struct liquid_schedule *schedule,
				  const struct ranks *ranks)
{
	uint32_t total = schedule->first[schedule->info.length];
	struct entry *entries = calloc((size_t)total + 1, sizeof(*entries));
	uint32_t hosts = liquid_schedule_host_count(schedule);
	uint32_t *rank = calloc((size_t)hosts + 1, sizeof(*rank));

	if (!entries || !rank) {
		free(entries);
		free(rank);
		return NULL;
	}
	for (uint32_t i = 0; i < hosts; i++)
		rank[i] = rank_of(ranks, liquid_schedule_host_name(schedule, i));
	for (uint32_t frame = 0; frame < schedule->info.length; frame++)
		for (uint32_t i = schedule->first[frame]; i < schedule->first[frame + 1]; i++)
			entries[i] = (struct entry){ rank[schedule->transfers[i].src],
						     rank[schedule->transfers[i].dst], frame };
	free(rank);
	qsort(entries, total, sizeof(*entries), compare_entries);
	return entries;
}

struct comparing {
	const struct ranks *ranks;
	struct liquid_change *change;
	liquid_change_report report;
	void *context;
};

static void tell(const struct comparing *comparing, const struct entry *entry, uint32_t from,
		 uint32_t to)
{
	if (comparing->report)
		comparing->report(comparing->context, comparing->ranks->names[entry->src],
				  comparing->ranks->names[entry->dst], from, to);
}

/* Drop from the sorted entries of a pair those whose frame is in both lists. Returns how many. */
static uint32_t drop_kept(struct entry *old, size_t *olds, struct entry *new, size_t *news)
{
	size_t i = 0, j = 0, i_left = 0, j_left = 0;
	uint32_t kept = 0;

	while (i < *olds || j < *news) {
		if (i < *olds && j < *news && old[i].frame == new[j].frame) {
			kept++;
			i++;
			j++;
		} else if (j == *news || (i < *olds && old[i].frame < new[j].frame)) {
			old[i_left++] = old[i++];
		} else {
			new[j_left++] = new[j++];
		}
	}
	*olds = i_left;
	*news = j_left;
	return kept;
}

static void compare_pair(const struct comparing *comparing, struct entry *old, size_t olds,
			 struct entry *new, size_t news)
{
	struct liquid_change *change = comparing->change;
	size_t i;

	change->kept += drop_kept(old, &olds, new, &news);
	for (i = 0; i < olds || i < news; i++) {
		change->moved += i < olds && i < news;
		change->gone += i >= news;
		change->added += i >= olds;
		tell(comparing, i < olds ? &old[i] : &new[i],
		     i < olds ? old[i].frame : LIQUID_NONE, i < news ? new[i].frame : LIQUID_NONE);
	}
}

/* Number of entries from @begin on that have the pair of @pair. */
static size_t run_of(const struct entry *entries, size_t begin, size_t total,
		     const struct entry *pair)
{
	size_t end = begin;

	while (end < total && entries[end].src == pair->src && entries[end].dst == pair->dst)
		end++;
	return end - begin;
}

static void compare_lists(const struct comparing *comparing, struct entry *old, size_t old_total,
			  struct entry *new, size_t new_total)
{
	size_t i = 0, j = 0;

	while (i < old_total || j < new_total) {
		struct entry pair = i < old_total ? old[i] : new[j];
		size_t olds, news;

		if (i < old_total && j < new_total && (new[j].src < pair.src ||
		    (new[j].src == pair.src && new[j].dst < pair.dst)))
			pair = new[j];
		olds = run_of(old, i, old_total, &pair);
		news = run_of(new, j, new_total, &pair);
		compare_pair(comparing, old + i, olds, new + j, news);
		i += olds;
		j += news;
	}
}

int liquid_schedule_compare(const struct liquid_schedule *from,
			    const struct liquid_schedule *to, struct liquid_change *change,
			    liquid_change_report report, void *context, struct liquid_error *err)
{
	struct comparing comparing = { .change = change, .report = report, .context = context };
	struct entry *old = NULL, *new = NULL;
	struct ranks ranks;
	int status = liquid_schedule_list(from, NULL, err);

	*change = (struct liquid_change){ 0 };
	if (!status && from->info.parts != to->info.parts)
		return liquid_fail(err, LIQUID_BAD_INPUT, "messages are sent in %u parts by one "
				   "schedule, and in %u by the other", from->info.parts,
				   to->info.parts);
	if (!status)
		status = liquid_schedule_list(to, NULL, err);
	if (status)
		return status;
	comparing.ranks = &ranks;
	if (ranks_new(&ranks, from, to)) {
		old = list_entries(from, &ranks);
		new = list_entries(to, &ranks);
	}
	if (old && new)
		compare_lists(&comparing, old, from->first[from->info.length], new,
			      to->first[to->info.length]);
	else
		status = liquid_no_memory(err);
	free(old);
	free(new);
	free(ranks.names);
	return status;
}
