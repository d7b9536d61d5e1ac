package connect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A Request describes the grant to ask the owner for.
type Request struct {
	ProviderURL string
	Source      string   // a key, such as gmail, or the URI of a declaration
	Connections []string // ids; empty: the source's only connection
	Streams     []string // empty: all
	Fields      []string // each STREAM.FIELD; a stream without any is requested with all fields
	Since       string   // RFC 3339, or a date; empty: all times
	Once        bool     // for 24 hours instead of until it is revoked
	Way         string   // auto, agent, browser, device or code
}

// Options connect this package to its process: clock, browser, terminal and stored clients.
type Options struct {
	UserAgent string
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
	// Known returns a client that is already registered with an authorization server; its id is empty if there is none.
	Known func(issuer string) credentials.Client
	// Open opens an address in the owner's browser; may be nil.
	Open func(address string) error
	// Ask returns the line that the owner enters; may be nil.
	Ask func(ctx context.Context) (string, error)
	// Draw draws the approval link for a telephone (QR code), if it fits above the lines that follow.
	Draw func(link, following string)
	// Say prints lines for the owner. It gets the approval link once; only Draw gets it as well.
	Say func(format string, arguments ...any)
}

// An attempt is one run of [Connect].
type attempt struct {
	*client
	Options
	request Request
	server  server
	asked   selection // several would make a package, which no local program can read
	app     credentials.Client
}

// redirectURI is registered without a port: RFC 8252 section 7.3 allows any port in a request.
const redirectURI = "http://127.0.0.1/callback"

// register registers this program as a public client for every way (RFC 7591).
func (a *attempt) register(ctx context.Context) error {
	if a.server.Registration == "" {
		return errors.New("it does not register clients")
	}
	answer, err := a.post(ctx, a.server.Registration, map[string]any{
		"client_name": "pdpp-mcp", "token_endpoint_auth_method": "none", "application_type": "native",
		"grant_types":    []string{"authorization_code", "refresh_token", deviceGrant},
		"response_types": []string{"code"}, "redirect_uris": []string{redirectURI},
	})
	if err != nil {
		if err = explained("register", err); errors.Is(err, errNoWay) { // every way needs a registration: do not try the next
			err = errors.New("it has no address to register at, though its metadata name one")
		}
		return err
	}
	return a.readRegistration(answer)
}

func (a *attempt) readRegistration(answer []byte) error {
	var app credentials.Client
	if err := decode(answer, &app); err != nil {
		return err
	}
	if app.ID == "" || len(app.ID) > 512 || strings.ContainsFunc(app.ID, func(r rune) bool { return r < ' ' || r > '~' }) {
		return errors.New("its registration has no client_id")
	}
	a.app = credentials.Client{ID: app.ID, Name: "pdpp-mcp", AuthMethod: "none", RedirectURIs: []string{redirectURI}}
	return nil
}

// A selection is an entry of authorization_details (RFC 9396) in the form of PDPP.
type selection struct {
	Type        string   `json:"type"`
	Mode        string   `json:"access_mode"`
	Purpose     string   `json:"purpose_code"`
	Description string   `json:"purpose_description"`
	Source      source   `json:"source"`
	Streams     []stream `json:"streams"`
}

// detailsText returns the authorization_details as JSON for a form parameter.
func (a *attempt) detailsText() string {
	text, _ := json.Marshal([]selection{a.asked}) // strings only: cannot fail
	return string(text)
}

type stream struct {
	Name      string   `json:"name"`
	Fields    []string `json:"fields,omitempty"`
	Instances []string `json:"instance_ids,omitempty"`
	Time      *period  `json:"time_range,omitempty"`
}

type period struct {
	Since string `json:"since"`
}

// choose sets asked to the selection that the request describes.
func (a *attempt) choose(from source) error {
	names, fields := slices.Clone(a.request.Streams), map[string][]string{}
	for _, field := range a.request.Fields {
		name, field, named := strings.Cut(field, ".")
		if !named {
			return exit.UsageError(fmt.Sprintf("--field %q names no stream: give it as STREAM.FIELD, such as messages.subject.", name))
		}
		if fields[name] = append(fields[name], field); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var times *period
	if a.request.Since != "" {
		since, err := time.Parse(time.RFC3339, a.request.Since)
		if err != nil {
			since, err = time.Parse(time.DateOnly, a.request.Since)
		}
		if err != nil {
			return exit.UsageError(fmt.Sprintf("--since %q is neither a date, such as 2026-01-31, nor a time of RFC 3339.", a.request.Since))
		}
		times = &period{Since: since.UTC().Format(time.RFC3339)}
	}
	s := selection{
		Type: "https://pdpp.dev/data-access", Mode: "continuous", Purpose: "https://pdpp.dev/purpose/personal_ai_assistant",
		Description: "Answer questions about my own data", Source: from,
	}
	if a.request.Once {
		s.Mode = "single_use"
	}
	for _, name := range names {
		if len(from.streams) > 0 && !slices.Contains(from.streams, name) {
			return exit.UsageError(fmt.Sprintf("%s has no stream %q; it has %s.", from.ID, name, rs.ErrorText(strings.Join(from.streams, ", "))))
		}
		s.Streams = append(s.Streams, stream{Name: name, Fields: fields[name], Instances: a.request.Connections, Time: times})
	}
	if len(names) == 0 {
		s.Streams = []stream{{Name: "*", Instances: a.request.Connections, Time: times}}
	}
	a.asked = s
	return nil
}
