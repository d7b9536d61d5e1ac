package render

import "strings"

// quotedChars is where a quoted line of a record's text is continued on the next, so that no line is too long.
const quotedChars = LineChars - 100

// quoteLines returns a record's text as lines of a result: "> " starts each of its lines, and "+ " continues one that
// is too long. So the text is all there, and none of its lines can be taken for one of ours (D19).
func quoteLines(text string) []string {
	var lines []string
	for line := range strings.SplitSeq(manyLines(text), "\n") {
		prefix := "> "
		for cut := runeIndex(line, quotedChars); cut < len(line); cut = runeIndex(line, quotedChars) {
			lines = append(lines, prefix+line[:cut])
			line, prefix = line[cut:], "+ "
		}
		lines = append(lines, prefix+line)
	}
	return lines
}
