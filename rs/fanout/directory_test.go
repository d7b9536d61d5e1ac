package fanout_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// answers returns a handler that sends body with status 200.
func answers(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func newDirectory(t *testing.T, answer http.HandlerFunc) fanout.Directory {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	directory, err := fanout.NewHTTPDirectory(auth.LookupOptions{
		Endpoint: server.URL + "/packages", ClientID: "mcp adapter", ClientSecret: rs.NewToken("s:cret"), Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return directory
}

// D17: the answer of the directory becomes members; a fault of one member does not affect the others.
func TestHTTPDirectoryReadsMembers(t *testing.T) {
	connection := rs.Connection{GrantID: "grt_1", ConnectorKey: "mail", ID: "cin_1", DisplayName: "Work"}
	member := func(rest string) string {
		return `{"package_id":"pkg_1","status":"active","members":[{"grant_id":"grt_1","connection_id":"cin_1","connector_key":"mail","display_name":"Work","streams":["messages"],` + rest + `}]}`
	}
	unusable := func(code rs.Code, message string) fanout.Member {
		return fanout.Member{Connection: connection, Streams: []string{"messages"}, Refused: &rs.Error{Code: code, Message: message}}
	}
	quoted := func(code rs.Code, message string) fanout.Member {
		refused := unusable(code, message)
		refused.Refused.Quoted = true
		return refused
	}
	usable := fanout.Member{Connection: connection, Streams: []string{"messages"}, Token: rs.NewToken("tok_1")}
	until := usable
	until.Expires = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	expiring := unusable("grant_unusable", "The package directory gives an expiry that cannot be read.")
	for name, row := range map[string]struct {
		body string
		want []fanout.Member
	}{
		"D17 a usable member":                   {member(`"access_token":"tok_1","usable":true`), []fanout.Member{usable}},
		"D17 an expiry as a time":               {member(`"access_token":"tok_1","usable":true,"expires_at":"2026-03-01T12:00:00Z"`), []fanout.Member{until}},
		"an expiry as seconds":                  {member(`"access_token":"tok_1","usable":true,"expires_at":1772366400`), []fanout.Member{until}},
		"no expiry":                             {member(`"access_token":"tok_1","usable":true,"expires_at":null`), []fanout.Member{usable}},
		"an empty expiry":                       {member(`"access_token":"tok_1","usable":true,"expires_at":""`), []fanout.Member{usable}},
		"an expiry that is neither":             {member(`"access_token":"tok_1","usable":true,"expires_at":true`), []fanout.Member{expiring}},
		"an invalid expiry":                     {member(`"access_token":"tok_1","usable":true,"expires_at":"soon"`), []fanout.Member{expiring}},
		"D14 a member that is not usable":       {member(`"access_token":"tok_1","usable":false`), []fanout.Member{unusable("grant_unusable", "The package directory says that this grant cannot be read.")}},
		"D14 a member of which nothing is said": {member(`"access_token":"tok_1"`), []fanout.Member{unusable("grant_unusable", "The package directory says that this grant cannot be read.")}},
		"D14 a member with an error":            {member(`"usable":false,"error":{"code":"grant_revoked","message":"Revoked\nyesterday."}`), []fanout.Member{quoted("grant_revoked", "Revoked yesterday.")}},
		"a refusal that repeats the token": {member(`"access_token":"tok_123456789","usable":false,"error":{"code":"tok_123456789","message":"No tok_123456789."}`),
			[]fanout.Member{quoted("grant_unusable", "No [token].")}},
		"D14 an error makes a member unusable":   {member(`"access_token":"tok_1","usable":true,"error":{"code":"not a code!"}`), []fanout.Member{unusable("grant_unusable", "The package directory says that this grant cannot be read.")}},
		"a member without a token":               {member(`"usable":true`), []fanout.Member{unusable("grant_unusable", "The package directory gives no token that could be sent.")}},
		"a token that would break the header":    {member(`"access_token":"a\r\nX-Evil: 1","usable":true`), []fanout.Member{unusable("grant_unusable", "The package directory gives no token that could be sent.")}},
		"a token with a space":                   {member(`"access_token":"a b","usable":true`), []fanout.Member{unusable("grant_unusable", "The package directory gives no token that could be sent.")}},
		"a token with a tilde":                   {member(`"access_token":"a~!","usable":true`), []fanout.Member{{Connection: connection, Streams: []string{"messages"}, Token: rs.NewToken("a~!")}}},
		"a package of no members":                {`{"package_id":"pkg_1","status":"active","members":[]}`, nil},
		"a package whose members are not listed": {`{"package_id":"pkg_1","status":"active"}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			directory := newDirectory(t, func(w http.ResponseWriter, r *http.Request) {
				id, secret, _ := r.BasicAuth()
				got := fmt.Sprint(r.Method, r.URL.Path, id, secret, r.PostFormValue("token"), r.Header.Get("Authorization") == "", r.URL.RawQuery)
				if want := fmt.Sprint("POST", "/packages", "mcp+adapter", "s%3Acret", packageToken, false, ""); got != want {
					t.Errorf("asked %s, want %s", got, want)
				}
				fmt.Fprint(w, row.body)
			})
			got, err := directory.Members(t.Context(), rs.NewToken(packageToken))
			if err != nil {
				t.Fatal(err)
			}
			want := fanout.Membership{PackageID: "pkg_1", Members: row.want}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b rs.Token) bool { return a == b }), cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0)); diff != "" {
				t.Errorf("membership (-want +got):\n%s", diff)
			}
		})
	}
}

// strictMember returns a package of one member with more JSON members.
func strictMember(more string) string {
	return `{"status":"active","members":[{"grant_id":"grt_1","connection_id":"cin_1","streams":["messages"],"access_token":"tok_1",` + more + `}]}`
}

func TestHTTPDirectoryFails(t *testing.T) {
	const secret = "pkg-secret-token"
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		want   rs.Code
	}{
		"D17 a revoked package":           {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"revoked","members":[]}`) }, "package_revoked"},
		"D17 a status that nobody knows":  {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"status":"suspended"}`) }, "package_revoked"},
		"no status":                       {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"members":[]}`) }, rs.AuthorityUnreachable},
		"the status twice":                {answers(`{"status":"revoked","status":"active","members":[]}`), rs.AuthorityUnreachable},
		"the status in another case":      {answers(`{"status":"active","STATUS":"active","members":[]}`), rs.AuthorityUnreachable},
		"the status in another case only": {answers(`{"Status":"active","members":[]}`), rs.AuthorityUnreachable},
		"the members twice":               {answers(`{"status":"active","members":[],"members":[{"connection_id":"cin_1"}]}`), rs.AuthorityUnreachable},
		"the members in another case":     {answers(`{"status":"active","Members":[{"connection_id":"cin_1"}]}`), rs.AuthorityUnreachable},
		"a member usable twice":           {answers(strictMember(`"usable":false,"usable":true`)), rs.AuthorityUnreachable},
		"a member usable in another case": {answers(strictMember(`"usable":false,"Usable":true`)), rs.AuthorityUnreachable},
		"a member with a token twice":     {answers(strictMember(`"usable":true,"access_token":"tok_2"`)), rs.AuthorityUnreachable},
		"a member of two connections":     {answers(strictMember(`"usable":true,"Connection_ID":"cin_2"`)), rs.AuthorityUnreachable},
		"a member with streams twice":     {answers(strictMember(`"usable":true,"streams":["notes"]`)), rs.AuthorityUnreachable},
		"a member that ends twice":        {answers(strictMember(`"usable":true,"expires_at":1,"expires_at":null`)), rs.AuthorityUnreachable},
		"a member with an error twice":    {answers(strictMember(`"usable":true,"error":{"code":"grant_revoked"},"error":null`)), rs.AuthorityUnreachable},
		"no JSON":                         {func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `<html>`) }, rs.AuthorityUnreachable},
		"a member that cannot be named": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"status":"active","members":[{"usable":true}]}`)
		}, rs.AuthorityUnreachable},
		"an error status": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, rs.AuthorityUnreachable},
		"a redirect, which is not followed": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, rs.AuthorityUnreachable},
		"an answer above 1 MiB": {func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"status":"active","x":"%s"}`, strings.Repeat("x", 1<<20))
		}, rs.AuthorityUnreachable},
		"a broken connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, rs.AuthorityUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			directory := newDirectory(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/packages" {
					t.Errorf("the token was sent on to %s", r.URL.Path)
				}
				row.answer(w, r)
			})
			_, err := directory.Members(t.Context(), rs.NewToken(secret))
			e := wantCode(t, err, row.want)
			if strings.Contains(fmt.Sprintf("%+v %v", e, e.Cause), secret) {
				t.Error("the token is shown")
			}
		})
	}
	t.Run("no answer in time", func(t *testing.T) {
		hungUp := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hungUp }))
		defer server.Close()
		defer close(hungUp)
		directory, err := fanout.NewHTTPDirectory(auth.LookupOptions{Endpoint: server.URL, Timeout: time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		_, err = directory.Members(t.Context(), rs.NewToken(secret))
		wantCode(t, err, rs.AuthorityUnreachable)
	})
}

