# SPDX-License-Identifier: GPL-2.0-only
# Print the flags of the double fault by which QEMU 7.2 alone made a kernel die, or nothing.
#
# usage: awk -f emulator-died.awk complaints CONSOLE
#
# QEMU's wrong flags (complaints.awk) can also make it deliver a double fault. A processor stores
# the flags with the fault, and bits 22 to 31 are 0 whatever the kernel did. So no fault of a kernel
# is taken for the emulator's: the double fault is its first complaint, and the registers printed
# with it, before anything else, have such a bit set.

FNR == NR {
	faults = faults (NR > 1 ? "|" : "") $0
	next
}

/double fault: 0000 \[#1\]/ {
	dying = 1
	next
}

dying && match($0, /EFLAGS: [0-9a-f]+/) {
	flags = substr($0, RSTART + 8, RLENGTH - 8)
	if (length(flags) == 8 && flags !~ /^00[0-3]/)
		print flags
	exit
}

$0 ~ faults {
	exit
}
