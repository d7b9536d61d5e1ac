package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

const quoteToken = "tok-quotes"

// A quoteRig is an embedded resource server with one note, whose text and grant the test changes, and the credential with which verify
// reads it.
type quoteRig struct {
	t         *testing.T
	store     *store.Store
	grants    *authority.Grants
	url       string
	cache     string
	requests  atomic.Int64
	miscounts atomic.Bool // ends of windows are counted in UTF-16 units
	loads     int
}

func newQuoteRig(t *testing.T) *quoteRig {
	t.Helper()
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	r := &quoteRig{t: t, store: store, grants: &authority.Grants{}, cache: t.TempDir()}
	r.grant("body")
	embedded := embedded.NewServer(store, r.grants, embedded.Options{Origin: func() string { return r.url }})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		r.requests.Add(1)
		if !r.miscounts.Load() || !strings.HasSuffix(request.URL.Path, "/field-window") {
			embedded.ServeHTTP(w, request)
			return
		}
		answer := httptest.NewRecorder()
		embedded.ServeHTTP(answer, request)
		w.WriteHeader(answer.Code)
		_, _ = w.Write(miscounted(answer.Body.Bytes()))
	}))
	t.Cleanup(server.Close)
	r.url = server.URL
	file := filepath.Join(r.cache, "clients", strings.ReplaceAll(strings.TrimPrefix(r.url, "http://"), ":", "_")+".json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, fmt.Appendf(nil, `{"provider_url":%q,"credential":{"access_token":%q}}`, r.url, quoteToken), 0o600); err != nil {
		t.Fatal(err)
	}
	return r
}

// miscounted returns a field window as a server with the known fault writes it.
func miscounted(body []byte) []byte {
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil {
		return body
	}
	window, ok := answer["window"].(map[string]any)
	if !ok {
		return body
	}
	text, _ := window["text"].(string)
	start, _ := window["start_chars"].(float64)
	end := int(start) + len(utf16.Encode([]rune(text)))
	window["end_chars"] = end
	if window["next_offset_chars"] != nil {
		window["next_offset_chars"] = end
	}
	body, _ = json.Marshal(answer)
	return body
}

// grant lets the token read these fields of the notes.
func (r *quoteRig) grant(fields ...string) {
	r.grants.Put(quoteToken, authority.Grant{ID: "grt_1", ClientID: "cli_1", Kind: authority.KindClient, Streams: []authority.StreamGrant{{
		ConnectorKey: "notes", Stream: "notes", ConnectionIDs: []string{"cin_notes"}, Fields: append([]string{"id", "title"}, fields...),
	}}})
}

// load replaces the text of the note; without text it deletes the note.
func (r *quoteRig) load(text ...string) {
	r.t.Helper()
	r.loads++
	corpus := model.Corpus{
		Connectors: []model.Connector{{
			Key: "notes", SourceID: "https://registry.test/connectors/notes", Connections: []model.Connection{{ID: "cin_notes", DisplayName: "Notebook"}},
			Streams: []model.Stream{{Name: "notes", PrimaryKey: []string{"id"}, Fields: []model.Field{
				{Name: "id", Type: "string", Exact: true}, {Name: "title", Type: "text", Lexical: true}, {Name: "body", Type: "text", Lexical: true},
			}}},
		}},
		Records: func(yield func(model.Record, error) bool) {
			for i, body := range text {
				data, _ := json.Marshal(map[string]string{"id": fmt.Sprintf("n%d", i+1), "title": "Boiler", "body": body})
				if !yield(model.Record{ConnectionID: "cin_notes", Stream: "notes", ID: fmt.Sprintf("n%d", i+1), EmittedAt: time.Unix(1767312000, 0), Data: data}, nil) {
					return
				}
			}
		},
	}
	if err := r.store.Load(r.t.Context(), corpus, fmt.Sprint(r.loads), nil); err != nil {
		r.t.Fatal(err)
	}
}

// ask calls a tool as a model does.
func (r *quoteRig) ask(tool string, arguments map[string]any, into any) {
	r.t.Helper()
	typed, err := json.Marshal(arguments)
	if err != nil {
		r.t.Fatal(err)
	}
	command := exec.CommandContext(r.t.Context(), binary, "call", tool, string(typed), "--structured", "--provider-url", r.url, "--cache-root", r.cache)
	command.Env, command.Stderr = []string{"HOME=" + r.cache}, os.Stderr
	data, err := command.Output()
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		r.t.Fatalf("%s: %v %s", tool, err, data)
	}
}

// excerpt searches and returns the citation of the first match and its text.
func (r *quoteRig) excerpt(q string) (citation map[string]any, text string) {
	r.t.Helper()
	var found struct {
		Results []struct {
			ID       string
			Evidence struct {
				Field, Text, SHA256 string
				Start               *int `json:"start_chars"`
				End                 *int `json:"end_chars"`
			}
		}
	}
	r.ask("search", map[string]any{"q": q}, &found)
	e := found.Results[0].Evidence
	citation = map[string]any{"id": found.Results[0].ID, "field": e.Field, "sha256": e.SHA256}
	if e.Start != nil {
		citation["start_chars"], citation["end_chars"] = *e.Start, *e.End
	}
	return citation, e.Text
}