func TestNewHTTPDirectoryRefuses(t *testing.T) {
	for name, endpoint := range map[string]string{
		"nothing": "", "a path": "/packages", "another scheme": "ftp://as.example/packages", "no host": "https:///packages",
		"credentials": "https://user:pass@as.example/packages",
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := fanout.NewHTTPDirectory(auth.LookupOptions{Endpoint: endpoint}); err == nil || strings.Contains(err.Error(), "pass@") {
				t.Errorf("error is %v", err)
			}
		})
	}
}

type directoryFunc func(context.Context, rs.Token) (fanout.Membership, error)

func (f directoryFunc) Members(ctx context.Context, t rs.Token) (fanout.Membership, error) {
	return f(ctx, t)
}

func TestPackageAuthority(t *testing.T) {
	info := auth.TokenInfo{Principal: auth.Principal{Token: rs.NewToken(packageToken), Kind: auth.KindPackage, GrantID: "pkg_1"}}
	until := func(hours int) time.Time { return packageNow.Add(time.Duration(hours) * time.Hour) }
	member := func(letter string, expires time.Time) fanout.Member {
		c := aMember(letter)
		c.Expires = expires
		return c
	}
	refused := member("r", until(1))
	refused.Refused = &rs.Error{Code: "grant_revoked"}
	for name, row := range map[string]struct {
		expires time.Time
		members []fanout.Member
		want    time.Time
	}{
		"D17 held until the package ends":               {until(2), []fanout.Member{member("a", until(3))}, until(2)},
		"D17 held until the first member ends":          {until(9), []fanout.Member{member("a", until(3)), member("b", until(2))}, until(2)},
		"D17 a member's end counts alone":               {time.Time{}, []fanout.Member{member("a", until(3))}, until(3)},
		"no end":                                        {time.Time{}, []fanout.Member{member("a", time.Time{})}, time.Time{}},
		"a member that has ended ends nothing else":     {until(2), []fanout.Member{member("a", until(-1))}, until(2)},
		"a member that cannot be read ends nothing":     {until(2), []fanout.Member{refused}, until(2)},
		"a package of nobody is a package all the same": {until(2), nil, until(2)},
	} {
		t.Run(name, func(t *testing.T) {
			info := info
			info.Expires = row.expires
			f := &packageRS{}
			authority := fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
				Authority: memberIntrospector(func(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
					if token.Reveal() == packageToken {
						return info, nil
					}
					return onePackage(ctx, token)
				}),
				Directory: directoryFunc(func(_ context.Context, token rs.Token) (fanout.Membership, error) {
					if token.Reveal() != packageToken {
						t.Errorf("asked about %q", token.Reveal())
					}
					return fanout.Membership{Members: row.members}, nil
				}),
				For: f.doer, Package: fanout.PackageOptions{Now: func() time.Time { return packageNow }},
			})
			got, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
			if err != nil || got.Inactive != nil || !got.Expires.Equal(row.want) {
				t.Errorf("info %+v, %v; want it until %v", got, err, row.want)
			}
			if err := got.Principal.Admissible(); err != nil {
				t.Errorf("a package with its members is refused: %v", err)
			}
			f.wantSilence(t)
		})
	}
	for name, row := range map[string]struct {
		kind    string
		judged  error
		members error
		want    rs.Code // of the error or, with dead, of Inactive
		dead    bool
		asked   bool
	}{
		"D17 a revoked package is dead":                  {auth.KindPackage, nil, &rs.Error{Code: "package_revoked"}, "package_revoked", true, true},
		"a directory that cannot tell condemns nobody":   {auth.KindPackage, nil, errors.New("down"), rs.AuthorityUnreachable, false, true},
		"a directory with another error of ours":         {auth.KindPackage, nil, &rs.Error{Code: "not_found"}, rs.AuthorityUnreachable, false, true},
		"an authority that cannot tell":                  {auth.KindPackage, &rs.Error{Code: rs.AuthorityUnreachable}, nil, rs.AuthorityUnreachable, false, false},
		"S0-R3 of an owner the directory learns nothing": {auth.KindOwner, nil, nil, "", false, false},
		"of a client the directory learns nothing":       {auth.KindClient, nil, nil, "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			asked := false
			authority := fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
				Authority: memberIntrospector(func(context.Context, rs.Token) (auth.TokenInfo, error) {
					v := info
					v.Principal.Kind = row.kind
					return v, row.judged
				}),
				Directory: directoryFunc(func(context.Context, rs.Token) (fanout.Membership, error) {
					asked = true
					return fanout.Membership{}, row.members
				}),
				For: (&packageRS{}).doer,
			})
			got, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
			switch {
			case row.dead && (err != nil || got.Inactive == nil || got.Inactive.Code != row.want):
				t.Errorf("info %+v, %v; want dead", got, err)
			case !row.dead && row.want != "":
				wantCode(t, err, row.want)
			case !row.dead && row.want == "" && (err != nil || got.Principal.Package != nil):
				t.Errorf("info %+v, %v", got, err)
			}
			if asked != row.asked {
				t.Errorf("the directory was asked: %t", asked)
			}
		})
	}
}

