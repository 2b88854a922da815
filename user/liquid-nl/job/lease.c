// SPDX-License-Identifier: GPL-2.0-only
/*
 * The leases of gates: a gate opens by itself when nothing renews its lease
 *
 * The process that stays for a job's life renews the lease of its node's gate, and exits when the
 * end of the job is recorded, by whichever node. So neither an epilogue that never runs nor a
 * process that was killed keeps a gate closed for longer than the lease. A clock that has gone bad
 * opens the gate at once.
 */
#include <errno.h>
#include <string.h>

#include "util/clock-ns.h"
#include "util/command.h"
#include "gate/device.h"
#include "job/sharing.h"
#include "job/store/records.h"
#include "util/say.h"

#define RENEWALS 3		/* per lease: a renewal may be two thirds of the lease late */

/* Without `lease` in liquid.conf, a gate has a lease if a process stays that renews it. */
uint64_t job_lease_ns(const struct job_args *args)
{
	return args->stay || args->conf.lease_given ? args->conf.lease_ns : 0;
}

void job_lease_begin(struct job_args *args)
{
	uint64_t lease_ns = job_lease_ns(args);

	args->run.lease_due_ns = lease_ns && !args->dry_run ?
			     (uint64_t)clock_ns(CLOCK_BOOTTIME) + lease_ns / RENEWALS : 0;
}

void job_lease_forget(struct job_args *args)
{
	args->run.lease_due_ns = 0;
}

/* What came of it on the gates of a node */
struct renewal {
	size_t renewed;
	int err;			/* -errno of the first gate that failed, or 0 */
	char text[640];			/* its reason */
};

/* Another program has removed the gate, or put a qdisc in its place. */
static void tell_taken(uint32_t ifindex, char *text, size_t size)
{
	struct root_qdisc root = { .kind = "" };
	struct netlink nl;

	if (!netlink_open_route(&nl)) {
		qdisc_root(&nl, ifindex, &root);
		netlink_close(&nl);
	}
	snprintf(text, size, "the device has no gate any more%s%s", *root.kind ?
		 "; its root qdisc is " : "", root.kind);
}

static void renew_one(const char *device, bool several, uint64_t lease_ns, struct renewal *renewal)
{
	struct netlink nl = { .text = "" };
	uint32_t ifindex;
	int err = find_device(device, &ifindex) ? -ENODEV : gate_open(&nl);

	if (!err) {
		err = gate_lease_renew(&nl, ifindex, lease_ns);
		netlink_close(&nl);
	}
	renewal->renewed += !err;
	if (!err || renewal->err)
		return;
	renewal->err = err;
	if (err == -EOPNOTSUPP)
		tell_taken(ifindex, nl.text, sizeof(nl.text));
	snprintf(renewal->text, sizeof(renewal->text), "%s%s%s", several ? device : "",
		 several ? ": " : "", *nl.text ? nl.text : strerror(-err));
}

/* The gate of a rail that sends nothing has no schedule, hence no lease. */
static void renew(const struct job_args *args, uint64_t lease_ns, struct renewal *renewal)
{
	const struct conf_device *device = conf_devices_of(&args->conf, args->node);

	*renewal = (struct renewal){ .err = device ? 0 : -ENODEV };
	strcpy(renewal->text, device ? "" : strerror(ENODEV));
	for (size_t i = 0; device && i < device->count; i++)
		if (!job_rail_idle(args, i))
			renew_one(device->name[i], device->count > 1, lease_ns, renewal);
}

void job_tell_open(const struct job_args *args, const char *round, const char *reason)
{
	struct liquid_error err;

	record_put_reason(&args->store, RECORD_OPEN, round, args->node, reason, &err);
}

static void tell_expired(const struct job_args *args, const char *reason)
{
	char round[JOB_ROUND_SIZE];

	if (job_in_force(&args->store, args->job, round))
		job_tell_open(args, round, reason);
}

/* The schedule has gone with its lease, its device or its gate. */
static bool is_lost(int err)
{
	return err == -ENOENT || err == -ENODEV || err == -EOPNOTSUPP;
}

/* All gates of the node: its clock is that of all. */
static void open_for_clock(struct job_args *args, const char *reason)
{
	job_clear_own(args);
	tell_expired(args, reason);
	job_lease_forget(args);
}

/* An open gate is reported, and the node's others stay as other nodes' gates do. */
void job_lease_keep(struct job_args *args)
{
	struct renewal renewal;
	char reason[640];
	bool lost;

	if (!args->run.lease_due_ns || (uint64_t)clock_ns(CLOCK_BOOTTIME) < args->run.lease_due_ns)
		return;
	if (!job_clock_holds(args, reason, sizeof(reason))) {
		open_for_clock(args, reason);
		return;
	}
	renew(args, job_lease_ns(args), &renewal);
	lost = is_lost(renewal.err);
	if (lost)
		tell_expired(args, renewal.text);
	if (!renewal.err || (lost && renewal.renewed))
		job_lease_begin(args);
	else if (lost)
		job_lease_forget(args);
	/* Other errors may be temporary: the next call tries again. */
}

static bool gates_here(const struct job_args *args, const char *job)
{
	char round[JOB_ROUND_SIZE], reason[8];
	struct job_spec spec;
	bool here;

	if (!sharing_running(args, job, &spec))
		return false;
	if (record_get_void(&args->store, job, job_in_force(&args->store, job, round), reason,
			    sizeof(reason))) {
		job_spec_clear(&spec);
		return false;
	}
	here = job_spec_has_node(&spec, args->node);
	job_spec_clear(&spec);
	return here;
}

/* Which rails send nothing is not known here: their gates have no schedule. */
static int renew_for(struct job_args *args, const char *job)
{
	struct renewal renewal = { 0 };
	struct job_clock clock;
	int code = job_clock_check(args, &clock);

	if (code)
		return code;
	if (!args->dry_run)
		renew(args, args->conf.lease_ns, &renewal);
	if (renewal.err && !(renewal.renewed && renewal.err == -ENOENT))
		return complain(EXIT_REFUSED, "job %s: node %s: %s", job, args->node, renewal.text);
	put_text("job %s: node %s: renewed\n", job, args->node);
	return EXIT_OK;
}

/* Renew once: for clusters in which a timer or a health check does it. */
int job_renew(struct job_args *args)
{
	struct liquid_names jobs = { 0 };
	struct liquid_error err;
	int code = EXIT_OK, status = job_list_running(&args->store, &jobs, &err);

	if (status)
		return complain_of(status, &err);
	for (size_t i = 0; !code && i < jobs.count; i++)
		if ((!args->job || !strcmp(args->job, jobs.name[i])) &&
		    gates_here(args, jobs.name[i]))
			code = renew_for(args, jobs.name[i]);
	liquid_names_clear(&jobs);
	return code;
}
