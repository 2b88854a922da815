// SPDX-License-Identifier: GPL-2.0-only
/* The pure parts of a trial: plan and place in the cycle, tarball, proofs, words, secrets. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "trial/trial.h"
#include "tap.h"

int complain(int code, const char *format, ...)
{
	(void)format;
	return code;
}

/* ---- plan ---- */

static bool sends_to_all(const uint32_t *slice, unsigned int self, unsigned int count)
{
	unsigned int seen = 1u << self;

	for (unsigned int i = 0; i < count - 1; i++)
		seen |= slice[i] < count ? 1u << slice[i] : 0;
	return seen == (1u << count) - 1;
}

static void plans(void)
{
	bool good = true;

	for (unsigned int count = 2; count <= TRIAL_NODES_MAX; count++) {
		struct liquid_error err = { "" };
		struct trial_plan plan;

		good = good && !trial_plan_make(&plan, count, 1000000000, &err) &&
		       plan.frames == count - 1;
		for (unsigned int node = 0; good && node < count; node++) {
			uint32_t *slice = trial_plan_slice(&plan, node);

			good = slice && sends_to_all(slice, node, count);
			free(slice);
		}
		trial_plan_clear(&plan);
	}
	ok(good, "2 to 8 nodes: one frame less, in which each node sends to each other one");
}

static void times(void)
{
	struct trial_times times = { .error_ns = 1000 };
	char why[TRIAL_WHY] = "";

	ok(trial_plan_times(&times, 10000000000, 1500, 3, 0, why) && times.guard_ns == 13231 &&
	   times.frame_ns == 500000 && times.cycle_ns == 1500000,
	   "a guard of 2 us for clocks, 10 us of lag, and a packet in a switch");
	times.error_ns = 100000;
	ok(trial_plan_times(&times, 10000000000, 1500, 3, 0, why) && times.guard_ns == 211231 &&
	   times.frame_ns == 20 * 211231, "frames are twenty times the guard");
	times.error_ns = 10000000;
	ok(!trial_plan_times(&times, 10000000000, 1500, 3, 0, why) && strstr(why, "100 ms"),
	   "clocks that are too bad");
	times.error_ns = 1000;
	ok(!trial_plan_times(&times, 10000000000, 1500, 3, 20000, why) &&
	   trial_plan_times(&times, 10000000000, 1500, 3, 30000, why) && times.frame_ns == 30000,
	   "a frame that is given must hold more than two guards");
}

static void place_is(const struct trial_cycle *cycle, int64_t time, int where, uint64_t offset)
{
	struct trial_place place = trial_plan_place(cycle, time);

	ok(place.inside == (where == 1) && place.in_guard == (where == 2) &&
	   place.offset_ns == offset, "the place of a packet at %lld", (long long)time);
}

static void places(void)
{
	static const uint32_t slice[] = { 1, 2, LIQUID_NONE, 1 };
	const struct trial_cycle cycle = {
		.slice = slice, .frames = 4, .dest = 2, .base_ns = 1000, .frame_ns = 100,
		.guard_ns = 10,
	};

	place_is(&cycle, 1100, 1, 0);
	place_is(&cycle, 1189, 1, 89);
	place_is(&cycle, 1190, 2, 90);
	place_is(&cycle, 1200, 0, 0);
	place_is(&cycle, 1305, 0, 105);
	place_is(&cycle, 1499, 0, 299);
	place_is(&cycle, 1500, 1, 0);
	place_is(&cycle, 1099, 0, 299);
	place_is(&cycle, 999, 0, 199);
	place_is(&cycle, 750, 1, 50);
}

/* ---- tarball ---- */

static bool has(const char *tar, size_t size, const char *name, const char *wanted)
{
	size_t length;
	const char *found = trial_tar_find(tar, size, name, &length);

	return found && length == strlen(wanted) && !memcmp(found, wanted, length);
}

