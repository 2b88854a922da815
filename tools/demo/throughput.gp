# SPDX-License-Identifier: GPL-2.0-only
# Throughput against time, without gates and with, in per cent of the liquid throughput; curves: the data.
set xlabel "s since the base time"
set ylabel "throughput, % of the liquid throughput"
set yrange [0:110]
set key bottom right
set grid
plot curves index 0 using 2:3 with steps lw 2 title "round-robin, without gates", \
	curves index 1 using 2:3 with steps lw 2 title "liquid schedule, with gates"
