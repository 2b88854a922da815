// SPDX-License-Identifier: GPL-2.0-only
/* A choice of nodes, as text and as JSON. */
#include <inttypes.h>
#include <math.h>

#include "choose/choose.h"
#include "hostlist.h"
#include "util/command.h"
#include "util/units.h"

static const char *const proofs[] = {
	[LIQUID_CHOICE_UNPROVEN] = "none", [LIQUID_CHOICE_LAMBDA] = "lambda",
	[LIQUID_CHOICE_BEST] = "best",
};

/* Links between switches that a transfer crosses, on the average */
static double crossed(const struct choice_view *view, uint64_t spread)
{
	uint64_t transfers = view->choice->transfers;

	return transfers ? (double)spread / (double)transfers : 0;
}

static bool is_split(const struct liquid_choice *choice)
{
	return choice->senders[0] != choice->receivers[0];
}

static void print_hosts(const struct choice_view *view, const char *title, const uint32_t *hosts)
{
	struct hostlist_writer list;

	printf("%-12s ", title);
	hostlist_begin(&list, stdout, NULL);
	for (uint32_t i = 0; i < view->choice->count; i++)
		hostlist_put(&list, liquid_fabric_node_name(view->fabric, hosts[i]));
	hostlist_end(&list);
}

/* What all of them carry at that lambda: in links of capacity 1, and in bit/s if that is known. */
static void print_throughput(const struct choice_view *view)
{
	const struct liquid_choice *choice = view->choice;
	uint64_t unit = liquid_fabric_unit_rate(view->fabric);
	double links = choice->lambda > 0 ? (double)choice->transfers / choice->lambda : 0;
	char rate[UNIT_TEXT];

	printf("%-12s %.6g links of capacity 1", "liquid", links);
	if (unit && links * (double)unit < 0x1p63)
		printf(": %s", format_rate((uint64_t)(links * (double)unit), rate));
	putchar('\n');
}

static void print_proof(const struct choice_view *view)
{
	const struct liquid_choice *choice = view->choice;

	printf("%-12s ", "proof");
	if (choice->allocations == 1)
		puts("there is no other choice");
	else if (choice->proof == LIQUID_CHOICE_BEST)
		printf("the best: all %" PRIu64 " choices by %u classes of nodes were compared\n",
		       choice->allocations, choice->classes);
	else if (choice->proof == LIQUID_CHOICE_LAMBDA)
		puts("no choice has a smaller lambda; a smaller spread is not excluded");
	else
		printf("none: any choice has a lambda of at least %.6g\n",
		       choice->bound * (double)view->scale);
}

static void print_other(const struct choice_view *view, const char *title, double lambda,
			uint64_t spread)
{
	printf("%-12s ", title);
	if (isinf(lambda))
		fputs("no route between some of them", stdout);
	else
		printf("lambda %.6g, spread %.4g", lambda * (double)view->scale,
		       crossed(view, spread));
}

void choice_print(const struct choice_view *view)
{
	const struct liquid_choice *choice = view->choice;
	double scale = (double)view->scale;

	if (is_split(choice)) {
		print_hosts(view, "senders", choice->senders);
		print_hosts(view, "receivers", choice->receivers);
	} else {
		print_hosts(view, "nodes", choice->senders);
	}
	printf("%-12s %u of %u candidates\n", "chosen", choice->count, choice->candidates);
	printf("%-12s %.6g, at least %.6g for any others\n", "lambda", choice->lambda * scale,
	       choice->bound * scale);
	print_throughput(view);
	printf("%-12s %.4g links between switches for a transfer\n", "spread",
	       crossed(view, choice->spread));
	print_proof(view);
	print_other(view, "first", choice->first_lambda, choice->first_spread);
	putchar('\n');
	print_other(view, "random", choice->random_lambda, choice->random_spread);
	printf(" (median of %d; lambda %.6g to %.6g)\n", LIQUID_CHOICE_DRAWS,
	       choice->random_least * scale, choice->random_most * scale);
}

/* ---- JSON ---- */

static json_t *names_json(const struct choice_view *view, const uint32_t *hosts)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < view->choice->count; i++)
		if (json_array_append_new(array, json_string(
					liquid_fabric_node_name(view->fabric, hosts[i])))) {
			json_decref(array);
			return NULL;
		}
	return array;
}

/* null: some pair has no route */
static json_t *lambda_json(const struct choice_view *view, double lambda)
{
	return isinf(lambda) ? json_null() : json_real(lambda * (double)view->scale);
}

json_t *choice_json(const struct choice_view *view)
{
	const struct liquid_choice *choice = view->choice;

	return json_pack("{s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:f, s:s, s:I, s:I,"
			 " s:{s:o, s:f}, s:{s:o, s:f, s:i, s:o, s:o}, s:I, s:I}",
			 "fabric", liquid_fabric_name(view->fabric),
			 "senders", names_json(view, choice->senders),
			 "receivers", names_json(view, choice->receivers),
			 "candidates", (json_int_t)choice->candidates,
			 "transfers", (json_int_t)(choice->transfers * view->scale),
			 "lambda", lambda_json(view, choice->lambda),
			 "bound", lambda_json(view, choice->bound),
			 "spread", crossed(view, choice->spread),
			 "proven", proofs[choice->proof],
			 "classes", (json_int_t)choice->classes,
			 "allocations", (json_int_t)choice->allocations,
			 "first", "lambda", lambda_json(view, choice->first_lambda),
			 "spread", crossed(view, choice->first_spread),
			 "random", "lambda", lambda_json(view, choice->random_lambda),
			 "spread", crossed(view, choice->random_spread),
			 "draws", LIQUID_CHOICE_DRAWS,
			 "least", lambda_json(view, choice->random_least),
			 "most", lambda_json(view, choice->random_most),
			 "trials", (json_int_t)choice->trials, "work", (json_int_t)choice->work);
}
