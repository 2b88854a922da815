# SPDX-License-Identifier: GPL-2.0-only
# The skeleton's share of the transfers over the patterns (thesis, Fig. 33); csv: congestion.csv.
set datafile separator ','
set title "Swiss-T1's 362 patterns: share of the transfers that use a bottleneck (after Fig. 33)"
set xlabel 'pattern, by nodes and then by liquid throughput'
set ylabel 'skeleton, % of the transfers'
set xrange [0:363]
set yrange [0:105]
set grid ytics lc rgb '#dddddd'
set key right top opaque
plot csv using 1:(100*$6/$4):(100*$7/$4) skip 1 with filledcurves lc rgb '#dde6f0' \
     title 'other allocations', \
     csv using 1:(100*$5/$4) skip 1 with points pt 7 ps 0.4 lc rgb '#2b6cb0' title 'skeleton'
