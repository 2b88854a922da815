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
#include "input/input.h"
#include "util/units.h"

#define SAME_EVERYWHERE "the same file on the controller and on all nodes; see liquid.conf(5)"

/* Root acts on what these files say. With an ACL the group's bits are its mask. */
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

/* One that is unknown is what the next check is about. */
void check_user_database(struct doctor *doctor)
{
	const char *user = doctor->job.conf.user;
	struct job_keeper keeper;
	enum job_found found;

	/* It stands if this process does not come back. */
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

bool fabric_is_elsewhere(const struct doctor *doctor)
{
	const struct job_args *args = &doctor->job;

	return args->node && args->conf.service && access(args->conf.fabric, F_OK) &&
	       errno == ENOENT;
}

/* As the keeper; NULL after a finding */
static struct liquid_fabric *open_fabric(struct doctor *doctor, enum verdict verdict)
{
	struct liquid_fabric *fabric = NULL;

	if (!become_keeper(doctor, false))
		return NULL;
	if (read_fabric(doctor->job.conf.fabric, &fabric))
		find_said(doctor, verdict, verdict == VERDICT_WRONG ? READABLE : "",
			  "the fabric cannot be read");
	return fabric;
}

static void check_host(struct doctor *doctor, const struct liquid_fabric *fabric)
{
	const struct job_args *args = &doctor->job;
	struct liquid_error err;
	struct job_rails rails;

	if (args->node && job_rails_find(&args->conf, fabric, args->node, &rails, &err))
		find(doctor, VERDICT_WRONG, "hosts of the fabric have the names of Slurm's nodes: "
		     "`liquid fabric show`; keys `rail` and `device`", "%s: %s",
		     args->conf.fabric, err.text);
}

void check_fabric(struct doctor *doctor)
{
	const struct conf *conf = &doctor->job.conf;
	char digest[LIQUID_DIGEST_HEX], rate[UNIT_TEXT];
	struct liquid_fabric *fabric;
	struct liquid_error err;
	uint64_t bps;

	if (fabric_is_elsewhere(doctor)) {
		find(doctor, VERDICT_UNCHECKED, "", "%s is not here; by `agree service` the "
		     "controller alone needs it", conf->fabric);
		return;
	}
	check_owner(doctor, conf->fabric, VERDICT_WARN);
	fabric = open_fabric(doctor, VERDICT_WRONG);
	if (!fabric)
		return;
	check_host(doctor, fabric);
	if (job_unit_rate(conf, fabric, &bps, &err))
		find(doctor, VERDICT_WRONG, "key link-rate, or import again", "%s", err.text);
	else if (liquid_fabric_digest(fabric, digest, &err))
		find(doctor, VERDICT_WRONG, "", "%s", err.text);
	else if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "%s: %u hosts, a unit is %s, digest %.12s",
		     conf->fabric, liquid_fabric_host_count(fabric), format_rate(bps, rate),
		     digest);
	liquid_fabric_free(fabric);
}

/* ---- the routes now ---- */

static void compare_routes(struct doctor *doctor, const struct liquid_fabric *fabric,
			   const struct liquid_fabric *now, time_t written)
{
	const struct conf *conf = &doctor->job.conf;
	char own[LIQUID_DIGEST_HEX], other[LIQUID_DIGEST_HEX];
	struct liquid_error err;

	if (liquid_fabric_digest(fabric, own, &err) || liquid_fabric_digest(now, other, &err))
		find(doctor, VERDICT_UNCHECKED, "", "%s", err.text);
	else if (strcmp(own, other))
		find(doctor, VERDICT_WRONG, "`liquid fabric import` of these dumps, and the new "
		     "file on the controller and all nodes", "%s has other routes than %s (digest "
		     "%.12s instead of %.12s)", conf->live_topo, conf->fabric, other, own);
	else
		find(doctor, VERDICT_OK, "", "%s and %s, written %lld s ago, have the routes of %s",
		     conf->live_topo, conf->live_lft, (long long)(time(NULL) - written),
		     conf->fabric);
}

