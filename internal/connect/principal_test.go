package connect

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// S0-3a, S3-3a: several stored grants read as one. A revoked grant is reported as an unavailable connection; an owner's credential is
// refused; if no grant can be read, the error says so.
func TestStoredGrantsReadAsOne(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); token {
		case "good_1", "good_2":
			text := strings.ReplaceAll(schemaOf("client", "grt_"+token), "cin_slack_acme", "cin_"+token)
			_, _ = io.WriteString(w, text)
		case "owner":
			_, _ = io.WriteString(w, schemaOf("owner", ""))
		default:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"error":{"code":"grant_revoked","message":"Grant has been revoked"}}`)
		}
	}))
	defer server.Close()
	c, err := rsclient.New(rsclient.Options{Base: server.URL, Retries: -1, NoBreaker: true})
	if err != nil {
		t.Fatal(err)
	}
	keepers := func(tokens ...string) (all []*Keeper) {
		for _, token := range tokens {
			stored := credentials.Credential{ProviderURL: server.URL, Name: token, Token: rs.NewToken(token), GrantID: "grt_" + token, Path: t.TempDir() + "/x.json"}
			all = append(all, NewKeeper(stored, "test", time.Now))
		}
		return all
	}
	one, err := Principal(t.Context(), c, keepers("good_1"))
	if err != nil || one.Kind != auth.KindClient || one.Reader == nil || one.Package != nil {
		t.Errorf("one: %+v, %v", one, err)
	}
	several, err := Principal(t.Context(), c, keepers("good_1", "dead", "good_2"))
	if err != nil || several.Admissible() != nil || several.Package == nil {
		t.Fatalf("several: %v", err)
	}
	response, err := several.Package.Do(t.Context(), rs.Request{Path: rs.Path("schema")})
	if err != nil || !strings.Contains(response.Body, "cin_good_1") || !strings.Contains(response.Body, "cin_good_2") || !strings.Contains(response.Body, `"unavailable_connections":[{"grant_id":"grt_dead","connection_id":"dead"`) {
		t.Errorf("%v, %v", response, err)
	}
	for code, tokens := range map[int][]string{exit.Owner: {"good_1", "owner"}, exit.NotReady: {"dead", "dead_2"}} {
		_, err := Principal(t.Context(), c, keepers(tokens...))
		var failed *exit.Error
		if !errors.As(err, &failed) || failed.Code != code {
			t.Errorf("%v: %v", tokens, err)
		}
	}
}

// A stored grant that has ended is an unavailable connection with the command that connects it again, and its token is not sent.
func TestAStoredGrantThatHasEndedIsMissing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); token != "good" {
			t.Errorf("%q was sent", token)
		}
		_, _ = io.WriteString(w, schemaOf("client", "grt_good"))
	}))
	defer server.Close()
	c, err := rsclient.New(rsclient.Options{Base: server.URL, Retries: -1, NoBreaker: true})
	if err != nil {
		t.Fatal(err)
	}
	good := credentials.Credential{ProviderURL: server.URL, Name: "good", Token: rs.NewToken("good"), GrantID: "grt_good", Path: t.TempDir() + "/x.json"}
	old := good
	old.Name, old.Token, old.GrantID, old.Expires = "old", rs.NewToken("old"), "grt_old", time.Now().Add(-time.Hour)
	old.Document.Grant = credentials.Grant{Source: "https://r.example/connectors/mail", Streams: []string{"letters"}, Connections: []string{"cin_mail"}}
	p, err := Principal(t.Context(), c, []*Keeper{NewKeeper(good, "test", time.Now), NewKeeper(old, "test", time.Now)})
	if err != nil {
		t.Fatal(err)
	}
	response, err := p.Package.Do(t.Context(), rs.Request{Path: rs.Path("schema")})
	if err != nil || !strings.Contains(response.Body, `"connection_id":"cin_mail"`) || !strings.Contains(response.Body, "connect "+server.URL+" --source https://r.example/connectors/mail") {
		t.Errorf("%v, %v", response, err)
	}
}

// A grant that could not be read at the start is read later, after the check that it is a client's.
func TestAStoredGrantThatRecovers(t *testing.T) {
	for kind, read := range map[string]bool{"client": true, "owner": false} {
		var good atomic.Bool
		var records atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			switch {
			case token == "late" && !good.Load():
				w.WriteHeader(http.StatusForbidden)
				_, _ = io.WriteString(w, `{"error":{"code":"grant_revoked","message":"Grant has been revoked"}}`)
			case strings.HasSuffix(r.URL.Path, "/records"):
				if token == "late" {
					records.Add(1)
				}
				_, _ = io.WriteString(w, `{"object":"list","data":[],"has_more":false}`)
			case token == "late":
				_, _ = io.WriteString(w, schemaOf(kind, "grt_late"))
			default:
				_, _ = io.WriteString(w, strings.ReplaceAll(schemaOf("client", "grt_"+token), "cin_slack_acme", "cin_"+token))
			}
		}))
		defer server.Close()
		c, err := rsclient.New(rsclient.Options{Base: server.URL, Retries: -1, NoBreaker: true})
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now()
		var keepers []*Keeper
		for _, token := range []string{"early", "late"} {
			stored := credentials.Credential{ProviderURL: server.URL, Name: token, Token: rs.NewToken(token), GrantID: "grt_" + token, Path: t.TempDir() + "/x.json"}
			stored.Document.Grant = credentials.Grant{Streams: []string{"messages"}, Connections: []string{"cin_" + token}}
			keepers = append(keepers, NewKeeper(stored, "test", func() time.Time { return now }))
		}
		p, err := Principal(t.Context(), c, keepers)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Package.Do(t.Context(), rs.Request{Path: rs.Path("streams", "messages", "records"), Query: url.Values{"connection_id": {"cin_late"}}}); err == nil {
			t.Errorf("%s: read before it could be", kind)
		}
		good.Store(true)
		now = now.Add(refusalHold)
		_, err = p.Package.Do(t.Context(), rs.Request{Path: rs.Path("streams", "messages", "records"), Query: url.Values{"connection_id": {"cin_late"}}})
		if (err == nil) != read || (records.Load() == 1) != read {
			t.Errorf("%s: %d reads of records, %v", kind, records.Load(), err)
		}
	}
}

// Time limits and the command for more come from the stored credential, since the owner may have connected again.
func TestTermsComeFromTheStoredGrant(t *testing.T) {
	k := newKept(t, says(200, renewed))
	for since, count := range map[string]int{"2026-06-01T00:00:00Z": 2, "": 0} {
		d := k.stored(t)
		d.Grant.Streams, d.Grant.Offered, d.Grant.Since = []string{"messages", "channels"}, []string{"messages", "channels", "reactions"}, since
		k.store(t, d)
		if _, err := k.Renew(t.Context(), rs.NewToken("at_1"), "grant_revoked"); err != nil {
			t.Fatal(err)
		}
		limits, known := limits(storedNow([]*Keeper{k.Keeper}), nil)
		if !known || len(limits) != count {
			t.Errorf("since %q: %+v", since, limits)
		}
		command := credentials.ConnectCommands(storedNow([]*Keeper{k.Keeper}), rs.Missing{Streams: []string{"reactions"}})
		if len(command) != 1 || !strings.Contains(command[0], "--stream channels --stream reactions") || strings.Contains(command[0], "--since 2026-06-01") != (since != "") {
			t.Errorf("since %q: %q", since, command)
		}
	}
}

// Time limits are reported with the connections of their grant, and the command for more is for the grants that have such a limit.
func TestTimeLimitsNameTheirConnections(t *testing.T) {
	chat := credentials.Credential{Name: "default", ProviderURL: "https://rs.example"}
	chat.Document.Grant = credentials.Grant{Source: "https://r.example/connectors/chat", Streams: []string{"messages"}}
	mail := credentials.Credential{Name: "mail", ProviderURL: "https://rs.example"}
	mail.Document.Grant = credentials.Grant{Source: "https://r.example/connectors/mail", Streams: []string{"messages"}, Since: "2026-06-01T00:00:00Z"}
	both := []credentials.Credential{chat, mail}
	got, _ := limits(both, map[string][]string{"default": {"cin_chat"}, "mail": {"cin_mail"}})
	if len(got) != 1 || len(got[0].Connections) != 1 || got[0].Connections[0] != "cin_mail" {
		t.Errorf("%+v", got)
	}
	if lines := credentials.ConnectCommands(both, rs.Missing{Streams: []string{"messages"}, AllTimes: true}); len(lines) != 1 || !strings.Contains(lines[0], "connectors/mail") {
		t.Errorf("%q", lines)
	}
	if lines := credentials.ConnectCommands(both, rs.Missing{Streams: []string{"messages"}}); len(lines) != 2 {
		t.Errorf("%q", lines)
	}
}
