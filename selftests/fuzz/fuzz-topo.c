// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fuzz the reader of ibnetdiscover's output, and what names and joins what was read.
 *
 * The forwarding tables follow the input after a line "%%", so that a topology can
 * come as far as its routes.
 */
#include <string.h>

#include "fuzz.h"
#include "liquidsched.h"

static int import_text(const uint8_t *data, size_t size, const struct liquid_import *asked,
		       struct liquid_fabric **fabric, struct liquid_error *err)
{
	const uint8_t *cut = memmem(data, size, "\n%%\n", 4);
	size_t topo = cut ? (size_t)(cut + 1 - data) : size;
	struct liquid_import import = *asked;
	int status;

	import.topo = fuzz_file(data, topo);
	import.topo_label = "topo";
	import.lft = cut ? fuzz_file(cut + 4, size - topo - 3) : fuzz_file(NULL, 0);
	import.lft_label = "lft";
	status = liquid_fabric_import(&import, fabric, err);
	fclose(import.topo);
	fclose(import.lft);
	return status;
}

/* What is imported likewise is the same; a file keeps all that this takes. */
static void import_again(const uint8_t *data, size_t size, const struct liquid_fabric *fabric)
{
	struct liquid_import like = { 0 };
	struct liquid_fabric *other;
	size_t length;
	char *text = fuzz_text_of(fabric, &length);
	struct liquid_fabric *read = fuzz_fabric_of(text, length);

	like.like = read;
	fuzz_check(!import_text(data, size, &like, &other, NULL));
	fuzz_same_digest(fabric, other);
	liquid_fabric_free(read);
	liquid_fabric_free(other);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct liquid_import asked = {
		.rail = size % 3, .allow_unreachable = size % 2,
		.unit_bps = size % 5 ? 0 : 2000000000, .leave_out = size % 7 ? NULL : "alpha,delta",
	};
	struct liquid_error err = { "" };
	struct liquid_fabric *fabric;

	if (import_text(data, size, &asked, &fabric, &err))
		fuzz_check(!fabric && err.text[0]);
	else
		import_again(data, size, fabric);
	liquid_fabric_free(fabric);
	return 0;
}
