package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A document is a record's text: its short fields, then its long texts, then what was expanded.
type document struct {
	text   string
	cuts   []cut
	partly bool // a text that is attached is cut
}

const (
	shortText    = 200 // a text of at most this many characters on one line stands among the short fields
	maxValue     = 2000
	maxRelated   = 20
	relatedChars = 600

	maxNamedRelations = 3
)

// writeDocument writes a record in about remaining bytes of JSON. A text that does not fit is cut at a character; each cut
// has the call that reads on.
func writeDocument(it *item, q DocumentQuery, remaining int) document {
	var d document
	var b strings.Builder
	var long []member
	var empty []string
	for _, m := range it.data {
		value, _ := rs.AsText(m.Value)
		partly := false
		switch rs.Kind(m.Value) {
		case "string":
			if longerThan(value, shortText) || strings.Contains(value, "\n") {
				long = append(long, m)
				continue
			}
			value = shortValue(value)
		case "array", "object":
			value = preview(readable(m.Value), maxValue)
			partly = strings.HasSuffix(value, "…") // whole, it ends with a bracket; a text may end like this by itself
		case "null":
			value = "null"
		}
		switch full := b.Len()+len(shownName(m.Name))+len(value) > remaining/2; { // of very many fields the rest are readable by name
		case full && slices.Contains([]string{"null", `""`, "[]", "{}"}, value):
			empty = append(empty, shownName(m.Name))
			continue
		case full || partly:
			d.cuts = append(d.cuts, cut{it: it, field: m, fromStart: !full})
			if full {
				continue
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", shownName(m.Name), value)
	}
	if len(empty) > 0 {
		b.WriteString(clip("empty: "+strings.Join(empty, ", "), lineChars/4) + "\n")
	}
	related := writeRelated(readRelations(it), remaining/4)
	files, whole := writeAttached(q.Attached, remaining/2)
	d.partly = !whole
	if len(q.Relations) > 0 && len(it.data) > 0 {
		first := q.Relations[:min(len(q.Relations), maxNamedRelations)]
		expand := new(arguments).plain("id", it.id).list("expand", first)
		files += "\n[not included: " + strings.Join(first, ", ") + "; with them: " + expand.call("fetch") + "]\n"
	}
	d.writeTexts(&b, long, it, remaining-escaped(b.String())-escaped(related)-escaped(files))
	b.WriteString(related + files)
	d.text = strings.Trim(b.String(), "\n")
	return d
}

// shortValue is a short text as it is; in quotes, as JSON, where it could be taken for another value: nothing, a number, a list.
func shortValue(text string) string {
	if json.Valid([]byte(text)) || strings.TrimSpace(text) != text || text == "" {
		return quote(text)
	}
	return oneLine(text)
}

// writeTexts writes the long texts; where not all fit, the shorter ones are whole and the longest share
// what is left. Texts that would have no more than a few words each are left out, and only named in the cuts. "> "
// starts each of their lines, so that none can be taken for one of ours (D19).
func (d *document) writeTexts(b *strings.Builder, long []member, it *item, remaining int) {
	const least, note = 1000, 160
	texts := make([]string, len(long))
	sizes := make([]int, len(long))
	for i, m := range long {
		texts[i], _ = rs.AsText(m.Value)
		sizes[i] = escaped(quoted(texts[i])) + len(shownName(m.Name)) + 8
	}
	fit := max(sharing(sizes, remaining, least), min(1, len(long))) // the first is shown however little of it fits
	share := fairShare(sizes[:fit], remaining)
	for i, m := range long {
		c := cut{it: it, field: m}
		if i >= fit {
			d.cuts = append(d.cuts, c)
			continue
		}
		shown := texts[i]
		if sizes[i] > share {
			shown = prefixQuoted(shown, share-len(shownName(m.Name))*2-note)
		}
		fmt.Fprintf(b, "\n%s:\n%s\n", shownName(m.Name), quoted(shown))
		if len(shown) < len(texts[i]) {
			c.shown = utf8.RuneCountInString(shown)
			d.cuts = append(d.cuts, c)
			fmt.Fprintf(b, "[%s is cut: %d of %d characters; go on with read_record_field at offset_chars %d]\n", shownName(m.Name), c.shown, c.total(), c.shown)
		}
	}
}

// quoted is a text as it stands in a document.
func quoted(text string) string {
	return "> " + strings.ReplaceAll(manyLines(text), "\n", "\n> ")
}

// prefixQuoted is the longest start of a text that takes at most max bytes of JSON when it is quoted.
func prefixQuoted(text string, max int) string {
	cut := prefix(text, max)
	for size := escaped(quoted(cut)); size > max && cut != ""; size = escaped(quoted(cut)) {
		cut = prefix(cut, escaped(cut)-(size-max))
	}
	return cut
}

// writeRelated lists expanded records, a line each with the id that fetch takes.
func writeRelated(relations []relation, remaining int) string {
	var b strings.Builder
	for _, related := range relations {
		if b.Len() > remaining {
			break
		}
		head := fmt.Sprintf("\nexpanded %s: %s", shownName(related.name), plural(len(related.records), "record"))
		if related.more {
			head += ", more exist (raise expand_limit)"
		}
		b.WriteString(head + "\n")
		for i, it := range related.records {
			line := it.id
			if it.data != nil {
				line = strings.TrimSpace(line + " " + preview(readable(it.data.JSON()), relatedChars))
			}
			if i == maxRelated || b.Len()+len(line) > remaining {
				fmt.Fprintf(&b, "%d more not shown: lower expand_limit, or query their stream\n", len(related.records)-i)
				break
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
