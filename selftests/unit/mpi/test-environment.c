// SPDX-License-Identifier: LGPL-2.1-or-later
/* The variables LIQUID_FABRIC and LIQUID_MPI*: what each takes, and what it refuses. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "settings/environment.h"
#include "tap.h"

static const char *const names[] = {
	"LIQUID_FABRIC", "LIQUID_MPI", "LIQUID_MPI_WIRE", "LIQUID_MPI_MIN", "LIQUID_MPI_TAIL",
	"LIQUID_MPI_TIMEOUT", "LIQUID_MPI_DEVICE", "LIQUID_MPI_RAIL", "LIQUID_MPI_SL",
	"LIQUID_MPI_PKEY", "LIQUID_MPI_REGISTRATION", "LIQUID_MPI_STATS", "LIQUID_MPI_VERBOSE",
	"LIQUID_MPI_WINDOW", "LIQUID_MPI_PACKET", "LIQUID_MPI_BUFFER",
	"LIQUID_MPI_HOST", "LIQUID_MPI_MINIMUM", "SLURMD_NODENAME", "SLURM_JOB_ID",
};

static char directory[] = "/tmp/test-environment.XXXXXX";

/* Nothing set, and no configuration of the machine's own */
static void forget(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
	setenv("LIQUID_CONF", "/nonexistent", 1);
}

/* @text: NAME=VALUE */
static int read_with(const char *text, struct environment *env, struct liquid_error *err)
{
	char *name = strdup(text), *value = strchr(name, '=');
	int status;

	forget();
	setenv("LIQUID_FABRIC", "/some/fabric", 1);
	*value++ = '\0';
	setenv(name, value, 1);
	free(name);
	err->text[0] = '\0';
	status = environment_read(env, err);
	return status;
}

static void check_defaults(void)
{
	struct environment env;
	struct liquid_error err;
	char host[LIQUID_NAME_MAX + 1] = "";

	forget();
	ok(!environment_read(&env, &err) && env.mode == MODE_OFF && !env.fabric,
	   "without a fabric it is off");
	environment_clear(&env);
	setenv("LIQUID_FABRIC", "/some/fabric", 1);
	ok(!environment_read(&env, &err) && env.mode == MODE_AUTO && env.wire == ENV_WIRE_AUTO &&
	   !strcmp(env.fabric, "/some/fabric") && env.min_bytes == 65536 &&
	   env.tail_bytes == UINT64_MAX && !env.device && !env.port && env.gid == -1 && !env.sl &&
	   env.pkey == 0xffff && !env.stats && !env.verbose && env.timeout_ns == 10000000000 &&
	   !env.window && env.packet_bytes == 65536 && env.buffer_bytes == 1048576 &&
	   !strcmp(env.registration, "call"), "with a fabric it is auto, and has its defaults");
	gethostname(host, sizeof(host) - 1);
	host[strcspn(host, ".")] = '\0';
	ok(!strcmp(env.host, host), "the host is this machine");
	environment_clear(&env);
	forget();
	setenv("LIQUID_MPI", "shuffle", 1);
	ok(!environment_read(&env, &err) && env.mode == MODE_SHUFFLE && !env.fabric,
	   "the window shuffle needs no fabric");
	environment_clear(&env);
	ok(!env.fabric && env.mode == MODE_OFF, "what was cleared is off");
}

