# SPDX-License-Identifier: GPL-2.0-only
# Print a kernel's log without what QEMU 7.2 alone makes the kernel report.
#
# usage: awk -f complaints.awk LOG | grep -f complaints
#
# QEMU without KVM can take an operand of an instruction, like an address, for the processor's flags
# (later versions have a test of that, tests/tcg/i386/test-flags.c). Where bit 8 of it is set, the
# kernel stops after one instruction and warns of it in exc_debug_kernel(). Flags with a bit of 22
# to 31, which no processor sets, tell such a report from a true one: its "WARNING: " and its
# "Call Trace" are left out, and one line says so. Anything else within it is printed as it is.

function report(	i, warned, traced)
{
	if (debug && impossible)
		print "liquid-test: a report of the emulator is left out: flags that no processor has"
	for (i = 1; i <= lines; i++) {
		if (debug && impossible && !warned && line[i] ~ /WARNING: .* exc_debug_kernel/)
			warned = 1
		else if (debug && impossible && !traced && line[i] ~ /Call Trace/)
			traced = 1
		else
			print line[i]
	}
	lines = debug = impossible = inside = 0
}

/\[ cut here \]/ {
	report()
	inside = 1
}

!inside {
	print
	next
}

{
	line[++lines] = $0
	debug += /RIP: [0-9]+:exc_debug_kernel\+/
	impossible += /EFLAGS: [0-9a-f]/ && !/EFLAGS: 00[0-3]/
}

/\[ end trace / || lines == 400 {
	report()
}

END {
	report()
}
