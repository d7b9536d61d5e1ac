package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

const (
	documentJSON      = 20 << 10 // a fetched document, which stands on both channels
	cutsJSON          = 3 << 10  // the calls that read on, in its metadata
	maxPlainID        = 1000     // a longer record id is not repeated beside the id that holds it
	shortText         = 200      // a text of at most this many characters on one line stands among the short fields
	maxValue          = 2000
	relatedChars      = 600
	maxNamedRelations = 3
)

// A DocumentQuery is the call that a document answers.
type DocumentQuery struct {
	Ref        rs.Ref
	Fields     []string // the projection; empty is every granted field
	Attached   []Attached
	Parts      []string // relations that were expanded unasked: their long texts are shown as texts of the record
	Relations  []string // what could be expanded and was not
	RecordBase string   // public base URL of the resource server, for the citation; no trailing slash
}

// Document renders one record as exactly {id,title,url,metadata,text}; content[] is that object's own bytes (D3, S0-7a).
// The handles stand before the text, because some hosts cut what is long. Texts that do not fit are cut, and metadata
// has the call that reads on.
func Document(response *rs.Response, q DocumentQuery) (Result, error) {
	const what = "fetch"
	o, err := decode(response, what)
	if err != nil {
		return Result{}, err
	}
	if o = unwrapRecord(o); otherConnection(o, q.Ref.ConnectionID) {
		return Result{}, invalidResponse(what, "is a record of another connection than the one that was asked for")
	}
	o, foreign := ownRelated(o, q.Ref.ConnectionID)
	it := readRecord(o, o.Object("data"), q.Ref.Stream, q.Ref.ConnectionID)
	if (it.data == nil || len(it.data) == 0 && it.recordID == "") && !it.deleted {
		return Result{}, invalidResponse(what, "has no record: data is "+rs.Kind(o.Get("data")))
	}
	it.data = project(it.data, q.Fields) // and nothing is known from fields that were not asked for (S0-7b)
	it.title = titleOf(nil, it.data, func(string) bool { return true })
	it.authored, it.timeField = timeOf(nil, it.data)

	// What reads on names the connection even where the id that was asked for did not.
	read := q.Ref
	if read.ConnectionID == "" && rs.UnsafeName(it.conn) == "" {
		read.ConnectionID = it.conn
	}
	it.id, it.ref = read.String(), read
	var out string
	cuts := 0
	for _, remaining := range []int{documentJSON, documentJSON / 2, documentJSON / 4, 1024} {
		doc := writeDocument(&it, q, remaining)
		out = object{
			pair("id", encode(q.Ref.String())),
			pair("title", encode(it.heading())),
			pair("url", encode(cmp.Or(citation(it.data), recordURL(q.RecordBase, q.Ref)))),
			pair("metadata", documentMetadata(&it, doc, q, excess{foreign: foreign})),
			pair("text", encode(doc.orNote(&it, q))),
		}.JSON()
		if cuts = len(doc.cuts) + foreign; doc.partly {
			cuts++
		}
		if len(out) <= textHard {
			break
		}
	}
	r := Result{Text: out, Structured: json.RawMessage(out), Cuts: cuts}
	if blobs := blobURIs(it.data, it.conn); len(blobs) > 0 {
		r.Meta = map[string]any{"pdpp/blob_uris": blobs}
	}
	return r, nil
}

// A document is a record's text: its short fields, then its long texts, then what was expanded.
type document struct {
	text   string
	cuts   []truncation
	partly bool // a text that is attached is cut
}

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
			if clean.LongerThan(value, shortText) || strings.Contains(value, "\n") {
				long = append(long, m)
				continue
			}
			value = shortValue(value)
		case "array", "object":
			value = clean.Preview(clean.Readable(m.Value), maxValue)
			partly = strings.HasSuffix(value, "…") // whole, it ends with a bracket; a text may end like this by itself
		case "null":
			value = "null"
		}
		switch full := b.Len()+len(shownName(m.Name))+len(value) > remaining/2; { // of very many fields the rest are readable by name
		case full && slices.Contains([]string{"null", `""`, "[]", "{}"}, value):
			empty = append(empty, shownName(m.Name))
			continue
		case full || partly:
			d.cuts = append(d.cuts, truncation{it: it, field: m, fromStart: !full})
			if full {
				continue
			}
		}
		fmt.Fprintf(&b, "%s: %s\n", shownName(m.Name), value)
	}
	if len(empty) > 0 {
		b.WriteString(clean.Clip("empty: "+strings.Join(empty, ", "), lineChars/4) + "\n")
	}
	related, parts := d.writeParts(readRelations(it), q, remaining/2)
	related += writeRelated(it, parts, remaining/4)
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
		return clean.Quote(text)
	}
	return clean.Line(text)
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
		c := truncation{it: it, field: m}
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

