// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: fabrics are built, read, written and digested; what is wrong with them is said. */
#include <stdlib.h>
#include <string.h>

#include "base/siphash.h"
#include "fabric/fabric.h"
#include "fixtures.h"
#include "tap.h"

/* Two hosts on a switch each, two cables between the switches. */
static const char small[] =
	"# a comment\n"
	"liquid-fabric 1\n"
	"name small\n"
	"hosts a,b\n"
	"switches s[1-2]   # another\n"
	"link a s1[1] 1\n"
	"link s1[1] a 1\n"
	"  to a\n"
	"link b s2[1] 1\n"
	"link s2[1] b 1\n"
	"  to b\n"
	"\n"
	"link s1[2] s2[2] 1\n"
	"link s1[3] s2[3] 4\n"
	"  to b\n"
	"link s2[2] s1[2] 1\n"
	"  to a\n"
	"end\n";

static struct liquid_fabric *read_fabric(const char *text, struct liquid_error *err)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	struct liquid_fabric *fabric;

	liquid_fabric_read(in, "f", &fabric, err);
	fclose(in);
	return fabric;
}

static char *write_text(const struct liquid_fabric *fabric)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	liquid_fabric_write(fabric, out, NULL);
	fclose(out);
	return text;
}

/* ---- reading and writing ---- */

static void test_read(void)
{
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(small, &err);
	uint32_t path[LIQUID_PATH_MAX];
	char text[64];

	ok(fabric && liquid_fabric_host_count(fabric) == 2 &&
	   liquid_fabric_switch_count(fabric) == 2 && liquid_fabric_link_count(fabric) == 7 &&
	   !strcmp(liquid_fabric_name(fabric), "small"), "a small fabric is read %s", err.text);
	ok(liquid_fabric_route(fabric, 0, 1, path, NULL) == 3 &&
	   !strcmp(liquid_fabric_link_name(fabric, path[1], text, sizeof(text)), "s1[3]>s2[3]") &&
	   liquid_fabric_link(fabric, path[1])->capacity == 4, "it routes a to b by s1[3]");
	ok(liquid_fabric_route(fabric, 1, 0, path, NULL) == 3 &&
	   !strcmp(liquid_fabric_link_name(fabric, path[1], text, sizeof(text)), "s2[2]>s1[2]"),
	   "it routes b to a by the other cable");
	ok(liquid_fabric_find_host(fabric, "b") == 1 &&
	   liquid_fabric_find_host(fabric, "s1") == LIQUID_NONE &&
	   liquid_fabric_find_host(fabric, "c") == LIQUID_NONE, "hosts are found by name");
	liquid_fabric_free(fabric);
}

/* How many entries of @sw and @other agree, of @count, each looked at alone */
static uint32_t kept_slowly(const struct liquid_fabric *fabric, uint32_t sw, const uint32_t *dst,
			    uint32_t other, const uint32_t *other_dst, uint32_t count,
			    const uint32_t *image)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = liquid_fabric_forward(fabric, sw, dst[i]);
		uint32_t to = liquid_fabric_forward(fabric, other, other_dst[i]);

		if ((one == LIQUID_NONE) != (to == LIQUID_NONE) ||
		    (one != LIQUID_NONE && image[one] != to))
			return i;
	}
	return count;
}

/* Learn images of links from the first of @count entries, or all; now and then a wrong one. */
static void learn_images(const struct liquid_fabric *fabric, struct dice *dice, uint32_t sw,
			 const uint32_t *dst, uint32_t other, const uint32_t *other_dst,
			 uint32_t count, uint32_t *image)
{
	uint32_t links = liquid_fabric_link_count(fabric);

	memset(image, 0xff, links * sizeof(*image));
	count = roll(dice, 2) ? count : roll(dice, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t one = liquid_fabric_forward(fabric, sw, dst[i]);

		if (one != LIQUID_NONE && image[one] == LIQUID_NONE)
			image[one] = liquid_fabric_forward(fabric, other, other_dst[i]);
	}
	if (!roll(dice, 4))
		image[roll(dice, links)] = roll(dice, links);
}

