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
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// startTime is how long the program may take to start and answer; the sample year takes most of it.
const startTime = 60 * time.Second

// clients looks at the configuration of every client on this machine.
func (e *examination) clients() {
	before := len(e.findings)
	for _, client := range clients.All() {
		path := client.Path(e.Place)
		if path == "" {
			continue
		}
		file, _, err := clients.Read(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		setup := "pdpp-mcp setup " + client.Name
		if _, refused := errors.AsType[*clients.RefusedError](err); refused {
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
			e.found(Finding{Check: "client", Status: OK, Next: setup}, "%s is here and not connected.", client.Title)
		}
		for _, entry := range entries {
			e.entry(client, entry)
		}
	}
	if len(e.findings) == before {
		e.found(Finding{Check: "client", Status: OK, Next: "pdpp-mcp setup"}, "No client's configuration was found on this machine.")
	}
}

func (e *examination) entry(client clients.Client, entry clients.Entry) {
	again, runs := "pdpp-mcp setup "+client.Name+" --write", fmt.Sprintf("%s runs %s as %q", client.Title, printable(entry.Command), entry.Name)
	info, err := os.Stat(entry.Command)
	switch {
	case entry.Command == "":
		e.ok("client", "%s reads %s as %q.", client.Title, printable(rsclient.RedactURL(entry.URL)), entry.Name)
	case !filepath.IsAbs(entry.Command):
		e.warn("client", again, "%s, which is not an absolute path: it may not find it.", runs)
	case err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 && runtime.GOOS != "windows":
		e.fail("client", 1, again, "%s, and there is no such program.", runs)
	default:
		e.ok("client", "%s.", runs)
	}
}

// programs starts this program as a client does and asks it for its tools: over the person's own files or grant where those are well,
// else over the sample year. Then it starts it as a server on a free port of this machine.
func (e *examination) programs(ctx context.Context) {
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
	e.start(ctx, "stdio", "over standard input and output", ", over "+over, arguments, func(ctx context.Context, command *exec.Cmd) (int, error) {
		return handshake(ctx, &mcp.CommandTransport{Command: command})
	})
	e.start(ctx, "http", "over HTTP", "", []string{"demo", "--json", "--listen", "127.0.0.1:0"}, serveAndAsk)
}

// start starts this program and asks it how many tools it lists.
func (e *examination) start(ctx context.Context, check, way, over string, arguments []string, ask func(context.Context, *exec.Cmd) (int, error)) {
	e.check(ctx, func() {
		ctx, cancel := context.WithTimeout(ctx, startTime)
		defer cancel()
		begin := e.Now()
		command := exec.CommandContext(ctx, e.Program, arguments...)                              // #nosec G204 -- this program itself
		command.Env = slices.DeleteFunc(slices.Clone(e.Environment), func(variable string) bool { // flags alone say how it is started
			return strings.HasPrefix(variable, "PDPP_")
		})
		command.WaitDelay = 5 * time.Second
		var said bytes.Buffer // which is what clients show when a server ends
		command.Stderr = &said
		tools, err := ask(ctx, command)
		if err == nil {
			e.ok(check, "This program answers %s with %d tools%s, in %d ms.", way, tools, over, e.Now().Sub(begin).Milliseconds())
			return
		}
		if lines := strings.Split(strings.TrimSpace(said.String()), "\n"); lines[len(lines)-1] != "" {
			err = errors.New(lines[len(lines)-1])
		}
		e.fail(check, 1, clients.CommandLine(e.Place.OS, command.Args), "This program does not answer %s: %s", way, sentence(err))
	})
}

// serveAndAsk asks a server for its tools with a token, and makes sure that it says where to sign in without one.
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