/* The dumps that lie there are read; live-command, which may load the fabric, is not run. */
static void read_routes(struct doctor *doctor, const struct liquid_fabric *fabric, time_t written)
{
	struct liquid_fabric *now;

	if (job_read_routes(&doctor->job.conf, fabric, &now))
		find_said(doctor, VERDICT_WRONG, "write both dumps anew", "they cannot be read");
	else
		compare_routes(doctor, fabric, now, written);
	liquid_fabric_free(now);
}

void check_routes(struct doctor *doctor)
{
	const struct conf *conf = &doctor->job.conf;
	struct liquid_fabric *fabric;
	struct stat st;

	if (!conf->live_topo) {
		find(doctor, VERDICT_UNCHECKED, "", "no live-topo is configured: the "
		     "routes now are not compared with the fabric's file");
		return;
	}
	fabric = open_fabric(doctor, VERDICT_UNCHECKED);
	if (!fabric)
		return;
	if (!stat(conf->live_topo, &st))
		read_routes(doctor, fabric, st.st_mtime);
	else if (conf->live_command)
		find(doctor, VERDICT_UNCHECKED, "", "%s: %s; live-command writes it when a job "
		     "begins", conf->live_topo, strerror(errno));
	else
		find(doctor, VERDICT_WRONG, "write dumps there, or configure live-command", "%s: "
		     "%s", conf->live_topo, strerror(errno));
	liquid_fabric_free(fabric);
}

/* ---- addresses ---- */

#define NAMED_MAX 5

static void check_complete(struct doctor *doctor, const struct liquid_fabric *fabric,
			   const struct addr_map *map)
{
	uint32_t hosts = liquid_fabric_host_count(fabric), missing = 0;
	const char *path = doctor->job.conf.addresses;
	char names[(LIQUID_NAME_MAX + 2) * NAMED_MAX + 1] = "";
	size_t used = 0;

	for (uint32_t host = 0; host < hosts; host++) {
		const char *name = liquid_fabric_node_name(fabric, host);

		if (addr_map_find(map, name) || ++missing > NAMED_MAX)
			continue;
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 missing > 1 ? ", " : "", name);
	}
	if (missing)
		find(doctor, VERDICT_WRONG, "a line of NAME ADDRESS for each",
		     "%s: no address for %u of %u hosts: %.300s%s", path, missing, hosts, names,
		     missing > NAMED_MAX ? ", ..." : "");
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
			     "%s: %s of %s is no address of this node", conf->addresses,
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
static void check_own(struct doctor *doctor, const struct liquid_fabric *fabric,
		      const struct addr_map *map)
{
	const struct job_args *args = &doctor->job;
	struct job_rails rails = { 0 };
	struct liquid_error err;
	struct ifaddrs *list;

	if (!args->node || job_rails_find(&args->conf, fabric, args->node, &rails, &err) ||
	    getifaddrs(&list))
		return;
	for (size_t i = 0; i < rails.count; i++) {
		const char *name = liquid_fabric_node_name(fabric, rails.host[i]);
		const struct addr_entry *entry = addr_map_find(map, name);

		if (entry)
			check_entry(doctor, entry, i, list);
	}
	freeifaddrs(list);
}

void check_addresses(struct doctor *doctor)
{
	const struct conf *conf = &doctor->job.conf;
	struct push_args push = { .map_file = conf->addresses };
	struct liquid_fabric *fabric;
	struct liquid_error err;

	check_owner(doctor, conf->addresses, VERDICT_WARN);
	fabric = open_fabric(doctor, VERDICT_UNCHECKED);
	if (!fabric)
		return;
	if (push_read_map(&push, &err)) {
		find(doctor, VERDICT_WRONG, SAME_EVERYWHERE, "%s", err.text);
	} else {
		check_complete(doctor, fabric, &push.map);
		check_own(doctor, fabric, &push.map);
	}
	if (!doctor->findings->count)
		find(doctor, VERDICT_OK, "", "%s: one for each of %u hosts", conf->addresses,
		     liquid_fabric_host_count(fabric));
	addr_map_clear(&push.map);
	liquid_fabric_free(fabric);
}
