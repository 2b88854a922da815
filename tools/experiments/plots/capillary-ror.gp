# SPDX-License-Identifier: GPL-2.0-only
# ROR by layer, a curve for each tolerance in each set of frames (thesis, Figs. 60 and 61); csv:
# ror-115.csv or ror-120.csv; sets: how many.
set datafile separator ','
set title 'Mean ROR by layer: 10 layers of each set of frames (after Figs. 60 and 61)'
set xlabel 'set of frames, and in it layers 1 to 10'
set ylabel 'ROR'
set xrange [0:11 * sets]
set yrange [0:*]
set xtics 0, 11 format ''
set grid ytics lc rgb '#dddddd'
set key right top
# Rows are in the order of sets, tolerances and layers: a gap after each layer 10.
at = 'awk -F, ''NR > 1 { print $1, $5, $4, $6, $7; if ($5 == 10) print "" }'' '
set datafile separator whitespace
plot '< ' . at . csv using (($1 - 1) * 11 + $2):4 with lines lc rgb '#2b6cb0' \
     title 'M = 20: t = 3.6 % (top) to 7.8 %', \
     '< ' . at . csv using (($1 - 1) * 11 + $2):5 with lines lc rgb '#dd8822' \
     title 'large blocks'
