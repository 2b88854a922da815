// SPDX-License-Identifier: GPL-2.0-only
/*
 * Families of fabrics: for each a function that says which switches have a cable, in three sizes.
 * How many hosts each switch has, the capacities, lost cables, and which of several shortest ways a
 * table takes are drawn.
 */
#include "family-fixtures.h"

#define SWITCHES_MAX 340
#define HOSTS_MIN 36
#define HOSTS_MAX 160
#define TRANSFERS 1500			/* at least, about, where a traffic may have any number */

/* Switches, and those of them, the first, that may have hosts; what else a family needs */
struct shape {
	uint32_t switches, leaves, p, q;
};

/* Is there a cable between switches @a < @b? */
typedef bool near_fn(const struct shape *shape, uint32_t a, uint32_t b);

static uint32_t hash(uint32_t a, uint32_t b)
{
	uint64_t z = ((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) >> 32);
}

/* ---- families that are known ---- */

static bool is_square(uint32_t x, uint32_t modulus)
{
	for (uint32_t i = 1; i < modulus; i++)
		if (i * i % modulus == x % modulus)
			return true;
	return false;
}

/* McKay-Miller-Siran, p a prime 4 k + 1: two halves of p groups of p */
static bool slim_fly(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t p = s->p, half = p * p, x = a / p % p, y = a % p, m = b / p % p, c = b % p;

	if (a / half == b / half)
		return x == m && is_square(c + p - y, p) == (a < half);
	return y == (m * x + c) % p;
}

/* The one digit of p, q and the rest in which @a and @b differ: both and its base. 0: not one */
static uint32_t one_digit(const struct shape *s, uint32_t a, uint32_t b, uint32_t *x, uint32_t *y)
{
	uint32_t base[] = { s->p, s->q, s->switches / (s->p * s->q) }, count = 0, found = 0;

	for (uint32_t i = 0; i < 3; a /= base[i], b /= base[i], i++) {
		if (a % base[i] == b % base[i])
			continue;
		*x = a % base[i];
		*y = b % base[i];
		found = base[i];
		count++;
	}
	return count == 1 ? found : 0;
}

static bool hyperx(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t x, y;

	return one_digit(s, a, b, &x, &y);
}

static bool torus(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t x, y, base = one_digit(s, a, b, &x, &y);

	return base && (y == x + 1 || y - x == base - 1);
}

/* p groups of q leaves and q spines, each of which has cables to 2 other groups at most */
static uint32_t spine_to(const struct shape *s, uint32_t from, uint32_t to)
{
	return (to + s->p - from - 1) % s->p / 2;
}

static bool dragonfly_plus(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t leaves = s->leaves, q = s->q, i = a % leaves / q, j = b % leaves / q;

	if (i == j)
		return (a < leaves) != (b < leaves);
	return a >= leaves && a % q == spine_to(s, i, j) && b % q == spine_to(s, j, i);
}

/* The @i-th point of the projective plane of order @p, a prime; its first number but 0 is 1. */
static void point_of(uint32_t i, uint32_t p, uint32_t x[3])
{
	x[0] = i < p * p;
	x[1] = i < p * p ? i / p : i < p * p + p;
	x[2] = i < p * p ? i % p : i < p * p + p ? i - p * p : 1;
}

static bool polarfly(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t x[3], y[3];

	point_of(a, s->p, x);
	point_of(b, s->p, y);
	return (x[0] * y[0] + x[1] * y[1] + x[2] * y[2]) % s->p == 0;
}

/* About p cables of each switch; a random tree, so that all is reachable */
static bool irregular(const struct shape *s, uint32_t a, uint32_t b)
{
	return hash(b, s->q) % b == a || hash(a * s->switches + b, s->q) % s->switches + 2 < s->p;
}

static uint32_t place_of(const struct shape *s, uint32_t a, uint32_t order)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < s->switches; i++)
		place += hash(i, order) < hash(a, order);
	return place;
}

/* p random cyclic orders of all switches; cables join those that follow each other. */
static bool jellyfish(const struct shape *s, uint32_t a, uint32_t b)
{
	for (uint32_t order = s->q; order < s->q + s->p; order++) {
		uint32_t i = place_of(s, a, order), j = place_of(s, b, order);

		if ((i + 1) % s->switches == j || (j + 1) % s->switches == i)
			return true;
	}
	return false;
}

