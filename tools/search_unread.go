package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A word of a query may be what no search reads: the id of a record, or a value of a field such as a status.

// byID looks for records whose own id is the likely id in a query, such as A-0007 or #1042, since search does not read ids. It does so if
// no record has that word, or if the id is the whole query. It makes one read for each stream of the search; if there is no such record,
// it tries the id with another separator. It returns what it found as a hint, and whether that is a record.
func (s *searched) byID(ctx context.Context) (says string, found bool) {
	id := written.LikelyID(s.q)
	if id == "" || s.inPeriod() || len(s.filter) > 0 {
		return "", false
	}
	isMissing := func(word string) bool { return strings.Contains(strings.ToLower(id), word) }
	isHit := func(hit rs.Item) bool { return hit.Members.Text("record_key", "record_id") == id }
	missing := isEmpty(s.answer.Response) || slices.ContainsFunc(s.absent, isMissing)
	if !missing && (strings.TrimSpace(s.q) != id || slices.ContainsFunc(s.list.Items, isHit)) {
		return "", false
	}
	scopes := s.scopesOfIDs(ctx)
	records, streams := read.RecordsWithID(ctx, s.call.RS, scopes, id)
	lead, separated := "A record has it as its own id: ", strings.NewReplacer("-", "/", "/", "-", "_", "-").Replace(id)
	if len(records) == 0 && separated != id && 2*len(scopes) <= read.MaxIDReads {
		lead = fmt.Sprintf("Written %s, it is the own id of a record: ", quote.Text(separated))
		records, _ = read.RecordsWithID(ctx, s.call.RS, scopes, separated)
	}
	var fetches []string
	for _, ref := range records {
		fetches = append(fetches, correct.Call{Tool: "fetch", Arguments: rs.Object{rs.NewMember("id", ref.String())}}.String())
	}
	if len(records) > 0 {
		return lead + strings.Join(fetches, ", "), true
	}
	if !missing || streams == 0 {
		return "", false
	}
	plural := map[bool]string{true: "s"}[streams > 1]
	says = fmt.Sprintf("Nor is %s the own id of a record, in %d stream%s.", quote.Text(id), streams, plural)
	if others := len(scopes) - streams; others > 0 {
		says += fmt.Sprintf(" %d others were not looked through: name them in streams.", others)
	}
	return says, false
}

