// SPDX-License-Identifier: GPL-2.0-only
/* Compact schedules: the transfers of each are a valid schedule, and forged ones are refused. */
#include <stdlib.h>
#include <string.h>

#include "compact/find.h"
#include "fabric/fabric.h"
#include "fixtures.h"
#include "schedule/orbits.h"
#include "tap.h"
#include "verify/shifts.h"

static struct liquid_error err;

static int solve_orbits(const struct liquid_fabric *fabric, const uint32_t *hosts, uint32_t count,
			const struct liquid_solve_options *given,
			struct liquid_schedule **compact, struct liquid_error *why)
{
	struct liquid_solve_options options = { 0 };
	struct liquid_traffic *traffic;
	int status;

	if (given)
		options = *given;
	options.method = "compact";
	must(liquid_traffic_alltoall(hosts, count, &traffic, why), why);
	status = liquid_solve(fabric, traffic, &options, compact, why);
	liquid_traffic_free(traffic);
	return status;
}

static struct liquid_schedule *solve_compact(const struct liquid_fabric *fabric,
					    const uint32_t *hosts, uint32_t count)
{
	struct liquid_schedule *compact;

	must(solve_orbits(fabric, hosts, count, NULL, &compact, &err), &err);
	return compact;
}

static bool is_out(const struct liquid_schedule *compact, uint32_t place)
{
	const struct liquid_shape *shape = liquid_schedule_shape(compact);

	return shape->out && shape->out[place];
}

/* ---- the expansion of a compact schedule ---- */

/* Does the slice of each place say what the list of all transfers does? */
static bool slices_agree(const struct liquid_fabric *fabric, const struct liquid_schedule *compact,
			 const struct liquid_schedule *schedule)
{
	uint32_t places = liquid_schedule_shape(compact)->places;
	uint32_t length = info_of(schedule)->length;
	uint32_t *one = calloc((size_t)length + 1, sizeof(*one));
	uint32_t *other = calloc((size_t)length + 1, sizeof(*other));
	bool same = length == liquid_schedule_info(compact)->length;

	for (uint32_t p = 0; same && p < places; p++) {
		const char *name = liquid_schedule_host_name(compact, p);

		if (is_out(compact, p)) {
			same = liquid_schedule_find_host(compact, name) == LIQUID_NONE &&
			       liquid_schedule_slice(compact, p, 1, one, &err) ==
			       LIQUID_BAD_INPUT;
			continue;
		}
		must(liquid_schedule_slice(compact, p, 1, one, &err), &err);
		must(liquid_schedule_slice(schedule, liquid_fabric_find_host(fabric, name), 1,
					   other, &err), &err);
		for (uint32_t f = 0; same && f < length; f++) {
			name = liquid_schedule_host_name(compact, one[f]);
			same = other[f] == (name ? liquid_fabric_find_host(fabric, name) :
						   LIQUID_NONE);
		}
	}
	free(one);
	free(other);
	return same;
}

static bool same_frames(const struct liquid_schedule *a, const struct liquid_schedule *b)
{
	const struct liquid_transfer *one, *other;
	size_t count, same;

	for (uint32_t f = 0; f < info_of(a)->length; f++) {
		one = liquid_schedule_frame(a, f, &count);
		other = liquid_schedule_frame(b, f, &same);
		if (count != same || memcmp(one, other, count * sizeof(*one)))
			return false;
	}
	return info_of(a)->length == info_of(b)->length;
}

/* What was listed before it got the fabric's numbers is the same by the names of hosts. */
static void lists_by_name(const struct liquid_fabric *of, struct liquid_schedule *compact,
			  const struct liquid_schedule *schedule)
{
	must(liquid_schedule_list(compact, NULL, &err), &err);
	must(liquid_schedule_renumber(compact, of, &err), &err);
	ok(same_frames(compact, schedule), "the list with other numbers is the same");
	ok(!liquid_verify(of, NULL, compact, NULL, NULL, &err), "and so is the proof");
}

