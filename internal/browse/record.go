package browse

import (
	"cmp"
	"context"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// mostParents is the most streams in which relations to a record are looked up.
const mostParents = 12

// record shows one record with all relations of its stream, from a call of fetch.
func (v *view) record(ctx context.Context) g.Node {
	v.title = "Record"
	id, back := v.Get("id"), ""
	var expand []string
	ref, err := rs.ParseRef(id)
	if err == nil {
		back = link("records", "stream", ref.Stream, "connection", ref.ConnectionID)
		for _, one := range v.describe(ctx, ref.Stream, ref.ConnectionID).Relations {
			expand = append(expand, one.Text("name"))
		}
		v.failure = nil // of the schema call: fetch reports the same
	}
	answer := v.callForData(ctx, "fetch", arguments("id", id, "expand", expand))
	var about, content g.Node
	if answer != nil {
		metadata := answer.Object("metadata")
		v.title = cmp.Or(answer.Text("title"), id)
		about = page.P(page.Class("quiet"), g.Text(metadata.Text("display_name", "connection_id")), authored(metadata.Text("authored_at")))
		d := readDocument(answer.Text("text"))
		parents := v.parents(ctx, d, rs.Ref{ConnectionID: metadata.Text("connection_id"), Stream: metadata.Text("stream")})
		content = g.Group{d.node(), parents, cut(metadata.Array("incomplete"))}
	}
	return g.Group{trail(back, ref.Stream), h.H1(page.Class("heading"), g.Text(v.title)), about, v.said(), content}
}

// parents links to the records whose relations lead to this one. It looks in the streams of its connection or, if they are many, in those
// whose names have the same prefix.
func (v *view) parents(ctx context.Context, d fetchedDocument, of rs.Ref) g.Node {
	if !slices.ContainsFunc(d.Fields, func(one namedValue) bool { return one.Name != "id" && one.Value != "" }) {
		return nil
	}
	names := v.streamNames(ctx, of.ConnectionID)
	if len(names) > mostParents {
		alike := of.Stream[:strings.LastIndexByte(of.Stream, '_')+1]
		names = slices.DeleteFunc(names, func(name string) bool { return alike == "" || !strings.HasPrefix(name+"_", alike) })
		names = names[:min(len(names), mostParents)]
	}
	var found g.Group
	for _, name := range names {
		for _, one := range v.describe(ctx, name, of.ConnectionID).Relations {
			at := slices.IndexFunc(d.Fields, func(field namedValue) bool {
				return field.Name == one.Text("foreign_key") && field.Value != "" && field.Value != "null"
			})
			if one.Text("target_stream") != of.Stream || at < 0 {
				continue
			}
			id := d.Fields[at].Value
			if text, ok := rs.AsText(id); ok {
				id = text
			}
			parent := rs.Ref{ConnectionID: of.ConnectionID, Stream: name, RecordID: id}.String()
			found = append(found, related{ID: parent, Link: link("record", "id", parent)}.node())
		}
	}
	return g.If(len(found) > 0, h.Section(h.H2(g.Text("Belongs to")), h.Ul(page.Class("related"), found)))
}

// cut lists the calls that read what fetch left out.
func cut(incomplete []string) g.Node {
	return g.If(len(incomplete) > 0, h.Section(h.H2(g.Text("Cut")), h.Ul(g.Map(incomplete, func(arguments string) g.Node {
		call := madeCall{"read_record_field", arguments}
		return h.Li(h.A(h.Href(call.link()), h.Code(g.Text(call.String()))))
	}))))
}

// node shows long texts first, then short fields, then the rest.
func (d fetchedDocument) node() g.Node {
	var texts, rest g.Group
	for _, s := range d.Sections {
		if s.Text != "" {
			texts = append(texts, s.node())
		} else {
			rest = append(rest, s.node())
		}
	}
	return g.Group{texts, g.If(len(d.Fields) > 0, h.Section(h.H2(g.Text("Fields")), namedValues(d.Fields))), rest}
}

func namedValues(all []namedValue) g.Node {
	return h.Dl(g.Map(all, func(one namedValue) g.Node { return term(one.Name, "", one.Value) }))
}

func (s section) node() g.Node {
	return h.Section(
		h.H2(g.Text(s.Title)),
		g.If(s.Text != "", longText(s.Title, s.Text)),
		g.If(len(s.Related) > 0, h.Ul(page.Class("related"), g.Map(s.Related, related.node))),
		g.Map(s.Notes, page.Quiet),
		g.If(s.File != "", page.P(page.Link(s.File, "Save the file", g.Attr("download")))),
	)
}

func (r related) node() g.Node {
	return h.Li(
		page.Link(r.Link, r.ID), g.If(len(r.Pairs) > 0, namedValues(r.Pairs)), g.If(r.Text != "", page.P(g.Text(r.Text))),
	)
}

// A fetchedDocument is the parsed text of a fetched record.
type fetchedDocument struct {
	Fields   []namedValue
	Sections []section
}

type namedValue struct{ Name, Value string }

// A section is a long text, an attachment or related records, titled by its first line in the document.
type section struct {
	Title   string
	Text    string
	Related []related
	Notes   []string // such as that a text is truncated
	File    string   // the link that downloads an attachment
}

const relatedRunes = 600 // of a value of a related record

type related struct {
	ID, Link string
	Pairs    []namedValue
	Text     string // the raw text of a truncated record, which has no pairs
}

// readDocument parses the text of fetch: a line for each short field, then sections separated by empty lines. Lines of record text begin
// with "> ", so that they cannot be taken for structure.
func readDocument(text string) fetchedDocument {
	var d fetchedDocument
	fields, sections, _ := strings.Cut(text, "\n\n")
	for line := range strings.SplitSeq(fields, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		d.Fields = append(d.Fields, namedValue{name, value})
	}
	for block := range strings.SplitSeq(sections, "\n\n") {
		if block != "" {
			d.Sections = append(d.Sections, readSection(block))
		}
	}
	return d
}

func readSection(block string) section {
	head, rest, _ := strings.Cut(block, "\n")
	s := section{Title: strings.TrimSuffix(head, ":")}
	if attached, ok := strings.CutPrefix(head, "attached "); ok {
		if about, uri, bytes := strings.Cut(attached, ": resource "); bytes {
			name, _ := rs.AsText(about[:strings.LastIndex(about, `"`)+1])
			s.Title, s.File = "attached "+about, link("file", "uri", uri, "name", name)
		}
	}
	_, part, _ := strings.Cut(head, " of ") // of a related record, such as a mail's body
	if id, _, _ := strings.Cut(part, " ("); isRecord(id) {
		s.Related = []related{{ID: id, Link: link("record", "id", id)}}
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		if quoted, ok := strings.CutPrefix(line, ">"); ok {
			s.Text += strings.TrimPrefix(quoted, " ") + "\n"
		} else {
			s.add(line)
		}
	}
	return s
}

func isRecord(id string) bool {
	ref, err := rs.ParseRef(id)
	return err == nil && ref.ConnectionID != ""
}

// add adds a line without "> ": a related record, or a note.
func (s *section) add(line string) {
	id, data, _ := strings.Cut(line, " {")
	if !strings.HasPrefix(s.Title, "expanded ") || !isRecord(id) {
		s.Notes = append(s.Notes, strings.Trim(line, "[]"))
		return
	}
	one := related{ID: id, Link: link("record", "id", id)}
	if data = "{" + data; isObject(data) {
		for _, m := range rs.AsObject(data) {
			if value := shortened(m.Value, relatedRunes); value != "" && value != "null" && rs.Kind(m.Value) != "object" {
				one.Pairs = append(one.Pairs, namedValue{m.Name, value})
			}
		}
	} else if data != "{" {
		one.Text = data
	}
	s.Related = append(s.Related, one)
}
