package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// startTime is how long the program may take to start and answer. Loading the sample year takes most of it.
const startTime = 60 * time.Second

// clients checks the configuration of every client on this machine.
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
		if err != nil {
			e.warn("client", setup, "%s: %s", client.Title, sentence(err))
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

func (e *examination) entry(client clients.Client, entry clients.Server) {
	again := "pdpp-mcp setup " + client.Name + " --write"
	runs := fmt.Sprintf("%s runs %s as %q", client.Title, rs.ErrorText(entry.Command), entry.Name)
	info, err := os.Stat(entry.Command)
	switch {
	case entry.Command == "":
		e.ok("client", "%s reads %s as %q.", client.Title, rs.ErrorText(rsclient.RedactURL(entry.URL)), entry.Name)
	case !filepath.IsAbs(entry.Command):
		e.warn("client", again, "%s, which is not an absolute path: it may not find it.", runs)
	case err != nil || !info.Mode().IsRegular() || info.Mode()&0o111 == 0 && runtime.GOOS != "windows":
		e.fail("client", 1, again, "%s, and there is no such program.", runs)
	default:
		e.ok("client", "%s.", runs)
	}
}

// program starts this program as a client does and lists its tools: over the person's own files or grant if those work, else over the
// sample year.
func (e *examination) program(ctx context.Context) {
	arguments, over := []string{"stdio", "--demo"}, "the sample year"
	switch {
	case e.Local != nil:
		arguments, over = append([]string{"stdio"}, e.Local.Flags...), e.Local.Name
	case e.well:
		over = "your grant"
		arguments = append([]string{"stdio"}, clients.Flags(
			"--provider-url", e.ProviderURL, "--grant-id", e.GrantID, "--cache-root", e.Root, "--only", strings.Join(e.Only, ","),
		)...)
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	begin := e.Now()
	command := exec.CommandContext(ctx, e.Program, arguments...)                              // #nosec G204 -- this program itself
	command.Env = slices.DeleteFunc(slices.Clone(e.Environment), func(variable string) bool { // only the flags configure it
		return strings.HasPrefix(variable, "PDPP_")
	})
	command.WaitDelay = 5 * time.Second
	var said bytes.Buffer // standard error, which clients show when a server exits
	command.Stderr = &said
	tools, err := handshake(ctx, &mcp.CommandTransport{Command: command})
	if err == nil {
		took := e.Now().Sub(begin).Milliseconds()
		e.ok("stdio", "This program answers over standard input and output with %d tools, over %s, in %d ms.", tools, over, took)
		return
	}
	if lines := strings.Split(strings.TrimSpace(said.String()), "\n"); lines[len(lines)-1] != "" {
		err = errors.New(lines[len(lines)-1])
	}
	again := clients.CommandLine(e.Place.OS, command.Args)
	e.fail("stdio", 1, again, "This program does not answer over standard input and output: %s", sentence(err))
}

// handshake connects and returns how many tools are listed.
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