/* The first and the last place, and some between: each sends as its slice says, others nothing. */
static void samples(const struct liquid_schedule *compact)
{
	const struct liquid_shape *shape = liquid_schedule_shape(compact);
	uint32_t places = shape->places;
	uint32_t some[] = { places - 1, 0, places / 2 }, twice[] = { 1, 0, 1 };
	uint32_t length = liquid_schedule_info(compact)->length, sent = 0;
	uint32_t *one = calloc((size_t)length + 1, sizeof(*one));
	uint32_t *other = calloc((size_t)length + 1, sizeof(*other));
	struct liquid_schedule *sample;
	bool same = true;
	size_t count;

	for (int i = 0; i < 3; i++)
		while (is_out(compact, some[i]))
			some[i]--;
	must(liquid_schedule_sample(compact, some, 3, &sample, &err), &err);
	for (int i = 0; i < 3; i++) {
		must(liquid_schedule_slice(compact, some[i], 1, one, &err), &err);
		must(liquid_schedule_slice(sample, some[i], 1, other, &err), &err);
		same &= !memcmp(one, other, length * sizeof(*one));
	}
	for (uint32_t f = 0; f < length; f++) {
		liquid_schedule_frame(sample, f, &count);
		sent += (uint32_t)count;
	}
	ok(same && sent == 3 * (places - shape->left_out - 1),
	   "a sample is what its hosts send, and no more");
	liquid_schedule_free(sample);
	ok(liquid_schedule_sample(compact, twice, 3, &sample, &err) == LIQUID_BAD_INPUT &&
	   !sample && strstr(err.text, "twice"), "no host is there twice");
	free(one);
	free(other);
}

static void longest_path(const struct liquid_fabric *fabric, const struct liquid_schedule *compact,
			 const struct liquid_schedule *schedule)
{
	uint32_t path[LIQUID_PATH_MAX], most = 0, hops;
	const struct liquid_transfer *transfer;
	size_t count;

	for (uint32_t f = 0; f < info_of(schedule)->length; f++) {
		transfer = liquid_schedule_frame(schedule, f, &count);
		for (size_t i = 0; i < count; i++) {
			int links = liquid_fabric_route(fabric, transfer[i].src, transfer[i].dst,
							path, &err);

			most = links > (int)most ? (uint32_t)links : most;
		}
	}
	must(liquid_schedule_hops(compact, fabric, &hops, &err), &err);
	ok(liquid_schedule_shape(compact)->left_out ? hops >= most : hops == most,
	   "the longest path has %u links", hops);
}

/* The same bytes after writing, reading and writing again */
static struct liquid_schedule *through_file(struct liquid_schedule *compact)
{
	char *text, *again;
	size_t size, size_again;
	FILE *file = open_memstream(&text, &size);

	must(liquid_schedule_write_json(compact, NULL, file, &err), &err);
	fclose(file);
	liquid_schedule_free(compact);
	file = file_of(text, size);
	must(liquid_schedule_read_json(file, "file", NULL, &compact, &err), &err);
	fclose(file);
	file = open_memstream(&again, &size_again);
	must(liquid_schedule_write_json(compact, NULL, file, &err), &err);
	fclose(file);
	ok(liquid_schedule_shape(compact) && size == size_again && !memcmp(text, again, size),
	   "reading and writing keeps the file");
	free(text);
	free(again);
	return compact;
}

/* What first fit leaves is so little here that it finds its place whatever the work is. */
static void places_few(const char *leaves, const char *hosts_of, const char *spines)
{
	const char *params[] = { leaves, hosts_of, spines, "routes=hash" };
	struct liquid_solve_options options = { .work = 1 };
	struct liquid_fabric *fabric = make_fabric("leaf-spine", params, 4);
	struct liquid_schedule *compact;
	const struct liquid_schedule_info *info;

	must(solve_orbits(fabric, NULL, liquid_fabric_host_count(fabric), &options,
				  &compact, &err), &err);
	info = liquid_schedule_info(compact);
	ok(info->length == info->duration, "%s %s %s, a few left: %u frames for %u", leaves,
	   hosts_of, spines, info->length, info->duration);
	liquid_schedule_free(compact);
	liquid_fabric_free(fabric);
}

