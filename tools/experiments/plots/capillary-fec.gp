# SPDX-License-Identifier: GPL-2.0-only
# Packets sent for each one of the source, by loss (thesis, Fig. 59); csv: fec.csv.
set datafile separator ','
set title 'How much more is sent so that a block is decoded (DER 1e-5, after Fig. 59)'
set xlabel 'loss'
set ylabel 'FEC_p / M'
set xrange [0:0.92]
set logscale y
set yrange [1:150]
set grid ytics lc rgb '#dddddd'
set key left top
factor(m) = column(1) == m ? column(3) / m : NaN
plot for [m = 1:10] csv using 2:(factor(m)) skip 1 with lines \
     lc rgb hsv2rgb(0.6, m / 10., 0.75) lw 1.5 title sprintf('M = %d', m), \
     1 / (1 - x) lc rgb '#888888' dt 2 title '1 / (1 - p)'
