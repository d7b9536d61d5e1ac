package fanout_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

const approveAgain = "The user has to approve this connection again; or choose another connection_id, which schema lists."

func recordsRequest(connectionID string) rs.Request {
	r := rs.Request{Path: rs.Path("streams", "notes", "records"), Query: url.Values{"limit": {"5"}}}
	if connectionID != "" {
		r.Query.Set("connection_id", connectionID)
	}
	return r
}

// sameConnection returns c as another grant on the connection of the member with that letter.
func sameConnection(c fanout.Member, letter string) fanout.Member {
	c.ID = "cin_" + letter
	return c
}

func TestPackageRoutes(t *testing.T) {
	two := []fanout.Member{aMember("a"), aMember("b", "notes")}
	shared := aMember("b", "notes")
	shared.ID = "cin_a"
	for name, row := range map[string]struct {
		members []fanout.Member
		request rs.Request
		asked   string
	}{
		"records of a named connection, forwarded unchanged": {
			two, recordsRequest("cin_b"), "tok_b /v1/streams/notes/records?connection_id=cin_b&limit=5",
		},
		"one record": {
			two, rs.Request{Path: rs.Path("streams", "notes", "records", "a/b"), Query: url.Values{"connection_id": {"cin_a"}}},
			"tok_a /v1/streams/notes/records/a%2Fb?connection_id=cin_a",
		},
		"a part of a field": {
			two, rs.Request{Path: rs.Path("streams", "notes", "records", "n1", "field-window"), Query: url.Values{"connection_id": {"cin_b"}, "field": {"body"}}},
			"tok_b /v1/streams/notes/records/n1/field-window?connection_id=cin_b&field=body",
		},
		"an aggregate": {
			two, rs.Request{Path: rs.Path("streams", "notes", "aggregate"), Query: url.Values{"connection_id": {"cin_b"}, "metric": {"count"}}},
			"tok_b /v1/streams/notes/aggregate?connection_id=cin_b&metric=count",
		},
		"the only connection need not be named": {two[:1], recordsRequest(""), "tok_a /v1/streams/notes/records?limit=5"},
		"D26 the only connection with the stream need not be named": {
			two, recordsRequest(""), "tok_b /v1/streams/notes/records?connection_id=cin_b&limit=5",
		},
		"D26 a record by its id of the only connection with the stream": {
			two, rs.Request{Path: rs.Path("streams", "notes", "records", "n1")}, "tok_b /v1/streams/notes/records/n1?connection_id=cin_b",
		},
		"D26 two grants on the only connection with the stream": {
			[]fanout.Member{aMember("a"), aMember("b", "notes", "tags"), sameConnection(aMember("c", "notes"), "b")}, recordsRequest(""),
			"tok_b /v1/streams/notes/records?connection_id=cin_b&limit=5",
		},
		"of two grants on one connection the one with the stream": {
			[]fanout.Member{aMember("a"), shared}, recordsRequest("cin_a"), "tok_b /v1/streams/notes/records?connection_id=cin_a&limit=5",
		},
		"the schema of a named connection": {
			two, rs.Request{Path: rs.Path("schema"), Query: url.Values{"connection_id": {"cin_b"}, "view": {"compact"}}}, "tok_b /v1/schema?connection_id=cin_b&view=compact",
		},
		"the streams of a named connection": {
			two, rs.Request{Path: rs.Path("streams"), Query: url.Values{"connection_id": {"cin_b"}}}, "tok_b /v1/streams?connection_id=cin_b",
		},
		"a blob of a named connection, whose name is not sent": {
			two, rs.Request{Path: rs.Path("blobs", "b1"), Binary: true, ConnectionID: "cin_b"}, "tok_b /v1/blobs/b1?",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"a":1}`), "tok_b": says(`{"a":1}`)}}
			response, err := packageOf(f, fanout.PackageOptions{}, row.members...).Do(t.Context(), row.request)
			if err != nil || response.Body != `{"a":1}` {
				t.Fatalf("answer is %v, %v", response, err)
			}
			if diff := cmp.Diff([]string{row.asked}, f.heard(t)); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// S0-8a, S3-3a, D14: a call that cannot be routed is refused without a read, with the connections to choose from.
func TestPackageRefusesToGuess(t *testing.T) {
	a, b, g := aMember("a"), aMember("b", "notes"), aMember("g", "notes")
	revoked := refusedMember("c", "grant_revoked")
	revokedNotes := revoked // a record with the requested id may be in either, so the readable one must not be guessed
	revokedNotes.Streams = []string{"notes"}
	unavailable := []rs.UnavailableConnection{{Connection: revoked.Connection, Code: "grant_revoked", Message: "It was revoked."}}
	revoked2 := refusedMember("d", "grant_expired")
	ended := aMember("e")
	ended.Expires = packageNow
	tokenless := aMember("f")
	tokenless.Token = rs.Token{}
	for name, row := range map[string]struct {
		members []fanout.Member
		request rs.Request
		want    rs.Error
	}{
		"S0-8a no connection named: those with the stream are offered": {
			[]fanout.Member{a, b, g}, recordsRequest(""),
			rs.Error{
				Code: "ambiguous_connection", Param: "connection_id", RetryWith: "connection_id",
				Message:     `Stream "notes" is granted under 2 of this package's 3 connections, and the call names none.`,
				Hint:        "Call again with one of these as connection_id; schema without arguments lists all connections.",
				Connections: []rs.Connection{b.Connection, g.Connection}, ConnectionTotal: 2,
			},
		},
		"S3-3a D14 an unusable connection is no option": {
			[]fanout.Member{revokedNotes, a, b}, recordsRequest(""),
			rs.Error{
				Code: "ambiguous_connection", Param: "connection_id", RetryWith: "connection_id",
				Message:     `Stream "notes" is granted under 2 of this package's 3 connections, and the call names none.`,
				Hint:        "Call again with one of these as connection_id; schema without arguments lists all connections.",
				Connections: []rs.Connection{b.Connection}, ConnectionTotal: 1, Unavailable: unavailable,
			},
		},
		"S3-3a D26 the only connection with the stream, unusable": {
			[]fanout.Member{a, revokedNotes}, recordsRequest(""),
			rs.Error{
				Code: "grant_revoked", Status: 403, Param: "connection_id", Hint: approveAgain,
				Message: `Connection "cin_c" cannot be read: It was revoked.`, Unavailable: unavailable,
			},
		},
		"S0-5f the full schema of a stream under several connections": {
			[]fanout.Member{b, g}, rs.Request{Path: rs.Path("schema"), Query: url.Values{"stream": {"notes"}, "detail": {"full"}}},
			rs.Error{
				Code: "ambiguous_connection", Param: "connection_id", RetryWith: "connection_id",
				Message:     `Stream "notes" is granted under 2 of this package's 2 connections, and the call names none.`,
				Hint:        "Call again with one of these as connection_id; schema without arguments lists all connections.",
				Connections: []rs.Connection{b.Connection, g.Connection}, ConnectionTotal: 2,
			},
		},
		"S3-3a a named unusable connection keeps its own code": {
			[]fanout.Member{a, revoked}, recordsRequest("cin_c"),
			rs.Error{
				Code: "grant_revoked", Status: 403, Param: "connection_id", RetryWith: "connection_id", Hint: approveAgain,
				Message:     `Connection "cin_c" cannot be read: It was revoked.`,
				Connections: []rs.Connection{a.Connection}, ConnectionTotal: 1, Unavailable: unavailable,
			},
		},
		"S3-3a the only connection, unusable": {
			[]fanout.Member{revoked}, recordsRequest(""),
			rs.Error{
				Code: "grant_revoked", Status: 403, Param: "connection_id", Hint: approveAgain,
				Message: `Connection "cin_c" cannot be read: It was revoked.`, Unavailable: unavailable,
			},
		},
		"S3-3a none named and none usable": {
			[]fanout.Member{revoked, revoked2}, recordsRequest(""),
			rs.Error{
				Code: "grant_revoked", Status: 403, Param: "connection_id", Hint: approveAgain,
				Message:     `None of the 2 connections can be read; the reason for "cin_c": It was revoked.`,
				Unavailable: append(unavailable[:1:1], rs.UnavailableConnection{Connection: revoked2.Connection, Code: "grant_expired", Message: "It was revoked."}),
			},
		},
		"D14 a connection whose access has ended meanwhile": {
			[]fanout.Member{a, ended}, recordsRequest("cin_e"),
			rs.Error{
				Code: "grant_expired", Status: 403, Param: "connection_id", RetryWith: "connection_id", Hint: approveAgain,
				Message:     `Connection "cin_e" cannot be read: The access to this connection has expired.`,
				Connections: []rs.Connection{a.Connection}, ConnectionTotal: 1,
				Unavailable: []rs.UnavailableConnection{{Connection: ended.Connection, Code: "grant_expired", Message: "The access to this connection has expired."}},
			},
		},
		"D17 a connection without a token": {
			[]fanout.Member{tokenless}, recordsRequest("cin_f"),
			rs.Error{
				Code: "grant_unusable", Status: 403, Param: "connection_id", Hint: approveAgain,
				Message:     `Connection "cin_f" cannot be read: There is no token for this connection.`,
				Unavailable: []rs.UnavailableConnection{{Connection: tokenless.Connection, Code: "grant_unusable", Message: "There is no token for this connection."}},
			},
		},
		"a connection that is not in the package": {
			[]fanout.Member{a, revoked}, recordsRequest("cin_x"),
			rs.Error{
				Code: "connection_not_found", Param: "connection_id", RetryWith: "connection_id",
				Message:     `This package holds no connection "cin_x".`,
				Hint:        "Call again with a connection_id of the package; schema without arguments lists all connections.",
				Connections: []rs.Connection{a.Connection}, ConnectionTotal: 1, Unavailable: unavailable,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{}
			_, err := packageOf(f, fanout.PackageOptions{}, row.members...).Do(t.Context(), row.request)
			var got *rs.Error
			if !errors.As(err, &got) {
				t.Fatalf("error is %v", err)
			}
			if diff := cmp.Diff(&row.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			f.wantSilence(t)
		})
	}
	t.Run("S0-8a a large package lists twelve and says how many there are", func(t *testing.T) {
		f := &packageRS{}
		var members []fanout.Member
		for i := range 40 {
			members = append(members, aMember(fmt.Sprint(i)), refusedMember(fmt.Sprint("r", i), "grant_revoked"))
		}
		_, err := packageOf(f, fanout.PackageOptions{}, members...).Do(t.Context(), recordsRequest(""))
		e := wantCode(t, err, "ambiguous_connection")
		if len(e.Connections) != rs.MaxConnectionOptions || e.ConnectionTotal != 40 || len(e.Unavailable) != rs.MaxConnectionOptions ||
			!strings.Contains(e.Hint, "schema") {
			t.Errorf("%d of %d options, %d unavailable, hint %q", len(e.Connections), e.ConnectionTotal, len(e.Unavailable), e.Hint)
		}
		f.wantSilence(t)
	})
}