// window reads a part of the body and returns its citation.
func (r *quoteRig) window(offset, limit int) map[string]any {
	r.t.Helper()
	var read struct {
		Window struct {
			SHA256 string
			Start  int `json:"start_chars"`
			End    int `json:"end_chars"`
		}
	}
	const id = "cin_notes/notes:n1"
	r.ask("read_record_field", map[string]any{"id": id, "field": "body", "offset_chars": offset, "limit_chars": limit}, &read)
	return map[string]any{"id": id, "field": "body", "start_chars": read.Window.Start, "end_chars": read.Window.End, "sha256": read.Window.SHA256}
}

// verify runs the command and checks its exit code and the text on stdout or in the last line of stderr.
func (r *quoteRig) verify(code int, says string, citation map[string]any, flags ...string) {
	r.t.Helper()
	argument, err := json.Marshal(citation)
	if err != nil {
		r.t.Fatal(err)
	}
	r.run(code, says, append([]string{string(argument)}, flags...)...)
}

func (r *quoteRig) run(code int, says string, args ...string) {
	r.t.Helper()
	var out, problems bytes.Buffer
	args = append([]string{"verify", "--provider-url", r.url, "--cache-root", r.cache}, args...)
	command := exec.CommandContext(r.t.Context(), binary, args...)
	command.Env, command.Stdout, command.Stderr = []string{"HOME=" + r.cache}, &out, &problems
	_ = command.Run() // its exit code is checked below
	got := command.ProcessState.ExitCode()
	if got != code || !strings.Contains(out.String()+problems.String(), says) {
		r.t.Errorf("exit %d, want %d with %q\nstdout: %sstderr: %s", got, code, says, &out, &problems)
	}
	if strings.Contains(problems.String(), quoteToken) {
		r.t.Errorf("the token is printed: %s", &problems)
	}
	if long := strings.TrimSpace(out.String()); len([]rune(long)) > 400*(1+strings.Count(long, "\n")) {
		r.t.Errorf("a message of %d characters", len([]rune(long)))
	}
}

