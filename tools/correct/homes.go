package correct

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A home is a connection of a stream, with the fields of a call that are granted there.
type home struct {
	rs.Connection
	has   []string
	roles map[string]string // of all its fields, by name
}

// Homes says which connections of a stream have the fields of a call, where the connection that it names, or each of them if it names none,
// lacks one that another has; "" where that is not so. instead is the call on the connection that has them all, unless each that is missing has
// a counterpart in its own connection, such as another name of the sender. s is the schema of all connections of the stream.
func (t Tool) Homes(s *rs.Schema, stream, connection string, args rs.Object) (sentence string, instead Call) {
	names := fieldsNamed(args)
	homes := homesOf(s, stream, names)
	var missing []string
	counterparts := true
	for _, name := range names {
		there := slices.ContainsFunc(homes, func(h home) bool { return slices.Contains(h.has, name) })
		here := slices.ContainsFunc(homes, func(h home) bool {
			return (h.ID == connection || connection == "" && len(h.has) == len(names)) && slices.Contains(h.has, name)
		})
		switch {
		case !there && connection == "": // that is what is to be said of it
			return "", Call{}
		case there && !here:
			missing = append(missing, name)
			counterparts = counterparts && hasCounterpart(homes, connection, name)
		}
	}
	if len(missing) == 0 || len(homes) < 2 {
		return "", Call{}
	}
	var parts []string
	for _, name := range missing[:min(len(missing), 4)] {
		var in []rs.Connection
		for _, h := range homes {
			if slices.Contains(h.has, name) {
				in = append(in, h.Connection)
			}
		}
		parts = append(parts, quoted(name)+" is a field of "+shownConnections(in))
	}
	sentence = strings.Join(parts, "; ") + "."
	if connection == "" {
		sentence = fmt.Sprintf("No connection of %s has all of these fields: %s", quoted(stream), sentence)
	}
	for _, h := range homes {
		if len(h.has) == len(names) && !counterparts {
			return sentence, Call{t.Name, args.With("connection_id", rs.EncodeJSON(h.ID)).Without("cursor")}
		}
	}
	return sentence, Call{}
}

// hasCounterpart reports whether a connection has a field of the role that a field has elsewhere.
func hasCounterpart(homes []home, connection, field string) bool {
	return slices.ContainsFunc(homes, func(h home) bool {
		role := h.roles[field]
		return role != "" && slices.ContainsFunc(homes, func(own home) bool {
			return own.ID == connection && slices.Contains(slices.Collect(maps.Values(own.roles)), role)
		})
	})
}

func homesOf(s *rs.Schema, stream string, names []string) (homes []home) {
	for i := range s.Streams {
		row := &s.Streams[i]
		if row.Name != stream {
			continue
		}
		var has []string
		roles := map[string]string{}
		for _, f := range row.Fields() {
			if roles[f.Name] = f.Role; f.Granted && slices.Contains(names, f.Name) {
				has = append(has, f.Name)
			}
		}
		for _, c := range row.Connections {
			homes = append(homes, home{c, has, roles})
		}
	}
	return homes
}

// fieldsNamed are the fields of a stream that a call names, each once.
func fieldsNamed(args rs.Object) (names []string) {
	add := func(raw string) {
		if name, ok := text(raw); ok {
			if name = strings.TrimPrefix(name, "-"); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, m := range args.Object("filter") {
		add(rs.EncodeJSON(m.Name))
	}
	for _, raw := range args.Array("fields") {
		add(raw)
	}
	for _, name := range []string{"sort", "group_by", "group_by_time", "field"} {
		add(args.Get(name))
	}
	return names
}