/* Do the tables of any two switches agree as far as each entry alone says? By reversed hosts. */
static bool forwards_agree(const struct liquid_fabric *fabric)
{
	uint32_t hosts = liquid_fabric_host_count(fabric);
	uint32_t switches = liquid_fabric_switch_count(fabric);
	uint32_t *image = calloc(liquid_fabric_link_count(fabric) + 1, sizeof(*image));
	uint32_t *dst = calloc((size_t)hosts + 1, sizeof(*dst));
	struct dice dice = { hosts };
	bool agree = true;

	for (uint32_t h = 0; h < hosts; h++)
		dst[h] = hosts - 1 - h;
	for (uint32_t s = 0; s <= switches; s++)
		for (uint32_t o = s < 8 ? 0 : s; o <= switches; o++) {
			uint32_t begin = roll(&dice, hosts);
			const uint32_t *to = dst + roll(&dice, 2) * begin;

			learn_images(fabric, &dice, s, dst + begin, o, to, hosts - begin, image);
			agree &= fabric_forwards_kept(fabric, s, dst + begin, o, to,
							     hosts - begin, image) ==
				 kept_slowly(fabric, s, dst + begin, o, to, hosts - begin, image);
		}
	free(image);
	free(dst);
	return agree;
}

/* Does what is said of one entry of each of two switches hold, if @link is mapped to @to? */
static uint32_t kept_by(const struct liquid_fabric *fabric, uint32_t dst, uint32_t other_dst,
			uint32_t link, uint32_t to)
{
	uint32_t *image = calloc(liquid_fabric_link_count(fabric), sizeof(*image)), kept;

	image[link] = to;
	kept = fabric_forwards_kept(fabric, 0, &dst, 1, &other_dst, 1, image);
	if (kept != kept_slowly(fabric, 0, &dst, 1, &other_dst, 1, image))
		kept = LIQUID_NONE;
	free(image);
	return kept;
}

/* The image is a link of a switch with more links than its table of bytes can name. */
static void test_kept_far(void)
{
	static const char head[] = "liquid-fabric 1\nname far\nhosts a,b\nswitches s,t,u\n"
		"link a s 1\nlink b s 1\nlink s u 1\n  to a\n";
	static const uint32_t place[] = { 0, 1, 254, 255, 256, 511, 65535, 65536, 65537, 65791 };
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "%slink t u 1\n  to b\n", head);
	for (uint32_t i = 1; i < 65792; i++)
		fputs("link t u 1\n", out);
	fputs("end\n", out);
	fclose(out);
	fabric = read_fabric(text, &err);
	for (size_t i = 0; fabric && i < sizeof(place) / sizeof(place[0]); i++) {
		uint32_t to = 3 + place[i];

		ok(!kept_by(fabric, 0, 0, 2, to) && kept_by(fabric, 0, 1, 2, to) == !place[i],
		   "the image is link %u of a switch that forwards by link 0, or not",
		   place[i]);
	}
	ok(fabric, "with 65,792 links of a switch %s", err.text);
	free(text);
	liquid_fabric_free(fabric);
}

static void round_trip(const char *name, const char *param)
{
	struct liquid_fabric *fabric, *again;
	struct liquid_error err = { "" };
	char one[LIQUID_DIGEST_HEX] = "", two[LIQUID_DIGEST_HEX] = "-";
	char *text, *second = NULL;

	liquid_fabric_make(name, &param, param ? 1 : 0, &fabric, &err);
	text = write_text(fabric);
	again = read_fabric(text, &err);
	if (again) {
		second = write_text(again);
		liquid_fabric_digest(fabric, one, NULL);
		liquid_fabric_digest(again, two, NULL);
	}
	ok(second && !strcmp(text, second) && !strcmp(one, two), "%s: written, read, the same %s",
	   name, err.text);
	ok(forwards_agree(fabric), "%s: tables agree as far as each entry alone says", name);
	free(text);
	free(second);
	liquid_fabric_free(fabric);
	liquid_fabric_free(again);
}

/*
 * Two switches whose links alternate, @hosts cables side by side, as they are written. By each
 * but the first goes one host from the first switch to the second, which has them all.
 */
static char *parallel_cables(uint32_t hosts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "liquid-fabric 1\nname parallel\nhosts n[1-%u]\nswitches s[1-2]\n", hosts);
	for (uint32_t i = 1; i <= hosts; i++) {
		fprintf(out, "link s1 s2 1\n");
		if (i > 1)
			fprintf(out, "  to n%u\n", hosts + 2 - i);
		fprintf(out, "link s2 s1 1\n");
	}
	for (uint32_t i = 1; i <= hosts; i++)
		fprintf(out, "link n%u s1 1\nlink s2 n%u 1\n  to n%u\n", i, i, i);
	fputs("end\n", out);
	fclose(out);
	return text;
}

