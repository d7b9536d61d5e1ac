// Package signin lets OAuth hosts sign in at an authorization server that issues a token of a single grant only if the request selects the
// data, which no host does. It publishes authorization server metadata (RFC 8414) for this server: /authorize adds the selection and
// redirects to the real server, /register forwards only what the real server knows, and /token shares one refresh among concurrent calls.
//
// It is a stopgap: one authorization server under two issuers looks like a mix-up attack (RFC 9700, section 4.4), and the defence against
// those (RFC 9207) would break it.
package signin

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rechecked"
)

const (
	checkEvery = time.Hour        // how often the authorization server is checked
	retryAfter = 10 * time.Second // the same, after a failed check

	maxQuery = 16 << 10 // bytes of an authorization request
)

// Options configure a [Bridge]. Either ConnectorKey or Details is set; everything else is required.
type Options struct {
	Issuer string // the authorization server's, without a slash at its end
	Public string // this server's origin, which is its issuer
	// ConnectorKey names a source of which the owner has one connection. The sign-in requests all its streams.
	ConnectorKey string
	// Details are authorization_details (RFC 9396) with one entry, which is requested instead.
	Details string
	Now     func() time.Time
	Log     zerolog.Logger
}

// A Bridge serves sign-ins. It keeps tokens in memory for ten seconds, and stores nothing.
type Bridge struct {
	options Options
	source  string            // the source whose data are requested
	streams []requestedStream // the requested streams of the source; empty means all
	client  *rsclient.Once

	found *rechecked.Value[finding]

	refreshes singleflight.Group
	recent    *lru.Cache[string, serverAnswer]

	registrations *rate.Limiter
	registering   *web.Limiter // registrations of each client address
	tokens        *web.Limiter
	inFlight      *rsclient.Slots[netip.Prefix] // requests that the authorization server has not answered
}

// maxInFlight bounds the registrations and token requests that wait for the authorization server.
const maxInFlight = 64

// New checks an authorization server and returns a bridge to it. Its error tells the operator why the server cannot be used.
func New(ctx context.Context, o Options) (*Bridge, error) {
	public, err := url.Parse(o.Public)
	switch {
	case o.Public == "":
		return nil, errors.New("a public URL is needed: it is the issuer that hosts see")
	case err != nil || !isSecure(public):
		return nil, errors.New("the public URL must be https (http on loopback): codes and refresh tokens are sent to it")
	case (o.ConnectorKey == "") == (o.Details == ""):
		return nil, errors.New("name either a source or authorization details")
	}
	b := &Bridge{
		options: o, source: o.ConnectorKey, client: rsclient.NewOnce(requestTime), inFlight: rsclient.NewSlots[netip.Prefix](maxInFlight),
		registrations: rate.NewLimiter(100/(10*60.0), 100),
		registering:   web.NewLimiter(web.Limits{AddressRate: 20 / (10 * 60.0), AddressBurst: 20}, o.Now),
		tokens:        web.NewLimiter(web.Limits{AddressRate: 1, AddressBurst: 60}, o.Now),
	}
	if o.Details != "" {
		if b.source, b.streams, err = readDetails([]byte(o.Details)); err != nil {
			return nil, err
		}
	}
	b.recent, _ = lru.New[string, serverAnswer](1000) // fails only for a size below 1
	server, err := b.check(ctx)
	if err != nil {
		return nil, err
	}
	b.found = rechecked.New(o.Now, b.recheck)
	b.found.Set(finding{server: server}, checkEvery)
	return b, nil
}

// Fits reports whether the bridge has the same issuer, public origin and selection as o, so that it can be kept.
func (b *Bridge) Fits(o Options) bool {
	current := b.options
	return current.Issuer == o.Issuer && current.Public == o.Public && current.ConnectorKey == o.ConnectorKey && current.Details == o.Details
}

// CheckDetails returns what is wrong with the Details of [Options], or nil.
func CheckDetails(details []byte) error {
	_, _, err := readDetails(details)
	return err
}

// readDetails parses details, which must have one entry: several give a package token.
func readDetails(details []byte) (source string, streams []requestedStream, err error) {
	var entries []struct {
		Type    string
		Source  struct{ ID string }
		Streams []requestedStream
	}
	err = json.Unmarshal(details, &entries)
	if err != nil || len(entries) != 1 || entries[0].Type == "" || entries[0].Source.ID == "" {
		return "", nil, errors.New("authorization details must be a JSON list of one object with type and source.id; several give a token that cannot be read here")
	}
	return entries[0].Source.ID, entries[0].Streams, nil
}

