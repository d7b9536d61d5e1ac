package cli

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// cacheRoot is the folder in which credentials are stored.
func cacheRoot(named string) (string, error) {
	root := cacheFolder(named)
	if root == "" {
		return "", exit.UsageError("the home folder is not known: set HOME, or give --cache-root.")
	}
	return filepath.Abs(root)
}

// inWords says on one line what a grant lets be read: the names are the server's.
func inWords(g credentials.Grant) string {
	words := "A source that is not known"
	if g.Source != "" {
		words = fmt.Sprintf("%s (%s)", g.SourceKey(), g.Source)
	}
	if len(g.Streams) > 0 {
		words += ": " + strings.Join(g.Streams, ", ")
	}
	if len(g.Fields) > 0 {
		words += ", only the fields " + strings.Join(g.Fields, ", ")
	}
	if len(g.Connections) > 0 {
		words += ", of " + strings.Join(g.Connections, ", ")
	}
	if g.Since != "" {
		words += ", since " + g.Since
	}
	if g.Until != "" {
		words += ", until " + g.Until
	}
	return strings.ReplaceAll(words, "\n", `\n`)
}

// endInWords says how long a credential can be used.
func endInWords(d credentials.Document) string {
	expires, err := d.Credential.Expiry()
	switch {
	case d.Grant.Ends != "":
		return "readable until " + d.Grant.Ends
	case d.Grant.Mode == "single_use":
		return "readable for 24 hours after " + d.CreatedAt
	case d.Refresh != nil:
		return "readable until it is revoked (the access is renewed by itself)"
	case err == nil && !expires.IsZero():
		return "readable until " + expires.UTC().Format(time.RFC3339)
	}
	return "readable until it is revoked"
}

// lostInWords says how long a credential can be used whose renewal was interrupted.
func lostInWords(c credentials.Credential) string {
	return fmt.Sprintf("readable until %s, then to be connected again, because %v: %s", c.Expires.UTC().Format(time.RFC3339), credentials.ErrAnswerLost, credentials.ConnectCommand(c))
}

// warnOfUnusable names the stored files that no command reads.
func warnOfUnusable(root string, app App) {
	for _, why := range credentials.Unusable(root) {
		fmt.Fprintf(app.Err, "pdpp-mcp: warning: %v. Mend or delete it.\n", why)
	}
}
