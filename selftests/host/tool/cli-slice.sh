#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid slice as gates of classes: a receiver's is open in its frames, and in no others.
# selftests/kernel/sched/taprio.sh gives them to tc.
. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

echo "TAP version 13"
"$liquid" fabric make leaf-spine leaves=4 hosts=4 spines=2 routes=hash -o fabric
prints 0 "*" solve fabric -o schedule
gates="slice schedule --node h3 --frame-time 2ms --guard 20us"
# From the CSV the lines of `slice`: the frames of each class, between guards that are closed
"$liquid" slice schedule --node h3 | sort >wanted
# shellcheck disable=SC2086 # words
"$liquid" $gates --format csv >csv
hex='function hex(text, i, value) {
	for (i = 3; i <= length(text); i++)
		value = 16 * value + index("123456789abcdef", substr(text, i, 1))
	return value }'
awk -F, "$hex"'/^# gate/ { split($0, word, /[ :]+/); name[hex(word[3])] = word[5]; next }
	/^[0-9]/ {
		if ($1 != at) print "begins at " $1 ", not " at
		at += $2
		open = hex($3)
		if (!open && $2 != 20000) print "no guard: " $0
		if (open && open % 2 == 0) print "all else is closed: " $0
		for (f = int($1 / 2000000); open && f < at / 2000000; f++)
			for (bit = 2; bit <= open; bit *= 2)
				if (int(open / bit) % 2) print f, name[bit]
	}
	END { if (at != 36 * 2000000) print "a cycle of " at }' csv | sort >text
diff wanted text >differences && [ -s wanted ]
ok "the gates of the CSV are open in the frames of the slice, and before the guard"
# shellcheck disable=SC2086
prints 1 "*50 entries, and tc(8) has room for 30*" $gates --format taprio
"$liquid" fabric make leaf-spine leaves=1 hosts=16 spines=1 -o fabric
prints 0 "*" solve fabric -o schedule
# shellcheck disable=SC2086
"$liquid" $gates --format csv >csv
# shellcheck disable=SC2086
"$liquid" $gates --format taprio --base-time 7 >script
sed -n 's/.*sched-entry S \([0-9a-f]*\) \([0-9]*\) .*/\1 \2/p' script >entries
awk -F, "$hex"'/^[0-9]/ { printf "%02x %d\n", hex($3), $2 }' csv | cmp - entries &&
	grep -q "base-time 7 cycle-time 30000000" script &&
	grep -q "^# priority 1: to h1$" script && sh -n script
ok "the script has the same entries, and says which class is whose"
"$liquid" fabric make leaf-spine leaves=1 hosts=17 spines=1 -o most
prints 0 "*" solve most -o most.schedule
most="slice most.schedule --node h1 --frame-time 1ms --format csv"
# shellcheck disable=SC2086
prints 0 "# base time 0 ns, cycle 16000000 ns
# gate 0x0001: to h2
*# gate 0x8000: to h17
*" $most
"$liquid" fabric make leaf-spine leaves=1 hosts=18 spines=1 -o more
prints 0 "*" solve more -o most.schedule
# shellcheck disable=SC2086
prints 1 "*h1 sends to more than 16 hosts, and taprio has 16 classes*" $most
prints 2 "*--format csv needs --frame-time*" slice schedule --node h1 --format csv
prints 2 "*go with --format taprio or csv*" slice schedule --node h1 --guard 1us
prints 2 "*--guard: no shorter than the frame time*" slice schedule --node h1 --format csv \
	--frame-time 1ms --guard 1ms
prints 2 "*--json and --format exclude each other*" slice schedule --node h1 --format csv --json
finish
