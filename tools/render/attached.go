package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A BlobQuery is the call that a blob answers.
type BlobQuery struct {
	BlobID       string
	ConnectionID string
}

// A BlobHandle is the JSON inside a pdpp://blob/{handle}.
type BlobHandle struct {
	Version      int    `json:"v"`    // 1
	Kind         string `json:"kind"` // "blob"
	BlobID       string `json:"blob_id"`
	ConnectionID string `json:"connection_id,omitempty"`
}

// URI returns the resource URI of a blob's bytes.
func (q BlobQuery) URI() string {
	return BlobURIPrefix + rs.EncodeHandle(BlobHandle{Version: 1, Kind: "blob", BlobID: q.BlobID, ConnectionID: q.ConnectionID})
}

// maxAttached bounds the attachments that a document names.
const maxAttached = 20

// An Attached is what a record, or one that was expanded with it, has attached.
type Attached struct {
	Name, Type           string
	Bytes                int // 0 if the record has no size
	BlobID, ConnectionID string
	Text                 string // its text, if the core has read it
}

// IsText reports a text, by its type.
func (a Attached) IsText() bool { return strings.HasPrefix(a.Type, "text/") }

// AttachedTo returns what the blob references of a record and of its expanded records name: at most 20, each once. Of the record
// itself only the fields that were asked for count; no fields means all.
func AttachedTo(response *rs.Response, connection string, fields []string) []Attached {
	o, _ := ownRelated(unwrapRecord(rs.AsObject(response.Distinct())), connection)
	connection = cmp.Or(connection, rs.ConnectionID(o))
	data := o.Object("data")
	shown := data
	if len(fields) > 0 {
		shown = project(data, fields)
	}
	all := attachedIn(nil, shown, data, connection)
	for _, m := range o.Object("expanded") {
		for _, raw := range relatedRecords(m.Value) {
			data := rs.AsObject(raw).Object("data")
			all = attachedIn(all, data, data, connection)
		}
	}
	return all
}

// attachedIn adds the blobs that the shown fields of a record name. All its fields may describe them.
func attachedIn(all []Attached, shown, data object, connection string) []Attached {
	for _, m := range shown {
		ref := rs.AsObject(m.Value)
		id := ref.Text("blob_id")
		if !sendableName(id) || len(all) == maxAttached {
			continue
		}
		kind, _, _ := mime.ParseMediaType(cmp.Or(ref.Text("mime_type", "content_type"), data.Text("content_type", "mime_type")))
		a := Attached{Name: cmp.Or(data.Text("filename", "file_name", "name"), m.Name), Type: kind, BlobID: id, ConnectionID: connection}
		if a.Bytes, _ = ref.Number("size_bytes"); a.Bytes == 0 {
			a.Bytes, _ = data.Number("size_bytes")
		}
		if !slices.ContainsFunc(all, func(other Attached) bool { return other.BlobID == id }) {
			all = append(all, a)
		}
	}
	return all
}

// writeAttached writes what is attached in about remaining bytes of JSON, a text under its name, and of anything else how to get it. It
// reports whether all texts that were read are whole.
func writeAttached(all []Attached, remaining int) (text string, whole bool) {
	heads, texts, sizes := make([]string, len(all)), make([]string, len(all)), []int{}
	for i, a := range all {
		heads[i] = "\nattached " + clean.Quote(clean.Preview(a.Name, titleChars))
		if a.Type != "" {
			heads[i] += ", " + shownName(clean.Preview(a.Type, labelChars))
		}
		if a.Bytes > 0 {
			heads[i] += fmt.Sprintf(", %d bytes", a.Bytes)
		}
		texts[i] = a.Text
		if a.Type == "text/html" {
			texts[i] = htmlText(a.Text)
		}
		if remaining -= escaped(heads[i]) + 20; texts[i] == "" {
			heads[i] += ": resource " + a.uri()
			remaining -= len(a.uri())
		} else {
			sizes = append(sizes, escaped(quoted(texts[i])))
		}
	}
	share := fairShare(sizes, max(remaining, 0))
	whole = true
	var b strings.Builder
	for i, a := range all {
		shown := texts[i]
		if shown != "" && escaped(quoted(shown)) > share {
			shown = prefixQuoted(shown, max(0, share-len(a.uri())-40))
		}
		b.WriteString(heads[i])
		switch {
		case texts[i] == "":
			b.WriteString("\n")
		case shown == texts[i]:
			fmt.Fprintf(&b, ":\n%s\n", quoted(shown))
		default:
			whole = false
			fmt.Fprintf(&b, ":\n%s\n[cut; all of it is the resource %s]\n", quoted(shown), a.uri())
		}
	}
	return b.String(), whole
}

// uri is the resource that has all bytes.
func (a Attached) uri() string {
	return BlobQuery{BlobID: a.BlobID, ConnectionID: a.ConnectionID}.URI()
}

