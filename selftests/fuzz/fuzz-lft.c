// SPDX-License-Identifier: GPL-2.0-only
/* Fuzz the reader of forwarding tables, for two switches with two hosts each and two cables. */
#include <string.h>

#include "fuzz.h"
#include "liquidsched.h"

#define HOST(guid, name, sw, port, lid) \
	"Ca\t1 \"H-" guid "\"\t\t# \"" name " HCA-1\"\n" \
	"[1](" guid ") \t\"S-" sw "\"[" port "]\t\t# lid " lid " lmc 0 \"s\" lid 9 4xEDR\n"
#define AT_HOST(port, guid) \
	"[" port "]\t\"H-" guid "\"[1](" guid ") \t\t# \"n HCA-1\" lid 1 4xEDR\n"
#define AT_SWITCH(port, sw) "[" port "]\t\"S-" sw "\"[" port "]\t\t# \"s\" lid 9 4xEDR\n"

static const char topo[] =
	"Switch\t4 \"S-a1\"\t\t# \"s1\" base port 0 lid 5 lmc 0\n"
	AT_HOST("1", "b1") AT_HOST("2", "b2") AT_SWITCH("3", "a2") AT_SWITCH("4", "a2")
	"Switch\t4 \"S-a2\"\t\t# \"s2\" base port 0 lid 6 lmc 0\n"
	AT_HOST("1", "b3") AT_HOST("2", "b4") AT_SWITCH("3", "a1") AT_SWITCH("4", "a1")
	HOST("b1", "n1", "a1", "1", "1") HOST("b2", "n2", "a1", "2", "2")
	HOST("b3", "n3", "a2", "1", "3") HOST("b4", "n4", "a2", "2", "4");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct liquid_error err = { "" };
	struct liquid_import import = {
		.topo = fuzz_file(topo, strlen(topo)), .topo_label = "topo",
		.lft = fuzz_file(data, size), .lft_label = "lft",
	};
	struct liquid_fabric *fabric;

	/* The topology is sound: what is wrong is the table's fault */
	if (liquid_fabric_import(&import, &fabric, &err))
		fuzz_check(!fabric && !strncmp(err.text, "lft:", 4));
	liquid_fabric_free(fabric);
	fclose(import.topo);
	fclose(import.lft);
	return 0;
}
