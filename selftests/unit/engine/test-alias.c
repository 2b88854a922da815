// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: aliases of hosts in fabrics, traffics, schedules and routes. */
#include <stdlib.h>
#include <string.h>

#include "fixtures.h"
#include "tap.h"

/* Packets for b take one of two cables, those for b.1 the other. */
static const char text[] =
	"liquid-fabric 2\n"
	"name small\n"
	"needs alias\n"
	"hosts a,b,c\n"
	"alias b.1 b\n"
	"switches s[1-2]\n"
	"link a s1[1] 1\n"
	"link s1[1] a 1\n"
	"  to a\n"
	"link c s1[4] 1\n"
	"link s1[4] c 1\n"
	"  to c\n"
	"link b s2[1] 1\n"
	"link s2[1] b 1\n"
	"  to b,b.1\n"
	"link s1[2] s2[2] 1\n"
	"  to b\n"
	"link s1[3] s2[3] 1\n"
	"  to b.1\n"
	"link s2[2] s1[2] 1\n"
	"  to a,c\n"
	"end\n";

static struct liquid_fabric *read_fabric(const char *from, struct liquid_error *err)
{
	FILE *in = file_of(from, strlen(from));
	struct liquid_fabric *fabric;

	liquid_fabric_read(in, "f", &fabric, err);
	fclose(in);
	return fabric;
}

static struct liquid_traffic *read_traffic(const struct liquid_fabric *fabric, const char *from,
					   struct liquid_error *err)
{
	FILE *in = file_of(from, strlen(from));
	struct liquid_traffic *traffic;
	int status = liquid_traffic_read(in, "t", fabric, &traffic, err);

	fclose(in);
	return status ? NULL : traffic;
}

/* @text with the first @old replaced; the caller frees it. */
static char *edited(const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *result = NULL;

	if (!at || asprintf(&result, "%.*s%s%s", (int)(at - text), text, new,
			    at + strlen(old)) < 0)
		exit(1);
	return result;
}

static void refused(const char *old, const char *new, const char *reason)
{
	struct liquid_error err = { "" };
	char *wrong = edited(old, new);
	struct liquid_fabric *fabric = read_fabric(wrong, &err);

	ok(!fabric && !strncmp(err.text, reason, strlen(reason)), "refused: %s", err.text);
	liquid_fabric_free(fabric);
	free(wrong);
}

static void test_file(void)
{
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);
	uint32_t path[LIQUID_PATH_MAX], alias;
	char name[64], *written = NULL;
	size_t size;
	FILE *out = open_memstream(&written, &size);

	ok(fabric && liquid_fabric_host_count(fabric) == 4 &&
	   liquid_fabric_alias_count(fabric) == 1, "an alias is numbered after the hosts %s",
	   err.text);
	alias = liquid_fabric_find_host(fabric, "b.1");
	ok(alias == 3 && liquid_fabric_owner(fabric, alias) == 1 &&
	   liquid_fabric_owner(fabric, 1) == 1 &&
	   liquid_fabric_host_in(fabric, alias) == liquid_fabric_host_in(fabric, 1) &&
	   liquid_fabric_host_out(fabric, alias) == LIQUID_NONE &&
	   !liquid_fabric_host_capacity(fabric, alias),
	   "it has the link by which its host receives, and none to send by");
	ok(liquid_fabric_route(fabric, 0, alias, path, NULL) == 3 &&
	   !strcmp(liquid_fabric_link_name(fabric, path[1], name, sizeof(name)), "s1[3]>s2[3]") &&
	   path[2] == liquid_fabric_host_in(fabric, 1), "its route is its own, to its host");
	ok(liquid_fabric_route(fabric, 0, 1, path, NULL) == 3 &&
	   !strcmp(liquid_fabric_link_name(fabric, path[1], name, sizeof(name)), "s1[2]>s2[2]"),
	   "that of its host is another");
	ok(liquid_fabric_route(fabric, alias, 0, path, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "alias b.1 sends nothing"), "it sends nothing: %s", err.text);
	ok(liquid_fabric_route(fabric, 1, alias, path, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "does not send to itself"), "its host does not send to it");
	liquid_fabric_write(fabric, out, NULL);
	fclose(out);
	liquid_fabric_free(fabric);
	fabric = read_fabric(written, &err);
	ok(fabric && strstr(written, "\nneeds alias\n") && strstr(written, "\nalias b.1 b\n") &&
	   liquid_fabric_route(fabric, 0, 3, path, NULL) == 3, "it is written, and read again");
	liquid_fabric_free(fabric);
	free(written);
}

static void test_refused(void)
{
	refused("needs alias\n", "", "f:4: expected 'hosts LIST'");
	refused("needs alias", "extra alias", "f:3: 'alias' is a standard statement");
	refused("liquid-fabric 2", "liquid-fabric 1", "f:3: expected 'hosts LIST'");
	refused("alias b.1 b", "alias b.1 d", "f:5: no host 'd'");
	refused("alias b.1 b", "alias b.1 b\nalias b.2 b.1", "f:6: alias b.2 of b.1, which is no");
	refused("alias b.1 b", "alias a b", "f:5: alias a: a host already has this name");
	refused("alias b.1 b", "alias b.1 b\nhosts d", "f:6: host d comes after an alias");
	refused("alias b.1 b", "alias b.1", "f:5: expected 'hosts LIST'");
	refused("link b s2[1] 1", "link b.1 s2[1] 1", "f:13: alias b.1 has no link of its own");
	refused("  to a\n", "  to a,b.1\n", "f:9: switch s1 forwards traffic for host b.1 to host");
	refused("link a s1[1] 1", "link a s1[1] 1\nalias a.1 a", "f:8: alias a.1 comes after the");
	refused("link s2[1] b 1\n  to b,b.1\n", "", "f:20: alias b.1: host b has no incoming");
	refused("link s2[2] s1[2] 1\n", "link s2[3] s1[3] 1\n  to b.1\nlink s2[2] s1[2] 1\n",
		"f:21: switch s2 already has a forward to host b.1");
}

