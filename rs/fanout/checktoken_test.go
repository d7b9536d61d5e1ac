package fanout_test

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// A memberAuthority knows one package and has scripted answers for members' tokens; any other token is a valid client's.
type memberAuthority struct {
	answers map[string]func(context.Context) (auth.TokenInfo, error)

	mu     sync.Mutex
	asked  []string // about members
	active int
	widest int // the most concurrent introspections of members
}

func (a *memberAuthority) Introspect(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
	name := token.Reveal()
	if name == packageToken {
		return onePackage(ctx, token)
	}
	a.mu.Lock()
	a.asked = append(a.asked, name)
	a.active++
	a.widest = max(a.widest, a.active)
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		a.active--
		a.mu.Unlock()
	}()
	if answer := a.answers[name]; answer != nil {
		return answer(ctx)
	}
	return onePackage(ctx, token)
}

// questions returns the tokens that were introspected since the last call, sorted.
func (a *memberAuthority) questions() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.asked
	a.asked = nil
	slices.Sort(asked)
	return strings.Join(asked, " ")
}

// judged returns a package whose members' tokens the authority introspects.
func judged(t *testing.T, a *memberAuthority, f *packageRS, o fanout.PackageOptions, members ...fanout.Member) auth.Package {
	t.Helper()
	return packageFrom(t, packageAuthority(a, f, o, members...))
}

func packageAuthority(a *memberAuthority, f *packageRS, o fanout.PackageOptions, members ...fanout.Member) auth.Authority {
	return fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
		Authority: a, For: f.doer, Package: o,
		Directory: directoryFunc(func(context.Context, rs.Token) (fanout.Membership, error) {
			return fanout.Membership{PackageID: "pkg_1", Members: members}, nil
		}),
	})
}

func packageFrom(t *testing.T, authority auth.Authority) auth.Package {
	t.Helper()
	info, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
	if err != nil {
		t.Fatal(err)
	}
	return info.Principal.Package
}

func says404(context.Context, rs.Request) (*rs.Response, error) {
	return nil, &rs.Error{Code: "blob_not_found", Status: 404}
}

