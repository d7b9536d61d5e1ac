package transport_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// A fakeClock tells a time that moves when a test moves it, and a nanosecond with every look, so that of two moments one
// is always the later.
type fakeClock struct{ nanos atomic.Int64 }

func newClock() *fakeClock {
	c := &fakeClock{}
	c.nanos.Store(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *fakeClock) now() time.Time          { return time.Unix(0, c.nanos.Add(1)).UTC() }
func (c *fakeClock) advance(d time.Duration) { c.nanos.Add(int64(d)) }

// A bearer is one token and what becomes of it. Each has a grant of its own, and every answer to it carries the stamp of
// that grant, so that a byte of it that turns up elsewhere is seen. Its fields are guarded by the realm's lock.
type bearer struct {
	token, grant string
	pkg          bool
	members      []membership // of a package: who belongs to it, and from when to when
	expires      time.Time    // zero: never

	ended       time.Time // when the authority ended it; zero while it has not
	refused     bool      // the resource server answers 401 to it as well
	refusedByRS bool      // the resource server answers 401 to it, and the authority knows nothing of that
}

type membership struct {
	*bearer
	from, until time.Time // until is zero while it lasts
}

func (b *bearer) stamp() string      { return "stamp" + b.grant + "z" }
func (b *bearer) connection() string { return "cin_" + b.grant + "z" }

// stamps finds the grants whose data is in an answer.
var stamps = regexp.MustCompile(`stamp(g\d+)z`)

// A realm is a scripted resource server and the authority over its tokens, with a directory of packages.
type realm struct {
	*httptest.Server
	clock *fakeClock

	mu      sync.Mutex
	bearers []*bearer
	byToken map[string]*bearer
	asked   []asking
	down    bool                     // the authority answers nobody
	kinds   map[string]string        // what the authority calls a token instead
	hangs   map[string]chan struct{} // reads of these calls get no answer; closed when one has come
}

// An asking is one read that the resource server heard: with which token, for which call.
type asking struct {
	token, call string
	schema      bool // by which an error is explained; no call can be named in it
}

func newRealm(t *testing.T) *realm {
	t.Helper()
	w := &realm{clock: newClock(), byToken: map[string]*bearer{}, hangs: map[string]chan struct{}{}}
	w.Server = httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(w.Close)
	return w
}

// issue makes a new grant and its token. Members make it a package.
func (w *realm) issue(members ...*bearer) *bearer { return w.issueUntil(time.Time{}, members...) }

func (w *realm) issueUntil(expires time.Time, members ...*bearer) *bearer {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.bearers)
	b := &bearer{token: fmt.Sprintf("tok-%d-secret", n), grant: fmt.Sprintf("g%d", n), pkg: len(members) > 0, expires: expires}
	for _, c := range members {
		b.members = append(b.members, membership{bearer: c, from: w.clock.now()})
	}
	w.bearers = append(w.bearers, b)
	w.byToken[b.token] = b
	return b
}

// change does something to the realm, which nobody sees half done.
func (w *realm) change(do func(now time.Time)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	do(w.clock.now())
}

// end is a revocation at the authority; with everywhere, at the resource server too, and a package's members with it.
func (w *realm) end(b *bearer, everywhere bool) {
	w.change(func(now time.Time) {
		if b.refusedByRS {
			return // somebody else was faster
		}
		gone := []*bearer{b}
		if everywhere {
			for _, c := range b.members {
				gone = append(gone, c.bearer)
			}
		}
		for _, g := range gone {
			g.refused = g.refused || everywhere
			if g.ended.IsZero() {
				g.ended = now
			}
		}
	})
}

// hang makes all reads of one call wait until their caller gives up, and says when one has come.
func (w *realm) hang(call string) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hangs[call] = make(chan struct{})
	return w.hangs[call]
}

func (w *realm) reads() []asking {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.asked)
}

func (w *realm) serve(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	down := w.down
	w.mu.Unlock()
	switch {
	case down && !strings.HasPrefix(r.URL.Path, "/v1/"):
		rw.WriteHeader(http.StatusBadGateway)
	case r.URL.Path == "/introspect":
		w.introspect(rw, r)
	case r.URL.Path == "/packages":
		w.directory(rw, r)
	default:
		w.read(rw, r)
	}
}

func (w *realm) introspect(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.byToken[r.FormValue("token")]
	answer := map[string]any{"active": false}
	switch {
	case b == nil:
	case !b.ended.IsZero():
		answer["inactive_reason"] = "grant_revoked"
	default:
		answer = map[string]any{
			"active":          true,
			"pdpp_token_kind": auth.KindClient,
			"grant_id":        b.grant,
			"iss":             "https://as.example",
			"aud":             w.URL,
		}
		if b.pkg {
			answer["pdpp_token_kind"] = auth.KindPackage
		}
		if kind, other := w.kinds[b.token]; other {
			answer["pdpp_token_kind"] = kind
		}
		if !b.expires.IsZero() {
			answer["exp"] = b.expires.Unix()
		}
	}
	_ = json.NewEncoder(rw).Encode(answer)
}

func (w *realm) directory(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.byToken[r.FormValue("token")]
	if b == nil || !b.pkg || !b.ended.IsZero() {
		_, _ = io.WriteString(rw, `{"status":"revoked","members":[]}`)
		return
	}
	members := []map[string]any{}
	for _, c := range b.members {
		if c.until.IsZero() {
			members = append(members, map[string]any{
				"grant_id": c.grant, "connection_id": c.connection(), "connector_key": "mail", "display_name": c.stamp(),
				"streams": []string{"messages"}, "access_token": c.token, "usable": true,
			})
		}
	}
	_ = json.NewEncoder(rw).Encode(map[string]any{"package_id": b.grant, "status": "active", "members": members})
}