/* p^2 servers that are switches; one switch for each row and column */
static bool bcube(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t p = s->p, i = b - p * p;

	return a < p * p && b >= p * p && (i < p ? a / p == i : a % p == i - p);
}

/* 2 p pods of p edges and p others; p * p in the middle */
static bool fat_tree(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t p = s->p, half = 2 * p * p;

	if (a < half)
		return b >= half && b < 2 * half && a / p == (b - half) / p;
	return a < 2 * half && b >= 2 * half && a % p == (b - 2 * half) / p;
}

/* p rails in q pods; each rail has two its own spines, and there is one of all */
static bool multi_rail(const struct shape *s, uint32_t a, uint32_t b)
{
	return a < s->leaves && b >= s->leaves &&
	       (b == s->switches - 1 || a % s->p == (b - s->leaves) / 2);
}

/* ---- others ---- */

/* a -> -p a - 1 ... -p a - p */
static bool is_imase_itoh(const struct shape *s, uint32_t a, uint32_t b)
{
	return (b + s->p * a + s->p) % s->switches < s->p;
}

static bool kautz(const struct shape *s, uint32_t a, uint32_t b)
{
	return is_imase_itoh(s, a, b) || is_imase_itoh(s, b, a);
}

static bool de_bruijn(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t n = s->switches;

	return (b + s->p * n - s->p * a) % n < s->p || (a + s->p * n - s->p * b) % n < s->p;
}

static bool hypercube(const struct shape *s, uint32_t a, uint32_t b)
{
	return ((a ^ b) & ((a ^ b) - 1)) == 0 || (s->p && (a ^ b) == s->switches - 1);
}

static bool cube_of_cycles(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t p = s->p, i = a % p, j = b % p, apart = (i + p - j) % p;

	return a / p == b / p ? apart == 1 || apart == p - 1 : i == j && (a / p ^ b / p) == 1u << i;
}

static bool circulant(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t apart = b - a < s->switches - (b - a) ? b - a : s->switches - (b - a);

	return apart == 1 || apart == s->p || apart == s->q;
}

static bool paley(const struct shape *s, uint32_t a, uint32_t b)
{
	return is_square(b - a, s->switches);
}

static bool petersen(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t half = s->switches / 2, step = a < half ? 1 : s->p;

	return a / half != b / half ? b - a == half : b - a == step || b - a == half - step;
}

/* The sets of two of p; those that have none in common are joined. */
static bool kneser(const struct shape *s, uint32_t a, uint32_t b)
{
	uint64_t set[2] = { 0 };
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->p; i++)
		for (uint32_t j = 0; j < i; j++, n++) {
			set[0] |= n == a ? 1ull << i | 1ull << j : 0;
			set[1] |= n == b ? 1ull << i | 1ull << j : 0;
		}
	return !(set[0] & set[1]);
}

static bool orthogonal_tree(const struct shape *s, uint32_t a, uint32_t b)
{
	return a < s->leaves && b >= s->leaves && polarfly(s, a, b - s->leaves);
}

/* p * p boards of 2 * 2, with a switch for each row and each column */
static bool hamming_mesh(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t w = 2 * s->p, x = a % w, y = a / w;

	if (b < s->leaves)
		return (b == a + 1 && x % 2 == 0) || (b == a + w && y % 2 == 0);
	b -= s->leaves;
	return a < s->leaves && (b < w ? y == b : x == b - w);
}

/* p + 1 cells of p servers that are switches, and one switch for each cell */
static bool dcell(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t p = s->p;

	if (b >= s->leaves)
		return a / p == b - s->leaves;
	return a / p < b / p && a % p == b / p - 1 && b % p == a / p;
}

/* p levels of 2^p rows, in a circle */
static bool butterfly(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t p = s->p, i = a % p, j = b % p, differ = a / p ^ b / p;

	return ((i + 1) % p == j && !(differ & ~(1u << i))) ||
	       ((j + 1) % p == i && !(differ & ~(1u << j)));
}

static bool twisted_torus(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t p = s->p, n = s->switches, ahead = n - p + p / 2;

	return (a / p == b / p && (b - a == 1 || b - a == p - 1)) || b - a == p ||
	       (b >= n - p && a < p && (a + ahead == b || a + ahead == b + p));
}