/* @part of @of hosts exchange; at most @most per mille above the duration. */
static void expands(const char *name, const char *param, uint32_t part, uint32_t of, uint32_t most)
{
	const char *params[4] = { NULL };
	size_t count = 0;
	char *copy = strdup(param), *rest;

	for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		params[count++] = word;
	struct liquid_fabric *fabric = make_fabric(name, params, count);
	uint32_t *hosts = calloc(liquid_fabric_host_count(fabric), sizeof(*hosts)), hosts_count = 0;
	const struct liquid_schedule_info *info;
	struct liquid_schedule *schedule;
	struct liquid_schedule *compact;
	struct liquid_traffic *traffic;

	for (uint32_t h = 0; h < liquid_fabric_host_count(fabric); h++)
		if (h * 7 % of < part)
			hosts[hosts_count++] = h;
	compact = through_file(solve_compact(fabric, hosts, hosts_count));
	info = liquid_schedule_info(compact);
	printf("# %s %s: %u hosts of %u, %u x %u units, %u frames, duration %u\n", name, param,
	       hosts_count, liquid_schedule_shape(compact)->places,
	       liquid_schedule_shape(compact)->classes,
	       liquid_schedule_shape(compact)->blocks, info->length, info->duration);
	ok(!liquid_verify(fabric, NULL, compact, NULL, NULL, &err),
	   "%s %s, %u of %u: the proof holds", name, param, part, of);
	schedule = listed_copy(fabric, compact);
	must(liquid_traffic_alltoall(hosts, hosts_count, &traffic, &err), &err);
	ok(verifies(fabric, traffic, schedule), "all transfers of it verify");
	ok(slices_agree(fabric, compact, schedule), "slices are those of all transfers");
	samples(compact);
	longest_path(fabric, compact, schedule);
	lists_by_name(fabric, compact, schedule);
	ok((uint64_t)info->length * 1000 <= (uint64_t)info->duration * (1000 + most),
	   "at most %u per mille above the duration", most);
	liquid_traffic_free(traffic);
	liquid_schedule_free(schedule);
	liquid_schedule_free(compact);
	free(hosts);
	free(copy);
	liquid_fabric_free(fabric);
}

/* @threads threads: the file, byte by byte */
static char *file_by(const struct liquid_fabric *of, uint64_t threads)
{
	struct liquid_solve_options options = { .threads = threads };
	struct liquid_schedule *compact;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	must(solve_orbits(of, NULL, liquid_fabric_host_count(of), &options, &compact,
				  &err), &err);
	must(liquid_schedule_write_json(compact, NULL, out, &err), &err);
	fclose(out);
	liquid_schedule_free(compact);
	return text;
}

static void is_same_by_threads(const char *name, const char *const *params, size_t count)
{
	static const uint64_t threads[] = { 1, 2, 3, 64 };
	struct liquid_fabric *one = make_fabric(name, params, count);
	char *text = file_by(one, 0);
	bool same = true;

	for (size_t i = 0; i < sizeof(threads) / sizeof(*threads); i++) {
		/* anew, so that the digest is not known */
		struct liquid_fabric *other = make_fabric(name, params, count);
		char *again = file_by(other, threads[i]);

		same &= !strcmp(text, again);
		free(again);
		liquid_fabric_free(other);
	}
	ok(same, "%s: the same by 1, 2, 3 and 64 threads", name);
	free(text);
	liquid_fabric_free(one);
}

/* Several choices get a trial each in the dragonfly, and in the torus one is tiled. */
static void threads_agree(void)
{
	static const char *const dragonfly[] = { "a=6", "p=3", "h=3", "groups=8" };
	static const char *const torus[] = { "size=5x7" };
	struct liquid_solve_options options = { .threads = 65 };
	struct liquid_fabric *tree = make_fabric("fat-tree", NULL, 0);
	struct liquid_schedule *compact;

	is_same_by_threads("dragonfly", dragonfly, 4);
	is_same_by_threads("torus", torus, 1);
	ok(solve_orbits(tree, NULL, liquid_fabric_host_count(tree), &options, &compact,
				&err) == LIQUID_BAD_INPUT && !compact && strstr(err.text, "65"),
	   "more than 64 are refused: %s", err.text);
	liquid_fabric_free(tree);
}

