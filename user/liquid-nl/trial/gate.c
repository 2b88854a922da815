// SPDX-License-Identifier: GPL-2.0-only
/*
 * This node's gate, and the guardian that removes it
 *
 * A trial may end at any moment, by a signal that cannot be caught. So its gate is removed by a
 * child, the guardian, which waits until a pipe closes that the trial holds open. If both are
 * killed at once, the gate's lease ends, and the gate opens.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gate/device.h"
#include "gate/gate.h"
#include "show/print.h"
#include "trial/trial.h"

#define LEASE_NS UINT64_C(20000000000)

/* ---- the guardian ---- */

/* Only a gate is removed: what else is there is not the trial's. */
static bool remove_gate(const char *device)
{
	uint32_t ifindex = if_nametoindex(device);
	struct root_qdisc root;
	struct netlink nl;
	bool removed;

	if (!ifindex)
		return true;
	if (netlink_open_route(&nl))
		return false;
	removed = !qdisc_root(&nl, ifindex, &root) &&
		  (strcmp(root.kind, LIQUID_QDISC_KIND) || !qdisc_detach(&nl, ifindex));
	netlink_close(&nl);
	return removed;
}

/* A word on the pipe says that there will be a gate. */
static int guard(const char *device, int fd)
{
	bool gated = false;
	ssize_t got;
	char word;

	setsid();
	signal(SIGTERM, SIG_IGN);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	do {
		got = read(fd, &word, 1);
		gated |= got == 1;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return !gated || remove_gate(device) ? 0 : 1;
}

bool trial_guardian_start(struct trial_guardian *guardian, const char *device)
{
	int ends[2];

	*guardian = (struct trial_guardian){ .fd = -1 };
	snprintf(guardian->device, sizeof(guardian->device), "%s", device);
	/* A guardian that was killed must not take the trial with it. */
	signal(SIGPIPE, SIG_IGN);
	if (pipe2(ends, O_CLOEXEC))
		return false;
	fflush(NULL);
	guardian->pid = fork();
	if (!guardian->pid) {
		int null = open("/dev/null", O_RDWR);

		/* Nobody must wait for the guardian to close what is not its own. */
		for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
			dup2(null, fd);
		if (ends[0] != 3)
			dup2(ends[0], 3);
		close_range(4, ~0U, 0);
		_exit(guard(device, 3));
	}
	close(ends[0]);
	if (guardian->pid < 0)
		close(ends[1]);
	else
		guardian->fd = ends[1];
	return guardian->pid > 0;
}

bool trial_guardian_end(struct trial_guardian *guardian)
{
	int status = 1;

	if (guardian->fd < 0)
		return true;
	close(guardian->fd);
	guardian->fd = -1;
	while (waitpid(guardian->pid, &status, 0) < 0 && errno == EINTR)
		;
	return (WIFEXITED(status) && !WEXITSTATUS(status)) || !guardian->gated ||
	       remove_gate(guardian->device);
}

/* ---- the gate ---- */

const char *trial_gate_possible(const char *device, char why[TRIAL_WHY])
{
	uint32_t ifindex = if_nametoindex(device);
	struct root_qdisc root = { .handle = 0 };
	struct netlink nl;

	why[0] = 0;
	if (netlink_open_route(&nl) || qdisc_root(&nl, ifindex, &root))
		snprintf(why, TRIAL_WHY, "%s", nl.text);
	else if (!strcmp(root.kind, LIQUID_QDISC_KIND))
		snprintf(why, TRIAL_WHY, "the device has a gate already: `liquid-nl detach` "
			 "removes it");
	else if (root.handle)
		snprintf(why, TRIAL_WHY, "the device has a root qdisc that somebody has set up: "
			 "`tc qdisc del dev DEV root` removes it");
	netlink_close(&nl);
	return why[0] ? why : NULL;
}

static int attach(const struct trial_gate_args *args, uint32_t ifindex, struct netlink *nl)
{
	const struct gate_options options = {
		.present = 1ULL << LIQUID_GATE_A_RATE_BPS | 1ULL << LIQUID_GATE_A_SELECT |
			   1ULL << LIQUID_GATE_A_SELECT_MARK | 1ULL << LIQUID_GATE_A_SELECT_MASK,
		.rate_bps = args->rate_bps, .select = LIQUID_SELECT_MARK,
		.select_mark = TRIAL_MARK, .select_mask = UINT32_MAX,
	};

	return qdisc_attach(nl, ifindex, &options, false);
}

/* Destination i is node i. */
static int set_dests(const struct trial_gate_args *args, uint32_t ifindex, struct netlink *nl)
{
	struct gate_dest dests[TRIAL_NODES_MAX] = { 0 };
	struct liquid_error err;
	size_t done;

	for (unsigned int i = 0; i < args->count; i++) {
		dests[i].id = i;
		dests[i].key_count = 1;
		if (addr_key_parse(args->address[i], &dests[i].key[0], &err))
			return -EINVAL;
	}
	return gate_dest_set(nl, ifindex, dests, args->count, &done);
}

static int set_schedule(const struct trial_gate_args *args, uint32_t ifindex, struct netlink *nl)
{
	const struct gate_sched sched = {
		.present = 1ULL << LIQUID_SCHED_A_FRAME_NS | 1ULL << LIQUID_SCHED_A_GUARD_NS |
			   1ULL << LIQUID_SCHED_A_FRAMES,
		.frame_ns = args->frame_ns, .guard_ns = args->guard_ns, .frames = args->frames,
	};
	struct gate_runs runs = { 0 };
	int status = gate_sched_begin(nl, ifindex, &sched);

	for (uint32_t i = 0; i < args->frames && !status; i++)
		if (!gate_runs_append(&runs, args->slice[i], 1))
			status = -ENOMEM;
	if (!status)
		status = gate_sched_entries(nl, ifindex, &runs);
	if (!status)
		status = gate_sched_commit(nl, ifindex, args->base_ns, args->tai_offset, false,
					   LEASE_NS);
	gate_runs_clear(&runs);
	return status;
}

static bool make_on(const struct trial_gate_args *args, uint32_t ifindex, char why[TRIAL_WHY])
{
	struct netlink nl;
	int status = netlink_open_route(&nl);

	if (!status)
		status = attach(args, ifindex, &nl);
	if (!status) {
		netlink_close(&nl);
		status = gate_open(&nl);
	}
	if (!status)
		status = set_dests(args, ifindex, &nl);
	if (!status)
		status = set_schedule(args, ifindex, &nl);
	if (status)
		snprintf(why, TRIAL_WHY, "%s", nl.text);
	netlink_close(&nl);
	return !status;
}

bool trial_gate_make(const struct trial_gate_args *args, struct trial_guardian *guardian,
		     char why[TRIAL_WHY])
{
	if (trial_gate_possible(args->device, why))
		return false;
	if (write(guardian->fd, "", 1) != 1) {
		snprintf(why, TRIAL_WHY, "the process that would remove the gate has ended");
		return false;
	}
	guardian->gated = true;
	return make_on(args, if_nametoindex(args->device), why);
}

void trial_gate_renew(const char *device)
{
	struct netlink nl;

	if (!gate_open(&nl))
		(void)gate_lease_renew(&nl, if_nametoindex(device), 0);
	netlink_close(&nl);
}

/* Without the names of the device */
static json_t *gate_record(const struct gate *gate)
{
	json_t *json = gate_json(gate);

	json_object_del(json, "device");
	json_object_del(json, "ifindex");
	json_object_set_new(json, "stats", stats_json(&gate->stats));
	json_object_set_new(json, "times", times_json(&gate->times, &gate->stats, true));
	return json;
}

json_t *trial_gate_json(const char *device, char why[TRIAL_WHY])
{
	struct gate gate;
	struct netlink nl;
	json_t *json = NULL;

	if (!gate_open(&nl) && !gate_get(&nl, if_nametoindex(device), &gate))
		json = gate_record(&gate);
	else
		snprintf(why, TRIAL_WHY, "%s", nl.text);
	netlink_close(&nl);
	return json;
}
