package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const (
	documentJSON      = 20 << 10 // bytes of a fetched document, which is sent on both channels
	cutsJSON          = 3 << 10  // bytes of the calls that read the rest, in its metadata
	maxPlainID        = 1000     // bytes; metadata does not repeat a longer record id, which the document's id contains
	shortText         = 200      // characters; a one-line text up to this length is a short field
	maxValue          = 2000     // characters of a list, an object or a related record
	relatedChars      = 600      // characters that a related record may have at least
	maxNamedRelations = 3
)

// A DocumentQuery is the call that a document answers.
type DocumentQuery struct {
	Ref        rs.Ref
	Fields     []string // the projection; empty means all granted fields
	Attached   []Attached
	Parts      []string            // to-one relations whose long texts are shown like the record's own
	Relations  []string            // that could be expanded and were not
	InnerParts map[string][]string // by requested relation: the relations that could be expanded in its records
	TitleField string              // that the schema marks as the title; "" for none
	Untitled   bool                // the schema marks no title, author or text
	RecordBase string              // public base URL of the resource server, for the citation; no trailing slash
}

// Document renders one record as exactly {id,title,url,metadata,text}; content[] has the same bytes (D3, S0-7a). The handles come before
// the text, because some hosts cut long results. Texts that do not fit are truncated, and metadata has the call that reads the rest.
func Document(response *rs.Response, q DocumentQuery) (Result, error) {
	const what = "fetch"
	o, err := answer.Decode(response, what)
	if err != nil {
		return Result{}, err
	}
	o = item.Unwrap(o)
	if other := item.Other(o, q.Ref); other != "" {
		return Result{}, answer.Invalid(what, "is a record of another "+other+" than the one that was asked for")
	}
	o, foreign := item.OwnRelated(o, q.Ref.ConnectionID)
	it := item.Read(o, o.Object("data"), q.Ref.Stream, q.Ref.ConnectionID)
	if (it.Data == nil || len(it.Data) == 0 && it.RecordID == "") && !it.Deleted {
		return Result{}, answer.Invalid(what, "has no record: data is "+rs.Kind(o.Get("data")))
	}
	it.Data = item.Project(it.Data, q.Fields) // the title and the time come from requested fields only (S0-7b)
	it.Title = item.Title(q.marked(it.Data), it.Data, func(string) bool { return true })
	if it.Title == "" && q.Untitled {
		it.Title = item.Brief(it.Data)
	}
	asked := len(q.Fields) == 0 || item.Wanted(o.Text("authored_field"), q.Fields)
	says := slices.DeleteFunc(slices.Clone(o), func(m rs.Member) bool { return !asked || !strings.HasPrefix(m.Name, "authored_") })
	it.Authored, it.TimeField = item.Time(says, it.Data)
	emitted := it.Emitted // in metadata only: in a title it would be taken for the date of the event
	it.Emitted = ""
	emitted = write.When(len(q.Fields) == 0 || item.Wanted("emitted_at", q.Fields), emitted)

	// The calls that read the rest name the connection even if the requested id did not.
	read := q.Ref
	if read.ConnectionID == "" && rs.UnsafeName(it.Connection) == "" {
		read.ConnectionID = it.Connection
	}
	it.ID, it.Ref = read.String(), read
	var out string
	cuts := 0
	for _, remaining := range []int{documentJSON, documentJSON / 2, documentJSON / 4, 1024} {
		doc := writeDocument(&it, q, remaining)
		out = object{
			write.Pair("id", write.JSON(q.Ref.String())),
			write.Pair("title", write.JSON(it.Heading())),
			write.Pair("url", write.JSON(cmp.Or(item.Address(it.Data), item.RecordURL(q.RecordBase, q.Ref)))),
			write.Pair("metadata", documentMetadata(&it, emitted, doc, q, paging.Excess{Foreign: foreign})),
			write.Pair("text", write.JSON(doc.orNote(&it, q))),
		}.JSON()
		if cuts = len(doc.cuts) + foreign; doc.partly {
			cuts++
		}
		if len(out) <= write.TextHard {
			break
		}
	}
	r := Result{Text: out, Structured: json.RawMessage(out), Cuts: cuts}
	if blobs := write.Each(attachedIn(it.Data, it.Data, it.Connection), Attached.uri); len(blobs) > 0 {
		r.Meta = map[string]any{"pdpp/blob_uris": blobs[:min(len(blobs), maxAttached)]}
	}
	return r, nil
}

// marked returns a record with only the field that the schema marks as the title; nil if that is missing or a long text.
func (q DocumentQuery) marked(data object) object {
	title := write.Pair("title", data.Get(q.TitleField))
	if title.Value == "" || isLong(title) {
		return nil
	}
	return object{title}
}

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

