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

// RecordsThatFit returns how many records of a page a host takes, and how many the page has; all of them when it fits.
// One that does not fit is asked for again with a smaller limit, so that its cursor is exact (D18).
func RecordsThatFit(body string) (fit, of int) {
	if len(body) <= pageJSON {
		return 0, 0
	}
	const what = "query_records"
	l, err := readListing(body, what)
	if err != nil {
		return 0, 0
	}
	room := pageJSON - min(len(l.envelope.JSON()), envelopeJSON)
	for i, item := range l.items {
		if room -= len(item) + 1; room < 0 {
			return i, len(l.items)
		}
	}
	return len(l.items), len(l.items)
}

// A recordPage is a page as it fits in structured output.
type recordPage struct {
	body string
	long []longRecord
	left int // records that stand in neither channel, because the resource server sent more than the limit
}

// A longRecord is a record with texts that are long, or cut.
type longRecord struct {
	item *item
	cuts []cut // of all its long texts, whole ones too
}

// fitRecords bounds a page. Records are cut only when a single one is too large, or when the resource server sends more
// than it was asked for: the envelope and the identity of each stay, large values share what room there is.
func fitRecords(l listing, body string, items []item) recordPage {
	page := recordPage{body: body}
	shrunk := len(body) > pageJSON
	if shrunk {
		page.body, page.left = shrinkPage(&l, items)
	}
	for i := range l.items {
		it := &items[i]
		fields, expanded := it.data, ""
		if shrunk || len(it.expanded) > 0 {
			shown := rs.AsObject(l.items[i])
			if fields = shown.Object("data"); fields == nil {
				fields = shown
			}
			expanded = shown.Get("expanded")
		}
		if cuts := longTexts(fields, expanded, it); len(cuts) > 0 {
			page.long = append(page.long, longRecord{it, cuts})
		}
	}
	return page
}

func shrinkPage(l *listing, items []item) (body string, left int) {
	const least = 400 // bytes of a record that still says what it is
	beside := fitEnvelope(l.envelope, envelopeJSON)
	room := pageJSON - len(beside.JSON())
	if most := room / least; len(l.items) > most {
		left = len(l.items) - most
		l.items = l.items[:most]
	}
	sizes := make([]int, len(l.items))
	for i, raw := range l.items {
		sizes[i] = len(raw) + 1
	}
	share := fairShare(sizes, room)
	for i, raw := range l.items {
		if sizes[i] > share {
			l.items[i] = shrinkRecord(raw, &items[i], share-1)
		}
	}
	return append(beside, pair(l.path[len(l.path)-1], rs.JoinArray(l.items))).JSON(), left
}

// shrinkRecord cuts a record's fields, and what was expanded, to max bytes together with the envelope.
func shrinkRecord(raw string, it *item, max int) string {
	o := rs.AsObject(raw)
	if !o.Has("data") || it.data == nil {
		fitted, _ := fit(raw, max)
		return fitted
	}
	beside := fitObject(o.Without("data", "expanded"), max/3, leastShare, fitDepth)
	room := max - len(beside.JSON()) - len(`,"data":,"expanded":`)
	if o.Has("expanded") {
		expanded, _ := fit(o.Get("expanded"), room/3)
		room -= len(expanded)
		beside = append(beside, pair("expanded", expanded))
	}
	return append(beside, pair("data", fitObject(it.data, room, min(leastField, room/2), fitDepth).JSON())).JSON()
}

// longTexts are the fields of a record that are long texts, and those that were cut, each with the call that reads it.
// fields and expanded are the record's as they are shown, it has them as they were received.
func longTexts(fields object, expanded string, it *item) []cut {
	if it.ref == (rs.Ref{}) {
		return nil
	}
	var cuts []cut
	for _, m := range it.data {
		part := fields.Get(m.Name)
		whole := part == m.Value || rs.Kind(m.Value) == "null"
		if whole && (len(m.Value) <= longText || rs.Kind(m.Value) != "string") {
			continue
		}
		c := fieldCut(m, it)
		switch text, _ := rs.AsText(part); {
		case whole:
			if c.shown = c.total; c.total <= longText {
				continue
			}
		case rs.Kind(m.Value) == "string":
			c = c.at(utf8.RuneCountInString(text))
		}
		cuts = append(cuts, c)
	}
	if len(it.expanded) > 0 && len(expanded) < len(it.expanded.JSON()) {
		relations := make([]string, len(it.expanded))
		for i, m := range it.expanded {
			relations[i] = m.Name
		}
		args := new(arguments).text("id", it.id).text("connection_id", it.separate()).list("expand", relations)
		cuts = append(cuts, cut{field: "expanded", total: len(it.expanded.JSON()), tool: "fetch", read: args})
	}
	return cuts
}

// leftNote says what of a page is shown on neither channel, and what to ask instead.
func (p recordPage) leftNote() string {
	return fmt.Sprintf("The resource server sent more records than fit; the last %d are left out here. Ask again with a smaller limit.", p.left)
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
