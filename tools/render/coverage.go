package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Coverage is how fresh the data are that an answer is about, and to which time the grant is limited, as far as that is known.
type Coverage struct {
	Fresh   []freshness
	Granted *rs.TimeLimit
}

// A freshness is that of connections whose connector was read at the same time.
type freshness struct {
	Connections  []string `json:"connections"`
	Status       string   `json:"connector_status"` // runs count for a connector, not for each of its connections
	AsOf         string   `json:"data_as_of,omitempty"`
	LastSync     string   `json:"last_sync,omitempty"`      // "unknown" without AsOf
	NewestRecord string   `json:"newest_emitted,omitempty"` // where it is not known when they were read
}

const maxFresh = 8

// CoverageOf reads how fresh some streams are, all where none is named, from the list of streams, and from the metadata of a stream to
// which time the grant is limited. Either is nil where it was not read.
func CoverageOf(list, stream *rs.Response, streams ...string) Coverage {
	var c Coverage
	var labels []string
	of := map[string]freshness{} // by connection: of several streams the latest time, and the status that is not current
	for _, row := range readListedStreams(list) {
		label := write.Label(cmp.Or(row.label, row.connection))
		one := freshness{
			Status: write.Label(row.status), AsOf: write.Label(row.syncedAt),
			NewestRecord: write.Label(row.updated),
		}
		if one.Status == "" || label == "" || len(streams) > 0 && !slices.Contains(streams, row.name) {
			continue
		}
		if before, known := of[label]; !known {
			labels = append(labels, label)
		} else {
			one.AsOf, one.NewestRecord = max(one.AsOf, before.AsOf), max(one.NewestRecord, before.NewestRecord)
			if one.Status == "current" {
				one.Status = before.Status
			}
		}
		of[label] = one
	}
	for _, label := range labels[:min(len(labels), maxFresh)] {
		one := of[label]
		if one.AsOf == "" {
			one.LastSync = "unknown"
		} else {
			one.NewestRecord = ""
		}
		at := slices.IndexFunc(c.Fresh, func(f freshness) bool {
			return f.Status == one.Status && f.AsOf == one.AsOf && f.NewestRecord == one.NewestRecord
		})
		if at < 0 {
			at, c.Fresh = len(c.Fresh), append(c.Fresh, one)
		}
		c.Fresh[at].Connections = append(c.Fresh[at].Connections, label)
	}
	if stream != nil {
		o := stream.Object().Object("time_constraint")
		limit := rs.TimeLimit{Field: write.Label(o.Text("field")), Since: write.Label(o.Text("since")), Until: write.Label(o.Text("until"))}
		if limit.Since != "" || limit.Until != "" {
			c.Granted = &limit
		}
	}
	return c
}

// Members are the coverage in structured output: none where nothing is known.
func (c Coverage) Members() rs.Object {
	o := new(write.Object).Put("freshness", write.When(len(c.Fresh) > 0, write.JSON(c.Fresh)))
	if t := c.Granted; t != nil {
		o.Put("granted_time", new(write.Object).Optional("field", t.Field).Optional("since", t.Since).Optional("until", t.Until).JSON())
	}
	return rs.AsObject(o.JSON())
}

func (c Coverage) lines() []string {
	var parts, lines []string
	alone := len(c.Fresh) == 1 && len(c.Fresh[0].Connections) == 1
	for _, f := range c.Fresh {
		part := strings.Join(write.Each(f.Connections, clean.Bare), ", ")
		if alone {
			part = "this connector (" + part + ") is"
		}
		asOf := write.When(f.AsOf != "", "data as of "+clean.ShownText(write.Minute(f.AsOf)))
		newest := write.When(f.NewestRecord != "", ", newest record emitted "+clean.ShownText(write.Minute(f.NewestRecord)))
		parts = append(parts, part+" "+clean.ShownText(f.Status)+", "+cmp.Or(asOf, syncUnknown)+newest)
	}
	if fresh := strings.Join(parts, "; "); fresh != "" {
		lines = []string{clean.Clip(write.When(!alone, "how fresh, by connector: ")+fresh, write.LineChars)}
	}
	if c.Granted != nil {
		lines = append(lines, timeLimit("the grant", *c.Granted)+"; records of other times are not shown")
	}
	return lines
}

// Ungranted is what an answer leaves out because it is not granted, and the command lines by which the owner grants it. It comes from
// what this program knows of the grant, never from an answer of the resource server.
type Ungranted struct {
	Streams []string       `json:"streams,omitempty"`
	Times   []rs.TimeLimit `json:"times,omitempty"`
	Connect []string       `json:"connect,omitempty"`
}

// With returns the result with what is not granted: last in its text and first in structured output.
func (r Result) With(u *Ungranted) Result {
	if u == nil {
		return r
	}
	r.Text = strings.Join(append([]string{r.Text}, u.lines()...), "\n")
	r.Structured = append(object{write.Pair("not_granted", write.JSON(u))}, rs.AsObject(string(r.Structured))...).AppendJSON(nil)
	return r
}

func (u *Ungranted) lines() []string {
	names := strings.Join(write.Each(u.Streams, write.ShownName), ", ")
	lines := write.NotEmpty(clean.Clip(write.Lead("not granted here, and left out: ", names), write.LineChars))
	var spans []rs.TimeLimit         // that differ in more than their stream
	streams := map[string][]string{} // of each
	for _, limit := range u.Times {
		stream := limit.Stream
		limit.Stream = ""
		span := write.JSON(limit)
		if streams[span] == nil {
			spans = append(spans, limit)
		}
		if !slices.Contains(streams[span], stream) {
			streams[span] = append(streams[span], stream)
		}
	}
	for _, limit := range spans[:min(len(spans), maxLimitLines)] {
		of := shownFew(streams[write.JSON(limit)]) + write.When(len(limit.Connections) > 0, " ("+shownFew(limit.Connections)+")")
		lines = append(lines, timeLimit("the grant of "+of, limit)+"; other records are left out")
	}
	if more := len(spans) - maxLimitLines; more > 0 {
		lines = append(lines, fmt.Sprintf("the grant is limited to %d more spans of time in other streams", more))
	}
	return append(lines, connectLines(u.Connect)...)
}

