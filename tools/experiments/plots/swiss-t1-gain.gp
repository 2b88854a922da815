# SPDX-License-Identifier: GPL-2.0-only
# Gain of the schedule over each order; csv: simulator.csv.
set datafile separator ','
set title 'Swiss-T1, by the simulator: liquid schedule over orders that know no topology'
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'throughput of the schedule / of the order'
set xrange [0:363]
set yrange [0.8:*]
set grid ytics lc rgb '#dddddd'
set key left top
plot csv using 1:($9/$7) skip 1 with points pt 7 ps 0.4 lc rgb '#c51b20' title 'over round-robin', \
     csv using 1:($9/$8) skip 1 with points pt 6 ps 0.4 lc rgb '#dd8822' title 'over random', \
     1 with lines lc rgb '#888888' notitle