// scopesOfIDs returns the streams of a search. For a search of all streams it leaves out those whose records are parts of other records:
// they have the ids of these.
func (s *searched) scopesOfIDs(ctx context.Context) (scopes []rs.Scope) {
	sources := s.schema().Sources
	for _, source := range sources {
		scope := rs.Scope{Stream: source.Stream, ConnectionID: s.call.Scope.ConnectionID}
		if auth.PrincipalFrom(ctx).Package != nil { // a package reads a record of one connection
			scope.ConnectionID = source.Connection.ID
		}
		isSearched := slices.Contains(s.streams, source.Stream) || len(s.streams) == 0 && !known.IsPart(source.Stream, sources)
		if isSearched && !slices.Contains(scopes, scope) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// Bounds of the reads that find out whether a word of a query is a value of a field, such as a status, which no search reads.
const (
	fewHits         = 3 // hits with all words; if there are more, no other call is proposed
	maxListedFields = 3
	maxNumberFields = 8
	maxListedValues = 30 // values of a field
)

var having = written.Set("with having mit avec con met com") // before the name of a flag

// listedValue returns the call that filters by a word of the query or that counts records, or "". The word is a flag of the stream that the
// query is about, as in emails with attachments, or, if the query finds little, a value of one of its fields. It may read the values of a few
// fields. It counts if the query asks how many records there are.
func (s *searched) listedValue(ctx context.Context, q *render.Question) string {
	flagged := slices.ContainsFunc(strings.Fields(strings.ToLower(s.Rest)), func(word string) bool { return having[word] })
	counts, findsLittle := q.AsksNumber(), s.findsLittle(ctx)
	if s.Unread != "" || s.inPeriod() || len(s.filter) > 0 || !findsLittle && !counts && !flagged || s.answer.search.Unfiltered && !counts {
		return ""
	}
	source, others, ok := known.SourceAsked(s.schema, relax.Words(s.Rest), s.streams)
	if !ok {
		return ""
	}
	stream, of := source.Stream, s.call
	of.Scope.Stream = stream
	candidates := slices.DeleteFunc(slices.Clone(others), func(word string) bool {
		return !flagged && !counts && len(s.absent) > 0 && !s.isAbsent(word)
	})
	form := "%s is what %s of %s says: "
	field, value, word := foreign.FlagNamed(known.FieldsOf(s.schema().Document, of.Scope), candidates)
	if field == "" && (findsLittle || counts && len(relax.Telling(others)) > 0) {
		form = "%s is a value of %s in %s: "
		field, value, word = s.listedWord(ctx, of, candidates)
	}
	said := []string{word}
	if field == "" {
		form = "%s is named by %s of %s: "
		field, value, word, said = known.Belonging(ctx, s.call.RS, s.schema(), of.Scope, s.Rest)
	}
	others = slices.DeleteFunc(relax.Without(relax.Telling(others), said...), func(other string) bool {
		return !counts && s.isAbsent(other) || fields.Calls(other, stream) || having[strings.ToLower(other)] || fields.IsMail(other)
	})
	var where rs.Object
	if field != "" {
		where = rs.Object{{Name: field, Value: value}}
	}
	if counts {
		number, says := rs.Object{rs.NewMember("metric", "count")}, "Of that stream: "
		if relax.SentOneself(s.Rest) && source.Author != "" {
			number, says = number.With("group_by", rs.EncodeJSON(source.Author)), "By sender, of whom one is meant: "
		}
		return s.number(ctx, q, source, says, number, where, relax.Without(others, "number"))
	}
	if field == "" {
		return ""
	}
	filter := rs.Member{Name: "filter", Value: where.JSON()}
	says := fmt.Sprintf(form, quote.Text(word), quote.Names([]string{field}, 1), quote.Names([]string{stream}, 1))
	if len(others) == 0 && !s.timed {
		says += s.records(stream, filter)
		if _, of := known.Named(s.schema().Sources, []string{word}); flagged && len(of) > 0 && of[0].Stream != stream {
			says += ". The stream of that name: " + s.records(of[0].Stream)
		}
		return says
	}
	within := s.without("mode", "limit").With("streams", rs.EncodeJSON([]string{stream})).With(filter.Name, filter.Value)
	return says + searchFor(strings.Join(others, " "), within.WithAll(s.bounds()))
}

// sentTo returns a hint for a query for what was sent to somebody, in a stream whose recipients no search reads, with the call for all that
// the most frequent sender sent, who may be the owner. It is "" for any other query.
func (s *searched) sentTo(ctx context.Context) string {
	query := map[bool]string{true: "mail "}[len(s.streams) > 0] + s.Rest
	name := relax.Recipient(query, func(word string) bool {
		isSender := func(hit rs.Item) bool { return strings.Contains(strings.ToLower(hit.Members.Text("actor")), word) }
		return slices.ContainsFunc(s.list.Items, isSender)
	})
	if _, _, ranks := written.Superlative(query); name == "" && ranks == nil {
		return ""
	}
	if of, _ := relax.Asked(query); name == "" && of != "to" {
		return ""
	}
	for _, source := range s.schema().Sources {
		of := s.call
		of.Scope = rs.Scope{Stream: source.Stream, ConnectionID: source.Connection.ID}
		lists := fields.UnreadRecipients(known.FieldsOf(s.schema().Document, of.Scope))
		if len(lists) == 0 || source.Author == "" || !s.isSearched(source) {
			continue
		}
		says := fmt.Sprintf("Neither search nor a filter reads %s of %s: hits may be to others.",
			quote.Names(lists, len(lists)), quote.Names([]string{source.Stream}, 1))
		of.Scope.ConnectionID = s.call.Scope.ConnectionID
		bounds := given(rs.NewMember("since", cmp.Or(s.period.Since, s.Since)), rs.NewMember("until", cmp.Or(s.period.Until, s.Until)))
		if groups, _ := aggregate.GroupsOf(ctx, of.RS, of.Scope, source.Author, 1); len(groups) > 0 && !s.answer.search.Unfiltered {
			filter := source.Within(rs.Object{{Name: source.Author, Value: groups[0].Key}}, bounds)
			shown := relax.Without(append(lists, source.Title, source.Time), "")
			says += " What the most frequent sender sent: " + s.records(source.Stream, rs.NewMember("fields", shown),
				rs.Member{Name: "filter", Value: filter.JSON()})
		}
		return says
	}
	return ""
}

// findsLittle reports whether few records have all words of a query that is neither quoted nor limited to a time or filter, and whether
// reads remain for more.
func (s *searched) findsLittle(ctx context.Context) bool {
	found, counted := s.list.Envelope.Object("meta").Number("count")
	if !counted {
		found = len(s.list.Items)
	}
	exact := len(s.filter) > 0 || s.mode != "" && s.mode != "lexical" || strings.Contains(s.q, `"`) || s.inPeriod()
	repaired := s.answer.Repair != nil && s.answer.Repair.Reads > relax.MaxReads-maxListedFields-1 // and one for the schema
	// In a package, members that lack the stream would be asked too.
	members := s.answer.Response.Reads > maxCountedMembers || auth.PrincipalFrom(ctx).Package != nil
	return s.q != "" && !exact && !repaired && !members && (len(s.absent) > 0 || found <= fewHits)
}

// fieldNumber returns a hint about the fields that have the one number in a query that finds little, or have it as a negative number, as an
// expense may be, with calls for their records. No search reads numbers of fields. It tries a few fields, those of money first; it returns
// "" if none has the number.
func (s *searched) fieldNumber(ctx context.Context) string {
	number := written.LikelyNumber(s.q)
	if number == "" || written.WithoutBound(s.q) != s.q || !s.findsLittle(ctx) {
		return ""
	}
	candidates := fields.Numbers(cmp.Or(s.schema().Document, &rs.Schema{}), s.streams, func(f rs.SchemaField) bool { return f.Exact })
	calls := make([]string, 2*min(len(candidates), maxNumberFields))
	read.All(ctx, len(calls), func(ctx context.Context, i int) {
		stream, field, value := candidates[i/2].Stream, candidates[i/2].Field, strings.Repeat("-", i%2)+number
		of := s.call
		of.Scope.Stream = stream
		if n, _ := aggregate.Count(ctx, of.RS, of.Scope, filter.Filter{{Field: field, Value: value}}); n > 0 {
			calls[i] = s.records(stream, rs.Member{Name: "filter", Value: rs.Object{{Name: field, Value: value}}.JSON()})
		}
	})
	calls = slices.DeleteFunc(calls, func(call string) bool { return call == "" })
	if len(calls) == 0 {
		return ""
	}
	return "Numbers in fields are not searched. With this one: " + strings.Join(calls[:min(len(calls), read.MaxNamed)], ", ") + "."
}

// listedWord finds the word that is a value, or a form of a value, of one of the first fields of a call's stream that may have a closed
// list of values. If no record has some words, only these are tried.
func (s *searched) listedWord(ctx context.Context, call Call, words []string) (field, value, word string) {
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	names := known.ListedFields(known.FieldsOf(s.schema().Document, call.Scope), maxListedFields)
	values := make([][]aggregate.Group, len(names))
	read.All(ctx, len(names), func(ctx context.Context, i int) {
		values[i], _ = aggregate.GroupsOf(ctx, call.RS, call.Scope, names[i], maxListedValues)
	})
	for i, field := range names {
		for _, g := range values[i] {
			text, isText := g.Text()
			at := slices.IndexFunc(words, func(word string) bool {
				lower := strings.ToLower(word)
				return written.IsForm(lower, relax.OtherForm(lower), strings.ToLower(text))
			})
			if isText && at >= 0 {
				return field, g.Key, words[at]
			}
		}
	}
	return "", "", ""
}
