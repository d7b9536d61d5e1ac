package render

import (
	"math"
	"slices"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// How the structured result of a page is shared out, in bytes of JSON.
const (
	ladderJSON    = 5 << 10                            // the calls that read long fields
	pageJSON      = StructuredHard - ladderJSON - 1000 // the page itself
	envelopeJSON  = 8 << 10                            // what stands beside the records
	leastRecord   = 400                                // of a record that still says what it is
	leastFollowUp = 400                                // of one record
	longText      = lineChars                          // a text of more characters has a follow-up in the ladder
	truncatedText = 500                                // characters of a text on a page that is too large otherwise
)

// A shownRecord is what structured output has of a record.
type shownRecord struct {
	raw      string
	fields   object
	expanded string // JSON
}

// A longRecord is a record with texts that are long, or cut.
type longRecord struct {
	item *item
	cuts []cut // of all its long texts, whole ones too
}

// structured is the page as received where it fits. Otherwise long texts are truncated where there are several records, then the page
// ends at a record. A record is shrunk only where it fills a page alone. It reports how many records are shown, and what of each is long.
func (a *recordsAnswer) structured() (out string, shown int, long []longRecord) {
	whole := make([]shownRecord, len(a.items))
	for i := range whole {
		whole[i] = shownRecord{a.l.Items[i].Raw, a.items[i].data, a.l.Items[i].Members.Get("expanded")}
	}
	if len(a.l.Raw) <= pageJSON {
		long := a.long(whole)
		return a.withLadder(a.l.Raw, long, len(whole), StructuredHard-1000-len(a.l.Raw)), len(whole), long
	}
	envelope := fitEnvelope(a.l.Envelope, envelopeJSON)
	if len(whole) == 0 {
		return a.withLadder(a.page(envelope, nil), nil, 0, 0), 0, nil
	}
	remaining := pageJSON - len(envelope.JSON()) - len(a.next(len(whole)))
	if remaining < leastRecord {
		return "", 0, nil
	}
	if len(whole) > 1 {
		short := make([]shownRecord, len(whole))
		for i := range short {
			short[i] = truncated(a.l.Items[i], &a.items[i])
		}
		out, n := fullest(len(short), func(n int) string {
			return a.withLadder(a.page(envelope, short[:n]), a.long(short[:n]), n, math.MaxInt)
		}, fitsStructured)
		if fitsStructured(out) {
			return out, n, a.long(short[:n])
		}
	}
	one := []shownRecord{shrunk(a.l.Items[0], &a.items[0], remaining)}
	long = a.long(one)
	return a.withLadder(a.page(envelope, one), long, 1, ladderJSON), 1, long
}

// page is the list with the first records alone.
func (a *recordsAnswer) page(envelope object, shown []shownRecord) string {
	if len(shown) < len(a.items) {
		envelope = envelope.With("has_more", "true").With("next_cursor", encode(a.next(len(shown))))
	}
	records := make([]string, len(shown))
	for i := range shown {
		records[i] = shown[i].raw
	}
	return envelope.With(a.l.Name(), rs.JoinArray(records)).JSON()
}

// withLadder is all that structured output says of a page with some records.
func (a *recordsAnswer) withLadder(page string, long []longRecord, shown, ladder int) string {
	out := object{pair("data", page)}
	if len(long) > 0 {
		out = append(out, pair("content_ladder", recordLadder(long, ladder)))
	}
	if warning := a.warning(shown); warning != "" {
		out = append(out, pair("warning", encode(warning)))
	}
	if len(a.q.Empty) > 0 {
		out = append(out, pair("conditions", explained("query_records", a.q.Empty)))
	}
	return out.JSON()
}

// truncated is a record with its long texts truncated.
func truncated(sent rs.Item, it *item) shownRecord {
	shown := shownRecord{sent.Raw, it.data, sent.Members.Get("expanded")}
	if it.data == nil || !sent.Members.Has("data") || it.ref == (rs.Ref{}) {
		return shown
	}
	shown.fields = slices.Clone(it.data)
	for i, m := range it.data {
		c := cut{it: it, field: m}
		if len(m.Value) > truncatedText && rs.Kind(m.Value) == "string" && c.unnamed() == "" && c.total() >= truncatedText+truncatedText/4 {
			shown.fields[i].Value = encode(prefix(rs.TextStart(m.Value, truncatedText), len(m.Value)))
		}
	}
	shown.raw = sent.Members.With("data", shown.fields.JSON()).JSON()
	return shown
}

// shrunk is a record with its fields, and what was expanded, cut to max bytes together with the envelope.
func shrunk(sent rs.Item, it *item, max int) shownRecord {
	record := sent.Members
	if !record.Has("data") || it.data == nil {
		raw := fitted(sent.Raw, max)
		return shownRecord{raw, rs.AsObject(raw), rs.AsObject(raw).Get("expanded")}
	}
	own := fitObject(record.Without("data", "expanded"), max/3, leastShare, fitDepth)
	remaining := max - len(own.JSON()) - len(`,"data":,"expanded":`)
	expanded := record.Get("expanded")
	if expanded != "" {
		expanded = fitted(expanded, remaining/3)
		remaining -= len(expanded)
		own = append(own, pair("expanded", expanded))
	}
	fields := fitObject(it.data, remaining, min(leastField, remaining/2), fitDepth)
	return shownRecord{append(own, pair("data", fields.JSON())).JSON(), fields, expanded}
}

// long are the records with texts that are long, or cut.
func (a *recordsAnswer) long(shown []shownRecord) []longRecord {
	var long []longRecord
	for i := range shown {
		if cuts := longTexts(shown[i], &a.items[i]); len(cuts) > 0 {
			long = append(long, longRecord{&a.items[i], cuts})
		}
	}
	return long
}

// longTexts are the fields of a record that are long texts, and those that were cut.
func longTexts(shown shownRecord, it *item) []cut {
	if it.ref == (rs.Ref{}) {
		return nil
	}
	var cuts []cut
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
