package browse

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

type recordView struct {
	common
	Stream   string
	Back     string    // the link to the stream
	Metadata rs.Object // as fetch answers
	Document document
	Parents  []related // the records that lead to this one
}

// mostParents bounds in how many streams relations to a record are looked for.
const mostParents = 12

type fetchArguments struct {
	ID     string   `json:"id"`
	Expand []string `json:"expand,omitempty"`
}

// record is one record as fetch answers it, with all relations that its stream has.
func (p *Pages) record(ctx context.Context, q query) any {
	v := &recordView{common: common{query: q, Title: "Record"}}
	arguments := fetchArguments{ID: q.Get("id")}
	ref, err := rs.ParseRef(arguments.ID)
	if err == nil {
		v.Stream, v.Back = ref.Stream, link("records", "stream", ref.Stream, "connection", ref.ConnectionID)
		for _, one := range p.describe(ctx, &v.common, ref.Stream, ref.ConnectionID).Relations {
			arguments.Expand = append(arguments.Expand, one.Text("name"))
		}
		v.Failure = nil // of the schema: what is wrong, fetch says
	}
	answer := p.ask(ctx, &v.common, true, "fetch", arguments)
	if answer == nil {
		return v
	}
	v.Metadata = answer.Object("metadata")
	v.Title = cmp.Or(answer.Text("title"), arguments.ID)
	v.Document = readDocument(answer.Text("text"))
	p.addParents(ctx, v, rs.Ref{ConnectionID: v.Metadata.Text("connection_id"), Stream: v.Metadata.Text("stream")})
	return v
}

// addParents finds the records whose relations lead to this one: of the streams of its connection or, where they are many, of those whose
// names begin alike.
func (p *Pages) addParents(ctx context.Context, v *recordView, of rs.Ref) {
	if !slices.ContainsFunc(v.Document.Fields, func(one pair) bool { return one.Name != "id" && one.Value != "" }) {
		return
	}
	var names []string
	for _, connection := range objects(p.ask(ctx, &v.common, false, "schema", schemaArguments{}), "data", "connections") {
		if connection.Text("connection_id") == of.ConnectionID {
			for _, stream := range objects(connection, "streams") {
				names = append(names, stream.Text("name"))
			}
		}
	}
	if len(names) > mostParents {
		alike := of.Stream[:strings.LastIndexByte(of.Stream, '_')+1]
		names = slices.DeleteFunc(names, func(name string) bool { return alike == "" || !strings.HasPrefix(name+"_", alike) })
		names = names[:min(len(names), mostParents)]
	}
	for _, name := range names {
		for _, one := range p.describe(ctx, &v.common, name, of.ConnectionID).Relations {
			at := slices.IndexFunc(v.Document.Fields, func(field pair) bool {
				return field.Name == one.Text("foreign_key") && field.Value != "" && field.Value != "null"
			})
			if one.Text("target_stream") != of.Stream || at < 0 {
				continue
			}
			id := v.Document.Fields[at].Value
			if text, ok := rs.AsText(id); ok {
				id = text
			}
			parent := rs.Ref{ConnectionID: of.ConnectionID, Stream: name, RecordID: id}.String()
			v.Parents = append(v.Parents, related{ID: parent, Link: link("record", "id", parent)})
		}
	}
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
	ID, Link string // no link where the id is not one
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
