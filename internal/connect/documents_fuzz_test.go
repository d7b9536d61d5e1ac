package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// seed adds the recorded bodies whose names begin with one of the prefixes.
func seed(f *testing.F, prefixes ...string) {
	f.Helper()
	for name, e := range recordings(f) {
		for _, prefix := range prefixes {
			if strings.HasPrefix(name, prefix) {
				f.Add([]byte(e.Body))
			}
		}
	}
	f.Add([]byte(`{"interval":1e308,"expires_in":-1,"verification_uri":"http://[::1]/device/"}`))
	f.Add([]byte(`[]`))
}

// For any metadata, tokens are sent only to an encrypted address at the issuer's origin, and reads to the origin that was given.
func FuzzMetadata(f *testing.F) {
	seed(f, "connect-0", "connect-70")
	f.Fuzz(func(t *testing.T, body []byte) {
		asked, _ := url.Parse("https://rs.example")
		var resource resourceMetadata
		if decode(body, &resource) == nil {
			if s, _, err := resource.server(asked); err == nil {
				provider, err := SecureURL(s.provider)
				if resource.QueryBase != "" && strings.HasSuffix(resource.QueryBase, "/v1") && (err != nil || origin(provider) != origin(asked)) {
					t.Errorf("reads are sent to %q", s.provider)
				}
			}
		}
		var m metadata
		issuer, _ := url.Parse("https://as.example")
		if decode(body, &m) != nil || m.check(issuer) != nil {
			return
		}
		for _, endpoint := range []string{m.PAR, m.AgentConnect, m.Registration, m.Device, m.Authorization, m.Token} {
			if u, err := SecureURL(endpoint); endpoint != "" && (err != nil || origin(u) != origin(issuer)) {
				t.Errorf("a secret is sent to %q", endpoint)
			}
		}
	})
}

// An accepted registration has an id that can be sent and stored.
func FuzzRegistration(f *testing.F) {
	seed(f, "connect-1")
	f.Fuzz(func(t *testing.T, body []byte) {
		a := &attempt{}
		if err := a.readRegistration(body); (err == nil) != (a.app.ID != "") || len(a.app.ID) > 512 || strings.ContainsAny(a.app.ID, "\r\n\x00") {
			t.Errorf("%q, %v", a.app.ID, err)
		}
	})
}

// An accepted start of a wait has addresses only at the issuer's origin, never /device, and bounded times.
func FuzzStart(f *testing.F) {
	seed(f, "connect-2", "connect-3", "connect-7", "connect-9")
	f.Fuzz(func(t *testing.T, body []byte) {
		a := &attempt{server: server{metadata: metadata{Issuer: "https://as.example"}}}
		s, err := a.readStarted(body, nil)
		if err != nil {
			return
		}
		for _, address := range []string{s.ApprovalURL, s.CompleteURI, s.AuthorizationURL, s.PollURL, s.VerificationURI} {
			if u, err := SecureURL(address); address != "" && (err != nil || u.Hostname() != "as.example" && !strings.EqualFold(u.Hostname(), "as.example") || strings.HasSuffix(u.Path, "/device")) {
				t.Errorf("%q", address)
			}
		}
		if d := seconds(s.ExpiresIn, defaultApprovalTime, longestApprovalTime); d <= 0 || d > longestApprovalTime {
			t.Errorf("it waits for %s", d)
		}
		if d := seconds(max(s.Interval, s.IntervalMS/1000), defaultPollInterval, longestPollInterval); d < 0 || d > longestPollInterval {
			t.Errorf("it polls every %s", d)
		}
	})
}

// An accepted token has a grant, which is not a package, and is valid in a header.
func FuzzToken(f *testing.F) {
	seed(f, "connect-2", "connect-3", "connect-4", "connect-75", "connect-91", "refresh")
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := readToken(body)
		if err != nil {
			return
		}
		if answer.GrantID == "" || strings.HasPrefix(answer.GrantID, "gpkg_") || answer.PackageID != "" || !answer.AccessToken.Usable() || answer.ExpiresIn < 0 {
			t.Errorf("%+v", answer)
		}
	})
}

// The answer to a poll is a token with a grant, still pending, or an end with a readable reason. Invalid JSON is never an end.
func FuzzDecision(f *testing.F) {
	for name, e := range recordings(f) {
		if strings.HasPrefix(name, "connect-2") || strings.HasPrefix(name, "connect-3") {
			f.Add(e.Status, []byte(e.Body))
		}
	}
	f.Add(502, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		var err error
		if status < 200 || status > 299 {
			err = refusedBy(status, body)
		}
		got, err := decision(body, err)
		waits := errors.Is(err, errPending) || errors.Is(err, errDecisionUnknown)
		if err == nil && (got.GrantID == "" || !got.AccessToken.Usable()) || !json.Valid(body) && !waits || err != nil && strings.ContainsAny(err.Error(), "<\x00\x1b") {
			t.Errorf("%d: %+v, %v", status, got, err)
		}
	})
}

// An error never contains text of the server, except a code that is a simple name.
func FuzzRefusal(f *testing.F) {
	seed(f, "refusal", "refresh-0", "connect-3")
	f.Fuzz(func(t *testing.T, body []byte) {
		refused := refusedBy(400, body)
		if strings.ContainsAny(refused.Code, " \r\n\x00\"<") || len(refused.Error()) > 120 {
			t.Errorf("%q", refused.Error())
		}
	})
}

// A scriptedAnswer is the only answer of every server.
type scriptedAnswer []byte

func (s scriptedAnswer) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(s))}, nil
}

// An accepted description of a source has an absolute URI as its id, and requesting it makes one selection.
func FuzzSource(f *testing.F) {
	seed(f, "connect-04", "refusal-public")
	f.Fuzz(func(t *testing.T, body []byte) {
		c := &client{once: &rsclient.Once{HTTP: http.Client{Transport: scriptedAnswer(body)}}}
		found, err := c.source(t.Context(), server{metadata: metadata{Issuer: "https://as.example"}}, "slack")
		if err != nil {
			return
		}
		if u, err := url.Parse(found.ID); err != nil || !u.IsAbs() {
			t.Errorf("%q", found.ID)
		}
		a := &attempt{request: Request{Streams: found.streams, Since: "2026-01-31"}}
		if err := a.choose(found); err != nil || len(a.asked.Streams) == 0 {
			t.Errorf("%v, %+v", err, a.asked)
		}
	})
}

// The response of a browser is only accepted with the state that this program sent, and is a code or a refusal.
func FuzzCallback(f *testing.F) {
	f.Add("code=c&state=st")
	f.Add("error=access_denied&state=st&iss=https%3A%2F%2Fas.example")
	f.Add("code=c&code=d&state=st")
	f.Fuzz(func(t *testing.T, text string) {
		query, _ := url.ParseQuery(text)
		back, err := (&loopback{state: "st", issuer: "https://as.example"}).read(query)
		if err == nil && (query.Get("state") != "st" || (back.code == "") == (back.refused == "") || query.Has("iss") && query.Get("iss") != "https://as.example") {
			t.Errorf("%+v of %q", back, text)
		}
	})
}