static bool express_mesh(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t x, y;

	return one_digit(s, a, b, &x, &y) && (y - x == 1 || (y - x == 3 && x % 3 == 0));
}

/* A lift of the full mesh of switches / q */
static bool xpander(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t q = s->q;

	return a / q != b / q && (a + hash(a / q, b / q) % q) % q == b % q;
}

/* p layers of p + 1; any two places of a layer have a switch that joins them in all layers. */
static bool layered_mesh(const struct shape *s, uint32_t a, uint32_t b)
{
	uint32_t n = s->leaves, place = a % (s->p + 1);

	for (uint32_t i = 1; a < n && i <= s->p; i++)
		for (uint32_t j = 0; j < i; j++, n++)
			if (n == b)
				return place == i || place == j;
	return false;
}

static bool tree(const struct shape *s, uint32_t a, uint32_t b)
{
	return (b - 1) / s->p == a;
}

static bool full_mesh(const struct shape *s, uint32_t a, uint32_t b)
{
	return s->switches > a && s->switches > b;
}

static bool gapped_leaf_spine(const struct shape *s, uint32_t a, uint32_t b)
{
	return a < s->leaves && b >= s->leaves &&
	       (b == s->switches - 1 || hash(a, b) % 4 >= s->p);
}

static const struct family {
	const char *name;
	near_fn *near;
	struct shape shape[3];
} families[FAMILIES] = {
	{ "slim-fly", slim_fly, { { 50, 50, 5, 0 }, { 50, 50, 5, 0 }, { 338, 160, 13, 0 } } },
	{ "hyperx", hyperx, { { 36, 36, 6, 6 }, { 64, 64, 4, 4 }, { 60, 60, 5, 4 } } },
	{ "dragonfly+", dragonfly_plus, { { 72, 36, 9, 4 }, { 42, 21, 7, 3 }, { 70, 35, 7, 5 } } },
	{ "polarfly", polarfly, { { 13, 13, 3, 0 }, { 31, 31, 5, 0 }, { 57, 57, 7, 0 } } },
	{ "jellyfish", jellyfish, { { 20, 20, 2, 0 }, { 40, 40, 2, 9 }, { 64, 64, 3, 19 } } },
	{ "bcube", bcube, { { 24, 16, 4, 0 }, { 48, 36, 6, 0 }, { 80, 64, 8, 0 } } },
	{ "torus", torus, { { 36, 36, 6, 6 }, { 64, 64, 8, 8 }, { 80, 80, 4, 4 } } },
	{ "fat-tree", fat_tree, { { 20, 8, 2, 0 }, { 45, 18, 3, 0 }, { 80, 32, 4, 0 } } },
	{ "irregular", irregular, { { 12, 12, 5, 1 }, { 30, 30, 6, 2 }, { 60, 60, 5, 3 } } },
	{ "multi-rail", multi_rail, { { 13, 8, 2, 4 }, { 21, 12, 4, 3 }, { 41, 24, 8, 3 } } },
	{ "kautz", kautz, { { 12, 12, 2, 0 }, { 36, 36, 3, 0 }, { 80, 80, 4, 0 } } },
	{ "de-bruijn", de_bruijn, { { 16, 16, 2, 0 }, { 32, 32, 2, 0 }, { 81, 81, 3, 0 } } },
	{ "hypercube", hypercube, { { 16, 16, 0, 0 }, { 32, 32, 0, 0 }, { 64, 64, 0, 0 } } },
	{ "folded-cube", hypercube, { { 16, 16, 1, 0 }, { 32, 32, 1, 0 }, { 64, 64, 1, 0 } } },
	{ "cube-of-cycles", cube_of_cycles,
	  { { 24, 24, 3, 0 }, { 64, 64, 4, 0 }, { 160, 160, 5, 0 } } },
	{ "circulant", circulant, { { 21, 21, 4, 9 }, { 40, 40, 6, 15 }, { 65, 65, 8, 27 } } },
	{ "paley", paley, { { 13, 13, 0, 0 }, { 29, 29, 0, 0 }, { 61, 61, 0, 0 } } },
	{ "petersen", petersen, { { 16, 16, 3, 0 }, { 40, 40, 7, 0 }, { 64, 64, 5, 0 } } },
	{ "kneser", kneser, { { 10, 10, 5, 0 }, { 21, 21, 7, 0 }, { 36, 36, 9, 0 } } },
	{ "orthogonal-tree", orthogonal_tree,
	  { { 26, 13, 3, 0 }, { 62, 31, 5, 0 }, { 114, 57, 7, 0 } } },
	{ "hamming-mesh", hamming_mesh, { { 24, 16, 2, 0 }, { 48, 36, 3, 0 }, { 80, 64, 4, 0 } } },
	{ "dcell", dcell, { { 25, 20, 4, 0 }, { 49, 42, 6, 0 }, { 81, 72, 8, 0 } } },
	{ "butterfly", butterfly, { { 24, 24, 3, 0 }, { 64, 64, 4, 0 }, { 160, 160, 5, 0 } } },
	{ "twisted-torus", twisted_torus,
	  { { 24, 24, 6, 0 }, { 48, 48, 8, 0 }, { 60, 60, 6, 0 } } },
	{ "express-mesh", express_mesh,
	  { { 36, 36, 6, 6 }, { 64, 64, 8, 8 }, { 70, 70, 10, 7 } } },
	{ "xpander", xpander, { { 24, 24, 0, 4 }, { 42, 42, 0, 6 }, { 64, 64, 0, 8 } } },
	{ "layered-mesh", layered_mesh, { { 18, 12, 3, 0 }, { 30, 20, 4, 0 }, { 63, 42, 6, 0 } } },
	{ "tree", tree, { { 7, 7, 2, 0 }, { 21, 21, 4, 0 }, { 40, 40, 3, 0 } } },
	{ "full-mesh", full_mesh, { { 8, 8, 0, 0 }, { 16, 16, 0, 0 }, { 24, 24, 0, 0 } } },
	{ "gapped-leaf-spine", gapped_leaf_spine,
	  { { 20, 12, 1, 0 }, { 30, 20, 2, 0 }, { 26, 18, 1, 0 } } },
};