// Serve answers a request at one of the four paths of a sign-in.
func (b *Bridge) Serve(w http.ResponseWriter, r *http.Request, path string) {
	found := b.found.Get(r.Context())
	if found.fault != nil {
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, "temporarily_unavailable", "The authorization server cannot be used at the moment.")
		return
	}
	switch path {
	case web.AuthorizePath:
		b.authorize(w, r, found.server)
	case web.RegisterPath:
		b.register(w, r, found.server)
	case web.TokenPath:
		b.token(w, r, found.server)
	default:
		b.metadata(w, found.server)
	}
}

// Offers reports whether a sign-in asks the owner for what a call lacks: all the streams, and the connection by its id.
func (b *Bridge) Offers(missing rs.Missing) bool {
	requested := b.found.Last().server.requested
	for _, name := range missing.Streams {
		if !slices.ContainsFunc(requested, func(s requestedStream) bool { return s.Name == name }) {
			return false
		}
	}
	return missing.Connection == "" ||
		slices.ContainsFunc(requested, func(s requestedStream) bool { return slices.Contains(s.Instances, missing.Connection) })
}

// A finding is the authorization server as of the last successful check, and the error of the last check.
type finding struct {
	server server
	fault  error
}

// recheck checks the authorization server again. Its timeout is that of the bridge's client.
func (b *Bridge) recheck(ctx context.Context, before finding) (finding, time.Duration) {
	server, err := b.check(ctx)
	switch {
	case err != nil:
		b.options.Log.Warn().Err(err).Str("issuer", b.options.Issuer).Msg("sign-in is not offered")
		return finding{before.server, err}, retryAfter
	case before.fault != nil:
		b.options.Log.Info().Str("issuer", b.options.Issuer).Msg("sign-in is offered again")
	}
	return finding{server: server}, checkEvery
}

// metadata answers with the document of RFC 8414. It omits what leads to a token of another kind: device endpoint and pushed requests.
func (b *Bridge) metadata(w http.ResponseWriter, s server) {
	document := map[string]any{
		"issuer":                                b.options.Public,
		"authorization_endpoint":                b.options.Public + web.AuthorizePath,
		"token_endpoint":                        b.options.Public + web.TokenPath,
		"registration_endpoint":                 b.options.Public + web.RegisterPath,
		"response_types_supported":              []string{"code"},
		"grant_types_supported":                 []string{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"},
	}
	if s.ClientDocuments {
		document["client_id_metadata_document_supported"] = true
	}
	w.Header().Set("Cache-Control", "public, max-age=300")
	web.WriteJSON(w, http.StatusOK, document)
}

// authorizeParameters are the parameters that are forwarded. Others could replace the selection.
var authorizeParameters = [...]string{"client_id", "redirect_uri", "response_type", "state", "code_challenge", "code_challenge_method",
	"scope", "resource"}

// challenge matches the SHA-256 of a verifier, in base64url without padding (RFC 7636, section 4.2).
var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)

// sentOnce returns the named parameters. It refuses a request that has one of them twice: two readers could take different values.
func sentOnce(w http.ResponseWriter, sent url.Values, names []string) (kept url.Values, ok bool) {
	kept = url.Values{}
	for _, name := range names {
		if len(sent[name]) > 1 {
			refuse(w, http.StatusBadRequest, "invalid_request", "The parameter "+name+" was sent more than once.")
			return nil, false
		}
		if sent.Has(name) {
			kept.Set(name, sent.Get(name))
		}
	}
	return kept, true
}

// authorize redirects to the authorization server, with the selection added. The target is fixed.
func (b *Bridge) authorize(w http.ResponseWriter, r *http.Request, s server) {
	sent, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(r.URL.RawQuery) > maxQuery {
		refuse(w, http.StatusBadRequest, "invalid_request", "The query is malformed or too long.")
		return
	}
	query, once := sentOnce(w, sent, authorizeParameters[:])
	if !once {
		return
	}
	if query.Get("code_challenge_method") != "S256" || !challenge.MatchString(query.Get("code_challenge")) {
		refuse(w, http.StatusBadRequest, "invalid_request", "PKCE is required: send code_challenge with code_challenge_method=S256 (RFC 7636).")
		return
	}
	if b.options.Details != "" {
		query.Set("authorization_details", b.options.Details)
	} else {
		query.Set("connector_id", b.options.ConnectorKey)
	}
	w.Header().Set("Location", s.AuthorizationEndpoint+"?"+query.Encode())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusFound)
}

// refuse writes an error in the form of RFC 6749.
func refuse(w http.ResponseWriter, status int, code, description string) {
	w.Header().Set("Cache-Control", "no-store")
	web.WriteJSON(w, status, map[string]string{"error": code, "error_description": description})
}

// mediaIs reports whether a Content-Type header has a media type.
func mediaIs(header, want string) bool {
	media, _, _ := strings.Cut(header, ";")
	return strings.EqualFold(strings.TrimSpace(media), want)
}
