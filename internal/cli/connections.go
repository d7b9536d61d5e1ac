package cli

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/terminal"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

type connectionsCommand struct {
	CacheRoot string `name:"cache-root" help:"Folder of the credential cache; ~/.pdpp if absent." env:"PDPP_CACHE_ROOT" placeholder:"DIR"`
	JSON      bool   `name:"json" help:"Print them as JSON."`
}

// A connectionLine is a stored grant as it is listed.
type connectionLine struct {
	Provider string            `json:"provider_url"`
	Name     string            `json:"name"`
	GrantID  string            `json:"grant_id,omitempty"`
	Grant    credentials.Grant `json:"grant"`
	Ends     string            `json:"ends"`
	LastUsed string            `json:"last_used,omitempty"` // RFC 3339
}

// runConnections lists the grants that are stored on this machine. It asks no server.
func runConnections(ctx context.Context, c connectionsCommand, app App) error {
	root, err := cacheRoot(c.CacheRoot)
	if err != nil {
		return err
	}
	out := terminal.Visible{Out: app.Out}
	all, used := credentials.Stored(root)
	lines := make([]connectionLine, len(all))
	for i, stored := range all {
		lines[i] = connectionLine{Provider: stored.ProviderURL, Name: stored.Name, GrantID: stored.GrantID, Grant: stored.Document.Grant, Ends: endInWords(stored.Document)}
		if stored.IsLost(ctx) {
			lines[i].Ends = lostInWords(stored)
		}
		if !used[i].IsZero() {
			lines[i].LastUsed = used[i].UTC().Format(time.RFC3339)
		}
	}
	warnOfUnusable(root, app)
	if c.JSON {
		return printJSON(out, lines)
	}
	if len(lines) == 0 {
		_, err = fmt.Fprintf(out, "No grant is stored in %s. To get one: pdpp-mcp connect URL --source KEY\n", root)
		return err
	}
	for _, line := range lines {
		fmt.Fprintf(out, "%s, %s\n  %s\n  %s; last used %s\n", line.Provider, line.Name, inWords(line.Grant), line.Ends, cmp.Or(line.LastUsed, "at an unknown time"))
	}
	return nil
}
