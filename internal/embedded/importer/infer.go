package importer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/utf8text"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// describe returns the stream as the manifest declares it or, if that lists no fields, as the files show it.
func (s *fileStream) describe(ctx context.Context, watch Watch, found *int) ([]model.Stream, error) {
	if s.declared.Fields == nil {
		return s.infer(ctx, watch, found)
	}
	if s.format == formatMail {
		return nil, fmt.Errorf("%s: stream %q: messages have fields of their own: leave out fields", schema.ManifestName, s.stream)
	}
	s.timeField = schema.EventTime(s.declared.Fields)
	s.cells = map[string]table.Cell{}
	for _, field := range s.declared.Fields {
		s.cells[field.Name] = table.Cell{Kind: field.Type}
	}
	stream, err := s.declared.Describe()
	return []model.Stream{stream}, err
}

// An inference reads the files of a stream once, to describe the stream and its attached stream, such as attachments.
type inference struct {
	*fileStream
	watch           Watch
	found           *int // records of all streams so far
	tally, attached *schema.Tally
	around          map[string]linesAround // by file name
	first           int                    // line of the first record
	isPlain         bool                   // no record has attachments, or content to compare
}

// infer describes the stream, and its attached stream if there is one, as the files show them.
func (s *fileStream) infer(ctx context.Context, watch Watch, found *int) ([]model.Stream, error) {
	s.findings = findings{
		reported: map[Skip]bool{}, copies: map[string][]string{}, threads: threads{map[string]string{}, map[string]time.Time{}},
	}
	n := inference{fileStream: s, watch: watch, found: found, tally: schema.NewTally(), attached: schema.NewTally(),
		around: map[string]linesAround{}, isPlain: true}
	n.tally.Unfolds, n.tally.AreCells = true, s.hasCells()
	if err := s.scan(ctx, "", n.skip, n.add); err != nil {
		return nil, err
	}
	if s.unusable = n.tally.Records == 0 && slices.Contains(slices.Collect(maps.Values(s.reported)), true); s.unusable {
		return nil, nil
	}
	return n.streams()
}

func (n *inference) skip(skip Skip) {
	if skip.Line == 0 {
		n.reported[skip] = skip.Reason != model.NoRecord
	}
	n.watch.Skipped(skip)
}

// add counts a record, or a line around a table.
func (n *inference) add(at sourceFile, one item.Item) (more bool) {
	if one.Place != "" {
		n.attached.Add(one.Fields)
		n.around[at.name] = n.around[at.name].with(one)
		return true
	}
	if extra := n.tally.Add(one.Fields); len(extra) > 0 {
		reason := fmt.Sprintf("the stream has more than %d fields", item.MaxFields)
		if !item.IsName(extra[0]) {
			reason = "the name of a field is too long"
		}
		reason += fmt.Sprintf(": %q is not described, and only an owner sees it", utf8text.OneLine(extra[0]))
		if len(extra) > 1 {
			reason += fmt.Sprintf("; nor are the %d after it", len(extra)-1)
		}
		n.watch.Skipped(Skip{File: at.name, Line: one.Line, Reason: reason})
	}
	if one.Day != "" {
		n.tally.Days++
	}
	n.isPlain = n.isPlain && one.Content == "" && one.Attached == nil
	n.first = cmp.Or(n.first, one.Line)
	n.watch.kept(at.name, one.Line, one.Note)
	if n.format == formatMail {
		n.threads.note(one)
	}
	for _, file := range one.Attached {
		n.attached.Add(file.Fields)
	}
	if *n.found++; *n.found%foundStep == 0 && n.watch.Found != nil {
		n.watch.Found(*n.found)
	}
	return true
}

// streams returns the descriptions, and stores in the fileStream what is needed to read the records.
func (n *inference) streams() ([]model.Stream, error) {
	n.tally.Commas = n.semicolons
	stream, err := n.tally.Stream(n.declared)
	if err != nil {
		return nil, err
	}
	for _, file := range n.files {
		if lines := n.around[file.name]; lines.all > 0 {
			n.watch.kept(file.name, lines.first, lines.note(n.stream+aroundSuffix))
		}
	}
	for _, reason := range n.tally.Notes(n.declared) {
		n.watch.kept(n.files[0].name, n.first, reason)
	}
	if n.tally.Records+n.attached.Records == 0 {
		stream.Fields = nil // nil marks an empty stream, and not one of records without fields
	}
	if n.repeated {
		stream.PrimaryKey = nil
	}
	n.distinct = n.isPlain && !n.repeated
	n.timeField = schema.EventTime(stream.Fields)
	n.times, n.objects, n.cells = n.tally.Times, n.tally.Objects, n.tally.Cells
	n.format.tuneReplies(&stream)
	if n.attached.Records == 0 {
		return []model.Stream{stream}, nil
	}
	files, err := n.attached.Stream(schema.Stream{Name: n.stream + ways[n.format].attached.suffix})
	n.format.tuneAttached(&stream, &files)
	return []model.Stream{stream, files}, err
}

const foundStep = 1000

type linesAround struct{ first, all, totals int } // first is a line number

func (l linesAround) with(one item.Item) linesAround {
	if l.all++; one.Place == item.TotalOfRows || one.Place == item.TotalBelow {
		l.totals++
	}
	l.first = cmp.Or(l.first, one.Line)
	return l
}

func (l linesAround) note(stream string) string {
	text := fmt.Sprintf("1 line %s is in %s", item.AroundTable, stream)
	if l.all > 1 {
		text = fmt.Sprintf("%d lines %s are in %s", l.all, item.AroundTable, stream)
	}
	if l.totals > 0 {
		text += fmt.Sprintf(", totals or balances among them: %d", l.totals)
	}
	return text
}
