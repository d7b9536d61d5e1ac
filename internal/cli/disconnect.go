package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/connect"
	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

type disconnectCommand struct {
	Name  string
	Force bool
	cacheFlags
}

func newDisconnect(app App) *cobra.Command {
	var o disconnectCommand
	c := &cobra.Command{
		Use: "disconnect <url>", Args: takes(1, 1), Example: "pdpp-mcp disconnect https://rs.example",
		Short: "End a stored grant at its server, and delete it here.",
		Long: `End a stored grant at its server, and delete it here. <url> is the resource
server of the grant.`,
		RunE: func(c *cobra.Command, words []string) error { return o.run(c.Context(), app, words[0]) },
	}
	flags := c.Flags()
	flags.StringVar(&o.Name, "name", "", "`NAME` of the stored grant; needed only if several are stored")
	flags.BoolVar(&o.Force, "force", false, "Delete it here even if the server cannot be asked to end it")
	o.declare(flags)
	return c
}

func (c disconnectCommand) run(ctx context.Context, app App, url string) error {
	root, err := c.root()
	if err != nil {
		return err
	}
	provider, err := credentials.NormalizeProviderURL(url)
	if err != nil {
		return err
	}
	found, err := c.find(app, root, provider)
	if err != nil {
		return err
	}
	unlock, err := credentials.Lock(ctx, found.Path) // so that no process renews it meanwhile
	if err != nil {
		return &exit.Error{Code: exit.CannotWrite, Message: "the credential cannot be changed: " + err.Error() + "."}
	}
	defer unlock()
	stored, err := found.Reload(time.Time{}) // it may have been renewed or replaced during the wait for the lock
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.NotReadyError("the grant was disconnected meanwhile. Run: pdpp-mcp connections")
	case err != nil && !errors.Is(err, credentials.ErrAnswerLost):
		return &exit.Error{Code: exit.CannotWrite, Message: "the credential cannot be read: " + err.Error() + "."}
	case stored.GrantID != found.GrantID:
		return exit.NotReadyError("another grant was stored as " + stored.Name + " meanwhile; nothing was revoked. Run the command again to end that one.")
	}
	if err := connect.Revoke(ctx, app.userAgent(), stored.Document); err != nil {
		message := fmt.Sprintf("the grant %s was not revoked: %v.", cmp.Or(stored.GrantID, "without an id"), err)
		if !c.Force {
			return &exit.Error{Code: exit.Unavailable, Message: message + " It is still stored; --force deletes it here alone."}
		}
		app.warn("%s Revoke it where the owner manages grants.", message)
	}
	if err := credentials.Remove(stored.Path); err != nil {
		return &exit.Error{Code: exit.CannotWrite, Message: "the credential cannot be deleted: " + err.Error() + "."}
	}
	_, err = fmt.Fprintf(app.visible(), "Disconnected: %s was deleted.\n", stored.Path)
	return err
}

// find returns the one credential of a provider that the flags name.
func (c disconnectCommand) find(app App, root, provider string) (found credentials.Credential, err error) {
	var names []string
	all, unusable := credentials.Stored(root)
	for _, stored := range all {
		if stored.ProviderURL == provider && (c.Name == "" || c.Name == stored.Name) {
			found, names = stored, append(names, stored.Name)
		}
	}
	switch len(names) {
	case 0:
		app.warnUnusable(unusable)
		message := "no grant of " + provider + " is stored"
		if c.Name != "" {
			message += " under the name " + c.Name
			if known := credentials.Names(root, provider); len(known) > 0 {
				message += "; there is " + strings.Join(known, ", ")
			}
		}
		return found, exit.NotReadyError(message + ". Run: pdpp-mcp connections")
	case 1:
		return found, nil
	}
	return found, exit.UsageError("several grants of " + provider + " are stored: give --name, one of " + strings.Join(names, ", ") + ".")
}
