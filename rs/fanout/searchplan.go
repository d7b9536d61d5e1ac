package fanout

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// defaultSearchLimit is the page size of a search across a package when the caller names none.
const defaultSearchLimit = 20

// newSearch plans one page: who takes part, from where. Its errors are made before any member is asked.
func (p *grantPackage) newSearch(r rs.Request, paged bool) (*packageSearch, *rs.Error) {
	limit, refused := searchLimit(r.Query.Get("limit"))
	if refused != nil {
		return nil, refused
	}
	s := &packageSearch{
		pkg: p, request: r, streams: askedStreams(r), parts: r.Parts, limit: limit, size: limit, bound: bindSearch(r, p.id), paged: paged,
	}
	cursor := r.Query.Get("cursor")
	switch {
	case cursor == "":
		return s, s.begin()
	case !paged:
		return nil, &rs.Error{Code: "invalid_cursor", Param: "cursor", Message: "This kind of search has no pages.", Hint: "Raise limit instead, or page with mode lexical."}
	default:
		return s, s.resume(cursor)
	}
}

// askedStreams returns the streams that a search names, without [rs.Request.Parts].
func askedStreams(r rs.Request) []string {
	return slices.DeleteFunc(slices.Clone(r.Query["streams"]), func(name string) bool { return slices.Contains(r.Parts, name) })
}

// searchLimit reads limit: defaultSearchLimit when absent, clamped as a resource server does.
func searchLimit(text string) (int, *rs.Error) {
	limit, err := strconv.Atoi(cmp.Or(text, strconv.Itoa(defaultSearchLimit)))
	if err != nil || limit < 1 {
		return 0, rs.Invalid("limit", fmt.Sprintf("limit cannot be %q.", text), fmt.Sprintf("Send a whole number from 1 to %d.", maxSearchLimit))
	}
	return min(limit, maxSearchLimit), nil
}

// begin lets every member take part that was granted one of the streams; one with none is not asked (S3-16c).
func (s *packageSearch) begin() *rs.Error {
	for _, c := range s.pkg.members {
		if c.grants(s.streams...) {
			s.join(c, cursorTurn{})
		}
	}
	for _, name := range s.streams {
		if !slices.ContainsFunc(s.pkg.members, func(c *member) bool { return c.grants(name) }) {
			s.warn(warning("stream_not_granted", fmt.Sprintf("No connection of this package grants the stream %q; it was left out.", rs.ErrorText(name))))
		}
	}
	return s.checkTurns(notGranted(s.streams))
}

// resume takes up the turns of the page before. A member that can no longer be read is reported, and its part is over.
func (s *packageSearch) resume(text string) *rs.Error {
	cursor, refused := decodePackageCursor(text, s.bound)
	if refused != nil {
		return refused
	}
	s.size, s.done, s.parts = cursor.Size, cursor.Done, cursor.Parts
	had := map[*member]bool{}
	for _, state := range cursor.Turns {
		c := s.pkg.find(state)
		had[c] = true
		if c != nil {
			s.join(c, state)
			continue
		}
		s.lacks(rs.UnavailableConnection{
			Connection: rs.Connection{ID: state.ConnectionID, GrantID: state.GrantID},
			Code:       "connection_not_found", Message: "This connection is no longer in the package.",
		})
	}
	for _, c := range s.pkg.members { // those that never had a turn are named on every page; what they lack was counted on the first
		if c.Refused != nil && !had[c] && c.grants(s.streams...) {
			s.unavailable = append(s.unavailable, c.unavailable(c.Refused))
		}
	}
	return s.checkTurns(invalidCursor("None of the connections that this search was about to read is still in the package."))
}

// join gives a member a turn that begins at a place, if the member can be read.
func (s *packageSearch) join(c *member, at cursorTurn) {
	why := s.pkg.refused(c)
	if why == nil && !c.grants(s.streams...) {
		why = notGranted(s.streams)
	}
	if why != nil {
		s.left = append(s.left, c)
		s.lacks(c.unavailable(why))
		return
	}
	s.ring.turns = append(s.ring.turns, &turn{member: c, cursor: at.Cursor, skip: at.Skip, failed: at.Failed})
}

// checkTurns refuses a search in which no member takes part: because those that should cannot be read, or with the error otherwise.
func (s *packageSearch) checkTurns(otherwise *rs.Error) *rs.Error {
	switch {
	case len(s.ring.turns) > 0:
		return nil
	case len(s.left) == 0:
		return otherwise
	case !s.left[0].grants(s.streams...):
		return notGranted(s.streams)
	}
	return s.pkg.unusable(sole(s.streams), s.left)
}

// lacks records a member that should take part and does not.
func (s *packageSearch) lacks(u rs.UnavailableConnection) {
	s.unavailable = append(s.unavailable, u)
	s.done = s.done.plus(unanswered())
}

func notGranted(streams []string) *rs.Error {
	return &rs.Error{
		Code: "grant_stream_not_allowed", Status: http.StatusForbidden, Param: "streams",
		Message: fmt.Sprintf("No connection of this package grants the stream %s.", cmp.Or(quoteNames(streams), "that is asked for")),
		Hint:    "Call schema without arguments for the streams that are granted.",
	}
}

// quoteNames writes up to three names in quotes.
func quoteNames(names []string) string {
	const most = 3
	var quoted []string
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(rs.ErrorText(name)))
	}
	if others := len(names) - most; others > 0 {
		quoted = append(quoted, fmt.Sprintf("and %d more", others))
	}
	return strings.Join(quoted, ", ")
}

// A packageSearch is one page of a search across members.
type packageSearch struct {
	pkg     *grantPackage
	request rs.Request
	streams []string // that are searched; all if none
	parts   []string // streams that are searched beside them
	limit   int      // of the page
	size    int      // of the members' pages; the same on every page of the search
	bound   string
	paged   bool

	ring        ring
	left        []*member // that should take part, and cannot be read
	done        tally     // of members that have nothing more to show
	unavailable []rs.UnavailableConnection
	warnings    []string
	requestID   string
	reads       int  // of members
	over        bool // only failing members are left, and they failed again
}

func (s *packageSearch) warn(warnings ...string) { s.warnings = mergeWarnings(s.warnings, warnings...) }

func (s *packageSearch) warnFirst(one string) {
	s.warnings = mergeWarnings([]string{one}, s.warnings...)
}
