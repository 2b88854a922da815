// SPDX-License-Identifier: GPL-2.0-only
/* liquid.conf and the files that it names */
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "util/command.h"
#include "doctor/doctor.h"
#include "util/units.h"

#define SAME_EVERYWHERE "the same file on the controller and on all nodes; see liquid.conf(5)"

/* Root acts on the contents of these files. With an ACL the group's bits are its mask. */
static void check_owner(struct doctor *doctor, const char *path, enum verdict verdict)
{
	struct job_keeper keeper;
	struct stat st;

	if (stat(path, &st))
		return;
	if (st.st_uid && (job_find_user(doctor->job.conf.user, &keeper) != JOB_USER_FOUND ||
			  st.st_uid != keeper.uid))
		find(doctor, verdict, "chown root", "%s: it belongs to user %u, who can "
		     "change what nodes do", path, (unsigned int)st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		find(doctor, verdict, "chmod go-w, setfacl -b", "%s: users other than its "
		     "owner may write to it (mode %04o, or an ACL)", path,
		     (unsigned int)st.st_mode & 07777);
}

/* ---- the user database ---- */

/* The next check is about unknown ones. */
void check_user_database(struct doctor *doctor)
{
	const char *user = doctor->job.conf.user;
	struct job_keeper keeper;
	enum job_found found;

	/* It counts if this process does not come back. */
	find(doctor, VERDICT_WRONG, USERS_HANG, "the look-up of user '%s' has not been answered",
	     user);
	found = job_find_user(user, &keeper);
	if (found != JOB_USER_SILENT)
		doctor->findings->count = 0;
	switch (found) {
	case JOB_USER_FOUND:
		find(doctor, VERDICT_OK, "", "user '%s' has number %u", user,
		     (unsigned int)keeper.uid);
		break;
	case JOB_USER_UNKNOWN:
		find(doctor, VERDICT_OK, "", "it answers");
		break;
	case JOB_USER_SILENT:
		break;
	}
}

/* ---- liquid.conf ---- */

static void check_traffics(struct doctor *doctor)
{
	if (!doctor->job.conf.traffic_count)
		find(doctor, VERDICT_WARN, "a line `traffic exchange alltoall`",
		     "%s: no traffic is defined, so no job is gated", doctor->job.conf_path);
}

static void check_device_line(struct doctor *doctor)
{
	if (doctor->job.node && !conf_devices_of(&doctor->job.conf, doctor->job.node))
		find(doctor, VERDICT_WRONG, "a line `device DEV`, or `device DEV NODES`",
		     "%s: no device for node '%s'", doctor->job.conf_path, doctor->job.node);
}

/* Only root or the keeper can find out. */
static void check_keeper_reads(struct doctor *doctor)
{
	struct job_keeper keeper;

	if (job_find_user(doctor->job.conf.user, &keeper) != JOB_USER_FOUND) {
		find(doctor, VERDICT_WRONG, "SlurmUser of `scontrol show config`, known on this "
		     "machine too", "%s: unknown user '%s'", doctor->job.conf_path,
		     doctor->job.conf.user);
		return;
	}
	if ((geteuid() && geteuid() != keeper.uid) || !become_keeper(doctor, false))
		return;
	if (access(doctor->job.conf_path, R_OK))
		find(doctor, VERDICT_WRONG, "chmod go+r, and go+x of its directories",
		     "%s: user '%s' cannot read it: %s", doctor->job.conf_path,
		     doctor->job.conf.user, strerror(errno));
}

/* ", device eth0,eth1" */
static void name_devices(const struct conf_device *device, char *text, size_t size)
{
	size_t used = 0;

	for (size_t i = 0; device && i < device->count && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : ", device ",
					 device->name[i]);
}

void check_configuration(struct doctor *doctor)
{
	struct job_args *args = &doctor->job;
	struct liquid_error err;
	char devices[256] = "";

	if (conf_read_file(args->conf_path, &args->conf, &err)) {
		find(doctor, VERDICT_WRONG, SAME_EVERYWHERE, "%s", err.text);
		return;
	}
	check_owner(doctor, args->conf_path, VERDICT_WRONG);
	check_traffics(doctor);
	check_device_line(doctor);
	check_keeper_reads(doctor);
	if (args->node)
		name_devices(conf_devices_of(&args->conf, args->node), devices, sizeof(devices));
	if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "%s: store %s of user %s%s", args->conf_path,
		     args->conf.store, args->conf.user, devices);
}

/* ---- the fabric ---- */

#define READABLE "`liquid fabric import`; the same file everywhere, readable for user of " \
		 "liquid.conf"

void doctor_ask_fabric(const struct doctor *doctor, struct ask *ask)
{
	const struct job_args *args = &doctor->job;

	ask_set_file(ask, ask->question, "fabric", args->conf.fabric, NULL);
	fabric_ask_rail(ask, &args->conf);
	if (args->node)
		fabric_ask_node(ask, &args->conf, args->node);
}

