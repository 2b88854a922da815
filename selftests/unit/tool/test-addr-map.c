// SPDX-License-Identifier: GPL-2.0-only
/* The address map: what it takes, what it refuses and in which words. */
#include <stdlib.h>
#include <string.h>

#include "util/addr-map.h"
#include "tap.h"

static int read_text(struct addr_map *map, const char *text, struct liquid_error *err)
{
	FILE *in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	int status;

	*map = (struct addr_map){ 0 };
	err->text[0] = 0;
	status = addr_map_read(map, in, "map", err);
	fclose(in);
	return status ? status : addr_map_finish(map, err);
}

static void check_refused(const char *text, const char *wanted)
{
	struct liquid_error err;
	struct addr_map map;
	int status = read_text(&map, text, &err);

	if (!ok(status == LIQUID_BAD_INPUT && strstr(err.text, wanted), "refused: %s", wanted))
		printf("# status %d, '%s'\n", status, err.text);
	addr_map_clear(&map);
}

static void check_key(const char *text, uint32_t kind, const char *shown)
{
	char again[ADDR_KEY_TEXT];
	struct addr_key key;
	bool fine = !addr_key_parse(text, &key, NULL) && key.kind == kind &&
		    key.length == addr_key_length(kind) &&
		    !strcmp(addr_key_format(&key, again), shown);

	ok(fine, "%s is shown as %s", text, shown);
}

static void check_bytes(void)
{
	static const uint8_t ether[] = { 0x52, 0x54, 0x00, 0x12, 0x34, 0xff };
	struct addr_key key;

	ok(!addr_key_parse("10.1.2.3", &key, NULL) && !memcmp(key.value, "\x0a\x01\x02\x03", 4),
	   "IPv4 in network order");
	ok(!addr_key_parse("52:54:00:12:34:fF", &key, NULL) && !memcmp(key.value, ether, 6),
	   "bytes of an Ethernet address");
	ok(!key.value[6] && !key.value[15], "bytes behind the address are zero");
}

static void check_map(void)
{
	struct liquid_error err;
	struct addr_map map;
	const struct addr_entry *entry;
	struct addr_key key;
	int status = read_text(&map, "# cluster\n\nn2 10.0.0.2 fd00::2\t52:54:00:00:00:02 # two\r\n"
			       "n10 10.0.0.10\n  n1\t10.0.0.1", &err);

	ok(!status && map.count == 3, "names, comments, empty lines, CR LF, no final newline");
	entry = addr_map_find(&map, "n2");
	ok(entry && entry->key_count == 3 && entry->line == 3, "a name with three addresses");
	entry = addr_map_find(&map, "n1");
	ok(entry && entry->key_count == 1 && entry->key[0].value[3] == 1, "found by its name");
	ok(!addr_map_find(&map, "n3"), "a name that is not there");
	addr_key_parse("52:54:00:00:00:02", &key, NULL);
	ok(addr_map_name(&map, &key) && !strcmp(addr_map_name(&map, &key), "n2"),
	   "a name found by its third address");
	addr_key_parse("10.0.0.3", &key, NULL);
	ok(!addr_map_name(&map, &key), "an address that no one has");
	addr_map_clear(&map);
}

static void check_arguments(void)
{
	struct addr_map map = { 0 };
	struct liquid_error err;

	ok(!addr_map_add(&map, "a=b=10.0.0.1,fd00::1", &err) &&
	   !strcmp(map.entry[0].name, "a=b") && map.entry[0].key_count == 2,
	   "--addr splits at the last '='");
	ok(addr_map_add(&map, "n1", &err) == LIQUID_BAD_INPUT, "--addr without '=' is refused");
	ok(addr_map_add(&map,
			"=10.0.0.1", &err) == LIQUID_BAD_INPUT, "--addr without a name is refused");
	ok(addr_map_add(&map,
			"n1=", &err) == LIQUID_BAD_INPUT, "--addr without an address is refused");
	addr_map_clear(&map);
}

int main(void)
{
	check_key("10.0.0.1", LIQUID_KEY_A_IPV4, "10.0.0.1");
	check_key("fd00:0:0::1", LIQUID_KEY_A_IPV6, "fd00::1");
	check_key("52:54:00:AB:cd:ef", LIQUID_KEY_A_ETHER, "52:54:00:ab:cd:ef");
	check_key("mark:0x10", LIQUID_KEY_A_MARK, "mark:0x10");
	check_bytes();
	check_map();
	check_arguments();
	check_refused("n1 10.0.0.256\n",
		      "map:1: '10.0.0.256' is not an IPv4, IPv6 or Ethernet address");
	check_refused("n1 52:54:00:12:34\n", "map:1: '52:54:00:12:34' is no");
	check_refused("n1 52:54:00:12:34:56:78\n", "is not an IPv4");
	check_refused("n1 5:54:00:12:34:56\n", "is not an IPv4");
	check_refused("n1 mark:0x100000000\n", "is not an IPv4");
	check_refused("\nn1\n", "map:2: 'n1' has no address");
	check_refused("n1 0.0.0.0\n", "is the unspecified address");
	check_refused("n1 ::\n", "is the unspecified address");
	check_refused("n1 224.0.0.1\n", "is not the address of one host");
	check_refused("n1 255.255.255.255\n", "is not the address of one host");
	check_refused("n1 ff02::1\n", "is a multicast address");
	check_refused("n1 ff:ff:ff:ff:ff:ff\n", "is a multicast or broadcast address");
	check_refused("n1 10.0.0.1\nn2 10.0.0.2\nn1 10.0.0.3\n", "'n1' is given at map:");
	check_refused("n1 10.0.0.1\nn2 10.0.0.1\n",
		      "address 10.0.0.1 is given to 'n1' and to 'n2'");
	check_refused("n1 10.0.0.1 10.0.0.1\n", "address 10.0.0.1 is given to 'n1' and to 'n1'");
	check_refused("n1 1.1.1.1 1.1.1.2 1.1.1.3 1.1.1.4 1.1.1.5 1.1.1.6 1.1.1.7 1.1.1.8 "
		      "1.1.1.9\n",
		      "has more than 8 addresses");
	return tap_exit();
}
