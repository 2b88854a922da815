# SPDX-License-Identifier: GPL-2.0-only
# Throughput over time without and with gates, in percent of the liquid throughput.
# Variable curves: file with the data
set xlabel "s since the base time"
set ylabel "throughput, % of the liquid throughput"
set yrange [0:110]
set key bottom right
set grid
plot curves index 0 using 2:3 with steps lw 2 title "pairwise, without gates", \
	curves index 1 using 2:3 with steps lw 2 title "liquid schedule, with gates"