const char *family_name(uint32_t family)
{
	return family < FAMILIES ? families[family].name : NULL;
}

/* ---- a fabric of a family ---- */

struct graph {
	struct shape shape;
	uint8_t cable[SWITCHES_MAX][SWITCHES_MAX];	/* capacity; 0: none */
	uint32_t link[SWITCHES_MAX][SWITCHES_MAX];
	uint32_t hosts, at[HOSTS_MAX];			/* by host: its switch */
	uint32_t distance[SWITCHES_MAX];
};

/* Of all switches to @goal; false: some have no way. */
static bool measure(struct graph *graph, uint32_t goal)
{
	uint32_t queue[SWITCHES_MAX] = { goal }, count = 1, n = graph->shape.switches;

	memset(graph->distance, 0xff, sizeof(graph->distance));
	graph->distance[goal] = 0;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t b = 0; b < n; b++) {
			if (!graph->cable[queue[i]][b] || graph->distance[b] != LIQUID_NONE)
				continue;
			graph->distance[b] = graph->distance[queue[i]] + 1;
			queue[count++] = b;
		}
	return count == n;
}

static void set_cable(struct graph *graph, uint32_t a, uint32_t b, uint32_t capacity)
{
	graph->cable[a][b] = graph->cable[b][a] = (uint8_t)capacity;
}

static void draw_cables(struct graph *graph, near_fn *near, struct dice *dice)
{
	uint32_t n = graph->shape.switches, capacity = 1 + !roll(dice, 4), mixed = !roll(dice, 6);

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			if (near(&graph->shape, a, b))
				set_cable(graph, a, b, capacity + (mixed ? roll(dice, 2) : 0));
	if (!measure(graph, 0)) {
		printf("Bail out! a family whose switches are not all joined\n");
		exit(1);
	}
}

/* Up to 6 % of all cables, if all switches can still be reached */
static void lose_cables(struct graph *graph, struct dice *dice)
{
	uint32_t n = graph->shape.switches, percent = 1 + roll(dice, 6);

	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++) {
			uint32_t capacity = graph->cable[a][b];

			if (!capacity || roll(dice, 100) >= percent)
				continue;
			set_cable(graph, a, b, 0);
			if (!measure(graph, a))
				set_cable(graph, a, b, capacity);
		}
}