/* What would take more than half of the work is not begun where a schedule is needed soon. */
static void soon(void)
{
	static const char *const params[] = { "size=4x4" };
	struct liquid_solve_options options = { .work = 5000 };
	struct budget little, enough;
	struct liquid_fabric *torus = make_fabric("torus", params, 1);
	uint32_t hosts[16], count = 0;
	struct liquid_schedule *schedule;

	for (; count < sizeof(hosts) / sizeof(hosts[0]); count++)
		hosts[count] = count;
	budget_start(&little, &options);
	options.work = 10000;
	budget_start(&enough, &options);
	ok(compact_solve(torus, hosts, count, &options, &little, &schedule, &err) == LIQUID_LIMIT &&
	   !schedule, "soon, and little work: %s", err.text);
	ok(!compact_solve(torus, hosts, count, &options, &enough, &schedule, &err) && schedule,
	   "soon, and twice as much");
	liquid_schedule_free(schedule);
	ok(!compact_solve(torus, hosts, count, &options, NULL, &schedule, &err) && schedule,
	   "or not so soon");
	liquid_schedule_free(schedule);
	liquid_fabric_free(torus);
}

/* ---- forged schedules ---- */

static struct liquid_fabric *fabric;
static struct liquid_schedule *forged;

/* The last @without hosts do not exchange. */
static void begin_without(const char *name, const char *param, uint32_t without)
{
	/* with more work, hosts that are left out may have no place at all */
	struct liquid_solve_options options = { .work = without ? 100000 : 0 };

	fabric = make_fabric(name, &param, 1);
	must(solve_orbits(fabric, NULL, liquid_fabric_host_count(fabric) - without, &options,
			  &forged, &err), &err);
	ok(!liquid_verify(fabric, NULL, forged, NULL, NULL, &err), "%s %s: untouched it is valid",
	   name, param);
}

static void begin(const char *name, const char *param)
{
	begin_without(name, param, 0);
}

static void end(void)
{
	/* all was put back */
	must(liquid_verify(fabric, NULL, forged, NULL, NULL, &err), &err);
	liquid_schedule_free(forged);
	liquid_fabric_free(fabric);
}

/* All findings, one after another */
static char findings[65536];

static void collect(void *context, const char *text)
{
	size_t *used = context;

	*used += snprintf(findings + *used, sizeof(findings) - *used, "%s\n", text);
}

static int find_all(void)
{
	size_t used = 0;

	findings[0] = '\0';
	return liquid_verify(fabric, NULL, forged, collect, &used, &err);
}

static void refuses(const char *text, const char *what)
{
	static char alone[sizeof(findings)];
	int status = find_all();

	memcpy(alone, findings, sizeof(alone));
	fabric->threads = 3;
	if (!ok(status == LIQUID_INVALID && strstr(findings, text) && find_all() == status &&
		!strcmp(findings, alone) && !strncmp(findings, err.text, strlen(err.text)),
		"refused, also by threads: %s", what))
		printf("# %d %s\n", status, findings);
	fabric->threads = 1;
}

static void forged_units(void)
{
	uint32_t kept, *frame;

	begin("fat-tree", "k=4");
	frame = forged->orbits->frame;
	kept = frame[1];
	frame[1] = frame[0];
	refuses("sends 2 transfers at once", "two units at once from one block");
	frame[1] = forged->orbits->shape.frames;
	refuses("frame 16 is not below 16", "a frame that is none");
	frame[1] = kept;
	end();
}

