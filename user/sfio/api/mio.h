/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface of the thesis, under its names. What returned nothing there returns 0 or a negative
 * errno. mwriteba() and mreadba() are new: the collective forms of mwriteb() and mreadb().
 *
 * A program whose function is _main(), as in the thesis, defines SFIO_MAIN in one of its files.
 */
#ifndef LIQUID_SFIO_MIO_H
#define LIQUID_SFIO_MIO_H

#include <liquid-sfio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

MFILE *mopen(const char *name, int stripe_unit);
int mclose(MFILE *file);
int mchsize(MFILE *file, long size);
int mdelete(const char *name);
int mcreate(const char *name);

/* Not optimised: one message and one answer for each stripe unit */
int mread(MFILE *file, long offset, char *buffer, unsigned size);
int mwrite(MFILE *file, long offset, const char *buffer, unsigned size);
/* Optimised */
int mreadc(MFILE *file, long offset, char *buffer, unsigned size);
int mwritec(MFILE *file, long offset, const char *buffer, unsigned size);
/* Optimised over all blocks */
int mreadb(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[]);
int mwriteb(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[]);
/* Optimised over all blocks of all compute ranks */
int mreadba(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[]);
int mwriteba(MFILE *file, unsigned blocks, long offsets[], char *buffers[], unsigned sizes[]);

/*
 * Failed calls of the system on all listeners since the last question: open, close, creat, unlink,
 * ftruncate, lseek, write, read; the sixth is always 0. merrora() and prioerrora() are collective.
 */
#define MIO_ERRORS	8
int merror(unsigned long *errors);
int merrora(unsigned long *errors);
int prioerrora(void);

#ifdef SFIO_MAIN
int _main(int argc, char *argv[]);

int main(int argc, char *argv[])
{
	return sfio_main(argc, argv, _main);
}
#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