/* A table wider than a byte is not looked through for each link. */
static void test_wide_tables(void)
{
	char *text = parallel_cables(12000), *written;
	double begin = cpu_seconds(), middle, end;
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);

	middle = cpu_seconds();
	written = fabric ? write_text(fabric) : strdup("");
	end = cpu_seconds();
	ok(!strcmp(written, text), "12,000 cables side by side: read and written, the same %s",
	   err.text);
	ok(end - middle < 3 * (middle - begin) + 0.1, "written in %.3f s, read in %.3f s",
	   end - middle, middle - begin);
	free(text);
	free(written);
	liquid_fabric_free(fabric);
	/* of four bytes an entry */
	text = parallel_cables(65536);
	fabric = read_fabric(text, &err);
	written = fabric ? write_text(fabric) : strdup("");
	ok(!strcmp(written, text), "65,536 cables side by side: the same %s", err.text);
	free(text);
	free(written);
	liquid_fabric_free(fabric);
}

/* ---- names and ports that shall collide ---- */

/* The 64 bits and the folding of FNV-1a, which has no key: what is easily made to collide */
static uint32_t plain_hash(const void *data, size_t size)
{
	const unsigned char *byte = data;
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ byte[i]) * 0x100000001b3;
	return (uint32_t)(hash ^ hash >> 32);
}

#define FLOOD_NAMES 20000u
#define FLOOD_SLOTS 65536u	/* of a table that is at most half full with them */

/* Frees @text. */
static double seconds_to_read(char *text)
{
	double begin = cpu_seconds();

	liquid_fabric_free(read_fabric(text, NULL));
	free(text);
	return cpu_seconds() - begin;
}

/* Hosts on a switch, whose names belong into one of @parts parts of the table. Returns seconds. */
static double read_names(uint32_t parts)
{
	char name[24], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("liquid-fabric 1\nname flood\n", out);
	for (uint32_t i = 0, count = 0; count < FLOOD_NAMES; i++) {
		int length = snprintf(name, sizeof(name), "h%ux", i);

		if (plain_hash(name, (size_t)length) % FLOOD_SLOTS < FLOOD_SLOTS / parts &&
		    ++count)
			fprintf(out, "hosts %s\n", name);
	}
	fputs("end\n", out);
	fclose(out);
	return seconds_to_read(text);
}

/* The same with ports of 64 switches */
static double read_ports(uint32_t parts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("liquid-fabric 1\nname flood\nhosts a\nswitches s[1-64]\nlink a s1 1\n", out);
	for (uint32_t i = 0, count = 0; count < FLOOD_NAMES; i++) {
		uint32_t key[] = { 1 + i % 64, 1 + i / 64, 0 };

		if (plain_hash(key, sizeof(key)) % FLOOD_SLOTS < FLOOD_SLOTS / parts && ++count)
			fprintf(out, "link s%u[%u] s%u 1\n", key[0], key[1], key[0] % 64 + 1);
	}
	fputs("end\n", out);
	fclose(out);
	return seconds_to_read(text);
}

static void test_flood(void)
{
	double plain = read_names(1), flood = read_names(256);

	ok(flood < 3 * plain + 0.1, "names that were made to collide: %.3f s, others %.3f s",
	   flood, plain);
	plain = read_ports(1);
	flood = read_ports(64);
	ok(flood < 3 * plain + 0.1, "ports that were made to collide: %.3f s, others %.3f s",
	   flood, plain);
}

/* Bytes 0, 1, 2 ... under the key 00 01 ... 0f, as published with the function */
static void test_siphash(void)
{
	static const struct siphash_key key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };
	static const uint64_t expected[] = { 0xabac0158050fc4dc, 0xc9f49bf37d57ca93 };
	static const unsigned char bytes[] = { 0 };

	ok(siphash(&key, bytes, 0) == expected[0] && siphash(&key, bytes, 1) == expected[1],
	   "SipHash-1-3 has its published values");
}

/* ---- what is wrong with a file ---- */

/* The small fabric with @from replaced by @to must be refused with @reason. */
static void refused(const char *from, const char *to, const char *reason)
{
	const char *place = strstr(small, from);
	char text[sizeof(small) + 256];
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;

	snprintf(text, sizeof(text), "%.*s%s%s", (int)(place - small), small, to,
		 place + strlen(from));
	fabric = read_fabric(text, &err);
	ok(!fabric && strstr(err.text, reason), "refused: %s", err.text);
	liquid_fabric_free(fabric);
}

static void test_cut_short(void)
{
	bool all = true;

	for (size_t length = 1; length < sizeof(small) - 2; length++) {
		char text[sizeof(small)];
		struct liquid_error err = { "" };
		struct liquid_fabric *fabric;

		memcpy(text, small, length);
		text[length] = '\0';
		fabric = read_fabric(text, &err);
		if (fabric || strncmp(err.text, "f:", 2)) {
			printf("# cut after %zu bytes: %s\n", length, err.text);
			all = false;
		}
		liquid_fabric_free(fabric);
	}
	ok(all, "a file that is cut short anywhere is refused with its line");
}

