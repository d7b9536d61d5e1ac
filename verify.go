package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/integration"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// maxCitationBytes bounds a citation, which may hold the text that it quotes.
const maxCitationBytes = 4 << 20

// runVerify says of each citation whether its record still says it: one line a citation on stdout.
func runVerify(ctx context.Context, c verifyCommand, io streams) error {
	citations, err := readCitations(c, io)
	if err != nil {
		return err
	}
	log := zerolog.New(io.err).Level(zerolog.WarnLevel).With().Timestamp().Logger()
	return c.open(ctx, log, io, func(providerURL string, token rs.Token) error {
		server, principal, err := localRoom(ctx, providerURL, token, "pdpp", log, observe.Observation{})
		if err != nil {
			return err
		}
		session, err := inside(ctx, server, principal)
		if err != nil {
			return err
		}
		defer func() { _ = session.Close() }()
		differ := 0
		for _, citation := range citations {
			verdict, err := integration.Verify(ctx, session, citation)
			if err != nil {
				return unverified(err, providerURL)
			}
			if verdict.Verdict != integration.Unchanged {
				differ++
			}
			if err := printVerdict(verdict, c.JSON, io); err != nil {
				return err
			}
		}
		if differ > 0 {
			return fmt.Errorf("%d of %d quotes no longer stand", differ, len(citations))
		}
		return nil
	})
}

// readCitations reads them all before any record is read.
func readCitations(c verifyCommand, io streams) ([]integration.Citation, error) {
	if c.Citation != "-" {
		citation, err := integration.ParseCitation(c.Citation, c.Text)
		if err != nil {
			return nil, usage(err.Error() + ".")
		}
		return []integration.Citation{citation}, nil
	}
	if c.Text != "" {
		return nil, usage("--text belongs to one citation. On standard input, a citation carries its text itself.")
	}
	var citations []integration.Citation
	lines := bufio.NewScanner(io.in)
	lines.Buffer(nil, maxCitationBytes)
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		citation, err := integration.ParseCitation(lines.Text(), "")
		if err != nil {
			return nil, usage(fmt.Sprintf("line %d: %v.", number, err))
		}
		citations = append(citations, citation)
	}
	if err := lines.Err(); err != nil {
		return nil, usage(fmt.Sprintf("standard input cannot be read: %v. Send one citation a line, each under %d bytes.", err, maxCitationBytes))
	}
	if len(citations) == 0 {
		return nil, usage("standard input holds no citation. Send one a line.")
	}
	return citations, nil
}

// inside opens a session with a server of this process, as a client has one over stdio.
func inside(ctx context.Context, server *mcp.Server, principal rs.Principal) (*mcp.ClientSession, error) {
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(rs.WithPrincipal(ctx, principal), far, nil); err != nil {
		return nil, err
	}
	return mcp.NewClient(&mcp.Implementation{Name: "pdpp-mcp-verify", Version: version}, nil).Connect(ctx, near, nil)
}

func printVerdict(v integration.Verdict, asJSON bool, io streams) error {
	if !asJSON {
		_, err := fmt.Fprintln(io.out, v)
		return err
	}
	encoder := json.NewEncoder(io.out)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// unverified gives a read that failed the exit code that stdio has for the same reason.
func unverified(err error, providerURL string) error {
	var refusal *integration.ReadError
	if !errors.As(err, &refusal) {
		return err
	}
	message := refusal.Error()
	switch code := string(refusal.Code); {
	case strings.HasPrefix(code, "grant_"), strings.HasPrefix(code, "token_"), code == "context.active_false", code == "authentication_error", code == "not_authenticated":
		return &transport.ExitError{Code: transport.ExitNotReady, Message: message + " Connect again: pdpp connect " + providerURL}
	case strings.HasPrefix(code, "invalid_") && refusal.Code != rs.InvalidResponse, refusal.Code == rs.AmbiguousConnection, refusal.Code == rs.ConflictingConnectionID:
		return usage(message)
	case refusal.Code == rs.Internal:
		return err
	}
	return &transport.ExitError{Code: transport.ExitUnavailable, Message: message}
}