bool fabric_is_elsewhere(const struct doctor *doctor)
{
	const struct job_args *args = &doctor->job;

	return args->node && args->conf.service && access(args->conf.fabric, F_OK) &&
	       errno == ENOENT;
}

/* Ask of the fabric as the keeper; false after a finding. fabric_clear(), also after a finding */
static bool ask_fabric(struct doctor *doctor, enum verdict verdict, bool all, bool routes,
		       struct job_fabric *fabric)
{
	const struct conf *conf = &doctor->job.conf;
	struct liquid_error err;
	struct ask ask;
	int status;

	*fabric = (struct job_fabric){ 0 };
	if (!become_keeper(doctor, false))
		return false;
	ask_begin(&ask, "hosts");
	doctor_ask_fabric(doctor, &ask);
	ask_set(&ask, ask.question, "all", json_boolean(all));
	if (routes) {
		ask_set_file(&ask, ask.question, "topo", conf->live_topo, NULL);
		ask_set_file(&ask, ask.question, "lft", conf->live_lft, NULL);
	}
	status = fabric_ask(&ask, fabric, &err);
	ask_end(&ask);
	if (status)
		find(doctor, verdict, verdict != VERDICT_WRONG ? "" : routes ?
		     "write both dumps anew" : READABLE, "%s", err.text);
	return !status;
}

static void check_host(struct doctor *doctor, const struct job_fabric *fabric)
{
	const struct job_args *args = &doctor->job;
	struct liquid_error err;
	struct job_rails rails;

	if (args->node && fabric_node(fabric, 0, &rails, &err))
		find(doctor, VERDICT_WRONG, "hosts of the fabric have the names of Slurm's nodes: "
		     "`liquid fabric show`; keys `rail` and `device`", "%s: %s",
		     args->conf.fabric, err.text);
}

void check_fabric(struct doctor *doctor)
{
	const struct conf *conf = &doctor->job.conf;
	struct job_fabric fabric;
	struct liquid_error err;
	char rate[UNIT_TEXT];
	uint64_t bps;

	if (fabric_is_elsewhere(doctor)) {
		find(doctor, VERDICT_UNCHECKED, "", "%s is not here; by `agree service` the "
		     "controller alone needs it", conf->fabric);
		return;
	}
	check_owner(doctor, conf->fabric, VERDICT_WARN);
	if (ask_fabric(doctor, VERDICT_WRONG, false, false, &fabric)) {
		check_host(doctor, &fabric);
		if (job_unit_rate(conf, &fabric, &bps, &err))
			find(doctor, VERDICT_WRONG, "key link-rate, or import again", "%s",
			     err.text);
		else if (!doctor->findings->count)
			find(doctor, VERDICT_OK, "", "%s: %u hosts, a unit is %s, digest %.12s",
			     conf->fabric, fabric.hosts, format_rate(bps, rate), fabric.digest);
	}
	fabric_clear(&fabric);
}

/* ---- the routes now ---- */

static void compare_routes(struct doctor *doctor, const struct job_fabric *fabric, time_t written)
{
	const struct conf *conf = &doctor->job.conf;
	char other[LIQUID_DIGEST_HEX];
	struct liquid_error err;

	if (!fabric_digest(fabric->answer, "live_digest", other) && ask_malformed(&err))
		find(doctor, VERDICT_UNCHECKED, "", "%s", err.text);
	else if (strcmp(fabric->digest, other))
		find(doctor, VERDICT_WRONG, "`liquid fabric import` of these dumps, and the new "
		     "file on the controller and all nodes", "%s has other routes than %s (digest "
		     "%.12s instead of %.12s)", conf->live_topo, conf->fabric, other,
		     fabric->digest);
	else
		find(doctor, VERDICT_OK, "", "%s and %s, written %lld s ago, have the routes of %s",
		     conf->live_topo, conf->live_lft, (long long)(time(NULL) - written),
		     conf->fabric);
}

/* Existing dumps are read; live-command, which may load the fabric, is not run. */
static void read_routes(struct doctor *doctor, time_t written)
{
	struct job_fabric fabric;

	if (ask_fabric(doctor, VERDICT_WRONG, false, true, &fabric))
		compare_routes(doctor, &fabric, written);
	fabric_clear(&fabric);
}

void check_routes(struct doctor *doctor)
{
	const struct conf *conf = &doctor->job.conf;
	struct job_fabric fabric;
	struct stat st;
	bool found;

	if (!conf->live_topo) {
		find(doctor, VERDICT_UNCHECKED, "", "no live-topo is configured: the "
		     "routes now are not compared with the fabric's file");
		return;
	}
	found = ask_fabric(doctor, VERDICT_UNCHECKED, false, false, &fabric);
	fabric_clear(&fabric);
	if (!found)
		return;
	if (!stat(conf->live_topo, &st))
		read_routes(doctor, st.st_mtime);
	else if (conf->live_command)
		find(doctor, VERDICT_UNCHECKED, "", "%s: %s; live-command writes it when a job "
		     "begins", conf->live_topo, strerror(errno));
	else
		find(doctor, VERDICT_WRONG, "write dumps there, or configure live-command", "%s: "
		     "%s", conf->live_topo, strerror(errno));
}

