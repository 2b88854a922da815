// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds bundles of links by equal surroundings, and assigns each unit a link of its bundle. */
#include <stdlib.h>
#include <string.h>

#include "compact/bundles.h"
#include "compact/pack.h"
#include "problem/edge-colour.h"

static uint64_t mix(uint64_t x)
{
	struct random random = { x };

	return random_next(&random);
}

struct finding {
	struct bundles *bundles;
	struct cells *cells;
	const uint32_t *origin;
	uint32_t units;
	uint64_t *sign;			/* by cell: what else its units use, in sum */
	uint32_t *uses;			/* by cell: units */
	uint32_t *bundle, *member;	/* by cell: LIQUID_NONE, or its number there */
	uint32_t *bundle_of, *member_of;	/* the same by resource, when cells are merged */
};

/* Its resources, or 0 if it has none or does not fit. @sum: a number for all its cells */
static int resources_of(const struct finding *finding, uint32_t u, uint32_t own[CELLS_OF_UNIT],
			uint64_t *sum)
{
	const struct group *group = finding->cells->group;
	int n = cells_unit(group, u % group->blocks, finding->origin[u / group->blocks], own);

	*sum = 0;
	if (n <= 0 || !cells_hold(finding->cells, own, n))
		return 0;
	for (int k = 0; k < n; k++)
		*sum += mix(cells_of(finding->cells, own[k], 0));
	return n;
}

/* ---- which links are alike ---- */

static void sign_cells(struct finding *finding)
{
	for (uint32_t u = 0; u < finding->units; u++) {
		uint32_t own[CELLS_OF_UNIT];
		uint64_t sum;
		int n = resources_of(finding, u, own, &sum);

		for (int k = 0; k < n; k++) {
			uint32_t cell = cells_of(finding->cells, own[k], 0);

			finding->sign[cell] += mix(sum - mix(cell));
			finding->uses[cell]++;
		}
	}
}

struct signed_cell {
	uint64_t sign;
	uint32_t uses, cell;
};

static int compare_signs(const void *a, const void *b)
{
	const struct signed_cell *one = a, *other = b;

	if (one->sign != other->sign)
		return one->sign < other->sign ? -1 : 1;
	if (one->uses != other->uses)
		return one->uses < other->uses ? -1 : 1;
	return one->cell < other->cell ? -1 : one->cell > other->cell;
}

static bool same_sign(const struct signed_cell *one, const struct signed_cell *other)
{
	return one->sign == other->sign && one->uses == other->uses;
}

static int number_bundles(struct finding *finding, struct liquid_error *err)
{
	const struct cells *cells = finding->cells;
	struct signed_cell *list = calloc((size_t)cells->cells + 1, sizeof(*list));
	struct bundles *bundles = finding->bundles;
	uint32_t count = 0;

	bundles->size = calloc((size_t)cells->cells + 1, sizeof(*bundles->size));
	if (!list || !bundles->size) {
		free(list);
		return liquid_no_memory(err);
	}
	for (uint32_t c = 0; c < cells->cells; c++)
		if (finding->uses[c] && cells->room[c] == 1 && cells->span[c] == 1)
			list[count++] = (struct signed_cell){ finding->sign[c],
							      finding->uses[c], c };
	qsort(list, count, sizeof(*list), compare_signs);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && same_sign(&list[i], &list[end]);)
			end++;
		for (uint32_t k = i; k < end && end - i > 1; k++) {
			finding->bundle[list[k].cell] = bundles->count;
			finding->member[list[k].cell] = k - i;
		}
		if (end - i > 1)
			bundles->size[bundles->count++] = end - i;
	}
	free(list);
	return LIQUID_OK;
}

/*
 * Does a unit use two bundles, or one twice? Then edge colouring for one disturbs the other. Those
 * that do not fit now are asked too: with more room they would.
 */