static void tarballs(void)
{
	char *tar = NULL, whole[512];
	size_t size, length;
	FILE *out = open_memstream(&tar, &size);
	bool safe = true;

	memset(whole, 'x', sizeof(whole));
	ok(trial_tar_put(out, "d/one", "first", 5) && trial_tar_put(out, "d/none", "", 0) &&
	   trial_tar_put(out, "d/whole", whole, sizeof(whole)) &&
	   trial_tar_put(out, "d/last", "end", 3) && trial_tar_end(out), "a tarball is written");
	fclose(out);
	ok(has(tar, size, "d/one", "first") && has(tar, size, "d/none", "") &&
	   has(tar, size, "d/last", "end") && trial_tar_find(tar, size, "d/whole", &length) &&
	   length == sizeof(whole), "its files are found");
	ok(!trial_tar_find(tar, size, "d/on", &length), "no other is");
	for (size_t cut = 0; cut < size; cut++) {
		char *part = malloc(cut + 1);
		const char *found;

		memcpy(part, tar, cut);
		found = trial_tar_find(part, cut, "d/last", &length);
		safe = safe && (!found || (size_t)(found - part) + length <= cut);
		free(part);
	}
	ok(safe, "nor anything behind the end of one that was cut off");
	memset(tar + 124, '7', 11);	/* the size of the first file */
	ok(!trial_tar_find(tar, size, "d/one", &length) &&
	   !trial_tar_find(tar, size, "d/last", &length), "a size that is too large ends it");
	free(tar);
}

/* ---- proofs ---- */

static void proofs(void)
{
	char one[TRIAL_PROOF], other[TRIAL_PROOF], nonce[TRIAL_HEX], again[TRIAL_HEX];

	trial_proof("key", "node1", "a", "b", one);
	trial_proof("key", "node1", "a", "b", other);
	ok(trial_same(one, other) && strlen(one) == TRIAL_PROOF - 1, "a proof is repeated");
	trial_proof("kez", "node1", "a", "b", other);
	ok(!trial_same(one, other), "another key has another proof");
	trial_proof("key", "node1", "ab", "", other);
	ok(!trial_same(one, other), "and so have nonces that are parted elsewhere");
	ok(!trial_same("", "a") && trial_same("", ""), "texts of different lengths differ");
	ok(trial_nonce(nonce) && trial_nonce(again) && strcmp(nonce, again), "nonces differ");
}

/* ---- what may leave ---- */

static bool word_is(const char *text, const char *wanted)
{
	json_t *word = trial_word(text);
	const char *got = json_string_value(word);
	bool same = wanted ? got && !strcmp(got, wanted) : !got;

	json_decref(word);
	return same;
}

static void words(void)
{
	ok(word_is("mlx5_core", "mlx5_core") && word_is("powersave\n", "powersave"),
	   "words of a driver");
	ok(word_is("6.1.0 (root@builder)", "6.1.0") && word_is("/home/who", NULL) &&
	   word_is("", NULL), "are cut off at the first unusual character");
}

static void secrets(void)
{
	struct trial_secrets list = { 0 };
	json_t *json = json_pack("{s:s, s:{s:[s, i, s]}, s:s}", "kernel", "6.1-PlantedHost1",
				 "deep", "list", "at 10.1.2.3 it", 7, "harmless", "short", "ab");
	char *text;

	ok(trial_secrets_add(&list, "plantedhost1") && trial_secrets_add(&list, "10.1.2.3") &&
	   trial_secrets_add(&list, "ab") && list.count == 2, "secrets of two letters are none");
	trial_secrets_remove(&list, json);
	text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	ok(!strcmp(text, "{\"deep\":{\"list\":[\"removed\",7,\"harmless\"]},"
		   "\"kernel\":\"removed\",\"short\":\"ab\"}"), "texts with a secret are replaced");
	free(text);
	ok(trial_secrets_read(&list) && list.count > 3, "those of this machine are known");
	trial_secrets_clear(&list);
	json_decref(json);
}

int main(void)
{
	plans();
	times();
	places();
	tarballs();
	proofs();
	words();
	secrets();
	return tap_exit();
}
