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

// mostParents bounds in how many streams relations to a record are looked for.
const mostParents = 12

type fetchArguments struct {
	ID     string   `json:"id"`
	Expand []string `json:"expand,omitempty"`
}

// record is one record as fetch answers it, with all relations that its stream has.
func (v *view) record(ctx context.Context) g.Node {
	v.title = "Record"
	arguments, back := fetchArguments{ID: v.Get("id")}, ""
	ref, err := rs.ParseRef(arguments.ID)
	if err == nil {
		back = link("records", "stream", ref.Stream, "connection", ref.ConnectionID)
		for _, one := range v.describe(ctx, ref.Stream, ref.ConnectionID).Relations {
			arguments.Expand = append(arguments.Expand, one.Text("name"))
		}
		v.failure = nil // of the schema: what is wrong, fetch says
	}
	answer := v.call(ctx, true, "fetch", arguments)
	var about, content g.Node
	if answer != nil {
		metadata := answer.Object("metadata")
		v.title = cmp.Or(answer.Text("title"), arguments.ID)
		about = h.P(h.Class("quiet"), g.Text(metadata.Text("display_name", "connection_id")), authored(metadata.Text("authored_at")))
		d := readDocument(answer.Text("text"))
		parents := v.parents(ctx, d, rs.Ref{ConnectionID: metadata.Text("connection_id"), Stream: metadata.Text("stream")})
		content = g.Group{d.node(), parents, cut(metadata.Array("incomplete"))}
	}
	return g.Group{trail(back, ref.Stream), h.H1(h.Class("heading"), g.Text(v.title)), about, v.said(), content}
}

