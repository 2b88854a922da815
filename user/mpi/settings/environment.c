// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The variables LIQUID_FABRIC and LIQUID_MPI*, and settings that a job's notice or a cluster's
 * configuration says instead
 *
 * Processes of one job may see different files: only what ranks agree on later is the same
 * for all.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/environment.h"
#include "settings/notice.h"

#define PREFIX "LIQUID_MPI"
#define CONF_PATH "/etc/liquid/liquid.conf"
#define MIN_BYTES (64 << 10)
#define TIMEOUT_NS 10000000000
#define PACKET_BYTES (64 << 10)
#define BUFFER_BYTES (1 << 20)
#define DEFAULT_PKEY 0xffff
#define RAILS_MAX 65535
#define HET_MAX 128			/* components of a job: what Slurm allows */

extern char **environ;

/* ---- values ---- */

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit sizes[] = {
	{ "", 1 }, { "B", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 },
	{ "Ki", 1 << 10 }, { "Mi", 1 << 20 }, { "Gi", 1 << 30 },
	{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { NULL, 0 }
};

static const struct unit times[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 }
};

static const struct unit plain[] = { { "", 1 }, { NULL, 0 } };

/* A whole number and a unit, at most @most; what follows the number's digits must be the unit. */
static bool env_parse(const char *text, const struct unit *units, uint64_t most, uint64_t *value)
{
	unsigned long long number;
	char *end;

	errno = 0;
	number = strtoull(text, &end, 0);
	if (!isdigit((unsigned char)*text) || errno)
		return false;
	while (units->name && strcmp(units->name, end))
		units++;
	if (!units->name || number > most / units->factor)
		return false;
	*value = number * units->factor;
	return true;
}

/* The index of @text in @words; -1: none of them */
static int env_choose(const char *text, const char *const *words)
{
	for (int i = 0; words[i]; i++)
		if (!strcmp(text, words[i]))
			return i;
	return -1;
}

static bool take_text(char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	return *to;
}

/* ---- variables; each returns the text of what it expects, or NULL if that is given ---- */

static const char *take_mode(struct environment *env, const char *text)
{
	static const char *const words[] = { "auto", "off", "tokens", "clock", "order", "shuffle",
					     NULL };
	int word = env_choose(text, words);

	if (word < 0)
		return "auto, off, tokens, clock, order or shuffle";
	env->mode = (enum env_mode)word;
	return NULL;
}

static const char *take_wire(struct environment *env, const char *text)
{
	static const char *const words[] = { "auto", "verbs", "p2p", NULL };
	int word = env_choose(text, words);

	if (word < 0)
		return "auto, verbs or p2p";
	env->wire = (enum env_wire)word;
	return NULL;
}

static const char *take_min(struct environment *env, const char *text)
{
	return env_parse(text, sizes, INT64_MAX, &env->min_bytes) ? NULL : "a size, such as 64Ki";
}

static const char *take_tail(struct environment *env, const char *text)
{
	return env_parse(text, sizes, INT64_MAX, &env->tail_bytes) ? NULL : "a size, such as 25k";
}

static const char *take_window(struct environment *env, const char *text)
{
	env->window = 0;
	if (strcmp(text, "auto") &&
	    (!env_parse(text, plain, INT64_MAX, &env->window) || !env->window))
		return "a number of packets, or auto";
	return NULL;
}

static const char *take_packet(struct environment *env, const char *text)
{
	return env_parse(text, sizes, INT64_MAX, &env->packet_bytes) && env->packet_bytes ?
	       NULL : "a size, such as 64Ki";
}

static const char *take_buffer(struct environment *env, const char *text)
{
	return env_parse(text, sizes, INT64_MAX, &env->buffer_bytes) && env->buffer_bytes ?
	       NULL : "a size, such as 1Mi";
}

static const char *take_timeout(struct environment *env, const char *text)
{
	uint64_t value;

	if (!env_parse(text, times, INT64_MAX / 2, &value) || !value)
		return "a time, such as 500ms";
	env->timeout_ns = (int64_t)value;
	return NULL;
}

static const char *take_sl(struct environment *env, const char *text)
{
	uint64_t value;

	if (!env_parse(text, plain, 15, &value))
		return "a service level, 0 to 15";
	env->sl = (uint8_t)value;
	return NULL;
}

static const char *take_pkey(struct environment *env, const char *text)
{
	uint64_t value;

	if (!env_parse(text, plain, 0xffff, &value) || !(value & 0x7fff))
		return "a partition key, such as 0x8001";
	env->pkey = (uint16_t)value;
	return NULL;
}

