package render

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const (
	documentJSON      = 20 << 10 // bytes of a fetched document, which is sent on both channels
	cutsJSON          = 3 << 10  // bytes of the calls that read the rest, in its metadata
	maxPlainID        = 1000     // bytes; metadata does not repeat a longer record id, which the document's id contains
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
	it, foreign, err := readRecord(response, q)
	if err != nil {
		return Result{}, err
	}
	emitted := write.When(len(q.Fields) == 0 || item.Wanted("emitted_at", q.Fields), it.Emitted)
	it.Emitted = "" // in a title it would be taken for the date of the event
	var r Result
	for _, remaining := range []int{documentJSON, documentJSON / 2, documentJSON / 4, 1024} {
		doc := writeDocument(&it, q, remaining)
		r.Text = object{
			rs.NewMember("id", it.ID), // with the connection, even if the requested id named none
			rs.NewMember("title", it.Heading()),
			rs.NewMember("url", cmp.Or(item.Address(it.Data), item.RecordURL(q.RecordBase, q.Ref))),
			write.Pair("metadata", documentMetadata(&it, emitted, doc, q, paging.Excess{Foreign: foreign})),
			rs.NewMember("text", doc.orNote(&it, q)),
		}.JSON()
		if r.Cuts = len(doc.cuts) + foreign; doc.partly {
			r.Cuts++
		}
		if len(r.Text) <= write.TextHard {
			break
		}
	}
	r.Structured = r.Text
	if blobs := write.Each(attachedIn(it.Data, it.Data, it.Connection), Attached.URI); len(blobs) > 0 {
		r.Meta = map[string]any{"pdpp/blob_uris": blobs[:min(len(blobs), maxAttached)]}
	}
	return r, nil
}

// readRecord reads the requested record with only the requested fields, from which its title and its time come (S0-7b). foreign is how many
// related records of other connections were left out.
func readRecord(response *rs.Response, q DocumentQuery) (it item.Item, foreign int, err error) {
	const what = "fetch"
	o, err := answer.Decode(response, what)
	if err != nil {
		return it, 0, err
	}
	o = item.Unwrap(o)
	if part := item.Other(o, q.Ref); part != "" {
		return it, 0, answer.Invalid(what, "is a record of another "+part+" than the one that was asked for")
	}
	o, foreign = item.OwnRelated(o, q.Ref.ConnectionID)
	it = item.Read(o, o.Object("data"), q.Ref.Stream, q.Ref.ConnectionID)
	if (it.Data == nil || len(it.Data) == 0 && it.RecordID == "") && !it.Deleted {
		return it, 0, answer.Invalid(what, "has no record: data is "+rs.Kind(o.Get("data")))
	}
	it.Data = item.Project(it.Data, q.Fields)
	it.Title = item.Title(q.marked(it.Data), it.Data, func(string) bool { return true })
	if it.Title == "" && q.Untitled {
		it.Title = item.Brief(it.Data)
	}
	isTimeShown := len(q.Fields) == 0 || item.Wanted(o.Text("authored_field"), q.Fields)
	times := slices.DeleteFunc(slices.Clone(o), func(m rs.Member) bool { return !isTimeShown || !strings.HasPrefix(m.Name, "authored_") })
	it.Authored, it.TimeField = item.Time(times, it.Data)
	it.Ref = q.Ref // the calls that read the rest name the connection even if the requested id did not
	if it.Ref.ConnectionID == "" && rs.UnsafeName(it.Connection) == "" {
		it.Ref.ConnectionID = it.Connection
	}
	it.ID = it.Ref.String()
	return it, foreign, nil
}

// marked returns a record with only the field that the schema marks as the title; nil if that is missing or a long text.
func (q DocumentQuery) marked(data object) object {
	title := write.Pair("title", data.Get(q.TitleField))
	if title.Value == "" || isLong(title) {
		return nil
	}
	return object{title}
}

// writeDocument writes a record in about remaining bytes of JSON. Each text that does not fit is truncated between characters and listed
// in cuts.
func writeDocument(it *item.Item, q DocumentQuery, remaining int) documentText {
	var d documentText
	var lines strings.Builder
	var longTexts []member
	for _, m := range it.Data {
		value, _ := rs.AsText(m.Value)
		isPartly := false
		switch kind := rs.Kind(m.Value); {
		case isLong(m):
			longTexts = append(longTexts, m)
			continue
		case kind == "string":
			value = shortValue(value)
		case kind == "array" || kind == "object":
			value = clean.Preview(clean.Readable(item.WithoutRepeats(m.Value)), maxValue)
			isPartly = strings.HasSuffix(value, "…") // complete JSON ends with a bracket; only a text could end so by itself
		case kind == "null":
			value = "null"
		}
		line := it.LineName(m) + ": " + value + "\n"
		isFull := lines.Len()+len(line)-len(": \n") > remaining/2 // of very many fields, the rest can be read by name
		if isFull || isPartly {
			d.cuts = append(d.cuts, item.Truncation{Item: it, Field: m, FromStart: !isFull})
		}
		lines.WriteString(write.When(!isFull, line))
	}
	head := lines.String()
	relations := item.Relations(it)
	related, parts := d.writeParts(relations, q.Parts, remaining/2)
	related += d.writeRelated(it, parts, q.InnerParts, remaining/4)
	files, areAll := writeAttached(q.Attached, remaining/2)
	d.partly = d.partly || !areAll
	if len(q.Relations) > 0 && len(it.Data) > 0 {
		named := q.Relations[:min(len(q.Relations), maxNamedRelations)]
		expand := new(write.Object).Plain("id", it.ID).List("expand", named)
		unnamed := fmt.Sprintf("; %d more in schema ", len(q.Relations)-len(named)) + new(write.Object).Text("stream", it.Stream).JSON()
		files += "\n[not included: " + strings.Join(write.Each(named, write.ShownName), ", ") + "; with them: " + expand.Call("fetch") +
			write.When(len(q.Relations) > len(named), unnamed) + "]\n"
	}
	texts := d.writeTexts(longTexts, it, remaining-write.Escaped(head+related+files))
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
