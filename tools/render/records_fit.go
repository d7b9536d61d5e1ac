package render

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How the structured result of a page is shared out, in bytes of JSON.
const (
	ladderJSON    = 5 << 10                            // the calls that read long fields
	pageJSON      = StructuredHard - ladderJSON - 1000 // the page itself
	envelopeJSON  = 8 << 10                            // what stands beside the records
	leastFollowUp = 400                                // of one record
	longText      = LineChars                          // a text of more characters has a follow-up in the ladder
	truncatedText = 500                                // characters of a text on a page that is too large otherwise
)

// A recordPage is a page as it fits in structured output.
type recordPage struct {
	body  string
	long  []longRecord
	shown int    // of the records of the page, from the first on; the continuation has the others
	extra excess // what the resource server sent beyond what was asked for
}

// A longRecord is a record with texts that are long, or cut.
type longRecord struct {
	item *item
	cuts []cut // of all its long texts, whole ones too
}

// A shownRecord is what structured output has of a record.
type shownRecord struct {
	fields   object
	expanded string // JSON
}

// fitRecords bounds a page. Long texts are truncated first where there are several records, then the page ends at a record and
// next is its cursor. A record is shrunk only where it fills a page alone.
func fitRecords(l listing, body string, items []item, next func(shown int) string) recordPage {
	page := recordPage{body: body, shown: len(items)}
	var shown []shownRecord
	if len(body) > pageJSON {
		page.body, shown = shortenPage(l, items, next)
		page.shown = len(shown)
	}
	var cuts []cut
	for i := range items[:page.shown] {
		it, record := &items[i], shownRecord{fields: items[i].data}
		switch {
		case shown != nil:
			record = shown[i]
		case len(it.expanded) > 0:
			record.expanded = l.Items[i].Members.Get("expanded")
		}
		first := len(cuts)
		if cuts = longTexts(cuts, record, it); len(cuts) > first {
			page.long = append(page.long, longRecord{it, cuts[first:]})
		}
	}
	return page
}

// shortenPage writes as many records of a page as fit beside the calls that read on, at least one.
func shortenPage(l listing, items []item, next func(shown int) string) (body string, shown []shownRecord) {
	envelope := fitEnvelope(l.Envelope, envelopeJSON)
	remaining := pageJSON + ladderJSON - len(envelope.JSON()) // bytes
	if len(items) > 0 {
		const least = 400 // of a record that still says what it is
		if remaining -= len(next(len(items))); remaining < ladderJSON+least {
			return "", nil
		}
	}
	var records []string
	for i := range items {
		raw, record, size := l.Items[i].Raw, shownRecord{}, 0
		if len(items) > 1 {
			raw, record, size = shortenTexts(l.Items[i], &items[i])
		}
		if len(items) == 1 || i == 0 && size > remaining {
			a, most := new(arguments), remaining-ladderJSON
			record = shrinkRecord(a, l.Items[i], &items[i], most)
			raw, size = string(a.b), remaining
		}
		if size > remaining {
			break
		}
		remaining -= size
		records, shown = append(records, raw), append(shown, record)
	}
	if len(shown) < len(items) {
		envelope = envelope.With("has_more", "true").With("next_cursor", encode(next(len(shown))))
	}
	return append(envelope, pair(l.Name(), rs.JoinArray(records))).JSON(), shown
}

// shortenTexts truncates the long texts of a record. size is what the record takes, and the calls that read these texts on.
func shortenTexts(sent rs.Item, it *item) (shortened string, shown shownRecord, size int) {
	raw, record := sent.Raw, sent.Members
	shown = shownRecord{it.data, record.Get("expanded")}
	if it.data != nil && record.Has("data") && it.ref != (rs.Ref{}) {
		shown.fields = slices.Clone(it.data)
		for i, m := range it.data {
			c := cut{it: it, field: m, shown: truncatedText}
			if len(m.Value) <= truncatedText || rs.Kind(m.Value) != "string" || c.unnamed() != "" || c.total() < truncatedText+truncatedText/4 {
				continue
			}
			shown.fields[i].Value = encode(prefix(rs.TextStart(m.Value, truncatedText), len(m.Value)))
			size += len(c.json()) + 1
		}
		if size > 0 {
			raw = record.With("data", shown.fields.JSON()).JSON()
			size += len(it.id) + leastFollowUp/2
		}
	}
	return raw, shown, size + len(raw) + 1
}

