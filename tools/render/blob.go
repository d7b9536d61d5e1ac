package render

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A BlobQuery is the call that a blob answers. Its JSON is part of a [BlobHandle].
type BlobQuery struct {
	BlobID       string `json:"blob_id"`
	ConnectionID string `json:"connection_id,omitempty"`
}

// A BlobHandle is the JSON inside a pdpp://blob/{handle}, the form that older answers have.
type BlobHandle struct {
	Version int    `json:"v"`    // 1
	Kind    string `json:"kind"` // "blob"
	BlobQuery
}

// URI returns the resource URI of a blob's bytes: pdpp://blob/CONNECTION/BLOB, percent-encoded, with - for an unknown connection.
func (q BlobQuery) URI() string {
	return BlobURIPrefix + url.PathEscape(cmp.Or(q.ConnectionID, "-")) + "/" + url.PathEscape(q.BlobID)
}

// Blob renders a blob. The first 16 KiB of text, JSON, CSV and calendars are inline; of other types only type,
// size and hash are shown. All bytes are readable as the resource q.URI() (S3-2c).
func Blob(body string, contentType string, q BlobQuery) (Result, error) {
	sum := sha256.Sum256([]byte(body))
	kind, text := blobType(contentType)
	uri := q.URI()
	out := new(write.Object).Plain("blob_id", q.BlobID).Plain("content_type", kind).Put("size_bytes", write.JSON(len(body)))
	out.Plain("sha256", hex.EncodeToString(sum[:])).Optional("connection_id", q.ConnectionID)
	lines := []string{clean.Clip(fmt.Sprintf("%s: %s, %d bytes, sha256 %x", clean.Name(q.BlobID), kind, len(body), sum), write.LineChars)}
	if text && utf8.ValidString(body) {
		s := windowSpan{text: body, next: -1}
		s.fit(blobText)
		complete := s.next < 0
		out.Plain("text", clean.Lines(s.text)).Put("complete", write.JSON(complete))
		if !complete {
			lines = append(lines, fmt.Sprintf("Shown the first %d of %d bytes; the resource %s has all of them.", len(s.text), len(body), uri))
		}
		if s.text != "" {
			lines = append(lines, write.QuoteLines(s.text)...)
		}
	} else {
		out.Put("complete", "false")
		lines = append(lines, "Not text, so not shown here; the resource "+uri+" has the bytes.")
	}
	return Result{Text: strings.Join(lines, "\n"), Structured: out.Plain("uri", uri).JSON()}, nil
}

func blobType(contentType string) (kind string, text bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" {
		kind = "application/octet-stream"
	}
	kind = write.Label(kind)
	named := slices.Contains([]string{"application/json", "application/csv", "application/ics", "application/xml"}, kind)
	return kind, named || strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}

// maxAttached is the most attachments that a document names. It counts the others.
const maxAttached = 20

// An Attached is a blob that a record, or a record expanded in it, references.
type Attached struct {
	BlobQuery
	Name, Type string
	Bytes      int    // 0 if the record has no size
	Text       string // its text, if it was read
}

// IsText reports whether the type is that of a text.
func (a Attached) IsText() bool { return strings.HasPrefix(a.Type, "text/") }

// AttachedTo returns the blobs that a record and its expanded records reference, each once. Of the record itself, only the requested fields
// count; no fields means all.
func AttachedTo(response *rs.Response, connection string, fields []string) []Attached {
	o, _ := item.OwnRelated(item.Unwrap(response.Object()), connection)
	connection = cmp.Or(connection, rs.ConnectionID(o))
	data := o.Object("data")
	shown := data
	if len(fields) > 0 {
		shown = item.Project(data, fields)
	}
	all := attachedIn(shown, data, connection)
	for _, m := range o.Object("expanded") {
		for _, raw := range item.RelatedRecords(m.Value) {
			data := rs.AsObject(raw).Object("data")
			all = append(all, attachedIn(data, data, connection)...)
		}
	}
	known := map[string]bool{}
	return slices.DeleteFunc(all, func(a Attached) bool {
		again := known[a.BlobID]
		known[a.BlobID] = true
		return again
	})
}

// attachedIn returns the blobs that the shown fields of a record reference. Any field of data may describe them.
func attachedIn(shown, data object, connection string) (all []Attached) {
	for _, m := range shown {
		ref := rs.AsObject(m.Value)
		id := ref.Text("blob_id")
		if !write.SendableName(id) {
			continue
		}
		kind, _, _ := mime.ParseMediaType(cmp.Or(ref.Text("mime_type", "content_type"), data.Text("content_type", "mime_type")))
		a := Attached{BlobQuery: BlobQuery{id, connection}, Name: cmp.Or(data.Text("filename", "file_name", "name"), m.Name), Type: kind}
		if a.Bytes, _ = ref.Number("size_bytes"); a.Bytes == 0 {
			a.Bytes, _ = data.Number("size_bytes")
		}
		all = append(all, a)
	}
	return all
}

// writeAttached writes attachments in about remaining bytes of JSON: a text under its name, and for anything else how to get it. Of very
// many it writes the first. whole reports whether no text was truncated and no attachment left out.
func writeAttached(all []Attached, remaining int) (text string, whole bool) {
	more := max(0, len(all)-maxAttached)
	all = all[:len(all)-more]
	heads, texts, sizes := make([]string, len(all)), make([]string, len(all)), []int{}
	for i, a := range all {
		heads[i] = "\nattached " + clean.Quote(clean.Preview(a.Name, write.TitleChars)) +
			write.When(a.Type != "", ", "+write.ShownName(write.Label(a.Type))) + write.When(a.Bytes > 0, fmt.Sprintf(", %d bytes", a.Bytes))
		texts[i] = a.Text
		if a.Type == "text/html" {
			texts[i] = htmlText(a.Text)
		}
		if remaining -= write.Escaped(heads[i]) + 20; texts[i] == "" {
			heads[i] += a.notRead()
			remaining -= len(a.notRead())
		} else {
			sizes = append(sizes, write.Escaped(quoted(texts[i])))
		}
	}
	share := write.FairShare(sizes, max(remaining, 0))
	whole = more == 0
	var b strings.Builder
	for i, a := range all {
		shown, cut := texts[i], ""
		if shown != "" && write.Escaped(quoted(shown)) > share {
			shown = prefixQuoted(shown, max(0, share-len(a.URI())-40))
		}
		if shown != texts[i] {
			whole, cut = false, "[cut; all of it is the resource "+a.URI()+"]\n"
		}
		b.WriteString(heads[i] + write.When(texts[i] != "", ":\n"+quoted(shown)) + "\n" + cut)
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n[%d more attached, not shown: their blob_id is in the fields and related records of this one]\n", more)
	}
	return b.String(), whole
}

// notRead says that a document does not show an attachment, why, and where it is.
func (a Attached) notRead() string {
	why := write.When(a.IsText(), ", not shown here") + write.When(!a.IsText(), ", which no tool reads, as it is not text")
	return why + ": resource " + a.URI()
}

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