static void check_values(void)
{
	char name[64] = "", text[128];
	struct environment env;
	struct liquid_error err;

#define TAKES(text, condition) do { \
	ok(!read_with(text, &env, &err) && (condition), "%s is taken", text); \
	environment_clear(&env); \
} while (0)
	TAKES("LIQUID_MPI=tokens", env.mode == MODE_TOKENS);
	TAKES("LIQUID_MPI=clock", env.mode == MODE_CLOCK);
	TAKES("LIQUID_MPI=order", env.mode == MODE_ORDER);
	TAKES("LIQUID_MPI=shuffle", env.mode == MODE_SHUFFLE);
	TAKES("LIQUID_MPI=off", env.mode == MODE_OFF);
	TAKES("LIQUID_MPI_WINDOW=9", env.window == 9);
	TAKES("LIQUID_MPI_WINDOW=auto", env.window == 0);
	TAKES("LIQUID_MPI_PACKET=16Ki", env.packet_bytes == 16384);
	TAKES("LIQUID_MPI_BUFFER=2M", env.buffer_bytes == 2000000);
	TAKES("LIQUID_MPI=", env.mode == MODE_AUTO);
	TAKES("LIQUID_MPI_WIRE=p2p", env.wire == ENV_WIRE_P2P);
	TAKES("LIQUID_MPI_MIN=0", env.min_bytes == 0);
	TAKES("LIQUID_MPI_MIN=128Ki", env.min_bytes == 131072);
	TAKES("LIQUID_MPI_MIN=2MiB", env.min_bytes == 2097152);
	TAKES("LIQUID_MPI_TAIL=25k", env.tail_bytes == 25000);
	TAKES("LIQUID_MPI_TIMEOUT=500ms", env.timeout_ns == 500000000);
	TAKES("LIQUID_MPI_DEVICE=mlx5_0", !strcmp(env.device, "mlx5_0") && !env.port);
	TAKES("LIQUID_MPI_DEVICE=mlx5_0:2", !strcmp(env.device, "mlx5_0") && env.port == 2);
	TAKES("LIQUID_MPI_DEVICE=rxe0:1:0", env.port == 1 && env.gid == 0);
	TAKES("LIQUID_MPI_DEVICE=a:1,b:2:3", !strcmp(env.device, "a") && env.port == 1 &&
	      env.gid == -1 && !strcmp(env.devices, "b:2:3"));
	TAKES("LIQUID_MPI_RAIL=2", env.rail == 2);
	TAKES("LIQUID_MPI_RAIL=all", env.rail == RAIL_ALL);
	TAKES("LIQUID_MPI_RAIL=", env.rail == 1);
	TAKES("LIQUID_MPI_SL=15", env.sl == 15);
	TAKES("LIQUID_MPI_PKEY=0x8001", env.pkey == 0x8001);
	TAKES("LIQUID_MPI_REGISTRATION=cache", !strcmp(env.registration, "cache"));
	TAKES("LIQUID_MPI_STATS=/tmp/stats", !strcmp(env.stats, "/tmp/stats"));
	TAKES("LIQUID_MPI_VERBOSE=1", env.verbose);
	TAKES("LIQUID_MPI_HOST=h7", !strcmp(env.host, "h7"));
	TAKES("SLURMD_NODENAME=another-node", strcmp(env.host, "another-node"));
	gethostname(name, sizeof(name));
	name[strcspn(name, ".")] = '\0';
	snprintf(text, sizeof(text), "SLURMD_NODENAME=%s.cluster", name);
	TAKES(text, !strcmp(env.host, strchr(text, '=') + 1));
#undef TAKES
}