// onePackage is an authority that knows one package, an owner, and client grants.
func onePackage(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
	kind := auth.KindClient
	switch token.Reveal() {
	case packageToken:
		kind = auth.KindPackage
	case "tok_owner":
		kind = auth.KindOwner
	}
	return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: kind}}, nil
}

// S0-R3, D17: an owner token that a directory returns by mistake is not used for a read.
func TestPackageAuthorityRefusesAnOwnersToken(t *testing.T) {
	owner := aMember("a")
	owner.Token = rs.NewToken("tok_owner")
	f := &packageRS{answers: map[string]memberAnswer{"tok_b": hitsOf("b", 1)}}
	authority := fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
		Authority: memberIntrospector(onePackage),
		Directory: directoryFunc(func(context.Context, rs.Token) (fanout.Membership, error) {
			return fanout.Membership{PackageID: "pkg_1", Members: []fanout.Member{owner, aMember("b")}}, nil
		}),
		For: f.doer,
	})
	info, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
	if err != nil {
		t.Fatal(err)
	}
	_, err = info.Principal.Package.Do(t.Context(), recordsRequest("cin_a"))
	wantCode(t, err, "grant_unusable")
	f.wantSilence(t)
	response, err := info.Principal.Package.Do(t.Context(), searchRequest())
	if m := readMerged(t, response, err); m.keys() != "b0" || m.missing() != "cin_a=grant_unusable" {
		t.Errorf("hits %q without %q", m.keys(), m.missing())
	}
}

