package render

import (
	"cmp"
	"encoding/json"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A DocumentQuery is the call that a document answers.
type DocumentQuery struct {
	Ref        rs.Ref
	Fields     []string // the projection; empty is every granted field
	Attached   []Attached
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
	o, foreign := ownRelated(unwrapRecord(o), q.Ref.ConnectionID)
	it := readRecord(o, o.Object("data"), q.Ref.Stream, q.Ref.ConnectionID)
	if (it.data == nil || len(it.data) == 0 && it.recordID == "") && !it.deleted {
		return Result{}, invalidResponse(what, "has no record: data is "+rs.Kind(o.Get("data")))
	}
	it.narrow(q.Fields)

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
			pair("url", encode(documentURL(it.data, q))),
			pair("metadata", documentMetadata(&it, doc, q, excess{foreign: foreign})),
			pair("text", encode(doc.orNote(&it, q))),
		}.JSON()
		if cuts = len(doc.cuts) + foreign; doc.partly {
			cuts++
		}
		if len(out) <= TextHard {
			break
		}
	}
	r := Result{Text: out, Structured: json.RawMessage(out), Cuts: cuts}
	if blobs := blobURIs(it.data, it.conn); len(blobs) > 0 {
		r.Meta = map[string]any{"pdpp/blob_uris": blobs}
	}
	return r, nil
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
		return says + "; its key was " + quote(preview(cmp.Or(it.recordID, q.Ref.RecordID), titleChars)) + "."
	case len(q.Fields) > 0:
		return "This record has none of the requested fields."
	}
	return "This record has no granted fields."
}

// unwrapRecord finds the record in {"data":{record}}, which some servers answer (S3-15b).
func unwrapRecord(o object) object {
	inner := o.Object("data")
	if inner == nil || o.Has("id") || o.Has("stream") {
		return o
	}
	if inner.Text("object") == "record" || rs.AsObject(inner.Get("data")) != nil {
		return inner
	}
	return o
}

// narrow projects an item, and forgets what it knew from fields that were not asked for (S0-7b).
func (it *item) narrow(fields []string) {
	it.data = project(it.data, fields)
	it.title = titleOf(it.data)
	it.authored, it.timeField = timeOf(nil, it.data)
}

func documentURL(data object, q DocumentQuery) string {
	if usable := citation(data); usable != "" {
		return usable
	}
	return recordURL(q.RecordBase, q.Ref)
}

// documentMetadata has what is needed to cite the record, to read on, and to retry (S0-7a).
func documentMetadata(it *item, doc document, q DocumentQuery, extra excess) string {
	var m object
	put := func(key, value string) {
		if value != "" {
			m = append(m, pair(key, encode(value)))
		}
	}
	put("connection_id", it.conn)
	put("connector_key", preview(it.connector, titleChars))
	put("stream", q.Ref.Stream)
	if len(q.Ref.RecordID) <= maxPlainID { // a longer one stands in the id
		put("record_id", q.Ref.RecordID)
	}
	put("display_name", preview(it.label, titleChars))
	put("authored_at", it.authored)
	put("emitted_at", it.emitted)
	if it.deleted {
		m = append(m, pair("deleted", encode(true)))
		put("deleted_at", it.deletedAt)
	}
	if citation(it.data) == "" {
		put("source_url", refusedAddress(it.data))
	}
	put("warning", extra.note("related record", false))
	m = append(m, pair("complete", encode(len(doc.cuts) == 0 && !doc.partly)))
	m = append(m, cutMembers("incomplete", doc.cuts, it, cutsJSON)...)
	return m.JSON()
}

// blobURIs are the resources of the blobs that a record names.
func blobURIs(data object, conn string) []string {
	var uris []string
	for _, m := range data {
		if id := rs.AsObject(m.Value).Text("blob_id"); sendableName(id) {
			uris = append(uris, BlobURI(BlobQuery{BlobID: id, ConnectionID: conn}))
		}
	}
	return uris
}
