package tools

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A query may name a kind of record rather than words of it, such as how many mails, or emails with attachments.

//nolint:misspell // they are not all English
var (
	having = written.Set("with having mit avec con met com")
	sent   = written.Set("send sent geschickt gesendet verschickt geschrieben envoyé envié inviato enviei verstuurd gestuurd")
	selves = written.Set("i ich je ai j'ai yo he ho eu ik")
)

// recordsOfKind returns a hint with the call that counts the records of the stream that a query names, by sender if it asks what one has
// sent, or that reads those with a flag, such as emails with attachments; "" for any other query.
func (s *searched) recordsOfKind(q *render.Question) string {
	has := func(some map[string]bool) bool {
		return slices.ContainsFunc(strings.Fields(strings.ToLower(s.Rest)), func(word string) bool { return some[word] })
	}
	counts, words := q.AsksNumber(), relax.Words(s.Rest)
	limited := s.Unread != "" || s.inPeriod() || len(s.filter) > 0
	if limited || !counts && !has(having) || !slices.ContainsFunc(words, fields.MayCall) || s.schema().Document == nil {
		return ""
	}
	sources := slices.DeleteFunc(slices.Clone(s.schema().Sources), func(source known.Source) bool { return !s.isSearched(source) })
	source, others, ok := known.SourceCalled(sources, words, s.isSearched)
	mail := fields.MailOf(words, s.schema().Document)
	if at := slices.IndexFunc(sources, func(source known.Source) bool { return source.Stream == mail }); !ok && at >= 0 {
		source, others, ok = sources[at], words, true
	}
	if !ok || s.timed && source.Time == "" {
		return ""
	}
	args, where := inConnection(s.call, "stream", source.Stream), rs.Object(nil)
	had, in := known.NamedConnections(sources, words)
	if len(in) == 1 && !args.Has("connection_id") {
		args, others = append(args, rs.NewMember("connection_id", in[0].ID)), relax.Without(others, had...)
	}
	flag, value, word := "", "", ""
	if of := s.call; has(having) {
		of.Scope.Stream = source.Stream
		if flag, value, word = foreign.FlagNamed(fieldsOf(s.schema().Document, of), others); flag != "" {
			where = rs.Object{{Name: flag, Value: value}}
		}
	}
	others = slices.DeleteFunc(relax.Without(relax.Telling(others), word), func(other string) bool {
		other = strings.ToLower(other)
		return having[other] || fields.StreamOf(other) == "messages"
	})
	if where = source.Within(where, s.bounds()); len(where) > 0 {
		args = append(args, rs.Member{Name: "filter", Value: where.JSON()})
	}
	switch {
	case counts && len(others) > 0 || !counts && flag == "":
		return ""
	case counts && has(sent) && has(selves) && source.Author != "":
		args = append(args, rs.NewMember("metric", "count"), rs.NewMember("group_by", source.Author))
		return "By sender, of whom one is meant: " + correct.Call{Tool: "aggregate", Arguments: args}.String()
	case counts:
		return "Of that stream: " + correct.Call{Tool: "aggregate", Arguments: append(args, rs.NewMember("metric", "count"))}.String()
	case len(others) > 0:
		args = args.Without("stream").With("streams", rs.EncodeJSON([]string{source.Stream}))
		return "By " + flag + ": " + searchFor(strings.Join(others, " "), args)
	}
	says := "By " + flag + ": " + correct.Call{Tool: "query_records", Arguments: args}.String()
	if _, of := known.Named(sources, []string{relax.OtherForm(word), word}); len(of) > 0 && of[0].Stream != source.Stream {
		says += ". The stream of that name: " + s.records(of[0].Stream)
	}
	return says
}
