#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make install puts all in place, a program can be built against it, make uninstall leaves nothing.
# builds: user modules
# timeout: 240
set -u

cd "$(dirname "$(readlink -f "$0")")/../../.." || exit 1
build=$(readlink -f "${B:-build}")
headers=$(readlink -f "$build/kernels/6.1/headers")
. selftests/lib/tap.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
details=$scratch/log

[ -e "$headers/Makefile" ] || skip_all "no kernel headers in $build/kernels/6.1 (make guest)"

run_make()
{
	make -s B="$build" DESTDIR="$scratch/root" PREFIX=/usr KDIR="$headers" \
		HOST_MODULE="$build/kmod-6.1/liquid.ko" \
		"$@" >"$scratch/log" 2>&1
}

# What is there, except for depmod's own files.
installed()
{
	find "$scratch/root" \( -type f -o -type l \) ! -name 'modules.*' | sort
}

echo "TAP version 13"
run_make install
ok "install"
module=$(find "$scratch/root/lib/modules" -name liquid.ko 2>"$scratch/log")
release=$(modinfo -F vermagic "$module" 2>"$scratch/log" | cut -d' ' -f1)
[ -n "$release" ] && [ "$module" = "$scratch/root/lib/modules/$release/updates/liquid.ko" ]
ok "the module lies where its kernel looks for it"
for file in bin/liquid bin/liquid-nl bin/liquid-sbatch lib/libliquidsched.a lib/libliquidsched.so \
	include/liquidsched.h include/liquid/netlink.h \
	lib/pkgconfig/liquidsched.pc share/man/man8/liquid-nl.8 share/man/man8/liquid-nl-push.8 \
	share/man/man1/liquid.1 share/man/man1/liquid-solve.1 share/man/man7/liquid.7 \
	share/man/man1/liquid-sbatch.1 share/liquid/metrics/liquid-alerts.yml \
	share/doc/liquid/examples/event-builder-rdma.c share/doc/liquid/examples/first-look.ipynb \
	share/man/man3/libliquidsched.3; do
	[ -e "$scratch/root/usr/$file" ] || echo "$file"
done >"$scratch/log"
[ ! -s "$scratch/log" ]
ok "the tool, the library, the headers and the man pages are there"

for script in prolog epilog prolog-slurmctld epilog-slurmctld taskprolog health-check \
	restore-gate; do
	[ -x "$scratch/root/usr/libexec/liquid/slurm/$script" ] || echo "$script"
done >"$scratch/log"
[ ! -s "$scratch/log" ]
ok "the scripts for Slurm are there, and can be run"
# The sample is taken as it is, except for the store, which is made where it is read.
sed "\$astore $scratch/store
s|^user .*|user $(id -un)|" \
	"$scratch/root/etc/liquid/liquid.conf.sample" >"$scratch/conf" &&
	"$scratch/root/usr/bin/liquid-nl" job status --config "$scratch/conf" >"$scratch/log" 2>&1
ok "the sample of liquid.conf is one"
echo "# my own" >"$scratch/root/etc/liquid/liquid.conf"

sed -n '/^\.EX$/,/^\.EE$/{ /^\.E[XE]$/d; s/\\e/\\/g; s/\\-/-/g; p; }' \
	Documentation/man/libliquidsched.3 >"$scratch/program.c"
flags=$(PKG_CONFIG_PATH=$scratch/root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$scratch/root \
	pkg-config --cflags --libs liquidsched 2>"$scratch/log")
# shellcheck disable=SC2086
gcc -Wall -Werror "$scratch/program.c" $flags -o "$scratch/program" >"$scratch/log" 2>&1 &&
	LD_LIBRARY_PATH=$scratch/root/usr/lib "$scratch/program" >"$scratch/log" 2>&1 &&
	grep -qx "25 transfers in 6 frames, liquid" "$scratch/log" &&
	grep -qx "t[1-5] to r[1-5]" "$scratch/log"
ok "the example of libliquidsched(3) finds the library by pkg-config and solves with it"

cat >"$scratch/wire.c" <<'END'
#include <liquid/netlink.h>

int main(void)
{
	return LIQUID_CMD_GATE_GET != 1 || sizeof(LIQUID_GENL_NAME) != 7;
}
END
gcc -Wall -Werror -pedantic -I"$scratch/root/usr/include" "$scratch/wire.c" -o "$scratch/wire" \
	>"$scratch/log" 2>&1 && "$scratch/wire"
ok "a program finds the wire in liquid/netlink.h"
[ ! -e "$scratch/root/usr/include/linux" ]
ok "nothing is installed among the kernel's headers"

# A place of its own: the scripts find the tool and the configuration that are installed with them.
make -s B="$build" DESTDIR= PREFIX="$scratch/opt" SYSCONFDIR="$scratch/opt/etc" \
	COMPLETION="$scratch/opt/completion" install-scripts >"$scratch/log" 2>&1
mkdir -p "$scratch/opt/bin" "$scratch/opt/etc/liquid"
printf '#!/bin/sh\necho "called: $*"\nexit 7\n' >"$scratch/opt/bin/liquid-nl"
chmod +x "$scratch/opt/bin/liquid-nl"
echo "on-failure fail" >"$scratch/opt/etc/liquid/liquid.conf"
for script in prolog epilog prolog-slurmctld epilog-slurmctld; do
	env -i SLURM_JOB_ID=1 SLURM_JOB_NODELIST=h1 SLURMD_NODENAME=h1 SLURM_JOB_END_TIME=1 \
		"$scratch/opt/libexec/liquid/slurm/$script"
	echo "$script: $?"
