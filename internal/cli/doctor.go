package cli

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/doctor"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/localserver"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

type doctorCommand struct {
	providerFlags
	URL  string
	JSON bool
}

func newDoctor(app App) *cobra.Command {
	var o doctorCommand
	c := &cobra.Command{
		Use: "doctor", Args: takes(0, 0), Example: "pdpp-mcp doctor --provider-url https://rs.example",
		Short: "Find out what is wrong and what to do about it.",
		RunE:  func(c *cobra.Command, _ []string) error { return o.run(c.Context(), app) },
	}
	o.declare(c.Flags())
	c.Flags().StringVar(&o.URL, "url", "",
		"`URL` of a hosted server, such as https://…/mcp, to see what hosts that sign in there can read")
	c.Flags().BoolVar(&o.JSON, "json", false, "Print the findings as JSON")
	return c
}

// run checks everything that an answer depends on, and prints the findings.
func (c doctorCommand) run(ctx context.Context, app App) error {
	err := c.check()
	if err == nil && c.URL != "" {
		c.URL, err = endpointURL(c.URL)
	}
	if err != nil {
		return err
	}
	place, program, _, err := thisMachine(app.Getenv)
	if err != nil {
		return err
	}
	options := doctor.Options{
		Root: c.folder(), ProviderURL: c.known().ProviderURL, GrantID: c.GrantID, Only: c.Only, URL: c.URL,
		Program: program, Environment: os.Environ(), Place: place, UserAgent: app.userAgent(), Now: time.Now,
	}
	if c.Demo || c.Data != "" {
		local, err := c.start(ctx, localserver.Config{Log: zerolog.Nop(), Progress: app.Err, Now: time.Now})
		if err != nil {
			return err
		}
		defer local.Close()
		options.Local = &doctor.Local{URL: local.URL, Token: rs.NewToken(local.Tokens.Client), NotRead: notRead(local.LeftOut())}
		for _, one := range local.LeftOut() {
			if one.IsUnread() {
				options.Local.Unread++
			}
		}
		options.Local.Flags, options.Local.Name = c.local()
		if _, err := importer.Look(c.Data); c.Data != "" && err != nil {
			options.Local.NotRead = append(options.Local.NotRead, c.Data+": it cannot be read now; answers are from when it could be")
		}
	}
	return doctor.Run(ctx, options, func(found doctor.Report) error {
		if c.JSON {
			return printJSON(app.visible(), found)
		}
		return found.Print(app.visible())
	})
}

// notRead returns a line for each file, or part of one, that was skipped, with the reason.
func notRead(files []model.LeftOut) (lines []string) {
	for _, one := range files {
		lines = append(lines, importer.Skip{File: one.File, Line: one.Line, Reason: one.Reason}.String())
		for _, more := range one.More {
			lines = append(lines, importer.Skip{File: one.File, Line: more.Line, Reason: more.Reason}.String())
		}
		if rest := one.Pieces - len(one.More) - 1; rest > 0 {
			lines = append(lines, fmt.Sprintf("%s: and %d more", one.File, rest))
		}
	}
	return lines
}
