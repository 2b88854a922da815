# SPDX-License-Identifier: GPL-2.0-only
# Throughput of each order over the patterns (Fig. 17 to 19 and 21); csv: simulator.csv.
set datafile separator ','
set title "Swiss-T1, wormhole switching, by the simulator: " . \
	"throughput of 362 patterns (Fig. 17-19, 21)"
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'throughput, MB/s'
set xrange [0:363]
set yrange [0:2200]
set grid ytics lc rgb '#dddddd'
set key left top
plot csv using 1:6 skip 1 with steps lc rgb '#888888' dt 2 title 'crossbar', \
     csv using 1:5 skip 1 with steps lw 1.5 lc rgb '#222222' title 'liquid throughput', \
     csv using 1:9 skip 1 with points pt 7 ps 0.35 lc rgb '#2f855a' title 'liquid schedule', \
     csv using 1:7 skip 1 with points pt 7 ps 0.35 lc rgb '#c51b20' title 'round-robin', \
     csv using 1:8 skip 1 with points pt 6 ps 0.35 lc rgb '#dd8822' title 'random'
