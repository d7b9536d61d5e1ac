package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

type disconnectCommand struct {
	URL       string `arg:"" help:"The resource server of the grant."`
	Name      string `help:"Name of the stored grant; not needed where there is one." placeholder:"NAME"`
	Force     bool   `help:"Delete it here even if the server cannot be asked to end it."`
	CacheRoot string `name:"cache-root" help:"Folder of the credential cache; ~/.pdpp if absent." env:"PDPP_CACHE_ROOT" placeholder:"DIR"`
}

// runDisconnect revokes a grant at its server and deletes it here.
func runDisconnect(ctx context.Context, c disconnectCommand, app App) error {
	root, err := cacheRoot(c.CacheRoot)
	if err != nil {
		return err
	}
	provider, err := credentials.NormalizeProviderURL(c.URL)
	if err != nil {
		return err
	}
	var found []credentials.Credential
	var names []string
	all, _ := credentials.Stored(root)
	for _, stored := range all {
		if stored.ProviderURL == provider && (c.Name == "" || c.Name == stored.Name) {
			found, names = append(found, stored), append(names, stored.Name)
		}
	}
	switch {
	case len(found) == 0:
		return &exit.Error{Code: exit.NotReady, Message: "no such grant is stored. Run: pdpp-mcp connections"}
	case len(found) > 1:
		return exit.UsageError("several grants of " + provider + " are stored: give --name, one of " + strings.Join(names, ", ") + ".")
	}
	unlock, err := credentials.Lock(ctx, found[0].Path) // no process renews it meanwhile
	if err != nil {
		return &exit.Error{Code: exit.CannotWrite, Message: "the credential cannot be changed: " + err.Error() + "."}
	}
	defer unlock()
	if err := connect.Revoke(ctx, app.userAgent(), found[0].Document); err != nil {
		message := fmt.Sprintf("the grant %s was not revoked: %v.", found[0].GrantID, err)
		if !c.Force {
			return &exit.Error{Code: exit.Unavailable, Message: message + " It is still stored; --force deletes it here alone."}
		}
		fmt.Fprintln(app.Err, "pdpp-mcp: warning: "+message+" Revoke it where the owner manages grants.")
	}
	if err := credentials.Remove(found[0].Path); err != nil {
		return &exit.Error{Code: exit.CannotWrite, Message: "the credential cannot be deleted: " + err.Error() + "."}
	}
	_, err = fmt.Fprintf(visible{app.Out}, "Disconnected: %s was deleted.\n", found[0].Path)
	return err
}
