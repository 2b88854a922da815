// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A plan that was made beforehand
 *
 * The file has lines of a key and its value: `liquid-plan 1`, `rate`, `rail`, a `node` for each
 * rank of the plan in order, and last `slice` with the number of bytes that follow that line; or
 * one `slice` after the other, each with its bytes.
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

/* The bytes of a file that only @owner may write, with a 0 behind them */
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

/* A slice of that size is next, and @left bytes are. Returns how many it has; 0: it is none. */
static size_t slice_take(struct prepared *prepared, const char *at, const char *size, size_t left)
{
	size_t bytes = strtoull(size, NULL, 10);

	if (bytes > left || prepared->slices == PREPARED_SLICES_MAX)
		return 0;
	prepared->slice[prepared->slices++] = (struct prepared_slice){ at, bytes };
	return bytes;
}

static bool prepared_take_line(struct prepared *prepared, const char *key, const char *value)
{
	if (!strcmp(key, "rate")) {
		prepared->rate = strtoull(value, NULL, 10);
	} else if (!strcmp(key, "rail")) {
		prepared->rail = !strcmp(value, "all") ? RAIL_ALL : strtoull(value, NULL, 10);
	} else if (!strcmp(key, "node")) {
		if (prepared->nodes == NODES_MAX)
			return false;
		prepared->node[prepared->nodes++] = value;
	}
	return !prepared->slices;
}

