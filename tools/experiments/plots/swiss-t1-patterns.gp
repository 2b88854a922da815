# SPDX-License-Identifier: GPL-2.0-only
# The patterns by nodes and liquid throughput (Fig. 16); csv: simulator.csv.
set datafile separator ','
set title "Swiss-T1's 362 patterns: nodes and liquid throughput (Fig. 16)"
set xlabel 'nodes'
set ylabel 'liquid throughput, MB/s'
set xrange [0:33]
set yrange [0:*]
set grid lc rgb '#dddddd'
set key left top
plot csv using 2:5 skip 1 with points pt 7 ps 0.5 lc rgb '#2b6cb0' \
     title 'liquid throughput of a pattern', \
     csv using 2:6 skip 1 with lines lc rgb '#888888' dt 2 title 'crossbar'