/* As many at each switch, or one less at some; at least HOSTS_MIN */
static void draw_hosts(struct graph *graph, struct dice *dice)
{
	uint32_t leaves = graph->shape.leaves, least = (HOSTS_MIN + leaves - 1) / leaves;
	uint32_t each = least + roll(dice, HOSTS_MAX / leaves - least + 1 < 4 ?
				     HOSTS_MAX / leaves - least + 1 : 4);
	uint32_t uneven = !roll(dice, 3) && leaves * each > 2 * HOSTS_MIN ? 4 : 0;

	for (uint32_t leaf = 0; leaf < leaves; leaf++) {
		uint32_t here = each - (uneven && !roll(dice, uneven));

		for (uint32_t i = 0; i < here; i++)
			graph->at[graph->hosts++] = leaf;
	}
}

/* Hosts h: links 2 h (out), 2 h + 1 (in) */
static struct liquid_fabric *build(struct graph *graph, const char *name)
{
	uint32_t n = graph->shape.switches, hosts = graph->hosts, links = 2 * hosts;
	struct liquid_fabric *fabric = begin_fabric(name, hosts, n);

	for (uint32_t h = 0; h < hosts; h++) {
		add_cable(fabric, h, hosts + graph->at[h], 1);
		add_cable(fabric, hosts + graph->at[h], h, 1);
	}
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++) {
			if (!graph->cable[a][b])
				continue;
			add_cable(fabric, hosts + a, hosts + b, graph->cable[a][b]);
			graph->link[a][b] = links++;
		}
	return fabric;
}

/* The first, one of a host's number, a hash of switches, or one of switch and host */
static uint32_t tie(uint32_t kind, uint32_t sw, uint32_t goal, uint32_t host)
{
	return kind == 0 ? 0 : kind == 1 ? host : hash(sw, kind == 2 ? goal : 1000 + host);
}

static uint32_t choose_way(const struct graph *graph, uint32_t sw, uint32_t number)
{
	uint32_t way[SWITCHES_MAX], count = 0;

	for (uint32_t b = 0; b < graph->shape.switches; b++)
		if (graph->cable[sw][b] && graph->distance[b] + 1 == graph->distance[sw])
			way[count++] = graph->link[sw][b];
	return way[number % count];
}

static void fill_tables(struct graph *graph, struct liquid_fabric *fabric, uint32_t kind)
{
	struct liquid_error err;

	for (uint32_t h = 0; h < graph->hosts; h++) {
		uint32_t goal = graph->at[h];

		measure(graph, goal);
		for (uint32_t sw = 0; sw < graph->shape.switches; sw++) {
			uint32_t link = sw == goal ? 2 * h + 1 :
					choose_way(graph, sw, tie(kind, sw, goal, h));

			must(liquid_fabric_set_forward(fabric, sw, h, link, &err), &err);
		}
	}
}

struct liquid_fabric *draw_fabric(uint32_t family, uint32_t draw)
{
	struct graph *graph = calloc(1, sizeof(*graph));
	struct dice dice = { (uint64_t)hash(family, draw) << 32 | 1 };
	struct liquid_fabric *fabric;
	struct liquid_error err;

	graph->shape = families[family].shape[draw % 3];
	draw_cables(graph, families[family].near, &dice);
	if (families[family].near == torus || !roll(&dice, 3))
		lose_cables(graph, &dice);
	draw_hosts(graph, &dice);
	fabric = build(graph, families[family].name);
	fill_tables(graph, fabric, roll(&dice, 4));
	must(liquid_fabric_finish(fabric, &err), &err);
	free(graph);
	return fabric;
}

/* ---- traffics ---- */

struct pattern {
	struct liquid_traffic *traffic;
	struct dice dice;
	uint32_t hosts, *host;		/* in the order of the ranks */
	uint32_t each;			/* transfers of each host, where there may be any number */
};

static void send(struct pattern *pattern, uint32_t src, uint32_t dst, uint32_t count)
{
	struct liquid_error err;

	if (count && src != dst)
		must(liquid_traffic_add(pattern->traffic, pattern->host[src], pattern->host[dst],
					count, &err), &err);
}