static void forged_shape(void)
{
	struct liquid_shape *shape;
	struct liquid_shift kept;
	struct liquid_kind kind;
	uint32_t first;

	static const char *const balanced[] = { "size=4x4", "ties=balanced" };
	struct liquid_fabric *other = make_fabric("torus", balanced, 2), *own;

	begin("torus", "size=4x4");
	own = fabric;
	fabric = other;
	refuses("made for another fabric", "another fabric's routes");
	must(liquid_fabric_digest(other, forged->fabric_digest, &err), &err);
	refuses("that the tables do not keep", "the same with its digest");
	fabric = own;
	must(liquid_fabric_digest(own, forged->fabric_digest, &err), &err);
	liquid_fabric_free(other);
	shape = &forged->orbits->shape;
	kept = shape->shift[0];
	shape->shift[0].stride = 3;
	refuses("shift 0", "a shift whose digits are none");
	shape->shift[0] = kept;
	shape->shift[1].stride = 2;
	refuses("begin where another ends", "shifts that overlap");
	shape->shift[1].stride = 4;
	shape->kind[0].phases *= 3;
	shape->kind[0].frames /= 3;
	refuses("", "phases that do not close");
	shape->kind[0] = (struct liquid_kind){ forged->orbits->shape.kind[0].phases / 3,
		shape->frames / (forged->orbits->shape.kind[0].phases / 3), { 1, 1 } };
	memset(shape->kind[0].weight, 0, sizeof(shape->kind[0].weight));
	if (shape->kind[0].phases > 1)
		refuses("no shift leads to phase", "phases that no shift leads to");
	liquid_schedule_free(forged);
	liquid_fabric_free(fabric);

	/* a last kind of one phase decides whether the last frame may be left out */
	begin("torus", "size=4x4");
	shape = &forged->orbits->shape;
	shape->kind[shape->kinds++] = (struct liquid_kind){ .phases = 1 };
	refuses("has 0 base frames", "a kind without frames");
	forged->info.length--;
	refuses("has 0 base frames", "the same, one frame shorter");
	forged->info.length++;
	shape->kinds--;
	kind = shape->kind[0];
	shape->kind[0].phases = UINT32_MAX;
	refuses("base frames of 4294967295 phases", "more phases than places");
	shape->kind[0] = kind;
	shape->turns = UINT32_MAX;
	refuses("invalid shape", "more turns than places");
	shape->turns = forged->orbits->first[1];
	end();

	begin("leaf-spine", "routes=hash");
	shape = &forged->orbits->shape;
	first = forged->orbits->first[1];
	forged->orbits->first[1]--;
	refuses("", "a block with a host of another switch");
	forged->orbits->first[1] = 0;
	refuses("block 0 has 0 places", "a block without hosts");
	forged->orbits->first[1] = first;
	forged->orbits->shape.shifts = 1;
	forged->orbits->shape.shift[0] = (struct liquid_shift){ 4, 4 };
	forged->orbits->shape.classes = 4;
	refuses("do not keep", "a shift of leaves whose routes are hashed");
	forged->orbits->shape.shifts = 0;
	forged->orbits->shape.classes = 16;
	end();
}

static void forged_names(void)
{
	char *kept;

	begin("fat-tree", "k=4");
	forged = through_file(forged);	/* by names, not by the fabric's numbers */
	kept = forged->orbits->names[3];
	forged->orbits->names[3] = forged->orbits->names[4];
	refuses("in two places", "a host in two places");
	forged->orbits->names[3] = (char *)"nobody";
	must(orbits_traffic_digest(forged->orbits, forged->traffic_digest, &err), &err);
	refuses("no host 'nobody'", "a host that does not exist");
	forged->orbits->names[3] = forged->orbits->names[14];
	forged->orbits->names[14] = kept;
	must(orbits_traffic_digest(forged->orbits, forged->traffic_digest, &err), &err);
	refuses("", "hosts that changed places");
	forged->orbits->names[14] = forged->orbits->names[3];
	forged->orbits->names[3] = kept;
	must(orbits_traffic_digest(forged->orbits, forged->traffic_digest, &err), &err);
	forged->fabric_digest[5] ^= 1;
	refuses("made for another fabric", "another fabric");
	forged->fabric_digest[5] ^= 1;
	end();
}

/* The same where hosts have the fabric's numbers */
static void forged_hosts(void)
{
	uint32_t *host, kept;

	begin("fat-tree", "k=4");
	host = forged->orbits->host;
	kept = host[3];
	host[3] = host[4];
	refuses("in two places", "a host in two places");
	host[3] = 16;
	refuses("place 3 has no host", "a host that does not exist");
	host[3] = LIQUID_NONE;
	refuses("place 3 has no host", "no host");
	host[3] = host[14];
	host[14] = kept;
	refuses("", "hosts that changed places");
	host[14] = host[3];
	host[3] = kept;
	end();
}


/* Who is left out is told by the traffic's digest; with that forged too, by the figures. */
static void leaves_out(uint32_t place, bool out, const char *what)
{
	char kept[LIQUID_DIGEST_HEX];
	struct liquid_shape *shape = &forged->orbits->shape;

	memcpy(kept, forged->traffic_digest, sizeof(kept));
	forged->orbits->out[place] = out;
	refuses("take part", what);
	shape->left_out += out ? 1 : -1u;
	refuses("\"traffic_digest\" is", what);
	must(orbits_traffic_digest(forged->orbits, forged->traffic_digest, &err), &err);
	refuses("\"transfers\" is", what);
	forged->info.transfers = orbits_transfers(forged->orbits);
	refuses("", what);		/* loads of links are others */
	shape->left_out -= out ? 1 : -1u;
	forged->orbits->out[place] = !out;
	forged->info.transfers = orbits_transfers(forged->orbits);
	memcpy(forged->traffic_digest, kept, sizeof(kept));
}

