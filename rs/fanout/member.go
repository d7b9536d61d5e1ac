package fanout

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog/log"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// Defaults of [PackageOptions].
const (
	defaultPackageWidth   = 8
	defaultMemberDeadline = 5 * time.Second
	defaultRefusalHold    = 60 * time.Second
)

// PackageOptions configure [NewPackage]. Zero values mean the defaults.
type PackageOptions struct {
	// Width is how many members are read concurrently; 0 means 8.
	Width int
	// MemberDeadline bounds the time for each member in a read of several, so that a member that hangs delays the read no longer; 0 means
	// 5 seconds. All members together may take three times as long.
	MemberDeadline time.Duration
	// RefusalHold is how long a member is not read again after a 401 or 403 said that its grant is not valid (D14); 0 means 60 seconds.
	RefusalHold time.Duration
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// FannedOut is called after each read of several members, with how many were read and how many answered. It must be quick; may be nil.
	FannedOut func(asked, answered int)
	// Panicked is called with a panic that was recovered while one member was read, by the goroutine that recovers it: only that member
	// fails. nil means that zerolog's global logger logs it.
	Panicked func(fault any)
}

func (o PackageOptions) withDefaults() PackageOptions {
	o.Width = cmp.Or(o.Width, defaultPackageWidth)
	o.MemberDeadline = cmp.Or(o.MemberDeadline, defaultMemberDeadline)
	o.RefusalHold = cmp.Or(o.RefusalHold, defaultRefusalHold)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Panicked == nil {
		o.Panicked = rs.LogPanic(log.Logger)
	}
	return o
}

// A grantPackage is a Doer over member grants (D17). It does not know the package's own token, so every read that leaves it
// carries the token of exactly one member.
//
//   - Schema, streams and search, with no connection named, ask all members and merge their answers.
//   - A read of a stream or record goes to the one member that it names, or to the only one that was granted the stream (D26).
//   - A blob is looked for in one member after the other, unless its connection is known.
//
// In a package from a packageAuthority, a member is read only while its token is an active client token (D27).
//
// A grantPackage is safe for concurrent use. It remembers which members were refused (D14) and the members' time limits.
type grantPackage struct {
	id        string
	members   []*member
	options   PackageOptions
	authority *auth.TokenCache // introspects the members' tokens; nil if the caller of NewPackage vouches for them
	refusals  *refusals
}

// A member is a Member that can be read.
type member struct {
	Member
	doer   rs.Doer
	shared bool // another member has the same connection

	limits atomic.Pointer[[]rs.TimeLimit] // from the last introspection of the token
}

// maxMembers is how many members of a package are read. Those beyond are named as unavailable.
const maxMembers = 256

// newPackage returns a package, without making a request. own is the package's own token, which must not be a member's; the
// zero Token if unknown. doer returns a reader of the resource server that sends the given token. The caller sets refusals.
func newPackage(own rs.Token, of Membership, doer func(rs.Token) rs.Doer, o PackageOptions) *grantPackage {
	p := &grantPackage{id: of.PackageID, options: o}
	known := map[[2]string]bool{}
	at := map[string]*member{} // by connection
	for _, given := range of.Members {
		key := [...]string{given.ID, given.GrantID}
		if known[key] {
			continue // a grant that is listed twice for one connection must not be read twice
		}
		known[key] = true
		m := &member{Member: given}
		refuse := func(why string) { m.Token, m.Refused = rs.Token{}, &rs.Error{Code: "grant_unusable", Message: why} }
		switch {
		case m.Refused != nil:
		case len(p.members) >= maxMembers:
			refuse(fmt.Sprintf("Only the first %d connections of a package are read.", maxMembers))
			m.Refused.Hint = "Choose another connection_id, which schema lists. The operator can divide the package."
		case m.Token == rs.Token{}:
			refuse("There is no token for this connection.")
		case m.Token == own:
			refuse("The package directory gives the package's own token for this connection.")
		default:
			m.doer = doer(m.Token)
		}
		p.members = append(p.members, m)
		if other := at[m.ID]; other != nil {
			other.shared, m.shared = true, true
		}
		at[m.ID] = m
	}
	return p
}

// grants reports whether a member may read one of the streams; always true without streams, or for the stream "".
func (m *member) grants(streams ...string) bool {
	return len(streams) == 0 || slices.Contains(streams, "") || len(m.granted(streams)) > 0
}

// granted returns those of the streams that a member may read, in their order.
func (m *member) granted(streams []string) []string {
	var granted []string
	for _, name := range streams {
		if slices.Contains(m.Streams, name) && !slices.Contains(granted, name) {
			granted = append(granted, name)
		}
	}
	return granted
}

func (m *member) unavailable(why *rs.Error) rs.UnavailableConnection {
	return rs.UnavailableConnection{Connection: m.Connection, Code: why.Code, Message: why.Message}
}

