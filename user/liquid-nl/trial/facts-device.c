// SPDX-License-Identifier: GPL-2.0-only
/* What a net device is like: driver, rate, queues, offloads, byte limits, time stamps. */
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "trial/trial.h"

#define QUEUES_MAX 4096

static bool request(const char *device, unsigned long number, void *data)
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), failed;

	if (fd < 0)
		return false;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	request.ifr_data = data;
	failed = ioctl(fd, number, &request);
	close(fd);
	return !failed;
}

static bool ethtool(const char *device, void *data)
{
	return request(device, SIOCETHTOOL, data);
}

/* ---- facts that the trial itself needs ---- */

uint64_t trial_device_rate(const char *device)
{
	json_t *speed = trial_file_number("/sys/class/net/%s/speed", device);
	int64_t mbps = json_integer_value(speed);

	json_decref(speed);
	return mbps > 0 && mbps < UINT32_MAX ? 1000000 * (uint64_t)mbps : 0;
}

unsigned int trial_device_mtu(const char *device)
{
	json_t *mtu = trial_file_number("/sys/class/net/%s/mtu", device);
	int64_t bytes = json_integer_value(mtu);

	json_decref(mtu);
	return bytes >= 576 && bytes <= UINT16_MAX ? (unsigned int)bytes : 1500;
}

bool trial_device_stamps(const char *device)
{
	struct hwtstamp_config config = { 0 };

	return request(device, SIOCGHWTSTAMP, &config) && config.tx_type != HWTSTAMP_TX_OFF;
}

/* ---- facts for the record ---- */

static json_t *driver(const char *device)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (!ethtool(device, &info))
		return json_null();
	info.driver[sizeof(info.driver) - 1] = 0;
	return trial_word(info.driver);
}

static unsigned int queue_count(const char *device, const char *direction)
{
	char path[128];
	unsigned int count = 0;

	for (; count < QUEUES_MAX; count++) {
		snprintf(path, sizeof(path), "/sys/class/net/%.15s/queues/%s-%u", device,
			 direction, count);
		if (access(path, F_OK))
			break;
	}
	return count;
}

static json_t *ring(const char *device)
{
	struct ethtool_ringparam ring = { .cmd = ETHTOOL_GRINGPARAM };

	if (!ethtool(device, &ring))
		return json_null();
	return json_pack("{s:I, s:I}", "tx", (json_int_t)ring.tx_pending,
			 "rx", (json_int_t)ring.rx_pending);
}

static json_t *coalescing(const char *device)
{
	struct ethtool_coalesce coalesce = { .cmd = ETHTOOL_GCOALESCE };

	if (!ethtool(device, &coalesce))
		return json_null();
	return json_pack("{s:I, s:I, s:I, s:I, s:b, s:b}",
			 "tx_us", (json_int_t)coalesce.tx_coalesce_usecs,
			 "tx_frames", (json_int_t)coalesce.tx_max_coalesced_frames,
			 "rx_us", (json_int_t)coalesce.rx_coalesce_usecs,
			 "rx_frames", (json_int_t)coalesce.rx_max_coalesced_frames,
			 "adaptive_tx", coalesce.use_adaptive_tx_coalesce,
			 "adaptive_rx", coalesce.use_adaptive_rx_coalesce);
}

static json_t *offload(const char *device, uint32_t command)
{
	struct ethtool_value value = { .cmd = command };

	return ethtool(device, &value) ? json_boolean(value.data) : json_null();
}

static json_t *offloads(const char *device)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "tx_checksum", offload(device, ETHTOOL_GTXCSUM),
			 "tso", offload(device, ETHTOOL_GTSO), "gso", offload(device, ETHTOOL_GGSO),
			 "gro", offload(device, ETHTOOL_GGRO));
}

static json_t *byte_limits(const char *device)
{
	json_t *limit = trial_file_number(
		"/sys/class/net/%s/queues/tx-0/byte_queue_limits/limit", device);
	json_t *most = trial_file_number(
		"/sys/class/net/%s/queues/tx-0/byte_queue_limits/limit_max", device);

	return json_pack("{s:o, s:o}", "limit", limit, "limit_max", most);
}

static json_t *stamps(const char *device)
{
	struct ethtool_ts_info info = { .cmd = ETHTOOL_GET_TS_INFO };
	bool known = ethtool(device, &info);

	return json_pack("{s:b, s:b, s:b, s:b}",
			 "software", known && info.so_timestamping & SOF_TIMESTAMPING_TX_SOFTWARE,
			 "hardware", known && info.so_timestamping & SOF_TIMESTAMPING_TX_HARDWARE,
			 "hardware_on", trial_device_stamps(device),
			 "clock", known && info.phc_index >= 0);
}

json_t *trial_device_facts(const char *device)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "driver", driver(device),
			 "rate_bps", (json_int_t)trial_device_rate(device),
			 "mtu", (json_int_t)trial_device_mtu(device),
			 "tx_queues", (json_int_t)queue_count(device, "tx"),
			 "rx_queues", (json_int_t)queue_count(device, "rx"),
			 "numa_node", trial_file_number("/sys/class/net/%s/device/numa_node",
							device),
			 "ring", ring(device), "coalescing", coalescing(device),
			 "offloads", offloads(device), "byte_limits", byte_limits(device),
			 "stamps", stamps(device));
}