static void forged_parts(void)
{
	struct liquid_shape *shape;
	bool all[16] = { false };

	begin_without("torus", "size=4x4", 1);
	shape = &forged->orbits->shape;
	leaves_out(2, true, "another host that is left out");
	leaves_out(liquid_schedule_shape(forged)->places - 1, false, "no host left out");
	shape->out = NULL;
	refuses("take part", "hosts left out that are not said");
	shape->out = forged->orbits->out;
	shape->left_out = 0;
	refuses("take part", "no host left out, but said");
	shape->left_out = 1;
	for (int i = 1; i < 16; i++)
		all[i] = true;
	ok(orbits_leave_out(forged->orbits, all, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "15 of 16 hosts"), "one host is not an exchange");
	shape->out = all;
	shape->left_out = 15;
	refuses("1 of 16 hosts take part", "nor for the proof");
	shape->out = forged->orbits->out;
	shape->left_out = 1;
	forged->info.duration++;
	refuses("\"duration\" is 15, but the loads make it 14",
		"a duration that is that of more hosts");
	forged->info.duration--;
	end();
}

static void forged_figures(void)
{
	struct liquid_schedule_info *info;

	begin("fat-tree", "k=4");
	info = &forged->info;
	info->duration++;
	refuses("\"duration\" is 16, but the loads make it 15",
		"a duration that is not the exchange's");
	info->duration--;
	info->transfers--;
	refuses("\"transfers\" is 239, but there are 240", "a transfer that is missing");
	info->transfers++;
	info->fluid_bound += 1e-7;
	refuses("\"fluid_bound\" is", "a fluid bound that is not");
	info->fluid_bound = 15;
	info->lower_bound++;
	refuses("above the duration 15 and has no witness", "a lower bound without a witness");
	info->lower_bound--;
	info->witness_json = "{\"kind\":\"search\",\"frames\":14}";
	refuses("a compact schedule has no witness", "a witness, which needs all transfers");
	info->witness_json = NULL;
	info->certificate = LIQUID_CERT_GAP;
	refuses("certificate 'gap', but", "a certificate that is not true");
	info->certificate = LIQUID_CERT_LIQUID;
	info->length--;
	refuses("the length is 14", "a frame that is left out with its transfers");
	info->length++;
	forged->fabric_digest[0] ^= 1;
	info->duration++;
	refuses("another fabric", "another fabric, and with it");
	ok(strstr(findings, "\"duration\" is 16"), "another duration: both are reported");
	info->duration--;
	forged->fabric_digest[0] ^= 1;
	end();
	begin("leaf-spine", "spines=2");
	info = &forged->info;
	if (info->length == forged->orbits->shape.frames) {
		info->length--;
		refuses("left out", "a last frame that is left out with its transfers");
		info->length++;
	}
	end();
}

/* ---- what shifts leave ---- */

/* All on one switch: a host's links are 2 h and 2 h + 1. */
static struct liquid_fabric *make_star(uint32_t hosts)
{
	struct liquid_fabric *star = begin_fabric("star", hosts, 1);

	for (uint32_t h = 0; h < hosts; h++) {
		add_cable(star, h, hosts, 1);
		add_cable(star, hosts, h, 1);
		must(liquid_fabric_set_forward(star, 0, h, 2 * h + 1, &err), &err);
	}
	must(liquid_fabric_finish(star, &err), &err);
	return star;
}

/* The classes of @kind, and the processor's time for them */
static double time_classes(const struct liquid_fabric *star, const struct liquid_shape *shape,
			    const struct liquid_kind *kind, const struct renaming *renaming,
			    struct classes *classes)
{
	double begin = cpu_seconds();

	must(classes_new(star, shape, kind, renaming, classes, &err), &err);
	return cpu_seconds() - begin;
}

