package render

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// How the structured result of a page is shared out, in bytes of JSON.
const (
	followUpsJSON = 5 << 10                               // the calls that read long fields
	pageJSON      = StructuredHard - followUpsJSON - 1000 // the page itself
	envelopeJSON  = 8 << 10                               // what stands beside the records
	leastRecord   = 400                                   // of a record that still says what it is
	leastFollowUp = 400                                   // of one record
	longText      = lineChars                             // a text of more characters has a follow-up in the ladder
	truncatedText = 500                                   // characters of a text on a page that is too large otherwise
)

// Records renders a page of query_records. Structured is {"data": body}; the text has count, cursors and a preview of
// as many records as fit (S0-5g, S0-7c). Each channel continues where it stopped (D23).
func Records(response *rs.Response, q RecordsQuery) (Result, error) {
	const what = "query_records"
	l, err := readListing(response, what)
	if err != nil {
		return Result{}, err
	}
	l, extra := boundRecords(l, q.Limit, q.ConnectionID)
	l = canonicalAll(projectAll(l, q.Fields))
	a := &recordsAnswer{q: q, l: l, all: readRecords(l.Items, q), extra: extra}
	a.start, a.moved = q.Position.start(len(a.all), func(i int) string { return recordMark(&a.all[i], l.Items[i].Raw) })
	if a.items = a.all[a.start:]; a.start > 0 {
		a.l = l.keep(l.Items[a.start:])
	}
	out, shown, long := a.structured()
	if shown == 0 && len(a.items) > 0 {
		return Result{}, invalidResponse(what, "has so long a cursor, or so much else beside its records, that none of them fits")
	}
	cuts := len(a.items) - shown + extra.over + extra.foreign
	for _, record := range long {
		cuts += len(record.cuts)
	}
	if q.Asked > 0 {
		cuts++ // the page is smaller than it was to be
	}
	return Result{Text: a.text(), Structured: out, Cuts: cuts}, nil
}

// A shownRecord is what structured output has of a record.
type shownRecord struct {
	raw      string
	fields   object
	expanded string // JSON
}

// A longRecord is a record with texts that are long, or cut.
type longRecord struct {
	n    int // of the record
	item *item
	cuts []truncation // of all its long texts, whole ones too
}

// structured is the page as received where it fits. Otherwise long texts are truncated where there are several records, then the page
// ends at a record. A record is shrunk only where it fills a page alone. It reports how many records are shown, and what of each is long.
func (a *recordsAnswer) structured() (out []byte, shown int, long []longRecord) {
	if len(a.l.Raw) <= pageJSON {
		long := a.long(len(a.items), func(i int) shownRecord {
			return shownRecord{a.l.Items[i].Raw, a.items[i].data, a.l.Items[i].Members.Get("expanded")}
		})
		followUps, more := followUps(long, StructuredHard-1000-len(a.l.Raw))
		w := &arguments{make([]byte, 0, len(a.l.Raw)+1024+size(followUps))}
		w.open("", '{').put("data", a.l.Raw)
		return a.beside(w, len(a.items), followUps, more), len(a.items), long
	}
	envelope := truncateEnvelope(a.l.Envelope, envelopeJSON)
	if len(a.items) == 0 {
		return a.page(envelope, 0, nil, nil, 0), 0, nil
	}
	remaining := pageJSON - len(envelope.JSON()) - len(a.next(len(a.items)))
	if remaining < leastRecord {
		return nil, 0, nil
	}
	if len(a.items) > 1 {
		if out, shown, long := a.truncated(envelope); shown > 0 {
			return out, shown, long
		}
	}
	one := shrunk(a.l.Items[0], &a.items[0], remaining)
	long = a.long(1, func(int) shownRecord { return one })
	followUps, more := followUps(long, followUpsJSON)
	return a.page(envelope, 1, []string{one.raw}, followUps, more), 1, long
}

// truncated is the page with long texts truncated, and as many of its records as fit.
func (a *recordsAnswer) truncated(envelope object) (out []byte, shown int, long []longRecord) {
	records, sizes := make([]string, len(a.items)), make([]int, len(a.items))
	long = a.long(len(a.items), func(i int) shownRecord {
		record := truncated(a.l.Items[i], &a.items[i])
		records[i], sizes[i] = record.raw, len(record.raw)+len(",")
		return record
	})
	followUps, _ := followUps(long, math.MaxInt)
	for i, record := range long {
		sizes[record.n] += len(followUps[i]) + len(",")
	}
	frame := func(shown int) int {
		return len(a.page(envelope, shown, nil, nil, 0)) + len(`,"content_ladder":{"records":[]}`)
	}
	if shown = firstFitting(sizes, StructuredHard-frame(len(a.items))); shown < len(a.items) {
		shown = firstFitting(sizes[:len(sizes)-1], StructuredHard-frame(len(sizes)-1))
	}
	long = slices.DeleteFunc(long, func(record longRecord) bool { return record.n >= shown })
	return a.page(envelope, shown, records[:shown], followUps[:len(long)], 0), shown, long
}