/* ---- addresses ---- */

#define NAMED_MAX 5

static void check_complete(struct doctor *doctor, const struct job_fabric *fabric,
			   const struct addr_map *map)
{
	const json_t *all = json_object_get(fabric->answer, "names");
	const char *path = doctor->job.conf.addresses;
	char names[(LIQUID_NAME_MAX + 2) * NAMED_MAX + 1] = "";
	size_t used = 0, missing = 0;

	for (size_t host = 0; host < json_array_size(all); host++) {
		const char *name = json_string_value(json_array_get(all, host));

		if (!name || addr_map_find(map, name) || ++missing > NAMED_MAX)
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.*s",
					 missing > 1 ? ", " : "", LIQUID_NAME_MAX, name);
	}
	if (missing)
		find(doctor, VERDICT_WRONG, "a line of NAME ADDRESS for each",
		     "%s: no address for %zu of %u hosts: %.300s%s", path, missing, fabric->hosts,
		     names, missing > NAMED_MAX ? ", ..." : "");
}

/* The interface of this node that has the address; NULL: none has */
static const char *holder_of(const struct addr_key *key, const struct ifaddrs *list)
{
	for (; list; list = list->ifa_next) {
		const void *address = NULL;

		if (!list->ifa_addr)
			continue;
		if (key->length == 4 && list->ifa_addr->sa_family == AF_INET)
			address = &((const struct sockaddr_in *)(const void *)
				    list->ifa_addr)->sin_addr;
		else if (key->length == 16 && list->ifa_addr->sa_family == AF_INET6)
			address = &((const struct sockaddr_in6 *)(const void *)
				    list->ifa_addr)->sin6_addr;
		if (address && !memcmp(address, key->value, key->length))
			return list->ifa_name;
	}
	return NULL;
}

/* Is it the gated device of another rail than @rail? A device above the gated one is none. */
static bool is_of_other(const struct conf_device *device, size_t rail, const char *name)
{
	for (size_t i = 0; device && i < device->count; i++)
		if (i != rail && !strcmp(device->name[i], name))
			return true;
	return false;
}

static void check_entry(struct doctor *doctor, const struct addr_entry *entry, size_t rail,
			const struct ifaddrs *list)
{
	const struct conf *conf = &doctor->job.conf;
	const struct conf_device *device = conf_devices_of(conf, doctor->job.node);
	char text[ADDR_KEY_TEXT];

	for (unsigned int i = 0; i < entry->key_count; i++) {
		const struct addr_key *key = &entry->key[i];
		const char *holder;

		if (key->kind != LIQUID_KEY_A_IPV4 && key->kind != LIQUID_KEY_A_IPV6)
			continue;
		holder = holder_of(key, list);
		if (!holder)
			find(doctor, VERDICT_WARN, "correct that file, or the interface",
			     "%s: %s of %s is not an address of this node", conf->addresses,
			     addr_key_format(key, text), entry->name);
		else if (is_of_other(device, rail, holder))
			find(doctor, VERDICT_WRONG, "the devices of key `device` in the order of "
			     "the node's endpoints in the fabric, or correct that file",
			     "%s: %s of %s is an address of %s, and %s has %s for that rail",
			     conf->addresses, addr_key_format(key, text), entry->name, holder,
			     doctor->job.conf_path, device->name[rail]);
	}
}

/* Packets to this node carry the address that others have for it. */
static void check_own(struct doctor *doctor, const struct job_fabric *fabric,
		      const struct addr_map *map)
{
	struct job_rails rails;
	struct liquid_error err;
	struct ifaddrs *list;

	if (!doctor->job.node || fabric_node(fabric, 0, &rails, &err) || getifaddrs(&list))
		return;
	for (size_t i = 0; i < rails.count; i++) {
		const struct addr_entry *entry = addr_map_find(map, rails.rail[i].name);

		if (entry)
			check_entry(doctor, entry, i, list);
	}
	freeifaddrs(list);
}

void check_addresses(struct doctor *doctor)
{
	const struct conf *conf = &doctor->job.conf;
	struct push_args push = { .map_file = conf->addresses };
	struct job_fabric fabric;
	struct liquid_error err;

	check_owner(doctor, conf->addresses, VERDICT_WARN);
	if (!ask_fabric(doctor, VERDICT_UNCHECKED, true, false, &fabric)) {
		fabric_clear(&fabric);
		return;
	}
	if (push_read_map(&push, &err)) {
		find(doctor, VERDICT_WRONG, SAME_EVERYWHERE, "%s", err.text);
	} else {
		check_complete(doctor, &fabric, &push.map);
		check_own(doctor, &fabric, &push.map);
	}
	if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "%s: one for each of %u hosts", conf->addresses,
		     fabric.hosts);
	addr_map_clear(&push.map);
	fabric_clear(&fabric);
}
