package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A kept is a stored credential with a refresh token, a scripted token endpoint and a clock.
type kept struct {
	*Keeper
	now  time.Time
	path string
	sent atomic.Int64
}

// newKept stores a credential that expires in ten minutes.
func newKept(t *testing.T, answer http.HandlerFunc) *kept {
	t.Helper()
	k := &kept{now: time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.sent.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	d := credentials.Document{
		ProviderURL: "https://rs.example", Client: credentials.Client{ID: "cli_1"}, Credential: credentials.Issued{AccessToken: "at_1", TokenType: "Bearer", GrantID: "grt_1"},
		Refresh: &credentials.Refresh{TokenEndpoint: server.URL, Token: "rt_1", Lifetime: 600}, Grant: credentials.Grant{Source: "https://registry.example/connectors/slack"},
	}
	d.Credential.SetExpiry(k.now.Add(10 * time.Minute))
	root := t.TempDir()
	path, err := credentials.Path(root, credentials.DefaultName, d.ProviderURL)
	if err != nil {
		t.Fatal(err)
	}
	k.path = path
	k.store(t, d)
	loaded, err := credentials.LoadCredential(root, d.ProviderURL, "", k.now)
	if err != nil {
		t.Fatal(err)
	}
	k.Keeper = NewKeeper(loaded, "test", func() time.Time { return k.now })
	return k
}

// store writes a credential as another process would.
func (k *kept) store(t *testing.T, d credentials.Document) {
	t.Helper()
	unlock, err := credentials.Lock(t.Context(), k.path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	if err := credentials.Save(k.path, d); err != nil {
		t.Fatal(err)
	}
}

func (k *kept) stored(t *testing.T) credentials.Document {
	t.Helper()
	text, err := os.ReadFile(k.path)
	if err != nil {
		t.Fatal(err)
	}
	var d credentials.Document
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// token returns the current token, or the error as text.
// token returns the token, or the error with its cause, which is for the log: models see only the message.
func (k *kept) token(t *testing.T) string {
	t.Helper()
	token, err := k.Token(t.Context())
	if err != nil {
		e := rs.AsError(err)
		if e.Message != "The access to https://rs.example has ended." && e.Message != "The access to https://rs.example has ended, and could not be renewed now." {
			t.Errorf("a model sees %q", e.Message)
		}
		return e.Error() + " " + e.NetworkCause()
	}
	return token.Reveal()
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

const renewed = `{"access_token":"at_2","expires_in":599,"refresh_token":"rt_2","token_type":"Bearer","grant_id":"grt_1"}`

func TestATokenIsRenewedBeforeItExpires(t *testing.T) {
	k := newKept(t, says(200, renewed))
	if got := k.token(t); got != "at_1" || k.sent.Load() != 0 {
		t.Error(got)
	}
	k.now = k.now.Add(9 * time.Minute)
	if got := k.token(t); got != "at_2" || k.sent.Load() != 1 {
		t.Error(got)
	}
	d := k.stored(t)
	info, err := os.Stat(k.path)
	if err != nil || info.Mode().Perm() != 0o600 || d.Refresh.Token != "rt_2" || d.Credential.AccessToken != "at_2" || string(d.Credential.ExpiresAt) != `"2026-11-22T14:18:59Z"` {
		t.Errorf("%v %s %+v, %v", info.Mode(), d.Credential.ExpiresAt, d.Refresh, err)
	}
	if _, err := os.Stat(k.path + ".next"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a reservation is left")
	}
}

// A short-lived token that expires while it is being stored is still used: the resource server decides.
func TestATokenThatExpiresWhileItIsStoredIsUsed(t *testing.T) {
	k := newKept(t, says(200, strings.Replace(renewed, "599", "2", 1)))
	k.write = func(file *os.File, text []byte) (int, error) {
		k.now = k.now.Add(3 * time.Second)
		return file.Write(text)
	}
	k.now = k.now.Add(9 * time.Minute)
	if got := k.token(t); got != "at_2" {
		t.Error(got)
	}
}

// A token renewed by another process is used without a request.
func TestARenewalOfAnotherProcessIsUsed(t *testing.T) {
	k := newKept(t, says(200, renewed))
	d := k.stored(t)
	d.Credential.AccessToken, d.Refresh.Token = "at_9", "rt_9"
	d.Credential.SetExpiry(k.now.Add(time.Hour))
	k.store(t, d)
	k.now = k.now.Add(9 * time.Minute)
	if got := k.token(t); got != "at_9" || k.sent.Load() != 0 {
		t.Errorf("%s after %d requests", got, k.sent.Load())
	}
}

// The resource server gives the same error for an expired token and an expired grant, so the token is renewed first.
func TestGrantExpiredRenewsFirst(t *testing.T) {
	k := newKept(t, says(200, renewed))
	token, err := k.Renew(t.Context(), rs.NewToken("at_1"), "grant_expired")
	if err != nil || token.Reveal() != "at_2" {
		t.Errorf("%v", err)
	}
	if token, err = k.Renew(t.Context(), rs.NewToken("at_1"), "grant_expired"); err != nil || token.Reveal() != "at_2" || k.sent.Load() != 1 {
		t.Errorf("a second call: %v after %d requests", err, k.sent.Load())
	}
	if token, err = k.Renew(t.Context(), rs.NewToken("at_2"), "grant_revoked"); err != nil || token.Reveal() != "at_2" || k.sent.Load() != 1 {
		t.Errorf("revoked: %v after %d requests", err, k.sent.Load())
	}
}

// If the answer of a renewal is lost, no process sends the refresh token again. The access token is used until it expires.
func TestALostAnswerIsNotRequestedAgain(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"a broken connection":                            func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"a gateway's error":                              says(502, `<html>`),
		"unavailable, from a proxy that lost the answer": says(503, `upstream connect error or disconnect/reset before headers`),
		"unavailable, without Retry-After":               says(503, `{"error":"temporarily_unavailable"}`),
		"a page with 403 from a filter":                  says(403, `<html>`),
		"a page with 404":                                says(404, `{"message":"Route not found","error":"Not Found","statusCode":404}`),
		"an unknown refusal":                             says(400, `{"error":"server_error"}`),
		"half an answer":                                 says(200, renewed[:40]),
		"a token of another grant":                       says(200, strings.Replace(renewed, "grt_1", "grt_2", 1)),
		"a token without a grant":                        says(200, `{"access_token":"at_2","refresh_token":"rt_2"}`),
		"a redirect to another host": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example", http.StatusTemporaryRedirect)
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t, answer)
			k.now = k.now.Add(9 * time.Minute)
			other := NewKeeper(k.current, "test", func() time.Time { return k.now })
			for range 3 {
				if got := k.token(t); got != "at_1" {
					t.Error(got)
				}
				if token, err := other.Token(t.Context()); err != nil || token.Reveal() != "at_1" {
					t.Error(err)
				}
				k.now = k.now.Add(15 * time.Second)
			}
			k.now = k.now.Add(time.Minute)
			got := k.token(t)
			if !strings.Contains(got, "its answer is lost") || strings.Contains(got, "rt_1") || k.sent.Load() != 1 {
				t.Errorf("%s after %d requests", got, k.sent.Load())
			}
			var refused *rs.Error
			if _, err := other.Token(t.Context()); !errors.As(err, &refused) || !strings.Contains(refused.Hint, "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/slack") {
				t.Errorf("%+v", refused)
			}
			d := k.stored(t) // the owner connects again
			d.Credential = credentials.Issued{AccessToken: "at_9", GrantID: "grt_1"}
			d.Refresh.Token = "rt_9"
			k.store(t, d)
			if got := k.token(t); got != "at_9" {
				t.Error(got)
			}
		})
	}
}

