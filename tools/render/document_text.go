package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A document is a record's text: its short fields, then its long texts, then what was expanded.
type document struct {
	text string
	cuts []cut
}

// A cut is a field of which the document shows only the start.
type cut struct {
	field        string
	shown, total int        // characters
	tool         string     // the tool that reads on; "" when none can
	read         *arguments // its arguments
}

func (c cut) json() json.RawMessage {
	o := object{pair("field", encode(c.field)), pair("shown_chars", encode(c.shown)), pair("total_chars", encode(c.total))}
	if c.tool != "" {
		o = append(o, pair("read", object{pair("tool", encode(c.tool)), pair("arguments", c.read.json())}.JSON()))
	}
	return o.JSON()
}

const (
	shortText    = 200 // a text of at most this many characters on one line stands among the short fields
	maxValue     = 2000
	maxRelated   = 20
	relatedChars = 600
)

// writeDocument writes a record in about room bytes of JSON. A text that does not fit is cut at a character, and the
// cut says where to read on.
func writeDocument(data, expanded object, read rs.Ref, room int) document {
	var d document
	var b strings.Builder
	var long []member
	var empty []string
	widest := maxValue
	if len(data) == 1 {
		widest = room / 2 // alone, a list may take what there is
	}
	for _, m := range data {
		value, _ := rs.AsText(m.Value)
		switch rs.Kind(m.Value) {
		case "string":
			if longerThan(value, shortText) || strings.Contains(value, "\n") {
				long = append(long, m)
				continue
			}
			value = oneLine(value)
		case "array", "object":
			if value = oneLine(string(m.Value)); value == "[]" || value == "{}" {
				value = ""
			}
		}
		if value == "" {
			empty = append(empty, name(m.Name))
			continue
		}
		total := utf8.RuneCountInString(value)
		if b.Len()+len(m.Name)+min(len(value), widest) > room/2 { // very many fields: the rest are readable by name
			d.cuts = append(d.cuts, fieldCut(m.Name, 0, total, read))
			continue
		}
		if total > widest {
			c := fieldCut(m.Name, widest-1, total, read)
			if len(data) == 1 {
				c.tool = "" // fetch can show no more of it
			}
			d.cuts = append(d.cuts, c)
			value = clip(value, widest)
		}
		fmt.Fprintf(&b, "%s: %s\n", name(m.Name), value)
	}
	if len(empty) > 0 {
		b.WriteString(clip("empty: "+strings.Join(empty, ", "), LineChars/4) + "\n")
	}
	related := writeRelated(expanded, read.ConnectionID, room/4)
	d.writeTexts(&b, long, read, room-escaped(b.String())-escaped(related))
	b.WriteString(related)
	d.text = strings.Trim(b.String(), "\n")
	return d
}

// fieldCut is a cut that fetch reads on, by leaving out the other fields.
func fieldCut(field string, shown, total int, read rs.Ref) cut {
	return cut{field, shown, total, "fetch", new(arguments).text("id", read.String()).list("fields", []string{field})}
}

// textCut is a cut in a text.
func textCut(field string, shown, total int, read rs.Ref) cut {
	args := new(arguments).text("id", read.String()).text("field", field)
	return cut{field, shown, total, "read_record_field", args.put("offset_chars", strconv.Itoa(shown))}
}

// writeTexts writes the long texts; when there is not room for all, the shorter ones are whole and the longest share
// what is left. Texts that would have no more than a few words each are left out, and only named in the cuts.
func (d *document) writeTexts(b *strings.Builder, long []member, read rs.Ref, room int) {
	const least, note = 400, 160
	texts := make([]string, len(long))
	sizes := make([]int, len(long))
	for i, m := range long {
		texts[i], _ = rs.AsText(m.Value)
		sizes[i] = escaped(manyLines(texts[i])) + len(m.Name) + 8
	}
	// The share never grows with more texts, so that the last that fits is found by halving: a record may have very many.
	fit := max(1, sort.Search(len(long), func(i int) bool { return fairShare(sizes[:i+1], room) < least }))
	fit = min(fit, len(long))
	share := fairShare(sizes[:fit], room)
	for i, m := range long {
		total := utf8.RuneCountInString(texts[i])
		if i >= fit {
			d.cuts = append(d.cuts, textCut(m.Name, 0, total, read))
			continue
		}
		shown := texts[i]
		if sizes[i] > share {
			shown = prefix(shown, share-len(m.Name)*2-note)
		}
		fmt.Fprintf(b, "\n%s:\n%s\n", name(m.Name), manyLines(shown))
		if len(shown) < len(texts[i]) {
			n := utf8.RuneCountInString(shown)
			d.cuts = append(d.cuts, textCut(m.Name, n, total, read))
			fmt.Fprintf(b, "[%s is cut: %d of %d characters; go on with read_record_field at offset_chars %d]\n", name(m.Name), n, total, n)
		}
	}
}

// fairShare is the largest share at which sizes, each cut to it, fit in room together.
func fairShare(sizes []int, room int) int {
	sorted := slices.Sorted(slices.Values(sizes))
	for i, size := range sorted {
		share := room / (len(sorted) - i)
		if size > share {
			return max(share, 0)
		}
		room -= size
	}
	return int(^uint(0) >> 1)
}

// prefix is the longest start of s that takes at most max bytes of JSON.
func prefix(s string, max int) string {
	n := 0
	for i, c := range s {
		if n += escapedRune(c); n > max {
			return s[:i]
		}
	}
	return s
}

// escaped is how many bytes s takes inside a JSON string.
func escaped(s string) int {
	n := 0
	for _, c := range s {
		n += escapedRune(c)
	}
	return n
}

func escapedRune(c rune) int {
	switch {
	case c == '\n' || c == '\t' || c == '\r' || c == '"' || c == '\\':
		return 2
	case c < ' ' || c == '\u2028' || c == '\u2029':
		return 6
	}
	return utf8.RuneLen(c)
}

// writeRelated lists expanded records, a line each with the id that fetch takes.
func writeRelated(expanded object, conn string, room int) string {
	var b strings.Builder
	for _, m := range expanded {
		if b.Len() > room {
			break
		}
		relation := rs.AsObject(m.Value)
		items, many := rs.AsArray(relation.Get("data"))
		if !many {
			if list, ok := rs.AsArray(m.Value); ok {
				items = list
			} else if relation != nil {
				items = []json.RawMessage{m.Value}
			}
		}
		head := fmt.Sprintf("\nexpanded %s: %s", name(m.Name), plural(len(items), "record"))
		if relation.Flag("has_more") {
			head += ", more exist (raise expand_limit)"
		}
		b.WriteString(head + "\n")
		for i, raw := range items {
			it := readRecord(rs.AsObject(raw), "", conn)
			line := it.id
			if data := string(it.data.JSON()); it.data != nil {
				line = strings.TrimSpace(line + " " + preview(data, relatedChars))
			}
			if i == maxRelated || b.Len()+len(line) > room {
				fmt.Fprintf(&b, "%d more not shown: lower expand_limit, or query their stream\n", len(items)-i)
				break
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
