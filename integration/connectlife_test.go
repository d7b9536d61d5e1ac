package integration

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A lossyNetwork forwards to the demo from another address, and a test can interrupt it.
type lossyNetwork struct {
	*watch
	lost  atomic.Bool
	drops atomic.Int64  // answers to polls still to be dropped
	waits atomic.Uint64 // seconds that a request waits for the owner; 0: the demo's value
	polls atomic.Uint64 // seconds between two polls; 0: the demo's value
}

func newLossyNetwork(t *testing.T) *lossyNetwork {
	n := &lossyNetwork{}
	n.watch = newWatch(t, sample.RSURL, func(r *http.Response) error {
		if n.lost.Load() || strings.HasPrefix(r.Request.URL.Path, "/agent-connect/") && n.drops.Add(-1) >= 0 {
			panic(http.ErrAbortHandler)
		}
		text, err := io.ReadAll(r.Body)
		text = bytes.ReplaceAll(text, []byte(sample.RSURL), []byte(n.URL))
		if seconds := n.waits.Load(); seconds > 0 {
			text = regexp.MustCompile(`"expires_in":\d+`).ReplaceAll(text, []byte(`"expires_in":`+strconv.FormatUint(seconds, 10)))
		}
		if seconds := n.polls.Load(); seconds > 0 {
			text = regexp.MustCompile(`"interval":\d+`).ReplaceAll(text, []byte(`"interval":`+strconv.FormatUint(seconds, 10)))
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		r.Header.Set("Content-Length", strconv.Itoa(len(text)))
		return err
	})
	return n
}

// ended waits for the end of connect and returns it.
func ended(p *process) exit {
	<-p.ended
	return exit{p.cmd.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()}
}

// A request that the owner denies or does not answer in time ends with an error message, and nothing is stored.
func TestConnectWithoutApproval(t *testing.T) {
	for name, says := range map[string]string{"denied": "the owner denied the request", "expired": "nobody approved in time"} {
		t.Run(name, func(t *testing.T) {
			root, network := t.TempDir(), newLossyNetwork(t)
			if name == "expired" {
				network.waits.Store(1)
			}
			p, link, _ := asks(t, network.URL, root, "agent", "--source", "slack")
			if name == "denied" {
				ownerDecides(t, strings.Replace(link, network.URL, sample.RSURL, 1), "deny")
			}
			if got := ended(p); got.code != 78 || !strings.Contains(got.stderr, says) {
				t.Errorf("%d %s; want %q", got.code, got.stderr, says)
			}
			if got := finish(t, nil, "", "connections", "--cache-root", root); !strings.Contains(got.stdout, "No grant is stored") {
				t.Errorf("%s", got.stdout)
			}
		})
	}
}

// If the network is lost while the owner decides, or while a client reads, calls fail only as long as that lasts.
func TestConnectOverALossyNetwork(t *testing.T) {
	root, network := t.TempDir(), newLossyNetwork(t)
	network.drops.Store(2)
	p, link, _ := asks(t, network.URL, root, "agent", "--source", "slack")
	ownerDecides(t, strings.Replace(link, network.URL, sample.RSURL, 1), "approve")
	if got := ended(p); got.code != 0 || network.drops.Load() >= 0 {
		t.Fatalf("%d, %d answers were not lost: %s%s", got.code, network.drops.Load(), got.stdout, got.stderr)
	}
	s := overStdio(t, "--cache-root", root)
	if result := s.call("schema", nil); result.IsError {
		t.Fatalf("%+v", result.Content[0])
	}
	network.lost.Store(true)
	if text := s.call("search", map[string]any{"q": "the"}).Content[0].(*mcp.TextContent).Text; !strings.Contains(text, "resource server") {
		t.Errorf("while it is lost: %s", text)
	}
	network.lost.Store(false)
	if result := s.call("search", map[string]any{"q": "the"}); result.IsError {
		t.Errorf("afterwards: %+v", result.Content[0])
	}
}

// If connect is stopped, or its terminal closed, between the approval and the next poll, no grant is stored, and the message names a
// grant that still exists. The same holds if the disk is full by then.
func TestConnectIsStoppedAfterTheApproval(t *testing.T) {
	for name, row := range map[string]struct {
		stop     func(t *testing.T, p *process, network *lossyNetwork, root string)
		approved bool
		code     int
		says     string
	}{
		"Ctrl-C":            {func(t *testing.T, p *process, _ *lossyNetwork, _ string) { signal(t, p, os.Interrupt) }, true, 130, "the grant that the owner approved was revoked"},
		"a closed terminal": {func(t *testing.T, p *process, _ *lossyNetwork, _ string) { signal(t, p, syscall.SIGHUP) }, true, 130, "the grant that the owner approved was revoked"},
		"Ctrl-C too early":  {func(t *testing.T, p *process, _ *lossyNetwork, _ string) { signal(t, p, os.Interrupt) }, false, 130, "was stopped before the owner decided. Nothing is granted yet."},
		"Ctrl-C without a network": {func(t *testing.T, p *process, network *lossyNetwork, _ string) {
			network.lost.Store(true)
			signal(t, p, os.Interrupt)
		}, true, 130, "What was approved lives on there, and nothing reads it: revoke it"},
		"a folder that is gone": {func(t *testing.T, _ *process, _ *lossyNetwork, root string) {
			check(t, os.RemoveAll(filepath.Join(root, "clients")))
			check(t, os.WriteFile(filepath.Join(root, "clients"), nil, 0o600))
		}, true, 73, "the grant that the owner approved was revoked, because it could not be used: The credential cannot be stored: "},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "a closed terminal" && ossignal.Ignored(syscall.SIGHUP) {
				t.Skip("nohup, under which these tests run, hides a closed terminal from programs too")
			}
			root, network := t.TempDir(), newLossyNetwork(t)
			if network.polls.Store(30); row.code == 73 {
				network.polls.Store(1)
			}
			p, link, _ := asks(t, network.URL, root, "agent", "--source", "slack")
			if row.code == 73 {
				row.stop(t, p, network, root)
			}
			if row.approved {
				ownerDecides(t, strings.Replace(link, network.URL, sample.RSURL, 1), "approve")
			}
			if row.code != 73 {
				row.stop(t, p, network, root)
			}
			got := ended(p)
			if got.code != row.code || !strings.Contains(got.stderr, row.says) {
				t.Errorf("%d %s%s", got.code, got.stdout, got.stderr)
			}
			revoked := slices.ContainsFunc(network.requests(), func(r read) bool { return strings.HasSuffix(r.path, "/revoke") })
			if revoked != strings.Contains(got.stderr, "was revoked, because") {
				t.Errorf("revoked: %v; %s", revoked, got.stderr)
			}
			if stored, err := filepath.Glob(filepath.Join(root, "clients", "*.json")); err != nil || len(stored) > 0 {
				t.Errorf("%v is stored, %v", stored, err)
			}
		})
	}
}