static void test_refused(void)
{
	refused("liquid-fabric 1", "liquid-fabric 3", "f:2: unknown version '3'");
	refused("liquid-fabric 1", "fabric", "f:2: expected 'liquid-fabric 1'");
	refused("name small", "hosts x", "f:3: expected 'name NAME'");
	refused("hosts a,b", "hosts a,a", "f:4: host a: a host already has this name");
	refused("hosts a,b", "hosts a,b,s1", "f:5: switch s1: a host already has this name");
	refused("hosts a,b", "hosts a,b,c", "host c has no link");
	refused("hosts a,b", "hosts a,[b", "f:4: host list, character");
	refused("hosts a,b", "guests a,b", "f:4: expected 'hosts LIST'");
	refused("hosts a,b", "hosts a b", "f:4: expected 'hosts LIST'");
	refused("link s1[2] s2[2] 1", "hosts c", "f:13: host c comes after the first link");
	refused("link s1[2] s2[2] 1", "link s1[2] s9[2] 1", "f:13: no host or switch 's9'");
	refused("link s1[2] s2[2] 1", "link s1[2] s1[2] 1", "f:13: link from s1 to itself");
	refused("link s1[2] s2[2] 1", "link s1[2] s2[2] 0", "f:13: a capacity is");
	refused("link s1[2] s2[2] 1", "link s1[2] s2[2] 70000", "f:13: a capacity is");
	refused("link s1[2] s2[2] 1", "link s1[2] s2[2] -1", "f:13: a capacity is");
	refused("link s1[2] s2[2] 1", "link s1[2] s2[2]", "f:13: expected");
	refused("link s1[2] s2[2] 1", "link s1[2] s2[2] 1 1", "f:13: too many words");
	refused("link s1[2] s2[2] 1", "link s1[1] s2[2] 1",
		"f:13: s1: port 1 already has a link out");
	refused("link s1[2] s2[2] 1", "link s1[2] s2[1] 1",
		"f:13: s2: port 1 already has a link in");
	refused("link s1[2] s2[2] 1", "link s1[0] s2[2] 1", "f:13: a port is a number");
	refused("link s1[2] s2[2] 1", "link s1[2 s2[2] 1", "f:13: expected NAME or NAME[PORT]");
	refused("link s1[2] s2[2] 1", "link a s2[2] 1", "f:13: host a already has a link out");
	refused("link s1[2] s2[2] 1", "to b", "f:13: switch s2 already has a forward to host b");
	refused("  to a\nlink b", "  to b\nlink b",
		"f:8: switch s1 forwards traffic for host b to host a");
	refused("  to a\nlink b", "  to a,b\nlink b",
		"f:8: switch s1 forwards traffic for host b to host a");
	refused("link s1[2] s2[2] 1", "link s1[2] s2[2] 1\n  to b,b",
		"f:14: switch s1 already has a forward to host b");
	refused("link a s1[1] 1\n", "to a\n", "f:6: 'to' comes before the first link");
	refused("link a s1[1] 1\n", "link a s1[1] 1\nto a\n",
		"f:7: 'to' after a link that begins at a host");
	refused("  to b\nlink s2[2]", "  to b,c\nlink s2[2]", "f:15: no host 'c'");
	refused("link s2[2] s1[2] 1\n  to a", "link s2[2] s1[2] 1\n  to b", "already");
	refused("end\n", "", "f:18: the file ends without an 'end'");
	refused("end\n", "end\nlink\n", "f:19: text after the 'end'");
	refused("end\n", "finish\n", "f:18: expected");
	refused("hosts a,b", "hosts a,b\xff", "f:4: host list");
}

static void test_circle(void)
{
	static const char text[] = "liquid-fabric 1\nname ring\nhosts a,b\nswitches s[1-3]\n"
		"link a s1 1\nlink s1 s2 1\n to b\nlink s2 s3 1\n to b\nlink s3 s1 1\n to b\n"
		"link s3 b 1\nend\n";
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);

	ok(!fabric && strstr(err.text, "the route to host b loops"), "a circle: %s", err.text);
	liquid_fabric_free(fabric);
}

/* A chain of switches that is longer than a path may be. */
static void test_long_way(void)
{
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "liquid-fabric 1\nname chain\nhosts a,b\nswitches s[1-64]\nlink a s1 1\n");
	for (int i = 1; i < 64; i++)
		fprintf(out, "link s%d s%d 1\nto b\n", i, i + 1);
	fprintf(out, "link s64 b 1\nto b\nend\n");
	fclose(out);
	fabric = read_fabric(text, &err);
	ok(!fabric && strstr(err.text, "has more than 63 links"), "a long way: %s", err.text);
	free(text);
	liquid_fabric_free(fabric);
}