// D27: a member is read only if the authority reports its token as that of an active client. Otherwise, and if the authority does not
// answer, the member is an unavailable connection and its token is not sent to the resource server.
func TestAMemberThatIsNotAClientIsNotRead(t *testing.T) {
	of := func(kind string) func(context.Context) (auth.TokenInfo, error) {
		return func(context.Context) (auth.TokenInfo, error) {
			return auth.TokenInfo{Principal: auth.Principal{Token: rs.NewToken("tok_b"), Kind: kind}}, nil
		}
	}
	inactive := func(code rs.Code) func(context.Context) (auth.TokenInfo, error) {
		return func(context.Context) (auth.TokenInfo, error) {
			return auth.TokenInfo{Inactive: &rs.Error{Code: code}}, nil
		}
	}
	for name, row := range map[string]struct {
		answer func(context.Context) (auth.TokenInfo, error)
		code   rs.Code
		later  bool // the next read asks again
	}{
		"S0-R3 an owner":               {of(auth.KindOwner), "grant_unusable", false},
		"a package":                    {of(auth.KindPackage), "grant_unusable", false},
		"another kind":                 {of("control"), "grant_unusable", false},
		"a kind in another case":       {of("Client"), "grant_unusable", false},
		"no kind":                      {of(""), "grant_unusable", false},
		"inactive":                     {inactive(rs.TokenInactive), rs.TokenInactive, false},
		"revoked":                      {inactive("grant_revoked"), "grant_revoked", false},
		"expired":                      {inactive("token_expired"), "token_expired", false},
		"of another audience":          {inactive("token_audience_refused"), "token_audience_refused", false},
		"inactive without a code":      {inactive(""), rs.TokenInactive, false},
		"a code that is about streams": {inactive("grant_stream_not_allowed"), "grant_stream_not_allowed", false},
		"the authority fails": {func(context.Context) (auth.TokenInfo, error) {
			return auth.TokenInfo{}, &rs.Error{Code: rs.AuthorityUnreachable, RetryAfter: 7 * time.Second}
		}, rs.AuthorityUnreachable, true},
		"the authority fails in its own way": {func(context.Context) (auth.TokenInfo, error) { return auth.TokenInfo{}, errors.New("broken") }, rs.AuthorityUnreachable, true},
		"the authority panics":               {func(context.Context) (auth.TokenInfo, error) { panic("broken") }, rs.AuthorityUnreachable, true},
		"the authority hangs": {func(ctx context.Context) (auth.TokenInfo, error) {
			<-ctx.Done()
			return auth.TokenInfo{}, ctx.Err()
		}, rs.AuthorityUnreachable, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read := func(ctx context.Context, r rs.Request) (*rs.Response, error) {
					switch r.Path {
					case "/v1/schema":
						return packageSchemaOf("mail", "cin_a", "messages")(ctx, r)
					case "/v1/blobs/b1":
						return says404(ctx, r)
					}
					return hitsOf("a", 1)(ctx, r)
				}
				f := &packageRS{answers: map[string]memberAnswer{"tok_a": read, "tok_b": hitsOf("b", 1)}}
				a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_b": row.answer}}
				p := judged(t, a, f, fanout.PackageOptions{}, aMember("a"), aMember("b"))
				for what, request := range map[string]rs.Request{
					"search": searchRequest(), "schema": rs.CompactSchemaRequest("", ""), "streams": {Path: rs.Path("streams")},
				} {
					response, err := p.Do(t.Context(), request)
					if m := readMerged(t, response, err); m.missing() != "cin_b="+string(row.code) {
						t.Errorf("%s misses %q", what, m.missing())
					}
				}
				for what, request := range map[string]rs.Request{
					"records": recordsRequest("cin_b"), "search of one": searchRequest("connection_id", "cin_b"),
					"schema of one": rs.CompactSchemaRequest("", "cin_b"), "blob of one": {Path: rs.Path("blobs", "b1"), ConnectionID: "cin_b"},
				} {
					_, err := p.Do(t.Context(), request)
					e := wantCode(t, err, row.code)
					if len(e.Unavailable) == 0 || e.Unavailable[0].ID != "cin_b" || !strings.Contains(e.Message, `"cin_b"`) {
						t.Errorf("%s does not name the connection: %+v", what, e)
					}
				}
				if _, err := p.Do(t.Context(), rs.Request{Path: rs.Path("blobs", "b1")}); rs.AsError(err).Unavailable[0].ID != "cin_b" {
					t.Errorf("blob: %v", err)
				}
				for _, asked := range f.heard(t) {
					if !strings.HasPrefix(asked, "tok_a ") {
						t.Errorf("the resource server heard %q", asked)
					}
				}
				synctest.Wait() // until the last introspection has ended
				a.questions()
				_, _ = p.Do(t.Context(), recordsRequest("cin_b"))
				if again := a.questions() == "tok_b"; again != row.later {
					t.Errorf("asked again: %t", again)
				}
			})
		})
	}
}

