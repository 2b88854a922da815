// SPDX-License-Identifier: GPL-2.0-only
/* A node's copy of the messages of the service */
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "job/service/link.h"

/* ---- the records ---- */

struct mirrored *link_find(const struct link *link, enum record record, const char *of,
			   const char *part)
{
	for (size_t i = 0; i < link->record_count; i++) {
		struct mirrored *at = &link->records[i];

		if (at->record == record && !strcmp(at->of, of) &&
		    !strcmp(at->part, part ? part : "-"))
			return at;
	}
	return NULL;
}

static void forget_at(struct link *link, size_t at)
{
	json_decref(link->records[at].json);
	link->records[at] = link->records[--link->record_count];
}

void link_forget(struct link *link)
{
	while (link->record_count)
		forget_at(link, link->record_count - 1);
}

static void forget_job(struct link *link, const char *job)
{
	for (size_t i = link->record_count; i--;)
		if (link->records[i].record < RECORD_ROUND && !strcmp(link->records[i].of, job))
			forget_at(link, i);
}

static void keep(struct link *link, enum record record, const struct message *message)
{
	const char *of = message->word[2], *part = message->word[3];
	json_t *json = json_loadb(message->body, message->length, JSON_REJECT_DUPLICATES, NULL);
	struct mirrored *at, *larger;

	if (!json || !job_name_fits(of) || strlen(of) >= JOB_ROUND_SIZE ||
	    strlen(part) > JOB_NAME_MAX || link_find(link, record, of, part)) {
		json_decref(json);
		return;
	}
	larger = reallocarray(link->records, link->record_count + 1, sizeof(*larger));
	if (!larger) {
		json_decref(json);
		return;
	}
	link->records = larger;
	at = &larger[link->record_count++];
	*at = (struct mirrored){ .record = record, .json = json };
	strcpy(at->of, of);
	strcpy(at->part, part);
}

/* ---- messages ---- */

static void copy_word(char *to, size_t size, const char *word)
{
	snprintf(to, size, "%s", strcmp(word, "-") ? word : "");
}

static void take_words(struct link *link, const struct message *message)
{
	int record = channel_record_of(message->word[1]);
	struct counted *counted;

	if (message->words != 7 || (record != RECORD_READY && record != RECORD_COMMITTED))
		return;
	counted = &link->counted[record == RECORD_COMMITTED];
	copy_word(counted->round, sizeof(counted->round), message->word[2]);
	counted->words.said = strtoul(message->word[3], NULL, 10);
	counted->words.of = strtoul(message->word[4], NULL, 10);
	copy_word(counted->words.digest, sizeof(counted->words.digest), message->word[5]);
	copy_word(counted->words.other, sizeof(counted->words.other), message->word[6]);
	snprintf(counted->words.missing, sizeof(counted->words.missing), "%.*s",
		 (int)(message->length < 256 ? message->length : 256), message->body);
	counted->times++;
}

void link_set_why(struct link *link, const char *text, size_t length)
{
	if (length)
		snprintf(link->why, sizeof(link->why), "%.*s",
			 (int)(length < 200 ? length : 200), text);
}

static void take_slice(struct link *link, const struct message *message)
{
	uint64_t offset = strtoull(message->word[1], NULL, 10);
	uint64_t total = strtoull(message->word[2], NULL, 10);

	if (link->slice.done || link->slice.epoch != link->epoch)
		return;
	if (!strcmp(message->word[1], "-") || offset != link->slice.length ||
	    total > JOB_RECORD_MAX || message->length > total - offset || !message->length) {
		link_set_why(link, message->body, message->length);
		free(link->slice.text);
		link->slice.text = NULL;
		link->slice.done = true;
		return;
	}
	if (!offset) {
		link->slice.text = malloc(total);
		link->slice.total = total;
	}
	if (!link->slice.text || total != link->slice.total) {
		link->slice.done = true;
		return;
	}
	memcpy(link->slice.text + offset, message->body, message->length);
	link->slice.length += message->length;
	link->slice.done = link->slice.length == total;
}

static void set_synced(struct link *link, const char *job)
{
	for (size_t i = 0; i < link->watched_count; i++)
		if (!strcmp(link->watched[i].job, job))
			link->watched[i].synced = true;
	/* The service is content with this node. */
	link->pause_ns = PAUSE_NS;
}

static void take_put(struct link *link, const struct message *message)
{
	link->answers++;
	link->answer = !strcmp(message->word[1], "done") ? PUT_DONE :
		       !strcmp(message->word[1], "lost") ? PUT_LOST : PUT_FAILED;
	if (link->answer == PUT_FAILED)
		link_set_why(link, message->body, message->length);
}

static void take_welcome(struct link *link, const struct message *message)
{
	for (size_t i = 1; i < message->words; i++)
		if (!strcmp(message->word[i], FEATURE_SAMPLES))
			link->takes_samples = true;
		else if (!strcmp(message->word[i], FEATURE_PLACE))
			link->takes_place = true;
}

static void take_place(struct link *link, const struct message *message)
{
	struct service_place *place = &link->known_as;

	snprintf(place->verdict, sizeof(place->verdict), "%s", message->word[1]);
	snprintf(place->from, sizeof(place->from), "%s", message->word[2]);
	snprintf(place->known, sizeof(place->known), "%.*s",
		 (int)(message->length < 256 ? message->length : 256), message->body);
}

bool link_take(struct link *link, const struct message *message)
{
	const char *verb = message->word[0];
	int record = message->words == 4 ? channel_record_of(message->word[1]) : -1;

	link->news++;
	if (!strcmp(verb, "record") && record >= 0)
		keep(link, (enum record)record, message);
	else if (!strcmp(verb, "welcome"))
		take_welcome(link, message);
	else if (!strcmp(verb, "forget"))
		forget_job(link, message->word[1]);
	else if (!strcmp(verb, "synced"))
		set_synced(link, message->word[1]);
	else if (!strcmp(verb, "put"))
		take_put(link, message);
	else if (!strcmp(verb, "words"))
		take_words(link, message);
	else if (!strcmp(verb, "slice"))
		take_slice(link, message);
	else if (!strcmp(verb, "running") && !link->running)
		link->running = strndup(message->body, message->length);
	else if (!strcmp(verb, "place"))
		take_place(link, message);
	if (strcmp(verb, "refused"))
		return true;
	link->stranger = !strcmp(message->word[1], REFUSED_STRANGER);
	link_set_why(link, message->body, message->length);
	if (!link->told)
		complain(0, "the service %s refuses %s: %s", link->host, link->hello.node,
			 link->why);
	link->told = true;
	return false;
}