// If the server did not process a renewal, it is sent again later.
func TestARenewalThatWasNotProcessedIsSentAgain(t *testing.T) {
	for name, row := range map[string]struct {
		status int
		body   string
		after  string // Retry-After
		pause  time.Duration
	}{
		"too often":                        {429, `{"error":"slow_down"}`, "", renewPause},
		"too often, from a gateway":        {429, `<html>`, "30", 30 * time.Second},
		"unavailable for a time":           {503, `<html>`, "20", 20 * time.Second},
		"unavailable for less than a call": {503, `{"error":"temporarily_unavailable"}`, "1", renewPause},
		"not understood":                   {400, `{"error":"invalid_request"}`, "", renewPause},
	} {
		t.Run(name, func(t *testing.T) {
			var answers atomic.Int64
			k := newKept(t, func(w http.ResponseWriter, r *http.Request) {
				if answers.Add(1) == 1 {
					w.Header().Set("Retry-After", row.after)
					says(row.status, row.body)(w, r)
					return
				}
				says(200, renewed)(w, r)
			})
			k.now = k.now.Add(9 * time.Minute)
			if got := k.token(t) + k.token(t); got != "at_1at_1" || k.sent.Load() != 1 {
				t.Errorf("%s after %d requests", got, k.sent.Load())
			}
			k.now = k.now.Add(row.pause - time.Second)
			if got := k.token(t); got != "at_1" || k.sent.Load() != 1 {
				t.Errorf("before the retry time: %s after %d requests", got, k.sent.Load())
			}
			k.now = k.now.Add(time.Second)
			if got := k.token(t); got != "at_2" {
				t.Error(got)
			}
		})
	}
	k := newKept(t, nil)
	k.current.Document.Refresh.TokenEndpoint = "http://127.0.0.1:1"
	k.store(t, k.current.Document)
	k.now = k.now.Add(11 * time.Minute)
	if got := k.token(t); !strings.Contains(got, "cannot be reached") {
		t.Error(got)
	}
	if got := k.token(t); !strings.HasPrefix(got, "authority_unreachable: ") { // it is not sent again immediately
		t.Error(got)
	}
	if _, err := os.Stat(k.path + ".next"); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a reservation is left")
	}
}

