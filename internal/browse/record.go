package browse

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// mostParents bounds in how many streams relations to a record are looked for.
const mostParents = 12

// record is one record as fetch answers it, with all relations that its stream has.
func (v *view) record(ctx context.Context) g.Node {
	v.title = "Record"
	var back string
	var expand []string
	ref, err := rs.ParseRef(v.Get("id"))
	if err == nil {
		back = link("records", "stream", ref.Stream, "connection", ref.ConnectionID)
		for _, one := range v.describe(ctx, ref.Stream, ref.ConnectionID).Relations {
			expand = append(expand, one.Text("name"))
		}
		v.failure = nil // of the schema: what is wrong, fetch says
	}
	answer := v.call(ctx, true, "fetch", given("id", v.Get("id"), "expand", expand))
	var about, content g.Node
	if answer != nil {
		metadata := answer.Object("metadata")
		v.title = cmp.Or(answer.Text("title"), v.Get("id"))
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
			found = append(found, related(parent))
		}
	}
	return g.If(len(found) > 0, h.Section(h.H2(g.Text("Belongs to")), h.Ul(h.Class("related"), found)))
}

// cut is what fetch left out, with the calls that read it.
func cut(incomplete []string) g.Node {
	return g.If(len(incomplete) > 0, h.Section(h.H2(g.Text("Cut")), h.Ul(g.Map(incomplete, func(arguments string) g.Node {
		return madeCall{"read_record_field", json.RawMessage(arguments)}.node()
	}))))
}

// A document is the text of a fetched record, in its parts.
type document struct {
	Fields []pair
	Blocks []block
}

type pair struct{ Name, Value string }

// A block is what stands behind an empty line: a long text, what is attached, or related records.
type block struct {
	Head  string   // what the document calls it
	Text  string   // its lines that "> " begins, so that none of them is taken for a head
	Lines []string // the others: related records, and notes, such as that the text is cut
}

// readDocument takes the text of fetch apart: short fields a line each, then blocks.
func readDocument(text string) (d document) {
	begins := false // a block
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		quoted, isText := strings.CutPrefix(line, ">")
		if line == "" {
			begins = true
			continue
		}
		if last := len(d.Blocks) - 1; last < 0 && (isText || begins || !strings.Contains(line, ": ")) || begins && !isText {
			d.Blocks = append(d.Blocks, block{})
		}
		begins = false
		if len(d.Blocks) == 0 {
			name, value, _ := strings.Cut(line, ": ")
			d.Fields = append(d.Fields, pair{name, value})
			continue
		}
		switch last := &d.Blocks[len(d.Blocks)-1]; {
		case isText:
			last.Text += strings.TrimPrefix(quoted, " ") + "\n"
		case last.Head == "":
			last.Head = line
		case last.Text == "" && strings.HasSuffix(line, ":"): // the field of a related record
			last.Head = strings.TrimSuffix(line, ":") + ", " + last.Head
		default:
			last.Lines = append(last.Lines, line)
		}
	}
	return d
}

// node shows the long texts, with which the blocks begin, before the short fields.
func (d document) node() g.Node {
	texts := slices.IndexFunc(append(d.Blocks, block{}), func(b block) bool { return b.Text == "" || strings.HasPrefix(b.Head, "attached ") })
	return g.Group{
		g.Map(d.Blocks[:texts], block.node),
		g.If(len(d.Fields) > 0, h.Section(h.H2(g.Text("Fields")), pairs(d.Fields))),
		g.Map(d.Blocks[texts:], block.node),
	}
}

func pairs(all []pair) g.Node {
	return h.Dl(g.Map(all, func(one pair) g.Node { return term(one.Name, "", one.Value) }))
}

func (b block) node() g.Node {
	head, uri, saved := strings.Cut(strings.TrimSuffix(b.Head, ":"), ": resource ")
	var records, notes g.Group
	title, of, _ := strings.Cut(head, " of ")
	id, _, _ := strings.Cut(of, " (")
	if related(id) == nil {
		title = head
	}
	expanded := strings.HasPrefix(head, "expanded ")
	for _, line := range append([]string{id}, b.Lines...) {
		if record := related(line); record != nil && (expanded || line == id) {
			records = append(records, record)
		} else if line != "" {
			notes = append(notes, page.Quiet(strings.Trim(line, "[]")))
		}
	}
	return h.Section(
		h.H2(g.Text(title)),
		g.If(b.Text != "", longText(head, b.Text)),
		g.If(len(records) > 0, h.Ul(h.Class("related"), records)),
		notes,
		g.If(saved, h.P(page.Link(link("file", "uri", uri, "name", attachedName(head)), "Save the file", g.Attr("download")))),
	)
}

// attachedName is the name of a file, which its head has in quotes.
func attachedName(head string) string {
	begin, end := strings.IndexByte(head, '"'), strings.LastIndexByte(head, '"')
	name, _ := rs.AsText(head[max(begin, 0) : end+1])
	return cmp.Or(name, "file")
}

const relatedRunes = 600 // of a value of a related record

// related is the record whose id a line begins with, with its fields or, where they are cut, what there is of them; nil for another line.
func related(line string) g.Node {
	id, data, _ := strings.Cut(line, " {")
	if ref, err := rs.ParseRef(id); err != nil || ref.ConnectionID == "" {
		return nil
	}
	var fields []pair
	if data = "{" + data; isObject(data) {
		for _, m := range rs.AsObject(data) {
			if value := shown(m.Value, relatedRunes); value != "" && value != "null" && rs.Kind(m.Value) != "object" {
				fields = append(fields, pair{m.Name, value})
			}
		}
		data = ""
	}
	return h.Li(
		page.Link(link("record", "id", id), id), g.If(len(fields) > 0, pairs(fields)), g.If(len(data) > 1, h.P(g.Text(data))),
	)
}
