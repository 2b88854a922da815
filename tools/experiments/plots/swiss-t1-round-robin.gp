# SPDX-License-Identifier: GPL-2.0-only
# Round-robin as predicted and as simulated (2003 paper, Fig. 9; 2006, Fig. 18); csv: simulator.csv.
set datafile separator ','
set title 'Swiss-T1, round-robin: predicted with a barrier after each frame, and simulated'
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'throughput, MB/s'
set xrange [0:363]
set yrange [0:2000]
set grid ytics lc rgb '#dddddd'
set key left top
plot csv using 1:5 skip 1 with steps lw 1.5 lc rgb '#222222' title 'liquid throughput', \
     csv using 1:10 skip 1 with steps lc rgb '#2b6cb0' title 'round-robin, predicted', \
     csv using 1:11 skip 1 with points pt 6 ps 0.4 lc rgb '#dd8822' \
     title 'round-robin, 2 MB in blocks of 520 KB', \
     csv using 1:7 skip 1 with points pt 7 ps 0.35 lc rgb '#c51b20' title 'round-robin, 5 MB whole'