// writeParts writes the long texts of the records that were expanded unasked, each with its citation, and returns the relations
// of which that has shown nothing.
func (d *document) writeParts(all []relation, q DocumentQuery, remaining int) (text string, others []relation) {
	var b strings.Builder
	for _, r := range all {
		start := b.Len()
		for i := range r.records[:min(len(r.records), 1)] {
			child := &r.records[i]
			for _, m := range child.data {
				value, _ := rs.AsText(m.Value)
				left := remaining - escaped(b.String())
				if !slices.Contains(q.Parts, r.name) || left < 1000 || rs.Kind(m.Value) != "string" || !clean.LongerThan(value, shortText) && !strings.Contains(value, "\n") {
					continue
				}
				before := len(d.cuts)
				fmt.Fprintf(&b, "\n%s of %s", shownName(r.name), child.id)
				if d.writeTexts(&b, []member{m}, child, left); len(d.cuts) > before {
					value = string([]rune(value)[:d.cuts[before].shown])
				}
				if n := utf8.RuneCountInString(value); n > 0 && len(child.id) <= longestHandle {
					fmt.Fprintf(&b, "cite: %s field=%s 0-%d %s\n", child.id, shownName(m.Name), n, Digest(Quotable(value))[:citedDigits])
				}
			}
		}
		if b.Len() == start {
			others = append(others, r)
		}
	}
	return b.String(), others
}

// writeRelated lists expanded records, a line each with the id that fetch takes, and how the others are read.
func writeRelated(parent *item, relations []relation, remaining int) string {
	var b strings.Builder
	for _, related := range relations {
		if b.Len() > remaining {
			break
		}
		fmt.Fprintf(&b, "\nexpanded %s: %s\n", shownName(related.name), plural(len(related.records), "record"))
		shown := 0
		for i, it := range related.records {
			line := it.id
			if it.data != nil {
				line = strings.TrimSpace(line + " " + clean.Preview(clean.Readable(it.data.JSON()), relatedChars))
			}
			if i == maxRelated || b.Len()+len(line) > remaining {
				break
			}
			b.WriteString(line + "\n")
			shown++
		}
		if rest := related.rest(shown); rest != "" {
			b.WriteString(rest + "; " + related.all(parent) + "\n")
		}
	}
	return b.String()
}

// orNote is the text, or why there is none.
func (d document) orNote(it *item, q DocumentQuery) string {
	switch {
	case d.text != "":
		return d.text
	case it.deleted:
		says := "This record was deleted at its source"
		if it.deletedAt != "" {
			says += " at " + it.deletedAt
		}
		return says + "; its key was " + clean.Quote(clean.Preview(cmp.Or(it.recordID, q.Ref.RecordID), titleChars)) + "."
	case len(q.Fields) > 0:
		return "This record has none of the requested fields."
	}
	return "This record has no granted fields."
}

// documentMetadata has what is needed to cite the record, to read on, and to retry (S0-7a).
func documentMetadata(it *item, doc document, q DocumentQuery, extra excess) string {
	m := new(arguments).optional("connection_id", it.conn).optional("connector_key", clean.Preview(it.connector, titleChars)).optional("stream", q.Ref.Stream)
	if len(q.Ref.RecordID) <= maxPlainID { // a longer one is in the id
		m.optional("record_id", q.Ref.RecordID)
	}
	m.optional("display_name", clean.Preview(it.label, titleChars)).optional("authored_at", it.authored).optional("emitted_at", it.emitted)
	if it.deleted {
		m.put("deleted", "true").optional("deleted_at", it.deletedAt)
	}
	if citation(it.data) == "" {
		m.optional("source_url", refusedAddress(it.data))
	}
	m.optional("warning", extra.note("related record", false)).put("complete", encode(len(doc.cuts) == 0 && !doc.partly))
	return addTruncations(m, "incomplete", doc.cuts, it, cutsJSON).json()
}

// blobURIs are the resources of the blobs that a record names.
func blobURIs(data object, conn string) []string {
	var uris []string
	for _, m := range data {
		if id := rs.AsObject(m.Value).Text("blob_id"); sendableName(id) {
			uris = append(uris, BlobQuery{BlobID: id, ConnectionID: conn}.URI())
		}
	}
	return uris
}