// Access that expires is renewed while a client uses it; after a revocation, the error names the command that asks the owner again.
func TestConnectedAccessEnds(t *testing.T) {
	demo := runDemo(t, "--token-life", "2s")
	before := sample
	sample = demo.addresses // connects asks the owner of this demo
	defer func() { sample = before }()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("a browser is opened by a script")
	}
	root := t.TempDir()
	connects(t, root, "browser", "--source", "slack")
	token := func() string {
		body, err := os.ReadFile(credentialFile(t, root))
		check(t, err)
		return regexp.MustCompile(`"access_token": "([^"]+)"`).FindStringSubmatch(string(body))[1]
	}
	s := overStdio(t, "--cache-root", root)
	first := token()
	for token() == first {
		if result := s.call("search", map[string]any{"q": "the", "limit": 1}); result.IsError {
			t.Fatalf("while it is renewed: %+v", result.Content[0])
		}
	}
	check(t, revokeGrant(demo.addresses, token()))
	var text string
	for !strings.Contains(text, "pdpp-mcp connect") { // the next call, or the one after it
		result := s.call("search", map[string]any{"q": "the", "limit": 1})
		if text = result.Content[0].(*mcp.TextContent).Text; !result.IsError {
			t.Fatalf("a revoked grant is read: %s", text)
		}
	}
	if !strings.Contains(text, "pdpp-mcp connect "+demo.RSURL+" --source ") {
		t.Errorf("revoked: %s", text)
	}
}

// revokeGrant revokes the grant of a token as its client does, with the grant id from the authority.
func revokeGrant(demo addresses, token string) error {
	id := regexp.MustCompile(`"grant_id":"([^"]+)"`).FindStringSubmatch(introspect(demo, token))
	if id == nil {
		return errors.New("the authority knows no such grant")
	}
	request, err := http.NewRequest(http.MethodPost, demo.RSURL+"/grants/"+id[1]+"/revoke", nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return errors.New("the revocation was answered with " + response.Status)
	}
	return nil
}

func introspect(demo addresses, token string) string {
	request, err := http.NewRequest(http.MethodPost, demo.IntrospectionURL, strings.NewReader("token="+token))
	if err != nil {
		return err.Error()
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(demo.IntrospectionClientID, demo.IntrospectionClientSecret)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return string(text)
}
