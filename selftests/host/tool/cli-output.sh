#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What liquid-nl writes and reads: -o never costs what it names, nothing stays behind when it is
# killed, and what cannot be read or written is exit code 5.
#
# timeout: 120

# In its own mount namespaces, with its own devices: a tool that fails must not cost the
# machine its /dev/stdout.
if [ "$(id -u)" = 0 ] && [ ! "${PRIVATE:-}" ] && unshare -m true 2>/dev/null; then
	exec env PRIVATE=yes unshare -m "$(readlink -f "$0")"
fi
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"
chmod 755 .
umask 022
if [ "${PRIVATE:-}" ]; then
	mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/full c 1 7 &&
		mknod -m 666 /dev/urandom c 1 9 && ln -s /proc/self/fd /dev/fd &&
		ln -s /proc/self/fd/1 /dev/stdout || exit 1
fi

# Run "${@:2}" in a private mount namespace in which $1 has been done.
mounted()
{
	unshare -m sh -c "$1"' && shift && exec "$@"' sh "$@"
}

solve()
{
	timeout 60 "$liquid" solve papers "$@" >text 2>&1
}

# only NAME...: these are all files here, except for the tests' own
only()
{
	[ "$(LC_ALL=C ls -A "$place" | tr '\n' ' ')" = \
		"$(printf '%s\n' "$@" | LC_ALL=C sort | tr '\n' ' ')" ]
}

# An empty directory for each case
fresh()
{
	chmod -R u+w place 2>/dev/null
	rm -rf place
	mkdir -m "${1:-755}" place
	place=place
}

