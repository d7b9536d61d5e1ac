package propose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// lives are the words for when a record was created or changed, in questions and in the names of fields.
var lives = lexicon.Meanings("life")

// readLife finds the field to which the time of the query applies, if the query has a word for it, such as created, and names one stream.
// It removes that word from the words to search for.
func (s *search) readLife() {
	words := relax.Words(s.Rest)
	isLife := func(word string) bool { return lives[strings.ToLower(word)] != "" }
	if !s.timed || !slices.ContainsFunc(words, isLife) {
		return
	}
	streams, others := s.streamsOf(words)
	if len(streams) == 0 {
		streams = s.Streams
	}
	at := slices.IndexFunc(others, func(word string) bool { return isLife(word) && relax.IsHead(s.Rest, word, others) })
	if len(streams) != 1 || at < 0 {
		return
	}
	schema := s.Schema()
	schema.Sources = slices.Clone(schema.Sources)
	var unlike []string // the fields by which the time is read instead
	for i, source := range schema.Sources {
		switch field := s.lifeOf(source, others[at]); {
		case source.Stream != streams[0] || field == source.Time:
		case field != "":
			schema.Sources[i].Time = field
			s.life = schema.Sources[i]
		case !slices.Contains(unlike, source.Time):
			unlike = append(unlike, source.Time)
		}
	}
	if len(unlike) > 0 {
		const says = "No field of %s has a time for the word %s: the time was applied to %s instead."
		s.unlike = fmt.Sprintf(says, quote.Names(streams, 1), quote.Text(others[at]), quote.Names(unlike, len(unlike)))
	}
	s.Schema = func() known.Stream { return schema }
	s.Rest = relax.Keep(s.Rest, relax.Without(relax.All(s.Rest), others[at]))
}

// lifeOf returns the field of a source with the time for a word such as created; "" for none.
func (s *search) lifeOf(source known.Source, word string) (field string) {
	for _, f := range source.Fields(s.Schema().Document) {
		isLife := func(part string) bool { return lives[part] == lives[strings.ToLower(word)] }
		if f.Granted && f.HasBounds() && slices.ContainsFunc(strings.Split(written.Snake(f.Name), "_"), isLife) &&
			(field == "" || f.Name == source.Time) {
			field = f.Name
		}
	}
	return field
}

// byLife replaces p.OfTime, the proposed search of the time that the query names, by the returned call, which applies that time to the
// field that the query means, such as created_at. It returns "" and changes nothing if there is no such search or no such field.
func (s *search) byLife(p *render.Proposals) string {
	if p.OfTime == nil || s.life.Time == "" {
		return ""
	}
	where, zone := rs.Member{Name: "filter", Value: s.life.Within(nil, s.bounds()).JSON()}, s.Arguments.Text("time_zone")
	says, q, others := "By "+quote.Names([]string{s.life.Time}, 1)+": ", p.OfTime.Text("q"), p.OfTime.Without("q", "since", "until")
	if p.OfTime = nil; q == "" {
		return says + s.records(s.life.Stream, append(argument.Given(rs.NewMember("time_zone", zone)), where)...)
	}
	return says + searchFor(q, others.With(where.Name, where.Value))
}
