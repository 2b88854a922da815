// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which endpoint of the fabric and which device a rank has, by its host and its rail. */
#include <stdlib.h>
#include <string.h>

#include "node/place.h"
#include "tap.h"

/* n1 has two adapters, n2 one of two ports, n3 one port, n4 is known by its domain */
static const char *const hosts[] = {
	"n1/mlx5_0/1", "n1/mlx5_1/1", "n2/0002c9030000abcd/1", "n2/0002c9030000abcd/2", "n3",
	"n4.cluster", "n10/mlx5_0/1", NULL
};

static struct liquid_fabric *fabric;
static struct place_book book;

static bool make_fabric(void)
{
	struct liquid_error err;
	int status = liquid_fabric_new("rails", &fabric, &err);

	for (int i = 0; hosts[i] && !status; i++)
		status = liquid_fabric_add_host(fabric, hosts[i], &err);
	return !status;
}

static bool finds(const char *host, uint32_t rail, const char *wanted)
{
	host_name place;

	place_ask(place, host, rail);
	place_find(&place, 1, &book);
	if (!strcmp(place, wanted))
		return true;
	printf("# %s\n", place);
	return false;
}

static void check_find(void)
{
	host_name place[7], endpoint;

	ok(finds("n1", 1, "n1/mlx5_0/1#1") && finds("n1", 2, "n1/mlx5_1/1#2"),
	   "each rail is an endpoint of the host");
	ok(finds("n3", 1, "n3") && finds("n3", 2, "n3"), "a host with one has it for any rail");
	ok(finds("n3.cluster", 1, "n3") && finds("n4.cluster", 1, "n4.cluster") &&
	   finds("n1.cluster", 2, "n1/mlx5_1/1#2"), "with or without a domain");
	ok(finds("n1/mlx5_1/1", 1, "n1/mlx5_1/1"), "an endpoint may be named itself");
	ok(finds("n1", 3, "n1#3") && finds("n5", 1, "n5#1"),
	   "a rail or a host that is not there stays as it was asked for");
	for (int i = 0; i < 7; i++)
		place_ask(place[i], i == 3 ? "n2" : i == 6 ? "n3" : "n1", RAIL_ALL);
	place_find(place, 7, &book);
	ok(!strcmp(place[0], "n1/mlx5_0/1#1") && !strcmp(place[1], "n1/mlx5_1/1#2") &&
	   !strcmp(place[2], "n1/mlx5_0/1#1") && !strcmp(place[4], "n1/mlx5_1/1#2") &&
	   !strcmp(place[5], "n1/mlx5_0/1#1"), "all: the ranks of a host have its rails in turn");
	ok(!strcmp(place[3], "n2/0002c9030000abcd/1#1") && !strcmp(place[6], "n3"),
	   "and those of another host begin anew");
	place_endpoint(place[1], endpoint);
	ok(!strcmp(endpoint, "n1/mlx5_1/1"), "the fabric's name has no rail");
	ok(place_is_same_machine(place[0], place[1]) && !place_is_same_machine(place[0], place[3]),
	   "rails of a host are one machine, other hosts another");
	ok(!place_is_same_machine("n1/mlx5_0/1#1", "n10/mlx5_0/1#1") &&
	   !place_is_same_machine("rack/n1", "rack/n2") && place_is_same_machine("n3", "n3"),
	   "names that begin alike are not");
}

static void check_map(void)
{
	host_name place[5];
	struct map map;

	for (int i = 0; i < 5; i++)
		place_ask(place[i], i == 4 ? "n3" : i < 2 ? "n1" : "n2", RAIL_ALL);
	place_find(place, 5, &book);
	ok(map_make(&map, place, 5) && map.nodes == 5 && map.machines == 3,
	   "each rail is a node of the plan");
	ok(map_is_near(&map, 0, 1) && map_is_near(&map, 3, 2) && map_is_near(&map, 4, 4) &&
	   !map_is_near(&map, 1, 2) && !map_is_near(&map, 3, 4),
	   "between rails of a machine nothing goes over the fabric");
	map_clear(&map);
}

