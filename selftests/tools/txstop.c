// SPDX-License-Identifier: GPL-2.0-only
/*
 * txstop: a net device whose transmit queue stops for real, for as long as a test wants
 *
 *	txstop FILE
 *
 * A serial line (SLIP) over a pseudo terminal: its driver stops the queue with each packet until
 * the terminal has taken it, and the terminal takes none while no one reads. Writes the device's
 * name into FILE, then reads on SIGUSR1, and stops reading on SIGUSR2; starts reading. SIGTERM
 * hangs up. Prints how many packets were read.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tty.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define SLIP_END	0300
#define SIOCGIFNAME_LINE	0x8910	/* on a line: the name of its device */

static volatile sig_atomic_t reading = 1, over;

static void on_signal(int number)
{
	if (number == SIGUSR1)
		reading = 1;
	else if (number == SIGUSR2)
		reading = 0;
	else
		over = 1;
}

static void __attribute__((noreturn)) fail(const char *what)
{
	fprintf(stderr, "txstop: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int open_line(int *master)
{
	struct termios raw;
	int line, slip = N_SLIP;

	*master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (*master < 0 || grantpt(*master) || unlockpt(*master))
		fail("pty");
	line = open(ptsname(*master), O_RDWR | O_NOCTTY);
	if (line < 0 || tcgetattr(line, &raw))
		fail("line");
	cfmakeraw(&raw);
	if (tcsetattr(line, TCSANOW, &raw) || ioctl(line, TIOCSETD, &slip))
		fail("SLIP");
	return line;
}

static void write_name(int line, const char *file)
{
	char name[64] = "";
	FILE *out = fopen(file, "w");

	if (!out || ioctl(line, SIOCGIFNAME_LINE, name) < 0)
		fail(file);
	fprintf(out, "%s\n", name);
	fclose(out);
}

/* A packet is what stands between two END characters. */
static unsigned long count_packets(const unsigned char *bytes, ssize_t size, bool *inside)
{
	unsigned long count = 0;

	for (ssize_t i = 0; i < size; i++) {
		if (bytes[i] == SLIP_END)
			count += *inside;
		*inside = bytes[i] != SLIP_END;
	}
	return count;
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	static unsigned char bytes[4096];
	unsigned long packets = 0;
	bool inside = false;
	int master, line;

	if (argc != 2) {
		fputs("usage: txstop FILE\n", stderr);
		return 2;
	}
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	line = open_line(&master);
	write_name(line, argv[1]);
	while (!over) {
		struct pollfd ready = { .fd = reading ? master : -1, .events = POLLIN };
		ssize_t got;

		if (poll(&ready, 1, 20) < 1)
			continue;
		got = read(master, bytes, sizeof(bytes));
		if (got > 0)
			packets += count_packets(bytes, got, &inside);
	}
	close(line);
	printf("packets=%lu\n", packets);
	return 0;
}