// If the server refuses the refresh token, it is deleted and the error tells the user.
func TestARefusedRefreshTokenIsDeleted(t *testing.T) {
	k := newKept(t, says(400, `{"error":"invalid_grant","error_description":"rt_1 was reused","fresh_authorization_required":true}`))
	_, err := k.Renew(t.Context(), rs.NewToken("at_1"), "grant_expired")
	var refused *rs.Error
	if !errors.As(err, &refused) || refused.Code != "grant_expired" || !strings.Contains(refused.NetworkCause(), "no longer renews") || strings.Contains(refused.NetworkCause(), "rt_1") {
		t.Errorf("%v", err)
	}
	if d := k.stored(t); d.Refresh != nil {
		t.Errorf("%+v", d.Refresh)
	}
}

// Each recorded answer to a refresh is used, or ends the credential here as it ended the token family there.
func TestARecordedRefreshIsUsedOrEndsTheCredential(t *testing.T) {
	recorded := recordings(t)
	at := func(name string) http.HandlerFunc {
		return says(recorded[name].Status, recordedGrant.ReplaceAllString(string(recorded[name].Body), "grt_1"))
	}
	for name, want := range map[string]string{
		"refresh-02-second": "client_token_17", "refresh-11-parallel-1": "client_token_19", "refresh-21-after-expiry": "client_token_08",
		"refresh-01-first": "client_token_16", "refresh-06-with-scope-resource": "client_token_18",
	} {
		k := newKept(t, at(name))
		k.now = k.now.Add(9 * time.Minute)
		if got := k.token(t); got != want || !strings.HasPrefix(string(k.stored(t).Refresh.Token), "rt_made_up_") {
			t.Errorf("%s: %s; want %q", name, got, want)
		}
	}
	for _, name := range []string{
		"refresh-03-wrong-client", "refresh-04-other-client", "refresh-05-unknown", "refresh-07-reuse-old", "refresh-08-current-after-reuse", "refresh-09-reuse-again",
		"refresh-11-parallel-2", "refresh-11-parallel-3", "refresh-12-client-without-refresh", "refresh-22-after-revoke", "refusal-device-unknown-client",
	} {
		k := newKept(t, at(name))
		k.now = k.now.Add(11 * time.Minute)
		if got := k.token(t) + k.token(t); !strings.Contains(got, "no longer renews") || k.stored(t).Refresh != nil || k.sent.Load() != 1 {
			t.Errorf("%s: %s after %d requests", name, got, k.sent.Load())
		}
	}
	k := newKept(t, at("refresh-30-package"))
	k.now = k.now.Add(11 * time.Minute)
	if got := k.token(t); !strings.Contains(got, "connect again") && !strings.Contains(got, "has ended") || strings.Contains(got, "package_token") {
		t.Errorf("a package: %s", got)
	}
	k = newKept(t, at("refresh-13-missing-token"))
	k.now = k.now.Add(9 * time.Minute)
	if got := k.token(t); got != "at_1" || k.stored(t).Refresh == nil {
		t.Errorf("a request that was not understood: %s", got)
	}
	for name, renewed := range map[string]bool{"refresh-20-expired-read": true, "refresh-10-read-after-reuse": false, "connect-63-read-after-revoke": false} {
		k, code := newKept(t, at("refresh-02-second")), struct{ Error struct{ Code rs.Code } }{}
		if err := json.Unmarshal(recorded[name].Body, &code); err != nil {
			t.Fatal(err)
		}
		token, err := k.Renew(t.Context(), rs.NewToken("at_1"), code.Error.Code)
		if got := token.Reveal() == "client_token_17"; err != nil || got != renewed || got != (k.sent.Load() == 1) {
			t.Errorf("%s: renewed %v, %v", name, got, err)
		}
	}
}

