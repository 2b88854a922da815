// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loading the file of a schedule
 *
 * A JSON tree of the frames would take about 300 bytes per transfer. This parser reads them into
 * 8 bytes each. Jansson reads the rest: it gets the text of the file with an empty array in place
 * of the frames. The array of frames is found by counting brackets outside strings. This is right
 * for all text that jansson accepts; other text is refused anyway.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/siphash.h"
#include "schedule/load.h"
#include "traffic/traffic.h"

#define FRAMES_KEY "frames"
#define KEY_RAW_MAX (6 * sizeof(FRAMES_KEY))	/* each character may be an escape: \u0066 */
#define NAME_RAW_MAX (1 + 6 * LIQUID_NAME_MAX)	/* a name of escapes, and a quote */

struct loader {
	struct schedule_file *file;
	FILE *in;
	const char *label;
	struct liquid_error *err;
	int status;			/* error that ended the text for jansson */
	int line;			/* line number, from 1 */

	/*
	 * Hash table of names with open addressing: index + 1; 0: empty. The key is secret, so that
	 * no file can make all names collide.
	 */
	struct siphash_key hash_key;
	uint32_t *slots;
	uint32_t slot_count;		/* a power of two, more than twice name_count */
	uint32_t name_room, frame_room, transfer_room, transfer_count;

	/* State of the scanner outside the frames */
	unsigned int depth;		/* open brackets and braces */
	bool object;			/* the outermost bracket is a brace */
	bool string, escaped;		/* in a string, after a backslash */
	bool key;			/* this string is a key of the outermost object */
	bool key_next;			/* the next string is such a key */
	bool frames_key;		/* the latest key is FRAMES_KEY */
	bool frames_value;		/* the next value is that of FRAMES_KEY */
	char raw[KEY_RAW_MAX];		/* beginning of the key, with its escapes */
	size_t raw_length;

	/* Text for jansson in place of the frames */
	uint32_t newlines;		/* newlines that are left, for its line numbers */
	const char *closing;		/* brackets that are left, or NULL */
};

static int no_memory(struct loader *loader)
{
	return liquid_fail(loader->err, LIQUID_NO_MEMORY, "%s: no memory for the schedule",
			   loader->label);
}

static int cannot_read(struct loader *loader)
{
	return liquid_fail(loader->err, LIQUID_IO, "%s: %s", loader->label, strerror(errno));
}

static int syntax_error(struct loader *loader, int c, const char *expected)
{
	char near[16];

	if (c == EOF && ferror(loader->in))
		return cannot_read(loader);
	if (c == EOF)
		return liquid_fail(loader->err, LIQUID_BAD_INPUT,
				   "%s:%d: %s expected, but the file ends", loader->label,
				   loader->line, expected);
	snprintf(near, sizeof(near), c > ' ' && c < 0x7f ? "'%c'" : "byte 0x%02x", c);
	return liquid_fail(loader->err, LIQUID_BAD_INPUT, "%s:%d: %s expected near %s",
			   loader->label, loader->line, expected, near);
}