/* Cut the lines up; slices are as they were. False: the file is invalid or not complete. */
static bool take_lines(struct prepared *prepared, size_t size)
{
	static const char first[] = "liquid-plan 1\n";
	char *at = prepared->text, *end = prepared->text + size;

	if (strncmp(at, first, strlen(first)))
		return false;
	while (at < end) {
		char *line_end = memchr(at, '\n', (size_t)(end - at)), *value;
		size_t bytes = 0;

		if (!line_end)
			return false;
		*line_end = '\0';
		value = strchr(at, ' ');
		if (!value)
			return false;
		*value++ = '\0';
		if (!strcmp(at, "slice")) {
			bytes = slice_take(prepared, line_end + 1, value,
					   (size_t)(end - line_end - 1));
			if (!bytes)
				return false;
		} else if (!prepared_take_line(prepared, at, value)) {
			return false;
		}
		at = line_end + 1 + bytes;
	}
	return prepared->slices;
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
		status = liquid_no_memory(err);
	else if (!size)
		status = liquid_fail(err, LIQUID_BAD_INPUT, "the job has no plan (%s is empty)",
				     path);
	else if (!take_lines(prepared, size))
		status = liquid_fail(err, LIQUID_BAD_INPUT, "%s is not a complete plan", path);
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

/* Have its ranks asked for the plan's @node? With RAIL_ALL they are given the endpoint. */
static bool is_node(const struct prepared *prepared, const char *node, const char *place)
{
	host_name asked;

	if (prepared->rail == RAIL_ALL)
		place_endpoint(place, asked);
	else
		place_ask(asked, node, (uint32_t)prepared->rail);
	return !strcmp(asked, prepared->rail == RAIL_ALL ? node : place);
}

/* LIQUID_NONE: no rank is there */
static uint32_t prepared_find_node(const struct prepared *prepared, const struct map *map,
				   const host_name *names, const char *node)
{
	for (uint32_t i = 0; i < map->nodes; i++)
		if (is_node(prepared, node, names[map_driver(map, i)]))
			return i;
	return LIQUID_NONE;
}

static int fail_node(const struct prepared *prepared, const char *node, struct liquid_error *err)
{
	if (prepared->rail == RAIL_ALL)
		return liquid_fail(err, LIQUID_BAD_INPUT, "no rank is on %s, for which the job's "
				   "plan is", node);
	return liquid_fail(err, LIQUID_BAD_INPUT, "no rank is on rail %llu of %s, for which the "
			   "job's plan is", (unsigned long long)prepared->rail, node);
}

/* By rank of the plan, the number of its node */
static int prepared_find_nodes(const struct prepared *prepared, const struct map *map,
			       const host_name *names, uint32_t *number, struct liquid_error *err)
{
	if (prepared->nodes != map->nodes)
		return liquid_fail(err, LIQUID_BAD_INPUT, "the job's plan is for all of its %u "
				   "nodes, and these ranks are on %u", prepared->nodes,
				   map->nodes);
	for (uint32_t i = 0; i < prepared->nodes; i++) {
		number[i] = prepared_find_node(prepared, map, names, prepared->node[i]);
		if (number[i] == LIQUID_NONE)
			return fail_node(prepared, prepared->node[i], err);
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

/*
 * All of a message to each node of another machine goes, and one of each comes, all cut into equal
 * parts; nothing goes to other rails of the same machine.
 */
static bool is_for_all(const struct liquid_plan *plan, const struct map *map, uint32_t self,
		       uint32_t *left, uint32_t *parts)
{
	uint32_t pieces, peers, far = 0, whole = 0;
	const struct liquid_piece *piece = liquid_plan_pieces(plan, self, &pieces);
	const struct liquid_incoming *incoming = liquid_plan_incoming(plan, self, &peers);

	*parts = pieces ? piece[0].parts : 0;
	for (uint32_t i = 0; i < map->nodes; i++) {
		bool near = map->machine[i] == map->machine[self];

		left[i] = near ? 0 : *parts;
		far += !near;
	}
	for (uint32_t i = 0; i < pieces; i++) {
		if (piece[i].parts != *parts || piece[i].units > left[piece[i].peer])
			return false;
		left[piece[i].peer] -= piece[i].units;
		whole += !left[piece[i].peer];
	}
	for (uint32_t i = 0; i < peers; i++)
		if (incoming[i].parts != *parts ||
		    map->machine[incoming[i].peer] == map->machine[self])
			return false;
	return *parts && whole == far && peers == far;
}

static int check_plan(const struct liquid_plan *plan, const struct map *map, uint32_t self,
		      uint64_t *unit, struct liquid_error *err)
{
	uint64_t pairs = (uint64_t)ranks_per_node(map) * ranks_per_node(map);
	uint32_t *left = calloc(map->nodes, sizeof(*left)), parts = 0;
	bool fits;

	if (!left)
		return liquid_no_memory(err);
	fits = is_for_all(plan, map, self, left, &parts);
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

/* That of node @self, of all that the file has */
static int read_slice(const struct prepared *prepared, const uint32_t *number, uint32_t self,
		      struct liquid_plan **plan, struct liquid_error *err)
{
	for (uint32_t i = 0; i < prepared->slices; i++) {
		const struct prepared_slice *slice = &prepared->slice[i];
		int status = liquid_plan_read(slice->at, slice->size, number, prepared->nodes,
						 plan, err);

		if (status || liquid_plan_info(*plan)->rank == self)
			return status;
		liquid_plan_free(*plan);
		*plan = NULL;
	}
	return liquid_fail(err, LIQUID_BAD_INPUT, "the job's plan here is another node's");
}

int prepared_plan(const struct prepared *prepared, const struct map *map, const host_name *names,
		  uint32_t self, struct liquid_plan **plan, uint64_t *unit,
		  struct liquid_error *err)
{
	uint32_t *number = calloc((size_t)prepared->nodes + 1, sizeof(*number));
	int status = number ? prepared_find_nodes(prepared, map, names, number, err) :
		     liquid_no_memory(err);

	*plan = NULL;
	if (!status)
		status = read_slice(prepared, number, self, plan, err);
	free(number);
	if (!status)
		status = check_plan(*plan, map, self, unit, err);
	if (status) {
		liquid_plan_free(*plan);
		*plan = NULL;
	}
	return status;
}
