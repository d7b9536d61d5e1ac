package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// An exchange was recorded at the reference implementation and minimized.
type exchange struct {
	Request  string          `json:"request"`
	Status   int             `json:"status"`
	Location string          `json:"location"`
	Body     json.RawMessage `json:"body"` // a JSON string if it is a page
}

// A replay is the authorization server and the resource server of the recordings, at one address. It answers each request with the next
// exchange that the test names for the path, and repeats the last one.
type replay struct {
	*httptest.Server
	t         *testing.T
	recorded  map[string]exchange
	mu        sync.Mutex
	answers   map[string][]string // names of exchanges, by path
	asked     map[string][]string // queries, bodies and bearers, by path
	challenge string              // the last code_challenge
	before    func(path string)   // called before each answer if not nil
}

// everywhere has the answers that are the same in most tests.
var everywhere = map[string]string{
	"/.well-known/oauth-protected-resource":   "connect-01-prm",
	"/.well-known/oauth-authorization-server": "connect-03-as",
	"/connectors/slack":                       "connect-04-public-connector-manifest",
	"/connectors/nosuch":                      "refusal-public-connector-unknown",
	"/oauth/register":                         "connect-13-register-native",
	"/oauth/par":                              "connect-30-par",
	"/agent-connect":                          "connect-31-agent-connect-start",
	"/oauth/device_authorization":             "connect-20-device-start",
}

// recordings returns those of the authorization server and of the resource server; the latter are also used by internal/cli.
func recordings(t testing.TB) map[string]exchange {
	t.Helper()
	recorded := map[string]exchange{}
	for _, file := range []string{"testdata/exchanges.json", "testdata/reads.json"} {
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &recorded)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return recorded
}

func newReplay(t *testing.T, answers map[string]string) *replay {
	t.Helper()
	r := &replay{t: t, recorded: recordings(t), answers: map[string][]string{}, asked: map[string][]string{}}
	for _, set := range []map[string]string{everywhere, answers} {
		for path, names := range set {
			r.answers[path] = strings.Fields(names)
		}
	}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *replay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	r.mu.Lock()
	defer r.mu.Unlock()
	path := request.URL.Path
	if r.before != nil {
		r.before(path)
	}
	r.asked[path] = append(r.asked[path], request.URL.RawQuery+string(body)+request.Header.Get("Authorization"))
	if path == "/oauth/authorize" && len(r.answers[path]) == 0 {
		r.authorize(w, request.URL.Query())
		return
	}
	names := r.answers[path]
	if len(names) == 0 {
		http.NotFound(w, request)
		return
	}
	if len(names) > 1 {
		r.answers[path] = names[1:]
	}
	name := names[0]
	switch name {
	case "hangs-up":
		panic(http.ErrAbortHandler)
	case "redirect":
		http.Redirect(w, request, "https://elsewhere.example/", http.StatusTemporaryRedirect)
		return
	case "schema-client":
		_, _ = io.WriteString(w, schemaOf("client", "grt_made_up_02"))
		return
	case "schema-other-grant":
		_, _ = io.WriteString(w, schemaOf("client", "grt_other"))
		return
	}
	recorded, found := r.recorded[name]
	if !found {
		r.t.Errorf("no exchange %q", name)
	}
	text, page := string(recorded.Body), ""
	w.Header().Set("Content-Type", "application/json")
	if json.Unmarshal(recorded.Body, &page) == nil {
		text = page
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	if recorded.Location != "" {
		w.Header().Set("Location", r.here(recorded.Location))
	}
	w.WriteHeader(recorded.Status)
	_, _ = io.WriteString(w, r.here(text))
}

var recordedGrant = regexp.MustCompile(`grt_made_up_\d+`)

// here replaces recorded addresses with those of this server, and all grants with the grant of the recorded agent connect.
func (r *replay) here(text string) string {
	for _, host := range []string{"https://as.example", "https://rs.example", "https://native-as.example", "https://native-rs.example"} {
		text = strings.ReplaceAll(text, host, r.URL)
	}
	return recordedGrant.ReplaceAllString(text, "grt_made_up_02")
}

// authorize approves immediately, like an owner who is signed in.
func (r *replay) authorize(w http.ResponseWriter, query url.Values) {
	r.challenge = query.Get("code_challenge")
	back, _ := url.Parse(query.Get("redirect_uri"))
	back.RawQuery = url.Values{"code": {"oacode_made_up_01"}, "state": {query.Get("state")}}.Encode()
	w.Header().Set("Location", back.String())
	w.WriteHeader(http.StatusFound)
}

// count returns how often a path was requested.
func (r *replay) count(path string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.asked[path])
}

// sent returns the last body sent to a path.
func (r *replay) sent(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.asked[path]) == 0 {
		return ""
	}
	return r.asked[path][len(r.asked[path])-1]
}

func schemaOf(kind, grant string) string {
	return `{"detail":"compact","bearer":{"token_kind":"` + kind + `","grant_id":"` + grant + `","client_id":"cli_made_up_03"},"connectors":[{"connector_key":"slack",` +
		`"granted_connections":[{"connection_id":"cin_slack_acme","display_name":"Acme"}],"streams":[{"name":"messages","field_capabilities":{"id":"declared"}}]}]}`
}

// A world is the environment of a connect, with a clock that its waits advance.
type world struct {
	Options
	now       time.Time
	said      strings.Builder
	drawn     []string
	following string // the last drawing // what is printed below the last QR code; the links drawn as QR codes
}

func newWorld() *world {
	w := &world{now: time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC)}
	w.Options = Options{
		UserAgent: "test", Now: func() time.Time { return w.now },
		Wait: func(ctx context.Context, d time.Duration) error {
			w.now = w.now.Add(d)
			return ctx.Err()
		},
		Known: func(string) credentials.Client { return credentials.Client{} },
		Ask:   func(context.Context) (string, error) { return "cex_made_up_01", nil },
		Draw:  func(link, following string) { w.drawn, w.following = append(w.drawn, link), following },
		Say:   func(format string, arguments ...any) { fmt.Fprintf(&w.said, format+"\n", arguments...) },
	}
	return w
}

// serveLoopback returns the status of a request to a loopback server.
func serveLoopback(t *testing.T, l *loopback, target string) int {
	t.Helper()
	answer := httptest.NewRecorder()
	l.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, target, nil))
	return answer.Code
}
