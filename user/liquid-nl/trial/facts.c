// SPDX-License-Identifier: GPL-2.0-only
/* Properties of a node, and the cost of a measurement: numbers and words of the kernel. */
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util/clock-ns.h"
#include "trial/trial.h"

int64_t trial_device_number(const char *device, const char *name)
{
	long long value = -1;
	char path[128];
	FILE *in;

	snprintf(path, sizeof(path), "/sys/class/net/%s/%s", device, name);
	in = fopen(path, "re");
	if (in && fscanf(in, "%lld", &value) != 1)
		value = -1;
	if (in)
		fclose(in);
	return value;
}

/* "6.1.0" of "6.1.0-18-amd64": the rest may be an owner's name. */
static json_t *release(void)
{
	struct utsname names = { 0 };

	uname(&names);
	return json_stringn(names.release, strspn(names.release, "0123456789."));
}

static json_t *driver(const char *device)
{
	char path[128], link[256];
	ssize_t length;

	snprintf(path, sizeof(path), "/sys/class/net/%s/device/driver", device);
	length = readlink(path, link, sizeof(link) - 1);
	if (length < 0)
		return json_null();
	link[length] = 0;
	return json_string(basename(link));
}

json_t *trial_facts(const char *device)
{
	return json_pack("{s:o, s:o, s:i}", "kernel", release(), "driver", driver(device),
			 "processors", (int)sysconf(_SC_NPROCESSORS_ONLN));
}

const char *const trial_figures[TRIAL_FIGURES] = {
	"ns", "sent", "received", "segments", "sent_again", "busy_ms", "softirq_ms", "tx_dropped",
	"rx_dropped",
};

/* "cpu" with user, nice, system, idle, iowait, irq, softirq, in ticks */
void trial_count(const char *device, int64_t figure[TRIAL_FIGURES])
{
	long long user = 0, nice = 0, system = 0, irq = 0, softirq = 0;
	long long tick_ms = 1000 / sysconf(_SC_CLK_TCK);
	FILE *in = fopen("/proc/stat", "re");

	if (in && fscanf(in, "cpu %lld %lld %lld %*d %*d %lld %lld", &user, &nice, &system, &irq,
			 &softirq) != 5)
		user = nice = system = irq = softirq = 0;
	if (in)
		fclose(in);
	figure[TRIAL_NS] = clock_ns(CLOCK_MONOTONIC);
	figure[TRIAL_BUSY_MS] = (user + nice + system + irq + softirq) * tick_ms;
	figure[TRIAL_SOFTIRQ_MS] = softirq * tick_ms;
	figure[TRIAL_TX_DROPPED] = trial_device_number(device, "statistics/tx_dropped");
	figure[TRIAL_RX_DROPPED] = trial_device_number(device, "statistics/rx_dropped");
}