// D14: a member whose token or grant was refused is not read again for a minute; one that refused a stream or a field is.
func TestPackageRemembersRefusals(t *testing.T) {
	for name, row := range map[string]struct {
		answer     memberAnswer
		remembered bool
	}{
		"D14 401, the token is dead":         {fails(401, "context.active_false"), true},
		"D14 403, the grant is over":         {fails(403, "grant_revoked"), true},
		"D14 403 without a code":             {fails(403, "upstream_error"), true},
		"401, the stream is not granted":     {fails(401, "context.stream_not_allowed"), false},
		"401, the connection is not granted": {fails(401, "context.instance_mismatch"), false},
		"403, the field is not granted":      {fails(403, "field_not_granted"), false},
		"404":                                {fails(404, "not_found"), false},
		"500":                                {fails(500, "broken"), false},
	} {
		t.Run(name, func(t *testing.T) {
			now := packageNow
			f := &packageRS{answers: map[string]memberAnswer{"tok_a": row.answer, "tok_b": hitsOf("b", 1)}}
			p := packageOf(f, fanout.PackageOptions{Now: func() time.Time { return now }}, aMember("a"), aMember("b"))

			_, err := p.Do(t.Context(), recordsRequest("cin_a"))
			first := rs.AsError(err)
			if first.Status == 0 || (first.Hint == approveAgain) != row.remembered {
				t.Errorf("the member's own error is %+v", first)
			}
			f.heard(t)

			_, err = p.Do(t.Context(), recordsRequest("cin_a"))
			if second := rs.AsError(err); second.Code != first.Code {
				t.Errorf("code is %q, then %q", first.Code, second.Code)
			}
			if asked := len(f.heard(t)); (asked == 0) != row.remembered {
				t.Errorf("asked %d times again", asked)
			}
			if row.remembered {
				e := wantCode(t, p.Choose(rs.Scope{}), "ambiguous_connection")
				if len(e.Connections) != 1 || len(e.Unavailable) != 1 || e.Unavailable[0].ID != "cin_a" {
					t.Errorf("options %v, unavailable %v", e.Connections, e.Unavailable)
				}
				response, err := p.Do(t.Context(), searchRequest())
				if m := readMerged(t, response, err); m.missing() != "cin_a="+string(first.Code) || m.HasMore {
					t.Errorf("a search misses %q", m.missing())
				}
				f.heard(t)
			}

			now = now.Add(60 * time.Second)
			_, _ = p.Do(t.Context(), recordsRequest("cin_a"))
			if len(f.heard(t)) != 1 {
				t.Error("not asked after a minute")
			}
		})
	}
	t.Run("D14 a refusal in a merged read counts as well", func(t *testing.T) {
		f := &packageRS{answers: map[string]memberAnswer{"tok_a": fails(403, "grant_revoked"), "tok_b": hitsOf("b", 1)}}
		p := packageOf(f, fanout.PackageOptions{}, aMember("a"), aMember("b"))
		if _, err := p.Do(t.Context(), searchRequest()); err != nil {
			t.Fatal(err)
		}
		f.heard(t)
		wantCode(t, p.Choose(rs.Scope{ConnectionID: "cin_a"}), "grant_revoked")
		f.wantSilence(t)
	})
}

