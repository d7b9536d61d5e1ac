package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Coverage is how fresh the data of an answer are, and to which time range the grant is limited, as far as known.
type Coverage struct {
	Fresh    []Freshness
	Unlisted int // connections that Fresh does not name
	Granted  *rs.TimeLimit
}

// A Freshness is that of connections whose connector was read at the same time.
type Freshness struct {
	Connections []string          `json:"connections"`
	Status      string            `json:"connector_status"` // runs count for a connector, not for each of its connections
	AsOf        string            `json:"data_as_of,omitempty"`
	LastSync    string            `json:"last_sync,omitempty"`      // "unknown" if AsOf is empty
	Newest      map[string]string `json:"newest_emitted,omitempty"` // when the newest record was emitted, by connection; only if AsOf is empty
	newest      string            // of a single connection
}

const maxFresh = 8

// freshest lists the statuses of data. If streams differ, the one that comes first here is reported.
var freshest = []string{"stale", "unknown", "current"}

// Add combines the freshness with that of another stream of the connections: the least fresh status wins, with the earliest time among the
// streams of that status, or "" if one of these is unknown.
func (f *Freshness) Add(row rs.ListedStream) {
	status, asOf := write.Label(row.Status), write.Label(row.SyncedAt)
	switch {
	case status == "":
		return
	case f.Status == "" || slices.Index(freshest, status) < slices.Index(freshest, f.Status):
		f.Status, f.AsOf = status, asOf
	case f.Status == status:
		f.AsOf = min(f.AsOf, asOf)
	}
	f.newest = max(f.newest, write.Label(row.Updated))
}

// CoverageOf returns how fresh the named streams are, or all if none is named, from the list of streams. It takes the time range of the
// grant from the metadata of a stream, which is nil if it was not read.
func CoverageOf(list []rs.ListedStream, stream *rs.Response, streams ...string) Coverage {
	var c Coverage
	var labels []string
	of := map[string]*Freshness{} // by connection
	for _, row := range list {
		label := write.Label(cmp.Or(row.Label, row.Connection))
		if row.Status == "" || label == "" || len(streams) > 0 && !slices.Contains(streams, row.Name) {
			continue
		}
		if of[label] == nil {
			labels, of[label] = append(labels, label), &Freshness{Connections: []string{label}}
		}
		of[label].Add(row)
	}
	c.Unlisted = max(0, len(labels)-maxFresh)
	for _, label := range labels[:len(labels)-c.Unlisted] {
		one := of[label]
		at := slices.IndexFunc(c.Fresh, func(f Freshness) bool { return f.Status == one.Status && f.AsOf == one.AsOf })
		if at < 0 {
			at, c.Fresh = len(c.Fresh), append(c.Fresh, Freshness{Status: one.Status, AsOf: one.AsOf, Newest: map[string]string{}})
		}
		f := &c.Fresh[at]
		if f.Connections = append(f.Connections, label); f.AsOf == "" {
			f.LastSync = "unknown"
			if one.newest != "" {
				f.Newest[label] = one.newest
			}
		}
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

// Members returns the coverage for structured output; it has no members if nothing is known.
func (c Coverage) Members() rs.Object {
	o := new(write.Object).Put("freshness", write.When(len(c.Fresh) > 0, write.JSON(c.Fresh)))
	o.Put("freshness_unlisted", write.When(c.Unlisted > 0, strconv.Itoa(c.Unlisted)))
	if t := c.Granted; t != nil {
		o.Put("granted_time", new(write.Object).Optional("field", t.Field).Optional("since", t.Since).Optional("until", t.Until).JSON())
	}
	return rs.AsObject(o.JSON())
}

// Lines returns the coverage for text.
func (c Coverage) Lines() []string {
	var parts, lines []string
	alone := len(c.Fresh) == 1 && len(c.Fresh[0].Connections) == 1
	for _, f := range c.Fresh {
		when := func(connection string) string {
			return clean.ShownText(cmp.Or(write.Minute(f.Newest[connection]), "unknown"))
		}
		part, newest := strings.Join(write.Each(f.Connections, clean.Bare), ", ")+" ", ""
		switch {
		case len(f.Newest) == 0:
		case len(f.Connections) == 1:
			newest = ", newest record emitted " + when(f.Connections[0])
		default: // the names stand with their dates
			part, newest = "", ", newest records emitted: "+strings.Join(write.Each(f.Connections, func(connection string) string {
				return clean.Bare(connection) + " " + when(connection)
			}), ", ")
		}
		if alone {
			part = "this connector (" + clean.Bare(f.Connections[0]) + ") is "
		}
		asOf := write.When(f.AsOf != "", "data as of "+clean.ShownText(write.Minute(f.AsOf)))
		parts = append(parts, part+clean.ShownText(f.Status)+", "+cmp.Or(asOf, SyncUnknown)+newest)
	}
	if c.Unlisted > 0 {
		parts = append(parts, fmt.Sprintf("%d more: schema {}", c.Unlisted))
	}
	if fresh := strings.Join(parts, "; "); fresh != "" {
		lines = []string{clean.Clip(write.When(!alone, "how fresh, by connector: ")+fresh, write.LineChars)}
	}
	if c.Granted != nil {
		lines = append(lines, timeLimit("the grant", *c.Granted)+"; records of other times are not shown")
	}
	return lines
}

// Ungranted is what an answer leaves out because it is not granted, and the commands by which the owner grants it. It comes from what this
// program knows about the grant, never from an answer of the resource server.
type Ungranted struct {
	Streams []string       `json:"streams,omitempty"`
	Times   []rs.TimeLimit `json:"times,omitempty"`
	Connect []string       `json:"connect,omitempty"`
}

// Lines returns the notice for text.
func (u *Ungranted) Lines() []string {
	names := strings.Join(write.Each(u.Streams, write.ShownName), ", ")
	lines := write.NotEmpty(clean.Clip(write.Lead("not granted here, and left out: ", names), write.LineChars))
	var spans []rs.TimeLimit         // distinct limits, without their streams
	streams := map[string][]string{} // by span
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
	return append(lines, ConnectLines(u.Connect)...)
}

const maxLimitLines = 5

func shownFew(names []string) string {
	short := func(name string) string { return clean.Clip(write.ShownName(name), write.LabelChars) }
	return strings.Join(write.First(write.Each(names, short), 8, "and %d more"), ", ")
}

// timeLimit returns the start of a sentence: "the grant is limited to sent_at from 2026-01-01".
func timeLimit(grant string, limit rs.TimeLimit) string {
	from := write.When(limit.Since != "", " from "+clean.ShownText(write.Minute(limit.Since)))
	to := write.When(limit.Until != "", " to before "+clean.ShownText(write.Minute(limit.Until)))
	return clean.Clip(grant+" is limited to "+write.ShownName(cmp.Or(limit.Field, "times"))+from+to, write.LineChars-100)
}

// SyncUnknown describes data of which it is unknown when they were last read.
const SyncUnknown = "last sync unknown"
