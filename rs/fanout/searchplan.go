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

// defaultSearchLimit is the page size of a search across a package if the caller gives none.
const defaultSearchLimit = 20

// newSearch plans one page: which members take part, and from which position. It fails before any member is read.
func (p *grantPackage) newSearch(r rs.Request, to route) (*packageSearch, *rs.Error) {
	limit, refused := searchLimit(r.Query.Get("limit"))
	if refused != nil {
		return nil, refused
	}
	s := &packageSearch{
		pkg: p, request: r, streams: requestedStreams(r), parts: r.Parts, limit: limit, size: limit, bound: bindSearch(r, p.id),
		paged: !to.hybrid,
	}
	cursor := r.Query.Get("cursor")
	switch {
	case cursor == "":
		return s, s.begin()
	case to.hybrid:
		return nil, &rs.Error{Code: "invalid_cursor", Param: "cursor", Message: "This kind of search has no pages.", Hint: "Raise limit instead, or page with mode lexical."}
	default:
		return s, s.resume(cursor)
	}
}

// searchLimit parses limit: defaultSearchLimit if absent, clamped as a resource server does.
func searchLimit(text string) (int, *rs.Error) {
	limit, err := strconv.Atoi(cmp.Or(text, strconv.Itoa(defaultSearchLimit)))
	if err != nil || limit < 1 {
		return 0, rs.Invalid("limit", fmt.Sprintf("limit cannot be %q.", text), fmt.Sprintf("Send a whole number from 1 to %d.", rs.MaxLimit))
	}
	return min(limit, rs.MaxLimit), nil
}

// begin gives a turn to every member that was granted one of the streams; other members are not read (S3-16c).
func (s *packageSearch) begin() *rs.Error {
	for _, m := range s.pkg.members {
		if m.grants(s.streams...) {
			s.join(m, cursorTurn{})
		}
	}
	for _, name := range s.streams {
		if !slices.ContainsFunc(s.pkg.members, func(m *member) bool { return m.grants(name) }) {
			s.warn(warning("stream_not_granted", fmt.Sprintf("No connection of this package grants the stream %q; it was left out.", rs.ErrorText(name))))
		}
	}
	return s.checkTurns(notGranted(s.streams))
}

// resume continues the turns of the previous page. A member that can no longer be read is reported, and its turn ends.
func (s *packageSearch) resume(text string) *rs.Error {
	cursor, refused := decodePackageCursor(text, s.bound)
	if refused != nil {
		return refused
	}
	s.size, s.done, s.parts = cursor.Size, cursor.Done, cursor.Parts
	had := map[*member]bool{}
	for _, state := range cursor.Turns {
		m := s.pkg.find(state)
		had[m] = true
		if m != nil {
			s.join(m, state)
			continue
		}
		s.addUnavailable(rs.UnavailableConnection{
			Connection: rs.Connection{ID: state.ConnectionID, GrantID: state.GrantID},
			Code:       "connection_not_found", Message: "This connection is no longer in the package.",
		})
	}
	for _, m := range s.pkg.members { // these never had a turn: every page names them, and the first one counted them
		if m.Refused != nil && !had[m] && m.grants(s.streams...) {
			s.unavailable = append(s.unavailable, m.unavailable(m.Refused))
		}
	}
	return s.checkTurns(invalidCursor("None of the connections that this search was about to read is still in the package."))
}

// join gives a member a turn that begins at a position, if the member can be read.
func (s *packageSearch) join(m *member, at cursorTurn) {
	why := s.pkg.refused(m)
	if why == nil && !m.grants(s.streams...) {
		why = notGranted(s.streams)
	}
	if why != nil {
		s.unreadable = append(s.unreadable, m)
		s.addUnavailable(m.unavailable(why))
		return
	}
	s.ring.turns = append(s.ring.turns, &turn{member: m, cursor: at.Cursor, skip: at.Skip, failed: at.Failed})
}

// checkTurns returns an error if no member has a turn: why the members cannot be read, or otherwise if there are none.
func (s *packageSearch) checkTurns(otherwise *rs.Error) *rs.Error {
	switch {
	case len(s.ring.turns) > 0:
		return nil
	case len(s.unreadable) == 0:
		return otherwise
	case !s.unreadable[0].grants(s.streams...):
		return notGranted(s.streams)
	}
	return s.pkg.unusable(onlyStream(s.streams), s.unreadable)
}

// addUnavailable records a member that should take part and cannot.
func (s *packageSearch) addUnavailable(u rs.UnavailableConnection) {
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
	streams []string // to be searched; all if empty
	parts   []string // streams that are searched in addition
	limit   int      // of the page
	size    int      // of the members' pages; the same on every page of the search
	bound   string
	paged   bool

	ring        ring
	unreadable  []*member // that should take part, but cannot be read
	done        tally     // of members that have nothing more to show
	unavailable []rs.UnavailableConnection
	warnings    []string
	requestID   string
	reads       int  // how many members were read
	over        bool // only failing members are left, and they failed again
}

func (s *packageSearch) warn(warnings ...string) { s.warnings = mergeWarnings(s.warnings, warnings...) }

func (s *packageSearch) warnFirst(one string) {
	s.warnings = mergeWarnings([]string{one}, s.warnings...)
}
