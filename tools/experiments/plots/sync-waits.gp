# SPDX-License-Identifier: GPL-2.0-only
# Collisions by clock error and guard; csv: sync.csv, guards: the values of its second column.
set datafile separator ','
set title 'Swiss-T1, liquid schedule, by the simulator: requests for a link that had to wait'
set xlabel 'clock error of a node, in message times (±)'
set ylabel 'waits a message'
set logscale x
set xrange [0.00007:1]
set yrange [0:*]
set format x '%g'
set grid ytics lc rgb '#dddddd'
set key left top title 'guard, in message times'
name(i) = word(guards, i) eq 'needed' ? 'twice the error' : word(guards, i)
plot for [i=1:words(guards)] \
	csv using (strcol(2) eq word(guards, i) && $1 > 0 ? $1 : NaN):4 skip 1 \
	with linespoints pt 7 ps 0.4 lw 1.5 title name(i)
