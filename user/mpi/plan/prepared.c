// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A plan that was made beforehand
 *
 * The file has lines of a key and its value: `liquid-plan 1`, `rate`, `rail`, a `node` for each
 * rank of the plan in order, and last `slice` with the number of bytes that follow that line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/place.h"
#include "plan/prepared.h"

#define FILE_MAX (64 << 20)		/* bytes */
#define NODES_MAX 65536

/* ---- the file ---- */

/* The bytes of a file that nobody but @owner may write, with a 0 behind them */
static char *read_trusted(const char *path, uid_t owner, size_t *size, struct liquid_error *err)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char *text = NULL;
	struct stat st;
	ssize_t got;

	*size = 0;
	if (fd < 0) {
		liquid_fail(err, LIQUID_BAD_INPUT, "%s: %s", path, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != owner ||
	    st.st_mode & (S_IWGRP | S_IWOTH) || st.st_size > FILE_MAX)
		liquid_fail(err, LIQUID_BAD_INPUT, "%s is not trusted", path);
	else
		text = malloc((size_t)st.st_size + 1);
	while (text && *size < (size_t)st.st_size &&
	       (got = read(fd, text + *size, (size_t)st.st_size - *size)) > 0)
		*size += (size_t)got;
	close(fd);
	if (text)
		text[*size] = '\0';
	return text;
}

static bool take_line(struct prepared *prepared, const char *key, char *value, size_t left)
{
	if (!strcmp(key, "rate")) {
		prepared->rate = strtoull(value, NULL, 10);
	} else if (!strcmp(key, "rail")) {
		prepared->rail = strtoull(value, NULL, 10);
	} else if (!strcmp(key, "node")) {
		if (prepared->nodes == NODES_MAX)
			return false;
		prepared->node[prepared->nodes++] = value;
	} else if (!strcmp(key, "slice")) {
		prepared->slice = value + strlen(value) + 1;
		prepared->size = strtoull(value, NULL, 10);
		return prepared->size && prepared->size == left;
	}
	return true;
}

/* Cut the lines up, as far as the one before the slice. False: it is no such file, or not whole. */
static bool take_lines(struct prepared *prepared, size_t size)
{
	static const char first[] = "liquid-plan 1\n";
	char *at = prepared->text, *end = prepared->text + size;

	if (strncmp(at, first, strlen(first)))
		return false;
	while (!prepared->slice) {
		char *line_end = memchr(at, '\n', (size_t)(end - at)), *value;

		if (!line_end)
			return false;
		*line_end = '\0';
		value = strchr(at, ' ');
		if (!value)
			return false;
		*value++ = '\0';
		if (!take_line(prepared, at, value, (size_t)(end - line_end - 1)))
			return false;
		at = line_end + 1;
	}
	return true;
}

static size_t count_lines(const char *text, size_t size)
{
	size_t count = 0;

	for (size_t i = 0; i < size; i++)
		count += text[i] == '\n';
	return count;
}

int prepared_read(struct prepared *prepared, const char *path, uid_t owner,
		  struct liquid_error *err)
{
	size_t size;
	int status = LIQUID_OK;

	*prepared = (struct prepared){ .rail = 1 };
	prepared->text = read_trusted(path, owner, &size, err);
	if (!prepared->text)
		return LIQUID_BAD_INPUT;
	prepared->node = calloc(count_lines(prepared->text, size) + 1, sizeof(*prepared->node));
	if (!prepared->node)
		status = liquid_fail(err, LIQUID_NO_MEMORY, "no memory for a plan");
	else if (!size)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "the job has no plan (%s is empty)",
				     path);
	else if (!take_lines(prepared, size))
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s is no plan, or not whole", path);
	if (status)
		prepared_clear(prepared);
	return status;
}

void prepared_clear(struct prepared *prepared)
{
	free(prepared->text);
	free(prepared->node);
	*prepared = (struct prepared){ 0 };
}

/* ---- the plan ---- */

