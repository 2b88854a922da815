# SPDX-License-Identifier: GPL-2.0-only
# Suspects in the hunting loop, by iteration and layer (thesis, Fig. 58); csv: suspects.csv.
set datafile separator ','
set title 'Links that may be bottlenecks, by iteration of the hunting loop (after Fig. 58)'
set xlabel 'iteration'
set ylabel 'suspects, mean per network'
set xrange [0:25]
set logscale y
set yrange [5:250]
set grid ytics lc rgb '#dddddd'
set key right top
plot for [k = 1:10] csv using 2:($1 == k ? $3 : NaN) skip 1 with linespoints pt 7 ps 0.3 \
     lc rgb hsv2rgb(0.6, k / 10., 0.75) title sprintf('layer %d', k)
