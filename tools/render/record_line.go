package render

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// relatedCounts are the relations of a record with the number of records that came with it.
func relatedCounts(it *item) string {
	var counts []string
	for _, m := range it.expanded {
		related := rs.AsObject(m.Value)
		list := related.Array("data")
		if all, ok := rs.AsArray(m.Value); ok {
			list = all
		}
		count := strconv.Itoa(len(list))
		if related.Flag("has_more") {
			count += "+"
		}
		counts = append(counts, shownName(m.Name)+"="+count)
	}
	return clip(strings.Join(counts, " "), 4*labelChars)
}

// appendRecord appends one record in about remaining bytes to an empty line: its id, title and time, then short values. It reports
// whether something of it was cut.
func appendRecord(line []byte, it *item, remaining int) (_ []byte, cut bool) {
	const separator = " | "
	if line = append(line, it.id...); it.id == "" {
		line = append(line, "(no id)"...)
	}
	if conn := it.separate(); conn != "" {
		line = appendName(append(line, separator+"connection_id="...), conn)
	}
	if it.deleted {
		return append(line, separator+"deleted"...), false
	}
	if it.title != "" {
		line = appendQuoted(append(line, separator...), preview(it.title, titleChars))
		cut = longerThan(it.title, titleChars) && longerThan(oneLine(it.title), titleChars)
	}
	switch {
	case it.authored != "":
		line = appendName(append(line, separator...), it.authored)
	case it.emitted != "": // when it was read, which is not when it happened
		line = appendName(append(line, separator+"emitted_at="...), it.emitted)
	}
	if related := relatedCounts(it); related != "" {
		line = append(append(line, separator+"expanded "...), related...)
	}
	between := separator
	for worth := range leastWorth + 1 {
		for _, m := range it.data {
			if worthOf(m.Value) != worth || m.Name == it.titleField || m.Name == it.timeField {
				continue
			}
			before := len(line)
			line = append(appendName(append(line, between...), m.Name), '=')
			start := len(line)
			var short bool
			line, short = appendShort(line, m.Value, 100)
			value := line[start:]
			if len(value) == 0 || string(value) == it.authored || m.Name == "id" && string(value) == it.recordID {
				line = line[:before]
				continue
			}
			if before+len(between)+len(m.Name)+len(value) > remaining {
				line, short = appendShort(line[:start], m.Value, 40)
			}
			if len(line) > remaining {
				line, cut = line[:before], true
				continue
			}
			between, cut = " ", cut || short
		}
	}
	if cut && !bytes.HasSuffix(line, []byte(ellipsis)) {
		line = append(line, " "+ellipsis...)
	}
	return line, cut
}

// leastWorth is the worth of flags. What tells records apart comes first: texts and numbers, then lists. What is null is worth
// nothing.
const leastWorth = 2

func worthOf(raw string) int {
	switch raw[0] {
	case '{', '[':
		return 1
	case 't', 'f':
		return leastWorth
	case 'n':
		return -1
	}
	return 0
}

// appendShort appends a value inside a line, in at most maxChars characters: a clipped string, a number, a boolean, or a small
// array or object; of null and empty values nothing. It reports whether it was cut.
func appendShort(b []byte, raw string, maxChars int) (_ []byte, cut bool) {
	switch rs.Kind(raw) {
	case "string":
		if start, ok := plainStart(raw[1:len(raw)-1], maxChars); ok {
			b = appendQuoted(b, start)
			return append(b[:len(b)-1], ellipsis+`"`...), true
		}
		most := 8 * maxChars // of a text of which a line shows little, as of one of spaces
		s := oneLine(clip(rs.TextStart(raw, most+1), most))
		if s == "" {
			return b, false
		}
		if c := clip(s, maxChars); c != s {
			return appendQuoted(b, c), true
		}
		return appendName(b, s), false
	case "number", "boolean":
		return append(b, raw...), false
	case "array", "object":
		if start, ok := plainStart(raw, maxChars); ok {
			return append(append(b, start...), ellipsis...), true
		}
		s := oneLine(readable(raw))
		if s == "[]" || s == "{}" {
			return b, false
		}
		c := clip(s, maxChars)
		return append(b, c...), c != s
	}
	return b, false
}

// plainStart is what [clip] shows before its ellipsis of JSON that is longer than max characters, or of what is between its quotes,
// where that is easily seen: up to there no character is an escape or has to go. Most long texts are like that, and what
// follows their start is then not looked at.
func plainStart(raw string, max int) (start string, ok bool) {
	if len(raw) <= max {
		return "", false
	}
	shown := runeIndex(raw, max-1)
	more := shown + runeIndex(raw[shown:], 3) // not all of it spaces, which are trimmed from the end of a line
	if start = strings.TrimSuffix(raw[:more], " "); more == len(raw) || strings.IndexByte(start, '\\') >= 0 || oneLine(start) != start {
		return "", false
	}
	return strings.TrimRight(raw[:shown], " "), true
}