// htmlText is the text of an HTML page, one line for each block.
func htmlText(page string) string {
	var lines []string
	var line strings.Builder
	endLine := func() {
		if words := strings.Fields(line.String()); len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
		line.Reset()
	}
	hidden := ""
	for z := html.NewTokenizer(strings.NewReader(page)); ; {
		kind := z.Next()
		tag, _ := z.TagName()
		switch name := string(tag); {
		case kind == html.ErrorToken:
			endLine()
			return strings.Join(lines, "\n")
		case hidden != "":
			if kind == html.EndTagToken && name == hidden {
				hidden = ""
			}
		case kind == html.TextToken:
			line.Write(z.Text())
		case kind == html.StartTagToken && slices.Contains([]string{"script", "style", "title", "template"}, name):
			hidden = name
		case slices.Contains([]string{"br", "p", "div", "tr", "li", "table", "h1", "h2", "h3", "h4", "h5", "h6"}, name):
			endLine()
		case slices.Contains([]string{"td", "th"}, name):
			line.WriteString(" ")
		}
	}
}

// Blob renders a blob. The first 16 KiB of text, JSON, CSV and calendars are inline; of other types only type,
// size and hash are shown. All bytes are readable as the resource q.URI() (S3-2c).
func Blob(body string, contentType string, q BlobQuery) (Result, error) {
	sum := sha256.Sum256([]byte(body))
	kind, text := blobType(contentType)
	uri := q.URI()
	out := new(arguments).plain("blob_id", q.BlobID).plain("content_type", kind).put("size_bytes", encode(len(body)))
	out.plain("sha256", hex.EncodeToString(sum[:])).optional("connection_id", q.ConnectionID)
	lines := []string{clean.Clip(fmt.Sprintf("%s: %s, %d bytes, sha256 %x", clean.Name(q.BlobID), kind, len(body), sum), lineChars)}
	if text && utf8.ValidString(body) {
		s := span{text: body, next: -1}
		s.fit(blobText)
		complete := s.next < 0
		out.plain("text", clean.Lines(s.text)).put("complete", encode(complete))
		if !complete {
			lines = append(lines, fmt.Sprintf("Shown the first %d of %d bytes; the resource %s has all of them.", len(s.text), len(body), uri))
		}
		if s.text != "" {
			lines = append(lines, quoteLines(s.text)...)
		}
	} else {
		out.put("complete", "false")
		lines = append(lines, "Not text, so not shown here; the resource "+uri+" has the bytes.")
	}
	return Result{Text: strings.Join(lines, "\n"), Structured: []byte(out.plain("uri", uri).json())}, nil
}

// blobType is the media type without parameters, and whether such a blob is text.
func blobType(contentType string) (kind string, text bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" {
		kind = "application/octet-stream"
	}
	kind = clean.Preview(kind, labelChars)
	switch {
	case strings.HasPrefix(kind, "text/"), kind == "application/json", strings.HasSuffix(kind, "+json"),
		kind == "application/csv", kind == "application/ics", kind == "application/xml", strings.HasSuffix(kind, "+xml"):
		return kind, true
	}
	return kind, false
}

// A relation is what was expanded in a record under one name.
type relation struct {
	name    string
	records []item
	more    bool // the resource server has others
}

// rest is the note that records of a relation are not shown; "" if all are.
func (r *relation) rest(shown int) string {
	switch left := len(r.records) - shown; {
	case left > 0 && r.more:
		return thousands(left) + " more not shown, and more exist"
	case left > 0:
		return thousands(left) + " more not shown"
	case r.more:
		return "more exist"
	}
	return ""
}

// all is how to read every record of a relation: a call, where a field of them is certain to have the parent's id.
func (r *relation) all(parent *item) string {
	if key := r.keyOf(parent); key != "" {
		first := &r.records[0]
		filter := object{pair(key, first.data.Get(key))}.JSON()
		call := new(arguments).text("stream", first.stream).text("connection_id", first.conn).put("filter", filter).call("query_records")
		if clean.Line(call) == call && !clean.LongerThan(call, lineChars/2) {
			return "all: " + call
		}
	}
	return "raise expand_limit, or query their stream"
}

// keyOf is the only field that has the parent's id in every record of a relation; "" if there is none.
func (r *relation) keyOf(parent *item) string {
	if len(r.records) == 0 || parent.recordID == "" || r.records[0].stream == "" {
		return ""
	}
	key := ""
	for _, m := range r.records[0].data {
		if text, ok := rs.AsText(m.Value); ok && text == parent.recordID {
			if key != "" {
				return ""
			}
			key = m.Name
		}
	}
	for i := range r.records {
		if other := &r.records[i]; key == "" || other.stream != r.records[0].stream || other.data.Get(key) != r.records[0].data.Get(key) {
			return ""
		}
	}
	return key
}

func readRelations(it *item) []relation {
	var relations []relation
	for _, m := range it.expanded {
		r := relation{name: m.Name, more: rs.AsObject(m.Value).Flag("has_more")}
		for _, raw := range relatedRecords(m.Value) {
			if o := rs.AsObject(raw); o != nil {
				r.records = append(r.records, readRecord(o, o.Object("data"), "", it.conn))
			}
		}
		relations = append(relations, r)
	}
	return relations
}

// relatedRecords are the records of a relation, which is a list of them, or has one, or is one.
func relatedRecords(raw string) []string {
	relation := rs.AsObject(raw)
	if items, many := rs.AsArray(relation.Get("data")); many {
		return items
	}
	if list, ok := rs.AsArray(raw); ok {
		return list
	}
	if relation != nil {
		return []string{raw}
	}
	return nil
}