func TestPackageFindsABlob(t *testing.T) {
	missing := fails(404, "blob_not_found")
	blob := func(context.Context, rs.Request) (*rs.Response, error) {
		return &rs.Response{Status: 200, Body: "bytes", ContentType: "image/png"}, nil
	}
	request := rs.Request{Path: rs.Path("blobs", "b1"), Binary: true}
	for name, row := range map[string]struct {
		answers map[string]memberAnswer
		members []fanout.Member
		asked   string
		code    rs.Code
		missing int
	}{
		"the members are asked in turn until one has it": {
			map[string]memberAnswer{"tok_a": missing, "tok_b": blob, "tok_c": blob}, []fanout.Member{aMember("a"), aMember("b"), aMember("c")}, "a b", "", 0,
		},
		"an unusable member is not asked": {
			map[string]memberAnswer{"tok_b": blob}, []fanout.Member{refusedMember("a", "grant_revoked"), aMember("b")}, "b", "", 0,
		},
		"S3-3a a member that turns the package away is passed over": {
			map[string]memberAnswer{"tok_a": fails(403, "grant_revoked"), "tok_b": blob}, []fanout.Member{aMember("a"), aMember("b")}, "a b", "", 0,
		},
		"nobody has it": {
			map[string]memberAnswer{"tok_a": missing, "tok_b": missing}, []fanout.Member{aMember("a"), aMember("b")}, "a b", "blob_not_found", 0,
		},
		"nobody has it that can be read": {
			map[string]memberAnswer{"tok_a": missing}, []fanout.Member{aMember("a"), refusedMember("b", "grant_revoked")}, "a", "blob_not_found", 1,
		},
		"one could not say": {
			map[string]memberAnswer{"tok_a": missing, "tok_b": fails(503, "unavailable")}, []fanout.Member{aMember("a"), aMember("b")}, "a b", "unavailable", 1,
		},
		"S3-3a nobody can be read": {
			nil, []fanout.Member{refusedMember("a", "grant_revoked"), refusedMember("b", "grant_revoked")}, "", "grant_revoked", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &packageRS{answers: row.answers}
			response, err := packageOf(f, fanout.PackageOptions{}, row.members...).Do(t.Context(), request)
			if row.code == "" {
				if err != nil || response.Body != "bytes" || response.ContentType != "image/png" {
					t.Errorf("answer is %v, %v", response, err)
				}
			} else if e := wantCode(t, err, row.code); len(e.Unavailable) != row.missing {
				t.Errorf("unavailable are %v", e.Unavailable)
			}
			var want []string
			for letter := range strings.FieldsSeq(row.asked) {
				want = append(want, "tok_"+letter+" /v1/blobs/b1?")
			}
			if diff := cmp.Diff(want, f.heard(t), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("in a large package its connection must be named", func(t *testing.T) {
		f := &packageRS{}
		var members []fanout.Member
		for i := range 17 {
			members = append(members, aMember(fmt.Sprint(i)))
		}
		_, err := packageOf(f, fanout.PackageOptions{}, members...).Do(t.Context(), request)
		wantCode(t, err, "ambiguous_connection")
		f.wantSilence(t)
	})
}

// S0-8a: of the connections that a call may name, one whose last read failed comes after the others for a while. A canceled read says
// nothing about it.
func TestAConnectionThatFailedIsOfferedLast(t *testing.T) {
	now := packageNow
	f := &packageRS{answers: map[string]memberAnswer{
		"tok_a": fails(503, "unavailable"), "tok_b": fails(0, "canceled"), "tok_c": fails(404, "not_found"), "tok_d": hitsOf("d", 1),
	}}
	p := packageOf(f, fanout.PackageOptions{Now: func() time.Time { return now }}, aMember("a"), aMember("b"), aMember("c"), aMember("d"))
	offered := func() (ids []string) {
		_, err := p.Do(t.Context(), recordsRequest(""))
		for _, connection := range wantCode(t, err, "ambiguous_connection").Connections {
			ids = append(ids, connection.ID)
		}
		return ids
	}
	for _, id := range []string{"cin_a", "cin_b", "cin_c", "cin_d"} {
		_, _ = p.Do(t.Context(), recordsRequest(id))
	}
	if got := offered(); !slices.Equal(got, []string{"cin_b", "cin_c", "cin_d", "cin_a"}) {
		t.Errorf("offered %v", got)
	}
	now = now.Add(time.Hour)
	if got := offered(); !slices.Equal(got, []string{"cin_a", "cin_b", "cin_c", "cin_d"}) {
		t.Errorf("an hour later, offered %v", got)
	}
}
