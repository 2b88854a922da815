/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libliquid-sfio: files striped over the disks of many nodes, for MPI programs
 *
 * Some ranks of the program are listeners, which have the subfiles; the others compute. mio.h has
 * the functions of the thesis (E. Gabrielyan, Three Topics in Parallel Communications, 2006,
 * Appendix A); these implement them, with sizes of 64 bits. Functions return 0 or a
 * negative errno: -ETIMEDOUT if a listener, or in a collective call another rank, has not answered
 * in LIQUID_SFIO_TIMEOUT. A call that ends so may have been done in part.
 *
 * A process has one set of listeners. One thread at a time may call these functions.
 */
#ifndef LIQUID_SFIO_H
#define LIQUID_SFIO_H

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct sfio_file MFILE;

/*
 * All ranks of @comm call it. On compute ranks it returns with *@compute as their communicator. On
 * a listener it returns when all compute ranks have called sfio_finish(), with MPI_COMM_NULL.
 */
int sfio_init(MPI_Comm comm, MPI_Comm *compute);
/* Collective on the compute ranks. Files that are still open are not closed. */
int sfio_finish(void);
/*
 * The whole main function of a program: begins and ends MPI, and calls @compute on compute ranks.
 * If a rank has timed out, it ends the program by MPI_Abort(), as MPI_Finalize() would wait for it.
 */
int sfio_main(int argc, char **argv, int (*compute)(int argc, char **argv));
/* The communicator of the compute ranks, NULL on others */
MPI_Comm sfio_compute(void);

/* Collective; they begin and end with all compute ranks. NULL: see errno. */
MFILE *sfio_open(const char *name, uint64_t unit);
int sfio_close(MFILE *file);
int sfio_resize(MFILE *file, uint64_t size);
int sfio_create(const char *name);
int sfio_delete(const char *name);

struct sfio_block {
	uint64_t offset, bytes;
	void *memory;
};

/*
 * Blocks may overlap: in a write the later one wins. Bytes beyond the end of the file read as
 * zeros. The first two are a rank's own, the other two collective: listeners join what all ranks
 * ask for. Blocks of different ranks that overlap in a collective write: any may win.
 */
int sfio_write(MFILE *file, const struct sfio_block *block, uint32_t blocks);
int sfio_read(MFILE *file, const struct sfio_block *block, uint32_t blocks);
int sfio_write_all(MFILE *file, const struct sfio_block *block, uint32_t blocks);
int sfio_read_all(MFILE *file, const struct sfio_block *block, uint32_t blocks);

/* Counters of this rank */
struct sfio_stats {
	uint64_t messages;		/* requests to listeners, of reads and writes */
	uint64_t bytes;			/* of data */
	/* of subfiles; a collective call's are counted on one rank */
	uint64_t accesses;
	uint64_t epochs, unsynchronised;	/* of the schedule; pieces that missed a token */
	uint64_t read_epochs, read_unsynchronised;	/* the most that a listener has had */
};
void sfio_stats(struct sfio_stats *stats);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