// callMark finds the name of the call in the URL of a read; each call puts its own there.
var callMark = regexp.MustCompile(`call\d+z`)

// read answers a read, and notes it.
func (w *realm) read(rw http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	call := callMark.FindString(r.URL.String())
	w.mu.Lock()
	w.asked = append(w.asked, asking{token, call, call == "" && r.URL.Path == "/v1/schema"})
	b := w.byToken[token]
	hung := w.hangs[call]
	status, code := http.StatusOK, ""
	switch {
	case b == nil || b.refused:
		status, code = http.StatusUnauthorized, "context.active_false"
	case b.pkg:
		status, code = http.StatusNotFound, "not_found"
	case b.refusedByRS:
		status, code = http.StatusUnauthorized, "context.stream_not_allowed"
	case !slices.Contains([]string{"", b.connection()}, r.URL.Query().Get("connection_id")):
		status, code = http.StatusNotFound, "connection_not_found"
	case strings.Contains(r.URL.Path, "/blobs/") && !b.hasBlob(call):
		status, code = http.StatusNotFound, "blob_not_found"
	}
	stamp, connection := "nobody", ""
	if b != nil {
		stamp, connection = b.stamp(), b.connection()
	}
	if hung != nil {
		select {
		case <-hung:
		default:
			close(hung)
		}
	}
	w.mu.Unlock()
	if hung != nil {
		<-r.Context().Done()
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	rw.Header().Set("Request-Id", "req_"+stamp)
	rw.WriteHeader(status)
	if status != http.StatusOK {
		fmt.Fprintf(rw, `{"error":{"code":%q,"message":"%s was refused.","type":"error"}}`, code, stamp)
		return
	}
	fmt.Fprint(rw, stampedAnswer(r.URL.Path, call, stamp, connection))
}

// hasBlob is how some grants have a blob and others do not.
func (b *bearer) hasBlob(call string) bool {
	sum := fnv.New32()
	_, _ = io.WriteString(sum, b.token+call)
	return sum.Sum32()%3 > 0
}

func stampedAnswer(path, call, stamp, connection string) string {
	record := fmt.Sprintf(`{"object":"record","id":"%s","stream":"messages","data":{"subject":"%s"},"connection_id":"%s","display_name":"%s","emitted_at":"2026-01-01T00:00:00Z"}`,
		call, stamp, connection, stamp)
	switch {
	case strings.HasSuffix(path, "/schema"):
		return fmt.Sprintf(`{"object":"schema","detail":"compact","bearer":{"token_kind":"client"},"connectors":[{"connector_key":"mail",`+
			`"granted_connections":[{"connection_id":"%s","display_name":"%s"}],"streams":[{"name":"messages","field_capabilities":{"subject":"t=text"}}]}]}`, connection, stamp)
	case strings.HasSuffix(path, "/search"):
		return fmt.Sprintf(`{"object":"list","data":[{"object":"search_result","stream":"messages","record_key":"r1","connection_id":"%s",`+
			`"display_name":"%s","snippet":{"field":"subject","text":"<mark>%s</mark> %s"}}],"has_more":false,"meta":{"count":1}}`, connection, stamp, call, stamp)
	case strings.HasSuffix(path, "/records"):
		return `{"object":"list","data":[` + record + `],"has_more":false,"meta":{"count":{"kind":"none"},"warnings":[]}}`
	case strings.Contains(path, "/blobs/"):
		return `"` + stamp + `"`
	default:
		return record
	}
}

// authenticator is the product's own: a cache over introspection and the directory of packages, by the realm's clock.
func (w *realm) authenticator(t *testing.T, client *rsclient.Client) *auth.TokenCache {
	t.Helper()
	introspector, err := auth.NewIntrospector(auth.IntrospectorOptions{
		LookupOptions: auth.LookupOptions{Endpoint: w.URL + "/introspect", ClientID: "mcp", ClientSecret: rs.NewToken("s3cret")},
		Issuer:        "https://as.example",
		Audiences:     []string{w.URL},
		Now:           w.clock.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	directory, err := fanout.NewHTTPDirectory(
		auth.LookupOptions{Endpoint: w.URL + "/packages", ClientID: "mcp", ClientSecret: rs.NewToken("s3cret")},
	)
	if err != nil {
		t.Fatal(err)
	}
	return auth.NewTokenCache(auth.TokenCacheOptions{Now: w.clock.now, Authority: fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
		Authority: introspector, Directory: directory, For: client.ForToken, Package: fanout.PackageOptions{Now: w.clock.now},
	})})
}

// mount serves /mcp over the realm. wrap may put another authenticator around the product's own.
func (w *realm) mount(t *testing.T, wrap func(web.Authenticator) web.Authenticator) string {
	t.Helper()
	client, err := rsclient.New(rsclient.Options{Base: w.URL})
	if err != nil {
		t.Fatal(err)
	}
	var authenticator web.Authenticator = w.authenticator(t, client)
	if wrap != nil {
		authenticator = wrap(authenticator)
	}
	server := httptest.NewServer(transport.Handler(transport.HandlerOptions{
		Server:        transport.NewPipeline(transport.PipelineOptions{Client: client, Logger: zerolog.Nop()}),
		Authenticator: authenticator, Metadata: transport.Metadata{Packages: true}, Logger: zerolog.Nop(),
	}))
	t.Cleanup(server.Close)
	return server.URL + web.EndpointPath
}
