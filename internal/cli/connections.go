package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

type connectionsCommand struct{ cacheFlags }

func newConnections(app App) *cobra.Command {
	var o connectionsCommand
	c := &cobra.Command{
		Use: "connections", Args: takes(0, 0), Short: "List the grants that are stored on this machine.",
		RunE: func(c *cobra.Command, _ []string) error { return o.run(c.Context(), app) },
	}
	o.declare(c.Flags())
	return c
}

// run lists the stored grants. It sends no request.
func (c connectionsCommand) run(ctx context.Context, app App) error {
	root, err := c.root()
	if err != nil {
		return err
	}
	all, unusable := credentials.Stored(root)
	app.warnUnusable(unusable)
	if len(all) == 0 {
		_, err = fmt.Fprintf(app.visible(), "No grant is stored in %s. To get one: pdpp-mcp connect URL --source KEY\n", root)
		return err
	}
	for _, stored := range all {
		ends, used := describeExpiry(stored.Document), "at an unknown time"
		if stored.IsLost(ctx) {
			ends = fmt.Sprintf("readable until %s, then to be connected again, because %v: %s",
				stored.Expires.UTC().Format(time.RFC3339), credentials.ErrAnswerLost, credentials.ConnectCommand(stored))
		}
		if !stored.Used.IsZero() {
			used = stored.Used.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(app.visible(), "%s, %s\n  %s\n  %s; last used %s\n",
			stored.ProviderURL, stored.Name, describeGrant(stored.Document.Grant), ends, used)
	}
	return nil
}

// describeGrant returns one line about what a grant allows to read. It escapes line breaks, because the names come from the server.
func describeGrant(g credentials.Grant) string {
	words := []string{"An unknown source"}
	if g.Source != "" {
		words = []string{fmt.Sprintf("%s (%s)", g.SourceKey(), g.Source)}
	}
	for _, part := range []struct{ before, text string }{
		{": ", strings.Join(g.Streams, ", ")}, {", only the fields ", strings.Join(g.Fields, ", ")}, {", of ", strings.Join(g.Connections, ", ")},
		{", since ", g.Since}, {", until ", g.Until},
	} {
		if part.text != "" {
			words = append(words, part.before, part.text)
		}
	}
	return strings.ReplaceAll(strings.Join(words, ""), "\n", `\n`)
}

func describeExpiry(d credentials.Document) string {
	expires, readable := rs.ReadExpiry(d.Credential.ExpiresAt)
	switch {
	case d.Grant.Ends != "":
		return "readable until " + d.Grant.Ends
	case d.Grant.Mode == "single_use":
		return "readable for 24 hours after " + d.CreatedAt
	case d.Refresh != nil:
		return "readable until it is revoked (the access is renewed by itself)"
	case readable && !expires.IsZero():
		return "readable until " + expires.UTC().Format(time.RFC3339)
	}
	return "readable until it is revoked"
}
