# SPDX-License-Identifier: GPL-2.0-only
# Shares of the liquid throughput by fabric and order.
# Variables: csv: file with a line per fabric; switching: its name for the title
set datafile separator ','
set datafile missing '-'
switched = switching eq 'voq' ? 'cut-through (virtual output queues)' : switching
set title sprintf('All-to-all by %s switching: share of the liquid throughput', switched)
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 border lc rgb '#ffffff'
set boxwidth 0.95
set yrange [0:1.05]
set grid ytics lc rgb '#dddddd'
set key outside bottom center horizontal
set xtics nomirror
plot csv using 2:xtic(1) skip 1 lc rgb '#c51b20' title 'pairwise', \
     '' using 3 skip 1 lc rgb '#dd8822' title 'random', \
     '' using 4 skip 1 lc rgb '#888888' title 'all at once', \
     '' using 5 skip 1 lc rgb '#2b6cb0' title 'shuffle with window', \
     '' using 6 skip 1 lc rgb '#2f855a' title 'schedule by gates', \
     '' using 8 skip 1 lc rgb '#a0aec0' title 'by gates, clocks off by 5 us', \
     '' using 9 skip 1 lc rgb '#7cc49a' title 'schedule by tokens'