static bool are_apart(const struct finding *finding)
{
	const struct group *group = finding->cells->group;

	for (uint32_t u = 0; u < finding->units; u++) {
		uint32_t own[CELLS_OF_UNIT], bundled = 0;
		int n = cells_unit(group, u % group->blocks, finding->origin[u / group->blocks],
				   own);

		for (int k = 0; k < n; k++)
			bundled += finding->bundle[cells_of(finding->cells, own[k], 0)] !=
				   LIQUID_NONE;
		if (bundled > 1)
			return false;
	}
	return true;
}

static int merge_cells(struct finding *finding, struct liquid_error *err)
{
	struct bundles *bundles = finding->bundles;
	struct cells *cells = finding->cells;
	uint32_t resources = cells->group->blocks +
			     liquid_fabric_link_count(cells->group->fabric);
	uint32_t *head = malloc(((size_t)bundles->count + 1) * sizeof(*head));

	finding->bundle_of = malloc(((size_t)resources + 1) * sizeof(*finding->bundle_of));
	finding->member_of = calloc((size_t)resources + 1, sizeof(*finding->member_of));
	if (!head || !finding->bundle_of || !finding->member_of) {
		free(head);
		return liquid_no_memory(err);
	}
	for (uint32_t c = 0; c < cells->cells; c++)
		if (finding->bundle[c] != LIQUID_NONE && !finding->member[c]) {
			head[finding->bundle[c]] = c;
			cells->room[c] = bundles->size[finding->bundle[c]];
		}
	for (uint32_t r = 0; r < resources; r++) {
		uint32_t cell = cells->first[r];
		uint32_t bundle = cell == LIQUID_NONE ? LIQUID_NONE : finding->bundle[cell];

		finding->bundle_of[r] = bundle;
		if (bundle == LIQUID_NONE)
			continue;
		finding->member_of[r] = finding->member[cell];
		cells->first[r] = head[bundle];
	}
	free(head);
	return LIQUID_OK;
}

/* ---- which units are alike ---- */

struct alike {
	uint64_t key;			/* of all that a unit uses */
	uint32_t bundle, member, unit;
};

static int compare_alike(const void *a, const void *b)
{
	const struct alike *one = a, *other = b;

	if (one->bundle != other->bundle)
		return one->bundle < other->bundle ? -1 : 1;
	if (one->key != other->key)
		return one->key < other->key ? -1 : 1;
	if (one->member != other->member)
		return one->member < other->member ? -1 : 1;
	return one->unit < other->unit ? -1 : one->unit > other->unit;
}

static uint32_t list_alike(const struct finding *finding, struct alike *list)
{
	uint32_t count = 0;

	for (uint32_t u = 0; u < finding->units; u++) {
		uint32_t own[CELLS_OF_UNIT];
		uint64_t sum;
		int n = resources_of(finding, u, own, &sum);

		for (int k = 0; k < n; k++)
			if (finding->bundle_of[own[k]] != LIQUID_NONE)
				list[count++] = (struct alike){ sum, finding->bundle_of[own[k]],
								finding->member_of[own[k]], u };
	}
	qsort(list, count, sizeof(*list), compare_alike);
	return count;
}

/* From those of one key, which are as many for each link, sets of one for each */
static bool form_sets(struct bundles *bundles, const struct alike *list, uint32_t count)
{
	uint32_t size = bundles->size[list->bundle], each = count / size;

	for (uint32_t i = 0; i < count; i++)
		if (count % size || list[i].member != i / each)
			return false;
	for (uint32_t t = 0; t < each; t++) {
		uint32_t *unit = bundles->unit + bundles->first[bundles->sets];

		for (uint32_t k = 0; k < size; k++) {
			unit[k] = list[k * each + t].unit;
			bundles->set_of[unit[k]] = bundles->sets;
		}
		bundles->bundle_of_set[bundles->sets] = list->bundle;
		bundles->first[bundles->sets + 1] = bundles->first[bundles->sets] + size;
		bundles->sets++;
	}
	return true;
}