/* The port and the index of the GID, in "PORT" or "PORT:GID" */
static bool env_take_port(struct environment *env, char *port)
{
	char *gid = strchr(port, ':');
	uint64_t value;

	if (gid)
		*gid++ = '\0';
	if (!env_parse(port, plain, 255, &value) || !value)
		return false;
	env->port = (uint8_t)value;
	if (!gid)
		return true;
	if (!env_parse(gid, plain, 65535, &value))
		return false;
	env->gid = (int)value;
	return true;
}

/* The first of a list with commas; the rest of it goes into @env->devices. */
static bool take_first_device(struct environment *env, const char *text)
{
	char *port, *rest;

	if (!take_text(&env->device, text))
		return false;
	rest = strchr(env->device, ',');
	if (rest)
		*rest++ = '\0';
	if (rest && !take_text(&env->devices, rest))
		return false;
	port = strchr(env->device, ':');
	if (port)
		*port++ = '\0';
	env->port = 0;
	env->gid = -1;
	return *env->device && (!port || env_take_port(env, port));
}

static const char *take_device(struct environment *env, const char *text)
{
	static const char expected[] = "NAME[:PORT[:GID]], such as mlx5_0:1:3";
	struct environment other = { 0 };
	bool good = take_first_device(env, text);

	for (const char *at = strchr(text, ','); at && good; at = strchr(at + 1, ','))
		good = take_first_device(&other, at + 1);
	free(other.device);
	free(other.devices);
	return good ? NULL : expected;
}

bool environment_take_device(struct environment *env, uint32_t rail)
{
	char *at = env->devices, *own;

	if (rail == 1 || !at)
		return true;
	while (at && --rail > 1) {
		at = strchr(at, ',');
		at += at ? 1 : 0;
	}
	own = at ? strdup(at) : NULL;
	if (!own)
		return false;
	take_first_device(env, own);
	free(own);
	return true;
}

static const char *take_rail(struct environment *env, const char *text)
{
	uint64_t value = RAIL_ALL;

	if (strcmp(text, "all") && (!env_parse(text, plain, RAILS_MAX, &value) || !value))
		return "the number of a rail, or all";
	env->rail = (uint32_t)value;
	return NULL;
}

static const char *take_registration(struct environment *env, const char *text)
{
	static const char *const words[] = { "call", "bounce", "cache", NULL };

	if (env_choose(text, words) < 0)
		return "call, bounce or cache";
	return take_text(&env->registration, text) ? NULL : "more memory";
}

static const char *take_verbose(struct environment *env, const char *text)
{
	uint64_t value;

	if (!env_parse(text, plain, 1, &value))
		return "0 or 1";
	env->verbose = value;
	return NULL;
}

static const char *take_host(struct environment *env, const char *text)
{
	return take_text(&env->host, text) ? NULL : "more memory";
}

static const char *take_stats(struct environment *env, const char *text)
{
	return take_text(&env->stats, text) ? NULL : "more memory";
}

static const char *take_fabric(struct environment *env, const char *text)
{
	return take_text(&env->fabric, text) ? NULL : "more memory";
}

static const struct variable {
	const char *name;
	const char *(*take)(struct environment *env, const char *text);
} variables[] = {
	{ "LIQUID_FABRIC", take_fabric },
	{ PREFIX, take_mode },
	{ PREFIX "_WIRE", take_wire },
	{ PREFIX "_MIN", take_min },
	{ PREFIX "_TAIL", take_tail },
	{ PREFIX "_WINDOW", take_window },
	{ PREFIX "_PACKET", take_packet },
	{ PREFIX "_BUFFER", take_buffer },
	{ PREFIX "_TIMEOUT", take_timeout },
	{ PREFIX "_DEVICE", take_device },
	{ PREFIX "_RAIL", take_rail },
	{ PREFIX "_SL", take_sl },
	{ PREFIX "_PKEY", take_pkey },
	{ PREFIX "_REGISTRATION", take_registration },
	{ PREFIX "_STATS", take_stats },
	{ PREFIX "_VERBOSE", take_verbose },
	{ PREFIX "_HOST", take_host },
	{ NULL, NULL }
};

static const struct variable *find_variable(const char *text)
{
	size_t length = strcspn(text, "=");

	for (const struct variable *v = variables; v->name; v++)
		if (strlen(v->name) == length && !strncmp(v->name, text, length))
			return v;
	return NULL;
}

/* One of the strings NAME=VALUE of the environment. An empty value is none. */
static int env_take(struct environment *env, const char *text, struct liquid_error *err)
{
	const struct variable *variable = find_variable(text);
	const char *value = text + strcspn(text, "="), *expected;

	if (*value)
		value++;
	if (!variable && !strncmp(text, PREFIX "_", strlen(PREFIX "_")))
		return liquid_fail(err, LIQUID_BAD_INPUT, "%.*s: there is no such variable",
				   (int)strcspn(text, "="), text);
	if (!variable || !*value)
		return LIQUID_OK;
	expected = variable->take(env, value);
	return !expected ? LIQUID_OK :
	       liquid_fail(err, LIQUID_BAD_INPUT, "%s: expected %s, got '%.64s'", variable->name,
			   expected, value);
}

