package argument

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Given returns the members that are not empty strings.
func Given(all ...rs.Member) rs.Object {
	return slices.DeleteFunc(all, func(m rs.Member) bool { return m.Value == `""` })
}

// WithWords returns the arguments of a search with q first, unless q is "".
func WithWords(q string, others rs.Object) rs.Object {
	if q == "" {
		return others
	}
	return append(rs.Object{rs.NewMember("q", q)}, others...)
}

// InConnection returns one argument, and the connection_id of a call's arguments, if any.
func InConnection(sent rs.Object, name string, value any) rs.Object {
	args := rs.Object{rs.NewMember(name, value)}
	if id := sent.Get("connection_id"); id != "" {
		args = args.With("connection_id", id)
	}
	return args
}
