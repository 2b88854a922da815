# SPDX-License-Identifier: GPL-2.0-only
# Probability that failures overlap, by their duration (thesis, Fig. 67); csv: overlap.csv.
set datafile separator ','
set title '50 links that fail once an hour: failures that overlap (after Fig. 67)'
set xlabel 'duration of a failure, s'
set ylabel 'probability, %'
set xrange [0:60]
set yrange [0:60]
set grid lc rgb '#dddddd'
set key left top
plot csv using 1:(100 * $2) skip 1 with lines lw 2 lc rgb '#2b6cb0' notitle
