# SPDX-License-Identifier: GPL-2.0-only
# The literal blocks of a page in reStructuredText, with the label that is before each:
#
#	.. test: WHERE
#	.. not run: REASON
#
# Prints "@ LINE LABEL" for each block, then its lines, joined where one ends in a backslash. The
# label is empty where there is none, and "unused" is one without a block.

function indent(line) { match(line, /^ */); return RLENGTH }

/^ *\.\. (test|not run): / {
	if (label != "")
		print "@ " NR " unused " label
	label = $0
	sub(/^ *\.\. /, "", label)
	inside = 0
	next
}
inside && /^ *$/ { next }
inside && indent($0) > at {
	if (!own)
		own = indent($0)
	line = substr($0, own + 1)
	if (line ~ /\\$/) {
		sub(/ *\\$/, " ", line)
		sub(/^ */, "", line)
		held = held line
		next
	}
	if (held != "")
		sub(/^ */, "", line)
	print held line
	held = ""
	next
}
{ inside = 0 }
/::$/ && !/^ *\.\. / {
	at = indent($0)
	own = 0
	inside = 1
	print "@ " NR " " label
	label = ""
}
END {
	if (label != "")
		print "@ " NR " unused " label
}
