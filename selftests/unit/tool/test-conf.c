// SPDX-License-Identifier: GPL-2.0-only
/* liquid.conf: what is read, and what is refused with its line. */
#include <string.h>

#include "job/conf.h"
#include "tap.h"

#define WHOLE "fabric /f\naddresses /a\nstore /s\ndevice eth0\nframe-time 1ms\nuser slurm\n"

static int read_text(const char *text, struct conf *conf, struct liquid_error *err)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int status = conf_read(in, "conf", conf, err);

	fclose(in);
	return status;
}

static bool has_devices(const struct conf *conf, const char *node, const char *first,
			const char *second)
{
	const struct conf_device *device = conf_devices_of(conf, node);

	return device && device->count == (second ? 2 : 1) && !strcmp(device->name[0], first) &&
	       (!second || !strcmp(device->name[1], second));
}

static void check_rails(void)
{
	struct liquid_error err;
	struct conf conf;

	ok(!read_text(WHOLE "device eth0,eth1 node[1-2]\nrail all\n", &conf, &err) &&
	   conf.rail == CONF_RAIL_ALL && has_devices(&conf, "node2", "eth0", "eth1") &&
	   has_devices(&conf, "node3", "eth0", NULL), "all rails: a device for each, in order");
	conf_clear(&conf);
	ok(!read_text(WHOLE "rail all\nrail 3\n", &conf, &err) && conf.rail == 3,
	   "or one of them");
	conf_clear(&conf);
}

static void check_values(void)
{
	struct liquid_error err;
	struct conf conf;

	ok(!read_text("# all of it\n" WHOLE "device eth1 node[1-2]  # two\nguard 5us\nrail 2\n"
		      "traffic big alltoall\ntraffic ranks mpi:alltoall 4\ntraffic file file:/x\n"
		      "partition * none\npartition batch ranks\non-failure fail\nmerge yes\n"
		      "clock warn\nlive-command  ibnetdiscover -p '#1' > /t # x\nunit-bytes 64Ki\n",
		      &conf, &err), "a whole file: %s", err.text);
	ok(!strcmp(conf.fabric, "/f") && conf.frame_ns == 1000000 && conf.guard_given &&
	   conf.guard_ns == 5000 && conf.rail == 2 && conf.unit_bytes == 65536, "values");
	ok(conf.on_failure == CONF_FAIL && conf.merge && conf.clock == CONF_WARN, "choices");
	ok(has_devices(&conf, "node2", "eth1", NULL) && has_devices(&conf, "node3", "eth0", NULL),
	   "devices by node");
	ok(!strcmp(conf_partition_traffic(&conf, "batch"), "ranks") &&
	   !strcmp(conf_partition_traffic(&conf, "other"), "none"), "traffics by partition");
	ok(conf_find_traffic(&conf, "ranks")->tasks_per_node == 4 &&
	   !conf_find_traffic(&conf, "nothing"), "traffics by name");
	ok(!strcmp(conf.live_command, "ibnetdiscover -p '#1' > /t # x"),
	   "a command is its whole line, # and all");
	conf_clear(&conf);
	ok(!read_text(WHOLE "select dscp=43\npolicy always\n", &conf, &err) &&
	   !strcmp(conf.select, "dscp=43") && !strcmp(conf.policy, "always"),
	   "what gates are set to");
	conf_clear(&conf);
	ok(!read_text(WHOLE "select tcp=5000-5099\n", &conf, &err) &&
	   !strcmp(conf.select, "tcp=5000-5099") && !conf.policy, "or by ports, and by no policy");
	conf_clear(&conf);
	ok(!read_text(WHOLE, &conf, &err) && conf.clock == CONF_REFUSE && !conf.on_failure &&
	   conf.tai_offset == CONF_TAI_KERNEL && conf.lease_ns == 60000000000 &&
	   !conf.lease_given && !conf_partition_traffic(&conf, "x"), "defaults");
	conf_clear(&conf);
	ok(!read_text(WHOLE "lead 100s\n", &conf, &err) && conf.lease_ns == 400000000000,
	   "a lease is longer than the lead");
	conf_clear(&conf);
	ok(!read_text(WHOLE "lease 0\n", &conf, &err) && !conf.lease_ns && conf.lease_given,
	   "there may be none");
	conf_clear(&conf);
	ok(!read_text(WHOLE "agree service ctl:99\nmunge-socket /m\n", &conf, &err) &&
	   !strcmp(conf.service, "ctl:99") && !strcmp(conf.munge_socket, "/m"),
	   "a service by which nodes agree");
	conf_clear(&conf);
	ok(!read_text("fabric /f\naddresses /a\ndevice eth0\nframe-time 1ms\nuser u\n", &conf,
		      &err) && conf.first && conf.port == 16816 && conf.ports == 128 &&
	   !strcmp(conf.store, CONF_JOURNAL), "or the first node of a job, by default");
	conf_clear(&conf);
	ok(!read_text(WHOLE "agree service ctl\nagree first 7000-7003\n", &conf, &err) &&
	   conf.first && !conf.service && conf.port == 7000 && conf.ports == 4,
	   "which has some ports");
	conf_clear(&conf);
}