done >"$scratch/log" 2>&1
[ "$(grep -c "^called: job .*--config $scratch/opt/etc/liquid/liquid.conf" "$scratch/log")" = 4 ] &&
	[ "$(grep -Ec '^(prolog|epilog|prolog-slurmctld): 1$' "$scratch/log")" = 3 ] &&
	grep -q '^epilog-slurmctld: 7$' "$scratch/log"
ok "with another PREFIX and SYSCONFDIR the scripts call that tool, by that configuration"

lab="$scratch/root/lib/modules/$release/updates/liquid_lab.ko $scratch/root/usr/bin/liquid-lab
	$scratch/root/usr/share/man/man8/liquid-lab.8
	$scratch/root/usr/share/bash-completion/completions/liquid-lab"
installed >"$scratch/before"
! grep liquid.lab "$scratch/before" >"$scratch/log"
ok "install leaves the lab out"
run_make install-lab
ok "install-lab"
installed | comm -13 "$scratch/before" - >"$scratch/log"
# shellcheck disable=SC2086
printf '%s\n' $lab | sort | cmp "$scratch/log" - >>"$scratch/log" 2>&1
ok "the lab has its module, its tool, its man page and its completion, and no more"
run_make uninstall-lab && installed | cmp "$scratch/before" - >"$scratch/log"
ok "uninstall-lab removes these and nothing else"

run_make uninstall
ok "uninstall"
[ "$(cat "$scratch/root/etc/liquid/liquid.conf")" = "# my own" ] &&
	rm "$scratch/root/etc/liquid/liquid.conf"
ok "what the cluster has configured stays"
installed >"$scratch/log"
[ ! -s "$scratch/log" ]
ok "uninstall leaves nothing"

# Without DESTDIR, as on a node, but elsewhere, and with what looks at the kernel replaced.
mkdir "$scratch/bin" "$scratch/loaded"
for program in depmod ldconfig; do
	echo '#!/bin/sh' >"$scratch/bin/$program"
done
cat >"$scratch/bin/uname" <<END
#!/bin/sh
[ "\$1" = -r ] && echo "$release" || exec $(command -v uname) "\$@"
END
cat >"$scratch/bin/modprobe" <<END
#!/bin/sh
echo "modprobe: ERROR: Key was rejected by service" >&2
exit 1
END
chmod +x "$scratch"/bin/*
on_node()
{
	PATH=$scratch/bin:$PATH make -s B="$build" PREFIX="$scratch/own" \
		SYSCONFDIR="$scratch/own/etc" KDIR="$headers" \
		HOST_MODULE="$build/kmod-6.1/liquid.ko" \
		MODULE_PLACE="$scratch/own/modules" LOADED="$scratch/loaded" \
		"$@" >"$scratch/log" 2>&1
}
on_node install && [ -x "$scratch/own/bin/liquid-nl" ] && [ -e "$scratch/own/modules/liquid.ko" ]
ok "a kernel that does not load the module is not a reason to install nothing"
grep -q "Key was rejected" "$scratch/log" && grep -q "note: .*does not load it" "$scratch/log"
ok "install says that the kernel does not load the module"
mkdir "$scratch/loaded/liquid"
on_node install && grep -q "note: another liquid.ko is loaded" "$scratch/log"
ok "install says that another module is loaded already"
on_node uninstall && grep -q "note: liquid.ko is in use" "$scratch/log"
ok "uninstall says that the module cannot be unloaded"
mkdir "$scratch/loaded/liquid_lab"
on_node install-lab && on_node uninstall-lab &&
	grep -q "note: liquid_lab.ko is in use" "$scratch/log"
ok "the lab's too"
on_node install-user LIBDIR="$scratch/own/lib64" &&
	own=$scratch/own/lib64 &&
	[ "$(PKG_CONFIG_PATH=$own/pkgconfig pkg-config --variable=libdir liquidsched)" = "$own" ]
ok "pkg-config reports another LIBDIR"
# A user without root, who has no other place to write to
chmod 755 "$scratch"
mkdir "$scratch/home"
as_user=
[ "$(id -u)" != 0 ] || { chown 65534:65534 "$scratch/home" &&
	as_user="setpriv --reuid 65534 --regid 65534 --clear-groups"; }
at_home()
{
	$as_user env HOME="$scratch/home" make -s B="$build" PREFIX='~/.local' "$1" \
		>"$scratch/log" 2>&1
}
at_home install-user &&
	"$scratch/home/.local/bin/liquid-nl" --version >"$scratch/log" 2>&1
ok "a user without root installs into the own home"
[ -e "$scratch/home/.local/etc/liquid/liquid.conf.sample" ] &&
	grep -q "$scratch/home/.local/etc/liquid/" "$scratch/home/.local/bin/liquid-sbatch"
ok "the sample is there too, and liquid-sbatch reads what is next to it"
at_home uninstall-user && [ -z "$(find "$scratch/home" -type f -o -type l)" ]
ok "and uninstalls all of it"
cat >"$scratch/bin/dpkg-query" <<'END'
#!/bin/sh
for package; do :; done
[ "$package" = libjansson-dev ] || echo installed
END
chmod +x "$scratch/bin/dpkg-query"
on_node install-deps && grep -q "not installed: libjansson-dev " "$scratch/log"
ok "packages that are missing are named"
finish
