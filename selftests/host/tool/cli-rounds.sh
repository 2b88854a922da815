#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# liquid solve --wavelengths: timeslots of WDM networks, and the errors that verify finds.
#
# timeout: 60

. "$(dirname "$(readlink -f "$0")")/../../lib/cli.bash"

# The schedule good with $1 replaced by $2: verify must say $3.
spoilt()
{
	sed "s/$1/$2/" good >bad
	prints 1 "$3" verify papers bad
}

echo "TAP version 13"
prints 0 "" fabric make papers-5x5 -o papers
prints 0 "*timeslots *2 by 4 wavelengths, at least 2*" solve papers --wavelengths 4 -o good
prints 0 \
	'*"wavelengths":{"count":4,"timeslots":2,"lower_bound":2,'\
'"frames":\[\[0,0\],\[0,1\],\[0,2\],\[0,3\],\[1,0\],\[1,1\]\]}*' \
	solve papers --wavelengths 4 --json
prints 0 "*valid: *" verify papers good
prints 0 "*timeslots *6 by 1 wavelengths*" solve papers --wavelengths 1
prints 0 "*timeslots *1 by 7 wavelengths*" solve papers --wavelengths 7 -o seven
prints 0 "*valid: *" verify papers seven
: >nothing
prints 0 "*timeslots *0 by 3 wavelengths, at least 0*" solve papers --traffic nothing \
	--wavelengths 3 -o none
prints 0 "*valid: *" verify papers none

spoilt '\[1,1\]\]' '[1,0]]' "*frames 4 and 5 are both in timeslot 1 on wavelength 0*"
spoilt '\[1,1\]\]' '[1,4]]' \
	"*frame 5 is in timeslot 1 on wavelength 4, but there are 2 timeslots and 4 wavelengths*"
spoilt '\[1,1\]\]' '[2,1]]' "*frame 5 is in timeslot 2*"
spoilt '"timeslots":2' '"timeslots":3' '*"timeslots" is 3, but frames are in 2 of them*'
spoilt '"lower_bound":2' '"lower_bound":1' \
	'*"lower_bound" of timeslots is 1, but 6 frames on 4*make it 2*'
spoilt ',\[1,1\]\]' ']' '*"frames" of "wavelengths" must be an array of 6*'
spoilt '\[1,1\]\]' '[1,-1]]' '*frame 5: must be \[timeslot,wavelength\]*'
spoilt '"count":4' '"count":0' '*"wavelengths" must be an object*'

prints 2 "*--wavelengths: expected a number from 1 to 268435456, got '0'*" solve papers \
	--wavelengths 0
prints 2 "*--wavelengths: expected *, got 'x'*" solve papers --wavelengths x

echo "1..$count"
[ $failed -eq 0 ]
