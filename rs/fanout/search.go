package fanout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxSearchRounds is how often members are read for one page, since their own pages may be used up or empty. A page that is not full by
// then is returned short.
const maxSearchRounds = 4

// search answers GET /v1/search, /semantic and /hybrid (S3-R16). A named connection is searched alone (S3-16d). Otherwise every member that
// was granted one of the streams is searched, and limit is that of the merged page (S0-R6). A hybrid search has one page.
func (p *grantPackage) search(ctx context.Context, r rs.Request, to route) (*rs.Response, error) {
	if id := r.Query.Get("connection_id"); id != "" {
		return p.searchOne(ctx, r, id)
	}
	s, refused := p.newSearch(r, to)
	if refused != nil {
		return nil, refused
	}
	hits, err := s.collect(ctx)
	if err != nil {
		return nil, err
	}
	return s.respond(hits)
}

// searchOne forwards a search to the member that it names, for the streams that the member was granted, and attributes each hit.
func (p *grantPackage) searchOne(ctx context.Context, r rs.Request, connectionID string) (*rs.Response, error) {
	streams := requestedStreams(r)
	m, refused := p.memberFor(connectionID, streams...)
	if refused == nil && m.grants(streams...) { // checked first, because pick introspects the token
		m, refused = p.pick(ctx, connectionID, streams...)
	}
	if refused == nil && !m.grants(streams...) { // pick may return another member
		refused = notGranted(streams)
		refused.Message = fmt.Sprintf("Connection %q does not grant the stream %s.", m.ID, quoteNames(streams))
	}
	if refused != nil {
		return nil, refused
	}
	granted := m.granted(streams)
	left := slices.DeleteFunc(slices.Clone(streams), func(name string) bool { return slices.Contains(granted, name) })
	r.Query = withValue(r.Query, "streams", append(granted, m.granted(r.Parts)...)...)
	response, err := p.forward(ctx, m, r)
	if err != nil {
		return nil, err
	}
	l, ok := response.List()
	if !ok {
		return response, nil
	}
	if len(left) > 0 {
		l = l.Warn([]string{warning("stream_not_granted", fmt.Sprintf("This connection's grant does not hold %s; it was left out.", quoteNames(left)))})
	}
	return response.WithBody(l.With(attributed(l.Items, m.Connection)).JSON()), nil
}

// collect reads the members in rounds and merges their hits until the page is full.
func (s *packageSearch) collect(ctx context.Context) ([]rs.Item, error) {
	ctx, cancel := context.WithTimeout(ctx, fanoutDeadlines*s.pkg.options.MemberDeadline) // of all rounds together
	defer cancel()
	hits := []rs.Item{}
	for round := range maxSearchRounds {
		unread := s.ring.needPages()
		if round > 0 { // the first round reads all: turns are fair only if it is known who has hits
			unread = unread[:min(len(unread), s.limit-len(hits))]
		}
		if err := s.load(ctx, unread); err != nil {
			return nil, err
		}
		hits = append(hits, s.ring.take(s.limit-len(hits))...)
		if s.request.OneRound || len(hits) == s.limit || len(s.ring.needPages()) == 0 {
			break
		}
	}
	return hits, s.finish()
}

func (s *packageSearch) load(ctx context.Context, turns []*turn) error {
	s.reads += len(turns)
	members := make([]*member, len(turns))
	for i, t := range turns {
		members[i] = t.member
	}
	outcomes, err := s.pkg.fanOut(ctx, members, func(i int) memberRead { return listRead(s.memberRequest(turns[i]), "list of hits") })
	if err != nil {
		return err
	}
	for i, o := range outcomes {
		t := turns[i]
		if o.failure != nil {
			t.failure = o.failure
			s.unavailable = append(s.unavailable, t.member.unavailable(o.failure))
			continue
		}
		s.requestID = cmp.Or(s.requestID, o.response.RequestID)
		page, _ := o.response.List()
		s.warn(page.Envelope.Object("meta").Array("warnings")...)
		if dropped := t.load(page); dropped > 0 {
			s.warn(warning("other_connections",
				fmt.Sprintf("Connection %q answered with hits of other connections; %d were left out.", rs.ErrorText(t.member.ID), dropped)))
		}
	}
	return nil
}

// memberRequest returns the search for one member: only its own connection and its own streams (S3-16b).
func (s *packageSearch) memberRequest(t *turn) rs.Request {
	r := s.request // members that share a grant must not find each other's hits
	r.Query = withValue(r.Query, "connection_id", t.member.ID)
	r.Query["streams"] = t.member.granted(slices.Concat(s.streams, s.parts))
	r.Query.Set("limit", strconv.Itoa(s.size))
	r.Query.Del("cursor")
	if t.cursor != "" {
		r.Query.Set("cursor", t.cursor)
	}
	return r
}

// finish returns an error if no member contributed to the page; the cursor that the caller sent then stays valid. If all of them had failed
// before as well, it ends the search instead, which would otherwise never end.
func (s *packageSearch) finish() error {
	var failures []*rs.Error
	s.over = true
	for _, t := range s.ring.turns {
		if t.tally.Members > 0 {
			s.over = false
			return nil
		}
		failures = append(failures, t.failure)
		s.over = s.over && t.failed
	}
	if s.over {
		return nil
	}
	return allFailed(s.unavailable, failures)
}

// respond returns the page: the hits, the cursor of the next page, and the combined meta of all members.
func (s *packageSearch) respond(hits []rs.Item) (*rs.Response, error) {
	next, all, more := s.rest()
	body := rs.Object{
		rs.NewMember("object", "list"), rs.NewMember("url", s.request.Path), rs.NewMember("has_more", more),
		{Name: "data", Value: rs.JoinItems(hits)},
	}
	if s.paged && len(next) > 0 {
		cursor := packageCursor{Bound: s.bound, Size: s.size, Turns: next, Done: s.done, Parts: s.parts}.encode()
		if cursor == "" {
			s.warnFirst(warning("search_too_wide", "The search runs over too many connections to be paged; name connection_id or streams."))
		} else {
			body = append(body, rs.NewMember("next_cursor", cursor))
		}
	}
	if len(s.parts) > 0 {
		body = append(body, rs.NewMember("also_searched", s.parts))
	}
	response := merged(body, s.unavailable, rs.Member{Name: "meta", Value: all.meta(s.warnings).JSON()})
	response.RequestID = s.requestID
	response.Reads = s.reads
	return response, nil
}

// rest returns the turns that continue, in their order, the tally of all members, and whether there is more. A member whose failure is
// transient continues at the same position, so that none of its hits are lost; any other failure ends its turn.
func (s *packageSearch) rest() (next []cursorTurn, all tally, more bool) {
	all = s.done
	outlook := ""
	if s.over {
		outlook = " They failed before, so the search ends here without their hits; search again later."
	}
	for _, t := range s.ring.inOrder() {
		counted := t.tally
		if counted.Members == 0 {
			counted = unanswered()
		}
		switch {
		case t.failure == nil && !t.done:
			next, more = append(next, t.state()), true
		case t.failure == nil:
			s.done = s.done.plus(counted)
			more = more || t.more
		case transient(t.failure) && s.paged && !s.over:
			t.failed, outlook = true, " The next page asks again where that may help."
			next, more = append(next, t.state()), true
		default:
			counted = counted.plus(unanswered())
			s.done = s.done.plus(counted)
		}
		all = all.plus(counted)
	}
	if len(s.unavailable) > 0 {
		s.warnFirst(unavailableWarning(s.unavailable, outlook))
	}
	return next, all, more
}