/* ---- what comes from elsewhere ---- */

/* The value of "fabric VALUE" in liquid.conf(5), which a node of a cluster has; or NULL */
static char *configured_fabric(void)
{
	const char *path = getenv("LIQUID_CONF");
	FILE *conf = fopen(path ? path : CONF_PATH, "re");
	char line[4096], *fabric = NULL;

	while (conf && !fabric && fgets(line, sizeof(line), conf)) {
		char *rest, *key;

		line[strcspn(line, "#\n")] = '\0';
		key = strtok_r(line, " \t", &rest);
		if (key && !strcmp(key, "fabric") && (key = strtok_r(NULL, " \t", &rest)))
			fabric = strdup(key);
	}
	if (conf)
		fclose(conf);
	return fabric;
}

/*
 * The first part of the machine's name, or what Slurm calls this node if that begins so, too.
 * mpirun may pass on the name of the node on which it runs itself.
 */
static char *own_host(void)
{
	const char *node = getenv("SLURMD_NODENAME");
	char name[LIQUID_NAME_MAX + 1] = "";
	size_t first;

	gethostname(name, sizeof(name) - 1);
	first = strcspn(name, ".");
	name[first] = '\0';
	if (node && strcspn(node, ".") == first && !strncmp(node, name, first))
		return strdup(node);
	return strdup(name);
}

/*
 * The prologue's notice for this node. SLURMD_NODENAME may name another node, as above; this
 * one has no such notice then.
 */
static bool read_notice_of(struct notice *notice, const char *job)
{
	const char *node = getenv("SLURMD_NODENAME");
	char name[LIQUID_NAME_MAX + 1] = "";

	gethostname(name, sizeof(name) - 1);
	name[strcspn(name, ".")] = '\0';
	return job && ((node && notice_read(notice, NOTICES, 0, job, node)) ||
		       notice_read(notice, NOTICES, 0, job, name));
}

/* In a heterogeneous job all tasks have the number of its first component; each is a job. */
static bool read_notice(struct notice *notice)
{
	const char *size = getenv("SLURM_HET_SIZE");
	unsigned long count = size ? strtoul(size, NULL, 10) : 0;
	bool read = read_notice_of(notice, getenv("SLURM_JOB_ID"));
	char name[64];

	for (unsigned long i = 0; !read && i < count && i < HET_MAX; i++) {
		snprintf(name, sizeof(name), "SLURM_JOB_ID_HET_GROUP_%lu", i);
		read = read_notice_of(notice, getenv(name));
	}
	return read;
}

static void take_notice(struct environment *env)
{
	struct notice notice;

	if (!read_notice(&notice))
		return;
	if (!env->fabric) {
		env->fabric = notice.fabric;
		env->plan = notice.plan;
		notice.fabric = notice.plan = NULL;
	}
	if (!env->host) {
		env->host = notice.host;
		notice.host = NULL;
	}
	if (!env->rail && (notice.rail <= RAILS_MAX || notice.rail == RAIL_ALL))
		env->rail = (uint32_t)notice.rail;
	notice_clear(&notice);
}

/* Returns false without memory. */
static bool complete(struct environment *env)
{
	take_notice(env);
	if (!env->fabric)
		env->fabric = configured_fabric();
	if (!env->fabric && env->mode != MODE_SHUFFLE)
		env->mode = MODE_OFF;
	if (!env->host)
		env->host = own_host();
	if (!env->rail)
		env->rail = 1;
	return env->host && (env->registration || take_text(&env->registration, "call"));
}

static const struct environment defaults = {
	.min_bytes = MIN_BYTES, .tail_bytes = UINT64_MAX, .gid = -1, .pkey = DEFAULT_PKEY,
	.timeout_ns = TIMEOUT_NS, .packet_bytes = PACKET_BYTES, .buffer_bytes = BUFFER_BYTES,
};

int environment_read(struct environment *env, struct liquid_error *err)
{
	int status = LIQUID_OK;

	*env = defaults;
	for (char **text = environ; text && *text && !status; text++)
		status = env_take(env, *text, err);
	if (!status && !complete(env))
		status = liquid_no_memory(err);
	if (status)
		environment_clear(env);
	return status;
}

void environment_clear(struct environment *env)
{
	free(env->fabric);
	free(env->plan);
	free(env->host);
	free(env->device);
	free(env->devices);
	free(env->stats);
	free(env->registration);
	*env = defaults;
	env->mode = MODE_OFF;
}