// D17: if a directory returns the package's own token as a member's, it is not sent to the resource server.
func TestPackageAuthorityKeepsThePackageTokenBack(t *testing.T) {
	echo := aMember("a")
	echo.Token = rs.NewToken(packageToken)
	f := &packageRS{answers: map[string]memberAnswer{"tok_b": hitsOf("b", 1)}}
	authority := fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
		Authority: memberIntrospector(onePackage),
		Directory: directoryFunc(func(context.Context, rs.Token) (fanout.Membership, error) {
			return fanout.Membership{PackageID: "pkg_1", Members: []fanout.Member{echo, aMember("b")}}, nil
		}),
		For: f.doer,
	})
	info, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
	if err != nil {
		t.Fatal(err)
	}
	response, err := info.Principal.Package.Do(t.Context(), searchRequest())
	if m := readMerged(t, response, err); m.keys() != "b0" || m.missing() != "cin_a=grant_unusable" {
		t.Errorf("hits %q without %q", m.keys(), m.missing())
	}
	f.heard(t)
}

// D14: a refusal by a member is remembered when the members are looked up again, as after a 401, but not for a new token.
func TestPackageAuthorityRemembersRefusals(t *testing.T) {
	members := []fanout.Member{aMember("a"), aMember("b")}
	f := &packageRS{answers: map[string]memberAnswer{"tok_a": fails(401, "context.active_false"), "tok_new": hitsOf("a", 1)}}
	authority := fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
		Authority: memberIntrospector(onePackage),
		Directory: directoryFunc(func(context.Context, rs.Token) (fanout.Membership, error) {
			return fanout.Membership{Members: members}, nil
		}),
		For: f.doer, Package: fanout.PackageOptions{Now: func() time.Time { return packageNow }},
	})
	read := func() error {
		info, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
		if err != nil {
			t.Fatal(err)
		}
		_, err = info.Principal.Package.Do(t.Context(), recordsRequest("cin_a"))
		return err
	}
	wantCode(t, read(), "context.active_false")
	f.heard(t)
	wantCode(t, read(), "context.active_false")
	f.wantSilence(t)
	members = []fanout.Member{aMember("a"), aMember("b")}
	members[0].Token = rs.NewToken("tok_new")
	if err := read(); err != nil {
		t.Errorf("a grant approved anew: %v", err)
	}
}

