#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Instructions that the gate spends on a packet, in the deterministic guest, against those recorded.
# builds: modules guest bench-programs
# timeout: 600
#
# usage: selftests/host/library/gate-cost.sh [--update]
#
# data/gate-cost has a line a kernel and case: instructions a packet more than without a qdisc. More
# than 2 % above them fails. --update records anew, which is for a change that is meant to cost, or
# that has made it cheaper. Of three bursts the cheapest counts: what else the kernel does in those
# milliseconds only adds, while what the gate costs is in each. The counts are those of Debian 12's
# compiler and amd64; elsewhere this skips.
set -u

here=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
top=$(readlink -f "$here/..")
build=$(readlink -f "${B:-$top/build}")
record=$here/data/gate-cost
percent=2

skip()
{
	echo "1..0 # SKIP $1"
	exit 4
}

kernels=
for kernel in 6.1 6.12; do
	[ ! -e "$build/guest/base-$kernel.cpio" ] || kernels="$kernels $kernel"
done
[ -n "$kernels" ] || skip "no guest; \`make guest\` builds it"
[ -x "$build/bench/burst" ] || skip "no $build/bench/burst; \`make bench-programs\` builds it"
[ "$(uname -m)" = x86_64 ] || skip "the counts are those of amd64"
case $(readelf -p .comment "$build/bench/burst") in
*"Debian 12"*) ;;
*) skip "the counts are those of Debian 12's compiler" ;;
esac
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Lines "KERNEL-CASE COUNT" of what was measured
measure()
{
	B=$build timeout -k 5 280 "$top/tools/bench/gate" --kernel "$1" --rows guarded \
		--raw "$work/raw" >"$work/table" 2>"$work/log" || return
	awk -v kernel="$1" '
		/^burst/ {	# lines of a device: noqueue, liquid
			least = $4 == "liquid" ? "gated" : "direct"
			if (!(($2, least) in sum) || $5 + $6 < sum[$2, least])
				sum[$2, least] = $5 + $6
		}
		/^row/ && $4 ~ /^noqueue/ { base = $5 }
		/^row/ && $4 !~ /^noqueue/ {
			name = $4
			gsub(/liquid,~|,/, "", name)
			gsub(/~/, "-", name)
			printf "%s-%s %.1f\n", kernel, name, $5 - base
		}
		function backlog(device, name) {
			if ((device, "gated") in sum)
				printf "%s-%s %.1f\n", kernel, name,
					sum[device, "gated"] - sum[device, "direct"]
		}
		END {
			backlog("d0", "a-backlog")
			backlog("d2", "a-backlog-of-2-TX-queues")
		}
	' "$work/raw"
}

for kernel in $kernels; do
	measure "$kernel" >"$work/$kernel" || { cat "$work/table" "$work/log" >&2; exit 1; }
done
if [ "${1:-}" = --update ]; then
	for kernel in $kernels; do
		cat "$work/$kernel"
	done >"$record"
	exit
fi

echo "TAP version 13"
number=0
failed=0
for kernel in $kernels; do
	while read -r name recorded; do
		number=$((number + 1))
		now=$(awk -v name="$name" '$1 == name { print $2 }' "$work/$kernel")
		echo "# $name: $now, recorded $recorded"
		awk -v now="${now:-x}" -v was="$recorded" -v percent=$percent \
			'BEGIN { exit !(now > 0 && now <= was * (1 + percent / 100)) }' || {
			printf 'not '
			failed=1
		}
		echo "ok $number - $name costs at most $percent % more than recorded"
	done <<-END
		$(grep "^$kernel-" "$record")
	END
done
echo "1..$number"
exit $failed