// A full disk is detected before the request. If the disk fills up during the request, the answer is lost: no process sends the refresh
// token again, and the access token is used until it expires.
func TestAFullDiskIsDetectedBeforeTheRequest(t *testing.T) {
	k := newKept(t, says(200, renewed))
	if err := os.Mkdir(k.path+".next", 0o700); err != nil { // now nothing can be reserved
		t.Fatal(err)
	}
	k.now = k.now.Add(9 * time.Minute)
	if got := k.token(t); got != "at_1" || k.sent.Load() != 0 {
		t.Errorf("%s after %d requests", got, k.sent.Load())
	}
	if err := os.Remove(k.path + ".next"); err != nil {
		t.Fatal(err)
	}
	k.now = k.now.Add(renewPause)
	k.write = func(file *os.File, text []byte) (int, error) {
		n, _ := file.Write(text[:10])
		return n, syscall.ENOSPC
	}
	other := NewKeeper(k.current, "test", func() time.Time { return k.now })
	for range 2 {
		if got := k.token(t); got != "at_1" || k.stored(t).Refresh.Token != "rt_1" || k.sent.Load() != 1 {
			t.Errorf("%s after %d requests", got, k.sent.Load())
		}
	}
	if token, err := other.Token(t.Context()); err != nil || token.Reveal() != "at_1" || k.sent.Load() != 1 {
		t.Errorf("another process: %v after %d requests", err, k.sent.Load())
	}
	k.now = k.now.Add(time.Hour)
	if _, err := k.Token(t.Context()); rs.AsError(err).Code != "grant_expired" || !errors.Is(err, credentials.ErrAnswerLost) && !strings.Contains(err.Error(), "answer is lost") {
		t.Error(err)
	}
}

// The reserved file is as large as the whole document, however many streams are granted.
func TestAReservationIsAsLargeAsTheAnswer(t *testing.T) {
	k := newKept(t, says(200, renewed))
	d := k.stored(t)
	for i := range 1000 {
		d.Grant.Streams = append(d.Grant.Streams, fmt.Sprintf("stream_%d_of_a_long_list", i))
	}
	k.store(t, d)
	k.write = func(file *os.File, text []byte) (int, error) {
		if info, err := file.Stat(); err != nil || info.Size() < int64(len(text)) {
			t.Errorf("%d bytes are reserved for %d, %v", info.Size(), len(text), err)
		}
		return file.Write(text)
	}
	k.now = k.now.Add(9 * time.Minute)
	if got := k.token(t); got != "at_2" || len(k.stored(t).Grant.Streams) != 1000 {
		t.Error(got)
	}
}

// If a process ends after it wrote the answer and before it renamed the file, nothing is lost.
func TestAnInterruptedReplacementIsFinished(t *testing.T) {
	k := newKept(t, says(200, renewed))
	next := k.stored(t)
	next.Refresh.Replaces = next.Refresh.Mark()
	next.Credential.AccessToken, next.Refresh.Token = "at_2", "rt_2"
	next.Credential.SetExpiry(k.now.Add(time.Hour))
	text, _ := json.Marshal(next)
	if err := os.WriteFile(k.path+".next", append(text, strings.Repeat(" ", 500)...), 0o600); err != nil {
		t.Fatal(err)
	}
	k.now = k.now.Add(9 * time.Minute)
	if got := k.token(t); got != "at_2" || k.sent.Load() != 0 || k.stored(t).Refresh.Token != "rt_2" {
		t.Errorf("%s after %d requests", got, k.sent.Load())
	}
}

// A renewal continues when the call that started it ends.
func TestARenewalOutlivesItsCall(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	k := newKept(t, func(w http.ResponseWriter, r *http.Request) {
		cancel()
		says(200, renewed)(w, r)
	})
	k.now = k.now.Add(9 * time.Minute)
	if token, err := k.Token(ctx); err != nil || token.Reveal() != "at_2" || k.stored(t).Refresh.Token != "rt_2" {
		t.Error(err)
	}
}

// A grant that the owner approved again is used after the resource server has confirmed whose token it is.
func TestANewGrantIsUsedAfterACheck(t *testing.T) {
	k := newKept(t, nil)
	d := k.stored(t)
	d.Credential, d.Refresh = credentials.Issued{AccessToken: "at_9", GrantID: "grt_9"}, nil
	k.store(t, d)
	if token, err := k.Renew(t.Context(), rs.NewToken("at_1"), "grant_revoked"); err != nil || token.Reveal() != "at_1" {
		t.Errorf("unasked: %v", err)
	}
	k.identifyNew = func(_ context.Context, token rs.Token) error {
		if token.Reveal() != "at_9" {
			t.Error("another token was checked")
		}
		return nil
	}
	if token, err := k.Renew(t.Context(), rs.NewToken("at_1"), "grant_revoked"); err != nil || token.Reveal() != "at_9" {
		t.Errorf("identified: %v", err)
	}
}
