// SPDX-License-Identifier: GPL-2.0-only
/* The module, this node's gate, and the guard of its schedules */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <net/if.h>

#include "util/command.h"
#include "doctor/doctor.h"
#include "show/print.h"
#include "util/units.h"

/* A failed request: without privilege nothing is wrong. */
static enum verdict verdict_of(int status)
{
	return status == -EPERM || status == -EACCES ? VERDICT_UNCHECKED : VERDICT_WRONG;
}

/* ---- the module ---- */

/* "": not known from the kernel */
static void read_version(char *text, int size)
{
	FILE *in = fopen("/sys/module/liquid/version", "re");

	*text = '\0';
	if (in && fgets(text, size, in))
		text[strcspn(text, "\n")] = '\0';
	if (in)
		fclose(in);
}

void check_module(struct doctor *doctor)
{
	char version[64];
	struct netlink nl;
	int status = gate_open(&nl);

	if (status) {
		find(doctor, verdict_of(status), "modprobe liquid, of this kernel and of the "
		     "tool's release", "%s", nl.text);
		return;
	}
	netlink_close(&nl);
	read_version(version, sizeof(version));
	if (*version && strcmp(version, LIQUID_VERSION))
		find(doctor, VERDICT_WARN, "install both of one release; detach the gates, then "
		     "rmmod liquid, modprobe liquid", "the module that is loaded is of release %s, "
		     "and the tool of %s", version, LIQUID_VERSION);
	else
		find(doctor, VERDICT_OK, "", "release %s, netlink version %u",
		     *version ? version : "unknown", LIQUID_GENL_VERSION);
}

/* ---- the gate ---- */

/* False after a finding */
static bool find_root(struct doctor *doctor, const char *device, uint32_t *ifindex)
{
	struct root_qdisc root;
	struct netlink nl;
	int status;

	*ifindex = if_nametoindex(device);
	if (!*ifindex) {
		find(doctor, VERDICT_WRONG, "key `device` of liquid.conf, or the device's driver",
		     "%s: no such device in this network namespace", device);
		return false;
	}
	status = netlink_open_route(&nl);
	if (!status) {
		status = qdisc_root(&nl, *ifindex, &root);
		netlink_close(&nl);
	}
	if (status)
		find(doctor, verdict_of(status), "", "%s: %s", device, nl.text);
	else if (strcmp(root.kind, "liquid"))
		find(doctor, VERDICT_WRONG, "`liquid-nl attach DEV`, at each boot", "%s: no gate "
		     "is attached: its root qdisc is %s", device, *root.kind ? root.kind : "none");
	else
		return true;
	return false;
}

static bool read_gate(struct doctor *doctor, const char *device, struct gate *gate)
{
	struct netlink nl;
	uint32_t ifindex;
	int status;

	if (!find_root(doctor, device, &ifindex))
		return false;
	status = gate_open(&nl);
	if (!status) {
		status = gate_get(&nl, ifindex, gate);
		netlink_close(&nl);
	}
	if (!status)
		return true;
	find(doctor, verdict_of(status), "", "%s: %s", device, nl.text);
	return false;
}

static const struct conf_device *own_devices(struct doctor *doctor)
{
	const struct conf_device *device = conf_devices_of(&doctor->job.conf, doctor->job.node);

	if (!device)
		find(doctor, VERDICT_UNCHECKED, "", "liquid.conf has no device for this node");
	return device;
}

static void check_lease(struct doctor *doctor, const char *device, const struct gate *gate)
{
	if ((gate->oper.present || gate->admin.present) && !gate->state.lease_ns &&
	    doctor->job.conf.lease_ns)
		find(doctor, VERDICT_WARN, "if no job runs here, `liquid-nl clear DEV`; else `job "
		     "ready --stay` or a timer with `job renew`", "%s: a schedule is in force that "
		     "has no lease: the gate does not open by itself", device);
}

#define TENTH_NS UINT64_C(100000000)	/* of a second: more of a time that passes is noise */

static void check_gate_of(struct doctor *doctor, const char *device)
{
	unsigned int before = doctor->findings->count;
	char rate[UNIT_TEXT], left[UNIT_TEXT];
	struct gate gate;

	if (!read_gate(doctor, device, &gate))
		return;
	if (!gate.state.link_rate_bps)
		find(doctor, VERDICT_WRONG, "`liquid-nl set DEV --rate RATE`, or the link comes up",
		     "%s: the rate of its link is not known", device);
	for (unsigned int i = 0; leak_text(i); i++)
		if (gate.state.leaks >> i & 1)
			find(doctor, VERDICT_WARN, "gates.rst, What a gate does not see",
			     "%s: %s", device, leak_text(i));
	check_lease(doctor, device, &gate);
	if (doctor->findings->count > before)
		return;
	format_rate(gate.state.link_rate_bps, rate);
	if (!gate.oper.present)
		find(doctor, VERDICT_OK, "", "%s: %s, open", device, rate);
	else
		find(doctor, VERDICT_OK, "", "%s: %s, a schedule is in force, its lease ends "
		     "%s%s%s%s", device, rate, gate.state.lease_ns ? "in " : "never",
		     gate.state.lease_ns ?
		     format_time(gate.state.lease_left_ns / TENTH_NS * TENTH_NS, left) : "",
		     *gate.oper.label ? "; for " : "", gate.oper.label);
}

