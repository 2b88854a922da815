// SPDX-License-Identifier: GPL-2.0-only
/* liquid-nl monitor: events of gates as they happen, one per line. */
#include <errno.h>
#include <inttypes.h>

#include "cmd/cmd.h"
#include "gate/device.h"
#include "show/print.h"
#include "util/say.h"

struct monitor {
	const char *device;
	uint32_t ifindex;		/* 0: every gate of the namespace */
	bool json, full;		/* full: a write to stdout failed */
};

static const struct opt monitor_opts[] = {
	{ "DEV", 0, KIND_TEXT, OPT_MEMBER(struct monitor, device), .positional = true,
	  .help = "print events of this device's gate only" },
	OPT_JSON(struct monitor),
	{ 0 }
};

static void print_event(const struct gate_event *event)
{
	const char *kind = value_name(event_kind_names, event->kind);
	char time[TAI_TEXT], due[TAI_TEXT], name[IF_NAMESIZE];

	printf("%s  %s: ", format_tai(event->time, time), device_name(event->ifindex, name));
	if (kind)
		fputs(kind, stdout);
	else
		printf("event %" PRIu32, event->kind);
	if (event->count > 1)
		printf(" x %" PRIu64, event->count);
	if (event->present >> LIQUID_EVENT_A_DUE_TIME & 1)
		printf(", %s %s", event->kind == LIQUID_EVENT_ENDED ? "end" : "start",
		       format_tai(event->due_time, due));
	if (event->present >> LIQUID_EVENT_A_STEP_NS & 1)
		printf(", by %+" PRId64 " ns", event->step_ns);
	if (event->present >> LIQUID_EVENT_A_LABEL & 1) {
		fputs(", for ", stdout);
		put_escaped(stdout, event->label);
	}
	putchar('\n');
}

/* One object a line; NULL members are an error of json_object_set_new(). */
static bool print_line_json(json_t *json)
{
	json_t *whole = json_headed("liquid-event", 1, json);
	bool done = whole && !json_dumpf(whole, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER |
							JSON_ENSURE_ASCII);

	json_decref(whole);
	return done && putchar('\n') >= 0;
}

static bool print_event_json(const struct gate_event *event)
{
	char name[IF_NAMESIZE];
	json_t *json = json_object();

	if (!json ||
	    json_object_set_new(json, "device", json_string(device_name(event->ifindex, name))) ||
	    json_object_set_new(json, "ifindex", json_integer(event->ifindex)) ||
	    !attrs_json(json, &event_info_table, event)) {
		json_decref(json);
		return false;
	}
	return print_line_json(json);
}

static int tell(const struct nlmsghdr *nlh, void *context)
{
	struct monitor *monitor = context;
	struct gate_event event;
	int status = gate_take_event(nlh, &event);

	if (status || (monitor->ifindex && event.ifindex != monitor->ifindex))
		return status;
	if (!monitor->json)
		print_event(&event);
	else if (!print_event_json(&event))
		monitor->full = true;
	if (fflush(stdout))
		monitor->full = true;
	return 0;
}

/* Events were lost. That is printed as an event, at the place where they are missing. */
static void tell_loss(struct monitor *monitor)
{
	if (!monitor->json)
		puts("lost: more happened than could be read");
	else if (!print_line_json(json_pack("{s:s}", "kind", "lost")))
		monitor->full = true;
	if (fflush(stdout))
		monitor->full = true;
}

/* Read the gates once, with another socket: from then on they send events of their times. */
static int read_gates(void)
{
	struct gate_list list = { 0 };
	struct netlink nl;
	int code = EXIT_OK;

	if (gate_open(&nl))
		return refused(&nl, NULL);
	if (gate_dump(&nl, &list))
		code = refused(&nl, NULL);
	gate_list_clear(&list);
	netlink_close(&nl);
	return code;
}

static int listen_on(struct netlink *nl, struct monitor *monitor)
{
	int code, status;

	if (gate_events_join(nl))
		return refused(nl, NULL);
	code = read_gates();
	while (!code && !monitor->full) {
		status = gate_events_wait(nl, tell, monitor);
		if (status && status != -ENOBUFS)
			return refused(nl, NULL);
		if (!status)
			continue;
		tell_loss(monitor);
		code = read_gates();	/* fails if the lost event was the module's removal */
	}
	if (monitor->full)
		return ferror(stdout) ? stdout_lost() : no_memory();
	return code;
}

static int run_monitor(int argc, char **argv)
{
	struct monitor monitor = { 0 };
	struct netlink nl;
	int code = take_options(argc, argv, monitor_opts, &monitor);

	if (!code && monitor.device)
		code = find_device(monitor.device, &monitor.ifindex);
	if (code)
		return code;
	if (gate_open(&nl))
		return refused(&nl, NULL);
	code = listen_on(&nl, &monitor);
	netlink_close(&nl);
	return code;
}

const struct command cmd_monitor = {
	"monitor", "print events of gates", monitor_opts, run_monitor, NULL, NULL
};
