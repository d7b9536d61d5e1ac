package doctor

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
)

// startTime is how long the program may take to start and answer; the sample year takes most of it.
const startTime = 60 * time.Second

// clients looks at the configuration of every client on this machine.
func (e *examination) clients() {
	found := 0
	for _, client := range clients.All() {
		path := client.Path(e.Place)
		if path == "" {
			continue
		}
		file, _, err := clients.Read(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		found++
		setup := "pdpp-mcp setup " + client.Name
		var refusal *clients.RefusedError
		if errors.As(err, &refusal) {
			e.warn("client", setup, "%s: %s", client.Title, sentence(err))
			continue
		}
		if err != nil {
			e.warn("client", setup, "%s: %s cannot be read.", client.Title, path)
			continue
		}
		entries, err := client.Ours(file, "pdpp")
		switch {
		case err != nil:
			e.warn("client", setup, "%s: %s: %s", client.Title, path, sentence(err))
		case len(entries) == 0:
			e.findings = append(e.findings, Finding{Check: "client", Status: OK, Message: client.Title + " is here and not connected.", Next: setup})
		}
		for _, entry := range entries {
			e.entry(client, entry)
		}
	}
	if found == 0 {
		e.findings = append(e.findings, Finding{Check: "client", Status: OK, Message: "No client's configuration was found on this machine.",
			Next: "pdpp-mcp setup"})
	}
}

func (e *examination) entry(client clients.Client, entry clients.Entry) {
	if entry.Command == "" {
		e.ok("client", "%s reads %s as %q.", client.Title, address(entry.URL), entry.Name)
		return
	}
	again := "pdpp-mcp setup " + client.Name + " --write"
	if !filepath.IsAbs(entry.Command) {
		e.warn("client", again, "%s runs %s as %q, which is not an absolute path: it may not find it.", client.Title, printable(entry.Command),
			entry.Name)
		return
	}
	info, err := os.Stat(entry.Command)
	if err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 && runtime.GOOS != "windows" {
		e.fail("client", 1, again, "%s runs %s as %q, and there is no such program.", client.Title, printable(entry.Command), entry.Name)
		return
	}
	e.ok("client", "%s runs %s as %q.", client.Title, printable(entry.Command), entry.Name)
}

// address is a URL without what may be a credential in it.
func address(text string) string {
	parsed, err := url.Parse(text)
	if err != nil {
		return "an invalid address"
	}
	return printable(parsed.Scheme + "://" + parsed.Host + parsed.EscapedPath())
}

// stdio starts this program as a client does and asks it for its tools: over the person's own files or grant where those are well,
// else over the sample year.
func (e *examination) stdio(ctx context.Context) {
	arguments, over := []string{"stdio", "--demo"}, "the sample year"
	switch {
	case e.Sample != nil:
		arguments, over = append([]string{"stdio"}, e.Sample.Flags...), e.Sample.Name
	case e.well:
		arguments, over = []string{"stdio", "--provider-url", e.ProviderURL}, "your grant"
		if e.GrantID != "" {
			arguments = append(arguments, "--grant-id", e.GrantID)
		}
		if e.Root != "" {
			arguments = append(arguments, "--cache-root", e.Root)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	begin := e.Now()
	command := e.command(ctx, arguments...)
	var said bytes.Buffer // which is what clients show when a server ends
	command.Stderr = &said
	tools, err := handshake(ctx, &mcp.CommandTransport{Command: command})
	if err != nil {
		if lines := strings.Split(strings.TrimSpace(said.String()), "\n"); lines[len(lines)-1] != "" {
			err = errors.New(lines[len(lines)-1])
		}
		e.fail("stdio", 1, joined(command.Args), "This program does not answer over standard input and output: %s", sentence(err))
		return
	}
	e.ok("stdio", "This program answers over standard input and output with %d tools, over %s, in %d ms.", tools, over,
		e.Now().Sub(begin).Milliseconds())
}

// hosted starts this program as a server on a free port of this machine, asks it for its tools with a token, and makes
// sure that it says where to sign in without one.
func (e *examination) hosted(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	begin := e.Now()
	command := e.command(ctx, "demo", "--json", "--listen", "127.0.0.1:0")
	tools, err := serveAndAsk(ctx, command)
	if err != nil {
		e.fail("http", 1, joined(command.Args), "This program does not answer over HTTP: %s", sentence(err))
		return
	}
	e.ok("http", "This program answers over HTTP on 127.0.0.1 with %d tools, in %d ms.", tools, e.Now().Sub(begin).Milliseconds())
}

// command is a run of this program that ends with ctx.
func (e *examination) command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, e.Program, arguments...) // #nosec G204 -- this program itself
	command.Env = e.Environment
	command.WaitDelay = 5 * time.Second
	return command
}

// joined is a command as a person types it. Its arguments are ours and hold no blanks but in paths.
func joined(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		if quoted[i] = word; strings.ContainsAny(word, " '\"$") {
			quoted[i] = fmt.Sprintf("%q", word)
		}
	}
	return strings.Join(quoted, " ")
}

func serveAndAsk(ctx context.Context, command *exec.Cmd) (tools int, err error) {
	out, err := command.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := command.Start(); err != nil {
		return 0, err
	}
	defer func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}()
	line, err := bufio.NewReader(io.LimitReader(out, maxAnswer)).ReadBytes('\n')
	if err != nil {
		return 0, errors.New("it ended before it served")
	}
	var addresses struct {
		URL   string `json:"mcp_url"`
		Token string `json:"client_token"`
	}
	if err := json.Unmarshal(line, &addresses); err != nil {
		return 0, errors.New("what it printed is not what was expected")
	}
	if err := asksToSignIn(ctx, addresses.URL); err != nil {
		return 0, err
	}
	return handshake(ctx, &mcp.StreamableClientTransport{
		Endpoint: addresses.URL, MaxRetries: -1, DisableStandaloneSSE: true,
		HTTPClient: oauth2.NewClient(ctx, oauth2.StaticTokenSource(&oauth2.Token{AccessToken: addresses.Token})),
	})
}

// asksToSignIn makes sure that a refused request names where to get a token.
func asksToSignIn(ctx context.Context, endpoint string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized || !strings.Contains(response.Header.Get("WWW-Authenticate"), "resource_metadata=") {
		return fmt.Errorf("a request without a token was answered with %d which does not say where to sign in", response.StatusCode)
	}
	return nil
}

// handshake connects, and counts the tools that are listed.
func handshake(ctx context.Context, transport mcp.Transport) (int, error) {
	session, err := mcp.NewClient(&mcp.Implementation{Name: "pdpp-mcp-doctor", Version: "1"}, nil).Connect(ctx, transport, nil)
	if err != nil {
		return 0, err
	}
	defer func() { _ = session.Close() }()
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	return len(list.Tools), nil
}
