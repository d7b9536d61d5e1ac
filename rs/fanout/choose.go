package fanout

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const approveAgain = "The user has to approve this connection again; or choose another connection_id, which schema lists."

// choose finds the one member that a read is for, without a request. Without a connection that is the only member there is, or the
// only one that was granted the stream (D26); else one must be named (S0-8a). Where several members share a connection, the
// one that was granted most of the streams is preferred.
func (p *grantPackage) choose(connectionID string, streams ...string) (*member, *rs.Error) {
	candidates := p.members
	switch {
	case connectionID != "":
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(c *member) bool { return c.ID != connectionID })
	case len(candidates) > 1:
		if candidates = p.having(sole(streams)); !oneConnection(candidates) {
			return nil, p.ambiguous(sole(streams))
		}
	}
	if len(candidates) == 0 {
		return nil, p.unknown(connectionID)
	}
	var usable *member
	for _, c := range candidates {
		if p.refused(c) == nil && (usable == nil || len(c.granted(streams)) > len(usable.granted(streams))) {
			usable = c
		}
	}
	if usable == nil {
		return nil, p.unusable(sole(streams), candidates)
	}
	return usable, nil
}

// oneConnection reports whether there are members, and all have the same connection.
func oneConnection(members []*member) bool {
	return len(members) > 0 && !slices.ContainsFunc(members, func(c *member) bool { return c.ID != members[0].ID })
}

// ambiguous asks for a connection: those that can be read, and of them those with the stream where any says that it has it.
// Where only connections that cannot be read have it, no other is offered.
func (p *grantPackage) ambiguous(stream string) *rs.Error {
	options, unavailable := p.sides(stream)
	having := p.having(stream)
	message := fmt.Sprintf("This package holds %d connections, and the call names none.", len(p.members))
	if len(having) > 0 {
		options = only(options, having)
		message = fmt.Sprintf("Stream %q is granted under %d of this package's %d connections, and the call names none.", rs.ErrorText(stream), len(having), len(p.members))
	}
	if len(options) == 0 {
		if len(having) == 0 {
			having = p.members
		}
		return p.unusable(stream, having)
	}
	e := &rs.Error{
		Code: rs.AmbiguousConnection, Param: "connection_id", RetryWith: "connection_id", Message: message,
		Hint: "Call again with one of these as connection_id; schema without arguments lists all connections.",
	}
	return offering(e, options, unavailable)
}

// only keeps the options that are among some members.
func only(options []rs.Connection, members []*member) []rs.Connection {
	return slices.DeleteFunc(options, func(o rs.Connection) bool {
		return !slices.ContainsFunc(members, func(c *member) bool { return c.Connection == o })
	})
}

func (p *grantPackage) unknown(connectionID string) *rs.Error {
	options, unavailable := p.sides("")
	e := &rs.Error{
		Code: rs.ConnectionNotFound, Param: "connection_id", RetryWith: "connection_id",
		Message: fmt.Sprintf("This package holds no connection %q.", connectionID),
		Hint:    "Call again with a connection_id of the package; schema without arguments lists all connections.",
	}
	return offering(e, options, unavailable)
}

// unusable refuses a read whose members cannot be read, under the first one's own code, and offers those others that may
// serve it: of a stream that several were granted, those (S3-3a).
func (p *grantPackage) unusable(stream string, members []*member) *rs.Error {
	first := members[0]
	why := p.refused(first)
	if why == nil { // it has come back since it was looked at
		why = &rs.Error{Code: rs.MemberUnusable, Message: "It cannot be read at the moment."}
	}
	e := &rs.Error{Code: why.Code, Status: http.StatusForbidden, Param: "connection_id", Hint: approveAgain}
	e.Message = fmt.Sprintf("Connection %q cannot be read: %s", first.ID, why.Message)
	if len(members) > 1 {
		e.Message = fmt.Sprintf("None of the %d connections can be read; of %q it is said: %s", len(members), first.ID, why.Message)
	}
	options, unavailable := p.sides("")
	if having := p.having(stream); len(having) > 0 {
		options = only(options, having)
	}
	if len(options) > 0 {
		e.RetryWith = "connection_id"
	}
	slices.SortStableFunc(unavailable, func(a, b rs.UnavailableConnection) int { return rank(b.ID == first.ID) - rank(a.ID == first.ID) })
	return offering(e, options, unavailable)
}

// sides lists the members that can be chosen, those with the stream first, and those that cannot.
func (p *grantPackage) sides(stream string) (options []rs.Connection, unavailable []rs.UnavailableConnection) {
	usable := []*member{}
	for _, c := range p.members {
		if why := p.refused(c); why != nil {
			unavailable = append(unavailable, c.unavailable(why))
		} else {
			usable = append(usable, c)
		}
	}
	slices.SortStableFunc(usable, func(a, b *member) int { return rank(b.grants(stream)) - rank(a.grants(stream)) })
	for _, c := range usable {
		options = append(options, c.Connection)
	}
	return options, unavailable
}

func rank(first bool) int {
	if first {
		return 1
	}
	return 0
}

// offering sets in an error what there is to choose from, bounded.
func offering(e *rs.Error, options []rs.Connection, unavailable []rs.UnavailableConnection) *rs.Error {
	e.Connections, e.ConnectionTotal = options[:min(len(options), rs.MaxConnectionOptions)], len(options)
	e.Unavailable = unavailable[:min(len(unavailable), rs.MaxConnectionOptions)]
	return e
}

// sole is the one stream that a search is limited to, or "".
func sole(streams []string) string {
	if len(streams) == 1 {
		return streams[0]
	}
	return ""
}