static void refused(const char *text, const char *reason)
{
	struct liquid_error err = { "" };
	struct conf conf;
	bool fine = read_text(text, &conf, &err) && strstr(err.text, reason);

	if (!ok(fine, "refused: %s", reason))
		printf("# %s\n", err.text);
}

int main(void)
{
	static const char *const ports[] = {
		WHOLE "agree first 7000\n", WHOLE "agree first 7000-7002\n",
		WHOLE "agree first 65533-65536\n", WHOLE "agree first 0-9\n",
		WHOLE "agree first x-y\n",
	};

	check_values();
	check_rails();
	refused(WHOLE "rail 0\n", "conf:7: rail: expected a number from 1 to 64, or all, got '0'");
	refused(WHOLE "rail some\n", "conf:7: rail: expected a number from 1 to 64, or all, got");
	refused(WHOLE "device eth0,eth1\n", "conf: a node has 2 devices (eth0,eth1 ...), and uses "
		"rail 1 alone: state `rail all`, or one device");
	refused(WHOLE "rail all\ndevice eth1,eth1\n", "conf:8: device: expected names of different "
		"devices, with commas between them");
	refused(WHOLE "rail all\ndevice eth1,\n", "conf:8: device: expected names of different");
	refused(WHOLE "rail all\ndevice a,b,c,d,e,f,g,h,i\n",
		"conf:8: device: a node has at most 8 of them");
	refused("fabric /f\naddresses /a\n", "conf: 'device' is missing");
	refused("fabric /f\naddresses /a\nstore /s\ndevice eth0\nframe-time 1ms\n",
		"conf: 'user' is missing: who keeps the store, as in `user slurm`");
	refused(WHOLE "nonsense 1\n", "conf:7: unknown key 'nonsense'");
	refused(WHOLE "agree somehow\n",
		"conf:7: agree takes `first [FROM-TO]` or `service HOST[:PORT]`");
	for (size_t i = 0; i < sizeof(ports) / sizeof(ports[0]); i++)
		refused(ports[i], "conf:7: agree first: expected 4 ports or more as FROM-TO");
	refused(WHOLE "lease 3s\n", "conf: lease must be at least twice as long as lead");
	refused(WHOLE "guard\n", "conf:7: guard takes one value");
	refused(WHOLE "guard x\n", "conf:7: guard: expected a time up to 10s, got 'x'");
	refused(WHOLE "guard 1ms\n", "guard must be shorter than frame-time");
	refused(WHOLE "frame-time 1ns\n",
		"conf:7: frame-time: expected a time from 10us to 10s, got '1ns'");
	refused(WHOLE "merge maybe\n", "conf:7: merge: expected no or yes, got 'maybe'");
	refused(WHOLE "device eth1 node[1-\n", "conf:7: host list");
	refused(WHOLE "traffic a\n", "conf:7: traffic takes a name");
	refused(WHOLE "traffic a file:relative\n", "conf:7: traffic takes a name");
	refused(WHOLE "traffic a alltoall\ntraffic a alltoall\n",
		"conf:8: traffic 'a' is given twice");
	refused(WHOLE "traffic a alltoall 3\n",
		"conf:7: mpi:alltoall: expected ranks of each node, got '3'");
	refused(WHOLE "partition p a\ntraffic a alltoall\n",
		"conf:7: traffic 'a' is not defined above");
	refused(WHOLE "live-topo /t\n", "live-topo and live-lft go together");
	refused(WHOLE "live-command \n", "conf:7: live-command takes a command");
	refused(WHOLE "select dscp=64\n",
		"conf:7: select: expected all, mark=VALUE[/MASK], dscp=0..63");
	refused(WHOLE "select tcp=0\n",
		"conf:7: select: expected all, mark=");
	refused(WHOLE "select proto=0\n",
		"conf:7: select: expected all, mark=");
	refused(WHOLE "select mark=2/1\n",
		"conf:7: select: expected a mark without bits outside its mask");
	refused(WHOLE "policy fair\n",
		"conf:7: policy: expected share, idle, always or drop, got 'fair'");
	refused(WHOLE "a b c d e f\n", "conf:7: too many words");
	return tap_exit();
}