const maxLimitLines = 5

func shownFew(names []string) string {
	short := func(name string) string { return clean.Clip(write.ShownName(name), write.LabelChars) }
	return strings.Join(write.First(write.Each(names, short), 8, "and %d more"), ", ")
}

// timeLimit is the start of a sentence: "the grant is limited to sent_at from 2026-01-01".
func timeLimit(grant string, limit rs.TimeLimit) string {
	from := write.When(limit.Since != "", " from "+clean.ShownText(write.Minute(limit.Since)))
	to := write.When(limit.Until != "", " to before "+clean.ShownText(write.Minute(limit.Until)))
	return clean.Clip(grant+" is limited to "+write.ShownName(cmp.Or(limit.Field, "times"))+from+to, write.LineChars-100)
}

// An EmptyField is a field of a filter that matches no record: how many records its own condition matches, and the values of the field.
type EmptyField struct {
	Field  string
	Alone  int // -1 when it is not known
	Values []KnownValue
	Beyond bool      // the field has other values than these
	Least  string    // of its values, as JSON, where none is in the range that was asked for; "" where that is not known
	Most   string    // the same of the largest
	IDsOf  string    // the stream whose ids its values are; "" where that is not known
	Whole  bool      // search reads its words, and the condition was on all of its text
	Signs  bool      // the value has signs that are wildcards elsewhere
	Meant  rs.Object // the arguments with a value in its place that is near to what was asked for; nil for none
	Search rs.Object // of what was asked for, among the words of the field or of that stream; nil for none
}

const (
	shownValues   = 12  // of a field are named
	identityBytes = 600 // of a value in structured output
)

// A KnownValue is a value of a field, as JSON, and how many records have it.
type KnownValue struct {
	Key   string
	Count int
}

// conditions lists, for each field of a filter, how many records its condition matches alone, and what is known of its values: as lines
// of text, none if that number is not known, and as JSON.
func conditions(tool string, fields []EmptyField) (lines []string, structured string) {
	var alone []string
	list := new(write.Object).Open("", '[')
	for _, e := range fields {
		name, search := write.ShownName(e.Field), e.Meant == nil
		list.Open("", '{').Plain("field", clean.Clip(e.Field, write.LongestName))
		if e.Alone >= 0 {
			alone = append(alone, fmt.Sprintf("on %s matches %s", name, write.Plural(e.Alone, "record")))
			list.Put("alone", write.JSON(e.Alone))
		}
		var values, ranged, holds, whole, meant string
		if len(e.Values) > 0 {
			others, atLeast := "and %d others", write.When(e.Beyond, "at least ")
			shown := write.First(write.Each(e.Values, KnownValue.text), shownValues, strings.Replace(others, "%", atLeast+"%", 1))
			values = name + " is " + strings.Join(shown, ", ") + "."
			list.Array("values", write.EachOf(e.Values, shownValues, KnownValue.json))
			if left := len(e.Values) - shownValues; left > 0 {
				list.Put("other_values", write.When(!e.Beyond, write.JSON(left))+write.When(e.Beyond, write.JSON(fmt.Sprint(atLeast, left))))
			}
		}
		if e.Least != "" && e.Most != "" {
			ranged = fmt.Sprintf("%s is from %s to %s.", name, write.ShownValue(e.Least), write.ShownValue(e.Most))
			list.Put("least", write.Truncate(e.Least, identityBytes)).Put("most", write.Truncate(e.Most, identityBytes))
		}
		if e.IDsOf != "" {
			holds = fmt.Sprintf("%s holds ids of %s.", name, write.ShownName(e.IDsOf))
		} else if e.Whole {
			whole = fmt.Sprintf("A value must be all of %s, not a word of it.", name)
		}
		list.Optional("ids_of", clean.Clip(e.IDsOf, write.LongestName))
		list.Optional("wildcards", write.When(e.Signs, "none: * and % stand for themselves"))
		list.Optional("compared", write.When(e.Whole, "all of its text, not a word of it"))
		if search && e.Search != nil {
			list.Put("search", write.ToolCall("search", e.Search.JSON()))
			meant = write.Offer("To find it by its words: ", "search "+e.Search.JSON(), write.LineChars)
		} else if !search {
			list.Put("did_you_mean", write.ToolCall(tool, e.Meant.JSON()))
			meant = write.Offer("Did you mean: ", tool+" "+e.Meant.JSON(), write.LineChars)
		}
		list.Close('}')
		signs := write.When(e.Signs, "A filter has no wildcards: * and % stand for themselves.")
		lines = append(lines, write.Clipped(write.NotEmpty(values, ranged, signs, holds, whole, meant))...)
	}
	structured = write.When(len(fields) > 0, string(list.Close(']').Inside()))
	if len(alone) == 0 {
		return nil, structured
	}
	return append(write.Clipped([]string{"Alone, the condition " + strings.Join(alone, ", ") + "."}), lines...), structured
}

// text is "shipped (12)".
func (v KnownValue) text() string {
	cell, _ := clean.Cell(v.Key, write.KeyChars)
	return fmt.Sprintf("%s (%d)", cell, v.Count)
}

func (v KnownValue) json() string {
	return new(write.Object).Put("key", write.Truncate(v.Key, identityBytes)).Put("count", write.JSON(v.Count)).JSON()
}