/* Keep an error of frames that are JSON but invalid. The rest of the file is not read. */
#define invalid(loader, format, ...) \
	((loader)->file->frames_status = liquid_fail(&(loader)->file->reason, LIQUID_BAD_INPUT, \
						     "%s: " format, (loader)->label, \
						     ##__VA_ARGS__))

/* ---- names ---- */

static uint32_t *find_slot(const struct loader *loader, const char *name)
{
	uint32_t i = (uint32_t)siphash(&loader->hash_key, name, strlen(name)) &
		     (loader->slot_count - 1);

	while (loader->slots[i] && strcmp(loader->file->names[loader->slots[i] - 1], name))
		i = (i + 1) & (loader->slot_count - 1);
	return &loader->slots[i];
}

static bool grow_names(struct loader *loader)
{
	uint32_t room = loader->name_room ? 2 * loader->name_room : 64;
	char **names = reallocarray(loader->file->names, room, sizeof(*names));
	uint32_t *slots = calloc(4 * (size_t)room, sizeof(*slots));

	if (names)
		loader->file->names = names;
	if (!names || !slots) {
		free(slots);
		return false;
	}
	free(loader->slots);
	loader->slots = slots;
	loader->slot_count = 4 * room;
	loader->name_room = room;
	for (uint32_t i = 0; i < loader->file->name_count; i++)
		*find_slot(loader, names[i]) = i + 1;
	return true;
}

static int number_name(struct loader *loader, const char *name, uint32_t *host)
{
	struct schedule_file *file = loader->file;
	uint32_t *slot;

	if (file->name_count == loader->name_room && !grow_names(loader))
		return no_memory(loader);
	slot = find_slot(loader, name);
	if (!*slot) {
		file->names[file->name_count] = strdup(name);
		if (!file->names[file->name_count])
			return no_memory(loader);
		*slot = ++file->name_count;
	}
	*host = *slot - 1;
	return LIQUID_OK;
}

/* ---- the text of the frames ---- */

/* Read the next byte that is not white space. */
static int next_token(struct loader *loader)
{
	int c;

	while ((c = getc_unlocked(loader->in)) == ' ' || c == '\t' || c == '\r' || c == '\n')
		if (c == '\n') {
			loader->line++;
			loader->newlines++;
		}
	return c;
}

/* Can @c begin a JSON value? */
static bool begins_value(int c)
{
	return c != EOF && c && strchr("\"[{-0123456789tfn", c);
}

/*
 * Read a string after its opening quote into @raw, with quotes and escapes. If it is longer than
 * any name, *@length is 0 and the rest is not read. *@plain: it is ASCII without escapes.
 */
static int read_raw(struct loader *loader, char raw[NAME_RAW_MAX + 3], size_t *length, bool *plain)
{
	size_t count = 1;
	int c;

	*plain = true;
	raw[0] = '"';
	while ((c = getc_unlocked(loader->in)) != '"') {
		if (c < ' ')
			return syntax_error(loader, c, "a character of a host's name");
		*plain = *plain && c < 0x80 && c != '\\';
		raw[count++] = (char)c;
		if (c == '\\' && count <= NAME_RAW_MAX) {
			c = getc_unlocked(loader->in);
			if (c < ' ')
				return syntax_error(loader, c, "a character of a host's name");
			raw[count++] = (char)c;
		}
		if (count > NAME_RAW_MAX)
			break;
	}
	raw[count] = '"';
	raw[count + 1] = '\0';
	*length = count > NAME_RAW_MAX ? 0 : count + 1;
	return LIQUID_OK;
}

static int invalid_name(struct loader *loader, size_t index)
{
	return invalid(loader, "frame %u, transfer %zu: a host must be a string of 1 ... %d bytes",
		     loader->file->frame_count, index, LIQUID_NAME_MAX);
}

/* Did jansson run out of memory? Its error code often says that the text is invalid instead. */
static bool out_of_memory(const json_error_t *where)
{
	return errno == ENOMEM || !where->text[0] ||
	       json_error_code(where) == json_error_out_of_memory;
}

/* Let jansson decode escapes and check UTF-8. */
static int decode_name(struct loader *loader, const char *raw, size_t length, char *name,
		       size_t index)
{
	int status = LIQUID_OK;
	json_error_t where;
	json_t *text;

	errno = 0;
	text = json_loadb(raw, length, JSON_DECODE_ANY, &where);
	if (!text)
		return out_of_memory(&where) ? no_memory(loader) :
		       liquid_fail(loader->err, LIQUID_BAD_INPUT, "%s:%d: %s", loader->label,
				   loader->line, where.text);
	if (json_string_length(text) <= LIQUID_NAME_MAX)
		strcpy(name, json_string_value(text));
	else
		status = invalid_name(loader, index);
	json_decref(text);
	return status;
}

/* Read a host's name after its opening quote. */
static int read_name(struct loader *loader, size_t index, uint32_t *host)
{
	char raw[NAME_RAW_MAX + 3], name[LIQUID_NAME_MAX + 1];
	size_t length = 0;
	bool plain;
	int status = read_raw(loader, raw, &length, &plain);

	if (status)
		return status;
	if (length <= 2 || (plain && length > LIQUID_NAME_MAX + 2))
		return invalid_name(loader, index);
	if (plain) {
		memcpy(name, raw + 1, length - 2);
		name[length - 2] = '\0';
	} else {
		status = decode_name(loader, raw, length, name, index);
		if (status)
			return status;
	}
	if (strpbrk(name, " \t\r\n\v\f"))
		return invalid(loader, "frame %u, transfer %zu: host '%s' has white space",
			     loader->file->frame_count, index, name);
	return number_name(loader, name, host);
}

static int invalid_pair(struct loader *loader, size_t index)
{
	return invalid(loader, "frame %u, transfer %zu: must be [\"src\",\"dst\"]",
		     loader->file->frame_count, index);
}

static int read_end(struct loader *loader, size_t index, uint32_t *host)
{
	int c = next_token(loader);

	if (c == '"')
		return read_name(loader, index, host);
	if (c == ']')
		return invalid_pair(loader, index);
	return begins_value(c) ? invalid_name(loader, index) :
	       syntax_error(loader, c, "a host name");
}

/* Read a transfer; @c is its first byte, which must be a bracket. */
static int read_pair(struct loader *loader, int c, size_t index, struct liquid_transfer *transfer)
{
	int status;

	if (c != '[')
		return begins_value(c) ? invalid_pair(loader, index) :
		       syntax_error(loader, c, "a transfer");
	status = read_end(loader, index, &transfer->src);
	if (status)
		return status;
	c = next_token(loader);
	if (c != ',')
		return c == ']' ? invalid_pair(loader, index) :
		       syntax_error(loader, c, "',' or ']'");
	status = read_end(loader, index, &transfer->dst);
	if (status)
		return status;
	c = next_token(loader);
	if (c != ']')
		return c == ',' ? invalid_pair(loader, index) :
		       syntax_error(loader, c, "',' or ']'");
	if (transfer->src == transfer->dst)
		return invalid(loader, "frame %u, transfer %zu: '%s' sends to itself",
			     loader->file->frame_count, index, loader->file->names[transfer->src]);
	return LIQUID_OK;
}

static struct liquid_transfer *new_transfer(struct loader *loader)
{
	struct schedule_file *file = loader->file;
	uint32_t room = loader->transfer_room;

	if (loader->transfer_count == room) {
		struct liquid_transfer *larger;

		room = room > LIQUID_TRANSFERS_MAX / 2 ? LIQUID_TRANSFERS_MAX : 2 * room + 256;
		larger = reallocarray(file->transfers, room, sizeof(*larger));
		if (!larger)
			return NULL;
		file->transfers = larger;
		loader->transfer_room = room;
	}
	return &file->transfers[loader->transfer_count++];
}

static int too_many(struct loader *loader)
{
	return invalid(loader, "more than %u transfers", LIQUID_TRANSFERS_MAX);
}

/* Read the transfers of a frame after its opening bracket. */
static int read_transfers(struct loader *loader)
{
	int status, c = next_token(loader);

	if (c == ']')
		return LIQUID_OK;
	for (size_t index = 0;; index++) {
		struct liquid_transfer *transfer;

		if (loader->transfer_count == LIQUID_TRANSFERS_MAX)
			return too_many(loader);
		transfer = new_transfer(loader);
		status = transfer ? read_pair(loader, c, index, transfer) : no_memory(loader);
		if (status)
			return status;
		c = next_token(loader);
		if (c == ']')
			return LIQUID_OK;
		if (c != ',')
			return syntax_error(loader, c, "',' or ']'");
		c = next_token(loader);
	}
}

static int end_frame(struct loader *loader)
{
	struct schedule_file *file = loader->file;
	uint32_t room = loader->frame_room;

	if (file->frame_count + 1 >= room) {
		uint32_t *larger = reallocarray(file->first, 2 * (size_t)room, sizeof(*larger));

		if (!larger)
			return no_memory(loader);
		file->first = larger;
		loader->frame_room = 2 * room;
	}
	file->first[++file->frame_count] = loader->transfer_count;
	return LIQUID_OK;
}

/* Read a frame; @c is its first byte, which must be a bracket. */
static int read_frame(struct loader *loader, int c)
{
	int status;

	if (c != '[')
		return begins_value(c) ? invalid(loader, "frame %u: must be an array of transfers",
						 loader->file->frame_count) :
		       syntax_error(loader, c, "a frame");
	if (loader->file->frame_count == LIQUID_TRANSFERS_MAX)
		return too_many(loader);
	status = read_transfers(loader);
	return status ? status : end_frame(loader);
}

/*
 * Read the frames after the opening bracket. Fails if the text is not JSON; invalid() keeps other
 * errors.
 */
static int read_frames(struct loader *loader)
{
	int status, c = next_token(loader);

	loader->frame_room = 64;
	loader->file->first = calloc(loader->frame_room, sizeof(*loader->file->first));
	if (!loader->file->first)
		return no_memory(loader);
	while (c != ']') {
		status = read_frame(loader, c);
		if (status)
			return status;
		c = next_token(loader);
		if (c != ',' && c != ']')
			return syntax_error(loader, c, "',' or ']'");
		if (c == ']')
			break;
		c = next_token(loader);
		if (c == ']')
			return syntax_error(loader, c, "a frame");
	}
	return LIQUID_OK;
}

static void take_frames(struct loader *loader)
{
	int status = read_frames(loader);

	loader->frames_value = false;
	loader->closing = loader->file->frames_status ? "]}" : "]";
	if (!loader->file->frames_status)
		loader->status = status;
}

/* ---- the text around the frames ---- */

/* Is this key FRAMES_KEY, perhaps with escapes? */
static bool is_frames_key(struct loader *loader)
{
	char quoted[KEY_RAW_MAX + 3];
	json_error_t where;
	json_t *text;
	bool is;

	if (loader->raw_length == KEY_RAW_MAX)
		return false;
	if (!memchr(loader->raw, '\\', loader->raw_length))
		return loader->raw_length == strlen(FRAMES_KEY) &&
		       !memcmp(loader->raw, FRAMES_KEY, strlen(FRAMES_KEY));
	snprintf(quoted, sizeof(quoted), "\"%.*s\"", (int)loader->raw_length, loader->raw);
	errno = 0;
	text = json_loads(quoted, JSON_DECODE_ANY, &where);
	if (!text && out_of_memory(&where))
		loader->status = no_memory(loader);
	is = text && !strcmp(json_string_value(text), FRAMES_KEY);
	json_decref(text);
	return is;
}

static void scan_string(struct loader *loader, char c)
{
	if (!loader->escaped && c == '"') {
		loader->string = false;
		if (loader->key)
			loader->frames_key = is_frames_key(loader);
		return;
	}
	loader->escaped = !loader->escaped && c == '\\';
	if (loader->key && loader->raw_length < KEY_RAW_MAX)
		loader->raw[loader->raw_length++] = c;
}

static void scan(struct loader *loader, char c)
{
	bool outermost = loader->depth == 1 && loader->object;

	if (c == '\n')
		loader->line++;
	if (loader->string) {
		scan_string(loader, c);
		return;
	}
	switch (c) {
	case ' ':
	case '\t':
	case '\r':
	case '\n':
		return;
	case '"':
		loader->string = true;
		loader->key = outermost && loader->key_next;
		loader->raw_length = 0;
		break;
	case '[':
	case '{':
		if (c == '[' && loader->frames_value && outermost) {
			take_frames(loader);
			return;
		}
		if (!loader->depth++)
			loader->object = loader->key_next = c == '{';
		break;
	case ']':
	case '}':
		loader->depth -= loader->depth > 0;
		break;
	case ',':
		loader->key_next = loader->key_next || outermost;
		break;
	case ':':
		if (outermost) {
			loader->key_next = false;
			/* Jansson refuses a second one as a duplicate key */
			loader->frames_value = loader->frames_key && !loader->file->first;
			return;
		}
		break;
	}
	loader->frames_value = false;
}

static size_t feed(void *buffer, size_t room, void *context)
{
	struct loader *loader = context;
	char *text = buffer;
	size_t count = 0;
	int c;

	while (count < room && !loader->status) {
		if (loader->newlines) {
			text[count++] = '\n';
			loader->newlines--;
			continue;
		}
		if (loader->closing && *loader->closing) {
			text[count++] = *loader->closing++;
			continue;
		}
		c = loader->file->frames_status ? EOF : getc_unlocked(loader->in);
		if (c == EOF)
			break;
		text[count++] = (char)c;
		scan(loader, (char)c);
	}
	return count;
}

/* Choose the error to report: that of the frames if jansson failed only at the end of its text. */
static int explain(struct loader *loader, const json_error_t *where)
{
	int line = where->line > 0 ? where->line : 1;

	if (loader->status && json_error_code(where) == json_error_premature_end_of_input)
		return loader->status;
	if (ferror(loader->in))
		return cannot_read(loader);
	if (out_of_memory(where))
		return no_memory(loader);
	return liquid_fail(loader->err, LIQUID_BAD_INPUT, "%s:%d: %s", loader->label, line,
			   where->text);
}

int schedule_file_load(FILE *in, const char *label, struct schedule_file *file,
		       struct liquid_error *err)
{
	struct loader loader = { .file = file, .in = in, .label = label, .err = err, .line = 1 };
	json_error_t where;
	int status = LIQUID_OK;

	*file = (struct schedule_file){ 0 };
	if (!siphash_draw_key(&loader.hash_key))
		return liquid_fail(err, LIQUID_IO, "no random numbers: %s", strerror(errno));
	errno = 0;
	file->root = json_load_callback(feed, &loader, JSON_REJECT_DUPLICATES, &where);
	if (!file->root)
		status = explain(&loader, &where);
	else if (ferror(in))
		status = cannot_read(&loader);
	free(loader.slots);
	return status;
}

void schedule_file_clear(struct schedule_file *file)
{
	for (uint32_t i = 0; i < file->name_count; i++)
		free(file->names[i]);
	free(file->names);
	free(file->first);
	free(file->transfers);
	json_decref(file->root);
	*file = (struct schedule_file){ 0 };
}
