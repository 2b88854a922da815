// SPDX-License-Identifier: GPL-2.0-only
/* Unit test: hostlists are expanded as Slurm does, and compressed to what expands to the same. */
#include <stdlib.h>
#include <string.h>

#include "base/hostlist.h"
#include "tap.h"

/* The names with a blank after each. */
static char *joined(const struct liquid_names *names)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < names->count; i++)
		fprintf(out, "%s ", names->name[i]);
	fclose(out);
	return text;
}

static void expands(const char *list, const char *expected)
{
	struct liquid_names names;
	struct liquid_error err = { "" };
	int status = liquid_hostlist_expand(list, &names, &err);
	char *text = joined(&names);

	if (!ok(!status && !strcmp(text, expected), "%.60s", list))
		printf("# %d %s: %s\n", status, err.text, text);
	free(text);
	liquid_names_clear(&names);
}

static void refused(const char *list, const char *reason)
{
	struct liquid_names names;
	struct liquid_error err = { "" };
	int status = liquid_hostlist_expand(list, &names, &err);

	ok(status == LIQUID_BAD_INPUT && !names.count && !names.name && strstr(err.text, reason),
	   "refused: '%.40s': %s", list, err.text);
	liquid_names_clear(&names);
}

static char *compressed(const struct liquid_names *names, const char *lead)
{
	struct hostlist_writer writer;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	hostlist_begin(&writer, out, lead);
	for (size_t i = 0; i < names->count; i++)
		hostlist_put(&writer, names->name[i]);
	hostlist_end(&writer);
	fclose(out);
	return text;
}

static void compresses(const char *list, const char *expected)
{
	struct liquid_names names;
	char *text;

	liquid_hostlist_expand(list, &names, NULL);
	text = compressed(&names, "");
	if (!ok(!strcmp(text, expected), "%s compressed", list))
		printf("# %s\n", text);
	free(text);
	liquid_names_clear(&names);
}

/* Every line by itself is a list; together they give the same names. */
static void survives(const char *list, const char *what)
{
	struct liquid_names names, again;
	char *text, *all, *line, *save = NULL, *first;
	size_t at = 0, longest = 0;
	bool same = true;

	liquid_hostlist_expand(list, &names, NULL);
	text = compressed(&names, "  to ");
	all = joined(&names);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strlen(line) > longest)
			longest = strlen(line);
		same = same && !strncmp(line, "  to ", 5) &&
		       !liquid_hostlist_expand(line + 5, &again, NULL);
		if (!same)
			break;
		first = joined(&again);
		same = same && !strncmp(all + at, first, strlen(first));
		at += strlen(first);
		free(first);
		liquid_names_clear(&again);
	}
	ok(same && !all[at] && longest < LIQUID_NAME_MAX + 120, "%s: compressed and expanded again",
	   what);
	free(text);
	free(all);
	liquid_names_clear(&names);
}

/* Every third of many names, so that no two make a range. */
static void test_long_list(void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < 3000; i += 3)
		fprintf(out, "%snode%04d", i ? "," : "", i);
	fclose(out);
	survives(text, "a thousand names without ranges");
	free(text);
}

static void test_long_name(void)
{
	char name[LIQUID_NAME_MAX + 16];

	memset(name, 'x', sizeof(name));
	name[LIQUID_NAME_MAX + 1] = '\0';
	refused(name, "name too long");
	memcpy(name + LIQUID_NAME_MAX - 1, "[9-10]", 7);
	refused(name, "name too long");
	memcpy(name + LIQUID_NAME_MAX - 2, "[100]", 6);
	refused(name, "name too long");
	memcpy(name + LIQUID_NAME_MAX - 2, "[10]", 5);
	survives(name, "the longest name");
}

int main(void)
{
	expands("node1", "node1 ");
	expands("b,a,b", "b a b ");
	expands("node[1-3]", "node1 node2 node3 ");
	expands("node[001-003,040]", "node001 node002 node003 node040 ");
	expands("node[9-11]", "node9 node10 node11 ");
	expands("node[08-11]", "node08 node09 node10 node11 ");
	expands("gpu7/HCA-1/1", "gpu7/HCA-1/1 ");
	expands("n[1-2]/HCA-1/[1-2],x", "n1/HCA-1/1 n1/HCA-1/2 n2/HCA-1/1 n2/HCA-1/2 x ");
	expands("r[1-2]n[3]", "r1n3 r2n3 ");
	refused("", "expected a host name");
	refused("a,,b", "character 3: expected a host name");
	refused("a,", "expected a host name");
	refused("n[1-3", "not closed");
	refused("n]1", "invalid character");
	refused("n[]", "expected a number");
	refused("n[1-]", "expected a number");
	refused("n[-1]", "expected a number");
	refused("n[1,]", "expected a number");
	refused("n[1x]", "expected ',' or ']'");
	refused("n[[1]]", "expected a number");
	refused("n[3-1]", "backwards");
	refused("a b", "invalid character");
	refused("n[0-99999999]", "range too long");
	refused("n[0-9999999999999999999999]", "number too long");
	refused("n[0-1023][0-63]x,y", "more than");
	compresses("node[1-3],node5", "node[1-3,5]\n");
	compresses("node5", "node5\n");
	compresses("n[098-102]", "n[098-102]\n");
	compresses("n9,n10,n11", "n[9-11]\n");
	compresses("n9,n010", "n[9,010]\n");
	compresses("a,b,a1,b2,b3", "a,b,a1,b[2-3]\n");
	compresses("n1/1,n1/2,n2/1", "n1/[1-2],n2/1\n");
	survives("node[1-5000]", "node[1-5000]");
	survives("a[00-20]b,a[1-20]b[7-9],c,c1,c01,c001,c3", "mixed names");
	survives("x123456789012345678901234567890,x[123456789012345678]", "long numbers");
	test_long_list();
	test_long_name();
	return tap_exit();
}