static void test_long_line(void)
{
	size_t size = 100000;
	char *text = malloc(size);
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;

	memset(text, 'x', size);
	text[size - 1] = '\0';
	fabric = read_fabric(text, &err);
	ok(!fabric && strstr(err.text, "f:1: line longer than"), "an endless line: %s", err.text);
	free(text);
	liquid_fabric_free(fabric);
}

/* ---- routes that are not there ---- */

static void test_no_route(void)
{
	struct liquid_fabric *fabric;
	struct liquid_error err = { "" };
	uint32_t path[LIQUID_PATH_MAX];

	liquid_fabric_make("papers-5x5", NULL, 0, &fabric, NULL);
	ok(liquid_fabric_route(fabric, 0, 0, path, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "itself"), "%s", err.text);
	ok(liquid_fabric_route(fabric, 0, 1, path, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "t2 has no incoming link"), "%s", err.text);
	ok(liquid_fabric_route(fabric, 5, 6, path, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "r1 has no outgoing link"), "%s", err.text);
	ok(liquid_fabric_route(fabric, 0, 10, path, &err) == LIQUID_BAD_INPUT, "%s", err.text);
	liquid_fabric_free(fabric);
	fabric = read_fabric("liquid-fabric 1\nname half\nhosts a,b\nswitches s\nlink a s 1\n"
			   "link s b 1\nend\n", &err);
	ok(fabric && liquid_fabric_route(fabric, 0, 1, path, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "it ends at switch s"), "%s", err.text);
	liquid_fabric_free(fabric);
}

/* ---- the digest ---- */

static void digest_of(const char *text, char hex[LIQUID_DIGEST_HEX])
{
	struct liquid_fabric *fabric = read_fabric(text, NULL);

	hex[0] = '\0';
	if (fabric)
		liquid_fabric_digest(fabric, hex, NULL);
	liquid_fabric_free(fabric);
}

static void test_digest(void)
{
	static const char other[] = "liquid-fabric 1\nname other\nswitches s2,s1\nhosts b,a\n"
		"link s2[2] s1[2] 1\nto a\nlink s1[3] s2[3] 4\nto b\nlink s1[2] s2[2] 1\n"
		"link s2[1] b 1\nto b\nlink b s2[1] 1\nlink s1[1] a 1\nto a\nlink a s1[1] 1\nend\n";
	char one[LIQUID_DIGEST_HEX], two[LIQUID_DIGEST_HEX], *text = strdup(small);

	digest_of(small, one);
	digest_of(other, two);
	ok(strlen(one) == 64 && !strcmp(one, two), "the digest does not depend on the numbering");
	*(strstr(text, "s2[3] 4") + 6) = '5';
	digest_of(text, two);
	ok(strlen(two) == 64 && strcmp(one, two), "the digest covers capacities");
	free(text);
	/* Moved from one parallel cable to the other */
	text = strdup(other);
	memcpy(strstr(text, "link s1[3] s2[3] 4\nto b\nlink s1[2] s2[2] 1\n"),
	       "link s1[3] s2[3] 4\nlink s1[2] s2[2] 1\nto b\n", 43);
	digest_of(text, two);
	ok(strlen(two) == 64 && strcmp(one, two), "the digest covers routes");
	free(text);
}

/* Names too long for a line of 16 bytes, and more lines than are hashed at once */
static void test_digest_lines(const char *prefix, const char *expected)
{
	char hex[LIQUID_DIGEST_HEX], *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fprintf(out, "liquid-fabric 1\nname x\nhosts %s[1-900]\nswitches s,r\n", prefix);
	for (uint32_t i = 1; i <= 900; i++)
		fprintf(out, "link %s%u r[%u] 1\nlink r[%u] %s%u 1\nto %s%u\n", prefix, i, i, i,
			prefix, i, prefix, i);
	fprintf(out, "link s[1] r[901] 1\nto %s[1-900]\nend\n", prefix);
	fclose(out);
	digest_of(text, hex);
	ok(!strcmp(hex, expected), "900 destinations of one link: %s", hex);
	free(text);
}

/* What others must be able to compute: SHA-256 by sha256sum of the text that is documented. */
static void test_digest_value(void)
{
	static const char text[] = "liquid-fabric 1\nname x\nhosts a,b\nswitches s\nlink a s[1] 1\n"
		"link s[2] b 2\nto b\nend\n";
	char hex[LIQUID_DIGEST_HEX];

	digest_of(text, hex);
	ok(!strcmp(hex, "9fdfed1bfda79c0b0a6fbaefb453abac8beb7b41b01e406ef1404046bcf85ab0"),
	   "the digest is the documented one %s", hex);
}

/* ---- version 2 ---- */