as_nobody()
{
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

echo "TAP version 13"
"$liquid" fabric make papers-5x5 -o papers >text 2>&1 &&
	"$liquid" solve papers -o schedule >text 2>&1
ok "a fabric and its schedule"
chmod 644 papers schedule
root=$([ "$(id -u)" = 0 ] && echo yes)
[ "$root" ] && cp "$liquid" tool && chmod 755 tool

# ---- links ----
fresh
echo old >place/target
ln -s target place/link
solve -o place/link && [ -L place/link ] && [ "$(readlink place/link)" = target ] &&
	cmp -s place/target schedule
ok "a symbolic link stays, and its target is replaced"
mkdir place/sub
ln -s sub/../sub/second place/first
ln -s ../new place/sub/second
solve -o place/first && [ -L place/first ] && [ -L place/sub/second ] && cmp -s place/new schedule
ok "dangling links, one in another directory: the last one's target is made"
ln -s loop place/loop
prints 5 "liquid: place/loop: Too many levels of symbolic links" solve papers -o place/loop
ln -s nowhere/file place/lost
prints 5 "liquid: place/lost: No such file or directory" solve papers -o place/lost
prints 5 "liquid: place/sub: Is a directory" solve papers -o place/sub
prints 5 "liquid: place/none/: Is a directory" solve papers -o place/none/

# ---- what is kept ----
fresh
echo old >place/a
chmod 640 place/a
before=$(stat -c %i place/a)
solve -o place/a && cmp -s place/a schedule && [ "$(stat -c %a place/a)" = 640 ] &&
	[ "$(stat -c %i place/a)" != "$before" ]
ok "a file that is replaced keeps its mode"
(umask 027 && solve -o place/b; umask 077 && solve -o place/c)
[ "$(stat -c %a place/b place/c | tr '\n' ' ')" = "640 600 " ]
ok "a new file's mode is 0666 without the umask's bits"
if command -v setfacl >/dev/null && setfacl -m u:65534:r place/a 2>/dev/null; then
	setfacl -d -m u:1:rwx place
	getfacl -c place/a >before 2>/dev/null
	solve -o place/a && cmp -s place/a schedule &&
		getfacl -c place/a 2>/dev/null | cmp -s - before &&
		solve -o place/d &&
		getfacl -c place/d 2>/dev/null | grep -q '^user:daemon:\|^user:1:'
	ok "a file that is replaced keeps its ACL; a new one gets the directory's"
else
	skip "a file that is replaced keeps its ACL" "no ACLs here"
fi
fresh
echo an old file that is longer than what comes, by far "$(cat schedule schedule)" >place/one
ln place/one place/two
solve -o place/two && cmp -s place/one schedule && [ place/one -ef place/two ] && only one two
ok "the other names of a file (hard links) see the new contents too"
if [ "$root" ]; then
	fresh
	echo old >place/a
	chown 65534:1 place/a
	chmod 600 place/a
	solve -o place/a && cmp -s place/a schedule &&
		[ "$(stat -c '%u %g %a' place/a)" = "65534 1 600" ]
	ok "as root: another user's file stays that user's"
	echo old >place/a
	chmod 6755 place/a
	solve -o place/a && cmp -s place/a schedule && [ "$(stat -c %a place/a)" = 755 ]
	ok "as root: setuid and setgid do not pass to the new contents"
	chmod 6755 place/a
	ln place/a place/b
	solve -o place/a && [ "$(stat -c %a place/a)" = 755 ]
	ok "as root: setuid and setgid do not pass to a file that is overwritten"
	rm place/b
	if command -v setcap getcap >/dev/null && setcap cap_net_admin+ep place/a 2>/dev/null &&
		[ "$(getcap place/a)" ]; then
		solve -o place/a && cmp -s place/a schedule && [ ! "$(getcap place/a)" ]
		ok "as root: capabilities do not pass to the new contents"
	else
		skip "as root: capabilities do not pass to the new contents" \
			"no setcap, or no file capabilities here"
	fi
	fresh 777
	echo old >place/shared
	chmod 666 place/shared
	chmod 755 place
	chown 65534 place
	as_nobody ./tool solve papers -o place/shared >text 2>&1 && cmp -s place/shared schedule &&
		[ "$(stat -c '%u %a' place/shared)" = "0 666" ] && only shared
	ok "as nobody: a file whose owner could not be kept is overwritten"
	chown 0 place
	echo old >place/shared
	as_nobody ./tool solve papers -o place/shared >text 2>&1 && cmp -s place/shared schedule
	ok "as nobody: a file in a directory that takes no new file is overwritten"
	echo old >place/shared
	chmod 444 place/shared
	chown 65534 place place/shared
	as_nobody ./tool solve papers -o place/shared >text 2>&1
	[ $? = 5 ] && grep -q "place/shared: Permission denied" text &&
		[ "$(cat place/shared)" = old ]
	ok "as nobody: a file that is read-only is refused, though its directory is one's own"

	# ---- where anybody may write ----
	# lies_in_wait NAME WHAT: place/NAME was put there by nobody; root must not touch it
	lies_in_wait()
	{
		chown -h 65534 "place/$1"
		timeout 5 "$liquid" solve papers -o "place/$1" >text 2>&1
		[ $? = 5 ] && grep -q "anybody may write to" text && [ "$(cat victim)" = precious ]
		ok "in a sticky directory another user's $2 is refused"
	}
	fresh 1777
	echo precious >victim
	ln -s ../victim place/link
	lies_in_wait link "link"
	mkfifo place/fifo
	lies_in_wait fifo "FIFO"
	echo old >place/file
	lies_in_wait file "file"
	[ "$(cat place/file)" = old ]
	ok "a file that is refused stays as it was"
	rm place/file
	ln victim place/hard
	"$liquid" solve papers -o place/hard >text 2>&1
	[ $? = 5 ] && grep -q "anybody may write to" text && [ "$(cat victim)" = precious ]
	ok "and so is another name of one's own file"
	mkdir into
	cp victim into/fabric
	ln -s ../into place/out
	chown -h 65534 place/out
	ln -s place/out/fabric way
	for name in place/out/fabric place/out/../into/fabric \
		"$PWD/place/out/new" /proc/self/cwd/place/out/fabric way; do
		"$liquid" solve papers -o "$name" >text 2>&1
		[ $? = 5 ] && grep -q "is another user's link or leads through one" text &&
			cmp -s into/fabric victim && [ ! -e into/new ]
		ok "and so is another user's link to a directory: ${name/#$PWD/...}"
	done
	chown -h 0 place/out
	solve -o place/out/fabric && cmp -s into/fabric schedule &&
		solve -o place//out/.././into/new && cmp -s into/new schedule
	ok "one's own is followed"
	as_nobody ./tool solve papers -o place/mine >text 2>&1 &&
		as_nobody ./tool solve papers -o place/mine >text 2>&1 &&
		cmp -s place/mine schedule
	ok "one's own files there are replaced"
fi

# ---- what is not a regular file ----
fresh
mkfifo place/fifo
cat place/fifo >got &
solve -o place/fifo
wait $!
cmp -s got schedule && [ -p place/fifo ] && only fifo
ok "a FIFO is written through"
solve -o /dev/null && [ -c /dev/null ]
ok "/dev/null is written through"
# What a shell opened for the tool
out=/proc/self/fd/1
[ ! "${PRIVATE:-}" ] || out=/dev/stdout
printf 'before\n' >got
"$liquid" solve papers -o $out 2>text >>got
printf 'before\n' | cat - schedule | cmp -s - got && grep -q '^certificate' text
ok "-o $out goes where stdout goes, as -o -: the summary to stderr"
for name in /dev/fd/3 /proc/self/fd/3 /proc/thread-self/fd/3; do
	"$liquid" solve papers -o $name 3>got >text 2>&1 && cmp -s got schedule
	ok "-o $name"
done
"$liquid" solve papers -o got >got 2>text && cmp -s got schedule
ok "-o of the file that stdout is"
"$liquid" solve papers -o >(cat >got; : >written) >text 2>&1
within 5 test -e written && cmp -s got schedule
ok "-o >(...)"
perl -MSocket -e 'socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or die;
	if (!fork) { open(STDOUT, ">&", $b); close($a); exec(@ARGV) } close($b); print while <$a>' \
	"$liquid" solve papers -o $out 2>text | cmp -s - schedule
ok "-o $out where that is a socket"
perl -MSocket -e \
	'socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, pack_sockaddr_un("place/socket"))'
prints 5 "liquid: place/socket: is a socket*" solve papers -o place/socket
[ -S place/socket ]
ok "a socket's name stays a socket's"
prints 5 "liquid: /dev/fd/77: *" solve papers -o /dev/fd/77
for number in 4294967297 18446744073709551617 01 99999999999999999999; do
	prints 5 "liquid: /proc/self/fd/$number: No such file or directory" solve papers \
		-o /proc/self/fd/$number
done
if [ "${PRIVATE:-}" ]; then
	[ "$(readlink /dev/stdout)" = /proc/self/fd/1 ] &&
		[ "$(LC_ALL=C ls /dev | tr '\n' ' ')" = "fd full null stdout urandom " ]
	ok "as root: nothing in /dev has changed"

	# ---- storage that says no ----
	fresh
	# shellcheck disable=SC2016 # for the inner shell
	mounted \
		'mount -t tmpfs -o size=64k,mode=755 none place && cp papers place/kept &&
		cp papers place/one && ln place/one place/two' \
		sh -c 'for name in kept two new; do
			"$1" fabric make fat-tree k=16 -o place/$name; echo "exit code $?"
		done; cmp papers place/kept && cmp papers place/one && echo intact
		ls -A place' sh "$liquid" >text 2>&1
	[ "$(grep -c "No space left on device" text)" = 3 ] &&
		[ "$(grep -c "^exit code 5$" text)" = 3 ] && grep -q intact text &&
		[ "$(tail -n 3 text | tr '\n' ' ')" = "kept one two " ]
	ok "a full disk: exit code 5 with the reason, old files whole, nothing left behind"
	if command -v gnuplot >/dev/null; then
		fresh
		# shellcheck disable=SC2016
		mounted 'mount -t tmpfs -o size=4k,mode=755 none place' \
			sh -c 'for kind in svg png pdf; do
			"$1" plot schedule -o place/a.$kind; echo "exit code $?"
			"$1" plot --fabric papers -o place/b.$kind; echo "exit code $?"
			done; ls -A place' sh "$liquid" >text 2>&1
		[ "$(grep -c "^exit code 5$" text)" = 6 ] &&
			[ "$(grep -c "^liquid: place/.*: No space left on device$" text)" = \
			6 ] &&
			[ "$(wc -l <text)" = 12 ]
		ok "pictures on a full disk: the same, although gnuplot ignores errors of writing"
	else
		skip "pictures on a full disk" "gnuplot is not installed"
	fi
	fresh
	echo old >place/a
	# shellcheck disable=SC2016
	mounted 'mount --bind place place && mount -o remount,ro,bind place' \
		sh -c \
		'"$1" solve papers -o place/a; echo $?; "$1" solve papers -o place/b; echo $?' \
		sh "$liquid" >text 2>&1
	[ "$(grep -c "Read-only file system" text)" = 2 ] && [ "$(grep -c '^5$' text)" = 2 ] &&
		[ "$(cat place/a)" = old ]
	ok "a file system mounted read-only: exit code 5, nothing changed"
	echo old >other
	# shellcheck disable=SC2016
	mounted 'mount --bind other place/a' \
		sh -c '"$1" solve papers -o place/a && cmp place/a schedule' sh "$liquid" >text \
		2>&1 &&
		cmp -s other schedule && only a
	ok "a file that is a mount point is overwritten"
	echo old >other
	# shellcheck disable=SC2016
	mounted \
		'mount --bind place place && mount -o remount,ro,bind place &&
		mount --bind other place/a' \
		sh -c '"$1" solve papers -o place/a && cmp place/a schedule' sh "$liquid" >text \
		2>&1 && cmp -s other schedule && only a
	ok "a mounted file in a directory that is read-only is overwritten"
fi

# ---- killed while writing ----
# A gnuplot that does not come to an end
mkdir bin
cat >bin/gnuplot <<-'END'
	#!/bin/sh
	echo $$ >gnuplot.pid
	echo half a picture
	exec sleep 60
END
chmod +x bin/gnuplot
# killed SIGNAL [NAME=VALUE]: by it while the picture is drawn
killed()
{
	fresh
	echo old >place/kept.svg
	for name in kept.svg new.svg; do
		rm -f gnuplot.pid
		env --default-signal=INT,QUIT "${2:-A=}" PATH="$PWD/bin:$PATH" \
			"$liquid" plot schedule -o "place/$name" >text 2>&1 &
		within 5 test -s gnuplot.pid
		kill "-$1" $!
		wait $! 2>/dev/null
		status=$?
		kill "$(cat gnuplot.pid)"
		[ $status = $((128 + $(kill -l "$1"))) ] || return 1
	done
	[ "$(cat place/kept.svg)" = old ] && only kept.svg
}
for signal in KILL TERM INT HUP QUIT; do
	killed $signal
	ok "SIG$signal while it writes leaves nothing behind"
done
cat >without.c <<-'END'
	#define _GNU_SOURCE
	#include <dlfcn.h>
	#include <errno.h>
	#include <fcntl.h>
	#include <stdio.h>
	#include <stdlib.h>
	#include <string.h>
	#include <sys/stat.h>
	#include <unistd.h>

	/*
	 * A file system without unnamed files, a count of successful calls, and a process that
	 * replaces a file at that moment
	 */
	static void swap_at(const char *moment)
	{
		if (getenv("SWAP_AT") && !strcmp(getenv("SWAP_AT"), moment))
			rename(getenv("SWAP_FROM"), getenv("SWAP_TO"));
	}

	ssize_t readlinkat(int dir, const char *path, char *text, size_t size)
	{
		ssize_t (*next)(int, const char *, char *, size_t) = dlsym(RTLD_NEXT, "readlinkat");
		ssize_t length = next(dir, path, text, size);

		if (length >= 0)
			swap_at("link read");
		return length;
	}

	static void told(const char *call)
	{
		FILE *log = getenv("CALLS") ? fopen(getenv("CALLS"), "a") : NULL;

		if (log)
			fprintf(log, "%s\n", call), fclose(log);
	}

	int openat(int dir, const char *path, int flags, ...)
	{
		int (*next)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
		__builtin_va_list args;
		mode_t mode;
		int fd;

		__builtin_va_start(args, flags);
		mode = __builtin_va_arg(args, mode_t);
		__builtin_va_end(args);
		if ((flags & O_TMPFILE) == O_TMPFILE && getenv("NO_TMPFILE")) {
			errno = EOPNOTSUPP;
			return -1;
		}
		if ((flags & O_ACCMODE) == O_WRONLY)
			swap_at("written");
		fd = next(dir, path, flags, mode);
		if ((flags & O_PATH) && !(flags & O_DIRECTORY) && fd >= 0)
			swap_at("looked at");
		return fd;
	}

	int fsync(int fd)
	{
		int (*next)(int) = dlsym(RTLD_NEXT, "fsync");
		struct stat st;

		told(!fstat(fd, &st) && S_ISDIR(st.st_mode) ? "fsync directory" : "fsync file");
		return next(fd);
	}

	int renameat(int from, const char *old, int to, const char *new)
	{
		int (*next)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");

		told("rename");
		return next(from, old, to, new);
	}

	int linkat(int from, const char *old, int to, const char *new, int flags)
	{
		int (*next)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");

		told("link");
		return next(from, old, to, new, flags);
	}
END
${CC:-gcc} -w -shared -fPIC -o without.so without.c -ldl
ok "a library that stands between the tool and the kernel"
# swapped MOMENT NAME: make a fabric in place/NAME; at that moment place/other gets this name.
swapped()
{
	SWAP_AT=$1 SWAP_FROM=place/other SWAP_TO=place/$2 LD_PRELOAD=$PWD/without.so timeout 5 \
		"$liquid" fabric make papers-5x5 -o "place/$2" >text 2>&1
}
if [ "$root" ]; then
	fresh 1777
	echo precious >victim
	ln -s ../victim place/link
	ln -s ../mine place/other
	chown -h 65534 place/link
	swapped "link read" link
	[ $? = 5 ] && grep -q "another user's link" text && [ "$(cat victim)" = precious ]
	ok "another user's link, in whose place one's own comes when it has been read, is refused"
	fresh 1777
	rm -f mine
	ln -s ../mine place/link
	ln -s ../victim place/other
	chown -h 65534 place/other
	swapped "looked at" link && cmp -s mine papers && [ "$(cat victim)" = precious ] &&
		[ ! -L place/other ]
	ok "the other way round, what was judged is what is followed"
fi
fresh
echo precious >victim
for other in "a link" "a file"; do
	rm -f place/*
	mkfifo place/fifo
	[ "$other" = "a link" ] && ln -s ../victim place/other
	[ -L place/other ] || ln victim place/other
	swapped written fifo
	[ $? = 5 ] && grep -q "fifo: was replaced by another file meanwhile" text &&
		[ "$(cat victim)" = precious ] && [ ! -e place/other ]
	ok "a FIFO in whose place $other comes before it is opened: that costs nothing"
done
export NO_TMPFILE=1
for signal in TERM INT HUP QUIT; do
	killed $signal LD_PRELOAD="$PWD/without.so"
	ok "SIG$signal, on a file system without O_TMPFILE"
done
fresh
echo old >place/a
chmod 600 place/a
LD_PRELOAD=$PWD/without.so solve -o place/a && cmp -s place/a schedule &&
	[ "$(stat -c %a place/a)" = 600 ] &&
	LD_PRELOAD=$PWD/without.so solve -o place/b && cmp -s place/b schedule && only a b
ok "there files are replaced and made all the same"
killed KILL LD_PRELOAD="$PWD/without.so"
[ -n "$(find place -name '.liquid-nl.*')" ]
ok "the library does what it should: SIGKILL leaves a file there"
unset NO_TMPFILE
fresh
CALLS=$PWD/calls LD_PRELOAD=$PWD/without.so solve -o place/a
CALLS=$PWD/calls LD_PRELOAD=$PWD/without.so solve -o place/a
[ "$(tr '\n' , <calls)" = \
	"fsync file,link,fsync directory,fsync file,link,rename,fsync directory," ]
ok "a crash leaves the old file or the new one: the contents are on the disk before the name is"
fresh
cp schedule place/a
(ulimit -f 1 && "$liquid" fabric make fat-tree k=16 -o place/a >text 2>&1)
[ $? = 5 ] && grep -q "File too large" text && cmp -s place/a schedule && only a
ok "a limit on file size is exit code 5, not a signal"
"$liquid" fabric make fat-tree k=24 -o large >text 2>&1
whole=yes
for delay in 0.001 0.004 0.007 0.010 0.013 0.016 0.019 0.022 0.026 0.030 0.035 0.040; do
	cp schedule place/a
	"$liquid" fabric make fat-tree k=24 -o place/a >text 2>&1 &
	sleep $delay
	kill -KILL $! 2>/dev/null
	wait $! 2>/dev/null
	cmp -s place/a schedule || cmp -s place/a large || whole=
done
[ "$whole" ] && only a
ok "killed at any time: the old file or the new one, and nothing else"

# ---- files that meet ----
prints 2 "liquid: papers: is read by this command too*" solve papers -o papers
ln -sf papers alias
prints 2 "liquid: alias: is read by this command too*" solve papers -o alias
cp papers input
for name in /proc/self/fd/7 /dev/fd/7 "/proc/$$/fd/7"; do
	exec 7<>input
	prints 2 "liquid: $name: is read by this command too*" solve input -o "$name"
	exec 7<&-
	cmp -s input papers
	ok "and stays"
	cp papers input
done
"$liquid" solve input -o - 1<>input 2>text
[ $? = 2 ] && grep -q "^liquid: stdout: is read by this command too" text && cmp -s input papers
ok "an input that is also stdout is not overwritten"
cp schedule got
exec 7<>got
prints 0 "*" solve papers -o "/proc/$$/fd/7"
exec 7<&-
cmp -s got schedule
ok "what is in another process's descriptor and no input is replaced"
cp schedule again
prints 0 "*" solve papers --from again -o again
printf 't1 r1\n' >pairs
prints 2 "liquid: pairs: is read*" solve papers --traffic pairs --export-milp pairs
[ "$(cat pairs)" = "t1 r1" ]
ok "and stays"
"$liquid" fabric make torus size=6x6 -o hard >text 2>&1
cp papers fabric.svg
prints 2 "liquid: fabric.svg: is read*" plot --fabric fabric.svg -o fabric.svg
prints 2 "*one and ./one are one file*" solve papers --export-milp one --export-dimacs ./one
prints 2 "*- and $out are one file*" solve papers --export-milp - --export-dimacs $out
[ ! -e one ]
ok "nothing was written"
prints 0 "" solve papers --export-milp one --export-dimacs two
prints 0 "" solve papers --export-milp /dev/null --export-dimacs /dev/null
begin=$(date +%s)
prints 5 "liquid: nowhere/file: No such*" solve hard --method teams --time-limit 20 \
	--work 9000000000000 -o nowhere/file
[ $(($(date +%s) - begin)) -lt 10 ]
ok "which is reported before the search, not after it"

# ---- without stdin, stdout or stderr ----
for closed in '2>&-' '<&- 2>&-'; do
	rm -f out
	eval '"$liquid" solve papers -o out >text '"$closed"
	[ $? = 0 ] && cmp -s out schedule
	ok "$closed: no message ends up in the file"
done
rm -f out
"$liquid" solve papers -o out >&- 2>text
[ $? = 5 ] && grep -q "stdout: the output could not be written" text && cmp -s out schedule
ok ">&-: the file is whole, and that the summary was lost is exit code 5"
finish
