package signin_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport/signin"
)

const goodMetadata = `{"issuer":"URL","authorization_endpoint":"URL/a","token_endpoint":"URL/t","registration_endpoint":"URL/r",
	"response_types_supported":["code"],"code_challenge_methods_supported":["S256"],"token_endpoint_auth_methods_supported":["none"]}`

// A scripted server answers with what a fuzz target says: its metadata, a source's, and everything else.
type scripted struct {
	*httptest.Server
	metadata, source, answer, sent atomic.Value
}

func newScripted(f *testing.F) *scripted {
	s := &scripted{}
	s.metadata.Store(goodMetadata)
	s.source.Store("{}")
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/.well-known/"):
			_, _ = io.WriteString(w, strings.ReplaceAll(s.metadata.Load().(string), "URL", s.URL))
		case strings.HasPrefix(r.URL.Path, "/connectors/"):
			_, _ = io.WriteString(w, s.source.Load().(string))
		default:
			body, _ := io.ReadAll(r.Body)
			s.sent.Store(string(body))
			_, _ = io.WriteString(w, s.answer.Load().(string))
		}
	}))
	f.Cleanup(s.Close)
	return s
}

func (s *scripted) bridge(t testing.TB, key, details string) (*signin.Bridge, error) {
	return signin.New(t.Context(), signin.Options{
		Issuer: s.URL, Public: ours, ConnectorKey: key, Details: details, Now: time.Now, Log: zerolog.Nop(),
	})
}

// The law: metadata and a source's declaration make errors, never a fault, and what is accepted keeps to the server's own origin.
func FuzzMetadata(f *testing.F) {
	f.Add(goodMetadata, `{"streams":[{"name":"messages"}]}`, "")
	f.Add(goodMetadata, `{"streams":[{"name":1}]}`, `[{"type":"t","source":{"id":"s"},"streams":[{"name":"*","instance_ids":["a"]}]}]`)
	f.Add(`{"issuer":1}`, `[]`, `[{"type":"t"}]`)
	f.Add(`[]`, `null`, `{}`)
	s := newScripted(f)
	f.Fuzz(func(t *testing.T, metadata, source, details string) {
		s.metadata.Store(metadata)
		s.source.Store(source)
		key := ""
		if details == "" {
			key = "slack"
		}
		b, err := s.bridge(t, key, details)
		if err != nil {
			return
		}
		if to := get(b, web.AuthorizePath, "?state=x&"+pkce).Header().Get("Location"); !strings.HasPrefix(to, s.URL+"/") && !strings.HasPrefix(to, s.URL+"?") {
			t.Errorf("redirects to %q", to)
		}
		if b.Offers(rs.Missing{Streams: []string{"no such stream \x00"}}) && !strings.Contains(source+details, "no such stream") {
			t.Error("offers a stream that nobody named")
		}
	})
}

// The fields of a registration and of a token request that may be passed on.
var (
	knownOfClients = []string{"client_name", "redirect_uris", "application_type", "token_endpoint_auth_method", "response_types", "grant_types"}
	knownOfTokens  = []string{"grant_type", "code", "redirect_uri", "client_id", "code_verifier", "refresh_token", "scope", "resource"}
)

// The law: whatever a host sends and the server answers, nothing but the known fields is passed on, and the answer is JSON.
func FuzzRequests(f *testing.F) {
	f.Add(`{"client_name":"a","redirect_uris":["http://127.0.0.1/cb"],"scope":"x","software_id":"y"}`, `{"client_id":"cli_1"}`)
	f.Add("grant_type=authorization_code&code=c&client_id=cli_1&audience=x", `{"access_token":"a"}`)
	f.Add(refreshForm, `<html>`)
	f.Add(`{"grant_types":[1],"client_name":{}}`, `"`)
	f.Add("null", "")
	s := newScripted(f)
	f.Fuzz(func(t *testing.T, body, answer string) {
		b, err := s.bridge(t, "slack", "")
		if err != nil {
			t.Fatal(err)
		}
		s.answer.Store(answer)
		for path, media := range map[string]string{web.RegisterPath: "application/json", web.TokenPath: formMedia} {
			s.sent.Store("")
			w := post(b, path, media, body)
			if !json.Valid(w.Body.Bytes()) || w.Code >= 500 && w.Code != http.StatusServiceUnavailable {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			sent := s.sent.Load().(string)
			var client map[string]json.RawMessage
			form, _ := url.ParseQuery(sent)
			if path == web.RegisterPath {
				_ = json.Unmarshal([]byte(sent), &client)
			}
			for name := range client {
				if !slices.Contains(knownOfClients, name) {
					t.Errorf("%q is passed on", name)
				}
			}
			for name, values := range form {
				if path == web.TokenPath && (len(values) != 1 || !slices.Contains(knownOfTokens, name)) {
					t.Errorf("%q is passed on %d times", name, len(values))
				}
			}
		}
	})
}

// The law: issuers that are taken are https, or on this machine, and at most eight.
func FuzzIssuers(f *testing.F) {
	f.Add(`{"resource":"URL","authorization_servers":["https://as.example"]}`)
	f.Add(`{"resource":"URL","authorization_servers":["http://as.example"]}`)
	f.Add(`[]`)
	s := newScripted(f)
	f.Fuzz(func(t *testing.T, metadata string) {
		s.metadata.Store(metadata)
		found, err := signin.NewIssuers(s.URL, s.URL, time.Now).Ask(t.Context())
		if err == nil && (len(found) == 0 || len(found) > 8) {
			t.Errorf("%d issuers", len(found))
		}
		for _, issuer := range found {
			if u, err := url.Parse(issuer); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
				t.Errorf("issuer %q", issuer)
			}
		}
	})
}