/* With a fabric, then with the names alone, as a plan has them */
static void check_book(const struct liquid_fabric *in, uint32_t names)
{
	book = (struct place_book){ .fabric = in, .name = hosts, .names = names };
	check_find();
	check_map();
}

static char told[] =
	"liquid-fabric 2\nname told\nextra endpoint\nhosts n1/b/1,n1/c/1,n3\nswitches s\n"
	"endpoint n1/b/1 b/1 2 - -\nendpoint n1/c/1 c/1 1 - -\nendpoint n3 b/1 2 - -\n"
	"link n1/b/1 s[1] 1\nlink n1/c/1 s[2] 1\nlink n3 s[3] 1\nend\n";

/* Rails that an import told are not counted. */
static void check_told(void)
{
	struct liquid_fabric *second = NULL;
	struct liquid_error err = { "" };
	FILE *in = fmemopen(told, sizeof(told) - 1, "r");
	host_name place[2];

	ok(!liquid_fabric_read(in, "told", &second, &err), "a fabric with endpoints %s", err.text);
	fclose(in);
	book = (struct place_book){ .fabric = second };
	ok(finds("n1", 1, "n1/c/1#1") && finds("n1", 2, "n1/b/1#2"), "rails are as they are told");
	ok(finds("n3", 2, "n3") && finds("n3", 1, "n3#1"), "also of a host with one endpoint");
	for (int i = 0; i < 2; i++)
		place_ask(place[i], "n1", RAIL_ALL);
	place_find(place, 2, &book);
	ok(!strcmp(place[0], "n1/c/1#1") && !strcmp(place[1], "n1/b/1#2"), "and in turn");
	liquid_fabric_free(second);
}

static void check_device(void)
{
	static const struct {
		const char *place, *variable, *device;
		int port, gid;
	} cases[] = {
		{ "n1/mlx5_1/1#2", NULL, "mlx5_1", 1, -1 },
		{ "n2/0002c9030000abcd/2#2", NULL, "0002c9030000abcd", 2, -1 },
		{ "n3", NULL, NULL, 0, -1 },
		{ "rack/n1/2", NULL, NULL, 0, -1 },
		{ "n1#2", NULL, NULL, 0, -1 },
		{ "n1/mlx5_1/1#2", "rxe0:1:3", "rxe0", 1, 3 },
		{ "n1/mlx5_0/1#1", "a:1:2,b:2:4,c", "a", 1, 2 },
		{ "n1/mlx5_1/1#2", "a:1:2,b:2:4,c", "b", 2, 4 },
		{ "n1/mlx5_1/1#3", "a:1:2,b:2:4,c", "c", 0, -1 },
		{ "n3", "a,b", "a", 0, -1 },
	};

	setenv("LIQUID_FABRIC", "/some/fabric", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct environment env;
		struct liquid_error err;
		bool good;

		unsetenv("LIQUID_MPI_DEVICE");
		if (cases[i].variable)
			setenv("LIQUID_MPI_DEVICE", cases[i].variable, 1);
		good = !environment_read(&env, &err) && place_choose_device(cases[i].place, &env);
		ok(good && !env.device == !cases[i].device &&
		   (!env.device || !strcmp(env.device, cases[i].device)) &&
		   env.port == cases[i].port && env.gid == cases[i].gid,
		   "%s, %s: %s", cases[i].place,
		   cases[i].variable ? cases[i].variable : "no device named",
		   cases[i].device ? cases[i].device : "the first that works");
		environment_clear(&env);
	}
}

static void check_no_device(void)
{
	struct environment env;
	struct liquid_error err;

	setenv("LIQUID_MPI_DEVICE", "a,b", 1);
	ok(!environment_read(&env, &err) && !place_choose_device("n1/mlx5_2/1#3", &env),
	   "a list without a device for the rail has none");
	environment_clear(&env);
}

int main(void)
{
	setenv("LIQUID_CONF", "/nonexistent", 1);
	unsetenv("SLURM_JOB_ID");
	if (!make_fabric())
		return 1;
	check_book(fabric, 0);
	check_book(NULL, sizeof(hosts) / sizeof(hosts[0]) - 1);
	check_told();
	check_device();
	check_no_device();
	liquid_fabric_free(fabric);
	return tap_exit();
}
