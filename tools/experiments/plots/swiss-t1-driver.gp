# SPDX-License-Identifier: GPL-2.0-only
# The driver's runs as shares of the liquid throughput; csv: driver.csv.
set datafile separator ','
set title 'Swiss-T1 by liquid_lab and real sockets in a guest: share of the liquid throughput'
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'share of the liquid throughput'
set xrange [0:363]
set yrange [0:1.05]
set grid ytics lc rgb '#dddddd'
set key left bottom
plot csv using 1:7 skip 1 with points pt 7 ps 0.6 lc rgb '#2f855a' title 'liquid schedule, gates', \
     csv using 1:5 skip 1 with points pt 7 ps 0.6 lc rgb '#c51b20' title 'pairwise', \
     csv using 1:6 skip 1 with points pt 6 ps 0.6 lc rgb '#dd8822' title 'random', \
     1 with lines lc rgb '#222222' notitle