static void check_refusals(void)
{
	static const struct {
		const char *text, *why;
	} bads[] = {
		{ "LIQUID_MPI=Auto",
		  "LIQUID_MPI: expected auto, off, tokens, clock, order or shuffle, got 'Auto'" },
		{ "LIQUID_MPI_WINDOW=0",
		  "LIQUID_MPI_WINDOW: expected a number of packets, or auto, got '0'" },
		{ "LIQUID_MPI_WINDOW=9k",
		  "LIQUID_MPI_WINDOW: expected a number of packets, or auto, got '9k'" },
		{ "LIQUID_MPI_PACKET=0",
		  "LIQUID_MPI_PACKET: expected a size, such as 64Ki, got '0'" },
		{ "LIQUID_MPI_BUFFER=all",
		  "LIQUID_MPI_BUFFER: expected a size, such as 1Mi, got 'all'" },
		{ "LIQUID_MPI_WIRE=ucx",
		  "LIQUID_MPI_WIRE: expected auto, verbs or p2p, got 'ucx'" },
		{ "LIQUID_MPI_MIN=64KB",
		  "LIQUID_MPI_MIN: expected a size, such as 64Ki, got '64KB'" },
		{ "LIQUID_MPI_MIN=-1", "LIQUID_MPI_MIN: expected a size, such as 64Ki, got '-1'" },
		{ "LIQUID_MPI_MIN=9223372036854775808",
		  "LIQUID_MPI_MIN: expected a size, such as 64Ki, got '9223372036854775808'" },
		{ "LIQUID_MPI_MIN=99999999999G",
		  "LIQUID_MPI_MIN: expected a size, such as 64Ki, got '99999999999G'" },
		{ "LIQUID_MPI_TAIL=much",
		  "LIQUID_MPI_TAIL: expected a size, such as 25k, got 'much'" },
		{ "LIQUID_MPI_TIMEOUT=0s",
		  "LIQUID_MPI_TIMEOUT: expected a time, such as 500ms, got '0s'" },
		{ "LIQUID_MPI_TIMEOUT=5",
		  "LIQUID_MPI_TIMEOUT: expected a time, such as 500ms, got '5'" },
		{ "LIQUID_MPI_SL=16",
		  "LIQUID_MPI_SL: expected a service level, 0 to 15, got '16'" },
		{ "LIQUID_MPI_PKEY=0x8000",
		  "LIQUID_MPI_PKEY: expected a partition key, such as 0x8001, got '0x8000'" },
		{ "LIQUID_MPI_DEVICE=mlx5_0:0", "LIQUID_MPI_DEVICE: expected NAME[:PORT[:GID]], "
		  "such as mlx5_0:1:3, got 'mlx5_0:0'" },
		{ "LIQUID_MPI_DEVICE=:1", "LIQUID_MPI_DEVICE: expected NAME[:PORT[:GID]], "
		  "such as mlx5_0:1:3, got ':1'" },
		{ "LIQUID_MPI_DEVICE=a,:1", "LIQUID_MPI_DEVICE: expected NAME[:PORT[:GID]], "
		  "such as mlx5_0:1:3, got 'a,:1'" },
		{ "LIQUID_MPI_DEVICE=a,", "LIQUID_MPI_DEVICE: expected NAME[:PORT[:GID]], "
		  "such as mlx5_0:1:3, got 'a,'" },
		{ "LIQUID_MPI_RAIL=0",
		  "LIQUID_MPI_RAIL: expected the number of a rail, or all, got '0'" },
		{ "LIQUID_MPI_REGISTRATION=never",
		  "LIQUID_MPI_REGISTRATION: expected call, bounce or cache, got 'never'" },
		{ "LIQUID_MPI_VERBOSE=yes", "LIQUID_MPI_VERBOSE: expected 0 or 1, got 'yes'" },
		{ "LIQUID_MPI_MINIMUM=1", "LIQUID_MPI_MINIMUM: there is no such variable" },
	};
	struct environment env;
	struct liquid_error err;

	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		int status = read_with(bads[i].text, &env, &err);

		ok(status == LIQUID_BAD_INPUT && !strcmp(err.text, bads[i].why) &&
		   env.mode == MODE_OFF && !env.fabric && env.gid == -1 && env.pkey == 0xffff,
		   "%s is refused, it is off, and the rest is as without it",
		   bads[i].text);
		if (strcmp(err.text, bads[i].why))
			printf("# %s\n", err.text);
	}
}

static void check_conf(void)
{
	struct environment env;
	struct liquid_error err;
	char path[64];
	FILE *conf;

	snprintf(path, sizeof(path), "%s/conf", directory);
	conf = fopen(path, "we");
	fputs("# fabric /no\nstore /shared\n  fabric\t/etc/liquid/fabric # ours\n", conf);
	fclose(conf);
	forget();
	setenv("LIQUID_CONF", path, 1);
	ok(!environment_read(&env, &err) && env.mode == MODE_AUTO &&
	   !strcmp(env.fabric, "/etc/liquid/fabric"),
	   "the cluster's fabric is that of liquid.conf");
	environment_clear(&env);
	setenv("LIQUID_FABRIC", "/some/fabric", 1);
	ok(!environment_read(&env, &err) && !strcmp(env.fabric, "/some/fabric"),
	   "LIQUID_FABRIC goes first");
	environment_clear(&env);
	unlink(path);
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	check_defaults();
	check_values();
	check_refusals();
	check_conf();
	rmdir(directory);
	return tap_exit();
}