// Of a directory with too many members, only the first MaxMembers are introspected and read.
func TestPackageAuthorityReadsSoManyMembers(t *testing.T) {
	members := make([]fanout.Member, fanout.MaxMembers+100)
	for i := range members {
		members[i] = aMember(fmt.Sprint("c", i))
	}
	var judged atomic.Int64
	f := &packageRS{}
	authority := fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
		Authority: memberIntrospector(func(ctx context.Context, token rs.Token) (auth.TokenInfo, error) {
			judged.Add(1)
			return onePackage(ctx, token)
		}),
		Directory: directoryFunc(func(context.Context, rs.Token) (fanout.Membership, error) {
			return fanout.Membership{PackageID: "pkg_1", Members: members}, nil
		}),
		For: f.doer,
	})
	info, err := authority.Introspect(t.Context(), rs.NewToken(packageToken))
	if err != nil {
		t.Fatal(err)
	}
	if n := judged.Load(); n != 1 {
		t.Errorf("the authority was asked %d times before a read, want 1", n)
	}
	if _, err := info.Principal.Package.Do(t.Context(), searchRequest()); err == nil {
		t.Error("nobody answers, and the search is good")
	}
	f.mu.Lock()
	read := len(f.asked)
	f.asked = nil
	f.mu.Unlock()
	if n := judged.Load(); n != 1+fanout.MaxMembers || read != fanout.MaxMembers {
		t.Errorf("the authority was asked %d times, want %d; %d members were read", n, 1+fanout.MaxMembers, read)
	}
	_, err = info.Principal.Package.Do(t.Context(), recordsRequest(fmt.Sprint("cin_c", fanout.MaxMembers)))
	wantCode(t, err, "grant_unusable")
	f.wantSilence(t)
}

// In a Go host's own package, the error for a member beyond MaxMembers says why it is not read and what helps: approving it again does not.
// A member that is listed twice counts once.
func TestAPackageHasSoManyMembers(t *testing.T) {
	members := []fanout.Member{aMember("c0")}
	for i := range fanout.MaxMembers + 1 {
		members = append(members, aMember(fmt.Sprint("c", i)))
	}
	f := &packageRS{}
	read := func(connection int) error {
		_, err := fanout.NewPackage(fanout.Membership{Members: members}, f.doer, fanout.PackageOptions{}).
			Do(t.Context(), recordsRequest(fmt.Sprint("cin_c", connection)))
		return err
	}
	if e := rs.AsError(read(fanout.MaxMembers - 1)); e.Code == "grant_unusable" {
		t.Errorf("the last member: %v", e)
	}
	e := rs.AsError(read(fanout.MaxMembers))
	if e.Code != "grant_unusable" || e.Message != `Connection "cin_c256" cannot be read: Only the first 256 connections of a package are read.` ||
		e.Hint != "Choose another connection_id, which schema lists. The operator can divide the package." {
		t.Errorf("the one after it: %v %s", e, e.Hint)
	}
}