/* Memory for as many sets as are in @list: each has one unit of its bundle's first link. */
static int make_sets(struct bundles *bundles, const struct alike *list, uint32_t count,
		     uint32_t units, struct liquid_error *err)
{
	size_t sets = 1;

	for (uint32_t i = 0; i < count; i++)
		sets += !list[i].member;
	bundles->first = calloc(sets, sizeof(*bundles->first));
	bundles->bundle_of_set = calloc(sets, sizeof(*bundles->bundle_of_set));
	bundles->unit = calloc((size_t)count + 1, sizeof(*bundles->unit));
	bundles->set_of = malloc(((size_t)units + 1) * sizeof(*bundles->set_of));
	if (!bundles->first || !bundles->bundle_of_set || !bundles->unit || !bundles->set_of)
		return liquid_no_memory(err);
	memset(bundles->set_of, 0xff, units * sizeof(*bundles->set_of));
	return LIQUID_OK;
}

static int find_sets(struct finding *finding, struct liquid_error *err)
{
	struct bundles *bundles = finding->bundles;
	struct alike *list = calloc((size_t)finding->units + 1, sizeof(*list));
	uint32_t count = list ? list_alike(finding, list) : 0;
	int status = list ? make_sets(bundles, list, count, finding->units, err) :
			    liquid_no_memory(err);

	for (uint32_t i = 0, end; !status && i < count; i = end) {
		for (end = i + 1; end < count && list[end].key == list[i].key &&
		     list[end].bundle == list[i].bundle;)
			end++;
		if (!form_sets(bundles, list + i, end - i))
			status = liquid_fail(err, LIQUID_LIMIT, "links are not alike");
	}
	free(list);
	return status;
}

int bundles_find(struct bundles *bundles, struct cells *cells, const uint32_t *origin,
		 uint32_t classes, struct liquid_error *err)
{
	size_t count = (size_t)cells->cells + 1;
	struct finding finding = {
		.bundles = bundles, .cells = cells, .origin = origin,
		.units = classes * cells->group->blocks,
		.sign = calloc(count, sizeof(*finding.sign)),
		.uses = calloc(count, sizeof(*finding.uses)),
		.bundle = malloc(count * sizeof(*finding.bundle)),
		.member = calloc(count, sizeof(*finding.member)),
	};
	int status = finding.sign && finding.uses && finding.bundle && finding.member ?
		     LIQUID_OK : liquid_no_memory(err);

	*bundles = (struct bundles){ 0 };
	if (!status) {
		memset(finding.bundle, 0xff, count * sizeof(*finding.bundle));
		sign_cells(&finding);
		status = number_bundles(&finding, err);
	}
	if (!status && bundles->count && !are_apart(&finding))
		bundles->count = 0;
	if (!status && bundles->count)
		status = merge_cells(&finding, err);
	if (!status && bundles->count)
		status = find_sets(&finding, err);
	free(finding.sign);
	free(finding.uses);
	free(finding.bundle);
	free(finding.member);
	free(finding.bundle_of);
	free(finding.member_of);
	return status;
}

void bundles_free(struct bundles *bundles)
{
	free(bundles->size);
	free(bundles->first);
	free(bundles->unit);
	free(bundles->bundle_of_set);
	free(bundles->set_of);
	*bundles = (struct bundles){ 0 };
}

/* ---- the link of each unit ---- */

struct assigning {
	const struct bundles *bundles;
	struct pack *pack;
	struct konig konig;
	uint32_t *set, *frame, *link;	/* by unit of a bundle: its number, where, by which */
};

/* Behind the last set of the bundle that @set is of */
static uint32_t end_of_bundle(const struct bundles *bundles, uint32_t set)
{
	uint32_t bundle = bundles->bundle_of_set[set];

	while (set < bundles->sets && bundles->bundle_of_set[set] == bundle)
		set++;
	return set;
}