// parents are the records whose relations lead to this one: of the streams of its connection or, where they are many, of those whose
// names begin alike.
func (v *view) parents(ctx context.Context, d document, of rs.Ref) g.Node {
	if !slices.ContainsFunc(d.Fields, func(one pair) bool { return one.Name != "id" && one.Value != "" }) {
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
			at := slices.IndexFunc(d.Fields, func(field pair) bool {
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
	return g.If(len(found) > 0, h.Section(h.H2(g.Text("Belongs to")), h.Ul(h.Class("related"), found)))
}

// cut is what fetch left out, with the calls that read it.
func cut(incomplete []string) g.Node {
	return g.If(len(incomplete) > 0, h.Section(h.H2(g.Text("Cut")), h.Ul(g.Map(incomplete, func(arguments string) g.Node {
		return madeCall{"read_record_field", arguments}.node()
	}))))
}

// node shows long texts first, then short fields, then what else there is.
func (d document) node() g.Node {
	var texts, rest g.Group
	for _, s := range d.Sections {
		if s.Kind == "text" {
			texts = append(texts, s.node())
		} else {
			rest = append(rest, s.node())
		}
	}
	return g.Group{texts, g.If(len(d.Fields) > 0, h.Section(h.H2(g.Text("Fields")), pairs(d.Fields))), rest}
}

func pairs(all []pair) g.Node {
	return h.Dl(g.Map(all, func(one pair) g.Node { return term(one.Name, "", one.Value) }))
}

func (s section) node() g.Node {
	name := s.Name
	if s.Kind == "attached" {
		name = "Attached: " + name
	}
	return h.Section(
		h.H2(g.Text(name), small(s.Rest)),
		g.If(s.Text != "", longText(s.Name, s.Text)),
		g.If(len(s.Related) > 0, h.Ul(h.Class("related"), g.Map(s.Related, related.node))),
		g.Map(s.Notes, page.Quiet),
		g.If(s.File != "", h.P(page.Link(s.File, "Save the file", g.Attr("download")))),
	)
}

func (r related) node() g.Node {
	return h.Li(
		page.Link(r.Link, r.ID), g.If(len(r.Pairs) > 0, pairs(r.Pairs)), g.If(r.Text != "", h.P(g.Text(r.Text))),
	)
}

// A document is the text of a fetched record, in its parts.
type document struct {
	Fields   []pair
	Sections []section
}

type pair struct{ Name, Value string }

// A section is a long text, what is attached, or related records, under what the document calls it.
type section struct {
	Kind    string // "text", "attached", "expanded"
	Name    string // of the field, the file or the relation
	Rest    string // what the document says of it beside the name
	Text    string
	Related []related
	Notes   []string // such as that it is cut
	File    string   // the link to the bytes of what is attached
}

const relatedRunes = 600 // of a value of a related record

type related struct {
	ID, Link string
	Pairs    []pair
	Text     string // where it is cut, so that there are no pairs
}

// readDocument takes the text of fetch apart: short fields a line each, then sections, each after an empty line. "> " begins the lines
// of texts, so that none is taken for a heading.
func readDocument(text string) document {
	var d document
	begins := true // a section
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "":
			begins = true
			continue
		case strings.HasPrefix(line, ">") && len(d.Sections) > 0:
			last := &d.Sections[len(d.Sections)-1]
			last.Text += strings.TrimPrefix(line[1:], " ") + "\n"
		case begins && !strings.HasPrefix(line, ">") && d.begin(line):
		case len(d.Sections) == 0:
			name, value, _ := strings.Cut(line, ": ")
			d.Fields = append(d.Fields, pair{name, value})
		default:
			d.Sections[len(d.Sections)-1].add(line)
		}
		begins = false
	}
	return d
}

// begin begins a section if a line is the head of one.
func (d *document) begin(line string) bool {
	var s section
	switch {
	case strings.HasPrefix(line, "expanded "):
		s.Kind = "expanded"
		s.Name, s.Rest, _ = strings.Cut(strings.TrimPrefix(line, "expanded "), ": ")
	case strings.HasPrefix(line, `attached "`):
		s.Kind = "attached"
		rest := strings.TrimPrefix(line, "attached ")
		end := strings.LastIndex(rest, `"`) + 1
		s.Name, _ = rs.AsText(rest[:end])
		about, uri, bytes := strings.Cut(strings.TrimPrefix(rest[end:], ", "), ": resource ")
		if size, _, noted := strings.Cut(about, " bytes, "); noted { // what no tool reads may be saved here
			about = size + " bytes"
		}
		if s.Rest = strings.TrimSuffix(about, ":"); bytes {
			s.File = link("file", "uri", uri, "name", s.Name)
		}
	case strings.HasSuffix(line, ":"):
		s.Kind, s.Name = "text", strings.TrimSuffix(line, ":")
	default:
		return d.beginPart(line)
	}
	d.Sections = append(d.Sections, s)
	return true
}

// beginPart begins the text of a related record, such as a mail's body, if a line names one: the next line names its field.
func (d *document) beginPart(line string) bool {
	name, rest, _ := strings.Cut(line, " of ")
	id, beside, _ := strings.Cut(rest, " (")
	if ref, err := rs.ParseRef(id); err != nil || ref.ConnectionID == "" {
		return false
	}
	if beside != "" {
		name += " (" + beside
	}
	d.Sections = append(d.Sections, section{Kind: "text", Rest: name, Related: []related{{ID: id, Link: link("record", "id", id)}}})
	return true
}

// add adds a line that is not of the section's text: the field of a related record's text, a related record, or a note.
func (s *section) add(line string) {
	if s.Name == "" && strings.HasSuffix(line, ":") {
		s.Name = strings.TrimSuffix(line, ":")
		return
	}
	id, data, _ := strings.Cut(line, " {")
	ref, err := rs.ParseRef(id)
	if s.Kind != "expanded" || err != nil || ref.ConnectionID == "" {
		s.Notes = append(s.Notes, strings.Trim(line, "[]"))
		return
	}
	one := related{ID: id, Link: link("record", "id", id)}
	if data = "{" + data; isObject(data) {
		for _, m := range rs.AsObject(data) {
			if value := shown(m.Value, relatedRunes); value != "" && value != "null" && rs.Kind(m.Value) != "object" {
				one.Pairs = append(one.Pairs, pair{m.Name, value})
			}
		}
	} else if data != "{" {
		one.Text = data
	}
	s.Related = append(s.Related, one)
}
