# SPDX-License-Identifier: GPL-2.0-only
# Edges of the congestion graphs of the patterns (thesis, Fig. 63); csv: congestion.csv.
set datafile separator ','
set title "Swiss-T1's 362 patterns: edges of the congestion graphs (after Fig. 63)"
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'pairs of transfers'
set xrange [0:363]
set logscale y
set yrange [1:1e6]
set format y '%.0f'
set grid ytics lc rgb '#dddddd'
set key left top
plot csv using 1:($4 > 1 ? $4*($4-1)/2 : NaN) skip 1 with steps lc rgb '#888888' dt 2 \
     title 'all pairs', \
     csv using 1:($8 > 0 ? $8 : NaN) skip 1 with points pt 7 ps 0.4 lc rgb '#2b6cb0' \
     title 'pairs that share a link: edges'
