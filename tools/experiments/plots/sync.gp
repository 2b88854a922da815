# SPDX-License-Identifier: GPL-2.0-only
# Throughput by clock error and guard; csv: sync.csv, guards: the values of its second column.
set datafile separator ','
set title 'Swiss-T1, liquid schedule, by the simulator: clock error and guard'
set xlabel "clock error of a node, in message times (±)\n" . \
	"marks: typical errors where a message takes 1 ms"
set ylabel 'share of the liquid throughput'
set logscale x
set xrange [0.00007:1]
set yrange [0.3:1.02]
set format x '%g'
set grid ytics lc rgb '#dddddd'
set key left bottom title 'guard, in message times'
set arrow from 0.0002, graph 0 to 0.0002, graph 1 nohead lc rgb '#999999' dt 2
set label 'PTP, hardware stamps' at 0.0002, graph 0.45 rotate offset 0.7,0 tc rgb '#666666'
set arrow from 0.03, graph 0 to 0.03, graph 1 nohead lc rgb '#999999' dt 2
set label 'software stamps: PTP, chrony on a LAN' at 0.03, graph 0.04 rotate offset 0.7,0 \
	tc rgb '#666666'
name(i) = word(guards, i) eq 'needed' ? 'twice the error' : word(guards, i)
plot for [i=1:words(guards)] \
	csv using (strcol(2) eq word(guards, i) && $1 > 0 ? $1 : NaN):3 skip 1 \
	with linespoints pt 7 ps 0.4 lw 1.5 title name(i)
