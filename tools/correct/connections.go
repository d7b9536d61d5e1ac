package correct

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// connectionsOf are the connections with a stream, each once.
func (g Grant) connectionsOf(stream string) []rs.Connection {
	var all []rs.Connection
	for _, s := range g.Sources {
		if (stream == "" || s.Stream == stream) && s.Connection.ID != "" &&
			!slices.ContainsFunc(all, func(c rs.Connection) bool { return c.ID == s.Connection.ID }) {
			all = append(all, s.Connection)
		}
	}
	return all
}

// displayed names the connections of a stream in brackets, if there are several in the grant.
func (g Grant) displayed(stream string) string {
	var names []string
	for _, c := range g.connectionsOf(stream) {
		if c.DisplayName != "" {
			names = append(names, quote.Line(c.DisplayName))
		}
	}
	if len(names) == 0 || len(names) > 4 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// missingConnection says which connections are near one that the grant does not have.
func (g Grant) missingConnection(t Tool, args rs.Object) *rs.Error {
	named, connection := Touches(args)
	e := &rs.Error{Code: rs.UnknownConnection, Param: "connection_id", RetryWith: "connection_id", Hint: grantHint}
	streams, known := g.likeliest(named, "")
	var having []rs.Connection
	for _, c := range g.connectionsOf("") {
		if !known || !slices.ContainsFunc(named, func(s string) bool { return !g.has(streams[s], c.ID) }) {
			having = append(having, c)
		}
	}
	near, alike := nearConnections(connection, having)
	e.Message = fmt.Sprintf("no connection %s in this grant.", quote.Text(connection))
	e.Connections, e.ConnectionTotal = firstOf(near, having), len(having)
	switch {
	case alike > 1:
		e.Hint = CallForEach(alike)
	case len(near) > 1:
		e.Hint = "The call below is for the first of these alone."
	}
	switch of := g.ofConnector(connection, named); {
	case len(of) > 0:
		e.Code, e.Hint = rs.AmbiguousConnection, CallForEach(len(of))
		e.Message = fmt.Sprintf("%s is the connector of %d connections: %s.", quote.Text(connection), len(of), quote.Connections(of))
		e.Connections, e.ConnectionTotal = firstOf(of, nil), len(of)
		e.Send = Call{t.Name, replaceNames(args, streams, of[0].ID)}.String()
	case len(near) > 0:
		e.Message += " Nearest: " + quote.Connections(near) + "."
		e.Send = Call{t.Name, replaceNames(args, streams, near[0].ID)}.String()
	case !known, args.Has("id"): // the id may be another record's elsewhere
		e.Send = Call{"schema", rs.Object{}}.String()
	case len(having) == 1 || !g.OneConnection || t.Name == "search":
		e.Send = Call{t.Name, replaceNames(args, streams, "")}.String()
	case len(having) > 0:
		e.Send = Call{t.Name, replaceNames(args, streams, having[0].ID)}.String()
	}
	return e
}

// ofConnector are the connections of a connector that have some streams.
func (g Grant) ofConnector(key string, streams []string) []rs.Connection {
	return slices.DeleteFunc(g.connectionsOf(""), func(c rs.Connection) bool {
		return !strings.EqualFold(c.ConnectorKey, key) || slices.ContainsFunc(streams, func(s string) bool { return !g.has(s, c.ID) })
	})
}

// firstOf puts some connections before the others, at most as many as an error lists.
func firstOf(some, all []rs.Connection) []rs.Connection {
	ordered := slices.Clone(some)
	for _, c := range all {
		if !slices.Contains(some, c) {
			ordered = append(ordered, c)
		}
	}
	return ordered[:min(len(ordered), rs.MaxConnectionOptions)]
}

// nearConnections are the connections whose id, display name or connector is like a name; the first of them, alike, by the same one.
func nearConnections(name string, connections []rs.Connection) (near []rs.Connection, alike int) {
	var labels, ids []string
	of := map[string][]rs.Connection{}
	for _, c := range connections {
		ids = append(ids, c.ID)
	}
	prefix := shared(append(ids, name)) // which tells nothing
	name = name[len(prefix):]
	for _, c := range connections {
		for _, label := range []string{c.ID[len(prefix):], c.DisplayName, c.ConnectorKey} {
			if label != "" {
				labels = append(labels, label)
				of[label] = append(of[label], c)
			}
		}
	}
	for _, label := range written.Nearest(name, labels, 6) {
		alike = cmp.Or(alike, len(of[label]))
		for _, c := range of[label] {
			if !slices.Contains(near, c) && len(near) < max(3, alike) {
				near = append(near, c)
			}
		}
	}
	return near, alike
}

// shared is what all of some names begin with, up to a '_'.
func shared(names []string) string {
	prefix := names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return prefix[:strings.LastIndexByte(prefix, '_')+1]
}
