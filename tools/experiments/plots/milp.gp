# SPDX-License-Identifier: GPL-2.0-only
# Running times of a MILP solver and the library over the patterns; csv: cbc.csv.
set datafile separator ','
set title "Swiss-T1's 362 patterns: CPU time to a liquid schedule (after Fig. 65 of the thesis)"
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'CPU time, s'
set logscale y
set format y '%.0e'
set xrange [0:363]
set grid ytics lc rgb '#dddddd'
set key left top
is(outcome) = stringcolumn(7) eq outcome ? column(6) : NaN
plot csv using 1:(is('yes')) skip 1 with points pt 7 ps 0.4 lc rgb '#c51b20' \
     title solver, \
     csv using 1:(is('limit')) skip 1 with points pt 6 ps 0.4 lc rgb '#dd8822' \
     title solver . ', stopped', \
     csv using 1:($5 / 1e6) skip 1 with points pt 7 ps 0.4 lc rgb '#2f855a' title 'the library'
