/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests' programs know of the wire, of the specification's rows: commands, attributes */
#ifndef LIQUID_TEST_FIELDS_H
#define LIQUID_TEST_FIELDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <linux/liquid.h>

/* ARRAY: of u64 */
enum kind { PAD, FLAG, U8, U16, U32, U64, S32, S64, NEST, TEXT, BYTES, ARRAY };

struct field {
	const char *name;			/* NULL: no such attribute */
	uint16_t type;
	enum kind kind;
	const char *const *values;		/* names of an enum's values, ends with NULL */
	const struct fields *nest;
};

struct fields {
	const struct field *field;		/* by type */
	uint16_t max;
};

#define NAMES(names, ...) static const char *const names[] = { __VA_ARGS__, NULL };
#define BEGIN(set) static const struct field set##_rows[] = {
#define END(set) }; static const struct fields set##_fields = { set##_rows, \
	sizeof(set##_rows) / sizeof(set##_rows[0]) - 1 };
#define NAME(prefix, attr, member, what) \
	[prefix##attr] = { .name = #member, .type = prefix##attr, .kind = what },
#define NEST(prefix, attr, member, set) \
	[prefix##attr] = { .name = #member, .type = prefix##attr, .kind = NEST, \
			   .nest = &set##_fields },
#define VALUE(prefix, attr, member, what, object, names) \
	[prefix##attr] = { .name = #member, .type = prefix##attr, .kind = what, .values = names },
#define COUNTER(prefix, attr, member) NAME(prefix, attr, member, U64)
#define NUMBERS(prefix, attr, member, ...) NAME(prefix, attr, member, ARRAY)
#define PART(prefix, attr, member, object, at, set) NEST(prefix, attr, member, set)
#define LIST(prefix, attr, member, object, set) NEST(prefix, attr, member, set)
#define SAME NEST
#include "gate/rows-gen.h"
#undef NAMES
#undef BEGIN
#undef END
#undef NAME
#undef NEST
#undef VALUE
#undef COUNTER
#undef NUMBERS
#undef PART
#undef LIST
#undef SAME

/* A command by its name, or by what follows its first word: "commit"; 0: there is none */
static inline uint8_t command_of(const char *name)
{
	for (uint8_t i = 1; command_names[i]; i++)
		if (!strcmp(command_names[i], name) ||
		    !strcmp(strchr(command_names[i], '-') + 1, name))
			return i;
	return 0;
}

/* The field of attribute @type, or NULL */
static inline const struct field *field_of(const struct fields *fields, uint16_t type)
{
	if (type > fields->max || !fields->field[type].name)
		return NULL;
	return &fields->field[type];
}

/* The bytes of a number; 0 for other kinds */
static inline size_t field_size(const struct field *field)
{
	static const size_t sizes[ARRAY + 1] = { [U8] = 1, [U16] = 2, [U32] = 4, [S32] = 4,
						 [U64] = 8, [S64] = 8 };

	return sizes[field->kind];
}

#endif