// shrinkRecord writes a record with its fields, and what was expanded, cut to max bytes together with the envelope.
func shrinkRecord(a *arguments, sent rs.Item, it *item, max int) shownRecord {
	record := sent.Members
	if !record.Has("data") || it.data == nil {
		fitted, _ := fit(sent.Raw, max)
		a.b = append(a.b, fitted...)
		shown := rs.AsObject(fitted)
		return shownRecord{shown, shown.Get("expanded")}
	}
	start := len(a.b)
	a.b = fitObject(record.Without("data", "expanded"), max/3, leastShare, fitDepth).AppendJSON(a.b)
	remaining := max - (len(a.b) - start) - len(`,"data":,"expanded":`)
	a.reopen()
	var shown shownRecord
	if record.Has("expanded") {
		shown.expanded, _ = fit(record.Get("expanded"), remaining/3)
		remaining -= len(shown.expanded)
		a.put("expanded", shown.expanded)
	}
	shown.fields = fitObject(it.data, remaining, min(leastField, remaining/2), fitDepth)
	a.key("data")
	a.b = shown.fields.AppendJSON(a.b)
	a.shut('}')
	return shown
}

// longTexts adds the fields of a record that are long texts, and those that were cut.
func longTexts(cuts []cut, shown shownRecord, it *item) []cut {
	if it.ref == (rs.Ref{}) {
		return cuts
	}
	for _, m := range it.data {
		part, kind := shown.fields.Get(m.Name), rs.Kind(m.Value)
		whole := part == m.Value || kind == "null"
		if whole && (len(m.Value) <= longText || kind != "string") {
			continue
		}
		c := cut{it: it, field: m}
		switch {
		case whole:
			c.fromStart = true
			if c.shown = c.total(); c.shown <= longText {
				continue
			}
		case kind == "string":
			text, _ := rs.AsText(part)
			c.shown = utf8.RuneCountInString(text)
		}
		cuts = append(cuts, c)
	}
	if len(it.expanded) > 0 {
		if all := pair("expanded", it.expanded.JSON()); len(shown.expanded) < len(all.Value) {
			cuts = append(cuts, cut{it: it, field: all, related: true})
		}
	}
	return cuts
}

// recordLadder is content_ladder of a page: the long texts of its records, each with the call that reads it (S1-1a), in about
// max bytes.
func recordLadder(long []longRecord, max int) string {
	var records []string
	remaining := max
	for i, record := range long {
		if remaining < len(record.item.id)+leastFollowUp {
			return object{pair("records", rs.JoinArray(records)), pair("more_records", encode(len(long)-i))}.JSON()
		}
		followUp := append(object{pair("id", encode(record.item.id))}, cutMembers("long_fields", record.cuts, record.item, remaining-len(record.item.id)-leastFollowUp/2)...)
		raw := followUp.JSON()
		remaining -= len(raw)
		records = append(records, raw)
	}
	return object{pair("records", rs.JoinArray(records))}.JSON()
}

// A cut is a field that an answer shows only in part, and the call that reads on (S1-R2). What is said of it is found only when
// it is said: a page may have thousands, of which a few are named and the others counted.
type cut struct {
	it        *item
	field     member // as received
	shown     int    // characters
	fromStart bool   // something is shown, but what is read on begins at the start
	related   bool   // the field is all that was expanded
}

