package fanout

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const approveAgain = "The user has to approve this connection again; or choose another connection_id, which schema lists."

// memberFor returns the one member that a read is for, without a request. If no connection is named, it is the only member, or the only one
// that was granted the stream (D26); otherwise the call must name a connection (S0-8a). If several members have the connection, memberFor
// prefers the one that was granted most of the streams.
func (p *grantPackage) memberFor(connectionID string, streams ...string) (*member, *rs.Error) {
	candidates := p.members
	switch {
	case connectionID != "":
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(m *member) bool { return m.ID != connectionID })
	case len(candidates) > 1:
		if candidates = p.membersWith(onlyStream(streams)); !oneConnection(candidates) {
			return nil, p.ambiguous(onlyStream(streams))
		}
	}
	if len(candidates) == 0 {
		return nil, p.withChoices("", &rs.Error{
			Code: "connection_not_found", Param: "connection_id", Message: fmt.Sprintf("This package holds no connection %q.", connectionID),
			Hint: "Call again with a connection_id of the package; schema without arguments lists all connections.",
		})
	}
	var usable *member
	for _, m := range candidates {
		if p.refused(m) == nil && (usable == nil || len(m.granted(streams)) > len(usable.granted(streams))) {
			usable = m
		}
	}
	if usable == nil {
		return nil, p.unusable(onlyStream(streams), candidates)
	}
	return usable, nil
}

// oneConnection reports whether there are members, and all have the same connection.
func oneConnection(members []*member) bool {
	return len(members) > 0 && !slices.ContainsFunc(members, func(m *member) bool { return m.ID != members[0].ID })
}

// ambiguous returns the error for a call that names no connection, with the connections that can be read: if any has the stream, only those
// that have it.
func (p *grantPackage) ambiguous(stream string) *rs.Error {
	granting := p.membersWith(stream)
	message := fmt.Sprintf("This package holds %d connections, and the call names none.", len(p.members))
	if len(granting) > 0 {
		message = fmt.Sprintf("Stream %q is granted under %d of this package's %d connections, and the call names none.", rs.ErrorText(stream), len(granting), len(p.members))
	} else {
		granting = p.members
	}
	e := p.withChoices(stream, &rs.Error{
		Code: "ambiguous_connection", Param: "connection_id", Message: message,
		Hint: "Call again with one of these as connection_id; schema without arguments lists all connections.",
	})
	if len(e.Connections) == 0 {
		return p.unusable(stream, granting)
	}
	return e
}

// unusable returns the error for a read whose members cannot be read. It has the code of the first one, and lists other members: if any was
// granted the stream, those (S3-3a).
func (p *grantPackage) unusable(stream string, members []*member) *rs.Error {
	first := members[0]
	why := p.refused(first)
	if why == nil { // its refusal has just expired
		why = &rs.Error{Code: "grant_unusable", Message: "It cannot be read at the moment."}
	}
	e := &rs.Error{Code: why.Code, Status: http.StatusForbidden, Param: "connection_id", Hint: cmp.Or(why.Hint, approveAgain)}
	what, reason := fmt.Sprintf("Connection %q cannot be read", first.ID), ": "
	if len(members) > 1 {
		what, reason = fmt.Sprintf("None of the %d connections can be read", len(members)), fmt.Sprintf("; the reason for %q: ", first.ID)
	}
	e.Message = what + reason + why.Message
	if why.Quoted {
		e.Message, e.ServerMessage = what+".", why.Message
	}
	return p.withChoices(stream, e, first.ID)
}

// withChoices adds to an error the connections to choose from, at most MaxConnectionOptions: if any was granted the stream, only those. The
// ones that have just failed come last. It also names connections that cannot be read, first those that the error is about.
func (p *grantPackage) withChoices(stream string, e *rs.Error, about ...string) *rs.Error {
	usable, _, unavailable := p.partition()
	if len(p.membersWith(stream)) > 0 {
		usable, _, _ = p.partition(stream)
	}
	var failed []*member
	usable = slices.DeleteFunc(usable, func(m *member) bool {
		if !p.failed(m) {
			return false
		}
		failed = append(failed, m)
		return true
	})
	usable = append(usable, failed...)
	for _, m := range usable[:min(len(usable), rs.MaxConnectionOptions)] {
		e.Connections, e.RetryWith = append(e.Connections, m.Connection), "connection_id"
	}
	e.ConnectionTotal = len(usable)
	rank := func(u rs.UnavailableConnection) int { return slices.Index(about, u.ID) }
	slices.SortStableFunc(unavailable, func(a, b rs.UnavailableConnection) int { return rank(b) - rank(a) })
	e.Unavailable = unavailable[:min(len(unavailable), rs.MaxConnectionOptions)]
	return e
}

// partition divides the members that were granted one of the streams, or all members if none is named, into those that can be read and
// those that cannot, and returns the entries of the latter for an answer.
func (p *grantPackage) partition(streams ...string) (usable, unreadable []*member, unavailable []rs.UnavailableConnection) {
	for _, m := range p.members {
		why := p.refused(m)
		switch {
		case !m.grants(streams...):
		case why != nil:
			unreadable, unavailable = append(unreadable, m), append(unavailable, m.unavailable(why))
		default:
			usable = append(usable, m)
		}
	}
	return usable, unreadable, unavailable
}

// A group is the members that share a grant and its token. One read answers for all of them.
type group []*member

// groups returns the grants that cover a stream, or all grants. It fails if none of them can be read.
func (p *grantPackage) groups(stream string) (groups []group, unavailable []rs.UnavailableConnection, refused *rs.Error) {
	usable, unreadable, unavailable := p.partition(stream)
	if len(usable) == 0 && len(unreadable) > 0 {
		return nil, nil, p.unusable("", unreadable)
	}
	at := map[rs.Token]int{}
	for _, m := range usable {
		i, known := at[m.Token]
		if !known {
			i = len(groups)
			at[m.Token], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], m)
	}
	return groups, unavailable, nil
}

// membersWith returns the members that were granted a stream; none for "".
func (p *grantPackage) membersWith(stream string) []*member {
	if stream == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.members), func(m *member) bool { return !m.grants(stream) })
}

// onlyStream returns the one stream that a search is limited to, or "".
func onlyStream(streams []string) string {
	if len(streams) == 1 {
		return streams[0]
	}
	return ""
}
