# SPDX-License-Identifier: GPL-2.0-only
# The pictures of the experiments: what says which, csv is the file with its data.
set datafile separator ','
set grid ytics lc rgb '#dddddd'
set key left top
set yrange [0:*]
array colour[5] = ['#222222', '#2f855a', '#c51b20', '#dd8822', '#2b6cb0']
set style line 1 pt 7 ps 0.4 lc rgb colour[1]
set style line 2 pt 7 ps 0.4 lc rgb colour[2]
set style line 3 pt 7 ps 0.4 lc rgb colour[3]
set style line 4 pt 6 ps 0.4 lc rgb colour[4]
set style line 5 pt 7 ps 0.4 lc rgb colour[5]
set style line 8 lc rgb '#888888' dt 2
swiss = "Swiss-T1's 362 patterns: "
set xlabel 'pattern, by nodes and then by liquid throughput'
set xrange [0:363]

# ---- chapter 3: the patterns of Swiss-T1 ----

if (what eq 'skeleton') {
	set title swiss . 'share of the transfers that use a bottleneck (after Fig. 33)'
	set ylabel 'skeleton, % of the transfers'
	plot csv using 1:(100*$6/$4):(100*$7/$4) skip 1 with filledcurves lc rgb '#dde6f0' \
	     title 'other allocations', \
	     csv using 1:(100*$5/$4) skip 1 with points ls 5 title 'skeleton'
}
if (what eq 'edges') {
	set title swiss . 'edges of the congestion graphs (after Fig. 63)'
	set ylabel 'pairs of transfers'
	set logscale y
	set yrange [1:1e6]
	plot csv using 1:($4 > 1 ? $4*($4-1)/2 : NaN) skip 1 with steps ls 8 title 'all pairs', \
	     csv using 1:($8 > 0 ? $8 : NaN) skip 1 with points ls 5 \
	     title 'pairs that share a link: edges'
}
if (what eq 'dsatur') {
	set title swiss . 'throughput lost by schedules of DSATUR (after Fig. 64)'
	set ylabel 'loss of throughput, %'
	plot csv using 1:7 skip 1 with impulses lc rgb colour[3] title 'loss', \
	     csv using 1:2 skip 1 with steps ls 8 title 'nodes'
}
if (what eq 'milp') {
	set title swiss . 'CPU time to a liquid schedule (after Fig. 65)'
	set ylabel 'CPU time, s'
	set logscale y
	set yrange [*:*]
	is(outcome) = stringcolumn(7) eq outcome ? column(6) : NaN
	plot csv using 1:(is('yes')) skip 1 with points ls 3 title 'CBC', \
	     csv using 1:(is('limit')) skip 1 with points ls 4 title 'CBC, stopped', \
	     csv using 1:($5 / 1e6) skip 1 with points ls 2 title 'the library'
}
if (what eq 'patterns') {
	set title swiss . 'nodes and liquid throughput (Fig. 40)'
	set xlabel 'nodes'
	set ylabel 'liquid throughput, MB/s'
	set xrange [0:33]
	plot csv using 2:5 skip 1 with points ls 5 title 'liquid throughput of a pattern', \
	     csv using 2:6 skip 1 with lines ls 8 title 'crossbar'
}
if (what eq 'simulator') {
	set title swiss . 'throughput by the simulator, wormhole switching (Fig. 41 to 43)'
	set ylabel 'throughput, MB/s'
	plot csv using 1:6 skip 1 with steps ls 8 title 'crossbar', \
	     csv using 1:5 skip 1 with steps ls 1 title 'liquid throughput', \
	     csv using 1:9 skip 1 with points ls 2 title 'liquid schedule', \
	     csv using 1:7 skip 1 with points ls 3 title 'round-robin', \
	     csv using 1:8 skip 1 with points ls 4 title 'random'
}
if (what eq 'round-robin') {
	set title swiss . 'round-robin, predicted with a barrier after each frame, and simulated'
	set ylabel 'throughput, MB/s'
	plot csv using 1:5 skip 1 with steps ls 1 title 'liquid throughput', \
	     csv using 1:10 skip 1 with steps ls 5 title 'predicted', \
	     csv using 1:11 skip 1 with points ls 4 title '2 MB in blocks of 520 KB', \
	     csv using 1:7 skip 1 with points ls 3 title '5 MB whole'
}
if (what eq 'gain') {
	set title swiss . 'liquid schedule over orders that know no topology (Fig. 66)'
	set ylabel 'throughput of the schedule / of the order'
	plot csv using 1:($9/$7) skip 1 with points ls 3 title 'over round-robin', \
	     csv using 1:($9/$8) skip 1 with points ls 4 title 'over random', \
	     1 with lines ls 8 notitle
}
if (what eq 'driver') {
	set title swiss . 'share of the liquid throughput, by real sockets in a guest'
	plot csv using 1:7 skip 1 with points ls 2 title 'liquid schedule, gates', \
	     csv using 1:5 skip 1 with points ls 3 title 'pairwise', \
	     csv using 1:6 skip 1 with points ls 4 title 'random', \
	     1 with lines ls 1 notitle
}

