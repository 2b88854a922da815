# SPDX-License-Identifier: GPL-2.0-only
# A server of NFS in the guest, and clients that share nothing; after guest.sh, with `adds: nfs`.
# shellcheck shell=dash

[ -e /liquid/nfs/modules ] || skip_all "no modules of NFS"
SERVER=/srv/liquid

# What mountd would tell the server: whom it serves, what, and that this is the root of all that it
# serves
serve()
{
	echo 4 >/proc/fs/nfsd/threads
	echo "nfsd 127.0.0.1 2147483647 nodes" >/proc/net/rpc/auth.unix.ip/channel
	# insecure port, no subtree check, with an id of its own
	echo "nodes /srv 2147483647 $((0x2402)) 65534 65534 0" >/proc/net/rpc/nfsd.export/channel
	printf 'nodes 1 \\x00000000 2147483647 /srv\n' >/proc/net/rpc/nfsd.fh/channel
}

make_server()
{
	while read -r module; do
		insmod "/liquid/nfs/$module" 2>/dev/null || :
	done </liquid/nfs/modules
	mkdir -p /srv
	need mount -t tmpfs -o size=16m srv /srv
	mkdir -p $SERVER
	need mount -t nfsd nfsd /proc/fs/nfsd
	echo "-2 -3 +4 +4.2" >/proc/fs/nfsd/versions
	echo 10 >/proc/fs/nfsd/nfsv4gracetime
	serve
}

# So that another test can make it again
stop_server()
{
	echo 0 >/proc/fs/nfsd/threads
	umount /proc/fs/nfsd
	umount -l /srv
}

# mount_at PLACE OPTIONS: by a client that shares nothing with others
mount_at()
{
	mkdir -p "$1"
	need timeout 60 busybox mount -i -t nfs4 \
		-o "vers=4.2,addr=127.0.0.1,clientaddr=127.0.0.1,sec=sys,nosharecache${2:+,$2}" \
		127.0.0.1:/ "$1"
}