void check_gate(struct doctor *doctor)
{
	const struct conf_device *device = own_devices(doctor);

	for (size_t i = 0; device && i < device->count; i++)
		check_gate_of(doctor, device->name[i]);
}

/* ---- the guard ---- */

/* As `job ready` pushes a slice, with one frame that this node fills; false after a finding */
static bool make_push(struct doctor *doctor, const char *device,
		      const struct job_fabric *fabric, const struct job_rail *rail,
		      struct push *push)
{
	const struct job_args *args = &doctor->job;
	const struct conf *conf = &args->conf;
	uint32_t parts = rail->capacity ? rail->capacity : 1;
	struct liquid_error err;

	*push = (struct push){ .args = {
		.device = device, .node = args->node, .frame_ns = conf->frame_ns,
		.guard_ns = conf->guard_ns, .guard_given = conf->guard_given,
		.max_packet = (uint32_t)conf->max_packet,
		.terms = { conf->clock_error_ns, conf->release_lag_ns, (uint32_t)conf->hops },
		.force = conf->force_guard == CONF_YES,
	} };
	push->plan = (struct push_plan){
		.frames = 1, .parts = parts, .capacity = rail->capacity, .count = 1,
		.hops = rail->hops, .unit_bytes = conf->unit_bytes,
	};
	if (job_unit_rate(conf, fabric, &push->plan.link_rate_bps, &err))
		find(doctor, VERDICT_UNCHECKED, "", "%s", err.text);
	else if (!gate_runs_append(&push->plan.runs, 0, parts))
		find(doctor, VERDICT_UNCHECKED, "", "out of memory");
	else
		return true;
	return false;
}

#define GUARD_MEND "keys frame-time, guard, release-lag, clock-error, hops of liquid.conf, the " \
		   "same on all nodes; gates.rst, The guard"

static void tell_guard(struct doctor *doctor, const struct push *push)
{
	const struct push_check *check = &push->check;
	char guard[UNIT_TEXT], frame[UNIT_TEXT], lag[UNIT_TEXT];

	format_time(check->guard_ns, guard);
	format_time(push->args.frame_ns / push->plan.parts, frame);
	if (check->lag_ns)
		find(doctor, VERDICT_OK, "", "%s of a frame of %s; of %llu runs of packets, 1 in "
		     "1000 had a release lag of more than %s", guard, frame,
		     (unsigned long long)check->lag_runs, format_time(check->lag_ns, lag));
	else
		find(doctor, VERDICT_OK, "", "%s of a frame of %s; the release lag is not measured "
		     "yet (%llu runs of packets)", guard, frame,
		     (unsigned long long)check->lag_runs);
}

static void judge_guard(struct doctor *doctor, const struct gate *gate, struct push *push)
{
	struct liquid_error err;
	int status = push_check(&push->args, &push->plan, &gate->options,
				gate->state.link_rate_bps, &push->check, &err);

	if (!status)
		status = push_check_lag(&push->args, gate, &push->check, &err);
	if (status) {
		find(doctor, VERDICT_WRONG, GUARD_MEND, "%s", err.text);
		return;
	}
	for (unsigned int i = 0; i < push->check.warning_count; i++)
		find(doctor, VERDICT_WARN, GUARD_MEND, "%s", push->check.warning[i]);
	if (!push->check.warning_count)
		tell_guard(doctor, push);
}

static void check_guard_of(struct doctor *doctor, const char *device,
			   const struct job_fabric *fabric, const struct job_rail *rail)
{
	unsigned int before = doctor->findings->count;
	struct push push;
	struct gate gate;

	if (!make_push(doctor, device, fabric, rail, &push))
		return;
	if (!read_gate(doctor, device, &gate) || !gate.state.link_rate_bps) {
		doctor->findings->count = before;
		find(doctor, VERDICT_UNCHECKED, "", "no gate, or its rate is unknown");
	} else {
		judge_guard(doctor, &gate, &push);
	}
	push_plan_clear(&push.plan);
}

static void check_guards(struct doctor *doctor, const struct conf_device *device,
			 const struct job_fabric *fabric)
{
	struct job_rails rails;
	struct liquid_error err;

	if (fabric_node(fabric, 0, &rails, &err))
		find(doctor, VERDICT_UNCHECKED, "", "%s", err.text);
	else
		for (size_t i = 0; i < rails.count && i < device->count; i++)
			check_guard_of(doctor, device->name[i], fabric, &rails.rail[i]);
}

void check_guard(struct doctor *doctor)
{
	const struct conf_device *device = own_devices(doctor);
	struct job_fabric fabric;
	struct liquid_error err;
	struct ask ask;

	if (!device || !become_keeper(doctor, true))
		return;
	ask_begin(&ask, "hosts");
	doctor_ask_fabric(doctor, &ask);
	ask_set(&ask, ask.question, "paths", json_true());
	if (fabric_ask(&ask, &fabric, &err))
		find(doctor, VERDICT_UNCHECKED, "", "%s", err.text);
	else
		check_guards(doctor, device, &fabric);
	fabric_clear(&fabric);
	ask_end(&ask);
}
