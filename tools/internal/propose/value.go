package propose

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Bounds of the reads that find the value that a query names.
const (
	maxListedFields = 3
	maxListedValues = 30 // of a field
)

// valueNamed returns the sender, or the title such as a merchant, that a query names, and those of some sources that have records with it;
// "" if it names none, or a different one in each. It reads the values of a few sources.
func (s *search) valueNamed(ctx context.Context, sources []known.Source, others []string) (value string, having []known.Source) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	named := make([]string, min(len(sources), maxListedFields))
	read.All(ctx, len(named), func(ctx context.Context, i int) {
		scope := rs.Scope{Stream: sources[i].Stream, ConnectionID: sources[i].Connection.ID}
		for _, f := range sources[i].Fields(s.Schema().Document) {
			if f.Name == sources[i].Whose() && f.Granted && f.Exact && slices.Contains(f.Aggregates, "group_by") {
				groups, _ := aggregate.GroupsOf(ctx, s.RS, scope, f.Name, aggregate.MaxCompared)
				named[i] = s.Question.Names(aggregate.Texts(groups), others)
			}
		}
	})
	for i, name := range named {
		switch {
		case name == "":
		case value != "" && value != name:
			return "", nil
		default:
			value, having = name, append(having, sources[i])
		}
	}
	return value, having
}

// sourcesOf returns the sources of a stream, in one connection or, if that is "", in the connections of the call.
func (s *search) sourcesOf(stream, connection string) (sources []known.Source) {
	only := cmp.Or(connection, s.Scope.ConnectionID)
	for _, source := range s.Schema().Sources {
		if source.Stream == stream && (only == "" || only == source.Connection.ID) {
			sources = append(sources, source)
		}
	}
	return sources
}

// listedWord finds the word that is a flag of a stream or, if it may read, a value, or a form of a value, of one of the first fields of it
// that may have a closed list of values. If no record has some words, only these are tried.
func (s *search) listedWord(ctx context.Context, stream string, words []string, mayRead bool) (field, value, word string) {
	scope := s.Scope
	scope.Stream = stream
	if field, value, word = foreign.FlagNamed(known.FieldsOf(s.Schema().Document, scope), words); field != "" || !mayRead {
		return field, value, word
	}
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	names := known.ListedFields(known.FieldsOf(s.Schema().Document, scope), maxListedFields)
	values := make([][]aggregate.Group, len(names))
	read.All(ctx, len(names), func(ctx context.Context, i int) {
		values[i], _ = aggregate.GroupsOf(ctx, s.RS, scope, names[i], maxListedValues)
	})
	for i, field := range names {
		for _, g := range values[i] {
			text, isText := g.Text()
			at := slices.IndexFunc(words, func(word string) bool {
				lower, value := written.StateWord(word), written.StateWord(text)
				return written.IsForm(lower, relax.OtherForm(lower), value)
			})
			if isText && at >= 0 {
				return field, g.Key, words[at]
			}
		}
	}
	return "", "", ""
}

// onlyPurchases returns the source of the one stream with an amount of money and a field for whom it was paid to; none if several do.
func (s *search) onlyPurchases(all known.Stream) (only known.Source) {
	for _, source := range all.Sources {
		switch {
		case source.Stream == only.Stream || !slices.ContainsFunc(source.Fields(all.Document), known.IsPayee) || !s.isSearched(source),
			fields.Measured(all.Document, source.Stream, written.Money) == "":
		case only.Stream != "":
			return known.Source{}
		default:
			only = source
		}
	}
	return only
}

// spent returns the filter for what was paid: if a field of money has negative amounts, these. It makes one read, and is false if that
// fails.
func (s *search) spent(ctx context.Context, stream, field string) (where rs.Object, ok bool) {
	if !written.IsMoneyName(field) {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	scope := s.Scope
	scope.Stream = stream
	least := aggregate.Read(ctx, s.RS, scope, aggregate.Args{Metric: "min", Field: field}).Get("value")
	if strings.HasPrefix(least, "-") && !relax.PaysOneself(s.Rest) {
		where = rs.Object{{Name: field, Value: `{"lt":0}`}}
	}
	return where, least != ""
}