// refused returns why a member must not be read, or nil: the directory says so, its token has expired, or the resource server or the
// authority refused it within RefusalHold (D14).
func (p *grantPackage) refused(m *member) *rs.Error {
	now := p.options.Now()
	switch {
	case m.Refused != nil:
		return m.Refused
	case !m.Expires.IsZero() && !now.Before(m.Expires):
		return &rs.Error{Code: "grant_expired", Message: "The access to this connection has expired."}
	}
	if entry, found := p.refusals.Get(m.Token.Key()); found && now.Before(entry.until) {
		return entry.why
	}
	return nil
}

// checkToken introspects the token of a member that is about to be read, and returns why the member must not be read, or nil: only an
// active client token is sent to the resource server (D27). A refusal is remembered like one by the resource server (D14); a missing answer
// is not.
func (p *grantPackage) checkToken(ctx context.Context, m *member) *rs.Error {
	if p.authority == nil {
		return nil
	}
	if why := p.refused(m); why != nil { // refused by a concurrent read
		return why
	}
	ctx, cancel := context.WithTimeout(ctx, p.options.MemberDeadline)
	defer cancel()
	principal, err := p.authority.Authenticate(ctx, m.Token)
	isOther := principal.GrantID != "" && m.GrantID != "" && principal.GrantID != m.GrantID
	if err == nil && principal.Kind == auth.KindClient && !isOther {
		limits, _ := principal.Limits()
		limits = slices.Clone(limits)
		for i := range limits {
			limits[i].Connections = []string{m.ID}
		}
		m.limits.Store(&limits)
		return nil
	}
	why := &rs.Error{
		Code: "grant_unusable", Status: http.StatusForbidden,
		Message: "The package directory gives a token for this connection that is not of its client grant.",
	}
	if err != nil {
		e := rs.AsError(err)
		if e.Code.MeansOtherThanInactive() {
			return &rs.Error{
				Code: rs.AuthorityUnreachable, RetryAfter: e.RetryAfter, RequestID: e.RequestID, Cause: err,
				Message: "The token authority could not say whether the access to this connection is good.",
				Hint:    "Retry in a moment; if it persists, tell the operator.",
			}
		}
		why.Code = cmp.Or(e.Code, rs.TokenInactive)
		why.Message = fmt.Sprintf("The token authority does not accept the access to this connection (%s).", why.Code)
	}
	p.remember(m, why)
	return why
}

// rememberFailure remembers for RefusalHold that a member must not be read again, or that it failed and may be read again. It ignores
// errors about the request, which say nothing about the member.
func (p *grantPackage) rememberFailure(m *member, e *rs.Error) {
	if refusesGrant(e) {
		p.remember(m, e)
	} else if transient(e) && e.Code != "canceled" {
		p.remember(m, nil)
	}
}

// failed reports whether the last reads of a member that is not refused failed, within RefusalHold.
func (p *grantPackage) failed(m *member) bool {
	entry, _ := p.refusals.Get(m.Token.Key())
	return p.options.Now().Before(entry.until)
}

func (p *grantPackage) remember(m *member, why *rs.Error) {
	p.refusals.Add(m.Token.Key(), refusal{why.Brief(), p.options.Now().Add(p.options.RefusalHold)})
}

// maxRefusals is how many refused tokens are remembered. Beyond that the least recently used one is dropped.
const maxRefusals = 10_000

// refusals are the member grants that were refused or failed, by the SHA-256 of the member's token: a grant that is approved again has a
// new token and is read again. They are safe for concurrent use.
type refusals = lru.Cache[rs.TokenKey, refusal]

type refusal struct {
	why   *rs.Error // nil if the member failed and may be read again
	until time.Time
}

func newRefusals() *refusals {
	entries, _ := lru.New[rs.TokenKey, refusal](maxRefusals) // fails only for a size below 1
	return entries
}

// refusesGrant reports whether an error means that the grant itself is not valid. A 401 or 403 is also the answer for a stream, field or
// connection that the grant does not cover; that is about the request, and the grant stays usable.
func refusesGrant(e *rs.Error) bool {
	if e.Status != http.StatusUnauthorized && e.Status != http.StatusForbidden {
		return false
	}
	for _, aboutRequest := range []string{"stream_not_allowed", "instance_mismatch", "_not_granted", "connection_not_found", "needs_broader_grant"} {
		if strings.HasSuffix(string(e.Code), aboutRequest) {
			return false
		}
	}
	return true
}

// transient reports whether the next attempt may succeed. A 4xx status is final, except 408, 425 and 429.
func transient(e *rs.Error) bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return e.Status < 400 || e.Status >= 500
}

// A route is what a request reads, from its path and query.
type route struct {
	kind         string // schema, streams, search or blobs
	stream       string
	connectionID string
	hybrid       bool
}