/* As it is written. */
static const char second[] =
	"liquid-fabric 2\n"
	"name second\n"
	"unit 25000000000\n"
	"import rail 2\n"
	"import leave-out leaf9,n[7-8]\n"
	"import allow-unreachable\n"
	"note left out as asked: leaf9\n"
	"note faster than the 1 hosts of capacity 1: a\n"
	"hosts a,b\n"
	"switches s\n"
	"link a s[1] 4\n"
	"link s[1] a 4\n"
	"  to a\n"
	"link b s[2] 1\n"
	"link s[2] b 1\n"
	"  to b\n"
	"end\n";

/* A finished fabric keeps its digest, but not when its unit's rate changes. */
static void test_digest_kept(void)
{
	struct liquid_fabric *fabric = read_fabric(second, NULL);
	char one[LIQUID_DIGEST_HEX], two[LIQUID_DIGEST_HEX], *text;

	liquid_fabric_digest(fabric, one, NULL);
	liquid_fabric_digest(fabric, two, NULL);
	ok(strlen(one) == 64 && !strcmp(one, two), "asked again, the digest is the same");
	liquid_fabric_set_unit_rate(fabric, 100000, NULL);
	liquid_fabric_digest(fabric, two, NULL);
	ok(strcmp(one, two), "with another unit it is another");
	text = write_text(fabric);
	digest_of(text, one);
	ok(!strcmp(one, two), "and that of what is written then");
	free(text);
	liquid_fabric_free(fabric);
}

static void second_refused(const char *from, const char *to, const char *reason)
{
	char *text = replaced(second, from, to);
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);

	ok(!fabric && strstr(err.text, reason), "refused: %s", err.text);
	liquid_fabric_free(fabric);
	free(text);
}

static void test_second(void)
{
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(second, &err);
	char *text = fabric ? write_text(fabric) : NULL;

	ok(text && !strcmp(text, second), "version 2: written, read, the same, byte for byte %s",
	   err.text);
	ok(fabric && fabric_file_version(fabric) == 2 &&
	   liquid_fabric_unit_rate(fabric) == 25000000000 &&
	   liquid_fabric_left_out(fabric)->count == 3 &&
	   !strcmp(liquid_fabric_note(fabric, 0), "left out as asked: leaf9") &&
	   liquid_fabric_note(fabric, 1) && !liquid_fabric_note(fabric, 2),
	   "the unit's rate, what was left out, notes");
	free(text);
	liquid_fabric_free(fabric);
}

/* @from of the second fabric replaced by @to says the same. */
static void says_the_same(const char *from, const char *to, const char *what)
{
	char *text = replaced(second, from, to), *written;
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);

	written = fabric ? write_text(fabric) : NULL;
	ok(written && !strcmp(written, second), "means nothing: %s %s", what, err.text);
	free(written);
	liquid_fabric_free(fabric);
	free(text);
}

static void test_blanks(void)
{
	says_the_same("hosts a,b", " \t hosts \t a,b \t\r", "blanks around words");
	says_the_same("hosts a,b", "hosts a,b#,c d", "a comment without a blank before it");
	says_the_same("hosts a,b", "hosts a,b # of 1 2 3 4 5 6 words # and another",
		      "a comment of many words");
	says_the_same("hosts a,b", "#hosts c\n \t#\n\nhosts a,b", "lines of comments");
	says_the_same("link a s[1] 4", "link a s[1] 4#5", "a comment after a number");
	says_the_same("note left out as asked: leaf9", "note \t left out as asked: leaf9 \t# x",
		      "a comment after a note");
	says_the_same("note left out as asked: leaf9", "note left out as asked: leaf9#x\ty",
		      "a comment after a note without a blank");
}

/* Where nothing is said that version 1 cannot say, it is version 1, digest and all. */
static void test_plain_second(void)
{
	char *text = replaced(small, "liquid-fabric 1", "liquid-fabric 2"), *written;
	char one[LIQUID_DIGEST_HEX], two[LIQUID_DIGEST_HEX];
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);

	written = fabric ? write_text(fabric) : strdup("");
	digest_of(small, one);
	digest_of(text, two);
	ok(!strncmp(written, "liquid-fabric 1\n", 16) && !strcmp(one, two),
	   "version 2 that says no more than version 1 is written as version 1 %s", err.text);
	free(text);
	free(written);
	liquid_fabric_free(fabric);
}

