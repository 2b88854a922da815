// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream-run: a stream of blocks by UDP over several ways, with as much redundancy as losses need
 *
 * usage: stream-run send WAYS BLOCKS BLOCK_NS
 *        stream-run receive WAYS
 *        stream-run clock overlap|alone WHOLE_NS LASTING_NS TIMES SEED LINK...
 *
 * WAYS has a line "WEIGHT NETNS ADDRESS NETNS ADDRESS" for each way: its share of the stream, the
 * sender's network namespace and address, the receiver's. The clock takes links of the lab down and
 * up (stream-clock.c).
 */
#include <stdio.h>
#include <string.h>

#include "stream.h"

int main(int argc, char **argv)
{
	struct ways ways = { 0 };

	setlinebuf(stdout);
	if (argc >= 8 && !strcmp(argv[1], "clock"))
		return run_clock(argv + 2);
	if (argc != (argc > 1 && !strcmp(argv[1], "send") ? 5 : 3)) {
		fputs("usage: stream-run send WAYS BLOCKS BLOCK_NS | receive WAYS |\n"
		      "       clock overlap|alone WHOLE_NS LASTING_NS TIMES SEED LINK...\n",
		      stderr);
		return 2;
	}
	code_begin();
	read_ways(argv[2], argc == 5, &ways);
	if (argc == 5)
		return run_send(&ways, (uint32_t)number_of(argv[3]), number_of(argv[4]));
	return run_receive(&ways);
}