static int make_room(struct assigning *assigning, struct liquid_error *err)
{
	const struct bundles *bundles = assigning->bundles;
	size_t most = 1;

	for (uint32_t s = 0, end; s < bundles->sets; s = end) {
		end = end_of_bundle(bundles, s);
		most = bundles->first[end] - bundles->first[s] > most ?
		       bundles->first[end] - bundles->first[s] : most;
	}
	assigning->set = calloc(most, sizeof(*assigning->set));
	assigning->frame = calloc(most, sizeof(*assigning->frame));
	assigning->link = calloc(most, sizeof(*assigning->link));
	return assigning->set && assigning->frame && assigning->link ? LIQUID_OK :
								       liquid_no_memory(err);
}

/* The units of a set as one node, those in the first arena as its edges to their frames */
static int list_edges(struct assigning *assigning, uint32_t set, struct konig_graph *graph,
		      struct liquid_error *err)
{
	const struct bundles *bundles = assigning->bundles;
	const struct pack_unit *all = assigning->pack->unit;
	uint32_t first = bundles->first[set], end = bundles->first[set + 1];
	uint32_t arena = all[bundles->unit[first]].arena;

	for (uint32_t i = first; i < end; i++)
		if (all[bundles->unit[i]].arena != arena)
			return liquid_fail(err, LIQUID_LIMIT, "a set is not in one arena");
	for (uint32_t i = first; i < end && !arena; i++) {
		assigning->set[graph->edges] = graph->lefts;
		assigning->frame[graph->edges++] = all[bundles->unit[i]].frame;
	}
	graph->lefts += !arena;
	return LIQUID_OK;
}

/* Each unit of the set gets the frame of the edge with its colour. Returns the edge after. */
static uint32_t give_links(struct assigning *assigning, uint32_t set, uint32_t edge)
{
	const struct bundles *bundles = assigning->bundles;
	struct pack_unit *all = assigning->pack->unit;
	const uint32_t *unit = bundles->unit + bundles->first[set];
	uint32_t size = bundles->size[bundles->bundle_of_set[set]];

	if (all[unit[0]].arena)
		return edge;
	for (uint32_t k = 0; k < size; k++, edge++)
		all[unit[assigning->link[edge]]].frame = assigning->frame[edge] & NO_FRAME;
	return edge;
}

/* The sets from @first to @end are those of a bundle. */
static int assign(struct assigning *assigning, uint32_t first, uint32_t end,
		  struct liquid_error *err)
{
	const struct bundles *bundles = assigning->bundles;
	struct konig_graph graph = { .rights = assigning->pack->arena[0].frames,
				     .left = assigning->set, .right = assigning->frame };
	uint32_t size = bundles->size[bundles->bundle_of_set[first]], edge = 0;
	int status = LIQUID_OK;

	for (uint32_t s = first; !status && s < end; s++)
		status = list_edges(assigning, s, &graph, err);
	if (status)
		return status;
	if (!konig_colour(&assigning->konig, &graph, size, assigning->link))
		return liquid_fail(err, LIQUID_LIMIT, "no memory to give units their links, or "
				   "a frame has more of them than links");
	for (uint32_t s = first; s < end; s++)
		edge = give_links(assigning, s, edge);
	return LIQUID_OK;
}

int bundles_assign(const struct bundles *bundles, struct pack *pack, struct liquid_error *err)
{
	struct assigning assigning = { .bundles = bundles, .pack = pack };
	int status = make_room(&assigning, err);

	for (uint32_t s = 0, end; !status && s < bundles->sets; s = end) {
		end = end_of_bundle(bundles, s);
		status = assign(&assigning, s, end, err);
	}
	konig_clear(&assigning.konig);
	free(assigning.set);
	free(assigning.frame);
	free(assigning.link);
	return status;
}
