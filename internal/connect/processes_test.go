//go:build unix

package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// Environment variables of a child process that reads with the shared credential.
const (
	rootVariable      = "PDPP_TEST_KEEPER_ROOT"
	authorityVariable = "PDPP_TEST_KEEPER_AUTHORITY"
	expiriesVariable  = "PDPP_TEST_KEEPER_EXPIRIES" // how many expiries the test has; 120 if empty
)

func TestMain(m *testing.M) {
	if root := os.Getenv(rootVariable); root != "" {
		if err := readForEver(root, os.Getenv(authorityVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// A strictAuthority issues access tokens that expire after a few reads, and revokes the token family if a refresh token is used twice. It
// tells processes when to end during their renewals.
type strictAuthority struct {
	*httptest.Server
	mu                sync.Mutex
	random            *rand.Rand
	issued            int
	access, refresh   string
	reads             int             // that are left for the access token
	used              map[string]bool // refresh tokens
	expiries, most    int
	reuses            int
	lossy, reconnects int // lost answers, and new approvals
	kills, full       int
}

func (a *strictAuthority) issue() map[string]any {
	a.issued++
	a.access, a.refresh, a.reads = fmt.Sprintf("access_%d", a.issued), fmt.Sprintf("refresh_%d", a.issued), 1+a.random.IntN(4)
	return map[string]any{"access_token": a.access, "refresh_token": a.refresh, "token_type": "Bearer", "grant_id": "grt_1"}
}

func (a *strictAuthority) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	process, _ := strconv.Atoi(strings.TrimPrefix(r.UserAgent(), "process/"))
	answer := func(status int, body any) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(body)
	}
	kill := func() {
		a.kills++
		_ = syscall.Kill(process, syscall.SIGKILL)
		panic(http.ErrAbortHandler)
	}
	switch r.URL.Path {
	case "/token":
		token := r.FormValue("refresh_token")
		if token != a.refresh || a.used[token] {
			a.reuses++
			answer(400, map[string]any{"error": "invalid_grant", "fresh_authorization_required": true})
			return
		}
		a.expiries++
		switch a.random.IntN(20) {
		case 0:
			a.lossy++
			kill()
		case 1:
			a.used[token] = true
			a.issue()
			a.lossy++
			kill()
		}
		a.used[token] = true
		answer(200, a.issue())
	case "/fate": // whether a write succeeds
		switch a.random.IntN(20) {
		case 0:
			a.lossy++
			kill()
		case 1:
			a.full++
			answer(200, "full")
		case 2:
			answer(200, "written")
		default:
			answer(200, "")
		}
	case "/written": // but not renamed
		kill()
	case "/connect":
		a.reconnects++
		answer(200, a.issue())
	case "/read":
		switch a.reads--; {
		case a.expiries >= a.most:
			answer(410, "stop")
		case r.Header.Get("Authorization") == "Bearer "+a.access && a.reads >= 0:
			answer(200, "")
		default:
			answer(403, "grant_expired")
		}
	}
}

// S3-1b: four processes share a refresh token. However they are killed, no refresh token is sent twice; a renewal is lost only if a
// process ends between its request and the write of the answer.
func TestProcessesShareARefreshToken(t *testing.T) {
	most := 120
	if text := os.Getenv(expiriesVariable); text != "" {
		most, _ = strconv.Atoi(text)
	}
	a := &strictAuthority{random: rand.New(rand.NewPCG(1, 2)), used: map[string]bool{}, most: most} // #nosec G404 -- a test
	a.Server = httptest.NewServer(a)
	defer a.Close()
	root := t.TempDir()
	a.mu.Lock()
	first := a.issue()
	a.mu.Unlock()
	if err := approve(t.Context(), root, a.URL, first, false); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for t.Context().Err() == nil {
				command := exec.CommandContext(t.Context(), os.Args[0])
				command.Env = append(os.Environ(), rootVariable+"="+root, authorityVariable+"="+a.URL)
				said, err := command.CombinedOutput()
				if err == nil {
					return
				}
				if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
					t.Errorf("%v: %s", err, said)
					return
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d renewals, %d kills, %d of them before an answer was written, %d full disks, %d new approvals", a.expiries, a.kills, a.lossy, a.full, a.reconnects)
	if a.reuses > 0 {
		t.Errorf("refresh tokens were used again %d times", a.reuses)
	}
	if a.reconnects > a.lossy+a.full { // if one process cannot write its answer, another may meanwhile request a new approval
		t.Errorf("%d renewals were lost; %d processes died before they wrote the answer, and %d could not write it", a.reconnects, a.lossy, a.full)
	}
}

// approve stores a credential; with lostOnly, only if the stored one is lost.
func approve(ctx context.Context, root, authority string, answer map[string]any, lostOnly bool) error {
	path, err := credentials.Path(root, credentials.DefaultName, "https://rs.example")
	if err != nil {
		return err
	}
	unlock, err := credentials.Lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	if lostOnly {
		stored := credentials.Credential{Path: path, ProviderURL: "https://rs.example"}
		if _, err := stored.Reload(time.Time{}); !errors.Is(err, credentials.ErrAnswerLost) {
			return err
		}
		response, err := http.Get(authority + "/connect")
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
			return err
		}
	}
	return credentials.Save(path, credentials.Document{
		ProviderURL: "https://rs.example", Client: credentials.Client{ID: "cli_1"},
		Credential: credentials.Issued{AccessToken: credentials.Secret(answer["access_token"].(string)), GrantID: "grt_1"},
		Refresh:    &credentials.Refresh{TokenEndpoint: authority + "/token", Token: credentials.Secret(answer["refresh_token"].(string))},
	})
}

// readForEver reads until the authority ends the test.
func readForEver(root, authority string) error {
	agent := fmt.Sprintf("process/%d", os.Getpid())
	ask := func(path, token string) (int, string) {
		request, _ := http.NewRequest(http.MethodGet, authority+path, nil)
		request.Header.Set("User-Agent", agent)
		request.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, err.Error()
		}
		defer response.Body.Close()
		text, _ := io.ReadAll(response.Body)
		return response.StatusCode, strings.Trim(string(text), "\"\n")
	}
	now := time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)
	stored, err := credentials.LoadCredential(root, "https://rs.example", "", now)
	if err != nil {
		return err
	}
	k := NewKeeper(stored, agent, func() time.Time { now = now.Add(time.Second); return now })
	defer k.Close()
	k.write = func(file *os.File, text []byte) (int, error) {
		_, fate := ask("/fate", "")
		if fate == "full" {
			return 0, syscall.ENOSPC
		}
		n, err := file.Write(text)
		if fate == "written" {
			ask("/written", "")
		}
		return n, err
	}
	for {
		token, err := k.Token(context.Background())
		if err != nil {
			return err
		}
		status, text := ask("/read", token.Reveal())
		switch status {
		case 200:
		case 410:
			return nil
		case 403:
			if _, err = k.Renew(context.Background(), token, "grant_expired"); errors.Is(err, credentials.ErrAnswerLost) || err != nil && strings.Contains(err.Error(), "answer is lost") {
				if err := approve(context.Background(), root, authority, nil, true); err != nil {
					return err
				}
			} else if err != nil {
				return err
			}
		default:
			return fmt.Errorf("read: %d %s", status, text)
		}
	}
}