/* The links of hosts count as 1 there: to say so in version 2 would be something else. */
static void test_first_stays(void)
{
	char *text = replaced(small, "link a s1[1] 1", "link a s1[1] 3"), *written, *again;
	char one[LIQUID_DIGEST_HEX], two[LIQUID_DIGEST_HEX];
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric = read_fabric(text, &err);

	written = fabric ? write_text(fabric) : strdup("");
	ok(!strncmp(written, "liquid-fabric 1\n", 16) && strstr(written, "link a s1[1] 3\n"),
	   "version 1 stays version 1, whatever the links of hosts say %s", err.text);
	again = replaced(text, "liquid-fabric 1", "liquid-fabric 2");
	digest_of(text, one);
	digest_of(again, two);
	ok(strcmp(one, two), "in version 2 the same capacities are another fabric");
	ok(fabric && liquid_fabric_set_unit_rate(fabric, 1000, &err) == LIQUID_BAD_INPUT &&
	   !liquid_fabric_unit_rate(fabric), "a unit's rate is not put into version 1: %s",
	   err.text);
	free(text);
	free(written);
	free(again);
	liquid_fabric_free(fabric);
}

static void digest_differs(const char *from, const char *to, bool differs, const char *what)
{
	char *text = replaced(second, from, to);
	char one[LIQUID_DIGEST_HEX], two[LIQUID_DIGEST_HEX];

	digest_of(second, one);
	digest_of(text, two);
	ok(strlen(one) == 64 && strlen(two) == 64 && !strcmp(one, two) == !differs, "%s", what);
	free(text);
}

static void test_second_digest(void)
{
	static const char text[] = "liquid-fabric 2\nname x\nunit 25000000000\nhosts a,b\nswitches "
	"s\n"
		"link a s[1] 1\nlink s[2] b 2\nto b\nend\n";
	char hex[LIQUID_DIGEST_HEX];

	digest_of(text, hex);
	ok(!strcmp(hex, "a3bdd4097b3c5b0a6086b25d74afa1d7b42669751f4ddc554aa605ae9da84cec"),
	   "version 2: the digest is the documented one %s", hex);
	digest_differs("unit 25000000000", "unit 25000000001", true, "an edited rate is seen");
	digest_differs("unit 25000000000\n", "", true, "a rate that is taken away is seen");
	digest_differs("link a s[1] 4", "link a s[1] 3", true,
		       "an edited capacity of a host is seen");
	digest_differs("note faster", "note slower", false, "what is for people is not in it");
	digest_differs("import rail 2\n", "", false,
		       "how a fabric was imported is not in the digest");
	digest_differs("hosts a,b", "extra colour\ncolour a red or green or blue\nhosts a,b", false,
		       "extra statements are not in the digest");
}

static void test_second_refused(void)
{
	second_refused("unit", "needs orbits\nunit",
		       "f:3: the file needs 'orbits', which this version");
	second_refused("unit", "colour a\nunit", "f:3: expected 'hosts LIST'");
	second_refused("unit", "extra link,to,end\nunit", "f:3: 'link' is a standard statement");
	second_refused("unit", "extra colour,end\nunit", "f:3: 'end' is a standard statement");
	second_refused("unit", "extra import\nunit", "f:3: 'import' is a standard statement");
	second_refused("unit", "extra color\ncolour a\nunit", "f:4: expected 'hosts LIST'");
	second_refused("unit 2", "unit 0\nunit 2", "f:3: a unit's rate is a number");
	second_refused("unit 2", "unit 1\nunit 2", "f:4: a second 'unit' line");
	second_refused("unit 25000000000", "unit 1000000000000001",
		       "f:3: a unit's rate is a number");
	second_refused("unit 25000000000", "unit 99999999999999999999999",
		       "f:3: a unit's rate is a number");
	second_refused("unit 25000000000", "unit 25G", "f:3: a unit's rate is a number");
	second_refused("rail 2", "rail 0", "f:4: a rail is the name of an adapter or a number");
	second_refused("rail 2", "rail 2\nimport rail 3", "f:5: a second 'import rail' line");
	second_refused("rail 2", "trail 2", "f:4: expected 'import rail N'");
	second_refused("leaf9,n", "leaf9,[n", "f:5: host list");
	second_refused("note left", "note le\tft", "f:7: a note is 1");
	second_refused("note left", "note\nnote left", "f:7: expected 'hosts LIST'");
	second_refused("switches s", "unit 1\nswitches s", "f:10: a second 'unit' line");
	second_refused("switches s", "note late\nswitches s", "f:10: 'note' after the first host");
	second_refused("liquid-fabric 2", "liquid-fabric 1", "f:3: expected 'hosts LIST'");
	second_refused("liquid-fabric 2", "liquid-fabric 02", "unknown version '02'");
}

