package render

import (
	"fmt"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How the structured result of a page is shared out, in bytes of JSON.
const (
	ladderJSON   = 5 << 10                            // the calls that read long fields
	pageJSON     = StructuredHard - ladderJSON - 1000 // the page itself
	envelopeJSON = 8 << 10                            // what stands beside the records
	leastRung    = 400                                // of one record
	longText     = LineChars                          // a text of more characters has a rung in the ladder
)

// RecordsThatFit returns how many records of a page a host takes, and how many the page has of those that were asked for; all of
// them when it fits. One that does not fit is asked for again with a smaller limit, so that its cursor is exact (D18).
func RecordsThatFit(response *rs.Response, limit int, connectionID string) (fit, of int) {
	if len(response.Body) <= pageJSON {
		return 0, 0
	}
	const what = "query_records"
	l, err := readListing(response, what)
	if err != nil {
		return 0, 0
	}
	l, _, _ = boundRecords(l, "", limit, connectionID)
	room := pageJSON - min(len(l.Envelope.JSON()), envelopeJSON)
	for i, item := range l.Items {
		if room -= len(item) + 1; room < 0 {
			return i, len(l.Items)
		}
	}
	return len(l.Items), len(l.Items)
}

// A recordPage is a page as it fits in structured output.
type recordPage struct {
	body  string
	long  []longRecord
	left  int    // records that stand in neither channel, because the resource server sent more than the limit
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

// fitRecords bounds a page. Records are cut only when a single one is too large, or when the resource server sends more
// than it was asked for: the envelope and the identity of each stay, large values share what room there is.
func fitRecords(l listing, body string, items []item) recordPage {
	page := recordPage{body: body}
	var shown []shownRecord
	if len(body) > pageJSON {
		page.body, shown = shrinkPage(l, items)
		page.left = len(items) - len(shown)
	}
	var cuts []cut
	for i := range items[:len(items)-page.left] {
		it, record := &items[i], shownRecord{fields: items[i].data}
		switch {
		case shown != nil:
			record = shown[i]
		case len(it.expanded) > 0:
			record.expanded = rs.AsObject(l.Items[i]).Get("expanded")
		}
		first := len(cuts)
		if cuts = longTexts(cuts, record, it); len(cuts) > first {
			page.long = append(page.long, longRecord{it, cuts[first:]})
		}
	}
	return page
}

// shrinkPage writes a page with as many of its records as have a share of the room that says what they are.
func shrinkPage(l listing, items []item) (body string, shown []shownRecord) {
	const least = 400 // bytes of a record that still says what it is
	a := &arguments{fitEnvelope(l.Envelope, envelopeJSON).AppendJSON(make([]byte, 0, pageJSON))}
	room := pageJSON - len(a.b)
	sizes := make([]int, min(len(l.Items), max(room/least, 0)))
	for i := range sizes {
		sizes[i] = len(l.Items[i]) + 1
	}
	share := fairShare(sizes, room)
	shown = make([]shownRecord, len(sizes))
	a.reopen().open(l.Name(), '[')
	for i := range sizes {
		record := rs.AsObject(l.Items[i])
		a.comma()
		if sizes[i] > share {
			shown[i] = shrinkRecord(a, record, l.Items[i], &items[i], share-1)
		} else {
			a.b = append(a.b, l.Items[i]...)
			shown[i] = shownRecord{items[i].data, record.Get("expanded")}
		}
	}
	return string(a.shut(']').shut('}').b), shown
}

// shrinkRecord writes a record with its fields, and what was expanded, cut to max bytes together with the envelope.
func shrinkRecord(a *arguments, record object, raw string, it *item, max int) shownRecord {
	if !record.Has("data") || it.data == nil {
		fitted, _ := fit(raw, max)
		a.b = append(a.b, fitted...)
		shown := rs.AsObject(fitted)
		return shownRecord{shown, shown.Get("expanded")}
	}
	start := len(a.b)
	a.b = fitObject(record.Without("data", "expanded"), max/3, leastShare, fitDepth).AppendJSON(a.b)
	room := max - (len(a.b) - start) - len(`,"data":,"expanded":`)
	a.reopen()
	var shown shownRecord
	if record.Has("expanded") {
		shown.expanded, _ = fit(record.Get("expanded"), room/3)
		room -= len(shown.expanded)
		a.put("expanded", shown.expanded)
	}
	shown.fields = fitObject(it.data, room, min(leastField, room/2), fitDepth)
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

// leftNote says what of a page is shown on neither channel, and what to ask instead; "" when nothing is left out.
func (p recordPage) leftNote(cursor bool) string {
	note := p.extra.note("record", cursor)
	if p.left == 0 {
		return note
	}
	if note != "" {
		note += " "
	}
	return note + fmt.Sprintf("The resource server sent more records than fit; the last %d are left out here. Ask again with a smaller limit.", p.left)
}

// recordLadder is content_ladder of a page: the long texts of its records, each with the call that reads it (S1-1a).
func recordLadder(long []longRecord) string {
	var records []string
	room := ladderJSON
	for i, record := range long {
		if room < len(record.item.id)+leastRung {
			return object{pair("records", rs.JoinArray(records)), pair("more_records", encode(len(long)-i))}.JSON()
		}
		rung := append(object{pair("id", encode(record.item.id))}, cutMembers("long_fields", record.cuts, record.item, room-len(record.item.id)-leastRung/2)...)
		raw := rung.JSON()
		room -= len(raw)
		records = append(records, raw)
	}
	return object{pair("records", rs.JoinArray(records))}.JSON()
}