// S0-8a, D26: a call that fails without a read introspects no token, and a read introspects only the members that it reads, once each.
func TestMembersAreIntrospectedWhenTheyAreRead(t *testing.T) {
	now := packageNow
	a := &memberAuthority{}
	f := &packageRS{answers: map[string]memberAnswer{}}
	var members []fanout.Member
	for i := range 60 {
		c := aMember(fmt.Sprintf("%02d", i))
		f.answers[c.Token.Reveal()] = hitsOf(fmt.Sprintf("%02d", i), 1)
		members = append(members, c)
	}
	members[7].Streams = []string{"messages", "notes"}
	members[8].Streams = []string{"drafts"}
	members[9].Token, members[9].GrantID = members[8].Token, members[8].GrantID // a grant of two connections
	p := judged(t, a, f, fanout.PackageOptions{Now: func() time.Time { return now }}, members...)
	full := func(stream string) rs.Request {
		return rs.Request{Path: rs.Path("schema"), Query: map[string][]string{"stream": {stream}, "detail": {"full"}}}
	}
	for what, request := range map[string]rs.Request{
		"full schema": full("messages"), "records": {Path: rs.Path("streams", "messages", "records")}, "unknown": recordsRequest("cin_none"),
		"blob": {Path: rs.Path("blobs", "b1")}, "cursor": searchRequest("cursor", "none"), "limit": searchRequest("limit", "0"),
		"no stream": searchRequest("streams", "photos"), "path": {Path: "/v1/elsewhere"},
	} {
		if _, err := p.Do(t.Context(), request); err == nil {
			t.Errorf("%s is answered", what)
		}
		if asked := a.questions(); asked != "" {
			t.Errorf("%s asks about %s", what, asked)
		}
		f.wantSilence(t)
	}
	for _, step := range []struct {
		what    string
		request rs.Request
		asked   string
	}{
		{"D26 the full schema of the one stream that one connection has", full("notes"), "tok_07"},
		{"its records", recordsRequest(""), ""},
		{"one connection", searchRequest("connection_id", "cin_03"), "tok_03"},
		{"the same again", searchRequest("connection_id", "cin_03"), ""},
		{"two streams of two connections", searchRequest("streams", "notes", "streams", "drafts"), "tok_08"},
		{"a connection of the same grant", rs.CompactSchemaRequest("", "cin_09"), ""},
	} {
		if _, err := p.Do(t.Context(), step.request); err != nil {
			t.Errorf("%s: %v", step.what, err)
		}
		if asked := a.questions(); asked != step.asked {
			t.Errorf("%s asks about %q, want %q", step.what, asked, step.asked)
		}
	}
	if _, err := p.Do(t.Context(), searchRequest()); err != nil || len(strings.Fields(a.questions())) != 56 {
		t.Errorf("a search of all: %v", err)
	}
	now = now.Add(time.Minute)
	if _, err := p.Do(t.Context(), searchRequest("connection_id", "cin_03")); err != nil || a.questions() != "tok_03" {
		t.Errorf("a minute later it is not asked again: %v", err)
	}
}

