# SPDX-License-Identifier: GPL-2.0-only
# Loss by DSATUR over the patterns; csv: dsatur.csv.
set datafile separator ','
set title "Swiss-T1's 362 patterns: throughput lost by schedules of DSATUR (after Fig. 25)"
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'loss of throughput, %'
set y2label 'nodes'
set ytics nomirror
set y2tics 0,8,32
set yrange [0:*]
set y2range [0:64]
set xrange [0:363]
set grid ytics lc rgb '#dddddd'
set key left top
plot csv using 1:7 skip 1 with impulses lc rgb '#c51b20' title 'loss', \
     csv using 1:2 skip 1 axes x1y2 with steps lc rgb '#888888' title 'nodes (right)'