func TestVerify(t *testing.T) {
	r := newQuoteRig(t)
	const body = "The boiler 🚀 was serviced in March.\n\n  The fitter said that the valve has to be replaced before winter. Call him."
	long := strings.Repeat("Nothing to see here, move along. 🚀 ", 1000) + "The boiler was serviced. " + strings.Repeat("And so on it goes. ", 1000)
	within := func(name string, text []string, check func(t *testing.T)) {
		t.Run(name, func(t *testing.T) {
			r.t = t
			r.load(text...)
			check(t)
		})
	}
	for _, miscounts := range []bool{false, true} {
		r.miscounts.Store(miscounts)
		server := " of a server that counts code points"
		if miscounts {
			server = " of a server that counts UTF-16 units"
		}
		within("an excerpt"+server+" is unchanged", []string{body}, func(*testing.T) {
			citation, text := r.excerpt("valve")
			r.verify(0, "unchanged: cin_notes/notes:n1 field body, characters ", citation)
			r.verify(0, "unchanged", citation, "--text", text)
			r.verify(0, `{"verdict":"unchanged","id":"cin_notes/notes:n1","field":"body","start_chars":`, citation, "--json")
		})
		within("what a search prints"+server+" is unchanged", []string{body}, func(*testing.T) {
			citation, _ := r.excerpt("valve")
			place := ""
			if citation["start_chars"] != nil {
				place = fmt.Sprintf(" %d-%d", citation["start_chars"], citation["end_chars"])
			}
			r.run(0, "unchanged: cin_notes/notes:n1 field body, characters ", fmt.Sprintf("%s field=%s%s %s:", citation["id"], citation["field"], place, citation["sha256"]))
		})
		within("a window"+server+" is unchanged", []string{body}, func(*testing.T) {
			r.verify(0, "unchanged", r.window(11, 30))
			r.verify(0, "unchanged", r.window(0, 4096))
		})
		within("a quote of many windows"+server+" is unchanged", []string{long}, func(*testing.T) {
			r.verify(0, "characters 0 to 50000", map[string]any{"id": "cin_notes/notes:n1", "field": "body", "start_chars": 0, "end_chars": 50000, "sha256": render.Digest(string([]rune(long)[:50000]))})
		})
		within("a short excerpt"+server+" far into a long text is unchanged", []string{long}, func(*testing.T) {
			citation, _ := r.excerpt("serviced")
			r.verify(0, "unchanged", citation)
		})
	}
	r.miscounts.Store(false)

	within("what was edited since is reported as changed, with the present text", []string{body}, func(*testing.T) {
		window := r.window(0, 30)
		excerpt, _ := r.excerpt("valve")
		r.load(strings.Replace(strings.Replace(body, "boiler", "heater", 1), "valve", "pump", 1))
		r.verify(1, `changed: cin_notes/notes:n1 field body; characters 0 to 30 now read "The heater 🚀 was serviced in M`, window)
		r.verify(1, "now read", excerpt)
		r.load(strings.Repeat("secret ", 500))
		r.verify(1, "secret secret secret", window)
		r.load("Short.")
		r.verify(1, "characters 0 to 30 now read \"Short.\"", window)
		r.load("")
		r.verify(1, "the field no longer reaches characters 0 to 30", window)
	})
	within("white space alone does not change an excerpt", []string{body}, func(*testing.T) {
		_, text := r.excerpt("valve")
		r.load(strings.ReplaceAll(body, "\n\n  ", " "))
		r.verify(0, "unchanged", map[string]any{"id": "cin_notes/notes:n1", "field": "body"}, "--text", text)
	})
	within("a deleted record is not found", []string{body}, func(*testing.T) {
		citation := r.window(0, 30)
		r.load()
		r.verify(1, "not found: cin_notes/notes:n1 field body; not_found: ", citation)
	})
	within("a text that moved is found, by its hash or by its words", []string{body}, func(*testing.T) {
		window := r.window(4, 20)
		_, text := r.excerpt("valve")
		r.load("Postscript. " + body)
		r.verify(0, "unchanged: cin_notes/notes:n1 field body; moved from characters 4 to 24", window)
		r.verify(0, "unchanged", map[string]any{"id": "cin_notes/notes:n1", "field": "body", "text": text, "sha256": render.Digest(render.Quotable(text))})
		r.verify(0, "unchanged", map[string]any{"id": "cin_notes/notes:n1", "field": "body", "text": "the\tvalve…"}, "--json=false")
	})
	within("a text that is nowhere is not found", []string{body}, func(*testing.T) {
		r.verify(1, "not found: cin_notes/notes:n1 field body; the text is not in the field", map[string]any{"id": "cin_notes/notes:n1", "field": "body", "text": "the pump"})
	})
	within("escape sequences, overrides and tags of the text do not matter", []string{"A \x1b[31mred\x1b[0m \u202eword\u202c and a <mark>tag</mark> around the valve.\r\nDone."}, func(*testing.T) {
		r.verify(0, "unchanged", r.window(0, 4096))
		citation, text := r.excerpt("valve")
		r.verify(0, "unchanged", citation, "--text", text)
	})
	within("what is not granted any more is not found", []string{body}, func(*testing.T) {
		citation := r.window(0, 30)
		defer r.grant("body")
		r.grant()
		r.verify(1, "not found: cin_notes/notes:n1 field body; field_not_granted: ", citation)
	})
	within("a stream or connection that is gone is a quote that is not found", []string{body}, func(*testing.T) {
		one, _ := json.Marshal(r.window(0, 30))
		for id, code := range map[string]string{"cin_notes/gone:n1": "unknown_stream", "cin_gone/notes:n1": "unknown_connection"} {
			gone := strings.ReplaceAll(string(one), "cin_notes/notes:n1", id)
			r.run(1, "not found: "+id+" field body; "+code, gone)
		}
	})
	within("a bad citation is refused, and nothing is read", []string{body}, func(t *testing.T) {
		before := r.requests.Load()
		for citation, says := range map[string]string{
			`nonsense`:                           "one JSON object",
			`["x"]`:                              "one JSON object",
			`{"id":"a:b","field":"c"}x`:          "one JSON object",
			`{"id":"a:b","field":"c","start":1}`: "one JSON object",
			`{"field":"body"}`:                   "id and field are required",
			`{"id":"a:b","field":"c"}`:           "neither sha256 nor text",
			`{"id":"a:b","field":"c","sha256":"` + strings.Repeat("0", 64) + `"}`:                               "the text itself is needed",
			`{"id":"a:b","field":"c","sha256":"` + strings.Repeat("A", 64) + `"}`:                               "16 to 64 lower-case",
			`{"id":"a:b","field":"c","start_chars":3,"sha256":"` + strings.Repeat("0", 64) + `"}`:               "no range",
			`{"id":"a:b","field":"c","start_chars":3,"end_chars":3,"sha256":"` + strings.Repeat("0", 64) + `"}`: "no range",
			`{"id":"a:b","field":"c","text":"x","sha256":"` + strings.Repeat("0", 64) + `"}`:                    "not what sha256 was made of",
			`{"id":"a:b","field":"c","text":" … "}`:                                                             "nothing that can be read",
			`{"id":"../b","field":"c","text":"x"}`:                                                              "invalid_id",
		} {
			r.run(64, says, citation)
		}
		if got := r.requests.Load(); got != before {
			t.Errorf("%d requests", got-before)
		}
	})
	within("a field that is no name is refused by the tool", []string{body}, func(*testing.T) {
		r.verify(64, "invalid_arguments", map[string]any{"id": "cin_notes/notes:n1", "field": "a\nb", "text": "x"})
	})
	within("S3-1b a revoked grant is reported as such", []string{body}, func(*testing.T) {
		citation := r.window(0, 30)
		r.grants.Revoke(quoteToken)
		r.verify(78, "pdpp-mcp connect "+r.url, citation)
	})
}
