// SPDX-License-Identifier: GPL-2.0-only
/* liquid advise --html: today's routes beside others, and what each remedy takes. */
#include <stdlib.h>

#include "advise/advise.h"
#include "util/command.h"
#include "util/units.h"

static struct liquid_bar bar_of(const struct advise_remedy *remedy)
{
	struct liquid_bar bar = { remedy->name, remedy->command, { 0 } };

	for (int queues = 0; queues < ADVISE_SWITCHES; queues++)
		if (remedy->ns[queues] > 0)
			bar.ns[queues] = (uint64_t)remedy->ns[queues];
	return bar;
}

static void tell_story(const struct advise_page *page, char *text, size_t size)
{
	const struct advise_verdict *verdict = page->verdict;
	const struct advise_remedy *first = &verdict->remedy[0];
	char today[UNIT_TEXT], then[UNIT_TEXT];

	format_time((uint64_t)verdict->today.ns[ADVISE_VOQ], today);
	if (!verdict->recommended) {
		snprintf(text, size, "Today (%s) the exchange takes %s with VOQ switches. Nothing "
			 "that was tried makes it faster by 5 %% or more.", verdict->today.name,
			 today);
		return;
	}
	format_time((uint64_t)first->ns[ADVISE_VOQ], then);
	snprintf(text, size, "Today (%s) the exchange takes %s with VOQ switches; with %s it takes "
		 "%s, x%.2f as fast. Times are the simulator's.\n%s", verdict->today.name, today,
		 first->name, then, first->gain[ADVISE_VOQ], first->command);
}

static int write_views(const struct advise_page *page, struct liquid_page *html, FILE **text)
{
	const struct advise_facts *facts = page->facts;
	size_t links = liquid_fabric_link_count(facts->fabric) + (size_t)1;
	uint64_t *load = calloc(links, sizeof(*load));
	const struct liquid_view views[] = {
		{ "today's routes", facts->fabric, facts->load, "messages", facts->traffic, NULL },
		{ "other routes (liquid route)", page->routed, load, "messages", facts->traffic,
		  NULL },
	};
	struct liquid_error err;
	int code = load ? EXIT_OK : no_memory(), status;

	html->view = views;
	html->views = page->routed ? 2 : 1;
	if (!code && page->routed) {
		status = liquid_traffic_loads(page->routed, facts->traffic, load, &err);
		code = status ? complain_of(status, &err) : EXIT_OK;
	}
	if (!code)
		code = write_page(page->advise->html, html, text);
	free(load);
	return code;
}

int advise_html(const struct advise_page *page, FILE **text)
{
	const struct advise_verdict *verdict = page->verdict;
	struct liquid_bar bars[ADVISE_REMEDIES + 1];
	char title[LIQUID_NAME_MAX + 64], story[4096];
	struct liquid_page html = { .title = title, .text = story, .bar = bars,
				    .kind = { "FIFO switches", "VOQ switches" } };

	bars[html.bars++] = bar_of(&verdict->today);
	for (uint32_t i = 0; i < verdict->recommended; i++)
		bars[html.bars++] = bar_of(&verdict->remedy[i]);
	snprintf(title, sizeof(title), "%s: what an exchange loses, and what helps",
		 liquid_fabric_name(page->facts->fabric));
	tell_story(page, story, sizeof(story));
	return write_views(page, &html, text);
}