# ---- today's fabrics, and clocks ----

if (what eq 'fabrics') {
	set datafile missing '-'
	set title sprintf('All-to-all, %s switches: share of the liquid throughput', switching)
	set style data histograms
	set style histogram clustered gap 1
	set style fill solid 0.9 border lc rgb '#ffffff'
	set yrange [0:1.05]
	set xlabel ''
	set autoscale x
	set key outside bottom center horizontal
	plot for [k = 2:columns] csv using k:xtic(1) skip 1 title columnhead(k)
}
if (what eq 'sync') {
	set title 'Swiss-T1, liquid schedule, by the simulator: clock error and guard'
	set xlabel 'clock error of a node, in message times'
	set ylabel column == 3 ? 'share of the liquid throughput' : 'waits a message'
	set logscale x
	set xrange [0.00007:1]
	set key left top title 'guard, in message times'
	plot for [i=1:words(guards)] \
	     csv using (strcol(2) eq word(guards, i) && $1 > 0 ? $1 : NaN):column skip 1 \
	     with linespoints pt 7 ps 0.4 lw 1.5 title word(guards, i)
}

# ---- chapter 4 ----

if (what eq 'hunt') {
	set title 'Links that may be bottlenecks, by iteration of the hunting loop (after Fig. 58)'
	set xlabel 'iteration'
	set ylabel 'suspects, mean per network'
	set xrange [0:25]
	set logscale y
	set yrange [5:250]
	set key right top
	plot for [k = 1:10] csv using 2:($1 == k ? $3 : NaN) skip 1 with linespoints pt 7 ps 0.3 \
	     lc rgb hsv2rgb(0.6, k / 10., 0.75) title sprintf('layer %d', k)
}
if (what eq 'fec') {
	set title 'How much more is sent so that a block is decoded (DER 1e-5, after Fig. 59)'
	set xlabel 'loss'
	set ylabel 'FEC_p / M'
	set xrange [0:0.92]
	set logscale y
	set yrange [1:150]
	factor(m) = column(1) == m ? column(3) / m : NaN
	plot for [m = 1:10] csv using 2:(factor(m)) skip 1 with lines \
	     lc rgb hsv2rgb(0.6, m / 10., 0.75) lw 1.5 title sprintf('M = %d', m), \
	     1 / (1 - x) ls 8 title '1 / (1 - p)'
}
if (what eq 'ror') {
	set title 'Mean ROR by layer: 10 layers of each set of frames (after Figs. 60 and 61)'
	set xlabel 'set of frames, and in it layers 1 to 10'
	set ylabel 'ROR'
	set xrange [0:11 * sets]
	set xtics 0, 11 format ''
	set key right top
	# Rows are in the order of sets, tolerances and layers: a gap after each layer 10.
	at = 'awk -F, ''NR > 1 { print $1, $5, $4, $6, $7; if ($5 == 10) print "" }'' '
	set datafile separator whitespace
	plot '< ' . at . csv using (($1 - 1) * 11 + $2):4 with lines lc rgb colour[5] \
	     title 'M = 20: t = 3.6 % (top) to 7.8 %', \
	     '< ' . at . csv using (($1 - 1) * 11 + $2):5 with lines lc rgb colour[4] \
	     title 'large blocks'
}
if (what eq 'overlap') {
	set title '50 links that fail once an hour: failures that overlap (after Fig. 67)'
	set xlabel 'duration of a failure, s'
	set ylabel 'probability, %'
	set xrange [0:60]
	plot csv using 1:(100 * $2) skip 1 with lines lw 2 lc rgb colour[5] notitle
}