// page writes the list with its first records alone.
func (a *recordsAnswer) page(envelope object, shown int, records, followUps []string, more int) []byte {
	if shown < len(a.items) {
		envelope = envelope.With("has_more", "true").With("next_cursor", encode(a.next(shown)))
	}
	w := &arguments{make([]byte, 0, 1024+size(records)+size(followUps))}
	w.open("", '{').open("data", '{')
	for _, m := range envelope {
		w.put(m.Name, m.Value)
	}
	w.array(a.l.Name(), records).shut('}')
	return a.beside(w, shown, followUps, more)
}

// beside writes all that structured output says beside a page with some records, and how many long records it does not name.
func (a *recordsAnswer) beside(w *arguments, shown int, followUps []string, more int) []byte {
	if len(followUps)+more > 0 {
		w.open("content_ladder", '{').array("records", followUps).number("more_records", more).shut('}')
	}
	w.some("warning", a.warning(shown))
	if len(a.q.Empty) > 0 {
		w.put("conditions", explained("query_records", a.q.Empty))
	}
	return w.shut('}').b
}

// truncated is a record with its long texts truncated.
func truncated(sent rs.Item, it *item) shownRecord {
	shown := shownRecord{sent.Raw, it.data, sent.Members.Get("expanded")}
	if it.data == nil || !sent.Members.Has("data") || it.ref == (rs.Ref{}) {
		return shown
	}
	shown.fields = slices.Clone(it.data)
	for i, m := range it.data {
		if len(m.Value) <= truncatedText || rs.Kind(m.Value) != "string" || (truncation{field: m}).unnamed() != "" {
			continue
		}
		if text, _ := rs.AsText(m.Value); clean.LongerThan(text, truncatedText+truncatedText/4-1) {
			shown.fields[i].Value = encode(text[:clean.RuneIndex(text, truncatedText)])
		}
	}
	shown.raw = sent.Members.With("data", shown.fields.JSON()).JSON()
	return shown
}

// shrunk is a record with its fields, and what was expanded, cut to max bytes together with the envelope.
func shrunk(sent rs.Item, it *item, max int) shownRecord {
	record := sent.Members
	if !record.Has("data") || it.data == nil {
		raw := truncateJSON(sent.Raw, max)
		return shownRecord{raw, rs.AsObject(raw), rs.AsObject(raw).Get("expanded")}
	}
	own := truncateObject(record.Without("data", "expanded"), max/3, leastShare, truncateDepth)
	remaining := max - len(own.JSON()) - len(`,"data":,"expanded":`)
	expanded := record.Get("expanded")
	if expanded != "" {
		expanded = truncateJSON(expanded, remaining/3)
		remaining -= len(expanded)
		own = append(own, pair("expanded", expanded))
	}
	fields := truncateObject(it.data, remaining, min(leastField, remaining/2), truncateDepth)
	return shownRecord{append(own, pair("data", fields.JSON())).JSON(), fields, expanded}
}

// long are the first records with texts that are long, or cut.
func (a *recordsAnswer) long(shown int, record func(i int) shownRecord) []longRecord {
	var long []longRecord
	for i := range shown {
		if cuts := longTexts(record(i), &a.items[i]); len(cuts) > 0 {
			long = append(long, longRecord{i, &a.items[i], cuts})
		}
	}
	return long
}

// longTexts are the fields of a record that are long texts, and those that were cut.
func longTexts(shown shownRecord, it *item) []truncation {
	if it.ref == (rs.Ref{}) {
		return nil
	}
	var cuts []truncation
	for _, m := range it.data {
		part, kind := shown.fields.Get(m.Name), rs.Kind(m.Value)
		whole := part == m.Value || kind == "null"
		if whole && (len(m.Value) <= longText || kind != "string") {
			continue
		}
		c := truncation{it: it, field: m}
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
			cuts = append(cuts, truncation{it: it, field: all, related: true})
		}
	}
	return cuts
}

// followUps are content_ladder of a page: the long texts of its records, each with the call that reads it (S1-1a), in about
// max bytes. more is how many records do not fit there.
func followUps(long []longRecord, max int) (list []string, more int) {
	for i, record := range long {
		if max < len(record.item.id)+leastFollowUp {
			return list, len(long) - i
		}
		followUp := append(object{pair("id", encode(record.item.id))}, truncationMembers("long_fields", record.cuts, record.item, max-len(record.item.id)-leastFollowUp/2)...)
		list = append(list, followUp.JSON())
		max -= len(list[i])
	}
	return list, 0
}