// total is how many characters the field has; of a field that is no text, its JSON.
func (c cut) total() int {
	switch {
	case c.related:
		return len(c.field.Value)
	case rs.Kind(c.field.Value) == "string":
		text, _ := rs.AsText(c.field.Value)
		return utf8.RuneCountInString(text)
	}
	return utf8.RuneCountInString(c.field.Value)
}

// unnamed says why no call can name the field, or "" when one can.
func (c cut) unnamed() string {
	if c.related {
		return ""
	}
	if len(c.field.Name) > longestName {
		return fmt.Sprintf("has more than %d bytes", longestName)
	}
	return rs.UnsafeField(c.field.Name)
}

func (c cut) tool() string {
	if c.related {
		return "fetch"
	}
	return "read_record_field"
}

// read adds the arguments of the call that reads on.
func (c cut) read(a *arguments) *arguments {
	a.text("id", c.it.id)
	if c.related {
		var relations []string
		for _, m := range c.it.expanded {
			if sendableField(m.Name) && len(relations) < maxRelated {
				relations = append(relations, m.Name)
			}
		}
		return a.text("connection_id", c.it.separate()).list("expand", relations)
	}
	a.text("field", c.field.Name).text("connection_id", c.it.separate())
	if !c.fromStart {
		a.number("offset_chars", c.shown)
	}
	return a
}

// readOn is the call that reads on, or why there is none.
func (c cut) readOn() string {
	if why := c.unnamed(); why != "" {
		return "no call can, because its name " + why
	}
	return c.read(new(arguments)).call(c.tool())
}

// omitted reports whether nothing of the field is shown, and fetch with it alone shows more.
func (c cut) omitted() bool {
	return c.shown == 0 && !c.fromStart && !c.related && c.unnamed() == ""
}

func (c cut) json() string {
	a := &arguments{make([]byte, 0, 256)}
	a.open("", '{').plain("field", clip(c.field.Name, longestName)).put("shown_chars", strconv.Itoa(c.shown)).put("total_chars", strconv.Itoa(c.total()))
	if why := c.unnamed(); why != "" {
		a.plain("unreadable", "the name "+why)
	} else {
		c.read(a.open("read", '{').plain("tool", c.tool()).open("arguments", '{')).shut('}').shut('}')
	}
	return string(a.shut('}').b)
}

// cutMembers are the members of a follow-up or of a document's metadata that say what is not complete, in about remaining bytes of
// JSON: under key the fields that are shown in part, each with the call that reads on, and the names of those that are
// left out, with the call that reads the first of them.
func cutMembers(key string, cuts []cut, it *item, remaining int) object {
	const batch = 20 // fields of one call
	var parts, names []string
	var first []string
	unnamed := 0
	for _, c := range cuts {
		if c.omitted() {
			continue
		}
		if remaining >= 0 || len(parts) == 0 {
			raw := c.json()
			if remaining -= len(raw) + 1; remaining >= 0 || len(parts) == 0 {
				parts = append(parts, raw)
				continue
			}
		}
		unnamed++
	}
	for _, c := range cuts {
		if !c.omitted() {
			continue
		}
		raw := encode(c.field.Name)
		if remaining -= len(raw) + 1; remaining < 0 && len(names) > 0 {
			unnamed++
			continue
		}
		if names = append(names, raw); len(first) < batch {
			first = append(first, c.field.Name)
		}
	}
	var out object
	if len(parts) > 0 {
		out = append(out, pair(key, rs.JoinArray(parts)))
	}
	if len(names) > 0 {
		args := new(arguments).text("id", it.id).text("connection_id", it.separate()).list("fields", first)
		read := object{pair("tool", encode("fetch")), pair("arguments", args.json())}
		out = append(out, pair("omitted_fields", rs.JoinArray(names)), pair("read_omitted", read.JSON()))
	}
	if unnamed > 0 { // schema names every field
		out = append(out, pair("more_fields", encode(unnamed)))
	}
	return out
}