/* Where a shift of half of all places is made step by step, this takes seconds. */
static void far_shifts(void)
{
	enum { HOSTS = 32768, HALF = HOSTS / 2 };
	struct liquid_fabric *star = make_star(HOSTS);
	static uint32_t hosts[HOSTS];
	uint32_t paired = 0;
	struct liquid_shape shape = { .places = HOSTS, .shifts = 1, .shift = { { 1, HOSTS } } };
	struct liquid_kind kind = { .phases = HALF, .frames = 1, .weight = { 1 } };
	struct renaming renaming = { 0 };
	struct classes all = { 0 }, half = { 0 };
	double by_one, by_half;

	for (uint32_t h = 0; h < HOSTS; h++)
		hosts[h] = h;
	must(shifts_check(star, &shape, 0, hosts, &renaming, &err), &err);
	by_one = time_classes(star, &shape, NULL, &renaming, &all);
	by_half = time_classes(star, &shape, &kind, &renaming, &half);
	for (uint32_t p = 0; p < HOSTS; p++) {
		uint32_t link = 2 * p, far = 2 * ((p + HALF) % HOSTS);

		paired += half.of[link] == half.of[far] && half.of[link + 1] == half.of[far + 1] &&
			  half.size[half.of[link]] == 2 && half.size[half.of[link + 1]] == 2;
	}
	ok(paired == HOSTS, "a shift of %u of %u places leaves pairs", HALF, HOSTS);
	ok(by_half < 4 * by_one + 0.5, "within %.3f s, %.3f s for one by one", by_half, by_one);
	classes_free(&all);
	classes_free(&half);
	renaming_free(&renaming);
	liquid_fabric_free(star);
}

/* @member in the file of a compact schedule is refused, and the error says @text. */
static void refused_member(const char *file, const char *member, const char *text)
{
	char *copy = replaced(file, "\"needs\":", member);
	FILE *in = file_of(copy, strlen(copy));
	struct liquid_schedule *schedule;
	int status = liquid_schedule_read_json(in, "file", NULL, &schedule, &err);

	ok(status == LIQUID_BAD_INPUT && !schedule && strstr(err.text, text), "refused: %s", text);
	fclose(in);
	free(copy);
}

/* What only a list of all transfers has: no proof of a compact schedule looks at it. */
static void refused_members(void)
{
	static const char *const params[] = { "k=4" };
	struct liquid_fabric *tree = make_fabric("fat-tree", params, 1);
	char *file = file_by(tree, 0);

	refused_member(file, "\"frames\":[],\"needs\":", "a compact schedule has no \"frames\"");
	refused_member(file, "\"wavelengths\":{\"count\":1000,\"timeslots\":1,\"lower_bound\":77,"
		       "\"frames\":[]},\"needs\":", "a compact schedule has no \"wavelengths\"");
	free(file);
	liquid_fabric_free(tree);
}

/* The orbits of hosts h1 ... @some for an all-to-all of @hosts, or @listed: for its pairs */
static int for_another(struct liquid_fabric *tree, const uint32_t *hosts, uint32_t some,
		       uint32_t count, bool listed)
{
	struct liquid_schedule *compact = solve_compact(tree, NULL, some);
	struct liquid_traffic *traffic;
	int status;

	if (listed)
		must(liquid_traffic_cross(hosts, count, hosts, count, &traffic, &err), &err);
	else
		must(liquid_traffic_alltoall(hosts, count, &traffic, &err), &err);
	status = liquid_verify(tree, traffic, compact, NULL, NULL, &err);
	liquid_traffic_free(traffic);
	liquid_schedule_free(compact);
	return status;
}

static void other_traffic(void)
{
	static const char *const params[] = { "k=4" };
	struct liquid_fabric *tree = make_fabric("fat-tree", params, 1);
	const uint32_t hosts[] = { 0, 1, 2, 3, 5 };

	for (int listed = 0; listed < 2; listed++) {
		ok(!for_another(tree, hosts, 4, 4, listed), "orbits for their all-to-all%s",
		   listed ? ", listed" : "");
		ok(for_another(tree, hosts, 5, 5, listed) == LIQUID_INVALID &&
		   strstr(err.text, listed ? "h1>h5: 1 extra" : "of 5 hosts, not of these 5"),
		   "not for another host: %s", err.text);
		ok(for_another(tree, hosts, 4, 3, listed) == LIQUID_INVALID &&
		   strstr(err.text, listed ? "h1>h4: 1 extra" : "of 4 hosts, not of these 3"),
		   "nor for fewer: %s", err.text);
		ok(for_another(tree, hosts, 3, 4, listed) == LIQUID_INVALID &&
		   strstr(err.text, listed ? "h1>h4: 1 missing" : "of 3 hosts, not of these 4"),
		   "nor for more: %s", err.text);
	}
	liquid_fabric_free(tree);
}