static void digest_differs(const char *old, const char *new, const char *what)
{
	char *other = edited(old, new), one[LIQUID_DIGEST_HEX], two[LIQUID_DIGEST_HEX];
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err), *second = read_fabric(other, &err);

	must(liquid_fabric_digest(fabric, one, &err), &err);
	if (!second)
		printf("# %s\n", err.text);
	ok(second && !liquid_fabric_digest(second, two, &err) && strcmp(one, two), "%s", what);
	liquid_fabric_free(fabric);
	liquid_fabric_free(second);
	free(other);
}

static void test_digest(void)
{
	digest_differs("  to b\nlink s1[3] s2[3] 1\n  to b.1", "  to b,b.1\nlink s1[3] s2[3] 1",
		       "the digest has the routes of aliases");
	digest_differs("alias b.1 b", "alias b.1 b\nalias b.2 b",
		       "the digest has aliases, routed or not");
}

/* a and c send to b by different cables, but b has one link. */
static void test_schedule(void)
{
	struct liquid_solve_options options = { 0 };
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);
	struct liquid_traffic *traffic = read_traffic(fabric, "a b\nc b.1\na c\n", &err);
	struct liquid_schedule *schedule = NULL;
	uint64_t load[16];

	ok(!read_traffic(fabric, "b.1 a\n", &err) &&
	   !strcmp(err.text, "t:1: 'b.1' is an alias, which sends nothing"),
	   "a traffic with an alias as sender is refused: %s", err.text);
	ok(!read_traffic(fabric, "b b.1\n", &err) && !strcmp(err.text, "t:1: 'b' sends to itself"),
	   "a traffic from a host to its alias is refused: %s", err.text);
	must(liquid_traffic_loads(fabric, traffic, load, &err), &err);
	ok(load[liquid_fabric_host_in(fabric, 1)] == 2, "transfers to b and b.1 share b's link");
	must(liquid_solve(fabric, traffic, &options, &schedule, &err), &err);
	ok(liquid_schedule_info(schedule)->length == 2 &&
	   !liquid_verify(fabric, traffic, schedule, NULL, NULL, &err),
	   "they are in different frames, as verify finds, too %s", err.text);
	liquid_schedule_free(schedule);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

/* ---- route ---- */

/* Four cables between two switches, and as many hosts: a permutation fits with addresses. */
static void test_route(void)
{
	const char *const params[] = { "size=4x4" };
	struct liquid_fabric *fabric = make_fabric("torus", params, 1);
	struct liquid_route_options options = { .lanes = 4,
						.work = 200000 };
	struct liquid_routing *one, *two, *again;
	struct liquid_traffic *traffic;
	struct liquid_error err = { "" };
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint64_t *load = calloc(liquid_fabric_link_count(fabric), sizeof(*load));
	double most = 0;

	must(liquid_traffic_new(&traffic, &err), &err);
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t host = 0; host < hosts; host++)
			must(liquid_traffic_add(traffic, host, (host * 5 + 3 * i + 1) % hosts ==
						host ? (host + 1) % hosts :
						(host * 5 + 3 * i + 1) % hosts, 1, &err), &err);
	options.traffic = traffic;
	must(liquid_route(fabric, &options, &one, &err), &err);
	options.lmc = 2;
	must(liquid_route(fabric, &options, &two, &err), &err);
	ok(!one->traffic && !liquid_fabric_alias_count(one->fabric) && two->traffic &&
	   liquid_traffic_transfer_count(two->traffic) == liquid_traffic_transfer_count(traffic),
	   "with an LMC the traffic is given back, with addresses");
	ok(two->load <= one->load, "several addresses are not worse: %g and %g", two->load,
	   one->load);
	must(liquid_traffic_loads(two->fabric, two->traffic, load, &err), &err);
	for (uint32_t l = 0; l < liquid_fabric_link_count(two->fabric); l++)
		most = load[l] > most ? (double)load[l] : most;
	ok(most == two->load, "the load is that of this traffic on the new fabric: %g", most);
	options = (struct liquid_route_options){ .work = 200000,
						 .traffic = two->traffic, .from = two->fabric };
	must(liquid_route(two->fabric, &options, &again, &err), &err);
	ok(!again->moved && again->load == two->load &&
	   liquid_fabric_alias_count(again->fabric) == liquid_fabric_alias_count(two->fabric),
	   "with routes of before their addresses stay");
	liquid_routing_free(again);
	options = (struct liquid_route_options){ .lmc = 8 };
	ok(liquid_route(fabric, &options, &again, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "at most 7"), "an LMC of 8 is refused");
	free(load);
	liquid_routing_free(two);
	liquid_routing_free(one);
	liquid_traffic_free(traffic);
	liquid_fabric_free(fabric);
}

int main(void)
{
	test_file();
	test_refused();
	test_digest();
	test_schedule();
	test_route();
	return tap_exit();
}
