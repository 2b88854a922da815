# SPDX-License-Identifier: GPL-2.0-only
# fish completion of liquid and liquid-nl; install as share/fish/vendor_completions.d/NAME.fish

# The tool prints the words that may follow, one per line; the shell completes files and devices.
function __liquid_offers
	set -l words (commandline -opc)
	set -l word (commandline -ct)
	for offer in ($words[1] complete -- $words[2..-1] "$word" 2>/dev/null)
		switch $offer
			case '<files>'
				__fish_complete_path "$word"
			case '<devices>'
				path basename /sys/class/net/*
			case '*'
				echo -- $offer
		end
	end
end
for name in liquid liquid-nl
	complete -c $name -f -a '(__liquid_offers)'
end