// writeDocument writes a record in about remaining bytes of JSON. Each text that does not fit is truncated between characters and listed
// in cuts.
func writeDocument(it *item.Item, q DocumentQuery, remaining int) documentText {
	var d documentText
	var short strings.Builder
	var long []member
	var empty []string
	for _, m := range it.Data {
		value, _ := rs.AsText(m.Value)
		partly := false
		switch kind := rs.Kind(m.Value); {
		case isLong(m):
			long = append(long, m)
			continue
		case kind == "string":
			value = shortValue(value)
		case kind == "array" || kind == "object":
			value = clean.Preview(clean.Readable(item.WithoutRepeats(m.Value)), maxValue)
			partly = strings.HasSuffix(value, "…") // complete JSON ends with a bracket; only a text could end so by itself
		case kind == "null":
			value = "null"
		}
		line := write.ShownName(m.Name) + ": " + value + "\n"
		full := short.Len()+len(line)-len(": \n") > remaining/2 // of very many fields, the rest can be read by name
		if full && slices.Contains([]string{"null", `""`, "[]", "{}"}, value) {
			empty = append(empty, write.ShownName(m.Name))
			continue
		}
		if full || partly {
			d.cuts = append(d.cuts, item.Truncation{Item: it, Field: m, FromStart: !full})
		}
		short.WriteString(write.When(!full, line))
	}
	head := short.String() + write.When(empty != nil, clean.Clip("empty: "+strings.Join(empty, ", "), write.LineChars/4)+"\n")
	related, parts := d.writeParts(item.Relations(it), q, remaining/2)
	related += d.writeRelated(it, parts, q.InnerParts, remaining/4)
	files, whole := writeAttached(q.Attached, remaining/2)
	d.partly = d.partly || !whole
	if len(q.Relations) > 0 && len(it.Data) > 0 {
		first := q.Relations[:min(len(q.Relations), maxNamedRelations)]
		expand := new(write.Object).Plain("id", it.ID).List("expand", first)
		files += "\n[not included: " + strings.Join(first, ", ") + "; with them: " + expand.Call("fetch") + "]\n"
	}
	texts := d.writeTexts(long, it, remaining-write.Escaped(head+related+files))
	d.text = strings.Trim(head+texts+related+files, "\n")
	return d
}

// shortValue returns a short text as is, or as a JSON string if it could be taken for something else: nothing, a number, a list.
func shortValue(text string) string {
	if json.Valid([]byte(text)) || strings.TrimSpace(text) != text || text == "" {
		return clean.Quote(text)
	}
	return clean.Line(text)
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
		fmt.Fprintf(&b, "\n%s:\n%s\n", write.ShownName(m.Name), quoted(shown))
		if len(shown) < len(texts[i]) {
			c.Shown = utf8.RuneCountInString(shown)
			d.cuts = append(d.cuts, c)
			fmt.Fprintf(&b, "[%s is cut: %d of %d characters; go on with read_record_field at offset_chars %d]\n",
				write.ShownName(m.Name), c.Shown, c.Total(), c.Shown)
		}
	}
	return b.String()
}

// writeParts writes the long texts of the records in q.Parts, and returns the relations of which it wrote nothing.
func (d *documentText) writeParts(all []item.Relation, q DocumentQuery, remaining int) (text string, others []item.Relation) {
	for _, r := range all {
		part := ""
		if slices.Contains(q.Parts, r.Name) && len(r.Records) > 0 {
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
			left = append(left, clean.Clip(write.ShownName(related.Name), write.LabelChars))
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
					line, cut = line+" [cut; fetch has all of it]", true
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
		b.WriteString(clean.Clip("\n[left out, fetch with each alone in expand: "+strings.Join(left, ", "), write.LineChars/4) + "]\n")
	}
	return b.String()
}

func (d documentText) orNote(it *item.Item, q DocumentQuery) string {
	switch {
	case d.text != "":
		return d.text
	case it.Deleted:
		return "This record was deleted at its source" + write.Lead(" at ", it.DeletedAt) + "; its key was " +
			clean.Quote(clean.Preview(cmp.Or(it.RecordID, q.Ref.RecordID), write.TitleChars)) + "."
	case len(q.Fields) > 0:
		return "This record has none of the requested fields."
	}
	return "This record has no granted fields."
}

// documentMetadata returns what is needed to cite the record, to read the rest of it, and to retry (S0-7a).
func documentMetadata(it *item.Item, emitted string, doc documentText, q DocumentQuery, extra paging.Excess) string {
	m := new(write.Object).Optional("connection_id", it.Connection)
	m.Optional("connector_key", clean.Preview(it.Connector, write.TitleChars)).Optional("stream", q.Ref.Stream)
	if len(q.Ref.RecordID) <= maxPlainID { // a longer one is in the id
		m.Optional("record_id", q.Ref.RecordID)
	}
	m.Optional("display_name", clean.Preview(it.Label, write.TitleChars))
	m.Optional("authored_at", it.Authored).Optional("authored_field", item.LastChange(it.TimeField)).Optional("emitted_at", emitted)
	m.Flag("deleted", it.Deleted).Optional("deleted_at", write.When(it.Deleted, it.DeletedAt))
	m.Optional("source_url", write.When(item.Address(it.Data) == "", item.RefusedAddress(it.Data)))
	m.Optional("warning", extra.Note("related record", false)).Put("complete", write.JSON(len(doc.cuts) == 0 && !doc.partly))
	return item.AddTruncations(m, "incomplete", doc.cuts, it, cutsJSON).JSON()
}