/* The node whose ranks have asked for this place; LIQUID_NONE: none has */
static uint32_t find_node(const struct map *map, const host_name *names, const char *place)
{
	for (uint32_t i = 0; i < map->nodes; i++)
		if (!strcmp(names[map_driver(map, i)], place))
			return i;
	return LIQUID_NONE;
}

/* By rank of the plan, the number of its node */
static int find_nodes(const struct prepared *prepared, const struct map *map,
		      const host_name *names, uint32_t *number, struct liquid_error *err)
{
	host_name place;

	if (prepared->nodes != map->nodes)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the job's plan is for all of its %u "
				   "nodes, and these ranks are on %u", prepared->nodes,
				   map->nodes);
	for (uint32_t i = 0; i < prepared->nodes; i++) {
		place_ask(place, prepared->node[i], (uint32_t)prepared->rail);
		number[i] = find_node(map, names, place);
		if (number[i] == LIQUID_NONE)
			return liquid_fail(err, LIQUID_BAD_INPUT, "no rank is on rail %llu of %s, "
					   "for which the job's plan is",
					   (unsigned long long)prepared->rail, prepared->node[i]);
	}
	return LIQUID_OK;
}

/* The ranks of each node; 0: they differ */
static uint32_t ranks_per_node(const struct map *map)
{
	for (uint32_t i = 1; i < map->nodes; i++)
		if (map_members(map, i) != map_members(map, 0))
			return 0;
	return map_members(map, 0);
}

/* All of a message to each other node goes, and one of each comes, all cut into equal parts. */
static bool is_for_all(const struct liquid_plan *plan, uint32_t self, uint32_t *left,
		       uint32_t *parts)
{
	uint32_t nodes = liquid_plan_info(plan)->ranks, pieces, peers;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, self, &pieces);
	const struct liquid_incoming *incoming = liquid_plan_incoming(plan, self, &peers);
	uint32_t whole = 0;

	*parts = pieces ? piece[0].parts : 0;
	for (uint32_t i = 0; i < nodes; i++)
		left[i] = *parts;
	for (uint32_t i = 0; i < pieces; i++) {
		if (piece[i].parts != *parts || piece[i].units > left[piece[i].peer])
			return false;
		left[piece[i].peer] -= piece[i].units;
		whole += !left[piece[i].peer];
	}
	for (uint32_t i = 0; i < peers; i++)
		if (incoming[i].parts != *parts)
			return false;
	return *parts && whole == nodes - 1 && peers == nodes - 1;
}

static int check_plan(const struct liquid_plan *plan, const struct map *map, uint32_t self,
		      uint64_t *unit, struct liquid_error *err)
{
	uint64_t pairs = (uint64_t)ranks_per_node(map) * ranks_per_node(map);
	uint32_t *left = calloc(map->nodes, sizeof(*left)), parts = 0;
	bool fits;

	if (!left)
		return liquid_fail(err, LIQUID_NO_MEMORY, "no memory for a plan");
	fits = liquid_plan_info(plan)->rank == self && is_for_all(plan, self, left, &parts);
	free(left);
	if (!fits)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the job's plan is not for an exchange "
				   "of all its nodes with all");
	if (!pairs || pairs % parts)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the job's plan is for another number of "
				   "ranks on each node");
	*unit = pairs / parts;
	return LIQUID_OK;
}

int prepared_plan(const struct prepared *prepared, const struct map *map, const host_name *names,
		  uint32_t self, struct liquid_plan **plan, uint64_t *unit,
		  struct liquid_error *err)
{
	uint32_t *number = calloc((size_t)prepared->nodes + 1, sizeof(*number));
	int status = number ? find_nodes(prepared, map, names, number, err) :
		     liquid_fail(err, LIQUID_NO_MEMORY, "no memory for a plan");

	*plan = NULL;
	if (!status)
		status = liquid_plan_read_as(prepared->slice, prepared->size, number,
					     prepared->nodes, plan, err);
	free(number);
	if (!status)
		status = check_plan(*plan, map, self, unit, err);
	if (status) {
		liquid_plan_free(*plan);
		*plan = NULL;
	}
	return status;
}