static void refused_input(void)
{
	static const char *const params[] = { "k=4" };
	struct liquid_fabric *tree = make_fabric("fat-tree", params, 1);
	uint32_t hosts[] = { 1, 1 }, dst[1];
	struct liquid_schedule *compact;

	hosts[1] = 16;
	ok(solve_orbits(tree, hosts, 2, NULL, &compact, &err) == LIQUID_BAD_INPUT &&
	   strstr(err.text, "no host"), "a host that does not exist is refused");
	ok(solve_orbits(tree, hosts, 1, NULL, &compact, &err) == LIQUID_BAD_INPUT,
	   "one host is not an exchange");
	hosts[1] = 2;
	compact = solve_compact(tree, hosts, 2);
	ok(liquid_schedule_slice(compact, 5, 1, dst, &err) == LIQUID_BAD_INPUT &&
	   liquid_schedule_find_host(compact, "h5") == LIQUID_NONE &&
	   liquid_schedule_find_host(compact, "h2") != LIQUID_NONE,
	   "no slice of a host that does not exchange");
	liquid_schedule_free(compact);
	liquid_fabric_free(tree);
}

int main(void)
{
	expands("fat-tree", "k=4", 1, 1, 0);
	expands("fat-tree", "k=8", 1, 1, 0);
	expands("fat-tree", "k=8 routes=hash", 1, 1, 10);
	expands("fat-tree", "k=8", 3, 5, 60);
	expands("leaf-spine", "leaves=8 hosts=8", 1, 1, 0);
	expands("leaf-spine", "leaves=9 hosts=6 spines=3", 1, 1, 0);
	expands("leaf-spine", "leaves=8 hosts=8 spines=4 routes=hash", 1, 1, 30);
	expands("leaf-spine", "leaves=16 hosts=16 spines=8 routes=hash", 1, 1, 0);
	expands("leaf-spine", "leaves=4 hosts=8 spines=4 capacity=2", 1, 1, 0);
	expands("torus", "size=4x4", 1, 1, 0);
	expands("torus", "size=8x8", 1, 1, 0);
	expands("torus", "size=4x4 hosts=3 ties=balanced", 1, 1, 0);
	expands("torus", "size=3x4x5", 1, 1, 40);
	expands("torus", "size=5 hosts=2", 1, 1, 0);	/* both directions of a switch are alike */
	expands("torus", "size=8x8x8", 1, 1, 0);	/* these three by exact covers */
	expands("torus", "size=9x9", 1, 1, 0);
	expands("torus", "size=11x11", 1, 1, 0);
	expands("torus", "size=8x8", 61, 64, 30);	/* by leaving hosts out */
	expands("torus", "size=4x4 hosts=3 ties=balanced", 47, 48, 30);
	expands("torus", "size=6x6x6", 1, 1, 0);	/* where some shifts use no full link */
	expands("torus", "size=6x6x6", 215, 216, 70);
	expands("torus", "size=6x8x9", 1, 1, 0);	/* phases that all shifts have in common */
	expands("torus", "size=9x12", 1, 1, 0);
	expands("torus", "size=4x5x6", 1, 1, 250);
	expands("torus", "size=3x5x7", 1, 1, 20);
	expands("torus", "size=4x5x6 hosts=2", 1, 1, 0);
	expands("dragonfly", "", 71, 72, 100);
	expands("dragonfly", "", 1, 1, 100);
	/* by bundles, one kind after the other, and blocks of one host each */
	expands("dragonfly", "a=4 p=4 h=4", 1, 1, 0);
	expands("dragonfly", "a=6 p=3 h=3", 1, 1, 25);
	expands("dragonfly", "a=8 p=4 h=4", 1, 1, 16);
	threads_agree();
	soon();
	places_few("leaves=43", "hosts=24", "spines=8");
	places_few("leaves=100", "hosts=12", "spines=12");
	forged_units();
	forged_shape();
	forged_names();
	forged_hosts();
	forged_parts();
	forged_figures();
	far_shifts();
	refused_members();
	other_traffic();
	refused_input();
	return tap_exit();
}