/* The second fabric with lines @before its links and @after them: read, or refused with @reason */
static void extra_read(const char *extra, const char *before, const char *after, const char *reason)
{
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;
	char *text, *more, *all, line[128];

	snprintf(line, sizeof(line), "extra %s\nunit", extra);
	text = replaced(second, "unit", line);
	snprintf(line, sizeof(line), "switches s\n%s", before);
	more = replaced(text, "switches s\n", line);
	snprintf(line, sizeof(line), "link b s[2] 1\n%s", after);
	all = replaced(more, "link b s[2] 1\n", line);
	fabric = read_fabric(all, &err);
	ok(!fabric == !!reason && (!reason || strstr(err.text, reason)), "%s: %s",
	   reason ? "refused" : "is read", err.text);
	liquid_fabric_free(fabric);
	free(text);
	free(more);
	free(all);
}

static void test_lanes(void)
{
	extra_read("lane", "lane 1 a,b\n", "", NULL);
	extra_read("lane", "lane 0 a\nlane 15 b\n", "", NULL);
	extra_read("lane", "lane 1 a\nlane 2 a\n", "", "f:13: a second lane for a");
	extra_read("lane", "lane 0 b\nlane 2 a,b\n", "", "f:13: a second lane for b");
	extra_read("lane", "lane 1 a,a\n", "", "f:12: a second lane for a");
	extra_read("lane", "", "lane 1 a\n", "f:16: 'lane' after the first link");
	extra_read("lane", "lane 16 a\n", "", "f:12: a lane is a number 0 ... 15");
	extra_read("lane", "lane 1 s\n", "", "f:12: no host 's'");
	extra_read("lane", "lane 1\n", "", "f:12: expected 'lane NUMBER LIST'");
	extra_read("lane", "lane 1 a b\n", "", "f:12: expected 'lane NUMBER LIST'");
}

static void test_endpoints(void)
{
	static const char *const wrong[][2] = {
		{ "a m/1 1 17", "f:12: expected 'endpoint HOST ADAPTER/PORT RAIL LIDS RATE'" },
		{ "a m/1 1 17 5 6", "f:12: expected 'endpoint HOST ADAPTER/PORT RAIL LIDS RATE'" },
		{ "s m/1 1 17 5", "f:12: no host 's'" },
		{ "a m 1 17 5", "f:12: expected ADAPTER/PORT" },
		{ "a m/0 1 17 5", "f:12: expected ADAPTER/PORT" },
		{ "a /1 1 17 5", "f:12: expected ADAPTER/PORT" },
		{ "a m/1 0 17 5", "f:12: a rail is a number 1 ... 65535" },
		{ "a m/1 1 0 5", "f:12: LIDs are as 17 or 16-19" },
		{ "a m/1 1 17-16 5", "f:12: LIDs are as 17 or 16-19" },
		{ "a m/1 1 17-49152 5", "f:12: LIDs are as 17 or 16-19" },
		{ "a m/1 1 17 0", "f:12: a rate is a number of bit/s" },
		{ "a m/1 1 17 5\nendpoint a m/1 1 17 5", "f:13: a second endpoint line of a" },
	};
	char line[80];

	extra_read("endpoint", "endpoint a m/1 1 17 5\n", "", NULL);
	extra_read("endpoint", "endpoint a m/x/1 - 16-19 5\nendpoint b - - - -\n", "", NULL);
	extra_read("endpoints", "endpoints a m 1 2 3 4 5 6 7 8\n", "", NULL);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(line, sizeof(line), "endpoint %s\n", wrong[i][0]);
		extra_read("endpoint", line, "", wrong[i][1]);
	}
}

int main(void)
{
	test_endpoints();
	test_second();
	test_blanks();
	test_plain_second();
	test_first_stays();
	test_second_digest();
	test_second_refused();
	test_lanes();
	test_read();
	round_trip("papers-5x5", NULL);
	round_trip("swiss-t1", NULL);
	round_trip("leaf-spine", "routes=hash");
	round_trip("leaf-spine", "capacity=3");
	round_trip("fat-tree", "k=8");
	round_trip("torus", "size=2x3x4");
	round_trip("dragonfly", NULL);
	round_trip("leaf-spine", "hosts=300");	/* tables of two bytes an entry */
	test_wide_tables();
	test_kept_far();
	test_flood();
	test_siphash();
	test_refused();
	test_cut_short();
	test_circle();
	test_long_way();
	test_long_line();
	test_no_route();
	test_digest();
	test_digest_value();
	test_digest_kept();
	test_digest_lines("h", "c2ea62d7f26c973e86c983838a8e7b82eb7b03dbde360cc0072764127842c9c2");
	test_digest_lines("a-host-with-a-long-name-",
			  "c48fe089f17f34a7a194475cccdc81e5a76b7b115b5b6876313b34e04371a862");
	return tap_exit();
}
