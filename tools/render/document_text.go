package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const (
	shortText    = 200  // characters; a one-line text up to this length is a short field
	maxValue     = 2000 // characters of a list, an object or a related record
	relatedChars = 600  // characters that a related record may have at least
)

// A documentText is a record's text: its short fields, then its long texts, then what was expanded.
type documentText struct {
	text   string
	cuts   []item.Truncation
	partly bool // an attached text or a related record is truncated or left out
}

// isLong reports whether a field is a text of several lines or of more than shortText characters.
func isLong(m member) bool {
	text, _ := rs.AsText(m.Value)
	return rs.Kind(m.Value) == "string" && (clean.LongerThan(text, shortText) || strings.Contains(text, "\n"))
}

// writeTexts writes the long texts. If not all fit, the shorter ones are complete and the longest share the remaining bytes. Texts that
// would get only a few words each are left out and only listed in cuts. Each line of a text starts with "> ", so that none can be taken
// for a line of the adapter (D19).
func (d *documentText) writeTexts(long []member, it *item.Item, remaining int) string {
	const least, note = 1000, 160
	var b strings.Builder
	texts := make([]string, len(long))
	sizes := make([]int, len(long))
	for i, m := range long {
		texts[i], _ = rs.AsText(m.Value)
		sizes[i] = write.Escaped(quoted(texts[i])) + len(write.ShownName(m.Name)) + 8
	}
	fit := max(write.Sharing(sizes, remaining, least), min(1, len(long))) // the first is shown however little of it fits
	share := write.FairShare(sizes[:fit], remaining)
	for i, m := range long {
		c := item.Truncation{Item: it, Field: m}
		if i >= fit {
			d.cuts = append(d.cuts, c)
			continue
		}
		shown := texts[i]
		if sizes[i] > share {
			shown = prefixQuoted(shown, share-len(write.ShownName(m.Name))*2-note)
		}
		fmt.Fprintf(&b, "\n%s:\n%s\n", it.LineName(m), quoted(shown))
		if len(shown) < len(texts[i]) {
			c.Shown = utf8.RuneCountInString(shown)
			d.cuts = append(d.cuts, c)
			fmt.Fprintf(&b, "[%s is cut: %d of %d characters; go on with read_record_field at offset_chars %d]\n",
				write.ShownName(m.Name), c.Shown, c.Total(), c.Shown)
		}
	}
	return b.String()
}

// writeParts writes the long texts of the records of some relations (parts), and returns the relations of which it wrote nothing.
func (d *documentText) writeParts(all []item.Relation, parts []string, remaining int) (text string, others []item.Relation) {
	for _, r := range all {
		part := ""
		if slices.Contains(parts, r.Name) && len(r.Records) > 0 {
			part = d.writePart(r.Name, &r.Records[0], remaining-write.Escaped(text))
		}
		if text += part; part == "" {
			others = append(others, r)
		}
	}
	return text, others
}

// writePart writes the long texts of an expanded record, each with its citation.
func (d *documentText) writePart(relation string, it *item.Item, remaining int) (text string) {
	const least = 1000
	before := len(d.cuts)
	values, clipped := shortValues(it)
	for _, m := range it.Data {
		left, cuts := remaining-write.Escaped(text), len(d.cuts)
		switch {
		case isLong(m) && left >= least:
		case isLong(m) || clean.LongerThan(m.Value, shortText):
			d.cuts = append(d.cuts, item.Truncation{Item: it, Field: m, FromStart: true})
			continue
		default:
			continue
		}
		text += fmt.Sprintf("\n%s of %s%s", write.ShownName(relation), it.ID, values) + d.writeTexts([]member{m}, it, left)
		value, _ := rs.AsText(m.Value)
		if len(d.cuts) > cuts {
			value = value[:clean.RuneIndex(value, d.cuts[cuts].Shown)]
		}
		if n := utf8.RuneCountInString(value); n > 0 && len(it.ID) <= write.LongestHandle {
			text += fmt.Sprintf("cite: %s field=%s 0-%d %s\n", it.ID, write.ShownName(m.Name), n, marked.Cited(value))
		}
	}
	if text == "" {
		d.cuts = d.cuts[:before] // it is listed with the other relations
	}
	d.partly = d.partly || clipped && text != ""
	return text
}

// shortValues returns the short fields of a record in parentheses, and whether some are left out.
func shortValues(it *item.Item) (text string, clipped bool) {
	values := strings.Join(write.EachOf(it.Data, len(it.Data), func(m member) string {
		text, _ := rs.AsText(m.Value)
		short := text != it.RecordID && !clean.LongerThan(m.Value, shortText) && !strings.Contains(text, "\n")
		return write.When(short, write.ShownName(m.Name)+": "+write.ShownValue(m.Value))
	}), ", ")
	return write.When(values != "", " ("+clean.Clip(values, write.LineChars/4)+")"), clean.LongerThan(values, write.LineChars/4)
}

// writeRelated lists expanded records, one per line with the id that fetch takes. It adds how to read the records that are left out, and
// the relations of the records (inner) that are not expanded.
func (d *documentText) writeRelated(parent *item.Item, relations []item.Relation, inner map[string][]string, remaining int) string {
	var b strings.Builder
	records := 0
	for _, related := range relations {
		records += len(related.Records)
	}
	chars := min(max(relatedChars, remaining/max(records, 1)), maxValue)
	var left []string
	for _, related := range relations {
		if b.Len() > remaining {
			left = append(left, write.ShownName(related.Name))
			continue
		}
		fmt.Fprintf(&b, "\nexpanded %s: %s\n", write.ShownName(related.Name), write.Plural(len(related.Records), "record"))
		shown := 0
		for i, it := range related.Records {
			line, cut := it.ID, false
			if it.Data != nil {
				fields := slices.Clone(it.Data)
				for n, m := range fields {
					fields[n].Value = item.WithoutRepeats(m.Value)
				}
				data := clean.Readable(fields.JSON())
				if line = strings.TrimSpace(line + " " + clean.Preview(data, chars)); clean.LongerThan(data, chars) {
					line, cut = line+" "+item.CutRecord, true
				}
			}
			if i == item.MaxRelated || b.Len()+len(line) > remaining {
				break
			}
			b.WriteString(line + "\n")
			d.partly = d.partly || cut
			shown++
		}
		if rest := related.Rest(shown); rest != "" {
			d.partly = true
			b.WriteString(rest + "; " + related.All(parent) + "\n")
		}
		if parts := inner[related.Name]; len(parts) > 0 && len(related.Records) > 0 {
			fmt.Fprintf(&b, "[not included: %s of each; with them: %s]\n", strings.Join(write.Each(parts, write.ShownName), ", "),
				cmp.Or(related.Call(parent, parts...), "fetch with its id"))
		}
	}
	if len(left) > 0 {
		d.partly = true
		b.WriteString("\n[left out, fetch with each alone in expand: " + strings.Join(write.Within(left, write.LineChars/4), ", ") + "]\n")
	}
	return b.String()
}

func quoted(text string) string {
	return "> " + strings.ReplaceAll(clean.Lines(text), "\n", "\n> ")
}

// prefixQuoted returns a prefix of a text that takes at most max bytes of JSON when it is quoted.
func prefixQuoted(text string, max int) string {
	cut := write.Prefix(text, max)
	for size := write.Escaped(quoted(cut)); size > max && cut != ""; size = write.Escaped(quoted(cut)) {
		cut = write.Prefix(cut, write.Escaped(cut)-(size-max))
	}
	return cut
}