// D27: the cached TokenInfo of a member is not used after its token expires.
func TestAMembersVerdictEndsWithItsToken(t *testing.T) {
	now := packageNow
	a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_a": func(context.Context) (auth.TokenInfo, error) {
		if now.Before(packageNow.Add(10 * time.Second)) {
			return auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}, Expires: packageNow.Add(10 * time.Second)}, nil
		}
		return auth.TokenInfo{Inactive: &rs.Error{Code: "token_expired"}}, nil
	}}}
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"data":[]}`), "tok_b": says(`{"data":[]}`)}}
	p := judged(t, a, f, fanout.PackageOptions{Now: func() time.Time { return now }}, aMember("a"), aMember("b"))
	if _, err := p.Do(t.Context(), recordsRequest("cin_a")); err != nil {
		t.Fatal(err)
	}
	f.heard(t)
	now = now.Add(10 * time.Second)
	_, err := p.Do(t.Context(), recordsRequest("cin_a"))
	wantCode(t, err, "token_expired")
	f.wantSilence(t)
}

// D27: if a connection has two grants and the authority refuses one, the other is used.
func TestARefusedGrantGivesWayToAnotherOfItsConnection(t *testing.T) {
	a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_owner": nil}}
	owner := aMember("b")
	owner.Token, owner.GrantID = rs.NewToken("tok_owner"), "grt_owner"
	f := &packageRS{answers: map[string]memberAnswer{"tok_b": says(`{"data":[]}`)}}
	p := judged(t, a, f, fanout.PackageOptions{}, owner, aMember("b"))
	if _, err := p.Do(t.Context(), recordsRequest("cin_b")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"tok_b /v1/streams/notes/records?connection_id=cin_b&limit=5"}, f.heard(t)); diff != "" {
		t.Error(diff)
	}
}

// A panic while a member is checked fails this member only, however many there are, and its error says what to do.
func TestAPanicWhileAMemberIsChecked(t *testing.T) {
	for path, letters := range map[string]string{"search": "abcdefghijklmnopq", "blobs/b1": "ab"} {
		synctest.Test(t, func(t *testing.T) {
			a, f := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){}}, &packageRS{}
			var members []fanout.Member
			for letter := range strings.SplitSeq(letters, "") {
				members = append(members, aMember(letter))
				a.answers["tok_"+letter] = func(context.Context) (auth.TokenInfo, error) {
					broken := &auth.Terms{Limits: func() ([]rs.TimeLimit, bool) { panic("broken") }}
					return auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient, Terms: broken}}, nil
				}
			}
			var logged panics
			_, err := judged(t, a, f, fanout.PackageOptions{Panicked: logged.add}, members...).Do(t.Context(), rs.Request{Path: "/v1/" + path})
			if e := rs.AsError(err); e.Code != "internal_error" || !strings.HasPrefix(e.Hint, "Retry once") || strings.Contains(e.Cause.Error(), "broken") {
				t.Errorf("%s: %v %s", path, err, e.Hint)
			}
			logged.check(t, len(members))
		})
	}
}

// panics are the panics that were reported, with their stacks.
type panics struct {
	mu     sync.Mutex
	faults []any
	stacks []string
}

func (p *panics) add(fault any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.stacks = append(p.faults, fault), append(p.stacks, string(debug.Stack()))
}

// check fails the test unless there were so many panics, and their stacks lead to the test.
func (p *panics) check(t *testing.T, want int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	led := slices.DeleteFunc(slices.Clone(p.stacks), func(stack string) bool { return !strings.Contains(stack, "_test.go") })
	if len(p.faults) != want || len(led) != want {
		t.Errorf("%d panics are reported, %d with the stack of the fault, not %d", len(p.faults), len(led), want)
	}
}

// A panic while a member is read or introspected is reported, although the answer of the others is good.
func TestAPanicOfOneMemberIsReported(t *testing.T) {
	for name, row := range map[string]struct {
		reader    memberAnswer
		authority func(context.Context) (auth.TokenInfo, error)
	}{
		"its reader":    {reader: func(context.Context, rs.Request) (*rs.Response, error) { panic("secret") }},
		"its authority": {authority: func(context.Context) (auth.TokenInfo, error) { panic("secret") }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_b": row.authority}}
				f := &packageRS{answers: map[string]memberAnswer{"tok_a": hitsOf("a", 1), "tok_b": row.reader}}
				var logged panics
				response, err := judged(t, a, f, fanout.PackageOptions{Panicked: logged.add}, aMember("a"), aMember("b")).Do(t.Context(), searchRequest())
				if err != nil || response.Unavailable != 1 {
					t.Errorf("%v, %v", response, err)
				}
				logged.check(t, 1)
			})
		})
	}
}

// The time limits of a member's grant are known once the member is read, and apply only to its connection.
func TestTheTimesOfAMember(t *testing.T) {
	a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_b": func(context.Context) (auth.TokenInfo, error) {
		return auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient, Terms: &auth.Terms{Limits: func() ([]rs.TimeLimit, bool) {
			return []rs.TimeLimit{{Stream: "notes", Since: "2026-06-01T00:00:00Z"}}, true
		}}}}, nil
	}}}
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": says(`{"data":[]}`), "tok_b": says(`{"data":[]}`)}}
	principal := auth.Principal{Package: judged(t, a, f, fanout.PackageOptions{}, aMember("a"), aMember("b"))}
	var want []rs.TimeLimit
	for _, connection := range []string{"cin_a", "cin_b"} {
		if limits, known := principal.Limits(); known || cmp.Diff(want, limits) != "" {
			t.Errorf("before %s is read: %+v", connection, limits)
		}
		if _, err := principal.Package.Do(t.Context(), recordsRequest(connection)); err != nil {
			t.Fatal(err)
		}
	}
	want = []rs.TimeLimit{{Stream: "notes", Since: "2026-06-01T00:00:00Z", Connections: []string{"cin_b"}}}
	if limits, known := principal.Limits(); known || cmp.Diff(want, limits) != "" {
		t.Errorf("%+v", limits)
	}
}

// With a slow authority, at most 16 introspections run concurrently, and concurrent reads share one for each token, also if the
// members are looked up anew meanwhile.
func TestQuestionsAboutMembersAreFew(t *testing.T) {
	slow := func(context.Context) (auth.TokenInfo, error) {
		time.Sleep(time.Second)
		return auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}}, nil
	}
	a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){}}
	f := &packageRS{answers: map[string]memberAnswer{}}
	var members []fanout.Member
	for i := range 62 {
		c := aMember(fmt.Sprintf("%02d", i))
		f.answers[c.Token.Reveal()], a.answers[c.Token.Reveal()] = hitsOf(fmt.Sprintf("%02d", i), 1), slow
		members = append(members, c)
	}
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		authority := packageAuthority(a, f, fanout.PackageOptions{}, members...)
		var readers sync.WaitGroup
		for range 3 {
			p := packageFrom(t, authority)
			readers.Go(func() {
				response, err := p.Do(t.Context(), searchRequest())
				if m := readMerged(t, response, err); m.missing() != "" || len(m.Data) != fanout.DefaultSearchLimit {
					t.Errorf("%d hits, without %s", len(m.Data), m.missing())
				}
			})
		}
		readers.Wait()
		if took := time.Since(began); took != 4*time.Second {
			t.Errorf("it took %v", took)
		}
	})
	if n := len(strings.Fields(a.questions())); n != 62 || a.widest != 16 || f.widest > 3*fanout.DefaultPackageWidth {
		t.Errorf("%d lookups, %d at a time; %d reads at a time", n, a.widest, f.widest)
	}
}

// A hanging authority uses up the deadline of the member and delays the whole read no longer; a slow one leaves the rest of the
// deadline for the member's read.
func TestAHangingAuthorityCostsAMemberItsDeadline(t *testing.T) {
	hang := func(ctx context.Context) (auth.TokenInfo, error) {
		<-ctx.Done()
		return auth.TokenInfo{}, ctx.Err()
	}
	slow := func(context.Context) (auth.TokenInfo, error) {
		time.Sleep(3 * time.Second)
		return auth.TokenInfo{Principal: auth.Principal{Kind: auth.KindClient}}, nil
	}
	for name, request := range map[string]rs.Request{"search": searchRequest(), "streams": {Path: rs.Path("streams")}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &packageRS{
					answers: map[string]memberAnswer{"tok_a": hitsOf("a", 1), "tok_h": hitsOf("h", 1), "tok_s": hitsOf("s", 1), "tok_z": hangs},
				}
				a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_h": hang, "tok_s": slow, "tok_z": slow}}
				p := judged(t, a, f, fanout.PackageOptions{MemberDeadline: 5 * time.Second}, aMember("h"), aMember("s"), aMember("a"), aMember("z"))
				began := time.Now()
				response, err := p.Do(t.Context(), request)
				if m := readMerged(t, response, err); m.missing() != "cin_h=authority_unreachable cin_z=deadline_exceeded" || len(m.Data) != 2 {
					t.Errorf("%d hits, without %s", len(m.Data), m.missing())
				}
				if took := time.Since(began); took != 5*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
	t.Run("a read of that member alone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &packageRS{answers: map[string]memberAnswer{"tok_h": hitsOf("h", 1)}}
			a := &memberAuthority{answers: map[string]func(context.Context) (auth.TokenInfo, error){"tok_h": hang}}
			p := judged(t, a, f, fanout.PackageOptions{MemberDeadline: 5 * time.Second}, aMember("h"), aMember("b"))
			began := time.Now()
			_, err := p.Do(t.Context(), recordsRequest("cin_h"))
			wantCode(t, err, rs.AuthorityUnreachable)
			if took := time.Since(began); took != 5*time.Second {
				t.Errorf("it took %v", took)
			}
			f.wantSilence(t)
		})
	})
}