/* Ranks @from, @from + @step ... below @end, each to each */
static void exchange(struct pattern *pattern, uint32_t from, uint32_t step, uint32_t end,
		     uint32_t count)
{
	for (uint32_t a = from; a < end; a += step)
		for (uint32_t b = from; b < end; b += step)
			send(pattern, a, b, count);
}

static void shuffle(struct pattern *pattern)
{
	for (uint32_t i = pattern->hosts; i > 1; i--) {
		uint32_t j = roll(&pattern->dice, i), swap = pattern->host[j];

		pattern->host[j] = pattern->host[i - 1];
		pattern->host[i - 1] = swap;
	}
}

/* As liquid_traffic_alltoall() makes it, of @percent of the hosts */
static void exchange_of(struct pattern *pattern, uint32_t percent)
{
	struct liquid_error err;

	liquid_traffic_free(pattern->traffic);
	must(liquid_traffic_alltoall(pattern->host, pattern->hosts * percent / 100,
				     &pattern->traffic, &err), &err);
}

static void whole(struct pattern *pattern)
{
	exchange_of(pattern, 100);
}

static void part(struct pattern *pattern)
{
	shuffle(pattern);
	exchange_of(pattern, 60 + roll(&pattern->dice, 36));
}

static void storage(struct pattern *pattern)
{
	uint32_t servers = pattern->hosts / 5;

	for (uint32_t a = servers; a < pattern->hosts; a++)
		for (uint32_t b = 0; b < servers; b++) {
			send(pattern, a, b, 1 + pattern->each / 2 / servers);
			send(pattern, b, a, 1 + pattern->each / 2 / servers);
		}
}

/* The number of columns of a grid of all ranks */
static uint32_t columns(const struct pattern *pattern)
{
	uint32_t count = 4;

	while ((count + 1) * (count + 1) <= pattern->hosts)
		count++;
	return count;
}

static void rows(struct pattern *pattern)
{
	uint32_t width = columns(pattern), count = 1 + pattern->each / width;

	for (uint32_t at = 0; at + width <= pattern->hosts; at += width)
		exchange(pattern, at, 1, at + width, count);
}

static void pencils(struct pattern *pattern)
{
	uint32_t width = columns(pattern), count = 1 + pattern->each / width;

	rows(pattern);
	for (uint32_t x = 0; x < width; x++)
		exchange(pattern, x, width, width * width, count);
}

static void halo(struct pattern *pattern)
{
	uint32_t width = columns(pattern), high = pattern->hosts / width, n = width * high;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = i - i % width, count = 1 + pattern->each / 4;

		send(pattern, i, row + (i + 1) % width, count);
		send(pattern, i, row + (i % width + width - 1) % width, count);
		send(pattern, i, (i + width) % n, count);
		send(pattern, i, (i + n - width) % n, count);
	}
}

/* In a grid that ends, of 3 or more in each direction: 4 units over faces, 2 edges, 1 corners */
static void halo_with_corners(struct pattern *pattern)
{
	uint32_t n = pattern->hosts / 9 * 9;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n; j++) {
			int x = (int)(i % 3) - (int)(j % 3), z = (int)(i / 9) - (int)(j / 9);
			int y = (int)(i / 3 % 3) - (int)(j / 3 % 3);
			int sum = x * x + y * y + z * z;

			if (abs(x) < 2 && abs(y) < 2 && abs(z) < 2)
				send(pattern, i, j, 4u >> (sum > 1) >> (sum > 2));
		}
}

static void permutations(struct pattern *pattern)
{
	uint32_t *first = malloc(pattern->hosts * sizeof(*first));

	for (uint32_t i = 0; i < pattern->hosts; i++)
		first[i] = i;
	for (uint32_t k = pattern->each + roll(&pattern->dice, 24); k; k--) {
		uint32_t *second = pattern->host;

		shuffle(pattern);
		for (uint32_t i = 0; i < pattern->hosts; i++)
			first[second[i]] = second[(i + 1) % pattern->hosts];
		for (uint32_t i = 0; i < pattern->hosts; i++)
			send(pattern, i, first[i], 1);
	}
	free(first);
}

static void targets(struct pattern *pattern)
{
	for (uint32_t i = 0; i < pattern->hosts; i++)
		for (uint32_t k = 0; k < pattern->each; k++)
			send(pattern, i, roll(&pattern->dice, pattern->hosts), 1);
}

static void weights(struct pattern *pattern)
{
	for (uint32_t i = 0; i < pattern->hosts; i++)
		for (uint32_t j = 0; j < pattern->hosts; j++)
			send(pattern, i, j, roll(&pattern->dice, 4));
}

/* The k-th rank is chosen about as 1 / k. */
static void zipf(struct pattern *pattern)
{
	uint32_t bits = 1;

	while (2u << bits <= pattern->hosts)
		bits++;
	shuffle(pattern);
	for (uint32_t i = 0; i < pattern->hosts; i++)
		for (uint32_t k = 0; k < pattern->each; k++) {
			uint32_t range = 1u << roll(&pattern->dice, bits);

			send(pattern, i, range - 1 + roll(&pattern->dice, range), 1);
		}
}

static void hot(struct pattern *pattern)
{
	shuffle(pattern);
	for (uint32_t i = 0; i < pattern->hosts; i++)
		for (uint32_t k = 0; k < pattern->each; k++)
			send(pattern, i, roll(&pattern->dice, roll(&pattern->dice, 4) ?
					      pattern->hosts : 3), 1);
}

static void roots(struct pattern *pattern)
{
	shuffle(pattern);
	for (uint32_t root = 0; root < 4; root++)
		for (uint32_t i = 0; i < pattern->hosts; i++) {
			send(pattern, root, i, 1 + pattern->each / 8);
			send(pattern, i, root, 1 + pattern->each / 8);
		}
}

static void jobs(struct pattern *pattern)
{
	uint32_t size;

	if (roll(&pattern->dice, 2))
		shuffle(pattern);
	for (uint32_t at = 0; at < pattern->hosts; at += size) {
		size = 8 + roll(&pattern->dice, 12);
		if (pattern->hosts - at < size + 8)
			size = pattern->hosts - at;
		exchange(pattern, at, 1, at + size, 1 + roll(&pattern->dice, 4));
	}
}

static void shifts(struct pattern *pattern)
{
	for (uint32_t k = 0; k < 8; k++) {
		uint32_t step = 1 + roll(&pattern->dice, pattern->hosts - 1);
		uint32_t count = 1 + roll(&pattern->dice, 1 + pattern->each / 2);

		for (uint32_t i = 0; i < pattern->hosts; i++)
			send(pattern, i, (i + step) % pattern->hosts, count);
	}
}

/* More to those that are near */
static void local(struct pattern *pattern)
{
	for (uint32_t i = 0; i < pattern->hosts; i++)
		for (uint32_t j = 0; j < pattern->hosts; j++)
			send(pattern, i, j, (i > j ? i - j : j - i) < pattern->hosts / 8 ? 3 :
			     roll(&pattern->dice, 2));
}

static const struct {
	const char *name;
	void (*add)(struct pattern *pattern);
} traffics[TRAFFICS] = {
	{ "all-to-all", whole }, { "part", part }, { "storage", storage }, { "rows", rows },
	{ "pencils", pencils }, { "halo", halo }, { "corners", halo_with_corners },
	{ "permutations", permutations }, { "targets", targets }, { "weights", weights },
	{ "zipf", zipf }, { "hot", hot }, { "roots", roots }, { "jobs", jobs },
	{ "shifts", shifts }, { "local", local },
};

const char *traffic_name(uint32_t traffic)
{
	return traffic < TRAFFICS ? traffics[traffic].name : NULL;
}

struct liquid_traffic *draw_traffic(const struct liquid_fabric *fabric, uint32_t traffic,
				    uint32_t draw)
{
	struct pattern pattern = { .hosts = liquid_fabric_host_count(fabric),
				   .dice = { (uint64_t)hash(traffic, draw) << 32 | 1 } };
	struct liquid_error err;

	pattern.each = TRANSFERS / pattern.hosts + 1;
	pattern.host = malloc(pattern.hosts * sizeof(*pattern.host));
	for (uint32_t i = 0; i < pattern.hosts; i++)
		pattern.host[i] = i;
	must(liquid_traffic_new(&pattern.traffic, &err), &err);
	if (roll(&pattern.dice, 2))
		shuffle(&pattern);
	traffics[traffic].add(&pattern);
	free(pattern.host);
	return pattern.traffic;
}
